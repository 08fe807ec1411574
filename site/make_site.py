#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the site: a folder of files that any web server can offer, from docs/ and the built program.

usage: make_site.py --program PROGRAM --package FOLDER [--figures FOLDER] SOURCE OUTPUT

PROGRAM is the built servosim, FOLDER of --package the folder with the Python packages `servosim` and
`controller`, SOURCE the repository. OUTPUT gets a folder for this version, versions.json, from which pages
offer other versions that are there, and index.html, which leads to the newest version. --figures names a
folder with results of benchmarks/run: figures are drawn anew from them. The packages of requirements.txt
are needed, and doxygen and gnuplot.

A page of docs/ becomes a page of the same name. Of what pages link to outside of docs/, the site has copies
in source/. A line `<!-- replay: WORLD SECONDS -->` of a page becomes a replay of that run; a line
`<!-- site: TEXT -->` is text that only the site has.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import yaml

HERE = pathlib.Path(__file__).resolve().parent
LINK = re.compile(r"(\]\()([^)\s#]*)((?:#[^)\s]*)?\))")
FENCE = re.compile(r"^ *(```|~~~)")
REPLAY = re.compile(r"^<!-- replay: (\S+) ([0-9.]+) -->$")
SITE_ONLY = re.compile(r"^<!-- site: (.*) -->$")
FILE_MARK = re.compile(r"^ *<!-- file: (.*?) -->$")
PICTURES = {".svg", ".png", ".jpg"}
LANGUAGES = {".py": "python", ".c": "c", ".h": "c", ".cpp": "cpp", ".hpp": "cpp", ".cmake": "cmake",
             ".toml": "toml", ".yml": "yaml", ".ts": "typescript", ".js": "javascript"}


class SiteError(Exception):
    """What is wrong and where, for the person who makes the site."""


def run(command, **options):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, **options)
    if done.returncode != 0:
        raise SiteError(f"{' '.join(map(str, command))} ends with {done.returncode}:\n{done.stdout}")
    return done.stdout


class Replays:
    """Runs of worlds, each as one page that shows it."""

    def __init__(self, program, source, folder):
        self.program, self.source, self.folder = program, source, folder
        self.made = set()

    def page_of(self, world, seconds):
        """The name of the page in the folder."""
        name = f"{pathlib.Path(world).stem}-{seconds}.html"
        if name not in self.made:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix="servosim_site_") as work:
                # Controllers are compiled there, and not next to their sources.
                environment = dict(os.environ, SERVOSIM_BUILD_IN_CACHE="1", XDG_CACHE_HOME=work)
                recording = pathlib.Path(work, "run.svt")
                run([self.program, "run", self.source / world, "--duration", seconds, "--record", recording],
                    env=environment)
                run([self.program, "view", recording, "-o", self.folder / name], env=environment)
            self.made.add(name)
        return name


class Pages:
    """The pages of the site as Markdown in a folder, before mkdocs reads them."""

    def __init__(self, source, folder, replays):
        self.source, self.folder, self.replays = source, folder, replays
        self.known = {}  # path in the repository -> path in the site
        self.waiting = []

    def place_of(self, path):
        """Where the site has that file of the repository."""
        if path in self.known:
            return self.known[path]
        inside = path.is_relative_to(self.source / "docs")
        place = path.relative_to(self.source / "docs" if inside else self.source)
        if not inside:
            place = pathlib.Path("source") / place
        if path.is_dir():
            place = place / "index.md"
        elif place.name == "README.md":  # "index" is the name of a start page of a folder
            place = place.parent / ("contents.md" if inside else "readme.md")
        elif path.suffix not in PICTURES | {".md"}:
            place = place.with_name(place.name + ".md")
        self.known[path] = place
        self.waiting.append(path)
        return place

    def with_links(self, line, page, place):
        def replaced(match):
            target = match.group(2)
            if not target or re.match(r"[a-z]+:", target):
                return match.group()
            path = (page.parent / target).resolve()
            if not path.exists() or not path.is_relative_to(self.source):
                raise SiteError(f"{page}: there is no {target}")
            return match.group(1) + os.path.relpath(self.place_of(path), place.parent) + match.group(3)

        parts = re.split(r"(`[^`]*`)", line)  # code has no links
        return "".join(part if part.startswith("`") else LINK.sub(replaced, part) for part in parts) \
            if not re.search(r"\[[^]]*`", line) else LINK.sub(replaced, line)

    def replay(self, world, seconds, place):
        page = os.path.relpath(pathlib.Path("replays", self.replays.page_of(world, seconds)), place.parent)
        title = f"{world}, {seconds} s"
        return [f'<iframe class="replay" src="{page}" title="Replay of {title}" loading="lazy"></iframe>',
                f'<p class="replay-caption"><code>{title}</code> in the page of <code>servosim view</code>: drag '
                f'to turn, Space to pause, ? for all keys. <a href="{page}">Open it alone</a>.</p>']

    def converted(self, page, place):
        """The Markdown of a page of the repository as mkdocs gets it."""
        lines, fenced, title = [], False, None
        for line in page.read_text().splitlines():
            replay, mark, text = REPLAY.match(line), FILE_MARK.match(line), SITE_ONLY.match(line)
            if FENCE.match(line):
                if not fenced and title:
                    line += f' title="{title}"' if line.strip() != "```" else f'text title="{title}"'
                fenced, title = not fenced, None
                lines.append(line)
            elif fenced:
                lines.append(line)
            elif mark:
                title = mark.group(1)
            elif replay:
                lines += self.replay(*replay.groups(), place)
            elif text:
                lines.append(text.group(1))
            else:
                lines.append(self.with_links(line, page, place))
        return "\n".join(lines_with_space_before_lists(lines)) + "\n"

    def of_file(self, path):
        """A page that shows a file or the names in a folder."""
        name = path.relative_to(self.source)
        head = f"---\nsearch:\n  exclude: true\n---\n\n# `{name}`\n\n"
        if path.is_dir():
            known = run(["git", "-C", self.source, "ls-files", "--", f"{name}/"]).splitlines() \
                if (self.source / ".git").exists() else sorted(p.name for p in path.iterdir())
            return head + "".join(f"* `{file}`\n" for file in known)
        text = path.read_text(errors="replace")
        fence = "`" * max(3, 1 + max(map(len, re.findall(r"`+", text)), default=0))
        return head + f"{fence}{LANGUAGES.get(path.suffix, 'text')}\n{text}{fence}\n"

    def write(self, place, text):
        file = self.folder / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def write_all(self):
        """Writes what was asked for, and what that links to."""
        while self.waiting:
            path = self.waiting.pop()
            place = self.known[path]
            if path.suffix in PICTURES:
                (self.folder / place).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, self.folder / place)
            elif path.suffix == ".md":
                self.write(place, self.converted(path, place))
            else:
                self.write(place, self.of_file(path))


def lines_with_space_before_lists(lines):
    """Python-Markdown begins a list only after an empty line, and needs four columns for what belongs to
    an item; pages are written for CommonMark."""
    result, fenced, in_list = [], False, False
    item = re.compile(r"^( *)([*-]|[0-9]+[.]) ")
    for line in lines:
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced and item.match(line):
            before = result[-1] if result else ""
            if before.strip() and not in_list:
                result.append("")
            in_list = True
        elif not fenced and line.strip() and not line.startswith(" "):
            in_list = False
        if in_list and line.startswith("  "):
            columns = len(line) - len(line.lstrip(" "))
            line = " " * (4 * -(-columns // 4)) + line.lstrip(" ")
        result.append(line)
    return result


def heading_of(path):
    return next(line[2:] for line in path.read_text().splitlines() if line.startswith("# "))


def navigation(pages, source):
    """The entries of mkdocs: the sections, links and order of docs/README.md."""
    sections, item = [], ""
    contents = source / "docs/README.md"

    def add(text):
        links = re.findall(r"\[[^]]*\]\(([^)\s#]+)[^)]*\)", text)
        places = [(contents.parent / link).resolve() for link in links]
        entries = [str(pages.place_of(path)) for path in places if path.suffix == ".md"]
        group = re.match(r"\W*([\w ]+):", text)
        if len(entries) > 1 and group:
            sections[-1][1].append({group.group(1): entries})
        elif sections:
            sections[-1][1].extend(entries)

    for line in [*contents.read_text().splitlines(), "## "]:
        if re.match(r"([*]|[0-9]+[.]|##) ", line) and item:
            add(item)
            item = ""
        if line.startswith("## "):
            sections.append((line[3:], []))
        elif item or re.match(r"([*]|[0-9]+[.]) ", line):
            item = f"{item} {line.strip()}" if line.strip() else item
    return [{name: entries} for name, entries in sections if entries]


def add_python_api(pages, package):
    """The pages of the Python API, in the folder reference/python-api."""
    run([sys.executable, HERE / "python_api.py", pages.folder / "reference/python-api"],
        env=dict(os.environ, PYTHONPATH=str(package), PYTHONDONTWRITEBYTECODE="1"))
    return [f"reference/python-api/{path.name}" for path in
            sorted((pages.folder / "reference/python-api").glob("*.md"), key=lambda path: path.stem)]


def add_c_api(source, folder, version):
    """The reference of C and C++, which Doxygen makes from the headers, in reference/c-api."""
    text = (source / "cmake/doxygen/Doxyfile.in").read_text()
    description = re.search(r'DESCRIPTION "([^"]*)"', (source / "CMakeLists.txt").read_text()).group(1)
    output = folder / "reference"
    output.mkdir(parents=True, exist_ok=True)
    for name, value in (("PROJECT_VERSION", version), ("PROJECT_DESCRIPTION", description), ("DOCS_OUTPUT", output)):
        text = text.replace(f"@{name}@", str(value))
    text += "HTML_OUTPUT = c-api\nHTML_COLORSTYLE = AUTO_LIGHT\nHTML_COLORSTYLE_HUE = 200\nGENERATE_TREEVIEW = YES\n"
    run(["doxygen", "-"], input=text, cwd=source)


def add_figures(pages, source, results):
    """The page of figures that benchmarks/*.gp draw. `results` is a folder with results of
    benchmarks/run, or None: the figures of the repository are shown."""
    text = ["# Figures", "",
            "`benchmarks/run` measures, and gnuplot draws these figures from its results; `scripts/site --figures "
            "FOLDER` draws them anew from the results in FOLDER. [Benchmarks](" +
            os.path.relpath(pages.place_of(source / "benchmarks/README.md"), ".") + ") has all numbers.", ""]
    for script in sorted((source / "benchmarks").glob("*.gp")):
        lines = script.read_text().splitlines()
        name = next(re.search(r'"docs/images/(.*)"', line).group(1) for line in lines if "set output" in line)
        target = pages.folder / "images" / name
        target.parent.mkdir(exist_ok=True)
        if results:
            data = results / f"{script.stem}.csv"
            if not data.exists():
                raise SiteError(f"{data} does not exist; benchmarks/run writes it")
            with tempfile.TemporaryDirectory(prefix="servosim_figure_") as work:
                for place in ("build", "docs/images"):
                    pathlib.Path(work, place).mkdir(parents=True)
                for place in (work, f"{work}/build"):  # where the scripts look
                    shutil.copy(data, place)
                run(["gnuplot", script], cwd=work)
                shutil.copy(pathlib.Path(work, "docs/images", name), target)
        else:
            shutil.copy(source / "docs/images" / name, target)
        shown = (source / FIGURE_PAGES[script.name]).read_text().splitlines()
        alt = next(line for line in shown if f"images/{name}" in line)
        caption = re.search(r"!\[([^]]*)\]", alt).group(1)
        text += [f"## {caption}", "", f"![{caption}](images/{name})", "",
                 f"`benchmarks/{script.name}` draws it.", ""]
    pages.write("figures.md", "\n".join(text))


FIGURE_PAGES = {  # which page shows what a script draws, and says what it is
    "accuracy.gp": "docs/explanation/integrators.md",
    "chain.gp": "README.md",
}


def version_of(source):
    return re.search(r"project\(servosim VERSION ([0-9.]+)", (source / "CMakeLists.txt").read_text()).group(1)


def write_versions(output):
    """What the pages read to offer other versions, and the page that leads to the newest."""
    names = sorted((folder.name for folder in output.iterdir() if re.fullmatch(r"[0-9.]+", folder.name)),
                   key=lambda name: [int(part) for part in name.split(".")], reverse=True)
    versions = [{"version": name, "title": name, "aliases": ["latest"] if name == names[0] else []}
                for name in names]
    (output / "versions.json").write_text(json.dumps(versions, indent=1) + "\n")
    (output / "index.html").write_text(
        f'<!doctype html><meta charset="utf-8"><title>servosim</title>\n'
        f'<meta http-equiv="refresh" content="0; url={names[0]}/index.html">\n'
        f'<a href="{names[0]}/index.html">servosim {names[0]}</a>\n')


def make(arguments):
    source, output = arguments.source.resolve(), arguments.output.resolve()
    version = version_of(source)
    short = ".".join(version.split(".")[:2])
    with tempfile.TemporaryDirectory(prefix="servosim_site_") as scratch:
        folder = pathlib.Path(scratch, "pages")
        folder.mkdir()
        pages = Pages(source, folder, Replays(arguments.program.resolve(), source, folder / "replays"))
        home = HERE / "home.md"
        pages.known[home] = pathlib.Path("index.md")
        pages.waiting.append(home)
        pages.place_of(source / "docs/README.md")
        entries = navigation(pages, source)
        pages.write_all()
        add_c_api(source, folder, version)
        python_pages = add_python_api(pages, arguments.package.resolve())
        add_figures(pages, source, arguments.figures and arguments.figures.resolve())
        pages.write_all()
        shutil.copy(HERE / "site.css", folder)
        for entry in entries:
            if "Reference" in entry:
                entry["Reference"] += [{"Python, as help() shows it": python_pages}, "figures.md"]
        configuration = yaml.load((HERE / "mkdocs.yml").read_text(), yaml.UnsafeLoader)
        configuration.update(docs_dir=str(folder), site_dir=str(output / short),
                             nav=[{"servosim": ["index.md", {"All pages": "contents.md"}]}, *entries])
        settings = pathlib.Path(scratch, "mkdocs.yml")
        settings.write_text(yaml.dump(configuration, sort_keys=False))
        output.mkdir(parents=True, exist_ok=True)
        said = run([sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--clean", "-f", settings],
                   env=dict(os.environ, NO_MKDOCS_2_WARNING="1", DISABLE_MKDOCS_2_WARNING="true"))
    write_versions(output)
    return said


def main():
    parser = argparse.ArgumentParser()
    for name in ("--program", "--package", "--figures"):
        parser.add_argument(name, type=pathlib.Path, required=name != "--figures")
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    try:
        print(make(parser.parse_args()), end="")
    except SiteError as error:
        sys.exit(f"make_site.py: {error}")


if __name__ == "__main__":
    main()
