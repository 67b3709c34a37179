! module cyclade from Fortran: the four kinds, arrays of every shape that it takes, and what it adds to the C interface:
! indices from 1, strides, optional arguments, error stop. Run under mpirun; the first argument is a folder for files,
! or the word "stop": then a call without ierr fails, and the program must end there.
!
! SPDX-License-Identifier: BSD-3-Clause
module fortran_test_cases
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64, error_unit
  use mpi
  use cyclade
  implicit none
  integer, parameter :: n = 23
  integer :: failures = 0, my_rank = 0, ranks = 1

contains

  subroutine expect(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (condition) return
    failures = failures + 1
    write (error_unit, '(a, i0, 4a)') 'rank ', my_rank, ': not so: ', what, '; last error: ', cyclade_last_error()
  end subroutine

  subroutine expect_refused(ierr, word)
    integer, intent(in) :: ierr
    character(*), intent(in) :: word
    call expect(ierr == cyclade_error_argument, 'refused for its ' // word)
    call expect(index(cyclade_last_error(), word) > 0, 'the message names ' // word)
  end subroutine

  function awkward(grid) result(layout)
    type(cyclade_grid), intent(in) :: grid
    type(cyclade_layout) :: layout
    call cyclade_layout_init(layout, grid, n, n, 3, 4)
    layout%rows%source = layout%rows%ranks - 1
    layout%cols%first_block = 5
  end function

  ! min(i,j), or its inverse, of the local entry.
  real(real64) function entry(layout, row, col, i_loc, j_loc, inverse)
    type(cyclade_layout), intent(in) :: layout
    integer, intent(in) :: row, col, i_loc, j_loc
    logical, intent(in) :: inverse
    integer :: i, j
    i = cyclade_to_global(layout%rows, i_loc, row)
    j = cyclade_to_global(layout%cols, j_loc, col)
    entry = min(i, j)
    if (.not. inverse) return
    entry = 0
    if (i == j) entry = merge(1, 2, i == n)
    if (abs(i - j) == 1) entry = -1
  end function

  ! All of it in real64, on a section with rows and columns around it that must stay.
  subroutine test_real64(grid, row, col)
    type(cyclade_grid), intent(in) :: grid
    integer, intent(in) :: row, col
    type(cyclade_layout) :: layout
    type(cyclade_matrix) :: a, x, c
    type(cyclade_report) :: report
    real(real64), allocatable, target :: frame(:, :), original(:, :), product(:, :), long(:)
    real(real64), pointer :: part(:, :)
    real(real32), pointer :: wrong(:, :)
    integer :: i, j, m_loc, n_loc, ierr, type
    layout = awkward(grid)
    m_loc = cyclade_local_size(layout%rows, row)
    n_loc = cyclade_local_size(layout%cols, col)
    allocate (frame(0:m_loc + 2, 0:n_loc + 1), source=7.0_real64)
    allocate (original(m_loc, n_loc), product(m_loc, n_loc))
    do j = 1, n_loc
      do i = 1, m_loc
        frame(i, j) = entry(layout, row, col, i, j, .false.)
      end do
    end do
    original = frame(1:m_loc, 1:n_loc)
    call cyclade_matrix_create(a, grid, layout, original)
    call cyclade_matrix_create(x, grid, layout, frame(1:m_loc, 1:n_loc))
    call cyclade_matrix_create(c, grid, layout, product)
    call cyclade_invert(x, report, ierr=ierr)
    call expect(ierr == cyclade_ok, 'the inverse')
    do j = 1, n_loc
      do i = 1, m_loc
        call expect(abs(frame(i, j) - entry(layout, row, col, i, j, .true.)) < 1e-10_real64, 'its entries')
      end do
    end do
    call expect(all(frame(0, :) == 7) .and. all(frame(m_loc + 1:, :) == 7) .and. all(frame(:, 0) == 7) .and. &
                all(frame(:, n_loc + 1) == 7), 'nothing written outside the section')
    call expect(report%n == n .and. report%type == cyclade_d .and. report%in_grid == 1, 'report')
    call expect(report%method == cyclade_gauss_jordan .and. report%fallback_from == -1, 'method in the report')
    call expect(report%zero_pivot == 0 .and. report%bad_row == 0 .and. report%bad_col == 0, 'nothing wrong in the report')
    call expect(abs(report%logabsdet) < 1e-10_real64 .and. report%sign_re == 1 .and. report%sign_im == 0, 'determinant')
    call expect(nint(report%norm1_a) == n * (n + 1) / 2 .and. nint(report%norm1_x) == 4, 'norms in the report')
    call expect(report%certified == 1 .and. report%digits > 5 .and. report%digits < 16, 'digits in the report')
    call expect(report%residual_left > 0 .and. max(report%residual_left, report%residual_right) < report%tolerance .and. &
                report%confidence > 0.999_real64 .and. report%confidence < 1, 'certificate in the report')
    call expect(report%seconds > 0 .and. report%gflops > 0 .and. (report%words_received > 0 .eqv. ranks > 1), 'work')
    call expect(report%matrix_bytes > 0 .and. report%matrix_bytes <= 8 * n * n .and. report%peak_bytes > 0 .and. &
                report%peak_bytes < 2**24, 'bytes in the report')
    call cyclade_verify(a, x)
    call cyclade_multiply(2.0_real64, a, x, 0.0_real64, c)
    call cyclade_multiply(-1.0_real64, a, x, 1.0_real64, c)
    do j = 1, n_loc
      do i = 1, m_loc
        call expect(abs(product(i, j) - merge(1, 0, cyclade_to_global(layout%rows, i, row) == &
                                              cyclade_to_global(layout%cols, j, col))) < 1e-9_real64, 'A X = I')
      end do
    end do
    call cyclade_multiply(1.0_real32, a, x, 0.0_real32, c, ierr)
    call expect_refused(ierr, 'type')

    call cyclade_matrix_local(x, part)
    call expect(all(shape(part) == [m_loc, n_loc]), 'shape of the local part')
    call expect(all(part == frame(1:m_loc, 1:n_loc)), 'local part')
    call cyclade_matrix_local(x, wrong, ierr)
    call expect_refused(ierr, 'type')
    call expect(.not. associated(wrong), 'no pointer')
    call cyclade_matrix_get(x, type=type)
    call expect(type == cyclade_d, 'type')
    call cyclade_free(x)
    call cyclade_free(x)

    ! What only the last rank gets wrong.
    allocate (long(max(1, m_loc) * n_loc + 1))
    if (my_rank == ranks - 1) then
      call cyclade_matrix_create(x, grid, layout, long, m_loc - 1, ierr)
    else
      call cyclade_matrix_create(x, grid, layout, long, max(1, m_loc), ierr)
    end if
    call expect_refused(ierr, 'leading dimension')
    if (my_rank == ranks - 1) then
      call cyclade_matrix_create(x, grid, layout, original(:, 1:n_loc - 1), ierr)
    else
      call cyclade_matrix_create(x, grid, layout, original, ierr)
    end if
    call expect_refused(ierr, 'array is')
    call cyclade_matrix_create(x, grid, layout, frame(::2, :), ierr)
    call expect_refused(ierr, 'not contiguous')
    call cyclade_matrix_create(x, grid, layout, frame(:, n_loc:1:-1), ierr)
    call expect_refused(ierr, 'ascending')
    call cyclade_matrix_create(x, grid, layout, long, max(1, m_loc))
    call cyclade_redistribute(MPI_COMM_WORLD, a, x, op='T')
    call expect(all(reshape(long(:m_loc * n_loc), [m_loc, n_loc]) == original), 'the transpose of a symmetric matrix')
    call cyclade_redistribute(MPI_COMM_WORLD, a, x, op='Q', ierr=ierr)
    call expect_refused(ierr, 'op')
    call cyclade_free(a)
    call cyclade_free(x)
    call cyclade_free(c)
  end subroutine

  subroutine test_real32(grid, row, col)
    type(cyclade_grid), intent(in) :: grid
    integer, intent(in) :: row, col
    type(cyclade_layout) :: layout
    type(cyclade_matrix) :: a, window
    real(real32), pointer :: x(:, :)
    integer :: i, j, ierr
    layout = awkward(grid)
    call cyclade_matrix_allocate(a, grid, layout, cyclade_s)
    call cyclade_matrix_local(a, x)
    do j = 1, size(x, 2)
      do i = 1, size(x, 1)
        x(i, j) = real(entry(layout, row, col, i, j, .false.), real32)
      end do
    end do
    call cyclade_invert(a, structure=cyclade_positive_definite, uplo='U', certificate=.false., seed=5_int64, &
                        panel_width=4, fallback=.true.)
    do j = 1, size(x, 2)
      do i = 1, size(x, 1)
        call expect(abs(x(i, j) - entry(layout, row, col, i, j, .true.)) < 1e-2, 'its entries, real32')
      end do
    end do
    call cyclade_matrix_window(window, a, 3, n + 1, 3, n, ierr)
    call expect_refused(ierr, 'rows')
    call cyclade_matrix_window(window, a, 4, 4, n, n)  ! one entry, zero
    call cyclade_free(a)
    call cyclade_invert(window, ierr=ierr)
    call expect(ierr == cyclade_singular, 'a zero is singular')
    call cyclade_free(window)
  end subroutine

  subroutine test_complex(grid, row, col)
    type(cyclade_grid), intent(in) :: grid
    integer, intent(in) :: row, col
    complex(real32), parameter :: u = (0, 2)
    type(cyclade_layout) :: layout
    type(cyclade_matrix) :: a, b
    complex(real32), allocatable, target :: x(:, :)
    complex(real64), allocatable, target :: y(:, :), flat(:)
    integer :: i, j, m_loc, n_loc
    layout = awkward(grid)
    m_loc = cyclade_local_size(layout%rows, row)
    n_loc = cyclade_local_size(layout%cols, col)
    allocate (x(m_loc, n_loc), y(m_loc, n_loc), flat(max(1, m_loc) * n_loc))
    do j = 1, n_loc
      do i = 1, m_loc
        x(i, j) = u * real(entry(layout, row, col, i, j, .false.), real32)
        y(i, j) = u * entry(layout, row, col, i, j, .false.)
      end do
    end do
    call cyclade_matrix_create(a, grid, layout, x)
    call cyclade_invert(a, method=cyclade_gauss_jordan)
    call cyclade_free(a)
    call cyclade_matrix_create(a, grid, layout, y)
    call cyclade_invert(a)
    call cyclade_matrix_create(b, grid, layout, flat, max(1, m_loc))
    call cyclade_redistribute(MPI_COMM_WORLD, a, b, op='C', budget_bytes=1000_int64)
    do j = 1, n_loc
      do i = 1, m_loc
        call expect(abs(x(i, j) - entry(layout, row, col, i, j, .true.) / u) < 1e-2, 'its entries, complex real32')
        call expect(abs(y(i, j) - entry(layout, row, col, i, j, .true.) / u) < 1e-10, 'its entries, complex real64')
        call expect(abs(flat(i + (j - 1) * m_loc) - conjg(y(i, j))) < 1e-10, 'the conjugate transpose')
      end do
    end do
    call cyclade_free(a)
    call cyclade_free(b)
  end subroutine

  subroutine test_files(grid, row, col, folder)
    type(cyclade_grid), intent(in) :: grid
    integer, intent(in) :: row, col
    character(*), intent(in) :: folder
    type(cyclade_layout) :: layout
    type(cyclade_matrix) :: a
    real(real64), allocatable, target :: x(:, :)
    real(real64), allocatable :: original(:, :)
    integer(int64) :: rows, cols
    integer :: i, j, type, ierr
    layout = awkward(grid)
    allocate (x(cyclade_local_size(layout%rows, row), cyclade_local_size(layout%cols, col)))
    do j = 1, size(x, 2)
      do i = 1, size(x, 1)
        x(i, j) = entry(layout, row, col, i, j, .false.)
      end do
    end do
    original = x
    call cyclade_matrix_create(a, grid, layout, x)
    call cyclade_write(a, folder // '/a.mtx', symmetry=cyclade_symmetric, comment='from Fortran')
    call cyclade_write(a, folder // '/a.npy  ', type=cyclade_s, order='R')
    call cyclade_inspect(grid, folder // '/a.npy', rows, cols, type)
    call expect(rows == n .and. cols == n .and. type == cyclade_s, 'what the file holds')
    x = 0
    call cyclade_read(a, folder // '/a.mtx')
    call expect(all(x == original), 'read from .mtx')
    x = 0
    call cyclade_read(a, folder // '/a.npy')
    call expect(all(x == original), 'read from .npy')
    call cyclade_read(a, folder // '/nowhere.npy', ierr)
    call expect(ierr == cyclade_error_file, 'no such file')
    call cyclade_free(a)
  end subroutine

  ! Indices from 1: 10 = 3 + 2 + 2 + 2 + 1 on two processes, from the second one on.
  subroutine test_axis()
    type(cyclade_axis) :: axis
    integer, parameter :: owner(10) = [1, 1, 1, 0, 0, 1, 1, 0, 0, 1], local(10) = [1, 2, 3, 1, 2, 4, 5, 3, 4, 6]
    integer :: i
    axis = cyclade_axis(n=10, block=2, first_block=3, ranks=2, source=1)
    do i = 1, 10
      call expect(cyclade_owner(axis, i) == owner(i), 'owner')
      call expect(cyclade_to_local(axis, i) == local(i), 'local index')
      call expect(cyclade_to_global(axis, local(i), owner(i)) == i, 'global index')
      call expect(cyclade_count_before(axis, i, owner(i)) == local(i) - 1, 'count')
      call expect(cyclade_to_local(axis, int(i, int64)) == local(i), 'local index, int64')
    end do
    call expect(cyclade_count_before(axis, 11, 1) == 6 .and. cyclade_local_size(axis, 0) == 4, 'sizes')
    call expect(cyclade_owner(axis, 0) == cyclade_nowhere .and. cyclade_owner(axis, 11) == cyclade_nowhere, 'outside')
    call expect(cyclade_to_local(axis, 11) == cyclade_nowhere .and. cyclade_to_global(axis, 5, 0) == cyclade_nowhere, &
                'outside, too')
  end subroutine

  subroutine test_words()
    type(cyclade_grid) :: none
    type(cyclade_matrix) :: nothing
    integer :: ierr, p, q
    call expect(len(cyclade_version()) >= 5, 'version')
    call expect(cyclade_status_name(cyclade_singular) == 'singular', 'name of a status')
    call cyclade_cheapest_shape(7, 10, p, q)
    call expect(p == 2 .and. q == 3, 'cheapest shape')
    call cyclade_grid_get(none, p, ierr=ierr)
    call expect_refused(ierr, 'NULL')
    call cyclade_invert(nothing, ierr=ierr)
    call expect_refused(ierr, 'NULL')
    call cyclade_grid_create(none, MPI_COMM_NULL, ierr=ierr)
    call expect_refused(ierr, 'MPI_COMM_NULL')
    call cyclade_grid_create(none, MPI_COMM_WORLD, order='Z', ierr=ierr)
    call expect_refused(ierr, 'order')
    call cyclade_free(none)
  end subroutine

end module

program fortran_test
  use fortran_test_cases
  implicit none
  type(cyclade_grid) :: grid
  character(1000) :: argument
  integer :: p, row, col, rank, ierr
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, my_rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call get_command_argument(1, argument)
  if (argument == 'stop') call cyclade_grid_create(grid, MPI_COMM_WORLD, ranks + 1, 1)
  call test_axis()
  call test_words()
  do p = 1, ranks
    if (mod(ranks, p) /= 0) cycle
    call cyclade_grid_create(grid, MPI_COMM_WORLD, p, order=merge('R', 'C', mod(p, 2) == 1))
    call cyclade_grid_get(grid, my_row=row, my_col=col)
    call cyclade_grid_rank_of(grid, row, col, rank)
    call expect(rank == my_rank, 'my place in the grid')
    call test_real64(grid, row, col)
    call test_real32(grid, row, col)
    call test_complex(grid, row, col)
    call test_files(grid, row, col, trim(argument))
    call cyclade_free(grid)
  end do
  call MPI_Allreduce(MPI_IN_PLACE, failures, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (my_rank == 0) print '(i0, a, i0, a)', failures, ' failures on ', ranks, ' ranks'
  call MPI_Finalize(ierr)
  if (failures > 0) error stop 'failed'
end program
