"""Runs the code blocks of python/README.md, one after the other."""

import os
import re
import shutil
import unittest

from package import TABLES, sstable, temporary


class DocsTest(unittest.TestCase):

  def test_code_runs(self):
    with open("python/README.md", encoding="utf-8") as file:
      blocks = re.findall(r"^```python\n(.*?)^```", file.read(), re.MULTILINE | re.DOTALL)
    self.assertGreater(len(blocks), 5)
    shutil.copytree(TABLES + "database", temporary("database"))
    os.chdir(os.environ["TEST_TMPDIR"])
    with sstable.Writer("actors.ldb", internal_keys=True) as writer:
      writer.put(b"!actors!a", b'{"name":"Ann"}', sequence=1)
    sstable.salvage("actors.ldb", "foundry")
    with sstable.Writer("000005.ldb", filter="bloom:10") as writer:
      writer.put_many([(b"apple", b"1"), (b"user:1", b"2"), (b"user:2", b"3")])
    with sstable.Writer("000009.ldb", internal_keys=True) as writer:
      writer.put(b"apple", b"new", sequence=9)
      writer.put(b"apple", b"old", sequence=3)
    for block in blocks:
      with self.subTest(block):
        exec(compile(block, "python/README.md", "exec"), {"sstable": sstable})  # pylint: disable=exec-used
    with sstable.open("new.ldb") as table:
      self.assertEqual(list(table.keys()), [b"apple", b"banana", b"cherry"])


if __name__ == "__main__":
  unittest.main()
