"""docs/coming_from_leveldb.md must name every class, function, method and option in LevelDB's
public headers.

It may omit the members of classes in AS_A_WHOLE, and the names of the C API. Argument: the page.
"""

import pathlib
import re
import sys

AS_A_WHOLE = {"Cache", "Env", "EnvWrapper", "FileLock", "Logger", "RandomAccessFile", "Range",
              "SequentialFile", "Slice", "Snapshot", "Status", "WritableFile"}


def names(header):
    text = re.sub(r"//.*|operator\W+", "", header.read_text())
    owner = ""
    for line in re.sub(r"\n {4,}(?! )", " ", text).splitlines():  # joins declarations
        if found := re.match(r"( *)(?:class|struct) LEVELDB_EXPORT (\w+)[^;]*\{", line):
            owner = found.group(2) if not found.group(1) else owner
            yield found.group(2)
        elif line.startswith(" private:") or line.startswith("}"):
            owner = ""
        elif found := re.match(r"LEVELDB_EXPORT [^(]*?(\w+)\(|static const int (\w+)", line):
            yield found.group(1) or found.group(2)
        elif owner and owner not in AS_A_WHOLE:
            # A method or data member, but nothing inside braces.
            if found := re.match(r"  (?! )(?:[^ (][^(;]*? [*&]?)(\w+)(?:\(| = |;)", line):
                yield found.group(1)


def main():
    page = pathlib.Path(sys.argv[1]).read_text()
    headers = [path for path in pathlib.Path("/usr/include/leveldb").rglob("*.h") if path.name != "c.h"]
    found = {name for header in headers for name in names(header)}
    found -= {"CleanupFunction", "default", "delete", "leveldb"}
    missing = [name for name in sorted(found) if not re.search(rf"\b{name}\b", page)]
    print(f"{len(found)} names, missing: {missing}")
    return 1 if missing or len(found) < 90 else 0


sys.exit(main())
