// Reading and writing whole files and streams of lines.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace linn {

// The lines of a file, plain or gzip (told by its first bytes), one at a time, so that a file need not fit
// in memory. A line comes without its end (\n or \r\n); a byte-order mark at the start is dropped.
class LineReader {
 public:
  // Throws InputError if the file cannot be opened or read.
  explicit LineReader(std::filesystem::path path);
  // The lines of a text in memory, which must outlive the reader; `name` only stands for it in errors.
  LineReader(std::string_view text, std::filesystem::path name);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  // False at the end. The view is valid until the next call.
  bool next(std::string_view& line);
  // The number of the line last returned, from 1.
  std::size_t line_number() const;
  const std::filesystem::path& path() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A whole file, plain or gzip, byte for byte.
std::string read_file(const std::filesystem::path& path);

// Writes a file under a temporary name in the same folder and renames it in commit(); without commit()
// nothing is left behind, so a reader never sees half a file. A name ending in .gz is compressed. A link is
// followed, and a device or pipe is written into directly.
// Throws Failure where the disk does not take it.
class FileWriter {
 public:
  explicit FileWriter(std::filesystem::path path);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  void write(std::string_view text);
  // Brings all that was written to the disk, still under the temporary name. Nothing can be written any more.
  void finish();
  // finish(), unless that was done, and then the name.
  void commit();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

void write_file(const std::filesystem::path& path, std::string_view text);

// A file or folder by the one name that it has wherever it is asked for: from the root on, without ".", ".." and a
// slash at its end. Links are left as they are.
std::string absolute_name(const std::filesystem::path& path);

}  // namespace linn
