#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks `slowcopy monitor` from outside and prints "ok NAME" or "not ok NAME" for each check.

A replayed capture gives what `analyze` says of it; lines are whole and of the schema; signals do
what the manual says; as root, an interface between two network namespaces is listened to.
SLOWCOPY_PROGRAM names the program.
"""

import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

PROGRAM = os.path.abspath(os.environ.get("SLOWCOPY_PROGRAM", "build/release/slowcopy"))
EVENTS = {"start", "transfer", "finding", "stall", "summary", "drops", "limit", "stop"}
COMMON = {"event", "schema", "ts", "sensor", "run"}
# one capture of each kind: SMB 1 to 3, FTP, unknown protocols, jobs, several sessions, a pause
CAPTURES = [
    "smb-serial-requests", "smb1-chatty", "receive-window-small", "ftp-connection-per-file",
    "ftp-restart", "direction-asymmetry", "copy-through-client", "server-slow-read",
    "rto-stall", "session-churn", "small-files-metadata", "delayed-ack-nagle", "client-think",
    "loss-random", "name-resolution-delay", "zero-window"]

failed = False


def report(name, problem=None, skip=None):
    global failed
    if skip:
        print(f"ok {name} # SKIP {skip}")
        return
    failed = failed or bool(problem)
    print(f"{'not ok' if problem else 'ok'} {name}")
    if problem:
        print(f"  {problem}")
    sys.stdout.flush()


def parse_lines(text):
    """The objects of all lines; raises ValueError when a line is not what it should be."""
    events = []
    if text and not text.endswith("\n"):
        raise ValueError("the last line is not whole")
    for line in text.splitlines():
        event = json.loads(line)
        if not COMMON <= event.keys() or event["event"] not in EVENTS:
            raise ValueError(f"not an event: {line[:200]}")
        if event["schema"] != "slowcopy.event/1":
            raise ValueError(f"schema {event['schema']}")
        if event["event"] in ("transfer", "finding", "stall", "limit") and \
                not isinstance(event.get(event["event"]), dict):
            raise ValueError(f"no object: {line[:200]}")
        events.append(event)
    return events


def monitor(*arguments):
    done = subprocess.run([PROGRAM, "monitor", *arguments], capture_output=True, text=True,
                          timeout=300, check=False)
    return done.returncode, done.stdout, done.stderr


def key_of(transfer):
    return (transfer["id"][0], transfer["client"], transfer["server"], transfer["protocol"],
            transfer["direction"], transfer["file"] or "", transfer["bytes"],
            transfer["start_ns"])


def causes_of_report(report_json):
    cause = {f["id"]: f["cause"] for f in report_json["findings"]}
    return sorted((key_of(t), sorted(cause[f] for f in t["findings"]))
                  for t in report_json["transfers"] + report_json["jobs"])


def causes_of_events(events):
    cause = {e["finding"]["id"]: e["finding"]["cause"] for e in events
             if e["event"] == "finding"}
    return sorted((key_of(e["transfer"]), sorted(cause[f] for f in e["transfer"]["findings"]))
                  for e in events if e["event"] == "transfer")


def check_replay(path, name):
    done = subprocess.run([PROGRAM, "analyze", "--json", path], capture_output=True, timeout=300,
                          check=False)
    status, out, error = monitor("-r", path)
    if status != 0:
        return report(name, f"exit status {status}: {error}")
    try:
        events = parse_lines(out)
    except ValueError as problem:
        return report(name, str(problem))
    expected, found = causes_of_report(json.loads(done.stdout)), causes_of_events(events)
    different = [pair for pair in zip(expected, found) if pair[0] != pair[1]][:3]
    if len(expected) != len(found):
        different = f"{len(expected)} transfers in the report, {len(found)} in the lines"
    if [e["event"] for e in events][:1] != ["start"] or events[-1]["event"] != "stop":
        different = "not from start to stop"
    return report(name, different or None)
