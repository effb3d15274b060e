// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transplt/base/finding.h"
#include "transplt/base/setting.h"
#include "transplt/engine/version_range.h"
#include "transplt/engine/word_filter.h"
#include "transplt/syntax/syntax_tree.h"

namespace transplt {

class FileContext;
struct ApiEntry;
struct GuardSignatures;

/// What a rule wants to look at: nodes of `kind` that have `name` among their names. The name of
/// an attribute is its last identifier, that of a call the last identifier of the callee, that
/// of an identifier, function or class itself; an import has all its identifiers as names, a
/// string all words of its text. A dotted `name` of a call is what the callee stands for, however
/// it is spelled. An empty `name` asks for every node of the kind.
struct Trigger {
  NodeKind kind;
  std::string name;
};

/// What every rule has besides the fields of its kind.
struct RuleHeader {
  std::string id;      ///< "torch.cuda.synchronize"; of a user's rule "FILE#/pointer"
  std::string kind;    ///< "FuncNameModifyRule" ...
  std::string origin;  ///< "rules/pytorch_api.json#/rules/ApiRenameRule/3", for messages
  Text why;            ///< may be empty in a user's rule
  std::string cause;   ///< of what it leaves to a person; empty: `id`
  std::optional<Severity> severity;  ///< of what it leaves to a person
  /// Of the packages in its `libraries`: the newest that the project asks for.
  Version library_version = kNewestVersion;
  bool needs_other_release = false;  ///< of the library whose versions it is about
};

/// Statements that follow `import torch_npu` in the files that use the NPU.
struct NpuPreamble {
  std::vector<std::string> statements;  ///< each on a line of its own
  bool entry_only = false;              ///< only in files that are run themselves
  std::string for_rule;                 ///< only in files that this rule edits; empty: all
  std::string rule_id;
};

/// One rule, immutable once loaded: what it learns about a file is in `FileContext`, so one
/// object serves every file and every thread.
class Rule {
 public:
  explicit Rule(RuleHeader header) : header_(std::move(header)) {}
  virtual ~Rule() = default;
  Rule(const Rule&) = delete;
  Rule& operator=(const Rule&) = delete;

  const RuleHeader& header() const { return header_; }
  const std::string& id() const { return header_.id; }

  virtual std::vector<Trigger> triggers() const = 0;

  /// What the rule says about one API by name, if that is what it is about; else null.
  virtual const ApiEntry* api_entry() const { return nullptr; }

  /// The names that nothing but CUDA can import or run: a condition that protects one stays.
  virtual std::vector<std::string> cuda_only_names() const { return {}; }

  /// True if its rows say what a library as a whole does on the target.
  virtual bool IsAboutLibrary() const { return false; }

  /// What the rule adds behind `import torch_npu`, if that is what it does; else null.
  virtual const NpuPreamble* npu_preamble() const { return nullptr; }

  /// What the rule says about conditions that ask for a device, if that is what it is about; else
  /// null.
  virtual const GuardSignatures* guard_signatures() const { return nullptr; }

  /// Alternatives, each a set of words: a file in which no alternative has all its words cannot
  /// hold anything for this rule, and is not parsed. A word is a maximal run of letters, digits
  /// and underscores, or kStarImport. An alternative without words matches every file.
  virtual WordSets required_words() const = 0;

  /// The same for files that are not Python.
  virtual WordSets setting_words() const { return required_words(); }

  /// Appends what the rule finds at `node`. Looks at the original text only.
  virtual void Check(Node node, const FileContext& file, Findings& findings) const = 0;

  /// The same for a setting of a file that is not Python; most rules are about code alone.
  virtual void CheckSetting(const Setting& /*setting*/, Findings& /*findings*/) const {}
  /// The same for all settings of a file, in the order of the text: for rules that have to know
  /// what stands beside one.
  virtual void CheckSettings(const std::vector<Setting>& settings, Findings& findings) const {
    for (const Setting& setting : settings) CheckSetting(setting, findings);
  }

 protected:
  /// What the rule changes at `range`, still without its edits.
  Finding Change(TextRange range, Text message = {}) const {
    Finding finding;
    finding.range = range;
    finding.rule_id = id();
    finding.message = std::move(message);
    return finding;
  }
  /// What stays at `range` as it is: a row for a person.
  Finding Row(TextRange range, Text message, Operation operation = Operation::kSuggestion) const {
    return RowAt(range, id(), std::move(message), operation);
  }
  /// The rule's reason as the message about something: "torch.cuda.nccl: there is no ...".
  Text WhyOf(std::string_view about) const {
    const std::string name(about);
    return {name + ": " + header_.why.en, name + ": " + header_.why.zh};
  }

 private:
  RuleHeader header_;
};

}  // namespace transplt
