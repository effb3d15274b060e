// SPDX-License-Identifier: Apache-2.0
#include "transplt/verify/written_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "transplt/report/plain_text.h"

namespace transplt {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 8> kCheckpoints = {".pt",  ".pth", ".bin", ".ckpt",
                                                          ".tar", ".npy", ".npz", ".safetensors"};
constexpr size_t kLongestText = size_t{16} << 20;

bool IsCheckpoint(std::string_view name) {
  return std::any_of(kCheckpoints.begin(), kCheckpoints.end(),
                     [&](std::string_view suffix) { return name.ends_with(suffix); });
}

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

bool IsText(const std::string& bytes) {
  if (bytes.size() > kLongestText || bytes.find('\0') != std::string::npos) return false;
  for (size_t at = 0; at < bytes.size();) {
    if (!NextCharacter(bytes, at)) return false;
  }
  return true;
}

class Files {
 public:
  Files(const SimulatedRun& reference, const SimulatedRun& other,
        const ComparisonSettings& settings, ResultComparison& comparison)
      : reference_(reference), other_(other), settings_(settings), comparison_(comparison) {}

  Result<Done> Compare() {
    bool has_checkpoints = false;
    const std::set<std::string> in_other(other_.written.begin(), other_.written.end());
    for (const std::string& name : reference_.written) {
      if (IsAboutRun(name)) continue;
      if (!in_other.contains(name)) {
        Differs(name, Say("only the reference has written it", "仅参考运行写出了它"));
      } else if (IsCheckpoint(name)) {
        has_checkpoints = true;
      } else {
        ComparePlain(name);
      }
    }
    const std::set<std::string> in_reference(reference_.written.begin(), reference_.written.end());
    for (const std::string& name : other_.written) {
      if (!IsAboutRun(name) && !in_reference.contains(name)) {
        Differs(name, Say("the reference has not written it", "参考运行未写出它"));
      }
    }
    return has_checkpoints ? CompareCheckpoints() : Result<Done>(Done());
  }

 private:
  void Differs(const std::string& name, Text what) {
    comparison_.file_differences.push_back({name, "", std::move(what)});
  }

  void ComparePlain(const std::string& name) {
    ++comparison_.files;
    const std::string a = ReadBytes(reference_.written_folder + "/" + name);
    const std::string b = ReadBytes(other_.written_folder + "/" + name);
    if (a == b) return;
    if (!IsText(a) || !IsText(b)) {
      return Differs(name, Say("its bytes differ", "内容字节不同"));
    }
    const OutputComparison lines =
        CompareOutputs(ReadPrintedLines(a, reference_.folder), ReadPrintedLines(b, other_.folder),
                       OutputKind::kResults, LineOrder::kLoose, settings_.tolerance);
    if (lines.differences.empty()) return;
    const PrintedDifference& first = lines.differences.front();
    comparison_.file_differences.push_back(
        {name, "",
         Say("its text differs, in {} places", "文本有 {} 处不同", lines.differences.size()),
         first.reference, first.other});
  }

  Result<Done> CompareCheckpoints() {
    Command command;
    command.arguments = {settings_.python,
                         "-m",
                         "transplt_simulator.compare_checkpoints",
                         reference_.written_folder,
                         other_.written_folder,
                         "--rtol",
                         fmt::format("{}", settings_.tolerance.relative),
                         "--atol",
                         fmt::format("{}", settings_.tolerance.absolute)};
    command.environment = {{"PYTHONPATH", settings_.simulator}, {"PYTHONDONTWRITEBYTECODE", "1"}};
    command.folder = settings_.work_folder;
    command.out = settings_.work_folder + "/checkpoints.json";
    command.err = settings_.work_folder + "/checkpoints.err";
    command.timeout = std::chrono::minutes(30);
    const Result<ProcessEnd> end = RunCommand(command, nullptr);
    if (!end) return end.error();
    const Json answer = Json::parse(ReadBytes(command.out), nullptr, false);
    if (!answer.is_object() || !answer.contains("files")) {
      comparison_.unread_files.push_back(
          {"", "",
           Say("the checkpoints could not be compared: {}", "无法比较检查点文件: {}",
               OneLine(ReadBytes(command.err)))});
      return Done();
    }
    for (const auto& [name, file] : answer["files"].items()) {
      if (!IsAboutRun(name)) AddCheckpoint(name, file);
    }
    return Done();
  }

  void AddCheckpoint(const std::string& name, const Json& file) {
    if (file.contains("error")) {
      // What torch does not read is no checkpoint, or one that holds objects of the program.
      const bool equal = ReadBytes(reference_.written_folder + "/" + name) ==
                         ReadBytes(other_.written_folder + "/" + name);
      if (equal) {
        ++comparison_.files;
      } else {
        comparison_.unread_files.push_back(
            {name, "",
             Say("cannot be compared: {}", "无法比较: {}",
                 WithoutPlaces(OneLine(file["error"].get<std::string>()),
                               reference_.written_folder))});
      }
      return;
    }
    ++comparison_.files;
    for (const auto& [path, tensor] : file["tensors"].items()) {
      comparison_.tensors += tensor.contains("number") ? 0 : 1;
      if (!tensor["equal"].get<bool>()) AddTensor(name, path, tensor);
    }
    for (const auto& [side, what] :
         {std::pair("only_a", Say("only the reference has it", "仅参考运行有此项")),
          std::pair("only_b", Say("the reference does not have it", "参考运行没有此项"))}) {
      for (const Json& path : file[side]) {
        comparison_.file_differences.push_back({name, path.get<std::string>(), what});
      }
    }
  }

  void AddTensor(const std::string& name, const std::string& path, const Json& tensor) {
    const auto describe = [](const Json& shape, const Json& type) {
      return type.get<std::string>() + shape.dump();
    };
    if (tensor.contains("other_shape")) {
      const std::string a = describe(tensor["shape"], tensor["dtype"]);
      const std::string b = describe(tensor["other_shape"], tensor["other_dtype"]);
      comparison_.file_differences.push_back(
          {name, path, Say("{} in the reference, {} here", "参考为 {}, 此处为 {}", a, b)});
      return;
    }
    const Json& worst = tensor["max_abs_difference"];
    comparison_.file_differences.push_back(
        {name, path,
         Say("differs by up to {}", "最大相差 {}",
             worst.is_string() ? worst.get<std::string>() : worst.dump())});
  }

  const SimulatedRun& reference_;
  const SimulatedRun& other_;
  const ComparisonSettings& settings_;
  ResultComparison& comparison_;
};

}  // namespace

Result<Done> CompareWrittenFiles(const SimulatedRun& reference, const SimulatedRun& other,
                                 const ComparisonSettings& settings, ResultComparison& comparison) {
  return Files(reference, other, settings, comparison).Compare();
}

}  // namespace transplt
