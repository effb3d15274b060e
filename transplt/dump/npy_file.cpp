// SPDX-License-Identifier: Apache-2.0
#include "transplt/dump/npy_file.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace transplt {

namespace {

constexpr size_t kMaxNpyHeader = 1 << 16;
constexpr std::string_view kMagic = "\x93NUMPY";

struct Descr {
  std::string_view code;
  NumberType type;
};

constexpr std::array<Descr, 15> kDescrs = {{{"f2", NumberType::kFloat16},
                                            {"f4", NumberType::kFloat32},
                                            {"f8", NumberType::kFloat64},
                                            {"i1", NumberType::kInt8},
                                            {"i2", NumberType::kInt16},
                                            {"i4", NumberType::kInt32},
                                            {"i8", NumberType::kInt64},
                                            {"u1", NumberType::kUInt8},
                                            {"u2", NumberType::kUInt16},
                                            {"u4", NumberType::kUInt32},
                                            {"u8", NumberType::kUInt64},
                                            {"b1", NumberType::kBool},
                                            {"c8", NumberType::kComplex64},
                                            {"c16", NumberType::kComplex128},
                                            {"V2", NumberType::kBFloat16}}};

/// What follows `'key':` in the dictionary of the header, without blanks; empty if it is not there.
std::string_view ValueOf(std::string_view header, std::string_view key) {
  for (const char quote : {'\'', '"'}) {
    const size_t at = header.find(std::string(1, quote) + std::string(key) + quote);
    if (at == header.npos) continue;
    size_t start = at + key.size() + 2;
    while (start < header.size() && (header[start] == ':' || header[start] == ' ')) ++start;
    return header.substr(start);
  }
  return {};
}

bool ReadShapeText(std::string_view text, std::vector<uint64_t>& shape) {
  if (!text.starts_with('(')) return false;
  const char* at = text.data() + 1;
  const char* const end = text.data() + text.size();
  while (at != end) {
    if (*at == ' ' || *at == ',') {
      ++at;
    } else if (*at == ')') {
      return true;
    } else {
      uint64_t size = 0;
      const auto [next, error] = std::from_chars(at, end, size);
      if (error != std::errc() || shape.size() == kMaxRank) return false;
      shape.push_back(size);
      at = next;
      if (at != end && *at == 'L') ++at;  // numpy under Python 2
    }
  }
  return false;
}

bool ReadDescr(std::string_view text, DumpedTensor& tensor) {
  if (text.size() < 4 || (text[0] != '\'' && text[0] != '"')) return false;
  const size_t end = text.find(text[0], 1);
  if (end == text.npos || end < 3) return false;
  std::string_view descr = text.substr(1, end - 1);
  const char order = descr[0];
  if (order == '<' || order == '>' || order == '|' || order == '=') descr.remove_prefix(1);
  tensor.place.big_endian = order == '>';
  tensor.type_name = std::string(descr);
  for (const Descr& row : kDescrs) {
    if (row.code == descr) tensor.type = row.type;
  }
  return true;
}

Error BrokenNpyFile(const std::string& name, const Text& why) {
  return {Error::Code::kBadInput,
          name,
          {"is no .npy file that can be used: " + why.en + "; dump it again or leave it out",
           "不是可用的 .npy 文件：" + why.zh + "；请重新导出或将其移除"}};
}

/// Where the text of the header starts and how long it is; 0 if the file is none.
size_t HeaderPlace(const ByteSource& source, uint64_t& start) {
  const std::string head = source.Text(0, 12);
  if (head.size() < 10 || !head.starts_with(kMagic)) return 0;
  const auto byte = [&head](size_t i) {
    return static_cast<size_t>(static_cast<uint8_t>(head[i]));
  };
  if (byte(6) == 1) {
    start = 10;
    return byte(8) | byte(9) << 8;
  }
  if (head.size() < 12 || byte(6) > 3) return 0;
  start = 12;
  return byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
}

}  // namespace

Result<DumpedTensor> ReadNpy(const ByteSource& source, const std::string& name) {
  uint64_t start = 0;
  const size_t size = HeaderPlace(source, start);
  if (size == 0) return BrokenNpyFile(name, Say("it does not start as one", "文件头不符"));
  if (size > kMaxNpyHeader || start + size > source.size()) {
    return BrokenNpyFile(name, Say("its header is cut off or too long", "文件头被截断或过长"));
  }
  const std::string header = source.Text(start, size);
  DumpedTensor tensor;
  if (!ReadDescr(ValueOf(header, "descr"), tensor) ||
      !ReadShapeText(ValueOf(header, "shape"), tensor.shape)) {
    return BrokenNpyFile(name, Say("its header has no type or no shape", "文件头缺少类型或形状"));
  }
  tensor.place.column_major = ValueOf(header, "fortran_order").starts_with("True");
  tensor.place.offset = start + size;
  const uint64_t elements = ElementsOf(tensor.shape);
  const uint64_t have = source.size() - tensor.place.offset;
  const size_t width = SizeOf(tensor.type);
  if (width != 0 && elements > have / width) {
    return BrokenNpyFile(name, Say("it is cut off: {} bytes of values, shape {} needs {}",
                                   "文件被截断：数据 {} 字节，形状 {} 需要 {} 字节", have,
                                   ShapeText(tensor.shape), elements * width));
  }
  tensor.place.bytes = elements * width;
  return tensor;
}

std::string NpyHeader(NumberType type, const std::vector<uint64_t>& shape) {
  std::string_view code = "V2";
  for (const Descr& row : kDescrs) {
    if (row.type == type) code = row.code;
  }
  const char order = SizeOf(type) == 1 || code == "V2" ? '|' : '<';
  std::string text = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': {}, }}",
                                 order, code, ShapeText(shape));
  constexpr size_t kAlign = 64;
  text.append(kAlign - (10 + text.size() + 1) % kAlign, ' ');
  text.push_back('\n');
  std::string header(kMagic);
  header.append(
      {'\1', '\0', static_cast<char>(text.size() & 0xFF), static_cast<char>(text.size() >> 8)});
  return header + text;
}

}  // namespace transplt
