#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures at which rate of packets `slowcopy monitor` begins to drop: frames of file transfers at
full length between two network namespaces, the sender on one core, the monitor on another at a
256-byte snap length. Both have a real-time priority, so that
others on the machine disturb little. Needs root and two cores.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "cli"))
from monitor_check import Network, text_of, wait_for  # noqa: E402

# what one core sends
MOST_OF_ONE = 1000000
BIN = os.path.abspath("build/release")


def measure(network, work, dump, rate, seconds):
    lines = os.path.join(work, f"{rate}.ndjson")
    monitor = network.start(0, "taskset", "-c", "1", "chrt", "-f", "5", f"{BIN}/slowcopy",
                            "monitor", "-i", network.cards[0], "--sensor", "rate", "-o", lines)
    wait_for(lambda: '"start"' in text_of(lines))
    rates = [min(rate, MOST_OF_ONE)] + ([rate - MOST_OF_ONE] if rate > MOST_OF_ONE else [])
    # a second sender has what the monitor leaves of its core, and the kernel's work for it is there too
    senders = [network.start(1, "taskset", "-c", str(i), "chrt", "-f", ("10", "4")[i],
                             f"{BIN}/tools/frame_flood", network.cards[1], dump, str(part),
                             str(seconds), str(128 * i), stdout=subprocess.PIPE, text=True)
               for i, part in enumerate(rates)]
    sent = sum(int(sender.communicate(timeout=seconds + 60)[0].split()[0]) for sender in senders)
    with open(f"/proc/{monitor.pid}/stat", encoding="ascii") as file:
        ticks = sum(int(n) for n in file.read().rsplit(")", 1)[1].split()[11:13])
    time.sleep(2)
    monitor.send_signal(signal.SIGTERM)
    _, status, usage = os.wait4(monitor.pid, 0)
    monitor.returncode = status
    events = [json.loads(line) for line in text_of(lines).splitlines()]
    dropped = sum(e["kernel"] for e in events if e["event"] == "drops")
    seen = events[-1]["packets"]
    real = sent / seconds
    print(f"{real / 1e3:.0f} k packets/s for {seconds} s: {seen} seen, {dropped} dropped "
          f"({100 * dropped / max(seen + dropped, 1):.3f} %), monitor's core "
          f"{100 * ticks / os.sysconf('SC_CLK_TCK') / seconds:.0f} % busy, "
          f"{usage.ru_maxrss // 1024} MiB", flush=True)
    return dropped


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(":", maxsplit=1)[0])
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("rates", nargs="*", type=int,
                        default=[250000, 500000, 750000, 1000000, 1250000, 1500000])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="slowcopy-rate-") as work:
        os.chmod(work, 0o777)
        dump = os.path.join(work, "frames.pcap")
        subprocess.run([f"{BIN}/tools/capgen_bench", dump, "1000000", "200", "4"], check=True)
        with Network() as network:
            for rate in options.rates:
                measure(network, work, dump, rate, options.seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
