#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Generated conversations whose truth is known to the nanosecond: a deep pipeline at a fast server, a file over two
channels of one session, what comes before the first byte, the phases of an FTP transfer."""

import argparse
import json
import os
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "tools"))
from minipcap import ACK, CLIENT, PSH, RST, SERVER, Capture, Tcp  # noqa: E402
from minismb import Client  # noqa: E402

MS, US = 10**6, 10**3
RTT = 20 * MS
CLIENT_IP, SERVER_IP = "10.0.0.2", "10.0.0.1"


def exchange(tcp, t, pair, server_ns=100 * US):
    """A request and its answer; returns when the answer is there."""
    tcp.send(t, CLIENT, pair[0])
    return tcp.send(t + tcp.rtt_ns + server_ns, SERVER, pair[1])


def log_in(tcp, smb, t, binding=False):
    for pair in (smb.negotiate(), smb.session_setup(binding, last=False), smb.session_setup(binding)):
        t = exchange(tcp, t, pair) + US
    return t


def segments(data, mss=1460):
    return (len(data) + mss - 1) // mss


def analyze(program, path, *words):
    done = subprocess.run([program, "analyze", "--json", *words, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        raise ValueError(f"exit status {done.returncode}: {done.stderr.decode(errors='replace')[-500:]}")
    document = json.loads(done.stdout)
    for transfer in document["transfers"] + document["jobs"]:
        if sum(row["ns"] for row in transfer["budget"]) != transfer["duration_ns"]:
            raise ValueError(f"{transfer['id']}: its budget does not add up")
    return document


def share(transfer, bucket):
    return sum(row["ns"] for row in transfer["budget"] if row["bucket"] == bucket) / transfer["duration_ns"]


def command(session, name):
    return next(row for row in session["commands"] if row["command"] == name)


def expect(found, what, value, want):
    if value != want:
        found.append(f"{what} is {value}, not {want}")


def expect_near(found, what, value, want, by):
    if value is None or abs(value - want) > by:
        found.append(f"{what} is {value}, not {want} within {by}")


def pipeline(program, path):
    """64 reads of 64 KiB at once over 20 ms and 100 Mbit/s; the server has each answer after 100 us."""
    capture, smb = Capture(), Client()
    tcp = Tcp(capture, CLIENT_IP, 40000, SERVER_IP, 445, RTT)
    t = log_in(tcp, smb, tcp.open(0))
    t = exchange(tcp, t, smb.tree_connect()) + US
    t = exchange(tcp, t, smb.create("big.bin", 5, 64 << 16)) + US
    pairs = [smb.read(5, i << 16, 65536) for i in range(64)]
    for pair in pairs:
        tcp.send(t, CLIENT, pair[0], acknowledge=False)
    begin = t
    at = t + RTT + 100 * US
    for pair in pairs:
        at = tcp.send(at, SERVER, pair[1], gap_ns=121 * US) + 121 * US
    tcp.close(exchange(tcp, at + US, smb.close(5)))
    capture.write(path)
    document = analyze(program, path)
    found = []
    session, transfer = document["sessions"][0], document["transfers"][0]
    read = command(session, "read")
    expect(found, "reads", read["requests"], 64)
    expect(found, "in flight", transfer["requests_in_flight"]["max"], 64)
    expect(found, "in flight over time", max(session["timeline"]["requests_in_flight_max"]), 64)
    # the last of them waits for all before it, and for none of that the server is to blame
    expect_near(found, "longest response", read["response_time_ns"]["max"], at - 121 * US - begin, 2 * US)
    for key in ("median", "p95"):
        expect_near(found, f"server time, {key}", read["server_time_ns"][key], 121 * US, 20 * US)
    if share(transfer, "server-processing") > 0.01:
        found.append(f"the server is blamed for {share(transfer, 'server-processing'):.1%}")
    if document["verdict"]["blame"] == "SERVER" or any(f["cause"].startswith("server") for f in document["findings"]):
        found.append(f"the server is blamed: {document['verdict']['sentence']}")
    return found


def multichannel(program, path):
    """A file of 8 MiB read over two connections of one session, alternately; the second joined before the first read."""
    capture, smb, other = Capture(), Client(), Client()
    one = Tcp(capture, CLIENT_IP, 40000, SERVER_IP, 445, RTT)
    two = Tcp(capture, "10.0.1.2", 40001, "10.0.1.1", 445, RTT)
    t = log_in(one, smb, one.open(0))
    t = exchange(one, t, smb.tree_connect()) + US
    t = log_in(two, other, two.open(t), binding=True)
    t = exchange(one, t, smb.create("big.bin", 5, 8 << 20)) + US
    begin = t
    for i in range(32):
        tcp, client = (one, smb) if i % 2 == 0 else (two, other)
        pair = client.read(5, i << 18, 1 << 18)
        tcp.send(t, CLIENT, pair[0])
        t = tcp.send(t + RTT + 100 * US, SERVER, pair[1], gap_ns=12 * US) + US
    t = exchange(one, t, smb.close(5))
    two.close(t + MS)
    one.close(t + 2 * MS)
    capture.write(path)
    document = analyze(program, path)
    found = []
    transfers = document["transfers"]
    expect(found, "transfers", [(x["file"], x["bytes"], x["streams"], x["requests"]) for x in transfers],
           [("big.bin", 8 << 20, [0, 1], 32)])
    expect(found, "jobs", [x["files"] for x in document["jobs"]], [1] if document["jobs"] else [])
    expect(found, "bound", [s["bound_to_session"] for s in document["sessions"]], [False, True])
    expect(found, "ids", len({s["session_id"] for s in document["sessions"]}), 1)
    expect(found, "files", [[(f["name"], f["reads"]) for f in s["files"]] for s in document["sessions"]], [[("big.bin", 32)], []])
    if transfers:
        expect_near(found, "duration", transfers[0]["duration_ns"], t - begin + RTT + 101 * US, RTT)
        # half of each round of 22.2 ms is the round trip; nobody thinks, no server works
        for bucket in ("client-think", "server-processing"):
            if share(transfers[0], bucket) > 0.02:
                found.append(f"{bucket} {share(transfers[0], bucket):.1%}")
    return found


def channel_first(program, path):
    """The first connection ends while the second still reads: what comes then has a time of its own."""
    capture, smb, other = Capture(), Client(), Client()
    one = Tcp(capture, CLIENT_IP, 40000, SERVER_IP, 445, RTT)
    two = Tcp(capture, "10.0.1.2", 40001, "10.0.1.1", 445, RTT)
    t = log_in(one, smb, one.open(0))
    t = exchange(one, t, smb.tree_connect()) + US
    t = log_in(two, other, two.open(t), binding=True)
    t = exchange(one, t, smb.create("big.bin", 5, 8 << 20)) + US
    for i in range(8):
        if i == 4:
            one.close(t)
            one = Tcp(capture, CLIENT_IP, 40000, SERVER_IP, 445, RTT)  # the ports again: the old one is over
            one.next = [900000, 800000]
            t = one.open(t + 2 * RTT)
        t = exchange(two, t, other.read(5, i << 18, 1 << 18)) + US
    capture.write(path)
    document = analyze(program, path)
    found = []
    expect(found, "bytes", sum(x["bytes"] for x in document["transfers"]), 8 << 18)
    return found


def name_query(number, name, kind=1):
    labels = b"".join(bytes([len(part)]) + part.encode() for part in name.split(".")) + b"\0"
    return struct.pack(">HHHHHH", number, 0x100, 1, 0, 0, 0) + labels + struct.pack(">HH", kind, 1)


def name_answer(number, name, ip):
    query = name_query(number, name)
    return struct.pack(">HHHHHH", number, 0x8180, 1, 1, 0, 0) + query[12:] + struct.pack(">HHHIH", 0xc00c, 1, 1, 60, 4) + \
        bytes(map(int, ip.split(".")))


def netbios_name(name):
    """RFC 1001 14.1."""
    padded = name.upper().ljust(15).encode() + b"\x20"
    return bytes(part for byte in padded for part in (0x41 + (byte >> 4), 0x41 + (byte & 15))).decode()


def look_up(capture, service):
    """Two tries and an answer; returns when that came, and what the report calls the service."""
    server, port, name = {"dns": ("10.0.0.9", 53, "nas.example.org"), "mdns": ("224.0.0.251", 5353, "nas.local"),
                          "llmnr": ("224.0.0.252", 5355, "nas"), "wins": ("10.0.0.9", 137, netbios_name("nas")),
                          "broadcast": ("10.0.0.255", 137, netbios_name("nas"))}[service]
    is_nbns, from_port = port == 137, port if port in (137, 5353) else 50000
    for tries in range(2):
        query = name_query(7, name, 32 if is_nbns else 1)
        if service == "broadcast":
            query = query[:2] + b"\x01\x10" + query[4:]  # the broadcast flag, RFC 1002 4.2.1.1
        capture.udp(tries * 2000 * MS, CLIENT_IP, from_port, server, port, query)
    answered = 3000 * MS
    if is_nbns:  # RFC 1002 4.2.13
        data = name_query(7, name)[12:-4] + struct.pack(">HHIHH", 32, 1, 60, 6, 0) + bytes(map(int, SERVER_IP.split(".")))
        reply = struct.pack(">HHHHHH", 7, 0x8580, 0, 1, 0, 0) + data
    else:
        reply = name_answer(7, name, SERVER_IP)
    speaker = SERVER_IP if service in ("llmnr", "mdns", "broadcast") else server
    target, target_port = ("224.0.0.251", 5353) if service == "mdns" else (CLIENT_IP, from_port)
    capture.udp(answered, speaker, port, target, target_port, reply)
    return answered, {"wins": "nbns (WINS)", "broadcast": "nbns (broadcast)"}.get(service, service)


def waterfall(program, path):
    """A look-up that needs a second try, whatever the service, then the session."""
    found = []
    for service in ("dns", "mdns", "llmnr", "wins", "broadcast"):
        found += [f"{service}: {problem}" for problem in waterfall_of(program, path, service)]
    return found


def waterfall_of(program, path, service):
    """The same with one service."""
    capture, smb = Capture(), Client()
    answered, called = look_up(capture, service)
    t = answered
    connect = t + 5 * MS
    tcp = Tcp(capture, CLIENT_IP, 40000, SERVER_IP, 445, RTT)
    t = tcp.open(connect)
    steps = {}
    for name, pairs in (("negotiate", [smb.negotiate()]), ("login", [smb.session_setup(last=False), smb.session_setup()]),
                        ("tree-connect", [smb.tree_connect()]), ("open", [smb.create("a.bin", 5, 1 << 16)])):
        start, busy = t, 0
        for pair in pairs:
            asked = t
            t = exchange(tcp, t, pair, server_ns=3 * MS)
            busy += t - asked
            t += 2 * MS
        steps[name] = (start, t - 2 * MS - start, busy, len(pairs))
    first = t
    t = exchange(tcp, t, smb.read(5, 0, 1 << 16))
    tcp.close(exchange(tcp, t + US, smb.close(5)))
    capture.write(path)
    session = analyze(program, path)["sessions"][0]
    found = []
    ours = {p["phase"]: p for p in session["before_first_byte"]}
    steps["name-lookup"] = (0, answered, answered, 2)
    steps["connect"] = (connect, RTT + US, RTT + US, 1)
    expect(found, "steps", [p["phase"] for p in session["before_first_byte"]],
           ["name-lookup", "connect", "negotiate", "login", "tree-connect", "open"])
    for name, (start, duration, busy, count) in steps.items():
        mine = ours.get(name)
        if mine:
            expect(found, name, (mine["start_ns"], mine["duration_ns"], mine["busy_ns"], mine["exchanges"]),
                   (start, duration, busy, count))
    expect(found, "service", ours.get("name-lookup", {}).get("how"), called)
    expect(found, "first byte", session["first_data_ns"], first)
    words = subprocess.run([program, "analyze", "-v", path], stdout=subprocess.PIPE, check=True).stdout.decode()
    for step in ("look-up of the name", "connecting", "negotiation", "log-in", "connecting the share", "opening"):
        for report in (words, subprocess.run([program, "analyze", "--markdown", path], stdout=subprocess.PIPE, check=True).stdout.decode(),
                       subprocess.run([program, "analyze", "--html", path], stdout=subprocess.PIPE, check=True).stdout.decode()):
            if step not in report:
                found.append(f"no '{step}' in {report[:20]!r}")
    return found


def ftp_phases(program, path):
    """PASV, data connection, RETR: each phase has its length; the server's address in the 227 is one behind a translator."""
    capture = Capture()
    control = Tcp(capture, CLIENT_IP, 40000, SERVER_IP, 21, RTT)
    t = control.send(control.open(0) + MS, SERVER, b"220 ready\r\n")
    for ask, answer in ((b"USER anonymous\r\n", b"331 Any password\r\n"), (b"PASS x\r\n", b"230 Welcome\r\n"),
                        (b"TYPE I\r\n", b"200 Type\r\n")):
        control.send(t + MS, CLIENT, ask)
        t = control.send(t + MS + RTT, SERVER, answer)
    prepared = t + MS
    control.send(prepared, CLIENT, b"PASV\r\n")
    t = control.send(prepared + RTT, SERVER, b"227 Entering (192,168,77,5,200,10)\r\n")
    data = Tcp(capture, CLIENT_IP, 40001, SERVER_IP, 51210, RTT)
    syn = t + 3 * MS
    t = data.open(syn)
    asked = t + MS
    control.send(asked, CLIENT, b"RETR big.iso\r\n")
    began = control.send(asked + RTT + 7 * MS, SERVER, b"150 Here it comes\r\n")
    first = began + 4 * MS
    last = data.send(first, SERVER, b"x" * 3_000_000, gap_ns=121 * US)
    data.close(last + MS)
    done = control.send(last + 30 * MS, SERVER, b"226 Done\r\n")
    control.close(done + MS)
    capture.write(path)
    document = analyze(program, path)
    found = []
    expect(found, "transfers", [(x["file"], x["bytes"], x["streams"]) for x in document["transfers"]], [("big.iso", 3_000_000, [0, 1])])
    if document["transfers"]:
        expect(found, "phases", document["transfers"][0]["ftp_phases"],
               {"prepare_to_connect_ns": syn - prepared, "connect_ns": RTT + US, "command_to_reply_ns": began - asked,
                "reply_to_first_byte_ns": first - began, "last_byte_to_done_ns": done - last})
    return found


def ftp_start(capture):
    control = Tcp(capture, CLIENT_IP, 40000, SERVER_IP, 21, RTT)
    t = control.send(control.open(0) + MS, SERVER, b"220 ready\r\n")
    for ask, answer in ((b"USER anonymous\r\n", b"331 Any\r\n"), (b"PASS x\r\n", b"230 Hello\r\n"), (b"TYPE I\r\n", b"200 Type\r\n")):
        t = exchange(control, t + MS, (ask, answer))
    return control, t


def only_from(capture, addresses):
    """Of the frames that were made those that these addresses sent."""
    capture.frames = [frame for frame in capture.frames if frame[2][26:30] in addresses]


def ftp_without_data(program, path):
    """Port 21 alone: the server tells of files that moved and how large they were; nobody says that none did."""
    found = []
    for size, ask in ((5000, b"RETR"), (None, b"STOR")):
        capture = Capture()
        control, t = ftp_start(capture)
        for number in range(20):
            t = exchange(control, t + MS, (b"CWD /folder%d\r\n" % number, b"250 Here you are\r\n"))
            t = exchange(control, t + MS, (b"PASV\r\n", b"227 Entering (10,0,0,1,200,%d)\r\n" % number))
            control.send(t + MS + RTT, CLIENT, ask + b" file%d\r\n" % number)
            t = control.send(t + MS + 2 * RTT, SERVER, b"150 Opening (%d bytes)\r\n" % size if size else b"150 Opening\r\n")
            t = control.send(t + 40 * MS, SERVER, b"226 Done\r\n")
        control.close(t + MS)
        capture.write(path)
        document = analyze(program, path)
        job = document["jobs"][0]
        expect(found, "bytes", [x["bytes"] for x in document["transfers"]], [size] * 20 if size else [])
        expect(found, "bytes of all", job["bytes"], 20 * (size or 0))
        expect_near(found, "not captured", share(job, "capture-gap"), 20 * 40 * MS / job["duration_ns"], 0.02)
        text = " ".join(subprocess.run([program, "analyze", "-v", path], stdout=subprocess.PIPE, check=True).stdout.decode().split())
        for lie in ("No file was transferred", "without moving a file", "loss 0.00 %"):
            if lie in text:
                found.append(f"{ask}: {lie}")
        want = "Copy of 20 files" if size else "The data of 20 files was not captured"
        if want not in text:
            found.append(f"{ask}: {text[:300]}")
    return found


def ftp_broken_off(program, path):
    """The capture has the first third of a file: the server says how much it was, and that it has sent all of it."""
    capture = Capture()
    control, t = ftp_start(capture)
    t = exchange(control, t + MS, (b"PASV\r\n", b"227 Entering (10,0,0,1,200,10)\r\n"))
    data = Tcp(capture, CLIENT_IP, 40001, SERVER_IP, 51210, RTT)
    t = data.open(t + MS)
    t = exchange(control, t + MS, (b"RETR big.iso\r\n", b"150 Opening (3000000 bytes)\r\n"))
    t = data.send(t + MS, SERVER, b"x" * 1_000_000, gap_ns=121 * US)
    control.send(t + 170 * MS, SERVER, b"226 Done\r\n")
    capture.write(path)
    transfer = analyze(program, path)["transfers"][0]
    found = []
    expect(found, "bytes", transfer["bytes"], 3_000_000)
    expect_near(found, "not captured", share(transfer, "capture-gap"), 170 * MS / transfer["duration_ns"], 0.02)
    return found


def ftp_listing(program, path):
    """What LIST brings is no file."""
    found = []
    for asks, want in (((b"LIST",), "Copy of a directory listing"), ((b"LIST", b"RETR a.txt", b"LIST"), "1 file and 2 directory listings")):
        capture = Capture()
        control, t = ftp_start(capture)
        for number, ask in enumerate(asks):
            t = exchange(control, t + MS, (b"PASV\r\n", b"227 Entering (10,0,0,1,200,%d)\r\n" % number))
            data = Tcp(capture, CLIENT_IP, 40001 + number, SERVER_IP, 51200 + number, RTT)
            t = data.open(t + MS)
            t = exchange(control, t + MS, (ask + b"\r\n", b"150 Here it comes\r\n"))
            t = data.send(t + MS, SERVER, b"x" * 1000)
            data.close(t + MS)
            t = control.send(t + 2 * RTT, SERVER, b"226 Done\r\n")
        capture.write(path)
        text = " ".join(subprocess.run([program, "analyze", path], stdout=subprocess.PIPE, check=True).stdout.decode().split())
        if want not in text:
            found.append(f"{asks}: {text[:200]}")
    return found


def ftp_unfinished(program, path):
    """The capture ends while the window still doubles: a file whose end was not seen was not over."""
    found = []
    for announced, want in ((3_000_000, None), (7 * 2 * 1460, "slow-start-short")):
        capture = Capture()
        control, t = ftp_start(capture)
        t = exchange(control, t + MS, (b"PASV\r\n", b"227 Entering (10,0,0,1,200,10)\r\n"))
        data = Tcp(capture, CLIENT_IP, 40001, SERVER_IP, 51210, 10 * RTT)
        t = data.open(t + MS)
        begin = t
        t = exchange(control, t + MS, (b"RETR big.iso\r\n", b"150 Opening (%d bytes)\r\n" % announced)) + MS
        for flight in (2, 4, 8):
            last = data.send(t, SERVER, b"x" * flight * 1460, gap_ns=20 * US)
            t += 10 * RTT + 2 * MS
        if want:
            data.close(last + MS)
            control.send(last + 2 * MS, SERVER, b"226 Done\r\n")
        capture.write(path)
        document = analyze(program, path)
        expect(found, "cause", document["verdict"]["cause"], want)
        transfer = document["transfers"][0]
        expect(found, "bytes", transfer["bytes"], 14 * 1460)
        if transfer["duration_ns"] < last - begin:
            found.append(f"the data lasted longer than {transfer['duration_ns']}")
    return found


def ftp_one_way(program, path):
    """Of both connections only what the client sent: the file ends with its data, not when a person says good-bye."""
    capture = Capture()
    control, t = ftp_start(capture)
    t = exchange(control, t + MS, (b"PORT 10,0,0,2,200,10\r\n", b"200 Port\r\n"))
    control.send(t + MS, CLIENT, b"STOR big.iso\r\n")
    begin, data = t - RTT, Tcp(capture, SERVER_IP, 20, CLIENT_IP, 51210, RTT)
    t = data.open(t + MS + RTT)
    t = data.send(t + MS, SERVER, b"x" * 300_000, gap_ns=121 * US)
    data.close(t + MS)
    end = t + MS + RTT
    control.send(t + 30 * MS, SERVER, b"226 Done\r\n")
    exchange(control, t + 8000 * MS, (b"QUIT\r\n", b"221 Bye\r\n"))
    only_from(capture, (bytes([10, 0, 0, 2]),))
    capture.write(path)
    document = analyze(program, path)
    found = []
    expect(found, "bytes", [x["bytes"] for x in document["transfers"]], [300_000])
    expect_near(found, "duration", document["transfers"][0]["duration_ns"], end - begin, RTT)
    expect(found, "cause", document["verdict"]["cause"], None)
    for lie in ("zero windows", "receive window open", "client (waits", "send buffer"):
        if any(lie in row["because"] for row in document["verdict"]["ruled_out"]):
            found.append(f"{lie}: the other direction was not captured")
    if share(document["jobs"][0] if document["jobs"] else document["transfers"][0], "session-setup") > 0:
        found.append("somebody was slow to log in")
    return found


def netbios(program, path):
    """Port 139: a request refused, one sent elsewhere, one taken; then an answer longer than 16 bits can say."""
    capture, smb = Capture(), Client()
    asked = b"\x81\0\0\x44" + b"\x20" + b"CKFDENECFDEFFCFGEFFCCACACACACACA" + b"\0" + b"\x20" + b"EMEBECCACACACACACACACACACACACAAA" + b"\0"
    t = 0
    for port, answer in ((40000, b"\x83\0\0\1\x82"), (40001, b"\x84\0\0\6\x0a\0\0\1\0\x8b"), (40002, b"\x82\0\0\0")):
        tcp = Tcp(capture, CLIENT_IP, port, SERVER_IP, 139, RTT)
        t = exchange(tcp, tcp.open(t), (asked, answer), server_ns=2 * MS)
        if port < 40002:
            tcp.close(t + US)
            t += 2 * RTT
    t = log_in(tcp, smb, t + US)
    t = exchange(tcp, t, smb.tree_connect()) + US
    t = exchange(tcp, t, smb.create("big.bin", 5, 100_000)) + US
    t = exchange(tcp, t, smb.read(5, 0, 100_000)) + US
    tcp.send(t, CLIENT, b"\x85\0\0\0")
    tcp.close(exchange(tcp, t + MS, smb.close(5)))
    capture.write(path)
    document = analyze(program, path)
    found, sessions = [], document["sessions"]
    expect(found, "sessions", [s["protocol"] for s in sessions], ["netbios", "netbios", "smb2"])
    expect(found, "outcomes", [p["how"] for s in sessions for p in s["before_first_byte"] if p["phase"] == "netbios-session"],
           ["refused", "sent to another address", None])
    expect(found, "waiting", [p["duration_ns"] for s in sessions for p in s["before_first_byte"] if p["phase"] == "netbios-session"],
           [RTT + 2 * MS] * 3)
    for key, want in (("netbios_refusals", 1), ("netbios_retargets", 1), ("netbios_keep_alives", 1)):
        expect(found, key, sum(s["features"][key] for s in sessions), want)
    expect(found, "files", [(x["file"], x["bytes"]) for x in document["transfers"]], [("big.bin", 100_000)])
    expect(found, "resynchronised", sum(s["resynchronisations"] + s["malformed_messages"] for s in sessions), 0)
    return found


def own_pace(program, path):
    """A program that writes a line a second, captured from the middle: the delayed acknowledgements hold nothing up."""
    capture = Capture()
    tcp = Tcp(capture, CLIENT_IP, 40000, SERVER_IP, 22, RTT)
    late = (98, 147, 177, 207, 27, 67, 117) * 3
    for number, ms in enumerate(late):
        at, size = number * 1020, 84 + number
        # time stamps of each host, in hundredths of a second; the last one of the other comes back
        before = 100 * number - 3 if number else 0
        tcp.segment(at * MS, SERVER, ACK | PSH, b"x" * size, options=struct.pack(">BBBBII", 1, 1, 8, 10, 7000 + at // 10, 9000 + before))
        tcp.next[SERVER] += size
        tcp.segment((at + ms) * MS, CLIENT, ACK, options=struct.pack(">BBBBII", 1, 1, 8, 10, 9000 + 100 * number + 97, 7000 + at // 10))
    capture.write(path)
    found, document = [], analyze(program, path)
    expect(found, "copies", document["transfers"] + document["jobs"], [])
    expect(found, "stalls", {row["cause"] for row in document["stalls"]}, {"sender-stalled"})
    return found


def broken_off(program, path):
    """The receiver resets the connection in the middle of the data: short, but not "nothing is wrong"."""
    found = []
    for flag, want in ((RST, "broke the connection off"), (0, "Nothing is wrong")):
        capture = Capture()
        tcp = Tcp(capture, CLIENT_IP, 40000, SERVER_IP, 9999, RTT)
        t = exchange(tcp, tcp.open(0) + MS, (b"give\n", b"here\n"))
        t = tcp.send(t + MS, SERVER, b"x" * 400_000, gap_ns=121 * US)
        if flag:
            t = tcp.send(t + US, SERVER, b"x" * 40_000, gap_ns=121 * US, acknowledge=False)
            tcp.segment(t + MS, CLIENT, flag)
        else:
            tcp.close(t + MS)
        capture.write(path)
        sentence = analyze(program, path)["verdict"]["sentence"]
        if want not in sentence:
            found.append(f"{sentence}: not {want}")
    return found


def fileless(program, path):
    """A client that only changes folders: no report speaks of a copy."""
    capture = Capture()
    control = Tcp(capture, CLIENT_IP, 40000, SERVER_IP, 21, RTT)
    t = control.send(control.open(0) + MS, SERVER, b"220 ready\r\n")
    for ask, answer in ((b"USER anonymous\r\n", b"331 Any\r\n"), (b"PASS x\r\n", b"230 Hello\r\n")):
        control.send(t + MS, CLIENT, ask)
        t = control.send(t + MS + RTT, SERVER, answer)
    for number in range(200):
        control.send(t + MS, CLIENT, b"CWD /folder%d\r\n" % number)
        t = control.send(t + MS + RTT, SERVER, b"250 Here you are\r\n")
    control.close(t + MS)
    capture.write(path)
    found = []
    document = analyze(program, path)
    expect(found, "transfers", document["transfers"], [])
    expect(found, "cause", document["verdict"]["cause"], "ftp-control-round-trips")
    for words in ([], ["-q"], ["-v"], ["--markdown"], ["--html"]):
        text = subprocess.run([program, "analyze", *words, path], stdout=subprocess.PIPE, check=True).stdout.decode()
        if "No file was transferred" not in " ".join(text.split()) or "Copy of 0" in text:
            found.append(f"{words}: {text[:300]}")
    return found


def limits(program, _path):
    """Recorded: who capped the size of reads."""
    found = []
    for name, want in (("causes/smb2-credit-starvation/smb3-credits-16-30ms/middle", "credits"),
                       ("healthy/netbios-139-smb3-get/client", "netbios"), ("healthy/n12-8mib-reads/client", "server"),
                       ("healthy/n18-64-reads-deep-20ms/client", "server"),
                       ("causes/smb2-no-large-mtu/smb2-002-serial-10ms/client", "client-offer"),
                       ("causes/smb-small-requests/smb3-reads-of-16k-10ms/client", "program"),
                       ("protocols/nt1-plain/capture", "dialect"), ("causes/smb1-small-buffer/smb1-no-large-readx-10ms/client", "server")):
        document = analyze(program, os.path.join(ROOT, "testdata", name + ".pcap.gz"))
        reads = [s["read_requests"]["limited_by"] for s in document["sessions"] if s["read_requests"]["count"]]
        expect(found, name, reads, [want])
    return found


def ftps(program, _path):
    """Recorded: files over FTP with TLS are known by time and address, whoever names them."""
    found = []
    for name in ("ftps-explicit", "ftps-implicit", "ftps-parallel"):
        folder = os.path.join(ROOT, "testdata", "protocols", name)
        with open(os.path.join(folder, "truth.json"), encoding="utf-8") as file:
            moved = json.load(file)["moved"]
        document = analyze(program, os.path.join(folder, "capture.pcap.gz"))
        transfers = document["transfers"]
        protocol = {c["stream"]: c["protocol"] for c in document["connections"]}
        expect(found, f"{name}: directions", sorted(t["direction"] for t in transfers), sorted(way for way, _ in moved))
        # records and handshakes of TLS come on top
        for transfer, (_, size) in zip(sorted(transfers, key=lambda t: -t["bytes"]), sorted(moved, key=lambda m: -m[1])):
            if not size <= transfer["bytes"] <= size * 1.02 + 4000:
                found.append(f"{name}: {transfer['bytes']} bytes, not {size}")
            expect(found, f"{name}: streams", [protocol[s] for s in transfer["streams"]], ["ftp", "ftp-data"])
        if "other" in protocol.values():
            found.append(f"{name}: {protocol}")
        if document["verdict"]["cause"]:
            found.append(f"{name}: {document['verdict']['sentence']}")
    return found


def ftps_stranger(program, path):
    """Another program between the same hosts, long after the encrypted control connection said something, is not FTP's."""
    capture = Capture()
    control = Tcp(capture, CLIENT_IP, 40000, SERVER_IP, 21, RTT)
    t = control.send(control.open(0) + MS, SERVER, b"220 ready\r\n")
    control.send(t + MS, CLIENT, b"AUTH TLS\r\n")
    t = control.send(t + MS + RTT, SERVER, b"234 Go on\r\n")
    for _ in range(3):
        control.send(t + MS, CLIENT, b"\x17\3\3\0\x10" + bytes(16))
        t = control.send(t + MS + RTT, SERVER, b"\x17\3\3\0\x20" + bytes(32))
    streams = []
    for wait, port in ((100 * MS, 50001), (30_000 * MS, 5201)):
        data = Tcp(capture, CLIENT_IP, port + 100, SERVER_IP, port, RTT)
        t = data.open(t + wait)
        t = data.send(t, SERVER, b"x" * 1_000_000, gap_ns=121 * US)
        data.close(t + MS)
        streams.append(port)
    capture.write(path)
    document = analyze(program, path)
    found = []
    expect(found, "connections", [c["protocol"] for c in document["connections"]], ["ftp", "ftp-data", "other"])
    expect(found, "transfers", [(x["protocol"], x["bytes"]) for x in document["transfers"]], [("ftp", 10**6), ("other", 10**6)])
    return found


def windows_channels(program, _path):
    """A public capture of Windows over four channels, where there is one: every file has its name, whatever carried it."""
    folder = os.environ.get("SLOWCOPY_CAPTURES", os.path.join(ROOT, "..", "shared", "captures"))
    capture = os.path.join(folder, "smb3", "smb3_multichannel.pcap")
    if not os.path.exists(capture):
        print(f"ok windows_channels # SKIP no {capture}")
        return []
    with open(os.path.join(folder, "expected", "smb3", "smb3_multichannel.pcap.json"), encoding="utf-8") as file:
        theirs = json.load(file)["smb2"]
    document = analyze(program, capture)
    found, transfers = [], document["transfers"]
    for way, key in (("read", "read_bytes"), ("write", "write_bytes")):
        expect(found, key, sum(t["bytes"] for t in transfers if t["direction"] == way), theirs[key])
    expect(found, "without a name", [t["id"] for t in transfers if not t["file"]], [])
    expect(found, "over several channels", sum(len(t["streams"]) > 2 for t in transfers), 6)
    expect(found, "bound", [s["bound_to_session"] for s in document["sessions"] if s["protocol"] == "smb2"], [False, True, True, True])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/release/slowcopy")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="taken like the other scripts take it; one is enough")
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for case in (pipeline, multichannel, channel_first, waterfall, ftp_phases, ftp_without_data, ftp_broken_off, ftp_listing, ftp_unfinished,
                     ftp_one_way, netbios, own_pace, broken_off, fileless, limits, ftps,
                     ftps_stranger, windows_channels):
            try:
                found = case(options.program, os.path.join(folder, case.__name__ + ".pcap"))
            except (ValueError, KeyError, IndexError, StopIteration) as error:
                found = [f"{type(error).__name__}: {error}"]
            print(f"{'not ok' if found else 'ok'} {case.__name__}")
            for problem in found:
                print(f"    {problem}")
            failed += bool(found)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
