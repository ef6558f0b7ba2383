# What an installation holds: the program, the library, its headers and the package for find_package(linn).
include(CMakePackageConfigHelpers)
set(linn_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/linn")

install(TARGETS linn EXPORT linnTargets)
install(TARGETS linn_program)
# Headers that need those of other libraries are for the inside alone, and so are the program's and the reports'.
install(DIRECTORY src/linn DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h"
        PATTERN "cli" EXCLUDE PATTERN "reproduce" EXCLUDE PATTERN "report" EXCLUDE
        PATTERN "*json.h" EXCLUDE PATTERN "*_inl.h" EXCLUDE)
install(FILES "${linn_generated}/linn/version.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/linn")
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
install(DIRECTORY docs/ DESTINATION "${CMAKE_INSTALL_DOCDIR}" FILES_MATCHING PATTERN "*.md" PATTERN "*.svg")
