# find_package(pimdse) provides pimdse::sim (DRAM channels, mesh network) and pimdse::models (the architectures). A
# program that links pimdse::models reads the data from ../share/pimdse relative to its own folder, or from
# $PIMDSE_DATA.
include(CMakeFindDependencyMacro)
find_dependency(fmt)
find_dependency(TBB)
find_dependency(tomlplusplus)
find_dependency(nlohmann_json)
find_dependency(ZLIB)
find_dependency(OpenSSL)
find_dependency(PkgConfig)
foreach(library IN ITEMS libxxhash libdeflate)
  if(NOT TARGET PkgConfig::${library})
    pkg_check_modules(${library} REQUIRED IMPORTED_TARGET ${library})
  endif()
endforeach()
include(${CMAKE_CURRENT_LIST_DIR}/pimdseTargets.cmake)
