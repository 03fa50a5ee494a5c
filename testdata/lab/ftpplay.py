#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes of an FTP client that ready clients do not play on request: ftpplay.py SERVER SCENE.
Prints {"wall_s", "bytes"} of the whole session."""
import ftplib
import json
import socket
import sys
import time

FILE = "big.bin"


def fetch(ftp, command=f"RETR {FILE}", pause_s=0.0, size=65536, buffer=None, limit=None):
    """One RETR; returns the bytes. limit: stop after so many and abort."""
    got = 0
    with ftp.transfercmd(command) as data:
        if buffer:
            data.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        while True:
            time.sleep(pause_s)
            part = data.recv(size)
            if not part:
                break
            got += len(part)
            if limit and got >= limit:
                break
    return got


def plain(ftp):
    """A healthy download."""
    ftp.voidcmd("TYPE I")
    got = fetch(ftp)
    ftp.voidresp()
    return got


def ascii(ftp):
    """The same in ASCII mode."""
    ftp.voidcmd("TYPE A")
    got = fetch(ftp)
    ftp.voidresp()
    return got


def slow(ftp):
    """A program that is slow to take what comes."""
    ftp.voidcmd("TYPE I")
    got = fetch(ftp, pause_s=0.02, size=32768, buffer=65536)
    ftp.voidresp()
    return got


def abort_and_again(ftp):
    """Close the data connection at 3 MB, then fetch everything again."""
    ftp.voidcmd("TYPE I")
    got = fetch(ftp, limit=3_000_000)
    try:
        ftp.voidresp()
    except ftplib.Error:
        pass  # 426: as wanted
    return got + plain(ftp)


def pasv_then_port(ftp):
    """Passive mode first; after 5 s without a connection, active mode."""
    ftp.voidcmd("TYPE I")
    host, port = ftplib.parse227(ftp.sendcmd("PASV"))
    try:
        socket.create_connection((host, port), timeout=5).close()
    except OSError:
        pass
    ftp.set_pasv(False)
    return plain(ftp)


SCENES = {scene.__name__: scene for scene in (plain, ascii, slow, abort_and_again, pasv_then_port)}


def main():
    """Command line."""
    host, scene = sys.argv[1:]
    begin = time.monotonic()
    ftp = ftplib.FTP(host, timeout=60)
    ftp.login()
    got = SCENES[scene](ftp)
    ftp.quit()
    print(json.dumps({"wall_s": time.monotonic() - begin, "bytes": got}))


if __name__ == "__main__":
    main()
