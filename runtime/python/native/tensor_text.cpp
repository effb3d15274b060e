// SPDX-License-Identifier: Apache-2.0
#include "runtime/python/native/tensor_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <utility>

namespace transplt::capture_python {
namespace {

void AppendNumber(std::string& text, double value) {
  if (std::isfinite(value)) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    const std::string_view number(digits.data(), static_cast<size_t>(end - digits.data()));
    text.append(number);
    // JSON readers shall see a float.
    if (number.find_first_of(".e") == std::string_view::npos) text += ".0";
  } else {
    // What Python's json writes and reads.
    text += std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
  }
}

void AppendShape(std::string& text, const transplt_tensor& tensor) {
  text += '[';
  for (uint32_t i = 0; i < tensor.dimensions; ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(tensor.shape[i]);
  }
  text += ']';
}

}  // namespace

/// Names hold keys of the user's dictionaries.
void AppendString(std::string& text, std::string_view value) {
  text += '"';
  for (const char c : value) {
    if (static_cast<unsigned char>(c) < 0x20) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(c));
      text += escape.data();
      continue;
    }
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  text += '"';
}

bool IsOverflow(const transplt_statistics& statistics, const ElementType& element) {
  const transplt_statistics& s = statistics;
  if (s.has_statistics == 0 || s.elements == 0) return false;
  if (s.nan_count + s.positive_infinities + s.negative_infinities > 0) return true;
  return element.limit > 0 && (s.maximum >= element.limit || s.minimum <= -element.limit);
}

void AppendJsonElement(std::string& text, const TensorOfObject& object,
                       const transplt_statistics& statistics, const JsonExtras& extras) {
  const transplt_statistics& s = statistics;
  text.append(R"({"type": "torch.Tensor", "dtype": ")").append(object.element().name);
  text += R"(", "shape": )";
  AppendShape(text, object.tensor());
  if (s.has_statistics != 0 && s.elements > 0) {
    const std::array<std::pair<const char*, double>, 4> fields{{{", \"Max\": ", s.maximum},
                                                                {", \"Min\": ", s.minimum},
                                                                {", \"Mean\": ", s.mean},
                                                                {", \"Norm\": ", s.l2}}};
    for (const auto& [name, value] : fields) AppendNumber(text += name, value);
  } else if (s.has_statistics != 0) {
    text += R"(, "Max": null, "Min": null, "Mean": null, "Norm": null)";
  }
  text += extras.requires_grad ? R"(, "requires_grad": true)" : R"(, "requires_grad": false)";
  if (extras.with_crc) {
    std::array<char, 16> digits{};
    std::snprintf(digits.data(), digits.size(), "%08x", s.crc32);
    text += R"(, "md5": ")" + std::string(digits.data()) + '"';
  }
  if (extras.data_name != nullptr) {
    text += R"(, "data_name": )";
    AppendString(text, extras.data_name);
  }
  text += '}';
}

std::string PklLine(const TensorOfObject& object, const transplt_statistics& statistics,
                    const char* name) {
  const transplt_statistics& s = statistics;
  std::string text = "[";
  AppendString(text, name);
  text += ", 1, [], \"" + object.element().name + "\", ";
  AppendShape(text, object.tensor());
  text += ", [";
  const std::array values{s.maximum, s.minimum, s.mean, s.l2};
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ", ";
    AppendNumber(text, values[i]);
  }
  return text + "]]";
}

}  // namespace transplt::capture_python
