# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, driven over the pipe of its DevTools protocol."""

import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import time

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    """A browser with one page at a time. `requests` are the addresses that the page has asked for,
    `errors` what it has complained about."""

    def __init__(self, folder):
        self.unread = b""
        self.number = 0
        self.session = None
        to_browser, self.to = os.pipe()
        self.back, from_browser = os.pipe()

        def place_pipes():  # the browser reads from 3 and writes to 4
            first, second = os.dup(to_browser), os.dup(from_browser)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.process = subprocess.Popen(
            [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--remote-debugging-pipe", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", f"--user-data-dir={folder}/profile",
             "about:blank"],
            preexec_fn=place_pipes, close_fds=False, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env={**os.environ, "HOME": str(folder)})
        os.close(to_browser)
        os.close(from_browser)

    def new_page(self, downloads, width=1400, height=900, dark=False):
        """Goes on in a new page, which saves into the folder `downloads`."""
        self.downloads = pathlib.Path(downloads)
        self.requests = []
        self.errors = []
        self.session = None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height,
                 deviceScaleFactor=1, mobile=False)
        self.prefer("dark" if dark else "light")
        for domain in ("Page", "Network", "Log", "Runtime"):
            self.ask(domain + ".enable")
        self.ask("Page.setDownloadBehavior", behavior="allow", downloadPath=str(self.downloads))

    def prefer(self, scheme):
        self.ask("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": scheme}])

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.to)
        os.close(self.back)

    def ask(self, method, timeout=60, **parameters):
        """The result of a method of the protocol."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + timeout
        while True:
            answer = self.next_message(until)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return answer["result"]

    def next_message(self, until):
        while b"\0" not in self.unread:
            if not select.select([self.back], [], [], max(0, until - time.monotonic()))[0]:
                raise AssertionError("the browser does not answer")
            piece = os.read(self.back, 1 << 20)
            if not piece:
                raise AssertionError("the browser has ended")
            self.unread += piece
        text, self.unread = self.unread.split(b"\0", 1)
        message = json.loads(text)
        if message.get("sessionId") == self.session:  # and not a page before it
            self.note(message.get("method"), message.get("params", {}))
        return message

    def note(self, method, event):
        if method == "Network.requestWillBeSent":
            self.requests.append(event["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.errors.append(str(event["exceptionDetails"]))
        elif method == "Log.entryAdded" and event["entry"]["level"] in ("error", "warning"):
            self.errors.append(event["entry"]["text"])

    def open(self, path):
        """Opens a file, and gives the seconds until its list can be used."""
        start = time.monotonic()
        self.ask("Page.navigate", url=pathlib.Path(path).as_uri())
        self.wait("document.readyState === 'complete' && document.querySelector('#list > *') !== null")
        return time.monotonic() - start

    def run(self, script):
        """What an expression of JavaScript gives; promises are waited for."""
        result = self.ask("Runtime.evaluate", expression=script, returnByValue=True,
                          awaitPromise=True, userGesture=True)
        if "exceptionDetails" in result:
            raise AssertionError(f"{script[:200]}\n{result['exceptionDetails']}")
        return result["result"].get("value")

    def wait(self, condition, seconds=30):
        """Waits until an expression is true."""
        until = time.monotonic() + seconds
        while not self.run(condition):
            if time.monotonic() > until:
                raise AssertionError(f"never true: {condition}; {self.errors}")
            time.sleep(0.02)

    def press(self, key):
        for kind in ("keyDown", "keyUp"):
            text = {"text": key} if kind == "keyDown" and len(key) == 1 else {}
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, **text)

    def download(self, name, seconds=30):
        """The bytes of a file that the page has saved."""
        path = self.downloads / name
        until = time.monotonic() + seconds
        while not path.is_file() or not path.stat().st_size:
            if time.monotonic() > until:
                raise AssertionError(f"{name} was never saved; {self.errors}")
            self.run("0")
            time.sleep(0.02)
        return path.read_bytes()

    def screenshot(self, path):
        shot = self.ask("Page.captureScreenshot", format="png")["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(shot))
