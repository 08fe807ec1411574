#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the result of a run of ctest from the files that it wrote: it counts every case, lists skipped cases
with their reasons, and shows what the tests left behind. The last line tells what was skipped and why.

usage: summary.py RESULTS SCRATCH [REASONS]
RESULTS  folder with ctest.xml (JUnit), an XML file of GoogleTest for each shard, and one of pytest for
         each file of Python tests
SCRATCH  folder whose sub folders were empty when the tests began
REASONS  file with the reasons for which a test may be skipped, a regular expression on each line;
         without it, any reason is accepted

Exits with 1 if a case failed, a shard ended early, nothing ran, something was left behind, or a test was
skipped for another reason.
"""
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree


NO_REASON = "no reason given"
SHARD = re.compile(r"_tests[.][0-9]+$")


def reason_in(output):
    """Returns the reason of a skipped test outside of shards: a script of servosim, or a case of GoogleTest."""
    ours = re.search(r"^skipped: (.*)", output, re.MULTILINE)
    case = re.search(r": Skipped\n(.*)", output)
    return (ours or case).group(1) if ours or case else NO_REASON


def first_line(text):
    lines = [line.strip() for line in (text or "").splitlines() if line.strip()]
    return lines[0] if lines else NO_REASON


class Summary:
    def __init__(self):
        self.passed = 0
        self.failed = []
        self.skipped = []  # (name, reason)

    def add_shard(self, shard):
        for case in shard.iter("testcase"):
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

    def add_pytest(self, test, suites):
        """Adds a file of Python tests. `test` is its name in ctest, which includes the interpreter."""
        for case in suites.iter("testcase"):
            name = f"{test}: {case.get('name')}"
            skipped = case.find("skipped")
            if case.find("failure") is not None or case.find("error") is not None:
                self.failed.append(name)
            elif skipped is not None:
                reason = skipped.get("message") or ""
                # For a file that is skipped as a whole, pytest writes (file, line, 'Skipped: REASON').
                whole = re.search(r"Skipped: (.*?)['\"]\)", skipped.text or "")
                self.skipped.append((name, whole.group(1) if whole else first_line(reason)))
            else:
                self.passed += 1

    def add_test(self, test, shards):
        name = test.get("name")
        if SHARD.search(name) and name not in shards:
            self.failed.append(f"{name}, which ended early: its cases are not known")
        elif test.get("status") == "run":
            if name not in shards:
                self.passed += 1
        elif test.get("status") in ("notrun", "disabled"):
            skipped = test.find("skipped")
            message = skipped.get("message") if skipped is not None else ""
            if name in shards and any(True for _ in shards[name].iter("skipped")):
                return  # its cases have the reasons
            reason = reason_in(test.findtext("system-out") or "")
            if message.startswith("SKIP_") and reason != NO_REASON:
                self.skipped.append((name, reason))
            else:
                self.failed.append(f"{name}, which did not run: {message or NO_REASON}")
        elif name not in shards:
            self.failed.append(name)
        elif not any(case.tag in ("failure", "error") for case in shards[name].iter()):
            self.failed.append(f"{name}, which ended with none of its cases failed")


def tested_interpreters(tests, shards):
    """Yields the interpreters for which one test installed the package and another test used it."""
    for test in tests:
        found = re.search(r"^installed: (.*)", test.findtext("system-out") or "", re.MULTILINE)
        prefix = test.get("name").removesuffix("install")
        if found and any(re.fullmatch(re.escape(prefix) + r"[a-z_]+", name) for name in shards):
            yield found.group(1)


def skips_in_one_line(skipped):
    """Returns what was skipped and why, by reason."""
    if not skipped:
        return "Nothing was skipped."
    names = {}
    for name, reason in sorted(skipped):
        names.setdefault(reason, []).append(name)
    return "Skipped: " + "; ".join(
        f"{group[0]}{f' and {len(group) - 1} more' if len(group) > 1 else ''} ({reason})"
        for reason, group in names.items())


def allowed(reason, patterns):
    return any(re.fullmatch(pattern, reason) for pattern in patterns)


def main(results, scratch, reasons=None):
    summary = Summary()
    tests = ElementTree.parse(results / "ctest.xml").getroot().findall("testcase")
    shards = {}
    for test in tests:
        path = results / f"{test.get('name')}.xml"
        if not path.exists():
            continue
        try:
            shard = ElementTree.parse(path).getroot()
            shards[test.get("name")] = shard
            if shard.find("testsuite[@name='pytest']") is not None:
                summary.add_pytest(test.get("name"), shard)
            else:
                summary.add_shard(shard)
        except ElementTree.ParseError:
            path.unlink()  # the shard ended while it wrote
    for test in tests:
        summary.add_test(test, shards)
    patterns = [".*"]
    if reasons:
        patterns = [line for line in reasons.read_text().splitlines() if line and line[0] != "#"]
    unexpected = [f"{name}: {reason}" for name, reason in summary.skipped if not allowed(reason, patterns)]
    interpreters = list(tested_interpreters(tests, shards))
    left = [p for folder in sorted(scratch.iterdir()) for p in sorted(folder.iterdir())]
    leaves = [p for p in sorted(scratch.rglob("*")) if p.is_symlink() or not p.is_dir() or not any(p.iterdir())]
    leaves = [p for p in leaves if p.parent != scratch]

    for title, lines in (
        ("Skipped", [f"{name}: {reason}" for name, reason in sorted(summary.skipped)]),
        ("Failed", sorted(summary.failed)),
        ("Skipped for a reason that is not expected here", sorted(unexpected)),
        ("Left behind by tests", [str(path) for path in left]),
        ("The first ten files and empty folders in it", [str(path) for path in leaves[:10]]),
    ):
        if lines:
            print(f"{title}:")
            print("".join(f"  {line}\n" for line in lines), end="")
    if interpreters:
        print("The Python package was tested with " + ", ".join(interpreters) + ".")
    total = summary.passed + len(summary.failed) + len(summary.skipped)
    print(f"{summary.passed} passed, {len(summary.failed)} failed, {len(summary.skipped)} skipped")
    print(skips_in_one_line(summary.skipped))
    return 1 if summary.failed or unexpected or left or total == 0 else 0


if __name__ == "__main__":
    sys.exit(main(*map(pathlib.Path, sys.argv[1:])))
