"""The rows that benchmarks/report writes into docs/performance.md, between its marks, must have the
form that the page has. README.md must have some of these rows, unchanged.

Arguments: the folder of the report's modules, docs/performance.md, README.md.
"""

import pathlib
import sys
import tempfile
import unittest

MODULES, PAGE, README = sys.argv[1:4]
sys.path.insert(0, MODULES)

import report_rows
import report_table

BEGIN = "<!-- benchmarks/report: begin -->"
END = "<!-- benchmarks/report: end -->"


def labels(markdown):
    """Returns the first cell of each row of all tables."""
    return [line.split("|")[1] for line in markdown.splitlines() if line.startswith("|")]


class ReportTest(unittest.TestCase):
    def chosen(self):
        figures = {}
        for _, rows in report_rows.SECTIONS:
            for row in rows:
                for name, seconds in ((row.ours, 1e-7), (row.leveldb, 3e-7), (row.rocksdb, 5e-7)):
                    figures[name] = seconds
        machine = {"CPU": "one", "System": "Debian", "Commit": "abc", "Date": "today"}
        return report_table.chosen_rows(report_rows.SECTIONS, figures, {"machine": machine})

    def test_has_the_rows_of_the_page(self):
        page = pathlib.Path(PAGE).read_text().split(BEGIN)[1].split(END)[0]
        self.assertEqual(labels(self.chosen()), labels(page))
        self.assertIn("| scan, per entry | 100 ns | 300 ns | 500 ns | 3.00x | 5.00x |", self.chosen())

    def test_replaces_what_is_between_its_marks(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder, "page.md")
            page.write_text(pathlib.Path(PAGE).read_text())
            report_table.replace_section(page, "new\n", "benchmarks/report")
            before, after = pathlib.Path(PAGE).read_text().split(BEGIN)
            self.assertTrue(page.read_text().startswith(before + BEGIN))
            self.assertTrue(page.read_text().endswith(after.split("report: end -->")[1]))
            self.assertNotIn("scan backward, an entry", page.read_text())

    def test_readme_shows_rows_of_the_page(self):
        page = pathlib.Path(PAGE).read_text().splitlines()
        rows = [line for line in pathlib.Path(README).read_text().splitlines() if " ns | " in line]
        self.assertEqual(len(rows), 4)
        for row in rows:
            self.assertIn(row, page)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
