#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares what sessiondump makes of captures with tshark's counts (expected/*.json beside the
captures). usage: compare_sessions.py SESSIONDUMP CAPTURES_FOLDER [NAME...]"""
import json
import os
import subprocess
import sys

SMB2 = {
    "Negotiate Protocol": "negotiate", "Session Setup": "session-setup", "Session Logoff": "logoff",
    "Tree Connect": "tree-connect", "Tree Disconnect": "tree-disconnect", "Create": "create",
    "Close": "close", "Flush": "flush", "Read": "read", "Write": "write", "Lock": "lock",
    "Ioctl": "ioctl", "Cancel": "cancel", "KeepAlive": "echo", "Find": "query-directory",
    "Notify": "change-notify", "GetInfo": "query-info", "SetInfo": "set-info", "Break": "oplock-break",
}
SMB1 = {
    "Negotiate Protocol": "negotiate", "Trans": "transaction", "Trans2": "transaction2",
    "NT Trans": "nt-transact",
}


def dump(tool, path):
    run = subprocess.run([tool, path], capture_output=True, text=True, errors="replace")
    sums, sessions, files = {}, [], {}
    for line in run.stdout.splitlines():
        part = line.split("\t")
        if part[0] == "command":
            key = (int(part[2]), part[4])
            requests, responses, errors, pending = map(int, part[5:9])
            count, low, mean, high = map(int, part[9].split("=")[1].split(","))
            row = sums.setdefault(key, [0, 0, 0, 0, 0, None, 0, 0])
            row[0] += requests
            row[1] += responses
            row[2] += errors
            row[3] += pending
            row[4] += count
            if count:
                row[5] = low if row[5] is None else min(row[5], low)
                row[6] += mean * count
                row[7] = max(row[7], high)
        elif part[0] == "session":
            sessions.append(dict(p.split("=", 1) for p in part[3:]) | {"protocol": part[2]})
        elif part[0] == "file":
            files[part[3]] = files.get(part[3], 0) + 1
    return sums, sessions, files, run.returncode


def differ(out, what, ours, theirs):
    if ours != theirs:
        out.append(f"{what}: ours {ours}, tshark {theirs}")


def compare(sums, sessions, protocol, expected, names, out):
    def name_of(theirs):
        return names.get(theirs, theirs.lower().replace(" ", "-"))
    for kind, index in (("requests", 0), ("responses", 1)):
        theirs = {name_of(k): v for k, v in expected.get(kind, {}).items()}
        ours = {k[1]: v[index] + (v[3] if index else 0) for k, v in sums.items()
                if k[0] == protocol}
        for command in sorted(set(theirs) | set(ours)):
            differ(out, f"{kind} {command}", ours.get(command, 0), theirs.get(command, 0))
    for their_name, srt in expected.get("srt", {}).items():
        row = sums.get((protocol, name_of(their_name)))
        if not row:
            continue
        differ(out, f"srt count {name_of(their_name)}", row[4], srt["count"])
        if row[4] == srt["count"] and row[4]:
            for label, mine, other in (("min", row[5], srt["min_ms"]),
                                       ("mean", row[6] / row[4], srt["mean_ms"]),
                                       ("max", row[7], srt["max_ms"])):
                if abs(mine / 1e6 - other) > 0.001:
                    out.append(f"srt {label} {name_of(their_name)}: ours {mine / 1e6:.6f}, tshark {other}")


def main():
    tool, folder, wanted = sys.argv[1], sys.argv[2], sys.argv[3:]
    bad = 0
    for top, _, names in sorted(os.walk(os.path.join(folder, "expected"))):
        for name in sorted(names):
            path = os.path.join(top, name)
            relative = os.path.relpath(path, os.path.join(folder, "expected"))[:-5]
            if wanted and not any(w in relative for w in wanted):
                continue
            with open(path, encoding="utf-8") as file:
                expected = json.load(file)
            capture = os.path.join(folder, relative)
            if not any(k in expected for k in ("smb1", "smb2", "ftp")) or not os.path.exists(capture):
                continue
            sums, sessions, files, code = dump(tool, capture)
            out = []
            if code:
                out.append(f"exit status {code}")
            for key, protocol, table in (("smb2", 2, SMB2), ("smb1", 1, SMB1)):
                if key in expected:
                    compare(sums, sessions, protocol, expected[key], table, out)
                    own = "smb2" if key == "smb2" else "smb1"
                    mine = [s for s in sessions if s["protocol"] == own]
                    differ(out, f"{key} read bytes", sum(int(s["read"]) for s in mine),
                           expected[key].get("read_bytes", 0))
                    differ(out, f"{key} written bytes", sum(int(s["written"]) for s in mine),
                           expected[key].get("write_bytes", 0))
            if "ftp" in expected:
                theirs = {k.lower(): v for k, v in expected["ftp"].get("commands", {}).items()}
                ours = {k[1]: v[0] for k, v in sums.items() if k[0] == 3 and v[0]}
                for command in sorted(set(theirs) | set(ours)):
                    differ(out, f"ftp {command}", ours.get(command, 0), theirs.get(command, 0))
            print(f"{'same' if not out else 'DIFF'}  {relative}")
            for line in out:
                print("      " + line)
            bad += bool(out)
    print(f"{bad} captures differ")
    return bad > 0


sys.exit(main())
