# What ./run package ships. With MPI: a Debian package, which finds its libraries where the system has them. Without: a
# tree that brings its libraries along, for the archive and the wheel (packaging/make.sh).
if(PIMDSE_MPI)
  set_target_properties(pimdse PROPERTIES INSTALL_RPATH_USE_LINK_PATH FALSE INSTALL_RPATH "")
else()
  # The old kind of path (RPATH) also holds for what libraries need in turn, so that these stay the files that Debian
  # signed, and it goes before LD_LIBRARY_PATH, in which modules of a cluster put other versions of them.
  set_target_properties(pimdse PROPERTIES INSTALL_RPATH_USE_LINK_PATH FALSE INSTALL_RPATH "$ORIGIN/../lib/pimdse")
  target_link_options(pimdse PRIVATE -Wl,--disable-new-dtags)
endif()

# The licence where Debian's tools look for it.
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)

set(CPACK_GENERATOR DEB)
set(CPACK_OUTPUT_FILE_PREFIX ${CMAKE_BINARY_DIR}/dist)
# Without the component of those who link the simulators: its libraries would be nine tenths of the package.
set(CPACK_INSTALL_CMAKE_PROJECTS "${CMAKE_BINARY_DIR};${PROJECT_NAME};Unspecified;/")
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_CONTACT "The pimdse authors <pimdse@localhost>")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# mpirun for several ranks; the packages of `import pimdse` and of the scripts that draw.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS
  "openmpi-bin, python3, python3-numpy, python3-h5py, python3-pandas, python3-matplotlib")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Explores designs of processing-in-memory, near-memory and compute-in-memory
machines that serve language models: closed forms with bounds, simulation by
the cycle, exact Pareto fronts, the same results on any number of ranks.")
include(CPack)

enable_testing()
add_subdirectory(tests/package)
