// SPDX-License-Identifier: Apache-2.0
#include "transplt/verify/file_content.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace transplt {
namespace {

class FileContent : public testing::Test {
 protected:
  FileContent() {
    std::string folder = testing::TempDir() + "content-XXXXXX";
    folder_ = mkdtemp(folder.data());
  }
  ~FileContent() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& bytes, off_t size = 0) {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path, std::ios::binary) << bytes;
    EXPECT_EQ(size == 0 ? 0 : truncate(path.c_str(), size), 0);
    return path;
  }

 private:
  std::string folder_;
};

TEST_F(FileContent, IsEqualByteForByte) {
  EXPECT_TRUE(HasEqualBytes(Write("a", "abc"), Write("b", "abc"), nullptr));
  EXPECT_FALSE(HasEqualBytes(Write("a", "abc"), Write("b", "abd"), nullptr));
  EXPECT_FALSE(HasEqualBytes(Write("a", "abc"), Write("b", "abcd"), nullptr));
  EXPECT_TRUE(HasEqualBytes(Write("a", ""), Write("b", ""), nullptr));
  EXPECT_FALSE(HasEqualBytes(Write("a", ""), "/nonexistent", nullptr));
}

TEST_F(FileContent, OfBlocksBehindTheFirstCounts) {
  std::string large((size_t{3} << 20) + 5, 'x');
  const std::string first = Write("a", large);
  EXPECT_TRUE(HasEqualBytes(first, Write("b", large), nullptr));
  large.back() = 'y';
  EXPECT_FALSE(HasEqualBytes(first, Write("b", large), nullptr));
}

TEST_F(FileContent, OfSparseFilesIsComparedWithoutReadingHoles) {
  constexpr off_t kTerabyte = off_t{1} << 40;
  const std::string first = Write("a", "start", kTerabyte);
  if (std::filesystem::file_size(first) != static_cast<uintmax_t>(kTerabyte)) GTEST_SKIP();
  EXPECT_TRUE(HasEqualBytes(first, Write("b", "start", kTerabyte), nullptr));
  EXPECT_FALSE(HasEqualBytes(first, Write("b", "stars", kTerabyte), nullptr));
  EXPECT_FALSE(ReadText(first));
}

TEST_F(FileContent, IsTextWithoutZeroBytesInUtf8) {
  EXPECT_EQ(ReadText(Write("a", "gr\xc3\xbc\xc3\x9f\n")), "gr\xc3\xbc\xc3\x9f\n");
  EXPECT_FALSE(ReadText(Write("a", std::string("a\0b", 3))));
  EXPECT_FALSE(ReadText(Write("a", "\xff\xfe")));
  EXPECT_FALSE(ReadText("/nonexistent"));
}

}  // namespace
}  // namespace transplt
