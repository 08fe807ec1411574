# SPDX-License-Identifier: Apache-2.0
"""Reads what `servosim test` and `servosim report` write, as CI services, other programs and maintainers do.

Usage: reports.py SERVOSIM
The controllers are shell scripts, which never ask for a step.
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as ElementTree
import zipfile

SERVOSIM = sys.argv[1]

WORLD = """#VRML_SIM R2023b utf8
WorldInfo { gravity 0 basicTimeStep 8 }
Robot { name "arm" controller "noisy" children [
  HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 position 0.3 }
    device [ RotationalMotor { name "turn" } ]
    endPoint Solid { name "hand" boundingObject Sphere { radius 0.1 } physics Physics { } } } ] }
"""
# Bytes that end a section of XML, move a cursor, are no text, no UTF-8, no character, or a workflow command.
NOISE = r"]]></system-out>\n\033[31mred\000 \377\357\277\277 & <b>\r\n::error::mine\n"
NOISY = f"#!/bin/sh\nprintf '{NOISE}'\necho last words >&2\nexit 3\n"
SPECIFICATION = """world = "w.wbt"
duration = 0.08
controller = "arm=noisy.sh"
warnings = 0

[[expect]]
joint = "arm/turn"
position = [0.4, 1]
velocity = [-1, inf]

[[expect]]
controller = "arm"
exit = 3
"""


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="servosim_reports_")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        self.environment = dict(os.environ, HOME=str(self.folder))

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(text, bytes):
            path.write_bytes(text)
        else:
            path.write_text(text, encoding="utf-8")
        if text[:2] == "#!":
            path.chmod(0o755)

    def run_program(self, *arguments, **variables):
        return subprocess.run([SERVOSIM, *arguments], cwd=self.folder, capture_output=True, timeout=120,
                              env=dict(self.environment, **variables), check=False)


class Test(Folder):
    """`servosim test`: one expectation fails, and others hold."""

    def setUp(self):
        super().setUp()
        self.write("w.wbt", WORLD)
        self.write("noisy.sh", NOISY)
        self.write("s.toml", SPECIFICATION)

    def test_junit(self):
        done = self.run_program("test", "s.toml", "--junit", "r.xml", "--figures", "kept")
        self.assertEqual(done.returncode, 1, done.stderr)
        suites = ElementTree.parse(self.folder / "r.xml").getroot()
        self.assertEqual(suites.tag, "testsuites")
        (suite,) = suites
        self.assertEqual(suite.get("name"), "s.toml")
        cases = suite.findall("testcase")
        self.assertEqual([case.get("name") for case in cases],
                         ["run", "arm/turn position", "arm/turn velocity",
                          "exit of the controller of arm", "warnings"])
        self.assertEqual([case.get("line") for case in cases], ["1", "6", "6", "11", "1"])
        self.assertEqual({case.get("file") for case in cases}, {"s.toml"})
        self.assertEqual(int(suite.get("tests")), len(cases))
        self.assertEqual(int(suite.get("failures")), len(suite.findall("testcase/failure")))
        for case in cases:
            self.assertGreaterEqual(float(case.get("time")), 0.0)
        self.assertLessEqual(sum(float(case.get("time")) for case in cases),
                             float(suite.get("time")) + 0.0005 * (len(cases) + 1))  # rounded to 1 ms
        of_case = {p.get("name"): p.get("value") for p in cases[1].findall("properties/property")}
        self.assertAlmostEqual(float(of_case["value"]), 0.3)
        self.assertEqual((of_case["low"], of_case["high"], of_case["unit"]), ("0.4", "1", "rad"))
        failure = cases[1].find("failure")
        self.assertIn("expected 0.4 to 1 rad; came 0.3", failure.get("message"))
        self.assertIn("replay: kept/s.svt", failure.text)
        of_suite = {p.get("name"): p.get("value") for p in suite.findall("properties/property")}
        self.assertEqual(of_suite, {"world": "w.wbt", "trace": "kept/s.csv", "replay": "kept/s.svt"})
        self.assertEqual((self.folder / "kept/s.svt").read_bytes()[:8], b"SVTREC1\n")
        output = suite.find("system-out").text
        self.assertIn("]]></system-out>\n\\x1b[31mred\\x00 \\xff\\xef\\xbf\\xbf & <b>\\x0d\n", output)
        self.assertIn("last words\n", output)

    def test_json(self):
        done = self.run_program("test", "s.toml", "--json")
        self.assertEqual(done.returncode, 1)
        document = json.loads(done.stdout)
        self.assertEqual(list(document), ["schema", "servosim", "held", "specifications"])
        self.assertEqual(document["schema"], "servosim-test-1")
        self.assertIs(document["held"], False)
        (tried,) = document["specifications"]
        self.assertEqual(list(tried), ["specification", "world", "held", "error", "seconds", "output",
                                       "trace", "replay", "expectations"])
        self.assertEqual(tried["replay"], "servosim-test/s.svt")
        self.assertIn("last words\n", tried["output"])
        position, velocity = tried["expectations"][1:3]
        self.assertEqual(list(position), ["title", "held", "file", "line", "column", "expected", "came",
                                          "value", "low", "high", "unit", "seconds", "figure"])
        self.assertIs(position["held"], False)
        self.assertEqual((position["file"], position["line"]), ("s.toml", 6))
        self.assertAlmostEqual(position["value"], 0.3)
        self.assertIs(velocity["held"], True)
        self.assertEqual((velocity["low"], velocity["high"]), (-1.0, None))
        self.assertIn(b"FAILED  arm/turn position", done.stderr)

    def test_github(self):
        done = self.run_program("test", "s.toml", "--github", GITHUB_WORKSPACE=str(self.folder.parent))
        self.assertEqual(done.returncode, 1)
        lines = done.stdout.decode().splitlines()
        self.assertEqual(lines[0], "::group::s.toml")
        (stop,) = [n for n, line in enumerate(lines) if line.startswith("::stop-commands::")]
        token = lines[stop].rsplit("::", 1)[1]
        resume = lines.index(f"::{token}::")
        self.assertEqual(stop, 1)
        self.assertIn("::error::mine", lines[stop:resume])
        verdicts = [n for n, line in enumerate(lines) if line.startswith(("  held", "  FAILED"))]
        self.assertEqual(len(verdicts), 5)
        self.assertLess(max(verdicts), resume, "a verdict may have a text of a controller")
        commands = lines[:stop] + lines[resume + 1:]
        self.assertEqual(commands.count("::endgroup::"), 1)
        (error,) = [line for line in commands if line.startswith("::error")]
        self.assertTrue(error.startswith(f"::error file={self.folder.name}/s.toml,line=6,col=1,"
                                         "title=arm/turn position::expected 0.4 to 1 rad; came"), error)
        again = self.run_program("test", "s.toml", "--github").stdout.decode()
        self.assertNotIn(token, again, "a controller that knew the token could give commands")

    def test_github_gets_no_command_of_a_controller_that_kills_the_run(self):
        self.write("noisy.sh", "#!/bin/sh\necho ::add-mask::mine > /proc/$PPID/fd/2\nkill -9 $PPID\n")
        done = self.run_program("test", "s.toml", "--github")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertNotIn(b"\n::", b"\n" + done.stderr)
        lines = done.stdout.decode().splitlines()
        token = lines[1].rsplit("::", 1)[1]
        self.assertIn("::add-mask::mine", lines[2:lines.index(f"::{token}::")])

    def test_github_at_the_world_and_at_errors(self):
        self.write("lost.wbt", WORLD.replace("Robot {", "NoSuchThing { }\nRobot {", 1))
        self.write("lost.toml", SPECIFICATION.replace("w.wbt", "lost.wbt"))
        self.write("bad.toml", "world = 'w.wbt'\nwrld = 3\n")
        done = self.run_program("test", "lost.toml", "bad.toml", "--github", "--junit", "r.xml")
        self.assertEqual(done.returncode, 2)
        errors = [line for line in done.stdout.decode().splitlines() if line.startswith("::error ")]
        self.assertRegex(errors[0], r"^::error file=\S*lost\.wbt,line=3,title=run::")
        self.assertRegex(errors[-1], r"^::error file=bad\.toml,line=2,col=1,title=servosim test::")
        suites = ElementTree.parse(self.folder / "r.xml").getroot()
        self.assertEqual(suites[1].find("testcase").get("line"), "2")
        self.assertIn("there is no key", suites[1].find("testcase/error").get("message"))

    def test_what_holds_keeps_nothing(self):
        self.write("s.toml", SPECIFICATION.replace("[0.4, 1]", "[0.2, 1]"))
        plain = self.run_program("test", "s.toml")
        self.assertEqual(plain.returncode, 0, plain.stdout)
        with_all = self.run_program("test", "s.toml", "--github", "--json", "--junit", "r.xml")
        self.assertEqual(with_all.returncode, 0)
        (tried,) = json.loads(with_all.stdout)["specifications"]
        self.assertIsNone(tried["replay"])
        self.assertFalse((self.folder / "servosim-test").exists())
        self.assertNotIn(b"::error", with_all.stderr)

    def test_long_output_has_its_first_lines(self):
        self.write("noisy.sh", "#!/bin/sh\nyes 'many words' | head -5000\nexit 3\n")
        self.run_program("test", "s.toml", "--json", "--junit", "r.xml")
        output = ElementTree.parse(self.folder / "r.xml").getroot().find("testsuite/system-out").text
        self.assertLess(output.count("\n"), 1010)
        self.assertTrue(output.startswith("many words\n"))


TOKEN = "ghp_0123456789abcdefABCDEF0123456789abcd"
PROJECT_WORLD = """#VRML_SIM R2023b utf8
EXTERNPROTO "../protos/Hand.proto"
EXTERNPROTO "https://example.org/protos/Far.proto"
WorldInfo { basicTimeStep 8 }
Robot { name "arm" controller "secretive" controllerArgs [ "--token=%s" "--password" "hunter2" ]
  children [
    Hand { }
    Shape { appearance Appearance { texture ImageTexture { url [ "textures/wood.png" ] } } geometry Box { } }
    Shape { geometry Mesh { url "../controllers/secretive/model.obj" } }
    Shape { geometry Mesh { url "meshes/huge.obj" } }
    Shape { geometry Mesh { url "meshes/linked.obj" } }
  ] }
""" % TOKEN
HAND = """#VRML_SIM R2023b utf8
PROTO Hand [ ] { Solid { name "hand" children [ Shape { geometry Mesh { url "meshes/hand.obj" } } ] } }
"""
OBJECT = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"


class Report(Folder):
    """`servosim report` of a project whose controller, environment and arguments have secrets."""

    def setUp(self):
        super().setUp()
        self.write("project/worlds/arm.wbt", PROJECT_WORLD)
        self.write("project/worlds/textures/wood.png", b"\x89PNG\r\n\x1a\n")
        self.write("project/worlds/meshes/huge.obj", b"#" * (11 << 20))
        self.write("project/protos/Hand.proto", HAND)
        self.write("project/protos/meshes/hand.obj", OBJECT)
        self.write("project/servosim.toml", 'allow_missing = ["protos"]\n')
        self.write("project/controllers/secretive/secretive", f"#!/bin/sh\n# {TOKEN}\necho password: hunter2\n")
        self.write("project/controllers/secretive/.env", f"API_KEY={TOKEN}\n")
        self.write("project/controllers/secretive/model.obj", "# hunter2\n" + OBJECT)
        self.write(".ssh/id_ed25519", "-----BEGIN OPENSSH PRIVATE KEY-----\nhunter2\n")
        os.symlink(self.folder / ".ssh/id_ed25519", self.folder / "project/worlds/meshes/linked.obj")
        self.world = "project/worlds/arm.wbt"

    def report(self, *arguments, **variables):
        """Returns what the command printed, and the files of the archive by their names."""
        done = self.run_program("report", *arguments, "-o", "r.zip", **variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        with zipfile.ZipFile(self.folder / "r.zip") as archive:
            self.assertIsNone(archive.testzip())
            return done.stdout.decode(), {name.removeprefix("servosim-report/"): archive.read(name)
                                          for name in archive.namelist()}

    def assert_no_secret(self, files):
        for name, content in files.items():
            for secret in (TOKEN.encode(), b"hunter2", b"PRIVATE KEY", str(self.folder).encode() + b"/"):
                self.assertNotIn(secret, content, name)

    def test_world_with_its_files_and_without_secrets(self):
        printed, files = self.report(
            self.world, SERVOSIM_TOKEN="hunter2", WEBOTS_X=f"{self.folder}/webots",
            SERVOSIM_OTHER="a1b2c3d4e5f6a7b8c9d0", OTHER_SECRET="hunter2", TOKEN=TOKEN)
        self.assertEqual(set(files), {
            "report.json", "check.txt", "files/below-home/project/worlds/arm.wbt",
            "files/below-home/project/servosim.toml", "files/below-home/project/protos/Hand.proto",
            "files/below-home/project/protos/meshes/hand.obj", "files/below-home/project/worlds/textures/wood.png"})
        self.assert_no_secret(files)
        self.assertEqual(files["files/below-home/project/protos/meshes/hand.obj"].decode(), OBJECT)
        self.assertEqual(files["files/below-home/project/protos/Hand.proto"].decode(), HAND)
        world = files["files/below-home/project/worlds/arm.wbt"].decode()
        self.assertIn('"--token=<removed>" "--password" "<removed>" ]', world)
        self.assertIn("Hand.proto", world)
        document = json.loads(files["report.json"])
        self.assertEqual(document["schema"], "servosim-report-1")
        self.assertEqual(document["environment"]["SERVOSIM_TOKEN"], "<removed>")
        self.assertEqual(document["environment"]["SERVOSIM_OTHER"], "<removed>")
        self.assertEqual(document["environment"]["WEBOTS_X"], "~/webots")
        self.assertTrue(all(name.startswith(("SERVOSIM_", "WEBOTS_")) for name in document["environment"]))
        self.assertTrue(document["build"]["compiler"])
        self.assertTrue(any(name.startswith("libservosim.so") for name in document["machine"]["libraries"]))
        removed = {file["name"]: file["removed"] for file in document["files"]}
        self.assertEqual(removed["files/below-home/project/worlds/arm.wbt"], 2)
        self.assertEqual(removed["files/below-home/project/protos/Hand.proto"], 0)
        reasons = {os.path.basename(file["path"]): file["reason"] for file in document["left_out"]}
        self.assertEqual(reasons["model.obj"], "is in a folder 'controllers'")
        self.assertEqual(reasons["huge.obj"], "is larger than 10 MB")
        self.assertIn("is a link to a file of another kind", reasons["linked.obj"])
        self.assertIn("servosim fetch", reasons["Far.proto"])
        for name in files:  # a person can see what is inside
            self.assertIn("servosim-report/" + name, printed)
        for reason in reasons.values():
            self.assertIn(reason.split("'")[0], printed)

    def with_meshes(self, *names):
        """Gives the world a Mesh of each name."""
        meshes = "".join(f'Shape {{ geometry Mesh {{ url "{name}" }} }}\n' for name in names)
        self.write(self.world, PROJECT_WORLD.replace("    Hand { }\n", "    Hand { }\n" + meshes, 1))

    def test_other_files_that_a_world_names_are_left_out(self):
        _, before = self.report(self.world)
        self.write("notes.txt", "hunter2\n")
        self.write(".env", "API=hunter2\n")
        self.write("other.toml", "a = 'hunter2'\n")
        named = ("../../.ssh/id_ed25519", "../../.env", "/etc/passwd", f"file://{self.folder}/notes.txt",
                 r"..\\..\\.ssh\\id", "../../other.toml", "textures/wood.png.gz")
        externs = "".join(f'EXTERNPROTO "{name}"\n' for name in named)
        self.write(self.world, PROJECT_WORLD.replace("WorldInfo", externs + "WorldInfo", 1))
        _, files = self.report(self.world)
        self.assertEqual(set(files), set(before))
        self.assert_no_secret(files)
        document = json.loads(files["report.json"])
        reasons = {file["path"]: file["reason"] for file in document["left_out"]}
        for path in ("~/.ssh/id_ed25519", "~/.env", "/etc/passwd", "~/notes.txt", "~/.ssh/id", "~/other.toml"):
            self.assertEqual(reasons[path], "is no world, PROTO, mesh or picture")
        self.assertEqual(document["left_out_count"], len(document["left_out"]))

    def test_many_files_that_are_left_out(self):
        self.with_meshes(*(f"meshes/none{i}.obj" for i in range(1100)))
        printed, files = self.report(self.world)
        document = json.loads(files["report.json"])
        self.assertEqual(len(document["left_out"]), 1000)
        self.assertGreaterEqual(document["left_out_count"], 1100)
        self.assertTrue(printed.splitlines()[-2].endswith(f"; {document['left_out_count']} left out"), printed[-500:])

    def test_endings_in_capitals(self):
        self.write("project/protos/Hand.PROTO", HAND + f"# {TOKEN}\n")
        self.write("project/worlds/a.WBT", PROJECT_WORLD.replace("Hand.proto", "Hand.PROTO"))
        _, files = self.report("project/worlds/a.WBT")
        self.assert_no_secret(files)
        for name in ("worlds/a.WBT", "protos/Hand.PROTO", "protos/meshes/hand.obj"):
            self.assertIn("files/below-home/project/" + name, files)

    def test_links_out_of_the_project(self):
        self.write("elsewhere/other.obj", OBJECT)
        self.write("webots/own.obj", OBJECT)
        for name, target in (("in.obj", "project/protos/meshes/hand.obj"), ("out.obj", "elsewhere/other.obj"),
                             ("own.obj", "webots/own.obj")):
            os.symlink(self.folder / target, self.folder / "project/worlds/meshes" / name)
        self.with_meshes("meshes/in.obj", "meshes/out.obj", "meshes/own.obj", "../../elsewhere/other.obj")
        printed, files = self.report(self.world, WEBOTS_HOME=str(self.folder / "webots"))
        document = json.loads(files["report.json"])
        reasons = {os.path.basename(file["path"]): file["reason"] for file in document["left_out"]}
        self.assertIn("is a link out of the project", reasons["out.obj"])
        self.assertEqual(reasons["own.obj"], "belongs to the installation of Webots")
        outside = {file["name"]: file["outside_of_project"] for file in document["files"]}
        self.assertIs(outside["files/below-home/project/worlds/meshes/in.obj"], False)
        self.assertIs(outside["files/below-home/elsewhere/other.obj"], True)
        self.assertEqual(printed.count("outside of the project"), 1)

    def test_a_home_folder_that_is_a_link(self):
        os.symlink(self.folder, self.folder / "link")
        _, files = self.report(self.world, HOME=str(self.folder / "link"),
                               WEBOTS_X=f"-I{self.folder}/include file://{self.folder}/link/x")
        self.assert_no_secret(files)
        self.assertIn("files/below-home/project/worlds/arm.wbt", files)
        self.assertEqual(json.loads(files["report.json"])["environment"]["WEBOTS_X"],
                         "-I~/include file://~/x")

    def test_names_of_any_bytes(self):
        name = 'project/worlds/"token": "x.wbt'
        self.write(name, PROJECT_WORLD.encode().replace(b"meshes/huge.obj", b"meshes/m\xff.obj"))
        self.write(os.fsdecode(b"project/worlds/meshes/m\xff.obj"), OBJECT)
        _, files = self.report(name)
        self.assertEqual(files["files/below-home/project/worlds/meshes/m\\xff.obj"].decode(), OBJECT)
        self.assertEqual(json.loads(files["report.json"])["world"], 'project/worlds/"token": "<removed>')

    def test_compilers_and_hosts(self):
        def document(**variables):
            return json.loads(self.report(**variables)[1]["report.json"])
        usual = document(CC="cc")["machine"]["compiler_of_controllers"]
        self.assertEqual(document(CC="")["machine"]["compiler_of_controllers"], usual)
        wrong = document(CC="/etc/passwd")["machine"]["compiler_of_controllers"]
        self.assertTrue(wrong and wrong != usual, wrong)
        for host in ("example.org", "[2001:db8::1]"):
            urls = document(WEBOTS_CONTROLLER_URL=f"tcp://{host}:1234/arm")["environment"]
            self.assertEqual(urls["WEBOTS_CONTROLLER_URL"], "tcp://<removed>:1234/arm")

    def test_the_end_of_a_private_key(self):
        self.write("project/controllers/secretive/secretive",
                   "#!/bin/sh\necho '-----BEGIN RSA PRIVATE KEY-----'\nyes hunter2 | head -3000\n"
                   "echo '-----END RSA PRIVATE KEY-----'\necho 'the end'\n")
        _, files = self.report(self.world, "--run", "0.1")
        self.assert_no_secret(files)
        self.assertIn(b"\nthe end\n", files["run.txt"])

    def test_the_world_in_it_loads(self):
        _, files = self.report(self.world)
        for name, content in files.items():
            self.write("unpacked/" + name, content)
        done = self.run_program("check", "unpacked/files/below-home/project/worlds/arm.wbt")
        self.assertNotIn(b"Hand", done.stdout, "the PROTO and its mesh are found")
        self.assertIn(done.returncode, (0, 3), done.stdout)

    def test_equal_reports_have_equal_bytes(self):
        self.report(self.world)
        first = (self.folder / "r.zip").read_bytes()
        self.report(self.world)
        self.assertEqual((self.folder / "r.zip").read_bytes(), first)

    def test_run(self):
        _, files = self.report(self.world, "--run", "0.1")
        self.assert_no_secret(files)
        self.assertIn(b"password: <removed>", files["run.txt"])
        self.assertIn("exited with status", json.loads(files["report.json"])["run"])

    def test_the_last_lines_of_a_run(self):
        self.write("project/controllers/secretive/secretive",
                   "#!/bin/sh\nyes 'many words of a controller' | head -100000\necho 'the end'\nexit 3\n")
        _, files = self.report(self.world, "--run", "0.1")
        self.assertLess(len(files["run.txt"]), 65 << 10)
        self.assertIn(b"\nthe end\n", files["run.txt"])
        self.assertIn(b"exited with status 3", files["run.txt"])

    def test_a_run_that_hangs_is_ended_by_a_signal(self):
        self.write("project/controllers/secretive/secretive",
                   f"#!/bin/sh\necho begins\ntouch '{self.folder}/begun'\nexec sleep 600\n")
        with subprocess.Popen([SERVOSIM, "report", self.world, "--run", "1", "-o", "r.zip"], cwd=self.folder,
                              env=self.environment, stdout=subprocess.DEVNULL) as process:
            while not (self.folder / "begun").exists() and process.poll() is None:
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(60), 130)
        with zipfile.ZipFile(self.folder / "r.zip") as archive:
            self.assertIn(b"begins", archive.read("servosim-report/run.txt"))

    def test_a_world_with_errors(self):
        self.write(self.world, PROJECT_WORLD.replace("basicTimeStep 8", "basicTimeStep {", 1))
        _, files = self.report(self.world)
        self.assert_no_secret(files)
        self.assertIn(b"error", files["check.txt"])
        self.assertIn("exited with status 2", json.loads(files["report.json"])["check"])
        self.assertIn("files/below-home/project/protos/meshes/hand.obj", files)

    def test_bytes_of_all_kinds(self):
        content = bytes(range(256)) * 100
        self.write(self.world, content)
        _, files = self.report(self.world)
        self.assertEqual(files["files/below-home/project/worlds/arm.wbt"], content)
        self.assertIn("exited with status 2", json.loads(files["report.json"])["check"])

    def test_without_a_world(self):
        _, files = self.report()
        self.assertEqual(list(files), ["report.json"])
        document = json.loads(files["report.json"])
        version = subprocess.run([SERVOSIM, "--version"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(version, f"servosim {document['servosim']} (ODE {document['ode']})\n")
        self.assertRegex(document["machine"]["processors"].__str__(), r"^[1-9]\d*$")
        self.assertNotRegex(json.dumps(document["machine"]), rf"\b{re.escape(os.uname().nodename)}\b")

    def test_list_writes_nothing(self):
        def state():
            return {path: (path.lstat().st_mode, path.lstat().st_mtime_ns if path.is_file() else 0,
                           path.read_bytes() if path.is_file() else b"")
                    for path in self.folder.rglob("*") if ".cache" not in path.parts}
        before = state()
        done = self.run_program("report", self.world, "--list")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"servosim-report/files/below-home/project/worlds/arm.wbt", done.stdout)
        self.assertEqual(state(), before)

    def test_wrong_arguments(self):
        self.write("mine.txt", "not an archive\n")
        with zipfile.ZipFile(self.folder / "mine.docx", "w") as archive:
            archive.writestr("[Content_Types].xml", "a document")
        document = (self.folder / "mine.docx").read_bytes()
        for arguments, message in ((("report", "none.wbt"), b"none.wbt"), (("report", "/dev/zero"), b"/dev/zero"),
                                   (("report", "-o", "mine.txt"), b"is no report of servosim"),
                                   (("report", "-o", "mine.docx"), b"is no report of servosim"),
                                   (("report", "--run", "5"), b"--run"),
                                   (("report", self.world, "--run", "0"), b"--run")):
            done = self.run_program(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(message, done.stderr)
        self.assertEqual((self.folder / "mine.txt").read_text(), "not an archive\n")
        self.assertEqual((self.folder / "mine.docx").read_bytes(), document)
        self.assertEqual(self.run_program("report", "-o", "no/such/folder/r.zip").returncode, 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
