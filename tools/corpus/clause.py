"""Phrases and clauses of the bundled corpus, said in German and in English: agreement, case, word order, tense, negation.

Owns: NounPhrase, Pronoun, Clause and the two sides of each. Requires: lexicon. English is a function of the German words: any change to one side shows in the other, and what German does not mark (the progressive, do-support) follows from what it does say.
"""

from dataclasses import dataclass, field

from lexicon import (DEFINITE, DIESER, EIN, MIXED, NUMBERS, ORDINALS, POSSESSIVES, PRONOUNS, RELATIVE, STRONG_PLURAL, WEAK, Adjective, Noun,
                     Verb, auxiliary, english_s)

CONTRACTIONS = {"in dem": "im", "in das": "ins", "an dem": "am", "zu dem": "zum", "zu der": "zur", "von dem": "vom"}


def join(*parts):
    return " ".join(part for part in parts if part)


def with_article(phrase):
    return ("an " if phrase[0] in "aeiou" else "a ") + phrase


@dataclass(frozen=True)
class NounPhrase:
    """Determiner, number, ordinal, adjective, noun. The adjective's ending depends on the determiner, and both on case and gender."""
    noun: Noun
    determiner: str = "der"  # der ein kein dieser jeder, a possessive, viele, alle, a number, "" (bare plural)
    adjective: Adjective | None = None
    plural: bool = False
    ordinal: str = ""

    is_pronoun = False

    @property
    def person(self):
        return "sie" if self.plural else "er"

    @property
    def negative(self):
        return self.determiner == "kein"

    def german(self, case):
        g, d = "p" if self.plural else self.noun.gender, self.determiner
        if d == "der":
            word, ending = DEFINITE[case][g], WEAK[case][g]
        elif d in ("dieser", "jeder"):
            word, ending = d[:-2] + DIESER[case][g], WEAK[case][g]
        elif d == "alle":
            word, ending = "allen" if case == "dat" else "alle", "en"
        elif d == "ein" and self.plural:
            word, ending = "", STRONG_PLURAL[case]
        elif d in ("ein", "kein") or d in POSSESSIVES:
            word, ending = d + EIN[case][g], MIXED[case][g]
        elif d == "viele":
            word, ending = "vielen" if case == "dat" else "viele", STRONG_PLURAL[case]
        else:
            word, ending = d, STRONG_PLURAL[case]  # a number
        stems = [self.ordinal] if self.ordinal else []
        stems += [self.adjective.stem] if self.adjective else []
        return join(word, *(stem + ending for stem in stems), self.noun.german(case, self.plural))

    def english(self, negated=False):
        """negated: the clause already says "not", so kein becomes "a" or "any"."""
        words = join(ORDINALS.get(self.ordinal, ""), self.adjective.english if self.adjective else "",
                     self.noun.english_plural if self.plural else self.noun.english)
        d = self.determiner
        if d == "ein" or d == "kein" and negated:
            return ("any " if d == "kein" else "") + words if self.plural else with_article(words)
        if d == "dieser":
            return ("these " if self.plural else "this ") + words
        word = {"der": "the", "kein": "no", "jeder": "every", "viele": "many", "alle": "all", **POSSESSIVES, **NUMBERS}[d]
        return word + " " + words


@dataclass(frozen=True)
class Pronoun:
    name: str

    is_pronoun = True
    negative = False
    plural = False
    adjective = None

    @property
    def person(self):
        return PRONOUNS[self.name][0]

    def german(self, case):
        return PRONOUNS[self.name][{"nom": 1, "acc": 2, "dat": 3}[case]]

    def english(self, negated=False):
        return PRONOUNS[self.name][5]


@dataclass(frozen=True)
class Asked:
    """The gap that a question word or relative pronoun leaves: no text, but as a subject it has a person (wer: er; a relative pronoun: its noun's)."""
    person: str = "er"

    is_pronoun = False
    negative = False

    def german(self, case):
        return ""

    def english(self, negated=False):
        return ""


def english_subject(subject):
    return PRONOUNS[subject.name][4] if subject.is_pronoun else subject.english()


def prepositional(preposition, phrase, case):
    german = preposition + " " + phrase.german(case)
    for apart, contracted in CONTRACTIONS.items():
        if german.startswith(apart + " "):
            return contracted + german[len(apart):]
    return german


@dataclass(frozen=True)
class Adverbial:
    german: str
    english: str
    now: bool = False  # the time of speech: English takes the progressive


@dataclass
class Clause:
    """One verb and what it governs. tense: present, perfect, future, past (of sein and haben), already, since, or a modal."""
    subject: object
    verb: Verb | None  # None: sein with a predicate
    tense: str = "present"
    object: object = None
    recipient: object = None
    predicate: Adverbial | None = None
    often: Adverbial | None = None
    time: Adverbial | None = None
    manner: Adverbial | None = None
    place: Adverbial | None = None
    negated: bool = False
    bonds: list = field(default_factory=list)  # the pairs of words that only one part of the corpus may combine

    # ------------------------------------------------------------ German

    def object_german(self):
        v = self.verb
        if self.object is None or isinstance(self.object, Asked):
            return ""
        return prepositional(v.preposition, self.object, v.case) if v.preposition else self.object.german(v.case)

    def brackets(self):
        """A main clause's finite verb and closing words, and the verbs that close a subordinate clause."""
        person, v = self.subject.person, self.verb
        if v is None:
            finite = auxiliary("war" if self.tense == "past" else "sein", person)
            return finite, "", finite
        if self.tense in ("present", "since"):
            finite = v.present(person)
            return finite, v.prefix, v.prefix + finite
        if self.tense == "past":
            return auxiliary("hatte", person), "", auxiliary("hatte", person)
        if self.tense in ("perfect", "already"):
            finite, rest = auxiliary(v.auxiliary, person), v.participle
        else:
            finite = auxiliary("werden" if self.tense == "future" else self.tense, person)
            rest = v.prefix + v.infinitive
        return finite, rest, rest + " " + finite

    def middle(self, front=""):
        """Middle field: pronouns, subject, time, recipient, object, nicht, manner, prepositional object, place; without what is in front."""
        pronouns, objects = [], []
        for phrase, case in ((self.recipient, "dat"), (self.object, self.verb.case if self.verb else "")):
            if phrase is not None and not (self.verb.preposition and phrase is self.object):
                (pronouns if phrase.is_pronoun else objects).append(phrase.german(case))
        subject = "" if front == "subject" else self.subject.german("nom")
        if self.subject.is_pronoun:
            pronouns, subject = [subject] + pronouns, ""
        negation = "nicht" if self.negated else ""
        if self.tense == "already":
            negation = "noch nicht" if self.negated else "schon"
        said = {role: getattr(self, role).german if getattr(self, role) and front != role else ""
                for role in ("often", "time", "manner", "place", "predicate")}
        preposed = self.object_german() if self.verb and self.verb.preposition else ""
        return join(*pronouns, subject, said["often"], said["time"], *([] if front == "object" else objects), negation, said["manner"],
                    preposed, said["place"], said["predicate"])

    def german(self, front="subject"):
        """A main clause: one part in front, the finite verb second, what closes the bracket last."""
        first = {"subject": self.subject.german("nom"), "object": self.object_german()}.get(front)
        if first is None:
            first = getattr(self, front).german if front else ""
        finite, rest, _ = self.brackets()
        return join(first, finite, self.middle(front), rest)

    def german_subordinate(self):
        return join(self.middle(), self.brackets()[2])

    # ------------------------------------------------------------ English

    def verbs_english(self, inverted):
        """Auxiliary (before the subject in a question); "not" and the adverb of frequency; main verbs."""
        v, person = self.verb, self.subject.person
        third, negative = person == "er", self.negated or any(p is not None and p.negative for p in (self.object, self.recipient))
        no = "not" if negative else ""
        be = {"ich": "am", "er": "is"}.get(person, "are")
        if v is None:
            was = "was" if person in ("ich", "er") else "were"
            return (was if self.tense == "past" else be), no, ""
        often = self.often.english if self.often else ""
        have = "has" if third else "have"
        if self.tense == "future":
            return "will", join(no, often), join(v.base, v.particle)
        if self.tense == "können":
            return ("cannot" if negative and not inverted else "can"), join(no if inverted else "", often), join(v.base, v.particle)
        if self.tense == "sollen":
            return "should", join(no, often), join(v.base, v.particle)
        if self.tense == "already":
            return have, no or "already", join(v.done, v.particle)
        if self.tense == "since":
            return have, join(no, "been"), join(v.gerund, v.particle)
        if self.tense == "present" and self.time and self.time.now and v.gerund != "-":
            return be, no, join(v.gerund, v.particle)
        base, third_form, past = v.base, english_s(v.base), v.past
        rest = v.particle
        if self.tense in ("müssen", "wollen"):
            base, third_form = ("have", "has") if self.tense == "müssen" else ("want", "wants")
            rest = join("to", v.base, v.particle)
        in_past = self.tense in ("perfect", "past")
        if negative or inverted:
            return ("did" if in_past else "does" if third else "do"), join(no, often), join(base, rest)
        return "", often, join(past if in_past else third_form if third else base, rest)

    def tail_english(self, front=""):
        negated = self.negated or self.verb is not None and any(p is not None and p.negative for p in (self.object, self.recipient))
        yet = "yet" if self.tense == "already" and self.negated else ""
        return join(self.recipient.english(negated) if self.recipient else "", self.object.english(negated) if self.object else "", yet,
                    self.predicate.english if self.predicate else "", self.place.english if self.place and front != "place" else "",
                    self.manner.english if self.manner else "", self.time.english if self.time and front != "time" else "")

    def english(self, front="subject"):
        first = getattr(self, front).english if front in ("time", "place") else ""
        helper, adverbs, main = self.verbs_english(False)
        return join(first, english_subject(self.subject), helper, adverbs, main, self.tail_english(front))

    def english_question(self, asked=""):
        """asked: the question word; if it asks for the subject, nothing is inverted."""
        if isinstance(self.subject, Asked):
            helper, adverbs, main = self.verbs_english(False)
            return join(asked, helper, adverbs, main, self.tail_english())
        helper, adverbs, main = self.verbs_english(True)
        return join(asked, helper, english_subject(self.subject), adverbs, main, self.tail_english())


def relative(clause, antecedent, role):
    """German and English of a relative clause; role: whether the antecedent is its subject or object."""
    case = "nom" if role == "subject" else clause.verb.case
    word = RELATIVE[case]["p" if antecedent.plural else antecedent.noun.gender]
    if role == "object" and clause.verb.preposition:
        word = clause.verb.preposition + " " + word
    human = antecedent.noun.tag == "person"
    english = clause.english()
    return word + " " + clause.german_subordinate(), join(("who" if role == "subject" else "whom") if human else "that", english)
