#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""UDP tests in recorded captures: what slowcopy says was lost is what the path dropped before the capture point."""
import argparse
import glob
import json
import os
import subprocess
import sys


def flows(program, capture):
    """The UDP flows of a capture's report."""
    answer = subprocess.run([program, "analyze", "--json", capture], stdout=subprocess.PIPE, check=True)
    return json.loads(answer.stdout)["udp_flows"]


def check(program, folder):
    """Complaints about one run: the server sent, the path dropped, the client got the rest."""
    with open(os.path.join(folder, "truth.json")) as file:
        dropped = json.load(file)["emulator"]["down"]["dropped"]
    for vantage, lost in (("server", 0), ("client", dropped)):
        found = flows(program, os.path.join(folder, f"{vantage}.pcap.gz"))
        if len(found) != 1 or found[0]["program"] != "iperf3":
            yield f"{vantage}: not one flow of iperf3: {found}"
        elif found[0]["lost_packets"] != lost:
            yield f"{vantage}: {found[0]['lost_packets']} lost, the path dropped {lost}"


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("-j", help="not used: there is little to do")
    arguments = parser.parse_args()
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    folders = sorted(glob.glob(os.path.join(root, "testdata", "healthy", "iperf3-udp-*")))
    if not folders:
        sys.exit("no recorded UDP test")
    status = 0
    for folder in folders:
        for complaint in check(arguments.program, folder):
            print(f"not ok {os.path.basename(folder)}: {complaint}")
            status = 1
    print("ok" if status == 0 else "failed")
    return status


if __name__ == "__main__":
    sys.exit(main())
