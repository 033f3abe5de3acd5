# cmake -DROOT=... -DOUTPUT=... -P hash_sources.cmake: writes a C++ file with the SHA-256 of all that decides what a
# design answers: the sources of sim and models. Rewritten only when it changes.
file(GLOB_RECURSE sources RELATIVE ${ROOT} ${ROOT}/sim/*.cpp ${ROOT}/sim/*.hpp ${ROOT}/models/*.cpp
  ${ROOT}/models/*.hpp)
list(SORT sources)
set(all "")
foreach(source IN LISTS sources)
  file(SHA256 ${ROOT}/${source} sum)
  string(APPEND all "${source} ${sum}\n")
endforeach()
string(SHA256 sum "${all}")
string(CONCAT text "#include <string_view>\n\nnamespace pimdse::dse::space {\nstd::string_view program_hash();\n}\n\n"
  "std::string_view pimdse::dse::space::program_hash() { return \"${sum}\"; }\n")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT "${before}" STREQUAL "${text}")
  file(WRITE ${OUTPUT} "${text}")
endif()
