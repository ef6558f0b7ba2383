# Installs BUILD into FOLDER/prefix, checks the installed headers, builds the examples in SOURCE and the example that opens
# linn.h against the installation as a separate project, and runs them.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${FOLDER}")
set(prefix "${FOLDER}/prefix")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${prefix}" OUTPUT_QUIET
                COMMAND_ERROR_IS_FATAL ANY)

# The example in the opening comment of linn.h, from its first #include to the end of main, without the comment marks.
file(READ "${prefix}/include/linn/linn.h" header)
set(last_line "\n//   }\n")
string(FIND "${header}" "//   #include" begin)
string(FIND "${header}" "${last_line}" end)
if(begin EQUAL -1 OR end LESS begin)
  message(FATAL_ERROR "linn.h should open with an example")
endif()
string(LENGTH "${last_line}" length)
math(EXPR length "${end} + ${length} - ${begin}")
string(SUBSTRING "${header}" ${begin} ${length} opening)
string(REGEX REPLACE "(^|\n)// ? ? ?" "\\1" opening "${opening}")

file(COPY "${SOURCE}/" DESTINATION "${FOLDER}/source")
file(WRITE "${FOLDER}/source/opening.cc" "${opening}")
file(APPEND "${FOLDER}/source/CMakeLists.txt"
     "add_executable(opening opening.cc)\ntarget_link_libraries(opening PRIVATE linn::linn)\n")
execute_process(COMMAND "${CMAKE_COMMAND}" -S "${FOLDER}/source" -B "${FOLDER}/build" -G "${GENERATOR}"
                        -D "CMAKE_PREFIX_PATH=${prefix}" -D "CMAKE_CXX_COMPILER=${COMPILER}"
                        -D "CMAKE_CXX_FLAGS=${FLAGS}"
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${FOLDER}/build" COMMAND_ERROR_IS_FATAL ANY)

# Runs an example, whose output must match the pattern.
function(expect example pattern)
  execute_process(COMMAND "${FOLDER}/build/${example}" ${ARGN} WORKING_DIRECTORY "${FOLDER}" OUTPUT_VARIABLE output
                  ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
  message(STATUS "${example} printed: ${output}")
  if(NOT output MATCHES "${pattern}")
    message(FATAL_ERROR "${example} should have printed text that matches ${pattern}")
  endif()
endfunction()
expect(opening "^(0\\.9|1)[^\n]*\nSolaris  Because you liked Alien")
expect(knowledge "^wet & !dry: exact (0\\.9|1)[^\n]*, network 0\\.[6-9].*rain: 0\\.[6-9].*umbrella: 0\\.[0-4]")
expect(knowledge "^night: exact 0(\\.0[0-9]*)?, network 0\\.[0-4]" "night")
expect(recommend "likes: (0\\.9|1).*Newcomer 1\n  (Blade|Contact|Gattaca|Arrival)[^\n]*  Because you liked.*Newcomer 2\n  (Chicago|Evita|Annie|Grease).*Contact for newcomer 1: [0-9.]+\n.*  liked Alien: [0-9.]+\n")

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
  file(STRINGS "${prefix}/include/${header}" foreign REGEX "#include [<\"](hwy|nlohmann|fmt|zlib|boost|xxhash|CLI)")
  if(foreign)
    message(FATAL_ERROR "${header} needs another library: ${foreign}")
  endif()
endforeach()
execute_process(COMMAND "${prefix}/bin/linn" --version COMMAND_ERROR_IS_FATAL ANY)
