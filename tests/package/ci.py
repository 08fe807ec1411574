#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the scripts of the GitHub Action, the template of GitLab and the image as they run them.

usage: ci.py PROGRAM SOURCE

What needs a network is replaced: apt-get, and the build of the image.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

PROGRAM, SOURCE = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
CI = SOURCE / "packaging/ci"

FAULTY = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
Robot { controller "<none>" gravty 3 name "100% ::error::x" }
Gone { }
"""
GOOD = 'world = "pendulum.wbt"\nduration = 0.4\n\n[[expect]]\njoint = "pendulum/{joint}"\nposition = [-2, 2]\n'
BAD = GOOD.replace("[-2, 2]", "[0.7, 0.8]")


def written(path, text, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


class Scripts(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="servosim ci ")
        self.addCleanup(scratch.cleanup)
        self.work = pathlib.Path(scratch.name)
        info = subprocess.run([PROGRAM, "info", SOURCE / "worlds/pendulum.wbt"], capture_output=True, text=True)
        joint = re.search(r"pendulum/(\w+)", info.stdout).group(1)
        worlds = self.work / "my worlds/deep"
        worlds.mkdir(parents=True)
        shutil.copy(SOURCE / "worlds/pendulum.wbt", worlds)
        written(worlds / "good.toml", GOOD.format(joint=joint))
        written(worlds / "bad.toml", BAD.format(joint=joint))
        self.tools = self.work / "tools"
        self.tools.mkdir()

    def run_script(self, script, *arguments, with_program=True, **variables):
        folders = [self.tools, *([PROGRAM.parent] if with_program else []), "/usr/bin", "/bin"]
        environment = {"PATH": ":".join(map(str, folders)), "LC_ALL": "C.UTF-8", "HOME": str(self.work),
                       "TMPDIR": os.environ.get("TMPDIR", "/tmp"), **variables}
        return subprocess.run([script, *arguments], cwd=self.work, env=environment, text=True, timeout=120,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def tool(self, name, text):
        """A program that takes the place of another."""
        written(self.tools / name, f"#!/bin/bash\n{text}\n", 0o755)

    def test_what_holds_is_quiet(self):
        done = self.run_script(CI / "verify", SERVOSIM_WORLDS="my worlds/**/*.wbt\n\n",
                               SERVOSIM_SPECIFICATIONS="  my worlds/deep/good.toml ", SERVOSIM_RESULTS="out")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("1 world: 0 errors, 0 warnings", done.stdout)
        self.assertNotIn("::", done.stdout)
        self.assertEqual(sorted(path.name for path in (self.work / "out").iterdir()), ["check.txt", "junit.xml"])

    def test_failures_are_annotations_and_replays(self):
        done = self.run_script(CI / "verify", SERVOSIM_SPECIFICATIONS="my worlds/deep/*.toml", GITHUB_ACTIONS="true",
                               GITHUB_WORKSPACE=str(self.work))
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stdout, r"(?m)^::error [^\n]*file=my worlds/deep/bad\.toml,line=4")
        results = self.work / "servosim-results"
        suites = xml.parse(results / "junit.xml").getroot().iter("testsuite")
        self.assertEqual({suite.get("name"): suite.get("failures") for suite in suites},
                         {"my worlds/deep/bad.toml": "1", "my worlds/deep/good.toml": "0"})
        self.assertTrue((results / "bad.csv").exists())
        self.assertFalse((results / "bad.svt").exists())
        self.assertIn('id="recording-0"', (results / "bad.html").read_text())

    def test_faults_of_a_world_are_annotations(self):
        written(self.work / "faulty.wbt", FAULTY)
        done = self.run_script(CI / "verify", SERVOSIM_WORLDS="faulty.wbt", GITHUB_ACTIONS="true")
        self.assertEqual(done.returncode, 1, done.stdout)
        found = re.findall(r"(?m)^::(error|warning) file=faulty.wbt,line=(\d),col=\d+::(.*)$", done.stdout)
        self.assertIn("3", [line for _, line, _ in found], done.stdout)
        self.assertIn("4", [line for _, line, _ in found], done.stdout)
        # What the world says is between these lines, where the runner reads no commands.
        token = re.match(r"::stop-commands::([0-9a-f]{32})\n", done.stdout).group(1)
        inside, after = done.stdout.split(f"\n::{token}::\n")
        self.assertTrue(all(line.startswith(("::error file=faulty", "::warning file=faulty"))
                            for line in after.splitlines()), after)
        self.assertIn("faulty.wbt:4:", inside)
        shutil.copy(self.work / "faulty.wbt", self.work / "a, b.wbt")
        comma = self.run_script(CI / "verify", SERVOSIM_WORLDS="a, b.wbt", GITHUB_ACTIONS="true")
        self.assertRegex(comma.stdout, r"(?m)^::\w+ file=a%2C b\.wbt,line=3,col=\d+::.*gravty")
        allowed = self.run_script(CI / "verify", SERVOSIM_WORLDS="faulty.wbt", SERVOSIM_ALLOW_MISSING="protos")
        self.assertEqual(allowed.returncode, 0, allowed.stdout)

    def test_a_pattern_without_a_file_is_an_error(self):
        for pattern in ("nothing/*.wbt", "my worlds/none.wbt"):
            done = self.run_script(CI / "verify", SERVOSIM_WORLDS=pattern)
            self.assertEqual((done.returncode, done.stdout), (2, f"servosim: no file matches {pattern}\n"))

    def test_installation(self):
        done = self.run_script(CI / "install", "")
        self.assertEqual((done.returncode, done.stdout.split()[0]), (0, "servosim"), done.stdout)
        done = self.run_script(CI / "install", "", with_program=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("servosim is not on PATH", done.stdout)
        done = self.run_script(CI / "install", "tools/none.deb")
        self.assertEqual((done.returncode, done.stdout), (2, "there is no tools/none.deb\n"))
        self.tool("apt-get", 'echo "apt-get $*" >>"$HOME/asked"')
        self.tool("sudo", '"$@"')
        written(self.work / "my package.deb", "")
        done = self.run_script(CI / "install", "my package.deb")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex((self.work / "asked").read_text(), r"update[^\n]*\n[^\n]* install [^\n]*/my package\.deb ")

    def test_the_action_runs_these_scripts(self):
        text = (SOURCE / "action.yml").read_text()
        runs = re.findall(r"run: '\"\$GITHUB_ACTION_PATH/([^\"]+)\"( \"\$\w+\")?'\n", text)
        self.assertEqual([script for script, _ in runs], ["packaging/ci/install", "packaging/ci/verify"])
        self.assertEqual(text.count("run: "), len(runs))
        inputs = re.findall(r"(?m)^  ([a-z-]+):$", text.split("runs:")[0])
        self.assertEqual(sorted(set(re.findall(r"\$\{\{ inputs\.([a-z-]+) \}\}", text))), sorted(inputs))
        used = set(re.findall(r"SERVOSIM_[A-Z_]+", (CI / "verify").read_text())) | {"SERVOSIM_PACKAGE"}
        self.assertEqual(set(re.findall(r"(SERVOSIM_[A-Z_]+): ", text)), used)

    def test_the_template_runs_what_is_installed(self):
        script = re.search(r"script:\n    - (\S+)\n", (CI / "gitlab.yml").read_text()).group(1)
        self.assertEqual(script, "/usr/share/servosim/ci/verify")
        rule = (SOURCE / "cmake/ServosimInstall.cmake").read_text()
        self.assertIn("install(PROGRAMS packaging/ci/verify DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/servosim/ci)", rule)
        for name in re.findall(r"SERVOSIM_[A-Z_]+", (CI / "gitlab.yml").read_text()):
            if name != "SERVOSIM_IMAGE":
                self.assertIn(name, (CI / "verify").read_text())

    def test_steps_of_the_image(self):
        lines = [line.split() for line in (SOURCE / "packaging/Containerfile").read_text().splitlines()
                 if line and not line.startswith("#")]
        self.assertEqual({line[1] for line in lines if line[0] == "FROM"}, {"debian:12-slim"})
        self.assertEqual([line[1:] for line in lines if line[0] == "RUN"],
                         [["/servosim/packaging/image/build", "/packages"], ["/packages/install", "/packages"]])
        self.assertIn(["COPY", "packaging/image/install", "/packages/install"], lines)

    def test_the_image_installs_one_package(self):
        script = written(self.work / "packages/install", (SOURCE / "packaging/image/install").read_text(), 0o755)
        self.tool("apt-get", 'echo "apt-get $*" >>"$HOME/asked"')
        self.tool("rm", 'echo "rm $*" >>"$HOME/asked"')
        done = self.run_script(script, "packages")
        self.assertEqual((done.returncode, done.stdout), (2, "packages must have one servosim_*.deb\n"))
        written(self.work / "packages/servosim_0.1.0_amd64.deb", "")
        done = self.run_script(script, "packages")
        self.assertEqual(done.returncode, 0, done.stdout)
        asked = (self.work / "asked").read_text().splitlines()
        self.assertIn(" packages/servosim_0.1.0_amd64.deb ", asked[1] + " ")
        self.assertRegex(asked[2], r"^rm -rf packages /var/lib/apt/lists/")

    def test_the_image_builds_the_package(self):
        """The script with functions that write down what they are asked for; package.deb runs cpack."""
        source = self.work / "servosim"
        script = written(source / "packaging/image/build", (SOURCE / "packaging/image/build").read_text(), 0o755)
        written(source / "scripts/setup.sh", 'root=$HOME/servosim\npackages=(one two)\n'
                'install() { echo "install $*"; }\nconfigure_and_build() { echo "build $*"; }\n')
        self.tool("cpack", 'echo "cpack $*"')
        done = self.run_script(script, "out")
        self.assertEqual(done.returncode, 0, done.stdout)
        install, build, pack = done.stdout.splitlines()
        self.assertRegex(install, r"^install one two .*\bnpm\b")
        self.assertIn(f"build {source}/build-package -DCMAKE_BUILD_TYPE=Release ", build)
        for option in re.findall(r"-D(SERVOSIM_\w+)=", build):
            self.assertIn(option, "".join((SOURCE / name).read_text() for name in ("CMakeLists.txt", "cmake/ServosimTargets.cmake")
                                          if (SOURCE / name).exists()))
        self.assertEqual(pack, f"cpack -G DEB --config {source}/build-package/CPackConfig.cmake -B out")
        functions = (SOURCE / "scripts/setup.sh").read_text()
        self.assertIn("\ninstall() {", functions)
        self.assertIn("\nconfigure_and_build() {", functions)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
