// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace transplt {

/// What the elements of a dumped tensor are.
enum class NumberType : uint8_t {
  kFloat16,
  kBFloat16,
  kFloat32,
  kFloat64,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUInt8,
  kUInt16,
  kUInt32,
  kUInt64,
  kBool,
  kComplex64,
  kComplex128,
  kOther,  ///< strings, packed 4 bit integers ...: its values cannot be compared
};

/// Bytes of one element; 0 for kOther.
size_t SizeOf(NumberType type);

/// "float32", as numpy and torch spell it.
std::string_view NameOf(NumberType type);

/// The type that a dump calls `name`: "float32", "torch.float32", "Float32", "<class 'float'>" ...
std::optional<NumberType> NumberTypeNamed(std::string_view name);

/// True for complex64 and complex128.
bool IsComplex(NumberType type);

/// True for float16 ... float64 and the complex types.
bool IsFloating(NumberType type);

}  // namespace transplt
