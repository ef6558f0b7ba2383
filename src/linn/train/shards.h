// A training step in shards.
//
// A batch is cut into a fixed number of shards, a power of two: consecutive examples, of about the same number. Each is
// planned and computed on its own, by one thread at a time, with random numbers of its own that depend on the step and
// the number of the shard. Several threads take a shard each, and so do the processes of a group, of which each has a
// range of consecutive shards. The gradients are added up along one tree (gradient_tree.h), between processes too, and
// every process makes the same step with the sum. So a result depends on the number of shards, but not on the number of
// threads or processes.
//
// Between processes, each adds up whole subtrees of its own. Then numbers are divided: of the parameters' gradients,
// and of the rows of tables, every process owns a part; it gets this part of all subtrees from the others, adds them up
// along the rest of the tree, and sends the sum to all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "linn/base/context.h"
#include "linn/base/settings.h"
#include "linn/nn/embedding.h"
#include "linn/nn/lanes.h"
#include "linn/train/gradient_tree.h"

namespace linn {

// What a shard leaves, and the sum over all.
struct ShardGradients {
  // False: the shard has no example that takes part in the step.
  bool present = false;
  AlignedArray<float> parameters;   // empty where they do not learn
  std::vector<RowGradient> tables;  // one for each shape
  std::vector<double> sums;         // losses and the like, the same number for all shards

  void set_parameters(std::span<const float> gradients);
  void set_table(std::size_t table, const SparseGradient& gradient, std::size_t width);
  SparseGradient table(std::size_t i) const { return {tables[i].rows, tables[i].values.data()}; }
};

struct TableShape {
  std::size_t rows = 0;
  std::size_t width = 0;
};

// Throws InputError if a training with these settings cannot be shared by the processes, or cut for the device.
void check_shards(const Settings& settings, Context& context);

class Shards {
 public:
  // At most as many processes as shards.
  Shards(std::size_t count, ProcessGroup& processes, ThreadPool& pool);
  Shards(const Shards&) = delete;
  Shards& operator=(const Shards&) = delete;

  std::size_t count() const { return count_; }
  // The shards of this process.
  RowRange own() const { return own_; }
  RowRange all() const { return {0, count_}; }
  bool owns(std::size_t shard) const { return shard >= own_.begin && shard < own_.end; }
  // The examples of a shard.
  RowRange part(std::size_t examples, std::size_t shard) const {
    return {examples * shard / count_, examples * (shard + 1) / count_};
  }
  template <class T>
  std::span<T> part(std::span<T> examples, std::size_t shard) const {
    const RowRange range = part(examples.size(), shard);
    return examples.subspan(range.begin, range.size());
  }

  // All threads of this process, and the pool for what is computed for one shard: the thread that works on it.
  ThreadPool& pool() { return pool_; }
  ThreadPool& alone(std::size_t shard) { return *alone_[shard]; }

  // Calls work(shard) for each shard of the range, side by side.
  template <class Work>
  void run(RowRange shards, Work&& work) {
    pool_.run(shards.size(), [&](std::size_t i, std::size_t) { work(shards.begin + i); });
  }

  // Of a shard of this process, with an element for each shape in `tables`.
  ShardGradients& gradients(std::size_t shard) { return gradients_[shard - own_.begin]; }

  // The sum of the gradients of all shards. `parameters` is their number, 0 where they do not learn. The result is not
  // present if no shard is; it stays until the next call. What the shards left is overwritten.
  const ShardGradients& add_up(std::size_t parameters, std::span<const TableShape> shapes);

  // The bytes that this process sent to and received from others in the last step.
  std::uint64_t sent() const { return sent_; }
  std::uint64_t received() const { return received_; }
  // The seconds that this took, with waiting for them.
  double exchange_seconds() const { return exchange_seconds_; }

 private:
  // The sum over a subtree.
  struct Block {
    bool present = false;
    float* parameters = nullptr;
    std::vector<RowPart> tables;
    double* sums = nullptr;
  };
  // A block as it came from another process: what it has of the part that this process owns.
  struct Received {
    Block block;
    std::vector<std::vector<std::uint32_t>> rows;
    std::vector<double> sums;
  };
  class Outgoing;
  class Incoming;

  std::vector<Block> add_up_own();
  void exchange(std::span<const Block> own);
  void put_part(Outgoing& out, const Block& block, std::size_t owner) const;
  void send(std::span<const std::span<const std::byte>> to, std::span<ProcessGroup::Message> from);
  void add_up_parts();
  void put_sum(Outgoing& out) const;
  void collect_sums();
  RowRange slice(std::size_t process) const;

  std::size_t count_;
  ProcessGroup& processes_;
  ThreadPool& pool_;
  std::vector<std::unique_ptr<ThreadPool>> alone_;
  RowRange own_;
  std::vector<Subtree> own_subtrees_;
  std::vector<std::vector<Addition>> own_additions_;  // by own subtree
  std::vector<std::size_t> first_block_;              // by process, and the number of all
  std::vector<Addition> additions_;                   // over the blocks of all processes

  // The step.
  std::vector<ShardGradients> gradients_;  // of own shards
  std::size_t parameters_ = 0;
  std::span<const TableShape> shapes_;
  std::vector<std::vector<RowGradient>> own_rows_;  // by own subtree and table
  std::vector<RowSum> row_sums_;                    // by table
  std::vector<ProcessGroup::Message> outgoing_, incoming_, sums_incoming_;
  std::vector<Received> blocks_;
  ShardGradients part_;  // the sum of what this process owns
  ShardGradients sum_;
  std::uint64_t sent_ = 0;
  std::uint64_t received_ = 0;
  double exchange_seconds_ = 0.0;
};

// The shards of a training; null if there is one, which is the whole batch.
std::unique_ptr<Shards> make_shards(std::size_t count, Context& context);

}  // namespace linn
