// SPDX-License-Identifier: Apache-2.0
#include <kainjow/mustache.hpp>

#include "transplt/base/plain_text.h"
#include "transplt/verify/simulator_files.h"
#include "transplt/verify/verdict.h"

namespace transplt {
namespace {

using kainjow::mustache::data;
using kainjow::mustache::mustache;

/// A value that a section can ask for: an empty text is none.
void Set(data& object, const char* name, const std::string& text) {
  if (text.empty()) {
    object.set(name, data(data::type::bool_false));
  } else {
    object.set(name, OneLine(text));
  }
}

data ItemData(const CheckItem& item, Language language) {
  data object(data::type::object);
  std::string place = item.file;
  if (item.line > 0) place += ":" + std::to_string(item.line);
  object.set("failure", data(item.is_failure ? data::type::bool_true : data::type::bool_false));
  Set(object, "place", place);
  Set(object, "what", item.what.In(language));
  Set(object, "times", item.count > 1 ? std::to_string(item.count) : "");
  Set(object, "reference", item.reference);
  Set(object, "migrated_text", item.migrated);
  return object;
}

data CheckData(const Check& check, Language language) {
  data object(data::type::object);
  object.set("state", std::string(Name(check.state)));
  Set(object, "title", check.title.In(language));
  Set(object, "result", check.result.In(language));
  data items(data::type::list);
  for (const CheckItem& item : check.items) items.push_back(ItemData(item, language));
  object.set("has_items",
             data(check.items.empty() ? data::type::bool_false : data::type::bool_true));
  object.set("items", items);
  return object;
}

}  // namespace

std::string VerdictHtml(const Verification& verification, Language language) {
  data page(data::type::object);
  std::string command = verification.python;
  for (const std::string& argument : verification.arguments) command += " " + argument;
  page.set("lang", language == Language::kChinese ? "zh" : "en");
  page.set("quality", IsSuccess(verification.verdict) ? "good" : "bad");
  Set(page, "verdict", VerdictText(verification).In(language));
  Set(page, "nothing_ran", NothingRanOnAnNpu().In(language));
  Set(page, "original", verification.original);
  Set(page, "migrated", verification.migrated);
  Set(page, "command", command);
  Set(page, "python_version", verification.python_version);
  Set(page, "torch", verification.torch_version);
  Set(page, "torch_npu", verification.torch_npu);
  Set(page, "state_title", Say("State", "状态").In(language));
  Set(page, "check_title", Say("Check", "检查").In(language));
  Set(page, "result_title", Say("Result", "结果").In(language));
  data checks(data::type::list);
  for (const Check& check : verification.checks) checks.push_back(CheckData(check, language));
  page.set("checks", checks);
  mustache view{std::string(VerdictTemplate())};
  return view.render(page);
}

}  // namespace transplt
