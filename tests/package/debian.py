#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests what makes Debian packages and their repository, without a build of the packages, which takes minutes.

usage: debian.py BUILD SOURCE
"""
import fnmatch
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = BUILD = None
CONTROL = """Package: {name}
Version: 0.1.0-1
Architecture: all
Maintainer: Somebody <somebody@servosim.test>
Description: a package of the test
"""


def run(command, **options):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          **options)
    return done.returncode, done.stdout


class Repository(unittest.TestCase):
    """packaging/repository with small packages and a key that is thrown away."""

    def setUp(self):
        # gpg's agent has a socket in its folder, whose path must be short.
        scratch = tempfile.TemporaryDirectory(prefix="servosim_apt_", dir="/tmp")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.repository = self.folder / "repository"
        self.environment = dict(os.environ, GNUPGHOME=str(self.folder / "gnupg"), SOURCE_DATE_EPOCH="1790000000",
                                LC_ALL="C.UTF-8")
        (self.folder / "gnupg").mkdir(mode=0o700)
        self.repository.mkdir()
        self.addCleanup(run, ["gpgconf", "--kill", "all"], env=self.environment)
        self.key = "somebody@servosim.test"
        status, output = run(["gpg", "--batch", "--passphrase", "", "--quick-gen-key", self.key, "default", "sign"],
                             env=self.environment)
        self.assertEqual(status, 0, output)

    def add_package(self, name):
        tree = self.folder / name / "DEBIAN"
        tree.mkdir(parents=True)
        (tree / "control").write_text(CONTROL.format(name=name))
        status, output = run(["dpkg-deb", "--root-owner-group", "--build", tree.parent, self.repository],
                             env=self.environment)
        self.assertEqual(status, 0, output)

    def make(self, key=None):
        return run([SOURCE / "packaging/repository", self.repository, key or self.key], env=self.environment)

    def apt_get(self, *arguments):
        """apt-get that knows this repository alone, and nothing of this machine."""
        root = self.folder / "apt"
        for name in ("lists/partial", "cache/archives/partial", "empty"):
            (root / name).mkdir(parents=True, exist_ok=True)
        (root / "status").touch()
        (root / "sources.list").write_text(f"deb [signed-by={self.repository}/servosim.gpg] file:{self.repository} ./\n")
        options = {"Dir::Etc::sourcelist": root / "sources.list", "Dir::Etc::sourceparts": root / "empty",
                   "Dir::Etc::main": root / "none", "Dir::Etc::parts": root / "empty",
                   "Dir::Etc::preferences": root / "none", "Dir::Etc::preferencesparts": root / "empty",
                   "Dir::State": root, "Dir::State::status": root / "status", "Dir::Cache": root / "cache",
                   "APT::Sandbox::User": ""}
        flags = [part for name, value in options.items() for part in ("-o", f"{name}={value}")]
        return run(["apt-get", *flags, *arguments], env=self.environment, cwd=self.folder)

    def test_apt_takes_packages_from_it_and_no_changed_ones(self):
        self.add_package("servosim")
        self.add_package("python3-servosim")
        self.assertEqual(self.make(), (0, ""))
        status, output = self.apt_get("update")
        self.assertEqual(status, 0, output)
        self.assertNotRegex(output, r"(?m)^[WE]:")
        status, output = self.apt_get("download", "python3-servosim")
        self.assertEqual(status, 0, output)
        self.assertEqual([path.name for path in self.folder.glob("*.deb")], ["python3-servosim_0.1.0-1_all.deb"])
        lists = (self.repository / "Packages").read_text()
        (self.repository / "Packages").write_text(lists.replace("a package", "another package"))
        (self.repository / "Packages.gz").unlink()
        shutil.rmtree(self.folder / "apt/lists")
        self.assertNotEqual(self.apt_get("update")[0], 0)

    def test_a_list_that_another_key_signed_is_refused(self):
        self.add_package("servosim")
        self.make()
        other = "other@servosim.test"
        run(["gpg", "--batch", "--passphrase", "", "--quick-gen-key", other, "default", "sign"], env=self.environment)
        key = (self.repository / "servosim.gpg").read_bytes()
        self.assertEqual(self.make(other), (0, ""))
        (self.repository / "servosim.gpg").write_bytes(key)
        status, output = self.apt_get("update")
        self.assertRegex(output, "NO_PUBKEY|not signed")
        self.assertNotEqual(status, 0, output)

    def test_equal_packages_give_equal_lists(self):
        self.add_package("servosim")
        self.make()
        names = ("Packages", "Packages.gz", "Release")
        first = [(self.repository / name).read_bytes() for name in names]
        self.make()
        self.assertEqual([(self.repository / name).read_bytes() for name in names], first)
        self.assertIn(b"Origin: servosim\n", first[2])

    def test_it_says_what_is_wrong(self):
        status, output = self.make()
        self.assertEqual(status, 1)
        self.assertIn(f"packaging/repository: {self.repository} has no packages\n", output)
        status, output = self.make("nobody@servosim.test")
        self.assertEqual(status, 1)
        self.assertIn("packaging/repository: gpg has no secret key nobody@servosim.test\n", output)


BUILDS = """#!/bin/sh
head -n 1 debian/changelog; grep '^ -- ' debian/changelog; grep '^Maintainer:' debian/control; ls ..
[ ! -e fails ] || exit 1
version=$(sed -n '1s/.*(\\(.*\\)).*/\\1/p' debian/changelog)
touch "../servosim_${version}_amd64.changes" "../servosim_${version}_amd64.buildinfo" "../servosim_$version.dsc"
cp "$PACKAGE" "../servosim_${version}_amd64.deb"
pwd -P > "$SEEN"; head -n 1 debian/changelog >> "$SEEN"; grep -h '^ -- \\|^Maintainer:' debian/changelog debian/control >> "$SEEN"
"""


class Script(unittest.TestCase):
    """scripts/debian, with a dpkg-buildpackage that compiles nothing."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="servosim_debian_test_")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name).resolve()
        self.root = self.folder / "root"
        for name in ("scripts", "bin"):
            (self.root / name).mkdir(parents=True)
        shutil.copy(SOURCE / "scripts/debian", self.root / "scripts")
        shutil.copy(SOURCE / "CMakeLists.txt", self.root)
        shutil.copytree(SOURCE / "debian", self.root / "debian")
        (self.root / "scripts/setup.sh").write_text(
            f"root={self.root}\npackages=() python_packages=()\ninstall() {{ :; }}\n")
        for name, text in (("dpkg-buildpackage", BUILDS), ("lintian", "#!/bin/sh\necho lintian \"$@\"\n")):
            (self.root / "bin" / name).write_text(text)
            (self.root / "bin" / name).chmod(0o755)
        (self.folder / "package").write_text("a package\n")
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("DEB")}
        self.environment.update(PATH=f"{self.root}/bin:{os.environ['PATH']}", SEEN=str(self.folder / "seen"),
                                PACKAGE=str(self.folder / "package"), TMPDIR=str(self.folder))
        self.commit()

    def commit(self):
        for command in (["init", "-q"], ["add", "-A"],
                        ["-c", "user.name=a", "-c", "user.email=a@servosim.test", "commit", "-qm", "x"]):
            self.assertEqual(run(["git", "-C", self.root, *command])[0], 0)

    def run_script(self, *arguments, **environment):
        return run([self.root / "scripts/debian", *arguments], env=dict(self.environment, **environment))

    def test_the_environment_names_who_makes_them(self):
        version = re.search(r"VERSION (\d+\.\d+\.\d+)", (SOURCE / "CMakeLists.txt").read_text())[1]
        for who, environment in (("the authors of servosim", {}),
                                 ("A B <a@servosim.test>", {"DEBFULLNAME": "A B", "DEBEMAIL": "a@servosim.test"})):
            output = self.folder / f"packages of {len(environment)}"
            status, text = self.run_script(output, **environment)
            self.assertEqual(status, 0, text)
            self.assertEqual("malformed-contact" in text, not environment, text)
            seen = (self.folder / "seen").read_text().splitlines()
            self.assertTrue(seen[0].endswith(f"/servosim-{version}"), seen)
            self.assertEqual(seen[1], f"servosim ({version}-0servosim1) unstable; urgency=medium")
            self.assertRegex("\n".join(seen), rf"\n -- {who}( <>)?  \w")
            self.assertIn(f"Maintainer: {who}", seen)
            self.assertEqual(sorted(path.name for path in output.iterdir()),
                             [f"servosim_{version}-0servosim1.dsc",
                              *(f"servosim_{version}-0servosim1_amd64.{kind}" for kind in ("buildinfo", "changes", "deb")),
                              f"servosim_{version}.orig.tar.gz"])
            status, names = run(["tar", "-tzf", output / f"servosim_{version}.orig.tar.gz"])
            self.assertIn(f"servosim-{version}/CMakeLists.txt\n", names)
            self.assertNotIn("/debian/", names)

    def test_a_name_without_an_address_is_refused(self):
        for environment in ({"DEBFULLNAME": "A B"}, {"DEBEMAIL": "a@servosim.test"}):
            status, text = self.run_script(self.folder / "out", **environment)
            self.assertEqual(status, 2)
            self.assertIn("set both DEBFULLNAME and DEBEMAIL", text)

    def test_it_says_where_the_output_of_a_failure_is(self):
        (self.root / "fails").touch()
        self.commit()
        status, text = self.run_script(self.folder / "out")
        self.assertEqual(status, 1)
        self.assertIn(f"the packages do not build; all of the output is in {self.folder}/out/build.log\n", text)
        self.assertIn("servosim (", (self.folder / "out/build.log").read_text())

    def test_it_wants_a_folder(self):
        status, text = self.run_script()
        self.assertEqual(status, 2)
        self.assertIn("Usage: scripts/debian FOLDER [KEY]", text)


class Packages(unittest.TestCase):
    """debian/ next to what CMake installs."""

    def test_each_file_is_in_one_package(self):
        with tempfile.TemporaryDirectory(prefix="servosim_debian_") as scratch:
            status, output = run(["cmake", "--install", BUILD, "--prefix", "/usr"], env=dict(os.environ, DESTDIR=scratch))
            self.assertEqual(status, 0, output)
            root = pathlib.Path(scratch)
            files = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_symlink() or path.is_file()}
        # debian/rules moves or removes these.
        home = re.search(r"usr/(lib\S*)/libservosim\.so", " ".join(sorted(files))).group(1)
        moved = tuple(f"usr/{home}/servosim/lib/controller/python/{name}/" for name in ("servosim", "pytest_servosim"))
        files = {file for file in files if not file.startswith(moved) and
                 file not in ("usr/share/doc/servosim/copyright", "usr/share/doc/servosim/LICENSE")}
        self.assertGreater(len(files), 100)
        owners = {file: [] for file in files}
        for rules in (SOURCE / "debian").glob("*.install"):
            for line in rules.read_text().split():
                # The folder of the architecture is not there in a build with another prefix.
                pattern = line.replace("lib/*/", f"{home}/")
                matched = [file for file in files if fnmatch.fnmatch(file, pattern) or file.startswith(pattern + "/")]
                self.assertTrue(matched or "dist-packages" in line, f"{rules.name}: {line} names nothing")
                for file in matched:
                    owners[file].append(rules.stem)
        self.assertEqual({file: packages for file, packages in owners.items() if len(packages) != 1}, {})

    def test_the_packages_are_those_of_the_library(self):
        control = (SOURCE / "debian/control").read_text()
        packages = re.findall(r"(?m)^Package: (\S+)$", control)
        version = re.search(r"VERSION (\d+)\.(\d+)\.(\d+)", (SOURCE / "CMakeLists.txt").read_text())
        name = f"libservosim{version[1]}.{version[2]}" if version[1] == "0" else f"libservosim{version[1]}"
        self.assertEqual(sorted(packages), sorted(["servosim", name, "libservosim-dev", "libcontroller-servosim",
                                                   "python3-servosim"]))
        self.assertTrue((SOURCE / f"debian/{name}.install").exists())
        changelog = (SOURCE / "debian/changelog").read_text()
        self.assertTrue(changelog.startswith(f"servosim ({'.'.join(version.groups())}-0servosim1) "), changelog)


if __name__ == "__main__":
    BUILD, SOURCE = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
