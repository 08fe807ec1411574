#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a page for each public module of the Python packages: its public names, with the texts that
help() shows.

usage: python_api.py FOLDER

PYTHONPATH has the packages. servosim.sb3 has no page: to import it takes PyTorch.
"""
import importlib
import inspect
import pathlib
import re
import sys

MODULES = ["servosim", "servosim.tasks", "servosim.gym", "servosim.distributed", "servosim.picture", "controller"]


def signature_of(name, thing):
    """'name(arguments)', from the object or, of a compiled function, from the first line of its text."""
    try:
        text = str(inspect.signature(thing))
    except (TypeError, ValueError):
        first = (inspect.getdoc(thing) or "").split("\n", 1)[0]
        found = re.match(r"\w+(\(.*\)(?: -> .*)?)$", first)
        text = found.group(1) if found else "(...)"
    text = re.sub(r"(: |-> )'([^']+)'", r"\1\2", text)  # an annotation that Python has as text
    return name + re.sub(r" at 0x[0-9a-f]+", "", text)


def text_of(thing):
    """What help() shows, without the line of a signature, as literal text: it is not Markdown."""
    text = inspect.getdoc(thing) or ""
    return re.sub(r"\A\w+\(.*\)(?: -> .*)?\n*", "", text).strip()


def block(text):
    return ["```text", text, "```", ""] if text else []


def members_of(owner, listed):
    """(name, kind, object) of what help() lists of a class, without what it has from a class of the page."""
    for entry in inspect.classify_class_attrs(owner):
        origin = entry.defining_class
        if entry.name.startswith("_") and entry.name != "__init__" or origin in listed and origin is not owner:
            continue
        if origin.__module__.split(".")[0] not in ("servosim", "controller"):
            continue
        yield entry.name, entry.kind, getattr(owner, entry.name, entry.object)


def of_class(name, owner, listed):
    lines = [f"## {name}", ""] + block(text_of(owner))
    bases = [base.__name__ for base in owner.__mro__[1:] if base in listed]
    if bases:
        lines += ["It also has what these have: " + ", ".join(f"`{base}`" for base in bases) + ".", ""]
    constants, attributes, members = [], [], []
    for member, kind, thing in members_of(owner, listed):
        if kind == "property" or inspect.isdatadescriptor(thing):
            members += [f"### `{name}.{member}`", ""] + block(text_of(thing))
        elif callable(thing):
            members += [f"### `{name}.{member}`", "", "```python", signature_of(member, thing), "```", ""]
            members += block(text_of(thing))
        else:
            (constants if member.isupper() else attributes).append(f"`{member}`")
    for kind, names in (("Constants", constants), ("Attributes", attributes)):
        if names:
            lines += [f"{kind}: {', '.join(names)}.", ""]
    return lines + members


def names_of(module):
    """Its public names: those of `__all__`, or those of what it defines itself."""
    if hasattr(module, "__all__"):
        return list(module.__all__)
    return [name for name, thing in vars(module).items() if not name.startswith("_")
            and getattr(thing, "__module__", None) == module.__name__]


def page_of(module):
    lines = [f"# {module.__name__}", ""] + block(text_of(module))
    listed = [getattr(module, name) for name in names_of(module) if inspect.isclass(getattr(module, name))]
    for name in names_of(module):
        thing = getattr(module, name)
        if inspect.isclass(thing):
            lines += of_class(name, thing, listed)
        elif callable(thing):
            lines += [f"## {name}", "", "```python", signature_of(name, thing), "```", ""] + block(text_of(thing))
        elif not name.startswith("__"):
            lines += [f"## `{name}`", ""]
    return "\n".join(lines)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True)
    for name in MODULES:
        (folder / f"{name}.md").write_text(page_of(importlib.import_module(name)))


if __name__ == "__main__":
    main()
