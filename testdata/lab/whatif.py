# SPDX-License-Identifier: GPL-3.0-or-later
"""`slowcopy analyze --assume` against runs in which the assumption is true: the twin without the cause, or another run."""
import glob
import os

import accuracy
import fixes
import jsonfile

# Recorded run, place, what is assumed, and the run it is compared with: None is the twin, numbers are those of causes mended in a twin. Only pairs that differ in what is assumed.
TABLE = (
    ("tcp-rcvbuf-8k-20ms", "middle", "window=4M", None),
    ("tcp-rcvbuf-32k-20ms", "middle", "window=4M", None),
    ("tcp-rcvbuf-64k-20ms", "middle", "window=4M", None),
    ("tcp-rcvbuf-8k-20ms", "middle", "window=41K", "tcp-rcvbuf-32k-20ms"),
    ("tcp-rcvbuf-32k-20ms", "middle", "window=8669", "tcp-rcvbuf-8k-20ms"),
    ("tcp-sndbuf-16k", "client", "window=4M", None),
    ("tcp-sndbuf-16k", "server", "window=4M", None),
    ("smb3-put-rcvbuf-16k", "client", "window=4M", None),
    ("smb3-put-rcvbuf-16k", "server", "window=4M", None),
    ("ipv6-smb3-put-rcvbuf-16k", "middle", "window=4M", None),
    ("ftp-stor-rmem-32k-20ms", "client", "window=4M", None),
    ("ftp-stor-rmem-32k-20ms", "server", "window=4M", None),
    ("smb3-get-no-window-scale-50ms", "server", "window=4M", None),
    ("smb3-put-no-window-scale-server-50ms", "middle", "window=4M", None),
    ("smb3-get-rmem-256k-40ms", "client", "window=4M", None),
    ("smb3-get-server-sndbuf-16k", "middle", "window=4M", None),
    ("story-iperf-window-8k", "server", "window=64K", None),
    ("smb3-serial-64k-10ms", "client", "request=1M,depth=4", None),
    ("smb3-serial-64k-10ms", "server", "request=1M,depth=4", None),
    ("smb3-serial-64k-10ms", "middle", "rtt=5ms", "smb3-serial-64k-5ms"),
    ("smb3-serial-64k-5ms", "server", "rtt=10ms", "smb3-serial-64k-10ms"),
    ("smb3-serial-64k-5ms", "server", "request=1M,depth=4", None),
    ("smb3-serial-256k-20ms", "client", "request=1M,depth=4", None),
    ("smb3-serial-write-64k-10ms", "middle", "request=1M,depth=4", None),
    ("smb2-002-serial-10ms", "middle", "request=1M", None),
    ("smb3-netbios-serial-10ms", "middle", "request=1M", None),
    ("smb3-reads-of-16k-10ms", "middle", "request=1M", None),
    ("smb3-reads-of-4k-10ms", "middle", "request=64K", None),
    ("two-window-loss-2pc-20ms", "server", "window=4M", (0,)),
    ("two-window-loss-20ms", "server", "window=4M", (0,)),
    ("two-window-serial-20ms", "middle", "window=4M", (0,)),
    ("two-window-serial-20ms", "middle", "request=1M,depth=4", (1,)),
    ("two-window-serial-20ms", "middle", "window=4M,request=1M,depth=4", (0, 1)),
    ("two-loss-serial-20ms", "server", "request=1M,depth=4", (1,)),
    ("two-window-disk-10ms", "client", "window=4M", (0,)),
    ("two-window-think-10ms", "middle", "window=4M", (0,)),
    ("two-login-window-20ms", "client", "window=4M", (1,)),
    ("two-smb1-disk-20ms", "server", "request=1M,depth=4", (1,)),
    ("two-ftp-window-disk-20ms", "middle", "window=4M", (0,)),
    ("two-syn-window-20ms", "middle", "window=4M", (1,)),
    ("three-loss-serial-disk-20ms", "middle", "request=1M,depth=4", (1,)),
    ("three-window-serial-think-20ms", "middle", "window=4M", (0,)),
    ("story-nic-at-100m", "middle", "rate=1G", None),
)


def capture_of(run, vantage):
    found = glob.glob(os.path.join(accuracy.TESTDATA, "*", "**", run, f"{vantage}.pcap*"), recursive=True)
    return found[0] if found else None


def folder_facts(capture):
    folder = os.path.dirname(capture)
    return jsonfile.read(os.path.join(folder, "expect.json")), jsonfile.read(os.path.join(folder, "truth.json"))


def measured_s(row, slowcopy, transfer, truth, parts):
    """How long the transfer took where the assumption was true. What the client waited outside it is the same; other runs may have
    moved more or less."""
    if row[3] is None:
        return truth["twin"]["wall_s"] - (truth["wall_s"] - transfer["duration_ns"] / 1e9)
    if isinstance(row[3], tuple):
        return transfer["duration_ns"] / 1e9 - (truth["wall_s"] - fixes.wall_without(truth, parts, row[3]))
    other = next(path for path in (capture_of(row[3], place) for place in (row[1], "middle", "client", "server")) if path)
    expect, _ = folder_facts(other)
    moved = accuracy.main_transfer(accuracy.report_of(slowcopy, other), expect.get("transfer") or {})
    return moved["duration_ns"] / 1e9 * transfer["bytes"] / moved["bytes"]


def judge(row, slowcopy):
    """{run, assumed, now_s, low_s, high_s, measured_s, limit}; None without capture or answer."""
    capture = capture_of(row[0], row[1])
    if not capture:
        return None
    expect, truth = folder_facts(capture)
    transfer = accuracy.main_transfer(accuracy.report_of(slowcopy, capture, ("--assume", row[2])), expect.get("transfer") or {})
    outlook = (transfer or {}).get("outlook")
    if not outlook:
        return None
    return {"run": row[0], "at": row[1], "assumed": row[2], "now_s": transfer["duration_ns"] / 1e9,
            "low_s": outlook["duration_ns"]["low"] / 1e9, "high_s": outlook["duration_ns"]["high"] / 1e9, "limit": outlook["limit"],
            "compared": row[3] if isinstance(row[3], str) else "twin", "measured_s": measured_s(row, slowcopy, transfer, truth, expect.get("parts"))}


def is_inside(answer):
    return answer["low_s"] <= answer["measured_s"] <= answer["high_s"]


def print_table(slowcopy):
    """Markdown for docs/accuracy.md."""
    answers = [answer for answer in (judge(row, slowcopy) for row in TABLE) if answer]
    print("| run | at | assumed | now s | predicted s | measured s | by | would be limited by |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for a in answers:
        print(f"| {a['run']} | {a['at']} | {a['assumed']} | {a['now_s']:.2f} | {a['low_s']:.2f}-{a['high_s']:.2f} | "
              f"{a['measured_s']:.2f}{'' if is_inside(a) else ' (outside)'} | {a['compared']} | {a['limit']} |")
    print(f"\n{sum(is_inside(a) for a in answers)} of {len(answers)} inside.")
