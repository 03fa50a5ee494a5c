# SPDX-License-Identifier: GPL-3.0-or-later
"""Causes in FTP. E numbers are those of the catalogue's list of experiments."""
from experiments import MBIT, Expect, add, path

add("ftp-200x3k-10ms",
    Expect("ftp-connection-per-file", also_right=("ftp-control-round-trips",), tolerated=("ftp-control-round-trips",),
           buckets={"connection-setup+round-trip+slow-start+server-processing+session-setup": (0.80, 1.0)},
           transfer={"protocol": "ftp", "direction": "read", "file": None, "files": 200, "bytes": 600_000},
           note="E47: about five round trips a file; the budget is that of the job"),
    "200 files of 3 kB, each with a data connection of its own, 10 ms, 100 Mbit/s", path(100 * MBIT, 10),
    ("vsftpd", {"files": {"f": (200, 3000)}}), ("curl", {"args": (["f[0-199]"],), "bytes": 600_000}))
