#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Captures of one transfer at the client, in the middle and at the server must give one budget.

Stored runs with several captures are compared, bucket by bucket. Where they are known to differ stands, with the reason, in
tests/golden/known-disagreements; a line there that is no longer true fails, so that the list stays honest.
"""

import argparse
import concurrent.futures
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KNOWN = os.path.join(ROOT, "tests", "golden", "known-disagreements")
sys.path.insert(0, os.path.join(ROOT, "testdata", "lab"))

import accuracy  # noqa: E402

# The budgets agree within this share of the wall time, or two round trips: the half round trips at both ends of a transfer
# pass some places and not others.
AGREEMENT = 0.05
# What one place can tell apart and another cannot: beyond a loss only the pause is seen, not what ended it.
FAMILIES = {"rto-stall": "loss", "tail-loss": "loss", "loss-recovery": "loss", "zero-window": "slow-reader"}


def family_shares(row):
    sums = {}
    for name, share in row["shares"].items():
        sums[FAMILIES.get(name, name)] = sums.get(FAMILIES.get(name, name), 0) + share
    return sums


def disagreement(rows):
    """(bucket, difference, allowed) where the budgets of one transfer differ most."""
    shares = [family_shares(row) for row in rows]
    names = sorted({name for one in shares for name in one})
    spread = [(max(one.get(name, 0) for one in shares) - min(one.get(name, 0) for one in shares), name) for name in names]
    difference, name = max(spread, default=(0, "-"))
    return name, difference, max([AGREEMENT] + [2 * row["rtt_share"] for row in rows])


def read_known():
    with open(KNOWN, encoding="utf-8") as file:
        return dict(line.split(None, 1) for line in file if line.strip() and not line.startswith("#"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/release/slowcopy")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    options = parser.parse_args()
    known, failed, compared = read_known(), 0, set()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = pool.map(lambda folder: accuracy.rows_of(folder, options.program), accuracy.stored_runs(("causes", "healthy")))
    for rows in runs:
        if len(rows) < 2:
            continue
        run = rows[0]["run"]
        compared.add(run)
        bucket, difference, allowed = disagreement(rows)
        text = f"{run}: {bucket} differs by {difference:.0%} of {allowed:.0%}"
        is_wrong = (difference > allowed) != (run in known)
        failed += is_wrong
        print(f"{'not ok' if is_wrong else 'ok'} {text}{' (known)' if run in known else ''}")
    for run in sorted(set(known) - compared):
        print(f"not ok {run}: known-disagreements names a run that is not stored")
        failed += 1
    return 1 if failed or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
