// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/engine/rule_kind.h"
#include "transplt/rule_kinds/tensorflow_names.h"

namespace transplt {

/// What rules about functions of TensorFlow have in common: which functions, in which files.
class TensorflowRule : public Rule {
 public:
  TensorflowRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        functions_(fields.List("functions")),
        imports_(fields.List("imports")),
        only_(fields.String("only")),
        derived_(fields.Boolean("derived", false)) {}

  std::vector<Trigger> triggers() const override {
    return derived_ ? std::vector<Trigger>{{NodeKind::kCall, ""}} : functions_.Triggers();
  }
  WordSets required_words() const override {
    return derived_ ? WordSets{{"tensorflow"}, {"tf"}, {"keras"}} : functions_.Words();
  }

  void Check(Node node, const FileContext& file, Findings& findings) const override {
    if (node.Child(Field::kArguments).Is(NodeKind::kGeneratorExpression)) return;
    if (derived_ && !IsFor(file)) return;
    std::string function = functions_.FindCalled(node, file);
    if (function.empty() && derived_) function = functions_.FindBase(node, file);
    if (!function.empty() && IsFor(file)) CheckCall(node, function, file, findings);
  }

 protected:
  /// For rules about calls of functions.
  virtual void CheckCall(Node /*call*/, const std::string& /*function*/,
                         const FileContext& /*file*/, Findings& /*findings*/) const {}

  bool IsFor(const FileContext& file) const {
    if (only_ == "left_out") return !file.MigratesTensorflow();
    if (!file.MigratesTensorflow()) return false;
    if (only_ == "sessions") return file.UsesSessions();
    if (only_ == "eager") return !file.UsesSessions();
    if (only_ == "sessions_of_1") return file.UsesSessions() && file.InstalledTensorflow() == 1;
    return true;
  }

  /// An edit that writes names of the adapter.
  Finding Change(TextRange range, Text message) const {
    Finding finding = Rule::Change(range, std::move(message));
    finding.needs_adapter = imports_;
    return finding;
  }

  const TensorflowFunctions& functions() const { return functions_; }

 private:
  TensorflowFunctions functions_;
  std::vector<std::string> imports_;
  std::string only_;
  bool derived_;
};

/// The fields that rules derived from TensorflowRule share, with those of the kind.
std::vector<FieldSpec> TensorflowFields(std::vector<FieldSpec> own);

}  // namespace transplt
