#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Schemas against what they describe, formats for tools against their readers. Needs python3
# with yaml and jsonschema, which CI installs; says so and passes where they are missing.
cd "$(dirname "$0")/../.." || exit 2

sh docs/schema/parameters.sh | cmp - docs/schema/profile-parameters.schema.json || {
    echo 'the schema of parameters is not that of the tables: make schema'
    exit 1
}
for python in python3 /usr/bin/python3; do
    if "$python" -c 'import yaml, jsonschema' 2> /dev/null; then
        PYTHONDONTWRITEBYTECODE=1 exec "$python" tests/formats/check.py
    fi
done
echo 'skipped: python3 with yaml and jsonschema is missing (python3-yaml, python3-jsonschema)'
