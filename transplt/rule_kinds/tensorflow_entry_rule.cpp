// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <set>

#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/facts/value_sources.h"
#include "transplt/python/arguments.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/statement.h"
#include "transplt/rule_kinds/main_block.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/tensorflow_rule.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

bool Says(const FileContext& file, std::string_view name) {
  return !file.NodesSaying(name).empty();
}

bool SaysOneOf(const FileContext& file, const std::vector<std::string>& names) {
  return std::ranges::any_of(names, [&](const std::string& name) { return Says(file, name); });
}

/// Takes a script to the NPU that makes no session itself: one of keras, or of TensorFlow 2.
class TensorflowEntryRule : public TensorflowRule {
 public:
  TensorflowEntryRule(RuleHeader header, const Fields& fields)
      : TensorflowRule(std::move(header), fields),
        of_keras_(fields.String("way") == "keras_session"),
        start_(fields.List("start")),
        end_(fields.List("end")),
        not_with_(fields.List("not_with")) {}

  std::vector<Trigger> triggers() const override { return {{NodeKind::kModule, ""}}; }
  WordSets required_words() const override {
    if (of_keras_) {
      return {{"keras", "compile", "fit"},
              {"keras", "compile", "fit_generator"},
              {"keras", "compile", "train_on_batch"}};
    }
    return {{"tensorflow"}, {"keras"}};
  }

  void Check(Node /*module*/, const FileContext& file, Findings& findings) const override {
    if (!IsFor(file)) return;
    if (of_keras_) return CheckKeras(file, findings);
    CheckEager(file, findings);
  }

 private:
  /// The first call that trains a model of keras which the file compiles, or a null node.
  static Node TrainingCall(const FileContext& file) {
    for (std::string_view method : {"fit", "fit_generator", "train_on_batch"}) {
      for (Node name : file.NodesSaying(method)) {
        const Node callee = name.parent();
        if (!callee.Is(NodeKind::kAttribute) || !callee.parent().Is(NodeKind::kCall)) continue;
        const std::string_view model = callee.Child(Field::kObject).text();
        for (Node compile : file.NodesSaying("compile")) {
          const Node other = compile.parent();
          if (other.Is(NodeKind::kAttribute) && other.parent().Is(NodeKind::kCall) &&
              other.Child(Field::kObject).text() == model && !(other.id() == callee.id())) {
            return callee.parent();
          }
        }
      }
    }
    return {};
  }

  static bool UsesKeras(const FileContext& file) {
    return Says(file, "keras") ||
           std::ranges::any_of(file.names().bindings(), [](const Binding& binding) {
             return binding.kind == BindingKind::kImport &&
                    TensorflowName(binding.target).starts_with("tensorflow.keras");
           });
  }

  void CheckKeras(const FileContext& file, Findings& findings) const {
    // A session or an estimator of the script takes its model to the NPU.
    if (SaysOneOf(file, not_with_) || !UsesKeras(file)) return;
    const Node training = TrainingCall(file);
    if (!training) return;
    const std::vector<Node> blocks = MainBlocksOf(file.tree().root());
    Finding finding =
        Change(training.range(), Say("train in a session of the NPU", "在 NPU 会话中训练"));
    finding.operation = Operation::kInsert;
    if (blocks.size() == 1) {
      const Node body = blocks[0].Child(Field::kConsequence);
      finding.range = blocks[0].Child(Field::kCondition).range();
      finding.fix.edits =
          WrapInTry(body.first_named_child(), LastNamedChild(body), {start_, end_}, {}, file);
    } else if (blocks.empty() && file.names().ScopeOf(training) == 0) {
      AtModuleLevel(training, start_.front(), end_.front(), file, finding);
    }
    if (finding.fix.empty()) {
      finding = Row(training.range(),
                    Say("the script that starts this training has to call "
                        "set_keras_session_npu_config() first, and close_session() at its end",
                        "启动该训练的脚本须先调用 set_keras_session_npu_config(), 并在结束时调用 "
                        "close_session()"));
    }
    findings.push_back(std::move(finding));
  }

  static bool IsImport(Node statement) {
    return statement.Is(NodeKind::kImportStatement) ||
           statement.Is(NodeKind::kImportFromStatement) ||
           statement.Is(NodeKind::kFutureImportStatement);
  }

  /// In front of the first statement behind the imports that is none, and behind the last one.
  static void AtModuleLevel(Node training, const std::string& make, const std::string& close,
                            const FileContext& file, Finding& finding) {
    const SourceFile& source = file.source();
    const Node root = file.tree().root();
    Node last_import;
    Node last;
    for (const Node next : NamedChildren(root)) {
      if (IsImport(next) && next.range().end < training.range().start) last_import = next;
      last = next;
    }
    if (!last_import) return;
    const uint32_t start = last_import.next_named_sibling().range().start;
    const bool is_imports_place = StatementPlace(last_import, source).insertion() == start &&
                                  AdapterImportFollows(file) == last_import;
    if (is_imports_place) {  // the import of the adapter goes there too, and has to come first
      finding.needs_adapter.push_back(make);
    } else {
      finding.fix.Insert(start, make + std::string(source.LineEndAt(start)));
    }
    const StatementPlace place(last, source);
    finding.fix.Insert(place.insertion(), place.Join(close));
  }

  /// `import keras` without tensorflow: TensorFlow is below, unless the script chooses what is.
  static bool RunsKerasOnTensorflow(const FileContext& file) {
    return file.Imports("keras") && !HasPart(file.source().bytes(), "KERAS_BACKEND");
  }

  static bool IsHelper(std::string_view resolved) {
    static const WordList& helpers = Words("tensorflow-helpers");
    return helpers.Has(TensorflowName(resolved));
  }

  /// True if every use of a module of TensorFlow that the import `module` binds is of a helper.
  static bool GivesOnlyHelpers(const Binding& module, const FileContext& file) {
    bool is_used = false;
    for (const Node name : file.NodesSaying(module.name)) {
      if (!name.Is(NodeKind::kIdentifier) || file.names().BindingsOf(name).empty()) continue;
      if (IsImport(EnclosingStatement(name))) continue;
      Node whole = name;
      while (whole.field() == Field::kObject) whole = whole.parent();
      is_used = true;
      const auto is_helper = [](const QualifiedName& resolved) { return IsHelper(resolved.name); };
      const auto resolved = file.names().Resolve(whole);
      if (resolved.empty() || !std::ranges::all_of(resolved, is_helper)) return false;
    }
    return is_used;
  }

  /// A text is cut into words and a file is read on the CPU, whatever device is the default one.
  static bool UsesOnlyHelpers(const FileContext& file) {
    if (!file.names().star_imports().empty()) return false;
    bool has_helper = false;
    for (const Binding& binding : file.names().bindings()) {
      const bool is_its_own = binding.kind == BindingKind::kImport &&
                              Words("tensorflow-packages").Has(FirstPart(binding.target));
      if (!is_its_own) continue;
      if (!IsHelper(binding.target) && !GivesOnlyHelpers(binding, file)) return false;
      has_helper = true;
    }
    return has_helper;
  }

  void CheckEager(const FileContext& file, Findings& findings) const {
    const bool is_tensorflow = file.Imports("tensorflow") || RunsKerasOnTensorflow(file);
    if (!is_tensorflow || file.Imports("torch") || SaysOneOf(file, not_with_)) return;
    if (UsesOnlyHelpers(file)) return;
    const std::vector<Node> blocks = MainBlocksOf(file.tree().root());
    if (!Computes(file, blocks.empty())) return;
    const Node import = AdapterImportFollows(file);
    if (!import) return;
    const StatementPlace place(import, file.source());
    if (place.shares_line()) return;
    // They go to the other imports of the adapter.
    Finding finding =
        Change(import.range(), Say("make the NPU the default device", "将 NPU 设为默认设备"));
    finding.needs_adapter = start_;
    findings.push_back(std::move(finding));
  }

  /// True if TensorFlow has made the value: `f()` of its own, or of a class derived from one of it.
  static bool IsMadeByTensorflow(const ValueSource& value, const ValueSources& values,
                                 int depth = 8) {
    const bool is_call = value.node.Is(NodeKind::kCall);
    const Node maker = is_call ? value.node.Child(Field::kFunction) : value.node;
    const bool is_its_own =
        std::ranges::any_of(value.names->Resolve(maker), [](const QualifiedName& name) {
          return !name.local && TensorflowName(name.name).starts_with("tensorflow.");
        });
    if (is_its_own || depth == 0) return is_its_own;
    const std::optional<ValueSource> definition = values.DefinitionOf(value.At(maker));
    if (!definition || !definition->node.Is(NodeKind::kClassDefinition)) return false;
    return std::ranges::any_of(
        NamedChildren(definition->node.Child(Field::kSuperclasses)),
        [&](Node base) { return IsMadeByTensorflow(definition->At(base), values, depth - 1); });
  }

  /// The model of `model(x)` and `model.predict(x)`; null for other calls.
  static Node ModelOf(Node call) {
    const Node callee = call.Is(NodeKind::kCall) ? call.Child(Field::kFunction) : Node();
    if (callee.Is(NodeKind::kIdentifier)) return callee;
    const bool trains = callee.Is(NodeKind::kAttribute) &&
                        Words("keras-training-methods").Has(callee.Child(Field::kAttribute).text());
    return trains ? callee.Child(Field::kObject) : Node();
  }

  /// `model(x)`, of a model that was loaded or comes from another file: true if the file calls what
  /// TensorFlow has made.
  static bool CallsModel(const FileContext& file) {
    const ValueSources& values = file.sources();
    std::set<std::string_view> seen;
    return std::ranges::any_of(NodesIn(file.tree()), [&](Node call) {
      const Node model = ModelOf(call);
      if (!model || !seen.insert(model.text()).second) return false;
      return std::ranges::any_of(values.Of(model), [&](const ValueSource& source) {
        return source.node.Is(NodeKind::kCall) && IsMadeByTensorflow(source, values);
      });
    });
  }

  /// True if the file has models or gradients and is run itself: without main block, what it does
  /// as it is loaded shows that.
  static bool Computes(const FileContext& file, bool at_module_level) {
    const bool has_models = UsesKeras(file) || Says(file, "GradientTape") ||
                            Says(file, "function") || Says(file, "Variable") ||
                            Says(file, "Module") || CallsModel(file);
    if (!has_models || !at_module_level) return has_models;
    const Node root = file.tree().root();
    for (const Node next : NamedChildren(root)) {
      if (next.Is(NodeKind::kForStatement) || next.Is(NodeKind::kWhileStatement)) return true;
    }
    return std::ranges::any_of(Words("keras-training-methods").words(), [&](std::string_view name) {
      return std::ranges::any_of(file.NodesSaying(name), [&](Node node) {
        return node.Is(NodeKind::kIdentifier) && file.names().ScopeOf(node) == 0 &&
               node.parent().Is(NodeKind::kAttribute) && node.field() == Field::kAttribute &&
               node.parent().parent().Is(NodeKind::kCall);
      });
    });
  }

  /// The import that those of the adapter are put behind.
  static Node AdapterImportFollows(const FileContext& file) {
    const Node import = FirstImport(file);
    return import ? import : FirstImport(file, "keras");
  }

  static Node FirstImport(const FileContext& file, const std::string& package = "tensorflow") {
    for (const Binding& binding : file.names().bindings()) {
      if (binding.scope != 0 || binding.kind != BindingKind::kImport ||
          !(binding.target == package || binding.target.starts_with(package + "."))) {
        continue;
      }
      Node node = binding.statement;
      while (node.parent().parent()) node = node.parent();
      return node;
    }
    return {};
  }

  bool of_keras_;
  std::vector<std::string> start_;
  std::vector<std::string> end_;
  std::vector<std::string> not_with_;
};

Result<std::unique_ptr<Rule>> MakeTensorflowEntryRule(RuleHeader header, const Fields& fields) {
  const bool has_end = fields.List("end").size() == 1;
  if (fields.List("start").empty() || (fields.String("way") == "keras_session" && !has_end)) {
    return BadRule(Say("give at least one line in \"start\", and with keras_session one in \"end\"",
                       "\"start\" 至少一行; keras_session 的 \"end\" 须为一行"));
  }
  return MakeRule<TensorflowEntryRule>(std::move(header), fields);
}

}  // namespace

RuleKind TensorflowEntryRuleKind() {
  RuleKind kind = {
      "TensorflowEntryRule",
      "Takes scripts to the NPU that make no session themselves, once per script.",
      TensorflowFields(
          {{"way",
            FieldType::kChoice,
            true,
            "keras_session: a session for what keras trains; default_device: the first import of "
            "TensorFlow is followed by start.",
            {"keras_session", "default_device"}},
           {"start", FieldType::kStringList, true, "What takes the script there: Python."},
           {"end", FieldType::kStringList, false, "What ends that, at the end of the script."},
           {"not_with", FieldType::kStringList, false,
            "Names: a script that spells one gets to the NPU by itself."}}),
      MakeTensorflowEntryRule};
  kind.fields.front().required = false;
  return kind;
}

}  // namespace transplt
