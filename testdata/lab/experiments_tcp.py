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
    Expect("window-scale-off", tolerated=("receive-window-small",),
           buckets={"receive-window": (0.68, 0.92)}, transfer=smb_read(4 * MIB),
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
    folder="direction-asymmetry", keep_all=True, twin={"server": smbd({"big.bin": 6 * MIB})})


# -- windows and buffers ----------------------------------------------------------------------------------------

add("smb3-get-client-rcvbuf-16k",
    Expect("receive-window-small", buckets={"receive-window": (0.80, 1.0)}, transfer=smb_read(4 * MIB),
           note="E02: the client is the receiver"),
    "the client's socket options SO_RCVBUF=16384, 10 ms, 200 Mbit/s", path(200 * MBIT, 10),
    smbd({"big.bin": 4 * MIB}), get(4 * MIB, conf=SMALL_RCVBUF), twin={"client": get(4 * MIB)}, vantages=("client", "server"))

for size, low, high, total in ((8192, 0.85, 1.0, 1 * MIB), (32768, 0.65, 0.95, 2 * MIB), (65536, 0.40, 0.85, 4 * MIB)):
    add(f"tcp-rcvbuf-{size // KIB}k-20ms",
        Expect("receive-window-small", buckets={"receive-window": (low, high)}, transfer=plain(total), note="E03"),
        f"SO_RCVBUF={size} at the client, 20 ms, 100 Mbit/s", path(100 * MBIT, 20),
        ("tcpload", {"role": "send", "bytes": total}), ("tcpload", {"role": "receive", "rcvbuf": size}),
        twin={"client": ("tcpload", {"role": "receive"})}, vantages=("middle",))

add("ftp-stor-rmem-32k-20ms",
    Expect("receive-window-small", also_right=("autotuning-restricted",), tolerated=("autotuning-restricted",),
           buckets={"receive-window": (0.70, 1.0)},
           transfer={"protocol": "ftp", "direction": "write", "file": "up.bin", "bytes": 2 * MIB}),
    "tcp_rmem limited to 32 kB on the FTP server, upload, 20 ms, 100 Mbit/s", path(100 * MBIT, 20),
    ("vsftpd", {}), ("curl", {"args": (["up/"],), "options": ["-T", "LOCAL/up.bin"], "files": {"up.bin": 2 * MIB}}),
    sysctl={"server": {"tcp_rmem": "4096 32768 32768"}}, twin={"sysctl": {}})

add("smb3-put-no-window-scale-server-50ms",
    Expect("window-scale-off", tolerated=("receive-window-small", "window-scale-stripped"),
           buckets={"receive-window": (0.66, 0.92)}, transfer=smb_write(3 * MIB),
           note="E04: the SYN offers window scaling, the SYN-ACK does not"),
    "tcp_window_scaling=0 on the server, upload, 50 ms", path(100 * MBIT, 50), smbd({}), put(3 * MIB),
    sysctl={"server": {"tcp_window_scaling": 0}}, twin={"sysctl": {}})

add("smb3-get-window-scale-stripped-50ms",
    Expect("window-scale-stripped", also_right=("window-scale-off",), tolerated=("window-scale-off", "receive-window-small"),
           buckets={"receive-window": (0.64, 0.90)}, transfer=smb_read(3 * MIB),
           note="E05: a box replaces the option of the SYN by three NOPs; the client's capture alone cannot tell the box "
                "from a server without the option"),
    "the path strips the window scale from the SYN, 50 ms", path(100 * MBIT, 50, strip_up=1), smbd({"big.bin": 3 * MIB}),
    get(3 * MIB), twin={"path": path(100 * MBIT, 50)})

add("tcp-window-scale-stripped-synack",
    Expect("window-scale-stripped", also_right=("receive-window-small", "window-scale-off"),
           tolerated=("receive-window-small", "window-scale-off", "delayed-ack-nagle", "client-think", "rto-stall"),
           transfer=plain(18_000, "write"),
           note="3.3(e): the SYN-ACK loses its option, so the client takes scaled windows for tiny ones"),
    "the path strips the window scale from the SYN-ACK alone, upload of 18 kB, 10 ms", path(100 * MBIT, 10, strip_down=1),
    ("tcpload", {"role": "receive"}), ("tcpload", {"role": "send", "bytes": 18_000}), twin={"path": path(100 * MBIT, 10)})

add("smb3-get-rmem-256k-40ms",
    Expect("autotuning-restricted", also_right=("receive-window-small",), tolerated=("receive-window-small",),
           buckets={"receive-window": (0.55, 0.90)}, transfer=smb_read(8 * MIB), note="E06"),
    "tcp_rmem limited to 256 KiB on the client, 40 ms, 200 Mbit/s", path(200 * MBIT, 40), smbd({"big.bin": 8 * MIB}),
    get(8 * MIB), sysctl={"client": {"tcp_rmem": "4096 65536 262144"}}, twin={"sysctl": {}}, vantages=("client", "server"))

add("smb3-get-server-sndbuf-16k",
    Expect("send-buffer-small", buckets={"send-buffer+congestion-window": (0.60, 1.0)}, transfer=smb_read(2 * MIB),
           tolerated=("direction-asymmetry",), note="E09: smb.conf on the sending side"),
    "smb.conf socket options SO_SNDBUF=16384, segments not grouped (gso_max_segs 1), download, 20 ms, 100 Mbit/s",
    path(100 * MBIT, 20), smbd({"big.bin": 2 * MIB}, conf={"socket options": "TCP_NODELAY SO_SNDBUF=16384"}), get(2 * MIB),
    links={"server": {"gso_max_segs": 1}}, twin={"server": smbd({"big.bin": 2 * MIB})})

add("tcp-idle-restart",
    Expect("idle-restart", also_right=("slow-start-short",), tolerated=("slow-start-short", "client-think"),
           transfer=plain(2 * MIB),
           note="E11: bursts of 2 MiB every 2.5 s; each starts from a small window again; the pauses are the program's"),
    "five bursts of 2 MiB with pauses of 2.5 s, 100 ms, 100 Mbit/s, tcp_slow_start_after_idle=1", path(100 * MBIT, 100),
    ("tcpload", {"role": "send", "bytes": 10 * MIB, "messages": 5, "chunk": 2 * MIB, "pause_us": 2_500_000}),
    ("tcpload", {"role": "receive", "bytes": 10 * MIB, "messages": 5}), twin={"sysctl": {"server": {"tcp_slow_start_after_idle": 0}}})

add("ftp-small-files-100ms",
    Expect("slow-start-short", also_right=("ftp-connection-per-file", "ftp-control-round-trips"),
           tolerated=("ftp-connection-per-file", "ftp-control-round-trips"),
           transfer={"protocol": "ftp", "direction": "read", "file": None, "files": 12, "bytes": 3_600_000}),
    "twelve files of 300 kB, each in a connection of its own, 100 ms, 100 Mbit/s", path(100 * MBIT, 100),
    ("vsftpd", {"files": {"f": (12, 300_000)}}), ("curl", {"args": (["f[0-11]"],)}), vantages=("client", "server"))

# -- loss -------------------------------------------------------------------------------------------------------

add("smb3-get-loss-2pc-0ms",
    Expect(buckets={LOSS: (0.0, 0.30)}, transfer=smb_read(4 * MIB), tolerated=("loss-random",),
           note="on so short a path the loss costs less than a tenth of a second, so it is not why anything is slow"),
    "2 % of the data segments lost at random, 0.3 ms, 100 Mbit/s", path(100 * MBIT, 0.3, loss_down=0.02),
    smbd({"big.bin": 4 * MIB}), get(4 * MIB), seed=3, twin={"path": path(100 * MBIT, 0.3)}, cost_max_s=0.08, vantages=("client", "server"))

add("smb3-get-loss-1pc-50ms",
    Expect("loss-random", buckets={LOSS: (0.60, 1.0)}, transfer=smb_read(6 * MIB),
           tolerated=("rto-stall", "tail-loss", "slow-start-short")),
    "1 % of the data segments lost at random, 50 ms, 100 Mbit/s", path(100 * MBIT, 50, loss_down=0.01),
    smbd({"big.bin": 6 * MIB}), get(6 * MIB), seed=4, twin={"path": path(100 * MBIT, 50)})

add("ftp-stor-loss-1pc-upstream",
    Expect("loss-random", buckets={LOSS: (0.65, 1.0)}, tolerated=("rto-stall", "tail-loss"),
           transfer={"protocol": "ftp", "direction": "write", "file": "up.bin", "bytes": 4 * MIB},
           note="E12: lost before the middle vantage point, which sees holes that are filled late"),
    "1 % of the data segments of an FTP upload lost at random before the middle, 10 ms, 100 Mbit/s",
    path(100 * MBIT, 10, loss_up=0.01, mirror_after_up=1), ("vsftpd", {}),
    ("curl", {"args": (["up/"],), "options": ["-T", "LOCAL/up.bin"], "files": {"up.bin": 4 * MIB}}), seed=5,
    twin={"path": path(100 * MBIT, 10)})

add("smb1-put-loss-1pc",
    Expect("loss-random", buckets={LOSS: (0.65, 1.0)}, tolerated=("rto-stall", "tail-loss"),
           transfer=smb_write(4 * MIB, protocol="smb1")),
    "1 % of the data segments lost at random, SMB1 upload, 10 ms, 100 Mbit/s", path(100 * MBIT, 10, loss_up=0.01),
    smbd({}), put(4 * MIB, dialect="NT1"), seed=6, twin={"path": path(100 * MBIT, 10)}, vantages=("client", "server"))

add("smb3-get-burst-loss",
    Expect("loss-random", also_right=("loss-congestive", "rto-stall"), tolerated=("rto-stall", "tail-loss", "loss-congestive"),
           buckets={LOSS: (0.60, 1.0)}, transfer=smb_read(8 * MIB), note="loss comes in bursts of about 4 ms"),
    "burst loss (Gilbert by time: good 60 ms, bad 4 ms, 50 % lost while bad), 20 ms, 100 Mbit/s",
    path(100 * MBIT, 20, burst_good_down=60, burst_bad_down=4, burst_loss_down=0.5), smbd({"big.bin": 8 * MIB}),
    get(8 * MIB), seed=8, twin={"path": path(100 * MBIT, 20)})

add("tcp-two-flows-short-queue",
    Expect("loss-congestive", also_right=("loss-random",), tolerated=("loss-random", "cross-traffic", "rto-stall", "tail-loss"),
           buckets={LOSS: (0.15, 0.90)}, transfer=plain(2 * MIB), note="E13: losses come when the queue is full"),
    "two iperf3 flows share 50 Mbit/s with a queue of 20 packets, 40 ms", path(50 * MBIT, 40, queue=30_000),
    ("iperf3", {}), ("iperf3", {"args": (["-R", "-P", "2", "-n", "4M"],)}), headers_only=True)

add("smb3-get-short-queue-50ms",
    Expect("loss-congestive", also_right=("loss-random",), tolerated=("loss-random", "rto-stall", "tail-loss"),
           buckets={LOSS: (0.30, 0.95)}, transfer=smb_read(8 * MIB),
           note="the queue holds 15 packets on a path that has 430 in flight"),
    "100 Mbit/s, 50 ms, queue of 15 packets", path(100 * MBIT, 50, queue=22_000), smbd({"big.bin": 8 * MIB}), get(8 * MIB),
    twin={"path": path(100 * MBIT, 50)})

add("tcp-backoff-small-messages",
    Expect("rto-stall", also_right=("tail-loss",), tolerated=("tail-loss", "loss-random"),
           buckets={"rto-stall+tail-loss": (0.70, 1.0)}, transfer=plain(60_000),
           note="E14: each lost message is lost three times, so the timer doubles"),
    "four of sixty one-segment messages and their first two repeats are lost, 10 ms",
    path(100 * MBIT, 10, drop_byte_down="12500:3,26500:3,41500:3,55500:3"),
    ("tcpload", {"role": "send", "bytes": 60_000, "messages": 60}),
    ("tcpload", {"role": "receive", "bytes": 60_000, "messages": 60}), twin={"path": path(100 * MBIT, 10)})

add("smb3-get-tail-loss-small-files",
    Expect("tail-loss", also_right=("rto-stall",), tolerated=("rto-stall", "small-files-metadata", "loss-random"),
           transfer={"protocol": "smb2", "direction": "read", "file": None, "files": 20, "bytes": 400_000},
           note="no early probe (tcp_early_retrans=0), so each lost tail waits for the timer"),
    "single segments of twenty small files lost, tcp_early_retrans=0 at the server, 5 ms",
    path(100 * MBIT, 5, burst_good_down=60, burst_bad_down=4, burst_loss_down=1), smbd({"f": (20, 20_000)}),
    ("smbclient", {"args": (["mget f*"],), "bytes": 400_000}), sysctl={"server": {"tcp_early_retrans": 0}}, seed=9,
    twin={"path": path(100 * MBIT, 5)})

add("tcp-delay-spikes",
    Expect("spurious-retransmission", also_right=("rto-stall",), tolerated=("rto-stall", "tail-loss", "reordering"),
           transfer=plain(8 * MIB), note="E16: nothing is lost; the path stands still for 400 ms and then delivers everything"),
    "400 ms of extra delay for 300 ms, four times, nothing lost, 10 ms, 50 Mbit/s",
    path(50 * MBIT, 10, queue=512 * KIB, spike_at_down=150, spike_down=300, spike_delay_down=400_000, spike_every_down=1100),
    ("tcpload", {"role": "send", "bytes": 8 * MIB}), ("tcpload", {"role": "receive", "rcvbuf": 131072}),
    twin={"path": path(50 * MBIT, 10, queue=512 * KIB)})

add("tcp-delay-spikes-no-timestamps",
    Expect("spurious-retransmission", also_right=("rto-stall",), tolerated=("rto-stall", "tail-loss", "reordering"),
           required=("timestamps-disabled",), transfer=plain(8 * MIB),
           note="timers that expired for nothing, and no timestamps that would have told so"),
    "400 ms of extra delay for 300 ms, four times, nothing lost, timestamps off at both hosts, 10 ms, 50 Mbit/s",
    path(50 * MBIT, 10, queue=512 * KIB, spike_at_down=150, spike_down=300, spike_delay_down=400_000, spike_every_down=1100),
    ("tcpload", {"role": "send", "bytes": 8 * MIB}), ("tcpload", {"role": "receive", "rcvbuf": 131072}),
    sysctl={"both": {"tcp_timestamps": 0}}, folder="timestamps-disabled", vantages=("server",),
    twin={"path": path(50 * MBIT, 10, queue=512 * KIB)})

add("tcp-reordering-costly",
    Expect("reordering", also_right=("spurious-retransmission",), tolerated=("spurious-retransmission", "sack-disabled"),
           transfer=plain(4 * MIB), note="without SACK and timestamps the sender takes reordering for loss"),
    "3 % of the segments 4 ms late, tcp_sack=0 and tcp_timestamps=0, 20 ms, 100 Mbit/s",
    path(100 * MBIT, 20, reorder_down=0.03, reorder_delay_down=4000), ("tcpload", {"role": "send", "bytes": 4 * MIB}),
    ("tcpload", {"role": "receive"}),
    sysctl={"server": {"tcp_sack": 0, "tcp_timestamps": 0, "tcp_recovery": 0, "tcp_max_reordering": 3}},
    twin={"path": path(100 * MBIT, 20)})

add("tcp-no-sack-burst-loss",
    Expect("sack-disabled", also_right=("loss-random", "loss-congestive", "rto-stall"),
           tolerated=("loss-random", "loss-congestive", "rto-stall", "tail-loss"), buckets={LOSS: (0.60, 1.0)},
           required=("sack-disabled",), transfer=plain(8 * MIB), note="E18: several holes a window, one round trip each"),
    "burst loss and tcp_sack=0 at the server, 20 ms, 100 Mbit/s",
    path(100 * MBIT, 20, burst_good_down=100, burst_bad_down=2, burst_loss_down=0.4), ("tcpload", {"role": "send", "bytes": 8 * MIB}),
    ("tcpload", {"role": "receive"}), sysctl={"server": {"tcp_sack": 0}}, seed=11, twin={"sysctl": {}})

add("tcp-ecn-marks",
    Expect("ecn-congestion", also_right=("loss-congestive",), buckets={"congestion-window": (0.50, 1.0)},
           transfer=plain(6 * MIB), note="E20: marked instead of dropped"),
    "the queue marks CE above 20 packets, 50 ms, 100 Mbit/s, tcp_ecn=1", path(100 * MBIT, 50, mark_ce_down=30000),
    ("tcpload", {"role": "send", "bytes": 6 * MIB}), ("tcpload", {"role": "receive"}), sysctl={"both": {"tcp_ecn": 1}},
    twin={"path": path(100 * MBIT, 50)})

add("tcp-ecn-all-marked",
    Expect("ecn-broken", buckets={"congestion-window": (0.50, 1.0)}, transfer=plain(1 * MIB),
           note="a device that writes the traffic class byte whole; no packet waits and none is lost"),
    "a device marks CE in every ECN-capable packet, 10 ms, 100 Mbit/s, tcp_ecn=1", path(100 * MBIT, 10, mark_all_down=1),
    ("tcpload", {"role": "send", "bytes": 1 * MIB}), ("tcpload", {"role": "receive"}), sysctl={"both": {"tcp_ecn": 1}},
    twin={"path": path(100 * MBIT, 10)}, vantages=("client",))

# -- path -------------------------------------------------------------------------------------------------------

add("smb3-get-black-hole-probing",
    Expect("pmtud-black-hole", tolerated=("rto-stall", "mss-clamped"), buckets={"rto-stall+tail-loss": (0.70, 1.0)},
           transfer=smb_read(1 * MIB), note="E22: the server probes for the path MTU after four timeouts and goes on"),
    "IP packets over 1400 bytes vanish on the way to the client, tcp_mtu_probing=1 at the server, 10 ms",
    path(100 * MBIT, 10, mtu_down=1400), smbd({"big.bin": 1 * MIB}), get(1 * MIB), sysctl={"server": {"tcp_mtu_probing": 1}},
    twin={"path": path(100 * MBIT, 10)})

add("ftp-retr-black-hole-dead",
    Expect("pmtud-black-hole", tolerated=("rto-stall",),
           transfer={"protocol": "ftp", "direction": "read", "file": "big.bin", "bytes": 0},
           note="E22: never recovers; the client gives up after 12 s"),
    "IP packets over 1400 bytes vanish on the way to the client, 10 ms; the client waits 12 s",
    path(100 * MBIT, 10, mtu_down=1400), ("vsftpd", {"files": {"big.bin": 1 * MIB}}),
    ("curl", {"args": (["big.bin"],), "options": ["--max-time", "12"], "check": False}))

add("tcp-mss-536",
    Expect("mss-clamped", also_right=(None,), buckets={"link": (0.85, 1.0)}, transfer=plain(4 * MIB),
           note="E23: more header bytes, about 8 % of the link time; a full link is a right verdict too"),
    "the path clamps the MSS to 536, 10 ms, 20 Mbit/s", path(20 * MBIT, 10, mss=536), ("tcpload", {"role": "send", "bytes": 4 * MIB}),
    ("tcpload", {"role": "receive"}), twin={"path": path(20 * MBIT, 10)}, vantages=("middle",))

add("tcp-duplex-mismatch",
    Expect("duplex-mismatch", also_right=("loss-random",), tolerated=("loss-random", "rto-stall", "tail-loss"),
           buckets={LOSS: (0.30, 1.0)}, transfer=plain(4 * MIB), note="E26: data is lost when an ACK is on the wire"),
    "data frames that meet a reverse frame within 120 us are lost, 1 ms, 100 Mbit/s", path(100 * MBIT, 1, collide_down=120),
    ("tcpload", {"role": "send", "bytes": 4 * MIB}), ("tcpload", {"role": "receive"}), twin={"path": path(100 * MBIT, 1)})

add("smb3-get-policer-20m",
    Expect("policing", also_right=("loss-congestive",), tolerated=("loss-random", "loss-congestive", "rto-stall", "tail-loss"),
           buckets={LOSS: (0.50, 1.0)}, transfer=smb_read(4 * MIB), note="E27: 20 Mbit/s, bucket of 60 kB"),
    "a policer of 20 Mbit/s with a burst of 60 kB on a 100 Mbit/s path, 20 ms",
    path(100 * MBIT, 20, police_down=20 * MBIT, police_burst_down=60_000), smbd({"big.bin": 4 * MIB}), get(4 * MIB),
    twin={"path": path(100 * MBIT, 20, shape_down=20 * MBIT, shape_burst_down=60_000)})

add("tcp-policer-5m",
    Expect("policing", also_right=("loss-congestive",), tolerated=("loss-random", "loss-congestive", "rto-stall", "tail-loss"),
           buckets={LOSS: (0.50, 1.0)}, transfer=plain(3 * MIB),
           note="E27: 5 Mbit/s, bucket of 20 kB, less than a round trip carries; who queues instead of dropping reaches the limit"),
    "a policer of 5 Mbit/s with a burst of 20 kB on a 100 Mbit/s path, 40 ms",
    path(100 * MBIT, 40, police_down=5 * MBIT, police_burst_down=20_000), ("tcpload", {"role": "send", "bytes": 3 * MIB}),
    ("tcpload", {"role": "receive"}), twin={"path": path(100 * MBIT, 40, shape_down=5 * MBIT, shape_burst_down=20_000)},
    vantages=("middle", "server"))

add("tcp-shaper-50m",
    Expect("shaping", also_right=(None,), buckets={"link": (0.75, 1.0)}, transfer=plain(10 * MIB),
           note="E28: a burst of 1 MB at 200 Mbit/s, then 50 Mbit/s; the link is full, so no problem is a right verdict"),
    "a shaper of 50 Mbit/s after 1 MB at 200 Mbit/s, queue of 200 ms, 10 ms",
    path(200 * MBIT, 10, queue=1_250_000, shape_down=50 * MBIT, shape_burst_down=1_000_000),
    ("tcpload", {"role": "send", "bytes": 10 * MIB}), ("tcpload", {"role": "receive"}), vantages=("client", "middle"))

add("smb3-get-cross-traffic",
    Expect("cross-traffic", also_right=(None, "loss-congestive"), tolerated=("loss-congestive", "loss-random"),
           transfer=smb_read(3 * MIB), note="another download of the same client takes its share, and the capture holds it"),
    "two other downloads run beside the SMB download, 10 ms, 25 Mbit/s", path(25 * MBIT, 10, queue=128 * KIB),
    smbd({"big.bin": 3 * MIB}), get(3 * MIB, pause=1),
    before=tuple(("server", "BIN/tcpload", "listen", "10.77.0.1", port, "send", "bytes=4500000") for port in ("5002", "5003")) +
    tuple(("client", "sh", "-c", f"sleep 0.7; exec BIN/tcpload connect 10.77.0.1 {port} receive") for port in ("5002", "5003")),
    twin={"before": ()}, vantages=("middle",))

add("tcp-ack-path-congested",
    Expect("ack-path-congested", also_right=("slow-start-short", "congestion-window"),
           tolerated=("slow-start-short", "cross-traffic"), transfer=plain(4 * MIB),
           note="the upload of the same client fills the 1 Mbit/s way back, so the ACKs come late"),
    "20 Mbit/s down, 1 Mbit/s up with a queue of 64 KiB that an upload keeps full, 20 ms",
    path(None, 20, rate_down=20 * MBIT, queue_down=200 * KIB, rate_up=1 * MBIT, queue_up=64 * KIB),
    ("tcpload", {"role": "send", "bytes": 4 * MIB}),
    ("tcpload", {"role": "receive", "start_after": 3}),
    before=(("server", "BIN/tcpload", "listen", "10.77.0.1", "5002", "receive"),
            ("client", "sh", "-c", "sleep 1; exec BIN/tcpload connect 10.77.0.1 5002 send bytes=2000000")),
    twin={"before": ()})

add("tcp-syn-lost",
    Expect("connect-retries", buckets={}, transfer=plain(1 * MIB), note="E52: the first two SYNs are lost; they come again after 1 s"),
    "the first two SYNs are lost, 10 ms, 100 Mbit/s", path(100 * MBIT, 10, drop_syn_up=2),
    ("tcpload", {"role": "send", "bytes": 1 * MIB}), ("tcpload", {"role": "receive"}), twin={"path": path(100 * MBIT, 10)})

add("ipv6-smb3-put-rcvbuf-16k",
    Expect("receive-window-small", buckets={"receive-window": (0.80, 1.0)}, transfer=smb_write(2 * MIB), note="E01 over IPv6"),
    "smb.conf socket options SO_RCVBUF=16384 on the server, IPv6, 10 ms, 200 Mbit/s", path(200 * MBIT, 10),
    smbd({}, conf=SMALL_RCVBUF), put(2 * MIB), ipv6=True, twin={"server": smbd({})}, vantages=("middle",))

add("tcp-loss-1pc-down-ipv6",
    Expect("loss-random", buckets={LOSS: (0.65, 1.0)}, transfer=plain(4 * MIB), tolerated=("rto-stall", "tail-loss")),
    "1 % of the data segments lost at random, IPv6, 10 ms, 100 Mbit/s", path(100 * MBIT, 10, loss_down=0.01),
    ("tcpload", {"role": "send", "bytes": 4 * MIB, "address": "fd77::1"}), ("tcpload", {"role": "receive", "address": "fd77::1"}), ipv6=True,
    seed=12, twin={"path": path(100 * MBIT, 10)}, vantages=("client", "server"))
