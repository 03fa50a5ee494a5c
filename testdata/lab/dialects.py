#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records one small conversation with Samba at every dialect, plain, signed and encrypted, and writes beside each
capture what tshark counts in it: testdata/protocols/NAME/{capture.pcap.gz,tshark.json,ORIGIN.md,key}.

usage (root): dialects.py [NAME...]
"""
import os
import re
import shutil
import sys

import jsonfile
import pcapfile
import tsharkcount
from network import LAB, ROOT, Network, build_programs, ensure_tun
from servers import PASSWORD, START, USER, make_files, smb_conf, versions

TARGET = os.path.join(ROOT, "testdata", "protocols")
PATH = {"delay": 1000, "rate": 100_000_000, "queue": 196608}
FILES = {"down.bin": 70_000, "text.txt": 300, "folder/one.txt": 10, "folder/two.txt": 20}
UPLOAD = {"up.bin": 40_000}
COMMANDS = ["ls", "get down.bin /dev/null", "put up.bin up.bin", "get text.txt /dev/null", "allinfo text.txt", "mkdir made",
            "rename up.bin moved.bin", "get missing.bin /dev/null", "cd folder", "ls", "cd ..", "del moved.bin", "rmdir made"]

# name: (client's highest dialect, protection, cipher, signing algorithm)
RECORDINGS = {}
for tag, dialect in (("nt1", "NT1"), ("smb202", "SMB2_02"), ("smb210", "SMB2_10"), ("smb300", "SMB3_00"),
                     ("smb302", "SMB3_02"), ("smb311", "SMB3_11")):
    RECORDINGS[f"{tag}-plain"] = (dialect, "plain", None, None)
    RECORDINGS[f"{tag}-signed"] = (dialect, "sign", None, None)
for tag, dialect in (("smb300", "SMB3_00"), ("smb302", "SMB3_02")):
    RECORDINGS[f"{tag}-aes-128-ccm"] = (dialect, "encrypt", None, None)
for cipher in ("AES-128-CCM", "AES-128-GCM", "AES-256-CCM", "AES-256-GCM"):
    RECORDINGS[f"smb311-{cipher.lower()}"] = ("SMB3_11", "encrypt", cipher, None)
for algorithm in ("HMAC-SHA256", "AES-128-CMAC"):
    RECORDINGS[f"smb311-signed-{algorithm.lower()}"] = ("SMB3_11", "sign", None, algorithm)
RECORDINGS["smb210-features"] = ("SMB2_10", "scene", None, None)
# without these Samba grants no durable handles
SHARE = {"kernel oplocks": "no", "kernel share modes": "no", "posix locking": "no"}


def keys_of(output):
    """(session id, session key) as `debug encryption = yes` prints them, both hex; the id in the order of its bytes."""
    found = {}
    for name in ("Session Id", "Session Key"):
        lines = output[output.find(name):].splitlines()
        digits = ""
        for line in lines[:1] + [part for part in lines[1:4] if re.match(r"\s*\[?00[0-9A-F]{2}\]?\s", part)]:
            line = re.sub(r"Session (Id|Key)|\[00[0-9A-F]{2}\]|\[\d+\]", " ", line)
            digits += "".join(re.findall(r"(?<![0-9A-Za-z])[0-9A-F]{2}(?![0-9A-Za-z])", line))
        found[name] = digits.lower()
    return found["Session Id"], found["Session Key"]


def record(name):
    dialect, protection, cipher, signing = RECORDINGS[name]
    server = {"log level": "0"}
    if protection == "plain":
        server["server signing"] = "disabled"
    client = {"client max protocol": dialect, "client min protocol": "NT1" if dialect == "NT1" else "SMB2_02"}
    if cipher:
        client["client smb3 encryption algorithms"] = cipher
    if signing:
        client["client smb3 signing algorithms"] = signing
    if protection == "encrypt":
        client["debug encryption"] = "yes"
    with Network(path=PATH, snap=0) as net:
        files = {**FILES, "many/file": (300, 10), "big.bin": 1 << 19} if protection == "scene" else FILES
        START["smbd"](net, files=files, conf=server, share=SHARE)
        make_files(os.path.join(net.folder, "local"), UPLOAD)
        path = smb_conf(net.folder, "client", client)
        net.capture_start("client")
        word = {"plain": "off", "sign": "sign", "encrypt": "encrypt"}.get(protection)
        options = [f"--client-protection={word}"]
        script = "\n".join([f"lcd {net.folder}/local", "prompt off", *COMMANDS, "quit"]) + "\n"
        if protection == "scene":
            options = ["smb2play.py 10.77.0.1 features dialect=0x0210"]
            output = net.call("client", "python3", os.path.join(LAB, "smb2play.py"), "10.77.0.1", "features", "dialect=0x0210")[1]
        else:
            output = net.call("client", "smbclient", "//10.77.0.1/data", "-s", path, "-U", f"{USER}%{PASSWORD}", *options,
                              text_in=script, check=False)[1]
        dropped = net.capture_stop()
        net.emulator_stop()
        if dropped:
            raise RuntimeError(f"{name}: tcpdump lost {dropped} frames")
        folder = os.path.join(TARGET, name)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        raw = os.path.join(net.folder, "client.pcap")
        key = None
        if protection == "encrypt":
            session_id, session_key = keys_of(output)
            if len(session_id) != 16 or len(session_key) not in (32, 64):
                raise RuntimeError(f"{name}: no key in the output of smbclient: {output[:3000]}")
            key = (session_id, session_key)
            value = int.from_bytes(bytes.fromhex(session_id), "little")
            with open(os.path.join(folder, "key"), "w") as out:
                out.write(f"{value:x}:{session_key}\n")
        link, frames = pcapfile.read(raw)
        pcapfile.write(os.path.join(folder, "capture.pcap.gz"), link, frames)
        counts = tsharkcount.count(raw, key)
        jsonfile.write(os.path.join(folder, "tshark.json"), counts)
        made = versions()
        with open(os.path.join(folder, "ORIGIN.md"), "w") as out:
            out.write(f"# {name}\n\nMade by `testdata/lab/dialects.py {name}`: Samba {made['samba']}, Linux {made['kernel']}, tcpdump "
                      f"{made['tcpdump']}, whole frames, at the client; 2 ms, 100 Mbit/s.\n\n"
                      f"{'Our own client' if protection == 'scene' else 'smbclient'}, highest dialect {dialect}, `{options[0]}`"
                      f"{', cipher ' + cipher if cipher else ''}{', signing ' + signing if signing else ''}:\n\n"
                      f"    {'a bit of everything: see the scene' if protection == 'scene' else '; '.join(COMMANDS)}\n\n"
                      "`tshark.json` is what tshark 4.0.17 counts (`testdata/lab/tsharkcount.py`)"
                      f"{', decrypting with `key`; user and key exist nowhere else' if key else ''}. Nothing is wrong with it.\n")
        print(name, counts["dialect"], sum(row["requests"] for row in counts["commands"].values()), "requests",
              os.path.getsize(os.path.join(folder, "capture.pcap.gz")), "bytes")


def main():
    build_programs()
    ensure_tun()
    for name in sys.argv[1:] or RECORDINGS:
        record(name)


main()
