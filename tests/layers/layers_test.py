"""No file of the library or of `sst` includes a header of a higher floor."""

import pathlib
import re
import sys

# Each folder, and those that it may include. CONTRIBUTING.md has the same as a sentence.
MAY_INCLUDE = {
    "util": [],
    "filter": ["util"],
    "table/block": ["util"],
    "table": ["filter", "table/block", "util"],
    "table/inspect": ["filter", "table", "table/block", "util"],
    "table/salvage": ["filter", "table", "table/block", "table/inspect", "util"],
    "table/c": ["filter", "table", "table/block", "table/inspect", "table/salvage", "util"],
    "tools/cli": ["util"],
    "tools/records": ["table", "table/block", "tools/cli", "util"],
    "tools": [
        "filter", "table", "table/block", "table/inspect", "table/salvage",
        "tools/cli", "tools/records", "util",
    ],
}
INCLUDE = re.compile(r'^#include "(.*)/[^/]*"', re.MULTILINE)


def main():
    files = wrong = 0
    for folder, allowed in MAY_INCLUDE.items():
        for path in sorted(pathlib.Path(folder).iterdir()):
            if path.suffix not in (".h", ".cc"):
                continue
            files += 1
            for included in INCLUDE.findall(path.read_text()):
                if included in MAY_INCLUDE and included not in allowed + [folder]:
                    print(f"{path} includes a header of {included}/, which {folder}/ may not know")
                    wrong += 1
    print(f"{files} files, {wrong} includes that point up")
    return 1 if wrong or files < 100 else 0


sys.exit(main())
