# SPDX-License-Identifier: GPL-3.0-or-later
"""Causes in TCP and in the path. E numbers are those of the catalogue's list of experiments."""
from experiments import KIB, MBIT, MIB, Expect, add, get, path, plain, put, smb_read, smb_write, smbd

SMALL_RCVBUF = {"socket options": "TCP_NODELAY SO_RCVBUF=16384"}
LOSS = "loss-recovery+congestion-window+rto-stall+tail-loss"

add("smb3-put-rcvbuf-16k",
    Expect("receive-window-small", buckets={"receive-window": (0.80, 1.0)}, transfer=smb_write(4 * MIB),
           tolerated=("direction-asymmetry",), note="E01: the server is the receiver"),
    "smb.conf socket options SO_RCVBUF=16384 on the server, 10 ms, 200 Mbit/s", path(200 * MBIT, 10),
    smbd({}, conf=SMALL_RCVBUF), put(4 * MIB), twin={"server": smbd({})})

add("smb3-get-no-window-scale-50ms",
    Expect("window-scale-off", also_right=(), tolerated=("receive-window-small",),
           buckets={"receive-window": (0.75, 1.0)}, transfer=smb_read(4 * MIB),
           note="E04: the client's SYN has no window scale"),
    "tcp_window_scaling=0 on the client, 50 ms", path(100 * MBIT, 50),
    smbd({"big.bin": 4 * MIB}), get(4 * MIB), sysctl={"client": {"tcp_window_scaling": 0}}, twin={"sysctl": {}})

add("smb3-get-loss-1pc",
    Expect("loss-random", buckets={LOSS: (0.70, 1.0)}, transfer=smb_read(4 * MIB),
           tolerated=("rto-stall", "tail-loss", "fast-retransmit"), note="E12: lost behind the middle vantage point"),
    "1 % of the data segments towards the client lost at random, 10 ms, 100 Mbit/s",
    path(100 * MBIT, 10, loss_down=0.01), smbd({"big.bin": 4 * MIB}), get(4 * MIB), seed=7,
    twin={"path": path(100 * MBIT, 10)})

add("tcp-rto-stall",
    Expect("rto-stall", buckets={"rto-stall": (0.35, 0.70)}, transfer=plain(4 * MIB),
           tolerated=("loss-random", "loss-congestive"),
           note="E14: nothing passes for 150 ms, so the probe is lost as well and only the timer goes on"),
    "the path towards the client is dead for 150 ms, twice a second, 10 ms, 20 Mbit/s",
    path(20 * MBIT, 10, blackout_at_down=200, blackout_down=150, blackout_every_down=500),
    ("tcpload", {"role": "send", "bytes": 4 * MIB}), ("tcpload", {"role": "receive"}), twin={"path": path(20 * MBIT, 10)})

TAILS = ",".join(f"{n * 100_000 - 1}:2" for n in range(2, 9))
add("tcp-tail-loss",
    Expect("tail-loss", also_right=("rto-stall",), tolerated=("rto-stall", "loss-random"),
           buckets={"tail-loss+rto-stall": (0.70, 1.0)}, transfer=plain(1_000_000),
           note="E15: at the server and in the middle the timer can be seen, at the client only the pause"),
    "the last segment of seven of ten 100 kB messages and its tail-loss probe are lost, 10 ms, 100 Mbit/s",
    path(100 * MBIT, 10, drop_byte_down=TAILS), ("tcpload", {"role": "send", "bytes": 1_000_000, "messages": 10}),
    ("tcpload", {"role": "receive", "bytes": 1_000_000, "messages": 10}), twin={"path": path(100 * MBIT, 10)})

add("tcp-slow-reader",
    Expect("slow-reader", also_right=("zero-window",), tolerated=("zero-window", "receive-window-small"),
           buckets={"slow-reader+zero-window": (0.85, 1.0)}, transfer=plain(2 * MIB), note="E08"),
    "the client reads 16 KiB every 20 ms, 10 ms, 100 Mbit/s", path(100 * MBIT, 10),
    ("tcpload", {"role": "send", "bytes": 2 * MIB}),
    ("tcpload", {"role": "receive", "chunk": 16384, "pause_us": 20000, "rcvbuf": 65536}),
    twin={"client": ("tcpload", {"role": "receive", "rcvbuf": 65536})})

add("tcp-zero-window",
    Expect("zero-window", also_right=("slow-reader",), tolerated=("slow-reader",),
           buckets={"zero-window+slow-reader": (0.80, 1.0)}, transfer=plain(1 * MIB),
           note="E07: repeats into the closed window are not loss"),
    "the client sleeps 0.3 s before each read of 64 KiB, receive buffer 64 KiB, 10 ms, 100 Mbit/s",
    path(100 * MBIT, 10), ("tcpload", {"role": "send", "bytes": 1 * MIB}),
    ("tcpload", {"role": "receive", "chunk": 65536, "pause_us": 300000, "rcvbuf": 65536}),
    twin={"client": ("tcpload", {"role": "receive", "rcvbuf": 65536})})

add("tcp-sndbuf-16k",
    Expect("send-buffer-small", buckets={"send-buffer+congestion-window": (0.70, 1.0)}, transfer=plain(2 * MIB),
           note="E09: bucket send-buffer is wanted, its neighbour congestion-window is accepted for a part"),
    "SO_SNDBUF=16384 at the sender, segments not grouped (gso_max_segs 1), 20 ms, 100 Mbit/s", path(100 * MBIT, 20),
    ("tcpload", {"role": "send", "bytes": 2 * MIB, "sndbuf": 16384}), ("tcpload", {"role": "receive"}),
    links={"server": {"gso_max_segs": 1}}, twin={"server": ("tcpload", {"role": "send", "bytes": 2 * MIB})})

add("tcp-slow-start-600k-100ms",
    Expect("slow-start-short", buckets={"slow-start": (0.55, 0.95)}, transfer=plain(600_000), note="E10"),
    "600 kB over 100 ms: the transfer ends while the window still doubles", path(100 * MBIT, 100),
    ("tcpload", {"role": "send", "bytes": 600_000}), ("tcpload", {"role": "receive"}),
    sysctl={"server": {"tcp_slow_start_after_idle": 0}})

add("tcp-delayed-ack-nagle",
    Expect("delayed-ack-nagle", buckets={"delayed-ack-stall": (0.80, 1.0)}, transfer=plain(9600, "write"),
           note="E21: write 60 B, write 100 B, read the answer"),
    "60 exchanges of two small writes and a read, no TCP_NODELAY, 4 ms", path(100 * MBIT, 4),
    ("tcpload", {"role": "answer"}), ("tcpload", {"role": "ask", "exchanges": 60}),
    twin={"client": ("tcpload", {"role": "ask", "exchanges": 60, "nodelay": 1})})

add("smb3-put-slow-get-fast",
    Expect("receive-window-small", also_right=("direction-asymmetry",), tolerated=("direction-asymmetry",),
           required=("direction-asymmetry",), buckets={"receive-window": (0.80, 1.0)}, transfer=smb_write(6 * MIB),
           note="E29: upload held by the server's small receive buffer, download by the same client full speed"),
    "smb.conf socket options SO_RCVBUF=16384 on the server; one capture holds a put and a get of 6 MiB, 10 ms, "
    "200 Mbit/s", path(200 * MBIT, 10), smbd({"big.bin": 6 * MIB}, conf=SMALL_RCVBUF),
    ("smbclient", {"args": (["put up.bin up.bin", "get big.bin /dev/null"],), "bytes": 12 * MIB,
                   "files": {"up.bin": 6 * MIB}}),
    folder="direction-asymmetry", twin={"server": smbd({"big.bin": 6 * MIB})})
