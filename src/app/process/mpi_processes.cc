// For builds with MPI: the only file that knows it.
#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "app/process/processes.h"
#include "linn/base/error.h"

namespace linn::app {
namespace {

using Clock = std::chrono::steady_clock;

// MPI counts bytes as int, so messages go in pieces of so many bytes; a shorter one, if need be of none, is the last.
constexpr std::size_t kPiece = std::size_t{1} << 30U;

// A launcher that ends a job, because a process has died or the user wants that, tells every process so, and kills it a
// second later. Whoever then waits for another one this long gives up, while there is time to say so; those of higher
// rank wait a little longer, to hear that it has been said.
constexpr std::chrono::milliseconds kLastWait(600);
constexpr std::chrono::milliseconds kWaitPerRank(80);
constexpr std::size_t kMostRanks = 4;

// How long a process whose work has failed waits for the others to come to the same end.
constexpr std::chrono::seconds kLeaveWait(3);

// Waits without taking the core from others for long.
class Pause {
 public:
  void wait() {
    ++rounds_;
    if (rounds_ < 2000) {
      sched_yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(rounds_ < 20'000 ? 20 : 500));
    }
  }
  void reset() { rounds_ = 0; }

 private:
  int rounds_ = 0;
};

class MpiProcesses : public Processes {
 public:
  explicit MpiProcesses(std::function<bool()> is_stopped) : is_stopped_(std::move(is_stopped)) {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_dup(MPI_COMM_WORLD, &work_);
    MPI_Comm_dup(MPI_COMM_WORLD, &leaving_);
    int number = 0;
    MPI_Comm_rank(work_, &number);
    rank_ = static_cast<std::size_t>(number);
    MPI_Comm_size(work_, &number);
    size_ = static_cast<std::size_t>(number);
    std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
    int length = 0;
    MPI_Get_processor_name(name.data(), &length);
    host_.assign(name.data(), static_cast<std::size_t>(length));
  }

  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return size_; }
  std::string host() const override { return host_; }

  void exchange(std::span<const std::span<const std::byte>> to, std::span<Message> from) override {
    sends_.clear();
    for (std::size_t q = 0; q < size_; ++q) {
      if (q != rank_) send(to[q], static_cast<int>(q));
    }
    receives_.assign(size_, {});
    receives_[rank_].done = true;
    Pause pause;
    for (;;) {
      bool waits = false;
      for (std::size_t q = 0; q < size_; ++q) {
        if (receives_[q].done) continue;
        if (receive(receives_[q], static_cast<int>(q), from[q])) pause.reset();
        waits = waits || !receives_[q].done;
      }
      int sent = 0;
      MPI_Testall(static_cast<int>(sends_.size()), sends_.data(), &sent, MPI_STATUSES_IGNORE);
      if (!waits && sent != 0) return;
      if (must_give_up()) {
        throw Failure(
            "stopped while waiting for another process, which may have ended; the run can be resumed from where it is");
      }
      pause.wait();
    }
  }

  bool leave(int status) override {
    std::vector<int> statuses(size_);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallgather(&status, 1, MPI_INT, statuses.data(), 1, MPI_INT, leaving_, &request);
    const auto start = Clock::now();
    Pause pause;
    for (;;) {
      int complete = 0;
      MPI_Test(&request, &complete, MPI_STATUS_IGNORE);
      if (complete != 0) break;
      if ((status != 0 && Clock::now() - start > kLeaveWait) || must_give_up()) return tell_others();
      pause.wait();
    }
    all_leave_ = true;
    for (std::size_t q = 0; q < rank_; ++q) {
      if (statuses[q] != 0) return false;
    }
    return true;
  }

  void end(int status) override {
    if (all_leave_) {
      MPI_Finalize();
    } else {
      MPI_Abort(MPI_COMM_WORLD, status == 0 ? 1 : status);
    }
  }

 private:
  struct Receive {
    bool done = false;
    std::size_t size = 0;  // of the pieces so far
    std::size_t piece = 0;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  void send(std::span<const std::byte> bytes, int to) {
    for (;;) {
      const std::size_t piece = std::min(bytes.size(), kPiece);
      MPI_Isend(bytes.data(), static_cast<int>(piece), MPI_BYTE, to, 0, work_, &sends_.emplace_back());
      if (piece < kPiece) return;
      bytes = bytes.subspan(piece);
    }
  }

  // Returns whether anything happened.
  bool receive(Receive& state, int process, Message& message) {
    if (state.request == MPI_REQUEST_NULL) {
      int is_there = 0;
      MPI_Message handle = MPI_MESSAGE_NULL;
      MPI_Status status;
      MPI_Improbe(process, 0, work_, &is_there, &handle, &status);
      if (is_there == 0) return false;
      int count = 0;
      MPI_Get_count(&status, MPI_BYTE, &count);
      state.piece = static_cast<std::size_t>(count);
      if (state.size == 0) {
        message.reshape(state.piece);
      } else {
        Message longer(state.size + state.piece);
        std::memcpy(longer.data(), message.data(), state.size);
        message = std::move(longer);
      }
      MPI_Imrecv(message.data() + state.size, count, MPI_BYTE, &handle, &state.request);
    }
    int complete = 0;
    MPI_Test(&state.request, &complete, MPI_STATUS_IGNORE);
    if (complete == 0) return false;
    state.request = MPI_REQUEST_NULL;
    state.size += state.piece;
    state.done = state.piece < kPiece;
    return true;
  }

  // Whether this process is the first to say that the work has failed, while others may not even know.
  bool tell_others() {
    int is_told = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, 0, leaving_, &is_told, MPI_STATUS_IGNORE);
    if (is_told != 0) return false;
    // Messages of no length go out at once, even where nobody waits for them.
    for (std::size_t q = 0; q < size_; ++q) {
      MPI_Request request = MPI_REQUEST_NULL;
      if (q != rank_) MPI_Isend(nullptr, 0, MPI_BYTE, static_cast<int>(q), 0, leaving_, &request);
    }
    return true;
  }

  bool must_give_up() {
    if (!is_stopped_()) return false;
    const auto now = Clock::now();
    if (!stopped_at_) stopped_at_ = now;
    return now - *stopped_at_ > kLastWait + static_cast<int>(std::min(rank_, kMostRanks)) * kWaitPerRank;
  }

  std::function<bool()> is_stopped_;
  MPI_Comm work_ = MPI_COMM_NULL;
  MPI_Comm leaving_ = MPI_COMM_NULL;
  std::size_t rank_ = 0;
  std::size_t size_ = 1;
  std::string host_;
  std::vector<MPI_Request> sends_;
  std::vector<Receive> receives_;
  std::optional<Clock::time_point> stopped_at_;
  bool all_leave_ = false;
};

}  // namespace

std::unique_ptr<Processes> join_processes(std::function<bool()> is_stopped) {
  if (launched_processes() == 0) return nullptr;
  auto processes = std::make_unique<MpiProcesses>(std::move(is_stopped));
  // The first process alone prints results.
  if (!processes->is_first()) {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) {
      dup2(nowhere, STDOUT_FILENO);
      close(nowhere);
    }
  }
  return processes;
}

std::string message_passing() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string all(text.data(), static_cast<std::size_t>(length));
  return all.substr(0, all.find_first_of(",\n"));
}

}  // namespace linn::app
