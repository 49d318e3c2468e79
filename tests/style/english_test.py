"""Comments must be sentences or noun phrases, in plain words. Rejects fragments such as "Of the last block", and words
that have plainer equivalents. Reads the source tree itself: the folder in which README.md really is.
"""

import os
import pathlib
import re
import sys

# A comment that begins like this is a fragment, unless its first clause has a verb. "Of ..." always is one.
OPENING = re.compile(r"(Of|of|What|Whether|The same|To where|From where|By it|Else|Likewise|As above|Or)\b")
VERB = re.compile(
    r"\b(is|are|was|were|has|have|had|can|must|may|does|do|returns?|says?|reads?|writes?|keeps?|needs?|gives?|adds?"
    r"|finds?|sets?)\b"
)
WORD = re.compile(
    r"\b(told|tells?|behind|none more|too much|makes? no sense|speaks? for|lacks|goes? by|is good until|may be of"
    r"|as \w+ has it|but for)\b"
)
SKIPPED = ("third_party", "node_modules", "build")  # folders
# Tests of the rule itself: comments, and the fault that it must find in each.
EXAMPLES = {
    "Of the block's entries.": "no noun",
    "What the reader has done so far.": None,
    "What a view of a folder consists of.": "no noun",
    "Whether the block is sound.": None,
    "The same, inline.": "no noun",
    "likewise": None,
    "Number of entries. Of these, 3 are lost.": None,
    "The first block that goes by this name.": "'goes by'",
    "All but for one.": "'but for'",
    "Says whether the key is present.": None,
}


def comments(text):
    """Yields the line number and text of each comment. Consecutive whole-line comments count as one."""
    block, start = [], 0
    for number, line in enumerate(text.splitlines() + [""], 1):
        whole = re.match(r"\s*//+ ?(.*)", line)
        found = whole or re.match(r".*?[;,{})]\s*// (.*)", line)
        if whole or found and not block:
            if not block:
                start = number
            block.append(found[1].strip())
            if whole:
                continue
        if block:
            yield start, " ".join(block)
        block = []


def fault(comment):
    """Returns what is wrong with a comment, or None."""
    first_clause = re.split(r"[.:;] ", comment)[0]
    if OPENING.match(comment) and (comment[:3].lower() == "of " or not VERB.search(first_clause)):
        return "no noun"
    word = WORD.search(comment)
    return f"'{word[0]}'" if word else None


def main():
    wrong = 0
    for comment, expected in EXAMPLES.items():
        if fault(comment) != expected:
            wrong += 1
            print(f"the rule says {fault(comment)} of {comment!r}, expected {expected}")

    total = 0
    root = pathlib.Path("README.md").resolve().parent
    for folder, names, files in os.walk(root):
        names[:] = sorted(n for n in names if not n.startswith((".", "bazel-")) and n not in SKIPPED)
        for path in sorted(pathlib.Path(folder, f) for f in files if f.endswith((".h", ".cc", ".c", ".ts", ".mjs"))):
            for line, comment in comments(path.read_text(encoding="utf-8")):
                total += 1
                problem = fault(comment) if len(comment) >= 8 else None
                if problem:
                    wrong += 1
                    print(f"{path.relative_to(root)}:{line}: {problem}: {comment[:130]}")
    print(f"{total} comments, {wrong} wrong")
    return 1 if wrong or total < 5000 else 0


sys.exit(main())
