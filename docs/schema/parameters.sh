#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Writes the part of the profile schema that lists all parameters, from the tables of which
# the program itself is built. `make schema` puts it into profile-parameters.schema.json.
cd "$(dirname "$0")/../.." || exit 2

# PARAMETER(field, "unit", "meaning") lines of a table as members of a JSON object.
members() {
    sed -n 's/^PARAMETER(\([a-z0-9_]*\), \("[^"]*"\), "\(.*\)")$/\1|\2|\3/p' "$1" |
        awk -F '|' '{
            kind = $2 == "\"flag\"" ? "flag" : "number"
            unit = substr($2, 2, length($2) - 2)
            if (NR > 1) print ","
            printf "        \"%s\": {\"title\": \"%s (%s)\", ", $1, $3, unit
            printf "\"allOf\": [{\"$ref\": \"#/definitions/%s\"}]}", kind
        } END { print "" }'
}

cat << 'END'
{
  "$schema": "http://json-schema.org/draft-07/schema#",
  "$id": "profile-parameters.schema.json",
  "$comment": "Made by docs/schema/parameters.sh from models/*_parameters.def. SPDX-License-Identifier: GPL-2.0-or-later",
  "definitions": {
    "origin": {
      "description": "Where the value comes from: `source` begins with a key of `sources`; an estimate gives its reasoning.",
      "anyOf": [
        {"required": ["source"]},
        {"required": ["estimate"], "properties": {"estimate": {"type": "string"}}}
      ]
    },
    "number": {
      "type": "object",
      "additionalProperties": false,
      "required": ["value"],
      "properties": {
        "value": {"type": "number", "minimum": 0},
        "source": {"type": "string", "minLength": 1},
        "estimate": {"type": ["string", "boolean"]},
        "unit": {"type": "string"}
      },
      "allOf": [{"$ref": "#/definitions/origin"}]
    },
    "flag": {
      "type": "object",
      "additionalProperties": false,
      "required": ["value"],
      "properties": {
        "value": {"enum": [true, false, 0, 1]},
        "source": {"type": "string", "minLength": 1},
        "estimate": {"type": ["string", "boolean"]},
        "unit": {"const": "flag"}
      },
      "allOf": [{"$ref": "#/definitions/origin"}]
    },
END
# A section: its name, what it is, what follows it.
section() {
    printf '    "%s": {\n      "description": "%s",\n' "$1" "$2"
    printf '      "type": "object",\n      "additionalProperties": false,\n      "properties": {\n'
    members "models/${1%s}_parameters.def"
    printf '      }\n    }%s\n' "$3"
}

section order 'What the ordering model asks: a value for each contradiction between manuals.' ,
section cycles 'What the cycle model asks.' ''
printf '  }\n}\n'
