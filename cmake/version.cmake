# Writes OUTPUT, the header linn/version.h, from VERSION and the commit checked out in SOURCE. The commit is "unknown"
# without git, without a commit, or if SOURCE is not the root of a repository.
cmake_minimum_required(VERSION 3.25)

set(COMMIT "unknown")
find_program(git NAMES git NO_CACHE)
if(git AND EXISTS "${SOURCE}/.git")
  execute_process(COMMAND "${git}" --no-optional-locks describe --always --dirty --abbrev=12 --exclude=*
                  WORKING_DIRECTORY "${SOURCE}" OUTPUT_VARIABLE described RESULT_VARIABLE result ERROR_QUIET
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(result EQUAL 0 AND described MATCHES "^[0-9a-f]+(-dirty)?$")
    set(COMMIT "${described}")
  endif()
endif()

configure_file("${CMAKE_CURRENT_LIST_DIR}/version.h.in" "${OUTPUT}" @ONLY)
