#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What must hold for the time series of real captures (--csv): every copy that is not small and every
job of several files has one; its bins follow each other and cover the copy; what was moved adds up to
at least the copy's bytes and not to much more; the kind of time that was most is one that the copy has
time of.
"""

import argparse
import concurrent.futures
import csv
import glob
import io
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TIMEOUT_S = 120
# Every so many captures: a few seconds.
SAMPLE = 5
# Below it a copy needs no picture.
SMALL_BYTES = 1 << 18
# Headers of requests and answers beside the data, and bytes that were sent again.
OVERHEAD = 1.35


def run(program, *arguments):
    return subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, timeout=TIMEOUT_S, check=False).stdout.decode()


def series_of(text):
    series = {}
    for row in csv.DictReader(io.StringIO(text, newline="")):
        series.setdefault(row["copy"], []).append(row)
    return series


def check_series(transfer, rows):
    step = int(rows[0]["duration_ns"])
    starts = [int(row["start_ns"]) for row in rows]
    if starts != list(range(starts[0], starts[0] + step * len(rows), step)):
        yield "bins do not follow each other"
    end = transfer["start_ns"] + transfer["duration_ns"]
    if abs(starts[0] - transfer["start_ns"]) > step or starts[-1] > end:
        yield f"bins from {starts[0]} to {starts[-1] + step} for {transfer['start_ns']} to {end}"
    moved = sum(int(row["bytes"]) for row in rows)
    if not transfer["bytes"] <= moved <= OVERHEAD * transfer["bytes"] + (1 << 17):
        yield f"{moved} bytes in the series, {transfer['bytes']} in the copy"
    held = {entry["bucket"] for entry in transfer["budget"]}
    other = {row["dominant_bucket"] for row in rows} - held
    if other:
        yield f"most of the time is {other}, which has no time"


def is_interleaved(document, transfer):
    """Of two files that are moved on one connection at the same time only one has the packets."""
    return any(other is not transfer and set(other["streams"]) & set(transfer["streams"])
               and other["start_ns"] < transfer["start_ns"] + transfer["duration_ns"]
               and transfer["start_ns"] < other["start_ns"] + other["duration_ns"]
               for other in document["transfers"])


def problems(program, path):
    document = json.loads(run(program, "--json", path))
    series = series_of(run(program, "--csv", path))
    for transfer in document["transfers"] + document["jobs"]:
        rows = series.get(transfer["id"])
        if rows:
            for problem in check_series(transfer, rows):
                yield f"{transfer['id']}: {problem}"
        elif transfer.get("files", 0) > 2 or (transfer["bytes"] > SMALL_BYTES and "files" not in transfer
                                              and not is_interleaved(document, transfer)):
            yield f"{transfer['id']}: no series for {transfer['bytes']} bytes"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/release/slowcopy")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    # those of artefacts/ lack packets, and so do their series
    paths = sorted(path for path in glob.glob(os.path.join(ROOT, "testdata", "**", "*.pcap.gz"), recursive=True)
                   if "/artefacts/" not in path)
    paths = paths if options.all else paths[::SAMPLE]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda path: list(problems(options.program, path)), paths)
        for path, found in zip(paths, results):
            print(f"{'not ok' if found else 'ok'} {os.path.relpath(path, ROOT)}")
            for problem in found[:5]:
                print(f"    {problem}")
            failed += bool(found)
    return 1 if failed or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
