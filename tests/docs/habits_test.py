"""The configuration files for other programs must be correct: GitHub's workflow and issue forms,
pre-commit's hooks, clang-tidy's checks, the editor's settings.

Debian has no actionlint, so this test knows the part of GitHub's schemas that these files use. Like
links_test, it reads the source tree itself. Skipped without Python's yaml. Argument: README.md.
"""

import configparser
import os
import pathlib
import re
import sys
import unittest

try:
    import yaml
except ImportError:
    print("Skipped: needs python3-yaml.")
    sys.exit(0)

ROOT = pathlib.Path(sys.argv[1]).resolve().parent
WORKFLOW_KEYS = {"name", True, "permissions", "jobs"}  # YAML parses the key `on` as true
JOB_KEYS = {"name", "runs-on", "strategy", "container", "steps"}
INPUT_KEYS = {"type", "id", "attributes", "validations"}


def load(name):
    return yaml.safe_load((ROOT / name).read_text())


def programs(command):
    """Returns the files of this tree that a shell command runs."""
    return re.findall(r"(?:^|[;&|] *)(\./[\w./-]+)", command)


class WorkflowTest(unittest.TestCase):
    workflow = load(".github/workflows/ci.yml")
    jobs = workflow["jobs"].values()

    def commands(self):
        return [step["run"] for job in self.jobs for step in job["steps"] if "run" in step]

    def test_has_the_form_of_a_workflow(self):
        self.assertLessEqual(self.workflow.keys(), WORKFLOW_KEYS)
        self.assertEqual(self.workflow["permissions"], {"contents": "read"})
        self.assertLessEqual({"push", "pull_request"}, self.workflow[True].keys())
        for job in self.jobs:
            self.assertLessEqual(job.keys(), JOB_KEYS)
            self.assertEqual(job["runs-on"], "ubuntu-latest")
            matrix = job.get("strategy", {}).get("matrix", {})
            for used in re.findall(r"\$\{\{ *(.*?) *\}\}", str(job)):
                self.assertIn(used, [f"matrix.{key}" for key in matrix])
            for step in job["steps"]:
                self.assertEqual(len(step.keys() & {"run", "uses"}), 1, step)
                if "uses" in step:
                    self.assertRegex(step["uses"], r"^actions/[a-z-]+@v\d+$")

    def test_runs_the_two_commands_on_two_debians_and_each_sanitizer(self):
        containers = self.workflow["jobs"]["commands"]["strategy"]["matrix"]["debian"]
        self.assertEqual(containers, ["debian:bookworm", "debian:trixie"])
        readme = (ROOT / "README.md").read_text()
        for command in ("./quickstart.sh", "./test.sh"):
            self.assertIn(command, self.commands())
            self.assertIn(f"\n{command} ", readme)
        bazelrc = (ROOT / ".bazelrc").read_text()
        for config in self.workflow["jobs"]["sanitizers"]["strategy"]["matrix"]["config"]:
            self.assertIn(f"\nbuild:{config} --config=sanitizer", bazelrc)

    def test_what_it_runs_is_there(self):
        found = [program for command in self.commands() for program in programs(command)]
        self.assertGreaterEqual(len(found), 3)
        for program in found:
            self.assertTrue(os.access(ROOT / program, os.X_OK), program)


class IssueFormsTest(unittest.TestCase):
    def test_have_the_form_of_issue_forms(self):
        forms = list((ROOT / ".github/ISSUE_TEMPLATE").iterdir())
        self.assertGreaterEqual(len(forms), 2)
        for path in forms:
            with self.subTest(path.name):
                form = yaml.safe_load(path.read_text())
                self.assertEqual(form.keys(), {"name", "description", "body"})
                inputs = [item for item in form["body"] if item["type"] != "markdown"]
                self.assertEqual(len({item["id"] for item in inputs}), len(inputs))
                for item in inputs:
                    self.assertIn(item["type"], {"input", "textarea"})
                    self.assertLessEqual(item.keys(), INPUT_KEYS)
                    self.assertLessEqual(item["attributes"].keys(), {"label", "description"})
                    self.assertIn("label", item["attributes"])


class HooksTest(unittest.TestCase):
    def test_are_local_and_name_what_exists(self):
        for repo in load(".pre-commit-config.yaml")["repos"]:
            self.assertEqual(repo["repo"], "local")
            for hook in repo["hooks"]:
                self.assertLessEqual({"id", "name", "entry", "language"}, hook.keys())
                self.assertEqual(hook["language"], "system")
                program, *arguments = hook["entry"].split()
                self.assertIn(program, {"clang-format", "bazel"})
                for argument in arguments:
                    if argument.startswith("//"):
                        package, target = argument[2:].split(":")
                        build = (ROOT / package / "BUILD.bazel").read_text()
                        self.assertIn(f'name = "{target}"', build)


class EditorTest(unittest.TestCase):
    def test_has_the_width_of_the_formatter(self):
        settings = configparser.ConfigParser()
        settings.read_string("[top]\n" + (ROOT / ".editorconfig").read_text())
        width = load(".clang-format")["ColumnLimit"]
        self.assertEqual(int(settings["*"]["max_line_length"]), width)


class TidyTest(unittest.TestCase):
    def test_names_folders_that_exist(self):
        tidy = load(".clang-tidy")
        self.assertEqual(tidy["WarningsAsErrors"], "*")
        for folder in re.search(r"\((.*)\)", tidy["HeaderFilterRegex"]).group(1).split("|"):
            self.assertTrue((ROOT / folder).is_dir(), folder)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
