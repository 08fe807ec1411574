#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a run of ctest comes to, from what it wrote: every case counted, skipped ones with their
reasons, and what the tests left behind.

usage: summary.py RESULTS SCRATCH
RESULTS  folder with ctest.xml (JUnit) and an XML file of GoogleTest for each shard
SCRATCH  folder whose sub folders were empty when the tests began

Exits with 1 if a case failed, a shard ended early, nothing ran, or something was left behind.
"""
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree


SHARD = re.compile(r"_tests[.][0-9]+$")


def reason_in(output):
    """Of a skipped test that ran by itself: one of ours, or a case of GoogleTest."""
    ours = re.search(r"^skipped: (.*)", output, re.MULTILINE)
    case = re.search(r": Skipped\n(.*)", output)
    return (ours or case).group(1) if ours or case else "no reason given"


def first_line(text):
    lines = [line.strip() for line in (text or "").splitlines() if line.strip()]
    return lines[0] if lines else "no reason given"


class Summary:
    def __init__(self):
        self.passed = 0
        self.failed = []
        self.skipped = []  # (name, reason)

    def add_shard(self, path):
        for case in ElementTree.parse(path).getroot().iter("testcase"):
            name = f"{case.get('classname')}.{case.get('name')}"
            skipped = case.find("skipped")
            if case.find("failure") is not None:
                self.failed.append(name)
            elif skipped is not None:
                # GoogleTest writes file:line, then the text of GTEST_SKIP().
                text = (skipped.text or skipped.get("message") or "").split("\n", 1)
                self.skipped.append((name, first_line(text[-1])))
            elif case.get("status") == "run":
                self.passed += 1

    def add_test(self, test, shards):
        name = test.get("name")
        if SHARD.search(name) and name not in shards:
            self.failed.append(f"{name}, which ended early: its cases are not known")
        elif test.get("status") == "run":
            if name not in shards:
                self.passed += 1
        elif test.get("status") in ("notrun", "disabled"):
            self.skipped.append((name, reason_in(test.findtext("system-out") or "")))
        elif name not in shards:
            self.failed.append(name)
        elif not any(True for _ in shards[name].iter("failure")):
            self.failed.append(f"{name}, which ended with none of its cases failed")


def main(results, scratch):
    summary = Summary()
    tests = ElementTree.parse(results / "ctest.xml").getroot().findall("testcase")
    shards = {}
    for test in tests:
        path = results / f"{test.get('name')}.xml"
        if not path.exists():
            continue
        try:
            shards[test.get("name")] = ElementTree.parse(path).getroot()
            summary.add_shard(path)
        except ElementTree.ParseError:
            path.unlink()  # it ended while it wrote
    for test in tests:
        summary.add_test(test, shards)
    left = [p for folder in sorted(scratch.iterdir()) for p in sorted(folder.iterdir())]

    for title, lines in (
        ("Skipped", [f"{name}: {reason}" for name, reason in sorted(summary.skipped)]),
        ("Failed", sorted(summary.failed)),
        ("Left behind by tests", [str(path) for path in left]),
    ):
        if lines:
            print(f"{title}:")
            print("".join(f"  {line}\n" for line in lines), end="")
    total = summary.passed + len(summary.failed) + len(summary.skipped)
    print(f"{summary.passed} passed, {len(summary.failed)} failed, {len(summary.skipped)} skipped")
    return 1 if summary.failed or left or total == 0 else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])))
