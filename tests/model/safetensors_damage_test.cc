// Truncated, modified, foreign and inconsistent files: all are rejected with an InputError.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "linn/base/error.h"
#include "linn/base/file.h"
#include "linn/model/safetensors.h"
#include "model/safetensors_bytes.h"
#include "support/expect_error.h"
#include "support/temp_folder.h"

namespace linn {
namespace {

std::string sample_bytes() {
  const std::vector<float> weights = {1.0F, -2.0F, 0.5F, 0.25F};
  const std::vector<std::uint64_t> state = {1, 2};
  const std::vector<std::uint8_t> flags = {1, 0, 1};
  SafetensorsWriter out;
  out.add("weights", {2, 2}, weights);
  out.add("state", {2}, state);
  out.add("flags", {3}, flags);
  out.add("none", {0}, std::span<const float>());
  out.set_metadata("config", "{\"d\":2}");
  return out.to_bytes();
}

void expect_rejected(std::string bytes, const std::string& what) {
  EXPECT_THROW(SafetensorsFile::parse(std::move(bytes), "damaged"), InputError) << what;
}

void expect_error(std::string bytes, std::string_view part) {
  expect_input_error([&] { SafetensorsFile::parse(std::move(bytes), "dir/a.safetensors"); }, 0, 0, part,
                     "dir/a.safetensors");
}

TEST(SafetensorsDamage, TheSampleIsGood) { SafetensorsFile::parse(sample_bytes(), "sample"); }

TEST(SafetensorsDamage, RejectsAFileTruncatedAnywhere) {
  const std::string bytes = sample_bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    expect_rejected(bytes.substr(0, size), "cut to " + std::to_string(size));
  }
  expect_error(bytes.substr(0, 5), "is truncated or not a safetensors file: it has 5 bytes");
  expect_error(bytes.substr(0, 20), "is truncated or not a safetensors file: it has 12 of the");
  expect_error(bytes.substr(0, bytes.size() - 1), "is truncated: it has 34 of 35 bytes of values");
}

TEST(SafetensorsDamage, RejectsAFileThatIsTooLong) {
  expect_error(sample_bytes() + "abc", "has 3 bytes more than its tensors need");
}

TEST(SafetensorsDamage, RejectsAnyAlteredByte) {
  const std::string bytes = sample_bytes();
  for (std::size_t place = 0; place < bytes.size(); ++place) {
    for (const unsigned flip : {1U, 2U, 4U, 8U, 16U, 32U, 64U, 128U, 255U}) {
      std::string damaged = bytes;
      damaged[place] = static_cast<char>(static_cast<unsigned char>(damaged[place]) ^ flip);
      expect_rejected(std::move(damaged), "byte " + std::to_string(place) + " by " + std::to_string(flip));
    }
  }
  std::string damaged = bytes;
  damaged.back() ^= 1;
  expect_error(damaged, "is damaged or was modified: its checksum does not match");
}

TEST(SafetensorsDamage, RejectsDamageInAFileOnDisk) {
  const TempFolder folder;
  std::string bytes = sample_bytes();
  bytes[bytes.size() - 5] ^= 64;
  write_file(folder / "model.safetensors", bytes);
  expect_input_error([&] { SafetensorsFile::read(folder / "model.safetensors"); }, 0, 0, "its checksum",
                     ".safetensors");
  write_file(folder / "model.safetensors", "");
  expect_input_error([&] { SafetensorsFile::read(folder / "model.safetensors"); }, 0, 0, "it has 0 bytes");
}

// The same contents in another order or spelling are no longer what linn wrote.
TEST(SafetensorsDamage, RejectsARewrittenHeader) {
  expect_error(safetensors_bytes(R"({"__metadata__":{"format":"linn","format_version":"1","checksum":"0"}})"),
               "its checksum does not match");
  expect_error(safetensors_bytes(R"({"__metadata__":{"format":"linn","format_version":"1"}})"),
               "its checksum does not match");
  std::string spaced = safetensors_bytes(linn_header(""));
  spaced.replace(spaced.find("} "), 2, " }");
  expect_error(spaced, "its checksum does not match");
}

TEST(SafetensorsDamage, RecognisesForeignFiles) {
  constexpr std::string_view kForeign = "is a safetensors file, but was not written by linn";
  const std::string tensor = R"("w":{"dtype":"BF16","shape":[1],"data_offsets":[0,2]})";
  expect_error(safetensors_bytes("{" + tensor + "}", "ab"), kForeign);
  expect_error(safetensors_bytes(R"({"__metadata__":{"format":"pt"},)" + tensor + "}", "ab"), kForeign);
  expect_error(safetensors_bytes("{}"), kForeign);
  expect_error("\x02" + std::string(7, '\0') + "{}", kForeign);
}

TEST(SafetensorsDamage, RecognisesNewerVersions) {
  const auto with_version = [](std::string_view version) {
    return safetensors_bytes(R"({"__metadata__":{"format":"linn","format_version":")" + std::string(version) + "\"}}");
  };
  expect_error(with_version("2"),
               "was written by a newer linn: its format version is 2, and this version of linn reads up to");
  expect_error(with_version("4000000000"), "was written by a newer linn");
  for (const char* none : {"", "0", "-1", "1.5", "one", "1 ", "99999999999999999999"}) {
    expect_error(with_version(none), "has an invalid format version");
  }
}

TEST(SafetensorsDamage, RejectsAbsurdLengths) {
  const auto with_length = [](std::uint64_t length) {
    std::string bytes(8, '\0');
    std::memcpy(bytes.data(), &length, sizeof length);
    return bytes + "{}      ";
  };
  expect_error(with_length(0), "its header does not start with '{'");
  expect_error(with_length(1), "its header is not JSON");
  expect_error(with_length(9), "it has 8 of the 9 bytes of its header");
  expect_error(with_length(100'000'000), "is truncated");
  expect_error(with_length(100'000'001), "is not a safetensors file");
  expect_error(with_length(std::uint64_t{1} << 63), "is not a safetensors file");
  expect_error(with_length(~std::uint64_t{0}), "is not a safetensors file");
  expect_error(with_length(~std::uint64_t{0} - 7), "is not a safetensors file");
}

TEST(SafetensorsDamage, RejectsHeadersThatAreNotJson) {
  for (const std::string header :
       {" {}", "[]", "null", "{", "{]", "{\"a\"}", "{\"a\":}", "{}{}", "{} x", "{\"\xFF\":{}}", "\xEF\xBB\xBF{}",
        R"({"__metadata__":{"a":"b"},})", "{'a':1}", R"({"a":{"dtype":"F32")", "{/**/}"}) {
    expect_rejected(safetensors_bytes(header), header);
  }
  expect_error(safetensors_bytes("{}" + std::string(6, '\0')), "its header is not JSON (it contains a zero byte)");
  expect_error(safetensors_bytes("{\"a\":tru}"), "its header is not JSON (at byte 9 of it)");
}

TEST(SafetensorsDamage, RejectsHeadersOfAnotherStructure) {
  const auto expect_tensor = [](std::string_view value, std::string_view part) {
    expect_error(safetensors_bytes(linn_header("\"w\":" + std::string(value)), std::string(8, 'a')), part);
  };
  for (const char* value : {"1", "-1", "1.5", "true", "null", "\"F32\"", "[]", "[{}]"}) {
    expect_tensor(value, "for 'w'");
  }
  expect_tensor(R"({})", "lacks the dtype, the shape or the data_offsets of tensor 'w'");
  expect_tensor(R"({"dtype":"F32","shape":[2]})", "lacks");
  expect_tensor(R"({"shape":[2],"data_offsets":[0,8]})", "lacks");
  expect_tensor(R"({"dtype":"F32","data_offsets":[0,8]})", "lacks");
  expect_tensor(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8],"more":1})", "an unknown entry for 'more'");
  expect_tensor(R"({"dtype":4,"shape":[2],"data_offsets":[0,8]})", "a number for 'dtype'");
  expect_tensor(R"({"dtype":["F32"],"shape":[2],"data_offsets":[0,8]})", "a list for 'dtype'");
  expect_tensor(R"({"dtype":"F32","shape":2,"data_offsets":[0,8]})", "a number for 'shape'");
  expect_tensor(R"({"dtype":"F32","shape":[-2],"data_offsets":[0,8]})", "a negative number for 'shape'");
  expect_tensor(R"({"dtype":"F32","shape":[2.0],"data_offsets":[0,8]})", "the number 2.0 for 'shape'");
  expect_tensor(R"({"dtype":"F32","shape":[18446744073709551616],"data_offsets":[0,8]})", "the number 1844");
  expect_tensor(R"({"dtype":"F32","shape":["2"],"data_offsets":[0,8]})", "a string for 'shape'");
  expect_tensor(R"({"dtype":"F32","shape":[[2]],"data_offsets":[0,8]})", "a list for 'shape'");
  expect_tensor(R"({"dtype":"F32","shape":[{}],"data_offsets":[0,8]})", "an object for 'shape'");
  expect_tensor(R"({"dtype":"F32","shape":{"a":2},"data_offsets":[0,8]})", "an object for 'shape'");
  expect_tensor(R"({"dtype":"F32","shape":[2],"data_offsets":[8]})", "too short a list for 'data_offsets'");
  expect_tensor(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8,8]})", "a number for 'data_offsets'");

  for (const char* metadata : {"1", "\"a\"", "[]", "null", "{\"a\":1}", "{\"a\":{}}", "{\"a\":[]}", "{\"a\":null}"}) {
    expect_rejected(safetensors_bytes("{\"__metadata__\":" + std::string(metadata) + "}"), metadata);
  }
  // As deep as a header can be: neither parsing nor clean-up may recurse.
  expect_rejected(safetensors_bytes("{\"a\":" + std::string(1'000'000, '[')), "deep");
  std::string deep = "{";
  for (int i = 0; i < 100'000; ++i) deep += "\"a\":{";
  expect_rejected(safetensors_bytes(deep), "deep");
}

TEST(SafetensorsDamage, RejectsDuplicateNames) {
  const std::string tensor = R"({"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  expect_error(safetensors_bytes(linn_header("\"w\":" + tensor + ",\"w\":" + tensor)), "its header has 'w' twice");
  expect_error(safetensors_bytes(linn_header("\"w\":" + tensor + R"(,"\u0077":)" + tensor)), "has 'w' twice");
  expect_error(safetensors_bytes(linn_header(R"("__metadata__":{})")), "has '__metadata__' twice");
  expect_error(safetensors_bytes(R"({"__metadata__":{"format":"linn","format":"linn"}})"), "has 'format' twice");
  expect_error(safetensors_bytes(linn_header(R"("w":{"dtype":"U8","shape":[0],"shape":[0],"data_offsets":[0,0]})")),
               "has 'shape' twice");
}

struct Claim {
  const char* dtype;
  const char* shape;
  const char* offsets;
};

std::string claims(const std::vector<Claim>& list) {
  std::string text;
  for (const Claim& claim : list) {
    if (!text.empty()) text += ',';
    text += "\"t" + std::to_string(&claim - list.data()) + R"(":{"dtype":")" + claim.dtype + R"(","shape":)" +
            claim.shape + R"(,"data_offsets":)" + claim.offsets + "}";
  }
  return linn_header(text);
}

TEST(SafetensorsDamage, RejectsMisplacedTensors) {
  const std::string data(16, 'a');
  const auto expect = [&](const std::vector<Claim>& list, std::string_view part) {
    expect_error(safetensors_bytes(claims(list), data), part);
  };
  SafetensorsFile::parse(safetensors_bytes(claims({{"F32", "[2]", "[8,16]"}, {"F32", "[2,1]", "[0,8]"}}), data),
                         "good");

  expect({{"F16", "[8]", "[0,16]"}}, "its tensor 't0' has the unknown type 'F16'");
  expect({{"f32", "[4]", "[0,16]"}}, "unknown type 'f32'");
  expect({{"F32", "[2]", "[0,16]"}}, "its tensor 't0' of 8 bytes is placed from byte 0 to 16");
  expect({{"F32", "[4]", "[16,0]"}}, "of 16 bytes is placed from byte 16 to 0");
  expect({{"F32", "[0]", "[1,0]"}}, "is placed from byte 1 to 0");
  expect({{"F32", "[4294967296,4294967296]", "[0,0]"}}, "is too large: shape [4294967296, 4294967296]");
  expect({{"F64", "[2305843009213693952]", "[0,0]"}}, "is too large");
  expect({{"F32", "[4]", "[18446744073709551608,8]"}}, "is placed from byte 18446744073709551608 to 8");
  expect({{"U8", "[18446744073709551615]", "[0,18446744073709551615]"}},
         "is truncated: it has 16 of 18446744073709551615");
  expect({{"F32", "[2]", "[0,8]"}, {"F32", "[2]", "[0,8]"}}, "which overlaps the previous one, which ends at 8");
  expect({{"F32", "[3]", "[0,12]"}, {"F32", "[2]", "[8,16]"}}, "'t1' starts at byte 8, which overlaps");
  expect({{"F32", "[1]", "[0,4]"}, {"F32", "[2]", "[8,16]"}}, "'t1' starts at byte 8, which leaves a gap after");
  expect({{"F32", "[2]", "[8,16]"}}, "'t0' starts at byte 8, which leaves a gap");
  expect({{"F32", "[0]", "[20,20]"}, {"F32", "[4]", "[0,16]"}}, "'t0' starts at byte 20, which leaves a gap");
  expect({{"F32", "[3]", "[0,12]"}}, "has 4 bytes more than its tensors need");
  expect({}, "has 16 bytes more than its tensors need");
  expect({{"F32", "[5]", "[0,20]"}}, "is truncated: it has 16 of 20 bytes of values");
  expect({{"U8", "[1]", "[0,1]"}, {"F32", "[3]", "[1,13]"}, {"U8", "[3]", "[13,16]"}},
         "its tensor 't1' starts at byte 1, which is not a multiple of 4");
}

TEST(SafetensorsDamage, RejectsAHeaderThatIsNotPadded) {
  std::string header = linn_header("");
  while (header.size() % 8 != 3) header += ' ';
  std::string bytes(8, '\0');
  bytes[0] = static_cast<char>(header.size());
  expect_error(bytes + header, "its header is not padded to 8 bytes");
}

}  // namespace
}  // namespace linn
