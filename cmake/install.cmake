# find_package(limber) and pkg-config.
include(CMakePackageConfigHelpers)
set(limber_targets limber)
if(TARGET limber_io)
  list(APPEND limber_targets limber_io)
endif()
install(TARGETS ${limber_targets} EXPORT limber-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/include/limber DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT limber-targets NAMESPACE limber:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/limber)
configure_package_config_file(cmake/limber-config.cmake.in limber-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/limber)
write_basic_package_version_file(limber-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/limber-config.cmake ${CMAKE_BINARY_DIR}/limber-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/limber)
configure_file(cmake/limber.pc.in limber.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/limber.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
