#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges the verdict on every stored capture by what was injected (expect.json beside it).

What slowcopy is known to get wrong stands in tests/golden/known-misses, one capture and one fault a
line; anything else is a failure. A fault that is gone is told, and --update writes the list anew: the
difference is to be read before it is committed.
"""

import argparse
import concurrent.futures
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KNOWN = os.path.join(ROOT, "tests", "golden", "known-misses")
sys.path.insert(0, os.path.join(ROOT, "testdata", "lab"))

import accuracy  # noqa: E402  (the laboratory's own judgement, so that there is one)


def faults_of(row):
    """What is wrong with one capture's report, as short stable words."""
    if row["result"] == "failed":
        return {f"no report: {row['error']}"}
    faults = set()
    if row["result"] != "right":
        faults.add(f"{row['result']} cause")
    faults |= {f"finding {cause}" for cause in row["false"]}
    faults |= {f"without {cause}" for cause in row["absent"]}
    faults |= {f"share of {bucket}" for bucket, *_ in row["misses"]}
    return faults


def name_of(row):
    return f"{row['run']}/{row['vantage']}"


def read_known():
    known = {}
    try:
        with open(KNOWN, encoding="utf-8") as file:
            for line in file:
                if line.strip() and not line.startswith("#"):
                    name, fault = line.strip().split(": ", 1)
                    known.setdefault(name, set()).add(fault)
    except FileNotFoundError:
        pass
    return known


def write_known(faults):
    with open(KNOWN, "w", encoding="utf-8") as file:
        file.write("# What slowcopy gets wrong on the stored captures; written by make golden-update.\n")
        for name in sorted(faults):
            file.writelines(f"{name}: {fault}\n" for fault in sorted(faults[name]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/release/slowcopy")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    options = parser.parse_args()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        rows = [row for rows in pool.map(lambda folder: accuracy.rows_of(folder, options.program),
                                         accuracy.stored_runs()) for row in rows]
    faults = {name_of(row): faults_of(row) for row in rows}
    if options.update:
        write_known({name: found for name, found in faults.items() if found})
        return 0
    known = read_known()
    failed = 0
    for row in sorted(rows, key=name_of):
        name = name_of(row)
        unknown = faults[name] - known.get(name, set())
        gone = known.get(name, set()) - faults[name]
        if unknown:
            print(accuracy.row_text(row))
            failed += 1
        print(f"{'not ok' if unknown else 'ok'} {name}{': ' if unknown else ''}{', '.join(sorted(unknown))}")
        if gone:
            print(f"better than known: {name}: {', '.join(sorted(gone))}")
    return 1 if failed or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
