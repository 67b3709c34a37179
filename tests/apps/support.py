"""What the tests of the command line share: running the program, and .npy files written and read by the standard library alone,
independently of the program.

SPDX-License-Identifier: BSD-3-Clause
"""
import ast
import json
import os
import pathlib
import resource
import struct
import subprocess
import sys
import tempfile
import unittest

PROGRAM, MPIEXEC, RANKS = sys.argv[1], sys.argv[2], int(sys.argv[3])
OK, NUMERICAL, USAGE, FILE = 0, 1, 2, 3
NAN, INF = float("nan"), float("inf")


def write_npy(path, rows, code="<f8", fortran=False, version=1):
    """rows: a list of rows of numbers."""
    m, n = len(rows), len(rows[0]) if rows else 0
    header = repr({"descr": code, "fortran_order": fortran, "shape": (m, n)}).encode()
    prefix = 10 if version == 1 else 12
    header += b" " * (-(prefix + len(header) + 1) % 64) + b"\n"
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    numbers = [rows[i][j] for j in range(n) for i in range(m)] if fortran else [x for row in rows for x in row]
    order, kind = code[0].replace("|", "<"), code[1:]
    if kind[0] == "c":
        numbers = [part for x in numbers for part in (complex(x).real, complex(x).imag)]
    letter = {"f4": "f", "f8": "d", "c8": "f", "c16": "d", "i1": "b", "i4": "i", "i8": "q", "u1": "B", "b1": "?"}[kind]
    data = struct.pack(order + str(len(numbers)) + letter, *numbers)
    pathlib.Path(path).write_bytes(b"\x93NUMPY" + bytes([version, 0]) + length + header + data)


def read_npy(path):
    raw = pathlib.Path(path).read_bytes()
    length = struct.unpack("<H", raw[8:10])[0]
    header = ast.literal_eval(raw[10:10 + length].decode())
    m, n = header["shape"]
    kind = header["descr"][1:]
    letter, width = {"f4": "f", "f8": "d", "c8": "f", "c16": "d"}[kind], 2 if kind[0] == "c" else 1
    flat = struct.unpack("<" + str(m * n * width) + letter, raw[10 + length:])
    if width == 2:
        flat = [complex(flat[2 * k], flat[2 * k + 1]) for k in range(m * n)]
    at = (lambda i, j: flat[i + j * m]) if header["fortran_order"] else (lambda i, j: flat[i * n + j])
    return [[at(i, j) for j in range(n)] for i in range(m)], kind


class ProgramTest(unittest.TestCase):
    """A folder of its own for every test, and the program to run in it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_program(self, *arguments, ranks=RANKS, limit=None, environment=None):
        command = [MPIEXEC, "-n", str(ranks), PROGRAM, *map(str, arguments)] if ranks > 1 else [PROGRAM, *map(str, arguments)]
        preexec = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))) if limit else None
        return subprocess.run(command, capture_output=True, text=True, timeout=100, cwd=self.folder, preexec_fn=preexec,
                              env={**os.environ, **(environment or {})})

    def invert(self, rows, *options, code="<f8", status=OK, **run):
        """The report and, if there is one, the inverse."""
        write_npy(self.path("a.npy"), rows, code)
        done = self.run_program("invert", "a.npy", "-o", "x.npy", "--json", "r.json", "--quiet", *options, **run)
        self.assertEqual(done.returncode, status, done.stderr)
        report = json.loads(pathlib.Path(self.path("r.json")).read_text())
        os.remove(self.path("r.json"))
        inverse = None
        if os.path.exists(self.path("x.npy")):
            inverse, _ = read_npy(self.path("x.npy"))
            os.remove(self.path("x.npy"))
        self.assertEqual(inverse is not None, status == OK)
        self.assertEqual([f for f in os.listdir(self.folder) if f.endswith(".part")], [])
        return report, inverse

    def assert_close(self, got, want, tolerance):
        for row, expected in zip(got, want, strict=True):
            for x, y in zip(row, expected, strict=True):
                self.assertLessEqual(abs(x - y), tolerance, f"{got} != {want}")
