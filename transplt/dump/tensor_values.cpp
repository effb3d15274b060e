// SPDX-License-Identifier: Apache-2.0
#include "transplt/dump/tensor_values.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "transplt/dump/hdf5_file.h"
#include "transplt/dump/widen.h"

namespace transplt {
namespace {

constexpr uint64_t kMaxWhole = uint64_t{1} << 30;

static_assert(std::endian::native == std::endian::little);

template <typename From, typename To>
void Convert(const char* from, size_t count, To* to) {
  for (size_t i = 0; i < count; ++i) {
    From value;
    std::memcpy(&value, from + i * sizeof(From), sizeof(From));
    to[i] = static_cast<To>(value);
  }
}

void ConvertNarrow(NumberType type, const char* from, size_t count, float* to) {
  if (type == NumberType::kFloat16) {
    WidenHalves(from, count, to);
  } else {
    WidenBFloats(from, count, to);
  }
}

void ConvertNarrow(NumberType type, const char* from, size_t count, double* to) {
  std::vector<float> floats(count);
  ConvertNarrow(type, from, count, floats.data());
  std::copy(floats.begin(), floats.end(), to);
}

template <typename To>
void ConvertAll(NumberType type, const char* from, size_t count, To* to) {
  switch (type) {
    case NumberType::kFloat16:
    case NumberType::kBFloat16:
      return ConvertNarrow(type, from, count, to);
    case NumberType::kFloat32:
    case NumberType::kComplex64:
      return Convert<float>(from, count, to);
    case NumberType::kFloat64:
    case NumberType::kComplex128:
      return Convert<double>(from, count, to);
    case NumberType::kInt8:
      return Convert<int8_t>(from, count, to);
    case NumberType::kInt16:
      return Convert<int16_t>(from, count, to);
    case NumberType::kInt32:
      return Convert<int32_t>(from, count, to);
    case NumberType::kInt64:
      return Convert<int64_t>(from, count, to);
    case NumberType::kUInt16:
      return Convert<uint16_t>(from, count, to);
    case NumberType::kUInt32:
      return Convert<uint32_t>(from, count, to);
    case NumberType::kUInt64:
      return Convert<uint64_t>(from, count, to);
    case NumberType::kBool:
      for (size_t i = 0; i < count; ++i) to[i] = from[i] != 0 ? To{1} : To{0};
      return;
    default:
      return Convert<uint8_t>(from, count, to);
  }
}

bool FitsFloat(NumberType type) {
  switch (type) {
    case NumberType::kFloat16:
    case NumberType::kBFloat16:
    case NumberType::kFloat32:
    case NumberType::kComplex64:
    case NumberType::kInt8:
    case NumberType::kInt16:
    case NumberType::kUInt8:
    case NumberType::kUInt16:
    case NumberType::kBool:
      return true;
    default:
      return false;
  }
}

/// The steps of a tensor whose first index varies fastest.
std::vector<AxisSteps> ColumnMajor(const std::vector<uint64_t>& shape) {
  std::vector<AxisSteps> steps;
  uint64_t step = 1;
  for (const uint64_t size : shape) {
    steps.push_back({1, step, 0});
    step *= size;
  }
  return steps;
}

/// Puts elements of `width` bytes that stand where `steps` say into the order of the last index
/// fastest. Empty if one of them would stand behind the end.
std::string RowMajor(const std::string& from, const std::vector<uint64_t>& shape,
                     const std::vector<AxisSteps>& steps, size_t width) {
  const uint64_t count = ElementsOf(shape);
  std::string to(count * width, '\0');
  std::vector<uint64_t> index(shape.size(), 0);
  std::vector<uint64_t> places(shape.size(), 0);  // what each index adds
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t place = 0;
    for (const uint64_t part : places) place += part;
    if ((place + 1) * width > from.size()) return {};
    std::memcpy(to.data() + i * width, from.data() + place * width, width);
    for (size_t axis = shape.size(); axis-- > 0;) {
      const bool goes_on = ++index[axis] < shape[axis];
      if (!goes_on) index[axis] = 0;
      const AxisSteps& step = steps[axis];
      places[axis] = index[axis] / step.block * step.outer + index[axis] % step.block * step.inner;
      if (goes_on) break;
    }
  }
  return to;
}

}  // namespace

Result<TensorValues> TensorValues::Open(const DumpedTensor& tensor) {
  TensorValues values;
  if (tensor.place.file.empty()) {
    return Error{Error::Code::kBadInput, tensor.name,
                 Say("the dump holds no values of this tensor", "dump 中没有该张量的数据")};
  }
  if (SizeOf(tensor.type) == 0) {
    return Error{
        Error::Code::kBadInput, tensor.place.file,
        Say("values of type {} cannot be compared", "无法比较类型 {} 的数据", tensor.type_name)};
  }
  const size_t parts = IsComplex(tensor.type) ? 2 : 1;
  values.type_ = tensor.type;
  values.width_ = SizeOf(tensor.type) / parts;
  values.count_ = ElementsOf(tensor.shape) * parts;
  values.fits_float_ = FitsFloat(tensor.type);
  values.big_endian_ = tensor.place.big_endian;
  values.offset_ = tensor.place.offset;
  if (Result<Done> opened = values.OpenPlace(tensor); !opened) return opened.error();
  std::vector<AxisSteps> steps = tensor.place.steps;
  if (tensor.place.column_major && tensor.shape.size() > 1) steps = ColumnMajor(tensor.shape);
  if (!steps.empty()) {
    if (Result<Done> turned = values.TurnToRowMajor(tensor, steps); !turned) return turned.error();
  }
  return values;
}

Result<Done> TensorValues::OpenPlace(const DumpedTensor& tensor) {
  if (!tensor.place.dataset.empty()) {
    Result<std::string> whole = ReadHdf5Values(tensor);
    if (!whole) return whole.error();
    whole_ = std::move(*whole);
    offset_ = 0;
    return Done();
  }
  Result<std::unique_ptr<ByteSource>> source = OpenFile(tensor.place.file);
  if (!source) return source.error();
  source_ = std::move(*source);
  return Done();
}

Result<Done> TensorValues::TurnToRowMajor(const DumpedTensor& tensor,
                                          const std::vector<AxisSteps>& steps) {
  if (tensor.place.bytes > kMaxWhole) {
    return Error{Error::Code::kBadInput, tensor.place.file,
                 Say("a tensor in Fortran order or in blocks of a device of more than 1 GiB is not "
                     "read; save it in C order",
                     "不读取超过 1 GiB 的 Fortran 序或设备分块张量；请以 C 序保存")};
  }
  const std::string bytes = source_->Text(offset_, tensor.place.bytes);
  if (bytes.size() != tensor.place.bytes) {
    return Error{Error::Code::kIo, tensor.place.file, Say("cannot be read", "无法读取")};
  }
  whole_ = RowMajor(bytes, tensor.shape, steps, SizeOf(tensor.type));
  if (whole_.empty() && !bytes.empty()) {
    return Error{Error::Code::kBadInput, tensor.place.file,
                 Say("has fewer values than its shape {} wants", "数据少于形状 {} 所需",
                     ShapeText(tensor.shape))};
  }
  source_.reset();
  offset_ = 0;
  return Done();
}

const char* TensorValues::Raw(uint64_t start, size_t count) {
  const uint64_t from = offset_ + start * width_;
  const size_t size = count * width_;
  if (source_ == nullptr && !big_endian_) {
    return from > whole_.size() || size > whole_.size() - from ? nullptr : whole_.data() + from;
  }
  if (raw_.size() < size) raw_.resize(size);
  if (source_ != nullptr ? !source_->Read(from, raw_.data(), size)
                         : !MemorySource(whole_).Read(from, raw_.data(), size)) {
    return nullptr;
  }
  for (size_t i = 0; big_endian_ && i < size; i += width_) {
    std::reverse(raw_.data() + i, raw_.data() + i + width_);
  }
  return raw_.data();
}

const float* TensorValues::Floats(uint64_t start, size_t count) {
  const char* bytes = Raw(start, count);
  if (bytes == nullptr) return nullptr;
  const bool is_aligned = reinterpret_cast<uintptr_t>(bytes) % alignof(float) == 0;
  if (is_aligned && (type_ == NumberType::kFloat32 || type_ == NumberType::kComplex64)) {
    return reinterpret_cast<const float*>(bytes);
  }
  if (floats_.size() < count) floats_.resize(count);
  ConvertAll(type_, bytes, count, floats_.data());
  return floats_.data();
}

const double* TensorValues::Doubles(uint64_t start, size_t count) {
  const char* bytes = Raw(start, count);
  if (bytes == nullptr) return nullptr;
  if (doubles_.size() < count) doubles_.resize(count);
  ConvertAll(type_, bytes, count, doubles_.data());
  return doubles_.data();
}

}  // namespace transplt
