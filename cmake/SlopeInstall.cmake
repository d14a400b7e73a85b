# cmake --install: headers under include/slope, the library, the command, the corpus, the CMake package (find_package(slope)) and slope.pc.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS slope EXPORT slope_targets)
if(TARGET slope_command)
  install(TARGETS slope_command)
endif()
foreach(folder IN LISTS folders)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/${folder}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/slope" FILES_MATCHING PATTERN "*.h")
endforeach()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/models/data/corpus" DESTINATION "${CMAKE_INSTALL_DATADIR}/slope")

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/slope")
install(EXPORT slope_targets FILE slope-targets.cmake NAMESPACE slope:: DESTINATION "${package_folder}")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/slope-config.cmake.in" "${PROJECT_BINARY_DIR}/slope-config.cmake" INSTALL_DESTINATION "${package_folder}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/slope-config-version.cmake" COMPATIBILITY SameMajorVersion)
install(FILES "${PROJECT_BINARY_DIR}/slope-config.cmake" "${PROJECT_BINARY_DIR}/slope-config-version.cmake" DESTINATION "${package_folder}")

configure_file("${PROJECT_SOURCE_DIR}/cmake/slope.pc.in" "${PROJECT_BINARY_DIR}/slope.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/slope.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
