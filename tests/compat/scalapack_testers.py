#!/usr/bin/env python3
"""ScaLAPACK's own testers (Debian: scalapack-mpi-test) with libcyclade_scalapack preloaded.

Each tester reads its sizes, blocks and grids from a file, skips what it has no memory for and counts what it ran: so
the number of completed tests is compared with the number that the file asks for, and with --long also with a run
without the library. LD_DEBUG=bindings shows that the tester called ours.

usage: scalapack_testers.py FOLDER LIBRARY MPIEXEC [--long]        exit status 77: no testers here

SPDX-License-Identifier: BSD-3-Clause
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PRECISIONS = "sdcz"
CALLED = {"inv": ["getrf", "getri", "potrf", "potri", "trtri"], "lu": ["getrf"], "llt": ["potrf"]}


class Input:
    """What one tester is to run; `lines` in the order that its input file wants."""

    def __init__(self, sizes, blocks, grids, nrhs=(1, 9), nbrhs=(1, 5), uplo="U"):
        self.sizes, self.blocks, self.grids = sizes, blocks, grids  # sizes: (m, n)
        self.nrhs, self.nbrhs, self.uplo = nrhs, nbrhs, uplo

    def ranks(self):
        return max(p * q for p, q in self.grids)

    def text(self, tester):
        def row(values):
            return " ".join(str(v) for v in values)

        def counted(*rows):
            return [str(len(rows[0])), *(row(r) for r in rows)]

        rows, cols = zip(*self.sizes)
        lines = ["'inversion'", "'tests'", "'out'", "6"]
        if tester == "inv":
            lines += ["5", "'GEN' 'UTR' 'LTR' 'UPD' 'LPD'"]
        if tester == "llt":
            lines += [f"'{self.uplo}'"]
        lines += counted(rows, cols) if tester == "lu" else counted(cols)
        lines += counted(self.blocks)
        if tester != "inv":
            lines += counted(self.nrhs) + counted(self.nbrhs)
        lines += counted(*zip(*self.grids))
        lines += ["3.0" if tester == "llt" else "1.0"]
        if tester != "inv":
            lines += ["F"]  # no condition estimates: p?lacon deadlocks now and then (Reference-ScaLAPACK/scalapack#121)
        return "\n".join(lines) + "\n"

    def tests(self, tester):
        """Every pair of a size and a block on every grid: by five kinds of matrix, or by right-hand sides."""
        pairs = len(self.blocks) * len(self.grids)
        solves = len(self.nrhs) * len(self.nbrhs)
        if tester == "inv":
            return 5 * pairs * len(self.sizes)
        return sum(pairs * (solves if m == n else 1) for m, n in self.sizes)


def square(*sizes):
    return [(n, n) for n in sizes]


# At N = 1 xdinv and xcinv fail their own threshold, which is not scaled; so N starts at 2.
FOUR = [(2, 2), (1, 4), (4, 1)]
SIX = [(2, 2), (2, 3), (3, 2), (6, 1)]
SHORT = [("inv", PRECISIONS, Input(square(2, 13, 50), [1, 4, 64], FOUR)),
         ("lu", "dz", Input(square(4, 17) + [(10, 21), (31, 12)], [2, 16], [(2, 2), (4, 1)], (9,), (5,))),
         ("llt", "dz", Input(square(4, 31), [2, 16], [(2, 2), (1, 4)], (9,), (5,), "L"))]
LONG = [("inv", PRECISIONS, Input(square(2, 13, 100, 300), [1, 3, 20, 64], SIX)),
        ("lu", PRECISIONS, Input(square(4, 57, 100) + [(40, 70), (70, 40)], [1, 4, 64], SIX)),
        ("llt", PRECISIONS, Input(square(4, 57, 100), [1, 4, 64], SIX, uplo="L")),
        ("llt", PRECISIONS, Input(square(4, 57, 100), [1, 4, 64], SIX, uplo="U"))]


class Testers:
    def __init__(self, folder, library, mpiexec):
        self.folder, self.library, self.mpiexec = folder, library, mpiexec

    def run(self, name, ranks, text, environment, limit=400):
        """(exit status, completed and passed, failed, skipped, the output)"""
        tester = name[2:]
        with tempfile.TemporaryDirectory() as work:
            (Path(work) / f"{tester.upper()}.dat").write_text(text)
            settings = [f"{key}={value}" for key, value in environment.items()]
            command = [self.mpiexec, "-n", str(ranks), "env", *settings, str(self.folder / name)]
            try:
                done = subprocess.run(command, cwd=work, capture_output=True, text=True, timeout=limit, check=False)
            except subprocess.TimeoutExpired:
                return None, 0, 0, 0, f"no end after {limit} s"
        counts = []
        for what in ("completed and passed", "completed and failed", "skipped because"):
            found = re.search(rf"(\d+) tests {what}", done.stdout)
            counts.append(int(found.group(1)) if found else -1)
        return done.returncode, *counts, done.stdout + done.stderr

    def check(self, name, given, compare):
        """True if every test that the input asks for ran, and passed, with ours."""
        tester = name[2:]
        text = given.text(tester)
        status, passed, failed, skipped, output = self.run(name, given.ranks(), text, {"LD_PRELOAD": self.library})
        good = status == 0 and passed == given.tests(tester) and failed == 0 and skipped == 0
        remark = ""
        if compare:
            theirs = self.run(name, given.ranks(), text, {})[:4]
            remark = f"; without ours status {theirs[0]}, {theirs[1]} passed, {theirs[2]} failed, {theirs[3]} skipped"
            good = good and theirs[1:] == (passed, failed, skipped)
        print(f"{name}: {passed} of {given.tests(tester)} passed, {failed} failed, {skipped} skipped{remark}", flush=True)
        if not good:
            print(output[-4000:])
        return good

    def bound(self, name):
        """True if the loader gave ours to the tester for every routine that it calls."""
        tester = name[2:]
        with tempfile.TemporaryDirectory() as logs:
            self.run(name, 1, Input(square(3), [2], [(1, 1)]).text(tester),
                     {"LD_PRELOAD": self.library, "LD_DEBUG": "bindings", "LD_DEBUG_OUTPUT": f"{logs}/bindings"})
            lines = "".join(log.read_text() for log in Path(logs).iterdir())
        ours = Path(self.library).name
        missing = [r for r in CALLED[tester]
                   if not re.search(rf"{name} \[0\] to \S*{ours} \[0\]: normal symbol `p{name[1]}{r}_'", lines)]
        if missing:
            print(f"{name}: not bound to {ours}: {missing}")
        return not missing


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("library")
    parser.add_argument("mpiexec")
    parser.add_argument("--long", action="store_true", help="more sizes, blocks and grids; compared with ScaLAPACK")
    arguments = parser.parse_args()
    if not (arguments.folder / "xdinv").exists():
        print(f"skipped: no ScaLAPACK testers in {arguments.folder} (on Debian: apt install scalapack-mpi-test)")
        return 77
    # The testers link the BLAS of the system: one thread a process, as in the other tests.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    testers = Testers(arguments.folder, arguments.library, arguments.mpiexec)
    wrong = 0
    for tester, precisions, given in LONG if arguments.long else SHORT:
        for precision in precisions:
            name = f"x{precision}{tester}"
            wrong += not testers.check(name, given, arguments.long)
            wrong += not testers.bound(name)
    print("all passed" if wrong == 0 else f"{wrong} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
