#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks `slowcopy monitor` on live interfaces and prints "ok NAME" or "not ok NAME" for each check.

Real servers between two network namespaces, both sides of a tap, packets the kernel drops, a disk
that is full, a clock that is set, a killed monitor. Needs root; SLOWCOPY_PROGRAM names the program.
"""

import ftplib
import glob
import gzip
import io
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

from monitor_check import (
    CLIENT, PROGRAM, SERVER, Network, causes_of_events, causes_of_report, failures, parse_lines,
    report, text_of, wait_for, without_start)

IS_SANITIZED = "/asan/" in PROGRAM
TAP_CAPTURE = "testdata/causes/smb-serial-requests/smb3-serial-64k-10ms/middle.pcap.gz"


class Watcher:
    """A monitor in namespace 0, told to stop at the end."""

    def __init__(self, network, work, name, *arguments, cards=None, env=None, side=0):
        self.lines = os.path.join(work, name + ".ndjson")
        self.errors = os.path.join(work, name + ".txt")
        interfaces = [word for card in cards or [network.cards[side]] for word in ("-i", card)]
        environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=0", **(env or {}))
        with open(self.errors, "wb") as errors:
            self.process = network.start(
                side, PROGRAM, "monitor", *interfaces, "-o", self.lines, *arguments,
                *(["--no-seccomp"] if IS_SANITIZED else []), stderr=errors, env=environment)
        wait_for(lambda: '"start"' in text_of(self.lines) or self.process.poll() is not None)

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)
        return self.events()

    def events(self):
        return parse_lines(text_of(self.lines))

    def told(self):
        return text_of(self.errors)


def tcpdump(network, dump, side=0, *expression, card=None):
    process = network.start(side, "tcpdump", "-i", card or network.cards[side], "-s", "256", "-U", "-w", dump,
                            "-Z", "root", "--time-stamp-precision=nano", *expression,
                            stderr=subprocess.PIPE, text=True)
    seen = threading.Thread(target=process.stderr.readline)
    seen.start()
    seen.join(30)
    return process


def causes_of_files(*paths):
    done = subprocess.run([PROGRAM, "analyze", "--json", *paths], capture_output=True, check=False)
    return without_start(causes_of_report(json.loads(done.stdout)))


def slow_transfer(network):
    """A reader that takes little now and then: the sender waits for its window."""
    server = network.start(1, sys.executable, "-c", SERVER)
    time.sleep(1)
    network.start(0, sys.executable, "-c", CLIENT).wait(120)
    server.wait(60)


# ---- real servers

def write_smb_conf(folder):
    conf, data = os.path.join(folder, "smb.conf"), os.path.join(folder, "data")
    settings = {
        "server role": "standalone server", "workgroup": "TEST", "netbios name": "TESTSERVER",
        "load printers": "no", "printcap name": "/dev/null", "disable spoolss": "yes",
        "rpc start on demand helpers": "no", "log file": f"{folder}/log.smbd", "log level": "0",
        "bind interfaces only": "yes", "interfaces": "192.0.2.2/24", "smb ports": "445",
        "map to guest": "Bad User", "guest account": "nobody", "multicast dns register": "no",
        "usershare max shares": "0", "name resolve order": "host"}
    for name in ("private dir", "lock directory", "state directory", "cache directory",
                 "pid directory", "ncalrpc dir"):
        settings[name] = os.path.join(folder, name.replace(" ", "-"))
        os.makedirs(settings[name], exist_ok=True)
        os.chmod(settings[name], 0o755)
    os.makedirs(os.path.join(settings["private dir"], "msg.sock"), mode=0o700, exist_ok=True)
    os.makedirs(data, exist_ok=True)
    with open(conf, "w", encoding="utf-8") as file:
        file.write("[global]\n" + "".join(f"{k} = {v}\n" for k, v in settings.items()))
        file.write(f"[data]\npath = {data}\nguest ok = yes\nread only = no\nforce user = root\n")
    with open(os.path.join(data, "big.bin"), "wb") as file:
        file.write(b"the same line again and again\n" * 500000)
    return conf


def write_vsftpd_conf(folder):
    conf, root, empty = (os.path.join(folder, name) for name in ("vsftpd.conf", "ftp", "empty"))
    os.makedirs(os.path.join(root, "up"))
    os.makedirs(empty)
    os.chmod(os.path.join(root, "up"), 0o777)
    with open(os.path.join(root, "paced.bin"), "wb") as file:
        file.write(b"the same line again and again\n" * 100000)
    settings = {
        "listen": "YES", "background": "NO", "anonymous_enable": "YES", "local_enable": "NO",
        "no_anon_password": "YES", "anon_root": root, "anon_upload_enable": "YES",
        "write_enable": "YES", "anon_umask": "022", "seccomp_sandbox": "NO", "isolate": "NO",
        "isolate_network": "NO", "secure_chroot_dir": empty, "xferlog_enable": "NO",
        "ftp_username": "ftp", "anon_max_rate": "1000000"}
    with open(conf, "w", encoding="utf-8") as file:
        file.write("".join(f"{k}={v}\n" for k, v in settings.items()))
    return conf


# reads the other end of a pipe a little at a time, as a program that works on what it gets
SLOW_PIPE = """
import os, sys, time
f = os.open(sys.argv[1], os.O_RDONLY)
while os.read(f, 1 << 16):
    time.sleep(0.01)
"""
FTP_CLIENT = """
import ftplib, io
with ftplib.FTP("192.0.2.2") as ftp:
    ftp.login()
    ftp.retrbinary("RETR paced.bin", lambda data: None)
    ftp.cwd("up")
    for i in range(20):
        ftp.storbinary(f"STOR file{i}", io.BytesIO(b"x" * 2000))
"""


def use_servers(network, folder):
    """What people do with smbd and vsftpd; returns what went wrong."""
    smb, ftp = write_smb_conf(folder), write_vsftpd_conf(folder)
    # smbd ends its whole process group with itself
    smbd = network.start(1, "smbd", "-F", "--no-process-group", "-s", smb,
                         start_new_session=True)
    vsftpd = network.start(1, "vsftpd", ftp)
    try:
        for port in (445, 21):
            if not wait_for(lambda: network.call(0, sys.executable, "-c", "import socket; "
                                                 f"socket.create_connection(('192.0.2.2', {port}))"), 30):
                return f"port {port} does not answer"
        pipe = os.path.join(folder, "pipe")
        os.mkfifo(pipe)
        reader = subprocess.Popen([sys.executable, "-c", SLOW_PIPE, pipe])
        done = network.start(0, "smbclient", "//192.0.2.2/data", "-N", "-s", smb, "-c",
                             f"get big.bin {pipe}; put {smb} copy.conf; get big.bin /dev/null",
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        output, _ = done.communicate(timeout=120)
        reader.wait(60)
        if done.returncode != 0:
            return output
        if network.start(0, sys.executable, "-c", FTP_CLIENT).wait(120) != 0:
            return "FTP failed"
    finally:
        smbd.terminate()
        vsftpd.terminate()
    return None


COMMAND = """#!/bin/sh
umask 000
{ echo "$SLOWCOPY_CAUSE $SLOWCOPY_FINDING $(id -u)"; cat; } >>"$1"
"""


def check_servers(work):
    """smbd and vsftpd, with a ring of packets and a command on findings."""
    names = ["live findings on smbd and vsftpd equal those of tcpdump's file",
             "packets around findings are saved", "the command of --on-finding runs"]
    missing = [p for p in ("smbd", "smbclient", "vsftpd", "tcpdump", "ip") if not shutil.which(p)]
    if missing:
        for name in names:
            report(name, skip=f"{missing[0]} is not installed")
        return
    folder = tempfile.mkdtemp(prefix="servers-", dir=work)
    os.chmod(folder, 0o755)
    ring, dump = os.path.join(folder, "ring"), os.path.join(folder, "dump.pcap")
    script, ran = os.path.join(folder, "command"), os.path.join(folder, "ran")
    with open(script, "w", encoding="utf-8") as file:
        file.write(COMMAND)
    os.chmod(script, 0o755)
    with open(ran, "w", encoding="utf-8"):
        pass
    os.chmod(ran, 0o666)
    with Network() as network:
        if not network:
            return report(names[0], skip="no network namespaces here")
        watcher = Watcher(network, work, "servers", "-f", "tcp", "--ring", ring, "--keep", "10min",
                          "--ring-size", "32M", "--on-finding", "save",
                          "--on-finding", f"exec:{script} {ran}")
        dumper = tcpdump(network, dump, 0, "tcp")
        problem = use_servers(network, folder)
        time.sleep(12)
        told = text_of(watcher.lines)
        watcher.process.kill()
        watcher.process.wait(60)
        dumper.send_signal(signal.SIGINT)
        dumper.communicate(timeout=60)
    events = parse_lines(told)
    expected, found = causes_of_files(dump), without_start(causes_of_events(events))
    kept = text_of(watcher.lines)
    report("kill -9 loses nothing already told",
           None if kept.startswith(told) and parse_lines(kept) else "lines are missing")
    causes = {cause for _, list_ in found for cause in list_}
    if not problem and not (expected == found and causes):
        problem = f"{[p for p in zip(expected, found) if p[0] != p[1]][:2]} {len(expected)} {len(found)}"
    report(names[0], problem)
    check_saved(names[1], events, ring)
    check_command(names[2], events, ran)


def check_saved(name, events, ring):
    fired = [e["finding"] for e in events
             if e["event"] == "finding" and e["finding"]["severity"] != "info"]
    saved = {e["finding_id"]: e for e in events if e["event"] == "saved"}
    problem = None
    for finding in fired:
        event = saved.get(finding["id"])
        if not event or not event["is_whole"] or not event["files"]:
            return report(name, f"{finding['id']}: {event}")
        done = subprocess.run([PROGRAM, "analyze", "--json", *event["files"]], capture_output=True,
                              check=False)
        causes = {f["cause"] for f in json.loads(done.stdout)["findings"]}
        if finding["cause"] not in causes:
            problem = f"{finding['cause']} is not in {causes}"
    files = glob.glob(ring + "/saved/ring-*.pcapng")
    return report(name, problem or (None if files and fired else f"{files} {fired}"))


def check_command(name, events, ran):
    fired = [e["finding"] for e in events
             if e["event"] == "finding" and e["finding"]["severity"] != "info"]
    wanted = {f"{f['cause']} {f['id']}" for f in fired}
    wait_for(lambda: text_of(ran).count("\n") >= 2 * len(fired), 20)
    lines = text_of(ran).splitlines()
    heads, inputs = lines[0::2], lines[1::2]
    problem = None
    if {h.rsplit(" ", 1)[0] for h in heads} != wanted:
        problem = f"{heads} instead of {wanted}"
    elif any(h.endswith(" 0") for h in heads):
        problem = "it runs as root"
    elif [json.loads(i)["finding"]["id"] for i in inputs] != [h.split()[1] for h in heads]:
        problem = "its input is not the line"
    return report(name, problem)


# ---- both sides of a tap

SENDER = """
import socket, struct, sys, time
names, dump = sys.argv[1:3], sys.argv[3]
socks = []
for name in names:
    s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    s.bind((name, 0))
    socks.append(s)
data = open(dump, "rb").read()
order = "<" if data[0] in (0xd4, 0x4d) else ">"
per_second = 10 ** 9 if struct.unpack(order + "I", data[:4])[0] == 0xa1b23c4d else 10 ** 6
at, first, began = 24, None, time.monotonic()
while at + 16 <= len(data):
    sec, fraction, caplen, wirelen = struct.unpack(order + "IIII", data[at:at + 16])
    frame = data[at + 16:at + 16 + caplen] + bytes(wirelen - caplen)
    at += 16 + caplen
    when = sec + fraction / per_second
    first = when if first is None else first
    while time.monotonic() - began < when - first:
        pass
    # from the server's port one way, from the client's the other
    port = struct.unpack(">H", frame[34:36])[0]
    socks[port in (445, 21, 20)].send(frame)
"""


def check_tap(work):
    """Each direction on an interface of its own, merged by time."""
    name = "both sides of a tap give what one capture of both gives"
    dump = os.path.join(work, "tap.pcap")
    with gzip.open(TAP_CAPTURE) as file, open(dump, "wb") as out:
        out.write(file.read())
    with Network() as network:
        if not network:
            return report(name, skip="no network namespaces here")
        taps = [("tapa", "tapA"), ("tapb", "tapB")]
        for a, b in taps:
            network.ip("-n", network.names[0], "link", "add", a, "mtu", "65535", "type", "veth",
                       "peer", "name", b, "mtu", "65535")
            for end in (a, b):
                network.ip("-n", network.names[0], "link", "set", end, "up")
        watcher = Watcher(network, work, "tap", "-f", "tcp", cards=[b for _, b in taps])
        dumps = [os.path.join(work, b + ".pcap") for _, b in taps]
        dumpers = [tcpdump(network, path, 0, "tcp", card=b) for path, (_, b) in zip(dumps, taps)]
        network.start(0, sys.executable, "-c", SENDER, taps[0][0], taps[1][0], dump).wait(60)
        time.sleep(1)
        events = watcher.stop()
        for dumper in dumpers:
            dumper.send_signal(signal.SIGINT)
            dumper.communicate(timeout=60)
    expected, found = causes_of_files(*dumps), without_start(causes_of_events(events))
    return report(name, None if any(causes for _, causes in expected) and expected == found
                  else f"{expected} is not {found} {watcher.told()}")


# ---- packets the kernel drops

FLOOD = """
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for i in range(60000):
    try:
        s.sendto(b"x" * 300, ("192.0.2.1", 9))
    except OSError:
        pass
"""


def check_drops(work):
    """A monitor that cannot keep up says so, and is less sure."""
    name = "dropped packets are told and make findings less certain"
    with Network() as network:
        if not network:
            return report(name, skip="no network namespaces here")
        watcher = Watcher(network, work, "drops", "--buffer", "1")
        slow_transfer(network)
        wait_for(lambda: '"finding"' in text_of(watcher.lines), 30)
        transfer = threading.Thread(target=slow_transfer, args=(network,))
        transfer.start()
        time.sleep(2)
        watcher.process.send_signal(signal.SIGSTOP)
        network.start(1, sys.executable, "-c", FLOOD).wait(60)
        watcher.process.send_signal(signal.SIGCONT)
        transfer.join()
        time.sleep(2)
        events = watcher.stop()
    dropped = sum(e["kernel"] for e in events if e["event"] == "drops")
    findings = [e["finding"] for e in events if e["event"] == "finding"]
    doubtful = [f["confidence"] for f in findings if "dropped" in (f["doubt"] or "")]
    sure = [f["confidence"] for f in findings if "dropped" not in (f["doubt"] or "")]
    is_right = dropped > 1000 and set(doubtful) == {"low"} and sure and "low" not in sure
    return report(name, None if is_right else f"{dropped} {doubtful} {sure} {findings}")


# ---- a disk that is full

def check_full_disk(work):
    """Lines that were written stay, those that cannot be are counted, and it goes on."""
    name = "a disk that fills up loses nothing already told"
    disk = os.path.join(work, "disk")
    os.makedirs(disk)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", disk],
                      capture_output=True, check=False).returncode != 0:
        return report(name, skip="tmpfs cannot be mounted here")
    try:
        with Network() as network:
            if not network:
                return report(name, skip="no network namespaces here")
            os.chmod(disk, 0o777)
            watcher = Watcher(network, disk, "full", "--interval", "1", "--ring",
                              os.path.join(disk, "ring"))
            with open(os.path.join(disk, "filler"), "wb", buffering=0) as filler:
                try:
                    while filler.write(b"x" * 512):
                        pass
                except OSError:
                    pass
            before = text_of(watcher.lines)
            seen = wait_for(lambda: "No space left" in watcher.told() or
                            text_of(watcher.lines) != before, 10)
            lost = wait_for(lambda: has_room_lost(watcher, disk), 40)
            network.start(1, sys.executable, "-c", FLOOD).wait(60)
            time.sleep(2)
            os.unlink(os.path.join(disk, "filler"))
            size = len(text_of(watcher.lines))
            back = wait_for(lambda: len(text_of(watcher.lines)) > size, 20)
            events = watcher.stop()
        ring = sum(e["limit"]["count"] for e in events
                   if e["event"] == "limit" and e["limit"]["limit"] == "ring-packets")
        is_right = seen and lost and back and text_of(watcher.lines).startswith(before) and \
            events[-1]["event"] == "stop" and events[-1]["lines_lost"] > 0 and ring > 0
        return report(name, None if is_right else
                      f"{seen} {lost} {back} {ring} {watcher.process.returncode} {events[-1]}")
    finally:
        subprocess.run(["umount", "-l", disk], check=False)


def has_room_lost(watcher, disk):
    """Summaries come each second until one does not fit (errors go to the same disk)."""
    about = os.statvfs(disk)
    size = len(text_of(watcher.lines))
    time.sleep(2.5)
    return about.f_bavail == 0 and len(text_of(watcher.lines)) == size


# ---- a clock that is set

SHIFT = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
#include <sys/syscall.h>
#include <unistd.h>
int clock_gettime(clockid_t id, struct timespec *ts)
{
	int status = (int)syscall(SYS_clock_gettime, id, ts);
	if (id == CLOCK_REALTIME && access("SHIFTED", F_OK) == 0)
		ts->tv_sec += 3600;
	return status;
}
int gettimeofday(struct timeval *tv, void *zone)
{
	struct timespec ts;
	(void)zone;
	clock_gettime(CLOCK_REALTIME, &ts);
	tv->tv_sec = ts.tv_sec;
	tv->tv_usec = ts.tv_nsec / 1000;
	return 0;
}
"""


def check_clock(work):
    """The time of day jumps an hour during a transfer: nobody is blamed for it."""
    name = "a clock that is set by an hour is told, and no transfer takes an hour"
    if IS_SANITIZED or not shutil.which("gcc"):
        return report(name, skip="needs gcc, and no sanitizer")
    mark, library = os.path.join(work, "shifted"), os.path.join(work, "shift.so")
    subprocess.run(["gcc", "-shared", "-fPIC", "-x", "c", "-o", library, "-"],
                   input=SHIFT.replace("SHIFTED", mark).encode(), check=True)
    with Network() as network:
        if not network:
            return report(name, skip="no network namespaces here")
        watcher = Watcher(network, work, "clock", "-f", "tcp", env={"LD_PRELOAD": library})
        transfer = threading.Thread(target=slow_transfer, args=(network,))
        transfer.start()
        time.sleep(2.5)
        with open(mark, "w", encoding="utf-8"):
            pass
        transfer.join()
        time.sleep(1)
        events = watcher.stop()
    steps = [e["step_ns"] for e in events if e["event"] == "clock"]
    longest = max([e["duration_ns"] for e in events if e["event"] == "transfer"], default=None)
    is_right = len(steps) == 1 and abs(steps[0] / 1e9 - 3600) < 2 and longest and \
        longest < 20e9 and len({e["run"] for e in events}) == 2
    return report(name, None if is_right else f"{steps} {longest} {watcher.told()}")


def check_link_down(work):
    """A cable that is pulled and put in again."""
    name = "a link that goes down and up again is told and survived"
    with Network() as network:
        if not network:
            return report(name, skip="no network namespaces here")
        watcher = Watcher(network, work, "down", "-f", "tcp")
        for state in ("down", "up"):
            network.ip("-n", network.names[0], "link", "set", network.cards[0], state)
            time.sleep(2.5)
        wait_for(lambda: '"back"' in text_of(watcher.lines), 20)
        slow_transfer(network)
        time.sleep(1)
        events = watcher.stop()
    states = [e["state"] for e in events if e["event"] == "interface"]
    transfers = [e for e in events if e["event"] == "transfer"]
    return report(name, None if states == ["gone", "back"] and transfers else
                  f"{states} {transfers} {watcher.told()}")


def check_systemd(work):
    """What a service manager is told, without being root any more and in the sandbox."""
    name = "systemd is told of ready, alive, stopping"
    done = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=False)
    if "libsystemd" not in done.stdout:
        return report(name, skip="built without libsystemd")
    path = os.path.join(work, "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener, Network() as network:
        if not network:
            return report(name, skip="no network namespaces here")
        listener.bind(path)
        os.chmod(path, 0o777)
        listener.settimeout(10)
        watcher = Watcher(network, work, "systemd",
                          env={"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "400000"})
        told = []
        try:
            while told.count("WATCHDOG=1") < 3:
                told.append(listener.recv(1000).decode())
            watcher.stop()
            while "STOPPING=1" not in told:
                told.append(listener.recv(1000).decode())
        except TimeoutError:
            pass
        watcher.stop()
    return report(name, None if told[:1] == ["READY=1"] and told.count("WATCHDOG=1") >= 3 and
                  told[-1] == "STOPPING=1" else f"{told} {watcher.told()}")


CHECKS = [check_systemd, check_servers, check_tap, check_drops, check_full_disk, check_clock, check_link_down]


def main():
    work = tempfile.mkdtemp(prefix="slowcopy-live-")
    os.chmod(work, 0o777)
    wanted = sys.argv[1:]
    try:
        for check in CHECKS:
            if wanted and check.__name__ not in wanted:
                continue
            if os.geteuid() != 0 or not shutil.which("ip"):
                report(check.__name__, skip="this is not root, or iproute2 is missing")
            else:
                check(work)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return 1 if failures() else 0


if __name__ == "__main__":
    sys.exit(main())
