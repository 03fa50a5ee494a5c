# SPDX-License-Identifier: GPL-3.0-or-later
"""The clients of the lab. Each function runs one client to its end and returns
{"wall_s", "bytes", ...}: wall time as the client itself sees it, and the kernel's counters where they can be had."""
import json
import os
import re
import time

from network import BIN, LAB, SERVER, SERVER6
from servers import PASSWORD, USER, make_files, smb_conf


def ss_parse(text):
    """The sockets of `ss -tin` with their counters, those that moved data only."""
    sockets = []
    for block in re.split(r"\n(?=\S)", text):
        first = block.split()
        if len(first) < 5:
            continue
        entry = {"local": first[3], "peer": first[4]}
        for key, pattern, kind in (
                ("bytes_sent", r"bytes_sent:(\d+)", int), ("bytes_received", r"bytes_received:(\d+)", int),
                ("busy_ms", r" busy:(\d+)ms", int), ("rwnd_limited_ms", r"rwnd_limited:(\d+)ms", int),
                ("sndbuf_limited_ms", r"sndbuf_limited:(\d+)ms", int), ("total_retrans", r"retrans:\d+/(\d+)", int),
                ("rtt_ms", r" rtt:([\d.]+)/", float), ("min_rtt_ms", r"minrtt:([\d.]+)", float)):
            found = re.search(pattern, block)
            entry[key] = kind(found.group(1)) if found else 0
        if entry["bytes_sent"] + entry["bytes_received"] > 20000:
            sockets.append(entry)
    return sockets


def smbclient(net, commands, dialect="SMB3_11", port=445, options=(), conf=None, files=None, user=None, bytes=0,
              share="data", server=None, pause=0, whole=False, give_up=None, counters=True):
    """smbclient with a list of commands; the clock runs around them alone, not around the session's set-up.

    whole: the clock runs from start to end. counters: ask the kernels for theirs at the end.
    give_up: end it after so many seconds, whatever it does then."""
    folder = os.path.join(net.folder, "local")
    make_files(folder, files or {})
    path = smb_conf(net.folder, "client", {"client max protocol": dialect, **(conf or {})})
    marks = os.path.join(net.folder, "marks")
    clock = f"!date +%s.%N >> {marks}"
    script = [f"lcd {folder}", "prompt off", clock, *commands, clock]
    for host in ("client", "server") if counters else ():
        script.append(f"!nsenter --net=/run/netns/{net.netns(host)} ss -Htin > {net.folder}/ss-{host}")
    if pause:
        time.sleep(pause)
    login = ["-U", f"{user or 'guest'}%{PASSWORD if user else ''}"] if user else ["-N"]
    target = server or ("labserver6" if net.ipv6 else SERVER)
    patience = ["timeout", str(give_up)] if give_up else []
    wall, output = net.call("client", *patience, "smbclient", f"//{target}/{share}", "-s", path, *login,
                            *(["-p", str(port)] if port else []), *options,
                            text_in="\n".join(script) + "\nquit\n", check=not give_up)
    if give_up:
        return {"wall_s": wall, "bytes": 0}
    with open(marks) as file:
        times = [float(line) for line in file.read().split()]
    os.unlink(marks)
    result = {"wall_s": wall if whole else times[-1] - times[0], "bytes": bytes, "kernel": {}, "output": output}
    for host in ("client", "server") if counters else ():
        with open(os.path.join(net.folder, f"ss-{host}")) as file:
            result["kernel"][host] = ss_parse(file.read())
    result["session_keys"] = session_keys(output)
    return result


def session_keys(output):
    """What `debug encryption = yes` makes a Samba client print, as {name: hex}; None if it printed nothing."""
    keys = dict(re.findall(r"^\s*(Session Id|Session Key|Signing Key|App Key|ServerIn Key|ServerOut Key)\s*\[?\d*\]?\s*"
                           r"((?:[0-9A-F]{2} {1,3}){8,16})", output, re.M | re.I))
    return {name.lower().replace(" ", "_"): value.replace(" ", "").lower() for name, value in keys.items()} or None


def smbserial(net, what, file, dialect="SMB3_11", conf=None, user=None, server=None, **options):
    """Our serial SMB client over libsmbclient."""
    path = smb_conf(net.folder, "client", {"client max protocol": dialect, **(conf or {})})
    result = os.path.join(net.folder, "smbserial.json")
    login = [f"user={USER}%{PASSWORD}"] if user else []
    net.call("client", os.path.join(BIN, "smbserial"), server or SERVER, what, file, f"config={path}",
             f"result={result}", *login, *(f"{key}={value}" for key, value in options.items()),
             env={"HOME": net.folder})
    with open(result) as file:
        return json.load(file)


def tcpload(net, role="receive", port=5001, address=SERVER, start_after=0, **options):
    """Our plain TCP client; the answer holds both ends' counters."""
    time.sleep(start_after)
    result = os.path.join(net.folder, "tcpload-client.json")
    net.call("client", os.path.join(BIN, "tcpload"), "connect", address, str(port), role, f"result={result}",
             *(f"{key}={value}" for key, value in options.items()))
    answers, kernel = [], {}
    for host in ("client", "server"):
        name = os.path.join(net.folder, f"tcpload-{host}.json")
        for _ in range(100):  # the server writes when its last connection has ended
            if os.path.exists(name) and os.path.getsize(name):
                break
            time.sleep(0.05)
        with open(name) as file:
            answers.append([json.loads(line) for line in file])
        kernel[host] = answers[-1][0]["tcp_info"]
    return {"wall_s": sum(answer["wall_s"] for answer in answers[0]),
            "bytes": sum(answer["bytes"] for answer in answers[0]), "kernel": kernel}


def curl(net, urls, options=(), files=None, bytes=0, check=True, host=None):
    """curl; urls may hold curl's own [1-200] ranges. Paths are below the FTP server's root."""
    folder = os.path.join(net.folder, "local")
    make_files(folder, files or {})
    host = host or (f"[{SERVER6}]" if net.ipv6 else SERVER)
    arguments = [part.replace("LOCAL", folder) for part in options]
    targets = [f"ftp://{host}/{url}" for url in urls]
    sinks = [] if "-T" in arguments else [part for _ in urls for part in ("-o", "/dev/null")]
    wall, output = net.call("client", "curl", "-sS", "--disable", *arguments, *sinks, *targets,
                            "-w", "%{size_download} %{size_upload} %{time_total}\\n", check=check)
    sizes = re.findall(r"^(\d+) (\d+) ([\d.]+)$", output, re.M)
    moved = sum(int(down) + int(up) for down, up, _ in sizes)
    return {"wall_s": wall, "bytes": bytes or moved, "program_s": sum(float(size[2]) for size in sizes)}


def lftp(net, script, bytes=0):
    """lftp with a script; LOCAL stands for the client's own folder."""
    folder = os.path.join(net.folder, "local")
    make_files(folder, {})
    host = f"[{SERVER6}]" if net.ipv6 else SERVER
    wall, _ = net.call("client", "lftp", "-c", "set cmd:interactive no; set net:max-retries 2; set net:timeout 20; "
                       f"set net:reconnect-interval-base 1; open ftp://{host}; " + script.replace("LOCAL", folder),
                       env={"HOME": net.folder})
    return {"wall_s": wall, "bytes": bytes}


def iperf3(net, arguments=()):
    """iperf3; wall time and bytes by its own report."""
    _, output = net.call("client", "iperf3", "-c", SERVER, "-p", "5201", "-J", *arguments)
    end = json.loads(output)["end"]
    if "udp" in json.loads(output)["start"]["test_start"]["protocol"].lower():
        # what the receiver says: datagrams that it missed by their numbers
        total = end["sum"]
        return {"wall_s": total["seconds"], "bytes": total["bytes"],
                "kernel": {"lost": total["lost_packets"], "sent": total["packets"]}}
    return {"wall_s": end["sum_received"]["seconds"], "bytes": end["sum_received"]["bytes"],
            "kernel": {"sender_retransmits": end["sum_sent"].get("retransmits")}}


def script(net, program, *arguments, bytes=0):
    """A Python program of this folder (our own small clients); it prints {"wall_s", "bytes"} as its last line."""
    wall, output = net.call("client", "python3", os.path.join(LAB, program), *map(str, arguments))
    result = json.loads(output.strip().splitlines()[-1])
    return {"wall_s": wall, "bytes": bytes, **result}


def several(net, steps):
    """Clients one after the other; the wall time is the sum."""
    results = [run_client(net, step) for step in steps]
    return {"wall_s": sum(result["wall_s"] for result in results), "bytes": sum(result["bytes"] for result in results),
            "steps": [{key: result[key] for key in ("wall_s", "bytes")} for result in results],
            "kernel": {str(i): result.get("kernel") for i, result in enumerate(results)}}


RUN = {"smbclient": smbclient, "smbserial": smbserial, "tcpload": tcpload, "curl": curl, "lftp": lftp, "iperf3": iperf3,
       "script": script, "several": several}


def run_client(net, step):
    """Run ("kind", {parameters}); "args" among the parameters are positional."""
    kind, parameters = step
    parameters = dict(parameters)
    return RUN[kind](net, *parameters.pop("args", ()), **parameters)
