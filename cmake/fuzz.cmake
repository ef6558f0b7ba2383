# Each fuzz/*_fuzz.cc is a separate libFuzzer program; the target linn_fuzz builds them all.
file(GLOB linn_fuzz_sources CONFIGURE_DEPENDS "fuzz/*_fuzz.cc")
add_custom_target(linn_fuzz)

foreach(source IN LISTS linn_fuzz_sources)
  get_filename_component(name "${source}" NAME_WE)
  add_executable(${name} "${source}")
  linn_settings(${name})
  target_link_libraries(${name} PRIVATE linn_internal)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer,${linn_sanitizers})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/fuzz")
  add_dependencies(linn_fuzz ${name})
endforeach()
