// SPDX-License-Identifier: Apache-2.0
#include "transplt/dump/ge_file.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <array>

namespace transplt {
namespace {

using google::protobuf::internal::WireFormatLite;
using Stream = google::protobuf::io::CodedInputStream;

constexpr uint64_t kMaxGeHeader = uint64_t{256} << 20;
constexpr size_t kMaxTensors = 4096;

struct TypeCode {
  uint64_t code;
  NumberType type;
};

/// The numbers of toolkit.dumpdata, which are not those of ge::DataType.
constexpr std::array<TypeCode, 15> kTypeCodes = {{{1, NumberType::kFloat32},
                                                  {2, NumberType::kFloat16},
                                                  {3, NumberType::kInt8},
                                                  {4, NumberType::kUInt8},
                                                  {5, NumberType::kInt16},
                                                  {6, NumberType::kUInt16},
                                                  {7, NumberType::kInt32},
                                                  {8, NumberType::kInt64},
                                                  {9, NumberType::kUInt32},
                                                  {10, NumberType::kUInt64},
                                                  {11, NumberType::kBool},
                                                  {12, NumberType::kFloat64},
                                                  {16, NumberType::kComplex64},
                                                  {17, NumberType::kComplex128},
                                                  {27, NumberType::kBFloat16}}};

struct FormatCode {
  uint64_t code;
  DeviceFormat format;
};

constexpr std::array<FormatCode, 3> kFormats = {
    {{3, DeviceFormat::kNc1hwc0}, {4, DeviceFormat::kFractalZ}, {29, DeviceFormat::kFractalNz}}};

/// Which fields a message has its data and its size in: those of outputs and inputs differ. Only an
/// output has the operator that it came from.
struct Fields {
  int data;
  int size;
  int original;
};
constexpr Fields kOutputFields = {5, 6, 4};
constexpr Fields kInputFields = {4, 5, 0};
constexpr Fields kBufferFields = {2, 3, 0};

struct Part {
  uint64_t type = 0;
  uint64_t format = 0;
  std::vector<uint64_t> shape;
  uint64_t data_offset = 0;  // in the header, of data that is part of it
  uint64_t data_bytes = 0;
  uint64_t size = 0;
  OriginalOutput original;
};

struct Header {
  std::vector<Part> inputs;
  std::vector<Part> outputs;
  std::vector<Part> buffers;
};

bool ReadSizes(Stream& stream, uint32_t tag, std::vector<uint64_t>& shape) {
  uint64_t size = 0;
  if (WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_VARINT) {
    if (!stream.ReadVarint64(&size) || shape.size() == kMaxRank) return false;
    shape.push_back(size);
    return true;
  }
  uint32_t bytes = 0;  // packed
  if (!stream.ReadVarint32(&bytes) || bytes > kMaxGeHeader) return false;
  const int end = stream.CurrentPosition() + static_cast<int>(bytes);
  while (stream.CurrentPosition() < end) {
    if (!stream.ReadVarint64(&size) || shape.size() == kMaxRank) return false;
    shape.push_back(size);
  }
  return stream.CurrentPosition() == end;
}

/// Calls `read` with the tag of each field of the message that comes next, until it ends.
template <typename Read>
bool ReadMessage(Stream& stream, const Read& read) {
  uint32_t bytes = 0;
  if (!stream.ReadVarint32(&bytes) || bytes > kMaxGeHeader) return false;
  const Stream::Limit limit = stream.PushLimit(static_cast<int>(bytes));
  while (const uint32_t tag = stream.ReadTag()) {
    if (!read(tag)) return false;
  }
  const bool is_whole = stream.ConsumedEntireMessage();
  stream.PopLimit(limit);
  return is_whole;
}

bool ReadOriginal(Stream& stream, OriginalOutput& original) {
  return ReadMessage(stream, [&](uint32_t tag) {
    const bool is_text =
        WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
    if (WireFormatLite::GetTagFieldNumber(tag) == 1 && is_text) {
      uint32_t bytes = 0;
      return stream.ReadVarint32(&bytes) && bytes <= kMaxGeHeader &&
             stream.ReadString(&original.op, static_cast<int>(bytes));
    }
    if (WireFormatLite::GetTagFieldNumber(tag) == 2 && !is_text) {
      return stream.ReadVarint64(&original.index);
    }
    return WireFormatLite::SkipField(&stream, tag);
  });
}

bool ReadPart(Stream& stream, const Fields& fields, bool has_form, Part& part) {
  return ReadMessage(stream, [&](uint32_t tag) {
    const int field = WireFormatLite::GetTagFieldNumber(tag);
    if (has_form && field == 1) return stream.ReadVarint64(&part.type);
    if (has_form && field == 2) return stream.ReadVarint64(&part.format);
    if (has_form && field == 3) {
      return ReadMessage(stream, [&](uint32_t inner) {
        if (WireFormatLite::GetTagFieldNumber(inner) == 1) {
          return ReadSizes(stream, inner, part.shape);
        }
        return WireFormatLite::SkipField(&stream, inner);
      });
    }
    if (field == fields.original) return ReadOriginal(stream, part.original);
    if (field == fields.size) return stream.ReadVarint64(&part.size);
    if (field == fields.data) {
      uint32_t bytes = 0;
      if (!stream.ReadVarint32(&bytes) || bytes > kMaxGeHeader) return false;
      part.data_offset = static_cast<uint64_t>(stream.CurrentPosition());
      part.data_bytes = bytes;
      return stream.Skip(static_cast<int>(bytes));
    }
    return WireFormatLite::SkipField(&stream, tag);
  });
}

bool ReadHeader(const std::string& bytes, Header& header) {
  Stream stream(reinterpret_cast<const uint8_t*>(bytes.data()), static_cast<int>(bytes.size()));
  const auto add = [&stream](std::vector<Part>& parts, const Fields& fields, bool has_form) {
    if (parts.size() == kMaxTensors) return false;
    return ReadPart(stream, fields, has_form, parts.emplace_back());
  };
  while (const uint32_t tag = stream.ReadTag()) {
    bool good = false;
    const bool is_message =
        WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
    switch (is_message ? WireFormatLite::GetTagFieldNumber(tag) : 0) {
      case 3:
        good = add(header.outputs, kOutputFields, true);
        break;
      case 4:
        good = add(header.inputs, kInputFields, true);
        break;
      case 5:
        good = add(header.buffers, kBufferFields, false);
        break;
      default:
        good = WireFormatLite::SkipField(&stream, tag);
    }
    if (!good) return false;
  }
  return stream.ConsumedEntireMessage();
}

Error BrokenGeFile(const std::string& name, const Text& why) {
  return {Error::Code::kBadInput,
          name,
          {"is no DumpData file: " + why.en, "不是 DumpData 文件：" + why.zh}};
}

/// Places the values of `parts`, which follow each other from `offset` on.
Result<Done> PlaceParts(const std::vector<Part>& parts, std::string_view role,
                        const std::string& name, uint64_t file_size, uint64_t& offset,
                        std::vector<DumpedTensor>& tensors) {
  for (size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    DumpedTensor tensor;
    tensor.name = fmt::format("{}.{}", role, i);
    tensor.shape = part.shape;
    tensor.original = part.original;
    tensor.type_name = fmt::format("type {}", part.type);
    for (const TypeCode& row : kTypeCodes) {
      if (row.code == part.type) tensor.type = row.type;
    }
    for (const FormatCode& row : kFormats) {
      if (row.code == part.format) tensor.format = row.format;
    }
    const bool is_inside = part.data_bytes > 0;
    const uint64_t bytes = is_inside ? part.data_bytes : part.size;
    tensor.place.offset = is_inside ? part.data_offset + 8 : offset;
    if (!is_inside && bytes > file_size - offset) {
      return BrokenGeFile(
          name, Say("it is cut off in the values of {}", "文件在 {} 的数据处被截断", tensor.name));
    }
    if (!is_inside) offset += bytes;
    const size_t width = SizeOf(tensor.type);
    const uint64_t elements = ElementsOf(part.shape);
    if (width != 0 && (elements > bytes / width)) {
      return BrokenGeFile(name, Say("{} has {} bytes, too few for shape {} of {}",
                                    "{} 有 {} 字节，少于形状 {}、类型 {} 所需", tensor.name, bytes,
                                    ShapeText(part.shape), NameOf(tensor.type)));
    }
    // The device pads to whole blocks: what is behind the last element is not part of the tensor.
    tensor.place.bytes = elements * width;
    tensors.push_back(std::move(tensor));
  }
  return Done();
}

}  // namespace

Result<std::vector<DumpedTensor>> ReadGeFile(const ByteSource& source, const std::string& name) {
  std::array<uint8_t, 8> length_bytes{};
  if (!source.Read(0, length_bytes.data(), length_bytes.size())) {
    return BrokenGeFile(name, Say("it has less than 8 bytes", "不足 8 字节"));
  }
  uint64_t length = 0;
  for (size_t i = 0; i < 8; ++i) length |= uint64_t{length_bytes.at(i)} << (8 * i);
  if (length > source.size() - 8 || length > kMaxGeHeader) {
    return BrokenGeFile(
        name, Say("its header of {} bytes is not all there", "文件头（{} 字节）不完整", length));
  }
  Header header;
  if (!ReadHeader(source.Text(8, length), header)) {
    return BrokenGeFile(
        name, Say("its header is no protocol buffer of that form", "文件头不是该格式的 protobuf"));
  }
  if (header.inputs.empty() && header.outputs.empty() && header.buffers.empty()) {
    return BrokenGeFile(name, Say("it names no tensor", "其中没有张量"));
  }
  std::vector<DumpedTensor> tensors;
  uint64_t offset = 8 + length;
  Result<Done> placed = PlaceParts(header.inputs, "input", name, source.size(), offset, tensors);
  if (placed) placed = PlaceParts(header.outputs, "output", name, source.size(), offset, tensors);
  if (!placed) return placed.error();
  return tensors;
}

}  // namespace transplt
