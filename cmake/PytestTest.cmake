# pimdse_pytest(name LABEL ... [TIMEOUT s]) adds the Python tests of the current folder. They use the built binary and
# an environment in which Open MPI runs as root and with more ranks than cores. LAUNCHER is a command that runs the
# tests; its exit code 77 means that the tests cannot run on this host. The tests mostly wait for ranks to start and for
# points that sleep, so each counts as one processor. The tests with the longest TIMEOUT start first. With EACH every
# file test_*.py is a test of its own, name.file: they run beside each other, and TIMEOUT is that of a file.
# `-p no:cacheprovider` keeps the source tree clean.
function(pimdse_pytest name)
  cmake_parse_arguments(T "EACH" "LABEL;TIMEOUT;FOLDER;MARKS;LAUNCHER;PROCESSORS" "" ${ARGN})
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
  set(tests ${name})
  set(${name}_path ${T_FOLDER})
  if(T_EACH)
    file(GLOB files CONFIGURE_DEPENDS ${T_FOLDER}/test_*.py)
    set(tests "")
    foreach(file ${files})
      cmake_path(GET file STEM stem)
      string(REPLACE "test_" "${name}." test ${stem})
      list(APPEND tests ${test})
      set(${test}_path ${file})
    endforeach()
  endif()
  foreach(test ${tests})
    add_test(NAME ${test} COMMAND ${T_LAUNCHER} ${Python3_EXECUTABLE} -B -m pytest -q -p no:cacheprovider ${marks}
      ${${test}_path})
    set_tests_properties(${test} PROPERTIES LABELS "${T_LABEL}" TIMEOUT ${T_TIMEOUT} PROCESSORS ${T_PROCESSORS}
      COST ${T_TIMEOUT} SKIP_RETURN_CODE 77 ENVIRONMENT "${environment}")
  endforeach()
endfunction()
