#!/usr/bin/env python3
"""All methods on one matrix, as a Markdown table: words and messages received, memory, time, residual.

  bench/methods.py [--n 2048] [--ranks 4] [--nb 64] [--program build/release/bin/cyclade]

The matrix is kms of the gallery: positive definite, safe without pivoting, so that every method may run.
Words are the most that a rank received, certificate included, over n^2; time is over that of the first row.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import json
import os
import subprocess
import sys

METHODS = (
    ("gauss-jordan", "2-D", ()),
    ("cholesky", "2-D", ("--structure", "positive-definite")),
    ("schur", "2-D", ()),
    ("gauss-jordan", "slabs", ()),
    ("schur-rows, ring", "slabs", ("--transport", "ring")),
    ("schur-rows, direct", "slabs", ("--transport", "direct")),
    ("schur-rows, broadcast", "slabs", ("--transport", "broadcast")),
    ("schur-rows, zero-fill", "slabs", ("--transport", "zero-fill")),
)


def report_of(options, name, layout, extra):
    """The JSON report of one inversion."""
    method = name.split(",")[0]
    command = ["mpirun", "-n", str(options.ranks), options.program, "invert", "--generate", "kms",
               "--n", str(options.n), "--threads", "1", "--method", method, "--quiet", "--json", "-", *extra]
    if method != "schur-rows":
        rows = -(-options.n // options.ranks) if layout == "slabs" else options.nb
        command += ["--nb", str(options.nb), "--mb", str(rows)]
        command += ["--grid", f"{options.ranks}x1"] if layout == "slabs" else []
    # As root and with more ranks than cores, Open MPI wants to be told; other MPIs do not look.
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return json.loads(done.stdout[done.stdout.index("{"):])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=2048)
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--nb", type=int, default=64)
    parser.add_argument("--program", default="build/release/bin/cyclade")
    options = parser.parse_args()
    print("| method | grid | words/n² | by its formula | messages | memory/matrix | time | residual |\n|---|---|---|---|---|---|---|---|")
    first = None
    for name, layout, extra in METHODS:
        r = report_of(options, name, layout, extra)
        first = first or r["seconds"]
        square = options.n * options.n
        traffic, memory = r["traffic"], r["memory"]
        print(f"| `{name}` | {r['grid']['p']}×{r['grid']['q']} | {traffic['words_received_max'] / square:.3f} "
              f"| {traffic['words_model'] / square:.3f} | {traffic['messages_max']} "
              f"| {memory['peak'] / memory['matrix']:.2f} | {r['seconds'] / first:.2f} "
              f"| {r['residual']['scaled_left']:.2g} |", flush=True)


if __name__ == "__main__":
    main()
