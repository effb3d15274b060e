// SPDX-License-Identifier: Apache-2.0
#include "transplt/dump/find_graph.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <tuple>

#include "transplt/base/word_list.h"

namespace transplt {
namespace {

namespace fs = std::filesystem;

constexpr size_t kShownNames = 20;
constexpr size_t kPiece = 1 << 20;

bool IsIterator(std::string_view type) {
  return type == "Iterator" || type == "IteratorV2" || type == "GetNext" ||
         type == "IteratorGetNext";
}

/// The digits that `text` starts with, which are taken off it.
std::string TakeNumber(std::string_view& text) {
  const size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  std::string number(text.substr(0, end));
  text.remove_prefix(end);
  return number;
}

void TakePrefix(std::string_view& text, std::string_view prefix) {
  if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
}

/// Process and device in the name of the folder of a graph file: "123_0", "pid_123_deviceid_0".
void ReadPlace(const std::string& path, GraphCandidate& graph) {
  const std::string folder = fs::path(path).parent_path().filename().string();
  std::string_view rest = folder;
  TakePrefix(rest, "pid_");
  std::string process = TakeNumber(rest);
  if (process.empty() || !rest.starts_with('_')) return;
  rest.remove_prefix(1);
  TakePrefix(rest, "deviceid_");
  std::string device = TakeNumber(rest);
  if (device.empty() || !rest.empty()) return;
  graph.process = std::move(process);
  graph.device = std::move(device);
}

class Finder {
 public:
  Finder(const FindGraphOptions& options, FoundGraphs& found) : options_(options), found_(found) {}

  void ReadFile(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    first_ = found_.graphs.size();
    uint64_t bytes = 0;
    GraphScanner scanner([this, &path](const std::string& name) { AddGraph(path, name); },
                         [this](const GraphOp& op) { AddOp(op); });
    std::string piece(kPiece, '\0');
    while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())) ||
           file.gcount() > 0) {
      const auto size = static_cast<size_t>(file.gcount());
      scanner.Feed(std::string_view(piece).substr(0, size));
      bytes += size;
    }
    if (!file.eof()) found_.unread.push_back(path);
    for (size_t i = first_; i < found_.graphs.size(); ++i) found_.graphs[i].file_bytes = bytes;
  }

 private:
  void AddGraph(const std::string& path, const std::string& name) {
    GraphCandidate graph;
    graph.file = path;
    graph.name = name;
    ReadPlace(path, graph);
    const std::string folder = DumpName(name);
    for (size_t i = 0; i < found_.dumps.size(); ++i) {
      const ModelDump& dump = found_.dumps[i];
      if (dump.name != folder) continue;
      if (graph.device.empty() || graph.device == dump.device) {
        graph.dumps.push_back(i);
      } else {
        graph.other_devices.push_back(dump.device);
      }
    }
    if (!graph.dumps.empty()) graph.other_devices.clear();
    found_.graphs.push_back(std::move(graph));
  }

  void AddOp(const GraphOp& op) {
    if (found_.graphs.size() == first_) return;  // a graph without a name
    GraphCandidate& graph = found_.graphs.back();
    ++graph.ops;
    if (IsIterator(op.type)) ++graph.iterators;
    const bool is_meant = !options_.op.empty() && op.name.find(options_.op) != std::string::npos;
    if (is_meant && graph.op_names.size() < kShownNames) graph.op_names.push_back(op.name);
    if (graph.dumps.empty()) return;
    const uint64_t key = OpKey(DumpName(op.type), DumpName(op.name));
    const bool has_file =
        std::any_of(graph.dumps.begin(), graph.dumps.end(), [this, key](size_t dump) {
          const std::vector<uint64_t>& ops = found_.dumps[dump].ops;
          return std::binary_search(ops.begin(), ops.end(), key);
        });
    if (has_file) {
      ++graph.dumped;
    } else if (LeavesNoFile(op)) {
      ++graph.expected;
    } else {
      ++graph.missing;
      if (graph.missing_names.size() < kShownNames) {
        graph.missing_names.push_back(op.type + " " + op.name);
      }
    }
  }

  const FindGraphOptions& options_;
  FoundGraphs& found_;
  size_t first_ = 0;  // of the graphs of the file that is read
};

auto Processor(const GraphCandidate& graph) { return std::tie(graph.process, graph.device); }

/// How well a graph fits, the larger the better.
auto Fit(const GraphCandidate& graph) {
  return std::tuple(!graph.dumps.empty(), graph.iterators > 0, graph.dumped, graph.ops);
}

/// Paths of the *_Build.txt in and below a folder, sorted. Links are not followed.
std::set<std::string> GraphFilesIn(const std::string& folder, std::vector<std::string>& unread) {
  std::set<std::string> paths;
  std::error_code error;
  const auto skip = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator at(folder, skip, error), end; !error && at != end;
       at.increment(error)) {
    const bool is_file = at->symlink_status(error).type() == fs::file_type::regular;
    if (is_file && at->path().filename().native().ends_with("_Build.txt")) {
      paths.insert(at->path().string());
    }
  }
  if (error) unread.push_back(folder);
  return paths;
}

}  // namespace

bool LeavesNoFile(const GraphOp& op) {
  return op.has_no_task || Words("types-without-file").Has(op.type);
}

std::vector<const GraphCandidate*> FoundGraphs::Best() const {
  std::vector<const GraphCandidate*> best;
  for (const GraphCandidate& graph : graphs) {
    if (best.empty() || Processor(*best.back()) != Processor(graph)) best.push_back(&graph);
  }
  return best;
}

bool FoundGraphs::HasRival(const GraphCandidate& best) const {
  return std::any_of(graphs.begin(), graphs.end(), [&best](const GraphCandidate& other) {
    return other.name != best.name && Processor(other) == Processor(best) &&
           Fit(other) == Fit(best);
  });
}

Result<FoundGraphs> FindGraph(const FindGraphOptions& options) {
  FoundGraphs found;
  if (!options.dump.empty()) {
    Result<DumpTree> tree = ReadDumpTree(options.dump);
    if (!tree) return tree.error();
    found.dumps = std::move(tree->models);
    found.unread = std::move(tree->notes);
  }
  std::set<std::string> files;
  for (const std::string& folder : options.graphs) {
    std::error_code error;
    const fs::path root = fs::canonical(folder, error);
    if (error || !fs::is_directory(root, error)) {
      return Error{Error::Code::kUsage, folder,
                   Say("is no folder; give the one with the *_Build.txt files",
                       "不是目录；请给出 *_Build.txt 文件所在目录")};
    }
    files.merge(GraphFilesIn(root.string(), found.unread));
  }
  Finder finder(options, found);
  for (const std::string& file : files) finder.ReadFile(file);
  if (!options.op.empty()) {
    found.left_out = std::erase_if(
        found.graphs, [](const GraphCandidate& graph) { return graph.op_names.empty(); });
  }
  // Of the same graph in several files the last counts: it was written later.
  std::stable_sort(found.graphs.begin(), found.graphs.end(),
                   [](const GraphCandidate& a, const GraphCandidate& b) {
                     if (Processor(a) != Processor(b)) return Processor(a) < Processor(b);
                     if (Fit(a) != Fit(b)) return Fit(a) > Fit(b);
                     return a.file > b.file;
                   });
  return found;
}

}  // namespace transplt
