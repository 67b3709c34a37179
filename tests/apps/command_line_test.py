#!/usr/bin/env python3
"""The command line as its users run it: answers, refusals, exit statuses, and what is left on the disk.

    command_line_test.py CYCLADE MPIEXEC RANKS

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import math
import os
import pathlib
import struct
import subprocess
import sys
import unittest

from support import FILE, INF, MPIEXEC, NAN, NUMERICAL, OK, PROGRAM, RANKS, USAGE, ProgramTest, read_npy, write_npy


class CommandLine(ProgramTest):
    # --- singular in every way (B1 - B5)
    def test_singular_matrices_are_refused(self):
        for rows, statuses, pivot in [
            ([[1, 2, 3], [4, 5, 6], [7, 8, 9]], ("singular", "numerically_singular"), None),
            ([[0, 0], [0, 0]], ("singular",), 0),
            ([[0]], ("singular",), 0),
            ([[1, 2], [2, 4]], ("singular",), 1),
            ([[1 if i == j and i < 8 else 0 for j in range(9)] for i in range(9)], ("singular",), 8),
            ([[1, 5, 7], [2, 10, -3], [5, 25, 1]], ("singular", "numerically_singular"), None),
        ]:
            for nb in (1, 4) if len(rows) > 2 else (1,):
                report, _ = self.invert(rows, "--nb", nb, status=NUMERICAL)
                self.assertIn(report["status"], statuses)
                if pivot is not None:
                    self.assertEqual(report["zero_pivot"], pivot)
                    self.assertIsNone(report["logabsdet"])  # minus infinity

    def test_n_times_identity_minus_ones_is_singular_for_every_n(self):
        for n in range(2, 11) if RANKS == 1 else (2, 7, 10):
            report, _ = self.invert([[n * (i == j) - 1 for j in range(n)] for i in range(n)], status=NUMERICAL)
            self.assertIn(report["status"], ("singular", "numerically_singular"))

    # --- right answers (B6 - B10)
    def test_known_inverses(self):
        swap = [[float(i == (j + 4) % 8) for j in range(8)] for i in range(8)]
        for rows, inverse, tolerance in [
            ([[0, 1, 0], [0, 0, 1], [1, 0, 0]], [[0, 0, 1], [1, 0, 0], [0, 1, 0]], 0),
            ([[0, 2, 0], [0, 0, 3], [4, 0, 0]], [[0, 0, 0.25], [0.5, 0, 0], [0, 1 / 3, 0]], 0),
            ([[1e-20, 1], [1, 1]], [[-1, 1], [1, -1e-20]], 1e-15),
            (swap, swap, 0),
            ([[0, 1], [2, 0]], [[0, 0.5], [1, 0]], 0),
            ([[1, 2], [3, 4]], [[-2, 1], [1.5, -0.5]], 1e-14),
            ([[2.5]], [[0.4]], 0),
        ]:
            for nb in (1, 2) if len(rows) < 8 else (3,):
                _, got = self.invert(rows, "--nb", nb)
                self.assert_close(got, inverse, tolerance)

    def test_sizes_around_the_block(self):
        for n in (7, 8, 9, 17, 65):
            rows = [[math.sin(1.0 + 3 * i * i + 7 * j + i * j) for j in range(n)] for i in range(n)]
            report, got = self.invert(rows, "--nb", 8)
            product = [[sum(got[i][k] * rows[k][j] for k in range(n)) for j in range(n)] for i in range(n)]
            self.assert_close(product, [[float(i == j) for j in range(n)] for i in range(n)], 1e-14 * report["cond1"])

    def test_no_jump_at_any_block(self):
        for nb in (1, 2, 8, 64):
            for n in (nb - 1, nb, nb + 1, 2 * nb + 1) if RANKS == 1 else (2 * nb + 1,):
                done = self.run_program("invert", "--generate", "random", "--n", n, "--nb", nb, "--json", "-")
                self.assertEqual(done.returncode, OK, done.stderr)
                residual = json.loads(done.stdout)["residual"]
                self.assertLessEqual(max(residual["scaled_left"] or 0, residual["scaled_right"] or 0), 20)  # a bound, some 10 times the value

    def test_what_memory_held_changes_no_bit(self):  # B38
        for options in ([], ["--structure", "positive-definite"]):
            results = []
            for garbage in ("1", "85"):  # glibc fills what it hands out with bytes 0xFE, then 0xAA
                done = self.run_program("invert", "--generate", "kms", "--n", 65, "--nb", 8, "-o", "x.npy", "--quiet", *options,
                                        environment={"MALLOC_PERTURB_": garbage})
                self.assertEqual(done.returncode, OK, done.stderr)
                results.append(pathlib.Path(self.path("x.npy")).read_bytes())
            self.assertEqual(results[0], results[1])

    def test_a_tiny_pivot_beside_another_rank(self):
        for i in (1, 3, 6):
            rows, inverse = ([[float(r == c) for c in range(8)] for r in range(8)] for _ in range(2))
            rows[i][i], rows[i][i + 1], rows[i + 1][i], rows[i + 1][i + 1] = 1e-20, 1, 1, 1
            inverse[i][i], inverse[i][i + 1], inverse[i + 1][i], inverse[i + 1][i + 1] = -1, 1, 1, -1e-20
            _, got = self.invert(rows, "--nb", 1)
            self.assert_close(got, inverse, 1e-15)

    def test_sizes_around_256(self):
        for n in (255, 256, 257, 511):
            done = self.run_program("invert", "--generate", "random", "--n", n, "--json", "-")
            self.assertEqual(done.returncode, OK, done.stderr)
            self.assertLess(json.loads(done.stdout)["residual"]["scaled_right"], 10)

    def test_the_identity_stays_what_it_is(self):
        report = json.loads(self.run_program("invert", "--generate", "identity", "--n", 1000, "--json", "-").stdout)
        self.assertEqual((report["status"], report["norm1_x"], report["logabsdet"]), ("ok", 1, 0))

    # --- structures (B11 - B13)
    def test_structures(self):
        rows = [[2, 1, 0], [1, 2, 3], [0, 3, 1]]
        inverse = [[7, 1, -3], [1, -2, 6], [-3, 6, -3]]
        for structure in ("general", "symmetric"):
            _, got = self.invert(rows, "--structure", structure)
            self.assert_close(got, [[x / 15 for x in row] for row in inverse], 1e-14)
        hermitian = [[2, 1 - 1j], [1 + 1j, 3]]
        _, got = self.invert(hermitian, "--structure", "hermitian", code="<c16")
        self.assert_close(got, [[0.75, -0.25 + 0.25j], [-0.25 - 0.25j, 0.5]], 1e-15)
        self.assertEqual([got[0][0].imag, got[1][1].imag], [0, 0])
        for uplo, poisoned in (("lower", [[4, NAN], [2, 3]]), ("upper", [[4, 2], [NAN, 3]])):
            _, got = self.invert(poisoned, "--structure", "positive-definite", "--uplo", uplo)
            self.assert_close(got, [[0.375, -0.25], [-0.25, 0.5]], 1e-15)
            self.assertEqual(got[0][1], got[1][0])
        report, _ = self.invert([[4, 2], [2, 3]], "--uplo", "upper")
        self.assertIn("--uplo had no effect", " ".join(report["notes"]))
        report, _ = self.invert([[1, 2], [2, 1]], "--structure", "positive-definite", status=NUMERICAL)
        self.assertEqual((report["status"], report["zero_pivot"]), ("not_positive_definite", 1))
        done = self.run_program("invert", "a.npy", "-o", "x.npy", "--structure", "positive-definite", "--force")
        self.assertEqual((done.returncode, os.path.exists(self.path("x.npy"))), (NUMERICAL, False))  # there is nothing to write
        write_npy(self.path("a.npy"), [[1, 2], [3, 4]])
        write_npy(self.path("h.npy"), [[1, 2], [2, 4 + 1e-3j]], "<c16")
        for name, structure, entry in (("a", "symmetric", "(0,1)"), ("a", "hermitian", "(0,1)"), ("h", "hermitian", "(1,1)"),
                                       ("h", "positive-definite", "(1,1)")):
            done = self.run_program("invert", name + ".npy", "-o", "x.npy", "--structure", structure)
            self.assertEqual(done.returncode, USAGE)
            self.assertIn(entry, done.stderr)
            self.assertFalse(os.path.exists(self.path("x.npy")))

    # --- being told
    def test_advice(self):
        rows = [[math.sin(1.0 + 3 * i * i + 7 * j + i * j) for j in range(12)] for i in range(12)]
        rows[7] = [x * (1 + 1e-16) for x in rows[3]]
        rows[7][2] += 3e-16
        write_npy(self.path("a.npy"), rows)
        done = self.run_program("invert", "a.npy")
        self.assertEqual(done.returncode, NUMERICAL)
        self.assertRegex(done.stdout, "Nearly dependent on each other: rows (7, 3|3, 7);")
        self.assertIn("--add-diagonal", done.stdout)
        done = self.run_program("invert", "--generate", "hilbert", "--n", 6, "--type", "s")
        self.assertEqual(done.returncode, NUMERICAL)
        self.assertIn("--type d", done.stdout)
        write_npy(self.path("a.npy"), [[10.0 ** (-4 * i) / (i + j + 1) for j in range(4)] for i in range(4)], "<f4")
        done = self.run_program("invert", "a.npy")
        self.assertIn("The rows differ in size by a factor of", done.stdout)

    def test_contradicting_options_are_refused_before_the_work(self):
        write_npy(self.path("a.npy"), [[2, 1], [1, 3]])
        write_npy(self.path("z.npy"), [[2, 1j], [1j, 3]], "<c16")
        for word, *arguments in [
            ("-o FILE", "a.npy", "--window", "0:1,0:1"), ("-o FILE", "a.npy", "--output-type", "s"),
            ("--structure positive-definite", "a.npy", "--method", "cholesky"),
            ("finite", "a.npy", "--add-diagonal", "nan"), ("one of them", "a.npy", "--json", "-", "--diagonal", "-"),
            ("--structure symmetric", "a.npy", "-o", "x.grm.bin"), ("real", "z.npy", "-o", "x.grm.bin"),
            ("same rows", "a.npy", "-o", "x.grm.bin", "--structure", "symmetric", "--window", "0:1,1:2"),
            ("2 x 2", "a.npy", "-o", "x.npy", "--window", "0:1,0:3"), ("0 on, got '-1'", "--generate", "kms", "--n", "-1"),
        ]:
            done = self.run_program("invert", *arguments, ranks=1)
            self.assertEqual(done.returncode, USAGE, done.stdout + done.stderr)
            self.assertIn(word, done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.npy", "z.npy"])

    def test_the_recursion_without_pivoting(self):
        n = 24
        rows = [[1.0 / (1 + i + j) + 9 * (i == j) for j in range(n)] for i in range(n)]
        _, pivoted = self.invert(rows)
        for transport in ("ring", "ring-allgather", "broadcast"):
            report, got = self.invert(rows, "--method", "schur", "--leaf", 5, "--nb", 2, "--transport", transport,
                                      "--panel-bytes", "4KiB")
            self.assertEqual((report["method"], report["recursion"]["leaf"]), ("schur", 5))
            self.assertEqual(len(report["recursion"]["nodes"]) + 1, len(report["recursion"]["leaves"]))
            self.assertGreaterEqual(report["recursion"]["preflight"]["row_margin"], 0)
            self.assert_close(got, pivoted, 1e-14)
        done = self.run_program("invert", "a.npy", "--method", "schur", "--leaf", 5, "--verbose")
        self.assertIn("depth 0:    1, |B| up to", done.stdout)

        mirrored = [[float(i + j == n - 1) for j in range(n)] for i in range(n)]  # no leading block has an inverse
        report, _ = self.invert(mirrored, "--method", "schur", "--leaf", 5, status=NUMERICAL)
        self.assertEqual((report["status"], report["logabsdet"]), ("singular", None))
        self.assertIn("--fallback", report["advice"][0])
        report, got = self.invert(mirrored, "--method", "schur", "--leaf", 5, "--fallback")
        self.assertEqual((report["method"], report["fallback_from"]), ("gauss_jordan", "schur"))
        self.assertEqual(got, mirrored)
        self.assertEqual(self.run_program("invert", "a.npy", "--method", "schur", "--leaf", -1).returncode, USAGE)
        self.assertEqual(self.run_program("invert", "a.npy", "--panel-bytes", "much").returncode, USAGE)

    def test_the_recursion_on_row_slabs(self):
        n = 21
        rows = [[1.0 / (1 + i + j) + 9 * (i == j) for j in range(n)] for i in range(n)]
        _, pivoted = self.invert(rows)
        for transport in ("automatic", "zero-fill", "allgatherv", "broadcast", "direct", "ring"):
            report, got = self.invert(rows, "--method", "schur-rows", "--transport", transport, "--panel-bytes", "1KiB",
                                      "--barrier", "--force-transport")
            self.assertEqual((report["method"], report["grid"]["p"]), ("schur_rows", RANKS))
            self.assertEqual(len(report["recursion"]["leaves"]), RANKS)
            self.assertEqual(len(report["recursion"]["nodes"]), RANKS - 1)
            self.assert_close(got, pivoted, 1e-14)
        if RANKS > 1:
            done = self.run_program("invert", "a.npy", "--method", "schur-rows", "--transport", "ring", "--verbose")
            self.assertIn("ring: rows [", done.stdout)
            mirrored = [[float(i + j == n - 1) for j in range(n)] for i in range(n)]
            report, got = self.invert(mirrored, "--method", "schur-rows", "--fallback")
            self.assertEqual((report["method"], report["fallback_from"]), ("gauss_jordan", "schur_rows"))
            self.assertEqual(got, mirrored)
        for wrong in (("--transport", "allgatherv"), ("--transport", "ring-allgather"), ("--mb", 1),
                      ("--grid", "1x2"), ("--structure", "symmetric")):
            if RANKS > 1 or wrong[0] not in ("--mb", "--grid"):
                self.assertEqual(self.run_program("invert", "a.npy", "--method", "schur-rows", *wrong).returncode, USAGE)

    def test_narrow_blocks_are_redistributed_on_request(self):
        n = 40
        rows = [[1.0 / (1 + i + j) + 9 * (i == j) for j in range(n)] for i in range(n)]
        plain, expected = self.invert(rows, "--nb", 2, "--grid", f"1x{RANKS}")
        report, got = self.invert(rows, "--nb", 2, "--grid", f"1x{RANKS}", "--redistribute")
        self.assertEqual((plain["redistributed"], report["redistributed"], report["nb"]), (False, RANKS > 1, 2))
        self.assert_close(got, expected, 1e-14)

    # --- grids and layouts (B18 - B23, B27, B35)
    def test_more_ranks_than_blocks_and_awkward_layouts(self):
        _, got = self.invert([[4.0]])
        self.assertEqual(got, [[0.25]])
        three, five = ([[float(3 * (i == j) + (j == i + 1)) for j in range(n)] for i in range(n)] for n in (3, 5))
        upper = lambda n: [[(-1) ** (j - i) / 3.0 ** (j - i + 1) if i <= j else 0 for j in range(n)] for i in range(n)]
        for grid in ("4x1", "1x4") if RANKS == 4 else ():
            self.assert_close(self.invert(three, "--nb", 2, "--grid", grid)[1], upper(3), 1e-16)
        if RANKS == 4:
            self.assert_close(self.invert(five, "--nb", 4, "--grid", "2x4", ranks=8)[1], upper(5), 1e-16)
        if RANKS == 6:
            self.assertEqual(self.invert([[0, 2], [4, 0]], "--nb", 1, "--grid", "2x3")[1], [[0, 0.25], [0.5, 0]])
        n = 23
        rows = [[1.0 / (1 + i + j) + 2 * (i == j) for j in range(n)] for i in range(n)]
        _, plain = self.invert(rows, ranks=1)
        for p in range(1, RANKS + 1):
            if RANKS % p:
                continue
            for order in ("row", "column"):
                q = RANKS // p
                _, got = self.invert(rows, "--grid", f"{p}x{q}", "--order", order, "--mb", 5, "--nb", 3, "--source",
                                     f"{p - 1},{q - 1}", "--first-block", "7,1")
                self.assert_close(got, plain, 1e-13)

    def test_idle_ranks(self):
        if RANKS < 4:
            return
        _, got = self.invert([[2, 0], [0, 4]], "--grid", "1x3")
        self.assertEqual(got, [[0.5, 0], [0, 0.25]])
        write_npy(self.path("a.npy"), [[1, NAN], [3, 4]])
        self.assertEqual(self.run_program("invert", "a.npy", "--grid", "1x3").returncode, NUMERICAL)
        self.assertEqual(self.run_program("invert", "b.npy", "--grid", "1x3").returncode, FILE)

    def test_a_prime_number_of_ranks(self):
        if RANKS < 6:
            return
        report, got = self.invert([[2, 0], [0, 4]], ranks=7)
        self.assertEqual((got, report["ranks"]), ([[0.5, 0], [0, 0.25]], 7))
        self.assertLessEqual(report["grid"]["p"] * report["grid"]["q"], 7)

    def test_the_order_of_ranks_changes_no_bit(self):
        rows = [[1.0 / (1 + i + j) + 2 * (i == j) for j in range(7)] for i in range(7)]
        grid = {1: "1x1", 2: "1x2", 4: "2x2", 6: "2x3"}[RANKS]
        results = [self.invert(rows, "--grid", grid, "--nb", 2, "--order", order)[1] for order in ("row", "column")]
        self.assertEqual(results[0], results[1])

    def test_messages_that_are_never_eager(self):
        done = self.run_program("invert", "--generate", "random", "--n", 300, "--nb", 64, "--json", "-",
                                environment={"OMPI_MCA_btl_vader_eager_limit": "128"})
        self.assertEqual(done.returncode, OK, done.stderr)

    def test_long_messages(self):
        done = self.run_program("invert", "--generate", "random", "--n", 600, "--nb", 64, "--json", "-")
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertEqual(json.loads(done.stdout)["status"], "ok")

    # --- inputs that are not what they should be (B31, B34)
    def test_numbers_that_are_none(self):
        report, _ = self.invert([[0, NAN], [NAN, INF]], status=NUMERICAL)
        self.assertEqual((report["status"], report["bad_entry"]), ("non_finite_input", [1, 0]))
        rows = [[float(i == j) for j in range(64)] for i in range(64)]
        rows[37][50] = NAN
        report, _ = self.invert(rows, "--nb", 8, "--force", status=NUMERICAL)
        self.assertEqual(report["bad_entry"], [37, 50])

    def test_complex_results_are_not_stored_as_real_numbers(self):
        write_npy(self.path("a.npy"), [[1, 0], [0, 1j]], "<c16")
        done = self.run_program("invert", "a.npy", "-o", "x.npy", "--output-type", "d")
        self.assertEqual(done.returncode, FILE)
        self.assertIn("(1,1)", done.stderr)
        self.assertEqual(os.listdir(self.folder), ["a.npy"])
        _, got = self.invert([[1, 0], [0, 1j]], code="<c16")
        self.assertEqual(got, [[1, 0], [0, -1j]])
        _, got = self.invert([[2, 0], [0, 4]], "--output-type", "d", code="<c16")
        self.assertEqual(got, [[0.5, 0], [0, 0.25]])

    def test_types_and_orders_of_files(self):
        for code, kind in (("<f4", "f4"), ("<f8", "f8"), ("<c8", "c8"), ("<c16", "c16"), ("<i4", "f8"), ("|i1", "f8"), (">f8", "f8"),
                           ("|b1", "f8")):
            fortran, version = code[-1] in "48", 1 + len(code) % 3 if code != "<f8" else 3
            write_npy(self.path("a.npy"), [[1, 1], [0, 1]], code, fortran, version)
            done = self.run_program("invert", "a.npy", "-o", "x.npy", "--quiet")
            self.assertEqual(done.returncode, OK, code + done.stderr)
            self.assertEqual(read_npy(self.path("x.npy")), ([[1, -1], [0, 1]], kind))

    def test_files_that_are_broken(self):
        write_npy(self.path("good.npy"), [[1, 2], [3, 4]])
        good = pathlib.Path(self.path("good.npy")).read_bytes()
        for name, content, word in [
            ("short.npy", good[:-1], "needs"), ("long.npy", good + b"x", "needs"), ("magic.npy", b"PK" + good[2:], "not an .npy"),
            ("version.npy", good[:6] + b"\x09" + good[7:], "version"), ("empty.npy", b"", "not an .npy"),
            ("text.npy", good.replace(b"<f8", b"<U3"), "<U3"), ("object.npy", good.replace(b"<f8", b"|O8"), "|O8"),
            ("order.npy", good.replace(b"False", b"Maybe"), "True or False"), ("shape.npy", good.replace(b"(2, 2)", b"(4,  )"), "(4,)"),
            ("huge.npy", good.replace(b"(2, 2)", b"(9999999, 99999999)"), "needs"),
        ]:
            pathlib.Path(self.path(name)).write_bytes(content)
            done = self.run_program("invert", name, "-o", "x.npy")
            self.assertEqual(done.returncode, FILE, name + done.stderr)
            self.assertIn(word, done.stderr)
            self.assertIn(name, done.stderr)
        write_npy(self.path("wide.npy"), [[1, 2, 3, 4]] * 3)
        done = self.run_program("invert", "wide.npy")
        self.assertEqual(done.returncode, FILE)
        self.assertIn("needs a square matrix, got 3x4", done.stderr)
        self.assertNotIn("x.npy", os.listdir(self.folder))

    def test_the_empty_matrix(self):
        report, got = self.invert([])
        self.assertEqual((report["status"], report["logabsdet"], report["sign"]["re"], got), ("ok", 0, 1, []))

    # --- verify refuses what is no inverse (B28, B32)
    def test_verify(self):
        rows = [[4, 1, 0], [0, 3, 1], [1, 0, 2]]
        _, inverse = self.invert(rows)
        write_npy(self.path("a.npy"), rows)
        transposed = [[inverse[j][i] for j in range(3)] for i in range(3)]
        wrong = [row[:] for row in inverse]
        wrong[1][2] += 1e-3
        for x, status in ((inverse, OK), (rows, NUMERICAL), ([[0] * 3] * 3, NUMERICAL), (transposed, NUMERICAL), (wrong, NUMERICAL)):
            write_npy(self.path("x.npy"), x)
            self.assertEqual(self.run_program("verify", "a.npy", "x.npy").returncode, status, x)
        done = self.run_program("verify", "a.npy", "a.npy", "--quiet")
        self.assertEqual(done.stdout, "")
        self.assertIn("is not the inverse of a.npy: |", done.stderr)
        write_npy(self.path("x.npy"), [[1.0]])
        self.assertEqual(self.run_program("verify", "a.npy", "x.npy").returncode, FILE)

    def test_a_generated_matrix_and_its_generated_inverse_verify(self):
        for name in ("identity", "kms", "randsvd", "involutory"):
            self.assertEqual(self.run_program("generate", name, "--n", 257, "-o", "a.npy").returncode, OK)
            self.assertEqual(self.run_program("generate", name, "--n", 257, "--inverse", "-o", "x.npy").returncode, OK)
            done = self.run_program("verify", "a.npy", "x.npy")
            self.assertEqual(done.returncode, OK, name + done.stdout)

    # --- outputs
    def test_a_full_disk_leaves_nothing_behind(self):
        limit, n = 40_000_000, 2400  # MPI's own shared files must fit, 8 n^2 bytes must not
        done = self.run_program("generate", "minij", "--n", n, "-o", "a.npy", limit=limit)
        self.assertEqual(done.returncode, FILE, done.stderr)
        self.assertIn("a.npy", done.stderr)
        self.assertEqual(os.listdir(self.folder), [])
        done = self.run_program("invert", "--generate", "identity", "--n", n, "-o", "x.npy", limit=limit)
        self.assertEqual(done.returncode, FILE, done.stderr)
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_place_that_cannot_be_written_is_told(self):
        done = self.run_program("invert", "--generate", "kms", "--n", 5, "-o", "nowhere/x.npy")
        self.assertEqual(done.returncode, FILE)
        self.assertIn("nowhere/x.npy", done.stderr)
        for option in ("--json", "--diagonal"):  # before the work, not after it
            done = self.run_program("invert", "--generate", "kms", "--n", 5, "-o", "x.npy", option, "nowhere/report")
            self.assertEqual(done.returncode, FILE)
            self.assertIn("nowhere/report", done.stderr)
            self.assertEqual(os.listdir(self.folder), [])

    def test_what_was_there_stays_if_the_inversion_fails(self):
        pathlib.Path(self.path("x.npy")).write_text("precious")
        write_npy(self.path("a.npy"), [[1, 2], [2, 4]])
        self.assertEqual(self.run_program("invert", "a.npy", "-o", "x.npy").returncode, NUMERICAL)
        self.assertEqual(pathlib.Path(self.path("x.npy")).read_text(), "precious")

    def test_force_writes_what_is_not_certified(self):
        rows = [[1.0 / (i + j + 1) for j in range(16)] for i in range(16)]
        write_npy(self.path("a.npy"), rows)
        self.assertEqual(self.run_program("invert", "a.npy", "-o", "x.npy", "--force").returncode, NUMERICAL)
        self.assertTrue(os.path.exists(self.path("x.npy")))

    def test_parts_of_the_result(self):
        write_npy(self.path("a.npy"), [[2, 0, 0], [0, 4, 0], [0, 0, 5]])
        done = self.run_program("invert", "a.npy", "-o", "x.npy", "--window", "1:3,1:3", "--diagonal", "d.txt", "--add-diagonal", 3)
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assert_close(read_npy(self.path("x.npy"))[0], [[1 / 7, 0], [0, 1 / 8]], 1e-16)
        diagonal = [float(x) for x in pathlib.Path(self.path("d.txt")).read_text().split()]
        self.assert_close([diagonal], [[1 / 5, 1 / 7, 1 / 8]], 1e-16)

    def test_text_takes_the_type_and_the_symmetry(self):
        write_npy(self.path("a.npy"), [[3, 0], [0, 4]])
        done = self.run_program("invert", "a.npy", "-o", "x.mtx", "--output-type", "s", "--structure", "symmetric", "--quiet")
        self.assertEqual((done.returncode, done.stdout), (OK, ""), done.stderr)
        lines = [line for line in pathlib.Path(self.path("x.mtx")).read_text().splitlines() if not line.startswith("% ")]
        self.assertEqual(lines, ["%%MatrixMarket matrix array real symmetric", "2 2", "0.33333334", "0", "0.25"])
        write_npy(self.path("z.npy"), [[1, 0], [0, 1j]], "<c16")
        done = self.run_program("invert", "z.npy", "-o", "z.mtx", "--output-type", "d")
        self.assertEqual(done.returncode, FILE)
        self.assertIn("(1,1)", done.stderr)
        self.assertNotIn("z.mtx", os.listdir(self.folder))
        self.assertEqual(self.run_program("convert", "a.npy", "a.txt", "--triplets").returncode, OK)
        self.assertEqual(pathlib.Path(self.path("a.txt")).read_text(), "1\t1\t3\n2\t1\t0\n2\t2\t4\n")

    def test_formats_convert(self):
        write_npy(self.path("a.npy"), [[1, 2.5], [-3, 4]])
        for name in ("b.mtx", "c.bin", "d.npy"):
            source = "a.npy" if name == "b.mtx" else "b.mtx"
            done = self.run_program("convert", source, name)
            self.assertEqual(done.returncode, OK, done.stderr)
        self.assertEqual(read_npy(self.path("d.npy"))[0], [[1, 2.5], [-3, 4]])
        self.assertEqual(pathlib.Path(self.path("c.bin")).read_bytes(), struct.pack("<4d", 1, -3, 2.5, 4))
        done = self.run_program("invert", "c.bin", "--n", 2, "-o", "x.npy", "--quiet")
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertIn("Fortran order", self.run_program("info", "d.npy", "--scan").stdout)
        write_npy(self.path("b.npy"), [[1], [2]])
        self.assertEqual(self.run_program("multiply", "a.npy", "b.npy", "-o", "c.npy").returncode, OK)
        self.assertEqual(read_npy(self.path("c.npy"))[0], [[6], [5]])

    # --- words
    def test_usage(self):
        for arguments in ([], ["invert"], ["invert", "--generate", "kms"], ["invrt", "a.npy"], ["invert", "--generate", "hilbrt", "--n", 3], ["invert", "a.xyz"],
                          ["invert", "--generate", "kms", "--n", 3, "--grid", "2by2"], ["invert", "--generate", "kms", "--n", 3, "--grid", "9x9"],
                          ["invert", "--generate", "kms", "--n", 3, "--nb", 0], ["invert", "--generate", "kms", "--n", 3, "--memory", "1B"],
                          ["plan", "--n", 100000, "--type", "z", "--memory", "1GiB"]):
            done = self.run_program(*arguments)
            self.assertEqual(done.returncode, USAGE, f"{arguments} {done.stdout} {done.stderr}")
            self.assertNotEqual(done.stderr.strip(), "")
        for arguments in (["--help"], ["--version"], ["invert", "--help"], ["generate", "--list"]):
            done = self.run_program(*arguments)
            self.assertEqual(done.returncode, OK)
            self.assertEqual(done.stdout.count("cyclade 0."), 1 if arguments == ["--version"] else 0)
        self.assertEqual(self.run_program("invert", "--help").stdout.count("Examples:"), 1)

    def test_known_layouts(self):
        def counts(*options):
            done = self.run_program("layout", *options)
            self.assertEqual(done.returncode, OK, done.stderr)
            sizes = []
            for words in (line.split() for line in done.stdout.splitlines() if line.startswith("  process row")):
                first, _, last = words[2].partition("-")  # "0", or "2-3": several that hold the same
                sizes += [int(words[3])] * (int(last or first) - int(first) + 1)
            return sizes
        self.assertEqual(counts("--n", 5, "--nb", 2, "--grid", "3x1", "--source", "1,0"), [1, 2, 2])
        self.assertEqual(counts("--n", 10, "--nb", 2, "--grid", "2x2", "--source", "1,1", "--first-block", "3,3"), [4, 6])
        self.assertEqual(counts("--n", 3, "--nb", 2, "--grid", "4x1"), [2, 1, 0, 0])
        empty = self.run_program("layout", "--n", 10, "--nb", 4, "--grid", "2x2", "--window", "10:10,10:10")
        self.assertIn("[6,6)", empty.stdout)  # the empty range at the very end, on the process with 6 of 10
        beyond = self.run_program("layout", "--n", 60000, "--nb", 60000, "--grid", "1x1", "--index", "0,46341")
        self.assertIn("data[0 + 46341*lld]", beyond.stdout)  # B16: no 32 bits anywhere
        for order, rank in (("row", "rank 3"), ("column", "rank 1")):
            done = self.run_program("layout", "--n", 7, "--nb", 2, "--grid", "2x3", "--order", order, "--index", "2,0")
            self.assertIn(rank, done.stdout)

    def test_layout_and_plan(self):
        text = self.run_program("layout", "--n", 7, "--nb", 2, "--grid", "2x3", "--order", "column", "--index", "2,0", "--svg", "l.svg").stdout
        self.assertIn("(1,0)", text.replace(" ", ""))
        self.assertTrue(pathlib.Path(self.path("l.svg")).read_text().startswith(("<svg", "<?xml")))
        self.assertIn("160000000000", self.run_program("plan", "--n", 100000, "--type", "z").stdout)
        self.assertEqual(self.run_program("plan", "--n", 1000000, "--type", "z", "--ranks", 4096).returncode, OK)

    def test_bench(self):
        done = self.run_program("bench", "--n", "64,100", "--repeats", 1, "--json", "-")
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertEqual([(row["n"], row["status"]) for row in json.loads(done.stdout)["rows"]], [(64, "ok"), (100, "ok")])

    def test_the_report_has_its_keys(self):
        report, _ = self.invert([[1, 2], [3, 4]])
        for key in ("n type method structure grid nb ranks status zero_pivot seconds phases gflops residual norm1_a norm1_x cond1 digits "
                    "logabsdet sign growth traffic memory version").split():
            self.assertIn(key, report)
        self.assertAlmostEqual(report["logabsdet"], math.log(2))
        self.assertEqual(report["sign"], {"re": -1, "im": 0})
        self.assertEqual(report["ranks"], RANKS)

    def test_threads_are_shared_among_the_ranks(self):
        environment = {k: v for k, v in os.environ.items() if k not in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")}
        command = [MPIEXEC, "-n", str(RANKS), PROGRAM, "invert", "--generate", "kms", "--n", "8", "--json", "-"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)
        self.assertLessEqual(json.loads(done.stdout)["threads"], max(1, os.cpu_count() // RANKS))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
