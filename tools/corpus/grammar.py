"""The grammar of the bundled corpus: eight phenomena, each with rules that draw sentence pairs showing it.

Owns: the rules, PHENOMENA, draw_pair. Requires: lexicon, clause, draw.
"""

from clause import Adverbial, Asked, Clause, NounPhrase, Pronoun, english_subject, relative
from draw import (CAUSES, CONJUNCTIONS, FUTURE, HABIT, MANNER, MODALS, NEVER, NOW, OFTEN, PAST, VEHICLES, Barred, Draw, action, part_of,
                  perfective)
from lexicon import NOUN_LIST, NUMBERS, ORDINALS, PRONOUNS, auxiliary, english_s


def statement(c, front="subject"):
    return c.german(front) + ".", c.english(front) + ".", c.bonds


def question(c):
    return c.german("") + "?", c.english_question() + "?", c.bonds


# ---------------------------------------------------------------- agreement: case and gender

RICH = "der ein ein mein dein sein unser dieser"


def agree_object(d):
    return statement(d.clause(d.verb("object", test=lambda v: v.case == "acc"), rich=True))


def agree_dative(d):
    return statement(d.clause(d.verb("object", test=lambda v: v.case == "dat"), rich=True))


def agree_subject(d):
    c = d.clause(d.verb("none", "object"), subject=d.phrase(d.one(d.nouns(("person", "animal"))), RICH + " jeder viele alle", 0.8, 0.2),
                 place=0.5)
    s = c.subject
    if s.determiner in ("viele", "alle", "jeder"):
        c.subject = NounPhrase(s.noun, s.determiner, None if s.determiner == "alle" else s.adjective, s.determiner != "jeder")
    if s.noun.tag not in c.verb.subjects:
        raise Barred
    return statement(c)


def agree_give(d):
    return statement(d.clause(d.verb("give"), subject=d.subject(adjective=0)))


def agree_place(d):
    """Places take the dative, directions the accusative."""
    return statement(d.clause(d.verb("where", "whereto"), rich=True))


def agree_pronoun(d):
    verb = d.verb("object", test=lambda v: "person" in v.objects)
    name = d.one([n for n, forms in PRONOUNS.items() if forms[2 if verb.case == "acc" else 3]])
    subject = d.phrase(d.one(d.allowed(verb.index, d.nouns(("person",)))), adjective=0.1)
    c = d.clause(verb, subject=subject, object=Pronoun(name))
    d.bond_subject(c)
    return statement(c)


# ---------------------------------------------------------------- subordinate: the finite verb goes last


def sub_after(d):
    word = d.one(list(CONJUNCTIONS))
    tense = d.one(["present", "present", "können", "müssen"]) if word == "weil" else "present"
    d.plain = True
    main, sub = d.any_clause(), d.any_clause(tense)
    german = f"{main.german()}, {word} {sub.german_subordinate()}."
    return german, f"{main.english()} {CONJUNCTIONS[word]} {sub.english()}.", main.bonds + sub.bonds


def sub_before(d):
    word = d.one(list(CONJUNCTIONS))
    d.plain = True
    main, sub = d.any_clause(), d.any_clause()
    german = f"{word} {sub.german_subordinate()}, {main.german('')}."
    return german, f"{CONJUNCTIONS[word]} {sub.english()}, {main.english()}.", main.bonds + sub.bonds


def sub_that(d):
    german, english = d.one([("wissen", "know"), ("sagen", "say"), ("glauben", "believe")])
    who = d.subject(pronoun=0.6, adjective=0)
    tense = d.one(["present", "perfect", "future", "können", "wollen", "müssen"])
    sub = d.any_clause(tense, time=d.one(PAST) if tense == "perfect" and d.chance(0.4) else None)
    verb = english_s(english) if who.person == "er" else english
    return f"{who.german('nom')} {auxiliary(german, who.person)}, dass {sub.german_subordinate()}.", \
        f"{english_subject(who)} {verb} that {sub.english()}.", sub.bonds


def sub_whether(d):
    who = d.subject(pronoun=0.6, adjective=0)
    sub = d.any_clause(d.one(["present", "perfect", "future", "können"]))
    verb = "asks" if who.person == "er" else "ask"
    return f"{who.german('nom')} {auxiliary('fragen', who.person)}, ob {sub.german_subordinate()}.", \
        f"{english_subject(who)} {verb} whether {sub.english()}.", sub.bonds


def sub_relative(d):
    """The man who reads the book is tired. The book that the man reads is old."""
    verb = d.verb("object", test=lambda v: perfective(v) and not v.particle)
    role = d.one(["subject", "object"])
    if role == "subject":
        main = d.quality(d.one(d.nouns(verb.subjects)))
        sub = d.clause(verb, subject=Asked(main.subject.person))
    else:
        main = d.quality(d.one(d.allowed(verb.index, d.nouns(verb.objects))))
        if verb.preposition and main.subject.noun.tag != "person":
            raise Barred
        sub = d.clause(verb, subject=d.subject(verb.subjects, adjective=0), object=Asked())
        s, m = sub.subject, main.subject
        ambiguous = verb.case == "acc" and not verb.preposition and (m.plural or m.noun.gender != "m")  # die, das: subject or object?
        if isinstance(s, NounPhrase) and (s.noun is m.noun or ambiguous and (s.plural or s.noun.gender != "m")):
            raise Barred
        if ambiguous and s.is_pronoun and s.german("nom") == "sie":
            raise Barred
        sub.bonds.append((verb.name, main.subject.noun.lemma))
    german, english = relative(sub, main.subject, role)
    finite, _, _ = main.brackets()
    be, _, _ = main.verbs_english(False)
    return f"{main.subject.german('nom')}, {german}, {finite} {main.predicate.german}.", \
        f"{main.subject.english()} {english} {be} {main.predicate.english}.", main.bonds + sub.bonds


# ---------------------------------------------------------------- separable verbs


def separable(d, tense, **slots):
    return d.clause(d.verb("object", "none", "alone", test=lambda v: v.prefix), tense, place=0.4, **slots)


def sep_present(d):
    return statement(separable(d, "present", time=d.one([None, None, *NOW, *HABIT])))


def sep_negated(d):
    return statement(separable(d, "present", negated=True, time=d.one([None, None, *NOW])))


def sep_modal(d):
    return statement(separable(d, d.one(MODALS)))


def sep_perfect(d):
    return statement(separable(d, "perfect", time=d.one([None, *PAST])))


def sep_front(d):
    return statement(separable(d, "present", time=d.one(NOW[:2] + HABIT)), "time")


def sep_question(d):
    return question(separable(d, d.one(["present", "perfect"])))


# ---------------------------------------------------------------- negation: nicht, kein, nie


def neg_not(d):
    tense = d.one(["present", "present", "perfect", "future", *MODALS])
    return statement(d.any_clause(tense, negated=True))


def neg_no(d):
    verb = d.verb("object", test=lambda v: v.case == "acc" and not v.preposition)
    tenses = ["present", "present", "future", "können"] + ([] if verb.base == "have" else ["perfect", "perfect"])
    c = d.clause(verb, d.one(tenses))
    c.object = NounPhrase(c.object.noun, "kein", c.object.adjective, c.object.plural)
    return statement(c)


def neg_nobody(d):
    c = d.any_clause()
    if not isinstance(c.subject, NounPhrase) or isinstance(c.object, NounPhrase) and c.object.determiner == "sein":
        raise Barred
    c.subject = NounPhrase(c.subject.noun, "kein", None, c.subject.plural)
    return statement(c)


def neg_quality(d):
    return statement(d.quality(d.one(d.nouns(("person", "animal", "thing", "text", "wear", "opening", "machine", "place"))), True,
                               d.one(["present", "present", "past"])))


def neg_never(d):
    return statement(d.any_clause(often=NEVER))


def neg_question(d):
    return question(d.any_clause(d.one(["present", "perfect"]), negated=True))


# ---------------------------------------------------------------- numbers


def num_object(d):
    verb = d.verb("object", "give", test=lambda v: not v.preposition)
    c = d.clause(verb, d.one(["present", "future", "können", "present" if verb.base == "have" else "perfect"]))
    c.object = NounPhrase(c.object.noun, d.one(list(NUMBERS)), c.object.adjective, True)
    return statement(c)


def num_subject(d):
    verb = d.verb("none", "object")
    c = d.clause(verb, subject=NounPhrase(d.one(d.nouns(verb.subjects)), d.one(list(NUMBERS)), None, True), place=0.5)
    return statement(c)


def num_age(d):
    noun = d.one(d.nouns(("person", "animal")))
    number = d.one([n for i, n in enumerate(NUMBERS) if part_of(i, noun.index) == d.part])
    subject = d.phrase(noun, "der mein dein sein unser dieser", 0, 0.2)
    c = Clause(subject, None, d.one(["present", "past"]), predicate=Adverbial(number + " Jahre alt", NUMBERS[number] + " years old"))
    c.bonds.append((number, noun.lemma))
    return statement(c)


def num_clock(d):
    """halb vier is half past three."""
    hours = list(NUMBERS)[:11]
    i = d.one(range(10))
    hour = NUMBERS[hours[i]]
    time = d.one([Adverbial(f"um {hours[i]} Uhr", f"at {hour}"), Adverbial(f"um halb {hours[i + 1]}", f"at half past {hour}")])
    tense = d.one(["present", "perfect", "future"])
    c = d.clause(d.verb("none", "whereto", "object", test=perfective), tense, time=time)
    return statement(c, d.one(["subject", "time"]))


def num_ordinal(d):
    c = d.any_clause(subject=NounPhrase(d.one(d.nouns(("person",))), "der", None, False, d.one(list(ORDINALS))))
    return statement(c)


def num_ago(d):
    i = d.one(list(NUMBERS)[:11])
    unit, units = d.one([("Tagen", "days"), ("Jahren", "years"), ("Wochen", "weeks")])
    return statement(d.any_clause("perfect", time=Adverbial(f"vor {i} {unit}", f"{NUMBERS[i]} {units} ago")), d.one(["subject", "time"]))


# ---------------------------------------------------------------- questions


def ask_whether(d):
    return question(d.any_clause(d.one(["present", "present", "perfect", "future", *MODALS])))


def ask_who(d):
    c = d.any_clause(d.one(["present", "perfect", "future", "können"]), subject=Asked())
    if not c.bonds:
        raise Barred
    return "wer " + c.german("") + "?", c.english_question("who") + "?", c.bonds


def ask_object(d):
    """Was, wen and wem ask for the object; the bond is verb and subject."""
    verb = d.verb("object", test=lambda v: perfective(v) and not v.preposition)
    human = verb.objects[0] == "person"
    word, english = ("wem" if verb.case == "dat" else "wen", "whom") if human else ("was", "what")
    c = d.clause(verb, d.one(["present", "perfect", "future", *MODALS]), object=Asked(),
                 subject=d.subject(noun=d.one(d.allowed(verb.index, d.nouns(verb.subjects))), adjective=0.1))
    d.bond_subject(c)
    return word + " " + c.german("") + "?", c.english_question(english) + "?", c.bonds


def ask_adverb(d):
    word, english = d.one([("wann", "when"), ("warum", "why"), ("wo", "where"), ("wie oft", "how often")])
    c = d.clause(d.verb("none", "object", test=action), d.one(["present", "perfect", "future" if word == "wann" else "perfect"]))
    return word + " " + c.german("") + "?", c.english_question(english) + "?", c.bonds


def ask_where_to(d):
    verb = d.verb("whereto", "city")
    subject = d.subject(noun=d.one(d.allowed(verb.index, d.nouns(verb.subjects))))
    c = d.clause(verb, d.one(["present", "perfect", "wollen"]), subject=subject)
    c.place, c.bonds = None, []
    d.bond_subject(c)
    return "wohin " + c.german("") + "?", c.english_question("where") + "?", c.bonds


def ask_how_many(d):
    verb = d.verb("object", test=lambda v: perfective(v) and v.case == "acc" and not v.preposition)
    c = d.clause(verb, d.one(["present", "perfect"]))
    noun, c.object = c.object.noun, Asked()
    return f"wie viele {noun.german('acc', True)} {c.german('')}?", c.english_question("how many " + noun.english_plural) + "?", c.bonds


# ---------------------------------------------------------------- word order: the verb second, time before manner before place


def order_time(d):
    return statement(d.any_clause(time=d.one(NOW[:2] + HABIT)), "time")


def order_cause(d):
    return statement(d.any_clause(d.one(["present", "perfect"]), time=d.one(CAUSES)), "time")


def order_place(d):
    return statement(d.clause(d.verb("none", test=lambda v: not v.prefix), place=1.0), "place")


def order_object(d):
    """Object first, only if its case tells who does what: masculine accusative or non-feminine dative."""
    verb = d.verb("object", test=lambda v: perfective(v) and not v.preposition)
    c = d.clause(verb, d.one(["present", "present", "perfect", "können"]))
    o = c.object
    if o.noun.gender == "f" or verb.case == "acc" and o.noun.gender == "n" or o.determiner in ("dein", "sein", "mein", "unser"):
        raise Barred
    c.object = NounPhrase(o.noun, o.determiner, o.adjective, False)
    return statement(c, "object")


def order_journey(d):
    c = d.clause(d.verb("city", test=lambda v: v.base != "fly"), d.one(["present", "perfect", "future"]), subject=d.subject(adjective=0))
    c.manner = d.one(VEHICLES)
    c.time = d.one({"present": NOW[:2] + HABIT, "perfect": PAST, "future": FUTURE}[c.tense])
    return statement(c, d.one(["subject", "time"]))


def order_manner(d):
    frame = d.one(list(MANNER))
    c = d.clause(d.verb(frame, test=lambda v: not v.prefix), time=d.one(NOW[:2] + HABIT), manner=d.one(MANNER[frame]), place=0.7)
    return statement(c, d.one(["subject", "time"]))


def order_pronoun(d):
    """Heute hilft mir der Mann: an object pronoun goes before a noun as subject."""
    verb = d.verb("object", test=lambda v: "person" in v.objects and not v.preposition)
    name = d.one([n for n, forms in PRONOUNS.items() if forms[2 if verb.case == "acc" else 3]])
    c = d.clause(verb, subject=d.phrase(d.one(d.allowed(verb.index, d.nouns(("person",)))), adjective=0), object=Pronoun(name),
                 time=d.one(NOW[:2] + HABIT))
    d.bond_subject(c)
    return statement(c, "time")


# ---------------------------------------------------------------- tense


def tense_perfect(d):
    """haben or sein, the participle last; English takes the simple past."""
    return statement(d.any_clause("perfect", time=d.one([None, *PAST])), "subject")


def tense_perfect_be(d):
    verb = d.verb("alone", "none", "whereto", "city", test=lambda v: v.auxiliary == "sein")
    return statement(d.clause(verb, "perfect", time=d.one([None, *PAST])))


def tense_future(d):
    time = d.one([None, *FUTURE])
    return statement(d.any_clause("future", time=time), d.one(["subject", "time"]) if time else "subject")


def tense_now(d):
    return statement(d.any_clause(time=d.one(NOW)))


def tense_habit(d):
    return statement(d.any_clause(often=d.one(OFTEN)))


def tense_past(d):
    if d.chance(0.5):
        return statement(d.quality(d.one(NOUN_LIST), tense="past", time=d.one([None, *PAST])))
    have = d.verb("object", test=lambda v: v.base == "have")
    return statement(d.clause(have, "past", time=d.one([None, *PAST])))


def tense_already(d):
    c = d.clause(d.verb("object", "none", test=perfective), "already", negated=d.chance(0.5))
    return statement(c)


def tense_since(d):
    number = d.one(list(NUMBERS)[:11])
    verb = d.verb("where", "none", test=lambda v: v.base in ("live", "work", "sit", "sleep", "wait", "play", "study", "dance", "sing"))
    return statement(d.clause(verb, "since", place=0.8, time=Adverbial(f"seit {number} Jahren", f"for {NUMBERS[number]} years")))


PHENOMENA = {
    "agreement": [agree_object, agree_dative, agree_subject, agree_give, agree_place, agree_pronoun],
    "subordinate": [sub_after, sub_before, sub_that, sub_whether, sub_relative],
    "separable": [sep_present, sep_negated, sep_modal, sep_perfect, sep_front, sep_question],
    "negation": [neg_not, neg_no, neg_nobody, neg_quality, neg_never, neg_question],
    "numbers": [num_object, num_subject, num_age, num_clock, num_ordinal, num_ago],
    "questions": [ask_whether, ask_who, ask_object, ask_adverb, ask_where_to, ask_how_many],
    "order": [order_time, order_cause, order_place, order_object, order_journey, order_manner, order_pronoun],
    "tense": [tense_perfect, tense_perfect_be, tense_future, tense_now, tense_habit, tense_past, tense_already, tense_since],
}


def sentence(text):
    return text[0].upper() + text[1:]


def draw_pair(rng, part, phenomenon):
    """One pair of this phenomenon: German, English, the bonds of its words. Raises Barred if the part may not combine them."""
    d = Draw(rng, part)
    german, english, bonds = d.one(PHENOMENA[phenomenon])(d)
    if not bonds:
        raise Barred
    return sentence(german), sentence(english), bonds
