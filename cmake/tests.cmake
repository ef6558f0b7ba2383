# linn_tests contains every tests/**/*.cc (if LINN_UNIT_TESTS is on); each script tests/cli/*.sh except lib.sh tests the
# program, tests/mpi/processes.sh several processes of it, each tests/serve/*_test.py its service, and tests/page/page_test.py the page of that in a browser; tests/house.sh checks the rules of the library; and consumer uses an installed linn from a separate project.
if(LINN_TESTS STREQUAL "AUTO")
  find_package(GTest QUIET)
  find_package(rapidcheck QUIET)
  if(NOT GTest_FOUND OR NOT rapidcheck_FOUND)
    message(STATUS "GoogleTest or RapidCheck not found: no tests")
    return()
  endif()
else()
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()
include(GoogleTest)

file(GLOB_RECURSE linn_test_sources CONFIGURE_DEPENDS "tests/*.cc")
list(FILTER linn_test_sources EXCLUDE REGEX "/tests/(support/)?cuda/")
if(linn_test_sources AND LINN_UNIT_TESTS)
  add_executable(linn_tests ${linn_test_sources})
  linn_settings(linn_tests)
  # An EXPECT_ directly after an if, without braces, is intended. The tests need not be fast and compile faster with
  # little optimisation; the naive implementations in tests/support are slow enough to need it.
  target_compile_options(linn_tests PRIVATE -Wno-dangling-else $<IF:$<CONFIG:Debug>,-O0,-O1>)
  file(GLOB linn_test_support CONFIGURE_DEPENDS "tests/support/*.cc")
  set_source_files_properties(${linn_test_support} PROPERTIES COMPILE_OPTIONS -O1 SKIP_PRECOMPILE_HEADERS ON)
  target_include_directories(linn_tests PRIVATE tests)
  # Only where it is needed, so that all other files compile identically in every clone.
  set_source_files_properties(tests/model/safetensors_test.cc PROPERTIES
    COMPILE_DEFINITIONS "LINN_SOURCE_DIR=\"${CMAKE_CURRENT_SOURCE_DIR}\"")
  target_link_libraries(linn_tests PRIVATE linn_app GTest::gtest GTest::gtest_main rapidcheck rapidcheck_gtest
                                           fmt::fmt ZLIB::ZLIB hwy::hwy nlohmann_json::nlohmann_json)
  # Most of the compile time of a test is spent on these.
  target_precompile_headers(linn_tests PRIVATE <gtest/gtest.h> <rapidcheck/gtest.h> <string> <vector>)
  # Much of the rest is spent on their templates, so the tests of a folder are compiled together if the names of their
  # helpers do not clash.
  set_target_properties(linn_tests PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  foreach(folder base data embed logic metrics nn optim)
    file(GLOB sources CONFIGURE_DEPENDS "tests/${folder}/*.cc")
    set_source_files_properties(${sources} PROPERTIES UNITY_GROUP ${folder})
  endforeach()
  gtest_discover_tests(linn_tests DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 300)
endif()

# linn_cuda_tests compares what a GPU computes with the CPU. In a build without CUDA, tests/support/cuda has the same
# kernels compiled by the C++ compiler for an emulated runtime, whose fibers the sanitizers do not know. With
# LINN_CUDA_CHECK there are linn_gpu_tests besides.
if(LINN_UNIT_TESTS AND NOT LINN_TSAN AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  file(GLOB linn_cuda_test_sources CONFIGURE_DEPENDS "tests/cuda/*.cc")
  function(linn_add_cuda_tests name)
    add_executable(${name} ${linn_cuda_test_sources} ${ARGN})
    target_include_directories(${name} PRIVATE tests)
    target_link_libraries(${name} PRIVATE linn_internal GTest::gtest GTest::gtest_main)
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Werror -Wno-dangling-else -O1>)
  endfunction()
  if(NOT LINN_CUDA)
    add_subdirectory(tests/support/cuda)
    linn_add_cuda_tests(linn_cuda_tests $<TARGET_OBJECTS:linn_emulated_cuda>)
    target_compile_definitions(linn_cuda_tests PRIVATE LINN_EMULATED)
    target_include_directories(linn_cuda_tests BEFORE PRIVATE tests/support/cuda)
  else()
    linn_add_cuda_tests(linn_cuda_tests tests/cuda/device_trial.cu)
  endif()
  if(LINN_CUDA_CHECK)
    linn_add_cuda_tests(linn_gpu_tests tests/cuda/device_trial.cu $<TARGET_OBJECTS:linn_cuda>)
    target_link_libraries(linn_gpu_tests PRIVATE CUDA::cudart_static CUDA::cublas)
  endif()
  # Together, as they share the time to start a GPU.
  add_test(NAME cuda COMMAND linn_cuda_tests)
  set_tests_properties(cuda PROPERTIES TIMEOUT 900)
endif()

# What asks one model from several threads at once, for ThreadSanitizer: built and run with the preset tsan alone.
if(LINN_TSAN)
  file(GLOB linn_concurrent_sources CONFIGURE_DEPENDS "tests/*/concurrent_*_test.cc" "tests/support/*.cc")
  add_executable(linn_concurrent_tests ${linn_concurrent_sources} tests/linn_test.cc tests/base/thread_pool_test.cc
                                       tests/nn/forward_run_test.cc)
  linn_settings(linn_concurrent_tests)
  target_compile_options(linn_concurrent_tests PRIVATE -Wno-dangling-else -O1)
  target_include_directories(linn_concurrent_tests PRIVATE tests)
  target_link_libraries(linn_concurrent_tests PRIVATE linn_internal GTest::gtest GTest::gtest_main rapidcheck
                                                      rapidcheck_gtest)
  gtest_discover_tests(linn_concurrent_tests DISCOVERY_MODE PRE_TEST TEST_FILTER "Concurrent*:ThreadPool*"
                       PROPERTIES TIMEOUT 600)
  return()
endif()

file(GLOB linn_cli_tests CONFIGURE_DEPENDS "tests/cli/*.sh")
list(FILTER linn_cli_tests EXCLUDE REGEX "/lib\\.sh$")
foreach(script IN LISTS linn_cli_tests)
  get_filename_component(name "${script}" NAME_WE)
  if(name MATCHES "^(bench|documents|reproduce)$" AND CMAKE_BUILD_TYPE STREQUAL "Debug")
    continue()  # these would spend minutes in the sanitizers
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/cli-tests/${name}")
  file(MAKE_DIRECTORY "${folder}")
  add_test(NAME cli.${name} COMMAND bash "${script}" WORKING_DIRECTORY "${folder}")
  set_tests_properties(cli.${name} PROPERTIES
    COST 100  # the longest tests start first
    TIMEOUT 900 ENVIRONMENT "LINN=$<TARGET_FILE:linn_program>;LINN_SOURCE_DIR=${CMAKE_CURRENT_SOURCE_DIR}")
endforeach()

# tests/mpi/processes.sh runs several processes of a program with MPI, which is built for that if need be. MPI's own
# memory is not for sanitizers.
find_package(MPI QUIET COMPONENTS CXX)
if(MPI_CXX_FOUND AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  if(LINN_MPI)
    set(linn_mpi_program linn_program)
  else()
    set(linn_mpi_program linn_program_with_mpi)
    add_executable(linn_program_with_mpi src/app/cli/main.cc)
    linn_settings(linn_program_with_mpi)
    target_link_libraries(linn_program_with_mpi PRIVATE linn_app)
    linn_add_mpi(linn_program_with_mpi)
    set_target_properties(linn_program_with_mpi PROPERTIES OUTPUT_NAME linn
                          RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/mpi")
  endif()
  file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/mpi-tests")
  add_test(NAME mpi COMMAND bash "${CMAKE_CURRENT_SOURCE_DIR}/tests/mpi/processes.sh"
           WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/mpi-tests")
  set_tests_properties(mpi PROPERTIES COST 100 TIMEOUT 900
    ENVIRONMENT "LINN=$<TARGET_FILE:${linn_mpi_program}>;LINN_SOURCE_DIR=${CMAKE_CURRENT_SOURCE_DIR}")
endif()

# Each tests/serve/*_test.py asks a service as other programs do.
file(GLOB linn_serve_tests CONFIGURE_DEPENDS "tests/serve/*_test.py")
find_program(LINN_TEST_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(LINN_TEST_PYTHON NAMES python3)
foreach(script IN LISTS linn_serve_tests)
  get_filename_component(name "${script}" NAME_WE)
  string(REGEX REPLACE "_test$" "" name "${name}")
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/serve-tests/${name}")
  file(MAKE_DIRECTORY "${folder}")
  add_test(NAME serve.${name} COMMAND "${LINN_TEST_PYTHON}" -B "${script}" WORKING_DIRECTORY "${folder}")
  set_tests_properties(serve.${name} PROPERTIES COST 90 TIMEOUT 900
    ENVIRONMENT "LINN=$<TARGET_FILE:linn_program>;LINN_SOURCE_DIR=${CMAKE_CURRENT_SOURCE_DIR}")
endforeach()

add_test(NAME house COMMAND bash "${CMAKE_CURRENT_SOURCE_DIR}/tests/house.sh")
set(linn_house_environment "LINN_SOURCE_DIR=${CMAKE_CURRENT_SOURCE_DIR}")
if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  list(APPEND linn_house_environment "LINN_BUILD_DIR=${CMAKE_CURRENT_BINARY_DIR}")
  # Linked only to look at what it exports.
  add_library(linn_shared_check SHARED $<TARGET_OBJECTS:linn_objects> ${linn_cuda_objects})
  set_target_properties(linn_shared_check PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME linn
                        LIBRARY_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/house")
  target_link_libraries(linn_shared_check PRIVATE ${linn_dependencies})
  target_link_options(linn_shared_check PRIVATE -Wl,--no-undefined)
endif()
set_tests_properties(house PROPERTIES ENVIRONMENT "${linn_house_environment}")

# These test what is shipped.
if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(linn_page_folder "${CMAKE_CURRENT_BINARY_DIR}/page-test")
  file(MAKE_DIRECTORY "${linn_page_folder}")
  add_test(NAME page COMMAND "${LINN_TEST_PYTHON}" -B "${CMAKE_CURRENT_SOURCE_DIR}/tests/page/page_test.py"
           WORKING_DIRECTORY "${linn_page_folder}")
  set_tests_properties(page PROPERTIES COST 100 TIMEOUT 900 ENVIRONMENT "LINN=$<TARGET_FILE:linn_program>")

  string(TOUPPER "${CMAKE_BUILD_TYPE}" linn_build_type)
  add_test(NAME consumer
           COMMAND "${CMAKE_COMMAND}" -D "SOURCE=${CMAKE_CURRENT_SOURCE_DIR}/examples/library"
                   -D "BUILD=${CMAKE_CURRENT_BINARY_DIR}" -D "FOLDER=${CMAKE_CURRENT_BINARY_DIR}/consumer"
                   -D "GENERATOR=${CMAKE_GENERATOR}" -D "COMPILER=${CMAKE_CXX_COMPILER}"
                   -D "FLAGS=${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${linn_build_type}}"
                   -P "${CMAKE_CURRENT_SOURCE_DIR}/cmake/consumer_test.cmake")
  set_tests_properties(consumer PROPERTIES TIMEOUT 300)

  add_test(NAME package
           COMMAND "${CMAKE_COMMAND}" -D "CPACK=${CMAKE_CPACK_COMMAND}" -D "BUILD=${CMAKE_CURRENT_BINARY_DIR}"
                   -D "FOLDER=${CMAKE_CURRENT_BINARY_DIR}/package" -D "VERSION=${PROJECT_VERSION}"
                   -P "${CMAKE_CURRENT_SOURCE_DIR}/cmake/package_test.cmake")
  set_tests_properties(package PROPERTIES TIMEOUT 300)
endif()
