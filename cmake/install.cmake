# Installs the program, the library, its public headers and the package for find_package(linn).
include(CMakePackageConfigHelpers)
set(linn_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/linn")

install(TARGETS linn EXPORT linnTargets)
install(TARGETS linn_program)
include(cmake/public_headers.cmake)
foreach(header IN LISTS linn_public_headers)
  get_filename_component(folder "${header}" DIRECTORY)
  set(source "${CMAKE_CURRENT_SOURCE_DIR}/src/${header}")
  if(header STREQUAL "linn/version.h")
    set(source "${linn_generated}/${header}")
  endif()
  install(FILES "${source}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/${folder}")
endforeach()
install(EXPORT linnTargets NAMESPACE linn:: DESTINATION "${linn_package_dir}")

configure_package_config_file(cmake/linnConfig.cmake.in "${CMAKE_CURRENT_BINARY_DIR}/linnConfig.cmake"
                              INSTALL_DESTINATION "${linn_package_dir}")
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/linnConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/linnConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/linnConfigVersion.cmake"
              cmake/FindHighway.cmake
        DESTINATION "${linn_package_dir}")
install(FILES "${linn_manual}" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
install(FILES "${linn_bash_completion}" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" RENAME linn)
install(FILES "${linn_zsh_completion}" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions" RENAME _linn)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY docs/ DESTINATION "${CMAKE_INSTALL_DOCDIR}" FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png")

# systemd looks for the program in /usr/local/bin and /usr/bin itself.
install(FILES cmake/linn-serve.service DESTINATION lib/systemd/system)
