// SPDX-License-Identifier: Apache-2.0
#include "transplt/native/answer.h"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "transplt/base/json_text.h"

namespace transplt {
namespace {

using Json = nlohmann::json;
using Outcome = NativeFinding::Outcome;

constexpr int kVersion = 9;

constexpr std::array kOutcomes = {std::pair{Outcome::kEdited, "edited"},
                                  std::pair{Outcome::kNoCounterpart, "no-counterpart"},
                                  std::pair{Outcome::kArguments, "arguments"},
                                  std::pair{Outcome::kUnknown, "unknown"},
                                  std::pair{Outcome::kUnsure, "unsure"},
                                  std::pair{Outcome::kTwice, "twice"},
                                  std::pair{Outcome::kLost, "lost"},
                                  std::pair{Outcome::kCondition, "condition"},
                                  std::pair{Outcome::kConditionTrue, "condition-true"},
                                  std::pair{Outcome::kConditionFalse, "condition-false"},
                                  std::pair{Outcome::kConditionIdle, "condition-idle"},
                                  std::pair{Outcome::kConditionElse, "condition-else"},
                                  std::pair{Outcome::kConditionFails, "condition-fails"},
                                  std::pair{Outcome::kWithItsUse, "with-its-use"},
                                  std::pair{Outcome::kForward, "forward"}};

using Reach = NativeFunction::Reach;

constexpr std::array kReaches = {
    std::pair{Reach::kShared, "shared"}, std::pair{Reach::kLocal, "local"},
    std::pair{Reach::kTemplate, "template"}, std::pair{Reach::kMember, "member"}};

std::string NameOf(Outcome outcome) {
  for (const auto& [value, name] : kOutcomes) {
    if (value == outcome) return name;
  }
  return "";
}

Outcome OutcomeNamed(std::string_view text) {
  for (const auto& [value, name] : kOutcomes) {
    if (text == name) return value;
  }
  return Outcome::kUnsure;
}

Json JsonOf(TextRange range) { return {{"offset", range.start}, {"length", range.size()}}; }

TextRange RangeIn(const Json& json) {
  const auto start = json.at("offset").get<uint32_t>();
  return {start, start + json.at("length").get<uint32_t>()};
}

Json JsonOf(const NativeFinding& finding) {
  Json json = JsonOf(finding.range);
  json["rule"] = finding.rule_id;
  json["outcome"] = NameOf(finding.outcome);
  json["confidence"] = finding.is_resolved ? "resolved" : "name-only";
  if (!finding.argument.empty()) json["argument"] = JsonOf(finding.argument);
  for (const Edit& edit : finding.fix.edits) {
    Json part = JsonOf(edit.range);
    part["text"] = edit.text;
    json["edits"].push_back(std::move(part));
  }
  return json;
}

NativeFinding FindingIn(const Json& json) {
  NativeFinding finding;
  finding.range = RangeIn(json);
  finding.rule_id = json.at("rule").get<std::string>();
  finding.outcome = OutcomeNamed(json.at("outcome").get<std::string>());
  finding.is_resolved = json.at("confidence") == "resolved";
  if (const auto argument = json.find("argument"); argument != json.end()) {
    finding.argument = RangeIn(*argument);
  }
  for (const Json& part : json.value("edits", Json::array())) {
    finding.fix.Replace(RangeIn(part), part.at("text").get<std::string>());
  }
  return finding;
}

Json JsonOf(const NativeFunction& function) {
  Json json = {{"name", function.name},
               {"signature", function.signature},
               {"template", function.is_template},
               {"calls", function.calls},
               {"range", JsonOf(function.range)},
               {"c", function.is_c},
               {"only_fails", function.only_fails},
               {"result", function.result},
               {"own_type", function.own_type},
               {"parameters", Json::array()}};
  for (const auto& [value, name] : kReaches) {
    if (value == function.reach) json["reach"] = name;
  }
  for (const NativeParameter& parameter : function.parameters) {
    json["parameters"].push_back({{"type", parameter.type}, {"name", parameter.name}});
  }
  return json;
}

NativeFunction FunctionOf(const Json& json) {
  NativeFunction function;
  function.name = json.at("name").get<std::string>();
  function.signature = json.at("signature").get<std::string>();
  function.range = RangeIn(json.at("range"));
  function.is_template = json.at("template").get<bool>();
  function.calls = json.at("calls").get<std::set<std::string>>();
  function.is_c = json.at("c").get<bool>();
  function.only_fails = json.at("only_fails").get<bool>();
  function.result = json.at("result").get<std::string>();
  function.own_type = json.at("own_type").get<std::string>();
  for (const auto& [value, name] : kReaches) {
    if (json.at("reach") == name) function.reach = value;
  }
  for (const Json& parameter : json.at("parameters")) {
    function.parameters.push_back(
        {parameter.at("type").get<std::string>(), parameter.at("name").get<std::string>()});
  }
  return function;
}

Json JsonOf(const NativeSource& source) {
  Json json = {{"path", source.path},
               {"fingerprint", source.fingerprint},
               {"milliseconds", source.milliseconds},
               {"missing_headers", source.missing_headers},
               {"includes", source.includes},
               {"parts", source.parts},
               {"undefined", source.undefined},
               {"variables", source.variables},
               {"links", source.links}};
  if (!source.error.empty()) {
    json["error"] = {{"en", source.error.en}, {"zh", source.error.zh}};
  }
  for (const char* list :
       {"findings", "kernels", "launches", "bindings", "functions", "mismatches"}) {
    json[list] = Json::array();
  }
  for (const NativeFinding& finding : source.findings) json["findings"].push_back(JsonOf(finding));
  for (const NativeKernel& kernel : source.kernels) {
    json["kernels"].push_back({{"name", kernel.name},
                               {"range", JsonOf(kernel.range)},
                               {"whole", JsonOf(kernel.whole)},
                               {"features", kernel.features},
                               {"least_arguments", kernel.least_arguments},
                               {"most_arguments", kernel.most_arguments}});
  }
  for (const NativeLaunch& launch : source.launches) {
    json["launches"].push_back({{"kernel", launch.kernel}, {"range", JsonOf(launch.range)}});
    if (launch.arguments) json["launches"].back()["arguments"] = *launch.arguments;
  }
  for (const NativeBinding& binding : source.bindings) {
    json["bindings"].push_back({{"name", binding.name},
                                {"function", binding.function},
                                {"range", JsonOf(binding.range)},
                                {"module", binding.module},
                                {"library", binding.library},
                                {"names", binding.names}});
  }
  for (const NativeFunction& function : source.functions) {
    json["functions"].push_back(JsonOf(function));
  }
  for (const NativeDiagnostic& mismatch : source.mismatches) {
    json["mismatches"].push_back({{"offset", mismatch.offset}, {"message", mismatch.message}});
  }
  return json;
}

NativeSource SourceIn(const Json& json) {
  NativeSource source;
  source.path = json.at("path").get<std::string>();
  if (const auto error = json.find("error"); error != json.end()) {
    source.error = {error->at("en").get<std::string>(), error->at("zh").get<std::string>()};
  }
  source.fingerprint = json.at("fingerprint").get<std::string>();
  source.milliseconds = json.at("milliseconds").get<double>();
  source.missing_headers = json.at("missing_headers").get<std::vector<std::string>>();
  source.includes = json.at("includes").get<std::vector<std::string>>();
  source.parts = json.at("parts").get<std::set<std::string>>();
  source.undefined = json.at("undefined").get<std::set<std::string>>();
  source.variables = json.at("variables").get<std::set<std::string>>();
  source.links = json.at("links").get<std::vector<NativeLink>>();
  for (const Json& finding : json.at("findings")) source.findings.push_back(FindingIn(finding));
  for (const Json& kernel : json.at("kernels")) {
    source.kernels.push_back({kernel.at("name").get<std::string>(), RangeIn(kernel.at("range")),
                              RangeIn(kernel.at("whole")),
                              kernel.at("features").get<std::set<std::string>>(),
                              kernel.at("least_arguments").get<uint32_t>(),
                              kernel.at("most_arguments").get<uint32_t>()});
  }
  for (const Json& launch : json.at("launches")) {
    source.launches.push_back(
        {launch.at("kernel").get<std::string>(), RangeIn(launch.at("range")), {}});
    if (const auto count = launch.find("arguments"); count != launch.end()) {
      source.launches.back().arguments = count->get<uint32_t>();
    }
  }
  for (const Json& binding : json.at("bindings")) {
    source.bindings.push_back(
        {binding.at("name").get<std::string>(), binding.at("function").get<std::string>(),
         RangeIn(binding.at("range")), binding.at("module").get<std::string>(),
         binding.at("names").get<std::set<std::string>>(),
         binding.at("library").get<std::string>()});
  }
  for (const Json& function : json.at("functions")) {
    source.functions.push_back(FunctionOf(function));
  }
  for (const Json& mismatch : json.at("mismatches")) {
    source.mismatches.push_back(
        {mismatch.at("offset").get<uint32_t>(), mismatch.at("message").get<std::string>()});
  }
  return source;
}

/// Names of files may be no UTF-8; a text that was written so is no text that was asked for.
std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// The object in `text`, read by `read`.
template <typename T, typename Read>
Result<T> ReadObject(const std::string& name, std::string_view text, Read read) {
  const Json json = ParseJson(text);
  const bool is_ours = json.is_object() && json.value("version", 0) == kVersion;
  if (is_ours) {
    try {
      return read(json);
    } catch (const Json::exception& error) {
      return Error{Error::Code::kBadInput, name,
                   Say("not written by this version of transplt: {}",
                       "不是当前版本 transplt 所写: {}", std::string(error.what()))};
    }
  }
  return Error{Error::Code::kBadInput, name,
               Say("not written by this version of transplt", "不是当前版本 transplt 所写")};
}

}  // namespace

std::string NativeRequest::ToJson() const {
  return Dump({{"version", kVersion},
               {"root", root},
               {"files", files},
               {"include_folders", include_folders},
               {"defines", defines},
               {"texts", texts},
               {"given_up", given_up}});
}

Result<NativeRequest> NativeRequest::FromJson(const std::string& name, std::string_view text) {
  return ReadObject<NativeRequest>(name, text, [](const Json& json) {
    NativeRequest request;
    request.root = json.at("root").get<std::string>();
    request.files = json.at("files").get<std::vector<std::string>>();
    request.include_folders = json.at("include_folders").get<std::vector<std::string>>();
    request.defines = json.at("defines").get<std::vector<std::string>>();
    request.texts = json.at("texts").get<std::map<std::string, std::string>>();
    request.given_up = json.at("given_up").get<std::set<std::string>>();
    return request;
  });
}

std::string NativeAnswer::ToJson() const {
  Json json = {{"version", kVersion},
               {"sources", Json::array()},
               {"looks", looks},
               {"is_repeatable", is_repeatable}};
  for (const NativeSource& source : sources) json["sources"].push_back(JsonOf(source));
  return Dump(json);
}

Result<NativeAnswer> NativeAnswer::FromJson(const std::string& name, std::string_view text) {
  return ReadObject<NativeAnswer>(name, text, [](const Json& json) {
    NativeAnswer answer;
    for (const Json& source : json.at("sources")) answer.sources.push_back(SourceIn(source));
    answer.looks = json.at("looks").get<std::map<std::string, std::string>>();
    answer.is_repeatable = json.at("is_repeatable").get<bool>();
    return answer;
  });
}

}  // namespace transplt
