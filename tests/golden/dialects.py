#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Conversations with Samba at every dialect, plain, signed and encrypted, say what tshark said of them when they were
recorded (testdata/protocols/*/tshark.json), and what was encrypted says, with its key, what its plain twin says.
"""

import argparse
import glob
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, "testdata", "protocols")
# tshark's times have 9 decimals, its mean is ours to the last of them
TIME_NS = 1000
TWINS = {"smb300-aes-128-ccm": "smb300-signed", "smb302-aes-128-ccm": "smb302-signed",
         **{f"smb311-aes-{cipher}": "smb311-signed" for cipher in ("128-ccm", "128-gcm", "256-ccm", "256-gcm")}}
CIPHERS = {"smb300-aes-128-ccm": "AES-128-CCM", "smb302-aes-128-ccm": "AES-128-CCM",
           **{f"smb311-aes-{c}": f"AES-{c.upper()}" for c in ("128-ccm", "128-gcm", "256-ccm", "256-gcm")}}
SIGNING = {"nt1-signed": "MD5", "smb202-signed": "HMAC-SHA256", "smb210-signed": "HMAC-SHA256", "smb300-signed": "AES-CMAC",
           "smb302-signed": "AES-CMAC", "smb311-signed": "AES-GMAC", "smb311-signed-hmac-sha256": "HMAC-SHA256",
           "smb311-signed-aes-128-cmac": "AES-CMAC"}


def report(program, name, with_key=True):
    folder = os.path.join(FOLDER, name)
    keys = []
    if with_key and os.path.exists(os.path.join(folder, "key")):
        with open(os.path.join(folder, "key"), encoding="ascii") as file:
            keys = ["--smb-key", file.read().strip()]
    done = subprocess.run([program, "analyze", "--json", *keys, os.path.join(folder, "capture.pcap.gz")],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        raise ValueError(f"exit status {done.returncode}: {done.stderr.decode(errors='replace')[-500:]}")
    return json.loads(done.stdout)


def plain(name):
    """A path as both programs mean it: SMB1 begins it with a backslash."""
    return name.lstrip("\\")


def compare_commands(session, truth, found):
    ours = {row["command"]: row for row in session["commands"]}
    for command in sorted(set(ours) | set(truth["commands"])):
        mine, theirs = ours.get(command), truth["commands"].get(command)
        if not mine or not theirs:
            found.append(f"{command}: only {'ours' if mine else 'tshark'}")
            continue
        for key in ("requests", "responses", "pending"):
            if mine[key] != theirs[key]:
                found.append(f"{command} {key}: ours {mine[key]}, tshark {theirs[key]}")
        times = theirs["response_ns"]
        if not times or mine["response_time_ns"]["count"] != times["count"]:
            found.append(f"{command}: {mine['response_time_ns']['count']} times, tshark {times}")
            continue
        for key in ("min", "max", "mean"):
            if abs(mine["response_time_ns"][key] - times[key]) > TIME_NS:
                found.append(f"{command} {key}: ours {mine['response_time_ns'][key]} ns, tshark {times[key]}")


def size_of(bins):
    """How many requests fell into each power of two."""
    return {row["from_bytes"]: row["count"] for row in bins}


def bins_of(sizes):
    result = {}
    for size, count in sizes.items():
        at = 1 << (int(size).bit_length() - 1)
        result[at] = result.get(at, 0) + count
    return result


def compare_session(session, truth, found):
    compare_commands(session, truth, found)
    if session["dialect"] != truth["dialect"]:
        found.append(f"dialect {session['dialect']}, tshark {truth['dialect']}")
    names = {plain(file["name"]) for file in session["files"] if file["opens"] + file["not_found"]}
    # an open without a name is the share itself
    if names != {plain(name) for name in truth["files"]} - {""}:
        found.append(f"files {sorted(names)}, tshark {truth['files']}")
    read, written = (sum(file[key] for file in session["files"]) for key in ("read_bytes", "written_bytes"))
    if (read, written) != (truth["read_bytes"], truth["write_bytes"]):
        found.append(f"moved {read}, {written} bytes, tshark {truth['read_bytes']}, {truth['write_bytes']}")
    for key in ("read", "write"):
        ours, theirs = size_of(session[key + "_requests"]["histogram"]), bins_of(truth["sizes"][key])
        if theirs and ours != theirs:
            found.append(f"sizes of {key}: {ours}, tshark {theirs}")
    if session["protocol"] != "smb2":
        return
    for key, theirs in truth["features"].items():
        if session["features"][key] != theirs:
            found.append(f"{key}: {session['features'][key]}, tshark {theirs}")
    for key, theirs in (("max_read_bytes", truth["max_read"]), ("max_write_bytes", truth["max_write"])):
        if session[key] != theirs:
            found.append(f"{key} {session[key]}, tshark {theirs}")
    credits = session["credits"]
    for key, theirs in (("charged", "charged"), ("granted", "granted"), ("left", "left"), ("min", "lowest_on_files")):
        if credits[key] != truth["credits"][theirs]:
            found.append(f"credits {key} {credits[key]}, tshark {truth['credits'][theirs]}")


def summary(document):
    """What a twin must say too."""
    session = document["sessions"][0]
    return {
        "commands": {row["command"]: (row["requests"], row["responses"], row["errors"]) for row in session["commands"]},
        "files": {file["name"]: (file["opens"], file["reads"], file["writes"], file["read_bytes"], file["written_bytes"],
                                 file["not_found"]) for file in session["files"]},
        "transfers": sorted((t["file"], t["share"], t["direction"], t["bytes"], t["requests"], t["request_bytes"]["max"])
                            for t in document["transfers"]),
        "jobs": [(j["files"], j["bytes"]) for j in document["jobs"]],
        "sizes": [session[key]["histogram"] for key in ("read_requests", "write_requests")],
        "cause": document["verdict"]["cause"],
        "credits": session["credits"]["charged"] if session["protocol"] == "smb2" else None,
    }


def compare_features(document, truth, found):
    """Counts of all sessions together."""
    sessions = document["sessions"]
    for key, theirs in truth["features"].items():
        ours = sum(session["features"][key] for session in sessions)
        if ours != theirs:
            found.append(f"{key}: {ours}, tshark {theirs}")
    for command, row in truth["commands"].items():
        ours = sum(mine["requests"] for session in sessions for mine in session["commands"] if mine["command"] == command)
        if ours != row["requests"]:
            found.append(f"{command}: {ours} requests, tshark {row['requests']}")
    # what tshark's fields do not tell; the scene says it: 2 chunks of 256 KiB, a lease, a batch oplock, a durable handle
    for key, want in (("server_side_copied_bytes", 1 << 19), ("leases_granted", 1), ("oplocks_granted", 1), ("durable_handles_granted", 1)):
        ours = sum(session["features"][key] for session in sessions)
        if ours != want:
            found.append(f"{key}: {ours}, not {want}")


def problems(program, name):
    with open(os.path.join(FOLDER, name, "tshark.json"), encoding="utf-8") as file:
        truth = json.load(file)
    document = report(program, name)
    found = []
    if name.endswith("-features"):
        compare_features(document, truth, found)
        return found
    if len(document["sessions"]) != 1:
        return [f"{len(document['sessions'])} sessions"]
    session = document["sessions"][0]
    compare_session(session, truth, found)
    for key, want in (("signing_algorithm", SIGNING.get(name)), ("cipher", CIPHERS.get(name))):
        if want and session[key] != want:
            found.append(f"{key} {session[key]} is not {want}")
    for key, want in (("signed", name in SIGNING), ("encrypted", name in CIPHERS)):
        if session[key] != want:
            found.append(f"{key} is {session[key]}")
    if name in TWINS:
        mine, theirs = summary(document), summary(report(program, TWINS[name]))
        found += [f"{key}: {mine[key]}, twin {theirs[key]}" for key in mine if mine[key] != theirs[key]]
        words = subprocess.run([program, "analyze", os.path.join(FOLDER, name, "capture.pcap.gz")], stdout=subprocess.PIPE, check=False)
        if b"stay" not in words.stdout or b"--smb-key" not in words.stdout:
            found.append("the text does not say what stays hidden without the key")
        closed = report(program, name, with_key=False)["sessions"][0]
        if not closed["features"]["hidden_messages"] or session["features"]["hidden_messages"]:
            found.append("messages hidden without the key and with it: "
                         f"{closed['features']['hidden_messages']}, {session['features']['hidden_messages']}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/release/slowcopy")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="taken like the other scripts take it; one is enough")
    options = parser.parse_args()
    names = sorted(os.path.basename(os.path.dirname(path)) for path in glob.glob(os.path.join(FOLDER, "*", "tshark.json")))
    failed = 0
    for name in names:
        try:
            found = problems(options.program, name)
        except ValueError as error:
            found = [str(error)]
        print(f"{'not ok' if found else 'ok'} {name}")
        for problem in found:
            print(f"    {problem}")
        failed += bool(found)
    return 1 if failed or not names else 0


if __name__ == "__main__":
    sys.exit(main())
