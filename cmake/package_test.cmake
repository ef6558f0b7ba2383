# Builds the Debian package of BUILD in FOLDER, unpacks it, and runs the program in it.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${FOLDER}")
file(MAKE_DIRECTORY "${FOLDER}")
execute_process(COMMAND "${CPACK}" --config "${BUILD}/CPackConfig.cmake" -B "${FOLDER}" OUTPUT_QUIET
                COMMAND_ERROR_IS_FATAL ANY)
file(GLOB package "${FOLDER}/linn_*.deb")
list(LENGTH package count)
if(NOT count EQUAL 1)
  message(FATAL_ERROR "Expected one package, found: ${package}")
endif()

execute_process(COMMAND dpkg-deb --field "${package}" OUTPUT_VARIABLE fields COMMAND_ERROR_IS_FATAL ANY)
message(STATUS "${fields}")
foreach(pattern "Package: linn" "Version: ${VERSION}" "Depends: [^\n]*libc6" "Recommends: gnuplot-nox, graphviz")
  if(NOT fields MATCHES "${pattern}")
    message(FATAL_ERROR "The package should have ${pattern}")
  endif()
endforeach()

execute_process(COMMAND dpkg-deb --extract "${package}" "${FOLDER}/root" COMMAND_ERROR_IS_FATAL ANY)
foreach(file bin/linn include/linn/linn.h include/linn/version.h share/man/man1/linn.1 share/doc/linn/README.md
             share/bash-completion/completions/linn share/zsh/vendor-completions/_linn)
  if(NOT EXISTS "${FOLDER}/root/usr/${file}")
    message(FATAL_ERROR "The package should contain ${file}")
  endif()
endforeach()
execute_process(COMMAND "${FOLDER}/root/usr/bin/linn" normalize "a -> b" WORKING_DIRECTORY "${FOLDER}"
                OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
if(NOT output STREQUAL "!a | b\n")
  message(FATAL_ERROR "The program in the package printed: ${output}")
endif()
