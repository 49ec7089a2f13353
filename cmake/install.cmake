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
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/limber-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/limber-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/limber)
# Paths are relative to limber.pc, so that the tree works wherever it is installed or moved to.
file(RELATIVE_PATH LIMBER_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH LIMBER_PC_LIBDIR ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH LIMBER_PC_INCLUDEDIR ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
list(TRANSFORM limber_targets PREPEND -l OUTPUT_VARIABLE LIMBER_PC_LIBRARIES)
list(REVERSE LIMBER_PC_LIBRARIES)
list(JOIN LIMBER_PC_LIBRARIES " " LIMBER_PC_LIBRARIES)
configure_file(cmake/limber.pc.in limber.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/limber.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
