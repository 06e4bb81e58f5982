# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the formats for tools as strictly as their readers do, and counts verdicts in them."""
import collections
import json
import re
import urllib.parse
import xml.etree.ElementTree

import core_yaml


def junit(text):
    """(file, state) of each case."""
    root = xml.etree.ElementTree.fromstring(text)
    assert root.tag == "testsuites"
    cases = []
    for suite in root:
        mine = []
        for case in suite.findall("testcase"):
            assert case.get("name") and case.get("classname") and "time" not in case.attrib
            states = [child.tag for child in case if child.tag in ("failure", "error")]
            assert len(states) <= 1
            mine.append((case.get("file"), states[0] if states else "pass"))
        count = collections.Counter(state for _, state in mine)
        assert int(suite.get("tests")) == len(mine) > 0
        assert int(suite.get("failures")) == count["failure"]
        assert int(suite.get("errors")) == count["error"]
        cases += mine
    assert int(root.get("tests")) == len(cases)
    return cases


def tap(text):
    """As junit; TAP 14, section Grammar."""
    lines = text.splitlines()
    assert lines[0] == "TAP version 14"
    plan = int(re.fullmatch(r"1\.\.([0-9]+)", lines[1])[1])
    cases, at = [], 2
    while at < len(lines):
        if lines[at].startswith("# "):
            at += 1
            continue
        match = re.fullmatch(r"(not )?ok ([0-9]+) - ([^#]|\\#)+", lines[at])
        assert match and int(match[2]) == len(cases) + 1, lines[at]
        at += 1
        state, name = "pass", lines[at - 1].split(" - ", 1)[1]
        if match[1]:
            assert lines[at] == "  ---"
            end = lines.index("  ...", at)
            block = core_yaml.parse("\n".join(line[2:] for line in lines[at + 1 : end]))
            state = {"fail": "failure", "error": "error"}[block["severity"]]
            assert block["message"] and block["at"]["file"] and block["rule"]
            name, at = block["at"]["file"], end + 1
        else:
            name = re.sub(r"\\([#\\])", r"\1", name.split(": ")[0])
        cases.append((name, state))
    assert len(cases) == plan
    return cases


def sarif(text):
    """(uri, level, rule) of each result, with what code scanning demands of them."""
    document = json.loads(text)
    assert document["version"] == "2.1.0" and len(document["runs"]) == 1
    run = document["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    for rule in rules:
        for key in ("shortDescription", "fullDescription", "help"):
            assert rule[key]["text"], rule["id"]
        assert rule["defaultConfiguration"]["level"] in ("note", "warning", "error")
    assert len({rule["id"] for rule in rules}) == len(rules)
    seen, results = set(), []
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        place = result["locations"][0]["physicalLocation"]
        uri = place["artifactLocation"]["uri"]
        assert re.fullmatch(r"[-A-Za-z0-9._~/:%]+", uri) and place["region"]["startLine"] >= 1
        assert result["message"]["text"]
        fingerprint = (uri, result["partialFingerprints"]["fencesim/v1"])
        assert fingerprint not in seen, fingerprint
        seen.add(fingerprint)
        for flow in result.get("codeFlows", []):
            steps = flow["threadFlows"][0]["locations"]
            assert [step["executionOrder"] for step in steps] == list(range(1, len(steps) + 1))
        results.append((urllib.parse.unquote(uri), result["level"], result["ruleId"]))
    return results


def gcc(text):
    """(file, level, rule) of each message; notes follow what they belong to. Lines of source that
    code was compiled from have no column."""
    results = []
    for line in text.splitlines():
        match = re.fullmatch(r"([^:]+):([0-9]+)(:[0-9]+)?: (error|warning|note): (.*)", line)
        assert match, line
        if match[4] == "note":
            assert results, line
            continue
        results.append((match[1], match[4], re.findall(r" \[([a-z-]+)\]", match[5])[-1]))
    return results


def github(text):
    results = []
    for line in text.splitlines():
        match = re.fullmatch(r"::(error|warning|notice) file=([^,:]+)(,line=[0-9]+)?(,col=[0-9]+)?"
                             r",title=([a-z-]+)::(.+)", line)
        assert match and not re.search(r"%(?!0A|0D|25)", match[6]), line
        results.append((match[2], match[1].replace("notice", "note"), match[5]))
    return results
