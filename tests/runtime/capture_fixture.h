// SPDX-License-Identifier: Apache-2.0
// What the tests of the capture library share: a folder, a tensor, an open capture.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "runtime/include/transplt/capture.h"

namespace transplt::capture_tests {

namespace fs = std::filesystem;
class TempFolder {
 public:
  TempFolder() {
    std::string pattern = (fs::temp_directory_path() / "transplt-capture-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TempFolder() { fs::remove_all(path_); }
  std::string path(const std::string& name = "run") const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

inline transplt_tensor Tensor(const void* data, transplt_type type,
                              const std::vector<int64_t>& shape, const int64_t* strides = nullptr) {
  return {sizeof(transplt_tensor),
          data,
          type,
          static_cast<uint32_t>(shape.size()),
          shape.data(),
          strides};
}

inline transplt_options Options(const std::string& root) {
  transplt_options options{};
  options.struct_size = sizeof options;
  options.version = TRANSPLT_CAPTURE_VERSION;
  options.root = root.c_str();
  options.min_free_bytes = 4096;
  return options;
}

inline transplt_status Put(transplt_capture* capture, const char* name,
                           const transplt_tensor& tensor,
                           uint32_t want = TRANSPLT_WANT_PAYLOAD | TRANSPLT_WANT_STATISTICS) {
  transplt_record record{};
  record.struct_size = sizeof record;
  record.name = name;
  record.want = want;
  record.tensor = &tensor;
  return transplt_capture_put(capture, &record, nullptr);
}

inline transplt_counters Counters(transplt_capture* capture) {
  transplt_counters counters{};
  counters.struct_size = sizeof counters;
  EXPECT_EQ(transplt_capture_counters(capture, &counters), TRANSPLT_OK);
  return counters;
}

inline std::string Content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline unsigned Mode(const std::string& path) {
  struct stat what {};
  return ::stat(path.c_str(), &what) == 0 ? what.st_mode & 07777U : 0U;
}

/// A capture into a folder of its own.
class Capture : public testing::Test {
 public:
  ~Capture() override {
    if (capture_ != nullptr) transplt_capture_close(capture_);
  }

 protected:
  transplt_status Open(const transplt_options& options) {
    return transplt_capture_open(&options, &capture_);
  }
  transplt_status Close() { return transplt_capture_close(std::exchange(capture_, nullptr)); }

  TempFolder folder_;
  std::string root_ = folder_.path();
  transplt_options options_ = Options(root_);
  transplt_capture* capture_ = nullptr;
  std::vector<float> data_ = std::vector<float>(1000, 1.5F);
  std::vector<int64_t> shape_{1000};
  transplt_tensor tensor_ = Tensor(data_.data(), TRANSPLT_FLOAT32, shape_);
};

}  // namespace transplt::capture_tests
