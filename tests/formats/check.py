# SPDX-License-Identifier: GPL-2.0-or-later
"""Schemas and formats for tools: everything shipped is valid, and all formats say the same."""
import collections
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import core_yaml
import readers
import schemas

SIMULATE = os.environ.get("SIMULATE", "./simulate")
LONG = "tests/golden/long.yaml"  # what limits are tried on
GOLDEN = sorted(set(glob.glob("tests/golden/*.yaml")) - {LONG})
INPUTS = ["traces", *GOLDEN]
# explored without reduction, which takes many seconds on all profiles together
ON_ALL = [file for file in GOLDEN if file != "tests/golden/transient.yaml"]


def simulate(*arguments):
    done = subprocess.run([SIMULATE, *arguments], capture_output=True, check=False, timeout=300,
                          stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout.decode("utf-8")


def check_reports(validator, failures):
    """JSON reports of all that is shipped, and with every option that adds to them."""
    count = 0
    for arguments in (
        INPUTS,
        ["-p", "all", *ON_ALL],
        ["--witness", "all", "traces/classic", "traces/field"],
        ["--timeline", "-p", "zen4", "traces/seeds"],
        ["--max-states", "20", "traces/algorithms", LONG],
        ["--only", "order", "traces/litmus"],
    ):
        _, text = simulate("-f", "json", *arguments)
        schemas.check_report(validator, json.loads(text), " ".join(arguments), failures)
        count += 1
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "base.json")
        cost = ["-p", "zen4", "tests/golden/cost.yaml"]
        simulate("--save-baseline", path, *cost)
        with open(path, encoding="utf-8") as file:
            baseline = json.load(file)
        baseline["entries"][0]["cycles"] = 0.01
        baseline["entries"].pop()
        with open(path, "w", encoding="utf-8") as file:
            json.dump(baseline, file)
        status, text = simulate("-f", "json", "--baseline", path, *cost)
        report = json.loads(text)
        assert status == 1 and report["baseline"]["regressions"] and report["baseline"]["notes"]
        schemas.check_report(validator, report, "baseline", failures)
    return count + 1


def expected(report):
    """By file, what its runs come to."""
    verdicts = collections.defaultdict(set)
    for result in report["results"]:
        verdicts[result["file"]].add(result["verdict"])
    return verdicts


def check_cases(name, cases, verdicts, failures):
    """A file has a failure when a run violates, and an error when one is unknown or it is bad."""
    states = collections.defaultdict(set)
    for file, state in cases:
        states[file].add(state)
    for file, wanted in verdicts.items():
        got = states[file]
        if ("failure" in got) != ("violation" in wanted) or (
            wanted == {"pass"} and got != {"pass"}) or ("unknown" in wanted and "error" not in got):
            failures.append(f"{name}: {file}: {got}, but its runs are {wanted}")
    if states["tests/golden/bad.yaml"] != {"error"}:
        failures.append(f"{name}: bad input is not an error")


def check_problems(name, problems, verdicts, failures):
    """A file has a problem of level error exactly when not all of its runs pass."""
    wrong = {file for file, level, _ in problems if level == "error"}
    for file, wanted in verdicts.items():
        if (file in wrong) != (wanted != {"pass"}):
            failures.append(f"{name}: {file}: {file in wrong}, but its runs are {wanted}")
    if not any(rule == "bad-input" for _, _, rule in problems):
        failures.append(f"{name}: bad input is missing")


def check_agreement(failures):
    status, text = simulate("-f", "json", *INPUTS)
    verdicts = expected(json.loads(text))
    found = {}
    for name in ("junit", "tap", "sarif", "gcc", "github"):
        again, text = simulate("-f", name, *INPUTS)
        if again != status:
            failures.append(f"{name}: exit status {again}, with json {status}")
        found[name] = getattr(readers, name)(text)
    check_cases("junit", found["junit"], verdicts, failures)
    if found["junit"] != found["tap"]:
        failures.append("junit and tap have other cases")
    for name in ("sarif", "gcc", "github"):
        check_problems(name, found[name], verdicts, failures)
    if found["sarif"] != found["github"]:
        failures.append("sarif and github have other problems")
    coarse = [(file, "error" if level == "error" else "warning", rule)
              for file, level, rule in found["sarif"]]
    if coarse != found["gcc"]:
        failures.append("sarif and gcc have other problems")
    return sum(len(part) for part in found.values())


def check_examples(failures):
    """Commands of docs/CI.md and of the workflows run as they stand, on a folder `traces`."""
    commands = []
    for job in core_yaml.read("docs/ci/github.yaml")["jobs"].values():
        for step in job["steps"]:
            commands += re.findall(r"fencesim/simulate (.*?)(?: [|][|] .*)?$", step.get("run", ""), re.M)
    with open("docs/CI.md", encoding="utf-8") as file: # its last ones make a baseline
        commands += re.findall(r"^(?:    |  script: )simulate (.*?)(?:  +#.*)?$", file.read(), re.M)
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree("traces/classic", os.path.join(folder, "traces"))
        for command in commands:
            done = subprocess.run([os.path.join(here, SIMULATE), *command.split()], cwd=folder,
                                  capture_output=True, check=False)
            if done.returncode:
                failures.append(f"simulate {command}: exit status {done.returncode}: {done.stderr}")
    assert len(commands) >= 8
    return len(commands)


def main():
    failures = []
    validators = schemas.validators()
    files = schemas.check_traces(validators["trace.schema.json"], failures)
    files += schemas.check_profiles(validators["profile.schema.json"], failures)
    reports = check_reports(validators["report.schema.json"], failures)
    entries = check_agreement(failures)
    examples = check_examples(failures)
    for failure in failures:
        print(failure)
    print(f"{files} files and {reports} reports against the schemas, {entries} entries in formats "
          f"for tools, {examples} examples: {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
