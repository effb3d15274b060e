// SPDX-License-Identifier: Apache-2.0
#include "runtime/src/exporter.h"

namespace transplt::capture {

std::string MindSporeSyncName(const RecordMeta& meta) {
  std::string name;
  for (char c : meta.name) name += c == '/' ? std::string("--") : std::string(1, c);
  name += meta.direction == TRANSPLT_INPUT ? "_input_" : "_output_";
  name += std::to_string(meta.index) + "_shape_";
  for (size_t i = 0; i < meta.shape.size(); ++i) {
    name += (i > 0 ? "_" : "") + std::to_string(meta.shape[i]);
  }
  const std::string layout = meta.layout.empty() ? "DefaultFormat" : meta.layout;
  return name + "_" + NamesOf(meta.type)->mindspore + "_" + layout + ".bin";
}

}  // namespace transplt::capture
