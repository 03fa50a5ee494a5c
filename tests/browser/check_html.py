#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Opens HTML reports in headless Chromium and checks what a reader relies on: check_html.py [FILE...]

No console message, no exception, no request beyond the file itself; graphs drawn; zoom moves all
graphs together; findings lead to their moment; tables sort; nothing is wider than a phone; without
scripts the verdict is there; it prints; keys reach everything.
Without FILE it makes reports of recorded captures and of a large generated one. Prints "ok NAME" and
"not ok NAME" lines; without Chromium it says that it skips.
"""
import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe"]
MAX_BYTES = 2 * 1000 * 1000
PROGRAM = os.environ.get("SLOWCOPY_PROGRAM", "build/release/slowcopy")
CAPTURES = ("testdata/causes/smb-serial-requests/smb3-serial-64k-10ms/client.pcap.gz",
            "testdata/causes/small-files-metadata/smb1-mget-60x4k-20ms/client.pcap.gz",
            "testdata/causes/loss-random/smb1-put-loss-1pc/client.pcap.gz",
            "testdata/healthy/ftp-parallel-files/client.pcap.gz",
            "testdata/healthy/iperf3-download/middle.pcap.gz")
# Packets and connections of the generated capture: more of both than a page shows.
LARGE = ("400000", "300")
STEP_SECONDS = 60


class Browser:
    """Chromium on its debugging pipe: messages are JSON, each ended by a NUL byte."""

    def __init__(self, program):
        self.profile = tempfile.mkdtemp(prefix="slowcopy-browser-")
        to_child, self.write = os.pipe()
        self.read, from_child = os.pipe()

        # descriptors 3 and 4 are what --remote-debugging-pipe speaks on
        def wire():
            os.dup2(to_child, 13)
            os.dup2(from_child, 14)
            os.dup2(13, 3)
            os.dup2(14, 4)

        self.process = subprocess.Popen(
            ["timeout", str(10 * STEP_SECONDS), program, *FLAGS,
             f"--user-data-dir={self.profile}", "about:blank"],
            close_fds=False, preexec_fn=wire, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_child)
        os.close(from_child)
        self.buffer = b""
        self.number = 0
        self.session = None
        self.events = []
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(t for t in targets if t["type"] == "page")
        self.session = self.call("Target.attachToTarget",
                                 {"targetId": page["targetId"], "flatten": True})["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def receive(self):
        while b"\0" not in self.buffer:
            data = os.read(self.read, 1 << 16)
            if not data:
                raise RuntimeError("the browser went away")
            self.buffer += data
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, params=None):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params or {}}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.receive())

    def open(self, path, scripts=True):
        self.events.clear()
        self.call("Emulation.setScriptExecutionDisabled", {"value": not scripts})
        self.call("Page.navigate", {"url": "file://" + os.path.abspath(path)})
        self.wait("Page.loadEventFired")

    def value(self, expression):
        result = self.call("Runtime.evaluate", {
            "expression": expression, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def width(self, pixels, scheme="light"):
        self.call("Emulation.setDeviceMetricsOverride", {
            "width": pixels, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        self.call("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": scheme}]})

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
        except (RuntimeError, OSError):
            pass
        self.process.wait(timeout=STEP_SECONDS)
        os.close(self.read)
        os.close(self.write)
        shutil.rmtree(self.profile, ignore_errors=True)


def complaints(browser):
    for event in browser.events:
        params = event.get("params", {})
        if event.get("method") == "Runtime.consoleAPICalled":
            yield "console: " + json.dumps(params["args"])[:300]
        elif event.get("method") == "Runtime.exceptionThrown":
            yield "exception: " + json.dumps(params["exceptionDetails"])[:300]
        elif event.get("method") == "Log.entryAdded":
            # our own look at the graphs' pixels
            if params["entry"]["text"].startswith("Canvas2D: Multiple readback"):
                continue
            yield "log: " + params["entry"]["text"][:300]
        elif event.get("method") == "Network.requestWillBeSent":
            url = params["request"]["url"]
            if not url.startswith("file://") or params.get("type") != "Document":
                yield "request: " + url[:300]


FRAME = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
DRAWN = """[...document.querySelectorAll('#graphs .plot:not([hidden]) canvas')].every((c) => {
    if (c.width === 0) return false;
    const all = [...c.parentElement.querySelectorAll('canvas')];
    return all.some((d) => d.getContext('2d').getImageData(0, 0, d.width, d.height).data
        .some((v) => v !== 0)); })"""
RANGE = "document.getElementById('range').textContent"
ALL_TICKS = """[...document.querySelectorAll('#graphs .chart')].filter((c) => c.offsetParent)
    .map((c) => [...c.querySelectorAll('.dygraph-axis-label-x')].map((t) => t.textContent).join('|'))"""
POLICY = "document.querySelector('meta[http-equiv=Content-Security-Policy]').content"
UNREACHABLE = """[...document.querySelectorAll('a[href], button, select, summary')]
    .filter((e) => e.offsetParent && e.tabIndex < 0).length"""
NAMELESS = """[...document.querySelectorAll('button, select, a[href]')]
    .filter((e) => !(e.textContent.trim() || e.ariaLabel || e.labels?.length)).length"""
TICKS = """[...document.querySelectorAll('#graphs .chart')].filter((c) => c.offsetParent)
    .map((c) => c.querySelector('.dygraph-axis-label-x')?.textContent)"""


def check_graphs(browser):
    if not browser.value("!!document.getElementById('graphs')"):
        return
    if browser.value("document.getElementById('graphs').hidden"):
        yield "graphs stay hidden"
        return
    if not browser.value(DRAWN):
        yield "a graph is empty"
    before, ticks = browser.value(RANGE), browser.value(TICKS)
    browser.value("document.getElementById('zoom-in').click()")
    browser.value(FRAME)
    if browser.value(RANGE) == before:
        yield "zoom does nothing"
    if browser.value(TICKS) == ticks:
        yield "zoom does not move the axes"
    if len(set(browser.value(ALL_TICKS))) > 1:
        yield f"graphs show different times: {browser.value(ALL_TICKS)}"
    browser.value("document.getElementById('all').click()")
    if browser.value(RANGE) != before:
        yield "the whole copy does not come back"
    # a drag over the first graph zooms all
    box = browser.value("""(() => { const c = [...document.querySelectorAll('#graphs .chart')]
        .find((e) => e.offsetParent); c.scrollIntoView({block: 'center'}); const r = c.getBoundingClientRect();
        return [r.left, r.top, r.width, r.height]; })()""")
    for kind, share in (("mousePressed", .4), ("mouseMoved", .5), ("mouseMoved", .6),
                        ("mouseReleased", .6)):
        browser.call("Input.dispatchMouseEvent", {
            "type": kind, "x": box[0] + box[2] * share, "y": box[1] + box[3] / 2,
            "button": "left", "buttons": 0 if kind == "mouseReleased" else 1, "clickCount": 1})
    browser.value(FRAME)
    if browser.value(RANGE) == before:
        yield "a drag does not zoom"
    browser.value("document.getElementById('all').click()")
    if browser.value("!!document.querySelector('a[data-copy]')"):
        browser.value("document.querySelector('a[data-copy]').click()")
        browser.value(FRAME)
        if browser.value(RANGE) == before:
            yield "a finding's link does not lead to its moment"


def check_page(browser, path):
    if os.path.getsize(path) > MAX_BYTES:
        yield f"larger than {MAX_BYTES} bytes"
    for pixels, scheme in ((1100, "light"), (1100, "dark"), (400, "light")):
        browser.width(pixels, scheme)
        browser.open(path)
        browser.value(FRAME)
        wide = browser.value("document.documentElement.scrollWidth")
        if wide > pixels:
            yield f"{wide} pixels wide on a screen of {pixels}"
        yield from complaints(browser)
    browser.width(1100)
    browser.open(path)
    yield from check_graphs(browser)
    if browser.value("!!document.querySelector('table.sortable th button')"):
        browser.value("document.querySelector('table.sortable th button').click()")
        if browser.value("document.querySelector('table.sortable th').ariaSort") != "ascending":
            yield "tables do not sort"
    policy = browser.value(POLICY)
    if "default-src 'none'" not in policy or re.search(r"unsafe|\*|https?:", policy):
        yield f"policy: {policy}"
    if browser.value(UNREACHABLE) or browser.value(NAMELESS):
        yield "keys or screen readers miss something"
    if browser.value("document.querySelectorAll('h1').length") != 1:
        yield "not one heading"
    if browser.value("""[...document.querySelectorAll('[role=img], [role=region], canvas.waterfall')]
            .some((e) => !e.getAttribute('aria-label'))"""):
        yield "a picture without words"
    pdf = base64.b64decode(browser.call("Page.printToPDF", {"preferCSSPageSize": True})["data"])
    if not pdf.startswith(b"%PDF") or len(pdf) < 10000:
        yield "does not print"
    yield from complaints(browser)
    browser.open(path, scripts=False)
    words = browser.call("DOM.getDocument", {"depth": -1})
    if "h1" not in json.dumps(words).lower():
        yield "no verdict without scripts"
    yield from complaints(browser)


def make_reports(folder):
    """Pages of real captures and of one with more connections and requests than a page shows."""
    captures = [path for path in CAPTURES if os.path.exists(path)]
    generator = os.path.join(os.path.dirname(PROGRAM), "tools", "capgen_bench")
    if os.path.exists(generator):
        captures.append(os.path.join(folder, "large.pcap"))
        subprocess.run([generator, captures[-1], *LARGE], check=True, stdout=subprocess.DEVNULL)
    else:
        print(f"ok a page of a large capture # SKIP there is no {generator}")
    for number, path in enumerate(captures):
        page = os.path.join(folder, f"{number}.html")
        with open(page, "wb") as file:
            subprocess.run([PROGRAM, "analyze", "--html", path], stdout=file, check=True)
        yield path, page


def main():
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if not program:
        print("ok pages in a browser # SKIP no Chromium is installed")
        return 0
    failed = 0
    browser = Browser(program)
    with tempfile.TemporaryDirectory(prefix="slowcopy-pages-") as folder:
        try:
            pages = [(path, path) for path in sys.argv[1:]] or make_reports(folder)
            for name, path in pages:
                found = list(dict.fromkeys(check_page(browser, path)))
                print(f"{'not ok' if found else 'ok'} page of {name}")
                for line in found:
                    print(f"    {line}")
                failed += bool(found)
        finally:
            browser.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
