! The C interface as Fortran sees it: the structs and the functions of cyclade/api/cyclade.h, and of c_fortran.cpp what
! Fortran needs besides. Not for programs: `module cyclade` is.
!
! SPDX-License-Identifier: BSD-3-Clause
module cyclade_c_interface
  use, intrinsic :: iso_c_binding
  implicit none
  public

  ! How one dimension is dealt out, block by block around the processes.
  type, bind(c) :: cyclade_axis
    integer(c_int64_t) :: n = 0            ! global extent
    integer(c_int64_t) :: block = 1        ! entries of a block (MB, NB)
    integer(c_int64_t) :: first_block = 0  ! of the first block (IMB, INB); 0: block
    integer(c_int) :: ranks = 1            ! processes along this dimension
    integer(c_int) :: source = 0           ! process of the first block (RSRC, CSRC), or cyclade_replicated
  end type
  type, bind(c) :: cyclade_layout
    type(cyclade_axis) :: rows, cols
  end type

  ! What an inversion or a verification tells, equal on all ranks of the grid.
  type, bind(c) :: cyclade_report
    integer(c_size_t) :: size = 0
    integer(c_int) :: status = 0
    integer(c_int) :: in_grid = 0            ! 0 on ranks outside the grid: the rest means nothing there
    integer(c_int) :: method = 0             ! the one that was used
    integer(c_int) :: fallback_from = -1     ! the method that was tried first and did not do; -1: none
    integer(c_int) :: fallback_status = 0    ! how that one ended
    integer(c_int) :: type = 0               ! cyclade_d, ...
    integer(c_int64_t) :: n = 0              ! order
    integer(c_int64_t) :: zero_pivot = 0     ! column of the first zero pivot, or order of the first minor that is not
                                             ! positive, from 1; 0: none
    integer(c_int64_t) :: bad_row = 0        ! first entry that is not finite, from 1; 0: none
    integer(c_int64_t) :: bad_col = 0
    real(c_double) :: logabsdet = 0          ! log |det A|
    real(c_double) :: sign_re = 1            ! det A / |det A|
    real(c_double) :: sign_im = 0
    real(c_double) :: norm1_a = 0            ! |A|_1
    real(c_double) :: norm1_x = 0            ! |X|_1 of the inverse X
    real(c_double) :: cond1 = 0              ! |A|_1 |X|_1
    real(c_double) :: growth = 1             ! largest entry met in the elimination / largest entry of A
    integer(c_int) :: certified = 0          ! 1: a certificate was taken, the next five mean something
    integer(c_int) :: digits = 0             ! correct decimal digits of X, in norm
    real(c_double) :: residual_left = 0      ! >= |I - XA|_2
    real(c_double) :: residual_right = 0     ! >= |I - AX|_2
    real(c_double) :: tolerance = 0          ! what rounding explains
    real(c_double) :: confidence = 0         ! the probability with which both bounds hold
    real(c_double) :: seconds = 0            ! of the slowest rank
    real(c_double) :: gflops = 0
    integer(c_int64_t) :: words_received = 0  ! the most that a rank received, in matrix elements
    integer(c_int64_t) :: messages_received = 0
    real(c_double) :: words_model = 0        ! by the formula of the method
    integer(c_int64_t) :: matrix_bytes = 0   ! the largest local part
    integer(c_int64_t) :: peak_bytes = 0     ! the most that a rank allocated beside your array
  end type

  type, bind(c) :: invert_options
    integer(c_size_t) :: size
    integer(c_int) :: method, structure, uplo, certificate
    integer(c_int64_t) :: seed, panel_width, permutation_budget
    integer(c_int) :: lookahead, fallback
    integer(c_int64_t) :: leaf, panel_bytes
    type(c_funptr) :: progress
    type(c_ptr) :: progress_context
  end type
  type, bind(c) :: write_options
    integer(c_size_t) :: size
    integer(c_int) :: type, order, symmetry
    type(c_ptr) :: comment
  end type
  type, bind(c) :: file_info
    integer(c_int64_t) :: rows, cols
    integer(c_int) :: type
  end type
  type, bind(c) :: local_part
    type(c_ptr) :: data
    integer(c_int64_t) :: rows, cols, ld
  end type

  interface
    function c_version() bind(c, name='cyclade_version') result(answer)
      import
      type(c_ptr) :: answer
    end function
    function c_last_error() bind(c, name='cyclade_last_error') result(answer)
      import
      type(c_ptr) :: answer
    end function
    function c_status_name(status) bind(c, name='cyclade_status_name') result(answer)
      import
      integer(c_int), value :: status
      type(c_ptr) :: answer
    end function
    function c_strlen(text) bind(c, name='strlen') result(answer)
      import
      type(c_ptr), value :: text
      integer(c_size_t) :: answer
    end function
    function c_grid_create(comm, p, q, order, grid) bind(c, name='cyclade_grid_create_f') result(answer)
      import
      integer(c_int), value :: comm, p, q, order
      type(c_ptr) :: grid
      integer(c_int) :: answer
    end function
    subroutine c_grid_free(grid) bind(c, name='cyclade_grid_free')
      import
      type(c_ptr) :: grid
    end subroutine
    function c_grid_get(grid, p, q, my_row, my_col) bind(c, name='cyclade_grid_get') result(answer)
      import
      type(c_ptr), value :: grid
      integer(c_int) :: p, q, my_row, my_col
      integer(c_int) :: answer
    end function
    function c_grid_rank_of(grid, row, col, rank) bind(c, name='cyclade_grid_rank_of') result(answer)
      import
      type(c_ptr), value :: grid
      integer(c_int), value :: row, col
      integer(c_int) :: rank
      integer(c_int) :: answer
    end function
    function c_cheapest_shape(ranks, n, p, q) bind(c, name='cyclade_cheapest_shape') result(answer)
      import
      integer(c_int), value :: ranks
      integer(c_int64_t), value :: n
      integer(c_int) :: p, q
      integer(c_int) :: answer
    end function
    function c_layout_init(layout, grid, m, n, mb, nb) bind(c, name='cyclade_layout_init') result(answer)
      import
      type(cyclade_layout) :: layout
      type(c_ptr), value :: grid
      integer(c_int64_t), value :: m, n, mb, nb
      integer(c_int) :: answer
    end function
    function c_owner(axis, i) bind(c, name='cyclade_owner') result(answer)
      import
      type(cyclade_axis) :: axis
      integer(c_int64_t), value :: i
      integer(c_int) :: answer
    end function
    function c_to_local(axis, i) bind(c, name='cyclade_to_local') result(answer)
      import
      type(cyclade_axis) :: axis
      integer(c_int64_t), value :: i
      integer(c_int64_t) :: answer
    end function
    function c_to_global(axis, local, rank) bind(c, name='cyclade_to_global') result(answer)
      import
      type(cyclade_axis) :: axis
      integer(c_int64_t), value :: local
      integer(c_int), value :: rank
      integer(c_int64_t) :: answer
    end function
    function c_count_before(axis, i, rank) bind(c, name='cyclade_count_before') result(answer)
      import
      type(cyclade_axis) :: axis
      integer(c_int64_t), value :: i
      integer(c_int), value :: rank
      integer(c_int64_t) :: answer
    end function
    function c_local_size(axis, rank) bind(c, name='cyclade_local_size') result(answer)
      import
      type(cyclade_axis) :: axis
      integer(c_int), value :: rank
      integer(c_int64_t) :: answer
    end function
    function c_matrix_create(grid, layout, type, data, ld, matrix) &
        bind(c, name='cyclade_matrix_create') result(answer)
      import
      type(c_ptr), value :: grid
      type(cyclade_layout) :: layout
      integer(c_int), value :: type
      type(c_ptr), value :: data
      integer(c_int64_t), value :: ld
      type(c_ptr) :: matrix
      integer(c_int) :: answer
    end function
    function c_matrix_create_on(grid, layout, type, first, below, right, rows, cols, matrix) &
        bind(c, name='cyclade_matrix_create_f') result(answer)
      import
      type(c_ptr), value :: grid
      type(cyclade_layout) :: layout
      integer(c_int), value :: type
      type(c_ptr), value :: first, below, right
      integer(c_int64_t), value :: rows, cols
      type(c_ptr) :: matrix
      integer(c_int) :: answer
    end function
    function c_matrix_allocate(grid, layout, type, matrix) bind(c, name='cyclade_matrix_allocate') result(answer)
      import
      type(c_ptr), value :: grid
      type(cyclade_layout) :: layout
      integer(c_int), value :: type
      type(c_ptr) :: matrix
      integer(c_int) :: answer
    end function
    function c_matrix_window(matrix, i0, i1, j0, j1, window) bind(c, name='cyclade_matrix_window') result(answer)
      import
      type(c_ptr), value :: matrix
      integer(c_int64_t), value :: i0, i1, j0, j1
      type(c_ptr) :: window
      integer(c_int) :: answer
    end function
    subroutine c_matrix_free(matrix) bind(c, name='cyclade_matrix_free')
      import
      type(c_ptr) :: matrix
    end subroutine
    function c_matrix_get(matrix, layout, type) bind(c, name='cyclade_matrix_get') result(answer)
      import
      type(c_ptr), value :: matrix
      type(cyclade_layout) :: layout
      integer(c_int) :: type
      integer(c_int) :: answer
    end function
    subroutine c_invert_options_defaults(options, size) bind(c, name='cyclade_invert_options_defaults')
      import
      type(invert_options) :: options
      integer(c_size_t), value :: size
    end subroutine
    subroutine c_report_defaults(report, size) bind(c, name='cyclade_report_defaults')
      import
      type(cyclade_report) :: report
      integer(c_size_t), value :: size
    end subroutine
    subroutine c_write_options_defaults(options, size) bind(c, name='cyclade_write_options_defaults')
      import
      type(write_options) :: options
      integer(c_size_t), value :: size
    end subroutine
    function c_invert(a, options, report) bind(c, name='cyclade_invert') result(answer)
      import
      type(c_ptr), value :: a
      type(invert_options) :: options
      type(cyclade_report) :: report
      integer(c_int) :: answer
    end function
    function c_verify(a, x, report) bind(c, name='cyclade_verify') result(answer)
      import
      type(c_ptr), value :: a, x
      type(cyclade_report) :: report
      integer(c_int) :: answer
    end function
    function c_multiply(alpha, a, b, beta, c) bind(c, name='cyclade_multiply') result(answer)
      import
      type(c_ptr), value :: alpha, a, b, beta, c
      integer(c_int) :: answer
    end function
    function c_redistribute(comm, from, to, op, budget) bind(c, name='cyclade_redistribute_f') result(answer)
      import
      integer(c_int), value :: comm
      type(c_ptr), value :: from, to
      integer(c_int), value :: op
      integer(c_int64_t), value :: budget
      integer(c_int) :: answer
    end function
    function c_inspect(grid, path, info) bind(c, name='cyclade_inspect') result(answer)
      import
      type(c_ptr), value :: grid
      character(kind=c_char), intent(in) :: path(*)
      type(file_info) :: info
      integer(c_int) :: answer
    end function
    function c_read(a, path) bind(c, name='cyclade_read') result(answer)
      import
      type(c_ptr), value :: a
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int) :: answer
    end function
    function c_write(a, path, options) bind(c, name='cyclade_write') result(answer)
      import
      type(c_ptr), value :: a
      character(kind=c_char), intent(in) :: path(*)
      type(write_options) :: options
      integer(c_int) :: answer
    end function
    function c_matrix_local(matrix, type, local) bind(c, name='cyclade_matrix_local_f') result(answer)
      import
      type(c_ptr), value :: matrix
      integer(c_int), value :: type
      type(local_part) :: local
      integer(c_int) :: answer
    end function
    function c_multiply_typed(type, alpha, a, b, beta, c) bind(c, name='cyclade_multiply_f') result(answer)
      import
      integer(c_int), value :: type
      type(c_ptr), value :: alpha, a, b, beta, c
      integer(c_int) :: answer
    end function
  end interface

end module cyclade_c_interface
