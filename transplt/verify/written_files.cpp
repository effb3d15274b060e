// SPDX-License-Identifier: Apache-2.0
#include "transplt/verify/written_files.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "transplt/base/json_text.h"
#include "transplt/base/plain_text.h"
#include "transplt/base/word_list.h"
#include "transplt/verify/file_content.h"
#include "transplt/verify/printed_places.h"

namespace transplt {
namespace {

using Json = nlohmann::json;

/// Files that hold when and where they were written.
bool IsAboutRun(std::string_view name) {
  return name.find("events.out.tfevents") != name.npos || name.ends_with(".pid") ||
         name.ends_with(".lock");
}

std::string ReadBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// What torch.save writes: an archive, or the magic number of its older format.
bool HasCheckpointContent(const std::string& path) {
  constexpr std::string_view kMagic("\x80\x02\x8a\nl\xfc\x9c\x46\xf9 j\xa8P\x19.", 15);
  std::string start(512, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<size_t>(file.gcount()));
  return start.starts_with(kMagic) ||
         (start.starts_with("PK\x03\x04") && start.find("data.pkl") != start.npos);
}

/// A file of the reference and that of the other run. The name is the same but for what is made
/// anew in each run.
struct FilePair {
  std::string name;
  std::string reference;
  std::string other;
};

/// The files of two runs, sorted by name.
struct PairedFiles {
  std::vector<FilePair> pairs;
  std::vector<std::string> only_reference;
  std::vector<std::string> only_other;
  std::vector<std::string> about_run;
};

/// `name` with `<project>` for the folder of the run: a script may build it from where it lies
/// itself, as `"results/" + __file__` does.
std::string NameInRun(const std::string& name, const std::string& folder) {
  return folder.starts_with('/') ? WithProject(name, folder.substr(1)) : name;
}

PairedFiles PairFiles(const SimulatedRun& reference, const SimulatedRun& other,
                      const VaryingNames& varying) {
  std::map<std::string, std::pair<std::vector<std::string>, std::vector<std::string>>> by_name;
  PairedFiles files;
  for (const std::string& name : reference.written) {
    if (IsAboutRun(name)) {
      files.about_run.push_back(name);
    } else {
      by_name[WithoutVaryingNames(NameInRun(name, reference.folder), varying)].first.push_back(
          name);
    }
  }
  for (const std::string& name : other.written) {
    if (IsAboutRun(name)) continue;
    by_name[WithoutVaryingNames(NameInRun(name, other.folder), varying)].second.push_back(name);
  }
  for (const auto& [name, of] : by_name) {
    const size_t pairs = std::min(of.first.size(), of.second.size());
    for (size_t i = 0; i < of.first.size(); ++i) {
      if (i >= pairs) {
        files.only_reference.push_back(name);
        continue;
      }
      const std::string number = i == 0 ? "" : fmt::format(" ({})", i + 1);
      files.pairs.push_back({name + number, of.first[i], of.second[i]});
    }
    for (size_t i = pairs; i < of.second.size(); ++i) files.only_other.push_back(name);
  }
  return files;
}

/// The texts of a pair of files, where both are texts.
struct TextPair {
  std::string reference;
  std::string other;
};

/// Where the files of a pair lie.
struct PairPaths {
  std::string reference;
  std::string other;

  PairPaths(const SimulatedRun& first, const SimulatedRun& second, const FilePair& pair)
      : reference(first.written_folder + "/" + pair.reference),
        other(second.written_folder + "/" + pair.other) {}
  bool IsEqual(const std::atomic<bool>* cancelled) const {
    return HasEqualBytes(reference, other, cancelled);
  }
  std::optional<TextPair> Read() const {
    std::optional<std::string> first = ReadText(reference);
    std::optional<std::string> second = first ? ReadText(other) : std::nullopt;
    if (!second) return std::nullopt;
    return TextPair{*std::move(first), *std::move(second)};
  }
};

class Files {
 public:
  Files(const SimulatedRun& reference, const SimulatedRun& other,
        const ComparisonSettings& settings, const ResultVariation& variation,
        ResultComparison& comparison)
      : reference_(reference),
        other_(other),
        settings_(settings),
        variation_(variation),
        comparison_(comparison) {}

  Result<Done> Compare() {
    const PairedFiles files = PairFiles(reference_, other_, variation_.files);
    comparison_.not_compared = files.about_run;
    for (const std::string& name : files.only_reference) {
      Differs(name, Say("only the reference has written it", "仅参考运行写出了它"), false);
    }
    for (const std::string& name : files.only_other) {
      Differs(name, Say("the reference has not written it", "参考运行未写出它"), false);
    }
    for (const FilePair& pair : files.pairs) {
      if (AreCopiesOfOneFile(pair)) {
        ++comparison_.files;
        continue;
      }
      const bool is_checkpoint =
          IsCheckpoint(pair.reference) || IsCheckpoint(pair.other) ||
          HasCheckpointContent(reference_.written_folder + "/" + pair.reference);
      if (is_checkpoint) {
        checkpoints_.push_back(pair);
      } else {
        ComparePlain(pair);
      }
    }
    return checkpoints_.empty() ? Result<Done>(Done()) : CompareCheckpoints();
  }

 private:
  /// Copies of what the migration may have changed: the sources of the program, say.
  bool AreCopiesOfOneFile(const FilePair& pair) const {
    const auto first = reference_.copies.find(pair.reference);
    const auto second = other_.copies.find(pair.other);
    return first != reference_.copies.end() && second != other_.copies.end() &&
           first->second == second->second;
  }

  void Differs(const std::string& name, Text what, bool is_pair = true) {
    FileDifference difference{name, "", std::move(what)};
    difference.is_pair = is_pair;
    comparison_.file_differences.push_back(std::move(difference));
  }

  void ComparePlain(const FilePair& pair) {
    ++comparison_.files;
    const PairPaths paths(reference_, other_, pair);
    if (paths.IsEqual(settings_.cancelled)) return;
    const std::optional<TextPair> texts = paths.Read();
    if (!texts) return Differs(pair.name, Say("its bytes differ", "内容字节不同"));
    const auto variation = variation_.texts.find(pair.name);
    comparison_.texts[pair.name] = CompareOutputs(
        ReadPrintedLines(texts->reference, reference_.folder),
        ReadPrintedLines(texts->other, other_.folder),
        {OutputKind::kResults, OrderOf(reference_, other_), settings_.tolerance,
         variation == variation_.texts.end() ? OutputVariation() : variation->second});
  }

  Result<Done> CompareCheckpoints() {
    const std::string names = settings_.work_folder + "/checkpoints.names";
    {
      std::ofstream file(names, std::ios::binary);
      for (const FilePair& pair : checkpoints_)
        file << pair.reference << '\0' << pair.other << '\0';
    }
    Command command;
    command.arguments = {settings_.python,
                         "-m",
                         "transplt_simulator.compare_checkpoints",
                         reference_.written_folder,
                         other_.written_folder,
                         "--rtol",
                         fmt::format("{}", settings_.tolerance.relative),
                         "--atol",
                         fmt::format("{}", settings_.tolerance.absolute),
                         "--names",
                         names,
                         "--places",
                         reference_.folder,
                         other_.folder};
    command.environment = {{"PYTHONPATH", settings_.simulator}, {"PYTHONDONTWRITEBYTECODE", "1"}};
    command.folder = settings_.work_folder;
    command.out = settings_.work_folder + "/checkpoints.json";
    command.err = settings_.work_folder + "/checkpoints.err";
    command.timeout = settings_.timeout;
    const Result<ProcessEnd> end = RunCommand(command, settings_.cancelled);
    if (!end) return end.error();
    const bool is_late = end->how == ProcessEnd::How::kTimeout;
    const Json answer = ParseJson(ReadBytes(command.out));
    const bool is_answer = answer.is_object() && answer.contains("files");
    for (const FilePair& pair : checkpoints_) {
      if (is_answer && answer["files"].contains(pair.reference)) {
        AddCheckpoint(pair, answer["files"][pair.reference]);
      } else {
        AddBytes(pair,
                 is_late ? "this took longer than --timeout" : OneLine(ReadBytes(command.err)));
      }
    }
    return Done();
  }

  /// What torch does not read is no checkpoint, or one that holds objects of the program.
  void AddBytes(const FilePair& pair, const std::string& why) {
    ++comparison_.files;
    if (PairPaths(reference_, other_, pair).IsEqual(settings_.cancelled)) return;
    Differs(pair.name, Say("its bytes differ, and it cannot be compared as a checkpoint: {}",
                           "内容字节不同, 且无法作为检查点比较: {}",
                           WithoutPlaces(why, reference_.written_folder)));
  }

  void AddCheckpoint(const FilePair& pair, const Json& file) {
    if (file.contains("error")) return AddBytes(pair, OneLine(file["error"].get<std::string>()));
    ++comparison_.files;
    for (const auto& [path, value] : file["tensors"].items()) {
      comparison_.tensors += value.contains("number") ? 0 : 1;
      if (!value["equal"].get<bool>()) AddValue(pair.name, path, value);
    }
    for (const auto& [side, what] :
         {std::pair("only_a", Say("only the reference has it", "仅参考运行有此项")),
          std::pair("only_b", Say("the reference does not have it", "参考运行没有此项"))}) {
      for (const Json& path : file[side]) {
        comparison_.file_differences.push_back({pair.name, path.get<std::string>(), what});
      }
    }
  }

  static Text WhatDiffers(const Json& value) {
    const auto describe = [](const Json& shape, const Json& type) {
      return type.get<std::string>() + shape.dump();
    };
    const auto differs = [](const std::string& a, const std::string& b) {
      return Say("{} in the reference, {} here", "参考为 {}, 此处为 {}", a, b);
    };
    if (value.contains("error")) {
      return Say("differs or not: {}", "是否不同: {}", value["error"].get<std::string>());
    }
    if (value.contains("other_text")) {
      return differs(value["text"].get<std::string>(), value["other_text"].get<std::string>());
    }
    if (value.contains("other_shape")) {
      return differs(describe(value["shape"], value["dtype"]),
                     describe(value["other_shape"], value["other_dtype"]));
    }
    const Json& worst = value["max_abs_difference"];
    if (worst.is_null()) return Say("its values differ", "值不同");
    return Say("differs by up to {}", "最大相差 {}",
               worst.is_string() ? worst.get<std::string>() : worst.dump());
  }

  void AddValue(const std::string& name, const std::string& path, const Json& value) {
    FileDifference difference{name, path, WhatDiffers(value)};
    const auto worst = value.find("max_abs_difference");
    if (worst != value.end() && worst->is_number()) difference.distance = worst->get<double>();
    if (worst != value.end() && worst->is_string()) {
      difference.distance = std::numeric_limits<double>::infinity();
    }
    comparison_.file_differences.push_back(std::move(difference));
  }

  const SimulatedRun& reference_;
  const SimulatedRun& other_;
  const ComparisonSettings& settings_;
  const ResultVariation& variation_;
  ResultComparison& comparison_;
  std::vector<FilePair> checkpoints_;
};

}  // namespace

bool IsCheckpoint(std::string_view name) { return Words("checkpoint-files").Has(name); }

Result<Done> CompareWrittenFiles(const SimulatedRun& reference, const SimulatedRun& other,
                                 const ComparisonSettings& settings,
                                 const ResultVariation& variation, ResultComparison& comparison) {
  return Files(reference, other, settings, variation, comparison).Compare();
}

void FindFileVariation(const SimulatedRun& reference, const SimulatedRun& again,
                       const ComparisonSettings& settings, ResultVariation& variation) {
  const PairedFiles by_name = PairFiles(reference, again, {});
  AddVaryingNames(variation.files, FindVaryingNames(by_name.only_reference, by_name.only_other));
  for (const FilePair& pair : PairFiles(reference, again, variation.files).pairs) {
    const PairPaths paths(reference, again, pair);
    if (paths.IsEqual(settings.cancelled)) continue;
    const std::optional<TextPair> texts = paths.Read();
    if (!texts) continue;
    variation.texts[pair.name].Add(
        FindVariation(ReadPrintedLines(texts->reference, reference.folder),
                      ReadPrintedLines(texts->other, again.folder),
                      {OutputKind::kResults, OrderOf(reference, again), settings.tolerance}));
  }
}

}  // namespace transplt
