// SPDX-License-Identifier: Apache-2.0
// The header of a GE dump: a message toolkit.dumpdata.DumpData of proto3. Its few fields are
// framed here by hand, so that the library needs no protobuf; the tests read it with protoc's.
#include <cstring>

#include "runtime/src/exporter.h"

namespace transplt::capture {
namespace {

/// Appends fields of a message in the wire format of protobuf.
class Message {
 public:
  void Varint(uint32_t field, uint64_t value) {
    if (value == 0) return;  // proto3 leaves out what has its default
    Raw(uint64_t{field} << 3);
    Raw(value);
  }
  void Bytes(uint32_t field, std::string_view bytes) {
    Raw(uint64_t{field} << 3 | 2);
    Raw(bytes.size());
    text_.append(bytes);
  }
  void Raw(uint64_t value) {
    for (; value >= 0x80; value >>= 7) text_ += static_cast<char>((value & 0x7F) | 0x80);
    text_ += static_cast<char>(value);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

struct FormatCode {
  const char* name;
  uint64_t code;
};
constexpr FormatCode kFormats[] = {{"NCHW", 0},        {"NHWC", 1},      {"ND", 2},
                                   {"NC1HWC0", 3},     {"FRACTAL_Z", 4}, {"HWCN", 16},
                                   {"FRACTAL_NZ", 29}, {"NCDHW", 30}};

uint64_t CodeOfFormat(const std::string& name) {
  for (const FormatCode& format : kFormats) {
    if (name == format.name) return format.code;
  }
  return 2;  // ND
}

std::string ShapeMessage(const RecordMeta& meta) {
  Message dims;
  for (int64_t size : meta.shape) dims.Raw(static_cast<uint64_t>(size));
  Message shape;
  if (!meta.shape.empty()) shape.Bytes(1, dims.text());
  return shape.text();
}

/// OpInput and OpOutput have the same fields under different tags.
std::string TensorMessage(const RecordMeta& meta) {
  const bool input = meta.direction == TRANSPLT_INPUT;
  const std::string shape = ShapeMessage(meta);
  Message message;
  message.Varint(1, NamesOf(meta.type)->ge);
  message.Varint(2, CodeOfFormat(meta.layout));
  message.Bytes(3, shape);
  message.Varint(input ? 5 : 6, meta.bytes);
  message.Bytes(input ? 6 : 7, shape);
  return message.text();
}

}  // namespace

std::string DumpDataHeader(const std::vector<const StoredRecord*>& records) {
  const RecordMeta& first = records.front()->meta;
  Message message;
  message.Bytes(1, "1.0");
  message.Varint(2, first.time);
  for (const StoredRecord* record : records) {
    if (record->meta.direction != TRANSPLT_INPUT) message.Bytes(3, TensorMessage(record->meta));
  }
  for (const StoredRecord* record : records) {
    if (record->meta.direction == TRANSPLT_INPUT) message.Bytes(4, TensorMessage(record->meta));
  }
  message.Bytes(6, first.name);
  const uint64_t size = message.text().size();
  std::string header(sizeof size, '\0');
  std::memcpy(header.data(), &size, sizeof size);
  return header + message.text();
}

}  // namespace transplt::capture
