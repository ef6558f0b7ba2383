#include "linn/base/file.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "linn/base/error.h"
#include "support/expect_error.h"
#include "support/temp_folder.h"

namespace linn {
namespace {

namespace fs = std::filesystem;

void write_bytes(const fs::path& path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::string read_bytes(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<std::string> lines_of(LineReader& reader) {
  std::vector<std::string> lines;
  std::string_view line;
  while (reader.next(line)) {
    lines.emplace_back(line);
    EXPECT_EQ(reader.line_number(), lines.size());
  }
  return lines;
}

std::vector<std::string> lines_in_memory(std::string_view text) {
  LineReader reader(text, "text");
  return lines_of(reader);
}

using Lines = std::vector<std::string>;

TEST(LineReader, AcceptsBothLineTerminators) {
  EXPECT_EQ(lines_in_memory(""), Lines{});
  EXPECT_EQ(lines_in_memory("a"), Lines{"a"});
  EXPECT_EQ(lines_in_memory("a\n"), Lines{"a"});
  EXPECT_EQ(lines_in_memory("\n\n"), (Lines{"", ""}));
  EXPECT_EQ(lines_in_memory("a\r\nb\rc\n\r\nd"), (Lines{"a", "b\rc", "", "d"}));
}

TEST(LineReader, DropsAByteOrderMarkAtTheStartOnly) {
  EXPECT_EQ(lines_in_memory("\xEF\xBB\xBF"), Lines{});
  EXPECT_EQ(lines_in_memory("\xEF\xBB\xBF"
                            "a\n\xEF\xBB\xBF"
                            "b"),
            (Lines{"a",
                   "\xEF\xBB\xBF"
                   "b"}));
}

TEST(LineReader, RefusesUtf16) {
  for (const std::string_view text : {std::string_view("\xFF\xFEu\0\n\0", 6), std::string_view("\xFE\xFF\0u", 4)}) {
    expect_input_error([&] { LineReader(text, "export.csv"); }, 0, 0, "is in UTF-16; save it as UTF-8", "export.csv");
  }
  EXPECT_EQ(lines_in_memory("\xFF"), Lines{"\xFF"});
}

TEST(LineReader, ReadsAFileLikeTextInMemory) {
  const TempFolder folder;
  const std::string text =
      "\xEF\xBB\xBF"
      "one\ntwo\r\n\nlast";
  write_file(folder / "plain", text);
  write_file(folder / "packed.gz", text);
  EXPECT_NE(read_bytes(folder / "packed.gz"), text);
  for (const char* name : {"plain", "packed.gz"}) {
    LineReader reader(folder / name);
    EXPECT_EQ(reader.path(), folder / name);
    EXPECT_EQ(lines_of(reader), lines_in_memory(text));
  }
}

TEST(LineReader, LinesMayBeLongerThanTheBuffer) {
  const TempFolder folder;
  Lines expected;
  std::string text;
  for (const std::size_t length : {0U, 1U, 262'143U, 262'144U, 262'145U, 3U, 2'000'000U, 0U, 7U}) {
    expected.emplace_back(length, static_cast<char>('a' + expected.size()));
    text += expected.back() + "\r\n";
  }
  for (const char* name : {"plain", "packed.gz"}) {
    write_file(folder / name, text);
    LineReader reader(folder / name);
    EXPECT_EQ(lines_of(reader), expected);
  }
}

RC_GTEST_PROP(LineReader, JoiningTheLinesGivesTheTextBack, (const std::vector<std::string>& parts)) {
  std::string text = "\n";  // so that the text does not start with a byte-order mark
  for (const std::string& part : parts) text += part + "\n";
  std::string joined;
  LineReader reader(text, {});
  std::string_view line;
  while (reader.next(line)) {
    joined += line;
    // The terminator that was removed follows the view.
    joined += line.data()[line.size()] == '\r' ? "\r\n" : "\n";
  }
  RC_ASSERT(joined == text);
}

TEST(ReadFile, GivesBackWhatWasWritten) {
  const TempFolder folder;
  for (const std::size_t size : {0U, 1U, 262'143U, 262'144U, 700'001U}) {
    std::string text(size, '\0');
    for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * i % 251);
    for (const char* name : {"plain", "packed.gz"}) {
      write_file(folder / name, text);
      EXPECT_EQ(read_file(folder / name), text) << name << " " << size;
    }
    EXPECT_EQ(read_bytes(folder / "plain"), text);
  }
}

TEST(ReadFile, TellsGzipByItsBytesNotByItsName) {
  const TempFolder folder;
  write_file(folder / "packed.gz", "packed");
  fs::rename(folder / "packed.gz", folder / "packed.txt");
  EXPECT_EQ(read_file(folder / "packed.txt"), "packed");
  write_bytes(folder / "plain.gz", "plain");
  EXPECT_EQ(read_file(folder / "plain.gz"), "plain");
}

TEST(ReadFile, JoinsTheMembersOfAGzipFile) {
  const TempFolder folder;
  write_file(folder / "a.gz", "one ");
  write_file(folder / "b.gz", "two");
  write_bytes(folder / "ab.gz", read_bytes(folder / "a.gz") + read_bytes(folder / "b.gz"));
  EXPECT_EQ(read_file(folder / "ab.gz"), "one two");
}

TEST(ReadFile, ReadsAPipe) {
  const TempFolder folder;
  int ends[2] = {};
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "piped", 5), 5);
  ::close(ends[1]);
  EXPECT_EQ(read_file("/dev/fd/" + std::to_string(ends[0])), "piped");
  ::close(ends[0]);
}

void read_lines(const fs::path& path) {
  LineReader reader(path);
  lines_of(reader);
}

TEST(Reading, AMissingFileIsNamed) {
  const TempFolder folder;
  expect_input_error([&] { read_file(folder / "none.tsv"); }, 0, 0, "No such file", "none.tsv");
  expect_input_error([&] { read_lines(folder / "none.tsv"); }, 0, 0, "No such file", "none.tsv");
}

TEST(Reading, RejectsAFolder) {
  const TempFolder folder;
  expect_input_error([&] { read_file(folder.path()); }, 0, 0, "folder", folder.path().string());
  expect_input_error([&] { read_lines(folder.path()); }, 0, 0, "folder", folder.path().string());
}

TEST(Reading, AFileWithoutPermission) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const TempFolder folder;
  write_file(folder / "secret", "x");
  fs::permissions(folder / "secret", fs::perms::none);
  expect_input_error([&] { read_file(folder / "secret"); }, 0, 0, "ermission", "secret");
}

TEST(Reading, GzipCutOffAnywhere) {
  const TempFolder folder;
  std::string text;
  for (int i = 0; i < 3000; ++i) text += std::to_string(i * i) + "\n";
  write_file(folder / "whole.gz", text);
  const std::string whole = read_bytes(folder / "whole.gz");
  // Two bytes are needed to recognise gzip at all.
  for (std::size_t size = 2; size < whole.size(); size += size < 40 || size + 40 > whole.size() ? 1 : 97) {
    write_bytes(folder / "cut.gz", std::string_view(whole).substr(0, size));
    expect_input_error([&] { read_file(folder / "cut.gz"); }, 0, 0, "gzip", "cut.gz");
    expect_input_error([&] { read_lines(folder / "cut.gz"); }, 0, 0, "gzip", "cut.gz");
  }
}

TEST(Reading, DamagedGzip) {
  const TempFolder folder;
  std::string text;
  for (int i = 0; i < 3000; ++i) text += std::to_string(i * i) + "\n";
  write_file(folder / "damaged.gz", text);
  std::string bytes = read_bytes(folder / "damaged.gz");
  bytes[bytes.size() / 2] = static_cast<char>(~bytes[bytes.size() / 2]);
  write_bytes(folder / "damaged.gz", bytes);
  expect_input_error([&] { read_file(folder / "damaged.gz"); }, 0, 0, "gzip data is damaged", "damaged.gz");
}

std::size_t files_in(const TempFolder& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()));
}

TEST(FileWriter, WithoutCommitNothingIsLeft) {
  const TempFolder folder;
  for (const char* name : {"new", "new.gz"}) {
    {
      FileWriter writer(folder / name);
      writer.write(std::string(1'000'000, 'x'));
      EXPECT_EQ(files_in(folder), 1U);  // the temporary file is next to its target
      EXPECT_FALSE(fs::exists(folder / name));
    }
    EXPECT_EQ(files_in(folder), 0U);
  }
}

TEST(FileWriter, TheOldFileStaysUntilCommit) {
  const TempFolder folder;
  write_file(folder / "file", "old");
  { FileWriter(folder / "file").write("lost"); }
  EXPECT_EQ(read_file(folder / "file"), "old");
  FileWriter writer(folder / "file");
  writer.write("new");
  EXPECT_EQ(read_file(folder / "file"), "old");
  writer.finish();
  EXPECT_EQ(read_file(folder / "file"), "old");
  writer.commit();
  EXPECT_EQ(read_file(folder / "file"), "new");
  EXPECT_EQ(files_in(folder), 1U);
}

TEST(FileWriter, WritersOfTheSameFileDoNotInterfere) {
  const TempFolder folder;
  FileWriter first(folder / "file"), second(folder / "file");
  first.write("first");
  second.write("second");
  second.commit();
  first.commit();
  EXPECT_EQ(read_file(folder / "file"), "first");
  EXPECT_EQ(files_in(folder), 1U);
}

TEST(FileWriter, SmallAndLargePiecesKeepTheirOrder) {
  const TempFolder folder;
  for (const char* name : {"file", "file.gz"}) {
    std::string expected;
    FileWriter writer(folder / name);
    for (const std::size_t size : {3U, 200'000U, 100'000U, 0U, 300'000U, 5U, 262'144U, 262'143U, 1U}) {
      const std::string piece(size, static_cast<char>('a' + expected.size() % 26));
      writer.write(piece);
      expected += piece;
    }
    writer.commit();
    EXPECT_EQ(read_file(folder / name), expected);
  }
}

TEST(FileWriter, CompressesTheSameBytesEveryTime) {
  const TempFolder folder;
  write_file(folder / "a.gz", "the same text");
  write_file(folder / "b.gz", "the same text");
  EXPECT_EQ(read_bytes(folder / "a.gz"), read_bytes(folder / "b.gz"));
}

TEST(Reading, RefusesAGzipFileThatUnpacksToFarMore) {
  const TempFolder folder;
  {
    FileWriter out(folder / "bomb.gz");
    const std::string line = std::string(1000, 'x') + "\n";
    for (int i = 0; i < 200'000; ++i) out.write(line);
    out.commit();
  }
  ASSERT_LT(fs::file_size(folder / "bomb.gz"), 1'000'000U);
  expect_input_error([&] { read_file(folder / "bomb.gz"); }, 0, 0, "unpacks to more than 200 times", "bomb.gz");
  expect_input_error([&] { read_lines(folder / "bomb.gz"); }, 0, 0, "unpacks to more than 200 times", "bomb.gz");
}

TEST(FileWriter, TakesThePlaceOfALinkInOurOwnFolders) {
  const TempFolder folder;
  write_file(folder / "precious", "old");
  fs::create_symlink("precious", folder / "link");
  write_file(folder / "link", "new", Links::kReplace);
  EXPECT_FALSE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "link"), "new");
  EXPECT_EQ(read_file(folder / "precious"), "old");
}

TEST(FileWriter, FollowsALink) {
  const TempFolder folder;
  write_file(folder / "file", "old");
  fs::create_symlink("file", folder / "link");
  write_file(folder / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(read_bytes(folder / "file"), "new");
}

TEST(FileWriter, UsesTheUsualPermissions) {
  const TempFolder folder;
  const mode_t mask = ::umask(022);
  write_file(folder / "file", "text");
  ::umask(mask);
  EXPECT_EQ(fs::status(folder / "file").permissions(), static_cast<fs::perms>(0644));
}

TEST(FileWriter, ReportsAPlaceThatCannotBeWritten) {
  const TempFolder folder;
  EXPECT_THROW(FileWriter(folder / "none" / "file"), Failure);
  EXPECT_THROW(FileWriter{folder.path()}, Failure);
  try {
    FileWriter writer(folder / "none" / "file");
  } catch (const Failure& failure) {
    EXPECT_NE(std::string_view(failure.what()).find("none/file: cannot be written: No such file"),
              std::string_view::npos);
  }
}

TEST(FileWriter, ReportsAFullDisk) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "there is no device that is always full";
  const TempFolder folder;
  fs::create_symlink("/dev/full", folder / "full");
  fs::create_symlink("/dev/full", folder / "full.gz");
  for (const char* name : {"full", "full.gz"}) {
    EXPECT_THROW(write_file(folder / name, "x"), Failure);
    EXPECT_THROW(write_file(folder / name, std::string(3'000'000, 'x')), Failure);
    EXPECT_TRUE(fs::is_character_file(folder / name));
  }
}

TEST(AbsoluteName, IsTheSameForEverySpelling) {
  const std::string here = fs::current_path().string();
  for (const char* name : {"data", "data/", "./data", "other/../data/", "data//"}) {
    EXPECT_EQ(absolute_name(name), here + "/data") << name;
  }
  EXPECT_EQ(absolute_name("."), here);
  EXPECT_EQ(absolute_name("/"), "/");
}

TEST(FileWriter, RemovesWhatKilledWritersLeft) {
  const TempFolder folder;
  write_bytes(folder / ".linn-123-0.tmp", "half a file");
  write_bytes(folder / ".other.tmp", "of somebody else");
  FileWriter living(folder / "living");
  living.write("a");
  living.finish();
  write_file(folder / "new", "b");
  EXPECT_FALSE(fs::exists(folder / ".linn-123-0.tmp"));
  EXPECT_TRUE(fs::exists(folder / ".other.tmp"));
  living.commit();
  EXPECT_EQ(read_bytes(folder / "living"), "a");
}

TEST(LineReader, RefusesALineThatWouldFillTheMemory) {
  const TempFolder folder;
  {
    FileWriter out(folder / "long.gz");
    out.write("a\n");
    for (int i = 0; i < 70; ++i) out.write(std::string(std::size_t{1} << 20, 'x'));
    out.commit();
  }
  LineReader lines(folder / "long.gz");
  std::string_view line;
  EXPECT_TRUE(lines.next(line));
  expect_input_error([&] { lines.next(line); }, 2, 0, "the line is longer than 64 MiB", "long.gz");
}

TEST(Folders, AreCreatedOrRefused) {
  const TempFolder folder;
  create_folder(folder / "a" / "b");
  create_folder(folder / "a" / "b");
  EXPECT_TRUE(fs::is_directory(folder / "a" / "b"));
  write_file(folder / "file", "");
  expect_input_error([&] { create_folder(folder / "file"); }, 0, 0, "is not a folder");
  EXPECT_THROW(create_folder(folder / "file" / "c"), Failure);
}

}  // namespace
}  // namespace linn
