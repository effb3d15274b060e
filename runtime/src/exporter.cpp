// SPDX-License-Identifier: Apache-2.0
#include "runtime/src/exporter.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "runtime/src/long_names.h"
#include "runtime/src/output_file.h"
#include "runtime/src/run_folder.h"

namespace transplt::capture {
namespace {

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

/// Inputs before outputs, each by index: the order in which DumpData lists them.
bool ComesBefore(const StoredRecord* a, const StoredRecord* b) {
  return std::tie(a->meta.direction, a->meta.index) < std::tie(b->meta.direction, b->meta.index);
}

/// Below the root, as all folders here.
std::string DumpDataFolder(const Layout& layout, uint64_t step) {
  const std::string device = std::to_string(layout.device_id);
  const std::string model = std::to_string(layout.model_id);
  if (layout.format == TRANSPLT_FORMAT_MINDSPORE_ASYNC) {
    return device + "/" + layout.net_name + "_graph_" + model + "/" + model + "/" +
           std::to_string(step);
  }
  std::string folder = layout.time_folder + "/" + device;
  if (!layout.model_name.empty()) folder += "/" + SanitisedName(layout.model_name);
  return folder + "/" + model + "/" + std::to_string(step);
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

/// As the file system has it, so that one file has one name.
std::string WithoutDoubleSlashes(const std::string& path) {
  if (path.find("//") == std::string::npos && path.find("/./") == std::string::npos) return path;
  return std::filesystem::path(path).lexically_normal();
}

bool IsThere(const std::string& path) {
  struct stat what {};
  return ::lstat(path.c_str(), &what) == 0;
}

/// Writes the files of one segment.
class Exporter {
 public:
  Exporter(const SegmentReader& segment, const Layout& layout, uint64_t step, Existing existing)
      : segment_(segment), layout_(layout), step_(step), existing_(existing) {}

  ExportResult Run();

 private:
  void WriteTexts();
  void WriteEachNpy();
  void WriteEachMindSporeSync();
  void WriteDumpData();
  void WriteHdf5File();

  /// The whole path for a file of `records` tensors, or nothing, which is counted then.
  std::optional<std::string> NewPath(const std::string& relative, uint64_t records);
  void Note(Status status, uint64_t records);
  void Refuse(Status status, uint64_t records);

  const SegmentReader& segment_;
  const Layout& layout_;
  uint64_t step_;
  Existing existing_;
  LongNames long_names_;
  std::unordered_set<std::string> taken_;
  ExportResult result_;
};

void Exporter::Note(Status status, uint64_t records) {
  if (status.ok()) {
    ++result_.files;
    return;
  }
  result_.lost_records += records;
  if (result_.first_error.ok()) result_.first_error = std::move(status);
}

void Exporter::Refuse(Status status, uint64_t records) {
  result_.lost_records += records;
  if (result_.first_refusal.ok()) result_.first_refusal = std::move(status);
}

std::optional<std::string> Exporter::NewPath(const std::string& relative, uint64_t records) {
  if (Status status = CheckRelativePath(relative); !status.ok()) {
    Refuse(std::move(status), records);
    return std::nullopt;
  }
  const std::string wanted = WithoutDoubleSlashes(layout_.root + "/" + relative);
  const size_t slash = wanted.rfind('/');
  const std::string folder = wanted.substr(0, slash);
  std::string path = folder + "/" + long_names_.Fitting(folder, wanted.substr(slash + 1));
  const bool is_new = taken_.insert(path).second;
  if (is_new && (existing_ == Existing::kReplace || !IsThere(path))) return path;
  Refuse({TRANSPLT_DROPPED, wanted +
                                (is_new ? ": an earlier step has written it"
                                        : ": two tensors of one step are called so") +
                                "; the first is kept"},
         records);
  return std::nullopt;
}

void Exporter::WriteTexts() {
  for (const StoredText& text : segment_.texts()) {
    if (Status status = CheckRelativePath(text.path); !status.ok()) {
      result_.lost_texts += text.items.size();
      Refuse(std::move(status), 0);
      continue;
    }
    Status status = WriteText(text, layout_.root + "/" + text.path);
    if (!status.ok()) result_.lost_texts += text.items.size();
    Note(std::move(status), 0);
  }
}

void Exporter::WriteEachNpy() {
  for (const StoredRecord& record : segment_.records()) {
    const auto path = NewPath(record.meta.name + ".npy", 1);
    if (path) Note(WriteNpy(record, *path), 1);
  }
}

void Exporter::WriteEachMindSporeSync() {
  const std::string folder = layout_.net_name + "/device_" + std::to_string(layout_.device_id) +
                             "/iteration_" + std::to_string(step_) + "/";
  for (const StoredRecord& record : segment_.records()) {
    const auto path = NewPath(folder + MindSporeSyncName(record.meta), 1);
    if (path) Note(WriteRaw({&record}, "", *path), 1);
  }
}

void Exporter::WriteDumpData() {
  std::map<std::pair<std::string, uint64_t>, std::vector<const StoredRecord*>> operators;
  for (const StoredRecord& record : segment_.records()) {
    operators[{record.meta.name, record.meta.order}].push_back(&record);
  }
  const std::string folder = DumpDataFolder(layout_, step_) + "/";
  for (auto& [key, records] : operators) {
    std::stable_sort(records.begin(), records.end(), ComesBefore);
    const RecordMeta& meta = records.front()->meta;
    std::string name = SanitisedName(meta.op_type) + "." + SanitisedName(meta.name) + "." +
                       std::to_string(meta.order) + ".";
    // MindSpore names no stream.
    if (layout_.format == TRANSPLT_FORMAT_GE) name += std::to_string(meta.stream_id) + ".";
    const auto path = NewPath(folder + name + std::to_string(meta.time), records.size());
    if (path) Note(WriteRaw(records, DumpDataHeader(records), *path), records.size());
  }
}

void Exporter::WriteHdf5File() {
  const uint64_t count = segment_.records().size();
  if (count == 0) return;
  const auto path = NewPath(Hdf5Name(layout_, step_), count);
  if (!path) return;
  uint64_t refused = 0;
  std::string why;
  Status status = WriteHdf5(segment_.records(), layout_, *path, &refused, &why);
  if (status.ok() && refused > 0) Refuse({TRANSPLT_DROPPED, *path + ": " + why}, refused);
  Note(std::move(status), count);
}

ExportResult Exporter::Run() {
  WriteTexts();
  switch (layout_.format) {
    case TRANSPLT_FORMAT_NPY:
      WriteEachNpy();
      break;
    case TRANSPLT_FORMAT_MINDSPORE_SYNC:
      WriteEachMindSporeSync();
      break;
    case TRANSPLT_FORMAT_MINDSPORE_ASYNC:
    case TRANSPLT_FORMAT_GE:
      WriteDumpData();
      break;
    case TRANSPLT_FORMAT_HDF5:
      WriteHdf5File();
      break;
    case TRANSPLT_FORMAT_NONE:
      break;
  }
  Status tables = long_names_.WriteTables();
  if (result_.first_error.ok()) result_.first_error = std::move(tables);
  return std::move(result_);
}

}  // namespace

Status CheckRelativePath(std::string_view path) {
  const std::string shown = "\"" + std::string(path) + "\"";
  if (path.empty() || path.front() == '/' || path.find('\0') != std::string_view::npos) {
    return Invalid(shown + ": a path below the root is expected");
  }
  std::string_view part;
  for (size_t at = 0; at <= path.size(); at += part.size() + 1) {
    part = path.substr(at, path.find('/', at) - at);
    if (part == "..") return Invalid(shown + ": leads out of the root");
    if (IsLogFolder(part)) return Invalid(shown + ": leads into the folder of the log");
  }
  if (part.empty() || part == ".") return Invalid(shown + ": names no file");
  return {};
}

std::string SanitisedName(std::string_view name) {
  std::string clean(name);
  for (char& c : clean) {
    if (c == '.' || c == '/' || c == '\\' || c == ' ') c = '_';
  }
  return clean;
}

ExportResult Export(const SegmentReader& segment, const Layout& layout, uint64_t step,
                    Existing existing) {
  return Exporter(segment, layout, step, existing).Run();
}

}  // namespace transplt::capture
