#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs scripts/release in a small repository, whose long steps only write down that they ran.

usage: release.py SOURCE
"""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1]).resolve()
COPIED = ["scripts/release", "CITATION.cff", "tests/docs/project_files.py", "SECURITY.md", "CODE_OF_CONDUCT.md",
          "CMakeLists.txt", ".gitignore", *(f".github/ISSUE_TEMPLATE/{name}.yml" for name in ("bug", "feature", "question"))]
VERSION = re.search(r"project\(servosim VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text()).group(1)
PAGE = f"docs/releases/{VERSION.rsplit('.', 1)[0]}.md"
STEPS = {  # what each step leaves in the folder of the release
    ".ci/run": "", "scripts/test": "", "packaging/image/build": f'echo deb >"$1/servosim_{VERSION}_amd64.deb"',
    "scripts/site": 'mkdir -p "$1" && echo site >"$1/index.html"',
    "packaging/notices": f'echo {{}} >"$2/servosim-{VERSION}.spdx.json"; echo text >"$2/THIRD_PARTY_NOTICES.txt"',
}


class Release(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="servosim_release_")
        self.addCleanup(scratch.cleanup)
        self.work = pathlib.Path(scratch.name)
        self.root = self.work / "servosim"
        for name in COPIED:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE / name, self.root / name)
        for name, text in STEPS.items():
            self.script(self.root / name, f'echo "{name} $*" >>"$LOG"\n{text}')
        self.script(self.root / "scripts/setup.sh", 'root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)')
        # `python3 -m pip` writes a wheel; all else is Python's.
        self.script(self.work / "bin/python3", f'[ "$1 $2" = "-m pip" ] || exec {sys.executable} "$@"\n'
                    f'echo "pip ${{*: -1}}" >>"$LOG"; echo wheel >"$6/servosim-{VERSION}-cp311-cp311-linux_x86_64.whl"')
        self.write(PAGE, f"# servosim {VERSION}\n\nIt is released.\n")
        self.write("CHANGELOG.md", f"# Changelog\n\n* [x]({PAGE})\n\n## Unreleased\n\nLines move into the page.\n")
        self.environment = {
            **os.environ, "LOG": str(self.work / "log"), "PATH": f"{self.work}/bin:{os.environ['PATH']}",
            "DEBFULLNAME": "A Maintainer", "DEBEMAIL": "maintainer@example.org", "HOME": str(self.work),
            **{f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in
               (("NAME", "A"), ("EMAIL", "a@example.org"), ("DATE", "2026-01-02T03:04:05Z"))}}
        self.git("init", "-q")
        self.commit()

    def script(self, path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/bash\n{text}\n")
        path.chmod(0o755)

    def write(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def git(self, *arguments):
        subprocess.run(["git", *arguments], cwd=self.root, env=self.environment, check=True, capture_output=True)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "All")

    def release(self, *arguments, **variables):
        return subprocess.run([self.root / "scripts/release", *arguments], env={**self.environment, **variables}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def test_a_release(self):
        done = self.release(self.work / "out")
        self.assertEqual(done.returncode, 0, done.stdout)
        log = [line.split()[0] for line in (self.work / "log").read_text().splitlines()]
        self.assertEqual(log, [".ci/run", "scripts/test", "packaging/image/build", "pip", "scripts/site",
                               "packaging/notices"])
        out = self.work / "out"
        names = sorted(path.name for path in out.iterdir())
        self.assertEqual(names, sorted([
            f"servosim-{VERSION}.tar.gz", f"servosim_{VERSION}_amd64.deb", f"servosim-{VERSION}.spdx.json",
            f"servosim-{VERSION}-cp311-cp311-linux_x86_64.whl", f"servosim-site-{VERSION}.tar.gz",
            "THIRD_PARTY_NOTICES.txt", "SHA256SUMS"]))
        sums = dict(reversed(line.split("  ")) for line in (out / "SHA256SUMS").read_text().splitlines())
        self.assertEqual(sorted(sums), [name for name in names if name != "SHA256SUMS"])
        for name, value in sums.items():
            self.assertEqual(hashlib.sha256((out / name).read_bytes()).hexdigest(), value)
        with tarfile.open(out / f"servosim-{VERSION}.tar.gz") as archive:
            self.assertIn(f"servosim-{VERSION}/CMakeLists.txt", archive.getnames())
        self.assertIn(f"git tag -s v{VERSION}", done.stdout)
        exists = self.release(out)
        self.assertEqual((exists.returncode, exists.stdout.count(f"{out} exists; remove it")), (1, 1), exists.stdout)
        again = self.release(self.work / "again")
        self.assertEqual(again.returncode, 0, again.stdout)
        self.assertEqual((self.work / "again/SHA256SUMS").read_text(), (out / "SHA256SUMS").read_text())

    def test_a_step_that_fails_ends_it(self):
        for name, step in (("scripts/site", "site"), ("scripts/test", "every test")):
            self.script(self.root / name, f"echo {name} fails; exit 3")
            self.commit()
            out = self.work / step
            done = self.release(out)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn(f"{name} fails", done.stdout)
            self.assertIn(f"scripts/release: {step} failed", done.stdout)
            self.assertTrue((out / ".step.log").exists())
        self.assertEqual([path.name for path in out.iterdir()], [".step.log"])

    def test_what_is_ready(self):
        done = self.release("--check")
        self.assertEqual((done.returncode, done.stdout), (0, f"servosim {VERSION} is ready\n"))

    def test_what_is_not_ready(self):
        for page in (PAGE, "site/home.md"):
            self.write(page, f"Version {VERSION} is not released yet.\n")
        self.write("CHANGELOG.md", f"* [x]({PAGE}), not released yet\n\n## Unreleased\n\n- A line.\n")
        self.write("CITATION.cff", (SOURCE / "CITATION.cff").read_text().replace(VERSION, "9.9.9"))
        self.git("tag", f"v{VERSION}")
        done = self.release("--check", DEBEMAIL="")
        self.assertEqual(done.returncode, 1)
        found = done.stdout.splitlines()
        for line, said in zip(found, ("git status lists changes", f"the tag v{VERSION} exists", "CITATION.cff",
                                      f"{PAGE} says", "site/home.md says", "CHANGELOG.md says", "CHANGELOG.md has lines",
                                      "DEBFULLNAME")):
            self.assertTrue(line.startswith(f"not ready: {said}"), line)
        self.assertEqual(len(found), 8)
        (self.root / PAGE).unlink()
        self.commit()
        self.assertIn(f"not ready: there is no {PAGE}\n", self.release("--check").stdout)

    def test_the_steps_exist(self):
        for name in STEPS:
            self.assertTrue(os.access(SOURCE / name, os.X_OK), name)
        build = (SOURCE / "packaging/image/build").read_text()
        self.assertIn('"$root/build-package"', build)  # what the bill of materials is of


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
