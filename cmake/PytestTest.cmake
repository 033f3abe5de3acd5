# Tests of PIMDSE_LONG_TESTS start before all others, in that order, where ctest has not yet measured what each takes.
function(pimdse_cost test)
  list(FIND PIMDSE_LONG_TESTS ${test} place)
  if(place GREATER -1)
    math(EXPR cost "1000 - ${place}")
    set_tests_properties(${test} PROPERTIES COST ${cost})
  endif()
endfunction()

# pimdse_pytest(name LABEL ... [TIMEOUT s]) adds the Python tests of the current folder. They use the built binary and
# an environment in which Open MPI runs as root and with more ranks than cores. LAUNCHER is a command that runs the
# tests; its exit code 77 means that the tests cannot run on this host. The tests mostly wait for ranks to start and for
# points that sleep, so each counts as one processor. With EACH the files test_*.py whose names begin with the same word
# are a test of their own, name.word: they run beside each other, and TIMEOUT is that of one of them. With PARTS n the
# test, or that of the word PARTED, is dealt into n.
# Tests marked `campaign` are left out. Files that have such tests, are thinned, or ask whether it is CAMPAIGN, run in
# full as name_campaign, with PIMDSE_CAMPAIGN=1 in the environment, under the label campaign.
# `-p no:cacheprovider` keeps the source tree clean.
function(pimdse_pytest name)
  cmake_parse_arguments(T "EACH" "LABEL;TIMEOUT;FOLDER;LAUNCHER;PROCESSORS;PARTS;PARTED" "" ${ARGN})
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 600)
  endif()
  if(NOT T_PROCESSORS)
    set(T_PROCESSORS 1)
  endif()
  if(NOT T_FOLDER)
    set(T_FOLDER ${CMAKE_CURRENT_SOURCE_DIR})
  endif()
  if(NOT T_PARTS)
    set(T_PARTS 1)
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
  set(pytest ${T_LAUNCHER} ${Python3_EXECUTABLE} -B -m pytest -q -p no:cacheprovider)
  file(GLOB files CONFIGURE_DEPENDS ${T_FOLDER}/test_*.py)
  set(tests "")
  set(long_files "")
  foreach(file ${files})
    set(test ${name})
    if(T_EACH)
      cmake_path(GET file STEM stem)
      string(REGEX REPLACE "^test_([a-z]+).*$" "${name}.\\1" test ${stem})
    endif()
    list(APPEND tests ${test})
    list(APPEND files_of_${test} ${file})
    file(STRINGS ${file} campaign REGEX "mark\\.campaign|in_campaign|one_of|thinned|import CAMPAIGN")
    if(campaign)
      list(APPEND long_files ${file})
    endif()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endforeach()
  list(REMOVE_DUPLICATES tests)
  foreach(test ${tests})
    set(parts ${T_PARTS})
    if(T_PARTED AND NOT test STREQUAL "${name}.${T_PARTED}")
      set(parts 1)
    endif()
    foreach(part RANGE 1 ${parts})
      set(entry ${test})
      if(parts GREATER 1)
        set(entry ${test}.${part})
      endif()
      add_test(NAME ${entry} COMMAND ${pytest} -m "not campaign" ${files_of_${test}})
      set_tests_properties(${entry} PROPERTIES LABELS "${T_LABEL}" TIMEOUT ${T_TIMEOUT} PROCESSORS ${T_PROCESSORS}
        SKIP_RETURN_CODE 77 ENVIRONMENT "${environment};PIMDSE_PART=${part}/${parts}")
      pimdse_cost(${entry})
    endforeach()
  endforeach()
  if(long_files)
    add_test(NAME ${name}_campaign COMMAND ${pytest} ${long_files})
    set_tests_properties(${name}_campaign PROPERTIES LABELS campaign TIMEOUT 14400 SKIP_RETURN_CODE 77
      ENVIRONMENT "${environment};PIMDSE_CAMPAIGN=1")
  endif()
endfunction()
