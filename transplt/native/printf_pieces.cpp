// SPDX-License-Identifier: Apache-2.0
#include "transplt/native/printf_pieces.h"

namespace transplt {

std::optional<std::string> FormatPieces(std::string_view format,
                                        const std::vector<std::string>& values) {
  std::vector<std::string> pieces;
  std::string text;
  size_t next = 0;
  const auto end_text = [&] {
    if (!text.empty()) pieces.push_back('"' + text + '"');
    text.clear();
  };
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      text += format[i];
      continue;
    }
    if (++i < format.size() && format[i] == '%') {
      text += '%';
      continue;
    }
    while (i < format.size() &&
           std::string_view("lzjt").find(format[i]) != std::string_view::npos) {
      ++i;
    }
    const bool is_plain =
        i < format.size() && std::string_view("dius").find(format[i]) != std::string_view::npos;
    if (!is_plain || next == values.size()) return std::nullopt;
    end_text();
    pieces.push_back(values[next++]);
  }
  end_text();
  if (next != values.size()) return std::nullopt;
  std::string joined;
  for (const std::string& piece : pieces) joined += (joined.empty() ? "" : ", ") + piece;
  return joined;
}

}  // namespace transplt
