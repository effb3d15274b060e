// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/signatures.h"

#include <algorithm>
#include <array>
#include <utility>

#include "transplt/base/ascii.h"
#include "transplt/base/json_document.h"
#include "transplt/base/json_object_reader.h"
#include "transplt/base/word_list.h"

namespace transplt {

std::string_view ValueSignaturesText();  // generated from rules/signatures/values.json

namespace {

constexpr std::array<std::pair<std::string_view, Meaning>, 17> kMeanings = {{
    {"device", Meaning::kDevice},
    {"foreign", Meaning::kForeign},
    {"path", Meaning::kPath},
    {"message", Meaning::kMessage},
    {"label", Meaning::kLabel},
    {"attribute", Meaning::kAttribute},
    {"key", Meaning::kKey},
    {"environment", Meaning::kEnvironment},
    {"option", Meaning::kOption},
    {"option value", Meaning::kOptionValue},
    {"result", Meaning::kResult},
    {"object", Meaning::kObject},
    {"pattern", Meaning::kPattern},
    {"held", Meaning::kHeld},
    {"parametrized", Meaning::kParametrized},
    {"availability", Meaning::kAvailability},
    {"kernel", Meaning::kKernel},
}};

bool HasOneOf(std::string_view text, const std::vector<std::string>& hints) {
  const auto same = [](char a, char b) { return ToLower(a) == b; };
  return std::ranges::any_of(hints, [&](const std::string& hint) {
    return std::search(text.begin(), text.end(), hint.begin(), hint.end(), same) != text.end();
  });
}

class SignatureReader : private JsonObjectReader {
 public:
  SignatureReader(const JsonDocument& document, const JsonValue& object)
      : JsonObjectReader(document, object), document_(document) {}

  Result<Signature> Read() {
    Signature row;
    row.id = String("id");
    row.calls = Strings("calls");
    row.packages = Strings("packages");
    row.methods = Strings("methods");
    row.objects = Strings("objects");
    row.first = String("first", false);
    row.keywords = Strings("keywords");
    row.members = Strings("members");
    row.hints = Strings("hints");
    row.values = Strings("values");
    row.choices = Strings("choices");
    row.references = Strings("references");
    row.options = Strings("options");
    row.endings = Strings("endings");
    const std::string kind = String("kind", false);
    row.is_framework = kind == "framework";
    row.is_backend = kind == "backend";
    row.object = MeaningIn("object");
    row.returns = MeaningIn("returns");
    row.means = MeaningIn("means");
    if (const JsonValue* list = Member("arguments", JsonValue::Type::kObject, false)) {
      for (const JsonValue* argument : list->children()) {
        row.arguments[argument->key()] = MeaningOf(*argument);
      }
    }
    if (const JsonValue* list = Member("examples", JsonValue::Type::kList, true)) {
      for (const JsonValue* item : list->children()) ReadExample(*item, row);
      if (row.examples.empty()) Fail(*list, Say("an example is missing", "缺少示例"));
    }
    RefuseUnknown();
    if (error()) return *error();
    return row;
  }

 private:
  class ExampleReader : private JsonObjectReader {
   public:
    ExampleReader(const JsonDocument& document, const JsonValue& object)
        : JsonObjectReader(document, object) {}
    Result<Signature::Example> Read() {
      Signature::Example example{String("code"), String("verdict")};
      RefuseUnknown();
      if (error()) return *error();
      return example;
    }
  };

  void ReadExample(const JsonValue& item, Signature& row) {
    Result<Signature::Example> example = ExampleReader(document_, item).Read();
    if (!example) {
      Fail(item, example.error().what);
    } else {
      row.examples.push_back(*std::move(example));
    }
  }

  Meaning MeaningIn(std::string_view field) {
    const JsonValue* value = Member(field, JsonValue::Type::kString, false);
    return value == nullptr ? Meaning::kUnknown : MeaningOf(*value);
  }

  Meaning MeaningOf(const JsonValue& value) {
    const bool is_text = value.type() == JsonValue::Type::kString;
    const auto* found = std::find_if(kMeanings.begin(), kMeanings.end(), [&](const auto& row) {
      return is_text && row.first == value.string();
    });
    if (found != kMeanings.end()) return found->second;
    Fail(value, Say("unknown meaning", "未知的含义"));
    return Meaning::kUnknown;
  }

  const JsonDocument& document_;
};

}  // namespace

Meaning Signature::OfArgument(size_t position, std::string_view keyword) const {
  auto found =
      arguments.find(keyword.empty() ? std::string_view(std::to_string(position)) : keyword);
  if (found == arguments.end()) found = arguments.find(keyword.empty() ? "*" : "**");
  return found == arguments.end() ? Meaning::kUnknown : found->second;
}

Result<Signatures> Signatures::Load(std::string name, std::string_view text) {
  Result<JsonDocument> document = JsonDocument::Parse(std::move(name), text);
  if (!document) return document.error();
  Signatures signatures;
  const JsonValue* rows = document->root().Find("signatures");
  if (rows == nullptr) {
    return Error{Error::Code::kBadInput, "", Say("no \"signatures\"", "缺少 \"signatures\"")};
  }
  for (const JsonValue* item : rows->children()) {
    Result<Signature> row = SignatureReader(*document, *item).Read();
    if (!row) return row.error();
    signatures.rows_.push_back(*std::move(row));
  }
  signatures.Index();
  return signatures;
}

const Signatures& Signatures::Builtin() {
  static const Signatures signatures = [] {
    Result<Signatures> loaded = Load("rules/signatures/values.json", ValueSignaturesText());
    if (!loaded) RefuseOwnTable(loaded.error());
    return *std::move(loaded);
  }();
  return signatures;
}

void Signatures::Index() {
  for (size_t i = 0; i < rows_.size(); ++i) {
    const Signature& row = rows_[i];
    // A later row is more special than an earlier one of the same name.
    for (const std::string& call : row.calls) calls_[call] = i;
    for (const std::string& package : row.packages) packages_[package] = i;
    for (const std::string& method : row.methods) {
      if (method.find('*') == std::string::npos && row.objects.empty()) {
        methods_[method] = i;
      } else {
        method_patterns_.emplace_back(method, i);
      }
    }
    for (const std::string& keyword : row.keywords) keywords_[keyword] = row.means;
    for (const std::string& member : row.members) members_[member] = row.returns;
    std::vector<std::string>& hints = row.is_backend ? backend_hints_ : hints_;
    hints.insert(hints.end(), row.hints.begin(), row.hints.end());
    values_.insert(row.values.begin(), row.values.end());
    choices_.insert(row.choices.begin(), row.choices.end());
    references_.insert(row.references.begin(), row.references.end());
    options_.insert(row.options.begin(), row.options.end());
    endings_.insert(endings_.end(), row.endings.begin(), row.endings.end());
    if (row.is_framework) {
      frameworks_.insert(frameworks_.end(), row.packages.begin(), row.packages.end());
    }
  }
}

const Signature* Signatures::OfCall(std::string_view qualified) const {
  if (const auto call = calls_.find(qualified); call != calls_.end()) return &rows_[call->second];
  while (!qualified.empty()) {
    const auto package = packages_.find(qualified);
    if (package != packages_.end()) return &rows_[package->second];
    const size_t dot = qualified.rfind('.');
    qualified = dot == std::string_view::npos ? std::string_view() : qualified.substr(0, dot);
  }
  return nullptr;
}

const Signature* Signatures::OfMethod(std::string_view method, std::string_view callee) const {
  if (const auto found = methods_.find(method); found != methods_.end()) {
    return &rows_[found->second];
  }
  for (const auto& [pattern, index] : method_patterns_) {
    if (!MatchesPattern(pattern, method)) continue;
    const std::vector<std::string>& objects = rows_[index].objects;
    const std::string_view object =
        callee.size() > method.size() ? callee.substr(0, callee.size() - method.size() - 1) : "";
    const bool fits = objects.empty() ||
                      std::any_of(objects.begin(), objects.end(), [&](const std::string& wanted) {
                        return MatchesPattern(wanted, object);
                      });
    if (fits) return &rows_[index];
  }
  return nullptr;
}

Meaning Signatures::OfKeyword(std::string_view keyword) const {
  const auto found = keywords_.find(keyword);
  return found == keywords_.end() ? Meaning::kUnknown : found->second;
}

Meaning Signatures::OfMember(std::string_view member) const {
  const auto found = members_.find(member);
  return found == members_.end() ? Meaning::kUnknown : found->second;
}

bool Signatures::MayBeDevice(std::string_view text) const {
  return values_.contains(text) || IsDeviceText(text);
}

bool Signatures::IsDeviceText(std::string_view text) const {
  if (values_.contains(text)) return text != "cuda" && text != "nccl";
  const size_t colon = text.find(':');
  return colon != std::string_view::npos && values_.contains(text.substr(0, colon)) &&
         text.find_first_of(" \t\n/") == std::string_view::npos;
}

bool Signatures::AreImplementations(const std::set<std::string, std::less<>>& texts) const {
  const auto is_own_word = [&](const std::string& text) {
    return text.size() > 1 && std::ranges::all_of(text, IsWordByte) && !values_.contains(text) &&
           !transplt::Words("device-defaults").Has(text);
  };
  const auto is_other_device = [&](const std::string& text) { return IsDeviceText(text); };
  return !texts.contains("nccl") && std::ranges::none_of(texts, is_other_device) &&
         std::ranges::any_of(texts, is_own_word);
}

bool Signatures::IsNameOfSource(std::string_view text) const {
  return std::any_of(endings_.begin(), endings_.end(),
                     [&](const std::string& ending) { return text.ends_with(ending); });
}

bool Signatures::IsForeign(std::string_view qualified) const {
  const Signature* signature = OfCall(qualified);
  return signature != nullptr && signature->OfArgument(0, {}) == Meaning::kForeign;
}

bool Signatures::SpeaksOfDevice(std::string_view text) const {
  return HasOneOf(text, hints_) || HasOneOf(text, backend_hints_);
}

bool Signatures::SpeaksOfBackend(std::string_view text) const {
  return HasOneOf(text, backend_hints_) && !HasOneOf(text, hints_);
}

}  // namespace transplt
