"""Tests the virtual tables of sqlite/. A query must select what it selects from an ordinary SQLite
table with the same rows. Also tests plans, the blocks that are read, damage, and a folder that a
program has open.

Arguments: SST COUNT, where COUNT is the number of random queries.
"""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

import plyvel

sys.path[:0] = ["tests/db/folders"]

from connection import connect, rows_and_error
from folder_maker import FolderMaker

TESTDATA = os.path.abspath("tests/testdata")
COLUMNS = "key, value, sequence, type, live, file, offset, key_text"
wrong = 0


def expect(name, got, expected):
    global wrong
    if got == expected:
        return
    wrong += 1
    print("%s\n  got      %.2000r\n  expected %.2000r" % (name, got, expected))


def make_table(db, name, path, module="sstable"):
    db.execute("CREATE VIRTUAL TABLE temp.%s USING %s('%s')" % (name, module, path.replace("'", "''")))


def write(path, entries, compact=True, **options):
    db = plyvel.DB(path, create_if_missing=True, **options)
    for key, value in entries:
        db.put(key, value)
    if compact:
        db.compact_range()
    db.close()
    return path


def damage(path, offset):
    with open(path, "r+b") as file:
        file.seek(offset)
        byte = file.read(1)
        file.seek(offset)
        file.write(bytes([byte[0] ^ 1]))


# Random queries over keys of several shapes.

# U+FFFE is omitted: GLOB treats it as U+FFFD, but the bounds that SQLite derives from GLOB do not.
TEXTS = ["", "a", "A", "aB", "ab", "b", "Ab%", "a_b", "a*", "5", "05", "5.0", "10", "-1", "1e1", "é", "éa", "Éa",
         "日本", "user/1", "user/10", "USER/2", "a\0b", "a\0", "\U0001f600", "\ufffd", "~", "[x]"]


def shapes(root):
    """Yields (name, path) of folders and tables."""
    rnd = random.Random(39)
    yield "folder", FolderMaker(7, root).make()
    yield "many versions", FolderMaker(12, root).make()
    texts = [text + suffix for text in TEXTS for suffix in ("", "x", "X1", "/é")]
    yield "text", write(root + "/text", [(t.encode(), b"%d" % i) for i, t in enumerate(texts * 2)], False)
    keys = [rnd.randbytes(rnd.randrange(0, 5)) for _ in range(700)] + [t.encode() for t in TEXTS]
    path = write(root + "/binary", [(key, key[:2]) for key in keys], block_size=1024)
    yield "binary", path
    yield "table", os.path.join(path, [name for name in os.listdir(path) if name.endswith(".ldb")][0])
    for name in ("elements", "reverse-order", "database", "raw"):
        yield name, "%s/leveldb-1.23-%s.ldb" % (TESTDATA, name)


class Queries:
    """Makes random terms on the columns of a table, with literals close to its keys."""

    def __init__(self, rnd, keys):
        self._random = rnd
        self._keys = keys

    def _bytes(self):
        rnd = self._random
        key = rnd.choice(self._keys) if rnd.random() < 0.7 else rnd.choice(TEXTS).encode()
        change = rnd.random()
        if change < 0.2:
            return key[:rnd.randrange(len(key) + 1)]
        if change < 0.3:
            return key + rnd.choice((b"\0", b"\xff", b"a"))
        return key

    def _literal(self):
        rnd = self._random
        kind = rnd.random()
        if kind < 0.45:
            return "x'%s'" % self._bytes().hex()
        if kind < 0.85:
            return "CAST(x'%s' AS TEXT)" % self._bytes().hex()
        if kind < 0.92:
            return "(SELECT %s FROM others LIMIT 1 OFFSET %d)" % (rnd.choice(("n", "i")), rnd.randrange(3))
        return rnd.choice(("NULL", "5", "5.0", "-1", "10", "1e300", "zeroblob(2)", "''", "x''", "'5'"))

    def _pattern(self):
        rnd = self._random
        text = self._bytes().decode("utf-8", "replace").replace("'", "''").replace("\0", "")
        text = rnd.choice((text, text.upper(), text.lower(), text[:2]))
        return "'%s%s'" % (text, rnd.choice(("", "%", "*", "_", "?", "[a-z]*", "%1", "*1", "é%")))

    def _term(self):
        rnd = self._random
        column = rnd.choice(("key", "key_text"))
        kind = rnd.random()
        if kind < 0.25:
            return "%s %s %s" % (column, rnd.choice(("LIKE", "GLOB")), self._pattern())
        if kind < 0.35:
            query = "SELECT %s FROM others" % rnd.choice(("n", "i", "key"))
            return "%s IN (%s)" % (column, rnd.choice((query, "%s, %s" % (self._literal(), self._literal()))))
        if kind < 0.5:
            return "%s BETWEEN %s AND %s" % (column, self._literal(), self._literal())
        if kind < 0.6:
            return rnd.choice(("value = %s" % self._literal(), "length(key) = 3", "live", "key IS NULL",
                               "key_text IS NULL", "sequence IS NOT NULL", "sequence % 2 = 1"))
        collation = rnd.choice(("", "", "", " COLLATE NOCASE", " COLLATE RTRIM"))
        operator = rnd.choice(("=", "==", "IS", "<", "<=", ">", ">=", "<>", "IS NOT"))
        return "%s %s %s%s" % (column, operator, self._literal(), collation)

    def where(self, depth=2):
        rnd = self._random
        if depth == 0 or rnd.random() < 0.4:
            return self._term()
        joined = " %s " % rnd.choice(("AND", "AND", "OR"))
        term = "(%s)" % joined.join(self.where(depth - 1) for _ in range(2))
        return "NOT " + term if rnd.random() < 0.1 else term

    def tail(self):
        rnd = self._random
        order = rnd.choice(("key, sequence DESC", "key DESC, sequence", "key_text, key, sequence"))
        limit = rnd.choice(("", "", " LIMIT 3", " LIMIT 5 OFFSET 2", " LIMIT -1 OFFSET 9000000000000000000"))
        return " ORDER BY %s%s" % (order, limit)


def check_random_queries(root, count):
    # Whether LIKE and GLOB match BLOBs depends on how SQLite was built.
    sources = [(name, path, module, encoding) for name, path in shapes(root)
               for module in ("sstable", "sstable_entries") for encoding in ("UTF-8", "UTF-16le")]
    selected = 0
    for number, (name, path, module, encoding) in enumerate(sources):
        db = connect(encoding)
        make_table(db, "t", path, module)
        db.execute("CREATE TABLE copy(key BLOB, value BLOB, sequence INTEGER, type TEXT, live INTEGER,"
                   " file TEXT, offset INTEGER, key_text TEXT)")
        db.execute("INSERT INTO copy SELECT %s FROM t" % COLUMNS)
        keys = [key for key, in db.execute("SELECT key FROM copy ORDER BY key")]
        db.execute("CREATE TABLE others(n NUMERIC, i INTEGER, key TEXT)")
        db.execute("INSERT INTO others VALUES ('1x', 10, 'a'), (5, '5x', '5'), (NULL, -1, '10'), (x'61', 'b', NULL)")
        by_key = db.execute("SELECT key FROM t ORDER BY key").fetchall()
        expect("%s: order" % name, by_key, [(key,) for key in keys])
        if encoding == "UTF-8":  # SQLite's conversions change U+FFFE
            texts = db.execute("SELECT key, key_text FROM copy").fetchall()
            expect("%s: key_text" % name, [text for _, text in texts], [text_of(key) for key, _ in texts])
        queries = Queries(random.Random(number), keys)
        for _ in range(-(-count // len(sources))):
            where = queries.where()
            columns = queries._random.choice((COLUMNS, "key, value"))
            tail = queries.tail() if queries._random.random() < 0.7 else ""
            got, expected = (db.execute("SELECT %s FROM %s WHERE %s%s" % (columns, table, where, tail)).fetchall()
                             for table in ("t", "copy"))
            if not tail:
                got, expected = (sorted(rows, key=repr) for rows in (got, expected))
            expect("%s, %s, %s: %s" % (name, module, encoding, where + tail), got, expected)
            selected += bool(expected)
    if selected < count // 4:
        expect("queries that select rows", selected, "a quarter of %d" % count)


def text_of(key):
    try:
        return key.decode()
    except UnicodeDecodeError:
        return None


# Query plans.

PLANS = [
    ("key = x'61'", "key=?"),
    ("key IS x'61'", ""),
    ("key BETWEEN x'61' AND x'62'", "key>=? AND key<=?"),
    ("key > x'61' AND key < x'62' AND value = 1", "key>? AND key<?"),
    ("key_text = 'a'", "key_text=?"),
    ("key IN (x'61', x'62')", "key IN ?"),
    ("key_text IN ('a', 'b')", "key_text IN ?"),
    ("key_text = 'a' OR key_text = 'b'", "key_text IN ?"),
    ("key_text LIKE 'a%'", ""),
    ("key_text GLOB 'a*'", "key_text>=? AND key_text<?"),
    ("key_text = 'a' COLLATE NOCASE", ""),
    ("value = x'61'", ""),
    ("key <> x'61'", ""),
]


def plan(db, sql):
    return [re.sub("^SCAN t VIRTUAL TABLE INDEX ", "", row[3]) for row in db.execute("EXPLAIN QUERY PLAN " + sql)]


def check_plans():
    db = connect()
    make_table(db, "t", TESTDATA + "/database")
    for where, expected in PLANS:
        got = plan(db, "SELECT key FROM t WHERE %s ORDER BY key" % where)
        expect("plan of " + where, got, ["0:" + expected])
    sort = "USE TEMP B-TREE FOR ORDER BY"
    expect("descending", plan(db, "SELECT key FROM t ORDER BY key DESC"), ["0:", sort])
    expect("by value", plan(db, "SELECT key FROM t ORDER BY value"), ["0:", sort])
    db = connect()
    make_table(db, "t", TESTDATA + "/leveldb-1.23-reverse-order.ldb")
    expect("reverse", plan(db, "SELECT key FROM t WHERE key > x'61' ORDER BY key"), ["0:", sort])
    expect("reverse, =", plan(db, "SELECT key FROM t WHERE key = x'61'"), ["0:key=?"])
    db = connect("UTF-16le")
    make_table(db, "t", TESTDATA + "/database")
    expect("UTF-16", plan(db, "SELECT key FROM t WHERE key_text GLOB 'a*'"), ["0:"])


# Blocks read: blocks that a query must not read are damaged.


def check_blocks(sst, root):
    entries = [(b"%s/%05d" % (word, i), b"value %d" % i) for word in (b"10", b"20") for i in range(3000)]
    folder = write(root + "/blocks", entries, block_size=1024, bloom_filter_bits=10)
    name, = [name for name in os.listdir(folder) if name.endswith(".ldb")]
    path = os.path.join(folder, name)
    layout = json.loads(subprocess.check_output([sst, "layout", "--format", "json", path]))
    blocks = [block for block in layout["blocks"] if block["kind"] == "data"]
    db = connect()
    make_table(db, "whole", folder)
    rows = db.execute("SELECT key, offset FROM whole").fetchall()
    sound = root + "/sound.ldb"
    shutil.copyfile(path, sound)
    first_and_last = {blocks[0]["offset"], blocks[-1]["offset"]}  # these are read when the folder is opened
    for number, (where, allowed_more) in enumerate([
            ("key = CAST('10/01234' AS BLOB)", 0),
            ("key_text = '20/00007'", 0),
            ("key = CAST('10/0123' AS BLOB)", 0),
            ("key_text GLOB '10/012*'", 1),
            ("key_text IN ('20/00007', '10/01234', '10/0123', NULL)", 0),
            ("key BETWEEN x'31302f3031' AND x'31302f30313031'", 1),
    ]):
        shutil.copyfile(sound, path)
        wanted = db.execute("SELECT key, value FROM whole WHERE " + where).fetchall()
        read = [offset for key, offset in rows if any(key == found for found, _ in wanted)]
        kept = {offset for offset in read}
        if allowed_more:
            # The block after the range shows that it has ended.
            kept.add(min(offset for _, offset in rows if offset > max(kept)))
        for block in blocks:
            if block["offset"] not in kept | first_and_last:
                damage(path, block["offset"] + block["size"] // 2)
        for kind, source in (("folder", folder), ("table", path)):
            table = "d%d%s" % (number, kind)
            make_table(db, table, source)
            expect("blocks of %s, %s" % (where, kind),
                   rows_and_error(db, "SELECT key, value FROM %s WHERE %s" % (table, where)), (wanted, ""))
        expect("%s: few blocks" % where, len(kept) < len(blocks) / 4, True)


# Damage, and files that can't be opened.


def check_damage(root):
    db = connect()
    path = TESTDATA + "/damaged-data-block.ldb"
    message = path + ": data block at offset 2049 (2109 bytes): crc32c stored 0xf5635708, computed 0x6eb91419"
    make_table(db, "d", path)
    rows, error = rows_and_error(db, "SELECT key_text FROM d")
    expect("rows before and after damage", (len(rows), rows[-1][0], error), (321, "zirconium/symbol", message))
    expect("a count", rows_and_error(db, "SELECT count(*) FROM d"), ([], message))
    expect("a key in the damage", rows_and_error(db, "SELECT * FROM d WHERE key_text = 'mercury/symbol'"), ([], message))
    rows, error = rows_and_error(db, "SELECT key, file FROM d WHERE key_text = 'mercury/symbol'")
    expect("with its place", (rows, error), ([], message))
    sql = "SELECT value FROM d WHERE key_text IN ('zinc/symbol', 'mercury/symbol', 'gold/symbol')"
    expect("sound keys", rows_and_error(db, sql), ([(b"Au",)], message))  # it ends before "Zn"
    expect("and their count", rows_and_error(db, sql + " ORDER BY value DESC"), ([], message))
    expect("a sound key", rows_and_error(db, "SELECT value FROM d WHERE key_text = 'zinc/symbol'"), ([(b"Zn",)], ""))
    expect("a copy has all or nothing", rows_and_error(db, "CREATE TABLE c AS SELECT * FROM d"), ([], message))
    expect("nothing", rows_and_error(db, "SELECT * FROM c"), ([], "no such table: c"))

    folder = write(root + "/lost", [(b"a%d" % i, b"x" * 2000) for i in range(50)])
    for name in os.listdir(folder):
        if name.endswith(".ldb"):
            os.remove(os.path.join(folder, name))
    make_table(db, "lost", folder)
    expect("it can't hide the key", rows_and_error(db, "SELECT * FROM lost WHERE key IN (x'62', x'63')"), ([], ""))
    for sql in ("SELECT * FROM lost", "SELECT * FROM lost WHERE key = CAST('a7' AS BLOB)",
                "SELECT file FROM lost WHERE key_text IN ('a', 'a7')"):
        rows, error = rows_and_error(db, sql)
        expect("a table is missing", (rows, re.sub(r".*/(lost/)\d+", r"\1N", error)[:18]), ([], "lost/N.ldb: can't "))

    folder = write(root + "/log", [(b"c", b"3"), (b"d", b"4"), (b"e", b"5")])
    write(folder, [(b"a", b"1" * 40000), (b"b", b"2")], compact=False)
    log, = [name for name in os.listdir(folder) if name.endswith(".log")]
    damage(os.path.join(folder, log), 100)
    make_table(db, "log", folder)
    for columns in ("key", "key, file"):
        for where in ("", "WHERE key IN (x'63', x'64', x'65')", "WHERE key_text = 'd' OR key_text = 'c' OR key_text = 'e'"):
            sql = "SELECT %s FROM log %s" % (columns, where)
            rows, error = rows_and_error(db, sql)
            expect(sql, ([row[0] for row in rows][-2:], log in error, "offset" in error), ([b"c", b"d"], True, True))
    rows, error = rows_and_error(db, "SELECT o.k, value FROM (SELECT 'c' AS k UNION ALL SELECT 'd') o LEFT JOIN log ON key_text = k")
    expect("a join ends after the first key", (rows, log in error), ([], True))

    path = root + "/replaced.ldb"
    shutil.copyfile(TESTDATA + "/leveldb-1.23-elements.ldb", path)
    make_table(db, "replaced", path)
    shutil.copyfile(TESTDATA + "/database/000005.ldb", path)
    expect("other keys", rows_and_error(db, "SELECT sequence FROM replaced"),
           ([], path + ": has another kind or order of keys than when the virtual table was made"))

    empty = root + "/empty folder"
    os.mkdir(empty)
    text = os.path.join(root, "it's text")
    with open(text, "w") as file:
        file.write("text")
    for argument, expected in [
            ("'%s/absent'" % root, "No such file"),
            ("'%s'" % empty, "is not a database"),
            ("'%s'" % text.replace("'", "''"), "it's text: "),
            ("\"%s\"" % text, "it's text: "),
            ("'/dev/null'", "is not a regular file"),
            ("''", ""),
            ("", "expected CREATE VIRTUAL TABLE"),
            ("'a', 'b'", "expected CREATE VIRTUAL TABLE"),
    ]:
        rows, error = rows_and_error(db, "CREATE VIRTUAL TABLE e USING sstable(%s)" % argument)
        expect("USING sstable(%s): %s" % (argument, error), expected in error and error != "", True)
    for sql, expected in [
            ("SELECT * FROM sstable", "expected CREATE VIRTUAL TABLE"),
            ("SELECT * FROM sstable_entries('a')", "expected CREATE VIRTUAL TABLE"),
            ("DELETE FROM d", "table d may not be modified"),
            ("INSERT INTO d(key) VALUES (1)", "table d may not be modified"),
            ("SELECT rowid FROM d", "no such column: rowid"),
    ]:
        rows, error = rows_and_error(db, sql)
        expect(sql, (rows, error[:len(expected)]), ([], expected))


# Types, statements and connections.


def check_rest(root):
    db = connect()
    folder = write(root + "/small", [(b"", b"empty"), (b"a", b""), (b"a\0b", b"nul"), (b"\xff\xfe", b"binary")])
    make_table(db, "t", folder)
    make_table(db, "h", folder, "sstable_entries")
    for sql, expected in [
            ("SELECT * FROM t", [(b"", b"empty"), (b"a", b""), (b"a\0b", b"nul"), (b"\xff\xfe", b"binary")]),
            ("SELECT typeof(key), typeof(value) FROM t WHERE key = x'61'", [("blob", "blob")]),
            ("SELECT count(*) FROM t WHERE key = 'a'", [(0,)]),  # a BLOB does not equal TEXT
            ("SELECT count(*) FROM t WHERE key = CAST('a' AS BLOB)", [(1,)]),
            ("SELECT value FROM t WHERE key_text = 'a' || char(0) || 'b'", [(b"nul",)]),
            ("SELECT value FROM t WHERE key_text IS NULL", [(b"binary",)]),
            ("SELECT value FROM t WHERE key = x''", [(b"empty",)]),
            ("SELECT sequence, type, live, decoded_key, decoded_value FROM h WHERE key = x'61'",
             [(2, "value", 1, None, None)]),
            ("SELECT sum(a.key = b.key), count(*) FROM t a, t b", [(4, 16)]),
            ("SELECT count(*) FROM t JOIN h USING (key)", [(4,)]),
            ("SELECT value FROM (SELECT x'61' AS k UNION ALL SELECT x'ff' UNION ALL SELECT NULL) LEFT JOIN t ON key = k",
             [(b"",), (None,), (None,)]),
            ("SELECT max(key), min(key), count(DISTINCT key) FROM t", [(b"\xff\xfe", b"", 4)]),
            ("SELECT name FROM pragma_table_info('h')", [(name,) for name in COLUMNS.split(", ")[:-1]]),
    ]:
        expect(sql, rows_and_error(db, sql), (expected, ""))

    # A table of plain keys in which "a" occurs twice.
    path = root + "/twice.ldb"
    with open(path, "wb") as file:
        file.write(bytes.fromhex(
            "00010161310001016132000101623300000000050000000a000000030000000026efd1330000000000bc75ed8e00010262001f00"
            "000000010000000056a0e64b24042d0e" + "00" * 36 + "57fb808b247547db"))
    make_table(db, "twice", path)
    make_table(db, "twice_entries", path, "sstable_entries")
    for sql, expected in [
            ("SELECT value FROM twice", [(b"1",), (b"3",)]),
            ("SELECT value, live FROM twice WHERE key = x'61'", [(b"1", 1)]),
            ("SELECT value, live FROM twice_entries", [(b"1", 1), (b"2", 0), (b"3", 1)]),
    ]:
        expect(sql, rows_and_error(db, sql), (expected, ""))

    # Next to a NUMERIC column, keys that look like numbers become numbers, which are below TEXT.
    make_table(db, "numeric", write(root + "/numeric", [(b"5", b""), (b"7", b""), (b"key", b"")]))
    db.execute("CREATE TABLE n(x NUMERIC)")
    db.execute("INSERT INTO n VALUES ('1x')")
    for operator in ("<", "<="):
        sql = "SELECT key_text FROM numeric WHERE key_text %s (SELECT x FROM n)" % operator
        expect(sql, rows_and_error(db, sql), ([("5",), ("7",)], ""))

    # LIKE and GLOB replaced by the program.
    for name in ("like", "glob"):
        db.create_function(name, 2, lambda pattern, text: text is not None and text.endswith("y"))
        sql = "SELECT key_text FROM numeric WHERE key_text %s 'a'" % name
        expect(sql, rows_and_error(db, sql), ([("key",)], ""))

    # Another program has the folder open.
    writer = plyvel.DB(folder)
    writer.put(b"a", b"newer")
    statement = db.execute("SELECT key FROM t")
    statement.fetchone()
    writer.put(b"b", b"new")
    expect("a statement sees one state", statement.fetchall(), [(b"a",), (b"a\0b",), (b"\xff\xfe",)])
    writer.delete(b"")
    expect("the next one a newer", db.execute("SELECT key, value FROM t").fetchall(),
           [(b"a", b"newer"), (b"a\0b", b"nul"), (b"b", b"new"), (b"\xff\xfe", b"binary")])
    expect("all versions", db.execute("SELECT value, type, live FROM h WHERE key IN (x'', x'61')").fetchall(),
           [(None, "deletion", 0), (b"empty", "value", 0), (b"newer", "value", 1), (b"", "value", 0)])
    writer.close()
    shutil.rmtree(folder)
    rows, error = rows_and_error(db, "SELECT * FROM t")
    expect("it is gone", (rows, "No such file" in error), ([], True))

    # A virtual table in the schema must not make another connection read files.
    path = root + "/file.db"
    folder = write(root + "/again", [(b"a", b"1")])
    db = connect(path=path)
    db.execute("CREATE VIRTUAL TABLE t USING sstable('%s')" % folder)
    db.execute("CREATE VIEW v AS SELECT * FROM t")
    db.execute("CREATE TEMP VIEW w AS SELECT * FROM t")
    db.close()
    db = connect(path=path)
    expect("a table that was kept", rows_and_error(db, "SELECT * FROM t"), ([(b"a", b"1")], ""))
    expect("a view", rows_and_error(db, "SELECT * FROM v"), ([], 'unsafe use of virtual table "t"'))
    db.execute("CREATE TEMP VIEW w AS SELECT * FROM t")
    expect("a temporary view", rows_and_error(db, "SELECT * FROM w"), ([(b"a", b"1")], ""))
    db.execute("DROP TABLE t")
    expect("dropped", os.listdir(folder) != [], True)


def main():
    sst, count = os.path.abspath(sys.argv[1]), int(sys.argv[2])
    with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as root:
        check_random_queries(root, count)
        check_plans()
        check_blocks(sst, root)
        check_damage(root)
        check_rest(root)
    print("%d wrong" % wrong)
    return 1 if wrong else 0


sys.exit(main())
