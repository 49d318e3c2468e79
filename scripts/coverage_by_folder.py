"""Prints how many lines each source folder has and how many of them ran, from the .gcda files below
a folder.

A line of a header counts once. It ran if it ran in any object file. Argument: the folder of the
object files.
"""

import collections
import json
import pathlib
import subprocess
import sys

ran = collections.defaultdict(dict)  # by file and line: true if it ran
for counts in pathlib.Path(sys.argv[1]).rglob("*.gcda"):
    command = ["gcov", "--stdout", "--json-format", counts]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    for report in output.splitlines():
        for file in json.loads(report)["files"]:
            name = file["file"].removeprefix("./")
            if name.startswith(("/", "external/", "bazel-out/", "tests/")):
                continue
            lines = ran[name]
            for line in file["lines"]:
                number = line["line_number"]
                lines[number] = lines.get(number, False) or line["count"] > 0

folders = collections.defaultdict(list)
for name, lines in ran.items():
    folders[str(pathlib.PurePath(name).parent)] += lines.values()
if not folders:
    sys.exit("no test has run a line")
for folder, lines in [*sorted(folders.items()), ("all", sum(folders.values(), []))]:
    print(f"{folder:24} {len(lines):6} lines {100 * sum(lines) / len(lines):6.1f} %")
