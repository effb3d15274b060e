// SPDX-License-Identifier: Apache-2.0
#include "transplt/dump/read_dump.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <unordered_map>

#include "transplt/dump/byte_source.h"
#include "transplt/dump/capture_log.h"
#include "transplt/dump/dump_tree.h"
#include "transplt/dump/ge_file.h"
#include "transplt/dump/hdf5_file.h"
#include "transplt/dump/mindspore_file.h"
#include "transplt/dump/npy_file.h"
#include "transplt/dump/probe_files.h"
#include "transplt/dump/tensor_name.h"
#include "transplt/dump/torch_file.h"

namespace transplt {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxList = uint64_t{4} << 30;
constexpr size_t kStampDigits = 9;  // a time stamp, not a counter

enum class Kind : uint8_t { kNone, kNpy, kTorch, kMindSpore, kGe, kHdf5, kProbe, kPtdbg };

struct Entry {
  std::string path;
  std::string folder;  // relative to the dump
  std::string name;    // what the file is called, or was before it got too long
  Kind kind = Kind::kNone;
  std::vector<DumpedTensor> tensors;
  std::vector<DumpedArgument> arguments;
  std::vector<Error> troubles;
  bool is_unread = false;  // what the file itself should hold is not all in `tensors`
};

Kind KindOf(std::string_view name) {
  std::string_view type;
  std::string_view op;
  if (name.ends_with(".npy")) return Kind::kNpy;
  if (name.ends_with(".pt")) return Kind::kTorch;
  if (name.ends_with(".h5") || name.ends_with(".hdf5")) return Kind::kHdf5;
  if (name == "dump.json") return Kind::kProbe;
  if (name.ends_with(".pkl")) return Kind::kPtdbg;
  if (IsMindSporeName(name)) return Kind::kMindSpore;
  if (SplitFileName(name, &type, &op) && type != "Opdebug") return Kind::kGe;
  return Kind::kNone;
}

/// The last number of the operation's name if it is a time stamp, else 0: files of GE carry it.
uint64_t StampOf(const DumpedTensor& tensor) {
  const std::string op = SplitTensorName(tensor.name).op;
  const size_t dot = op.rfind('.');
  const std::string_view last = std::string_view(op).substr(dot == op.npos ? 0 : dot + 1);
  if (last.size() < kStampDigits || last.size() > 18) return 0;
  uint64_t stamp = 0;
  for (const char c : last) {
    if (c < '0' || c > '9') return 0;
    stamp = stamp * 10 + static_cast<uint64_t>(c - '0');
  }
  return stamp;
}

/// The files with the values of a list: by the name that the list gives them, or by the one that
/// mapping.csv beside them says they got instead.
class ValueFiles {
 public:
  explicit ValueFiles(fs::path folder) : folder_(std::move(folder)) {
    std::error_code error;
    fs::directory_iterator at(folder_, error);
    has_any_ = !error && at != fs::directory_iterator();
    for (auto& [file, name] : ReadMapping((folder_ / "mapping.csv").string())) {
      if (file.find('/') == file.npos) renamed_.emplace(name, file);
    }
  }

  std::string folder() const { return folder_.string(); }
  bool has_any() const { return has_any_; }
  /// Empty if it is missing.
  std::string PathOf(const std::string& name) const {
    const auto renamed = renamed_.find(name);
    const fs::path path = folder_ / (renamed == renamed_.end() ? name : renamed->second);
    std::error_code error;
    return fs::exists(path, error) ? path.string() : std::string();
  }

 private:
  fs::path folder_;
  bool has_any_ = false;
  std::unordered_map<std::string, std::string> renamed_;
};

/// Files that a list names and that are not there.
struct Missing {
  void Add(const std::string& file) {
    if (count++ == 0) first = file;
  }
  uint64_t count = 0;
  std::string first;
};

class FileReader {
 public:
  explicit FileReader(Entry& entry) : entry_(entry) {}

  void Read() {
    if (entry_.kind == Kind::kHdf5) return ReadHdf5File();
    Result<std::unique_ptr<ByteSource>> source = OpenFile(entry_.path);
    if (!source) return Trouble(source.error());
    switch (entry_.kind) {
      case Kind::kNpy:
        return Single(ReadNpy(**source, entry_.path), StemOf(entry_.name));
      case Kind::kTorch:
        return Single(ReadTorchFile(**source, entry_.path), StemOf(entry_.name));
      case Kind::kMindSpore: {
        Result<DumpedTensor> tensor = ReadMindSporeName(entry_.name, (*source)->size());
        const std::string name = tensor ? tensor->name : std::string();
        return Single(std::move(tensor), name);
      }
      case Kind::kGe:
        return ReadGe(**source);
      default:
        return ReadList(**source);
    }
  }

 private:
  static std::string StemOf(const std::string& name) { return fs::path(name).stem().string(); }

  /// The file itself cannot be read.
  void Trouble(Error error) {
    entry_.is_unread = true;
    Note(std::move(error));
  }
  /// A file that it names cannot be read.
  void Note(Error error) { entry_.troubles.push_back(std::move(error)); }

  void Single(Result<DumpedTensor> tensor, const std::string& name) {
    if (!tensor) return Trouble(tensor.error());
    tensor->name = name;
    tensor->place.file = entry_.path;
    entry_.tensors.push_back(std::move(*tensor));
  }

  void ReadGe(const ByteSource& source) {
    Result<std::vector<DumpedTensor>> tensors = ReadGeFile(source, entry_.path);
    if (!tensors) return Trouble(tensors.error());
    entry_.tensors = std::move(*tensors);
    for (DumpedTensor& tensor : entry_.tensors) {
      tensor.name = entry_.name + "." + tensor.name;
      tensor.place.file = entry_.path;
    }
  }

  void ReadHdf5File() {
    Result<std::vector<DumpedTensor>> tensors = ReadHdf5(entry_.path);
    if (!tensors) return Trouble(tensors.error());
    entry_.tensors = std::move(*tensors);
  }

  void ReadList(const ByteSource& source) {
    if (source.size() > kMaxList) {
      return Trouble(
          {Error::Code::kBadInput, entry_.path, Say("is longer than 4 GiB", "超过 4 GiB")});
    }
    const bool is_probe = entry_.kind == Kind::kProbe;
    std::string text = source.Text(0, source.size());
    TensorList list = is_probe ? ReadProbeJson(std::move(text), entry_.path)
                               : ReadPtdbgLines(std::move(text), entry_.path);
    for (Error& trouble : list.troubles) Trouble(std::move(trouble));
    const fs::path folder = fs::path(entry_.path).parent_path();
    const ValueFiles files(is_probe ? folder / "dump_tensor_data" : folder / StemOf(entry_.name));
    Missing missing;
    for (ListedTensor& one : list.tensors) {
      const bool has_file = !one.file.empty() && one.file.find('/') == one.file.npos;
      if (const std::string path = has_file ? files.PathOf(one.file) : ""; !path.empty()) {
        AddValues(path, one.file, one.tensor);
      } else if (has_file && (is_probe || (files.has_any() && IsTensor(one.tensor)))) {
        missing.Add(one.file);
      }
      entry_.tensors.push_back(std::move(one.tensor));
    }
    entry_.arguments = std::move(list.arguments);
    if (missing.count > 0) {
      Note({Error::Code::kBadInput, files.folder(),
            Say("{} files with values that {} names are missing, the first is {}",
                "缺少 {} 个数据文件（由 {} 列出），第一个为 {}", missing.count, entry_.name,
                missing.first)});
    }
  }

  /// ptdbg lists numbers, too, which have no file.
  static bool IsTensor(const DumpedTensor& tensor) {
    return tensor.type_name.find("torch.") != std::string::npos;
  }

  /// Takes type, shape and place from the file with the values. `name` is what the list calls it.
  void AddValues(const std::string& path, const std::string& name, DumpedTensor& tensor) {
    Result<std::unique_ptr<ByteSource>> source = OpenFile(path);
    if (!source) return Note(source.error());
    Result<DumpedTensor> values =
        name.ends_with(".pt") ? ReadTorchFile(**source, path) : ReadNpy(**source, path);
    if (!values) return Note(values.error());
    // numpy has no bfloat16: its bits stand there as numbers.
    const bool is_bits =
        tensor.type == NumberType::kBFloat16 && values->type == NumberType::kUInt16;
    if (!is_bits) tensor.type = values->type;
    tensor.shape = values->shape;
    tensor.place = values->place;
    tensor.place.file = path;
  }

  Entry& entry_;
};

/// Folders that hold the values of a list beside them: their files are not read a second time.
std::set<std::string> FoldersOfLists(const std::vector<Entry>& entries) {
  std::set<std::string> folders;
  for (const Entry& entry : entries) {
    const fs::path folder = fs::path(entry.path).parent_path();
    if (entry.kind == Kind::kProbe) folders.insert((folder / "dump_tensor_data").string());
    if (entry.kind == Kind::kPtdbg) folders.insert((folder / fs::path(entry.name).stem()).string());
  }
  return folders;
}

/// Tells of captures whose values are not all in files.
void TellLogs(const std::set<std::string>& logs, Dump& dump) {
  for (const std::string& log : logs) {
    dump.troubles.push_back(
        {Error::Code::kBadInput, log,
         Say("a capture was interrupted, or still runs, and has not written all of its files; once "
             "it has ended, \"transplt dump recover {}\" writes them",
             "采集被中断或仍在进行，尚有文件未写出；结束后请用 \"transplt dump recover {}\" 写出",
             log)});
  }
}

Result<Done> ListFiles(const fs::path& root, std::vector<Entry>& entries, Dump& dump) {
  std::error_code error;
  std::map<std::string, std::unordered_map<std::string, std::string>> mappings;
  std::set<std::string> logs;  // folders with a log of the capture library
  constexpr fs::directory_options kSkip = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator at(root, kSkip, error), end; !error && at != end;
       at.increment(error)) {
    if (!at->is_regular_file(error) || at->is_symlink(error)) continue;
    Entry entry;
    entry.path = at->path().string();
    entry.name = at->path().filename().string();
    const std::string folder = at->path().parent_path().string();
    entry.folder = folder.size() > root.native().size() ? folder.substr(root.native().size() + 1)
                                                        : std::string();
    if (IsCaptureLog(at->path())) {
      logs.insert(CaptureRootOf(at->path()));
      continue;
    }
    const auto [mapping, is_new] = mappings.try_emplace(folder);
    if (is_new) mapping->second = ReadMapping(folder + "/mapping.csv");
    if (const auto found = mapping->second.find(entry.name); found != mapping->second.end()) {
      entry.name = found->second;
    }
    entry.kind = KindOf(entry.name);
    if (entry.kind == Kind::kNone) {
      ++dump.ignored;
    } else {
      entries.push_back(std::move(entry));
    }
  }
  if (error) {
    return Error{Error::Code::kIo, root.string(),
                 Say("cannot be read: {}", "无法读取：{}", error.message())};
  }
  TellLogs(logs, dump);
  const std::set<std::string> listed = FoldersOfLists(entries);
  entries.erase(std::remove_if(entries.begin(), entries.end(),
                               [&listed](const Entry& entry) {
                                 const std::string folder =
                                     fs::path(entry.path).parent_path().string();
                                 return listed.contains(folder);
                               }),
                entries.end());
  return Done();
}

/// What the tensors would have been called that are in a file that cannot be read.
std::string UnreadName(const Entry& entry) {
  switch (entry.kind) {
    case Kind::kNpy:
    case Kind::kTorch:
      return fs::path(entry.name).stem().string();
    case Kind::kMindSpore:
      return entry.name.substr(0, entry.name.rfind("_shape_"));
    case Kind::kGe:
      return entry.name;
    default:
      return {};
  }
}

struct Ordered {
  uint64_t stamp;
  bool is_listed;
  DumpedTensor tensor;
};

void Collect(std::vector<Entry>& entries, Dump& dump) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.folder != b.folder ? NaturalLess(a.folder, b.folder) : NaturalLess(a.name, b.name);
  });
  std::vector<Ordered> all;
  for (Entry& entry : entries) {
    // A list, or a file with several, says itself what came first.
    const bool is_listed =
        entry.kind == Kind::kProbe || entry.kind == Kind::kPtdbg || entry.kind == Kind::kHdf5;
    for (DumpedTensor& tensor : entry.tensors) {
      tensor.folder = entry.folder;
      const uint64_t stamp = is_listed ? 0 : StampOf(tensor);
      all.push_back({stamp, is_listed, std::move(tensor)});
    }
    for (DumpedArgument& argument : entry.arguments) {
      argument.folder = entry.folder;
      dump.arguments.push_back(std::move(argument));
    }
    if (entry.is_unread) dump.unread.push_back({entry.folder, UnreadName(entry)});
    std::move(entry.troubles.begin(), entry.troubles.end(), std::back_inserter(dump.troubles));
  }
  std::stable_sort(all.begin(), all.end(), [](const Ordered& a, const Ordered& b) {
    return a.tensor.folder != b.tensor.folder ? NaturalLess(a.tensor.folder, b.tensor.folder)
                                              : a.stamp < b.stamp;
  });
  for (Ordered& one : all) dump.tensors.push_back(std::move(one.tensor));
}

/// What a single file is: by its name, else by its first bytes.
Kind KindOfFile(const std::string& path, const std::string& name) {
  if (const Kind kind = KindOf(name); kind != Kind::kNone) return kind;
  const Result<std::unique_ptr<ByteSource>> source = OpenFile(path);
  const std::string head = source ? (*source)->Text(0, 8) : std::string();
  if (head.starts_with("\x93NUMPY")) return Kind::kNpy;
  if (head.starts_with("\x89HDF\r\n\x1A\n")) return Kind::kHdf5;
  if (head.starts_with("PK\x03\x04")) return Kind::kTorch;
  return name.ends_with(".json") ? Kind::kProbe : Kind::kNone;
}

}  // namespace

Result<Dump> ReadDump(const std::string& path) {
  Dump dump;
  dump.path = path;
  std::error_code error;
  const fs::path root = fs::canonical(path, error);
  if (error) {
    return Error{Error::Code::kUsage, path,
                 Say("cannot be found: {}", "无法找到：{}", error.message())};
  }
  std::vector<Entry> entries;
  if (fs::is_directory(root, error)) {
    if (Result<Done> listed = ListFiles(root, entries, dump); !listed) return listed.error();
  } else {
    const std::string name = root.filename().string();
    entries.push_back(
        {root.string(), "", name, KindOfFile(root.string(), name), {}, {}, {}, false});
    if (entries[0].kind == Kind::kNone) entries.clear();
  }
  tbb::parallel_for(tbb::blocked_range<size_t>(0, entries.size()),
                    [&entries](const tbb::blocked_range<size_t>& range) {
                      for (size_t i = range.begin(); i < range.end(); ++i) {
                        FileReader(entries[i]).Read();
                      }
                    });
  Collect(entries, dump);
  if (dump.tensors.empty() && dump.troubles.size() == 1) return dump.troubles[0];
  if (dump.tensors.empty()) {
    return Error{Error::Code::kUsage, path,
                 Say("holds no tensors: no .npy, .pt, .h5, dump.json, .pkl of ptdbg, .bin of "
                     "MindSpore and no dump files of GE ({} files that cannot be read, {} others)",
                     "其中没有张量：未找到 .npy、.pt、.h5、dump.json、ptdbg 的 .pkl、MindSpore 的 "
                     ".bin 或 GE 的 dump 文件（无法读取 {} 个，其他文件 {} 个）",
                     dump.troubles.size(), dump.ignored)};
  }
  return dump;
}

}  // namespace transplt
