"""Firefox on a screen that nobody sees, by its own protocol (Marionette): opens a page, clicks, takes pictures."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PROGRAM = shutil.which("firefox-esr") or shutil.which("firefox")
SCREEN = shutil.which("Xvfb")  # without any Firefox has no WebGL
_SETTINGS = {
    "marionette.port": 0, "webgl.force-enabled": True, "app.normandy.enabled": False,
}  # fmt: skip
_PATIENCE = 120.0  # seconds


class Firefox:
    """A session; each call waits for its answer."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection, self._number = connection, 0
        self._heard = b""
        self._answer()  # who it is
        self.ask("WebDriver:NewSession")

    def ask(self, command: str, **words: Any) -> Any:
        self._number += 1
        text = json.dumps([0, self._number, command, words]).encode()
        self._connection.sendall(b"%d:%b" % (len(text), text))
        _, _, error, result = self._answer()
        if error:
            raise RuntimeError(f"{command}: {error['message']}")
        return result["value"] if isinstance(result, dict) and "value" in result else result

    def value(self, script: str) -> Any:
        """What an expression of the page's own is."""
        return self.ask("WebDriver:ExecuteScript", script=f"return ({script});", args=[])

    def open(self, page: Path) -> None:
        """Until it has drawn something."""
        self.ask("WebDriver:Navigate", url=page.resolve().as_uri())
        until = time.monotonic() + _PATIENCE
        while not self.value("!!window.navmesh && navmesh.page.frames > 0"):
            if time.monotonic() > until:
                raise RuntimeError(str(self.value("document.getElementById('answer').textContent")))
            time.sleep(0.05)

    def click(self, x: float, y: float) -> None:
        moves = [{"type": "pointerMove", "x": round(x), "y": round(y)}, {"type": "pointerDown", "button": 0}]
        hand = {"type": "pointer", "id": "hand", "actions": [*moves, {"type": "pointerUp", "button": 0}]}
        self.ask("WebDriver:PerformActions", actions=[hand])

    def picture(self) -> bytes:
        return base64.b64decode(self.ask("WebDriver:TakeScreenshot", full=False))

    def _answer(self) -> Any:
        while b":" not in self._heard:
            self._heard += self._received()
        length, _, rest = self._heard.partition(b":")
        while len(rest) < int(length):
            rest += self._received()
        self._heard = rest[int(length) :]
        return json.loads(rest[: int(length)])

    def _received(self) -> bytes:
        data = self._connection.recv(1 << 20)
        if not data:
            raise RuntimeError("Firefox has ended")
        return data


@contextlib.contextmanager
def firefox(width: int, height: int) -> Iterator[Firefox]:
    """A new one with a profile of its own, until the end of the block."""
    assert PROGRAM is not None
    with _screen(width, height) as display, tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in _SETTINGS.items()]
        (Path(home) / "user.js").write_text("\n".join(lines))
        command = [PROGRAM, "--no-remote", "--marionette", "--kiosk", "--profile", home, "about:blank"]
        env = {**os.environ, "DISPLAY": display}
        process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            with socket.create_connection(("127.0.0.1", _port(Path(home), process)), _PATIENCE) as connection:
                yield Firefox(connection)
        finally:
            process.kill()
            process.wait()


@contextlib.contextmanager
def _screen(width: int, height: int) -> Iterator[str]:
    """What programs find a new screen by."""
    assert SCREEN is not None
    command = [SCREEN, "-displayfd", "1", "-screen", "0", f"{width}x{height}x24", "+extension", "GLX"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None
        try:
            yield f":{server.stdout.readline().strip()}"
        finally:
            server.kill()


def _port(home: Path, process: subprocess.Popen[bytes]) -> int:
    """Firefox writes there where it listens."""
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until and process.poll() is None:
        with contextlib.suppress(OSError, ValueError):
            return int((home / "MarionetteActivePort").read_text())
        time.sleep(0.1)
    raise RuntimeError("Firefox does not listen")
