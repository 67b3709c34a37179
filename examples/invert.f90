! Inverts a matrix whose inverse is known, from Fortran: A(i,j) = min(i,j) has the inverse with 2 (the last: 1) on the
! diagonal and -1 beside it.
!
!   mpirun -n 4 invert_fortran
!
! SPDX-License-Identifier: BSD-3-Clause
program invert
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08
  use cyclade
  implicit none
  integer, parameter :: n = 500, nb = 32
  type(cyclade_grid) :: grid
  type(cyclade_layout) :: layout
  type(cyclade_matrix) :: matrix
  type(cyclade_report) :: report
  real(real64), allocatable, target :: a(:, :)
  real(real64) :: error
  integer :: i, j, row, col

  call MPI_Init()

  ! A grid of processes, as near to a square as their number allows, and the part of the matrix that lives here.
  call cyclade_grid_create(grid, MPI_COMM_WORLD%MPI_VAL)
  call cyclade_grid_get(grid, my_row=row, my_col=col)
  call cyclade_layout_init(layout, grid, n, n, nb, nb)
  allocate (a(cyclade_local_size(layout%rows, row), cyclade_local_size(layout%cols, col)))
  do j = 1, size(a, 2)
    do i = 1, size(a, 1)
      a(i, j) = min(cyclade_to_global(layout%rows, i, row), cyclade_to_global(layout%cols, j, col))
    end do
  end do

  ! A matrix on that array, without a copy; invert it.
  call cyclade_matrix_create(matrix, grid, layout, a)
  call cyclade_invert(matrix, report)

  ! The array holds the inverse now.
  error = 0
  do j = 1, size(a, 2)
    do i = 1, size(a, 1)
      error = max(error, abs(a(i, j) - exact(cyclade_to_global(layout%rows, i, row), &
                                             cyclade_to_global(layout%cols, j, col))))
    end do
  end do
  call MPI_Allreduce(MPI_IN_PLACE, error, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
  if (row == 0 .and. col == 0) then
    print '(a, i0, a, i0, 2(a, es8.1))', 'order ', n, ': ', report%digits, ' digits certified, log|det A| = ', &
      report%logabsdet, ', largest error ', error
  end if

  call cyclade_free(matrix)
  call cyclade_free(grid)
  call MPI_Finalize()
  if (.not. error < 1e-9_real64) error stop 'wrong'

contains

  pure real(real64) function exact(i, j)
    integer, intent(in) :: i, j
    exact = 0
    if (i == j) exact = merge(1, 2, i == n)
    if (abs(i - j) == 1) exact = -1
  end function

end program
