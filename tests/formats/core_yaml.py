# SPDX-License-Identifier: GPL-2.0-or-later
"""YAML as fencesim reads it: keys are text, only true, false, null and numbers are not."""
import re

import yaml


class Loader(yaml.SafeLoader):
    """The core schema of YAML 1.2: `on` and `1:30` are text."""

    yaml_implicit_resolvers = {}

    def construct_mapping(self, node, deep=False):
        keys = [key.value for key, _ in node.value]
        if len(set(keys)) != len(keys):
            raise yaml.constructor.ConstructorError(None, None, "duplicate key", node.start_mark)
        return {key.value: self.construct_object(value, deep=True) for key, value in node.value}

    def construct_number(self, node):
        text = node.value
        return int(text, 0) if re.fullmatch(r"[-+]?(0x[0-9a-fA-F]+|[0-9]+)", text) else float(text)


def resolve(tag, pattern, first):
    Loader.add_implicit_resolver(tag, re.compile(pattern), first)


resolve("tag:yaml.org,2002:bool", r"^(true|false)$", list("tf"))
resolve("tag:yaml.org,2002:null", r"^(~|null|)$", ["~", "n", ""])
resolve("!number", r"^[-+]?(0x[0-9a-fA-F]+|0|[1-9][0-9]*|[0-9]+[.][0-9]+)$", list("-+0123456789"))
Loader.add_constructor("!number", Loader.construct_number)
Loader.add_constructor("tag:yaml.org,2002:map", lambda self, node: self.construct_mapping(node))


def read(path):
    with open(path, encoding="utf-8") as file:
        return yaml.load(file, Loader)


def parse(text):
    return yaml.load(text, Loader)
