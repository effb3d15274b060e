// SPDX-License-Identifier: Apache-2.0
#include "transplt/engine/rule_set.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "transplt/base/json_document.h"
#include "transplt/base/one_of.h"
#include "transplt/base/requirement.h"
#include "transplt/base/similar_name.h"
#include "transplt/engine/api_table.h"
#include "transplt/engine/field_value.h"
#include "transplt/engine/rule_draft.h"
#include "transplt/engine/torch_npu_releases.h"
#include "transplt/engine/version_range.h"

namespace transplt {
namespace {

constexpr std::string_view kAlwaysActive = "2.1.0";
// Unless an option selects another way to train on several devices with TensorFlow.
constexpr std::string_view kSingleDevice = "tf_single";
// Unless models are trained on one card.
constexpr std::string_view kSeveralCards = "several_cards";
constexpr std::string_view kSingleCard = "single_card";
constexpr std::string_view kHorovod = "tf_horovod";
constexpr std::string_view kStrategy = "tf_strategy";
// Numbers and words that `${NAME:default}` in a text of a built-in rule stands for; the selection
// gives one as the feature NAME=VALUE.
constexpr std::array<std::string_view, 3> kParameters = {"amp_level", "loss_scale", "combine_ddp"};
constexpr std::string_view kTorchParameter = "torch";  // the assumed version: no option sets it
constexpr std::array<Feature, 21> kFeatures = {{
    {"normal", ""},
    {"2.1.0", ""},
    {"distributed", ""},
    {kSingleDevice, ""},
    {kSeveralCards, ""},
    {"specify_device", "run on the device that the environment variable DEVICE_ID names"},
    {"similar", "put similar APIs of the module transplt_similar in place of limited ones"},
    {"amp_apex", "train with the mixed precision of apex (amp.initialize, amp.scale_loss)"},
    {"npu_fused_optimizers", "use the optimizers apex.optimizers.NpuFused*"},
    {"drop_last", "drop the last incomplete batch of training data, so that shapes stay fixed"},
    {"drop_last_validation",
     "drop that of validation and test data, too, whose samples then do not count"},
    {"int32_targets", "give class indices to the loss as int32"},
    {"jit_compile_off", "set_compile_mode(jit_compile=False): do not compile for every shape"},
    {"channel_shuffle", "shuffle channels by index_select"},
    {"fused_shuffle", "join, shuffle and split channels in one step over two blocks"},
    {"layer_norm", "use torch.nn.LayerNorm in place of the FusedLayerNorm of apex"},
    {kSingleCard, "take torch.nn.DataParallel off models: one card has nothing to divide"},
    {"cxx_stand_ins",
     "build C++ sources in place of the project's CUDA sources: operators compute on the CPU where "
     "the project has code for it, and raise an error else"},
    {"strip_module_prefix", "load checkpoints of DistributedDataParallel without its \"module.\""},
    {kHorovod, "train with several NPUs where a program of TensorFlow uses horovod"},
    {kStrategy, "train with several NPUs where one uses a distribution strategy"},
}};

std::vector<std::string_view> NamesOf(std::span<const Feature> features) {
  std::vector<std::string_view> names;
  for (const Feature& feature : features) names.push_back(feature.name);
  return names;
}

/// The text with its parameters, of which `given` has some: "torch=2.12.0".
std::string WithParameters(std::string text, const std::vector<std::string>& given) {
  std::vector<std::string_view> names(kParameters.begin(), kParameters.end());
  names.push_back(kTorchParameter);
  for (const std::string_view name : names) {
    const std::string start = fmt::format("${{{}:", name);
    for (size_t at = 0; (at = text.find(start, at)) != text.npos;) {
      const size_t end = std::min(text.find('}', at), text.size() - 1);
      std::string value = text.substr(at + start.size(), end - at - start.size());
      for (const std::string& one : given) {
        if (one.starts_with(fmt::format("{}=", name))) value = one.substr(name.size() + 1);
      }
      text.replace(at, end + 1 - at, value);
      at += value.size();
    }
  }
  return text;
}

/// Reads files one after the other; collects their rules and everything that is wrong.
class RuleLoader {
 public:
  RuleLoader(const RuleSelection& selection, std::span<const RuleKind> kinds)
      : selection_(selection), kinds_(kinds) {
    for (const RuleKind& kind : kinds) kind_names_.push_back(kind.name);
    CheckSelection();
  }

  void ReadFile(const RuleFile& file) {
    if (!file_names_.insert(file.name).second) {
      errors_.push_back(
          {Error::Code::kUsage,
           file.name,
           {"the rule file is given twice; leave one out", "规则文件重复给出；请去掉其中一个"}});
      return;
    }
    std::shared_ptr<const JsonDocument> document = file.document;
    if (document == nullptr) {
      Result<JsonDocument> read = JsonDocument::Parse(file.name, file.text);
      if (!read) {
        errors_.push_back(BadRule(read.error().where, read.error().what));
        return;
      }
      document = std::make_shared<const JsonDocument>(*std::move(read));
    }
    documents_.push_back(document);
    built_in_ = file.built_in;
    needs_documentation_ = file.built_in && file.document == nullptr;
    ReadRoot(*document);
  }

  /// The target of this name that is built in or that a file so far describes, or null.
  const Target* FindTarget(std::string_view name) const {
    const auto target =
        std::ranges::find_if(targets_, [&](const Target& known) { return known.name == name; });
    return target == targets_.end() ? nullptr : &*target;
  }

  /// Asks for the target of the run once all files are read.
  void CheckTarget() {
    if (FindTarget(selection_.target) != nullptr) return;
    std::vector<std::string_view> known;
    for (const Target& target : targets_) known.push_back(target.name);
    const Text remedy = SuggestName(selection_.target, known, {"the targets are", "可用目标为"});
    errors_.push_back({Error::Code::kUsage,
                       "--target " + selection_.target,
                       {"no target has this name" + remedy.en, "没有此名称的目标" + remedy.zh}});
  }

  std::vector<Error>& errors() { return errors_; }
  std::vector<LoadedRule>& rules() { return rules_; }
  std::vector<std::pair<std::string, std::string>>& of_other_releases() {
    return of_other_releases_;
  }

 private:
  void CheckSelection() {
    const Result<TorchPlatform> platform =
        ChoosePlatform(selection_.torch_version, selection_.torch_npu);
    if (platform) {
      torch_ = platform->torch;
      torch_version_ = *ParseVersion(torch_);
      torch_npu_ = *ParseRelease(platform->torch_npu);
    } else {
      errors_.push_back(platform.error());
    }
    const std::vector<std::string_view> known = NamesOf(kFeatures);
    for (const std::string& feature : selection_.features) {
      if (IsOneOf(feature, known)) continue;
      if (IsOneOf(std::string_view(feature).substr(0, feature.find('=')), kParameters)) continue;
      const Text remedy = SuggestName(feature, known, {"the features are", "可用特性为"});
      errors_.push_back({Error::Code::kUsage,
                         {},
                         {fmt::format("unknown feature \"{}\"{}", feature, remedy.en),
                          fmt::format("未知特性 \"{}\"{}", feature, remedy.zh)}});
    }
  }

  void Report(std::string where, const Text& what) {
    errors_.push_back(BadRule(std::move(where), what));
  }

  const RuleKind* FindKind(std::string_view name) const {
    const auto kind =
        std::ranges::find_if(kinds_, [&](const RuleKind& row) { return row.name == name; });
    return kind == kinds_.end() ? nullptr : &*kind;
  }

  void ReadRoot(const JsonDocument& document) {
    const JsonValue& root = document.root();
    target_.clear();
    if (const JsonValue* target = root.Find("target")) ReadTarget(document, *target);
    if (root.type() != JsonValue::Type::kObject) {
      const Text found = DescribeValue(root);
      return Report(
          document.Where(root),
          {fmt::format("a rule file holds {{\"rules\": {{ ... }}}}, not {}", found.en),
           fmt::format("规则文件的内容应为 {{\"rules\": {{ ... }}}}，而不是{}", found.zh)});
    }
    bool explained = false;  // why there is no "rules"
    for (const JsonValue* member : root.children()) {
      if (member->key() == "rules") {
        ReadRules(document, *member);
      } else if (member->key() == "target") {
        continue;  // read first: it says for which target all rules of the file are
      } else if (member->key() != "$schema") {
        explained = ReportRootKey(document, *member) || explained;
      } else if (member->type() != JsonValue::Type::kString) {
        errors_.push_back(WrongType(document, "$schema", FieldType::kString, *member));
      }
    }
    if (root.Find("rules") == nullptr && !explained) {
      Report(document.Where(root),
             {"\"rules\" is missing; a rule file holds {\"rules\": {\"KIND\": [ ... ]}}",
              "缺少 \"rules\"；规则文件的内容应为 {\"rules\": {\"KIND\": [ ... ]}}"});
    }
  }

  void ReadTarget(const JsonDocument& document, const JsonValue& member) {
    if (member.type() == JsonValue::Type::kObject) {
      Result<Target> target = transplt::ReadTarget(document, member);
      if (!target) return Report(target.error().where, target.error().what);
      target_ = target->name;
      targets_.push_back(*std::move(target));
      return;
    }
    const bool known =
        member.type() == JsonValue::Type::kString && (FindTarget(member.string()) != nullptr);
    if (!known) {
      return Report(document.Where(member),
                    Say("\"target\" is one of {}; leave it out if the rules are for all",
                        "\"target\" 为 {} 之一；如规则适用于全部目标，请省略",
                        fmt::format("\"{}\"", fmt::join(TargetNames(), "\", \""))));
    }
    target_ = member.string();
  }

  /// True if `member` is what should have been "rules".
  bool ReportRootKey(const JsonDocument& document, const JsonValue& member) {
    const std::string& key = member.key();
    if (FindKind(key) != nullptr) {
      Report(document.WhereKey(member),
             Say("\"{}\" must stand inside \"rules\"; write {{\"rules\": {{\"{}\": [ ... ]}}}}",
                 "\"{}\" 必须位于 \"rules\" 之内；请写成 {{\"rules\": {{\"{}\": [ ... ]}}}}", key,
                 key));
      return true;
    }
    const std::vector<std::string_view> known = {"rules", "target", "$schema"};
    const Text suggestion = SuggestName(key, known, {"a rule file has", "规则文件包含"});
    const std::string quoted = QuoteForMessage(key);
    Report(document.WhereKey(member), {fmt::format("unknown key {}{}", quoted, suggestion.en),
                                       fmt::format("未知的键 {}{}", quoted, suggestion.zh)});
    return SimilarName(key, known) == "rules";
  }

  void ReadRules(const JsonDocument& document, const JsonValue& rules) {
    if (rules.type() != JsonValue::Type::kObject) {
      const Text found = DescribeValue(rules);
      return Report(
          document.Where(rules),
          {fmt::format(
               "\"rules\" must be an object, not {}; write \"rules\": {{\"KIND\": [ ... ]}}",
               found.en),
           fmt::format("\"rules\" 必须是对象，而不是{}；请写成 \"rules\": {{\"KIND\": [ ... ]}}",
                       found.zh)});
    }
    for (const JsonValue* list : rules.children()) ReadKind(document, *list);
  }

  void ReadKind(const JsonDocument& document, const JsonValue& list) {
    const RuleKind* kind = FindKind(list.key());
    if (kind == nullptr) {
      const Text suggestion =
          SuggestName(list.key(), kind_names_, {"the kinds are", "可用的类别为"});
      const std::string quoted = QuoteForMessage(list.key());
      return Report(document.WhereKey(list),
                    {fmt::format("unknown rule kind {}{}", quoted, suggestion.en),
                     fmt::format("未知的规则类别 {}{}", quoted, suggestion.zh)});
    }
    if (list.type() != JsonValue::Type::kList) {
      const Text found = DescribeValue(list);
      return Report(document.Where(list),
                    {fmt::format("\"{}\" must be a list of rules, not {}; write [ ... ] around it",
                                 kind->name, found.en),
                     fmt::format("\"{}\" 必须是规则列表，而不是{}；请用 [ ... ] 括起", kind->name,
                                 found.zh)});
    }
    for (const JsonValue* object : list.children()) ReadRule(document, *kind, *object);
  }

  void ReadRule(const JsonDocument& document, const RuleKind& kind, const JsonValue& object) {
    if (object.type() != JsonValue::Type::kObject) {
      const Text found = DescribeValue(object);
      return Report(
          document.Where(object),
          {fmt::format("a rule must be an object, not {}; write {{ \"field\": value }}", found.en),
           fmt::format("规则必须是对象，而不是{}；请写成 {{ \"字段\": 值 }}", found.zh)});
    }
    const bool new_id = CheckId(document, object);
    // What names no library is about none.
    if (!selection_.of_package.empty() && object.Find("libraries") == nullptr) return;
    std::optional<RuleDraft> draft =
        ReadRuleDraft(document, kind, object, needs_documentation_, errors_);
    if (!draft || !new_id) return;
    const bool has_parameters = std::ranges::any_of(draft->fields.values(), [](const auto& field) {
      const auto* text = std::get_if<std::string>(&field.second);
      return text != nullptr && text->find("${") != text->npos;
    });
    if (built_in_ && has_parameters) {
      std::vector<std::string> parameters = selection_.features;
      parameters.push_back(fmt::format("{}={}", kTorchParameter, torch_));
      Fields fields;
      for (const auto& [name, value] : draft->fields.values()) {
        const auto* text = std::get_if<std::string>(&value);
        fields.Set(name, text == nullptr ? value : WithParameters(*text, parameters));
      }
      draft->fields = std::move(fields);
    }
    draft->header.library_version = NewestOf(draft->libraries);
    NameTakenRelease(*draft);
    Result<std::unique_ptr<Rule>> rule = kind.make(draft->header, draft->fields);
    if (!rule) {
      // A kind names the field that is wrong, if it is one.
      const JsonValue* field = object.Find(rule.error().where);
      return Report(document.Where(field != nullptr ? *field : object), rule.error().what);
    }
    if (!IsActive(*draft)) {
      NoteOtherReleases(**rule, *draft);
      return;
    }
    rules_.push_back(
        {*std::move(rule), std::move(draft->examples),
         RuleNotes{target_, std::move(draft->torch_text), std::move(draft->torch_npu_text),
                   std::move(draft->features), std::move(draft->libraries),
                   std::move(draft->with_libraries), std::move(draft->fields)}});
  }

  bool CheckId(const JsonDocument& document, const JsonValue& object) {
    const JsonValue* id = object.Find("id");
    if (id == nullptr || id->type() != JsonValue::Type::kString) return true;
    const auto [known, is_new] = ids_.emplace(id->string(), std::pair(&document, &object));
    if (!is_new) {
      const auto [holder, first] = known->second;
      Report(document.Where(*id), Say("the id {} is taken by {}; an id names one rule only",
                                      "id {} 已被 {} 使用；一个 id 只能对应一条规则",
                                      QuoteForMessage(id->string()), holder->Where(*first)));
    }
    return is_new;
  }

  /// An API that the assumed release has no counterpart of, and that others have one of.
  void NoteOtherReleases(const Rule& rule, const RuleDraft& draft) {
    const ApiEntry* entry = rule.api_entry();
    if (entry == nullptr || entry->new_name.empty() || draft.torch_npu.Contains(torch_npu_) ||
        !draft.torch.Contains(torch_version_)) {
      return;
    }
    of_other_releases_.emplace_back(entry->old_name, draft.torch_npu_text);
  }

  bool IsActive(const RuleDraft& draft) const {
    if (selection_.include_inactive) return true;
    if (!target_.empty() && target_ != selection_.target) return false;
    if (IsOneOf(draft.header.id, selection_.disabled)) return false;
    const auto& active = selection_.features;
    const auto is_active = [&](std::string_view feature) { return IsOneOf(feature, active); };
    const bool single = !is_active(kHorovod) && !is_active(kStrategy);
    const bool has_feature = std::ranges::any_of(draft.features, [&](const std::string& feature) {
      return feature == kAlwaysActive || is_active(feature) ||
             (single && feature == kSingleDevice) ||
             (feature == kSeveralCards && !is_active(kSingleCard));
    });
    return has_feature && draft.torch.Contains(torch_version_) &&
           draft.project_torch.Contains(selection_.project_torch) &&
           draft.torch_npu.Contains(torch_npu_) && IsForLibraries(draft);
  }

  /// The version of the first of `libraries` that the project asks for.
  Version NewestOf(const std::vector<LibraryRange>& libraries) const {
    for (const LibraryRange& library : libraries) {
      for (const auto& [package, newest] : selection_.libraries) {
        if (NamesPackage(library.package, package)) return newest;
      }
    }
    return kNewestVersion;
  }

  /// The release that the project takes in place of one that the rule is about; null if it says of
  /// none that it cannot stay.
  const ReplacedRelease* ReplacedBy(const RuleDraft& draft) const {
    if (!draft.header.needs_other_release) return nullptr;
    for (const ReplacedRelease& replaced : selection_.replaced) {
      const bool tells = draft.header.id == replaced.told_by || draft.fields.Has("needed");
      if (!tells) continue;
      for (const LibraryRange& library : draft.libraries) {
        const bool is_meant = NamesPackage(library.package, replaced.taken.package);
        if (is_meant && library.versions.Contains(replaced.asked_for)) return &replaced;
      }
    }
    return nullptr;
  }

  void NameTakenRelease(RuleDraft& draft) const {
    const ReplacedRelease* replaced = ReplacedBy(draft);
    if (replaced == nullptr) return;
    const Text name = replaced->taken.Name();
    Text& why = draft.header.why;
    why.en += fmt::format(": install {}", name.en);
    why.zh += fmt::format("：请安装 {}", name.zh);
    if (replaced->changes == 0) return;
    why.en +=
        fmt::format(", which stops this project at the fewest places ({})", replaced->changes);
    why.zh += fmt::format("，该版本使本项目停止的位置最少 ({} 处)", replaced->changes);
  }

  bool IsForLibraries(const RuleDraft& draft) const {
    const bool is_meant = selection_.of_package.empty() ||
                          std::ranges::any_of(draft.libraries, [&](const LibraryRange& library) {
                            return NamesPackage(library.package, selection_.of_package);
                          });
    if (!is_meant) return false;
    if (ReplacedBy(draft) != nullptr) return true;
    return HasOneOf(draft.libraries) &&
           std::ranges::all_of(draft.with_libraries, [&](const LibraryRange& library) {
             return HasOneOf({&library, 1});
           });
  }

  /// Of packages with one content, `lightning` and `pytorch-lightning`, that one decides which the
  /// project asks for.
  bool HasOneOf(std::span<const LibraryRange> libraries) const {
    bool is_asked_for = false;
    for (const LibraryRange& library : libraries) {
      for (const auto& [package, newest] : selection_.libraries) {
        if (!NamesPackage(library.package, package)) continue;
        if (library.versions.Contains(newest)) return true;
        is_asked_for = true;
      }
    }
    return !is_asked_for &&
           (libraries.empty() || std::ranges::any_of(libraries, [](const LibraryRange& library) {
              return library.versions.Contains(kNewestVersion);
            }));
  }

  const RuleSelection& selection_;
  std::span<const RuleKind> kinds_;
  std::vector<std::string_view> kind_names_;
  std::string torch_;  // as it is written
  Version torch_version_{};
  std::vector<Target> targets_ = BuiltinTargets();
  Version torch_npu_{};
  std::vector<std::pair<std::string, std::string>> of_other_releases_;
  std::string target_;  // of the file that is being read; empty: all
  std::set<std::string> file_names_;
  std::vector<std::shared_ptr<const JsonDocument>> documents_;
  bool built_in_ = false;             // the file that is being read
  bool needs_documentation_ = false;  // its rules
  // Of the rules so far, in `documents_`.
  std::unordered_map<std::string_view, std::pair<const JsonDocument*, const JsonValue*>> ids_;
  std::vector<Error> errors_;
  std::vector<LoadedRule> rules_;
};

}  // namespace

bool LoadedRule::IsOptional() const {
  return std::ranges::none_of(notes.features, [](const std::string& feature) {
    return feature == "normal" || feature == kAlwaysActive || feature == kSingleDevice ||
           feature == kSeveralCards;
  });
}

std::span<const Feature> KnownFeatures() { return kFeatures; }

Result<std::vector<std::string>> FeaturesNamed(const std::vector<std::string>& names) {
  std::vector<std::string> spelled;
  for (const Feature& feature : kFeatures) {
    if (feature.what.empty()) continue;
    spelled.emplace_back(feature.name);
    std::ranges::replace(spelled.back(), '_', '-');
  }
  const std::vector<std::string_view> known(spelled.begin(), spelled.end());
  std::vector<std::string> features;
  for (std::string name : names) {
    std::ranges::replace(name, '_', '-');
    if (!IsOneOf(name, known)) {
      const Text remedy = SuggestName(name, known, {"there are", "可用的有"});
      return Error{Error::Code::kUsage,
                   {},
                   {fmt::format("unknown behaviour \"{}\"{}", name, remedy.en),
                    fmt::format("未知的可选行为 \"{}\"{}", name, remedy.zh)}};
    }
    std::ranges::replace(name, '-', '_');
    features.push_back(std::move(name));
  }
  return features;
}

Result<RuleSet> RuleSet::Load(const std::vector<RuleFile>& files, const RuleSelection& selection,
                              std::span<const RuleKind> kinds) {
  RuleLoader loader(selection, kinds);
  for (const RuleFile& file : files) loader.ReadFile(file);
  loader.CheckTarget();
  if (!loader.errors().empty()) return loader.errors().front();
  RuleSet set;
  set.target_ = *loader.FindTarget(selection.target);
  set.rules_ = std::move(loader.rules());
  set.of_other_releases_ = std::move(loader.of_other_releases());
  return set;
}

std::vector<Error> RuleSet::Check(const std::vector<RuleFile>& files,
                                  const RuleSelection& selection, std::span<const RuleKind> kinds) {
  RuleLoader loader(selection, kinds);
  for (const RuleFile& file : files) loader.ReadFile(file);
  return std::move(loader.errors());
}

}  // namespace transplt
