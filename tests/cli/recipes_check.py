#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tries what docs/recipes and docs/packaging promise, and prints "ok NAME" or "not ok NAME".

ClickHouse takes the lines and answers the queries, directly and through rsyslog; rsyslog takes its
configurations; GNU parallel analyses an archive; promtool takes the rules and the dashboard's
expressions. What is not installed is skipped. SLOWCOPY_PROGRAM names the program.
"""

import glob
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from monitor_check import PROGRAM, failures, monitor, report, wait_for

CAPTURES = [sorted(glob.glob(f"testdata/causes/{cause}/*/*.pcap*"))[0] for cause in
            ("smb-serial-requests", "zero-window", "ftp-restart", "copy-through-client")]
SERVER = """<yandex>
<logger><level>warning</level><log>{0}/log</log><errorlog>{0}/err</errorlog></logger>
<http_port>{1}</http_port><tcp_port>{2}</tcp_port><listen_host>127.0.0.1</listen_host>
<path>{0}/data/</path><tmp_path>{0}/tmp/</tmp_path>
<user_files_path>{0}/files/</user_files_path>
<users_config>/etc/clickhouse-server/users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database>
<mark_cache_size>100000000</mark_cache_size>
</yandex>
"""
INSERT = ["--input_format_skip_unknown_fields=1", "--date_time_input_format=best_effort"]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def run(*words, text=None):
    done = subprocess.run(words, input=text, capture_output=True, text=True, timeout=120,
                          check=False)
    return done.returncode, done.stdout + done.stderr


class ClickHouse:
    def __init__(self, folder):
        self.port = free_port()
        for name in ("data", "tmp", "files"):
            os.makedirs(os.path.join(folder, name))
        config = os.path.join(folder, "config.xml")
        with open(config, "w", encoding="utf-8") as file:
            file.write(SERVER.format(folder, free_port(), self.port))
        self.process = subprocess.Popen(["clickhouse-server", f"--config-file={config}"],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.is_up = wait_for(lambda: self.ask("SELECT 1")[1].strip() == "1", 60)

    def ask(self, query, text=None, more=()):
        return run("clickhouse-client", f"--port={self.port}", *more, f"--query={query}", text=text)

    def script(self, path):
        with open(path, encoding="utf-8") as file:
            return run("clickhouse-client", f"--port={self.port}", "--multiquery", text=file.read())

    def stop(self):
        self.process.terminate()
        self.process.wait(60)


def check_clickhouse(work):
    names = ["ClickHouse takes lines and answers queries", "a line delivered twice is one row",
             "ClickHouse through rsyslog", "an archive of captures in ClickHouse"]
    if not shutil.which("clickhouse-server") or not shutil.which("clickhouse-client"):
        for name in names:
            report(name, skip="clickhouse-server is not installed")
        return
    folder = os.path.join(work, "clickhouse")
    os.makedirs(folder)
    server = ClickHouse(folder)
    try:
        if not server.is_up:
            return report(names[0], "the server does not start")
        lines = "".join(monitor("-r", path, "--sensor", f"span{i}")[1]
                        for i, path in enumerate(CAPTURES))
        into = "INSERT INTO slowcopy.lines FORMAT JSONEachRow"
        problems = [out for status, out in (
            server.script("docs/recipes/clickhouse/tables.sql"),
            server.ask(into, lines, INSERT)) if status != 0]
        count = int(server.ask("SELECT count() FROM slowcopy.lines FINAL")[1])
        if count != lines.count("\n"):
            problems.append(f"{count} rows")
        status, answers = server.script("docs/recipes/clickhouse/queries.sql")
        if status != 0 or not all(word in answers for word in (
                "smb-serial-requests", "zero-window", "10.77.0.2")):
            problems.append(answers)
        report(names[0], problems or None)
        status, out = server.ask(into, lines, INSERT)
        again = int(server.ask("SELECT count() FROM slowcopy.lines FINAL")[1])
        report(names[1], None if status == 0 and again == count else f"{again} {out}")
        check_rsyslog_clickhouse(names[2], work, server, lines)
        check_archive(names[3], work, server)
    finally:
        server.stop()
    return None


def check_rsyslog_clickhouse(name, work, server, lines):
    if not shutil.which("rsyslogd"):
        return report(name, skip="rsyslog is not installed")
    folder = os.path.join(work, "rsyslog")
    os.makedirs(folder)
    with open("docs/recipes/rsyslog/clickhouse.conf", encoding="utf-8") as file:
        text = file.read()
    text = text.replace("/usr/share/slowcopy/recipes/clickhouse/insert slowcopy.lines",
                        f"{os.getcwd()}/docs/recipes/clickhouse/insert slowcopy.lines "
                        f"--port={server.port}")
    text = text.replace("/var/log/slowcopy", folder)
    text = text.replace("global(", f'global(workDirectory="{folder}" ')
    conf, log = os.path.join(folder, "rsyslog.conf"), os.path.join(folder, "a.ndjson")
    with open(conf, "w", encoding="utf-8") as file:
        file.write(text)
    with open(log, "w", encoding="utf-8") as file:
        file.write(lines.replace('"sensor": "span', '"sensor": "relayed'))
    process = subprocess.Popen(["rsyslogd", "-n", "-f", conf, "-i", os.path.join(folder, "pid")],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    query = "SELECT count() FROM slowcopy.lines FINAL WHERE sensor LIKE 'relayed%'"
    arrived = wait_for(lambda: server.ask(query)[1].strip() == str(lines.count("\n")), 30)
    process.terminate()
    process.wait(30)
    return report(name, None if arrived else server.ask(query)[1])


def check_archive(name, work, server):
    if not shutil.which("parallel"):
        return report(name, skip="GNU parallel is not installed")
    folder = os.path.join(work, "archive")
    os.makedirs(folder)
    for i, path in enumerate(CAPTURES):
        shutil.copy(path, os.path.join(folder, f"{i} {os.path.basename(path)}"))
    with open(os.path.join(folder, "broken.pcap"), "w", encoding="utf-8") as file:
        file.write("this is none")
    script = os.path.abspath("docs/recipes/archive/parallel.sh")

    def archive():
        return subprocess.run([script, folder], cwd=work, env=dict(os.environ, SLOWCOPY=PROGRAM),
                              capture_output=True, text=True, check=False).stdout
    lines, again = archive(), archive()
    paths = sorted(json.loads(line)["path"] for line in lines.splitlines())
    status, out = server.ask("INSERT INTO slowcopy.captures FORMAT JSONEachRow", lines, INSERT)
    causes = server.ask("SELECT cause FROM slowcopy.captures FINAL")[1].split()
    is_right = len(paths) == len(CAPTURES) and not again and status == 0 and \
        "smb-serial-requests" in causes and "zero-window" in causes
    return report(name, None if is_right else f"{paths} {again[:100]} {causes} {out}")


def check_rsyslog_files(work):
    name = "rsyslog takes its configurations"
    if not shutil.which("rsyslogd"):
        return report(name, skip="rsyslog is not installed")
    problems, missing = [], []
    for path in sorted(glob.glob("docs/recipes/rsyslog/*.conf")):
        with open(path, encoding="utf-8") as file:
            modules = re.findall(r'module\(load="(\w+)"', file.read())
        absent = [m for m in modules if not glob.glob(f"/usr/lib/*/rsyslog/{m}.so")]
        if absent:
            missing += absent
            continue
        # as Debian's rsyslog.conf includes it
        conf = os.path.join(work, "rsyslog.conf")
        with open(conf, "w", encoding="utf-8") as file:
            file.write(f"$WorkDirectory {work}\ninclude(file=\"{os.path.abspath(path)}\")\n")
        status, out = run("rsyslogd", "-N1", "-f", conf)
        out = [line for line in out.splitlines() if "config validation run" not in line]
        if status != 0 or out:
            problems.append(f"{path}: {out}")
    if missing and not problems:
        return report(name, skip=f"modules are missing: {' '.join(missing)}")
    return report(name, problems or None)


def expressions():
    with open("docs/packaging/slowcopy-monitor.grafana.json", encoding="utf-8") as file:
        dashboard = json.load(file)
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"].replace("$__rate_interval", "5m").replace(
                "$instance", ".*")


def check_prometheus(work):
    path = os.path.join(work, "slowcopy.prom")
    monitor("-r", CAPTURES[0], "--metrics-file", path)
    with open(path, encoding="utf-8") as file:
        known = set(re.findall(r"^# TYPE (\w+)", file.read(), re.MULTILINE))
    with open("docs/monitor.md", encoding="utf-8") as file:
        known |= set(re.findall(r"`(slowcopy_\w+)`", file.read()))
    with open("docs/packaging/slowcopy-monitor.rules.yml", encoding="utf-8") as file:
        used = set(re.findall(r"\b(slowcopy_\w+)", file.read()))
    for _, expression in expressions():
        used |= set(re.findall(r"\b(slowcopy_\w+)", expression))
    report("alert rules and dashboard use metrics that exist", sorted(used - known) or None)
    name = "promtool takes the alert rules and the dashboard's expressions"
    if not shutil.which("promtool"):
        return report(name, skip="promtool is not installed")
    rules = os.path.join(work, "rules.json")
    with open(rules, "w", encoding="utf-8") as file:
        json.dump({"groups": [{"name": "dashboard", "rules": [
            {"record": f"panel:{i}", "expr": expression}
            for i, (_, expression) in enumerate(expressions())]}]}, file)
    results = [run("promtool", "check", "rules", file) for file in (
        "docs/packaging/slowcopy-monitor.rules.yml", rules)]
    return report(name, [out for status, out in results if status != 0] or None)


def main():
    with tempfile.TemporaryDirectory(prefix="slowcopy-recipes-") as work:
        check_prometheus(work)
        check_rsyslog_files(work)
        check_clickhouse(work)
    return 1 if failures() else 0


if __name__ == "__main__":
    sys.exit(main())
