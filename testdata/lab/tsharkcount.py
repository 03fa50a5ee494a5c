# SPDX-License-Identifier: GPL-3.0-or-later
"""What tshark says of the SMB messages in a capture: counted and timed message by message from its PDML, so that a
test can compare without tshark."""
import collections
import os
import subprocess
import xml.etree.ElementTree as ElementTree

# Wireshark's names of commands that differ from the specification's in more than case and blanks.
NAMES = {"smb": {"Negotiate Protocol": "negotiate", "Trans": "transaction", "Trans2": "transaction2", "NT Trans": "nt-transact"},
         "smb2": {"Negotiate Protocol": "negotiate", "Session Logoff": "logoff", "KeepAlive": "echo", "Find": "query-directory",
                  "Notify": "change-notify", "GetInfo": "query-info", "SetInfo": "set-info", "Break": "oplock-break"}}
CREATE, READ, WRITE, CANCEL = 5, 8, 9, 12       # MS-SMB2 2.2.1.2
READ_ANDX, WRITE_ANDX = 0x2e, 0x2f              # MS-CIFS 2.2.2.1
STATUS_PENDING = 0x103
DIALECTS = {0x202: "2.0.2", 0x210: "2.1", 0x300: "3.0", 0x302: "3.0.2", 0x311: "3.1.1"}


def fields_of(node):
    """(name, value, text) of one protocol item, without those of a protocol inside it."""
    for child in node:
        if child.tag == "field":
            yield child.get("name"), child.get("show") or "", child.get("showname") or ""
            yield from fields_of(child)


def number(text):
    return int(text, 0) if text else 0


class Message:
    """One SMB message of the PDML."""

    def __init__(self, proto):
        self.layer, self.fields = proto.get("name"), list(fields_of(proto))
        self.code = self.get("cmd")
        self.is_reply = self.get("flags.response") in ("1", "True")
        self.status = number(self.get("nt_status"))

    def get(self, name, default=None):
        """First value of a field of this layer."""
        full = f"{self.layer}.{name}"
        return next((value for key, value, _ in self.fields if key == full), default)

    def all(self, name):
        full = f"{self.layer}.{name}"
        return [value for key, value, _ in self.fields if key == full]

    def command(self):
        text = next(shown for key, _, shown in self.fields if key == f"{self.layer}.cmd")
        name = text.split(": ", 1)[-1].rsplit(" (", 1)[0]
        return NAMES[self.layer].get(name, name.lower().replace(" ", "-"))


def messages(path, key=None):
    """All SMB messages of a capture, in order; key: (session id as Wireshark wants it, session key)."""
    options = ["-o", f'uat:smb2_seskey_list:{key[0]},{key[1]},"",""'] if key else []
    process = subprocess.Popen(["tshark", "-n", "-r", path, *options, "-Y", "smb || smb2", "-T", "pdml", "-J", "smb smb2"],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, "LC_ALL": "C.UTF-8"})
    for _, node in ElementTree.iterparse(process.stdout):
        if node.tag != "packet":
            continue
        for proto in node.iter("proto"):
            if proto.get("name") in NAMES:
                message = Message(proto)
                if message.code is not None:
                    yield message
        node.clear()
    process.wait()


class Features:
    """Counts of what SMB2 messages do beside their command; by the names of the JSON report."""

    def __init__(self):
        self.counts = collections.Counter()

    def add(self, m, code):
        c = self.counts
        is_final = m.is_reply and m.status != STATUS_PENDING
        c["async_answers"] += m.is_reply and m.status == STATUS_PENDING
        c["cancels"] += code == CANCEL
        c["oplock_breaks"] += code == 18 and m.is_reply and number(m.get("msg_id")) == (1 << 64) - 1
        c["oplock_break_acknowledgements"] += code == 18 and not m.is_reply
        c["change_notifications"] += code == 15 and not m.is_reply
        c["directory_queries"] += code == 14 and not m.is_reply
        c["directory_entries"] += len(m.all("filename")) if code == 14 and m.is_reply else 0
        c["server_side_copies"] += code == 11 and not m.is_reply and number(m.get("ioctl.function")) == 0x001440F2
        c["dfs_referrals"] += code == 11 and not m.is_reply and number(m.get("ioctl.function")) == 0x00060194
        c["compound_related"] += m.get("flags.chained") in ("1", "True")
        c["not_found"] += code == CREATE and is_final and m.status == 0xC0000034
        c["opens"] += code == CREATE and is_final and m.status == 0


def milliseconds(values):
    return {"count": len(values), "min": min(values), "max": max(values), "mean": round(sum(values) / len(values), 6)}


def count(path, key=None):
    """The numbers of a capture with one session."""
    commands = collections.defaultdict(lambda: collections.Counter(requests=0, responses=0, pending=0, errors=0))
    times, files, sizes = collections.defaultdict(list), set(), {"read": collections.Counter(), "write": collections.Counter()}
    result = {"dialect": None, "read_bytes": 0, "write_bytes": 0, "signed": 0, "max_read": None, "max_write": None}
    charged = granted = 0
    balance, lowest, in_work = 0, None, False
    offered, features = [], Features()
    layers = set()
    for m in messages(path, key):
        name, code = m.command(), number(m.code)
        layers.add(m.layer)
        row = commands[(m.layer, name)]
        pending = m.is_reply and m.status == STATUS_PENDING
        row["pending" if pending else "responses" if m.is_reply else "requests"] += 1
        if m.is_reply and not pending and m.get("time"):
            times[(m.layer, name)].append(round(float(m.get("time")) * 1e9))
        if m.layer == "smb2":
            features.add(m, code)
            result["signed"] += m.get("flags.signature") in ("1", "True")
            if m.is_reply:
                granted += number(m.get("credits.granted"))
                balance += number(m.get("credits.granted"))
            elif code != CANCEL:
                charge = max(1, number(m.get("credit.charge")))
                charged += charge
                balance -= charge
                # work on files begins with the first open that is no set-up
                in_work = in_work or code == CREATE
                if in_work:
                    lowest = balance if lowest is None else min(lowest, balance)
            if code == 0 and m.is_reply:
                result["dialect"] = DIALECTS.get(number(m.get("dialect")), result["dialect"])
                result["max_read"], result["max_write"] = number(m.get("max_read_size")), number(m.get("max_write_size"))
            if code == CREATE and not m.is_reply and m.get("filename"):
                files.add(m.get("filename"))
            if code == READ and not m.is_reply:
                sizes["read"][number(m.get("read_length"))] += 1
            if code == READ and m.is_reply and m.status == 0:
                result["read_bytes"] += number(m.get("read_length") or m.get("olb.length"))
            if code == WRITE and not m.is_reply:
                sizes["write"][number(m.get("write_length"))] += 1
                result["write_bytes"] += number(m.get("write_length"))
        else:
            if code == 0x72 and not m.is_reply:
                offered = m.all("dialect.name")
            if code == 0x72 and m.is_reply and m.get("dialect.index") is not None:
                result["dialect"] = offered[number(m.get("dialect.index"))]
            length = number(m.get("data_len_low")) + (number(m.get("data_len_high")) << 16)
            if code == READ_ANDX and m.is_reply:
                result["read_bytes"] += length
            if code == WRITE_ANDX and not m.is_reply:
                result["write_bytes"] += length
                sizes["write"][length] += 1
            if m.get("file") and not m.is_reply and code == 0xa2:
                files.add(m.get("file"))
    session = "smb2" if "smb2" in layers else "smb"
    result["commands"] = {name: {**row, "response_ns": milliseconds(times[(layer, name)]) if times[(layer, name)] else None}
                          for (layer, name), row in sorted(commands.items()) if layer == session}
    for row in result["commands"].values():
        row.pop("errors")
    result["files"] = sorted(files)
    result["sizes"] = {way: {str(size): times_ for size, times_ in sorted(counts.items())} for way, counts in sizes.items()}
    if session == "smb2":
        result["features"] = dict(sorted(features.counts.items()))
        # the client begins with one credit, MS-SMB2 3.2.1.2
        result["credits"] = {"charged": charged, "granted": granted, "left": 1 + granted - charged, "lowest_on_files": 1 + lowest}
    return result
