// SPDX-License-Identifier: Apache-2.0
#include "transplt/batch/manifest.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <unordered_map>

#include "transplt/base/json_document.h"
#include "transplt/base/json_object_reader.h"
#include "transplt/base/plain_text.h"
#include "transplt/base/similar_name.h"
#include "transplt/base/word_list.h"
#include "transplt/batch/digest.h"
#include "transplt/project/file_error.h"
#include "transplt/project/folder_handle.h"

namespace transplt {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLongestName = 200;  // bytes: file names may have 255, and suffixes are added

bool EndsWithLetters(std::string_view text, std::string_view lower_case_suffix) {
  return text.size() > lower_case_suffix.size() &&
         std::equal(lower_case_suffix.begin(), lower_case_suffix.end(),
                    text.end() - static_cast<std::ptrdiff_t>(lower_case_suffix.size()),
                    [](char lower, char c) {
                      return std::tolower(static_cast<unsigned char>(c)) == lower;
                    });
}

/// Why the name cannot be that of a folder in the output; nothing if it can.
std::optional<Text> ProblemOfName(const std::string& name) {
  const bool is_plain = !name.empty() && name.front() != '.' &&
                        name.find('/') == std::string::npos && ValidUtf8(name) == name &&
                        OneLine(name) == name;
  if (is_plain && name.size() <= kLongestName) return std::nullopt;
  return Say(
      "the name {} cannot be that of a folder: write 1 to {} bytes without \"/\", control "
      "characters and a \".\" in front",
      "名称 {} 不能用作文件夹名: 请使用 1 至 {} 字节, 不含 \"/\" 与控制字符, 且不以 \".\" 开头",
      QuoteForMessage(name), kLongestName);
}

/// `stem` with "_" for what a name cannot have.
std::string PlainName(std::string stem) {
  stem = OneLine(stem);
  std::replace(stem.begin(), stem.end(), ' ', '_');
  if (stem.empty() || stem.front() == '.') stem.insert(0, "_");
  while (stem.size() > kLongestName - 9 || ValidUtf8(stem) != stem) stem.pop_back();
  return stem;
}

/// A name that follows from the path alone: what other lines say does not change it.
std::string NameFor(const std::string& path) {
  Digest digest;
  digest.Add(path);
  return PlainName(StemOf(path)) + "-" + digest.Text().substr(sizeof "xxh128:" - 1, 8);
}

/// One line of a manifest.
class ProjectReader : JsonObjectReader {
 public:
  ProjectReader(const JsonDocument& document, const JsonValue& object)
      : JsonObjectReader(document, object), document_(document) {}

  Result<BatchProject> Read() {
    BatchProject project;
    project.path = String("path");
    project.name = String("name", false);
    const bool has_name = object().Find("name") != nullptr;
    if (const JsonValue* options = Member("options", JsonValue::Type::kObject, false)) {
      for (const JsonValue* option : options->children()) {
        project.options[option->key()] = ValuesOf(*option);
      }
    }
    for (const JsonValue* member : object().children()) CheckKey(*member);
    if (error()) return *error();
    if (project.path.empty() || project.path.find('\0') != std::string::npos) {
      return Problem("path", Say("this is no path", "这不是有效路径"));
    }
    if (!has_name) project.name = NameFor(project.path);
    if (const auto problem = ProblemOfName(project.name)) return Problem("name", *problem);
    return project;
  }

 private:
  Error Problem(std::string_view key, Text what) const {
    return {Error::Code::kUsage, document_.Where(*object().Find(key)), std::move(what)};
  }

  void CheckKey(const JsonValue& member) {
    static const std::vector<std::string_view> known = {"path", "name", "options"};
    if (std::find(known.begin(), known.end(), member.key()) != known.end()) return;
    const Text suggestion = SuggestName(member.key(), known, Say("there are", "可用字段有"));
    Fail(member, Say("unknown field {0}{1}", "未知字段 {0}{2}", QuoteForMessage(member.key()),
                     suggestion.en, suggestion.zh));
  }

  std::vector<std::string> ValuesOf(const JsonValue& option) {
    if (option.type() != JsonValue::Type::kList) return {ValueOf(option)};
    std::vector<std::string> values;
    for (const JsonValue* value : option.children()) values.push_back(ValueOf(*value));
    return values;
  }

  std::string ValueOf(const JsonValue& value) {
    switch (value.type()) {
      case JsonValue::Type::kString:
        return value.string();
      case JsonValue::Type::kBoolean:
        return value.boolean() ? "true" : "false";
      case JsonValue::Type::kInteger:
        return std::to_string(value.integer());
      case JsonValue::Type::kNumber:
        Fail(value, Say("write a version in quotes: \"2.10\"", "版本号请加引号: \"2.10\""));
        return "";
      default:
        Fail(value, Say("an option is a string, an integer, true, false, or a list of these",
                        "选项的值应为字符串, 整数, true, false 或其列表"));
        return "";
    }
  }

  const JsonDocument& document_;
};

Result<BatchProject> ParseLine(const std::string& name, size_t number, std::string_view line) {
  const auto moved = [&](Error error) {
    // The document of a line counts its lines from 1.
    const std::string first = name + ":1";
    if (error.where.starts_with(first)) {
      error.where = fmt::format("{}:{}{}", name, number, error.where.substr(first.size()));
    }
    return error;
  };
  const Result<JsonDocument> document = JsonDocument::Parse(name, line);
  if (!document) return moved(document.error());
  if (document->root().type() != JsonValue::Type::kObject) {
    return Error{Error::Code::kUsage, fmt::format("{}:{}", name, number),
                 Say("a line is an object: {{\"path\": \"FOLDER\"}}",
                     "每行应为一个对象: {{\"path\": \"目录\"}}")};
  }
  Result<BatchProject> project = ProjectReader(*document, document->root()).Read();
  if (!project) return moved(project.error());
  project->where = fmt::format("{}:{}", name, number);
  return project;
}

Error ManifestError(const std::string& path, int number) {
  return FileError(path, Say("cannot read the manifest", "无法读取清单"), number,
                   Error::Code::kUsage);
}

}  // namespace

bool IsArchiveName(std::string_view path) {
  const std::vector<std::string>& suffixes = Words("archive-files").words();
  return std::any_of(suffixes.begin(), suffixes.end(),
                     [&](std::string_view suffix) { return EndsWithLetters(path, suffix); });
}

std::string StemOf(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  std::string_view name = path.substr(path.rfind('/') + 1);
  size_t cut = 0;
  for (const std::string_view suffix : Words("archive-files").words()) {
    if (EndsWithLetters(name, suffix)) cut = std::max(cut, suffix.size());
  }
  if (cut == 0 && name.size() > 3 && name.ends_with(".py")) cut = 3;
  name.remove_suffix(cut);
  return std::string(name);
}

Manifest ParseManifest(const std::string& name, std::string_view text, const std::string& folder) {
  Manifest manifest;
  std::unordered_map<std::string, size_t> lines;  // by the name of the project
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    Result<BatchProject> project = ParseLine(name, number, line);
    if (!project) {
      manifest.mistakes.push_back(project.error());
      continue;
    }
    const auto [earlier, is_new] = lines.emplace(project->name, number);
    if (!is_new) {
      manifest.mistakes.push_back(
          {Error::Code::kUsage, project->where,
           Say("the project of line {} has the name {} as well: give one of them another \"name\"",
               "第 {} 行的项目也使用名称 {}: 请为其中之一指定其他 \"name\"", earlier->second,
               QuoteForMessage(project->name))});
      continue;
    }
    project->number = manifest.projects.size() + 1;
    project->location = (fs::path(folder) / project->path).string();
    manifest.projects.push_back(*std::move(project));
  }
  if (manifest.projects.empty() && manifest.mistakes.empty()) {
    manifest.mistakes.push_back({Error::Code::kUsage, name,
                                 Say("names no project: write a line {{\"path\": \"FOLDER\"}} for "
                                     "each",
                                     "未列出任何项目: 请为每个项目写一行 {{\"path\": \"目录\"}}")});
  }
  return manifest;
}

Manifest ReadManifest(const std::string& path) {
  if (path == "-") {
    std::string text;
    if (!ReadAll(STDIN_FILENO, text)) return {{}, {ManifestError("<stdin>", errno)}};
    return ParseManifest("<stdin>", text, "");
  }
  std::error_code ignored;  // a path that cannot be asked cannot be opened either
  if (fs::is_directory(path, ignored)) return {{}, {ManifestError(path, EISDIR)}};
  std::ifstream in(path, std::ios::binary);
  if (!in) return {{}, {ManifestError(path, errno)}};
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (in.bad()) return {{}, {ManifestError(path, EIO)}};
  return ParseManifest(path, text, fs::path(path).parent_path().string());
}

Manifest ManifestOfFolder(const std::string& folder) {
  Manifest manifest;
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    std::error_code ignored;  // a link that leads nowhere is no project
    if (name.starts_with('.')) continue;
    if (at->is_directory(ignored) || IsArchiveName(name)) names.push_back(name);
  }
  if (error) {
    const Text what = Say("cannot list the folder of projects", "无法列出项目所在文件夹");
    return {{}, {FileError(folder, what, error.value(), Error::Code::kUsage)}};
  }
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    BatchProject project;
    project.number = manifest.projects.size() + 1;
    project.name = name;
    project.location = (fs::path(folder) / name).string();
    project.path = name;
    project.where = project.location;
    if (const auto problem = ProblemOfName(name)) {
      manifest.mistakes.push_back({Error::Code::kUsage, project.where, *problem});
    }
    manifest.projects.push_back(std::move(project));
  }
  if (names.empty()) {
    manifest.mistakes.push_back({Error::Code::kUsage, folder,
                                 Say("holds no folder and no archive: there is no project",
                                     "不含文件夹或压缩包: 没有项目")});
  }
  return manifest;
}

Result<Shard> ParseShard(const std::string& text) {
  Shard shard;
  const char* const end = text.data() + text.size();
  const auto number = std::from_chars(text.data(), end, shard.number);
  if (number.ec == std::errc() && number.ptr != end && *number.ptr == '/') {
    const auto count = std::from_chars(number.ptr + 1, end, shard.count);
    const bool is_whole = count.ec == std::errc() && count.ptr == end;
    if (is_whole && shard.number >= 1 && shard.number <= shard.count) return shard;
  }
  return Error{Error::Code::kUsage, "--shard",
               Say("is {}: write K/N, the K-th of N parts, such as 2/4",
                   "为 {}: 请写 K/N, 即 N 份中的第 K 份, 如 2/4", QuoteForMessage(text))};
}

}  // namespace transplt
