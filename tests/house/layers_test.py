#!/usr/bin/env python3
"""The layer table: a folder of cyclade/ includes only from itself and from the folders above it; MPI, BLAS, LAPACK and HDF5 are met only
where they belong. Prints file:line for every violation. First it shows that it would find one.

    layers_test.py ROOT
SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import re
import sys

ORDER = ["base", "layout", "mpi", "device", "matrix", "multiply", "certify", "inverse", "io", "api"]
# Header or symbol, as a pattern, and the places where it may stand.
PLACES = [
    (re.compile(r'#include <mpi\.h>'), ("mpi/", "io/hdf5", "api/")),
    (re.compile(r'#include <cblas[^>]*>|#include <lapacke?[^>]*>|\b[sdcz](trtri|potrf|getrf|getri)_\('), ("device/", "api/")),
    (re.compile(r'#include <(hdf5|H5)[^>]*>'), ("io/hdf5",)),
    (re.compile(r'\bMPI_[A-Z][A-Za-z_]+\('), ("mpi/", "io/hdf5", "api/")),
    (re.compile(r'\bstd::(cout|cerr|exit|abort)\b|\bprintf\('), ()),
]
INCLUDE = re.compile(r'#include "([^"]+)"')


def violations(name, text):
    """name: relative to cyclade/, as in inverse/invert.cpp."""
    folder = name.split("/")[0]
    for number, line in enumerate(text.splitlines(), 1):
        code = line.split("//")[0]
        include = INCLUDE.match(code.strip())
        if include:
            parts = include.group(1).split("/")
            if parts[0] != "cyclade" or len(parts) != 3:
                yield number, f'{include.group(1)}: includes are written from the root, "cyclade/FOLDER/FILE"'
            elif ORDER.index(parts[1]) > ORDER.index(folder):
                yield number, f"{folder}/ must not include {parts[1]}/: it stands below it"
        for pattern, places in PLACES:
            if pattern.search(code) and not name.startswith(places):
                yield number, f"{pattern.search(code).group(0)} belongs in {' or '.join(places) or 'no library file'}"


def self_test():
    planted = {
        "matrix/a.cpp": '#include "cyclade/inverse/invert.hpp"', "inverse/b.cpp": "#include <mpi.h>", "io/c.cpp": "#include <cblas.h>",
        "certify/d.cpp": "  MPI_Barrier(comm);", "base/e.cpp": "  std::exit(1);", "layout/f.cpp": '#include "axis.hpp"',
    }
    for name, text in planted.items():
        assert list(violations(name, text)), f"a planted violation in {name} was not found"
    assert not list(violations("mpi/g.cpp", '#include <mpi.h>\n#include "cyclade/base/error.hpp"')), "a false alarm"


def main():
    self_test()
    root = pathlib.Path(sys.argv[1]) / "cyclade"
    files = sorted(p for p in root.rglob("*") if p.suffix in (".hpp", ".cpp", ".h"))
    found = 0
    for path in files:
        name = path.relative_to(root).as_posix()
        if name.count("/") != 1 or name.split("/")[0] not in ORDER:
            print(f"cyclade/{name}: two folder levels, one of {', '.join(ORDER)}")
            found += 1
            continue
        for line, what in violations(name, path.read_text()):
            print(f"cyclade/{name}:{line}: {what}")
            found += 1
    print(f"{len(files)} files, {found} violations")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main())
