#include "linn/base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <new>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "linn/base/error.h"
#include "linn/base/lock_file.h"

namespace linn {
namespace {

constexpr std::size_t kBufferSize = std::size_t{1} << 18;
// zlib counts bytes in int.
constexpr std::size_t kMaxTransfer = std::size_t{1} << 30;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
// Files may come from anybody: a small gzip file can hold a line, or a text, that fills all memory.
constexpr std::size_t kMaxLine = std::size_t{1} << 26;
// Tables, even very regular ones, unpack to less than a hundred times their size; zeros to a thousand times.
constexpr std::size_t kMaxRatio = 200;
constexpr std::size_t kSmall = std::size_t{1} << 27;  // bytes that do no harm

std::string system_message(int error) { return std::generic_category().message(error); }

InputError unreadable(const std::filesystem::path& path, std::string_view why) {
  return InputError(fmt::format("cannot be read: {}", why), Place{path.string(), 0, 0});
}

// A file open for reading. zlib passes plain files through unchanged, so both kinds share one code path.
class Source {
 public:
  explicit Source(const std::filesystem::path& path) : path_(path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) throw unreadable(path_, system_message(errno));
    struct stat status = {};
    if (::fstat(descriptor, &status) == 0) {
      if (S_ISDIR(status.st_mode)) {
        ::close(descriptor);
        throw unreadable(path_, "it is a folder");
      }
      if (S_ISREG(status.st_mode)) size_ = static_cast<std::size_t>(status.st_size);
    }
    file_ = gzdopen(descriptor, "rb");
    if (file_ == nullptr) {
      ::close(descriptor);
      throw std::bad_alloc();
    }
    gzbuffer(file_, static_cast<unsigned>(kBufferSize));
  }
  ~Source() { gzclose_r(file_); }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  // The size on disk, compressed or not; 0 if it has none, as for a pipe.
  std::size_t size_on_disk() const { return size_; }

  // Fills the buffer as far as the file goes; a short count means end of file. Throws InputError if the file unpacks to
  // far more than its size.
  std::size_t read(char* to, std::size_t space) {
    std::size_t filled = 0;
    while (filled < space) {
      const std::size_t wanted = std::min(space - filled, kMaxTransfer);
      errno = 0;
      const int got = gzread(file_, to + filled, static_cast<unsigned>(wanted));
      if (got < 0) fail();
      filled += static_cast<std::size_t>(got);
      unpacked_ += static_cast<std::size_t>(got);
      check_ratio();
      if (static_cast<std::size_t>(got) == wanted) continue;
      // gzread does not report a truncated stream as an error; it returns what it could decompress.
      int status = Z_OK;
      gzerror(file_, &status);
      if (status != Z_OK && status != Z_STREAM_END) fail();
      break;
    }
    return filled;
  }

 private:
  void check_ratio() {
    if (unpacked_ <= kSmall || gzdirect(file_) != 0) return;
    const z_off_t packed = gzoffset(file_);
    if (packed < 0 || unpacked_ / kMaxRatio <= static_cast<std::size_t>(packed)) return;
    throw unreadable(path_, fmt::format("it unpacks to more than {} times its size; unpack it first", kMaxRatio));
  }

  [[noreturn]] void fail() {
    const int system_error = errno;
    int status = Z_OK;
    gzerror(file_, &status);
    switch (status) {
      case Z_ERRNO:
        throw unreadable(path_, system_message(system_error));
      case Z_BUF_ERROR:
        throw unreadable(path_, "the gzip data is truncated");
      case Z_MEM_ERROR:
        throw std::bad_alloc();
      default:
        throw unreadable(path_, "the gzip data is damaged");
    }
  }

  const std::filesystem::path& path_;
  gzFile file_ = nullptr;
  std::size_t size_ = 0;
  std::size_t unpacked_ = 0;  // bytes read so far
};

}  // namespace

// The unread text is [position, end) of `data`, which points to the buffer or to the caller's text; up to `searched` it
// contains no line end.
struct LineReader::Impl {
  std::filesystem::path path;
  std::unique_ptr<Source> source;  // null when reading from memory, and after the end of the file
  std::vector<char> buffer;
  const char* data = nullptr;
  std::size_t position = 0, searched = 0, end = 0;
  std::size_t line = 0;

  void fill() {
    if (position > 0) {
      std::memmove(buffer.data(), buffer.data() + position, end - position);
      searched -= position;
      end -= position;
      position = 0;
    }
    if (end == buffer.size()) buffer.resize(std::max(kBufferSize, 2 * buffer.size()));
    data = buffer.data();
    const std::size_t space = buffer.size() - end;
    const std::size_t got = source->read(buffer.data() + end, space);
    end += got;
    if (got < space) source.reset();
  }

  void check_length(std::size_t length) const {
    if (length <= kMaxLine) return;
    throw InputError(fmt::format("the line is longer than {} MiB", kMaxLine >> 20), Place{path.string(), line + 1, 0});
  }

  // Spreadsheets call UTF-16 "Unicode text"; read as UTF-8, it would be nothing but unknown names.
  void skip_byte_order_mark() {
    const std::string_view text(data, end);
    if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
      throw InputError("the file is in UTF-16; save it as UTF-8", Place{path.string(), 0, 0});
    }
    if (text.starts_with(kByteOrderMark)) position = searched = kByteOrderMark.size();
  }
};

LineReader::LineReader(std::filesystem::path path) : impl_(std::make_unique<Impl>()) {
  impl_->path = std::move(path);
  impl_->source = std::make_unique<Source>(impl_->path);
  impl_->fill();
  impl_->skip_byte_order_mark();
}

LineReader::LineReader(std::string_view text, std::filesystem::path name) : impl_(std::make_unique<Impl>()) {
  impl_->path = std::move(name);
  impl_->data = text.data();
  impl_->end = text.size();
  impl_->skip_byte_order_mark();
}

LineReader::~LineReader() = default;

bool LineReader::next(std::string_view& line) {
  Impl& in = *impl_;
  const char* line_end = nullptr;
  while (true) {
    if (in.searched < in.end) {
      line_end = static_cast<const char*>(std::memchr(in.data + in.searched, '\n', in.end - in.searched));
      if (line_end != nullptr) break;
      in.searched = in.end;
    }
    if (in.source == nullptr) break;
    in.check_length(in.end - in.position);
    in.fill();
  }
  if (line_end == nullptr && in.position == in.end) return false;

  const std::size_t stop = line_end != nullptr ? static_cast<std::size_t>(line_end - in.data) : in.end;
  in.check_length(stop - in.position);
  line = std::string_view(in.data + in.position, stop - in.position);
  if (line.ends_with('\r')) line.remove_suffix(1);
  in.position = in.searched = line_end != nullptr ? stop + 1 : stop;
  ++in.line;
  return true;
}

std::size_t LineReader::line_number() const { return impl_->line; }

const std::filesystem::path& LineReader::path() const { return impl_->path; }

std::string read_file(const std::filesystem::path& path) {
  Source source(path);
  // One byte more than the file size lets the first read detect the end.
  std::string text(std::max(source.size_on_disk() + 1, kBufferSize), '\0');
  std::size_t end = 0;
  while (true) {
    const std::size_t space = text.size() - end;
    const std::size_t got = source.read(text.data() + end, space);
    end += got;
    if (got < space) break;
    text.resize(2 * text.size());
  }
  text.resize(end);
  return text;
}

namespace {

// A name that no other writer uses; opening it with O_EXCL guarantees that.
std::filesystem::path temporary_name(const std::filesystem::path& folder) {
  static std::atomic<unsigned> counter = 0;
  return folder / fmt::format(".linn-{}-{}.tmp", ::getpid(), counter++);
}

bool ends_with_gz(const std::filesystem::path& path) { return path.extension() == ".gz"; }

// Renames survive a crash of the machine only once their folder is on disk.
void sync_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;  // a folder that may be written but not read
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

bool is_temporary_name(const std::filesystem::path& name) {
  const std::string text = name.string();
  return text.starts_with(".linn-") && text.ends_with(".tmp");
}

// A writer keeps its file locked, so what can be locked here has lost its writer.
void remove_abandoned_files(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::directory_iterator entry(folder.empty() ? "." : folder, error);
  for (const std::filesystem::directory_iterator end; !error && entry != end; entry.increment(error)) {
    if (!is_temporary_name(entry->path().filename())) continue;
    const int descriptor = ::open(entry->path().c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0) continue;
    if (try_lock(descriptor) == LockAttempt::kTaken) ::unlink(entry->path().c_str());
    ::close(descriptor);
  }
}

struct FileWriter::Impl {
  std::filesystem::path shown;      // the path as the caller wrote it, for errors
  std::filesystem::path target;     // a final symbolic link is resolved, so that the link itself survives
  std::filesystem::path temporary;  // empty if there is nothing to rename or remove
  int descriptor = -1;
  gzFile compressed = nullptr;
  std::string buffer;
  bool finished = false;

  ~Impl() {
    if (compressed != nullptr) gzclose_w(compressed);
    if (descriptor >= 0) ::close(descriptor);
    if (!temporary.empty()) ::unlink(temporary.c_str());
  }

  [[noreturn]] void fail(std::string_view why) const {
    throw Failure(fmt::format("{}: cannot be written: {}", shown.string(), why));
  }

  void open(Links links) {
    std::error_code ignored;
    target = shown;
    if (links == Links::kFollow && std::filesystem::is_symlink(shown, ignored)) {
      const std::filesystem::path resolved = std::filesystem::canonical(shown, ignored);
      if (!ignored) target = resolved;
    }
    const std::filesystem::file_status status = links == Links::kFollow
                                                    ? std::filesystem::status(target, ignored)
                                                    : std::filesystem::symlink_status(target, ignored);
    if (std::filesystem::is_directory(status)) fail("it is a folder");
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
        !std::filesystem::is_symlink(status)) {
      // Pipes and devices such as /dev/null are written directly; a rename would replace them with a file.
      descriptor = ::open(target.c_str(), O_WRONLY | O_CLOEXEC);
    } else {
      remove_abandoned_files(target.parent_path());
      while (!open_temporary()) {
      }
    }
    if (descriptor < 0) {
      const int error = errno;
      temporary.clear();
      fail(system_message(error));
    }
    if (!ends_with_gz(shown)) return;
    // zlib closes the descriptor it is given, but the file still has to be synced.
    const int copy = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) fail(system_message(errno));
    compressed = gzdopen(copy, "wb");
    if (compressed == nullptr) {
      ::close(copy);
      throw std::bad_alloc();
    }
    gzbuffer(compressed, static_cast<unsigned>(kBufferSize));
  }

  // Opens and locks a new temporary file. False: another process had one of this name, or took this one for abandoned
  // before it was locked.
  bool open_temporary() {
    temporary = temporary_name(target.parent_path());
    descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0) return errno != EEXIST;
    struct stat status = {};
    if (try_lock(descriptor) != LockAttempt::kHeldByOther && ::fstat(descriptor, &status) == 0 && status.st_nlink > 0) {
      return true;
    }
    ::close(std::exchange(descriptor, -1));
    return false;
  }

  void write_compressed(std::string_view text) {
    while (!text.empty()) {
      const std::size_t part = std::min(text.size(), kMaxTransfer);
      if (gzwrite(compressed, text.data(), static_cast<unsigned>(part)) <= 0) fail(system_message(errno));
      text.remove_prefix(part);
    }
  }

  void write_plain(std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = ::write(descriptor, text.data(), std::min(text.size(), kMaxTransfer));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(system_message(errno));
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  void write(std::string_view text) {
    if (compressed != nullptr) return write_compressed(text);
    if (buffer.size() + text.size() <= kBufferSize) {
      buffer += text;
      return;
    }
    flush();
    if (text.size() < kBufferSize) {
      buffer += text;
    } else {
      write_plain(text);
    }
  }

  void flush() {
    write_plain(buffer);
    buffer.clear();
  }

  void finish() {
    assert(!finished);
    if (compressed != nullptr) {
      const int status = gzclose_w(std::exchange(compressed, nullptr));
      if (status != Z_OK) fail(status == Z_ERRNO ? system_message(errno) : "compression failed");
    } else {
      flush();
    }
    // Without the sync, a crash could leave an empty file under the new name.
    if (!temporary.empty() && ::fsync(descriptor) != 0) fail(system_message(errno));
    finished = true;
  }

  void commit() {
    if (!finished) finish();
    if (!temporary.empty()) {
      if (::rename(temporary.c_str(), target.c_str()) != 0) fail(system_message(errno));
      temporary.clear();
      sync_folder(target.parent_path());
    }
    // Closed last: until the rename the lock tells others that the file has a writer.
    if (::close(std::exchange(descriptor, -1)) != 0) fail(system_message(errno));
  }
};

FileWriter::FileWriter(std::filesystem::path path, Links links) : impl_(std::make_unique<Impl>()) {
  impl_->shown = std::move(path);
  impl_->open(links);
}

FileWriter::~FileWriter() = default;

void FileWriter::write(std::string_view text) { impl_->write(text); }

void FileWriter::finish() { impl_->finish(); }
void FileWriter::commit() { impl_->commit(); }

void write_file(const std::filesystem::path& path, std::string_view text, Links links) {
  FileWriter writer(path, links);
  writer.write(text);
  writer.commit();
}

void create_folder(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status)) return;
  if (std::filesystem::exists(status)) throw InputError("is not a folder", Place{path.string(), 0, 0});
  std::filesystem::create_directories(path, error);
  if (error) throw Failure(fmt::format("{}: cannot be created: {}", path.string(), error.message()));
}

std::string absolute_name(const std::filesystem::path& path) {
  const std::filesystem::path whole = std::filesystem::absolute(path).lexically_normal();
  return (whole.has_filename() || whole == whole.root_path() ? whole : whole.parent_path()).string();
}

}  // namespace linn
