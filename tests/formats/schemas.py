# SPDX-License-Identifier: GPL-2.0-or-later
"""The JSON Schemas of docs/schema against everything that they describe."""
import glob
import json
import os
import re
import warnings

import jsonschema

import core_yaml

# Faults that a schema can see; what only the program can is left to tests/malformed/run.sh.
REFUSED = """
    at-with-type cheaper-incomplete code-half condition-empty condition-list count-zero
    cpus-empty cpus-mapping cpus-missing cycles-no-cpu cycles-no-limit cycles-value-alone
    expect-mapping expect-no-kind expect-two-kinds file-empty handler-vector-large
    handler-without-code init-mapping key-misspelt loop-incomplete loop-zero memory-list
    msr-value name-lines name-missing object-name-dash object-without-size observe-text
    regs-flag regs-part resident-lower setup-list size-unit size-zero slot-value-list
    timer-no-vector timer-vector trace-version type-misspelt variants-list variants-none
""".split()


def validators():
    """By file name, with references between them."""
    store = {}
    for path in glob.glob("docs/schema/*.schema.json"):
        with open(path, encoding="utf-8") as file:
            schema = json.load(file)
        jsonschema.Draft7Validator.check_schema(schema)
        assert schema["$id"] == os.path.basename(path), path
        store[schema["$id"]] = schema
    warnings.simplefilter("ignore", DeprecationWarning)
    return {
        name: jsonschema.Draft7Validator(
            schema, resolver=jsonschema.RefResolver(name, schema, store)
        )
        for name, schema in store.items()
    }


def complain_of(validator, document, name):
    """What is wrong, a line for each of the first errors."""
    errors = sorted(validator.iter_errors(document), key=lambda error: list(map(str, error.path)))
    return [
        f"{name}: {'/'.join(map(str, error.absolute_path))}: {error.message[:200]}"
        for error in errors[:3]
    ]


def check_modeline(path, failures):
    """Editors find the schema from the first lines of a shipped file."""
    with open(path, encoding="utf-8") as file:
        match = re.search(r"^# yaml-language-server: [$]schema=(.*)$", file.read(500), re.M)
    if not match or not os.path.exists(os.path.join(os.path.dirname(path), match[1])):
        failures.append(f"{path}: no yaml-language-server line with the path of its schema")


def check_traces(validator, failures):
    paths = glob.glob("traces/**/*.yaml", recursive=True)
    paths += glob.glob("tests/golden/*.yaml") + glob.glob("tests/timing/*.yaml")
    paths.remove("tests/golden/bad.yaml")
    for path in sorted(paths):
        failures += complain_of(validator, core_yaml.read(path), path)
        if path.startswith("traces/"):
            check_modeline(path, failures)
    for path in ("README.md", "docs/TRACE.md"):
        with open(path, encoding="utf-8") as file:
            blocks = re.findall(r"^```yaml\n(.*?)^```", file.read(), re.M | re.S)
        for block in blocks:
            if block.startswith("trace:"):
                failures += complain_of(validator, core_yaml.parse(block), path)
    for name in REFUSED:
        path = f"tests/malformed/{name}.yaml"
        if validator.is_valid(core_yaml.read(path)):
            failures.append(f"{path}: the schema does not see what is wrong")
    return len(paths) + len(REFUSED)


def check_profiles(validator, failures):
    paths = glob.glob("models/profiles/*.yaml")
    for path in sorted(paths):
        document = core_yaml.read(path)
        failures += complain_of(validator, document, path)
        check_modeline(path, failures)
        document["cycles"] = {"no_such_parameter": {"value": 1, "source": "guess"}}
        if validator.is_valid(document):
            failures.append(f"{path}: the schema takes a parameter that does not exist")
    return len(paths)


def check_report(validator, report, name, failures):
    """A report; and that a change which its reader would stumble over is noticed."""
    failures += complain_of(validator, report, name)
    spoilt = json.loads(json.dumps(report))
    spoilt["results"][0]["verdict"] = "perhaps"
    if validator.is_valid(spoilt):
        failures.append(f"{name}: the schema takes any verdict")
