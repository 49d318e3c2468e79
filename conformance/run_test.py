"""Tests the runner with small programs. None may stop the runner or escape its limits."""

import json
import os
import pathlib
import runpy
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).absolute().parent
RUN = runpy.run_path(str(HERE / "run"))
FOLDER = pathlib.Path(tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR")))
RIGHT = '{"key":"61","value":"31","sequence":1,"type":1}'
# By name: a shell program that reads the case tables/one, an operation, and the outcome that the runner must report.
OUTCOMES = {
    "sound": (f"echo '{RIGHT}'", "scan", "passed"),
    "hex": ("""echo '{"key":"61","value":"3"}'""", "get", "wrong: prints no JSON lines"),
    "a key is no string": ("""echo '{"key":61}'""", "scan", "wrong: prints no JSON lines"),
    "a sequence is a list": ("""echo '{"key":"61","sequence":[]}'""", "scan", "wrong: prints no JSON lines"),
    "a line is a list": ("echo [61]", "scan", "wrong: prints no JSON lines"),
    "deep": ("head -c 200000 /dev/zero | tr '\\0' '['", "scan", "wrong: prints no JSON lines"),
    "no value": ("""echo '{"key":"61"}'""", "get", "wrong: prints no JSON lines"),
    "an error is no text": ("""echo '{"key":"61","error":{}}'""", "get", "wrong: prints no JSON lines"),
    "a base that is not known": (f"/usr/bin/python3 -c 'bytearray(100 << 20)'; echo '{RIGHT}'", "scan", "wrong: takes 1"),
}
# By name: a shell program, and the reason for which a runner with limits of one second and 100 MB must stop it.
LIMITS = {
    "a child loops": ("(while :; do :; done); true", "still runs after 1 s of processor time"),
    "children together": ("for i in 1 2 3; do (ulimit -t 1; while :; do :; done); done; true", "still runs after 1 s"),
    "a child's memory": ("/usr/bin/python3 -c 'a = bytearray(200 << 20); import time; time.sleep(60)'; true", "takes more than 100 MB"),
}


def program(does):
    path = FOLDER / "program"
    path.write_text(f"#!/bin/sh\n{does}\n")
    path.chmod(0o755)
    return path


def failures():
    subprocess.run([sys.executable, HERE / "make.py", FOLDER, "tables/one"], check=True, stdout=subprocess.DEVNULL)
    case = FOLDER / "tables/one"
    verdict = json.loads((case / "verdict.json").read_text())
    for name, (does, operation, expected) in OUTCOMES.items():
        adapter = RUN["Adapter"](name, {"program": [str(program(does))]})
        said = {row[0]: f"{row[1]}: {row[2]}" for row in adapter.judge(case, verdict)}[f"{operation} table"]
        if not said.startswith(expected):
            yield f"{name}: {said}, expected {expected}"
    RUN["Run"].__init__.__globals__["MOST_MEMORY"] = 100 << 20
    for name, (does, expected) in LIMITS.items():
        run = RUN["Run"]([str(program(does))], "", str(FOLDER), False, 1)
        if not (run.stopped or "").startswith(expected):
            yield f"{name}: {run.stopped}, expected {expected}"
    run = RUN["Run"]([str(program("(ulimit -t); true"))], "", str(FOLDER), False, 1)
    if run.text != "4\n":  # the limit that holds even if the runner is killed
        yield f"the limit of a child is {run.text}, expected 4"
    old = FOLDER / "old.json"
    old.write_text(json.dumps({"fake": {name: [["scan table", "passed", "", 0]] for name in ("tables/one", "logs/one", "gone/one")}}))
    done = subprocess.run([sys.executable, HERE / "run", "--cases", "tables/*", old], check=False, capture_output=True, text=True)
    if done.returncode or "1 passed" not in done.stdout or "fake: 2 cases of the file are not" not in done.stderr:
        yield f"a file with other cases: {done}"


FAILED = list(failures())
print("\n".join(FAILED) or "ok")
sys.exit(bool(FAILED))
