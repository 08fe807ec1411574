#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the site and looks at it as browsers do: links, what pages load, search, versions, replays.

usage: site.py PROGRAM PACKAGE SOURCE
"""
import base64
import html.parser
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import urllib.parse
import zlib

PROGRAM, PACKAGE, SOURCE = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
sys.path.insert(0, str(SOURCE / "site"))
import make_site  # noqa: E402

VERSION = ".".join(make_site.version_of(SOURCE).split(".")[:2])

# Attributes whose files a browser loads without being asked.
LOADED = {("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("video", "src"),
          ("link", "href"), ("object", "data"), ("embed", "src")}
# A link element only names these.
NAMES = {"canonical", "next", "prev", "alternate"}


class Page(html.parser.HTMLParser):
    """What a page links to and loads, its anchors and its text."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loads, self.anchors, self.words, self.classes = [], [], set(), [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors |= {values[name] for name in ("id", "name") if values.get(name)}
        self.classes |= set((values.get("class") or "").split())
        for name, value in attributes:
            if (tag, name) in LOADED and values.get("rel") not in NAMES:
                self.loads.append(value)
            elif (tag, name) == ("a", "href"):
                self.links.append(value)
            elif name == "style":
                self.loads += loaded_by_css(value or "")

    def handle_data(self, data):
        self.words.append(data)

    def text(self):
        return "".join(self.words)


def loaded_by_css(text):
    found = re.findall(r"url\(\s*['\"]?([^'\")]+)", text) + re.findall(r"@import\s+['\"]([^'\"]+)", text)
    return [address for address in found if not address.startswith("data:")]


def is_outside(address):
    return bool(re.match(r"(?:[a-z][a-z+.-]*:)?//", address)) or bool(re.match(r"(?:https?|ftp):", address))


def results_of_benchmarks(folder):
    """Files as benchmarks/run writes them, with numbers of no meaning."""
    rows = ["joints," + ",".join(f"engine {i}" for i in range(2, 8))]
    rows += [f"{joints}," + ",".join(str(300 * i + joints) for i in range(2, 8)) for joints in (1, 4, 16, 48)]
    (folder / "chain.csv").write_text("\n".join(rows) + "\n")
    blocks = ["\n".join(f"x,{40 * 3 ** point},{0.1 ** (point + block / 3)},{0.01 ** (point + 1)}"
                        for point in range(3)) for block in range(8)]
    (folder / "accuracy.csv").write_text("\n\n\n".join(blocks) + "\n")


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="servosim_site_test_")
        work = pathlib.Path(cls.scratch.name)
        results = work / "results"
        results.mkdir()
        results_of_benchmarks(results)
        cls.output = work / "site"
        (cls.output / "0.0").mkdir(parents=True)  # an earlier version
        (cls.output / "0.0/index.html").write_text("0.0")
        done = subprocess.run([sys.executable, SOURCE / "site/make_site.py", "--program", PROGRAM, "--package", PACKAGE,
                               "--figures", results, SOURCE, cls.output], capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)
        cls.root = cls.output / VERSION
        # Without the pages that Doxygen makes: it checks its own links, and loads what is in its folder.
        cls.pages = {path: Page(path.read_text(errors="replace")) for path in cls.root.rglob("*.html")
                     if not {"replays", "c-api"} & set(path.parts)}

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def test_every_page_of_the_book_is_there(self):
        for page in (SOURCE / "docs").rglob("*.md"):
            name = page.relative_to(SOURCE / "docs").with_suffix(".html")
            path = self.root / (name if page.name != "README.md" else "contents.html")
            self.assertTrue(path.exists(), name)
            heading = make_site.heading_of(page).replace("`", "")
            self.assertIn(re.sub(r"\W+", " ", heading), re.sub(r"\W+", " ", self.pages[path].text()))

    def test_links_lead_to_pages_and_headings(self):
        broken = []
        for path, page in self.pages.items():
            for address in page.links + page.loads:
                if is_outside(address) or address.startswith(("mailto:", "javascript:")) or path.name == "404.html":
                    continue
                name, _, anchor = urllib.parse.unquote(address).partition("#")
                target = (path.parent / name.split("?")[0]).resolve() if name else path
                if target == self.output or target == self.root:
                    continue
                target = target / "index.html" if target.is_dir() else target
                if not target.exists() or (anchor and target in self.pages
                                           and anchor not in self.pages[target].anchors):
                    broken.append(f"{path.relative_to(self.root)}: {address}")
        self.assertEqual(broken, [])

    def test_nothing_is_loaded_from_elsewhere(self):
        for path, page in self.pages.items():
            self.assertEqual([address for address in page.loads if is_outside(address)], [], path)
            self.assertNotIn("mermaid", page.classes, "the theme loads what draws mermaid from a server")
        for path in self.root.rglob("*.css"):
            self.assertEqual([a for a in loaded_by_css(path.read_text()) if is_outside(a)], [], path)
        for path in (self.root / "replays").glob("*.html"):  # they may load nothing at all
            self.assertTrue("content=\"default-src 'none'; " in path.read_text(), path)

    def test_what_finds_outside_addresses(self):
        page = Page('<script src="https://a.b/x.js"></script><img src="y.png"><a href="https://c.d">'
                    '<p style="background: url(//e.f/g.png)"><link rel="canonical" href="https://h.i/">')
        self.assertEqual([a for a in page.loads if is_outside(a)], ["https://a.b/x.js", "//e.f/g.png"])
        self.assertTrue(all(map(is_outside, loaded_by_css('@import "https://j.k/l.css"; a { b: url(http://m.n) }'))))

    def test_the_search_finds_pages_of_each_kind(self):
        found = json.loads((self.root / "search/search_index.json").read_text())["docs"]
        for word, place in (("overshoot", "tutorials/tuning.html"), ("randomize", "reference/python-api/servosim.html"),
                            ("real servos", "start/real-servos.html"), ("controlPID", "reference/fields.html")):
            self.assertTrue(any(entry["location"].startswith(place) and word.lower() in
                                (entry["title"] + entry["text"]).lower() for entry in found), (word, place))

    def test_versions(self):
        versions = json.loads((self.output / "versions.json").read_text())
        self.assertEqual([entry["version"] for entry in versions], [VERSION, "0.0"])
        self.assertEqual(versions[0]["aliases"], ["latest"])
        self.assertIn(f"url={VERSION}/index.html", (self.output / "index.html").read_text())
        self.assertEqual((self.output / "0.0/index.html").read_text(), "0.0")

    def test_each_reader_has_a_start_page_with_a_replay(self):
        readers = sorted(path.stem for path in (SOURCE / "docs/start").glob("*.md"))
        self.assertEqual(len(readers), 5)
        home = self.pages[self.root / "index.html"]
        for reader in readers:
            self.assertIn(f"start/{reader}.html", home.links)
            shown = [a for a in self.pages[self.root / f"start/{reader}.html"].loads if "replays/" in a]
            self.assertEqual(len(shown), 1, reader)

    def test_the_home_page_has_five_ways_in(self):
        text = (self.root / "index.html").read_text()
        tabs = re.findall(r'<label for="__tabbed_1_\d">(.*?)</label>', text)
        self.assertEqual(tabs, ["Source", "pip", "Debian package", "Image", "GitHub Action"])

    def test_replays_have_the_run(self):
        replays = {path.name.split("-")[0]: path.read_text() for path in (self.root / "replays").glob("*.html")}
        self.assertLessEqual({"arm", "so101", "so101_sort"}, set(replays))
        for world, text in replays.items():
            data = re.search(r'id="recording-0"[^>]*>([A-Za-z0-9+/=\s]+)<', text).group(1)
            recording = base64.b64decode(data)
            self.assertEqual(recording[:8], b"SVTREC1\n", world)
            self.assertGreater(len(recording), 2000, world)
        first = re.search(r'id="recording-0"[^>]*>([A-Za-z0-9+/=\s]+)<', replays["arm"]).group(1)
        scene = zlib.decompressobj().decompress(base64.b64decode(first)[8:])
        self.assertIn(b"shoulder", scene)

    def test_python_pages_have_the_text_of_help(self):
        script = ("import importlib, inspect, json, pydoc, sys; sys.path.insert(0, sys.argv[1]); import python_api as p\n"
                  "texts = {}\n"
                  "for name in p.MODULES:\n"
                  "    module = importlib.import_module(name)\n"
                  "    things = [getattr(module, n) for n in p.names_of(module)]\n"
                  "    things += [m for t in things if inspect.isclass(t) for _, _, m in p.members_of(t, [])\n"
                  "               if callable(m) or inspect.isdatadescriptor(m)]\n"
                  "    texts[name] = [pydoc.getdoc(t) for t in [module, *things] if inspect.ismodule(t) or callable(t)\n"
                  "                   or inspect.isdatadescriptor(t)]\n"
                  "json.dump(texts, sys.stdout)")
        done = subprocess.run([sys.executable, "-B", "-c", script, SOURCE / "site"], text=True, capture_output=True,
                              check=True, env=dict(os.environ, PYTHONPATH=str(PACKAGE)))
        lines = 0
        for name, texts in json.loads(done.stdout).items():
            shown = self.pages[self.root / f"reference/python-api/{name}.html"].text()
            for line in "\n".join(texts).splitlines():
                lines += 1
                if not re.match(r"\w+\(.*\)( -> .*)?$", line):  # signatures are shown as Python
                    self.assertIn(line.strip(), shown, name)
        self.assertGreater(lines, 1000)

    def test_headers_have_pages(self):
        folder = self.root / "reference/c-api"
        for name in ("webots_2motor_8h.html", "classwebots_1_1Motor.html", "classservosim_1_1Simulation.html"):
            page = Page((folder / name).read_text())
            self.assertEqual([address for address in page.loads if is_outside(address)], [], name)
        self.assertTrue((folder / "index.html").exists())

    def test_figures_are_drawn_from_the_results(self):
        page = self.pages[self.root / "figures.html"]
        for name in ("accuracy.svg", "chain.svg"):
            self.assertIn(f"images/{name}", page.loads)
            drawn = (self.root / "images" / name).read_text()
            self.assertNotEqual(drawn, (SOURCE / "docs/images" / name).read_text())
            self.assertIn("<svg", drawn)

    def test_a_link_to_nothing_is_an_error(self):
        with tempfile.TemporaryDirectory(prefix="servosim_site_test_") as work:
            page = pathlib.Path(pathlib.Path(work).resolve(), "docs", "one.md")
            page.parent.mkdir()
            page.write_text("See [there](gone.md).\n")
            pages = make_site.Pages(page.parent.parent, pathlib.Path(work, "out"), None)
            with self.assertRaisesRegex(make_site.SiteError, "one.md: there is no gone.md"):
                pages.converted(page, pathlib.Path("one.md"))


class Script(unittest.TestCase):
    """scripts/site with functions that write down what they are asked for."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="servosim_site_test_")
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name).resolve()
        for name in ("scripts", "build/python-environments/site/bin"):
            (self.root / name).mkdir(parents=True)
        self.script = self.root / "scripts/site"
        self.script.write_text((SOURCE / "scripts/site").read_text())
        self.script.chmod(0o755)
        (self.root / "scripts/setup.sh").write_text(
            f"root={self.root}\npackages=() python_packages=() web_packages=() python_options=(-Dx=y)\n"
            'install() { :; }\nfind_python_options() { :; }\nconfigure_and_build() { echo "build $*"; }\n')
        (self.root / "build/python-environments/environments.cmake").write_text(
            'set(SERVOSIM_PYTHON_site_PROBLEM "no index")\n')

    def run_script(self, *arguments):
        done = subprocess.run([self.script, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout

    def test_without_an_index_it_says_why_not(self):
        self.assertEqual(self.run_script(), (1, "scripts/site: no index\n"))

    def test_it_builds_and_makes(self):
        python = self.root / "build/python-environments/site/bin/python"
        python.write_text('#!/bin/sh\necho "python $*"\n')
        python.chmod(0o755)
        for arguments, folder, more in (((), f"{self.root}/build/site", ""), (("out",), "out", ""),
                                        (("out", "--figures", "r"), "out", "--figures r ")):
            build = self.root / "build"
            self.assertEqual(self.run_script(*arguments), (0, (
                f"build {build} -Dx=y -- servosim_program servosim_python\n"
                f"python {self.root}/site/make_site.py --program {build}/bin/servosim "
                f"--package {build}/lib/controller/python {more}{self.root} {folder}\nsite: {folder}\n")))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
