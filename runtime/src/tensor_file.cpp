// SPDX-License-Identifier: Apache-2.0
#include "runtime/src/tensor_file.h"

#include "runtime/src/block_statistics.h"
#include "runtime/src/frame.h"
#include "runtime/src/tensor_type.h"

namespace transplt::capture {
namespace {

/// What stands in front of the elements in a .npy file.
std::string NpyHeader(const RecordMeta& meta) {
  std::string shape;
  for (int64_t size : meta.shape) shape += std::to_string(size) + ", ";
  if (meta.shape.size() > 1) shape.resize(shape.size() - 2);
  if (meta.shape.size() == 1) shape.pop_back();
  std::string text = std::string("{'descr': '") + NamesOf(meta.type)->npy +
                     "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // Version 1.0: the magic, two numbers and the length take 10 bytes; the data starts at 64s.
  constexpr size_t kFixed = 10;
  const size_t whole = RoundUp(kFixed + text.size() + 1, 64);
  text.resize(whole - kFixed - 1, ' ');
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(text.size() & 0xFF);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

}  // namespace

bool HasFilePerTensor(transplt_format format) { return *EndingOf(format) != '\0'; }

const char* EndingOf(transplt_format format) {
  if (format == TRANSPLT_FORMAT_NPY) return ".npy";
  return format == TRANSPLT_FORMAT_PT ? ".pt" : "";
}

Status TensorFile::Create(const RecordMeta& meta, transplt_format format, const std::string& path) {
  status_ = file_.Create(path);
  if (format == TRANSPLT_FORMAT_PT) archive_.emplace(meta);
  if (status_.ok()) status_ = file_.Write(archive_ ? archive_->Head() : NpyHeader(meta));
  return status_;
}

bool TensorFile::Take(std::string_view bytes) {
  if (archive_) crc_ = Crc32(crc_, bytes.data(), bytes.size());
  if (status_.ok()) status_ = file_.Write(bytes);
  return true;
}

Status TensorFile::Finish() {
  if (status_.ok() && archive_) status_ = file_.Write(archive_->Tail(crc_));
  if (status_.ok()) status_ = file_.Finish();
  return status_;
}

Status WriteTensorFile(const SegmentReader& segment, const StoredRecord& record,
                       transplt_format format, const std::string& path) {
  TensorFile file;
  Status status = file.Create(record.meta, format, path);
  if (status.ok()) status = segment.CopyTo(record, file);
  return status.ok() ? file.Finish() : status;
}

}  // namespace transplt::capture
