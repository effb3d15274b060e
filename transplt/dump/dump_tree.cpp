// SPDX-License-Identifier: Apache-2.0
#include "transplt/dump/dump_tree.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <unordered_map>

namespace transplt {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMapping = "mapping.csv";
constexpr size_t kTimeDigits = 14;  // YYYYMMDDHHMMSS
constexpr int kDeepest = 4;         // how far below the given folder times are looked for

bool IsNumber(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool IsTime(std::string_view name) { return name.size() == kTimeDigits && IsNumber(name); }

class Reader {
 public:
  /// Looks for folders of times in `folder` and below.
  void FindTimes(const fs::path& folder, int depth) {
    if (IsTime(folder.filename().native())) {
      for (const fs::path& device : FoldersIn(folder)) ReadDevice(folder, device);
      return;
    }
    if (depth == kDeepest) return;
    for (const fs::path& inner : FoldersIn(folder)) FindTimes(inner, depth + 1);
  }

  DumpTree Take() { return std::move(tree_); }

 private:
  std::vector<fs::path> FoldersIn(const fs::path& folder) {
    std::vector<fs::path> folders;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
      if (at->symlink_status(error).type() == fs::file_type::directory) {
        folders.push_back(at->path());
      }
    }
    if (error) tree_.notes.push_back(folder.string());
    std::sort(folders.begin(), folders.end());
    return folders;
  }

  void ReadDevice(const fs::path& time, const fs::path& device) {
    if (!IsNumber(device.filename().native())) return;
    for (const fs::path& folder : FoldersIn(device)) {
      ModelDump model;
      model.folder = folder.string();
      model.time = time.filename().string();
      model.device = device.filename().string();
      model.name = folder.filename().string();
      for (const fs::path& id : FoldersIn(folder)) {
        std::vector<std::string>& steps = model.steps[id.filename().string()];
        for (const fs::path& step : FoldersIn(id)) {
          steps.push_back(step.filename().string());
          ReadStep(step, model);
        }
        std::sort(steps.begin(), steps.end(), [](const std::string& a, const std::string& b) {
          return a.size() != b.size() ? a.size() < b.size() : a < b;  // they are numbers
        });
      }
      std::sort(model.ops.begin(), model.ops.end());
      model.ops.erase(std::unique(model.ops.begin(), model.ops.end()), model.ops.end());
      tree_.models.push_back(std::move(model));
    }
  }

  void ReadStep(const fs::path& step, ModelDump& model) {
    const auto mapping = ReadMapping((step / kMapping).string());
    std::vector<uint64_t> ops;
    std::error_code error;
    for (fs::directory_iterator at(step, error), end; !error && at != end; at.increment(error)) {
      std::string name = at->path().filename().string();
      if (name == kMapping || !at->is_regular_file(error)) continue;
      if (const auto original = mapping.find(name); original != mapping.end()) {
        name = original->second;
        ++model.renamed;
      }
      std::string_view type;
      std::string_view op;
      if (!SplitFileName(name, &type, &op)) {
        ++model.unknown;
      } else if (type == "Opdebug") {
        ++model.overflow;
      } else {
        ++model.files;
        std::error_code ignored;
        model.bytes += at->file_size(ignored);
        ops.push_back(OpKey(type, op));
      }
    }
    if (error) tree_.notes.push_back(step.string());
    // Each step holds the same operators again: only what is new stays.
    std::sort(ops.begin(), ops.end());
    ops.erase(std::unique(ops.begin(), ops.end()), ops.end());
    std::vector<uint64_t> all;
    std::set_union(model.ops.begin(), model.ops.end(), ops.begin(), ops.end(),
                   std::back_inserter(all));
    model.ops = std::move(all);
  }

  DumpTree tree_;
};

}  // namespace

bool SplitFileName(std::string_view file, std::string_view* type, std::string_view* name) {
  const size_t first = file.find('.');
  const size_t second = first == file.npos ? file.npos : file.find('.', first + 1);
  if (second == file.npos || first == 0 || second == first + 1) return false;
  size_t numbers = 0;
  for (size_t start = second + 1; start <= file.size();) {
    const size_t end = std::min(file.find('.', start), file.size());
    if (!IsNumber(file.substr(start, end - start))) return false;
    ++numbers;
    start = end + 1;
  }
  *type = file.substr(0, first);
  *name = file.substr(first + 1, second - first - 1);
  return numbers == 2 || numbers == 3;
}

std::unordered_map<std::string, std::string> ReadMapping(const std::string& path) {
  std::unordered_map<std::string, std::string> mapping;
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return mapping;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    const size_t comma = line.find(',');
    if (comma != std::string::npos) mapping.emplace(line.substr(0, comma), line.substr(comma + 1));
  }
  return mapping;
}

std::string DumpName(std::string_view name) {
  std::string result(name);
  for (char& c : result) {
    if (c == '.' || c == '/' || c == '\\' || c == ' ') c = '_';
  }
  return result;
}

uint64_t OpKey(std::string_view type, std::string_view name) {
  // FNV-1a over "type.name"; of a million operators, the chance of one mistake is 3e-8.
  uint64_t hash = 0xCBF29CE484222325U;
  const auto add = [&hash](char c) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001B3U;
  };
  for (const char c : type) add(c);
  add('.');
  for (const char c : name) add(c);
  return hash;
}

Result<DumpTree> ReadDumpTree(const std::string& folder) {
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  if (error || !fs::is_directory(root, error)) {
    return Error{Error::Code::kUsage, folder,
                 Say("is no folder; give the dump_path of the training",
                     "不是目录；请给出训练时的 dump_path")};
  }
  Reader reader;
  reader.FindTimes(root, 0);
  return reader.Take();
}

}  // namespace transplt
