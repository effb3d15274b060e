# SPDX-License-Identifier: Apache-2.0
"""Runs programs on fixed processors and keeps what they have used."""

import dataclasses
import os
import pathlib
import statistics
import subprocess


class ProgramFailed(Exception):
    """A program under test ended with an exit code that is not one of success."""


@dataclasses.dataclass
class Sample:
    """What one run has used: seconds, and peak memory in KiB."""

    user: float
    system: float
    wall: float
    peak: int

    @property
    def cpu(self):
        return self.user + self.system


def processors(count):
    """The first processors that this process may use, as taskset writes them, or None."""
    mine = sorted(os.sched_getaffinity(0))
    return ",".join(map(str, mine[:count])) if len(mine) >= count else None


class Programs:
    """The programs of a bench, each with the samples of its runs in one table."""

    def __init__(self, measure, scratch):
        self._measure = measure
        self._scratch = pathlib.Path(scratch)
        self._samples = {}

    def run(self, name, command, cpus=1, success=(0,), stdout=subprocess.DEVNULL):
        """One run, kept under `name`. Standard error goes to a file and not to a terminal, so
        that no program spends time on a progress line."""
        result = self._scratch / "measured"
        errors = self._scratch / "errors"
        result.unlink(missing_ok=True)
        with open(errors, "wb") as stderr:
            code = subprocess.run(
                [self._measure, result, processors(cpus), *command],
                stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, check=False).returncode
        if code == 0:
            user, system, wall, peak, code = result.read_text().split()
        if int(code) not in success:
            tail = errors.read_text(errors="replace")[-2000:]
            raise ProgramFailed(f"{name}: exit code {code} of: {' '.join(map(str, command))}\n{tail}")
        self._samples.setdefault(name, []).append(
            Sample(float(user), float(system), float(wall), int(peak)))

    def names(self):
        return list(self._samples)

    def has(self, name):
        return name in self._samples

    def median(self, name):
        """The median of each figure by itself; the peak is the highest of all runs."""
        samples = self._samples[name]
        return Sample(
            statistics.median(s.user for s in samples),
            statistics.median(s.system for s in samples),
            statistics.median(s.wall for s in samples),
            max(s.peak for s in samples))

    def least(self, name):
        """The run that has used the least processor time."""
        return min(self._samples[name], key=lambda sample: sample.cpu)

    def ratio(self, name, other, figure="cpu"):
        """The median of the ratios of the rounds: what slows a round down slows both."""
        pairs = zip(self._samples[name], self._samples[other])
        return statistics.median(getattr(a, figure) / getattr(b, figure) for a, b in pairs)
