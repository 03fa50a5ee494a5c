# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad captures of good runs: each is made from a stored capture by one edit. The cause of the run does not change."""
import os
import random
import shutil
import struct

import jsonfile
import pcapfile
from pcapfile import EN10MB, SLL2, Frame
from store import TESTDATA

CLIENT_ADDRESS = bytes([10, 77, 0, 2])
ETHERNET, IPV4 = 14, 0x0800


def from_client(frame):
    """Whether an untagged IPv4 frame was sent by the client."""
    return frame.data[26:30] == CLIENT_ADDRESS


def checksum_fixed(data, at):
    """Bytes of an Ethernet frame with the IPv4 header checksum computed anew; at: where IP begins."""
    header = bytearray(data[at:at + (data[at] & 15) * 4])
    header[10:12] = b"\0\0"
    total = sum(struct.unpack(f">{len(header) // 2}H", header))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    header[10:12] = struct.pack(">H", ~total & 0xffff)
    return data[:at] + bytes(header) + data[at + len(header):]


def lost(frames, share=0.01):
    """The capturing machine lost 1 % of the frames."""
    dice = random.Random(1)
    return [frame for frame in frames if dice.random() >= share]


def client_only(frames):
    """Only what the client sent was mirrored."""
    return [frame for frame in frames if from_client(frame)]


def server_only(frames):
    """Only what the server sent was mirrored."""
    return [frame for frame in frames if not from_client(frame)]


def cut(snap):
    """Each frame is cut to a snap length."""
    return lambda frames: [Frame(frame.time_ns, frame.data[:snap], frame.wire_len) for frame in frames]


def late_start(frames, skip=100):
    """The capture was started when the transfer ran already."""
    return frames[skip:]


def three_seconds(frames):
    """Three seconds out of the middle of a longer transfer."""
    begin = frames[0].time_ns + 1_500_000_000
    return [frame for frame in frames if begin <= frame.time_ns < begin + 3_000_000_000]


def router_copies(frames):
    """Both sides of a router are mirrored: each packet comes twice, 40 us apart, the second with a lower TTL."""
    copies = []
    for frame in frames:
        data = bytearray(frame.data)
        data[22] -= 1
        data[0:12] = b"\x02\0\0\0\0\x0a\x02\0\0\0\0\x0b"
        copies.append(Frame(frame.time_ns + 40_000, checksum_fixed(bytes(data), ETHERNET), frame.wire_len))
    return sorted(frames + copies, key=lambda frame: frame.time_ns)


def tagged(frame, vlan):
    """IEEE 802.1Q tag."""
    return Frame(frame.time_ns, frame.data[:12] + struct.pack(">HH", 0x8100, vlan) + frame.data[12:], frame.wire_len + 4)


def vlan(frames):
    """The mirror port sends tagged frames."""
    return [tagged(frame, 10) for frame in frames]


def vlan_copies(frames):
    """Ingress and egress of a switch port are mirrored: the second copy has a VLAN tag, 15 us later."""
    copies = [Frame(frame.time_ns + 15_000, tagged(frame, 10).data, frame.wire_len + 4) for frame in frames]
    return sorted(frames + copies, key=lambda frame: frame.time_ns)


def any_interface(frames):
    """tcpdump -i any on a host with a bridge: each packet is seen on both devices (LINKTYPE_LINUX_SLL2)."""
    result = []
    for frame in frames:
        for index, delay in ((2, 0), (5, 9_000)):
            kind = 4 if from_client(frame) else 0  # outgoing, or to us
            header = struct.pack(">HHIHBB8s", IPV4, 0, index, 1, kind, 6, frame.data[6:12] + b"\0\0")
            result.append(Frame(frame.time_ns + delay, header + frame.data[14:], frame.wire_len + 6))
    return sorted(result, key=lambda frame: frame.time_ns)


def super_frames(frames):
    """Segmentation offload: runs of full segments of one direction become frames of up to 64 KiB."""
    result, run = [], []

    def flush():
        if len(run) > 1:
            first, payload = run[0], sum(frame.wire_len - 66 for frame in run)
            data = bytearray(first.data)
            data[16:18] = struct.pack(">H", 52 + payload)
            data[47] |= run[-1].data[47] & 8  # PSH of the last
            result.append(Frame(first.time_ns, checksum_fixed(bytes(data), ETHERNET), 66 + payload))
        else:
            result.extend(run)
        run.clear()

    for frame in frames:
        full = frame.wire_len == 1514 and frame.data[12:14] == b"\x08\0" and frame.data[46] == 0x80
        if run and not (full and frame.data[26:38] == run[0].data[26:38] and len(run) < 44 and
                        frame.time_ns - run[-1].time_ns < 100_000 and
                        struct.unpack_from(">I", frame.data, 38)[0] ==
                        (struct.unpack_from(">I", run[-1].data, 38)[0] + 1448) & 0xffffffff):
            flush()
        if full:
            run.append(frame)
        else:
            result.append(frame)
    flush()
    return sorted(result, key=lambda frame: frame.time_ns)


def bad_checksums(frames):
    """Checksum offload: what the client sends is captured before its checksum is there."""
    return [Frame(frame.time_ns, frame.data[:50] + b"\x16\x2f" + frame.data[52:], frame.wire_len) if from_client(frame)
            and len(frame.data) > 52 else frame for frame in frames]


def clock_step(step_ns):
    """Somebody sets the capturing machine's clock in the middle."""
    return lambda frames: [Frame(frame.time_ns + (step_ns if number > len(frames) // 2 else 0), frame.data, frame.wire_len)
                           for number, frame in enumerate(frames)]


def shuffled(frames):
    """A capture from several queues: frames are up to three places away from where they belong; stamps are right."""
    dice = random.Random(2)
    order = sorted(range(len(frames)), key=lambda number: number + dice.uniform(0, 3))
    return [frames[number] for number in order]


RWND, LOSS = "causes/receive-window-small/smb3-put-rcvbuf-16k", "causes/loss-random/smb3-get-loss-1pc"
SERIAL, GOOD = "causes/smb-serial-requests/smb3-serial-64k-10ms", "healthy/smb3-read-100m-5ms"
WRITE, WAN = "healthy/smb3-write-100m-5ms", "healthy/wan-50ms-get"
STRIPPED = "causes/window-scale-stripped/smb3-get-window-scale-stripped-50ms"
# name: (stored run, vantages, edit, fields of the expectation that change)
QUIET = {"cause": None, "also_right": [None], "buckets": {}, "saved_s": None, "saved_measured_s": None}
TABLE = {
    "lost-by-capture-rwnd": (RWND, ("middle",), lost, {"tolerated": ["capture-drops"]}),
    "lost-by-capture-healthy": (GOOD, ("middle",), lost, {"buckets": {}}),
    "one-direction-data-rwnd": (RWND, ("middle",), client_only, {**QUIET, "note": "without the ACKs no window can be judged"}),
    "one-direction-acks-rwnd": (RWND, ("middle",), server_only, {**QUIET, "note": "without the data nothing can be judged"}),
    "snap-68-rwnd": (RWND, ("middle",), cut(68), {"note": "no SMB header is left, all of TCP's is"}),
    "snap-96-loss": (LOSS, ("middle",), cut(96), {}),
    "snap-128-serial": (SERIAL, ("middle",), cut(128), {"also_right": ["smb-small-requests", None],
                        "note": "the SMB2 headers are cut; none is a right verdict too"}),
    "late-start-rwnd": (RWND, ("middle",), late_start, {"note": "no handshake: the window scale must be inferred"}),
    "late-start-serial": (SERIAL, ("client",), late_start, {}),
    "half-a-transfer": (WAN, ("server",), three_seconds, {"buckets": {}, "note": "N18"}),
    "router-copies-loss": (LOSS, ("middle",), router_copies, {"note": "copies are not retransmissions"}),
    "router-copies-healthy": (GOOD, ("middle",), router_copies, {"note": "N6"}),
    "vlan-rwnd": (RWND, ("middle",), vlan, {}),
    "vlan-copies-serial": (SERIAL, ("middle",), vlan_copies, {}),
    "any-interface-rwnd": (RWND, ("client",), any_interface, {}),
    "any-interface-healthy": (GOOD, ("client",), any_interface, {}),
    "super-frames-healthy": (WRITE, ("client",), super_frames, {"note": "N5: offload frames are not jumbo frames"}),
    "super-frames-loss": (LOSS, ("server",), super_frames, {}),
    "checksum-offload": (WRITE, ("client",), bad_checksums, {"note": "N7"}),
    "clock-step-back-healthy": (GOOD, ("client",), clock_step(-1_500_000_000), {"buckets": {}}),
    "clock-step-forward-rwnd": (RWND, ("client",), clock_step(2_000_000_000), {"buckets": {}, "saved_s": None,
                                "saved_measured_s": None}),
    "shuffled-healthy": (GOOD, ("middle",), shuffled, {}),
    "shuffled-serial": (SERIAL, ("middle",), shuffled, {}),
    "both-ends-stripped": (STRIPPED, ("client", "server"), list, {"note": "E05: the same SYN with and without the option"}),
}


def make(name):
    """Make one artefact; returns its bytes."""
    run, vantages, edit, changes = TABLE[name]
    source, target = os.path.join(TESTDATA, run), os.path.join(TESTDATA, "artefacts", name)
    frames = []
    for vantage in vantages:
        frames += pcapfile.read(os.path.join(source, f"{vantage}.pcap.gz"))[1]
    frames = edit(sorted(frames, key=lambda frame: frame.time_ns))
    shutil.rmtree(target, ignore_errors=True)
    os.makedirs(target)
    file = os.path.join(target, "capture.pcap.gz")
    pcapfile.write(file, SLL2 if edit is any_interface else EN10MB, frames)
    expect = {**jsonfile.read(os.path.join(source, "expect.json")), **changes}
    truth = {"name": name, "cause": jsonfile.read(os.path.join(source, "truth.json"))["cause"],
             "made_from": [f"{run}/{vantage}.pcap.gz" for vantage in vantages], "frames": len(frames),
             "edit": (edit.__doc__ or "").strip() or edit.__name__}
    if edit is list:
        truth["edit"] = "The captures of both ends are merged."
    elif not edit.__doc__:
        truth["edit"] = {"snap": "Each frame is cut.", "cloc": "The clock is set in the middle."}[name[:4]]
    jsonfile.write(os.path.join(target, "expect.json"), expect)
    jsonfile.write(os.path.join(target, "truth.json"), truth)
    with open(os.path.join(target, "ORIGIN.md"), "w") as out:
        out.write(f"# {name}\n\nMade by `testdata/lab/lab.py artefacts {name}` from {', '.join(truth['made_from'])}.\n{truth['edit']}\n"
                  f"True cause of the run: {truth['cause'] or 'none, it is healthy'}. "
                  f"Expected verdict: {expect['cause'] or 'none'}.\n"
                  + (f"Note: {expect['note']}.\n" if expect.get("note") else ""))
    return os.path.getsize(file)
