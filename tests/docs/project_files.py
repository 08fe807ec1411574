# SPDX-License-Identifier: Apache-2.0
"""Checks the files that hosting platforms and libraries of references read: CITATION.cff, the forms for issues,
and the pages on security and conduct.

usage: project_files.py SOURCE VERSION
"""
import pathlib
import re
import sys

SOURCE, VERSION = pathlib.Path(sys.argv[1]), sys.argv[2]
ADDRESS = re.compile(r"[\w.+-]+@[\w-]+\.\w+")
failures = []


def check(is_right, message):
    if not is_right:
        failures.append(message)


def keys_of(text):
    """The keys at the top of a YAML file, with the values that are on their lines."""
    return dict(re.findall(r"^([a-z-]+):[ ]*(.*)$", text, re.MULTILINE))


def check_citation():
    citation = keys_of((SOURCE / "CITATION.cff").read_text(encoding="utf-8"))
    for key in ("cff-version", "message", "title", "authors"):  # what the schema of CFF 1.2.0 requires
        check(key in citation, f"CITATION.cff: there is no {key}")
    check(citation.get("cff-version") == "1.2.0", "CITATION.cff: the cff-version is not 1.2.0")
    check(citation.get("version") == VERSION,
          f"CITATION.cff: version is {citation.get('version')}, that of CMakeLists.txt {VERSION}")
    check(citation.get("license") == "Apache-2.0", "CITATION.cff: the license is not that of LICENSE")


def check_forms():
    folder = SOURCE / ".github/ISSUE_TEMPLATE"
    for name in ("bug", "feature", "question"):
        text = (folder / f"{name}.yml").read_text(encoding="utf-8")
        form = keys_of(text)
        for key in ("name", "description", "body"):  # what GitHub's schema of forms requires
            check(key in form, f"{name}.yml: there is no {key}")
        check("\t" not in text, f"{name}.yml: YAML has no tabs")
        ids = re.findall(r"^    id: (.*)$", text, re.MULTILINE)
        check(ids and len(ids) == len(set(ids)), f"{name}.yml: the ids {ids} are not unique")
        items = re.split(r"^  - type: ", text, flags=re.MULTILINE)[1:]
        for item in items:
            kind = item.split("\n", 1)[0]
            check(kind in ("markdown", "textarea", "input", "dropdown", "checkboxes"), f"{name}.yml: {kind}")
            needed = "      value: |" if kind == "markdown" else "      label: "
            check(needed in item, f"{name}.yml: an item of type {kind} has no {needed.strip()}")
            check(kind != "dropdown" or "      options:" in item, f"{name}.yml: a dropdown has no options")
        check(any(kind != "markdown" for kind in (item.split("\n", 1)[0] for item in items)),
              f"{name}.yml: it asks for nothing")
    bug = (folder / "bug.yml").read_text(encoding="utf-8")
    check("`servosim report" in bug, "bug.yml does not ask for the output of servosim report")


def check_addresses():
    for path in ("SECURITY.md", "CODE_OF_CONDUCT.md", "CITATION.cff"):
        found = ADDRESS.findall((SOURCE / path).read_text(encoding="utf-8"))
        check(not found, f"{path} has the address {found}; the authors have none before a release")


check_citation()
check_forms()
check_addresses()
for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
