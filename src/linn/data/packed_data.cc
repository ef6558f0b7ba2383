#include "linn/data/packed_data.h"

#include <cassert>
#include <cstring>
#include <type_traits>
#include <vector>

namespace linn {
namespace {

class Packer {
 public:
  template <class T>
  void add(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <class T>
  void add_list(const std::vector<T>& values) {
    add(values.size());
    if (!values.empty()) bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  }
  void add_text(std::string_view text) {
    add(text.size());
    bytes_ += text;
  }
  void add_texts(const std::vector<std::string>& texts) {
    add(texts.size());
    for (const std::string& text : texts) add_text(text);
  }

  std::string& bytes() { return bytes_; }

 private:
  std::string bytes_;
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : left_(bytes) {}

  template <class T>
  T take() {
    T value;
    copy(&value, sizeof value);
    return value;
  }
  template <class T>
  void take_list(std::vector<T>& values) {
    values.resize(take<std::size_t>());
    if (!values.empty()) copy(values.data(), values.size() * sizeof(T));
  }
  std::string take_text() {
    std::string text(take<std::size_t>(), '\0');
    if (!text.empty()) copy(text.data(), text.size());
    return text;
  }
  std::vector<std::string> take_texts() {
    std::vector<std::string> texts(take<std::size_t>());
    for (std::string& text : texts) text = take_text();
    return texts;
  }
  void take_names(Vocabulary& names) {
    for (const std::string& name : take_texts()) names.intern(name);
  }

 private:
  void copy(void* to, std::size_t size) {
    assert(size <= left_.size());
    std::memcpy(to, left_.data(), size);
    left_.remove_prefix(size);
  }

  std::string_view left_;
};

// The nodes of a pool in their order, in which operands come before what is made of them; making them again gives them
// the same numbers. The first two are the constants.
constexpr std::size_t kFirstNode = 2;

void pack_pool(Packer& out, const ExpressionPool& pool) {
  out.add_texts(pool.variables().names());
  out.add(pool.size());
  for (std::uint32_t i = kFirstNode; i < pool.size(); ++i) {
    const Expr node{i};
    out.add(pool.op(node));
    if (pool.op(node) == Op::kVariable) {
      out.add(pool.variable_of(node));
    } else {
      const auto operands = pool.operands(node);
      out.add_list(std::vector<Expr>(operands.begin(), operands.end()));
    }
  }
}

void unpack_pool(Unpacker& in, ExpressionPool& pool) {
  in.take_names(pool.variables());
  const auto size = in.take<std::size_t>();
  std::vector<Expr> operands;
  for (std::size_t i = kFirstNode; i < size; ++i) {
    const Op op = in.take<Op>();
    if (op == Op::kVariable) {
      pool.variable(in.take<VariableId>());
      continue;
    }
    in.take_list(operands);
    op == Op::kNot ? pool.negation(operands[0]) : pool.chain(op, operands);
  }
  assert(pool.size() == size);
}

}  // namespace

std::string pack(const InteractionData& data) {
  Packer out;
  out.add_texts(data.users.names());
  out.add_texts(data.items.names());
  out.add_texts(data.titles);
  out.add(data.categories.size());
  for (const CategoryColumn& column : data.categories) {
    out.add_text(column.name);
    out.add_texts(column.values);
  }
  for (const auto* part : {&data.train, &data.validation, &data.test}) {
    out.add(part->size());
    for (const Interaction& row : *part) {  // not with the bytes between the fields
      out.add(row.user);
      out.add(row.item);
      out.add(row.liked);
      out.add(row.time);
    }
  }
  out.add(data.earlier);
  return std::move(out.bytes());
}

void unpack(std::string_view bytes, InteractionData& data) {
  Unpacker in(bytes);
  in.take_names(data.users);
  in.take_names(data.items);
  data.titles = in.take_texts();
  data.categories.resize(in.take<std::size_t>());
  for (CategoryColumn& column : data.categories) {
    column.name = in.take_text();
    column.values = in.take_texts();
  }
  for (auto* part : {&data.train, &data.validation, &data.test}) {
    part->resize(in.take<std::size_t>());
    for (Interaction& row : *part) {
      row.user = in.take<UserId>();
      row.item = in.take<ItemId>();
      row.liked = in.take<bool>();
      row.time = in.take<std::int64_t>();
    }
  }
  data.earlier = in.take<std::size_t>();
}

std::string pack(const EquationData& data) {
  Packer out;
  pack_pool(out, data.pool);
  for (const EquationList* list : {&data.train, &data.validation, &data.test}) {
    out.add_list(list->expressions);
    out.add_list(list->labels);
  }
  out.add(data.truth.has_value());
  if (data.truth) {
    std::vector<char> values;  // 0, 1, or 2: not known
    for (const std::optional<bool>& value : *data.truth) values.push_back(value ? (*value ? 1 : 0) : 2);
    out.add_list(values);
  }
  out.add(data.unsplit);
  out.add(data.earlier);
  return std::move(out.bytes());
}

void unpack(std::string_view bytes, EquationData& data) {
  Unpacker in(bytes);
  unpack_pool(in, data.pool);
  for (EquationList* list : {&data.train, &data.validation, &data.test}) {
    in.take_list(list->expressions);
    in.take_list(list->labels);
  }
  if (in.take<bool>()) {
    std::vector<char> values;
    in.take_list(values);
    data.truth.emplace();
    for (const char value : values) data.truth->push_back(value == 2 ? std::nullopt : std::optional(value == 1));
  }
  data.unsplit = in.take<bool>();
  data.earlier = in.take<std::size_t>();
}

}  // namespace linn
