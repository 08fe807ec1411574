# SPDX-License-Identifier: Apache-2.0
"""Parts that the tests of the stand-ins in protos/ share: headers, fields, and the program."""
import json
import pathlib
import re
import subprocess

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PROTOS = SOURCE / "protos"
WORLDS = SOURCE / "tests/worlds/stand_ins"
KEYS = ("keeps", "lacks", "certainty", "axes before R2022a", "sizes before R2022a", "loses")
NEEDED_KEYS = KEYS[:4]
AXES = ("object", "robot", "upright", "symmetric", "same")


def names():
    return sorted(path.stem for path in PROTOS.glob("*.proto"))


def text_of(name):
    return (PROTOS / f"{name}.proto").read_text(encoding="utf-8")


def header(name):
    """Returns the values of the first comment lines by their keys."""
    lines = text_of(name).split("\nPROTO ", 1)[0].splitlines()
    values = {}
    for key in KEYS:
        found = [line.split(": ", 1)[1] for line in lines if line.startswith(f"# {key}: ")]
        if len(found) > 1:
            raise ValueError(f"protos/{name}.proto has '# {key}:' {len(found)} times")
        if found:
            values[key] = found[0].strip()
    return values


def fields(name):
    """Returns, for each field of the interface, its type without restrictions and its default."""
    interface = re.search(r"\nPROTO [^\[]*\[(.*?)\n\]", text_of(name), re.DOTALL).group(1)
    found = {}
    for text in re.split(r"\n(?=  (?:field|vrmlField|unconnectedField)\b)", interface)[1:]:
        text = re.sub(r'("[^"]*")|#[^\n]*', lambda m: m.group(1) or "", text)
        match = re.match(r"  \w+\s+(\w+)(?:\{.*?\})?\s+(\w+)\s*(.*)$", text, re.DOTALL)
        found[match.group(2)] = (match.group(1), match.group(3).strip())
    return found


def tokens(value):
    """Returns a value as a list of texts and numbers, independent of spelling."""
    found = []
    for token in re.findall(r'"[^"]*"|[{}]|[^\s,\[\]{}"]+', value):
        try:
            found.append(float(token))
        except ValueError:
            found.append(token)
    return found


class Program:
    def __init__(self, path):
        self.path = path

    def __call__(self, *arguments):
        """Returns exit code and JSON document of a command."""
        done = subprocess.run([self.path, *map(str, arguments)], capture_output=True, text=True,
                              check=False, timeout=300)
        try:
            return done.returncode, json.loads(done.stdout)
        except ValueError as error:
            raise RuntimeError(f"{' '.join(map(str, arguments))} printed no JSON:\n"
                               f"{done.stdout}{done.stderr}") from error


class Faults:
    """Collects faults and prints them at the end."""

    def __init__(self):
        self.texts = []
        self.count = 0

    def check(self, right, text):
        self.count += 1
        if not right:
            self.texts.append(text)

    def report(self, what):
        for text in self.texts:
            print(text)
        print(f"{what}: {self.count} checks, {len(self.texts)} failed")
        return int(bool(self.texts) or self.count == 0)
