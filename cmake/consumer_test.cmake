# Installs BUILD into FOLDER/prefix, checks the installed headers, builds the examples in SOURCE against the installation
# as a separate project, and runs them.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${FOLDER}")
set(prefix "${FOLDER}/prefix")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${prefix}" OUTPUT_QUIET
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${FOLDER}/build" -G "${GENERATOR}"
                        -D "CMAKE_PREFIX_PATH=${prefix}" -D "CMAKE_CXX_COMPILER=${COMPILER}"
                        -D "CMAKE_CXX_FLAGS=${FLAGS}"
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${FOLDER}/build" COMMAND_ERROR_IS_FATAL ANY)

# Runs an example, whose output must match the pattern.
function(expect example pattern)
  execute_process(COMMAND "${FOLDER}/build/${example}" ${ARGN} OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  message(STATUS "${example} printed: ${output}")
  if(NOT output MATCHES "${pattern}")
    message(FATAL_ERROR "${example} should have printed text that matches ${pattern}")
  endif()
endfunction()
expect(knowledge "wet & !dry: 0\\.[6-9].*rain +0\\.[6-9].*umbrella +0\\.[0-4]")
expect(knowledge "night: 0\\.[0-4]" "night")
expect(advice "\\+Alien,\\+Solaris,-Grease\n +(Blade|Contact|Gattaca|Arrival).*Because you liked.*-Alien,\\+Cabaret\n +(Chicago|Evita|Hair|Annie|Grease)")

execute_process(COMMAND "${FOLDER}/build/knowledge" "wet &" RESULT_VARIABLE status ERROR_VARIABLE complaint)
if(NOT status EQUAL 2 OR NOT complaint MATCHES "column 6")
  message(FATAL_ERROR "An invalid expression should be rejected with its column, not ${status}: ${complaint}")
endif()

# The public headers are installed, and no others; each compiles alone and does not include another library.
include("${CMAKE_CURRENT_LIST_DIR}/public_headers.cmake")
file(GLOB_RECURSE installed RELATIVE "${prefix}/include" "${prefix}/include/*")
set(expected ${linn_public_headers})
list(SORT installed)
list(SORT expected)
if(NOT installed STREQUAL expected)
  message(FATAL_ERROR "The installed headers should be ${expected}, not ${installed}")
endif()
separate_arguments(flags UNIX_COMMAND "${FLAGS}")
foreach(header IN LISTS installed)
  file(WRITE "${FOLDER}/alone.cc" "#include \"${header}\"\n")
  execute_process(COMMAND "${COMPILER}" ${flags} -std=c++20 -Wall -Wextra -Werror -fsyntax-only "-I${prefix}/include"
                          "${FOLDER}/alone.cc" COMMAND_ERROR_IS_FATAL ANY)
  file(STRINGS "${prefix}/include/${header}" foreign REGEX "#include [<\"](Eigen|hwy|nlohmann|fmt|zlib|boost|xxhash|CLI)")
  if(foreign)
    message(FATAL_ERROR "${header} needs another library: ${foreign}")
  endif()
endforeach()
execute_process(COMMAND "${prefix}/bin/linn" --version COMMAND_ERROR_IS_FATAL ANY)
