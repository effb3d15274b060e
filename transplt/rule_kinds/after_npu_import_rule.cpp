// SPDX-License-Identifier: Apache-2.0
#include "transplt/engine/target.h"
#include "transplt/rule_kinds/rule_kind_rows.h"

namespace transplt {
namespace {

/// Adds statements behind `import torch_npu`. It finds nothing itself: where the import comes from
/// is known once all rules have looked at the file.
class AfterNpuImportRule : public Rule {
 public:
  AfterNpuImportRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)), package_(fields.String("package", DefaultTarget().package)) {
    preamble_.statements = fields.List("statements");
    preamble_.entry_only = fields.Boolean("entry_only", false);
    preamble_.for_rule = fields.String("for_rule");
    preamble_.rule_id = id();
  }

  const NpuPreamble* npu_preamble() const override { return &preamble_; }

  std::vector<Trigger> triggers() const override { return {}; }

  WordSets required_words() const override {
    if (!preamble_.entry_only) return {{package_}};
    return {{package_}, {"torch", "__name__"}, {"torch", "backward"}};
  }

  void Check(Node /*node*/, const FileContext& /*file*/, Findings& /*findings*/) const override {}

 private:
  NpuPreamble preamble_;
  std::string package_;
};

Result<std::unique_ptr<Rule>> MakeAfterNpuImportRule(RuleHeader header, const Fields& fields) {
  if (fields.List("statements").empty()) {
    return BadRule(Say("\"statements\" is empty: give at least one line of Python",
                       "\"statements\" 为空: 请至少给出一行 Python 语句"));
  }
  return MakeRule<AfterNpuImportRule>(std::move(header), fields);
}

}  // namespace

RuleKind AfterNpuImportRuleKind() {
  return {"AfterNpuImportRule",
          "Adds statements behind the imports at the top of files that use the NPU, unless the "
          "last of them is there.",
          {{"statements", FieldType::kStringList, true, "Lines of Python, each a statement."},
           {"package", FieldType::kDottedName, false,
            "The package whose import makes the device known; torch_npu."},
           {"entry_only", FieldType::kBoolean, false,
            "Only in files that are run themselves: that ask for __name__, or train when loaded."},
           {"for_rule", FieldType::kString, false,
            "The id of a rule: only in files that it has changed."}},
          MakeAfterNpuImportRule};
}

}  // namespace transplt
