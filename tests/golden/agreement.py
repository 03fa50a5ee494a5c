#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Captures of one transfer at the client, in the middle and at the server must give one primary cause and one budget.

Stored runs with several captures are compared, cause by cause and bucket by bucket. Where they are known to differ stands, with what differs
and the reason, in tests/golden/known-disagreements; a line there that is no longer true fails, so that the list stays honest.
"""

import argparse
import concurrent.futures
import dataclasses
import os
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KNOWN = os.path.join(ROOT, "tests", "golden", "known-disagreements")
sys.path.insert(0, os.path.join(ROOT, "testdata", "lab"))

import accuracy  # noqa: E402
import pcapfile  # noqa: E402

# The budgets agree within this share of the wall time, or a round trip: what passes one place when a transfer begins or ends
# passes another up to a round trip earlier or later.
AGREEMENT = 0.05
# What one place can tell apart and another cannot: beyond a loss only the pause is seen, not what ended it.
FAMILIES = {"rto-stall": "loss", "tail-loss": "loss", "loss-recovery": "loss"}


@dataclasses.dataclass
class Comparison:
    """What the places say of one run."""
    run: str
    places: int
    causes: set
    bucket: str
    difference: float
    allowed: float

    def differs(self):
        """What they do not agree about: "cause", "budget", "cause+budget", or nothing."""
        found = ["cause"] * (len(self.causes) > 1) + ["budget"] * (self.difference > self.allowed)
        return "+".join(found)

    def __str__(self):
        names = " or ".join(sorted(cause or "none" for cause in self.causes))
        return f"{self.run}: {names} at {self.places} places, {self.bucket} differs by {self.difference:.0%} of {self.allowed:.0%}"


def family_shares(row):
    """{bucket or family: share of wall time}"""
    sums = {}
    for name, share in row["shares"].items():
        sums[FAMILIES.get(name, name)] = sums.get(FAMILIES.get(name, name), 0) + share
    return sums


def without(shares, buckets):
    """Shares of the wall time that is left without some buckets."""
    left = 1 - sum(shares.get(bucket, 0) for bucket in buckets)
    return {name: share / left for name, share in shares.items() if name not in buckets} if left > 0 else {}


def compare(rows, unseen=()):
    """Comparison of the rows of one run, of all the time or of what is left without buckets that do not pass all places."""
    shares = [without(family_shares(row), unseen) for row in rows]
    names = sorted({name for one in shares for name in one})
    spread = [(max(one.get(name, 0) for one in shares) - min(one.get(name, 0) for one in shares), name) for name in names]
    difference, name = max(spread, default=(0, "no bucket"))
    allowed = max([AGREEMENT] + [row["rtt_share"] for row in rows])
    return Comparison(rows[0]["run"], len(rows), {row["given"] for row in rows}, name, difference, allowed)


def read_known():
    """{run: (what differs, buckets that do not pass all places, "a+b", or "-"; reason)}"""
    with open(KNOWN, encoding="utf-8") as file:
        lines = [line.split(None, 3) for line in file if line.strip() and not line.startswith("#")]
    return {run: tuple(rest) for run, *rest in lines}


def verdict_of(rows, known):
    """(whether that is as it should be, line to print)"""
    comparison = compare(rows)
    expected, unseen = known.get(comparison.run, ("", "-"))[:2]
    is_right = comparison.differs() == expected
    text = str(comparison)
    if unseen != "-":  # the time that all of them see must agree all the same
        rest = compare(rows, unseen.split("+"))
        is_right = is_right and "budget" not in rest.differs()
        text += f"; without {unseen} {rest.bucket} by {rest.difference:.0%}"
    return is_right, f"{'ok' if is_right else 'not ok'} {text}{f' (known: {expected})' if expected else ''}"


def check_itself():
    """The comparison must be able to fail: a cause, a bucket, a place alone, and a line of the list that is no longer true."""
    def row(given, rtt_share=0.0, **shares):
        return {"run": "made", "given": given, "rtt_share": rtt_share, "shares": shares}
    known = {"made": ("budget", "-", "")}
    setup = {"made": ("budget", "setup", "")}
    cases = (
        ("the same", [row("a", link=0.9), row("a", link=0.88), row("a", link=0.9)], {}, True),
        ("another cause at the third place", [row("a", link=0.9), row("a", link=0.9), row("b", link=0.9)], {}, False),
        ("no cause at one place", [row("a", link=0.9), row(None, link=0.9)], {}, False),
        ("another budget at the third place", [row("a", link=0.9), row("a", link=0.9), row("a", link=0.84)], {}, False),
        ("no transfer at one place", [row("a", link=0.9), row("a")], {}, False),
        ("known", [row("a", link=0.9), row("a", link=0.1)], known, True),
        ("known, and true no longer", [row("a", link=0.9), row("a", link=0.9)], known, False),
        ("known, and the cause differs now as well", [row("a", link=0.9), row("b", link=0.1)], known, False),
        ("a bucket that passes one place alone", [row("a", link=0.9), row("a", setup=0.5, link=0.45)], setup, True),
        ("the same, and the rest differs", [row("a", link=0.9), row("a", setup=0.5, link=0.35)], setup, False),
    )
    wrong = [name for name, rows, listed, is_right in cases if verdict_of(rows, listed)[0] != is_right]
    for name in wrong:
        print(f"not ok the comparison itself: {name}")
    return len(wrong)


def stored(name, vantage):
    """A stored capture: (link type, frames)."""
    folder = next(folder for folder in accuracy.stored_runs(("causes",)) if os.path.basename(folder) == name)
    return pcapfile.read(os.path.join(folder, f"{vantage}.pcap.gz"))


def later(frames, after, by_ns):
    """The frames after one come later."""
    return [pcapfile.Frame(f.time_ns + (by_ns if i >= after else 0), f.data, f.wire_len) for i, f in enumerate(frames)]


def without_data_connections(frames, count=None):
    """IPv4 frames of the control connection (port 21) alone; or of all but the first other connections' first @count frames."""
    kept, dropped = [], 0
    for frame in frames:
        is_control = b"\x00\x15" in (frame.data[34:36], frame.data[36:38])
        if is_control or (count is not None and dropped >= count):
            kept.append(frame)
        else:
            dropped += 1
    return kept


def check_conclusions(program):
    """Failures of data connections that a place only hears of, and what must not be taken for one."""
    link, dead = stored("ftp-pasv-dead-port", "client")
    tries = sum(f.data[47] == 2 and b"\x00\x15" not in (f.data[34:36], f.data[36:38]) and f.data[34:36] != b"\x00\x14" for f in dead)
    lost = without_data_connections(dead, tries)
    resume = next(i for i, f in enumerate(lost) if i and f.time_ns - lost[i - 1].time_ns > 3_000_000_000)
    wait = lost[resume].time_ns - lost[resume - 1].time_ns
    healthy = without_data_connections(stored("ftp-200x3k-10ms", "middle")[1])
    cases = (("passive ports that nobody came to", lost, True),
             ("another way prepared at once", later(lost, resume, 500_000_000 - wait), False),
             ("files whose data connections were not captured", healthy, False))
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, frames, is_failure in cases:
            path = os.path.join(folder, "made.pcap")
            pcapfile.write(path, link, frames)
            told = {finding["cause"] for finding in accuracy.report_of(program, path).get("findings", [])}
            is_right = ("ftp-port-pasv-failure" in told) == is_failure
            failed += not is_right
            print(f"{'ok' if is_right else 'not ok'} {name}: {'a failure' if is_failure else 'none'}")
    return failed


def check_near_misses(program):
    """What a place concludes of what it does not see must not be concluded of waits that only look alike."""
    syn, hole = stored("ftp-active-syn-lost", "client"), stored("ftp-retr-black-hole-dead", "client")
    cases = (
        # the server's SYN is the 19th frame: two seconds after RETR it is one sent again, after 2.5 no host tries again
        ("a data connection as late as SYNs are repeated", syn[0], syn[1], "connection-setup"),
        ("a data connection that is just late", syn[0], later(syn[1], 18, 500_000_000), "server-processing"),
        # the last but one frame alone tells that data had been sent
        ("data that never came, and the sender's number", *hole, "rto-stall"),
        ("a data connection on which nothing was sent", hole[0], hole[1][:-2], None))
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, link, frames, bucket in cases:
            path = os.path.join(folder, "made.pcap")
            pcapfile.write(path, link, frames)
            shares = accuracy.shares_of(accuracy.main_transfer(accuracy.report_of(program, path), {"file": "big.bin"}))
            is_right = shares.get(bucket, 0) > 0.8 if bucket else "rto-stall" not in shares
            failed += not is_right
            print(f"{'ok' if is_right else 'not ok'} {name}: {bucket or 'no stall'}")
    return failed


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/release/slowcopy")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("folders", nargs="*", metavar="RUN", help="folders of runs recorded anew instead of the stored ones")
    options = parser.parse_args()
    known, failed, compared = read_known(), check_itself(), set()
    folders = [folder.rstrip("/") for folder in options.folders] or accuracy.stored_runs(("causes", "healthy"))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = list(pool.map(lambda folder: accuracy.rows_of(folder, options.program), folders))
    for rows in runs:
        if len(rows) < 2:
            continue
        compared.add(rows[0]["run"])
        is_right, text = verdict_of(rows, known)
        failed += not is_right
        print(text)
    if options.folders:
        return 1 if failed or not compared else 0
    failed += check_near_misses(options.program) + check_conclusions(options.program)
    for run in sorted(set(known) - compared):
        print(f"not ok {run}: known-disagreements names a run that is not stored")
        failed += 1
    return 1 if failed or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
