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

from support import FILE, NUMERICAL, OK, RANKS, USAGE, ProgramTest, read_npy, write_npy

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

    def test_every_format_becomes_every_other(self):
        rows = [[4, 0.5, -1], [0.5, 3, 0.25], [-1, 0.25, 2]]  # exact in single precision
        self.write("i.grm.id", "f1 i1\nf2 i2\nf3 i3\n")
        write_npy(self.path("a.npy"), rows)
        names = ["a.npy", "b.mtx", "c.bin", "d.grm.bin", "e.npy", "f.grm.bin", "g.mtx", "h.bin", "i.grm.bin", "j.mtx", "k.npy"]
        for source, target in zip(names, names[1:]):
            if source.endswith(".grm.bin") and source != "i.grm.bin":
                shutil.copy(self.path("i.grm.id"), self.path(source[:-4] + ".id"))
            done = self.run_program("convert", source, target, *(["--n", 3] if source[-4:] == ".bin" and "grm" not in source else []))
            self.assertEqual(done.returncode, OK, f"{source} {target} {done.stderr}")
            if target.endswith(".grm.bin"):
                self.assertIn("3 x 3, float32", done.stdout)
                self.assertIn("grm.id is to be put beside", done.stderr)
        self.assertEqual(read_npy(self.path("k.npy"))[0], rows)
        done = self.run_program("convert", "i.grm.bin", "t.txt", "--triplets")
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertEqual(pathlib.Path(self.path("t.txt")).read_text(), "1\t1\t4\n2\t1\t0.5\n2\t2\t3\n3\t1\t-1\n3\t2\t0.25\n3\t3\t2\n")

    def test_half_of_a_matrix_is_not_written_for_the_whole(self):
        write_npy(self.path("a.npy"), [[1, 2, 3], [2, 4, 5], [3, 6, 7]])
        for arguments in (["x.grm.bin"], ["x.txt", "--triplets"], ["x.mtx", "--symmetry", "symmetric"], ["x.mtx", "--symmetry", "skew-symmetric"]):
            done = self.run_program("convert", "a.npy", *arguments)
            self.assertEqual(done.returncode, USAGE, arguments)
            self.assertIn("(0,0)" if "skew-symmetric" in arguments else "(1,2) and (2,1)", done.stderr)
            self.assertEqual(os.listdir(self.folder), ["a.npy"])

    def test_a_file_states_its_structure(self):
        self.write("h.mtx", "%%MatrixMarket matrix array complex hermitian\n3 3\n2 0\n1 1\n0.3 0.1\n-3 0\n0.7 -1\n0.1 0\n")
        done = self.run_program("invert", "h.mtx", "-o", "x.mtx", "--json", "-")
        self.assertEqual(json.loads(done.stdout)["structure"], "hermitian")
        self.assertTrue(pathlib.Path(self.path("x.mtx")).read_text().startswith("%%MatrixMarket matrix array complex hermitian\n"))
        x = self.inverse_of("h.mtx")
        self.assertEqual([x[i][j] for i in range(3) for j in range(3)], [x[j][i].conjugate() for i in range(3) for j in range(3)])
        done = self.run_program("invert", "h.mtx", "--structure", "general", "--json", "-")
        self.assertEqual(json.loads(done.stdout)["structure"], "general")

    # --- odd and broken files
    def test_odd_files_that_are_right(self):
        coordinate = "%%MatrixMarket matrix coordinate real general\n"
        for name, text in [
            ("crlf.mtx", coordinate.replace("\n", "\r\n") + "2 2 2\r\n1 1 4.\r\n2 2 5\r\n\r\n"),
            ("mark.mtx", "\ufeff" + coordinate + "% a comment\n\n2\t2\t2\n\t1\t1\t+4\n2 2 5"),
            ("two words.mtx", "%%MatrixMarket matrix array real general\n2 2\n4D0\n0\n0d+1\n.5E1\n\n% the end\n"),
        ]:
            self.write(name, text)
            self.assertEqual(self.inverse_of(name), [[0.25, 0], [0, 0.2]])
        done = self.run_program("invert", "crlf.mtx", "-o", "crlf.mtx", "--quiet")  # in place
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertEqual(self.inverse_of("crlf.mtx"), [[4, 0], [0, 5]])
        done = self.run_program("multiply", "two words.mtx", "two words.mtx", "-o", "two words.npy")
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertEqual(read_npy(self.path("two words.npy"))[0], [[16, 0], [0, 25]])

    def test_broken_files_are_refused(self):
        coordinate, array = "%%MatrixMarket matrix coordinate real general\n", "%%MatrixMarket matrix array real general\n"
        for status, word, text in [
            (FILE, "m.mtx:1: expected the banner", ""), (FILE, "m.mtx:2: expected the number of rows", coordinate + "-2 2 1\n"),
            (FILE, "64 bits", coordinate + "99999999999 99999999999 1\n1 1 1\n"),
            (FILE, "9000000000000 entries", array + "3000000 3000000\n1\n"),
            (FILE, "2 entries at the most leave some of 30000 rows empty", coordinate + "30000 30000 2\n1 1 1\n2 2 1\n"),
            (FILE, "m.mtx:4: expected no more than the 1 entries", array + "1 1\n1\njunk\n"),
            (FILE, "m.mtx:3: expected a number that a double can hold", array + "1 1\n1e400\n"),
            (NUMERICAL, "entry (0,1) is not a finite number", array + "2 2\n1\n1\nNaN\n-inf\n"),
        ]:
            self.write("m.mtx", text)
            done = self.run_program("invert", "m.mtx", "-o", "x.npy")
            self.assertEqual(done.returncode, status, text + done.stderr)
            self.assertIn(word, done.stderr)
            self.assertEqual(os.listdir(self.folder), ["m.mtx"])

    def test_what_is_no_file_is_told(self):
        os.mkdir(self.path("folder.npy"))
        os.mkfifo(self.path("pipe.npy"))
        write_npy(self.path("a.npy"), [[2.0]])
        for word, arguments in [
            ("folder.npy: is a directory", ["folder.npy"]), ("pipe.npy: is a device or a pipe", ["pipe.npy"]),
            ("gone.npy: no such file", ["gone.npy"]), ("folder.npy: is a directory", ["a.npy", "-o", "folder.npy"]),
            ("pipe.npy: is a device or a pipe", ["a.npy", "-o", "pipe.npy"]), ("nowhere/x.npy", ["a.npy", "-o", "nowhere/x.npy"]),
            ("m.grm.id: no such file", ["m.grm.bin"]),
        ]:
            pathlib.Path(self.path("m.grm.bin")).write_bytes(struct.pack("<f", 2))
            done = self.run_program("invert", *arguments)
            self.assertEqual(done.returncode, FILE, done.stderr)
            self.assertIn(word, done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.npy", "folder.npy", "m.grm.bin", "pipe.npy"])

    def test_the_empty_matrix_in_every_format(self):
        self.write("a.mtx", "%%MatrixMarket matrix array real general\n0 0\n")
        for name in ("a.bin", "a.grm.bin", "a.grm.id"):
            self.write(name, "")
        for source, target in (("a.mtx", "x.grm.bin"), ("a.grm.bin", "x.bin"), ("a.bin", "x.npy"), ("x.npy", "x.mtx")):
            done = self.run_program("invert", source, "-o", target, "--quiet", "--structure", "symmetric")
            self.assertEqual(done.returncode, OK, done.stderr)
        self.assertEqual(pathlib.Path(self.path("x.mtx")).read_text().splitlines()[-1], "0 0")

    # --- relationship matrices
    def test_relationship_matrices(self):
        self.write("a.grm.id", "f1 i1\nf2 i2\n")
        pathlib.Path(self.path("a.grm.bin")).write_bytes(struct.pack("<3f", 2, 0.5, 1))
        done = self.run_program("invert", "a.grm.bin", "-o", "x.grm.bin", "--structure", "positive-definite")
        self.assertEqual(done.returncode, OK, done.stderr)
        got = struct.unpack("<3f", pathlib.Path(self.path("x.grm.bin")).read_bytes())
        self.assert_close([got], [[1 / 1.75, -0.5 / 1.75, 2 / 1.75]], 1e-7)
        self.assertEqual(pathlib.Path(self.path("x.grm.id")).read_text(), "f1 i1\nf2 i2\n")
        done = self.run_program("invert", "a.grm.bin", "-o", "w.grm.bin", "--window", "0:1,0:1", "--quiet")
        self.assertEqual((done.returncode, os.path.exists(self.path("w.grm.id"))), (OK, False))  # its two lines are for the whole
        self.assertAlmostEqual(struct.unpack("<f", pathlib.Path(self.path("w.grm.bin")).read_bytes())[0], 1 / 1.75, 6)
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
    def test_files_that_other_readers_are_tested_with(self):
        if REAL is None:
            self.skipTest("the folder of real matrices is not there")
        for file in (REAL / "parse").glob("*.mtx"):
            shutil.copy(file, self.folder)
        x = self.inverse_of("c.mtx")  # determinant 28
        want = [[33, 6 + 3j, -2 - 1j], [6 - 3j, 37, -3], [-2 + 1j, -3, 1]]
        self.assert_close(x, [[entry / 28 for entry in row] for row in want], 1e-13)
        done = self.run_program("convert", "fullcsa.mtx", "fullcsa.npy")
        self.assertEqual(done.returncode, OK, done.stderr)
        a = read_npy(self.path("fullcsa.npy"))[0]
        self.assertEqual(a[0][1], a[1][0])
        self.assertNotEqual(a[0][1].imag, 0)  # symmetric, not Hermitian
        for name, place in (("Ragusa16", ":23:"), ("bad_header", ":1:"), ("bad_matrix_type", ":3:"), ("fullcrud", ":6:"), ("fullcrud1", ":1:"),
                            ("mangle1", ":1:"), ("mangle2", ":1:"), ("3by0", ": needs a square matrix, got 3x0")):
            done = self.run_program("invert", name + ".mtx")
            self.assertEqual(done.returncode, FILE, name)
            self.assertIn(name + ".mtx" + place, done.stderr)

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
