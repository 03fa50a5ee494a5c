# SPDX-License-Identifier: GPL-3.0-or-later
"""Causes in SMB and in the hosts that speak it. E numbers are those of the catalogue's list of experiments."""
from experiments import KIB, MBIT, MIB, Expect, add, path, serial, smb_read, smbd

add("smb3-serial-64k-10ms",
    Expect("smb-serial-requests", also_right=("smb-small-requests",), tolerated=("smb-small-requests",),
           buckets={"round-trip": (0.50, 0.75), "link": (0.25, 0.45)}, transfer=smb_read(4 * MIB),
           note="E35: 64 KiB, then a round trip; 10 ms of 16 ms"),
    "the client asks for one 64 KiB block at a time, 10 ms, 100 Mbit/s", path(100 * MBIT, 10),
    smbd({"big.bin": 4 * MIB}), serial("read", "big.bin", block=65536),
    twin={"client": ("smbclient", {"args": (["get big.bin /dev/null"],), "bytes": 4 * MIB})})

add("smb1-serial-10ms",
    Expect("smb1-chatty", also_right=("smb-serial-requests",),
           tolerated=("smb-serial-requests", "smb-small-requests", "smb1-small-buffer"),
           buckets={"round-trip": (0.50, 0.80)}, transfer=smb_read(4 * MIB, protocol="smb1"), note="E31"),
    "SMB1, one read at a time, 10 ms, 100 Mbit/s", path(100 * MBIT, 10), smbd({"big.bin": 4 * MIB}),
    serial("read", "big.bin", block=61440, dialect="NT1"),
    twin={"client": ("smbclient", {"args": (["get big.bin /dev/null"],), "bytes": 4 * MIB})})

add("smb3-mget-100x4k-10ms",
    Expect("small-files-metadata", buckets={"round-trip": (0.85, 1.0)},
           transfer={"protocol": "smb2", "direction": "read", "file": None, "files": 100, "bytes": 409600},
           note="E36: four round trips a file; the budget is that of the job"),
    "100 files of 4 kB one after the other, 10 ms, 100 Mbit/s", path(100 * MBIT, 10), smbd({"f": (100, 4096)}),
    ("smbclient", {"args": (["mget f*"],), "bytes": 409600}))

add("smb3-server-slow-read",
    Expect("server-slow-read", tolerated=("smb-serial-requests", "smb-small-requests"),
           buckets={"server-processing+sender-stalled": (0.65, 0.90)}, transfer=smb_read(4 * MIB),
           note="E40: 64 reads wait 20 ms each"),
    "each pread of the server takes 20 ms, one 64 KiB read at a time, 1 ms, 100 Mbit/s", path(100 * MBIT, 1),
    smbd({"big.bin": 4 * MIB}, disk={"READ_US": 20000, "PATH": "/data/"}), serial("read", "big.bin", block=65536),
    twin={"server": smbd({"big.bin": 4 * MIB})})

add("smb3-client-think",
    Expect("client-think", tolerated=("smb-serial-requests", "smb-small-requests"),
           buckets={"client-think": (0.65, 0.85)}, transfer=smb_read(4 * MIB), note="E41: 63 pauses of 20 ms"),
    "the client thinks 20 ms after each 64 KiB, 1 ms, 100 Mbit/s", path(100 * MBIT, 1), smbd({"big.bin": 4 * MIB}),
    serial("read", "big.bin", block=65536, think_us=20000),
    twin={"client": serial("read", "big.bin", block=65536)})
