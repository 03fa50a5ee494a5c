#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A password that passed in the clear is in no report, whatever the format, however it was sent, redacted or not."""

import argparse
import base64
import glob
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "tools"))
from minipcap import CLIENT, SERVER, Capture, Tcp  # noqa: E402

MS = 10**6
PASSWORD = "Xq7-Zebra-9104-Kw"
LOGIN = [("c", "USER bob\r\n"), ("s", "331 Password please\r\n")]
# each a dialogue; a list is one command in several segments
DIALOGUES = {
    "plain": [*LOGIN, ("c", f"PASS {PASSWORD}\r\n"), ("s", "230 Welcome\r\n")],
    "split": [*LOGIN, ("c", ["PA", f"SS {PASSWORD[:5]}", f"{PASSWORD[5:]}", "\r\n"]), ("s", "230 Welcome\r\n")],
    "case": [*LOGIN, ("c", f"pAsS   {PASSWORD}\n"), ("s", "230 Welcome\r\n")],
    "pipelined": [("c", f"USER bob\r\nPASS {PASSWORD}\r\nTYPE I\r\n"), ("s", "331 Password\r\n230 Welcome\r\n200 Type\r\n")],
    "echoed": [*LOGIN, ("c", f"PASS {PASSWORD}\r\n"), ("s", f"530 Login {PASSWORD} incorrect\r\n"),
               ("c", f"PASS {PASSWORD}!\r\n"), ("s", f"530-Not\r\n 530 {PASSWORD}\r\n530 Login incorrect\r\n")],
    "account": [*LOGIN, ("c", "PASS x\r\n"), ("s", "332 Account\r\n"), ("c", f"ACCT {PASSWORD}\r\n"), ("s", "230 Welcome\r\n")],
    "site": [*LOGIN, ("c", f"PASS {PASSWORD}\r\n"), ("s", "230 Welcome\r\n"), ("c", f"SITE PSWD {PASSWORD} {PASSWORD}\r\n"),
             ("s", f"500 'SITE PSWD {PASSWORD}': command not understood\r\n")],
    "no user": [("c", f"PASS {PASSWORD}\r\n"), ("s", "503 Login with USER first\r\n")],
    "blanks": [*LOGIN, ("c", f"  \tPASS {PASSWORD}\r\n"), ("s", "230 Welcome\r\n")],
    "telnet": [*LOGIN, ("c", f"\xff\xf4\xff\xf2PASS {PASSWORD}\r\n"), ("s", "230 Welcome\r\n")],
    "mistyped": [*LOGIN, ("c", f"PASSS {PASSWORD}\r\n"), ("s", f"500 'PASSS {PASSWORD}': command not understood\r\n")],
    "overlong": [*LOGIN, ("c", f"PASS {PASSWORD}{'y' * 6000}{PASSWORD}\r\n"), ("s", "500 Line too long\r\n")],
    "unending": [*LOGIN, ("c", f"PASS {PASSWORD}")],
}
COMMANDS = {"text": ["-v"], "line": ["-q"], "json": ["--json"], "markdown": ["--markdown", "--no-redact"],
            "markdown, redacted": ["--markdown"], "html": ["--html", "--no-redact"], "html, redacted": ["--html"],
            "csv": ["--csv"], "pcapng": ["--format=pcapng", "--no-redact"], "pcapng, redacted": ["--format=pcapng"],
            "text, ascii": ["-v", "--color=always"]}


def write_capture(path, dialogue, snap):
    """The dialogue, then a file of 2 MB at 2 Mbit/s, so that there are findings with evidence."""
    capture = Capture(snap)
    control = Tcp(capture, "10.0.0.2", 40000, "10.0.0.1", 21, 20 * MS)
    t = control.open(0)
    t = control.send(t + 20 * MS, SERVER, b"220 ready\r\n") + 5 * MS
    steps = [*dialogue, ("c", "TYPE I\r\n"), ("s", "200 Type\r\n"), ("c", "PASV\r\n"), ("s", "227 Entering (10,0,0,1,200,10)\r\n"),
             ("c", "RETR big.iso\r\n"), ("s", "150 Here it comes\r\n")]
    for who, text in steps:
        for part in text if isinstance(text, list) else [text]:
            t = control.send(t + 20 * MS, CLIENT if who == "c" else SERVER, part.encode("latin-1"))
    data = Tcp(capture, "10.0.0.2", 40001, "10.0.0.1", 51210, 20 * MS)
    begin = data.open(t)
    for burst in range(100):
        begin = data.send(begin + 40 * MS, SERVER, b"x" * 20000, gap_ns=100_000)
    data.close(begin + MS)
    t = control.send(begin + 30 * MS, SERVER, b"226 Done\r\n")
    control.close(t + 50 * MS)
    capture.write(path)


def forms(password):
    """The password as a report could hold it."""
    raw = password.encode()
    middle = base64.b64encode(raw[1:-1])[2:-4]  # whatever stands around it
    return {"as it is": raw, "its middle": b"Zebra", "UTF-16": password.encode("utf-16-le"), "hexadecimal": raw.hex().encode(),
            "base64": base64.b64encode(raw).rstrip(b"="), "base64, shifted": middle}


def found_in(content):
    lower = content.lower()
    return [name for name, form in forms(PASSWORD).items() if form in content or form.lower() in lower]


def problems(program, folder, name, snap):
    path = os.path.join(folder, "capture.pcap")
    write_capture(path, DIALOGUES[name], snap)
    outputs = {}
    for label, words in COMMANDS.items():
        done = subprocess.run([program, "analyze", *words, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if done.returncode:
            return [f"{label}: exit status {done.returncode}: {done.stderr.decode(errors='replace')[-300:]}"]
        outputs[label] = done.stdout + done.stderr
    subprocess.run([program, "analyze", "--no-redact", "-o", os.path.join(folder, "report"), path], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for made in glob.glob(os.path.join(folder, "report.*")):
        with open(made, "rb") as file:
            outputs[os.path.basename(made)] = file.read()
        os.unlink(made)
    live = subprocess.run([program, "monitor", "-r", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    outputs["monitor"] = live.stdout + live.stderr
    result = [f"{label} holds it: {form}" for label, content in outputs.items() for form in found_in(content)]
    if len(outputs) < len(COMMANDS) + 4 or b"big.iso" not in outputs["json"]:
        result.append(f"only {sorted(outputs)}, or the file is missing")
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/release/slowcopy")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="taken like the other scripts take it; one is enough")
    options = parser.parse_args()
    # the search itself must be able to find something
    failed = not found_in(PASSWORD.encode("utf-16-le")) or not found_in(base64.b64encode(b"PASS " + PASSWORD.encode() + b"\r\n"))
    with tempfile.TemporaryDirectory() as folder:
        for name in DIALOGUES:
            for snap in (262144, 96):
                found = problems(options.program, folder, name, snap)
                print(f"{'not ok' if found else 'ok'} {name}, {snap} bytes of each frame")
                for problem in found:
                    print(f"    {problem}")
                failed += bool(found)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
