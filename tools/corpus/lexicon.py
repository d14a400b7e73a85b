"""The words of the bundled corpus and how they inflect: German nouns, verbs and adjectives with the English of each.

Owns: the tables below and the paradigms read from them. Requires: nothing. The tables are meant to be read and edited;
the order of their lines matters: it decides which of train, valid and test may combine two words (see generate.py).
"""

from dataclasses import dataclass

# ---------------------------------------------------------------- nouns
# tag: article Singular Plural [weak ending] = english [irregular plural]; a weak masculine has its ending in all cases but the nominative

NOUNS = """
person: der Mann Männer = man men; die Frau Frauen = woman women; das Kind Kinder = child children; das Mädchen Mädchen = girl
person: der Vater Väter = father; die Mutter Mütter = mother; der Bruder Brüder = brother; die Schwester Schwestern = sister
person: der Sohn Söhne = son; die Tochter Töchter = daughter; der Lehrer Lehrer = teacher; die Ärztin Ärztinnen = doctor
person: der Nachbar Nachbarn +n = neighbor; der Student Studenten +en = student; der Koch Köche = chef; die Malerin Malerinnen = painter
person: der Freund Freunde = friend; der Gast Gäste = guest
animal: der Hund Hunde = dog; die Katze Katzen = cat; der Vogel Vögel = bird; das Pferd Pferde = horse; der Löwe Löwen +n = lion
animal: die Maus Mäuse = mouse mice; die Kuh Kühe = cow; der Elefant Elefanten +en = elephant
food: der Apfel Äpfel = apple; die Birne Birnen = pear; das Ei Eier = egg; der Kuchen Kuchen = cake
food: die Kartoffel Kartoffeln = potato potatoes; die Tomate Tomaten = tomato tomatoes; das Brötchen Brötchen = roll
food: die Orange Orangen = orange; der Fisch Fische = fish fish
text: das Buch Bücher = book; der Brief Briefe = letter; die Zeitung Zeitungen = newspaper; das Gedicht Gedichte = poem
text: die Geschichte Geschichten = story; der Bericht Berichte = report; das Rezept Rezepte = recipe; die Nachricht Nachrichten = message
thing: der Stuhl Stühle = chair; die Uhr Uhren = clock; die Tasche Taschen = bag; der Schlüssel Schlüssel = key
thing: das Fahrrad Fahrräder = bicycle; das Messer Messer = knife knives; der Regenschirm Regenschirme = umbrella; das Bild Bilder = picture
thing: das Geschenk Geschenke = gift
wear: der Hut Hüte = hat; der Mantel Mäntel = coat; die Jacke Jacken = jacket; das Hemd Hemden = shirt; das Kleid Kleider = dress
wear: der Schuh Schuhe = shoe; der Anzug Anzüge = suit; die Mütze Mützen = cap
opening: die Tür Türen = door; das Fenster Fenster = window; der Schrank Schränke = closet; die Kiste Kisten = box
opening: der Koffer Koffer = suitcase; die Schublade Schubladen = drawer; das Paket Pakete = package; der Laden Läden = shop
machine: die Lampe Lampen = lamp; das Radio Radios = radio; der Computer Computer = computer; die Heizung Heizungen = heater
machine: die Kamera Kameras = camera; der Ofen Öfen = oven; das Telefon Telefone = phone; der Fernseher Fernseher = television
place: der Garten Gärten = garden; die Küche Küchen = kitchen; der Park Parks = park; der Wald Wälder = forest
place: die Stadt Städte = city cities; das Museum Museen = museum; das Hotel Hotels = hotel; die Bibliothek Bibliotheken = library libraries
place: das Büro Büros = office; die Schule Schulen = school
station: der Bahnhof Bahnhöfe = station; der See Seen = lake; die Brücke Brücken = bridge
"""

CITIES = {"Berlin": "Berlin", "Wien": "Vienna", "Köln": "Cologne", "München": "Munich", "Rom": "Rome",
          "Paris": "Paris", "Zürich": "Zurich", "London": "London"}


@dataclass(frozen=True)
class Noun:
    index: int
    tag: str
    gender: str  # m f n
    lemma: str
    plural: str
    weak: str
    english: str
    english_plural: str

    def german(self, case, plural):
        if not plural:
            return self.lemma + (self.weak if case != "nom" else "")
        return self.plural + ("n" if case == "dat" and self.plural[-1] not in "ns" else "")


def english_plural(word):
    if word[-1] == "y" and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "sh", "ch", "x")) else "s")


def read_nouns():
    nouns = []
    for line in NOUNS.strip().splitlines():
        tag, entries = line.split(": ")
        for entry in entries.split(";"):
            german, english = (side.split() for side in entry.split("="))
            gender = {"der": "m", "die": "f", "das": "n"}[german[0]]
            weak = german[3][1:] if len(german) > 3 else ""
            plural = english[1] if len(english) > 1 else english_plural(english[0])
            nouns.append(Noun(len(nouns), tag, gender, german[1], german[2], weak, english[0], plural))
    return nouns


# ---------------------------------------------------------------- verbs
# subjects > [recipient or preposition] case objects: infinitive er-form [ist] participle = english[/past/participle[/gerund]] [particle]
# prefix+verb separates; a gerund "-" marks a state, which English never puts in the progressive

VERBS = """
person > acc food: kochen kocht gekocht = cook; schneiden schneidet geschnitten = cut/cut/cut/cutting
person > acc food: auf+essen isst aufgegessen = eat/ate/eaten up
person > acc food: essen isst gegessen = eat/ate/eaten
person > acc food thing wear: kaufen kauft gekauft = buy/bought/bought; verkaufen verkauft verkauft = sell/sold/sold
person > acc food thing text: holen holt geholt = fetch
person > acc food thing: weg+werfen wirft weggeworfen = throw/threw/thrown away
person > acc text: lesen liest gelesen = read/read/read; schreiben schreibt geschrieben = write/wrote/written
person > acc text: verstehen versteht verstanden = understand/understood/understood/-
person > acc text thing: suchen sucht gesucht = look for
person > acc thing machine: reparieren repariert repariert = repair; brauchen braucht gebraucht = need/needed/needed/-
person > acc thing machine: verlieren verliert verloren = lose/lost/lost; zurück+geben gibt zurückgegeben = give/gave/given back
person > acc thing wear: finden findet gefunden = find/found/found; verstecken versteckt versteckt = hide/hid/hidden
person > acc thing wear: haben hat gehabt = have/had/had/-; ein+packen packt eingepackt = pack
person > acc wear: an+ziehen zieht angezogen = put/put/put/putting on; aus+ziehen zieht ausgezogen = take/took/taken off
person > acc wear: tragen trägt getragen = wear/wore/worn
person > acc thing animal: malen malt gemalt = paint
person > acc animal: füttern füttert gefüttert = feed/fed/fed
person > acc person: treffen trifft getroffen = meet/met/met; besuchen besucht besucht = visit; kennen kennt gekannt = know/knew/known/-
person > acc person: ab+holen holt abgeholt = pick up; ein+laden lädt eingeladen = invite; an+rufen ruft angerufen = call
person > acc person animal: sehen sieht gesehen = see/saw/seen/-; hören hört gehört = hear/heard/heard/-
person > acc person animal: lieben liebt geliebt = love/loved/loved/-
person > acc opening: auf+machen macht aufgemacht = open; zu+machen macht zugemacht = close; ab+schließen schließt abgeschlossen = lock
person > acc opening: putzen putzt geputzt = clean
person > acc machine: ein+schalten schaltet eingeschaltet = turn on; aus+schalten schaltet ausgeschaltet = turn off
person > acc machine: benutzen benutzt benutzt = use
person > dat person: helfen hilft geholfen = help; danken dankt gedankt = thank; antworten antwortet geantwortet = answer
person > dat person: zu+hören hört zugehört = listen to
person animal > dat person animal: folgen folgt ist gefolgt = follow
person > auf acc person: warten wartet gewartet = wait for
person > an acc person place: denken denkt gedacht = think/thought/thought of
person > mit dat person: sprechen spricht gesprochen = speak/spoke/spoken with; tanzen tanzt getanzt = dance with
person > über acc person animal: lachen lacht gelacht = laugh at
person > person acc text thing food: zeigen zeigt gezeigt = show/showed/shown; bringen bringt gebracht = bring/brought/brought
person > person acc text thing food: geben gibt gegeben = give/gave/given; schicken schickt geschickt = send/sent/sent
person animal >: schlafen schläft geschlafen = sleep/slept/slept; warten wartet gewartet = wait; spielen spielt gespielt = play
person animal >: ein+schlafen schläft ist eingeschlafen = fall/fell/fallen asleep
person >: singen singt gesungen = sing/sang/sung; tanzen tanzt getanzt = dance; arbeiten arbeitet gearbeitet = work
person >: lachen lacht gelacht = laugh; weinen weint geweint = cry; ein+kaufen kauft eingekauft = shop/shopped/shopped/shopping
person >: fern+sehen sieht ferngesehen = watch television
person animal > alone: schwimmen schwimmt ist geschwommen = swim/swam/swum/swimming
person animal > alone: auf+stehen steht ist aufgestanden = get/got/gotten/getting up
person animal > alone: zurück+kommen kommt ist zurückgekommen = come/came/come back
person animal > alone: weg+laufen läuft ist weggelaufen = run/ran/run/running away; an+kommen kommt ist angekommen = arrive
person > where: wohnen wohnt gewohnt = live; sitzen sitzt gesessen = sit/sat/sat/sitting
person animal > whereto: gehen geht ist gegangen = go/went/gone; laufen läuft ist gelaufen = run/ran/run/running
person > city: fliegen fliegt ist geflogen = fly/flew/flown; fahren fährt ist gefahren = go/went/gone
"""


@dataclass(frozen=True)
class Verb:
    index: int
    subjects: tuple
    frame: str        # none, alone (none, never a place), object, give (a recipient and an object), where, whereto, city
    preposition: str  # of the object, or ""
    case: str         # of the object
    objects: tuple
    prefix: str
    infinitive: str   # without the prefix
    er: str
    auxiliary: str    # haben, sein
    participle: str
    base: str
    past: str
    done: str         # past participle
    gerund: str       # "-": none
    particle: str

    @property
    def name(self):
        return self.prefix + self.infinitive + ("+" + self.preposition if self.preposition else "")

    def present(self, person):
        return present(self.infinitive, self.er, person)


def present(infinitive, er, person):
    """ich = stem + e, du = the er-form with st for its t (only t after s, ß, z), wir = sie = the infinitive."""
    stem = er[:-1]
    return {"ich": infinitive[:-1] if infinitive.endswith("ern") else infinitive[:-2],
            "du": stem + ("t" if stem[-1] in "sßz" else "st"), "er": er, "wir": infinitive, "sie": infinitive}[person] + (
                "e" if person == "ich" else "")


def english_s(base):
    if base == "have":
        return "has"
    if base[-1] == "y" and base[-2] not in "aeiou":
        return base[:-1] + "ies"
    return base + ("es" if base.endswith(("s", "sh", "ch", "x", "o")) else "s")


def english_ed(base):
    if base[-1] == "y" and base[-2] not in "aeiou":
        return base[:-1] + "ied"
    return base + ("d" if base[-1] == "e" else "ed")


def english_ing(base):
    return (base[:-1] if base[-1] == "e" and base[-2] != "e" else base) + "ing"


def read_verbs():
    verbs = []
    for line in VERBS.strip().splitlines():
        frame, entries = line.split(":")
        subjects, _, government = frame.partition(">")
        government = government.split()
        kind, preposition, case = "object", "", ""
        if not government:
            kind = "none"
        elif government[0] in ("alone", "where", "whereto", "city"):
            kind, government = government[0], []
        else:
            if government[0] == "person":
                kind, government = "give", government[1:]
            elif government[0] not in ("acc", "dat"):
                preposition, government = government[0], government[1:]
            case, government = government[0], government[1:]
        for entry in entries.split(";"):
            german, english = (side.split() for side in entry.split("="))
            prefix, _, infinitive = german[0].rpartition("+")
            forms = english[0].split("/")
            base = forms[0]
            past, done = (forms[1], forms[2]) if len(forms) > 1 else (english_ed(base),) * 2
            gerund = forms[3] if len(forms) > 3 else english_ing(base)
            verbs.append(Verb(len(verbs), tuple(subjects.split()), kind, preposition, case, tuple(government), prefix, infinitive,
                              german[1], "sein" if "ist" in german[2:] else "haben", german[-1], base, past, done, gerund,
                              " ".join(english[1:])))
    return verbs


AUXILIARIES = {  # ich du er wir sie
    "haben": "habe hast hat haben haben", "sein": "bin bist ist sind sind", "werden": "werde wirst wird werden werden",
    "war": "war warst war waren waren", "hatte": "hatte hattest hatte hatten hatten",
    "können": "kann kannst kann können können", "müssen": "muss musst muss müssen müssen",
    "wollen": "will willst will wollen wollen", "sollen": "soll sollst soll sollen sollen",
    "wissen": "weiß weißt weiß wissen wissen", "sagen": "sage sagst sagt sagen sagen", "glauben": "glaube glaubst glaubt glauben glauben",
    "fragen": "frage fragst fragt fragen fragen",
}


def auxiliary(verb, person):
    return dict(zip(("ich", "du", "er", "wir", "sie"), AUXILIARIES[verb].split()))[person]


# ---------------------------------------------------------------- adjectives, determiners, pronouns

ADJECTIVES = """
alt old: person animal thing text place wear opening machine; jung young: person animal
klein small: animal thing food place wear opening machine; groß big: animal thing food place opening machine
neu new: thing text wear opening machine; müde tired: person animal; krank sick: person animal; hungrig hungry: person animal
glücklich happy: person; traurig sad: person; reich rich: person; freundlich friendly: person; schön beautiful: thing wear place
rot red: thing wear opening; blau blue: thing wear opening; schwarz black: animal thing wear
teuer/teur expensive: thing food wear machine; billig cheap: thing food wear machine; interessant interesting: text place
lang long: text; frisch fresh: food; kalt cold: food; ruhig quiet: place
"""


@dataclass(frozen=True)
class Adjective:
    index: int
    lemma: str
    stem: str
    english: str
    tags: tuple


def read_adjectives():
    adjectives = []
    for entry in ADJECTIVES.strip().replace("\n", ";").split(";"):
        words, tags = entry.split(":")
        german, english = words.split()
        lemma, _, stem = german.partition("/")
        adjectives.append(Adjective(len(adjectives), lemma, stem or lemma.removesuffix("e"), english, tuple(tags.split())))
    return adjectives


DEFINITE = {"nom": dict(m="der", f="die", n="das", p="die"), "acc": dict(m="den", f="die", n="das", p="die"),
            "dat": dict(m="dem", f="der", n="dem", p="den")}
DIESER = {"nom": dict(m="er", f="e", n="es", p="e"), "acc": dict(m="en", f="e", n="es", p="e"), "dat": dict(m="em", f="er", n="em", p="en")}
EIN = {"nom": dict(m="", f="e", n="", p="e"), "acc": dict(m="en", f="e", n="", p="e"), "dat": dict(m="em", f="er", n="em", p="en")}
WEAK = {"nom": dict(m="e", f="e", n="e", p="en"), "acc": dict(m="en", f="e", n="e", p="en"), "dat": dict(m="en", f="en", n="en", p="en")}
MIXED = {"nom": dict(m="er", f="e", n="es", p="en"), "acc": dict(m="en", f="e", n="es", p="en"), "dat": WEAK["dat"]}
STRONG_PLURAL = {"nom": "e", "acc": "e", "dat": "en"}
RELATIVE = {"nom": dict(m="der", f="die", n="das", p="die"), "acc": dict(m="den", f="die", n="das", p="die"),
            "dat": dict(m="dem", f="der", n="dem", p="denen")}

UNOWNED = ("Mann", "Frau", "Mädchen")  # with a possessive they would be husband, wife, girlfriend
POSSESSIVES = {"mein": "my", "dein": "your", "sein": "his", "unser": "our"}

# ihr (you), sie (her, them) and the polite Sie are left out: their English would not follow from the sentence
PRONOUNS = {  # name: person, nom, acc, dat, English subject, English object
    "ich": ("ich", "ich", "mich", "mir", "I", "me"), "du": ("du", "du", "dich", "dir", "you", "you"),
    "er": ("er", "er", "ihn", "ihm", "he", "him"), "sie": ("er", "sie", None, None, "she", None),
    "wir": ("wir", "wir", "uns", "uns", "we", "us"), "sie (plural)": ("sie", "sie", None, "ihnen", "they", "them"),
}

NUMBERS = {"zwei": "two", "drei": "three", "vier": "four", "fünf": "five", "sechs": "six", "sieben": "seven", "acht": "eight",
           "neun": "nine", "zehn": "ten", "elf": "eleven", "zwölf": "twelve", "zwanzig": "twenty", "dreißig": "thirty",
           "hundert": "a hundred"}
ORDINALS = {"zweit": "second", "dritt": "third", "viert": "fourth", "fünft": "fifth", "sechst": "sixth"}

NOUN_LIST, VERB_LIST, ADJECTIVE_LIST = read_nouns(), read_verbs(), read_adjectives()
