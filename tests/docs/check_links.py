#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the links of the documentation.

usage: check_links.py SOURCE

Fails when
* a link of a Markdown page leads to a file or a heading that does not exist,
* a source, test, script or page names a `docs/....md` or `docs/....md#heading` that does not exist,
* a page below docs/ is not linked from docs/README.md.
"""
import os
import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)\s]+)\)")
MENTION = re.compile(r"(?<![\w/.])docs/[\w/-]+\.md(?:#[\w-]+)?")
FENCE = re.compile(r"^ *(```|~~~)")
# These are searched for mentions of pages.
FOLDERS = ["benchmarks", "cmake", "completions", "controllers", "docs", "examples", "include", "man",
           "packaging", "python", "scripts", "site", "src", "tests", "webots_home", "worlds", ".ci"]
TEXT = {".c", ".cmake", ".cpp", ".gp", ".h", ".hpp", ".in", ".inc", ".include", ".js", ".lua", ".md", ".proto", ".py",
        ".sh", ".txt", ".wbt", ".1", ""}


def heading_anchors(text):
    """Returns the anchors that GitHub makes from the headings of a page."""
    anchors = set()
    fenced = False
    for line in text.splitlines():
        if FENCE.match(line):
            fenced = not fenced
        heading = None if fenced else re.match(r"#{1,6} +(.*?) *#*$", line)
        if heading:
            name = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading.group(1)).lower()
            name = re.sub(r"[^\w\- ]", "", name).replace(" ", "-")
            count = 1
            anchor = name
            while anchor in anchors:
                anchor = f"{name}-{count}"
                count += 1
            anchors.add(anchor)
    return anchors


def links_of(text):
    """Yields (line number, target) of each link outside of fenced blocks, code and text of the site alone,
    whose links docs.site checks."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced and not line.startswith("<!-- site: "):
            for target in LINK.findall(re.sub(r"`[^`]*`", lambda code: "x" * len(code.group()), line)):
                yield number, target


class Checker:
    def __init__(self, root):
        self.root = root
        self.errors = []
        self.count = 0
        self.anchors = {}

    def check(self, place, path, anchor):
        self.count += 1
        if not path.exists():
            self.errors.append(f"{place}: there is no {os.path.relpath(path, self.root)}")
        elif anchor:
            if path not in self.anchors:
                self.anchors[path] = heading_anchors(path.read_text())
            if anchor not in self.anchors[path]:
                self.errors.append(f"{place}: {path.relative_to(self.root)} has no heading #{anchor}")

    def check_page(self, page):
        linked = set()
        for number, target in links_of(page.read_text()):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            path = (page.parent / name).resolve() if name else page
            self.check(f"{page.relative_to(self.root)}:{number}", path, anchor)
            linked.add(path)
        return linked

    def check_mentions(self, file):
        for number, line in enumerate(file.read_text(errors="replace").splitlines(), 1):
            for mention in MENTION.findall(line):
                name, _, anchor = mention.partition("#")
                self.check(f"{file.relative_to(self.root)}:{number}", self.root / name, anchor)


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    checker = Checker(root)
    pages = sorted(root.glob("docs/**/*.md"))
    contents = root / "docs/README.md"
    linked = set()
    for page in [*root.glob("*.md"), root / "benchmarks/README.md", *root.glob("tests/**/*.md"), *pages]:
        links = checker.check_page(page)
        if page == contents:
            linked = links
    for page in pages:
        if page != contents and page not in linked:
            checker.errors.append(f"docs/README.md: no link to {page.relative_to(root)}")
    files = [root / "CMakeLists.txt", *root.glob("*.md")]
    for folder in FOLDERS:
        files += [file for file in (root / folder).rglob("*") if file.is_file() and file.suffix in TEXT]
    for file in files:
        checker.check_mentions(file)
    print("\n".join(checker.errors) or f"{checker.count} links and mentions: ok")
    sys.exit(bool(checker.errors))


if __name__ == "__main__":
    main()
