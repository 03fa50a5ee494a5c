#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tries to get names past the redaction: in recorded captures every file, share and user name is
overwritten by another one of the same length (emoji, wide letters, words that slowcopy itself says,
words that look like pseudonyms or addresses), addresses and MAC addresses by unusual ones, and the
capture itself lies in a folder and has a name of that kind. Then nothing of it stands in any redacted
output: Markdown, HTML, text, JSON, CSV, evidence (as text, as UTF-16, and as tshark decodes it), and
every output is written.
"""

import argparse
import concurrent.futures
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TIMEOUT_S = 120
CAPTURES = {
    "smb2": "testdata/causes/smb-serial-requests/smb3-serial-64k-10ms/client.pcap.gz",
    "smb2 write": "testdata/healthy/smb3-write-100m-5ms/client.pcap.gz",
    "smb1": "testdata/causes/small-files-metadata/smb1-mget-60x4k-20ms/client.pcap.gz",
    "netbios": "testdata/causes/name-resolution-delay/smb3-netbios-name-lookup/client.pcap.gz",
    "ftp": "testdata/healthy/ftp-retr-100m-10ms/client.pcap.gz",
    "ipv6": "testdata/healthy/ipv6-smb3-get/middle.pcap.gz",
    "encrypted": "testdata/protocols/smb3-aes-128-gcm/capture.pcap.gz",
}
# each is cut to the length of the name it stands for
NAMES = ["Zvérinec-Qzx-Überplan-2026", "\U0001f512qzx\U0001f4c1geheim\U0001f600plan", "資料xqzフォルダ極秘計画書類",
         "client-1qzx-server-2-share", "fe80qzx::1-10.1.2.3-0a:1b", "<b>qzx&amp;|`$(x)`\"';--"]
FOLDER = "Qzxhome/Zvérinec & Söhne"
FORMATS = (("--markdown",), ("--html",), ("--redact",), ("--redact", "-v"), ("--redact", "-q"),
           ("--redact", "--json"), ("--redact", "--csv"))
# letters in no word of ours
TELLING = re.compile("qzx|zv[eé]rinec|geheim|überplan|資料|極秘", re.IGNORECASE)
ROOT_WARNING = re.compile(r"^Running as user.*\n", re.MULTILINE)


def run(*command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_S,
                          check=False)


def names_in(program, path):
    """File and share names that the analysis finds, longest first."""
    import json
    document = json.loads(run(program, "--json", path).stdout)
    found = set()
    for transfer in document["transfers"]:
        for value in (transfer["file"], transfer["share"]):
            found.update(part for part in re.split(r"[\\/]", value or "") if len(part) >= 3)
    return sorted(found, key=len, reverse=True), document


def fitted(name, units, encoding):
    """@name in exactly @units bytes, never half a character."""
    data = b""
    for letter in name * 4:
        encoded = letter.encode(encoding)
        if len(data) + len(encoded) > units:
            break
        data += encoded
    filler = "q".encode(encoding)
    while len(data) < units:
        data += filler
    return data[:units]


def overwrite(data, names, name):
    for old in names:
        for encoding in ("utf-16-le", "utf-8"):
            original = old.encode(encoding)
            if not re.fullmatch(r"\d[\d.]*", old):
                data = data.replace(original, fitted(name, len(original), encoding))
    for verb in (b"USER ", b"PASS "):
        data = re.sub(verb + rb"[^\r\n]+", lambda m: m[0][:5] + fitted(name, len(m[0]) - 5, "utf-8"),
                      data)
    # 220 greetings name hosts and programs
    return re.sub(rb"220[ -][^\r\n]+", lambda m: m[0][:4] + fitted(name, len(m[0]) - 4, "utf-8"), data)


def fields(path, *wanted):
    command = ["tshark", "-n", "-r", path, "-T", "fields"]
    for field in wanted:
        command += ["-e", field]
    return set(re.split(r"[\s,]+", run(*command).stdout.decode())) - {""}


def decoded_leaks(capture, evidence):
    wanted = ("eth.src", "eth.dst", "ip.src", "ip.dst", "ipv6.src", "ipv6.dst")
    kept = fields(capture, *wanted) & fields(evidence, *wanted)
    kept -= {"ff:ff:ff:ff:ff:ff"}
    if kept:
        yield f"evidence holds {sorted(kept)[:3]}"
    result = run("tshark", "-n", "-r", evidence, "-V")
    errors = ROOT_WARNING.sub("", result.stderr.decode("utf-8", "replace"))
    if errors.strip():
        yield f"tshark says {errors.strip()[:200]}"
    found = TELLING.search(result.stdout.decode("utf-8", "replace"))
    if found:
        yield f"tshark reads {found[0]!r} in the evidence"


def leaks(text, addresses):
    found = TELLING.search(text)
    if found:
        yield f"holds {text[max(0, found.start() - 30):found.end() + 30]!r}"
    for address in addresses:
        if re.search(rf"(?<![\w.:]){re.escape(address)}(?![\w:])", text):
            yield f"holds {address}"


def check(program, kind, name):
    found = []
    with tempfile.TemporaryDirectory(prefix="slowcopy-redaction-") as folder:
        names, document = names_in(program, os.path.join(ROOT, CAPTURES[kind]))
        addresses = {c[end].rsplit(":", 1)[0].strip("[]") for c in document["connections"]
                     for end in ("client", "server")}
        place = os.path.join(folder, FOLDER)
        os.makedirs(place)
        path = os.path.join(place, "qzx capture of Zvérinec.pcap")
        with gzip.open(os.path.join(ROOT, CAPTURES[kind])) as file:
            data = file.read()
        with open(path, "wb") as file:
            file.write(overwrite(data, names, name))
        for arguments in FORMATS:
            result = run(program, "analyze", *arguments, path)
            if result.returncode != 0:
                found.append(f"{arguments}: status {result.returncode}: {result.stderr.decode()[:200]}")
            found += [f"{arguments}: {leak}" for leak in
                      leaks(result.stdout.decode("utf-8"), addresses)]
        base = os.path.join(place, "qzxreport")
        result = run(program, "analyze", "-o", base, path)
        if result.returncode != 0:
            found.append(f"-o: status {result.returncode}: {result.stderr.decode()[:200]}")
            return found
        for suffix in (".md", ".html", ".json", ".evidence.pcapng"):
            with open(base + suffix, "rb") as file:
                raw = file.read()
            found += [f"{suffix}: {leak}" for leak in leaks(raw.decode("utf-8", "replace"), addresses)]
            found += [f"{suffix} in UTF-16: {leak}" for leak in
                      leaks(raw.decode("utf-16-le", "replace"), addresses)]
        if shutil.which("tshark"):
            found += decoded_leaks(path, base + ".evidence.pcapng")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/release/slowcopy")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    options = parser.parse_args()
    if not shutil.which("tshark"):
        print("ok evidence as tshark decodes it # SKIP no tshark")
    # every name once in some capture, every capture with some name
    cases = [(kind, NAMES[(i + k) % len(NAMES)]) for i, kind in enumerate(CAPTURES) for k in (0, 1)]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for (kind, name), found in zip(cases, pool.map(lambda c: check(options.program, *c), cases)):
            print(f"{'not ok' if found else 'ok'} {kind} with {name.encode('ascii', 'replace').decode()}")
            for line in found[:8]:
                print(f"    {line}")
            failed += bool(found)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
