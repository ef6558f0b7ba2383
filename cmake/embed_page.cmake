# The files of the page, src/app/serve/page, as a source file of the program: ${linn_page_source}. Run as a script, with
# FOLDER, FILES and OUTPUT, it writes that file.
if(CMAKE_SCRIPT_MODE_FILE)
  set(arrays "")
  set(table "")
  set(number 0)
  string(REPLACE "," ";" FILES "${FILES}")
  foreach(path IN LISTS FILES)
    file(READ "${FOLDER}/${path}" content HEX)
    file(SHA256 "${FOLDER}/${path}" tag)
    string(SUBSTRING "${tag}" 0 16 tag)
    string(LENGTH "${content}" size)
    math(EXPR size "${size} / 2")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," content "${content}")
    # A file may be empty, an array may not.
    string(APPEND arrays "const unsigned char file_${number}[] = {${content}0};\n")
    string(APPEND table
           "    {\"${path}\", {reinterpret_cast<const char*>(file_${number}), ${size}}, \"${tag}\"},\n")
    math(EXPR number "${number} + 1")
  endforeach()
  file(WRITE "${OUTPUT}" "// Made from src/app/serve/page.
#include \"app/serve/page_files.h\"

namespace linn::app {
namespace {

${arrays}
const PageFile kFiles[] = {
${table}};

}  // namespace

std::span<const PageFile> page_files() { return kFiles; }

}  // namespace linn::app
")
  return()
endif()

set(linn_page_folder "${CMAKE_CURRENT_SOURCE_DIR}/src/app/serve/page")
file(GLOB_RECURSE linn_page_files RELATIVE "${linn_page_folder}" CONFIGURE_DEPENDS "${linn_page_folder}/*")
list(TRANSFORM linn_page_files PREPEND "${linn_page_folder}/" OUTPUT_VARIABLE linn_page_paths)
list(JOIN linn_page_files "," linn_page_list)
set(linn_page_source "${CMAKE_CURRENT_BINARY_DIR}/generated/page_files.cc")
add_custom_command(
  OUTPUT "${linn_page_source}"
  COMMAND "${CMAKE_COMMAND}" -D "FOLDER=${linn_page_folder}" -D "FILES=${linn_page_list}" -D "OUTPUT=${linn_page_source}"
          -P "${CMAKE_CURRENT_LIST_FILE}"
  DEPENDS ${linn_page_paths} "${CMAKE_CURRENT_LIST_FILE}"
  COMMENT "Embedding the page"
  VERBATIM)
