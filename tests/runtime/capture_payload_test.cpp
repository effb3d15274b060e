// SPDX-License-Identifier: Apache-2.0
// Payloads that are copied while they are added up, and producers that work at the same time.
#include <atomic>
#include <cstring>
#include <limits>
#include <thread>

#include "tests/runtime/capture_fixture.h"

namespace transplt::capture_tests {
namespace {

transplt_statistics StatisticsOf(const transplt_tensor& tensor) {
  transplt_statistics result{};
  result.struct_size = sizeof result;
  EXPECT_EQ(transplt_capture_statistics(&tensor, TRANSPLT_WANT_STATISTICS, &result), TRANSPLT_OK);
  return result;
}

transplt_statistics Kept(transplt_capture* capture, const std::string& name,
                         const transplt_tensor& tensor) {
  transplt_record record{};
  record.struct_size = sizeof record;
  record.name = name.c_str();
  record.want = TRANSPLT_WANT_PAYLOAD | TRANSPLT_WANT_STATISTICS;
  record.tensor = &tensor;
  transplt_statistics result{};
  result.struct_size = sizeof result;
  EXPECT_EQ(transplt_capture_put(capture, &record, &result), TRANSPLT_OK);
  return result;
}

/// Finite numbers of any type of two bytes or more.
std::string Bytes(size_t count, size_t size, size_t start) {
  std::string bytes(start + count * size, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>((i * 7919 + 13) % 61);
  return bytes;
}

struct Type {
  transplt_type type;
  size_t size;
};

constexpr Type kTypes[] = {{TRANSPLT_FLOAT32, 4}, {TRANSPLT_FLOAT16, 2}, {TRANSPLT_BFLOAT16, 2},
                           {TRANSPLT_FLOAT64, 8}, {TRANSPLT_INT32, 4},   {TRANSPLT_UINT8, 1},
                           {TRANSPLT_INT64, 8}};

TEST_F(Capture, KeepsAndAddsUpEveryTypeAndLengthWhereverItBegins) {
  options_.ring_bytes = 1;  // so that payloads go around its end
  ASSERT_EQ(Open(options_), TRANSPLT_OK);
  std::vector<std::pair<std::string, std::string>> expected;
  for (const Type& type : kTypes) {
    for (const int64_t count : {1, 15, 64, 4097, 8192, 70001, 300000}) {
      const size_t start = static_cast<size_t>(count) % 3 * type.size;
      const std::string bytes = Bytes(static_cast<size_t>(count), type.size, start);
      const std::vector<int64_t> shape{count};
      const transplt_tensor tensor = Tensor(bytes.data() + start, type.type, shape);
      const std::string name = std::to_string(type.type) + "/" + std::to_string(count);
      const transplt_statistics kept = Kept(capture_, name, tensor);
      const transplt_statistics alone = StatisticsOf(tensor);
      EXPECT_EQ(std::memcmp(&kept, &alone, sizeof kept), 0) << name << ": bit for bit";
      expected.emplace_back(name, bytes.substr(start));
    }
  }
  ASSERT_EQ(Close(), TRANSPLT_OK) << transplt_capture_last_error();
  for (const auto& [name, bytes] : expected) {
    const std::string content = Content(root_ + "/" + name + ".npy");
    EXPECT_EQ(content.substr(content.size() - bytes.size()) == bytes, true) << name;
  }
}

TEST_F(Capture, KeepsAndCountsWhatIsNotFinite) {
  ASSERT_EQ(Open(options_), TRANSPLT_OK);
  std::vector<float> data(20001, 2.0F);
  data[7] = std::numeric_limits<float>::infinity();
  data[20000] = -std::numeric_limits<float>::infinity();
  const std::vector<int64_t> shape{20001};
  transplt_statistics seen = Kept(capture_, "a", Tensor(data.data(), TRANSPLT_FLOAT32, shape));
  EXPECT_EQ(seen.positive_infinities, 1U);
  EXPECT_EQ(seen.negative_infinities, 1U);
  data[9000] = std::numeric_limits<float>::quiet_NaN();
  seen = Kept(capture_, "b", Tensor(data.data(), TRANSPLT_FLOAT32, shape));
  EXPECT_EQ(seen.nan_count, 1U);
  ASSERT_EQ(Close(), TRANSPLT_OK);
  const std::string content = Content(root_ + "/b.npy");
  EXPECT_EQ(std::memcmp(content.data() + 128, data.data(), data.size() * 4), 0);
}

// What the thread sanitizer is to see: every call of the interface beside every other.
TEST_F(Capture, TakesAllCallsFromSeveralThreadsAtOnce) {
  options_.ring_bytes = 1;
  options_.format = TRANSPLT_FORMAT_NPY;
  ASSERT_EQ(Open(options_), TRANSPLT_OK);
  std::atomic<int> working{3};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([this, t, &working] {
      const std::vector<float> data(30000, static_cast<float>(t));
      const std::vector<int64_t> shape{30000};
      for (int i = 0; i < 40; ++i) {
        const std::string name = std::to_string(t) + "/" + std::to_string(i);
        EXPECT_EQ(Put(capture_, name.c_str(), Tensor(data.data(), TRANSPLT_FLOAT32, shape)),
                  TRANSPLT_OK);
        // Of a file that nobody has begun: it is counted, and makes no file of any step.
        EXPECT_EQ(transplt_capture_text(capture_, "log.txt", name.data(), name.size()),
                  TRANSPLT_OK);
      }
      --working;
    });
  }
  uint64_t step = 0;
  while (working > 0) {
    EXPECT_EQ(transplt_capture_flush(capture_), TRANSPLT_OK);
    EXPECT_LE(Counters(capture_).payloads, 120U);
    EXPECT_EQ(transplt_capture_step(capture_, step++), TRANSPLT_OK);
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Counters(capture_).payloads, 120U);
  ASSERT_EQ(Close(), TRANSPLT_OK) << transplt_capture_last_error();
  for (int i = 0; i < 120; ++i) {
    const std::string name = std::to_string(i / 40) + "/" + std::to_string(i % 40);
    EXPECT_EQ(Content(root_ + "/" + name + ".npy").size(), 120128U) << name;
  }
}

}  // namespace
}  // namespace transplt::capture_tests
