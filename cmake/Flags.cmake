# Warnings are errors only in continuous integration (preset "ci"). Floating point stays strict so that every rank gives
# the same bits. Programs that link the installed libraries do not inherit these options.
add_library(pimdse_flags INTERFACE)
target_compile_features(pimdse_flags INTERFACE cxx_std_20)
target_compile_options(pimdse_flags INTERFACE $<BUILD_INTERFACE:-Wall;-Wextra;-Wpedantic;-Wshadow>
  $<BUILD_INTERFACE:-Wno-missing-field-initializers;-ffp-contract=off>)
if(PIMDSE_WERROR)
  target_compile_options(pimdse_flags INTERFACE $<BUILD_INTERFACE:-Werror>)
endif()
# The optimizer of GCC 12 gives false warnings of these kinds (its bug 105651 and others): hundreds of lines of a build.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(pimdse_flags INTERFACE $<BUILD_INTERFACE:-Wno-restrict;-Wno-array-bounds>
    $<BUILD_INTERFACE:-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-maybe-uninitialized>)
endif()
if(PIMDSE_RELEASE)
  # A message about a bug names the file in the source tree, not where that was on the host that built it.
  target_compile_options(pimdse_flags INTERFACE $<BUILD_INTERFACE:-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=>)
endif()
target_include_directories(pimdse_flags INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/pimdse>)
# -O3 gains the simulators nothing (tests/bench) and costs a fifth of the compiler's time.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
# For modules that spend no time in their own code: -O1 halves what the optimizer costs. Call it after add_library and
# before pimdse_precompiled.
function(pimdse_short_build name)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  set_target_properties(${name} PROPERTIES PIMDSE_HEADERS pimdse_short_headers)
endfunction()
# A batch of sources allocates about two gigabytes. GCC would search it for garbage again and again, from 128 MB on: a
# seventh of its time.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(pimdse_flags INTERFACE $<BUILD_INTERFACE:--param=ggc-min-heapsize=1000000>)
endif()
# Headers of libraries, compiled once a level of optimization for all that say pimdse_precompiled(library): GCC 12
# brings the level of the precompiled headers along, so -O1 behind headers of -O2 costs half as much again. clang wants
# the same macros on every command line, so this is for GCC. No header of the project is among them: a change of it
# compiles only what includes it.
set(empty ${PROJECT_BINARY_DIR}/pimdse_headers.cpp)
if(NOT EXISTS ${empty})
  file(WRITE ${empty} "")
endif()
foreach(headers pimdse_headers pimdse_short_headers)
  add_library(${headers} OBJECT EXCLUDE_FROM_ALL ${empty})
  target_link_libraries(${headers} PUBLIC pimdse_flags fmt::fmt)
  target_precompile_headers(${headers} PRIVATE <algorithm> <array> <cmath> <functional> <map> <memory> <optional>
    <set> <span> <string> <unordered_map> <variant> <vector> <fmt/format.h> <fmt/ranges.h>)
endforeach()
pimdse_short_build(pimdse_short_headers)
function(pimdse_precompiled library)
  get_target_property(headers ${library} PIMDSE_HEADERS)
  if(NOT headers)
    set(headers pimdse_headers)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_precompile_headers(${library} REUSE_FROM ${headers})
  endif()
endfunction()
if(PIMDSE_SANITIZE STREQUAL "address")
  target_compile_options(pimdse_flags INTERFACE -fsanitize=address,undefined,float-cast-overflow
    -fno-sanitize-recover=undefined,float-cast-overflow
                         -fno-omit-frame-pointer)
  target_link_options(pimdse_flags INTERFACE -fsanitize=address,undefined,float-cast-overflow)
elseif(PIMDSE_SANITIZE STREQUAL "thread")
  target_compile_options(pimdse_flags INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(pimdse_flags INTERFACE -fsanitize=thread)
endif()
