# Installs BUILD into FOLDER/prefix, then builds the examples in SOURCE against it as a project of their own and runs them.
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

# What an example prints must match.
function(expect example pattern)
  execute_process(COMMAND "${FOLDER}/build/${example}" ${ARGN} OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  message(STATUS "${example} printed: ${output}")
  if(NOT output MATCHES "${pattern}")
    message(FATAL_ERROR "${example} should have printed what matches ${pattern}")
  endif()
endfunction()
expect(knowledge "wet & !dry: 0\\.[6-9].*rain +0\\.[6-9].*umbrella +0\\.[0-4]")
expect(knowledge "night: 0\\.[0-4]" "night")
expect(advice "\\+Alien,\\+Solaris,-Grease\n +(Blade|Contact|Gattaca|Arrival).*Because you liked.*-Alien,\\+Cabaret\n +(Chicago|Evita|Hair|Annie|Grease)")

execute_process(COMMAND "${FOLDER}/build/knowledge" "wet &" RESULT_VARIABLE status ERROR_VARIABLE complaint)
if(NOT status EQUAL 2 OR NOT complaint MATCHES "column 6")
  message(FATAL_ERROR "A broken question should be refused with its column, not ${status}: ${complaint}")
endif()

# No header needs another library's.
file(GLOB_RECURSE headers "${prefix}/include/linn/*.h")
foreach(header IN LISTS headers)
  file(STRINGS "${header}" foreign REGEX "#include [<\"](Eigen|hwy|nlohmann|fmt|zlib|boost|xxhash|CLI)")
  if(foreign)
    message(FATAL_ERROR "${header} needs another library: ${foreign}")
  endif()
endforeach()
execute_process(COMMAND "${prefix}/bin/linn" --version COMMAND_ERROR_IS_FATAL ANY)
