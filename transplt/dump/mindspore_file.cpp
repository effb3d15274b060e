// SPDX-License-Identifier: Apache-2.0
#include "transplt/dump/mindspore_file.h"

#include <charconv>

namespace transplt {
namespace {

constexpr std::string_view kEnd = ".bin";
constexpr std::string_view kShape = "_shape_";

/// Where "_input_3_shape_" or "_output_3_shape_" starts, or npos.
size_t FindSlot(std::string_view stem, size_t shape) {
  const size_t index = stem.rfind('_', shape - 1);
  if (index == stem.npos || index + 1 == shape) return stem.npos;
  if (stem.substr(index + 1, shape - index - 1).find_first_not_of("0123456789") != stem.npos) {
    return stem.npos;
  }
  for (const std::string_view role : {"_input", "_output"}) {
    if (index > role.size() && stem.substr(0, index).ends_with(role)) return index - role.size();
  }
  return stem.npos;
}

/// Takes the sizes off the start of "2_3_Float32_NCHW". False for one that is no number.
bool TakeSizes(std::string_view& text, std::vector<uint64_t>& shape) {
  while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
    uint64_t size = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc()) return false;
    shape.push_back(size);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    if (!text.starts_with('_')) return false;
    text.remove_prefix(1);
  }
  return true;
}

}  // namespace

bool IsMindSporeName(std::string_view file) {
  const size_t shape = file.rfind(kShape);
  return file.ends_with(kEnd) && shape != file.npos && shape > 0 &&
         FindSlot(file, shape) != file.npos;
}

Result<DumpedTensor> ReadMindSporeName(std::string_view file, uint64_t bytes) {
  const Error broken{
      Error::Code::kBadInput, std::string(file),
      Say("the name should end in _shape_{{sizes}}_{{type}}_{{format}}.bin, with a known type",
          "文件名应以 _shape_{{尺寸}}_{{类型}}_{{格式}}.bin 结尾，且类型须为已知类型")};
  if (!IsMindSporeName(file)) return broken;
  const std::string_view stem = file.substr(0, file.size() - kEnd.size());
  const size_t shape = stem.rfind(kShape);
  std::string_view rest = stem.substr(shape + kShape.size());
  if (rest.starts_with('_')) rest.remove_prefix(1);  // a scalar has no sizes
  DumpedTensor tensor;
  tensor.name = std::string(stem.substr(0, shape));
  if (!TakeSizes(rest, tensor.shape)) return broken;
  const size_t format = rest.find('_');  // the format may have more of them: FRACTAL_NZ
  if (format == rest.npos) return broken;
  tensor.type_name = std::string(rest.substr(0, format));
  const std::optional<NumberType> number = NumberTypeNamed(tensor.type_name);
  if (!number) return broken;
  tensor.type = *number;
  const uint64_t elements = ElementsOf(tensor.shape);
  if (elements > bytes / SizeOf(tensor.type) || elements * SizeOf(tensor.type) != bytes) {
    return Error{Error::Code::kBadInput, std::string(file),
                 Say("has {} bytes, which is not shape {} of {}; it may be cut off",
                     "文件为 {} 字节，与形状 {}、类型 {} 不符，可能已被截断", bytes,
                     ShapeText(tensor.shape), NameOf(tensor.type))};
  }
  tensor.place.bytes = bytes;
  return tensor;
}

}  // namespace transplt
