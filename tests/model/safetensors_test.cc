#include "linn/model/safetensors.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "linn/base/error.h"
#include "linn/base/file.h"
#include "model/safetensors_bytes.h"
#include "support/expect_error.h"
#include "support/temp_folder.h"

namespace linn {
namespace {

namespace fs = std::filesystem;

template <class T>
std::vector<T> copied(std::span<const T> values) {
  return {values.begin(), values.end()};
}

// One tensor of each type, added from the smallest elements to the largest, with unusual names and metadata.
struct Sample {
  std::vector<std::uint8_t> bytes = {0, 127, 255};
  std::vector<float> floats = {1.5F, -0.0F, std::numeric_limits<float>::denorm_min(), 3e38F, -2.0F, 0.1F};
  std::vector<std::uint32_t> counts = {7, 4294967295U};
  std::vector<double> doubles = {0.1, -std::numeric_limits<double>::infinity()};
  std::vector<std::uint64_t> state = {1, 18446744073709551615U, 0, 12345678901234567890U};
  std::vector<std::int64_t> signed_values = {std::numeric_limits<std::int64_t>::min()};
  std::string config = "{\"d\": 64,\n\t\"name\": \"\\u00e9\"}";
  std::string odd = "\"\\\x01\x7F \xE2\x88\xA7";

  SafetensorsWriter writer() const {
    SafetensorsWriter out;
    out.add("bytes", {3}, bytes);
    out.add("none", {0, 5}, std::span<const float>());
    out.add("and.weight", {2, 3}, floats);
    out.add("counts", {1, 2, 1}, counts);
    out.add("m \"1\" \xE2\x88\xA7", {2}, doubles);
    out.add("random", {4}, state);
    out.add("scalar", {}, signed_values);
    out.set_metadata("config", config);
    out.set_metadata("odd", odd);
    return out;
  }

  void expect_in(const SafetensorsFile& in) const {
    EXPECT_EQ(copied(in.values<std::uint8_t>("bytes", {3})), bytes);
    EXPECT_TRUE(in.values<float>("none", {0, 5}).empty());
    EXPECT_EQ(copied(in.values<float>("and.weight", {2, 3})), floats);
    EXPECT_EQ(copied(in.values<std::uint32_t>("counts", {1, 2, 1})), counts);
    EXPECT_EQ(copied(in.values<double>("m \"1\" \xE2\x88\xA7")), doubles);
    EXPECT_EQ(copied(in.values<std::uint64_t>("random", {4})), state);
    EXPECT_EQ(copied(in.values<std::int64_t>("scalar", {})), signed_values);
    EXPECT_EQ(in.metadata("config"), config);
    EXPECT_EQ(in.metadata("odd"), odd);
    EXPECT_EQ(in.tensors().size(), 7);
  }
};

TEST(Safetensors, RoundTripsEveryType) {
  const Sample sample;
  const TempFolder folder;
  sample.writer().write(folder / "model.safetensors");
  EXPECT_EQ(read_file(folder / "model.safetensors"), sample.writer().to_bytes());
  auto in = SafetensorsFile::read(folder / "model.safetensors");
  sample.expect_in(in);
  EXPECT_EQ(in.path(), folder / "model.safetensors");
  const SafetensorsFile moved = std::move(in);
  sample.expect_in(moved);
}

TEST(Safetensors, CopiesToWhereValuesAreNeeded) {
  const Sample sample;
  const auto in = SafetensorsFile::parse(sample.writer().to_bytes(), "sample");
  std::array<float, 6> floats = {};
  in.copy("and.weight", {2, 3}, std::span<float>(floats));
  EXPECT_EQ(std::vector<float>(floats.begin(), floats.end()), sample.floats);
  in.copy("none", {0, 5}, std::span<float>());
}

TEST(Safetensors, MayContainNoTensors) {
  const auto in = SafetensorsFile::parse(SafetensorsWriter().to_bytes(), "empty");
  EXPECT_TRUE(in.tensors().empty());
  EXPECT_EQ(in.metadata().size(), 3);
  EXPECT_EQ(in.metadata("format"), "linn");
  EXPECT_EQ(in.metadata("format_version"), "1");
}

TEST(Safetensors, FollowsTheFormatByteForByte) {
  const std::vector<std::uint8_t> small = {9};
  const std::vector<float> weights = {1.0F, -2.0F};
  SafetensorsWriter out;
  out.add("b", {1}, small);
  out.add("a", {1, 2}, weights);
  out.set_metadata("config", "{\"d\":2}");

  // The checksum was computed by another implementation of XXH64, the one in read_safetensors.py.
  const std::string header =
      R"({"__metadata__":{"checksum":"133d22cc4759288c","format":"linn","format_version":"1","config":"{\"d\":2}"},)"
      R"("a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},)"
      R"("b":{"dtype":"U8","shape":[1],"data_offsets":[8,9]}}   )";
  EXPECT_EQ(header.size(), 216);
  std::string expected = std::string("\xD8\0\0\0\0\0\0\0", 8) + header;
  expected += std::string_view("\x00\x00\x80\x3F\x00\x00\x00\xC0\x09", 9);
  EXPECT_EQ(out.to_bytes(), expected);
}

TEST(Safetensors, AlignsEveryTensor) {
  const auto in = SafetensorsFile::parse(Sample().writer().to_bytes(), "sample");
  std::size_t end = 0;
  for (const TensorInfo& tensor : in.tensors()) {
    EXPECT_EQ(tensor.begin, end);
    EXPECT_EQ(tensor.begin % dtype_size(tensor.dtype), 0) << tensor.name;
    end = tensor.end;
  }
}

TEST(Safetensors, ReportsMissingTensorsAndMetadata) {
  const auto in = SafetensorsFile::parse(Sample().writer().to_bytes(), "dir/sample.safetensors");
  const auto expect = [](const std::function<void()>& action, std::string_view part) {
    expect_input_error(action, 0, 0, part, "dir/sample.safetensors");
  };
  EXPECT_EQ(in.find("or.weight"), nullptr);
  expect([&] { in.values<float>("or.weight"); }, "has no tensor 'or.weight'");
  expect([&] { in.values<float>("or.weight", {2, 3}); }, "has no tensor 'or.weight'");
  expect([&] { in.values<float>("and.weight", {3, 2}); }, "its tensor 'and.weight' is F32 [2, 3], expected F32 [3, 2]");
  expect([&] { in.values<float>("and.weight", {6}); }, "expected F32 [6]");
  expect([&] { in.values<double>("and.weight", {2, 3}); }, "is F32 [2, 3], expected F64 [2, 3]");
  expect([&] { in.values<std::uint64_t>("and.weight"); }, "is F32 [2, 3], expected U64");
  expect([&] { in.metadata("vocabulary"); }, "has no entry 'vocabulary' in its metadata");
}

TEST(Safetensors, RejectsTextThatIsNotUtf8) {
  SafetensorsWriter metadata;
  metadata.set_metadata("config", "caf\xE9");
  expect_input_error([&] { metadata.to_bytes(); }, 0, 0, "'caf?' is not UTF-8");
  SafetensorsWriter name;
  name.add("caf\xE9", {0}, std::span<const float>());
  expect_input_error([&] { name.to_bytes(); }, 0, 0, "is not UTF-8");
}

TEST(Safetensors, RejectsAHeaderOverTheLimit) {
  SafetensorsWriter out;
  // Each character takes six bytes in JSON.
  out.set_metadata("vocabulary", std::string(kMaxHeaderSize / 6 + 1, '\x01'));
  const TempFolder folder;
  EXPECT_THROW(out.write(folder / "model.safetensors"), Failure);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(Safetensors, ReportsAMissingFile) {
  const TempFolder folder;
  expect_input_error([&] { SafetensorsFile::read(folder / "none.safetensors"); }, 0, 0, "cannot be read",
                     "none.safetensors");
}

RC_GTEST_PROP(Safetensors, RoundTripsArbitraryValues,
              (const std::vector<float>& values, const std::vector<std::uint8_t>& bytes, const std::string& text)) {
  std::string ascii;
  for (const char c : text) ascii += static_cast<char>(c & 0x7F);
  SafetensorsWriter out;
  out.add("bytes", {bytes.size()}, bytes);
  out.add("values" + ascii, {values.size(), 1}, values);
  out.set_metadata("text" + ascii, ascii);
  const auto in = SafetensorsFile::parse(out.to_bytes(), "sample");
  RC_ASSERT(copied(in.values<std::uint8_t>("bytes", {bytes.size()})) == bytes);
  RC_ASSERT(copied(in.values<float>("values" + ascii, {values.size(), 1})) == values);
  RC_ASSERT(in.metadata("text" + ascii) == ascii);
}

// An independent reader: plain Python with its own JSON and XXH64 implementations.
class PythonReader : public testing::Test {
 public:
  void TestBody() override {
    const Sample sample;
    const TempFolder folder;
    sample.writer().write(folder / "model.safetensors");
    const std::string command = "python3 '" LINN_SOURCE_DIR "/tests/model/read_safetensors.py' '" +
                                (folder / "model.safetensors").string() + "' > '" + (folder / "out.json").string() +
                                "'";
    ASSERT_EQ(std::system(command.c_str()), 0);
    const auto out = nlohmann::json::parse(read_file(folder / "out.json"));
    EXPECT_EQ(out["metadata"]["config"], sample.config);
    EXPECT_EQ(out["metadata"]["odd"], sample.odd);
    EXPECT_EQ(out["metadata"]["format"], "linn");
    const auto expect = [&](const std::string& name, std::string_view dtype, const Shape& shape, const auto& values) {
      EXPECT_EQ(out["tensors"][name]["dtype"], dtype) << name;
      EXPECT_EQ(out["tensors"][name]["shape"].get<Shape>(), shape) << name;
      EXPECT_EQ(out["tensors"][name]["values"].get<std::vector<std::string>>(), values) << name;
    };
    using Texts = std::vector<std::string>;
    expect("bytes", "U8", {3}, Texts{"0", "127", "255"});
    expect("none", "F32", {0, 5}, Texts{});
    expect("and.weight", "F32", {2, 3},
           Texts{"1.5", "-0.0", "1.401298464324817e-45", "3.0000000054977558e+38", "-2.0", "0.10000000149011612"});
    expect("counts", "U32", {1, 2, 1}, Texts{"7", "4294967295"});
    expect("m \"1\" \xE2\x88\xA7", "F64", {2}, Texts{"0.1", "-inf"});
    expect("random", "U64", {4}, Texts{"1", "18446744073709551615", "0", "12345678901234567890"});
    expect("scalar", "I64", {}, Texts{"-9223372036854775808"});
  }
};

bool has_python() {
  const char* folders = std::getenv("PATH");
  std::string_view rest = folders == nullptr ? "" : folders;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    std::error_code ignored;
    if (fs::exists(fs::path(rest.substr(0, end)) / "python3", ignored)) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

// Registered only if Python is available.
[[maybe_unused]] const testing::TestInfo* const kPythonTest =
    has_python() ? testing::RegisterTest("Safetensors", "OpensInPython", nullptr, nullptr, __FILE__, __LINE__,
                                         []() -> testing::Test* { return new PythonReader; })
                 : nullptr;

TEST(Safetensors, ModelsHaveFiniteValues) {
  const std::vector<float> good = {1.0F, 2.0F};
  const std::vector<float> bad = {1.0F, std::numeric_limits<float>::infinity()};
  SafetensorsWriter out;
  out.add("good", {2}, good);
  EXPECT_TRUE(out.is_finite());
  SafetensorsFile::parse(out.to_bytes(), "file").require_finite();
  out.add("bad", {2}, bad);
  EXPECT_FALSE(out.is_finite());
  const SafetensorsFile file = SafetensorsFile::parse(out.to_bytes(), "file");
  expect_input_error([&] { file.require_finite(); }, 0, 0, "its tensor 'bad' has values that are not finite", "file");
  expect_input_error([&] { build_model(file, [] { return 1; }); }, 0, 0, "not finite", "file");
}

TEST(Safetensors, AModelTakesMemoryInProportionToItsFile) {
  const std::vector<float> values(1000);
  SafetensorsWriter out;
  out.add("values", {1000}, values);
  const SafetensorsFile file = SafetensorsFile::parse(out.to_bytes(), "file");
  EXPECT_EQ(build_model(file, [] { return AlignedArray<float>(1'000'000).size(); }), 1'000'000U);
  const auto build_in_turn = [] {  // what is released counts no more
    for (int i = 0; i < 100; ++i) AlignedArray<float> array(1'000'000);
    return true;
  };
  EXPECT_TRUE(build_model(file, build_in_turn));
  expect_input_error([&] { build_model(file, [] { return AlignedArray<float>(1'000'000'000).size(); }); }, 0, 0,
                     "its settings describe a larger model than the file holds", "file");
  EXPECT_EQ(AlignedArray<float>(20'000'000).size(), 20'000'000U);  // the limit has ended
}

TEST(Safetensors, NamesThatCannotBeSavedAreReportedBeforehand) {
  SafetensorsWriter out;
  out.set_metadata("names", std::string(1000, 'x'));
  out.check_header();
  out.set_metadata("names", std::string(101'000'000, 'x'));
  EXPECT_THROW(out.check_header(), Failure);
}

}  // namespace
}  // namespace linn
