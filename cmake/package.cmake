# `cpack` in the build folder packages everything that is installed.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME linn)
set(CPACK_PACKAGE_CONTACT "The linn developers <linn@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Neural networks that reason")
set(CPACK_PACKAGE_DESCRIPTION
    "Learns from logical equations, or from likes and dislikes, with neural modules that obey the laws of logic; predicts
how true an expression is, the value of each variable, and what a user will like next, and explains why.")
set(CPACK_RESOURCE_FILE_LICENSE "${CMAKE_CURRENT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
# Shared libraries are detected; the programs that linn starts to draw figures are not.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "gnuplot-nox, graphviz")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libfmt-dev, zlib1g-dev, libhwy-dev")  # to link with the library
include(CPack)
