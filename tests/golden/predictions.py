#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges predictions on every stored capture: ranges that are ranges, fixes that never make a copy slower, change points without
gaps, and, over all captures with a measured twin, how many twins lie inside the predicted range and how far its middle is off; the
same of several causes at once, mended one by one and one after the other.
"""

import argparse
import concurrent.futures
import glob
import os
import statistics
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "testdata", "lab"))

import accuracy  # noqa: E402
import fixes  # noqa: E402
import jsonfile  # noqa: E402
import whatif  # noqa: E402

# What the project promises: nine of ten twins inside, the middle off by 15 % at the most; and a range that says something.
INSIDE_MIN = 0.90
MIDDLE_ERROR_MAX = 0.15
HALF_WIDTH_MAX = 0.30
# Nanoseconds of a bin's edge.
ROUNDING_NS = 1


def is_range(value):
    return value["low"] is None or 0 <= value["low"] <= value["high"]


def slice_faults(transfer):
    slices = transfer["slices"]
    for before, after in zip(slices, slices[1:]):
        if abs(before["start_ns"] + before["duration_ns"] - after["start_ns"]) > ROUNDING_NS:
            yield "a gap between slices"
        if after["start_bytes"] < before["start_bytes"]:
            yield "bytes go back"
    if slices and slices[0]["start_bytes"] != 0:
        yield "the first slice begins after bytes"


def fix_faults(report, transfer):
    before = {"low": transfer["duration_ns"], "high": transfer["duration_ns"]}
    for fix in transfer["fixes"]:
        now = fix["duration_ns"]
        if not is_range(now) or not is_range(fix["saved_ns"]) or now["low"] > before["low"] or now["high"] > before["high"]:
            yield "a fix makes it slower"
        if fix["saved_ns"]["low"] != transfer["duration_ns"] - now["high"]:
            yield "saving and duration do not add up"
        before = now
    found = {finding["id"] for finding in report["findings"]}
    if {fix["finding"] for fix in transfer["fixes"]} - found:
        yield "a fix of no finding"


def faults_of(report):
    """What is wrong with the predictions of one report, as short words."""
    if "failed" in report:
        return {f"no report: {report['failed']}"}
    faults = {"a saving is no range" for finding in report["findings"] if not is_range(finding["saved_ns"])}
    for transfer in report["transfers"] + report["jobs"]:
        faults |= set(slice_faults(transfer)) | set(fix_faults(report, transfer))
    return faults


def judged(folder, program):
    """[(name, faults)] of the captures of one run."""
    expect = jsonfile.read(os.path.join(folder, "expect.json"))
    captures = sorted(path for path in glob.glob(os.path.join(folder, "*.pcap*")))
    return [(f"{os.path.basename(folder)}/{os.path.basename(path).split('.')[0]}",
             faults_of(accuracy.report_of(program, path, expect.get("options") or ()))) for path in captures]


def half_width(row):
    """Half of the range's width as a share of the time that would be left."""
    low, high = row["saved"]
    left = row["duration_s"] - (low + high) / 2
    return (high - low) / 2 / left if left > 0 else 0


def twins(program, folders, pool):
    rows = [row for found in pool.map(lambda folder: accuracy.rows_of(folder, program), folders) for row in found]
    rows = [row for row in rows if row["expected"] and row["saved"] and row["measured_s"]]
    numbers = accuracy.totals(rows)
    inside = numbers["twin_inside_range"] / len(rows)
    width = statistics.median(half_width(row) for row in rows)
    for is_good, words in (
            (inside >= INSIDE_MIN, f"twins inside the range: {inside:.1%} of {len(rows)}"),
            (numbers["saving_median_error"] <= MIDDLE_ERROR_MAX, f"error of the middle: {numbers['saving_median_error']:.1%}"),
            (width <= HALF_WIDTH_MAX, f"width of the range: +-{width:.0%} of the time that would be left")):
        print(f"{'ok' if is_good else 'not ok'} {words}")
        yield is_good


def assumptions(program, pool):
    answers = [answer for answer in pool.map(lambda row: whatif.judge(row, program), whatif.TABLE)]
    inside = sum(answer is not None and whatif.is_inside(answer) for answer in answers)
    is_good = inside >= INSIDE_MIN * len(answers)
    print(f"{'ok' if is_good else 'not ok'} runs inside what --assume says: {inside} of {len(answers)}")
    yield is_good


def together(program, pool):
    """Runs with several causes: all are named, and the twins lie inside, each alone and one after the other."""
    rows = [row for found in pool.map(lambda folder: fixes.rows_of(folder, program), fixes.stored_runs()) for row in found]
    for row in rows:
        is_good = row["is_first_right"] and row["is_second_right"] and row["is_whole"]
        print(f"{'ok' if is_good else 'not ok'} causes of {row['run']}/{row['at']}: {row['failed'] or ''}{row['first']}, {row['second']}")
        yield is_good
    numbers = fixes.totals(rows)
    for kind, words in (("alone", "one of several fixes"), ("together", "several fixes, in order")):
        entry = numbers[kind]
        inside = entry["inside"] / entry["compared"]
        is_good = inside >= INSIDE_MIN and entry["error"] <= MIDDLE_ERROR_MAX
        print(f"{'ok' if is_good else 'not ok'} {words}: {inside:.1%} of {entry['compared']} inside, "
              f"error of the middle {entry['error']:.1%} of what was saved")
        yield is_good


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/release/slowcopy")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    options = parser.parse_args()
    folders = accuracy.stored_runs()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = [entry for found in pool.map(lambda folder: judged(folder, options.program), folders) for entry in found]
        good = list(twins(options.program, folders, pool)) + list(assumptions(options.program, pool)) + list(together(options.program, pool))
    for name, faults in results:
        print(f"{'not ok' if faults else 'ok'} predictions of {name}{': ' if faults else ''}{', '.join(sorted(faults))}")
        good.append(not faults)
    return 0 if results and all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
