#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of pages of the documentation and compares their output with the page.

usage: run_pages.py [--update] PROGRAM SOURCE PAGE.md...

PROGRAM is the servosim that is run, SOURCE the folder of the repository. The commands of each page run
in an empty folder, by bash, on a terminal of their own. In a page

* a ```console block has commands, after "$ ", and what each prints. Every block is run. A line "..."
  matches any number of lines, "..." in a line matches any text; times, ports and state hashes may differ.
  A command may fail only if the next one is `echo $?`;
* <!-- file: NAME --> before a block: the block is the content of this file, which is written;
* <!-- copy: NAME... --> copies files or folders of the repository; build is the build folder of PROGRAM,
  dist the wheel that the test python.install has left there;
* <!-- terminal: NAME --> before a console block: it runs in another terminal. Its last command keeps
  running, and what the block shows has to appear. A block that begins with ^C interrupts it and shows
  all that the command has printed. At the end of the page all of them are interrupted and have to end
  with exit code 0 or 130;
* <!-- not run: REASON --> before a block: it is only shown, and the reason is printed.

Any other block is an error. The commands see the loopback network only, if the system allows a process
to create a network of its own. Elsewhere the test is skipped if a port that the page names is in use.
--update writes the output of this run into the page where it differs.
"""
import codecs
import ctypes
import fcntl
import os
import pathlib
import pty
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading

SECONDS = 240  # for one command
MARKER = "=== end of command, status "

# These parts of the program's output vary: the clock, a port that the system chose, and bits that depend on
# the machine type and the build.
VARIABLE = [(re.compile(r"in [0-9.]+ s, [0-9.e+-]+ x real time"), "in TIME"),
            (re.compile(r"state_hash: [0-9a-f]{16}"), "state_hash: BITS"),
            (re.compile(r"127\.0\.0\.1:[0-9]+"), "127.0.0.1:PORT")]
# These warnings appear on a computer that is too busy.
LATE = re.compile(r"servosim: warning: (can|could )not keep up with .* real time"
                  r"|servosim: warning: .* has not (asked for|called) .* for [0-9]+ s")


class Failure(Exception):
    pass


class Block:
    """A fenced block: `first` is the number of its first line from 0, `marks` are the marks before it."""

    def __init__(self, language, first, lines, marks):
        self.language = language
        self.first = first
        self.lines = lines
        self.marks = marks

    def commands(self):
        """Returns (index of the first output line, command, output lines) of each command."""
        result = []
        index = 0
        while index < len(self.lines):
            line = self.lines[index]
            if not line.startswith("$ "):
                raise Failure(f"line {self.first + index + 1}: no command before {line!r}")
            command = line[2:]
            while command.endswith("\\"):
                index += 1
                command = command[:-1] + self.lines[index].strip()
            index += 1
            begin = index
            while index < len(self.lines) and not self.lines[index].startswith("$ "):
                index += 1
            result.append((begin, command, self.lines[begin:index]))
        return result


def blocks_of(lines):
    """Yields marks without a block (copy), and blocks."""
    marks = {}
    index = 0
    while index < len(lines):
        mark = re.fullmatch(r" *<!-- (file|copy|terminal|not run): (.*?) -->", lines[index])
        fence = re.fullmatch(r"( *)```([a-z+]*)", lines[index])
        if mark and mark.group(1) == "copy":
            yield mark.group(2).split()
        elif mark:
            marks[mark.group(1)] = mark.group(2)
        elif fence:
            end = index + 1
            while lines[end].strip() != "```":
                end += 1
            yield Block(fence.group(2), index + 1, lines[index + 1:end], marks)
            marks = {}
            index = end
        elif lines[index].strip():
            if marks:
                raise Failure(f"line {index + 1}: a block has to follow {marks}")
        index += 1


def pattern_of(expected, whole):
    """Returns a regular expression for the lines of output that the page shows."""
    text = ""
    while expected and not expected[-1].strip():  # blank lines before the next command
        expected = expected[:-1]
    for line in expected:
        for pattern, name in VARIABLE:
            line = pattern.sub(name, line)
        if line.strip() == "...":
            text += r"(?:[^\n]*\n)*?"
        else:
            text += r"[^\n]*".join(re.escape(part) for part in re.split(r" *\.\.\. *", line.rstrip())) + r"\n"
    return re.compile(text + (r"\Z" if whole else ""))


def screen(output):
    """Yields the lines as a screen shows them: what follows a carriage return overwrites the line."""
    for line in output.split("\n"):
        shown = ""
        for part in line.split("\r"):
            shown = part + shown[len(part):]
        if not LATE.search(shown):
            yield shown.rstrip()


def plain(output):
    """Returns the output as lines that end in one line feed, without the parts that may differ."""
    text = "\n".join(screen(output)).rstrip("\n")
    for pattern, name in VARIABLE:
        text = pattern.sub(name, text)
    return text + "\n" if text else ""


def built_programs(folder, names):
    """Returns what runs of the repository's own worlds have left next to the sources of controllers."""
    paths = [pathlib.Path(folder) / name for name in names]
    return [path.name for path in paths if path.is_file() and not path.suffix]


class Terminal:
    """bash on a pseudo-terminal. It gets commands by a pipe, so that the output has no echo."""

    def __init__(self, folder, environment):
        master, slave = pty.openpty()
        # The terminal has 24 lines of 200 columns.
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 200, 0, 0))

        def take_terminal():
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

        self.bash = subprocess.Popen(["bash", "--norc"], stdin=subprocess.PIPE, stdout=slave, stderr=slave, cwd=folder,
                                     env=environment, preexec_fn=take_terminal, text=True)
        os.close(slave)
        self.master = master
        self.output = ""  # of the command that was started last
        self.arrived = threading.Condition()
        self.open = True
        self.reader = threading.Thread(target=self.read)
        self.reader.start()
        self.running = None
        self.write("trap : INT\n")

    def write(self, text):
        self.bash.stdin.write(text)
        self.bash.stdin.flush()

    def read(self):
        """Reads all the time, because a program must not wait for a terminal that nobody reads."""
        pieces = codecs.getincrementaldecoder("utf-8")("replace")
        while True:
            try:
                piece = os.read(self.master, 65536)
            except OSError:  # all processes have closed it
                piece = b""
            with self.arrived:
                self.output += pieces.decode(piece).replace("\r\n", "\n")
                self.open = piece != b""
                self.arrived.notify_all()
                if not self.open:
                    return

    def start(self, command):
        with self.arrived:
            self.output = ""
        self.running = command
        self.write(f"{{ {command}\n}} </dev/null\n"
                   f"status_=$?; printf '%s%d\\n' '{MARKER}' $status_; (exit $status_)\n")

    def wait_until(self, done):
        """Waits until done() or the time is over. Returns whether done()."""
        with self.arrived:
            return self.arrived.wait_for(lambda: done() or not self.open, SECONDS) and done()

    def finish(self):
        """Waits for the command that was started. Returns its output and exit code."""
        end = re.compile(re.escape(MARKER) + r"([0-9]+)\r?\n")
        command, self.running = self.running, None
        if not self.wait_until(lambda: end.search(self.output)):
            raise Failure(f"{command}\ndid not end within {SECONDS} s. It printed\n{self.output}")
        found = end.search(self.output)
        return self.output[:found.start()], int(found.group(1))

    def interrupt(self):
        os.write(self.master, b"\x03")

    def close(self):
        self.bash.stdin.close()
        try:
            os.killpg(self.bash.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.bash.wait()
        self.reader.join()
        os.close(self.master)


class Page:
    def __init__(self, program, source, path, update):
        self.source = source
        self.path = path
        self.update = update
        self.lines = path.read_text().splitlines()
        self.changes = []  # (first line, count, new lines)
        self.terminals = {}
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="servosim_page_"))
        self.work = self.folder / "work"
        home = self.folder / "home"
        for folder in (self.work, home, self.folder / "tmp"):
            folder.mkdir()
        keep = ("CC", "CXX", "LANG", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS")
        self.environment = {name: os.environ[name] for name in keep if name in os.environ}
        self.environment.update(PATH=f"{program.parent}:{os.environ['PATH']}", HOME=str(home), LC_ALL="C.UTF-8",
                                TMPDIR=str(self.folder / "tmp"), TERM="dumb", NO_COLOR="1")
        self.counts = {"commands": 0, "files": 0, "not run": 0}
        self.prepare_scripts(program)

    def prepare_scripts(self, program):
        """Writes a scripts/run that runs the existing program instead of building one."""
        scripts = self.folder / "scripts"
        scripts.mkdir()
        shutil.copy(self.source / "scripts/run", scripts)
        (scripts / "setup.sh").write_text(f"root={self.work}\npackages=()\ninstall() {{ :; }}\n"
                                          "configure_and_build() { :; }\n")
        self.program = program

    def terminal(self, name):
        if name not in self.terminals:
            self.terminals[name] = Terminal(self.work, self.environment)
        return self.terminals[name]

    def compare(self, block, index, command, expected, output):
        if pattern_of(expected, True).match(plain(output)):
            return
        new = "\n".join(screen(output)).rstrip("\n")
        if not self.update:
            raise Failure(f"{self.path}:{block.first + index}: {command}\n--- should print\n" + "\n".join(expected) +
                          f"\n--- and printed\n{new}\n--- to renew the page: run_pages.py --update")
        self.changes.append((block.first + index, len(expected), new.split("\n") if new else []))

    def run_here(self, block):
        terminal = self.terminal("")
        commands = block.commands()
        for number, (index, command, expected) in enumerate(commands):
            terminal.start(command)
            output, status = terminal.finish()
            self.counts["commands"] += 1
            place = f"{self.path}:{block.first + index}"
            shows_status = number + 1 < len(commands) and commands[number + 1][1] == "echo $?"
            if status != 0 and not shows_status:
                raise Failure(f"{place}: exit code {status}: {command}\n{output}")
            self.compare(block, index, command, expected, output)

    def run_beside(self, block, name):
        """Runs a block whose last command keeps running."""
        terminal = self.terminal(name)
        place = f"{self.path}:{block.first}"
        if block.lines[0] == "^C":
            terminal.interrupt()
            output, status = terminal.finish()
            output = output.replace("^C", "", 1)
            if status not in (0, 130):
                raise Failure(f"{place}: exit code {status} after Ctrl-C\n{output}")
            self.compare(block, 1, "^C", block.lines[1:], output)
            return
        commands = block.commands()
        for _, command, expected in commands[:-1]:
            terminal.start(command)
            output, status = terminal.finish()
            self.counts["commands"] += 1
            if status != 0 or not pattern_of(expected, True).match(plain(output)):
                raise Failure(f"{place}: exit code {status}: {command}\n{output}")
        _, command, expected = commands[-1]
        pattern = pattern_of(expected, False)
        terminal.start(command)
        self.counts["commands"] += 1
        ended = lambda: MARKER in terminal.output
        if not terminal.wait_until(lambda: pattern.match(plain(terminal.output)) or ended()) or ended():
            raise Failure(f"{place}: {command}\n--- should go on, and print\n" + "\n".join(expected) +
                          f"\n--- and printed\n{terminal.output}")

    def run_block(self, block):
        if isinstance(block, list):
            for name in block:
                place = self.work / name
                place.parent.mkdir(parents=True, exist_ok=True)
                if name == "scripts/run":
                    shutil.copytree(self.folder / "scripts", place.parent, dirs_exist_ok=True)
                elif name == "build":  # build products, and room for what commands write
                    place.mkdir()
                    (place / "bin").symlink_to(self.program.parent)
                    (place / "lib").symlink_to(self.program.parent.parent / "lib")
                elif name == "dist":
                    shutil.copytree(self.program.parent.parent / "tests/python/dist", place)
                elif (self.source / name).is_dir():
                    shutil.copytree(self.source / name, place, ignore=built_programs)
                else:
                    shutil.copy(self.source / name, place)
        elif "file" in block.marks:
            place = self.work / block.marks["file"]
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text("".join(line + "\n" for line in block.lines))
            self.counts["files"] += 1
        elif "not run" in block.marks:
            print(f"{self.path}:{block.first}: not run: {block.marks['not run']}")
            self.counts["not run"] += 1
        elif block.language != "console":
            raise Failure(f"{self.path}:{block.first}: a block of {block.language or 'text'} that is neither a file "
                          "nor run")
        elif "terminal" in block.marks:
            self.run_beside(block, block.marks["terminal"])
        else:
            self.run_here(block)

    def run(self):
        for block in list(blocks_of(self.lines)):
            self.run_block(block)
        for name, terminal in self.terminals.items():
            if terminal.running:
                command = terminal.running
                terminal.interrupt()
                output, status = terminal.finish()
                if status not in (0, 130):
                    raise Failure(f"{self.path}: exit code {status} after Ctrl-C: {command}\n{output}")
        if not self.counts["commands"]:
            raise Failure(f"{self.path}: no command was found")

    def close(self):
        for terminal in self.terminals.values():
            terminal.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def write_changes(self):
        for first, count, new in reversed(self.changes):
            self.lines[first:first + count] = new
        self.path.write_text("\n".join(self.lines) + "\n")


def leave_network():
    """Puts this process into a network of its own, which has only the loopback device."""
    clone_newuser, clone_newnet = 0x10000000, 0x40000000
    siocsifflags, up = 0x8914, 0x1
    libc = ctypes.CDLL(None, use_errno=True)
    user, group = os.getuid(), os.getgid()
    if libc.unshare(clone_newnet) != 0:
        if libc.unshare(clone_newuser | clone_newnet) != 0:
            return False
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            pathlib.Path(f"/proc/self/{name}").write_text(text)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, siocsifflags, struct.pack("16sh22x", b"lo", up))
    return True


def port_in_use(text):
    """Returns a port of the programs' defaults that the page needs and another process uses, or None."""
    for word, port in (("--yarp-nameserver", 10000), ("--srvp", 54817)):
        if word in text:
            with socket.socket() as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                try:
                    probe.bind(("127.0.0.1", port))
                except OSError:
                    return port
    return None


def run_page(program, source, path, update):
    """Returns whether the page is correct."""
    page = Page(program, source, path, update)
    try:
        page.run()
        if page.changes:
            page.write_changes()
    except Failure as failure:
        print(failure)
        return False
    finally:
        page.close()
    print(f"{path.name}: " + ", ".join(f"{count} {what}" for what, count in page.counts.items()))
    return True


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--update"]
    program, source, *pages = (pathlib.Path(argument).resolve() for argument in arguments)
    try:
        alone = leave_network()
    except OSError as error:
        print(f"skipped: a network of its own is half made: {error}")
        return 0
    if not alone:
        print("the system allows no network of our own")
        for path in pages:
            if (port := port_in_use(path.read_text())) is not None:
                print(f"skipped: port {port} is in use")
                return 0
    results = [run_page(program, source, path, "--update" in sys.argv) for path in pages]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
