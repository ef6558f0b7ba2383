#include "linn/base/utf8.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace linn {
namespace {

std::string encode(std::uint32_t code) {
  const auto byte = [](std::uint32_t value) { return static_cast<char>(static_cast<unsigned char>(value)); };
  if (code < 0x80) return {byte(code)};
  if (code < 0x800) return {byte(0xC0 | code >> 6U), byte(0x80 | (code & 0x3FU))};
  if (code < 0x10000) {
    return {byte(0xE0 | code >> 12U), byte(0x80 | (code >> 6U & 0x3FU)), byte(0x80 | (code & 0x3FU))};
  }
  return {byte(0xF0 | code >> 18U), byte(0x80 | (code >> 12U & 0x3FU)), byte(0x80 | (code >> 6U & 0x3FU)),
          byte(0x80 | (code & 0x3FU))};
}

TEST(Utf8, EveryCharacterIsValidAndNothingElse) {
  for (std::uint32_t code = 0; code < 0x120000; ++code) {
    const std::string text = encode(code);
    const bool valid = code < 0xD800 || (code > 0xDFFF && code < 0x110000);
    ASSERT_EQ(utf8_length(text), valid ? text.size() : 0) << std::hex << code;
    ASSERT_EQ(utf8_length(text + "x"), valid ? text.size() : 0) << std::hex << code;
    if (text.size() > 1) {
      ASSERT_EQ(utf8_length(text.substr(0, text.size() - 1)), 0U) << std::hex << code;
    }
  }
}

TEST(Utf8, RefusesBrokenCharacters) {
  EXPECT_EQ(utf8_length(""), 0U);
  for (const auto* text :
       {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xe0\x9f\xbf", "\xf0\x80\x80\x80", "\xf0\x8f\xbf\xbf",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xc3(", "\xe2\x88(", "\xed\xa0\x80", "\xf8\x88\x80\x80\x80"}) {
    EXPECT_EQ(utf8_length(text), 0U);
    EXPECT_FALSE(is_valid_utf8(text));
  }
  EXPECT_TRUE(is_valid_utf8(""));
  EXPECT_TRUE(is_valid_utf8("aé∧😀"));
  EXPECT_FALSE(is_valid_utf8("aé∧\xff"));
}

TEST(Utf8, CountsCharacters) {
  EXPECT_EQ(count_characters(""), 0U);
  EXPECT_EQ(count_characters("aé∧😀"), 4U);
  EXPECT_EQ(count_characters("\xff\xfe-"), 3U);
  EXPECT_EQ(count_characters("\xe2\x88"), 2U);
}

TEST(Utf8, PrintableHidesWhatCannotBeShown) {
  EXPECT_EQ(printable("aé∧😀", 10), "aé∧😀");
  EXPECT_EQ(printable("aé∧😀", 2), "aé");
  EXPECT_EQ(printable("a\tb\nc\x7f\x1b[1m", 20), "a b?c??[1m");
  EXPECT_EQ(printable("\xff\xe2\x88", 20), "???");
  EXPECT_EQ(printable("\xc2\x85\xc2\x9f\xc2\xa0", 20), "??\xc2\xa0");
  EXPECT_EQ(printable("abc", 0), "");
}

TEST(Utf8, Latin1IsConvertedUnlessItIsUtf8Already) {
  EXPECT_EQ(utf8_from_latin1("Mis\xe9rables"), "Misérables");
  EXPECT_EQ(utf8_from_latin1("Misérables"), "Misérables");
  EXPECT_EQ(utf8_from_latin1("\xff\x80\xbf\xc0z"), "\xc3\xbf\xc2\x80\xc2\xbf\xc3\x80z");
  EXPECT_EQ(utf8_from_latin1(""), "");
}

}  // namespace
}  // namespace linn
