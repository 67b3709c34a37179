# cyclade_test(<thing> [RANKS 1 2 3 ...] [SYNCHRONOUS 4 ...] [TIMEOUT s] [LIBRARIES ...]), called in tests/<folder>/CMakeLists.txt:
# <thing>_test.cpp becomes the program <folder>_<thing>_test. Without RANKS it runs alone, without MPI; with RANKS
# once under mpirun for each number, named <folder>.<thing>.np<ranks>. A hang is a failure: every test has a limit.
# SYNCHRONOUS: once more on those numbers of ranks, <folder>.<thing>.synchronous.np<ranks>, with an MPI that buffers no
# message (support/synchronous_sends.cpp).

set(CYCLADE_MPI_TEST_ENVIRONMENT
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
    OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_btl=self,vader
    OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
    UBSAN_OPTIONS=print_stacktrace=1 ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1)

# A program under mpirun on each of those numbers of ranks: <name>.np<ranks>. What else is given are its arguments.
function(cyclade_add_mpi_test name target numbers timeout)
  foreach(ranks IN LISTS numbers)
    add_test(NAME ${name}.np${ranks}
             COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} $<TARGET_FILE:${target}> ${ARGN})
    set_tests_properties(${name}.np${ranks} PROPERTIES TIMEOUT ${timeout} PROCESSORS 2 LABELS mpi
                         ENVIRONMENT "${CYCLADE_MPI_TEST_ENVIRONMENT}")
  endforeach()
endfunction()

function(cyclade_test thing)
  cmake_parse_arguments(arg "" "TIMEOUT" "RANKS;SYNCHRONOUS;LIBRARIES" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  set(target ${folder}_${thing}_test)
  add_executable(${target} ${thing}_test.cpp)
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES})
  if(NOT arg_RANKS)
    target_link_libraries(${target} PRIVATE cyclade cyclade_warnings GTest::gtest GTest::gmock GTest::gtest_main)
    add_test(NAME ${folder}.${thing} COMMAND ${target})
    set_tests_properties(${folder}.${thing} PROPERTIES TIMEOUT ${arg_TIMEOUT}
                         ENVIRONMENT "${CYCLADE_MPI_TEST_ENVIRONMENT}")
    return()
  endif()
  target_link_libraries(${target} PRIVATE cyclade_test_support)
  cyclade_add_mpi_test(${folder}.${thing} ${target} "${arg_RANKS}" ${arg_TIMEOUT})
  if(arg_SYNCHRONOUS)
    add_executable(${target}_synchronous $<TARGET_OBJECTS:${target}> ${PROJECT_SOURCE_DIR}/tests/support/synchronous_sends.cpp)
    target_link_libraries(${target}_synchronous PRIVATE cyclade_test_support ${arg_LIBRARIES})
    cyclade_add_mpi_test(${folder}.${thing}.synchronous ${target}_synchronous "${arg_SYNCHRONOUS}" ${arg_TIMEOUT})
  endif()
endfunction()
