"""A headless Chromium that loads local pages, is clicked and typed into, and is asked what it shows: the DevTools protocol
over a pair of pipes, without a package."""

import atexit
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Dict, List, Optional, Union

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking",
         "--disable-extensions", "--no-first-run", "--mute-audio", "--remote-debugging-pipe", "--use-angle=swiftshader",
         "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist")


def find_browser() -> Optional[str]:
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """A process of Chromium. Its start takes a second, so all pages share one (`Browser.running`)."""

    running: Optional["Browser"] = None

    def __init__(self) -> None:
        self.count = 0
        self.received = b""
        self.profile = tempfile.mkdtemp(prefix="p2mpp-browser-")
        to_browser, self.out = os.pipe()
        self.into, from_browser = os.pipe()
        # Chromium reads file descriptor 3 and writes 4.
        command = ["bash", "-c", f'exec "$@" 3<&{to_browser} 4>&{from_browser}', "bash", find_browser(), *FLAGS,
                   f"--user-data-dir={self.profile}", "about:blank"]
        self.process = subprocess.Popen(command, pass_fds=(to_browser, from_browser), stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        atexit.register(self.end)

    def end(self) -> None:
        atexit.unregister(self.end)
        self.process.kill()
        self.process.wait()
        os.close(self.out)
        os.close(self.into)
        shutil.rmtree(self.profile, ignore_errors=True)

    def send(self, message: Dict[str, Any]) -> int:
        """The message's number, which its answer has, too."""
        self.count += 1
        os.write(self.out, json.dumps({"id": self.count, **message}).encode() + b"\0")
        return self.count

    def receive(self, deadline: float) -> Dict[str, Any]:
        while b"\0" not in self.received:
            ready, _, _ = select.select([self.into], [], [], max(0, deadline - time.monotonic()))
            data = os.read(self.into, 1 << 20) if ready else b""
            if not data:
                raise TimeoutError("the browser does not answer")
            self.received += data
        message, self.received = self.received.split(b"\0", 1)
        return json.loads(message)


class Page:
    """A page with a storage of its own. Nothing may go wrong in it until it is left: no console error, exception or request
    to anywhere."""

    def __init__(self, path: Union[Path, str], width: int = 700, height: int = 500, timeout: float = 90, moving: bool = False,
                 dark: bool = False, may_fail: bool = False) -> None:
        """path: a file, or the address of a server on this machine, which the page may ask for what it needs.
        moving: the reader has not asked for pages that keep still. dark: the reader prefers dark ones.
        may_fail: the server refuses requests."""
        self.timeout = timeout
        self.allowed = ("file:", "data:", "blob:") + ((path,) if isinstance(path, str) else ())
        self.problems: List[str] = []
        self.may_fail = may_fail
        self.session: Optional[str] = None
        Browser.running = self.browser = Browser.running or Browser()
        self.context = self.call("Target.createBrowserContext")["browserContextId"]
        target = self.call("Target.createTarget", url="about:blank", browserContextId=self.context)["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.resize(width, height)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-reduced-motion", "value": "no-preference" if moving else "reduce"},
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        address = path if isinstance(path, str) else Path(path).resolve().as_uri()
        self.call("Page.navigate", url=address)
        self.wait_for("document.readyState === 'complete' && document.body.dataset.ready !== undefined")

    def __enter__(self) -> "Page":
        return self

    def __exit__(self, failure: Any, *_: Any) -> None:
        if failure:  # who knows in which state it is
            Browser.running = None
            self.browser.end()
            return
        self.session = None
        self.call("Target.disposeBrowserContext", browserContextId=self.context)
        if self.problems and not self.may_fail:
            raise AssertionError(self.problems)

    def notice(self, message: Dict[str, Any]) -> None:
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.problems.append(str(params["exceptionDetails"].get("exception", {}).get("description", params)))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "assert"):
            self.problems.append(str([each.get("value") for each in params["args"]]))
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.problems.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent" and not params["request"]["url"].startswith(self.allowed):
            self.problems.append("a request to " + params["request"]["url"])

    def call(self, method: str, **params: Any) -> Dict[str, Any]:
        to = {} if self.session is None else {"sessionId": self.session}
        number = self.browser.send({"method": method, "params": params, **to})
        deadline = time.monotonic() + self.timeout
        while True:
            answer = self.browser.receive(deadline)
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            if answer.get("sessionId") == self.session:
                self.notice(answer)

    def evaluate(self, expression: str) -> Any:
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(str(result["exceptionDetails"]))
        return result["result"].get("value")

    def wait_for(self, expression: str) -> None:
        deadline = time.monotonic() + self.timeout
        while not self.evaluate(expression):
            if time.monotonic() > deadline:
                raise TimeoutError(f"never came true: {expression}; {self.problems}")
            time.sleep(0.05)

    def resize(self, width: int, height: int) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)

    def press(self, key: str) -> None:
        text = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def text(self, name: str) -> str:
        """Of the element with this id."""
        return self.evaluate(f"document.getElementById('{name}').textContent")

    def count(self, selector: str) -> int:
        return self.evaluate(f"document.querySelectorAll({json.dumps(selector)}).length")

    def enter(self, selector: str, value: str) -> None:
        """Gives an input or a choice this value, as a person does."""
        self.evaluate(f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.value = {json.dumps(value)};"
                      " e.dispatchEvent(new Event('input')); e.dispatchEvent(new Event('change')); })()")

    def click(self, selector: str) -> None:
        self.evaluate(f"document.querySelector({json.dumps(selector)}).click()")

    def choose(self, selector: str, files: List[Path]) -> None:
        """Gives files to an input element, as a dialog does."""
        node = self.call("Runtime.evaluate", expression=f"document.querySelector({json.dumps(selector)})")["result"]["objectId"]
        self.call("DOM.setFileInputFiles", objectId=node, files=[str(Path(file).resolve()) for file in files])

    def drag(self, selector: str, across: int, down: int) -> None:
        """With the left button, from the element's middle."""
        x, y = self.evaluate(f"(() => {{ const r = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
                             " return [r.x + r.width / 2, r.y + r.height / 2]; })()")
        for kind, dx, dy, buttons in (("mousePressed", 0, 0, 1), ("mouseMoved", across, down, 1),
                                      ("mouseReleased", across, down, 0)):
            self.call("Input.dispatchMouseEvent", type=kind, x=x + dx, y=y + dy, button="left", buttons=buttons, clickCount=1)
