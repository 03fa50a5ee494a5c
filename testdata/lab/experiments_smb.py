# SPDX-License-Identifier: GPL-3.0-or-later
"""Causes in SMB and in the hosts that speak it. E numbers are those of the catalogue's list of experiments."""
from experiments import ALL, KIB, MBIT, MIB, Expect, add, get, path, put, serial, smb_read, smb_write, smbd
from network import SERVER

add("smb3-serial-64k-10ms",
    Expect("smb-serial-requests", also_right=("smb-small-requests",), tolerated=("smb-small-requests",),
           buckets={"round-trip": (0.50, 0.75), "link": (0.25, 0.45)}, transfer=smb_read(4 * MIB),
           note="E35: 64 KiB, then a round trip; 10 ms of 16 ms"),
    "the client asks for one 64 KiB block at a time, 10 ms, 100 Mbit/s", path(100 * MBIT, 10),
    smbd({"big.bin": 4 * MIB}), serial("read", "big.bin", block=65536),
    twin={"client": ("smbclient", {"args": (["get big.bin /dev/null"],), "bytes": 4 * MIB})})

add("smb3-serial-beside-iperf3",
    Expect("smb-serial-requests", also_right=("smb-small-requests",), tolerated=("smb-small-requests",), required=("reference-flow",),
           buckets={"round-trip": (0.50, 0.75), "link": (0.25, 0.45)}, transfer=smb_read(2 * MIB),
           note="a reference in the same capture: iperf3 fills the path that one block at a time does not"),
    "the client asks for one 64 KiB block at a time, 10 ms, 100 Mbit/s; then iperf3 the same way",
    path(100 * MBIT, 10), ("several", {"servers": [smbd({"big.bin": 2 * MIB}), ("iperf3", {})]}),
    ("several", {"args": ([serial("read", "big.bin", block=65536), ("iperf3", {"args": (["-R", "-n", "4M"],)})],)}),
    headers_only=True, vantages=("client",))

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


def play(scene, size=0, **options):
    """A scene of our small SMB2 client."""
    pairs = [f"{name}={value}" for name, value in options.items()]
    return ("script", {"args": ("smb2play.py", SERVER, scene, *pairs), "bytes": size})


BIG = {"big.bin": 4 * MIB}
ONE_READ = ("smbclient", {"args": (["get big.bin /dev/null"],), "bytes": 4 * MIB})

# -- requests too few or too small ------------------------------------------------------------------------------

for rtt, block, total, low, high, where in (
        (20, 256 * KIB, 8 * MIB, 0.33, 0.60, ALL), (50, 1 * MIB, 10 * MIB, 0.20, 0.50, ("middle",)),
        (5, 64 * KIB, 4 * MIB, 0.33, 0.60, ("server",))):
    add(f"smb3-serial-{block // KIB}k-{rtt}ms",
        Expect("smb-serial-requests", also_right=("smb-small-requests",) if block <= 64 * KIB else (),
               tolerated=("smb-small-requests", "slow-start-short", "receive-window-small"),
               buckets={"round-trip": (low, high)}, transfer=smb_read(total)),
        f"the client asks for one {block // KIB} KiB block at a time, {rtt} ms, 100 Mbit/s", path(100 * MBIT, rtt),
        smbd({"big.bin": total}), serial("read", "big.bin", block=block, bytes=total), vantages=where,
        twin={"client": ("smbclient", {"args": (["get big.bin /dev/null"],), "bytes": total})})

add("smb3-serial-write-64k-10ms",
    Expect("smb-serial-requests", also_right=("smb-small-requests",), tolerated=("smb-small-requests",),
           buckets={"round-trip": (0.45, 0.75)}, transfer=smb_write(4 * MIB)),
    "the client writes one 64 KiB block at a time, 10 ms, 100 Mbit/s", path(100 * MBIT, 10), smbd({}),
    serial("write", "up.bin", block=65536), twin={"client": put(4 * MIB)})

for block, total in ((4096, 512 * KIB), (16384, 2 * MIB)):
    add(f"smb3-reads-of-{block // KIB}k-10ms",
        Expect("smb-small-requests", also_right=("smb-serial-requests",), tolerated=("smb-serial-requests",),
               buckets={"round-trip": (0.70, 1.0)}, transfer=smb_read(total), note="E32: the program asks for so little"),
        f"the client asks for {block // KIB} KiB at a time, 10 ms, 100 Mbit/s", path(100 * MBIT, 10),
        smbd({"big.bin": total}), serial("read", "big.bin", block=block, bytes=total),
        twin={"client": ("smbclient", {"args": (["get big.bin /dev/null"],), "bytes": total})})

add("smb3-server-max-read-64k",
    Expect("smb-small-requests", also_right=("smb-serial-requests", "smb2-no-large-mtu"),
           tolerated=("smb-serial-requests", "smb2-no-large-mtu"), buckets={"round-trip": (0.45, 0.75)},
           transfer=smb_read(4 * MIB), note="E32: the server allows 64 KiB"),
    "smb2 max read = 65536 on the server, serial client, 10 ms, 100 Mbit/s", path(100 * MBIT, 10),
    smbd(BIG, conf={"smb2 max read": "65536"}), serial("read", "big.bin", block=65536),
    twin={"server": smbd(BIG), "client": serial("read", "big.bin", block=MIB)}, vantages=("middle",))

add("smb3-credits-16-30ms",
    Expect("smb2-credit-starvation", also_right=("smb-serial-requests",), tolerated=("smb-serial-requests", "slow-start-short"),
           buckets={"round-trip": (0.20, 0.75)}, transfer=smb_read(8 * MIB), note="E33: sixteen credits are one 1 MiB read"),
    "smb2 max credits = 16 on the server, 30 ms, 200 Mbit/s", path(200 * MBIT, 30),
    smbd({"big.bin": 8 * MIB}, conf={"smb2 max credits": "16"}), get(8 * MIB), twin={"server": smbd({"big.bin": 8 * MIB})})

add("smb2-credits-not-asked-60ms",
    Expect("smb2-credits-not-asked", also_right=("smb-serial-requests", "smb-small-requests"),
           tolerated=("smb-serial-requests", "smb-small-requests"), required=("smb2-credits-not-asked",),
           buckets={"round-trip": (0.30, 0.85)}, transfer=smb_read(4 * MIB),
           note="two credits for each message of the log-in, then one for each read, as many as it spends: it stays at a handful"),
    "our client asks for few credits and keeps all it has under way, 64 KiB reads, 60 ms, 100 Mbit/s", path(100 * MBIT, 60),
    smbd(BIG), play("pipeline", 4 * MIB, ask=2, ask_for_reads=1), twin={"client": play("pipeline", 4 * MIB)}, vantages=("client",),
    snap=1600, keep=1600)  # answers begin within segments, and their headers bring the credits

add("smb1-max-mux-4-60ms",
    Expect("smb1-mpx-limit", buckets={"round-trip": (0.40, 0.90)}, transfer=smb_read(8 * MIB, protocol="smb1"),
           note="the path holds twelve blocks, the server allows four"),
    "max mux = 4 on the server, SMB1, 60 ms, 100 Mbit/s", path(100 * MBIT, 60), smbd({"big.bin": 8 * MIB}, conf={"max mux": "4"}),
    get(8 * MIB, dialect="NT1"), twin={"server": smbd({"big.bin": 8 * MIB})}, vantages=("client",))

RSS = {"interfaces": '"10.77.0.1;speed=1000000000,capability=RSS"', "server multi channel support": "yes"}
for announced, tag, words in ((12, "unused", "and never opens a second connection"), (4, "not-offered", "but cannot use several connections itself")):
    add(f"smb3-multichannel-{tag}",
        Expect(None, buckets={"link": (0.80, 1.0)}, transfer=smb_read(8 * MIB), required=("multichannel-unused",) if announced & 8 else (),
               note="a possibility, not a fault: at most a note"),
        f"the server's card spreads over processors (RSS), the client asks for the list {words}, 5 ms, 100 Mbit/s",
        path(100 * MBIT, 5, queue=192 * KIB), smbd({"big.bin": 8 * MIB}, conf=RSS),
        play("one_channel", 8 * MIB, dialect=0x0302, capabilities=announced, count=128), group="healthy", vantages=("client",))

add("smb3-offload-defect",
    Expect("offload-defect", tolerated=("rto-stall", "tail-loss"), buckets={"rto-stall+tail-loss": (0.70, 1.0)}, transfer=smb_read(64 * KIB),
           note="small messages pass, each large frame is lost and repaired packet by packet"),
    "the server's network card loses every frame that it should cut into packets, 5 ms, 100 Mbit/s", path(100 * MBIT, 5, offload=2),
    smbd({"big.bin": 64 * KIB}), get(64 * KIB), twin={"path": path(100 * MBIT, 5, offload=1)}, vantages=("server",))

add("smb2-002-serial-10ms",
    Expect("smb2-no-large-mtu", also_right=("smb-serial-requests", "smb-small-requests"),
           tolerated=("smb-serial-requests", "smb-small-requests"), buckets={"round-trip": (0.45, 0.75)},
           transfer=smb_read(4 * MIB), note="E34: dialect 2.0.2 has no large reads"),
    "dialect 2.0.2 and a serial client with the 64 KiB that are allowed, 10 ms, 100 Mbit/s", path(100 * MBIT, 10), smbd(BIG),
    serial("read", "big.bin", block=65536, dialect="SMB2_02"), twin={"client": serial("read", "big.bin", block=MIB)})

add("smb3-netbios-serial-10ms",
    Expect("smb2-no-large-mtu", also_right=("smb-serial-requests", "smb-small-requests"),
           tolerated=("smb-serial-requests", "smb-small-requests"), buckets={"round-trip": (0.45, 0.75)},
           transfer=smb_read(4 * MIB), note="E34: port 139 allows 64 KiB"),
    "SMB 3.1.1 over the NetBIOS session service (port 139), serial client, 10 ms, 100 Mbit/s", path(100 * MBIT, 10),
    smbd(BIG, ports=(139,)), serial("read", "big.bin", block=65536, port=139),
    twin={"client": serial("read", "big.bin", block=MIB)})

add("smb1-no-large-readx-10ms",
    Expect("smb1-small-buffer", also_right=("smb1-chatty",), tolerated=("smb1-chatty", "smb-serial-requests", "smb-small-requests"),
           buckets={"round-trip": (0.65, 0.95)}, transfer=smb_read(2 * MIB, protocol="smb1")),
    "SMB1, large readwrite = no on the server, serial client, 10 ms, 100 Mbit/s", path(100 * MBIT, 10),
    smbd({"big.bin": 2 * MIB}, conf={"large readwrite": "no"}), serial("read", "big.bin", block=16384, dialect="NT1", bytes=2 * MIB),
    twin={"server": smbd({"big.bin": 2 * MIB}), "client": serial("read", "big.bin", block=61440, dialect="NT1", bytes=2 * MIB)})

add("smb1-serial-write-20ms",
    Expect("smb1-chatty", also_right=("smb-serial-requests", "smb1-small-buffer"),
           tolerated=("smb-serial-requests", "smb-small-requests", "smb1-small-buffer"), buckets={"round-trip": (0.60, 0.90)},
           transfer=smb_write(2 * MIB, protocol="smb1")),
    "SMB1, one write at a time, 20 ms, 100 Mbit/s", path(100 * MBIT, 20), smbd({}),
    serial("write", "up.bin", block=61440, dialect="NT1", bytes=2 * MIB),
    twin={"client": put(2 * MIB)}, vantages=("middle",))

# -- metadata ---------------------------------------------------------------------------------------------------

add("smb1-mget-60x4k-20ms",
    Expect("small-files-metadata", also_right=("smb1-chatty",), tolerated=("smb1-chatty",), buckets={"round-trip": (0.80, 1.0)},
           transfer={"protocol": "smb1", "direction": "read", "file": None, "files": 60, "bytes": 245_760}),
    "60 files of 4 kB one after the other over SMB1, 20 ms", path(100 * MBIT, 20), smbd({"f": (60, 4096)}),
    ("smbclient", {"args": (["mget f*"],), "bytes": 245_760, "dialect": "NT1"}), vantages=("client", "server"))

add("smb3-mput-60x4k-10ms",
    Expect("small-files-metadata", buckets={"round-trip": (0.75, 1.0)},
           transfer={"protocol": "smb2", "direction": "write", "file": None, "files": 60, "bytes": 245_760}),
    "60 files of 4 kB written one after the other, 10 ms", path(100 * MBIT, 10), smbd({}),
    ("smbclient", {"args": (["mput f*"],), "bytes": 245_760, "files": {"f": (60, 4096)}}), vantages=("middle",))

add("smb3-list-and-stat-100",
    Expect("directory-enumeration", also_right=("small-files-metadata", "no-oplock-rereads"),
           tolerated=("small-files-metadata", "no-oplock-rereads"),
           transfer={"protocol": "smb2", "direction": "read", "file": None, "files": 100, "bytes": 0},
           note="E37: one listing, then the attributes of each entry by themselves"),
    "a folder of 100 files is listed and each entry asked for its attributes, 10 ms", path(100 * MBIT, 10),
    smbd({"d/f": (100, 100)}), serial("list", "d"))

add("smb3-list-8000",
    Expect("directory-enumeration", also_right=("server-slow-metadata",), tolerated=("server-slow-metadata", "smb-serial-requests"),
           transfer={"protocol": "smb2", "direction": "read", "file": None, "bytes": 0},
           note="E37: a large folder listed over a long path in buffers of 64 KiB and less"),
    "a folder of 8000 files is listed three times, 50 ms, dialect 2.0.2", path(100 * MBIT, 50), smbd({"d/some-longer-file-name-": (8000, 1)}),
    ("smbclient", {"args": (["cd d", "ls", "ls", "ls"],), "dialect": "SMB2_02"}), vantages=("client", "server"))

add("smb2-missing-files-200",
    Expect("repeated-failed-opens", also_right=("small-files-metadata",), tolerated=("small-files-metadata",),
           transfer={"protocol": "smb2", "direction": "read", "file": None, "bytes": 0}, note="E38"),
    "200 opens of names that do not exist, 10 ms", path(100 * MBIT, 10), smbd(BIG), play("missing"))

add("smb2-rereads-no-oplock",
    Expect("no-oplock-rereads", also_right=("smb-small-requests", "smb-serial-requests"),
           tolerated=("smb-small-requests", "smb-serial-requests"), buckets={"round-trip": (0.70, 1.0)},
           transfer=smb_read(2 * MIB), note="the same 512 KiB are read four times; the client did not ask for an oplock"),
    "the same 32 blocks of 16 KiB are read four times without an oplock, 10 ms", path(100 * MBIT, 10), smbd(BIG),
    play("reread", count=32))

add("smb3-session-per-file",
    Expect("session-churn", also_right=("small-files-metadata",), tolerated=("small-files-metadata", "session-setup-slow"),
           transfer={"protocol": "smb2", "direction": "read", "file": None, "files": 30, "bytes": 900_000},
           note="E45: a session for each of 30 files"),
    "30 files of 30 kB, a new connection and session for each, 10 ms", path(100 * MBIT, 10), smbd({"f": (30, 30_000)}),
    serial("churn", "f", count=30), twin={"client": serial("churn", "f", count=30, keep=1)})

# -- hosts ------------------------------------------------------------------------------------------------------

add("smb3-server-slow-read-pipelined",
    Expect("server-slow-read", tolerated=(), buckets={"server-processing+sender-stalled": (0.40, 0.90)}, transfer=smb_read(8 * MIB),
           note="E40: one spindle, 1 MiB each 200 ms; several reads wait in line"),
    "each pread of the server takes 200 ms, one at a time; the client keeps several 1 MiB reads in flight, 1 ms, 100 Mbit/s",
    path(100 * MBIT, 1), smbd({"big.bin": 8 * MIB}, disk={"READ_US": 200_000, "PATH": "/data/", "SERIAL": 1}), get(8 * MIB),
    twin={"server": smbd({"big.bin": 8 * MIB})})

add("smb3-server-slow-write",
    Expect("server-slow-write", tolerated=("smb-serial-requests", "smb-small-requests"),
           buckets={"server-processing": (0.60, 0.90)}, transfer=smb_write(4 * MIB), note="E40"),
    "each pwrite of the server takes 20 ms, one 64 KiB write at a time, 1 ms, 100 Mbit/s", path(100 * MBIT, 1),
    smbd({}, disk={"WRITE_US": 20000, "PATH": "/data/"}), serial("write", "up.bin", block=65536), twin={"server": smbd({})})

add("smb1-server-slow-read",
    Expect("server-slow-read", tolerated=("smb1-chatty", "smb-serial-requests", "smb-small-requests"),
           buckets={"server-processing+sender-stalled": (0.60, 0.90)}, transfer=smb_read(3 * MIB, protocol="smb1")),
    "each pread of the server takes 20 ms, SMB1, 1 ms, 100 Mbit/s", path(100 * MBIT, 1),
    smbd({"big.bin": 3 * MIB}, disk={"READ_US": 20000, "PATH": "/data/"}),
    serial("read", "big.bin", block=61440, dialect="NT1", bytes=3 * MIB), twin={"server": smbd({"big.bin": 3 * MIB})},
    vantages=("client", "server"))

add("smb3-server-slow-open",
    Expect("server-slow-metadata", also_right=("small-files-metadata",), tolerated=("small-files-metadata",),
           buckets={"server-processing": (0.60, 1.0)},
           transfer={"protocol": "smb2", "direction": "read", "file": None, "files": 60, "bytes": 245_760}),
    "each open of a file takes the server 15 ms and more, 60 files of 4 kB, 1 ms", path(100 * MBIT, 1),
    smbd({"f": (60, 4096)}, disk={"OPEN_US": 15000, "PATH": "/data/f"}), ("smbclient", {"args": (["mget f*"],), "bytes": 245_760}),
    twin={"server": smbd({"f": (60, 4096)})})

add("smb2-flush-each-write",
    Expect("flush-write-through", also_right=("server-slow-write",), tolerated=("server-slow-write", "smb-serial-requests", "smb-small-requests"),
           buckets={"server-processing": (0.50, 0.90)}, transfer=smb_write(40 * 64 * KIB), note="E39"),
    "a FLUSH after each 64 KiB, the server's disk takes 25 ms to sync, 1 ms, 100 Mbit/s", path(100 * MBIT, 1),
    smbd({}, disk={"SYNC_US": 25000, "PATH": "/data/"}), play("flush"), twin={"client": play("flush", every=1000)})

add("smb2-write-through",
    Expect("flush-write-through", also_right=("server-slow-write",), tolerated=("server-slow-write", "smb-serial-requests", "smb-small-requests"),
           buckets={"server-processing": (0.50, 0.90)}, transfer=smb_write(40 * 64 * KIB)),
    "each WRITE asks for write-through, the server's disk takes 25 ms to sync, 1 ms, 100 Mbit/s", path(100 * MBIT, 1),
    smbd({}, disk={"SYNC_US": 25000, "PATH": "/data/"}), play("through"), twin={"client": play("flush", every=1000)},
    vantages=("client", "server"))

add("smb2-locked-range",
    Expect("byte-range-locks", also_right=("client-think",), tolerated=("client-think",),
           transfer=smb_read(64 * KIB), note="E43: the client asks every 100 ms for a lock that another holds"),
    "a byte range is locked by another client; thirty tries 100 ms apart, 5 ms", path(100 * MBIT, 5), smbd(BIG), play("lock"))

add("smb2-oplock-break",
    Expect("oplock-break", also_right=("server-slow-metadata",), tolerated=("server-slow-metadata", "client-think", "session-churn"),
           buckets={}, transfer=smb_read(6 * 64 * KIB), note="E43: each open waits half a second for another client's answer"),
    "another client holds a batch oplock and answers each break after 500 ms, six times, 5 ms", path(100 * MBIT, 5), smbd(BIG),
    play("oplock"))

add("smb2-copy-through-client",
    Expect("copy-through-client", also_right=(None, "smb-serial-requests"), tolerated=("smb-serial-requests",),
           transfer=smb_read(6 * MIB), note="reads and writes back what the server could have copied by itself"),
    "a file is copied on the server by reading and writing 1 MiB blocks, 1 ms, 100 Mbit/s", path(100 * MBIT, 1),
    smbd({"big.bin": 6 * MIB}), play("through_client"), vantages=("client", "server"))

add("smb3-tree-connect-slow",
    Expect("session-setup-slow", transfer=smb_read(1 * MIB), note="root preexec of the share sleeps 2 s"),
    "the server runs a script of 2 s at each tree connect, 5 ms", path(100 * MBIT, 5),
    smbd({"big.bin": 1 * MIB}, share={"root preexec": "/bin/sleep 2"}), get(1 * MIB, whole=True), twin={"server": smbd({"big.bin": 1 * MIB})})

# -- names and connections --------------------------------------------------------------------------------------

add("smb3-445-filtered",
    Expect("port-445-filtered", also_right=("connect-retries",), tolerated=("connect-retries", "smb2-no-large-mtu"),
           transfer=smb_read(1 * MIB), note="E51: the client tries 445 for 4 s, then goes over port 139"),
    "the server's firewall drops port 445 silently; the client gives up after 4 s and uses 139, 5 ms",
    path(100 * MBIT, 5, block_from_up=445, block_to_up=445),
    smbd({"big.bin": 1 * MIB}, ports=(139,)),
    ("several", {"args": ([("smbclient", {"args": ([],), "give_up": 4}),
                           ("smbclient", {"args": (["get big.bin /dev/null"],), "port": 139, "bytes": 1 * MIB})],)}),
    vantages=("client",))

add("smb3-netbios-name-lookup",
    Expect("name-resolution-delay", transfer=smb_read(1 * MIB), note="E50: the first two name queries are lost"),
    "the server's NetBIOS name is asked for by broadcast every 750 ms, the first two queries are lost, 5 ms",
    path(100 * MBIT, 5, drop_udp_up=2), smbd({"big.bin": 1 * MIB}, nmbd=True),
    ("several", {"args": ([("script", {"args": ("nameplay.py", "ask", "LABSERVER", "10.77.0.255")}),
                           ("smbclient", {"args": (["get big.bin /dev/null"],), "bytes": 1 * MIB})],)}),
    vantages=("client", "middle"), twin={"path": path(100 * MBIT, 5)})
