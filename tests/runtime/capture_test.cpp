// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/capture_fixture.h"

namespace {

using testing::HasSubstr;
using transplt::capture_tests::Capture;
using transplt::capture_tests::Content;
using transplt::capture_tests::Counters;
using transplt::capture_tests::Mode;
using transplt::capture_tests::Options;
using transplt::capture_tests::Put;
using transplt::capture_tests::Tensor;
namespace fs = std::filesystem;

constexpr uint32_t kAll = TRANSPLT_WANT_STATISTICS | TRANSPLT_WANT_CRC;

transplt_statistics Statistics(const void* data, transplt_type type,
                               const std::vector<int64_t>& shape, const int64_t* strides = nullptr,
                               uint32_t want = kAll) {
  const transplt_tensor tensor = Tensor(data, type, shape, strides);
  transplt_statistics result{};
  result.struct_size = sizeof result;
  EXPECT_EQ(transplt_capture_statistics(&tensor, want, &result), TRANSPLT_OK)
      << transplt_capture_last_error();
  return result;
}

/// Element by element in long double: the truth that the vectors are measured against.
template <typename T, typename Widen>
void ExpectRight(const std::vector<T>& data, transplt_type type, Widen widen, double tolerance) {
  long double sum = 0;
  long double squares = 0;
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const T& element : data) {
    const double value = widen(element);
    sum += value;
    squares += static_cast<long double>(value) * value;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  const auto result = Statistics(data.data(), type, {static_cast<int64_t>(data.size())});
  const auto norm = static_cast<double>(std::sqrt(squares));
  EXPECT_EQ(result.minimum, low);
  EXPECT_EQ(result.maximum, high);
  const auto mean = static_cast<double>(sum / static_cast<long double>(data.size()));
  EXPECT_NEAR(result.mean, mean,
              tolerance * (std::abs(mean) + norm / std::sqrt(static_cast<double>(data.size()))));
  EXPECT_NEAR(result.l2, norm, tolerance * norm);
  EXPECT_EQ(result.nan_count, 0U);
  EXPECT_EQ(result.elements, data.size());
}

TEST(CaptureStatistics, AreThoseOfLongDoubleForFloatsOfAnyLength) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0.1F, 3);
  for (size_t size : {1U, 2U, 15U, 16U, 17U, 63U, 4095U, 4096U, 4097U, 100003U}) {
    std::vector<float> data(size);
    for (float& value : data) value = normal(random);
    ExpectRight(
        data, TRANSPLT_FLOAT32, [](float v) { return static_cast<double>(v); }, 1e-12);
    const std::vector<double> wide(data.begin(), data.end());
    ExpectRight(
        wide, TRANSPLT_FLOAT64, [](double v) { return v; }, 1e-12);
    std::vector<uint16_t> halves(size);
    for (size_t i = 0; i < size; ++i) {
      uint32_t bits = 0;
      std::memcpy(&bits, &data[i], 4);
      halves[i] = static_cast<uint16_t>(bits >> 16);
    }
    const auto widen = [](uint16_t half) {
      const uint32_t bits = uint32_t{half} << 16;
      float value = 0;
      std::memcpy(&value, &bits, 4);
      return static_cast<double>(value);
    };
    ExpectRight(halves, TRANSPLT_BFLOAT16, widen, 1e-12);
  }
}

TEST(CaptureStatistics, OfHalfPrecisionDoNotOverflow) {
  // 65504, the largest: its square is no half, and torch's norm of these is inf.
  const std::vector<uint16_t> data(1000, 0x7BFF);
  const auto result = Statistics(data.data(), TRANSPLT_FLOAT16, {10, 100});
  EXPECT_EQ(result.maximum, 65504);
  EXPECT_NEAR(result.l2 / (65504 * std::sqrt(1000.0)), 1, 1e-7);
  const std::vector<uint16_t> small(33, 0x0001);
  EXPECT_EQ(Statistics(small.data(), TRANSPLT_FLOAT16, {33}).mean, std::ldexp(1.0, -24));
}

uint16_t Bfloat16(float value) {
  uint32_t bits = 0;
  std::memcpy(&bits, &value, 4);
  return static_cast<uint16_t>(bits >> 16);
}

TEST(CaptureStatistics, OfBfloat16AreAddedInDouble) {
  const std::vector<uint16_t> small(1024, Bfloat16(1e-25F));
  EXPECT_NEAR(Statistics(small.data(), TRANSPLT_BFLOAT16, {1024}).l2 / 32e-25, 1, 0.01);
  // In rows of 128, so that every lane of a vector meets large numbers, ones, and the large ones
  // again with the other sign.
  std::vector<uint16_t> mixed;
  for (const float value : {0x1p25F, 1.0F, 1.0F, -0x1p25F}) {
    mixed.insert(mixed.end(), 128, Bfloat16(value));
  }
  EXPECT_EQ(Statistics(mixed.data(), TRANSPLT_BFLOAT16, {512}).mean, 0.5);
}

TEST(CaptureStatistics, OfSquaresBeyondDoubleAreFinite) {
  const std::vector<double> data(64, 1e200);
  const auto result = Statistics(data.data(), TRANSPLT_FLOAT64, {64});
  EXPECT_NEAR(result.l2 / 8e200, 1, 1e-12);
  EXPECT_EQ(result.positive_infinities, 0U);
}

TEST(CaptureStatistics, CountWhatIsNotFinite) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  std::vector<float> data(10000, 2);
  data[17] = std::nanf("");
  data[5000] = kInf;
  data[5001] = kInf;
  data[9999] = -kInf;
  const auto result = Statistics(data.data(), TRANSPLT_FLOAT32, {10000});
  EXPECT_EQ(result.nan_count, 1U);
  EXPECT_EQ(result.positive_infinities, 2U);
  EXPECT_EQ(result.negative_infinities, 1U);
  EXPECT_TRUE(std::isnan(result.maximum)) << "as torch has it";
  data[17] = 0;
  EXPECT_EQ(Statistics(data.data(), TRANSPLT_FLOAT32, {10000}).maximum, kInf);
}

TEST(CaptureStatistics, CountWhatIsNotFiniteInEveryFloatingType) {
  const auto check = []<typename T>(transplt_type type, T one, T infinity, T minus_infinity,
                                    T nan) {
    // Places within a vector, at a block's border, and behind the last whole vector.
    const auto size = static_cast<int64_t>(3 * 16384 / sizeof(T) + 3);
    const size_t border = 16384 / sizeof(T);
    std::vector<T> data(static_cast<size_t>(size), one);
    for (size_t at : {size_t{5}, border - 1, border, data.size() - 1}) data[at] = infinity;
    auto result = Statistics(data.data(), type, {size});
    EXPECT_EQ(result.positive_infinities, 4U) << type;
    EXPECT_EQ(result.negative_infinities, 0U) << type;
    EXPECT_EQ(result.minimum, 1) << type;
    for (const double value : {result.maximum, result.mean, result.l2}) {
      EXPECT_EQ(value, std::numeric_limits<double>::infinity()) << type;
    }
    data[6] = minus_infinity;
    result = Statistics(data.data(), type, {size});
    EXPECT_EQ(result.negative_infinities, 1U) << type;
    EXPECT_EQ(result.minimum, -std::numeric_limits<double>::infinity()) << type;
    EXPECT_TRUE(std::isnan(result.mean)) << type;
    for (size_t at : {size_t{7}, data.size() - 2}) data[at] = nan;
    result = Statistics(data.data(), type, {size});
    EXPECT_EQ(result.nan_count, 2U) << type;
    EXPECT_EQ(result.positive_infinities, 4U) << type;
    EXPECT_TRUE(std::isnan(result.minimum) && std::isnan(result.l2)) << type;
  };
  check(TRANSPLT_FLOAT32, 1.0F, std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity(), std::nanf(""));
  check(TRANSPLT_FLOAT64, 1.0, std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity(), std::nan(""));
  check(TRANSPLT_FLOAT16, uint16_t{0x3C00}, uint16_t{0x7C00}, uint16_t{0xFC00}, uint16_t{0x7E00});
  check(TRANSPLT_BFLOAT16, Bfloat16(1), uint16_t{0x7F80}, uint16_t{0xFF80}, uint16_t{0x7FC0});
}

TEST(CaptureStatistics, OfEveryIntegerTypeAreExactAtTheEnds) {
  const auto check = []<typename T>(T, transplt_type type) {
    std::vector<T> data(1001, 1);
    data[7] = std::numeric_limits<T>::max();
    data[8] = std::numeric_limits<T>::lowest();
    ExpectRight(
        data, type, [](T v) { return static_cast<double>(v); }, 1e-12);
  };
  check(int8_t{}, TRANSPLT_INT8);
  check(int16_t{}, TRANSPLT_INT16);
  check(int32_t{}, TRANSPLT_INT32);
  check(int64_t{}, TRANSPLT_INT64);
  check(uint8_t{}, TRANSPLT_UINT8);
  check(uint16_t{}, TRANSPLT_UINT16);
  check(uint32_t{}, TRANSPLT_UINT32);
  check(uint64_t{}, TRANSPLT_UINT64);
}

TEST(CaptureStatistics, OfBooleansCountTheTrueOnes) {
  const std::vector<uint8_t> data{1, 0, 1, 1};
  const auto result = Statistics(data.data(), TRANSPLT_BOOL, {4});
  EXPECT_EQ(result.minimum, 0);
  EXPECT_EQ(result.maximum, 1);
  EXPECT_EQ(result.mean, 0.75);
}

TEST(CaptureStatistics, OfNothingAreNotANumber) {
  const auto result = Statistics(nullptr, TRANSPLT_FLOAT32, {3, 0, 2});
  EXPECT_EQ(result.elements, 0U);
  EXPECT_TRUE(std::isnan(result.mean));
}

TEST(CaptureStatistics, OfStridedTensorsAreThoseOfACopy) {
  std::vector<float> data(64 * 1000);
  std::iota(data.begin(), data.end(), 0.0F);
  const std::vector<std::vector<int64_t>> strides{{1, 64}, {2, 128}, {0, 1}, {-1, 64}};
  for (const auto& stride : strides) {
    const std::vector<int64_t> shape{30, 400};
    const float* start = data.data() + (stride[0] < 0 ? 29 : 0);
    std::vector<float> copy;
    for (int64_t i = 0; i < 30; ++i) {
      for (int64_t j = 0; j < 400; ++j) copy.push_back(start[i * stride[0] + j * stride[1]]);
    }
    const auto expected = Statistics(copy.data(), TRANSPLT_FLOAT32, shape);
    const auto actual = Statistics(start, TRANSPLT_FLOAT32, shape, stride.data());
    EXPECT_EQ(actual.crc32, expected.crc32);
    EXPECT_EQ(actual.minimum, expected.minimum);
    EXPECT_EQ(actual.maximum, expected.maximum);
    EXPECT_NEAR(actual.l2, expected.l2, 1e-12 * expected.l2);
    EXPECT_EQ(
        Statistics(start, TRANSPLT_FLOAT32, shape, stride.data(), TRANSPLT_WANT_STATISTICS).maximum,
        expected.maximum);
  }
}

TEST(CaptureStatistics, RefuseWhatIsNoTensor) {
  transplt_statistics result{};
  result.struct_size = sizeof result;
  float value = 0;
  auto tensor = Tensor(&value, static_cast<transplt_type>(0), {});
  EXPECT_EQ(transplt_capture_statistics(&tensor, kAll, &result), TRANSPLT_UNSUPPORTED);
  tensor = Tensor(nullptr, TRANSPLT_FLOAT32, {});
  EXPECT_EQ(transplt_capture_statistics(&tensor, kAll, &result), TRANSPLT_INVALID);
  const std::vector<int64_t> shape{int64_t{1} << 40, int64_t{1} << 40};
  tensor = Tensor(&value, TRANSPLT_FLOAT32, shape);
  EXPECT_EQ(transplt_capture_statistics(&tensor, kAll, &result), TRANSPLT_INVALID);
  EXPECT_THAT(transplt_capture_last_error(), HasSubstr("elements"));
  EXPECT_EQ(transplt_capture_statistics(nullptr, kAll, &result), TRANSPLT_INVALID);
}

uint32_t SlowCrc(const std::string& bytes) {
  uint32_t crc = ~0U;
  for (const char c : bytes) {
    crc ^= static_cast<uint8_t>(c);
    for (int i = 0; i < 8; ++i) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320U : 0U);
  }
  return ~crc;
}

TEST(CaptureCrc, IsThatOfZlibForEveryLengthAndContinues) {
  EXPECT_EQ(transplt_capture_crc32(0, "123456789", 9), 0xCBF43926U);
  std::mt19937 random(2);
  for (size_t size : {0U, 1U, 1023U, 1024U, 1025U, 2048U, 4095U, 65536U, 65551U}) {
    std::string bytes(size, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    EXPECT_EQ(transplt_capture_crc32(0, bytes.data(), size), SlowCrc(bytes)) << size;
    const size_t half = size / 3;
    const uint32_t first = transplt_capture_crc32(0, bytes.data(), half);
    EXPECT_EQ(transplt_capture_crc32(first, bytes.data() + half, size - half), SlowCrc(bytes));
  }
}

TEST(CaptureSelection, HasOneGrammar) {
  uint32_t chosen = 0;
  const auto contains = [&](const char* text, uint64_t number) {
    EXPECT_EQ(transplt_capture_selected(text, number, &chosen), TRANSPLT_OK) << text;
    return chosen != 0;
  };
  EXPECT_TRUE(contains("0|3-5|10", 0));
  EXPECT_TRUE(contains("0|3-5|10", 4));
  EXPECT_TRUE(contains("0|3-5|10", 10));
  EXPECT_FALSE(contains("0|3-5|10", 6));
  EXPECT_TRUE(contains("", 99));
  EXPECT_TRUE(contains(nullptr, 99));
  for (const char* wrong : {"a", "1|", "|1", "5-3", "1-", "-1", "1,2", " 1", "1--2"}) {
    EXPECT_EQ(transplt_capture_selected(wrong, 1, &chosen), TRANSPLT_INVALID) << wrong;
    EXPECT_THAT(transplt_capture_last_error(), HasSubstr("write")) << wrong;
  }
}

TEST_F(Capture, GivesATensorItsFileByTheTimeOfAFlushAndWritesItOnce) {
  const std::vector<float> big(1 << 20, 0.25F);
  ASSERT_EQ(Open(options_), TRANSPLT_OK) << transplt_capture_last_error();
  ASSERT_EQ(Put(capture_, "a/big", Tensor(big.data(), TRANSPLT_FLOAT32, {1 << 20})), TRANSPLT_OK);
  ASSERT_EQ(transplt_capture_flush(capture_), TRANSPLT_OK) << transplt_capture_last_error();
  const std::string content = Content(root_ + "/a/big.npy");
  ASSERT_EQ(content.size(), big.size() * 4 + 128);
  EXPECT_EQ(std::memcmp(content.data() + 128, big.data(), big.size() * 4), 0);
  struct stat segment {};
  ASSERT_EQ(::stat((root_ + "/.transplt_capture/000000000.segment").c_str(), &segment), 0);
  EXPECT_LT(segment.st_blocks * 512, 1 << 18);
  EXPECT_EQ(transplt_capture_step(capture_, 0), TRANSPLT_OK);
  EXPECT_EQ(Counters(capture_).files, 1U);
}

TEST_F(Capture, KeepsTheFirstOfTwoTensorsWithOneNameInAStepOrInTwo) {
  ASSERT_EQ(Open(options_), TRANSPLT_OK);
  const std::vector<float> big(1 << 20, 0.25F);
  const std::vector<int64_t> shape{1 << 20};
  const transplt_tensor tensor = Tensor(big.data(), TRANSPLT_FLOAT32, shape);
  ASSERT_EQ(Put(capture_, "a", tensor), TRANSPLT_OK);
  ASSERT_EQ(Put(capture_, "./a", tensor_), TRANSPLT_OK);
  EXPECT_EQ(transplt_capture_step(capture_, 0), TRANSPLT_DROPPED);
  EXPECT_THAT(transplt_capture_last_error(), HasSubstr("two tensors of one step"));
  ASSERT_EQ(Put(capture_, "a", tensor_), TRANSPLT_OK);
  EXPECT_EQ(transplt_capture_step(capture_, 1), TRANSPLT_DROPPED);
  EXPECT_THAT(transplt_capture_last_error(), HasSubstr("an earlier step"));
  EXPECT_EQ(Counters(capture_).files, 1U);
  EXPECT_EQ(Counters(capture_).lost_in_files, 2U);
  EXPECT_EQ(fs::file_size(root_ + "/a.npy"), big.size() * 4 + 128);
}

TEST_F(Capture, WritesNothingUnderAPublicNameBeforeTheStepThatPowerLossMustNotTake) {
  options_.power_loss_safe = 1;
  ASSERT_EQ(Open(options_), TRANSPLT_OK) << transplt_capture_last_error();
  ASSERT_EQ(Put(capture_, "a/b", Tensor(data_.data(), TRANSPLT_FLOAT32, {1000})), TRANSPLT_OK);
  EXPECT_FALSE(fs::exists(root_ + "/a"));
  ASSERT_EQ(transplt_capture_step(capture_, 0), TRANSPLT_OK) << transplt_capture_last_error();
  EXPECT_EQ(fs::file_size(root_ + "/a/b.npy"), 4128U);
  ASSERT_EQ(Close(), TRANSPLT_OK) << transplt_capture_last_error();
  EXPECT_FALSE(fs::exists(root_ + "/.transplt_capture"));
  EXPECT_THAT(Content(root_ + "/transplt_capture.json"), HasSubstr("\"payloads\": 1,"));
}

TEST_F(Capture, KeepsTensorsLargerThanTheRing) {
  options_.ring_bytes = 1;  // the least that there is: 2 MiB
  const std::vector<float> big(3 << 20, 0.25F);
  ASSERT_EQ(Open(options_), TRANSPLT_OK);
  for (const char* name : {"x", "y", "z"}) {
    ASSERT_EQ(Put(capture_, name, Tensor(big.data(), TRANSPLT_FLOAT32, {3 << 20})), TRANSPLT_OK);
  }
  ASSERT_EQ(transplt_capture_step(capture_, 0), TRANSPLT_OK) << transplt_capture_last_error();
  const std::string content = Content(root_ + "/y.npy");
  ASSERT_EQ(content.size(), big.size() * 4 + 128);
  EXPECT_EQ(std::memcmp(content.data() + 128, big.data(), big.size() * 4), 0);
}

TEST_F(Capture, BuildsTextsFromTheirItems) {
  ASSERT_EQ(Open(options_), TRANSPLT_OK);
  ASSERT_EQ(transplt_capture_text_begin(capture_, "d/dump.json", "{", ", ", "}\n"), TRANSPLT_OK);
  ASSERT_EQ(transplt_capture_text(capture_, "d/dump.json", "\"a\": 1", 6), TRANSPLT_OK);
  ASSERT_EQ(transplt_capture_text(capture_, "d/dump.json", "\"b\": 2", 6), TRANSPLT_OK);
  ASSERT_EQ(transplt_capture_step(capture_, 0), TRANSPLT_OK);
  EXPECT_EQ(Content(root_ + "/d/dump.json"), "{\"a\": 1, \"b\": 2}\n");
}

TEST_F(Capture, GivesItsOwnModesWhateverTheUmaskIs) {
  for (mode_t mask : {0000U, 0077U, 0777U}) {
    const mode_t before = ::umask(mask);
    root_ = folder_.path("umask" + std::to_string(mask));
    options_.root = root_.c_str();
    EXPECT_EQ(Open(options_), TRANSPLT_OK) << transplt_capture_last_error();
    EXPECT_EQ(Put(capture_, "a/b", Tensor(data_.data(), TRANSPLT_FLOAT32, {1000})), TRANSPLT_OK);
    EXPECT_EQ(Close(), TRANSPLT_OK);
    ::umask(before);
    EXPECT_EQ(Mode(root_), 0750U);
    EXPECT_EQ(Mode(root_ + "/a"), 0750U);
    EXPECT_EQ(Mode(root_ + "/a/b.npy"), 0640U);
    EXPECT_EQ(Mode(root_ + "/transplt_capture.json"), 0640U);
  }
}

TEST_F(Capture, RefusesAFolderWithDataOfAnEarlierRun) {
  ASSERT_EQ(Open(options_), TRANSPLT_OK);
  Put(capture_, "a", Tensor(data_.data(), TRANSPLT_FLOAT32, {1000}));
  ASSERT_EQ(Close(), TRANSPLT_OK);
  EXPECT_EQ(Open(options_), TRANSPLT_CLASH);
  EXPECT_THAT(transplt_capture_last_error(), HasSubstr("delete it or choose another folder"));
  options_.allow_existing = 1;
  EXPECT_EQ(Open(options_), TRANSPLT_OK);
}

TEST_F(Capture, RefusesAFolderThatAnotherRunWritesInto) {
  ASSERT_EQ(Open(options_), TRANSPLT_OK);
  transplt_capture* second = nullptr;
  EXPECT_EQ(transplt_capture_open(&options_, &second), TRANSPLT_CLASH);
  EXPECT_THAT(transplt_capture_last_error(), HasSubstr(std::to_string(::getpid())));
}

TEST_F(Capture, SaysWhatIsWrongWithItsOptions) {
  options_.version = 77;
  EXPECT_EQ(Open(options_), TRANSPLT_UNSUPPORTED);
  options_ = Options(root_);
  options_.format = TRANSPLT_FORMAT_MINDSPORE_SYNC;
  EXPECT_EQ(Open(options_), TRANSPLT_INVALID);
  EXPECT_THAT(transplt_capture_last_error(), HasSubstr("net_name"));
  const std::string nowhere = "/proc/nowhere";
  options_ = Options(nowhere);
  EXPECT_EQ(Open(options_), TRANSPLT_IO);
  EXPECT_THAT(transplt_capture_last_error(), HasSubstr("/proc/nowhere"));
}

TEST_F(Capture, RefusesNamesThatLeaveTheRoot) {
  ASSERT_EQ(Open(options_), TRANSPLT_OK);
  for (const char* name : {"", "/etc/x", "../x", "a/../../x"}) {
    EXPECT_EQ(Put(capture_, name, Tensor(data_.data(), TRANSPLT_FLOAT32, {1000})),
              TRANSPLT_INVALID);
  }
}

TEST_F(Capture, KeepsStatisticsAloneBeyondTheQuotaAndCountsThem) {
  options_.max_payload_bytes = 9000;
  ASSERT_EQ(Open(options_), TRANSPLT_OK);
  EXPECT_EQ(Put(capture_, "a", tensor_), TRANSPLT_OK);
  EXPECT_EQ(Put(capture_, "b", tensor_), TRANSPLT_OK);
  transplt_record record{};
  record.struct_size = sizeof record;
  record.name = "c";
  record.want = TRANSPLT_WANT_PAYLOAD | TRANSPLT_WANT_STATISTICS;
  record.tensor = &tensor_;
  transplt_statistics statistics{};
  statistics.struct_size = sizeof statistics;
  EXPECT_EQ(transplt_capture_put(capture_, &record, &statistics), TRANSPLT_FULL);
  EXPECT_EQ(statistics.maximum, 1.5);
  EXPECT_EQ(Counters(capture_).full, 1U);
  EXPECT_EQ(Counters(capture_).payloads, 2U);
  EXPECT_EQ(Close(), TRANSPLT_OK);
  EXPECT_FALSE(fs::exists(root_ + "/c.npy"));
}

TEST_F(Capture, DropsOrKeepsStatisticsWhenTheWriterIsTooSlow) {
  const std::vector<float> big(16 << 20, 1);
  for (const auto policy : {TRANSPLT_KEEP_STATS, TRANSPLT_DROP}) {
    root_ = folder_.path("policy" + std::to_string(policy));
    options_.root = root_.c_str();
    options_.back_pressure = policy;
    options_.ring_bytes = 1;
    ASSERT_EQ(Open(options_), TRANSPLT_OK);
    // 64 MiB do not fit into a ring of 2 MiB at once.
    EXPECT_EQ(Put(capture_, "big", Tensor(big.data(), TRANSPLT_FLOAT32, {16 << 20})),
              policy == TRANSPLT_DROP ? TRANSPLT_DROPPED : TRANSPLT_STATS_ONLY);
    const transplt_counters counters = Counters(capture_);
    EXPECT_EQ(counters.dropped + counters.stats_only, 1U);
    EXPECT_EQ(transplt_capture_flush(capture_), TRANSPLT_OK);
    EXPECT_EQ(Put(capture_, "small", Tensor(data_.data(), TRANSPLT_FLOAT32, {1000})), TRANSPLT_OK);
    EXPECT_EQ(Close(), TRANSPLT_OK);
    EXPECT_FALSE(fs::exists(root_ + "/big.npy"));
    EXPECT_TRUE(fs::exists(root_ + "/small.npy"));
  }
}

TEST_F(Capture, IsInertInAForkedChildAndGoesOnInTheParent) {
  ASSERT_EQ(Open(options_), TRANSPLT_OK);
  ASSERT_EQ(Put(capture_, "before", tensor_), TRANSPLT_OK);
  const pid_t child = ::fork();
  if (child == 0) {
    const bool inert = Put(capture_, "child", tensor_) == TRANSPLT_INERT &&
                       transplt_capture_step(capture_, 0) == TRANSPLT_INERT &&
                       transplt_capture_close(capture_) == TRANSPLT_INERT;
    ::_exit(inert ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  ASSERT_EQ(Put(capture_, "after", tensor_), TRANSPLT_OK);
  ASSERT_EQ(Close(), TRANSPLT_OK);
  EXPECT_TRUE(fs::exists(root_ + "/before.npy"));
  EXPECT_TRUE(fs::exists(root_ + "/after.npy"));
  EXPECT_FALSE(fs::exists(root_ + "/child.npy"));
}

TEST_F(Capture, TakesRecordsFromSeveralThreads) {
  options_.ring_bytes = 1;
  ASSERT_EQ(Open(options_), TRANSPLT_OK);
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this, t] {
      for (int i = 0; i < 50; ++i) {
        const std::vector<float> data(5000, static_cast<float>(t * 100 + i));
        const std::string name = std::to_string(t) + "/" + std::to_string(i);
        EXPECT_EQ(Put(capture_, name.c_str(), Tensor(data.data(), TRANSPLT_FLOAT32, {5000})),
                  TRANSPLT_OK);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_EQ(Close(), TRANSPLT_OK) << transplt_capture_last_error();
  for (int t = 0; t < 4; ++t) {
    for (int i = 0; i < 50; ++i) {
      const std::string content =
          Content(root_ + "/" + std::to_string(t) + "/" + std::to_string(i) + ".npy");
      ASSERT_EQ(content.size(), 20128U);
      float value = 0;
      std::memcpy(&value, content.data() + 128 + 4 * 4999, 4);
      EXPECT_EQ(value, static_cast<float>(t * 100 + i));
    }
  }
}

TEST_F(Capture, TakesStructuresOfOtherVersions) {
  struct Longer {
    transplt_options options;
    uint64_t of_a_later_version;
  } longer{options_, 0};
  longer.options.struct_size = sizeof longer;
  EXPECT_EQ(transplt_capture_open(&longer.options, &capture_), TRANSPLT_OK);
  EXPECT_EQ(Close(), TRANSPLT_OK);
  longer.of_a_later_version = 1;
  EXPECT_EQ(transplt_capture_open(&longer.options, &capture_), TRANSPLT_UNSUPPORTED);
  fs::remove_all(root_);
  // An earlier version knew only what stands up to the ring's size.
  transplt_options shorter = options_;
  shorter.struct_size = offsetof(transplt_options, ring_bytes);
  EXPECT_EQ(Open(shorter), TRANSPLT_OK) << transplt_capture_last_error();
}

TEST_F(Capture, ReportsNoStatisticsOfWhatItHasSeenInPart) {
  std::vector<float> big(16 << 20, 3);
  big.back() = std::numeric_limits<float>::infinity();
  options_.back_pressure = TRANSPLT_DROP;
  options_.ring_bytes = 1;
  ASSERT_EQ(Open(options_), TRANSPLT_OK);
  const std::vector<int64_t> shape{16 << 20};
  const transplt_tensor tensor = Tensor(big.data(), TRANSPLT_FLOAT32, shape);
  transplt_record record{};
  record.struct_size = sizeof record;
  record.name = "big";
  record.want = TRANSPLT_WANT_PAYLOAD | kAll;
  record.tensor = &tensor;
  transplt_statistics statistics{};
  statistics.struct_size = sizeof statistics;
  ASSERT_EQ(transplt_capture_put(capture_, &record, &statistics), TRANSPLT_DROPPED);
  EXPECT_EQ(statistics.has_statistics, 0U);
  EXPECT_TRUE(std::isnan(statistics.maximum));
  EXPECT_EQ(statistics.crc32, 0U);
}

TEST_F(Capture, WantsWhatTheNamesOfItsFilesNeed) {
  for (const auto format : {TRANSPLT_FORMAT_MINDSPORE_SYNC, TRANSPLT_FORMAT_MINDSPORE_ASYNC,
                            TRANSPLT_FORMAT_GE, TRANSPLT_FORMAT_HDF5}) {
    root_ = folder_.path("format" + std::to_string(format));
    options_ = Options(root_);
    options_.format = format;
    options_.net_name = "net";
    ASSERT_EQ(Open(options_), TRANSPLT_OK) << transplt_capture_last_error();
    transplt_record record{};
    record.struct_size = sizeof record;
    record.name = "op";
    record.op_type = "Add";
    record.want = TRANSPLT_WANT_PAYLOAD;
    record.tensor = &tensor_;
    EXPECT_EQ(transplt_capture_put(capture_, &record, nullptr), TRANSPLT_INVALID) << format;
    EXPECT_THAT(transplt_capture_last_error(), HasSubstr("direction"));
    record.direction = TRANSPLT_OUTPUT;
    record.name = "";
    EXPECT_EQ(transplt_capture_put(capture_, &record, nullptr), TRANSPLT_INVALID) << format;
    record.name = "op";
    record.op_type = nullptr;
    const bool has_type = format == TRANSPLT_FORMAT_GE || format == TRANSPLT_FORMAT_MINDSPORE_ASYNC;
    EXPECT_EQ(transplt_capture_put(capture_, &record, nullptr),
              has_type ? TRANSPLT_INVALID : TRANSPLT_OK);
    EXPECT_EQ(Close(), TRANSPLT_OK);
  }
}

TEST_F(Capture, KeepsNoTensorWhereThereAreOnlyTexts) {
  options_.format = TRANSPLT_FORMAT_NONE;
  ASSERT_EQ(Open(options_), TRANSPLT_OK);
  EXPECT_EQ(Put(capture_, "a", tensor_), TRANSPLT_UNSUPPORTED);
  EXPECT_EQ(Put(capture_, "a", tensor_, TRANSPLT_WANT_STATISTICS), TRANSPLT_OK);
}

TEST_F(Capture, TakesTextsOfAnySizeThatTheRingHolds) {
  options_.ring_bytes = 1000;
  ASSERT_EQ(Open(options_), TRANSPLT_OK);
  ASSERT_EQ(transplt_capture_text_begin(capture_, "t", "", "", ""), TRANSPLT_OK);
  const std::string text(1 << 20, 'x');
  EXPECT_EQ(transplt_capture_text(capture_, "t", text.data(), text.size()), TRANSPLT_OK);
  const std::string larger(3 << 20, 'x');
  EXPECT_EQ(transplt_capture_text(capture_, "t", larger.data(), larger.size()), TRANSPLT_DROPPED);
  EXPECT_THAT(transplt_capture_last_error(), HasSubstr("ring_bytes"));
  EXPECT_EQ(Close(), TRANSPLT_OK);
  EXPECT_EQ(Content(root_ + "/t"), text);
}

TEST_F(Capture, GivesNoResultIntoAStructureOfNoSize) {
  transplt_statistics statistics{};
  EXPECT_EQ(transplt_capture_statistics(&tensor_, kAll, &statistics), TRANSPLT_INVALID);
  EXPECT_THAT(transplt_capture_last_error(), HasSubstr("struct_size"));
  ASSERT_EQ(Open(options_), TRANSPLT_OK);
  transplt_counters counters{};
  EXPECT_EQ(transplt_capture_counters(capture_, &counters), TRANSPLT_INVALID);
  transplt_record record{};
  record.struct_size = sizeof record;
  record.name = "a";
  record.want = TRANSPLT_WANT_PAYLOAD;
  record.tensor = &tensor_;
  EXPECT_EQ(transplt_capture_put(capture_, &record, &statistics), TRANSPLT_INVALID);
  EXPECT_EQ(Counters(capture_).records, 0U);
}

}  // namespace
