# find_package(pimdse) provides pimdse::sim (DRAM channels, mesh network) and pimdse::models (the architectures). A
# program that links pimdse::models reads the data from ../share/pimdse relative to its own folder, or from
# $PIMDSE_DATA.
include(CMakeFindDependencyMacro)
find_dependency(fmt)
find_dependency(TBB)
find_dependency(tomlplusplus)
find_dependency(nlohmann_json)
find_dependency(ZLIB)
find_dependency(PkgConfig)
if(NOT TARGET PkgConfig::libxxhash)
  pkg_check_modules(libxxhash REQUIRED IMPORTED_TARGET libxxhash)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/pimdseTargets.cmake)
