"""Draws words, phrases and clauses for the bundled corpus, keeping to what a part of it (train, valid, test) may combine.

Owns: Draw, Barred, the adverbials. Requires: lexicon, clause.
"""

from clause import Adverbial, Clause, NounPhrase, Pronoun, prepositional
from lexicon import ADJECTIVE_LIST, CITIES, NOUN_LIST, POSSESSIVES, PRONOUNS, UNOWNED, VERB_LIST

NOW = [Adverbial("heute", "today", True), Adverbial("jetzt", "now", True), Adverbial("gerade", "right now", True)]
HABIT = [Adverbial("jeden Tag", "every day"), Adverbial("am Abend", "in the evening"), Adverbial("im Sommer", "in the summer"),
         Adverbial("im Winter", "in the winter"), Adverbial("nachts", "at night"), Adverbial("am Sonntag", "on Sunday")]
OFTEN = [Adverbial("oft", "often"), Adverbial("immer", "always"), Adverbial("manchmal", "sometimes"), Adverbial("selten", "rarely")]
NEVER = Adverbial("nie", "never")
PAST = [Adverbial("gestern", "yesterday"), Adverbial("letzte Woche", "last week"), Adverbial("am Montag", "on Monday"),
        Adverbial("letztes Jahr", "last year")]
FUTURE = [Adverbial("morgen", "tomorrow"), Adverbial("bald", "soon"), Adverbial("nächste Woche", "next week"),
          Adverbial("am Freitag", "on Friday")]
ALONE = Adverbial("allein", "alone")
MANNER = {"none": [ALONE, Adverbial("leise", "quietly"), Adverbial("fröhlich", "happily")],
          "whereto": [ALONE, Adverbial("schnell", "quickly"), Adverbial("langsam", "slowly")]}
CAUSES = [Adverbial("trotz des Regens", "despite the rain"), Adverbial("wegen der Hitze", "because of the heat"),
          Adverbial("während des Festes", "during the festival"), Adverbial("nach der Arbeit", "after work"),
          Adverbial("vor dem Unterricht", "before class")]
VEHICLES = [Adverbial("mit dem Zug", "by train"), Adverbial("mit dem Auto", "by car"), Adverbial("mit dem Bus", "by bus"),
            Adverbial("mit dem Schiff", "by ship")]
MODALS = ["können", "müssen", "wollen", "sollen"]
CONJUNCTIONS = {"weil": "because", "obwohl": "although", "wenn": "when", "bevor": "before", "während": "while"}


class Barred(Exception):
    """This part of the corpus has no allowed choice left: draw again."""


def part_of(row, column):
    """The part that may combine two words, by diagonals of a square: each part sees every word with many partners."""
    return {0: "test", 1: "valid"}.get((row + column) % 8, "train")


def perfective(verb):
    return verb.base != "have"  # nobody says "er hat gehabt" where "er hatte" will do


def action(verb):
    return verb.gerund != "-"


class Draw:
    def __init__(self, rng, part):
        self.rng, self.part, self.plain = rng, part, False  # plain: without adjectives, where two clauses make a sentence long

    def one(self, choices):
        if not choices:
            raise Barred
        return choices[int(self.rng.random() * len(choices))]

    def chance(self, p):
        return self.rng.random() < p

    def allowed(self, row, nouns):
        return [noun for noun in nouns if part_of(row, noun.index) == self.part]

    # ------------------------------------------------------------ words

    def nouns(self, tags):
        return [noun for noun in NOUN_LIST if noun.tag in tags]

    def verb(self, *frames, test=lambda verb: True):
        return self.one([verb for verb in VERB_LIST if verb.frame in frames and test(verb)])

    def phrase(self, noun, determiners="der der der ein ein mein dein sein unser dieser", adjective=0.15, plural=0.2):
        many = self.chance(plural)
        determiner = self.one(determiners.split())
        if determiner in POSSESSIVES and noun.lemma in UNOWNED:
            determiner = "der"
        fits = [a for a in ADJECTIVE_LIST if noun.tag in a.tags]
        return NounPhrase(noun, determiner, self.one(fits) if fits and not self.plain and self.chance(adjective) else None, many)

    def subject(self, tags=("person",), pronoun=0.3, noun=None, adjective=0.05):
        if noun is None and self.chance(pronoun):
            return Pronoun(self.one(list(PRONOUNS)))
        return self.phrase(noun or self.one(self.nouns(tags)), "der der der ein mein dein sein unser dieser", adjective, 0.25)

    def place(self, noun, case, rich=False):
        """in the garden (dative: where) or into the garden (accusative: whereto); at, to the station."""
        phrase = self.phrase(noun, "der ein mein unser dieser" if rich else "der", 0.6 if rich and noun.tag == "place" else 0, 0)
        if noun.tag == "place":
            return Adverbial(prepositional("in", phrase, case), ("in " if case == "dat" else "into ") + phrase.english())
        german = prepositional("an" if case == "dat" else "zu", phrase, "dat")
        return Adverbial(german, ("at " if case == "dat" else "to ") + phrase.english())

    # ------------------------------------------------------------ clauses

    def clause(self, verb, tense="present", subject=None, place=0.0, rich=False, **slots):
        """A clause of this verb. Its bonds (pairs of words that only one part may combine) join the verb to the object or place if there is one, else to the subject."""
        c = Clause(subject or self.subject(verb.subjects), verb, tense, **slots)
        if verb.gerund == "-" and c.time in NOW + HABIT:
            raise Barred  # a state has no time of day
        taken = c.subject.noun if isinstance(c.subject, NounPhrase) else None
        if verb.frame in ("object", "give") and c.object is None:
            noun = self.one([n for n in self.allowed(verb.index, self.nouns(verb.objects)) if n is not taken])
            indefinite = "" if c.negated else " ein ein"  # nicht needs a definite object; ein would become kein
            c.object = self.phrase(noun, "der der mein dein sein unser dieser" + indefinite, 0.6 if rich else 0.12, 0.2)
            c.bonds.append((verb.name, noun.lemma))
        if verb.frame == "give" and c.recipient is None:
            noun = self.one([n for n in self.nouns(("person",)) if n is not taken])
            c.recipient = self.phrase(noun, "der der ein mein dein sein unser", 0, 0.2)
        if verb.frame in ("where", "whereto") and c.place is None:
            noun = self.one(self.allowed(verb.index, self.nouns(("place", "station"))))
            c.place = self.place(noun, "dat" if verb.frame == "where" else "acc", rich)
            c.bonds.append((verb.name, noun.lemma))
        if verb.frame == "city" and c.place is None:
            city = self.one([c for i, c in enumerate(CITIES) if part_of(verb.index, i) == self.part])
            c.place = Adverbial("nach " + city, "to " + CITIES[city])
            c.bonds.append((verb.name, city))
        if verb.frame in ("none", "alone"):
            if verb.frame == "none" and c.place is None and self.chance(place):
                noun = self.one(self.allowed(verb.index, self.nouns(("place", "station"))))
                c.place = self.place(noun, "dat", rich)
                c.bonds.append((verb.name, noun.lemma))
            if isinstance(c.subject, NounPhrase) and not c.bonds:
                self.bond_subject(c)
        if "sein" in (getattr(phrase, "determiner", "") for phrase in (c.object, c.recipient)) and taken and taken.lemma == "Mädchen":
            raise Barred  # his or her own: ambiguous
        return c

    def bond_subject(self, c):
        if not isinstance(c.subject, NounPhrase) or part_of(c.verb.index, c.subject.noun.index) != self.part:
            raise Barred
        c.bonds.append((c.verb.name, c.subject.noun.lemma))

    def quality(self, noun, negated=False, tense="present", **slots):
        """Something is old: sein with an adjective."""
        fits = [a for a in ADJECTIVE_LIST if noun.tag in a.tags and part_of(a.index, noun.index) == self.part]
        adjective = self.one(fits)
        c = Clause(self.phrase(noun, "der der mein dein sein unser dieser", 0, 0.25), None, tense, negated=negated,
                   predicate=Adverbial(adjective.lemma, adjective.english), **slots)
        c.bonds.append((adjective.lemma, noun.lemma))
        return c

    def any_clause(self, tense="present", **slots):
        frames = self.one(["object", "object", "object", "object", "none", "none", "alone", "whereto"])
        return self.clause(self.verb(frames, test=perfective), tense, place=0.4, **slots)
