"""Words of the generated texts. All of them are ordinary English, and no text lives of a counter."""

from __future__ import annotations


def _bank(words: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in " ".join(words.split()).split(","))


PEOPLE = _bank("""
    the harbour master, a retired teacher, the night nurse, our neighbour, the stage manager, a young
    surveyor, the ferry captain, the archivist, a travelling cook, the beekeeper, the town clerk, an
    apprentice joiner, the translator, a visiting botanist, the goalkeeper, the violin maker, a tax
    inspector, the lighthouse crew, the head gardener, a bus driver, the museum guard, the midwife, an
    off-duty pilot, the potter, the bookbinder, a shy chemist, the choir leader, the ranger, a radio
    host, the plumber, the locksmith, a marine engineer, the librarian, the shepherd, a court reporter,
    the baker
""")
THINGS = _bank("""
    ledger, boiler, orchard gate, telescope, spare anchor, printing press, brass compass, rain gauge,
    window frame, cello case, seed catalogue, water tower, timber bridge, wall clock, post van, herb
    garden, train schedule, copper kettle, stone oven, fishing net, bell rope, glass cabinet, ticket
    machine, street lamp, canvas tent, sewing pattern, weather map, garden hose, tool shed, chess board,
    piano stool, delivery bicycle, cheese cellar, insurance letter, snow plough, drainage pipe, kite
    string, picture album, roof tile, steam whistle
""")
PLACES = _bank("""
    behind the chapel, on the northern pier, under the railway arch, near the old quarry, in the upper
    attic, beside the mill pond, across the valley, at the ferry landing, along the canal, outside the
    bakery, in the school yard, above the workshop, at the edge of the forest, below the dam, in the
    market hall, next to the fire station, on the third floor, around the village green, opposite the
    theatre, in the greenhouse, past the toll house, by the river mouth, inside the bell tower, off the
    coastal road
""")
QUALITIES = _bank("""
    rusty, patient, spare, crooked, silent, costly, forgotten, yellow, fragile, reliable, heavy, damp,
    bare, polished, stubborn, narrow, hollow, cheerful, faded, precise, noisy, foreign, sturdy, wooden,
    leaking, mossy, modest, brittle, generous, dusty
""")
DEEDS = _bank("""
    repaired, painted, measured, sold, inherited, weighed, photographed, dismantled, insured, described,
    lifted, numbered, rescued, varnished, traded, examined, catalogued, hid, delivered, replaced,
    sketched, borrowed, emptied, tested, rebuilt, cleaned, auctioned, carried home, locked away, admired
""")
TIMES = _bank("""
    before sunrise, during the second interval, in late autumn, after the thaw, on market day, within a
    fortnight, shortly past noon, every leap year, while the tide was out, ahead of the inspection, over
    a long weekend, between two storms, by candlelight, at the end of term, without any warning, on a
    foggy Thursday, since the spring flood, for the jubilee, until supper, right after the parade
""")
REASONS = _bank("""
    because the insurance had lapsed, although nobody had asked for it, so that visitors would not trip,
    since wool prices had doubled, as the mayor expected guests, because salt eats through iron,
    although frost was forecast, in spite of three polite reminders, so the children could sleep, since
    two hinges were missing, because a cousin collects maps, as cheap glue never holds, although its
    value is mostly sentimental, so that no evidence got lost, since paper dries slowly, because
    swallows were nesting above, as every receipt had to match, although spare parts come from abroad,
    so the concert could begin on time, since mould spreads in a week
""")
FEELINGS = _bank("""
    surprised, relieved, worried, amused, proud, doubtful, grateful, impatient, curious, embarrassed,
    calm, thrilled
""")
TRADES = _bank("""
    carpentry, bookkeeping, navigation, cheese making, bell ringing, surveying, weaving, bee keeping,
    masonry, calligraphy, glass blowing, tree pruning, radio repair, map drawing, bread baking, rope
    work
""")

BANKS = {
    "person": PEOPLE,
    "thing": THINGS,
    "place": PLACES,
    "quality": QUALITIES,
    "deed": DEEDS,
    "time": TIMES,
    "reason": REASONS,
    "feeling": FEELINGS,
    "trade": TRADES,
}

# A digit lets one template use a bank twice; the two words then differ.
SENTENCES = (
    "{person1} {deed1} the {quality1} {thing1} {place1} {time1}",
    "{time1}, {person1} found a {quality1} {thing1} {place1} and {deed1} it at once",
    "{place1} stands a {quality1} {thing1} that {person1} {deed1} {reason1}",
    "nobody was more {feeling1} than {person1} when the {thing1} {place1} turned out to be {quality1}",
    "{person1} and {person2} argue about {trade1} whenever the {thing1} needs attention",
    "without the {thing1}, {trade1} would cost {person1} twice as much {time1}",
    "{person1} learned {trade1} {place1}, long before anyone {deed1} the {thing1} there",
    "{reason1}, {person1} traded a {quality1} {thing1} for lessons in {trade1}",
    "only a {quality1} {thing1} and a {quality2} {thing2} were left {place1} {time1}",
    "{person1}, {feeling1} as ever, {deed1} every {thing1} {place1} {reason1}",
    "what {person1} remembers best is a {quality1} {thing1} that was {deed1} {time1}",
    "the rules of {trade1} say little about the {thing1} that somebody {deed1} {place1}",
    "{person1} keeps a {quality1} {thing1} {place1} and shows it to {person2} {time1}",
    "visitors {place1} ask for the {thing1}, but {person1} would rather talk about {trade1}",
    "{time1} a letter arrived: the {quality1} {thing1} had been {deed1} {reason1}",
    "{person1} felt {feeling1}, for the {thing1} {place1} had never looked so {quality1}",
)

# Short sentences that round a paragraph off.
CODAS = (
    "It rained {time1}.",
    "{person1} only smiled.",
    "That was {time1}.",
    "{person1} felt {feeling1}.",
    "Now {person1} keeps the keys.",
    "Even {person1} agreed.",
    "{trade1} teaches patience.",
    "The {thing1} came later.",
    "Nobody was {feeling1}.",
    "It still smells of {trade1}.",
)

# What a stuck model says it will do, in words that vary less than the wish to get on.
INTENTIONS = _bank("""
    Let me, Now I will, I will, Next I should, First let me, Okay I am going to, I still need to, So let
    me, It is time to, I want to, Alright I will, Then let me
""")
ACTIONS = (
    (
        _bank("check, look at, inspect, go through, examine, review"),
        "the retry handler of the queue worker",
        _bank("""
            and see where the timeout of a failed job gets lost, so that the timeout of a failed job is
            passed on
        """),
    ),
    (
        _bank("open, read, study, go over, scan, revisit"),
        "the configuration file with the connection limits",
        _bank("""
            and compare each default value with the release notes, as one default value may differ from
            the release notes
        """),
    ),
    (
        _bank("run, start, repeat, launch, try, execute"),
        "the integration tests for the payment gateway",
        _bank("""
            and watch which assertion breaks before the summary, to learn which assertion breaks before
            the summary
        """),
    ),
)
EMPHASES = _bank("again, once more, now, carefully, in full, one more time, step by step, properly")
