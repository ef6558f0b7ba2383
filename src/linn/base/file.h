// Reading and writing whole files and streams of lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace linn {

// Reads a plain or gzip file (detected by its first bytes) line by line, so the file need not fit in memory. Lines come
// without their terminator (\n or \r\n), and a leading byte-order mark is skipped; that of UTF-16 is refused. A gzip
// file that unpacks to far more than its size is refused as one that cannot be read.
class LineReader {
 public:
  // Throws InputError if the file cannot be opened or read, or is in UTF-16.
  explicit LineReader(std::filesystem::path path);
  // Reads lines from text in memory, which must outlive the reader; `name` is used in error messages only.
  LineReader(std::string_view text, std::filesystem::path name);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  // Returns false at the end. The view is valid until the next call. Throws InputError if a line is longer than 64 MiB.
  bool next(std::string_view& line);
  // The number of the last line returned, counting from 1.
  std::size_t line_number() const;
  const std::filesystem::path& path() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Reads a whole file, decompressing gzip. Throws InputError if the file cannot be read.
std::string read_file(const std::filesystem::path& path);

// What becomes of a symbolic link in the place of a file that is written: its target is written, or the file takes the
// place of the link. Targets of links in folders of our own are none of our files.
enum class Links : std::uint8_t { kFollow, kReplace };

// Writes to a temporary file in the same folder, which commit() renames; without commit() nothing remains, so a reader
// never sees a partial file. A name ending in .gz is compressed. Devices and pipes are written directly. Throws Failure
// if the file cannot be written.
class FileWriter {
 public:
  explicit FileWriter(std::filesystem::path path, Links links = Links::kFollow);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  void write(std::string_view text);
  // Flushes everything to disk, still under the temporary name. Nothing can be written afterwards.
  void finish();
  // Calls finish() if necessary, then renames the file.
  void commit();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The names of temporary files. Those of a process that was killed stay behind until something else is written into
// their folder.
bool is_temporary_name(const std::filesystem::path& name);
void remove_abandoned_files(const std::filesystem::path& folder);

void write_file(const std::filesystem::path& path, std::string_view text, Links links = Links::kFollow);

// Creates a folder, and those it is in, unless it is there. Throws InputError if a file is in the way, and Failure if
// it cannot be created.
void create_folder(const std::filesystem::path& path);

// The canonical name of a file or folder: absolute, without ".", ".." or a trailing slash. Symbolic links are kept.
std::string absolute_name(const std::filesystem::path& path);

}  // namespace linn
