#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes played by the small SMB2 client of smb2.py: smb2play.py SERVER SCENE [NAME=VALUE]...
Prints {"wall_s", "bytes"} of the scene without its session set-up."""
import json
import struct
import sys
import time

import smb2

TEXT = b"slowcopy laboratory payload, the same line again and again.\n"


def block(size):
    """Data that compresses well."""
    return (TEXT * (size // len(TEXT) + 1))[:size]


def flush(client, host, count=40, size=65536, every=1):
    """Write blocks and flush after each."""
    file, data = client.create("up.bin"), block(size)
    for i in range(count):
        client.write(file, i * size, data)
        if (i + 1) % every == 0:
            client.flush(file)
    client.close(file)
    return count * size


def through(client, host, count=40, size=65536):
    """Write blocks with the write-through flag."""
    file, data = client.create("up.bin"), block(size)
    for i in range(count):
        client.write(file, i * size, data, smb2.WRITE_THROUGH)
    client.close(file)
    return count * size


def reread(client, host, count=64, size=16384, times=4):
    """Read the same blocks again and again, as a program does whose client may not cache."""
    moved = 0
    file = client.create("big.bin", disposition=1)
    for _ in range(times):
        for i in range(count):
            moved += len(client.read(file, i * size, size))
    client.close(file)
    return moved


def missing(client, host, count=200):
    """Look for files that are not there."""
    names = ("desktop.ini", "Thumbs.db", "._data", "helper.dll")
    for i in range(count):
        client.create(f"{i % 50}-{names[i % 4]}", allowed=(smb2.NOT_FOUND,), disposition=1)
    return 0


def idle(client, host, seconds=6, size=65536, count=32):
    """Two quick reads of a file with a long idle time and echoes between them."""
    moved = 0
    for part in range(2):
        file = client.create("big.bin", disposition=1)
        for i in range(count):
            moved += len(client.read(file, i * size, size))
        client.close(file)
        for _ in range(seconds if not part else 0):
            time.sleep(1)
            client.echo()
    return moved


def notify(client, host, seconds=4, size=1 << 20, count=4):
    """A change notification stays unanswered while files are read."""
    moved = 0
    directory = client.create("", disposition=1, access=0x00120089, options=0x21)
    client.change_notify_send(directory)
    for part in range(2):
        file = client.create("big.bin", disposition=1)
        for i in range(count):
            moved += len(client.read(file, i * size, size))
        client.close(file)
        time.sleep(seconds if not part else 0)
    return moved


def lock(client, host, count=30, wait_ms=100):
    """Wait for a lock that another client holds, by asking again and again; then read."""
    other = smb2.Smb2(host)
    held = other.create("big.bin", disposition=1)
    other.lock(held, 0, 65536)
    file = client.create("big.bin", disposition=1)
    for _ in range(count):
        if not client.lock(file, 0, 65536, allowed=(0, smb2.LOCK_NOT_GRANTED)):
            raise SystemExit("the lock was free")
        time.sleep(wait_ms / 1000)
    other.lock(held, 0, 65536, flags=4)
    client.lock(file, 0, 65536)
    moved = len(client.read(file, 0, 65536))
    client.close(file)
    return moved


def oplock(client, host, count=6, late_ms=500):
    """Another client holds a batch oplock and is slow to give it up each time the file is opened."""
    moved = 0
    for _ in range(count):
        other = smb2.Smb2(host)
        held = other.create("big.bin", disposition=1, oplock=smb2.OPLOCK_BATCH)
        opening = client.create_send("big.bin", disposition=1)
        while not other.breaks:
            other.receive()
        time.sleep(late_ms / 1000)
        other.break_acknowledge(held)
        _, message = client.wait(opening)
        file = message[64 + 64:64 + 80]
        moved += len(client.read(file, 0, 65536))
        client.close(file)
        other.close(held)
        other.socket.close()
    return moved


def through_client(client, host, size=1 << 20, count=6):
    """Copy a file on the server by reading it here and writing it back."""
    source, target = client.create("big.bin", disposition=1), client.create("copy.bin")
    for i in range(count):
        client.write(target, i * size, client.read(source, i * size, size))
    client.close(source)
    client.close(target)
    return 2 * size * count


def pipeline(client, host, size=65536, count=64, depth=16, ask_for_reads=64):
    """Read a file with several reads under way, as far as the credits reach."""
    file, waiting, moved = client.create("big.bin", disposition=1), [], 0
    client.ask, cost = ask_for_reads, max(1, size // 65536)
    for i in range(count):
        while waiting and (len(waiting) >= depth or client.credits < cost):
            client.wait(waiting.pop(0))
        waiting.append(client.read_send(file, i * size, size))
        moved += size
    for each in waiting:
        client.wait(each)
    client.close(file)
    return moved


def one_channel(client, host, **how):
    """Ask which interfaces the server has, then read over the one connection all the same."""
    client.ioctl(b"\xff" * 16, smb2.INTERFACES, b"", 8192)
    return pipeline(client, host, **how)


def features(client, host, size=1 << 18):
    """A bit of everything: server-side copy, lease and oplock with their breaks, durable handle, notification and its
    cancelling, compound, a large directory, a DFS referral."""
    source, target = client.create("big.bin", disposition=1), client.create("copy.bin")
    key = client.ioctl(source, smb2.RESUME_KEY, b"", 32)[:24]
    for offset in range(0, 2 * size, size):
        client.ioctl(target, smb2.COPY_CHUNKS, struct.pack("<24sIIQQII", key, 1, 0, offset, offset, size, 0), 12)
    client.close(source)
    client.close(target)
    lease = b"slowcopy's lease"
    held = client.create("text.txt", disposition=1, oplock=smb2.OPLOCK_LEASE,
                         contexts=((b"DHnQ", bytes(16)), (b"RqLs", lease + struct.pack("<IIQ", 7, 0, 0))))
    other = smb2.Smb2(host, dialects=(0x0210,))
    opening = other.create_send("text.txt", disposition=1)
    while not client.breaks:
        client.receive()
    client.lease_acknowledge(lease, 3)
    other.wait(opening)
    client.close(held)
    batch = other.create("big.bin", disposition=1, oplock=smb2.OPLOCK_BATCH)
    opening = client.create_send("big.bin", disposition=1)
    while not other.breaks:
        other.receive()
    other.break_acknowledge(batch)
    client.wait(opening)
    directory = client.create("many", disposition=1, access=0x00120089, options=0x21)
    watching = client.change_notify_send(directory)
    client.list(directory)
    client.cancel(watching)
    client.wait(watching, (smb2.CANCELLED,))
    referral = struct.pack("<H", 4) + f"\\\\{host}\\data".encode("utf-16-le") + bytes(2)
    client.ioctl(b"\xff" * 16, smb2.DFS_REFERRALS, referral, 4096, allowed=(0, smb2.FS_DRIVER_REQUIRED, smb2.NOT_FOUND, 0xC0000225))
    client.compound([(smb2.CREATE, client.create_body("text.txt", disposition=1)),
                     (smb2.READ, struct.pack("<HBBIQ16sIIIHHB", 49, 0x50, 0, 100, 0, b"\xff" * 16, 0, 0, 0, 0, 0, 0)),
                     (smb2.CLOSE, struct.pack("<HHI16s", 24, 0, 0, b"\xff" * 16))])
    other.socket.close()
    return 2 * size


SCENES = {name.__name__: name for name in (flush, through, reread, missing, idle, notify, lock, oplock, through_client,
                                             pipeline, one_channel, features)}


def main():
    """Command line."""
    host, scene, *pairs = sys.argv[1:]
    options = {name: int(value, 0) for name, value in (pair.split("=") for pair in pairs)}
    client = smb2.Smb2(host, dialects=(options.pop("dialect", 0x0210),), ask=options.pop("ask", 64),
                       capabilities=options.pop("capabilities", smb2.LARGE_MTU))
    begin = time.monotonic()
    moved = SCENES[scene](client, host, **options)
    print(json.dumps({"wall_s": time.monotonic() - begin, "bytes": moved}))


if __name__ == "__main__":
    main()
