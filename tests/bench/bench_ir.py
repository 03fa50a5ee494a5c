#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Instructions per packet, counted by callgrind: the same on a busy machine, so it can be a gate.

Two captures of the same generator are counted and subtracted, so that start and report drop out.
The figure agreed on is in tests/bench/instructions; --update writes it anew.
"""

import argparse
import os
import re
import subprocess
import sys

FOLDER = "build/bench"
PROGRAMS = "build/release"
RECORD = "tests/bench/instructions"
SMALL, LARGE = 40000, 120000
CONNECTIONS = 24
TOLERANCE = 0.03


def instructions(packets):
    os.makedirs(FOLDER, exist_ok=True)
    path = f"{FOLDER}/smb2-ir-{packets}.pcap"
    subprocess.run([f"{PROGRAMS}/tools/capgen_bench", path, str(packets), str(CONNECTIONS)],
                   check=True)
    run = subprocess.run(
        ["valgrind", "--tool=callgrind", f"--callgrind-out-file={FOLDER}/callgrind.{packets}",
         f"{PROGRAMS}/slowcopy", "analyze", "--json", path],
        # the seed decides which flows share a slot
        env={**os.environ, "SLOWCOPY_HASH_SEED": "1"},
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    match = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or not match:
        sys.exit(f"bench-ir: valgrind failed\n{run.stderr}")
    return int(match.group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true", help="record this figure as agreed on")
    options = parser.parse_args()
    small, large = instructions(SMALL), instructions(LARGE)
    per_packet = (large - small) / (LARGE - SMALL)
    print(f"{per_packet:.1f} instructions a packet, {small / 1e6 - per_packet * SMALL / 1e6:.1f} "
          f"million for start and report")
    if options.update:
        with open(RECORD, "w", encoding="ascii") as file:
            file.write(f"{per_packet:.1f}\n")
        return 0
    with open(RECORD, encoding="ascii") as file:
        agreed = float(file.read())
    change = per_packet / agreed - 1
    print(f"agreed on: {agreed:.1f}, change {change:+.1%}, at most {TOLERANCE:.0%} either way")
    if change < -TOLERANCE:
        print("better than agreed on: record it with tests/bench/bench_ir.py --update")
    return 1 if abs(change) > TOLERANCE else 0


if __name__ == "__main__":
    sys.exit(main())
