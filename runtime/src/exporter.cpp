// SPDX-License-Identifier: Apache-2.0
#include "runtime/src/exporter.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <fstream>
#include <map>
#include <sstream>
#include <tuple>

#include "runtime/src/block_statistics.h"
#include "runtime/src/output_file.h"

namespace transplt::capture {
namespace {

void Note(ExportResult& result, Status status, uint64_t records) {
  if (status.ok()) {
    ++result.files;
    return;
  }
  result.lost_records += records;
  if (result.first_error.ok()) result.first_error = std::move(status);
}

Status WriteRaw(const std::vector<const StoredRecord*>& records, const std::string& header,
                const std::string& path) {
  OutputFile file;
  Status status = file.Create(path);
  if (status.ok()) status = file.Write(header);
  for (const StoredRecord* record : records) {
    for (std::string_view piece : record->pieces) {
      if (status.ok()) status = file.Write(piece);
    }
  }
  return status.ok() ? file.Finish() : status;
}

std::pair<std::string, std::string> SplitPath(const std::string& path) {
  const size_t slash = path.rfind('/');
  return {path.substr(0, slash), path.substr(slash + 1)};
}

void ExportNpy(const SegmentReader& segment, const Layout& layout, ExportResult& result) {
  for (const StoredRecord& record : segment.records()) {
    const auto [folder, name] = SplitPath(layout.root + "/" + record.meta.name + ".npy");
    std::string path;
    Status status = FittingPath(folder, name, &path);
    if (status.ok()) status = WriteNpy(record, path);
    Note(result, std::move(status), 1);
  }
}

void ExportMindSporeSync(const SegmentReader& segment, const Layout& layout, uint64_t step,
                         ExportResult& result) {
  const std::string folder = layout.root + "/" + layout.net_name + "/device_" +
                             std::to_string(layout.device_id) + "/iteration_" +
                             std::to_string(step);
  for (const StoredRecord& record : segment.records()) {
    std::string path;
    Status status = FittingPath(folder, MindSporeSyncName(record.meta), &path);
    if (status.ok()) status = WriteRaw({&record}, "", path);
    Note(result, std::move(status), 1);
  }
}

/// Inputs before outputs, each by index: the order in which DumpData lists them.
bool ComesBefore(const StoredRecord* a, const StoredRecord* b) {
  return std::tie(a->meta.direction, a->meta.index) < std::tie(b->meta.direction, b->meta.index);
}

std::string DumpDataFolder(const Layout& layout, uint64_t step) {
  const std::string device = std::to_string(layout.device_id);
  const std::string model = std::to_string(layout.model_id);
  if (layout.format == TRANSPLT_FORMAT_MINDSPORE_ASYNC) {
    return layout.root + "/" + device + "/" + layout.net_name + "_graph_" + model + "/" + model +
           "/" + std::to_string(step);
  }
  std::string folder = layout.root + "/" + layout.time_folder + "/" + device;
  if (!layout.model_name.empty()) folder += "/" + SanitisedName(layout.model_name);
  return folder + "/" + model + "/" + std::to_string(step);
}

void ExportDumpData(const SegmentReader& segment, const Layout& layout, uint64_t step,
                    ExportResult& result) {
  std::map<std::pair<std::string, uint64_t>, std::vector<const StoredRecord*>> operators;
  for (const StoredRecord& record : segment.records()) {
    operators[{record.meta.name, record.meta.order}].push_back(&record);
  }
  const std::string folder = DumpDataFolder(layout, step);
  for (auto& [key, records] : operators) {
    std::stable_sort(records.begin(), records.end(), ComesBefore);
    const RecordMeta& meta = records.front()->meta;
    std::string name = SanitisedName(meta.op_type) + "." + SanitisedName(meta.name) + "." +
                       std::to_string(meta.order) + ".";
    // MindSpore names no stream.
    if (layout.format == TRANSPLT_FORMAT_GE) name += std::to_string(meta.stream_id) + ".";
    name += std::to_string(meta.time);
    std::string path;
    Status status = FittingPath(folder, name, &path);
    if (status.ok()) status = WriteRaw(records, DumpDataHeader(records), path);
    Note(result, std::move(status), records.size());
  }
}

Status WriteText(const StoredText& text, const std::string& path) {
  OutputFile file;
  Status status = file.Create(path);
  if (status.ok()) status = file.Write(text.prefix);
  for (size_t i = 0; i < text.items.size() && status.ok(); ++i) {
    if (i > 0) status = file.Write(text.separator);
    if (status.ok()) status = file.Write(text.items[i]);
  }
  if (status.ok()) status = file.Write(text.suffix);
  return status.ok() ? file.Finish() : status;
}

}  // namespace

std::string SanitisedName(std::string_view name) {
  std::string clean(name);
  for (char& c : clean) {
    if (c == '.' || c == '/' || c == '\\' || c == ' ') c = '_';
  }
  return clean;
}

Status FittingPath(const std::string& folder, const std::string& name, std::string* path) {
  if (name.size() <= NAME_MAX) {
    *path = folder + "/" + name;
    return {};
  }
  // The same name gives the same digits, so that a recovery replaces and does not add.
  const auto low = Crc32(0, name.data(), name.size());
  const auto high = Crc32(low, name.data(), name.size());
  const std::string digits = std::to_string(uint64_t{high} << 32 | low);
  const std::string mapping = folder + "/mapping.csv";
  std::stringstream lines;
  if (const std::ifstream old(mapping, std::ios::binary); old) lines << old.rdbuf();
  const std::string line = digits + "," + name + "\n";
  *path = folder + "/" + digits;
  if (lines.str().find(line) != std::string::npos) return {};
  OutputFile file;
  Status status = file.Create(mapping);
  if (status.ok()) status = file.Write(lines.str());
  if (status.ok()) status = file.Write(line);
  return status.ok() ? file.Finish() : status;
}

ExportResult Export(const SegmentReader& segment, const Layout& layout, uint64_t step) {
  ExportResult result;
  for (const StoredText& text : segment.texts()) {
    Status status = WriteText(text, layout.root + "/" + text.path);
    if (!status.ok()) result.lost_texts += text.items.size();
    Note(result, std::move(status), 0);
  }
  switch (layout.format) {
    case TRANSPLT_FORMAT_NPY:
      ExportNpy(segment, layout, result);
      break;
    case TRANSPLT_FORMAT_MINDSPORE_SYNC:
      ExportMindSporeSync(segment, layout, step, result);
      break;
    case TRANSPLT_FORMAT_MINDSPORE_ASYNC:
    case TRANSPLT_FORMAT_GE:
      ExportDumpData(segment, layout, step, result);
      break;
    case TRANSPLT_FORMAT_HDF5:
      if (segment.records().empty()) break;
      Note(result, WriteHdf5(segment.records(), layout, layout.root + "/" + layout.hdf5_file),
           segment.records().size());
      break;
    case TRANSPLT_FORMAT_NONE:
      break;
  }
  return result;
}

}  // namespace transplt::capture
