// SPDX-License-Identifier: Apache-2.0
#include "transplt/dump/number_type.h"

#include <array>
#include <cctype>
#include <string>

namespace transplt {
namespace {

struct Row {
  std::string_view name;
  size_t size;
};

/// In the order of NumberType.
constexpr std::array<Row, 16> kTypes = {{{"float16", 2},
                                         {"bfloat16", 2},
                                         {"float32", 4},
                                         {"float64", 8},
                                         {"int8", 1},
                                         {"int16", 2},
                                         {"int32", 4},
                                         {"int64", 8},
                                         {"uint8", 1},
                                         {"uint16", 2},
                                         {"uint32", 4},
                                         {"uint64", 8},
                                         {"bool", 1},
                                         {"complex64", 8},
                                         {"complex128", 16},
                                         {"other", 0}}};

struct Alias {
  std::string_view name;
  NumberType type;
};

constexpr std::array<Alias, 9> kAliases = {{{"half", NumberType::kFloat16},
                                            {"float", NumberType::kFloat32},
                                            {"double", NumberType::kFloat64},
                                            {"char", NumberType::kInt8},
                                            {"byte", NumberType::kUInt8},
                                            {"short", NumberType::kInt16},
                                            {"int", NumberType::kInt32},
                                            {"long", NumberType::kInt64},
                                            {"bool_", NumberType::kBool}}};

}  // namespace

size_t SizeOf(NumberType type) { return kTypes.at(static_cast<size_t>(type)).size; }

std::string_view NameOf(NumberType type) { return kTypes.at(static_cast<size_t>(type)).name; }

std::optional<NumberType> NumberTypeNamed(std::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot != name.npos) name.remove_prefix(dot + 1);
  std::string lower;
  for (const char c : name) {
    if (c == '\'' || c == '>') break;
    lower.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  }
  for (size_t i = 0; i + 1 < kTypes.size(); ++i) {
    if (kTypes.at(i).name == lower) return static_cast<NumberType>(i);
  }
  for (const Alias& alias : kAliases) {
    if (alias.name == lower) return alias.type;
  }
  return std::nullopt;
}

bool IsComplex(NumberType type) {
  return type == NumberType::kComplex64 || type == NumberType::kComplex128;
}

bool IsFloating(NumberType type) { return type <= NumberType::kFloat64 || IsComplex(type); }

}  // namespace transplt
