# SPDX-License-Identifier: GPL-3.0-or-later
"""The real servers of the lab: smbd, vsftpd, iperf3, and our tcpload. Each function starts one on host "server"."""
import os
import time

from network import BIN, CLIENT, LAB, SERVER, SERVER6, run

USER, PASSWORD = "labuser", "labpass"
TEXT = b"slowcopy laboratory payload, the same line again and again.\n"


def make_files(folder, files):
    """Create {name: size} or {name: (count, size)} (name0, name1, ...) below a folder; contents compress well."""
    os.makedirs(folder, exist_ok=True)
    os.chmod(folder, 0o777)
    for name, size in files.items():
        names, size = ([name], size) if isinstance(size, int) else ([f"{name}{i}" for i in range(size[0])], size[1])
        for each in names:
            path = os.path.join(folder, each)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as out:
                out.write((TEXT * (size // len(TEXT) + 1))[:size])
            os.chmod(path, 0o666)


def slow_disk(settings):
    """Environment that preloads the slow disk, e.g. {"READ_US": 8000, "PATH": "/data/"}."""
    if not settings:
        return {}
    return {"LD_PRELOAD": os.path.join(BIN, "slowdisk.so"),
            **{f"SLOWDISK_{key}": str(value) for key, value in settings.items()}}


def smb_conf(folder, role, settings, share=None):
    """Write a Samba configuration that needs none of the machine's own folders; returns its path."""
    base = os.path.join(folder, role)
    lines = {"server role": "standalone server", "workgroup": "LAB", "netbios name": f"LAB{role.upper()}",
             "server string": "lab", "load printers": "no", "printcap name": "/dev/null", "disable spoolss": "yes",
             "rpc start on demand helpers": "no", "log file": f"{base}/log", "log level": "0", "max log size": "0",
             "bind interfaces only": "yes", "interfaces": f"{SERVER if role == 'server' else CLIENT}/24", "smb ports": "445 139",
             "map to guest": "Bad User", "guest account": "nobody", "server min protocol": "NT1",
             "client min protocol": "NT1", "ntlm auth": "ntlmv1-permitted", "name resolve order": "host",
             "smb2 max read": "1048576", "smb2 max write": "1048576", "smb2 max trans": "1048576",
             "multicast dns register": "no", "usershare max shares": "0", **settings}
    for name in ("private dir", "lock directory", "state directory", "cache directory", "pid directory",
                 "ncalrpc dir"):
        path = os.path.join(base, name.replace(" ", "-"))
        os.makedirs(path, exist_ok=True)
        os.chmod(path, 0o755)
        lines[name] = path
    os.makedirs(os.path.join(base, "private-dir", "msg.sock"), mode=0o700, exist_ok=True)
    text = "[global]\n" + "".join(f"\t{key} = {value}\n" for key, value in lines.items())
    if role == "server":
        data = {"path": os.path.join(folder, "data"), "guest ok": "yes", "read only": "no", "force user": "root",
                **(share or {})}
        text += "[data]\n" + "".join(f"\t{key} = {value}\n" for key, value in data.items())
    conf = os.path.join(base, "smb.conf")
    with open(conf, "w") as out:
        out.write(text)
    return conf


def start_smbd(net, files=None, conf=None, share=None, disk=None, ports=(445,), nmbd=False):
    """Start smbd with share "data". conf/share: smb.conf settings; disk: see slow_disk; nmbd: also answer to names."""
    make_files(os.path.join(net.folder, "data"), files or {})
    settings = dict(conf or {})
    if net.ipv6:
        settings.setdefault("interfaces", f"{SERVER}/24 {SERVER6}/64")
    path = smb_conf(net.folder, "server", settings, share)
    net.call("server", "smbpasswd", "-c", path, "-a", "-s", USER, text_in=f"{PASSWORD}\n{PASSWORD}\n")
    net.start("server", "smbd", "-F", "--no-process-group", "-s", path, env=slow_disk(disk))
    for port in ports:
        net.wait_listening(port)
    if nmbd:
        net.start("server", "nmbd", "-F", "--no-process-group", "-s", path)
        for _ in range(60):  # it claims its name for some seconds first
            time.sleep(0.3)
            if SERVER + " LABSERVER" in net.call("server", "nmblookup", "-s", path, "LABSERVER", check=False)[1]:
                break


def start_vsftpd(net, files=None, conf=None, disk=None, greet_late=0):
    """Start vsftpd for anonymous use; uploads go to the folder "up". greet_late: seconds before each greeting."""
    root = os.path.join(net.folder, "ftp")
    make_files(root, files or {})
    make_files(os.path.join(root, "up"), {})
    os.chmod(root, 0o555)
    empty = os.path.join(net.folder, "empty")
    os.makedirs(empty, mode=0o555, exist_ok=True)
    settings = {"listen": "YES", "background": "NO", "anonymous_enable": "YES", "local_enable": "NO",
                "no_anon_password": "YES", "anon_root": root, "anon_upload_enable": "YES", "write_enable": "YES",
                "anon_umask": "022", "seccomp_sandbox": "NO", "isolate": "NO", "isolate_network": "NO",
                "use_sendfile": "NO", "secure_chroot_dir": empty, "pasv_min_port": "40000",
                "pasv_max_port": "40999", "xferlog_enable": "NO", "ftpd_banner": "lab", "ftp_username": "ftp",
                "connect_from_port_20": "YES", **(conf or {})}
    if net.ipv6:
        settings.update({"listen": "NO", "listen_ipv6": "YES"})
    path = os.path.join(net.folder, "vsftpd.conf")
    with open(path, "w") as out:
        out.write("".join(f"{key}={value}\n" for key, value in settings.items()))
    if greet_late:
        with open(path, "a") as out:
            out.write("listen=NO\n")
        net.start("server", "python3", os.path.join(LAB, "lateinetd.py"), SERVER, "21", str(greet_late), "vsftpd", path)
    else:
        net.start("server", "vsftpd", path, env=slow_disk(disk))
    net.wait_listening(21)


def start_iperf3(net, arguments=()):
    """Start an iperf3 server."""
    net.start("server", "iperf3", "-s", "-p", "5201", *arguments)
    net.wait_listening(5201)


def start_tcpload(net, role="send", port=5001, address=SERVER, **options):
    """Start our own TCP program as the acceptor; its result goes to <folder>/tcpload-server.json."""
    net.start("server", os.path.join(BIN, "tcpload"), "listen", address, str(port), role,
              f"result={net.folder}/tcpload-server.json", *(f"{key}={value}" for key, value in options.items()))
    net.wait_listening(port)


def start_several(net, servers):
    """Several servers on the one host."""
    for kind, parameters in servers:
        START[kind](net, **parameters)


START = {"smbd": start_smbd, "vsftpd": start_vsftpd, "iperf3": start_iperf3, "tcpload": start_tcpload, "several": start_several}


def versions():
    """Versions of the programs that make the packets, for ORIGIN.md."""
    text = {"kernel": os.uname().release.split("-")[0]}
    commands = {"samba": ("smbd", "-V"), "curl": ("curl", "--version"), "lftp": ("lftp", "--version"),
                "iperf3": ("iperf3", "--version"), "tcpdump": ("tcpdump", "--version")}
    for name, command in commands.items():
        words = (run(*command, check=False) or "").split()
        number = [word.strip(",;|") for word in words if word[:1].isdigit()]
        text[name] = number[0] if number else None
    text["vsftpd"] = "3.0.3"
    packaged = run("dpkg-query", "-W", "-f=${Version}", "vsftpd", check=False)
    if packaged:
        text["vsftpd"] = packaged.split("-")[0]
    return text
