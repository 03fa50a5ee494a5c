#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Validates JSON files against a schema: validate_json.py SCHEMA FILE...

Beyond the schema it refuses what a schema cannot say: duplicate keys, NaN, budgets whose sum is not
the duration, findings that are named and missing. Exit status 1 when a file is not valid.
"""
import json
import sys

import jsonschema


def pairs(items):
    keys = [key for key, _ in items]
    if len(keys) != len(set(keys)):
        raise ValueError(f"duplicate key in {keys}")
    return dict(items)


def refuse(word):
    raise ValueError(f"{word} is not JSON")


def problems_of(document):
    if document.get("schema") != "slowcopy.report/1":
        return
    names = {finding["id"] for finding in document["findings"]}
    for transfer in document["transfers"] + document["jobs"]:
        total = sum(entry["ns"] for entry in transfer["budget"])
        if total != transfer["duration_ns"]:
            yield f"{transfer['id']}: budget sums to {total}, lasted {transfer['duration_ns']}"
        for name in transfer["findings"]:
            if name not in names:
                yield f"{transfer['id']}: no finding {name}"
        for entry in transfer["budget"]:
            split = sum(entry["by_class"].values())
            if entry["by_class"] and split != entry["ns"]:
                yield f"{transfer['id']}: classes of {entry['bucket']} sum to {split}"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    bad = 0
    for path in sys.argv[2:]:
        try:
            with open(path, encoding="utf-8", errors="strict") as file:
                document = json.load(file, object_pairs_hook=pairs, parse_constant=refuse)
        except ValueError as error:
            print(f"{path}: {error}")
            bad += 1
            continue
        found = [f"{'/'.join(map(str, e.path))}: {e.message}" for e in
                 validator.iter_errors(document)]
        found += problems_of(document)
        for line in found[:20]:
            print(f"{path}: {line[:400]}")
        bad += bool(found)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
