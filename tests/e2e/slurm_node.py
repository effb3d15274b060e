#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A cluster of Slurm that has one node, this machine: Debian's slurmctld and slurmd in the
foreground, with a configuration in a temporary folder. Works as root and as an ordinary user.

    with SlurmNode(cpus=4) as node:
        subprocess.run(["sbatch", "--wait", "job.sh"], env=node.environment, check=True)
"""

import getpass
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

DAEMONS = ("slurmctld", "slurmd")

# Jobs are trusted (auth/none) and the daemons run as the caller: nothing outside the folder is
# needed, neither munge nor systemd nor control groups.
CONFIGURATION = """\
ClusterName=transplt
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,bf_interval=1,sched_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SwitchType=switch/none
MailProg=/bin/true
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=5
InactiveLimit=0
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
NodeName=node0 NodeHostname={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=main Nodes=node0 Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
"""


def daemon_path(name):
    """Debian keeps the daemons where an ordinary user's PATH does not lead."""
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")


def missing_program():
    """The first program of Slurm that is not installed, or None."""
    for name in DAEMONS + ("sbatch", "srun", "scontrol", "sinfo"):
        if daemon_path(name) is None:
            return name
    return None


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class SlurmNode:
    """One node; `environment` is what sbatch and its like need to find it."""

    def __init__(self, cpus=4, start_seconds=60):
        self.cpus = cpus
        self.start_seconds = start_seconds
        self.folder = None
        self.daemons = []
        self.environment = {}

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="transplt-slurm-"))
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *exception):
        self.stop()

    def start(self):
        controller_port, node_port = free_ports(2)
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        path = self.folder / "slurm.conf"
        path.write_text(CONFIGURATION.format(
            host=socket.gethostname().split(".")[0], user=getpass.getuser(), cpus=self.cpus,
            folder=self.folder, controller_port=controller_port, node_port=node_port))
        # The older plugin asks for nothing that this configuration does not use; the one chosen by
        # itself wants /sys/fs/cgroup, which a root without an init system lacks.
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("SLURM_", "SBATCH_", "SRUN_"))}
        self.environment["SLURM_CONF"] = str(path)
        for name in DAEMONS:
            output = open(self.folder / f"{name}.out", "wb")
            with output:
                self.daemons.append(subprocess.Popen(
                    [daemon_path(name), "-D", "-f", str(path)], env=self.environment,
                    stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                    start_new_session=True))
        end = time.monotonic() + self.start_seconds
        while self.state() != "idle":
            if any(daemon.poll() is not None for daemon in self.daemons):
                raise RuntimeError("a daemon of Slurm has ended:\n" + self.logs())
            if time.monotonic() > end:
                raise RuntimeError("the node of Slurm did not become idle:\n" + self.logs())
            time.sleep(0.2)

    def state(self):
        result = subprocess.run(["sinfo", "-h", "-o", "%T"], env=self.environment, text=True,
                                capture_output=True, check=False, timeout=60)
        return result.stdout.strip()

    def logs(self):
        return "".join(f"== {path.name}\n{path.read_text(errors='replace')[-3000:]}"
                       for path in sorted(self.folder.glob("*.*"))
                       if path.suffix in (".log", ".out"))

    def stop(self):
        """Ends all jobs and both daemons, and removes the folder."""
        if self.daemons and self.daemons[0].poll() is None:
            subprocess.run(["scancel", "--user", getpass.getuser()], env=self.environment,
                           capture_output=True, check=False, timeout=60)
        for daemon in reversed(self.daemons):
            if daemon.poll() is None:
                daemon.terminate()
            try:
                daemon.wait(15)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        self.daemons = []
        shutil.rmtree(self.folder, ignore_errors=True)
