#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records small transfers over FTP with TLS, explicit (AUTH TLS) and implicit (port 990), one after the other and in
parallel: testdata/protocols/NAME/{capture.pcap.gz,truth.json,ORIGIN.md}.

usage (root): ftps.py [NAME...]
"""
import os
import shutil
import sys

import jsonfile
import pcapfile
from network import ROOT, Network, build_programs, ensure_tun, run
from servers import START, versions

TARGET = os.path.join(ROOT, "testdata", "protocols")
PATH = {"delay": 5000, "rate": 100_000_000, "queue": 196608}
FILES = {"one.bin": 300_000, "two.bin": 200_000, "set/a.bin": 250_000, "set/b.bin": 250_000, "set/c.bin": 250_000}
SNAP = 128  # headers; the payload is encrypted
PARALLEL = ("set ftp:ssl-allow-anonymous yes; set ftp:ssl-auth TLS; set ssl:verify-certificate no; set ftp:ssl-protect-data yes; set ftp:ssl-force yes; set cmd:interactive no; "
            "open ftp://10.77.0.1; mirror --parallel=3 --no-perms set LOCAL/set; bye")
# name: (settings of vsftpd, program, what it moves: (direction, bytes) in any order)
RECORDINGS = {
    "ftps-explicit": ({}, ["curl", "-sSk", "--disable", "--ssl-reqd", "-o", "LOCAL/1", "ftp://10.77.0.1/one.bin",
                           "-o", "LOCAL/2", "ftp://10.77.0.1/two.bin"], [("read", 300_000), ("read", 200_000)]),
    "ftps-implicit": ({"implicit_ssl": "YES", "listen_port": "990"},
                      ["curl", "-sSk", "--disable", "-o", "LOCAL/1", "ftps://10.77.0.1/one.bin", "--next", "-sSk", "-T", "LOCAL/up.bin",
                       "ftps://10.77.0.1/up/up.bin"], [("read", 300_000), ("write", 100_000)]),
    "ftps-parallel": ({}, ["lftp", "-c", PARALLEL], [("read", 250_000)] * 3),
}


def record(name):
    settings, program, moved = RECORDINGS[name]
    with Network(path=PATH, snap=SNAP) as net:
        key = os.path.join(net.folder, "key.pem")
        run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=lab", "-keyout", key + ".k",
            "-out", key + ".c")
        with open(key, "w") as out:
            out.write(open(key + ".k").read() + open(key + ".c").read())
        port = int(settings.get("listen_port", 21))
        conf = {"ssl_enable": "YES", "allow_anon_ssl": "YES", "force_anon_data_ssl": "YES", "force_anon_logins_ssl": "NO",
                "rsa_cert_file": key, "require_ssl_reuse": "NO", "ssl_ciphers": "HIGH", "ssl_tlsv1": "YES", **settings}
        local = os.path.join(net.folder, "local")
        os.makedirs(local)
        with open(os.path.join(local, "up.bin"), "wb") as out:
            out.write(b"x" * 100_000)
        wait = net.wait_listening
        net.wait_listening = lambda _port: wait(port)
        START["vsftpd"](net, files=FILES, conf=conf)
        net.capture_start("client")
        words = [word.replace("LOCAL", local) for word in program]
        _, output = net.call("client", *words, env={"HOME": net.folder}, timeout=30, check=False)
        dropped = net.capture_stop()
        net.emulator_stop()
        sizes = {os.path.relpath(os.path.join(top, file), local): os.path.getsize(os.path.join(top, file))
                 for top, _, files in os.walk(local) for file in files}
        print(name, sizes, output[-200:], "dropped" if dropped else "")
        folder = os.path.join(TARGET, name)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        link, frames = pcapfile.read(os.path.join(net.folder, "client.pcap"))
        pcapfile.write(os.path.join(folder, "capture.pcap.gz"), link, frames, SNAP)
        jsonfile.write(os.path.join(folder, "truth.json"), {"moved": moved, "received": sizes})
        made = versions()
        with open(os.path.join(folder, "ORIGIN.md"), "w") as out:
            out.write(f"# {name}\n\nMade by `testdata/lab/ftps.py {name}`: vsftpd {made['vsftpd']}, curl {made['curl']}, lftp {made['lftp']}, "
                      f"Linux {made['kernel']}, tcpdump {made['tcpdump']}, {SNAP} bytes of each frame, at the client; 10 ms, 100 Mbit/s.\n\n"
                      f"    {' '.join(program)}\n\nsettings of vsftpd: TLS required{', ' + str(settings) if settings else ''}. "
                      f"True: {moved}, all encrypted. Nothing is wrong with it.\n")


def main():
    build_programs()
    ensure_tun()
    for name in sys.argv[1:] or RECORDINGS:
        record(name)


main()
