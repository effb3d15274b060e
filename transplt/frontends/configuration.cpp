// SPDX-License-Identifier: Apache-2.0
#include "transplt/frontends/configuration.h"

#include <toml++/toml.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>

#include "transplt/base/json_document.h"
#include "transplt/frontends/setting_list.h"

namespace transplt {
namespace {

using Scalar = SettingList::Scalar;

/// Follows the events of yaml-cpp, which come in the order of the text.
class YamlReader : public YAML::EventHandler {
 public:
  YamlReader(const SourceFile& source, SettingList& settings)
      : text_(source.bytes()), bom_(source.has_bom() ? 3 : 0), settings_(settings) {}

  /// At a stray comma yaml-cpp gives documents without end, all at the same place.
  bool is_stuck() const { return is_stuck_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    is_stuck_ = mark.pos <= document_;
    document_ = mark.pos;
    levels_.assign(1, {});
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override { Add({{}, At(mark)}); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override { Add({{}, At(mark)}); }
  void OnScalar(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                const std::string& value) override {
    Add({value, At(mark)});
  }
  void OnSequenceStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/,
                       YAML::anchor_t /*anchor*/, YAML::EmitterStyle::value /*style*/) override {
    // The items belong to the key that holds the list; one that is a key itself has none.
    const Level& level = levels_.back();
    const Scalar key = level.is_map && !level.has_key ? Scalar() : level.key;
    Consume();
    levels_.push_back({false, true, key, {}});
  }
  void OnSequenceEnd() override { levels_.pop_back(); }
  void OnMapStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {
    Consume();
    levels_.push_back({true, false, {}, {}});
  }
  void OnMapEnd() override { levels_.pop_back(); }

 private:
  struct Level {
    bool is_map = false;
    bool has_key = false;  // of a map: a key waits for its value
    Scalar key = {};
    std::string previous = {};  // item of a list
  };

  uint32_t At(const YAML::Mark& mark) const {
    size_t at = static_cast<size_t>(std::max(mark.pos, 0)) + bom_;
    // The mark is that of the anchor or tag, if there is one.
    while (at < text_.size() && (text_[at] == '&' || text_[at] == '!')) {
      at = std::min(text_.find_first_of(" \t\r\n", at), text_.size());
      at = std::min(text_.find_first_not_of(" \t\r\n", at), text_.size());
    }
    return static_cast<uint32_t>(at);
  }
  /// A key or value that is no scalar.
  void Consume() {
    Level& level = levels_.back();
    level.has_key = level.is_map && !level.has_key;
    if (level.has_key) level.key = {};
  }
  void Add(Scalar scalar) {
    Level& level = levels_.back();
    if (!level.is_map) {
      settings_.AddItem(level.key, scalar, level.previous);
      level.previous = std::move(scalar.text);
    } else if (!level.has_key) {
      level.key = std::move(scalar);
      level.has_key = true;
    } else {
      settings_.AddKey(level.key, scalar);
      level.has_key = false;
    }
  }

  std::string_view text_;
  uint32_t bom_;
  SettingList& settings_;
  std::vector<Level> levels_;
  int document_ = -1;  // where the last one starts
  bool is_stuck_ = false;
};

void AddJson(const JsonValue& value, SettingList& settings) {
  const auto scalar = [](const JsonValue& text) {
    return Scalar{text.string(), text.place().offset};
  };
  std::string previous;
  for (const JsonValue* child : value.children()) {
    const bool is_text = child->type() == JsonValue::Type::kString;
    if (value.type() == JsonValue::Type::kObject) {
      const Scalar key{child->key(), child->key_place().offset};
      settings.AddKey(key, is_text ? scalar(*child) : Scalar{});
    } else if (is_text) {
      const Scalar key{value.key(), value.key_place().offset};
      settings.AddItem(key, scalar(*child), previous);
    }
    previous = is_text ? child->string() : std::string();
    AddJson(*child, settings);
  }
}

class TomlReader {
 public:
  TomlReader(const SourceFile& source, SettingList& settings)
      : source_(source), settings_(settings) {}

  void Add(const toml::table& table) { Add(table, {}, false); }

  void AddLocked(const toml::table& lock) {
    const toml::array* packages = lock.get_as<toml::array>("package");
    if (packages == nullptr) return;
    for (const toml::node& item : *packages) {
      const auto* package = item.as_table();
      const auto* name = package == nullptr ? nullptr : package->get_as<std::string>("name");
      if (name == nullptr) continue;
      const bool is_extra =
          IsOptional(item) || (*package)["category"].value_or(std::string_view()) == "dev";
      const std::string version = VersionsOf(item);
      settings_.AddDependency({Text(*name), version.empty() ? "" : "==" + version, is_extra});
    }
  }

 private:
  /// `parent`: the last part of the name of the table; `is_extra`: it belongs to a group.
  void Add(const toml::table& table, std::string_view parent, bool is_extra) {
    // `[tool.poetry.dependencies]` names packages, `[project.optional-dependencies]` groups of
    // them.
    const bool has_packages = parent == "dependencies" || parent == "dev-dependencies";
    const bool has_groups = parent == "optional-dependencies" || parent == "dependency-groups";
    is_extra = is_extra || has_groups || parent == "dev-dependencies" || parent == "group";
    for (auto&& [key, value] : table) {
      const Scalar name{std::string(key.str()), At(key.source().begin)};
      if (has_packages) {
        const std::string versions = VersionsOf(value);
        const std::string marker = MarkerOf(value);
        settings_.AddDependency({name, versions, is_extra || IsOptional(value), marker});
      }
      if (const auto* text = value.as_string()) {
        settings_.AddKey(name, Text(*text));
      } else {
        settings_.AddKey(name, {});
        if (const auto* inner = value.as_table()) Add(*inner, name.text, is_extra);
        const bool is_list_of_packages = has_groups || name.text == "requires";
        if (const auto* list = value.as_array()) Add(name, *list, is_list_of_packages, is_extra);
      }
    }
  }

  /// `torch = {version = "^2.1", optional = true}` is for an extra.
  static bool IsOptional(const toml::node& package) {
    const auto* table = package.as_table();
    return table != nullptr && (*table)["optional"].value_or(false);
  }
  /// `torch = "^2.1"`, `torch = {version = "^2.1", extras = ["opt"]}`.
  static std::string VersionsOf(const toml::node& package) {
    const auto* table = package.as_table();
    const auto* text =
        table != nullptr ? table->get_as<std::string>("version") : package.as_string();
    return text != nullptr ? text->get() : std::string();
  }
  /// `torch = {version = "^2.1", markers = "sys_platform == 'linux'"}`, or `platform = "linux"`.
  static std::string MarkerOf(const toml::node& package) {
    const auto* table = package.as_table();
    if (table == nullptr) return {};
    if (const auto* markers = table->get_as<std::string>("markers")) return markers->get();
    const auto* platform = table->get_as<std::string>("platform");
    return platform != nullptr ? "sys_platform == '" + platform->get() + "'" : std::string();
  }

  /// The items of `dependencies` are packages in every format: SettingList sees to them.
  void Add(const Scalar& key, const toml::array& list, bool are_packages, bool is_extra) {
    std::string previous;
    for (const toml::node& item : list) {
      const auto* text = item.as_string();
      if (text != nullptr) settings_.AddItem(key, Text(*text), previous);
      if (text != nullptr && are_packages) settings_.AddDependency({Text(*text), {}, is_extra});
      previous = text != nullptr ? text->get() : std::string();
      if (const auto* inner = item.as_table()) Add(*inner, {}, is_extra);
      if (const auto* inner = item.as_array()) Add(key, *inner, are_packages, is_extra);
    }
  }
  Scalar Text(const toml::value<std::string>& text) const {
    return {text.get(), At(text.source().begin)};
  }
  /// Lines and columns count from 1, columns in characters.
  uint32_t At(toml::source_position place) const {
    const TextRange line = source_.LineRange(place.line);
    uint32_t offset = line.start + (place.line == 1 && source_.has_bom() ? 3 : 0);
    for (uint32_t column = 1; column < place.column && offset < line.end; ++column) {
      do {
        ++offset;
      } while (offset < line.end && (source_.bytes()[offset] & 0xC0) == 0x80);
    }
    return offset;
  }

  const SourceFile& source_;
  SettingList& settings_;
};

/// As configparser of Python reads it: `key = value` or `key: value`, comments with # and ;.
class IniReader {
 public:
  IniReader(const SourceFile& source, SettingList& settings)
      : source_(source), settings_(settings) {}

  void Add(uint32_t line) {
    const TextRange range = source_.LineRange(line);
    const std::string_view text = range.In(source_.bytes());
    const size_t start = text.find_first_not_of(kBlanks);
    if (start == std::string_view::npos || text[start] == '#' || text[start] == ';') return;
    if (start > 0) {  // goes on with the value of the key above
      if (depends_) AddDependency(text.substr(start), range.start + start);
      return;
    }
    if (text[0] == '[') {
      lists_packages_ = text.find("extras_require") != std::string_view::npos;
      depends_ = false;
      return;
    }
    AddPair(text, range.start);
  }

 private:
  static constexpr std::string_view kBlanks = " \t\f";

  void AddPair(std::string_view text, uint32_t offset) {
    const size_t sign = text.find_first_of("=:");
    if (sign == std::string_view::npos || sign == 0) return;
    const std::string_view key = text.substr(0, text.find_last_not_of(kBlanks, sign - 1) + 1);
    const size_t value = std::min(text.find_first_not_of(kBlanks, sign + 1), text.size());
    const size_t value_end = text.find_last_not_of(kBlanks) + 1;
    std::string_view content = text.substr(value, std::max(value, value_end) - value);
    depends_ = lists_packages_ || key.ends_with("_requires") || key.ends_with("_require");
    is_extra_ = lists_packages_ || key == "tests_require";
    if (depends_ && !content.empty()) AddDependency(content, offset + value);
    if (content.size() > 1 && (content[0] == '"' || content[0] == '\'') &&
        content.back() == content[0]) {
      content = content.substr(1, content.size() - 2);
    }
    settings_.AddKey({std::string(key), offset},
                     {std::string(content), offset + static_cast<uint32_t>(value)});
  }

  void AddDependency(std::string_view text, size_t offset) {
    settings_.AddDependency({{std::string(text), static_cast<uint32_t>(offset)}, {}, is_extra_});
  }

  const SourceFile& source_;
  SettingList& settings_;
  bool lists_packages_ = false;  // the section is one of lists of packages
  bool depends_ = false;         // the key is
  bool is_extra_ = false;        // and its packages are those of an extra or of the tests
};

/// JSON that people write often has comments, and a comma behind the last value: blanks take their
/// place, so that all offsets stay.
std::string WithoutComments(std::string_view json) {
  std::string text(json);
  const auto blank = [&](size_t start, size_t end) {
    std::replace_if(
        text.begin() + static_cast<std::ptrdiff_t>(start),
        text.begin() + static_cast<std::ptrdiff_t>(end), [](char c) { return c != '\n'; }, ' ');
  };
  size_t comma = std::string::npos;  // with nothing but blanks behind it so far
  for (size_t at = 0; at < text.size(); ++at) {
    const std::string_view two = std::string_view(text).substr(at, 2);
    if (text[at] == '"') {
      for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at) {
        if (text[at] == '\\') ++at;
      }
      comma = std::string::npos;
    } else if (two == "//") {
      const size_t end = std::min(text.find('\n', at), text.size());
      blank(at, end);
      at = end - 1;
    } else if (two == "/*") {
      const size_t end = text.find("*/", at + 2);
      if (end == std::string::npos) break;
      blank(at, end + 2);
      at = end + 1;
    } else if (text[at] == ',') {
      comma = at;
    } else if ((text[at] == '}' || text[at] == ']') && comma != std::string::npos) {
      blank(comma, comma + 1);
      comma = std::string::npos;
    } else if (text[at] != ' ' && text[at] != '\t' && text[at] != '\r' && text[at] != '\n') {
      comma = std::string::npos;
    }
  }
  return text;
}

}  // namespace

std::vector<Setting> YamlSettings(const SourceFile& source) {
  SettingList settings(source);
  std::istringstream text{std::string(source.bytes())};
  try {
    YAML::Parser parser(text);
    YamlReader reader(source, settings);
    while (!reader.is_stuck() && parser.HandleNextDocument(reader)) {
    }
  } catch (const YAML::Exception&) {
    // A template or a mistake: what stands before it has been read.
  }
  return settings.Take();
}

std::vector<Setting> JsonSettings(const SourceFile& source) {
  SettingList settings(source);
  const std::string text = WithoutComments(source.bytes());
  const Result<JsonDocument> document = JsonDocument::Parse(source.path(), text);
  if (document) AddJson(document->root(), settings);
  return settings.Take();
}

std::vector<Setting> TomlSettings(const SourceFile& source) {
  SettingList settings(source);
  try {
    TomlReader(source, settings).Add(toml::parse(source.bytes(), source.path()));
  } catch (const toml::parse_error&) {
    // Not TOML: nothing has been read.
  }
  return settings.Take();
}

std::vector<Setting> LockedSettings(const SourceFile& source) {
  SettingList settings(source);
  try {
    TomlReader(source, settings).AddLocked(toml::parse(source.bytes(), source.path()));
  } catch (const toml::parse_error&) {
    // Not TOML: nothing has been read.
  }
  return settings.Take();
}

std::vector<Setting> IniSettings(const SourceFile& source) {
  SettingList settings(source);
  IniReader reader(source, settings);
  for (uint32_t line = 1; line <= source.line_count(); ++line) reader.Add(line);
  return settings.Take();
}

}  // namespace transplt
