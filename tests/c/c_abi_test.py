"""The declarations in sstable/c.h and c/decode/decoder.h must be those that c_abi.txt lists and
that the shared object exports.

Lines may be added to c_abi.txt. A changed or removed line breaks compiled programs. --print prints
what c_abi.txt should contain.
"""

import pathlib
import re
import subprocess
import sys
import unittest

HEADERS = ["include/sstable/c.h", "c/decode/decoder.h"]
GOLDEN = "tests/c/c_abi.txt"
LIBRARY = "c/libsstable_c.so"


def declarations():
  """Returns the declarations of the headers, one per line; an enum has a line for each of its
  names."""
  text = "".join(pathlib.Path(header).read_text(encoding="ascii") for header in HEADERS)
  text = re.sub(r"//.*", "", text)
  macros = re.findall(r"^#define (SSTABLE_\w+) (.+)$", text, re.MULTILINE)
  text = re.sub(r"^#.*", "", text, flags=re.MULTILINE).replace('extern "C"', "")
  lines = [f"#define {name} {value}" for name, value in macros]
  for declaration in text.split(";"):
    declaration = " ".join(declaration.split()).strip("{} ")
    enum = re.fullmatch(r"enum \{ (.*)", declaration)
    if enum:
      lines += [f"enum {name.strip()}" for name in enum[1].split(",")]
    elif declaration:
      lines.append(declaration)
  return lines


def functions(lines):
  return sorted(match[1] for match in (re.search(r"\b(sstable_\w+)\(", line) for line in lines)
                if match)


class CAbiTest(unittest.TestCase):

  def test_headers_declare_what_is_listed(self):
    with open(GOLDEN, encoding="ascii") as file:
      self.assertEqual(declarations(), file.read().splitlines())

  def test_shared_object_exports_what_is_declared(self):
    symbols = subprocess.run(["nm", "-D", "--defined-only", "--extern-only", LIBRARY],
                             stdout=subprocess.PIPE, check=True, text=True).stdout
    exported = sorted(line.split()[-1] for line in symbols.splitlines())
    self.assertEqual(exported, functions(declarations()))


if __name__ == "__main__":
  if sys.argv[1:] == ["--print"]:
    print("\n".join(declarations()))
  else:
    unittest.main()
