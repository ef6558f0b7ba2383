// The access log on standard error, written by a thread of its own: a reader that does not read, such as a full pipe,
// costs lines of the log, and never keeps a request waiting.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

namespace linn::app {

class AccessLog {
 public:
  AccessLog();
  // Writes what is left, as far as it can be written at once.
  ~AccessLog();
  AccessLog(const AccessLog&) = delete;
  AccessLog& operator=(const AccessLog&) = delete;

  // A line without its end. It is dropped if too many are waiting.
  void add(std::string line);

 private:
  void run();
  // Whether the line could be written before the log is to end.
  bool write(const std::string& line);

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::string> waiting_;
  std::size_t dropped_ = 0;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace linn::app
