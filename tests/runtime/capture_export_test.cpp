// SPDX-License-Identifier: Apache-2.0
// Which public files there are, and that none is lost or replaced without a word.
#include <cstring>

#include "tests/runtime/capture_fixture.h"

namespace {

using testing::HasSubstr;
using transplt::capture_tests::Capture;
using transplt::capture_tests::Content;
using transplt::capture_tests::Counters;
using transplt::capture_tests::Options;
using transplt::capture_tests::Put;
using transplt::capture_tests::Tensor;
namespace fs = std::filesystem;

class CaptureFiles : public Capture {
 protected:
  transplt_status PutOperator(const char* name, uint64_t order = 1) {
    transplt_record record{};
    record.struct_size = sizeof record;
    record.name = name;
    record.op_type = "Add";
    record.direction = TRANSPLT_OUTPUT;
    record.order = order;
    record.want = TRANSPLT_WANT_PAYLOAD;
    record.tensor = &tensor_;
    return transplt_capture_put(capture_, &record, nullptr);
  }
};

TEST_F(CaptureFiles, OfTwoTensorsOfOneNameTheFirstIsKeptAndTheOtherCounted) {
  const std::vector<float> other(1000, 2);
  ASSERT_EQ(Open(options_), TRANSPLT_OK);
  ASSERT_EQ(Put(capture_, "same", tensor_), TRANSPLT_OK);
  ASSERT_EQ(Put(capture_, "same", Tensor(other.data(), TRANSPLT_FLOAT32, shape_)), TRANSPLT_OK);
  EXPECT_EQ(transplt_capture_step(capture_, 0), TRANSPLT_DROPPED);
  EXPECT_THAT(transplt_capture_last_error(), HasSubstr(root_ + "/same.npy: two tensors"));
  EXPECT_EQ(Counters(capture_).files, 1U);
  EXPECT_EQ(Counters(capture_).lost_in_files, 1U);
  ASSERT_EQ(Put(capture_, "same", Tensor(other.data(), TRANSPLT_FLOAT32, shape_)), TRANSPLT_OK);
  EXPECT_EQ(transplt_capture_step(capture_, 1), TRANSPLT_DROPPED);
  EXPECT_THAT(transplt_capture_last_error(), HasSubstr("an earlier step"));
  EXPECT_EQ(Counters(capture_).lost_in_files, 2U);
  EXPECT_EQ(Close(), TRANSPLT_OK);
  float value = 0;
  std::memcpy(&value, Content(root_ + "/same.npy").data() + 128, 4);
  EXPECT_EQ(value, 1.5F);
}

TEST_F(CaptureFiles, OfAnEarlierRunAreReplacedWhereThatIsAllowed) {
  fs::create_directories(root_);
  std::ofstream(root_ + "/a.npy") << "old";
  options_.allow_existing = 1;
  ASSERT_EQ(Open(options_), TRANSPLT_OK);
  ASSERT_EQ(Put(capture_, "a", tensor_), TRANSPLT_OK);
  EXPECT_EQ(Close(), TRANSPLT_OK);
  EXPECT_EQ(fs::file_size(root_ + "/a.npy"), 4128U);
}

TEST_F(CaptureFiles, OfHdf5AreOnePerStep) {
  options_.format = TRANSPLT_FORMAT_HDF5;
  ASSERT_EQ(Open(options_), TRANSPLT_OK);
  for (const uint64_t step : {0U, 1U, 7U}) {
    ASSERT_EQ(PutOperator("op"), TRANSPLT_OK);
    ASSERT_EQ(transplt_capture_step(capture_, step), TRANSPLT_OK) << transplt_capture_last_error();
  }
  EXPECT_EQ(Counters(capture_).files, 3U);
  for (const char* name : {"/capture.h5", "/capture.1.h5", "/capture.7.h5"}) {
    EXPECT_TRUE(fs::exists(root_ + name)) << name;
  }
}

TEST_F(CaptureFiles, OfHdf5TakeNoTypeThatHasNoCode) {
  options_.format = TRANSPLT_FORMAT_HDF5;
  ASSERT_EQ(Open(options_), TRANSPLT_OK);
  tensor_ = Tensor(data_.data(), TRANSPLT_UINT16, shape_);
  EXPECT_EQ(PutOperator("op"), TRANSPLT_UNSUPPORTED);
  EXPECT_THAT(transplt_capture_last_error(), HasSubstr("UInt16"));
  tensor_ = Tensor(data_.data(), TRANSPLT_BFLOAT16, shape_);
  EXPECT_EQ(PutOperator("op"), TRANSPLT_OK);
}

TEST_F(CaptureFiles, OfHdf5LoseOnlyTheTensorWhoseNameIsTaken) {
  options_.format = TRANSPLT_FORMAT_HDF5;
  ASSERT_EQ(Open(options_), TRANSPLT_OK);
  for (const char* name : {"a.b", "a_b", "c"}) ASSERT_EQ(PutOperator(name), TRANSPLT_OK);
  EXPECT_EQ(transplt_capture_step(capture_, 0), TRANSPLT_DROPPED);
  EXPECT_THAT(transplt_capture_last_error(), HasSubstr("/a_b/1/output/0"));
  EXPECT_EQ(Counters(capture_).lost_in_files, 1U);
  EXPECT_TRUE(fs::exists(root_ + "/capture.h5"));
  EXPECT_EQ(Close(), TRANSPLT_OK);
  EXPECT_FALSE(fs::exists(root_ + "/.transplt_capture"));
}

TEST_F(CaptureFiles, WithLongNamesThatHaveOneCrcAreTwo) {
  // The CRC of what follows 260 characters is the same for both endings.
  const std::string front(260, 'x');
  std::vector<std::string> names;
  for (const char* ending : {"fee72ef6c8dd", "547c1be46ecd"}) names.push_back(front + ending);
  ASSERT_EQ(transplt_capture_crc32(0, (names[0] + ".npy").data(), names[0].size() + 4),
            transplt_capture_crc32(0, (names[1] + ".npy").data(), names[1].size() + 4));
  ASSERT_EQ(Open(options_), TRANSPLT_OK);
  for (const std::string& name : names)
    ASSERT_EQ(Put(capture_, name.c_str(), tensor_), TRANSPLT_OK);
  EXPECT_EQ(Close(), TRANSPLT_OK) << transplt_capture_last_error();
  size_t files = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(root_)) {
    files += entry.file_size() == 4128 ? 1 : 0;
  }
  EXPECT_EQ(files, 2U);
}

TEST_F(CaptureFiles, GetOtherDigitsIfATableGivesThemToAnotherName) {
  const std::string name(300, 'x');
  options_.allow_existing = 1;
  ASSERT_EQ(Open(options_), TRANSPLT_OK);
  ASSERT_EQ(Put(capture_, name.c_str(), tensor_), TRANSPLT_OK);
  ASSERT_EQ(transplt_capture_step(capture_, 0), TRANSPLT_OK);
  const std::string table = root_ + "/mapping.csv";
  const std::string digits = Content(table).substr(0, Content(table).find(','));
  std::ofstream(table, std::ios::trunc) << digits << ",another\n";
  ASSERT_EQ(Put(capture_, name.c_str(), tensor_), TRANSPLT_OK);
  ASSERT_EQ(transplt_capture_step(capture_, 1), TRANSPLT_OK);
  EXPECT_THAT(Content(table), testing::StartsWith(digits + ",another\n"));
  EXPECT_THAT(Content(table), HasSubstr("," + name + ".npy\n"));
}

TEST_F(CaptureFiles, LieBelowTheRootWhateverTheOptionsAre) {
  for (const char* path : {"../out", "/out", "a/../../out"}) {
    options_ = Options(root_);
    options_.format = TRANSPLT_FORMAT_HDF5;
    options_.hdf5_file = path;
    EXPECT_EQ(Open(options_), TRANSPLT_INVALID) << path;
    options_.format = TRANSPLT_FORMAT_GE;
    options_.time_folder = path;
    EXPECT_EQ(Open(options_), TRANSPLT_INVALID) << path;
    options_.format = TRANSPLT_FORMAT_MINDSPORE_SYNC;
    options_.net_name = path;
    EXPECT_EQ(Open(options_), TRANSPLT_INVALID) << path;
    EXPECT_THAT(transplt_capture_last_error(), HasSubstr(path));
  }
  EXPECT_FALSE(fs::exists(root_)) << "nothing was made";
}

}  // namespace
