# Installs BUILD into FOLDER/prefix, then builds the project in SOURCE against it and runs that.
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
execute_process(COMMAND "${FOLDER}/build/consumer" "(rain & !umbrella) -> wet" OUTPUT_VARIABLE output
                COMMAND_ERROR_IS_FATAL ANY)
message(STATUS "It printed: ${output}")
if(NOT output MATCHES "rain.*umbrella.*->.*wet")
  message(FATAL_ERROR "The consumer should have printed the expression")
endif()
execute_process(COMMAND "${prefix}/bin/linn" --version COMMAND_ERROR_IS_FATAL ANY)
