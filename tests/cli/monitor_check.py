#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks `slowcopy monitor` from outside and prints "ok NAME" or "not ok NAME" for each check.

A replayed capture gives what `analyze` says of it; lines are whole and of the schema; signals do
what the manual says; as root, an interface between two network namespaces is listened to.
SLOWCOPY_PROGRAM names the program.
"""

import calendar
import glob
import gzip
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

PROGRAM = os.path.abspath(os.environ.get("SLOWCOPY_PROGRAM", "build/release/slowcopy"))
EVENTS = {"start", "transfer", "finding", "stall", "summary", "drops", "limit", "stop",
          "saved", "interface", "clock", "started"}
COMMON = {"event", "schema", "ts", "sensor", "run", "seq"}
# one capture of each kind: SMB 1 to 3, FTP, unknown protocols, jobs, several sessions, a pause
CAPTURES = [
    "smb-serial-requests", "smb1-chatty", "receive-window-small", "ftp-connection-per-file",
    "ftp-restart", "direction-asymmetry", "copy-through-client", "server-slow-read",
    "rto-stall", "session-churn", "small-files-metadata", "delayed-ack-nagle", "client-think",
    "loss-random", "name-resolution-delay", "zero-window"]

failed = False


def failures():
    return failed


def report(name, problem=None, skip=None):
    global failed
    if skip:
        print(f"ok {name} # SKIP {skip}")
        return
    failed = failed or bool(problem)
    print(f"{'not ok' if problem else 'ok'} {name}")
    if problem:
        print(f"  {problem}")
    sys.stdout.flush()


def parse_lines(text):
    """The objects of all lines; raises ValueError when a line is not what it should be."""
    events = []
    if text and not text.endswith("\n"):
        raise ValueError("the last line is not whole")
    for line in text.splitlines():
        event = json.loads(line)
        if not COMMON <= event.keys() or event["event"] not in EVENTS:
            raise ValueError(f"not an event: {line[:200]}")
        if event["schema"] != "slowcopy.event/1":
            raise ValueError(f"schema {event['schema']}")
        if event["event"] in ("transfer", "finding", "stall", "limit") and \
                not isinstance(event.get(event["event"]), dict):
            raise ValueError(f"no object: {line[:200]}")
        events.append(event)
    return events


def monitor(*arguments):
    done = subprocess.run([PROGRAM, "monitor", *arguments], capture_output=True, text=True,
                          timeout=300, check=False)
    return done.returncode, done.stdout, done.stderr


def key_of(transfer):
    return (transfer["id"][0], transfer["client"], transfer["server"], transfer["protocol"],
            transfer["direction"], transfer["file"] or "", transfer["bytes"],
            transfer["start_ns"])


def causes_of_report(report_json):
    cause = {f["id"]: f["cause"] for f in report_json["findings"]}
    return sorted((key_of(t), sorted(cause[f] for f in t["findings"]))
                  for t in report_json["transfers"] + report_json["jobs"])


def causes_of_events(events):
    cause = {e["finding"]["id"]: e["finding"]["cause"] for e in events
             if e["event"] == "finding"}
    return sorted((key_of(e["transfer"]), sorted(cause[f] for f in e["transfer"]["findings"]))
                  for e in events if e["event"] == "transfer")


def check_replay(path, name):
    done = subprocess.run([PROGRAM, "analyze", "--json", path], capture_output=True, timeout=300,
                          check=False)
    status, out, error = monitor("-r", path)
    if status != 0:
        return report(name, f"exit status {status}: {error}")
    try:
        events = parse_lines(out)
    except ValueError as problem:
        return report(name, str(problem))
    expected, found = causes_of_report(json.loads(done.stdout)), causes_of_events(events)
    different = [pair for pair in zip(expected, found) if pair[0] != pair[1]][:3]
    if len(expected) != len(found):
        different = f"{len(expected)} transfers in the report, {len(found)} in the lines"
    if [e["event"] for e in events][:1] != ["start"] or events[-1]["event"] != "stop":
        different = "not from start to stop"
    return report(name, different or None)


def check_replays():
    for cause in CAPTURES:
        for folder in sorted(glob.glob(f"testdata/causes/{cause}/*"))[:1]:
            paths = sorted(glob.glob(folder + "/*.pcap*"))
            if paths:
                check_replay(paths[0], f"replay equals analyze: {cause}")


def ipv4(protocol, payload_len):
    return struct.pack(">BBHHHBBHII", 0x45, 0, (20 + payload_len) & 0xffff, 0, 0, 64, protocol, 0,
                       0xc6336401, 0xc6336402)


def in_vxlan(wirelen):
    """What a switch puts before a mirrored frame, RFC 7348."""
    udp = struct.pack(">HHHH", 50000, 4789, (16 + wirelen) & 0xffff, 0)
    return ipv4(17, 16 + wirelen) + udp + struct.pack(">II", 0x08000000, 77 << 8)


def in_erspan(wirelen):
    """ERSPAN type II in GRE with a sequence number, draft-foschiano-erspan-03."""
    gre = struct.pack(">HHI", 0x1000, 0x88be, 1)
    return ipv4(47, 16 + wirelen) + gre + struct.pack(">HHI", 0x1001, 5, 0)


def check_mirrors(work, capture):
    """A mirror that comes in a tunnel is seen as what is in it."""
    with gzip.open(capture) as file:
        data = file.read()
    found = []
    for number, wrap in enumerate((None, in_vxlan, in_erspan)):
        path = os.path.join(work, f"mirror{number}.pcap")
        with open(path, "wb") as out:
            out.write(data[:24])
            at = 24
            while wrap and at + 16 <= len(data):
                seconds, ns, caplen, wirelen = struct.unpack("<IIII", data[at:at + 16])
                outer = bytes(12) + b"\x08\x00" + wrap(wirelen)
                out.write(struct.pack("<IIII", seconds, ns, caplen + len(outer),
                                      wirelen + len(outer)))
                out.write(outer + data[at + 16:at + 16 + caplen])
                at += 16 + caplen
            if not wrap:
                out.write(data[24:])
        events = parse_lines(monitor("-r", path)[1])
        # notes have thresholds that a few bytes more on the wire may pass
        notes = {e["cause"] for e in events if e["event"] == "finding" and e["severity"] == "info"}
        found.append([(key, [c for c in causes if c not in notes])
                      for key, causes in causes_of_events(events)])
    report("mirrors in VXLAN and ERSPAN are unwrapped", None if any(c for _, c in found[0]) and
           found[0] == found[1] == found[2] else str(found))


def check_started(capture):
    """Beginnings are told once each, before ends."""
    _, out, _ = monitor("-r", capture, "--started")
    events = parse_lines(out)
    started = [e for e in events if e["event"] == "started"]
    ended = [e for e in events if e["event"] == "transfer" and not e["is_job"]]
    long = [(e["start"], e["client"], e["file"]) for e in ended if e["duration_ns"] > 1.2e9]
    told = [(e["ts"], e["client"], e["file"]) for e in started]
    problem = None
    if not long or [t for t in long if told.count(t) != 1] or len(told) != len(set(told)):
        problem = f"{told} {long}"
    report("beginnings are told once", problem)


def check_usage():
    problems = [arguments for arguments in
                ([], ["-i", "x", "-r", "y"], ["-r", "y", "--memory", "no"], ["y"],
                 ["-r", "y", "--interval", "0"], ["--nonsense"])
                if monitor(*arguments)[0] != 2]
    report("wrong usage exits with 2", problems)
    report("a file that is not there exits with 3",
           None if monitor("-r", "/nonexistent.pcap")[0] == 3 else "it does not")
    status, out, error = monitor("-i", "no-such-interface")
    report("an interface that is not there exits with 3",
           None if status == 3 and "no-such-interface" in error and not out else error)


def check_metrics(work, capture):
    path = os.path.join(work, "slowcopy.prom")
    monitor("-r", capture, "--metrics-file", path)
    with open(path, encoding="utf-8") as file:
        lines = [line for line in file.read().splitlines() if not line.startswith("#")]
    values = dict(line.rsplit(" ", 1) for line in lines)
    lost = float(values.get('slowcopy_lost_seconds_total{cause="smb-serial-requests"}', 0))
    problem = None
    if not 0.1 < lost < 60 or float(values["slowcopy_packets_total"]) < 1000:
        problem = str(values)
    if os.path.exists(path + ".new"):
        problem = "the file beside it is still there"
    report("metrics of a replay", problem)
    if shutil.which("promtool"):
        with open(path, "rb") as file:
            done = subprocess.run(["promtool", "check", "metrics"], stdin=file,
                                  capture_output=True, text=True, check=False)
        report("metrics please promtool", done.stderr if done.returncode else None)
    else:
        report("metrics please promtool", skip="promtool is not installed")


def check_full_disk(capture):
    if not os.path.exists("/dev/full"):
        return report("a full disk is told", skip="there is no /dev/full")
    status, _, error = monitor("-r", capture, "-o", "/dev/full")
    return report("a full disk is told",
                  None if status == 4 and "No space left" in error else f"{status}: {error}")


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def text_of(path):
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()


class Network:
    """Two namespaces joined by a cable."""

    def __init__(self):
        self.names = [f"slowcopy-{os.getpid()}-{i}" for i in (0, 1)]
        self.cards = [f"sc{os.getpid() % 100000}v{i}" for i in (0, 1)]

    @staticmethod
    def ip(*words):
        subprocess.run(["ip", *words], check=True, capture_output=True)

    def __enter__(self):
        ip = self.ip
        try:
            for name in self.names:
                ip("netns", "add", name)
            ip("link", "add", self.cards[0], "netns", self.names[0], "type", "veth",
               "peer", "name", self.cards[1], "netns", self.names[1])
            for i in (0, 1):
                ip("-n", self.names[i], "addr", "add", f"192.0.2.{i + 1}/24", "dev",
                   self.cards[i])
                ip("-n", self.names[i], "link", "set", self.cards[i], "up")
        except (OSError, subprocess.CalledProcessError):
            self.__exit__()
            return None
        return self

    def __exit__(self, *_):
        for name in self.names:
            subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)

    def call(self, side, *command):
        """Whether @command succeeds there."""
        return self.start(side, *command, stderr=subprocess.DEVNULL).wait(60) == 0

    def start(self, side, *command, **more):
        return subprocess.Popen(["ip", "netns", "exec", self.names[side], *command], **more)


# a reader with a small buffer that takes a little now and then: the sender waits for its window
SERVER = """
import socket
s = socket.create_server(("192.0.2.2", 7000))
c, _ = s.accept()
c.recv(100)
c.sendall(b"x" * 1500000)
c.close()
"""
CLIENT = """
import socket, time
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
s.connect(("192.0.2.2", 7000))
s.sendall(b"please")
while True:
    got = s.recv(60000, socket.MSG_WAITALL)
    if not got:
        break
    time.sleep(0.12)
"""


def without_start(pairs):
    return sorted(((key[:-1], causes) for key, causes in pairs), key=str)


def check_vanishing(work):
    """An interface that is removed and comes back."""
    name = "an interface that went away is opened again"
    if os.geteuid() != 0 or not shutil.which("ip"):
        return report(name, skip="this is not root, or iproute2 is missing")
    with Network() as network:
        if not network:
            return report(name, skip="no network namespaces here")
        lines = os.path.join(work, "vanishing.ndjson")
        errors = os.path.join(work, "vanishing.txt")
        space, card = network.names[0], network.cards[0]
        environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=0")
        with open(errors, "wb") as file:
            watcher = network.start(0, PROGRAM, "monitor", "-i", card, "-o", lines,
                                    *(["--no-seccomp"] if "/asan/" in PROGRAM else []),
                                    stderr=file, env=environment)
        wait_for(lambda: '"start"' in text_of(lines))
        subprocess.run(["ip", "-n", space, "link", "del", card], check=True)
        gone = wait_for(lambda: "waiting for it" in text_of(errors))
        subprocess.run(["ip", "-n", space, "link", "add", card, "type", "veth", "peer",
                        "name", card + "p"], check=True)
        for end in (card, card + "p"):
            subprocess.run(["ip", "-n", space, "link", "set", end, "up"], check=True)
        back = wait_for(lambda: "is back" in text_of(errors))
        watcher.send_signal(signal.SIGTERM)
        status = watcher.wait(60)
        report(name, None if gone and back and status == 0 else text_of(errors))


def check_live(work):
    name = "live findings equal those of tcpdump's file"
    if os.geteuid() != 0:
        return report(name, skip="this is not root")
    if not shutil.which("ip") or not shutil.which("tcpdump"):
        return report(name, skip="iproute2 or tcpdump is missing")
    with Network() as network:
        if not network:
            return report(name, skip="no network namespaces here")
        return check_live_in(network, work, name)


def check_live_in(network, work, name):
    os.chmod(work, 0o777)
    lines, dump = os.path.join(work, "lines.ndjson"), os.path.join(work, "dump.pcap")
    # a sanitizer looks for leaks with calls that are refused here, and must be allowed to trace
    is_sanitized = "/asan/" in PROGRAM
    environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=0") if is_sanitized else None
    watcher = network.start(0, PROGRAM, "monitor", "-i", network.cards[0], "-o", lines,
                            "-f", "tcp", *(["--no-seccomp"] if is_sanitized else []),
                            stderr=subprocess.PIPE, text=True, env=environment)
    tcpdump = network.start(0, "tcpdump", "-i", network.cards[0], "-s", "256", "-U", "-w", dump,
                            "-Z", "root", "--time-stamp-precision=nano", "tcp",
                            stderr=subprocess.PIPE, text=True)
    try:
        started = wait_for(lambda: '"start"' in text_of(lines))
        seen = threading.Thread(target=tcpdump.stderr.readline)
        seen.start()
        seen.join(30)
        server = network.start(1, sys.executable, "-c", SERVER)
        time.sleep(1)
        subprocess.run(["ip", "netns", "exec", network.names[0], sys.executable, "-c", CLIENT],
                       check=False, timeout=120)
        server.wait(60)
        told = wait_for(lambda: '"transfer"' in text_of(lines), 60)
        report("a transfer is told of while listening", None if told else text_of(lines))
        os.rename(lines, lines + ".1")
        watcher.send_signal(signal.SIGHUP)
        reopened = wait_for(lambda: os.path.exists(lines))
        watcher.send_signal(signal.SIGUSR1)
        summary = wait_for(lambda: '"summary"' in text_of(lines))
        report("SIGHUP opens the output anew, SIGUSR1 makes a summary",
               None if reopened and summary else f"{reopened} {summary}")
        status = text_of(f"/proc/{watcher.pid}/status")
        uid = next((line.split()[1] for line in status.splitlines()
                    if line.startswith("Uid:")), "?")
        report("it is not root any more", "it still is" if uid == "0" else None)
    finally:
        watcher.send_signal(signal.SIGTERM)
        tcpdump.send_signal(signal.SIGINT)
        _, error = watcher.communicate(timeout=60)
        tcpdump.communicate(timeout=60)
    events = parse_lines(text_of(lines + ".1") + text_of(lines))
    report("SIGTERM ends it with 0 and a stop line",
           None if watcher.returncode == 0 and events and events[-1]["event"] == "stop"
           and events[-1]["reason"] == "signal" else f"{watcher.returncode} {error}")
    done = subprocess.run([PROGRAM, "analyze", "--json", dump], capture_output=True, check=False)
    expected = without_start(causes_of_report(json.loads(done.stdout)))
    found = without_start(causes_of_events(events))
    report(name, None if started and expected and expected == found
           else f"{expected} is not {found} {error}")


def write_flood(path, start_s, count, gap_ns):
    """Half-open connections, each from another address."""
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, 1))
        for i in range(count):
            ip = struct.pack(">BBHHHBBHII", 0x45, 0, 44, 0, 0, 64, 6, 0, 0x0b000000 + i, 0xc0000201)
            tcp = struct.pack(">HHIIBBHHHI", 1024 + i % 60000, 445, i, 0, 0x60, 2, 64240, 0, 0,
                              0x020405b4)
            frame = bytes(12) + b"\x08\x00" + ip + tcp
            seconds, ns = divmod(i * gap_ns, 10 ** 9)
            file.write(struct.pack("<IIII", start_s + seconds, ns, len(frame), len(frame)))
            file.write(frame)


def check_memory(work):
    """A flood of half-open connections: what is given up is told, and memory holds."""
    path, lines = os.path.join(work, "flood.pcap"), os.path.join(work, "flood.ndjson")
    write_flood(path, 1700000000, 60000, 50000)
    most = 8 * 2 ** 20
    with subprocess.Popen([PROGRAM, "monitor", "-r", path, "-o", lines, "--memory", "8M"]) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
    limits = sum(e["limit"]["count"] for e in parse_lines(text_of(lines))
                 if e["event"] == "limit" and e["limit"]["limit"] == "flows")
    flows = most * 3 // 8 // 12288
    # what nDPI's tables take comes on top of 8 MiB, so that fewer are kept for a while
    report("evictions are told", None if 60000 - flows <= limits <= 60000 - 16 else
           f"{limits}, {flows} kept")
    if "/asan/" in PROGRAM:
        return report("memory holds", skip="a sanitizer needs memory of its own")
    # libraries and their tables, which nDPI's are most of, come on top
    return report("memory holds", None if usage.ru_maxrss * 1024 < most + 32 * 2 ** 20
                  else f"{usage.ru_maxrss} KiB")


def check_flood(work, capture):
    """A transfer goes on while half-open connections come by the ten thousand a second."""
    done = subprocess.run([PROGRAM, "analyze", "--json", capture], capture_output=True, check=False)
    alone = json.loads(done.stdout)
    start = alone["capture"]["first_packet"]
    start_s = int(calendar.timegm(time.strptime(start[:19], "%Y-%m-%dT%H:%M:%S")))
    flood = os.path.join(work, "flood2.pcap")
    write_flood(flood, start_s, 80000, 50000)
    _, out, _ = monitor("-r", capture, "-r", flood, "--memory", "8M")
    expected = [(t["file"], t["bytes"], t["duration_ns"]) for t in alone["transfers"]]
    found = [(e["file"], e["bytes"], e["duration_ns"]) for e in parse_lines(out)
             if e["event"] == "transfer" and not e["is_job"]]
    report("a flood does not end a transfer", None if expected and expected == found
           else f"{expected} is not {found}")


def check_interrupted(work):
    """A replay that is stopped in the middle ends with a stop line too."""
    fifo, lines = os.path.join(work, "fifo"), os.path.join(work, "cut.ndjson")
    os.mkfifo(fifo)
    with subprocess.Popen([PROGRAM, "monitor", "-r", fifo, "-o", lines]) as process:
        with open(fifo, "wb") as pipe:
            # pcap's header, and one packet that never comes
            pipe.write(bytes.fromhex("d4c3b2a1020004000000000000000000ffff000001000000"))
            pipe.flush()
            time.sleep(0.5)
            process.send_signal(signal.SIGTERM)
            time.sleep(0.2)
        process.wait(60)
    events = parse_lines(text_of(lines))
    report("SIGTERM ends a replay", None if events and events[-1]["event"] == "stop"
           else str(events))


def main():
    work = tempfile.mkdtemp(prefix="slowcopy-monitor-")
    capture = sorted(glob.glob("testdata/causes/smb-serial-requests/*/client.pcap.gz"))[0]
    try:
        check_usage()
        check_replays()
        check_started(sorted(glob.glob("testdata/causes/loss-random/*/client.pcap.gz"))[0])
        check_mirrors(work, capture)
        check_metrics(work, capture)
        check_full_disk(capture)
        check_interrupted(work)
        check_memory(work)
        check_flood(work, capture)
        check_vanishing(work)
        check_live(work)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
