"""The C++ ABI of the shared library must be that of the last release, as listed in sstable.abi: the
exported names, and for each type of the API its size, the offsets of its members, its enumerators,
and its virtual functions in order. tests/c checks the C ABI. --rewrite writes the list.

abidw is not used, since its dump of the API alone has 4 MB, most of it about types of the standard
library.
"""

import difflib
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

LIST = pathlib.Path("tests/abi/sstable.abi")
HEADERS = sorted(set(pathlib.Path("include/sstable").rglob("*.h")) - {pathlib.Path("include/sstable/c.h")})
ADVICE = """
"-" was so in the last release, "+" is so now. What has a "-" may break programs that are linked with that
release's library; so may a new virtual function, if they derive from its class. All other "+" are new.
If this is meant, say so in CHANGELOG.md, and run:

    bazel run //tests/abi:abi_test -- --rewrite
"""


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}\nfailed: {' '.join(map(str, command))}")
    return done.stdout


def made_with():
    config = pathlib.Path("/usr/include/absl/base/config.h").read_text()
    abseil = re.search(r"define ABSL_LTS_RELEASE_VERSION (\d+)", config).group(1)
    compilers = [f"{compiler} {run(compiler, '-dumpversion').strip()}" for compiler in ("g++", "clang++")]
    return f"# {', '.join(compilers)}, Abseil {abseil}, {platform.machine()}"


def exported_names(folder):
    build = f"{folder}/build"
    run("cmake", "-G", "Ninja", "-S", ".", "-B", build, "-DBUILD_SHARED_LIBS=ON", "-DSSTABLE_TOOL=OFF",
        "-DCMAKE_CXX_COMPILER=g++", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0")
    run("cmake", "--build", build)
    # Each line has 16 digits, a letter and the name. Instances of the standard library's templates
    # are also exported; they are skipped.
    names = (line[19:] for line in run("nm", "-DC", "--defined-only", f"{build}/libsstable.so").splitlines())
    return sorted({name for name in names if re.match(r"([a-z ]+ for )?sstable::[\w:~]+(\[abi:\w+\])?($|\()", name)})


def declarations():
    """Returns the API's types, its enumerations, and the virtual functions of its classes, as lists
    of strings."""
    types, enums, functions = [], [], []
    for header in HEADERS:
        text = re.sub(r"//.*| = \{\}", "", header.read_text())
        outer = ""
        for indent, name, enum, function in re.findall(
                r"^( *)(?:(?:class|struct)(?: SSTABLE_EXPORT)? (\w+)[^;{]*\{|(enum \w[^;]*)|virtual ([^;{]*))",
                text, re.MULTILINE):
            scope = f"sstable::{outer}::" if indent else "sstable::"
            if name:
                outer = outer if indent else name
                types.append(scope + name)
            elif enum:
                enums.append(f"{scope} {' '.join(enum.split())}")
            else:
                functions.append(f"{scope} {' '.join(function.split())}")
    return types, enums, functions


def layouts(folder, types):
    """Returns clang's layout of each type, without the members of members."""
    source = pathlib.Path(folder, "types.cc")
    source.write_text("".join(f'#include "{header.relative_to("include")}"\n' for header in HEADERS) +
                      "".join(f"static_assert(sizeof({name}) > 0);\n" for name in types))
    dump = run("clang++", "-std=c++17", "-Iinclude", "-fsyntax-only", "-Xclang", "-fdump-record-layouts", source)
    found = {}
    for layout in dump.split("*** Dumping AST Record Layout\n"):
        head = re.match(r" +0 \| (?:class|struct) (sstable::[\w:]+)", layout)
        if head and head.group(1) in types:
            size = re.search(r"sizeof=(\d+).*align=(\d+)", layout)
            found[head.group(1)] = [f"{size.group(1)} bytes, aligned to {size.group(2)}"] + [
                f"at {at}: {member}"
                for at, member in re.findall(r"^ *(\d[\d:-]*) \|   (\S.*)", layout, re.MULTILINE)]
    if missing := set(types) - set(found):
        sys.exit(f"clang shows no layout of {missing}")
    return [f"{name}, {line}" for name in sorted(found) for line in found[name]]


def abi():
    types, enums, functions = declarations()
    with tempfile.TemporaryDirectory() as folder:
        parts = {"exported": exported_names(folder), "layouts": layouts(folder, types),
                 "enumerations": enums, "virtual functions, in order": functions}
    return [line for title, lines in parts.items() for line in ["", f"# {title}"] + lines]


def main():
    missing = [tool for tool in ("g++", "clang++", "cmake", "ninja", "nm") if not shutil.which(tool)]
    if missing:
        print(f"Skipped: needs {', '.join(missing)}.")
        return 0
    here = made_with()
    if sys.argv[1:] == ["--rewrite"]:
        pathlib.Path(os.environ["BUILD_WORKSPACE_DIRECTORY"], LIST).write_text("\n".join([here] + abi()) + "\n")
        return 0
    with_what, *released = LIST.read_text().splitlines()
    if with_what != here:
        print(f"Skipped: the list was made with {with_what[2:]}; here are {here[2:]}.")
        return 0
    changes = list(difflib.unified_diff(released, abi(), "the last release", "now", n=0, lineterm=""))
    if changes:
        print("\n".join(changes) + "\n" + ADVICE)
    return 1 if changes else 0


if __name__ == "__main__":
    sys.exit(main())
