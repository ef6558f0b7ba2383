#include "linn/train/shards.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <chrono>
#include <cstring>
#include <string>

#include "linn/base/error.h"

namespace linn {
namespace {

constexpr std::size_t kBits = 32;

std::size_t words_for(std::size_t bits) { return (bits + kBits - 1) / kBits; }

// Rows that one of several processes owns: every so many-th, so that popular rows are spread. Row r is number r / size
// of process r % size.
struct RowShare {
  std::size_t owner = 0;
  std::size_t owners = 1;
  bool has(std::uint32_t row) const { return row % owners == owner; }
  // Of a table with so many rows.
  std::size_t rows(std::size_t all) const { return (all + owners - 1 - owner) / owners; }
};

}  // namespace

void check_shards(const Settings& settings, Context& context) {
  const ProcessGroup& processes = context.processes();
  if (context.device() != nullptr && (processes.size() > 1 || settings.get("shards") != "1")) {
    throw InputError("a GPU takes whole batches: shards and several processes are for the CPU");
  }
  if (processes.size() == 1) return;
  if (!settings.has("shards")) {
    throw InputError("this model is fitted at once, which one process does; start it without others");
  }
  const std::size_t shards = std::stoull(settings.get("shards"));
  if (shards >= processes.size()) return;
  throw InputError("each of the " + std::to_string(processes.size()) +
                   " processes needs at least one shard, but shards is " + std::to_string(shards) + "; set shards to " +
                   std::to_string(std::bit_ceil(processes.size())) + " or more");
}

void ShardGradients::set_parameters(std::span<const float> gradients) {
  parameters.reshape(gradients.size());
  std::ranges::copy(gradients, parameters.data());
}

void ShardGradients::set_table(std::size_t table, const SparseGradient& gradient, std::size_t width) {
  if (tables.size() <= table) tables.resize(table + 1);
  RowGradient& own = tables[table];
  own.rows.assign(gradient.rows.begin(), gradient.rows.end());
  own.values.reshape(own.rows.size() * width);
  std::copy_n(gradient.values, own.values.size(), own.values.data());
}

// A message under construction. The first pass measures it, the second one writes it.
class Shards::Outgoing {
 public:
  explicit Outgoing(std::byte* to = nullptr) : to_(to) {}
  template <class T>
  void put(const T* values, std::size_t count) {
    if (to_ != nullptr && count > 0) std::memcpy(to_ + size_, values, count * sizeof(T));
    size_ += count * sizeof(T);
  }
  void put(std::uint32_t value) { put(&value, 1); }

  // The rows of a gradient that the share has, as a list or, if that is shorter, as a bit for each row of the share.
  void put_rows(const RowShare& share, const TableShape& shape, std::span<const std::uint32_t> rows,
                const float* values) {
    std::uint32_t count = 0;
    for (const std::uint32_t row : rows) count += share.has(row) ? 1 : 0;
    put(count);
    const std::size_t words = words_for(share.rows(shape.rows));
    if (words < count) {
      bits_.assign(words, 0);
      for (const std::uint32_t row : rows) {
        if (!share.has(row)) continue;
        const std::size_t number = row / share.owners;
        bits_[number / kBits] |= 1U << (number % kBits);
      }
      put(bits_.data(), words);
    } else {
      for (const std::uint32_t row : rows) {
        if (share.has(row)) put(row);
      }
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (share.has(rows[i])) put(values + i * shape.width, shape.width);
    }
  }

  std::size_t size() const { return size_; }

 private:
  std::byte* to_;
  std::size_t size_ = 0;
  std::vector<std::uint32_t> bits_;
};

// Reads what Outgoing wrote, in the same order. The message must stay.
class Shards::Incoming {
 public:
  explicit Incoming(ProcessGroup::Message& message) : at_(message.data()), end_(message.data() + message.size()) {}

  template <class T>
  T* take(std::size_t count) {
    assert(count * sizeof(T) <= static_cast<std::size_t>(end_ - at_));
    T* const values = reinterpret_cast<T*>(at_);
    at_ += count * sizeof(T);
    return values;
  }
  std::uint32_t take_number() { return *take<std::uint32_t>(1); }
  void take_doubles(std::vector<double>& values) {  // which may not be aligned
    std::memcpy(values.data(), take<std::byte>(values.size() * sizeof(double)), values.size() * sizeof(double));
  }

  // Returns the values.
  const float* take_rows(const RowShare& share, const TableShape& shape, std::vector<std::uint32_t>& rows) {
    rows.clear();
    const std::uint32_t count = take_number();
    const std::size_t words = words_for(share.rows(shape.rows));
    if (words < count) {
      const std::uint32_t* const bits = take<std::uint32_t>(words);
      for (std::size_t i = 0; i < words; ++i) {
        for (std::uint32_t word = bits[i]; word != 0; word &= word - 1) {
          const std::size_t number = i * kBits + static_cast<std::size_t>(std::countr_zero(word));
          rows.push_back(static_cast<std::uint32_t>(number * share.owners + share.owner));
        }
      }
    } else {
      const std::uint32_t* const list = take<std::uint32_t>(count);
      rows.assign(list, list + count);
    }
    return take<float>(rows.size() * shape.width);
  }

 private:
  std::byte* at_;
  std::byte* end_;
};

Shards::Shards(std::size_t count, ProcessGroup& processes, ThreadPool& pool)
    : count_(count), processes_(processes), pool_(pool) {
  const std::size_t size = processes.size();
  assert(std::has_single_bit(count) && size <= count);
  own_ = {count * processes.rank() / size, count * (processes.rank() + 1) / size};
  for (std::size_t i = 0; i < count; ++i) alone_.push_back(std::make_unique<ThreadPool>(1, pool.stop(), 1));
  gradients_.resize(own_.size());

  std::vector<Subtree> blocks;
  for (std::size_t q = 0; q < size; ++q) {
    first_block_.push_back(blocks.size());
    std::ranges::copy(whole_subtrees(count * q / size, count * (q + 1) / size, count), std::back_inserter(blocks));
  }
  first_block_.push_back(blocks.size());
  additions_ = additions_to({0, count}, blocks);
  blocks_.resize(blocks.size());

  own_subtrees_ = whole_subtrees(own_.begin, own_.end, count);
  for (const Subtree& subtree : own_subtrees_) {
    std::vector<Subtree> leaves;
    for (std::size_t shard = subtree.begin; shard < subtree.end; ++shard) leaves.push_back({shard, shard + 1});
    own_additions_.push_back(additions_to(subtree, leaves));
  }
  own_rows_.resize(own_subtrees_.size());
  for (auto* messages : {&outgoing_, &incoming_, &sums_incoming_}) messages->resize(size);
}

std::unique_ptr<Shards> make_shards(std::size_t count, Context& context) {
  if (count == 1 && context.processes().size() == 1) return nullptr;
  return std::make_unique<Shards>(count, context.processes(), context.pool());
}

RowRange Shards::slice(std::size_t process) const {
  return {parameters_ * process / processes_.size(), parameters_ * (process + 1) / processes_.size()};
}

const ShardGradients& Shards::add_up(std::size_t parameters, std::span<const TableShape> shapes) {
  parameters_ = parameters;
  shapes_ = shapes;
  row_sums_.resize(shapes.size());
  sent_ = received_ = 0;
  exchange_seconds_ = 0.0;
  const std::vector<Block> own = add_up_own();
  if (processes_.size() > 1) {
    exchange(own);
    return sum_;
  }
  // One process has the whole tree.
  sum_.present = own[0].present;
  if (!sum_.present) return sum_;
  sum_.parameters.reshape(parameters);
  std::copy_n(own[0].parameters, parameters, sum_.parameters.data());
  sum_.tables.swap(own_rows_[0]);
  sum_.sums.assign(own[0].sums, own[0].sums + gradients_[0].sums.size());
  return sum_;
}

// The sums over the subtrees of this process.
std::vector<Shards::Block> Shards::add_up_own() {
  std::size_t sums = 0;
  for (const ShardGradients& shard : gradients_) sums = std::max(sums, shard.present ? shard.sums.size() : 0);
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < own_subtrees_.size(); ++i) {
    const std::span<ShardGradients> shards =
        std::span(gradients_)
            .subspan(own_subtrees_[i].begin - own_.begin, own_subtrees_[i].end - own_subtrees_[i].begin);
    std::vector<float*> parameters;
    std::vector<double*> doubles;
    std::vector<RowPart> rows(shards.size());
    for (ShardGradients& shard : shards) {
      shard.sums.resize(sums);
      parameters.push_back(shard.present && parameters_ > 0 ? shard.parameters.data() : nullptr);
      doubles.push_back(shard.present ? shard.sums.data() : nullptr);
    }
    Block block;
    block.present = std::ranges::any_of(shards, &ShardGradients::present);
    block.parameters = linn::add_up(own_additions_[i], parameters, parameters_, pool_);
    block.sums = linn::add_up(own_additions_[i], doubles, sums);
    own_rows_[i].resize(shapes_.size());
    for (std::size_t t = 0; t < shapes_.size() && block.present; ++t) {
      for (std::size_t s = 0; s < shards.size(); ++s) {
        rows[s] = shards[s].present ? RowPart{shards[s].tables[t].rows, shards[s].tables[t].values.data()} : RowPart{};
      }
      RowGradient& sum = own_rows_[i][t];
      if (shards.size() == 1) {
        std::swap(sum, shards[0].tables[t]);
      } else {
        row_sums_[t].run(own_additions_[i], rows, shapes_[t].rows, shapes_[t].width, sum, pool_);
      }
      block.tables.push_back({sum.rows, sum.values.data()});
    }
    blocks.push_back(std::move(block));
  }
  return blocks;
}

// A block: whether it is present, its sums, the rows of the receiver and its slice of the parameters.
void Shards::put_part(Outgoing& out, const Block& block, std::size_t owner) const {
  out.put(block.present ? 1U : 0U);
  if (!block.present) return;
  const std::size_t sums = gradients_[0].sums.size();
  out.put(static_cast<std::uint32_t>(sums));
  out.put(block.sums, sums);
  const RowRange numbers = slice(owner);
  out.put(block.parameters + numbers.begin, numbers.size());
  for (std::size_t t = 0; t < shapes_.size(); ++t) {
    out.put_rows({owner, processes_.size()}, shapes_[t], block.tables[t].rows, block.tables[t].values);
  }
}

void Shards::exchange(std::span<const Block> own) {
  const std::size_t size = processes_.size();
  for (std::size_t q = 0; q < size; ++q) {
    const auto put = [&](Outgoing& out) {
      out.put(processes_.is_asked_to_stop() ? 1U : 0U);
      for (const Block& block : own) put_part(out, block, q);
    };
    Outgoing measured;
    put(measured);
    outgoing_[q].reshape(measured.size());
    Outgoing written(outgoing_[q].data());
    put(written);
  }
  std::vector<std::span<const std::byte>> to;
  for (const auto& message : outgoing_) to.emplace_back(message.span());
  send(to, incoming_);
  std::swap(incoming_[processes_.rank()], outgoing_[processes_.rank()]);
  add_up_parts();

  ProcessGroup::Message& message = outgoing_[processes_.rank()];
  Outgoing measured;
  put_sum(measured);
  message.reshape(measured.size());
  Outgoing written(message.data());
  put_sum(written);
  send(std::vector<std::span<const std::byte>>(size, message.span()), sums_incoming_);
  std::swap(sums_incoming_[processes_.rank()], message);
  collect_sums();
}

void Shards::send(std::span<const std::span<const std::byte>> to, std::span<ProcessGroup::Message> from) {
  const auto start = std::chrono::steady_clock::now();
  processes_.exchange(to, from);
  exchange_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (std::size_t q = 0; q < processes_.size(); ++q) {
    if (q == processes_.rank()) continue;
    sent_ += to[q].size();
    received_ += from[q].size();
  }
}

// From the blocks of all processes to the sum of what this process owns; the other sums, which all have, are complete.
void Shards::add_up_parts() {
  const std::size_t rank = processes_.rank();
  const RowShare share = {rank, processes_.size()};
  std::vector<float*> parameters;
  std::vector<double*> doubles;
  std::size_t sums = 0;
  for (std::size_t q = 0; q < processes_.size(); ++q) {
    Incoming in(incoming_[q]);
    if (in.take_number() != 0) processes_.agree_to_stop();
    for (std::size_t b = first_block_[q]; b < first_block_[q + 1]; ++b) {
      Received& received = blocks_[b];
      Block& block = received.block;
      block.present = in.take_number() != 0;
      block.parameters = nullptr;
      block.tables.assign(shapes_.size(), {});
      block.sums = nullptr;
      if (block.present) {
        received.sums.resize(in.take_number());
        sums = received.sums.size();
        in.take_doubles(received.sums);
        block.sums = received.sums.data();
        if (parameters_ > 0) block.parameters = in.take<float>(slice(rank).size());
        received.rows.resize(shapes_.size());
        for (std::size_t t = 0; t < shapes_.size(); ++t) {
          const float* const values = in.take_rows(share, shapes_[t], received.rows[t]);
          block.tables[t] = {received.rows[t], values};
        }
      }
      parameters.push_back(block.parameters);
      doubles.push_back(block.sums);
    }
  }
  const float* const slice_sum = linn::add_up(additions_, parameters, slice(rank).size(), pool_);
  const double* const sums_sum = linn::add_up(additions_, doubles, sums);
  sum_.present = sums_sum != nullptr;
  sum_.sums.assign(sums_sum, sums_sum + (sum_.present ? sums : 0));
  part_.parameters.reshape(sum_.present ? slice(rank).size() : 0);
  if (slice_sum != nullptr) std::copy_n(slice_sum, part_.parameters.size(), part_.parameters.data());
  part_.tables.resize(shapes_.size());
  std::vector<RowPart> rows(blocks_.size());
  for (std::size_t t = 0; t < shapes_.size(); ++t) {
    for (std::size_t b = 0; b < blocks_.size(); ++b) rows[b] = blocks_[b].block.tables[t];
    row_sums_[t].run(additions_, rows, shapes_[t].rows, shapes_[t].width, part_.tables[t], pool_);
  }
}

void Shards::put_sum(Outgoing& out) const {
  if (!sum_.present) return;
  out.put(part_.parameters.data(), part_.parameters.size());
  const RowShare share = {processes_.rank(), processes_.size()};
  for (std::size_t t = 0; t < shapes_.size(); ++t) {
    out.put_rows(share, shapes_[t], part_.tables[t].rows, part_.tables[t].values.data());
  }
}

// From the parts of all processes to the whole sum.
void Shards::collect_sums() {
  if (!sum_.present) return;
  const std::size_t size = processes_.size();
  sum_.parameters.reshape(parameters_);
  sum_.tables.resize(shapes_.size());
  std::vector<Incoming> parts;
  for (std::size_t q = 0; q < size; ++q) {
    Incoming& in = parts.emplace_back(sums_incoming_[q]);
    std::copy_n(in.take<float>(slice(q).size()), slice(q).size(), sum_.parameters.data() + slice(q).begin);
  }
  std::vector<std::vector<std::uint32_t>> rows(size);
  std::vector<const float*> values(size);
  std::vector<std::uint64_t> touched;
  for (std::size_t t = 0; t < shapes_.size(); ++t) {
    const std::size_t width = shapes_[t].width;
    touched.assign(shapes_[t].rows / 64 + 1, 0);
    for (std::size_t q = 0; q < size; ++q) {
      values[q] = parts[q].take_rows({q, size}, shapes_[t], rows[q]);
      mark_rows(rows[q], touched);
    }
    RowGradient& sum = sum_.tables[t];
    list_rows(touched, sum.rows);
    sum.values.reshape(sum.rows.size() * width);
    for (std::size_t i = 0; i < sum.rows.size(); ++i) {
      const float*& next = values[sum.rows[i] % size];
      std::copy_n(next, width, sum.values.data() + i * width);
      next += width;
    }
  }
}

}  // namespace linn
