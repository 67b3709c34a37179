#!/usr/bin/env python3
"""The example as a reader runs it: its numbers against the literature, its picture, its refusals.

    capacitance_test.py PROGRAM MPIEXEC RANKS

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

PROGRAM, MPIEXEC, RANKS = sys.argv[1], sys.argv[2], sys.argv[3]
LITERATURE = 0.660678  # Helsing and Perfekt, arXiv:1203.5997


class Capacitance(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_program(self, *arguments):
        return subprocess.run([MPIEXEC, "-n", RANKS, PROGRAM, *arguments], capture_output=True, text=True, timeout=60,
                              cwd=self.folder)

    def test_it_converges_to_the_literature_and_draws(self):
        done = self.run_program("--svg", "cube.svg", "--panels", "12")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = re.findall(r"^ +(\d+) +(\d+) +(0\.\d+) .* (\d+)$", done.stdout, re.MULTILINE)
        self.assertEqual([(int(m), int(n)) for m, n, _, _ in rows], [(m, 6 * m * m) for m in (3, 6, 12)])
        errors = [LITERATURE - float(c) for _, _, c, _ in rows]
        for coarse, fine in zip(errors, errors[1:]):
            self.assertTrue(2 < coarse / fine < 3, errors)  # charge ~ distance^(-1/3) at an edge: error ~ m^(-4/3)
        self.assertLess(errors[-1], 3e-3)
        limit = float(re.search(r"for m to infinity: (\S+)", done.stdout).group(1))
        self.assertLess(abs(limit - LITERATURE), 3e-4)
        self.assertTrue(all(int(digits) >= 10 for *_, digits in rows))

        root = ElementTree.parse(self.folder / "cube.svg").getroot()
        panels = sum(path.get("d").count("M") for path in root.iter("{http://www.w3.org/2000/svg}path"))
        self.assertEqual(panels, 3 * 12 * 12)
        self.assertEqual(os.listdir(self.folder), ["cube.svg"])

    def test_bad_arguments_are_named(self):
        for arguments, word in [(["--panels", "10"], '"10"'), (["--panels", "many"], '"many"'),
                                (["--panels", "-8"], '"-8"'), (["--panels", "132"], '"132"'),
                                (["--panels"], "--panels needs a value"), (["--svg"], "--svg needs a value"),
                                (["--svg", "a.svg", "b"], '"b"')]:
            done = self.run_program(*arguments)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stderr.count("capacitance: "), 1)
            self.assertIn(word, done.stderr)
        self.assertEqual(os.listdir(self.folder), [])

    def test_help_is_told_once_and_computes_nothing(self):
        done = self.run_program("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.count("usage: "), 1)
        self.assertIn("--panels M", done.stdout)
        self.assertNotIn("GFLOP/s", done.stdout)

    def test_no_picture_unless_asked_for(self):
        done = self.run_program("--panels", "8")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"on {RANKS} rank", done.stdout)
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_picture_that_cannot_be_written_is_told_at_once(self):
        done = self.run_program("--panels", "8", "--svg", "no/such/folder/cube.svg")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no/such/folder/cube.svg", done.stderr)
        self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
