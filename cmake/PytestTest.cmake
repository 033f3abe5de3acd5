# pimdse_pytest(name LABEL ... [TIMEOUT s]) adds the Python tests of the current folder. They use the built binary and
# an environment in which Open MPI runs as root and with more ranks than cores. LAUNCHER is a command that runs the
# tests; its exit code 77 means that the tests cannot run on this host. The tests mostly wait for ranks to start and for
# points that sleep, so each counts as one processor. The tests with the longest TIMEOUT start first.
# `-p no:cacheprovider` keeps the source tree clean.
function(pimdse_pytest name)
  cmake_parse_arguments(T "" "LABEL;TIMEOUT;FOLDER;MARKS;LAUNCHER;PROCESSORS" "" ${ARGN})
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 600)
  endif()
  if(NOT T_PROCESSORS)
    set(T_PROCESSORS 1)
  endif()
  if(NOT T_FOLDER)
    set(T_FOLDER ${CMAKE_CURRENT_SOURCE_DIR})
  endif()
  if(T_MARKS)
    set(marks -m ${T_MARKS})
  endif()
  add_test(NAME ${name} COMMAND ${T_LAUNCHER} ${Python3_EXECUTABLE} -B -m pytest -q -p no:cacheprovider ${marks}
    ${T_FOLDER})
  set(environment
    "PIMDSE=$<TARGET_FILE:pimdse>"
    "PIMDSE_WORKBENCH=$<TARGET_FILE:pimdse_workbench>"
    "PIMDSE_ROOT=${PROJECT_SOURCE_DIR}"
    "MPIEXEC=${MPIEXEC_EXECUTABLE}"
    OMPI_ALLOW_RUN_AS_ROOT=1
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    OMPI_MCA_rmaps_base_oversubscribe=1
    OMPI_MCA_btl_vader_single_copy_mechanism=none
    MPLBACKEND=Agg
    PYTHONDONTWRITEBYTECODE=1
  )
  set_tests_properties(${name} PROPERTIES LABELS "${T_LABEL}" TIMEOUT ${T_TIMEOUT} PROCESSORS ${T_PROCESSORS}
    COST ${T_TIMEOUT} SKIP_RETURN_CODE 77 ENVIRONMENT "${environment}")
endfunction()
