// SPDX-License-Identifier: Apache-2.0
#include "transplt/analysis/advice_table.h"

#include <algorithm>

#include "transplt/analysis/advice_detectors.h"
#include "transplt/base/json_document.h"
#include "transplt/base/json_object_reader.h"
#include "transplt/base/one_of.h"

namespace transplt {

std::string_view AdviceText();  // generated from rules/advice.json

namespace {

/// Reads one kind, field by field; the first mistake ends it.
class KindReader : private JsonObjectReader {
 public:
  KindReader(const JsonDocument& document, const JsonValue& object)
      : JsonObjectReader(document, object) {}

  Result<AdviceKind> Read() {
    AdviceKind kind;
    if (object().type() != JsonValue::Type::kObject) {
      Fail(object(), Say("must be an object", "必须是对象"));
      return *error();
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
      Fail(*object().Find("detector"), Say("no such detector", "没有这个检测器"));
    }
    if (error()) return *error();
    return kind;
  }

 private:
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
      Fail(*object().Find("in"), Say("must be training_step, training_data, forward or device",
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
      Fail(*object().Find("torch"), versions.error().what);
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
};

}  // namespace

bool AdviceKind::IsIn(std::string_view list) const { return IsOneOf(list, lists); }

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
  const auto found =
      std::ranges::find_if(kinds_, [&](const AdviceKind& kind) { return kind.id == id; });
  return found == kinds_.end() ? nullptr : &*found;
}

}  // namespace transplt
