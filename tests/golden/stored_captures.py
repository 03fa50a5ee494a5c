#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the program against every stored capture whose truth is known: the verdict, the budget, findings that must not be
there, and that captures of one transfer at three places agree.

Prints "ok NAME" or "not ok NAME: why" for each. What is known to be wrong stands in testdata/known-misses.txt with its
reason; a line there that is no longer true fails as well, so that the list stays honest.
"""
import collections
import concurrent.futures
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "testdata", "lab"))
import accuracy  # noqa: E402
import jsonfile  # noqa: E402

MISSES = os.path.join(ROOT, "testdata", "known-misses.txt")
# Captures of one transfer at different places give the same budget within this share of its wall time, or two round trips:
# the half round trips at its ends pass some places and not others.
AGREEMENT = 0.05
# What one place can tell apart and another cannot: beyond a loss only the pause is seen, not what ended it.
FAMILIES = {"rto-stall": "loss", "tail-loss": "loss", "loss-recovery": "loss", "zero-window": "slow-reader"}


def known_misses():
    """{(run, vantage, kind)}: lines "run vantage kind reason…"."""
    with open(MISSES, encoding="utf-8") as file:
        lines = (line.split(None, 3) for line in file if line.strip() and not line.startswith("#"))
        return {tuple(words[:3]) for words in lines}


def shortcomings(row):
    """[(kind, why)] of one capture."""
    found = []
    if row["result"] != "right":
        found.append(("cause", f"verdict {row['given']}, expected {row['expected']} {row['error'] or ''}"))
    if row["false"]:
        found.append(("false", "findings that are not true: " + " ".join(row["false"])))
    if row["misses"]:
        found.append(("buckets", " ".join(f"{name} {share:.0%} not in {low:.0%}-{high:.0%}"
                                          for name, share, low, high in row["misses"])))
    return found


def disagreement(rows):
    """The largest difference between the budgets of one transfer seen at several places: (bucket, share)."""
    families = [{FAMILIES.get(name, name): 0.0 for row in rows for name in row["shares"]} for _ in rows]
    for family, row in zip(families, rows):
        for name, share in row["shares"].items():
            family[FAMILIES.get(name, name)] += share
    spread = {name: max(family[name] for family in families) - min(family[name] for family in families)
              for name in families[0]}
    return max(spread.items(), key=lambda item: item[1], default=("", 0))


def main():
    program = accuracy.find_slowcopy(os.environ.get("SLOWCOPY_PROGRAM"))
    known, seen = known_misses(), set()
    runs = accuracy.stored_runs()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda folder: accuracy.rows_of(folder, program), runs))
    if not results:
        print("not ok stored: no stored captures found")
        return 1
    failed = 0
    verdicts = collections.OrderedDict()
    for folder, rows in zip(runs, results):
        group = os.path.relpath(folder, os.path.join(ROOT, "testdata"))
        for row in rows:
            for kind in ("cause", "false", "buckets"):
                verdicts[(row["run"], row["vantage"], kind)] = None
            for kind, why in shortcomings(row):
                verdicts[(row["run"], row["vantage"], kind)] = why
        if group.startswith(("causes", "healthy")) and len(rows) > 1:
            bucket, share = disagreement(rows)
            allowed = max([AGREEMENT] + [2 * row["rtt_share"] for row in rows])
            verdicts[(rows[0]["run"], "all", "agreement")] = f"{bucket} differs by {share:.0%}" if share > allowed else None
    for key, why in verdicts.items():
        is_known = key in known
        if is_known:
            seen.add(key)
        name = "/".join(key)
        if why and not is_known:
            print(f"not ok {name}: {why}")
            failed += 1
        elif is_known and not why:
            print(f"not ok {name}: listed in known-misses.txt but right now; remove the line")
            failed += 1
        else:
            print(f"ok {name}{' (known: ' + why + ')' if why else ''}")
    for key in sorted(known - seen):
        print(f"not ok {'/'.join(key)}: known-misses.txt names a capture that is not stored")
        failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
