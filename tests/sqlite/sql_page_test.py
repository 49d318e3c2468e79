"""The examples in docs/sql.md must print what the page shows, on folders like those that they name.

--rewrite writes what they print into the page. Run it in the root of the tree.
"""

import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import plyvel

import connection  # pylint: disable=unused-import  # leaves out what a sanitizer can't do

PAGE = os.path.abspath("docs/sql.md")
UTF16 = "utf-16-le"


def write(path, entries, deleted=(), compact=False, **options):
    os.makedirs(path)
    db = plyvel.DB(path, create_if_missing=True, compression=None, **options)
    for key, value in entries:
        db.put(key, value)
    for key in deleted:
        db.delete(key)
    if compact:
        db.compact_range()
    db.close()


def make_session_storage(path):
    """Makes a Session Storage with a damaged block, which has only the data of pages."""
    tabs = [("5f3a61c2", "https://example.com/"), ("5f3a61c2", "https://shop.example/"), ("c07d9b11", "https://mail.example/")]
    entries = [(("namespace-%s_0a1b_4c2d_8e3f_aabbccddeeff-%s" % tab).encode(), b"%d" % i) for i, tab in enumerate(tabs)]
    entries += [(b"map-%d-item%02d" % (i, j), ("value %d " % j * 20).encode(UTF16)) for i in range(3) for j in range(10)]
    write(path, entries, compact=True, block_size=1024)
    with open(os.path.join(path, "000005.ldb"), "r+b") as file:
        file.seek(6000)
        file.write(b"\0")


def make_chat(path):
    """Makes a database of IndexedDB. The bytewise comparator is only right for these few keys."""
    def record(sender, text):
        fields = b"".join(b'"' + bytes([len(field)]) + field for field in (b"from", sender, b"text", text))
        return b"\x05\xff\x15\xfe" + bytes(12) + b"\xff\x10o" + fields + b"{\x02"

    def key(number):
        return b"\0\1\1\1\3" + struct.pack("<d", number)

    compare = lambda a, b: (a > b) - (a < b)
    write(path, [
        (b"\0\0\0\0\xc9\4" + "chat".encode("utf-16-be") + b"\4" + "main".encode("utf-16-be"), b"\1" + bytes(7)),
        (b"\0\1\0\0\x32\1\0", "messages".encode("utf-16-be")),
        (key(1), record(b"Ann", b"Shall we meet on Friday?")),
        (key(2), record(b"Ben", b"I have lost the keys")),
        (key(3), record(b"Ben", b"Friday is fine")),
    ], deleted=[key(2)], comparator=compare, comparator_name=b"idb_cmp1")


def make_chainstate(path):
    """Makes a chainstate without an obfuscation key, as Bitcoin Core did before 0.12."""
    def coin(number, script):
        return b"C" + bytes([number]) * 32 + b"\0", b"\5\x32" + script

    write(path, [(b"B", b"\1" * 32)] + [
        coin(1, b"\0" + b"\xaa" * 20), coin(2, b"\0" + b"\xbb" * 20), coin(3, b"\1" + b"\xcc" * 20),
        coin(4, b"\2" + b"\xdd" * 32), coin(5, b"\x08\x6a\0"),
    ])


def make_world(path):
    chunks = [(x, 0, None) for x in range(-2, 3)] + [(x, 1, 1) for x in range(3)] + [(0, 0, 2)]
    write(path, [(struct.pack("<ii", x, z) + (b"" if dimension is None else struct.pack("<i", dimension)) + b"\x2c", b"\x28")
                 for x, z, dimension in chunks])


def output_of(statements):
    """Returns what SQLite's shell prints for each statement."""
    marks = "".join("%s\n.print //\n" % statement for statement in statements)
    out = subprocess.run(["stdbuf", "-oL", "sqlite3"], input=marks, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True, check=False).stdout
    return re.sub(r"error near line \d+:", "error:", out).split("//\n")[:len(statements)]


def main():
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    examples = re.findall(r"(?:^sqlite> .*\n)(?:^   \.\.\.> .*\n)*", page, re.M)
    testdata, extension = os.path.abspath("tests/testdata"), os.path.abspath("sqlite/sstable.so")
    root = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
    os.environ["PATH"] = os.path.dirname(os.path.abspath(sys.argv[1])) + ":" + os.environ["PATH"]
    os.chdir(root)
    os.symlink(extension, "sstable.so")
    os.symlink(testdata + "/database", "database")
    make_session_storage("Session Storage")
    make_chat("https_chat.example_0.indexeddb.leveldb")
    make_chainstate("chainstate")
    make_world("world/db")
    outputs = output_of([re.sub("^(sqlite> |   ...> )", "", example, flags=re.M) for example in examples])
    blocks = iter(zip(examples, outputs))

    def printed(block):
        return "```console\n%s```\n" % "".join(
            "".join(next(blocks)) for _ in re.findall("^sqlite> ", block.group(), re.M))

    rewritten = re.sub(r"^```console\n.*?^```\n", printed, page, flags=re.M | re.S)
    shutil.rmtree(root)
    if "--rewrite" in sys.argv:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(rewritten)
    elif rewritten != page:
        print("docs/sql.md shows other output than this:\n" + rewritten)
        return 1
    print("%d statements" % len(examples))
    return 0 if len(examples) > 10 else 1


sys.exit(main())
