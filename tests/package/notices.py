#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the bill of materials and the notices of the build.

usage: notices.py BUILD SOURCE
"""
import importlib.machinery
import importlib.util
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BUILD, SOURCE = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
SCRIPT = SOURCE / "packaging/notices"


def script():
    loader = importlib.machinery.SourceFileLoader("notices_script", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


class Notices(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="servosim_notices_")
        cls.addClassCleanup(scratch.cleanup)
        cls.script = script()
        cls.texts = []
        for name in ("one", "two"):
            folder = pathlib.Path(scratch.name, name)
            subprocess.run([sys.executable, "-B", SCRIPT, BUILD, folder], check=True, stdout=subprocess.DEVNULL)
            bill, = folder.glob("*.spdx.json")
            cls.texts.append((bill.read_text(), (folder / "THIRD_PARTY_NOTICES.txt").read_text()))
        cls.bill = json.loads(cls.texts[0][0])
        cls.packages = {package["name"]: package for package in cls.bill["packages"]}
        cls.relations = {r["relatedSpdxElement"]: r["relationshipType"] for r in cls.bill["relationships"]}

    def relation(self, name):
        return self.relations[self.packages[name]["SPDXID"]]

    def test_equal_builds_give_equal_files(self):
        self.assertEqual(*self.texts)

    def test_every_library_that_the_program_loads(self):
        """ldd asks the loader, the script reads the files."""
        loaded = subprocess.run(["ldd", BUILD / "bin/servosim"], capture_output=True, text=True, check=True).stdout
        paths = {pathlib.Path(path) for path in re.findall(r"=> (/\S+)", loaded) if not path.startswith(str(BUILD))}
        self.assertGreater(len(paths), 5)
        for path, package in self.script.owners_of(paths).items():
            self.assertIn(package, self.packages, path)
            self.assertEqual(self.relation(package), "DYNAMIC_LINK")

    def test_versions_are_those_of_the_system(self):
        asked = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "libode8"], capture_output=True, text=True)
        self.assertEqual(self.packages["libode8"]["versionInfo"], asked.stdout)
        self.assertRegex(self.packages["libode8"]["externalRefs"][0]["referenceLocator"],
                         r"^pkg:deb/debian/libode8@.*\?arch=\w+$")

    def test_headers_and_copies(self):
        for name in ("libcli11-dev", "libtomlplusplus-dev", "libeigen3-dev"):  # they have no library, or none is loaded
            self.assertEqual(self.relation(name), "STATIC_LINK")
        self.assertEqual(self.relation("fonts-dejavu-core"), "CONTAINS")
        if (BUILD / "web/replay.html").exists():
            self.assertEqual(self.relation("three"), "CONTAINS")
            self.assertEqual(self.packages["uplot"]["licenseDeclared"], "MIT")

    def test_nothing_of_tests_is_listed(self):
        for name in ("libgtest-dev", "libbenchmark-dev", "googletest"):
            self.assertNotIn(name, self.packages)

    def test_the_document_is_spdx(self):
        keys = [package["SPDXID"] for package in self.bill["packages"]]
        self.assertEqual(len(keys), len(set(keys)))
        self.assertEqual(self.bill["spdxVersion"], "SPDX-2.3")
        self.assertRegex(self.bill["creationInfo"]["created"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        known = {info["licenseId"] for info in self.bill["hasExtractedLicensingInfos"]}
        for package in self.bill["packages"]:
            self.assertRegex(package["SPDXID"], r"^SPDXRef-[A-Za-z0-9.-]+$")
            words = re.findall(r"[^\s()]+", package["licenseDeclared"])
            for word in words:
                if word not in ("AND", "OR"):
                    self.assertTrue(word in known if word.startswith("LicenseRef-")
                                    else word in self.script.SPDX_NAMES.values(), (package["name"], word))
        for relation in self.bill["relationships"]:
            self.assertIn(relation["relatedSpdxElement"], keys)
        version = re.search(r"project\(servosim VERSION (\S+)", (SOURCE / "CMakeLists.txt").read_text()).group(1)
        self.assertEqual(self.packages["servosim"]["versionInfo"], version)

    def test_the_notices_have_each_text(self):
        text = self.texts[0][1]
        for name, package in self.packages.items():
            if name != "servosim":
                self.assertIn(f"\n{name} {package['versionInfo']}\n=====", text)
        self.assertIn("GNU Lesser General Public License", text)

    def test_licences_of_debian(self):
        texts = {}
        page = ("Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\nFiles: *\nLicense: Expat\n\n"
                "Files: b\nLicense: GPL-2+ or BSD-3-clause\n\nFiles: c\nLicense: Odd\n\nLicense: Expat\n text\n")
        package = self.script.Package("lib+x", "1", "", page, "", "")
        self.assertEqual(package.licence(texts), "MIT AND (GPL-2.0-or-later OR BSD-3-Clause) AND LicenseRef-libplusx-Odd")
        self.assertEqual(list(texts), ["LicenseRef-libplusx-Odd"])

    def test_what_nobody_owns_is_an_error(self):
        with self.assertRaisesRegex(self.script.NoticeError, "no package of Debian has /nowhere/libx.so"):
            self.script.owners_of([pathlib.Path("/nowhere/libx.so")])
        with self.assertRaisesRegex(self.script.NoticeError, "nothing says whose header /opt/x/y.h is"):
            self.script.python_packages([pathlib.Path("/opt/x/y.h")])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
