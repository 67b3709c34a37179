#!/usr/bin/env python3
"""Files that people hold, from the command line: Matrix Market in all its kinds, relationship matrices, real matrices.

    files_test.py CYCLADE MPIEXEC RANKS [FOLDER OF REAL MATRICES]

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import math
import os
import pathlib
import shutil
import struct
import sys
import unittest

from support import FILE, NUMERICAL, OK, RANKS, ProgramTest, read_npy, write_npy

REAL = pathlib.Path(sys.argv[4]) if len(sys.argv) > 4 else None


class Files(ProgramTest):
    def write(self, name, text):
        pathlib.Path(self.path(name)).write_text(text)

    def inverse_of(self, name, *options):
        done = self.run_program("invert", name, "-o", "x.npy", "--quiet", *options)
        self.assertEqual(done.returncode, OK, done.stderr)
        return read_npy(self.path("x.npy"))[0]

    # --- Matrix Market
    def test_symmetries_of_matrix_market_files(self):
        self.write("skew.mtx", "%%MatrixMarket matrix array real skew-symmetric\n2 2\n3.4\n")
        self.assert_close(self.inverse_of("skew.mtx"), [[0, 1 / 3.4], [-1 / 3.4, 0]], 1e-16)
        self.write("h.mtx", "%%MatrixMarket MATRIX Coordinate Complex HERMITIAN\n% comment\n\n2 2 3\n1 1 2 0\n2 1 1 1\n2 2 3 0\n")
        self.assert_close(self.inverse_of("h.mtx"), [[0.75, -0.25 + 0.25j], [-0.25 - 0.25j, 0.5]], 1e-15)
        self.write("s.mtx", "%%MatrixMarket matrix array complex symmetric\n2 2\n1 1\n0 2\n3 0\n")
        a, b, d = 1 + 1j, 2j, 3
        det = a * d - b * b
        self.assert_close(self.inverse_of("s.mtx"), [[d / det, -b / det], [-b / det, a / det]], 1e-15)
        self.write("p.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 3\n1 1\n1 2\n2 2\n")
        self.assert_close(self.inverse_of("p.mtx"), [[1, -1], [0, 1]], 0)

    def test_repeated_entries_are_added_up_and_said(self):
        self.write("a.mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 3\n1 1 1\n1 1 3\n2 2 5\n")
        done = self.run_program("invert", "a.mtx")
        self.assertEqual(done.returncode, OK)
        self.assertIn("repetition", done.stdout)
        self.assert_close(self.inverse_of("a.mtx"), [[0.25, 0], [0, 0.2]], 1e-17)

    def test_malformed_files_are_refused_by_line(self):
        for line, text in [
            (1, "%%MatrixMarket matrix array real\n1 1\n1\n"),
            (1, "%%MatrixMarket matrix array pattern general\n1 1\n"),
            (3, "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1.0\n"),
            (3, "%%MatrixMarket matrix coordinate real general\n2 2 1\n0 1 1.0\n"),
            (4, "%%MatrixMarket matrix array real general\n2 2\n1.0\nx\n1\n1\n"),
            (6, "%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n1 1\n1.707 -1\n".replace("1 1\n1.7", "1 1\n\n1.7")),
            (3, "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1.0 7\n"),
        ]:
            self.write("a.mtx", text)
            done = self.run_program("invert", "a.mtx", "-o", "x.npy")
            self.assertEqual(done.returncode, FILE, text)
            self.assertIn(f"a.mtx:{line}:", done.stderr)
            self.assertNotIn("x.npy", os.listdir(self.folder))

    def test_matrix_market_is_written_and_read_back_to_the_bit(self):
        rows = [[1 / 3, 2e-300], [-7.1e200, 0.1]]
        write_npy(self.path("a.npy"), rows)
        self.assertEqual(self.run_program("convert", "a.npy", "b.mtx").returncode, OK)
        self.assertEqual(self.run_program("convert", "b.mtx", "c.npy").returncode, OK)
        self.assertEqual(read_npy(self.path("c.npy"))[0], rows)

    # --- relationship matrices
    def test_relationship_matrices(self):
        self.write("a.grm.id", "f1 i1\nf2 i2\n")
        pathlib.Path(self.path("a.grm.bin")).write_bytes(struct.pack("<3f", 2, 0.5, 1))
        done = self.run_program("invert", "a.grm.bin", "-o", "x.grm.bin", "--structure", "positive-definite")
        self.assertEqual(done.returncode, OK, done.stderr)
        got = struct.unpack("<3f", pathlib.Path(self.path("x.grm.bin")).read_bytes())
        self.assert_close([got], [[1 / 1.75, -0.5 / 1.75, 2 / 1.75]], 1e-7)
        self.assertEqual(pathlib.Path(self.path("x.grm.id")).read_text(), "f1 i1\nf2 i2\n")
        self.write("a.grm.id", "f1 i1\n")
        self.assertEqual(self.run_program("invert", "a.grm.bin").returncode, FILE)
        pathlib.Path(self.path("a.grm.bin")).write_bytes(b"x" * 11)
        self.assertEqual(self.run_program("invert", "a.grm.bin").returncode, FILE)

    def test_not_quite_positive_definite(self):
        write_npy(self.path("a.npy"), [[1, 0.9, 0.7], [0.9, 1, 0.95], [0.7, 0.95, 0.6]])
        done = self.run_program("invert", "a.npy", "--structure", "positive-definite", "--json", "r.json")
        self.assertEqual(done.returncode, NUMERICAL)
        report = json.loads(pathlib.Path(self.path("r.json")).read_text())
        self.assertIn("--add-diagonal", done.stdout)
        shift = report["sufficient_shift"]
        self.assertGreater(shift, 0)
        done = self.run_program("invert", "a.npy", "--structure", "positive-definite", "--add-diagonal", shift * 1.01)
        self.assertEqual(done.returncode, OK, done.stdout)

    # --- sizes at the edges of kernels (B28), both methods
    def test_sizes_around_256(self):
        for n in (255, 257, 600):
            for options in ([], ["--structure", "positive-definite"]):
                done = self.run_program("invert", "--generate", "kms", "--n", n, "-o", "x.npy", "--quiet", *options)
                self.assertEqual(done.returncode, OK, done.stderr)
                self.assertEqual(self.run_program("generate", "kms", "--n", n, "-o", "a.npy").returncode, OK)
                self.assertEqual(self.run_program("verify", "a.npy", "x.npy").returncode, OK)

    # --- real matrices
    def test_real_matrices(self):
        if REAL is None:
            self.skipTest("the folder of real matrices is not there")
        manifest = json.loads((REAL / "MANIFEST.json").read_text())
        for name, facts in manifest.items():
            for file in REAL.glob(name.replace(".bin", ".*") if name.endswith(".bin") else name):
                shutil.copy(file, self.folder)
            done = self.run_program("invert", name, "-o", "x.npy", "--json", "-")
            self.assertEqual(done.returncode, OK, name + done.stderr)
            report = json.loads(done.stdout)
            norm_x = float(facts.get("invnorm1", facts["invnorm1_double"]))
            tolerance = 10 * facts["n"] * 2.0**-53 * facts["normA1"] * norm_x
            self.assertLessEqual(abs(report["logabsdet"] - float(facts["logabsdet"])), max(tolerance, 1e-12), name)
            phase = complex(facts["phase"]) if "phase" in facts else complex(facts["sign"])
            self.assertLessEqual(abs(complex(report["sign"]["re"], report["sign"]["im"]) - phase), max(tolerance, 1e-12), name)
            self.assertLessEqual(abs(report["norm1_x"] - norm_x), tolerance * norm_x, name)
            if facts["herm"] and facts["neg_eig"] == 0:
                done = self.run_program("invert", name, "--structure", "positive-definite", "--json", "-")
                self.assertLessEqual(abs(json.loads(done.stdout)["logabsdet"] - float(facts["logabsdet"])), max(tolerance, 1e-12), name)
            elif facts["herm"]:
                self.assertEqual(self.run_program("invert", name, "--structure", "positive-definite").returncode, NUMERICAL)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
