// SPDX-License-Identifier: Apache-2.0
#include "transplt/analysis/advice_table.h"

#include <algorithm>

#include "transplt/analysis/advice_detectors.h"
#include "transplt/base/json_document.h"

namespace transplt {

std::string_view AdviceText();  // generated from rules/advice.json

namespace {

/// Reads one kind, field by field; the first mistake ends it.
class KindReader {
 public:
  KindReader(const JsonDocument& document, const JsonValue& object)
      : document_(document), object_(object) {}

  Result<AdviceKind> Read() {
    AdviceKind kind;
    if (object_.type() != JsonValue::Type::kObject) {
      Fail(object_, Say("must be an object", "必须是对象"));
      return *error_;
    }
    kind.id = String("id");
    kind.lists = Strings("lists", true);
    kind.what = {String("what"), String("what_zh")};
    kind.why = {String("why"), String("why_zh")};
    kind.remedy = {String("do"), String("do_zh")};
    kind.source = String("source");
    kind.functions = Strings("functions");
    kind.methods = Strings("methods");
    kind.tensor_methods = Strings("tensor_methods");
    kind.detector = String("detector", false);
    kind.unless_words = Strings("unless_words");
    kind.only_words = Strings("only_words");
    kind.with_list = String("with_list", false);
    ReadScope(kind);
    kind.without = Positions("without");
    kind.needs = Positions("needs");
    ReadVersions(kind);
    ReadExamples(kind);
    RefuseUnknown();
    if (!kind.detector.empty() && FindDetector(kind.detector) == nullptr) {
      Fail(*object_.Find("detector"), Say("no such detector", "没有这个检测器"));
    }
    if (error_) return *error_;
    return kind;
  }

 private:
  void Fail(const JsonValue& value, Text what) {
    if (!error_) error_ = Error{Error::Code::kBadInput, document_.Where(value), std::move(what)};
  }

  const JsonValue* Member(std::string_view key, JsonValue::Type type, bool required) {
    seen_.emplace_back(key);
    const JsonValue* value = object_.Find(key);
    if (value == nullptr && required) Fail(object_, Say("{} is missing", "缺少 {}", key));
    if (value != nullptr && value->type() != type) {
      Fail(*value, Say("{} has the wrong type", "{} 的类型不对", key));
      return nullptr;
    }
    return value;
  }

  std::string String(std::string_view key, bool required = true) {
    const JsonValue* value = Member(key, JsonValue::Type::kString, required);
    return value == nullptr ? std::string() : value->string();
  }

  std::vector<std::string> Strings(std::string_view key, bool required = false) {
    std::vector<std::string> strings;
    const JsonValue* list = Member(key, JsonValue::Type::kList, required);
    if (list == nullptr) return strings;
    for (const JsonValue* item : list->children()) {
      if (item->type() == JsonValue::Type::kString) {
        strings.push_back(item->string());
      } else {
        Fail(*item, Say("must be a string", "必须是字符串"));
      }
    }
    return strings;
  }

  void ReadScope(AdviceKind& kind) {
    const std::string scope = String("in", false);
    if (scope == "training_step") {
      kind.scope = AdviceScope::kTrainingStep;
    } else if (scope == "training_data") {
      kind.scope = AdviceScope::kTrainingData;
    } else if (scope == "forward") {
      kind.scope = AdviceScope::kForward;
    } else if (scope == "device") {
      kind.scope = AdviceScope::kDevice;
    } else if (!scope.empty()) {
      Fail(*object_.Find("in"), Say("must be training_step, training_data, forward or device",
                                    "必须是 training_step、training_data、forward 或 device"));
    }
  }

  std::map<std::string, int64_t> Positions(std::string_view key) {
    std::map<std::string, int64_t> positions;
    const JsonValue* arguments = Member(key, JsonValue::Type::kObject, false);
    if (arguments == nullptr) return positions;
    for (const JsonValue* position : arguments->children()) {
      if (position->type() == JsonValue::Type::kInteger) {
        positions[position->key()] = position->integer();
      } else {
        Fail(*position, Say("must be a position", "必须是位置序号"));
      }
    }
    return positions;
  }

  void ReadVersions(AdviceKind& kind) {
    const std::string range = String("torch", false);
    if (range.empty()) return;
    Result<VersionRange> versions = VersionRange::Parse(range);
    if (versions) {
      kind.torch = *std::move(versions);
    } else {
      Fail(*object_.Find("torch"), versions.error().what);
    }
  }

  void ReadExamples(AdviceKind& kind) {
    const JsonValue* list = Member("examples", JsonValue::Type::kList, true);
    if (list == nullptr) return;
    for (const JsonValue* item : list->children()) {
      AdviceKind::Example example;
      const JsonValue* code =
          item->type() == JsonValue::Type::kObject ? item->Find("code") : nullptr;
      const JsonValue* lines = code == nullptr ? nullptr : item->Find("lines");
      if (lines == nullptr || lines->type() != JsonValue::Type::kList) {
        Fail(*item, Say("needs code and lines", "需要 code 和 lines"));
        return;
      }
      example.code = code->string();
      for (const JsonValue* line : lines->children()) {
        example.lines.push_back(static_cast<uint32_t>(line->integer()));
      }
      kind.examples.push_back(std::move(example));
    }
  }

  void RefuseUnknown() {
    for (const JsonValue* member : object_.children()) {
      if (std::find(seen_.begin(), seen_.end(), member->key()) == seen_.end()) {
        Fail(*member, Say("unknown field \"{}\"", "未知字段 \"{}\"", member->key()));
      }
    }
  }

  const JsonDocument& document_;
  const JsonValue& object_;
  std::vector<std::string> seen_;
  std::optional<Error> error_;
};

}  // namespace

bool AdviceKind::IsIn(std::string_view list) const {
  return std::find(lists.begin(), lists.end(), list) != lists.end();
}

Result<AdviceTable> AdviceTable::Load() { return Parse("rules/advice.json", AdviceText()); }

Result<AdviceTable> AdviceTable::Parse(const std::string& name, std::string_view json) {
  const Result<JsonDocument> document = JsonDocument::Parse(name, json);
  if (!document) return document.error();
  const JsonValue& root = document->root();
  const JsonValue* kinds = root.type() == JsonValue::Type::kObject ? root.Find("advice") : nullptr;
  if (kinds == nullptr || kinds->type() != JsonValue::Type::kList) {
    return Error{Error::Code::kBadInput, document->Where(root),
                 Say("needs a list \"advice\"", "需要列表 \"advice\"")};
  }
  AdviceTable table;
  for (const JsonValue* item : kinds->children()) {
    Result<AdviceKind> kind = KindReader(*document, *item).Read();
    if (!kind) return kind.error();
    table.kinds_.push_back(*std::move(kind));
  }
  return table;
}

const AdviceKind* AdviceTable::Find(std::string_view id) const {
  const auto found = std::find_if(kinds_.begin(), kinds_.end(),
                                  [&](const AdviceKind& kind) { return kind.id == id; });
  return found == kinds_.end() ? nullptr : &*found;
}

}  // namespace transplt
