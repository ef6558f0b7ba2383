#include "linn/data/moment.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <ctime>
#include <limits>
#include <string>

namespace linn {
namespace {

TEST(Moment, NumbersKeepTheOrder) {
  EXPECT_EQ(parse_moment("-9223372036854775808")->whole, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(parse_moment("1.5"), (Moment{1, 0x8000'0000U}));
  EXPECT_EQ(parse_moment("-0.25"), (Moment{-1, 0xC000'0000U}));
  EXPECT_EQ(parse_moment("1707904860123"), (Moment{1707904860123, 0}));  // milliseconds
  for (const char* text :
       {"", " 1", "1 ", "+1", "1e19", "-1e19", "inf", "nan", "1,5", "0x10", "99999999999999999999"}) {
    EXPECT_FALSE(parse_moment(text)) << text;
  }
}

TEST(Moment, DatesAreSecondsSince1970) {
  EXPECT_EQ(parse_moment("1970-01-01"), (Moment{0, 0}));
  EXPECT_EQ(parse_moment("2024-02-29"), (Moment{1709164800, 0}));
  EXPECT_EQ(parse_moment("0000-01-01"), (Moment{-62167219200, 0}));
  EXPECT_EQ(parse_moment("1969-12-31T23:59:59.5"), (Moment{-1, 0x8000'0000U}));
  const Moment moment = {1707904860, 0};
  for (const char* text :
       {"2024-02-14T10:01:00Z", "2024-02-14t10:01:00z", "2024-02-14 10:01:00", "2024-02-14T10:01", "2024-02-14T10:01Z",
        "2024-02-14T10:01:00.000Z", "2024-02-14T10:01:00,0", "2024-02-14T12:01:00+02:00", "2024-02-14 12:01:00 +02:00",
        "2024-02-14T12:01:00+0200", "2024-02-14T12:01:00+02", "2024-02-14T04:31:00-05:30", "2024-02-15T00:01:00+14:00",
        "2024-02-14T10:00:60Z"}) {
    EXPECT_EQ(parse_moment(text), moment) << text;
  }
  EXPECT_EQ(parse_moment("2024-02-14T10:01:00.25Z"), (Moment{1707904860, 0x4000'0000U}));
  EXPECT_LT(parse_moment("2024-02-14T10:01:00.123456788Z"), parse_moment("2024-02-14T10:01:00.123456789123Z"));
}

TEST(Moment, RefusesWhatIsNoDate) {
  for (const char* text : {"2024-13-01",
                           "2024-00-01",
                           "2024-02-30",
                           "2023-02-29",
                           "2024-02-00",
                           "2024-2-14",
                           "24-02-14",
                           "2024-02",
                           "2024/02/14",
                           "2024-02-14T",
                           "2024-02-14T10",
                           "2024-02-14T10:",
                           "2024-02-14T24:00",
                           "2024-02-14T10:60",
                           "2024-02-14T10:01:61",
                           "2024-02-14T10:01:00.",
                           "2024-02-14T10:01:00.Z",
                           "2024-02-14T10:01:00+",
                           "2024-02-14T10:01:00+2",
                           "2024-02-14T10:01:00+24:00",
                           "2024-02-14T10:01:00+02:60",
                           "2024-02-14T10:01:00+02:",
                           "2024-02-14T10:01:00ZZ",
                           "2024-02-14T10:01:00 ",
                           "2024-02-14Z",
                           "2024-02-14  10:01",
                           " 2024-02-14",
                           "14.02.2024",
                           "Feb 14 2024",
                           "-2024-02-14",
                           "2024-02-1x"}) {
    EXPECT_FALSE(parse_moment(text)) << text;
  }
}

// Against the C library.
RC_GTEST_PROP(Moment, DatesAreReadAsTheyAreWritten, ()) {
  const auto seconds = *rc::gen::inRange<std::int64_t>(-62'167'219'200, 253'402'300'800);
  const std::string text = date_text(seconds);
  RC_ASSERT(parse_moment(text) == Moment({seconds, 0}));
  const std::time_t time = seconds;
  std::tm parts{};
  gmtime_r(&time, &parts);
  RC_ASSERT(std::stoi(text.substr(0, 4)) == parts.tm_year + 1900);
  RC_ASSERT(std::stoi(text.substr(5, 2)) == parts.tm_mon + 1);
  RC_ASSERT(std::stoi(text.substr(8, 2)) == parts.tm_mday);
  RC_ASSERT(std::stoi(text.substr(11, 2)) == parts.tm_hour);
  RC_ASSERT(std::stoi(text.substr(14, 2)) == parts.tm_min);
  RC_ASSERT(std::stoi(text.substr(17, 2)) == parts.tm_sec);
}

TEST(Moment, OtherYearsHaveNoDateText) {
  EXPECT_EQ(date_text(1707904860), "2024-02-14T10:01:00Z");
  EXPECT_EQ(date_text(-1), "1969-12-31T23:59:59Z");
  EXPECT_EQ(date_text(253'402'300'800), "");
  EXPECT_EQ(date_text(std::numeric_limits<std::int64_t>::min()), "");
}

}  // namespace
}  // namespace linn
