# SPDX-License-Identifier: Apache-2.0
"""Watches and controls `servosim run --view`, by docs/reference/live-view.md alone.

Usage: live_view.py SERVOSIM
"""

import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

SERVOSIM = sys.argv[1]
WORLD = """#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 }
Robot { name "arm" controller "<none>" children HingeJoint {
  jointParameters HingeJointParameters { axis 0 1 0 }
  device RotationalMotor { name "turn" maxTorque 10 maxVelocity 4 minPosition -1 maxPosition 1 }
  endPoint Solid { translation 0.2 0 0 boundingObject Box { size 0.4 0.1 0.1 } physics Physics { } } } }
"""


class View:
    def __init__(self, world, *options):
        self.process = subprocess.Popen(
            [SERVOSIM, "run", world, *options], stdout=subprocess.PIPE, text=True)
        match = None
        while match is None:
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit(f"the run ended with {self.process.wait()}; this build may have no page")
            match = re.match(r"view: (http://127\.0\.0\.1:\d+)/\?token=([0-9a-f]{32})$", line)
        self.base, self.token = match.groups()

    def status(self, path, token=None, body=None, **headers):
        url = f"{self.base}{path}" + (f"?token={token}" if token else "")
        data = None if body is None else json.dumps(body).encode()
        try:
            with urllib.request.urlopen(urllib.request.Request(url, data, headers), timeout=60) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def control(self, **body):
        return self.status("/control", self.token, body)

    def watch(self):
        stream = urllib.request.urlopen(f"{self.base}/stream?token={self.token}", timeout=60)
        while True:
            head = stream.read(5)
            if not head:
                return
            kind, length = struct.unpack("<cI", head)
            yield kind.decode(), stream.read(length)

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=60)
        return self.process.returncode


def time_of(frame):
    return struct.unpack_from("<d", frame)[0]


def until(records, kind, wanted=lambda data: True):
    for found, data in records:
        if found == kind and wanted(data):
            return data
    raise AssertionError(f"the stream ended without a record {kind}")


def refuses_strangers(view):
    assert view.status("/", view.token)[0] == 200
    other = "0" * 32
    for path in ("/", "/stream", "/control"):
        assert view.status(path)[0] == 403, path
        assert view.status(path, other)[0] == 403, path
    for headers in ({"Origin": "http://elsewhere"}, {"Host": "elsewhere:80"}):
        assert view.status("/", view.token, **headers)[0] == 403, headers


def controls(view):
    records = view.watch()
    assert json.loads(until(records, "L")) == {"paused": False, "speed": 1, "control": True}
    scene = json.loads(until(records, "S"))
    assert [joint["name"] for joint in scene["joints"]] == ["arm/turn"], scene["joints"]
    until(records, "F")
    assert view.control(do="pause")[0] == 204
    until(records, "L", lambda data: json.loads(data)["paused"])
    assert view.control(do="step")[0] == 204
    before = time_of(until(records, "F"))
    for _ in range(3):
        assert view.control(do="step")[0] == 204
        now = time_of(until(records, "F", lambda data: time_of(data) > before))
        assert abs(now - before - 0.008) < 1e-9, (before, now)
        before = now
    assert view.control(do="motor", joint="arm/turn", position=0.5, velocity=2)[0] == 204
    assert view.control(do="speed", factor=None)[0] == 204
    assert view.control(do="go")[0] == 204
    body = 20 * sum(body["moves"] for body in scene["bodies"])
    until(records, "F", lambda data: abs(struct.unpack_from("<f", data, 8 + body)[0] - 0.5) < 0.01)
    assert view.control(do="pause")[0] == 204
    assert view.control(do="reset")[0] == 204
    until(records, "F", lambda data: abs(time_of(data) - 0.008) < 1e-9)  # a reset takes the place of a step
    for body, why in (({"do": "motor", "joint": "leg", "position": 1}, "leg"), ({"do": "fly"}, "pause"),
                      ({"do": "speed", "factor": -1}, "factor"), ([1], "JSON"),
                      ({"do": "motor", "joint": "arm/turn", "effort": -1}, "")):
        status, text = view.status("/control", view.token, body)
        assert status == 400 and why in text, (body, status, text)
    return records


def ends_though_somebody_sends_without_end(world):
    view = View(world, "--view", "--duration", "0.5")
    with socket.create_connection(("127.0.0.1", int(view.base.rsplit(":", 1)[1]))) as stranger:
        stranger.sendall(b"GET / HTTP/1.1\r\n")
        while view.process.poll() is None:
            try:
                stranger.sendall(b"X: y\r\n")
            except OSError:
                pass  # the message is refused
            time.sleep(0.05)
    view.process.stdout.close()
    assert view.process.returncode == 0, view.process.returncode


def main():
    with tempfile.TemporaryDirectory() as folder:
        world = os.path.join(folder, "arm.wbt")
        with open(world, "w", encoding="utf-8") as file:
            file.write(WORLD)
        view = View(world, "--view", "--view-control")
        try:
            refuses_strangers(view)
            records = controls(view)
        finally:
            code = view.end()
        assert code == 128 + signal.SIGTERM, code
        assert json.loads(until(records, "E"))["state_hash"]
        view = View(world, "--view")
        try:
            assert view.control(do="pause")[0] == 403
            assert json.loads(until(view.watch(), "L"))["control"] is False
        finally:
            view.end()
        ends_though_somebody_sends_without_end(world)
        both = subprocess.run([SERVOSIM, "run", world, "--view", "--json", "--steps", "2"],
                              capture_output=True, text=True, timeout=60, check=True)
        assert json.loads(both.stdout)["runs"][0]["steps"] == 2 and "view: http://" in both.stderr


if __name__ == "__main__":
    main()
