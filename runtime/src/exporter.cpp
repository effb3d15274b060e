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
#include "runtime/src/tensor_file.h"

namespace transplt::capture {
namespace {

Status WriteRaw(const SegmentReader& segment, const std::vector<const StoredRecord*>& records,
                const std::string& header, const std::string& path) {
  OutputFile file;
  Status status = file.Create(path);
  if (status.ok()) status = file.Write(header);
  for (const StoredRecord* record : records) {
    if (status.ok()) status = segment.CopyTo(*record, &file);
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

bool IsThere(const std::string& path) {
  struct stat what {};
  return ::lstat(path.c_str(), &what) == 0;
}

/// Tensors that share a file.
struct Amount {
  uint64_t records = 0;
  uint64_t bytes = 0;

  void Add(const StoredRecord& record) {
    ++records;
    bytes += record.meta.bytes;
  }
};

/// Writes the files of one segment.
class Exporter {
 public:
  Exporter(const SegmentReader& segment, const Layout& layout, uint64_t step, Existing existing,
           ExportProgress* progress)
      : segment_(segment),
        layout_(layout),
        step_(step),
        existing_(existing),
        progress_(progress == nullptr ? own_progress_ : *progress) {}

  ExportResult Run();
  ExportResult RunTensors();

 private:
  void WriteTexts();
  void WriteEachTensor();
  void WriteEachMindSporeSync();
  void WriteDumpData();
  void WriteHdf5File();
  void WriteLongNames();

  /// The path with a name that is not too long.
  std::string Fitting(const std::string& path);
  /// The whole path for a file of these tensors, or nothing, which is counted then.
  std::optional<std::string> NewPath(const std::string& relative, const Amount& amount);
  void Note(Status status, const Amount& amount);
  void Refuse(Status status, const Amount& amount);

  const SegmentReader& segment_;
  const Layout& layout_;
  uint64_t step_;
  Existing existing_;
  LongNames long_names_;
  ExportProgress own_progress_;
  ExportProgress& progress_;
  Amount failed_;  ///< what is in lost_records because of an error, and no refusal
  ExportResult result_;
};

void Exporter::Note(Status status, const Amount& amount) {
  if (status.ok()) {
    ++result_.files;
    return;
  }
  result_.lost_records += amount.records;
  result_.lost_bytes += amount.bytes;
  failed_.records += amount.records;
  failed_.bytes += amount.bytes;
  if (result_.first_error.ok()) result_.first_error = std::move(status);
}

void Exporter::Refuse(Status status, const Amount& amount) {
  result_.lost_records += amount.records;
  result_.lost_bytes += amount.bytes;
  if (result_.first_refusal.ok()) result_.first_refusal = std::move(status);
}

std::string Exporter::Fitting(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = path.substr(0, slash);
  return folder + "/" + long_names_.Fitting(folder, path.substr(slash + 1));
}

std::optional<std::string> Exporter::NewPath(const std::string& relative, const Amount& amount) {
  if (Status status = CheckRelativePath(relative); !status.ok()) {
    Refuse(std::move(status), amount);
    return std::nullopt;
  }
  const std::string wanted = WithoutDoubleSlashes(layout_.root + "/" + relative);
  std::string path = Fitting(wanted);
  const bool is_new = progress_.taken.insert(path).second;
  if (is_new && (existing_ == Existing::kReplace || !IsThere(path))) return path;
  Refuse({TRANSPLT_DROPPED, wanted +
                                (is_new ? ": an earlier step has written it"
                                        : ": two tensors of one step are called so") +
                                "; the first is kept"},
         amount);
  return std::nullopt;
}

void Exporter::WriteTexts() {
  for (const StoredText& text : segment_.texts()) {
    if (Status status = CheckRelativePath(text.path); !status.ok()) {
      result_.lost_texts += text.items.size();
      Refuse(std::move(status), {});
      continue;
    }
    Status status = WriteText(text, layout_.root + "/" + text.path);
    if (!status.ok()) result_.lost_texts += text.items.size();
    Note(std::move(status), {});
  }
}

void Exporter::WriteEachTensor() {
  const std::vector<StoredRecord>& records = segment_.records();
  std::vector<bool>& done = progress_.done;
  done.resize(std::max(done.size(), records.size()));
  for (size_t i = 0; i < records.size(); ++i) {
    const std::string name = records[i].meta.name + EndingOf(layout_.format);
    if (done[i]) {
      // The table of long names may not have been written with it.
      Fitting(WithoutDoubleSlashes(layout_.root + "/" + name));
      continue;
    }
    const Amount amount{1, records[i].meta.bytes};
    const auto path = NewPath(name, amount);
    Status status = path ? WriteTensorFile(segment_, records[i], layout_.format, *path) : Status{};
    done[i] = status.ok();
    if (!status.ok()) progress_.taken.erase(*path);
    if (path) Note(std::move(status), amount);
  }
}

void Exporter::WriteEachMindSporeSync() {
  const std::string folder = layout_.net_name + "/device_" + std::to_string(layout_.device_id) +
                             "/iteration_" + std::to_string(step_) + "/";
  for (const StoredRecord& record : segment_.records()) {
    const Amount amount{1, record.meta.bytes};
    const auto path = NewPath(folder + MindSporeSyncName(record.meta), amount);
    if (path) Note(WriteRaw(segment_, {&record}, "", *path), amount);
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
    Amount amount;
    for (const StoredRecord* record : records) amount.Add(*record);
    const auto path = NewPath(folder + name + std::to_string(meta.time), amount);
    if (path) Note(WriteRaw(segment_, records, DumpDataHeader(records), *path), amount);
  }
}

void Exporter::WriteHdf5File() {
  if (segment_.records().empty()) return;
  Amount amount;
  for (const StoredRecord& record : segment_.records()) amount.Add(record);
  const auto path = NewPath(Hdf5Name(layout_, step_), amount);
  if (!path) return;
  uint64_t refused = 0;
  std::string why;
  Status status = WriteHdf5(segment_, layout_, *path, &refused, &why);
  if (status.ok() && refused > 0) Refuse({TRANSPLT_DROPPED, *path + ": " + why}, {refused, 0});
  Note(std::move(status), amount);
}

ExportResult Exporter::Run() {
  WriteTexts();
  switch (layout_.format) {
    case TRANSPLT_FORMAT_NPY:
    case TRANSPLT_FORMAT_PT:
      WriteEachTensor();
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
  WriteLongNames();
  return std::move(result_);
}

ExportResult Exporter::RunTensors() {
  WriteEachTensor();
  // Those with an error are tried again when the step ends.
  result_.lost_records -= failed_.records;
  result_.lost_bytes -= failed_.bytes;
  WriteLongNames();
  return std::move(result_);
}

void Exporter::WriteLongNames() {
  Status tables = long_names_.WriteTables();
  if (result_.first_error.ok()) result_.first_error = std::move(tables);
}

}  // namespace

std::string WithoutDoubleSlashes(const std::string& path) {
  if (path.find("//") == std::string::npos && path.find("/./") == std::string::npos) return path;
  return std::filesystem::path(path).lexically_normal();
}

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
                    Existing existing, ExportProgress* progress) {
  return Exporter(segment, layout, step, existing, progress).Run();
}

ExportResult ExportTensors(const SegmentReader& segment, const Layout& layout, Existing existing,
                           ExportProgress* progress) {
  return Exporter(segment, layout, layout.next_step, existing, progress).RunTensors();
}

}  // namespace transplt::capture
