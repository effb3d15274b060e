// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "transplt/base/plain_text.h"
#include "transplt/verify/verdict.h"

namespace transplt {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson ItemJson(const CheckItem& item) {
  OrderedJson json = {
      {"failure", item.is_failure},
      {"what", ValidUtf8(item.what.en)},
      {"file", item.file.empty() ? OrderedJson(nullptr) : OrderedJson(ValidUtf8(item.file))},
      {"line", item.line == 0 ? OrderedJson(nullptr) : OrderedJson(item.line)},
      {"count", item.count}};
  if (!item.reference.empty() || !item.migrated.empty()) {
    json["reference"] = ValidUtf8(item.reference);
    json["migrated"] = ValidUtf8(item.migrated);
  }
  return json;
}

OrderedJson CheckJson(const Check& check) {
  OrderedJson items = OrderedJson::array();
  for (const CheckItem& item : check.items) items.push_back(ItemJson(item));
  return {{"id", check.id},
          {"title", check.title.en},
          {"state", Name(check.state)},
          {"result", ValidUtf8(check.result.en)},
          {"items", std::move(items)}};
}

}  // namespace

std::string VerdictJson(const Verification& verification) {
  OrderedJson arguments = OrderedJson::array();
  for (const std::string& argument : verification.arguments) {
    arguments.push_back(ValidUtf8(argument));
  }
  OrderedJson checks = OrderedJson::array();
  for (const Check& check : verification.checks) checks.push_back(CheckJson(check));
  const OrderedJson json = {{"verdict", Name(verification.verdict)},
                            {"verdict_text", VerdictText(verification).en},
                            {"simulated", true},
                            {"ran_on_npu", false},
                            {"note", NothingRanOnAnNpu().en},
                            {"original", ValidUtf8(verification.original)},
                            {"migrated", ValidUtf8(verification.migrated)},
                            {"arguments", std::move(arguments)},
                            {"python", ValidUtf8(verification.python)},
                            {"python_version", verification.python_version},
                            {"torch_version", verification.torch_version},
                            {"torch_npu_names", verification.torch_npu},
                            {"checks", std::move(checks)}};
  return json.dump(2) + "\n";
}

}  // namespace transplt
