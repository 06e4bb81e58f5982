#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks HTML reports without a browser: check_page.py FILE...

Well-formed; identifiers unique and references resolved; nothing that could run or fetch but the
style and the script whose hashes the policy names; state graphs whose reachable ends are
exactly the outcomes that the page lists.
"""
import base64
import hashlib
import json
import re
import sys
from html.parser import HTMLParser

VOID = {"meta", "link", "br", "rect", "line", "path", "input", "hr", "img"}


class Page(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.problems, self.open, self.ids, self.references = [], [], set(), []
        self.texts = {}  # of style and script elements, by kind
        self.graphs, self.runs, self.headings, self.policy = {}, [], [], None
        self.raw = None

    def problem(self, text):
        self.problems.append("%d: %s" % (self.getpos()[0], text))

    def check_attributes(self, tag, attributes):
        for name, value in attributes:
            if name.startswith("on") or name in ("style", "src", "srcset", "action", "formaction"):
                self.problem("<%s %s=%s>" % (tag, name, value))
            if name == "href" and not value.startswith("#"):
                self.problem("link to %s" % value)
            if name == "href":
                self.references.append(value[1:])
            if name in ("aria-labelledby", "aria-describedby", "for"):
                self.references += value.split()
            if name == "id":
                if value in self.ids:
                    self.problem("identifier %s twice" % value)
                self.ids.add(value)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if len(given) != len(attributes):
            self.problem("an attribute twice in <%s>" % tag)
        self.check_attributes(tag, attributes)
        if tag in ("iframe", "object", "embed", "link", "base", "form", "img", "input"):
            self.problem("a <%s>" % tag)
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"]
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag in ("style", "script"):
            self.raw = (tag, given, [])
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.check_attributes(tag, attributes)
        if tag not in VOID:
            self.problem("<%s/>" % tag)

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.problem("</%s> closes <%s>" % (tag, self.open[-1] if self.open else ""))
        if tag in self.open:
            while self.open.pop() != tag:
                pass
        if self.raw and self.raw[0] == tag:
            self.handle_raw(tag, self.raw[1], "".join(self.raw[2]))
            self.raw = None

    def handle_data(self, data):
        if self.raw:
            self.raw[2].append(data)

    def handle_raw(self, tag, attributes, text):
        if attributes.get("type") != "application/json":
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            if not self.policy or "%s-src 'sha256-%s'" % (tag, digest) not in self.policy:
                self.problem("the policy does not name this %s" % tag)
            return
        value = json.loads(text)
        if "id" in attributes:
            self.graphs[int(attributes["id"].split("-")[1])] = value
        else:
            self.runs.append(value)

    def check_whole(self):
        if self.open:
            self.problem("open at the end: %s" % self.open)
        for reference in self.references:
            if reference not in self.ids:
                self.problem("no element %s" % reference)
        if not self.policy or "default-src 'none'" not in self.policy:
            self.problem("no policy")
        if self.headings.count(1) != 1 or self.headings[0] != 1:
            self.problem("not one first <h1>")
        for before, after in zip(self.headings, self.headings[1:]):
            if after > before + 1:
                self.problem("<h%d> below <h%d>" % (after, before))
        for run in self.runs:
            if run["graph"]:
                self.check_graph(run, self.graphs[run["graph"]])

    def check_graph(self, run, graph):
        states, cpus = graph["states"], len(run["cpus"])
        reached, queue, outcomes = {0}, [0], set()
        while queue:
            row = states[queue.pop()]
            for cpu in range(cpus):
                graph["components"][cpu][row[3 + cpu]]
            graph["memories"][row[2]]
            for label, to in zip(row[3 + cpus::2], row[4 + cpus::2]):
                graph["labels"][label]
                if to not in reached:
                    reached.add(to)
                    queue.append(to)
            if row[0] >= 0:
                outcomes.add(graph["endings"][row[0]][0])
                if len(row) > 3 + cpus:
                    self.problem("an ending that goes on")
        if len(reached) != len(states):
            self.problem("only %d of %d states are reached" % (len(reached), len(states)))
        if outcomes - {-1} != set(range(len(run["outcomes"]))):
            self.problem("ends in %s of %d outcomes" % (outcomes, len(run["outcomes"])))


failed = False
for name in sys.argv[1:]:
    with open(name, "rb") as file:
        data = file.read()
    page = Page()
    page.feed(data.decode())  # strictly UTF-8
    page.close()
    page.check_whole()
    for problem in page.problems:
        print("%s:%s" % (name, problem))
    failed = failed or bool(page.problems)
    print("%s: %d bytes, %d runs, %d graphs" % (name, len(data), len(page.runs), len(page.graphs)))
sys.exit(failed)
