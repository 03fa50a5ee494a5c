#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""CPU time of slowcopy beside a bare libpcap loop and tcptrace, on one capture in one run.

Ratios of one run are comparable between machines; seconds are not. Exits with 1 when a limit is
exceeded.
"""

import argparse
import os
import resource
import subprocess
import sys

FOLDER = "build/bench"
PROGRAMS = "build/release"
# The best of so many: where the pages of a process lie in the caches, and what else the machine
# does, makes a fifth of its time.
ROUNDS = 9
CONNECTIONS = 1000
MAX_OF_BARE = 3.0
MAX_OF_TCPTRACE = 0.5
MAX_MEMORY_MB = 64.0


def capture(packets):
    """The capture, written once: 5 million packets take 700 MB."""
    os.makedirs(FOLDER, exist_ok=True)
    path = f"{FOLDER}/smb2-{packets}.pcap"
    generator = f"{PROGRAMS}/tools/capgen_bench"
    if not os.path.exists(path) or os.path.getmtime(path) < os.path.getmtime(generator):
        subprocess.run([generator, path + ".new", str(packets), str(CONNECTIONS)], check=True)
        os.replace(path + ".new", path)
    return path


def measure(command):
    """CPU seconds and peak memory (MB) of one run; the output is thrown away."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"bench: {' '.join(command)} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--packets", type=int, default=5000000)
    options = parser.parse_args()
    path = capture(options.packets)
    commands = {
        "libpcap": [f"{PROGRAMS}/tools/bare_pcap", path],
        "slowcopy": [f"{PROGRAMS}/slowcopy", "analyze", path],
        "tcptrace": ["tcptrace", "-n", path],
    }
    best = {}
    memory = {}
    # the first reading fills the page cache; the programs take turns, so that all meet the same
    # disturbances
    measure(commands["libpcap"])
    for _ in range(ROUNDS):
        for name, command in commands.items():
            seconds, peak = measure(command)
            best[name] = min(seconds, best.get(name, seconds))
            memory[name] = max(peak, memory.get(name, peak))
    print(f"{options.packets} packets in {CONNECTIONS} connections, best CPU time of {ROUNDS} runs")
    for name in commands:
        print(f"  {name:9} {best[name]:6.2f} s  {best[name] / options.packets * 1e9:6.0f} ns a packet"
              f"  {memory[name]:6.1f} MB")
    limits = [
        ("slowcopy / libpcap", best["slowcopy"] / best["libpcap"], MAX_OF_BARE),
        ("slowcopy / tcptrace", best["slowcopy"] / best["tcptrace"], MAX_OF_TCPTRACE),
        ("slowcopy, peak MB", memory["slowcopy"], MAX_MEMORY_MB),
    ]
    for name, value, limit in limits:
        print(f"  {name:20} {value:6.2f}  at most {limit:5.1f}  "
              f"{'ok' if value <= limit else 'EXCEEDED'}")
    return 1 if any(value > limit for _, value, limit in limits) else 0


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.exit(main())
