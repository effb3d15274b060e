// SPDX-License-Identifier: Apache-2.0
#include "transplt/frontends/notebook_edits.h"

namespace transplt {

void PlaceInNotebook(const Notebook& notebook, const SourceFile& program, const SourceFile& file,
                     std::vector<ChangeRecord>& records) {
  for (ChangeRecord& record : records) {
    if (record.start_line == 0) continue;
    const uint32_t start = program.LineRange(record.start_line).start;
    const uint32_t end = program.LineRange(record.end_line).start;
    const Notebook::Place place = notebook.PlaceOf(start);
    record.start_line = file.Locate(notebook.ToJsonOffset(start)).line;
    record.end_line = file.Locate(notebook.ToJsonOffset(end)).line;
    const Text where = Say("cell {}, line {}: ", "单元 {} 第 {} 行: ", place.cell, place.line);
    record.message = {where.en + record.message.en, where.zh + record.message.zh};
  }
}

std::optional<EditList> EditsOfNotebook(const Notebook& notebook, const std::vector<Edit>& edits) {
  const std::optional<std::vector<Edit>> in_json = notebook.ToJson(edits);
  if (!in_json) return std::nullopt;
  EditList list;
  for (const Edit& edit : *in_json) {
    if (list.TryAdd({{edit}}, "")) return std::nullopt;
  }
  return list;
}

}  // namespace transplt
