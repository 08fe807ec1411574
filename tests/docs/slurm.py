#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs what a page shows of Slurm on a cluster that consists of this computer.

usage: slurm.py PROGRAM SOURCE PAGE.md

munged, slurmctld and slurmd listen on the loopback network, by their addresses there: Slurm does not
find those names in a network without other devices. Their files are in a new folder, and they end with
this program. Blocks of the page with the mark <!-- not run: ... docs.slurm ... --> run as run_pages.py
runs others, after all files of the page have been written.
"""
import getpass
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import run_pages

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "sinfo")
SECONDS = 60  # until the node is idle
MOST_SECONDS = 900  # for a daemon, even if this program is killed

CONFIGURATION = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=2
NodeName=localhost NodeAddr=127.0.0.1 NodeHostname={host} CPUs={cpus} State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES State=UP MaxTime=10
"""


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Cluster:
    def __init__(self, folder):
        self.folder = folder
        self.processes = []
        for name in ("state", "spool"):
            (folder / name).mkdir()
        key = folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        self.conf = folder / "slurm.conf"
        self.conf.write_text(CONFIGURATION.format(
            host=socket.gethostname().split(".")[0], user=getpass.getuser(), folder=folder,
            ports=free_ports(2), cpus=os.cpu_count()))
        self.environment = {**os.environ, "SLURM_CONF": str(self.conf)}

    def start(self, *command):
        with open(self.folder / f"{command[0]}.log", "w") as log:
            limited = ["timeout", "--kill-after=10", str(MOST_SECONDS), *command]
            self.processes.append(subprocess.Popen(limited, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                                   env=self.environment, start_new_session=True))

    def up(self):
        here = self.folder
        self.start("munged", "--foreground", "--force", f"--key-file={here}/munge.key", f"--socket={here}/munge.socket",
                   f"--pid-file={here}/munged.pid", f"--log-file={here}/munged.txt", f"--seed-file={here}/munged.seed")
        self.wait_for(lambda: (here / "munge.socket").exists())
        self.start("slurmctld", "-D")
        self.start("slurmd", "-D", "-N", "localhost")
        self.wait_for(self.is_idle)

    def is_idle(self):
        state = subprocess.run(["timeout", "10", "sinfo", "--noheader", "--format=%T"], env=self.environment, text=True,
                               capture_output=True)
        return state.stdout.strip() == "idle"

    def wait_for(self, is_there):
        end = time.monotonic() + SECONDS
        while not is_there():
            ended = [process.args[3] for process in self.processes if process.poll() is not None]
            if ended or time.monotonic() > end:
                logs = "".join(f"== {log.name}\n{log.read_text(errors='replace')}" for log in self.folder.glob("*.log"))
                raise run_pages.Failure(f"{ended or 'the node'} did not come up\n{logs}")
            time.sleep(0.2)

    def down(self):
        for process in reversed(self.processes):
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


class SlurmPage(run_pages.Page):
    def run_block(self, block):
        if isinstance(block, list) or "file" in block.marks:
            super().run_block(block)
        elif "docs.slurm" in block.marks.get("not run", ""):
            self.run_here(block)


def main(program, source, path):
    missing = [name for name in PROGRAMS if shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin") is None]
    if missing:
        print(f"skipped: there is no {', '.join(missing)}, "
              "which `apt-get install slurmctld slurmd slurm-client munge` adds")
        return 0
    os.environ["PATH"] += ":/usr/sbin"
    folder = pathlib.Path(tempfile.mkdtemp(prefix="servosim_slurm_"))
    cluster = Cluster(folder)
    page = SlurmPage(program, source, path, "--update" in sys.argv)
    page.environment["SLURM_CONF"] = str(cluster.conf)
    try:
        cluster.up()
        page.run()
        if page.changes:
            page.write_changes()
    except run_pages.Failure as failure:
        print(failure)
        return 1
    finally:
        try:
            page.close()
        finally:
            cluster.down()
            shutil.rmtree(folder, ignore_errors=True)
    print(f"{path.name}: {page.counts['commands']} commands")
    return 0


if __name__ == "__main__":
    sys.exit(main(*(pathlib.Path(argument).resolve() for argument in sys.argv[1:] if argument != "--update")))
