#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Replays endless traffic through `slowcopy monitor` and looks at its memory: it must not grow.

Five kinds: a hundred million packets of file transfers; more busy SMB sessions than fit; a million half-open connections; a million
SMB sessions that stay open; transfers that never end. The packets come through a pipe from the
generators in tests/tools and are never stored. Prints what was measured; exit status 1 when memory
grew or exceeded 1.3 times --memory.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time

BIN = "build/release"
MEMORY_MIB = 256
MOST = 1.3


def kinds(scale, work):
    template = os.path.join(work, "session.pcap")
    subprocess.run([f"{BIN}/tools/capgen_bench", template, "40", "1", "4"], check=True)
    million, t = int(1e6 * scale), shlex.quote(template)
    return {
        "transfers": f"{BIN}/tools/capgen_bench /dev/stdout {100 * million} {million // 50} 4 "
                     f"{int(2000 * scale) + 1}",
        "half-open": f"{BIN}/tools/pcap_repeat {t} 1 {million} 20000",
        "sessions": f"{BIN}/tools/pcap_repeat {t} 30 {million} 100000",
        "busy": f"{BIN}/tools/capgen_bench /dev/stdout {50 * million} 5000 4",
        "endless": f"{BIN}/tools/capgen_bench /dev/stdout {20 * million} 4 4000000000",
    }


def rss_kib(pid):
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024
    except (FileNotFoundError, ProcessLookupError, IndexError):
        return 0


def run(name, generator, work):
    lines, samples = os.path.join(work, name + ".ndjson"), []
    began = time.monotonic()
    with subprocess.Popen(shlex.split(generator), stdout=subprocess.PIPE) as source, \
            subprocess.Popen([f"{BIN}/slowcopy", "monitor", "-r", "-", "-o", lines, "--sensor",
                              "soak", "--memory", f"{MEMORY_MIB}M"],
                             stdin=source.stdout) as monitor:
        source.stdout.close()
        while monitor.poll() is None:
            samples.append(rss_kib(monitor.pid))
            time.sleep(0.1)
    seconds = time.monotonic() - began
    counts, limits, packets = {}, {}, 0
    with open(lines, encoding="utf-8") as file:
        for line in file:
            event = json.loads(line)
            counts[event["event"]] = counts.get(event["event"], 0) + 1
            if event["event"] == "limit":
                limit = event["limit"]
                limits[limit["limit"]] = limits.get(limit["limit"], 0) + limit["count"]
            elif event["event"] == "stop":
                packets = event["packets"]
    os.unlink(lines)
    most = max(samples) / 1024
    tenth = max(len(samples) // 10, 1)
    tenths = " ".join(f"{max(samples[i:i + tenth]) / 1024:.0f}"
                      for i in range(0, tenth * 10, tenth) if samples[i:i + tenth])
    print(f"{name}: {packets / 1e6:.1f} M packets in {seconds:.0f} s, RSS {most:.0f} MiB at most, "
          f"by tenths of the time {tenths}; "
          f"{counts.get('transfer', 0)} transfers, {counts.get('finding', 0)} findings, "
          f"given up: {limits or 'nothing'}", flush=True)
    return monitor.returncode == 0 and packets > 0 and most <= MOST * MEMORY_MIB


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--scale", type=float, default=1, help="1: the full size")
    parser.add_argument("kinds", nargs="*", help="transfers, half-open, sessions, busy, endless")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="slowcopy-soak-") as work:
        chosen = {name: command for name, command in kinds(options.scale, work).items()
                  if not options.kinds or name in options.kinds}
        results = [run(name, command, work) for name, command in chosen.items()]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
