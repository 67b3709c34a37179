#!/usr/bin/env python3
"""HDF5 from the command line, with h5py on the other side: what it writes is read, and it reads what is written.

    hdf5_test.py PROGRAM MPIEXEC RANKS
SPDX-License-Identifier: BSD-3-Clause
"""
import os
import pathlib
import sys
import unittest

try:
    import h5py
    import numpy as np
except ImportError:
    print("skipped: this Python has no h5py (Debian and Ubuntu: apt install python3-h5py)")
    sys.exit(77)

from support import FILE, NUMERICAL, OK, USAGE, ProgramTest


def random(n, dtype="f8"):
    numbers = np.random.default_rng(n).standard_normal((n, n))
    return (numbers + 1j * numbers.T if np.dtype(dtype).kind == "c" else numbers).astype(dtype)


class Hdf5Test(ProgramTest):
    def setUp(self):
        super().setUp()
        self.file = self.path("a.h5")

    def run_ok(self, *arguments, **run):
        done = self.run_program(*arguments, **run)
        self.assertEqual(done.returncode, OK, done.stderr + done.stdout)
        return done

    def bytes(self):
        return pathlib.Path(self.file).read_bytes()

    def assert_inverse(self, a, x, digits):
        self.assertEqual(a.shape, x.shape)
        self.assertLess(abs(a.astype("c16") @ x - np.eye(len(a))).max(), 10.0**-digits)

    def test_inverse_beside_its_matrix(self):
        for dtype, digits in (("f8", 9), ("f4", 2), ("c16", 9), ("c8", 2), (">f8", 9), ("i4", 9)):
            a = (random(30) * 100).astype(dtype) if dtype == "i4" else random(30, dtype)
            for options in ({}, {"chunks": (8, 5)}, {"chunks": (7, 30), "compression": "gzip", "shuffle": True}):
                with h5py.File(self.file, "w") as f:
                    f.create_dataset("group/a", data=a, **options)
                    f.create_dataset("other", data=np.arange(5.0)).attrs["kept"] = "yes"
                self.run_ok("invert", "a.h5:/group/a", "-o", "a.h5:/inverse/x", "--quiet")
                with h5py.File(self.file) as f:
                    x = f["inverse/x"]
                    self.assertEqual(x.dtype, np.dtype({"i4": "f8"}.get(dtype, dtype)).newbyteorder("<"))
                    self.assert_inverse(a, x[...], digits)
                    np.testing.assert_array_equal(f["group/a"][...], a)
                    np.testing.assert_array_equal(f["other"][...], np.arange(5.0))
                    self.assertEqual(f["other"].attrs["kept"], "yes")
        self.run_ok("verify", "a.h5:/group/a", "a.h5:/inverse/x")
        self.assertEqual(self.run_program("verify", "a.h5:/group/a", "a.h5:/group/a").returncode, NUMERICAL)

    def test_provenance(self):
        a = random(20)
        with h5py.File(self.file, "w") as f:
            f["a"] = a
        self.run_ok("invert", "a.h5", "-o", "x.hdf5", "--quiet")
        sign, logabsdet = np.linalg.slogdet(a)
        with h5py.File(self.path("x.hdf5")) as f:
            said = dict(f["matrix"].attrs)
        self.assertEqual(said["sign_re"], sign)
        self.assertEqual(said["sign_im"], 0)
        self.assertAlmostEqual(said["logabsdet"], logabsdet, 9)
        self.assertAlmostEqual(said["cond1"], np.linalg.cond(a, 1), 6)
        self.assertEqual((said["status"], said["method"], said["structure"], said["input"]), ("ok", "gauss_jordan", "general", "a.h5"))
        self.assertRegex(said["cyclade_version"], r"^\d+\.\d+\.\d+$")
        self.assertIn("inverse of a.h5", said["description"])
        self.assertGreater(said["digits"], 8)
        self.assertLessEqual(max(said["residual_left"], said["residual_right"]), said["residual_bound"])

    def test_orientation(self):
        a = np.arange(15.0).reshape(3, 5)
        with h5py.File(self.file, "w") as f:
            f["a"] = a
            f["t"] = a.T
            f["t"].attrs["cyclade_order"] = "column"
        for source in ("a.h5:/a", "a.h5:/t"):
            self.run_ok("convert", source, "a.npy")
            np.testing.assert_array_equal(np.load(self.path("a.npy")), a)
            self.run_ok("convert", source, "b.h5:/rows")
            self.run_ok("convert", source, "b.h5:/columns", "--file-order", "column")
            with h5py.File(self.path("b.h5")) as f:
                np.testing.assert_array_equal(f["rows"][...], a)
                np.testing.assert_array_equal(f["columns"][...], a.T)
        self.run_ok("convert", "b.h5:/columns", "c.npy", "--file-order", "row")
        np.testing.assert_array_equal(np.load(self.path("c.npy")), a)

    def test_parts(self):
        a = random(40)
        with h5py.File(self.file, "w") as f:
            f.create_dataset("a", data=a, chunks=(16, 16))
            f["whole"] = np.zeros((50, 45))
        self.run_ok("invert", "a.h5:/a[3:23,11:31]", "-o", "a.h5:/whole[10:30,5:25]", "--quiet")
        with h5py.File(self.file) as f:
            whole = f["whole"][...]
        self.assert_inverse(a[3:23, 11:31], whole[10:30, 5:25], 9)
        whole[10:30, 5:25] = 0
        self.assertFalse(whole.any())
        self.assertEqual(self.run_program("info", "a.h5:/a[0:41,0:1]").returncode, USAGE)

    def test_pairs_bool_and_half(self):
        z = random(12, "c16")
        with h5py.File(self.file, "w") as f:
            f["pairs"] = np.stack([z.real, z.imag], axis=-1)
            f["bool"] = np.triu(np.ones((9, 9), bool))
            f["half"] = np.eye(4, dtype="f2") * 0.5
        for name, want in (("pairs", z), ("bool", np.triu(np.ones((9, 9)))), ("half", np.eye(4) * 0.5)):
            self.run_ok("convert", "a.h5:/" + name, "x.npy")
            np.testing.assert_array_equal(np.load(self.path("x.npy")), want)

    def test_other_commands(self):
        self.run_ok("generate", "kms", "--n", 50, "-o", "k.h5:/kms")
        self.run_ok("generate", "kms", "--n", 50, "--inverse", "-o", "k.h5:/inverse")
        self.run_ok("verify", "k.h5:/kms", "k.h5:/inverse")
        self.run_ok("multiply", "k.h5:/kms", "k.h5:/inverse", "-o", "k.h5:/product")
        self.run_ok("invert", "k.h5:/kms", "--diagonal", "k.h5:/diagonal", "--quiet")
        with h5py.File(self.path("k.h5")) as f:
            np.testing.assert_allclose(f["product"][...], np.eye(50), atol=1e-12)
            np.testing.assert_allclose(f["diagonal"][:, 0], np.diag(f["inverse"][...]), rtol=1e-12)
            self.assertEqual(f["diagonal"].shape, (50, 1))
            self.assertEqual(sorted(f), ["diagonal", "inverse", "kms", "product"])
        info = self.run_ok("info", "k.h5:/kms", "--scan").stdout
        for word in ("HDF5", "50 x 50", "float64", "C order (rows), contiguous", "all entries are finite"):
            self.assertIn(word, info)

    def test_errors(self):
        with h5py.File(self.file, "w") as f:
            f["a"], f["b"], f["v"] = np.eye(3), np.ones((3, 4)), np.ones(3)
        before = self.bytes()
        for arguments, status, message in (
            (("a.h5:/c",), FILE, "no dataset /c in the file; it holds /a, /b, /v"),
            (("a.h5",), FILE, "say which: a.h5:/a, a.h5:/b, a.h5:/v"),
            (("a.h5:/v",), FILE, "the shape (3,)"),
            (("a.h5:/b",), FILE, "needs a square matrix, got 3x4"),
            (("a.h5:/a[0:2]",), USAGE, "[I0:I1,J0:J1]"),
            (("absent.h5:/a",), FILE, "no such file"),
            (("a.h5:/a", "-o", "a.h5:/a/x"), FILE, "/a is not a group"),
            (("a.h5:/a", "-o", "no/a.h5:/x"), FILE, "cannot be written"),
        ):
            done = self.run_program("invert", *arguments)
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertIn(message, done.stderr)
            self.assertNotIn("HDF5-DIAG", done.stderr)
        with h5py.File(self.path("s.h5"), "w") as f:
            f["s"] = np.ones((4, 4))
        done = self.run_program("invert", "s.h5:/s", "-o", "a.h5:/x")
        self.assertEqual(done.returncode, NUMERICAL, done.stderr)
        self.assertEqual(self.bytes(), before)
        self.assertEqual([f for f in os.listdir(self.folder) if f.endswith(".part")], [])

    def test_a_full_disk_leaves_the_file_as_it_was(self):
        with h5py.File(self.file, "w") as f:
            f["kept"] = np.eye(100)
        before = self.bytes()
        done = self.run_program("generate", "kms", "--n", 2100, "-o", "a.h5:/x", limit=32_000_000)
        self.assertEqual(done.returncode, FILE, done.stderr)
        self.assertEqual(self.bytes(), before)
        self.assertEqual(os.listdir(self.folder), ["a.h5"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
