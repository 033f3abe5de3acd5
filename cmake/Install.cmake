# cmake --install BUILD --prefix PREFIX installs the program, its data, the Python package and scripts, completion,
# job files and documents. The program finds its data relative to its own folder (data_directory() in
# models/contract/toml_file.hpp). No installed file contains PREFIX, so that the whole tree can be moved.
set(data ${CMAKE_INSTALL_DATADIR}/pimdse)

# Libraries outside the system folders, such as those of modules, are searched where they were at build time.
set_target_properties(pimdse PROPERTIES INSTALL_RPATH_USE_LINK_PATH TRUE)
install(TARGETS pimdse RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY models spaces DESTINATION ${data}
  FILES_MATCHING PATTERN "*.toml" PATTERN "models/upmem/kernels/*.s" PATTERN "models/traffic/*.csv" PATTERN "*.md")
install(FILES ${PIMDSE_REPORT_PAGE} DESTINATION ${data}/report OPTIONAL)

# Scripts find the package in their own folder; the link makes `import pimdse` work for a Python of this prefix.
install(DIRECTORY analysis DESTINATION ${data} USE_SOURCE_PERMISSIONS
  FILES_MATCHING PATTERN "*.py" PATTERN "README.md" PATTERN "report" EXCLUDE PATTERN "__pycache__" EXCLUDE)
execute_process(COMMAND ${Python3_EXECUTABLE} -c "import sysconfig; print(sysconfig.get_path('purelib'))"
  OUTPUT_VARIABLE packages OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
string(REGEX MATCH "lib[0-9]*/python[0-9.]+/[a-z]+-packages$" packages "${packages}")
set(PIMDSE_PYTHON_DIR "${packages}" CACHE STRING
  "Folder below the prefix in which Python finds `import pimdse`; empty: no link is made")
if(PIMDSE_PYTHON_DIR)
  install(CODE "set(packages \"${PIMDSE_PYTHON_DIR}\")\nset(data \"${data}\")")
  install(CODE [[
    set(folder "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${packages}")
    file(RELATIVE_PATH package "/${packages}" "/${data}/analysis/pimdse")
    file(MAKE_DIRECTORY "${folder}")
    file(CREATE_LINK "${package}" "${folder}/pimdse" SYMBOLIC)
    message(STATUS "Linking: ${folder}/pimdse")]])
endif()

install(FILES completions/pimdse.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME pimdse)
install(DIRECTORY jobs DESTINATION ${data} USE_SOURCE_PERMISSIONS)
install(FILES README.md CHANGELOG.md CONTRIBUTING.md LICENSE CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY findings DESTINATION ${CMAKE_INSTALL_DOCDIR} USE_SOURCE_PERMISSIONS)
foreach(part dram noc pim)
  install(FILES sim/${part}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/sim/${part})
endforeach()
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR}
  FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png" PATTERN "*.toml" EXCLUDE)
# Documents refer to files of the source tree; the links lead to their installed copies among the data.
install(CODE "set(data \"${data}\")\nset(documents \"${CMAKE_INSTALL_DOCDIR}\")")
install(CODE [[
  foreach(folder models spaces analysis jobs)
    file(RELATIVE_PATH place "/${documents}" "/${data}/${folder}")
    file(CREATE_LINK "${place}" "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${documents}/${folder}" SYMBOLIC)
  endforeach()]])
