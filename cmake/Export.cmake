# Exports libraries and headers for other programs; see pimdseConfig.cmake.
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/pimdse)
get_property(architectures GLOBAL PROPERTY pimdse_architectures)
set(libraries flags base dram noc pim serving sim contract expression llm economy chips pair text service
  dram_files part_kinds ${architectures} models)
foreach(library IN LISTS libraries)
  set_target_properties(pimdse_${library} PROPERTIES EXPORT_NAME ${library})
endforeach()
list(TRANSFORM libraries PREPEND pimdse_ OUTPUT_VARIABLE targets)
install(TARGETS ${targets} EXPORT pimdseTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(EXPORT pimdseTargets NAMESPACE pimdse:: DESTINATION ${package} COMPONENT development)
install(DIRECTORY sim models DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pimdse COMPONENT development
  FILES_MATCHING PATTERN "*.hpp")
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/pimdseConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/pimdseConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/pimdseConfigVersion.cmake DESTINATION ${package}
  COMPONENT development)
