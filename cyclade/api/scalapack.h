/* p?geinv, for C: what libcyclade_scalapack has that ScaLAPACK has not. The other symbols are ScaLAPACK's own;
 * declare them as always. All arguments as in Fortran: by address, indices from 1. docs/scalapack.md.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CYCLADE_API_SCALAPACK_H
#define CYCLADE_API_SCALAPACK_H

#ifdef __cplusplus
extern "C" {
#endif

/* sub(A) := its inverse, A(ia:ia+n-1, ja:ja+n-1), in place. desca has 9 or 11 entries; any blocks, window and source.
 * Complex matrices are pairs of real numbers. Collective over the context.
 * info: 0; -k or -(100 k + entry) for argument k; k: pivot k is exactly zero; n+1: singular to working precision;
 * n+2: the elimination lost its accuracy; n+3: the certificate was not met; n+4: a NaN or an infinity in A. After n+1
 * to n+3 A holds what was computed, uncertified; after the others that are positive it is unspecified. */
void psgeinv_(const int* n, float* a, const int* ia, const int* ja, const int* desca, int* info);
void pdgeinv_(const int* n, double* a, const int* ia, const int* ja, const int* desca, int* info);
void pcgeinv_(const int* n, void* a, const int* ia, const int* ja, const int* desca, int* info);
void pzgeinv_(const int* n, void* a, const int* ia, const int* ja, const int* desca, int* info);

/* The same, and result[8] := log|det|, Re and Im of det/|det|, kappa_1 = |A|_1 |X|_1, bounds of |I - XA|_2 and
 * |I - AX|_2 (they hold but for a chance of 2e-10), growth of the elimination, certified decimal digits. */
void psgeinvx_(const int* n, float* a, const int* ia, const int* ja, const int* desca, double* result, int* info);
void pdgeinvx_(const int* n, double* a, const int* ia, const int* ja, const int* desca, double* result, int* info);
void pcgeinvx_(const int* n, void* a, const int* ia, const int* ja, const int* desca, double* result, int* info);
void pzgeinvx_(const int* n, void* a, const int* ia, const int* ja, const int* desca, double* result, int* info);

#ifdef __cplusplus
}
#endif

#endif
