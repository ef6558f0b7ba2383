// The files of the page, which the program carries. page_files.cc is made by cmake/embed_page.cmake.
#pragma once

#include <span>
#include <string_view>

namespace linn::app {

struct PageFile {
  std::string_view path;  // such as index.html
  std::string_view content;
  std::string_view tag;  // changes with the content
};

std::span<const PageFile> page_files();

}  // namespace linn::app
