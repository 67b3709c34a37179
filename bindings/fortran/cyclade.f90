! Cyclade for Fortran: distributed inversion of dense matrices. Real and complex, real32 and real64.
!
!   type(cyclade_grid) :: grid;  type(cyclade_layout) :: layout;  type(cyclade_matrix) :: matrix
!   real(real64), allocatable, target :: a(:, :)                       ! the part of the matrix that lives here
!   call cyclade_grid_create(grid, comm)                               ! comm: of `use mpi`, or %MPI_VAL of mpi_f08
!   call cyclade_layout_init(layout, grid, n, n, 64, 64)               ! n x n, dealt out in 64 x 64 blocks
!   call cyclade_matrix_create(matrix, grid, layout, a)                ! on your array: no copy
!   call cyclade_invert(matrix)                                        ! a holds the inverse
!
! - Every subroutine has an optional `ierr`, last: 0, a positive status (a numerical outcome) or a negative one (an
!   error), the same on all ranks that take part; cyclade_last_error() has it in words. Without `ierr` whatever is not
!   0 ends the program: error stop with these words.
! - Indices of matrices count from 1, here and in reports (messages count from 0); rows, columns and ranks of processes
!   from 0, as everywhere in MPI.
! - Arrays that matrices lie on must have the TARGET attribute and outlive the matrix. Sections are fine as long as
!   the first dimension is contiguous: an assumed-size a(lda, *) is passed as a(:, 1:cols), a rank-1 one with its ld.
! - Which calls are collective, and what they cost, is said in cyclade/api/cyclade.h, whose names these are.
!
! SPDX-License-Identifier: BSD-3-Clause
module cyclade
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use cyclade_c_interface
  implicit none
  private

  public :: cyclade_version, cyclade_last_error, cyclade_status_name
  public :: cyclade_grid_create, cyclade_grid_get, cyclade_grid_rank_of, cyclade_cheapest_shape
  public :: cyclade_layout_init, cyclade_owner, cyclade_to_local, cyclade_to_global, cyclade_count_before
  public :: cyclade_local_size
  public :: cyclade_matrix_create, cyclade_matrix_allocate, cyclade_matrix_window, cyclade_matrix_local
  public :: cyclade_matrix_get, cyclade_free
  public :: cyclade_invert, cyclade_verify, cyclade_multiply, cyclade_redistribute
  public :: cyclade_inspect, cyclade_read, cyclade_write
  public :: cyclade_axis, cyclade_layout, cyclade_report

  ! How a call ended.
  integer, parameter, public :: cyclade_ok = 0, cyclade_singular = 1, cyclade_numerically_singular = 2, &
    cyclade_not_positive_definite = 3, cyclade_non_finite_input = 4, cyclade_growth_too_large = 5, &
    cyclade_certificate_failed = 6, cyclade_error_argument = -1, cyclade_error_file = -2, &
    cyclade_error_memory = -3, cyclade_error_mpi = -4, cyclade_error_internal = -5

  ! Types of matrices; methods; what is promised about a matrix; special answers about layouts.
  integer(c_int), parameter, public :: cyclade_s = iachar('S'), cyclade_d = iachar('D'), cyclade_c = iachar('C'), &
    cyclade_z = iachar('Z')
  integer(c_int), parameter, public :: cyclade_automatic = 0, cyclade_gauss_jordan = 1, cyclade_schur = 2, &
    cyclade_schur_rows = 3, cyclade_cholesky = 4
  integer(c_int), parameter, public :: cyclade_general = 0, cyclade_symmetric = 1, cyclade_hermitian = 2, &
    cyclade_positive_definite = 3
  integer(c_int), parameter, public :: cyclade_replicated = -1, cyclade_nowhere = -2

  ! A grid of processes, and a matrix on one. Free them with cyclade_free, in any order.
  type, public :: cyclade_grid
    private
    type(c_ptr) :: handle = c_null_ptr
  end type
  type, public :: cyclade_matrix
    private
    type(c_ptr) :: handle = c_null_ptr
  end type

  ! A matrix on your array: call cyclade_matrix_create(matrix, grid, layout, array [, ierr]), array(:, :), or
  ! (matrix, grid, layout, array, ld [, ierr]) for a contiguous rank-1 array, entry (i,j) in array(i + (j-1)*ld).
  interface cyclade_matrix_create
    module procedure create_s2, create_d2, create_c2, create_z2, create_s1, create_d1, create_c1, create_z1
  end interface
  ! Points to the local part of a matrix, of whatever memory: call cyclade_matrix_local(matrix, part [, ierr]).
  interface cyclade_matrix_local
    module procedure local_s, local_d, local_c, local_z
  end interface
  ! call cyclade_multiply(a, b, c [, ierr]): C := A B, or (alpha, a, b, beta, c [, ierr]): C := beta C + alpha A B.
  interface cyclade_multiply
    module procedure multiply_plain, multiply_s, multiply_d, multiply_c, multiply_z
  end interface
  interface cyclade_free
    module procedure free_grid, free_matrix
  end interface
  ! Sizes and indices may be int32 or int64.
  interface cyclade_layout_init
    module procedure layout_init_32, layout_init_64
  end interface
  interface cyclade_matrix_window
    module procedure window_32, window_64
  end interface
  interface cyclade_owner
    module procedure owner_32, owner_64
  end interface
  interface cyclade_to_local
    module procedure to_local_32, to_local_64
  end interface
  interface cyclade_to_global
    module procedure to_global_32, to_global_64
  end interface
  interface cyclade_count_before
    module procedure count_before_32, count_before_64
  end interface

contains

  ! --- how a call ended ----------------------------------------------------------------------------------------------

  ! The library's version, "0.1.0".
  function cyclade_version() result(text)
    character(:), allocatable :: text
    text = string_of(c_version())
  end function

  ! What the last call that did not end with 0 had to say.
  function cyclade_last_error() result(text)
    character(:), allocatable :: text
    text = string_of(c_last_error())
  end function

  ! A status in a word or two.
  function cyclade_status_name(status) result(text)
    integer, intent(in) :: status
    character(:), allocatable :: text
    text = string_of(c_status_name(int(status, c_int)))
  end function

  function string_of(text) result(copy)
    type(c_ptr), intent(in) :: text
    character(:), allocatable :: copy
    character(kind=c_char), pointer :: letters(:)
    integer :: k
    call c_f_pointer(text, letters, [c_strlen(text)])
    allocate (character(size(letters)) :: copy)
    do k = 1, size(letters)
      copy(k:k) = letters(k)
    end do
  end function

  ! Tells the caller, or ends the program if it does not ask.
  subroutine finish(status, ierr)
    integer(c_int), intent(in) :: status
    integer, intent(out), optional :: ierr
    if (present(ierr)) then
      ierr = status
    else if (status /= cyclade_ok) then
      error stop cyclade_last_error()
    end if
  end subroutine

  ! --- grids ---------------------------------------------------------------------------------------------------------

  ! p x q processes of `comm` (an integer; of mpi_f08: comm%MPI_VAL). Left out or 0: as near to a square as can be.
  ! order: 'R', ranks are numbered along the rows of processes, or 'C', down the columns. Collective over comm.
  subroutine cyclade_grid_create(grid, comm, p, q, order, ierr)
    type(cyclade_grid), intent(out) :: grid
    integer, intent(in) :: comm
    integer, intent(in), optional :: p, q
    character, intent(in), optional :: order
    integer, intent(out), optional :: ierr
    integer(c_int) :: p_given, q_given
    character :: letter
    p_given = 0; q_given = 0; letter = 'R'
    if (present(p)) p_given = p
    if (present(q)) q_given = q
    if (present(order)) letter = order
    call finish(c_grid_create(comm, p_given, q_given, iachar(letter), grid%handle), ierr)
  end subroutine

  ! p x q, and the row and column of this process, -1 outside.
  subroutine cyclade_grid_get(grid, p, q, my_row, my_col, ierr)
    type(cyclade_grid), intent(in) :: grid
    integer, intent(out), optional :: p, q, my_row, my_col, ierr
    integer(c_int) :: v(4)
    v = 0
    call finish(c_grid_get(grid%handle, v(1), v(2), v(3), v(4)), ierr)
    if (present(p)) p = v(1)
    if (present(q)) q = v(2)
    if (present(my_row)) my_row = v(3)
    if (present(my_col)) my_col = v(4)
  end subroutine

  ! The rank, in the communicator of the grid, of the process in that row and column.
  subroutine cyclade_grid_rank_of(grid, row, col, rank, ierr)
    type(cyclade_grid), intent(in) :: grid
    integer, intent(in) :: row, col
    integer, intent(out) :: rank
    integer, intent(out), optional :: ierr
    rank = -1
    call finish(c_grid_rank_of(grid%handle, row, col, rank), ierr)
  end subroutine

  ! The p x q <= ranks that is cheapest for inverting a matrix of order n; some ranks may stay idle.
  subroutine cyclade_cheapest_shape(ranks, n, p, q, ierr)
    integer, intent(in) :: ranks, n
    integer, intent(out) :: p, q
    integer, intent(out), optional :: ierr
    p = 0; q = 0
    call finish(c_cheapest_shape(ranks, int(n, c_int64_t), p, q), ierr)
  end subroutine

  ! Collective with the last of the matrices on it.
  subroutine free_grid(grid)
    type(cyclade_grid), intent(inout) :: grid
    call c_grid_free(grid%handle)
  end subroutine

  ! --- layouts: who owns which entry, and where ----------------------------------------------------------------------
  ! cyclade_layout_init: m x n in mb x nb blocks, the first on process (0,0); change the fields for other layouts.
  ! cyclade_owner(axis, i): the process that has index i, or cyclade_replicated.
  ! cyclade_to_local(axis, i): the local index of i on its owner (INDXG2L).
  ! cyclade_to_global(axis, i_loc, rank): the global index of a local one of that process (INDXL2G).
  ! cyclade_count_before(axis, i, rank): how many indices < i live on that process, i from 1 to n + 1.
  ! cyclade_local_size(axis, rank): how many indices live on that process (NUMROC).
  ! cyclade_nowhere for what the axis does not have.

  subroutine layout_init_32(layout, grid, m, n, mb, nb, ierr)
    type(cyclade_layout), intent(out) :: layout
    type(cyclade_grid), intent(in) :: grid
    integer(int32), intent(in) :: m, n, mb, nb
    integer, intent(out), optional :: ierr
    call finish(c_layout_init(layout, grid%handle, int(m, c_int64_t), int(n, c_int64_t), int(mb, c_int64_t), &
                              int(nb, c_int64_t)), ierr)
  end subroutine

  integer function owner_32(axis, i) result(rank)
    type(cyclade_axis), intent(in) :: axis
    integer(int32), intent(in) :: i
    rank = c_owner(axis, int(i, c_int64_t) - 1)
  end function

  integer(int32) function to_local_32(axis, i) result(i_loc)
    type(cyclade_axis), intent(in) :: axis
    integer(int32), intent(in) :: i
    i_loc = int(from_one(c_to_local(axis, int(i, c_int64_t) - 1)), int32)
  end function

  integer(int32) function to_global_32(axis, i_loc, rank) result(i)
    type(cyclade_axis), intent(in) :: axis
    integer(int32), intent(in) :: i_loc
    integer, intent(in) :: rank
    i = int(from_one(c_to_global(axis, int(i_loc, c_int64_t) - 1, rank)), int32)
  end function

  integer(int32) function count_before_32(axis, i, rank) result(count)
    type(cyclade_axis), intent(in) :: axis
    integer(int32), intent(in) :: i
    integer, intent(in) :: rank
    count = int(c_count_before(axis, int(i, c_int64_t) - 1, rank), int32)
  end function

  subroutine layout_init_64(layout, grid, m, n, mb, nb, ierr)
    type(cyclade_layout), intent(out) :: layout
    type(cyclade_grid), intent(in) :: grid
    integer(int64), intent(in) :: m, n, mb, nb
    integer, intent(out), optional :: ierr
    call finish(c_layout_init(layout, grid%handle, int(m, c_int64_t), int(n, c_int64_t), int(mb, c_int64_t), &
                              int(nb, c_int64_t)), ierr)
  end subroutine

  integer function owner_64(axis, i) result(rank)
    type(cyclade_axis), intent(in) :: axis
    integer(int64), intent(in) :: i
    rank = c_owner(axis, int(i, c_int64_t) - 1)
  end function

  integer(int64) function to_local_64(axis, i) result(i_loc)
    type(cyclade_axis), intent(in) :: axis
    integer(int64), intent(in) :: i
    i_loc = int(from_one(c_to_local(axis, int(i, c_int64_t) - 1)), int64)
  end function

  integer(int64) function to_global_64(axis, i_loc, rank) result(i)
    type(cyclade_axis), intent(in) :: axis
    integer(int64), intent(in) :: i_loc
    integer, intent(in) :: rank
    i = int(from_one(c_to_global(axis, int(i_loc, c_int64_t) - 1, rank)), int64)
  end function

  integer(int64) function count_before_64(axis, i, rank) result(count)
    type(cyclade_axis), intent(in) :: axis
    integer(int64), intent(in) :: i
    integer, intent(in) :: rank
    count = int(c_count_before(axis, int(i, c_int64_t) - 1, rank), int64)
  end function

  integer function cyclade_local_size(axis, rank) result(n_loc)
    type(cyclade_axis), intent(in) :: axis
    integer, intent(in) :: rank
    n_loc = int(c_local_size(axis, rank))
  end function

  ! An index from 0, or an answer that is none, as an index from 1.
  integer(c_int64_t) function from_one(index_from_zero)
    integer(c_int64_t), intent(in) :: index_from_zero
    from_one = index_from_zero
    if (index_from_zero >= 0) from_one = index_from_zero + 1
  end function

  ! --- matrices ------------------------------------------------------------------------------------------------------

  subroutine create_s2(matrix, grid, layout, array, ierr)
    type(cyclade_matrix), intent(out) :: matrix
    type(cyclade_grid), intent(in) :: grid
    type(cyclade_layout), intent(in) :: layout
    real(real32), target, intent(in) :: array(:, :)
    integer, intent(out), optional :: ierr
    type(c_ptr) :: first, below, right
    first = c_null_ptr; below = c_null_ptr; right = c_null_ptr
    if (size(array) > 0) then
      first = c_loc(array(1, 1))
      if (size(array, 1) > 1) below = c_loc(array(2, 1))
      if (size(array, 2) > 1) right = c_loc(array(1, 2))
    end if
    call create_on(matrix, grid, layout, cyclade_s, first, below, right, shape(array, c_int64_t), ierr)
  end subroutine

  subroutine create_s1(matrix, grid, layout, array, ld, ierr)
    type(cyclade_matrix), intent(out) :: matrix
    type(cyclade_grid), intent(in) :: grid
    type(cyclade_layout), intent(in) :: layout
    real(real32), target, intent(in) :: array(*)
    integer, intent(in) :: ld
    integer, intent(out), optional :: ierr
    call finish(c_matrix_create(grid%handle, layout, cyclade_s, c_loc(array), int(ld, c_int64_t), &
                                matrix%handle), ierr)
  end subroutine

  subroutine create_d2(matrix, grid, layout, array, ierr)
    type(cyclade_matrix), intent(out) :: matrix
    type(cyclade_grid), intent(in) :: grid
    type(cyclade_layout), intent(in) :: layout
    real(real64), target, intent(in) :: array(:, :)
    integer, intent(out), optional :: ierr
    type(c_ptr) :: first, below, right
    first = c_null_ptr; below = c_null_ptr; right = c_null_ptr
    if (size(array) > 0) then
      first = c_loc(array(1, 1))
      if (size(array, 1) > 1) below = c_loc(array(2, 1))
      if (size(array, 2) > 1) right = c_loc(array(1, 2))
    end if
    call create_on(matrix, grid, layout, cyclade_d, first, below, right, shape(array, c_int64_t), ierr)
  end subroutine

  subroutine create_d1(matrix, grid, layout, array, ld, ierr)
    type(cyclade_matrix), intent(out) :: matrix
    type(cyclade_grid), intent(in) :: grid
    type(cyclade_layout), intent(in) :: layout
    real(real64), target, intent(in) :: array(*)
    integer, intent(in) :: ld
    integer, intent(out), optional :: ierr
    call finish(c_matrix_create(grid%handle, layout, cyclade_d, c_loc(array), int(ld, c_int64_t), &
                                matrix%handle), ierr)
  end subroutine

  subroutine create_c2(matrix, grid, layout, array, ierr)
    type(cyclade_matrix), intent(out) :: matrix
    type(cyclade_grid), intent(in) :: grid
    type(cyclade_layout), intent(in) :: layout
    complex(real32), target, intent(in) :: array(:, :)
    integer, intent(out), optional :: ierr
    type(c_ptr) :: first, below, right
    first = c_null_ptr; below = c_null_ptr; right = c_null_ptr
    if (size(array) > 0) then
      first = c_loc(array(1, 1))
      if (size(array, 1) > 1) below = c_loc(array(2, 1))
      if (size(array, 2) > 1) right = c_loc(array(1, 2))
    end if
    call create_on(matrix, grid, layout, cyclade_c, first, below, right, shape(array, c_int64_t), ierr)
  end subroutine

  subroutine create_c1(matrix, grid, layout, array, ld, ierr)
    type(cyclade_matrix), intent(out) :: matrix
    type(cyclade_grid), intent(in) :: grid
    type(cyclade_layout), intent(in) :: layout
    complex(real32), target, intent(in) :: array(*)
    integer, intent(in) :: ld
    integer, intent(out), optional :: ierr
    call finish(c_matrix_create(grid%handle, layout, cyclade_c, c_loc(array), int(ld, c_int64_t), &
                                matrix%handle), ierr)
  end subroutine

  subroutine create_z2(matrix, grid, layout, array, ierr)
    type(cyclade_matrix), intent(out) :: matrix
    type(cyclade_grid), intent(in) :: grid
    type(cyclade_layout), intent(in) :: layout
    complex(real64), target, intent(in) :: array(:, :)
    integer, intent(out), optional :: ierr
    type(c_ptr) :: first, below, right
    first = c_null_ptr; below = c_null_ptr; right = c_null_ptr
    if (size(array) > 0) then
      first = c_loc(array(1, 1))
      if (size(array, 1) > 1) below = c_loc(array(2, 1))
      if (size(array, 2) > 1) right = c_loc(array(1, 2))
    end if
    call create_on(matrix, grid, layout, cyclade_z, first, below, right, shape(array, c_int64_t), ierr)
  end subroutine

  subroutine create_z1(matrix, grid, layout, array, ld, ierr)
    type(cyclade_matrix), intent(out) :: matrix
    type(cyclade_grid), intent(in) :: grid
    type(cyclade_layout), intent(in) :: layout
    complex(real64), target, intent(in) :: array(*)
    integer, intent(in) :: ld
    integer, intent(out), optional :: ierr
    call finish(c_matrix_create(grid%handle, layout, cyclade_z, c_loc(array), int(ld, c_int64_t), &
                                matrix%handle), ierr)
  end subroutine

  ! first, below and right: entries (1,1), (2,1) and (1,2), which tell the strides; null if there are none.
  subroutine create_on(matrix, grid, layout, type, first, below, right, extents, ierr)
    type(cyclade_matrix), intent(inout) :: matrix
    type(cyclade_grid), intent(in) :: grid
    type(cyclade_layout), intent(in) :: layout
    integer(c_int), intent(in) :: type
    type(c_ptr), intent(in) :: first, below, right
    integer(c_int64_t), intent(in) :: extents(2)
    integer, intent(out), optional :: ierr
    call finish(c_matrix_create_on(grid%handle, layout, type, first, below, right, extents(1), extents(2), &
                                   matrix%handle), ierr)
  end subroutine

  ! A matrix on memory of its own, not initialised: see cyclade_matrix_local. type: cyclade_s, _d, _c or _z.
  subroutine cyclade_matrix_allocate(matrix, grid, layout, type, ierr)
    type(cyclade_matrix), intent(out) :: matrix
    type(cyclade_grid), intent(in) :: grid
    type(cyclade_layout), intent(in) :: layout
    integer(c_int), intent(in) :: type
    integer, intent(out), optional :: ierr
    call finish(c_matrix_allocate(grid%handle, layout, type, matrix%handle), ierr)
  end subroutine

  ! Rows i1 to i2 and columns j1 to j2, both included, as a matrix on the same memory.
  subroutine window_32(window, matrix, i1, i2, j1, j2, ierr)
    type(cyclade_matrix), intent(out) :: window
    type(cyclade_matrix), intent(in) :: matrix
    integer(int32), intent(in) :: i1, i2, j1, j2
    integer, intent(out), optional :: ierr
    call finish(c_matrix_window(matrix%handle, int(i1, c_int64_t) - 1, int(i2, c_int64_t), &
                                int(j1, c_int64_t) - 1, int(j2, c_int64_t), window%handle), ierr)
  end subroutine

  ! Rows i1 to i2 and columns j1 to j2, both included, as a matrix on the same memory.
  subroutine window_64(window, matrix, i1, i2, j1, j2, ierr)
    type(cyclade_matrix), intent(out) :: window
    type(cyclade_matrix), intent(in) :: matrix
    integer(int64), intent(in) :: i1, i2, j1, j2
    integer, intent(out), optional :: ierr
    call finish(c_matrix_window(matrix%handle, int(i1, c_int64_t) - 1, int(i2, c_int64_t), &
                                int(j1, c_int64_t) - 1, int(j2, c_int64_t), window%handle), ierr)
  end subroutine

  subroutine cyclade_matrix_get(matrix, layout, type, ierr)
    type(cyclade_matrix), intent(in) :: matrix
    type(cyclade_layout), intent(out), optional :: layout
    integer(c_int), intent(out), optional :: type
    integer, intent(out), optional :: ierr
    type(cyclade_layout) :: l
    integer(c_int) :: t
    t = 0
    call finish(c_matrix_get(matrix%handle, l, t), ierr)
    if (present(layout)) layout = l
    if (present(type)) type = t
  end subroutine

  subroutine free_matrix(matrix)
    type(cyclade_matrix), intent(inout) :: matrix
    call c_matrix_free(matrix%handle)
  end subroutine

  subroutine local_s(matrix, part, ierr)
    type(cyclade_matrix), intent(in) :: matrix
    real(real32), pointer, intent(out) :: part(:, :)
    integer, intent(out), optional :: ierr
    real(real32), pointer :: columns(:, :)
    type(local_part) :: l
    integer(c_int) :: status
    nullify (part)
    status = c_matrix_local(matrix%handle, cyclade_s, l)
    if (status == cyclade_ok) then
      call c_f_pointer(l%data, columns, [l%ld, l%cols])
      part => columns(1:l%rows, :)
    end if
    call finish(status, ierr)
  end subroutine

  subroutine local_d(matrix, part, ierr)
    type(cyclade_matrix), intent(in) :: matrix
    real(real64), pointer, intent(out) :: part(:, :)
    integer, intent(out), optional :: ierr
    real(real64), pointer :: columns(:, :)
    type(local_part) :: l
    integer(c_int) :: status
    nullify (part)
    status = c_matrix_local(matrix%handle, cyclade_d, l)
    if (status == cyclade_ok) then
      call c_f_pointer(l%data, columns, [l%ld, l%cols])
      part => columns(1:l%rows, :)
    end if
    call finish(status, ierr)
  end subroutine

  subroutine local_c(matrix, part, ierr)
    type(cyclade_matrix), intent(in) :: matrix
    complex(real32), pointer, intent(out) :: part(:, :)
    integer, intent(out), optional :: ierr
    complex(real32), pointer :: columns(:, :)
    type(local_part) :: l
    integer(c_int) :: status
    nullify (part)
    status = c_matrix_local(matrix%handle, cyclade_c, l)
    if (status == cyclade_ok) then
      call c_f_pointer(l%data, columns, [l%ld, l%cols])
      part => columns(1:l%rows, :)
    end if
    call finish(status, ierr)
  end subroutine

  subroutine local_z(matrix, part, ierr)
    type(cyclade_matrix), intent(in) :: matrix
    complex(real64), pointer, intent(out) :: part(:, :)
    integer, intent(out), optional :: ierr
    complex(real64), pointer :: columns(:, :)
    type(local_part) :: l
    integer(c_int) :: status
    nullify (part)
    status = c_matrix_local(matrix%handle, cyclade_z, l)
    if (status == cyclade_ok) then
      call c_f_pointer(l%data, columns, [l%ld, l%cols])
      part => columns(1:l%rows, :)
    end if
    call finish(status, ierr)
  end subroutine

  ! --- the inverse ---------------------------------------------------------------------------------------------------

  ! A := its inverse, in place. Options are those of cyclade_invert_options, and their defaults.
  subroutine cyclade_invert(a, report, method, structure, uplo, certificate, seed, panel_width, fallback, ierr)
    type(cyclade_matrix), intent(in) :: a
    type(cyclade_report), intent(out), optional :: report
    integer(c_int), intent(in), optional :: method, structure
    character, intent(in), optional :: uplo        ! 'L' or 'U': the triangle that is read of a positive definite matrix
    logical, intent(in), optional :: certificate
    integer(c_int64_t), intent(in), optional :: seed
    integer, intent(in), optional :: panel_width
    logical, intent(in), optional :: fallback
    integer, intent(out), optional :: ierr
    type(invert_options) :: options
    type(cyclade_report) :: r
    integer(c_int) :: status
    call c_invert_options_defaults(options, c_sizeof(options))
    if (present(method)) options%method = method
    if (present(structure)) options%structure = structure
    if (present(uplo)) options%uplo = iachar(uplo)
    if (present(certificate)) options%certificate = merge(1, 0, certificate)
    if (present(seed)) options%seed = seed
    if (present(panel_width)) options%panel_width = panel_width
    if (present(fallback)) options%fallback = merge(1, 0, fallback)
    call c_report_defaults(r, c_sizeof(r))
    status = c_invert(a%handle, options, r)
    if (present(report)) report = counted_from_one(r)
    call finish(status, ierr)
  end subroutine

  ! Is X the inverse of A? Neither is changed.
  subroutine cyclade_verify(a, x, report, ierr)
    type(cyclade_matrix), intent(in) :: a, x
    type(cyclade_report), intent(out), optional :: report
    integer, intent(out), optional :: ierr
    type(cyclade_report) :: r
    integer(c_int) :: status
    call c_report_defaults(r, c_sizeof(r))
    status = c_verify(a%handle, x%handle, r)
    if (present(report)) report = counted_from_one(r)
    call finish(status, ierr)
  end subroutine

  type(cyclade_report) function counted_from_one(r)
    type(cyclade_report), intent(in) :: r
    counted_from_one = r
    counted_from_one%zero_pivot = r%zero_pivot + 1
    counted_from_one%bad_row = r%bad_row + 1
    counted_from_one%bad_col = r%bad_col + 1
  end function

  ! --- products and redistribution -----------------------------------------------------------------------------------

  subroutine multiply_plain(a, b, c, ierr)
    type(cyclade_matrix), intent(in) :: a, b, c
    integer, intent(out), optional :: ierr
    call finish(c_multiply(c_null_ptr, a%handle, b%handle, c_null_ptr, c%handle), ierr)
  end subroutine

  subroutine multiply_s(alpha, a, b, beta, c, ierr)
    real(real32), intent(in) :: alpha, beta
    type(cyclade_matrix), intent(in) :: a, b, c
    integer, intent(out), optional :: ierr
    real(real32), target :: numbers(2)
    numbers = [alpha, beta]
    call finish(c_multiply_typed(cyclade_s, c_loc(numbers(1)), a%handle, b%handle, c_loc(numbers(2)), c%handle), &
                ierr)
  end subroutine

  subroutine multiply_d(alpha, a, b, beta, c, ierr)
    real(real64), intent(in) :: alpha, beta
    type(cyclade_matrix), intent(in) :: a, b, c
    integer, intent(out), optional :: ierr
    real(real64), target :: numbers(2)
    numbers = [alpha, beta]
    call finish(c_multiply_typed(cyclade_d, c_loc(numbers(1)), a%handle, b%handle, c_loc(numbers(2)), c%handle), &
                ierr)
  end subroutine

  subroutine multiply_c(alpha, a, b, beta, c, ierr)
    complex(real32), intent(in) :: alpha, beta
    type(cyclade_matrix), intent(in) :: a, b, c
    integer, intent(out), optional :: ierr
    complex(real32), target :: numbers(2)
    numbers = [alpha, beta]
    call finish(c_multiply_typed(cyclade_c, c_loc(numbers(1)), a%handle, b%handle, c_loc(numbers(2)), c%handle), &
                ierr)
  end subroutine

  subroutine multiply_z(alpha, a, b, beta, c, ierr)
    complex(real64), intent(in) :: alpha, beta
    type(cyclade_matrix), intent(in) :: a, b, c
    integer, intent(out), optional :: ierr
    complex(real64), target :: numbers(2)
    numbers = [alpha, beta]
    call finish(c_multiply_typed(cyclade_z, c_loc(numbers(1)), a%handle, b%handle, c_loc(numbers(2)), c%handle), &
                ierr)
  end subroutine

  ! to := from, or its transpose (op 'T') or its conjugate transpose ('C'), from any layout to any other. Ranks of
  ! comm that have no place in a grid's communicator pass a cyclade_matrix that was never made. Collective over comm.
  subroutine cyclade_redistribute(comm, from, to, op, budget_bytes, ierr)
    integer, intent(in) :: comm
    type(cyclade_matrix), intent(in) :: from, to
    character, intent(in), optional :: op
    integer(c_int64_t), intent(in), optional :: budget_bytes
    integer, intent(out), optional :: ierr
    character :: letter
    integer(c_int64_t) :: budget
    letter = 'N'; budget = 0
    if (present(op)) letter = op
    if (present(budget_bytes)) budget = budget_bytes
    call finish(c_redistribute(comm, from%handle, to%handle, iachar(letter), budget), ierr)
  end subroutine

  ! --- files ---------------------------------------------------------------------------------------------------------

  ! What a file holds: its shape, and the type that suits its numbers.
  subroutine cyclade_inspect(grid, path, rows, cols, type, ierr)
    type(cyclade_grid), intent(in) :: grid
    character(*), intent(in) :: path
    integer(c_int64_t), intent(out), optional :: rows, cols
    integer(c_int), intent(out), optional :: type
    integer, intent(out), optional :: ierr
    type(file_info) :: info
    info = file_info(0, 0, 0)
    call finish(c_inspect(grid%handle, c_string(path), info), ierr)
    if (present(rows)) rows = info%rows
    if (present(cols)) cols = info%cols
    if (present(type)) type = info%type
  end subroutine

  subroutine cyclade_read(a, path, ierr)
    type(cyclade_matrix), intent(in) :: a
    character(*), intent(in) :: path
    integer, intent(out), optional :: ierr
    call finish(c_read(a%handle, c_string(path)), ierr)
  end subroutine

  ! type: of the numbers in the file. order: 'R' or 'C', where a format has both. symmetry (cyclade_symmetric,
  ! cyclade_hermitian: one triangle) and comment: .mtx.
  subroutine cyclade_write(a, path, type, order, symmetry, comment, ierr)
    type(cyclade_matrix), intent(in) :: a
    character(*), intent(in) :: path
    integer(c_int), intent(in), optional :: type, symmetry
    character, intent(in), optional :: order
    character(*), intent(in), optional :: comment
    integer, intent(out), optional :: ierr
    type(write_options) :: options
    character(kind=c_char), allocatable, target :: text(:)
    call c_write_options_defaults(options, c_sizeof(options))
    if (present(type)) options%type = type
    if (present(order)) options%order = iachar(order)
    if (present(symmetry)) options%symmetry = symmetry
    if (present(comment)) then
      text = c_string(comment)
      options%comment = c_loc(text)
    end if
    call finish(c_write(a%handle, c_string(path), options), ierr)
  end subroutine

  function c_string(text) result(letters)
    character(*), intent(in) :: text
    character(kind=c_char) :: letters(len_trim(text) + 1)
    integer :: k
    do k = 1, len_trim(text)
      letters(k) = text(k:k)
    end do
    letters(len_trim(text) + 1) = c_null_char
  end function

end module cyclade
