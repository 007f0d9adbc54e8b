"""Facts and rhymes: what glossaries, quizzes and songs are made of."""
# ruff: noqa: E501 - a definition or a line of a song stays on one line

from __future__ import annotations


def _pairs(words: str) -> dict[str, str]:
    return dict(pair.strip().split(": ") for pair in " ".join(words.split()).split(";"))


CAPITALS = _pairs("""
    Kenya: Nairobi; Norway: Oslo; Peru: Lima; Japan: Tokyo; Egypt: Cairo; Chile: Santiago; Ghana: Accra; Nepal: Kathmandu;
    Cuba: Havana; Austria: Vienna; Portugal: Lisbon; Iceland: Reykjavik; Canada: Ottawa; Vietnam: Hanoi; Senegal: Dakar;
    Jordan: Amman; Hungary: Budapest; Ireland: Dublin; Uruguay: Montevideo; Ethiopia: Addis Ababa; Finland: Helsinki;
    Thailand: Bangkok; Morocco: Rabat; Greece: Athens; Mongolia: Ulaanbaatar; Ecuador: Quito; Zambia: Lusaka;
    Latvia: Riga; Bhutan: Thimphu; Croatia: Zagreb; Angola: Luanda; Australia: Canberra; Estonia: Tallinn
""")
ELEMENTS = _pairs("""
    Na: sodium; K: potassium; Fe: iron; Au: gold; Ag: silver; Pb: lead; Sn: tin; Hg: mercury; W: tungsten; Cu: copper;
    He: helium; Ne: neon; Li: lithium; Be: beryllium; B: boron; N: nitrogen; Mg: magnesium; Al: aluminium; Si: silicon;
    P: phosphorus; Cl: chlorine; Ca: calcium; Ti: titanium; Cr: chromium; Mn: manganese; Ni: nickel; Zn: zinc;
    Br: bromine; Sr: strontium; I: iodine; Ba: barium; Pt: platinum; U: uranium
""")
TERMS = _pairs("""
    Acknowledgement: a short reply which says that a packet arrived undamaged;
    Backpressure: the way a slow reader makes a fast writer wait instead of losing data;
    Bisection: a search that halves the suspicious range of commits with every test;
    Canary: a small group of machines that gets a release before everybody else;
    Checksum: a number computed from bytes so that a later change of them is noticed;
    Closure: a function together with the variables it found where it was written;
    Coroutine: a routine that can pause in the middle and go on later from there;
    Deadlock: a standstill in which each of two tasks holds what the other one needs;
    Dependency: any package without which another package would not build or run;
    Digest: the fixed-size result of a hash, used to name content by what it holds;
    Endianness: the order in which the bytes of one large number lie in memory;
    Entropy: a measure, in bits, of how hard it is to guess the next symbol;
    Fixture: known state that is prepared before a test and taken down afterwards;
    Garbage collection: finding objects nobody can reach any more and freeing their space;
    Heartbeat: a regular sign of life whose absence starts the search for a fault;
    Heuristic: a rule of thumb, usually right and much cheaper than certainty;
    Idempotence: doing something twice leaves the world as doing it once would have;
    Interpreter: a program that carries out another program without translating it first;
    Invariant: a statement that holds before and after every step of an algorithm;
    Jitter: irregular delay, or a random pause added so that clients do not retry together;
    Kernel: the innermost layer of an operating system, alone with the hardware;
    Latency: the time that passes between asking and the first byte of an answer;
    Lexer: the stage which groups characters into names, numerals and punctuation;
    Linker: a tool joining object files and resolving the symbols they share;
    Memoization: keeping results of a pure function to hand them out again later;
    Middleware: code wrapped around a handler which sees requests first and replies last;
    Mutex: a lock only one thread may own at any moment;
    Namespace: a scope within which every name means exactly one thing;
    Normalization: removing redundancy from tables until each fact is stored once;
    Orphan: a child process whose parent ended before it did;
    Pagination: handing out long lists in pieces with a marker for where to go on;
    Parser: turns a flat sequence of words into a tree according to some grammar;
    Polling: asking over and over whether anything new has happened;
    Quorum: as many voters as must agree before a cluster accepts a decision;
    Race: an error that shows only when two events come in an unlucky order;
    Recursion: solving a problem by calling oneself with an easier one;
    Regression: something that used to work in an earlier version and now does not;
    Sandbox: an enclosed place where untrusted software can do no harm;
    Semaphore: a counter that admits a limited number of workers to some resource;
    Shard: one slice of a database that is too big for a single server;
    Snapshot: a consistent picture of all data at an instant, taken without stopping writers;
    Socket: an endpoint of network communication, seen by programs as a file;
    Throughput: how much work gets done per second, however long each piece takes;
    Tombstone: a mark left in place of a deleted record so that replicas learn of it;
    Trampoline: a loop that runs returned thunks, saving stack where tail calls are missing;
    Upsert: insert a row, or update it should the key already exist;
    Watchdog: a timer that restarts a device unless it is reset in time;
    Zombie: a finished process still listed because nobody collected its exit status
""")
COUPLETS = (
    "The ferry bell is ringing through the morning grey,\nand all the gulls are calling us to come away.",
    "My father mended harbour nets until the sun went down,\nthen carried bread and oranges across the sleeping town.",
    "There is a lantern burning where the river meets the sea,\nand someone left the window wide to keep a place for me.",
    "The baker lights his oven while the stars are shining still,\nthe scent of rye and caraway goes drifting up the hill.",
    "We danced across the cobblestones with nothing in our shoes,\nand traded all our sorrows for a fiddle and the blues.",
    "The winter took the orchard and the frost has cracked the bell,\nbut underneath the garden wall the snowdrops never tell.",
    "A letter came from Lisbon with a pressed and yellow rose,\nit smelled of salt and cinnamon as every sailor knows.",
    "The clockmaker is dreaming of a wheel without a tooth,\nhe winds his seven silver springs and tells them all the truth.",
    "Old Anna keeps the lighthouse and she never learned to swim,\nshe hums a tune to every ship until the lamps grow dim.",
    "The train to Aberystwyth was an hour behind the rain,\nI drew your name with fingertips upon the window pane.",
    "They say the miller's daughter has a compass for a heart,\nit points toward the mountains when the summer storms depart.",
    "I planted beans in April and the rabbits ate them all,\nso now I raise the sunflowers that lean against the wall.",
    "The circus left on Tuesday with its camels and its drums,\nand left a ring of sawdust and a single bag of plums.",
    "My brother built a wooden boat too narrow for the tide,\nhe hung it from the rafters and he sits in it with pride.",
    "A heron in the shallows stood as patient as a stone,\nand taught me in a quarter hour to like to be alone.",
    "The moon has lost a button and the clouds have lost a thread,\nso someone ought to stitch the night before we go to bed.",
    "Beneath the railway arches where the pigeons hold their court,\na cellist plays for pennies of the melancholy sort.",
    "We painted both the shutters in the colour of the bay,\nand watched the lemon afternoon go quietly away.",
    "The postman rides a bicycle that squeaks on every hill,\nhe says the oil would cost too much, the dogs would miss him still.",
    "I found a map of Norway in the pocket of a coat,\na cross upon a fjord and the drawing of a goat.",
    "The schoolyard swings are empty and the chestnut leaves are brown,\na kite without an owner wanders slowly over town.",
    "Grandmother's kitchen table has a century of scars,\nwe carved our names beneath it by the light of passing cars.",
    "The thunder moved the furniture along the upper floor,\nand left a pool of silver rain in front of every door.",
    "So pour another cup of tea and let the evening climb,\nwe never had much money but we had a lot of time.",
)
CHORUSES = (
    "Oh carry me over the water,\nover the water and home,\nwhere nobody asks for a reason,\nand nobody travels alone.",
    "Hold on, hold on, the night is only passing,\nhold on, hold on, the dawn is on the rise,\nthere is a road behind the rain,\nthere is a field of open skies.",
    "Sing it low, sing it high,\nsing it till the well runs dry,\nwhat we lose we sing again,\nround the fire, one to ten.",
    "Turn the wheel and mind the weather,\nall of us go down together,\nall of us come up once more,\nsalt and singing on the shore.",
)
