// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"
#include "transplt/python/arguments.h"
#include "transplt/python/statement.h"
#include "transplt/rule_kinds/rule_kind_rows.h"
#include "transplt/rule_kinds/rule_names.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

const std::string kCombines = "combine_ddp";

std::string Spelled(Node node) { return std::string(node.text()); }

/// `model.parameters()` in `optimizer = torch.optim.SGD(model.parameters(), lr)`.
struct OptimizerSite {
  Node statement;
  Node optimizer;
  Node model;
};

/// `model = DistributedDataParallel(model, device_ids=[gpu])` in front of the optimizer.
struct Wrapping {
  Node statement;
  Node model;    // the name that gets the wrapped model
  Node call;     // of the wrapper
  Node wrapped;  // its first argument
  bool has_more_arguments;
  bool is_for_apex;  // what apex does itself with combine_ddp
};

/// All of one file that training with loss scaling has to do with.
class TrainingFile {
 public:
  TrainingFile(const FileContext& file, const std::vector<std::string>& packages) : file_(file) {
    const SyntaxTree& tree = file.tree();
    for (const Node node : NodesIn(tree)) {
      if (node.Is(NodeKind::kIdentifier)) {
        const bool scales = node.text() == "GradScaler" || node.text() == "autocast";
        if (scales && !other_scaling) other_scaling = node;
      }
      if (!node.Is(NodeKind::kCall) || tree.IsUnparsed(node.range())) continue;
      const Node callee = node.Child(Field::kFunction);
      if (!callee.Is(NodeKind::kAttribute)) {
        if (callee.text().starts_with("clip_grad_")) clips.push_back(node);
        AddOptimizer(node, callee, packages);
        continue;
      }
      const std::string_view method = callee.Child(Field::kAttribute).text();
      if (method == "backward" && ArgumentsOf(node).empty()) backwards.push_back(node);
      if (method == "step") steps.push_back(callee.Child(Field::kObject));
      if (method == "load_state_dict") loads.push_back(node);
      if (method == "state_dict") saves.push_back(node);
      if (method.starts_with("clip_grad_")) clips.push_back(node);
      if (method == "initialize" && file.names().IsNamed(callee, "apex.amp.initialize")) {
        has_apex = true;
      }
      AddOptimizer(node, callee, packages);
    }
  }

  std::vector<OptimizerSite> optimizers;
  std::vector<Node> backwards;
  std::vector<Node> steps;  // receivers
  std::vector<Node> loads;
  std::vector<Node> saves;
  std::vector<Node> clips;
  Node other_scaling;
  bool has_apex = false;

 private:
  void AddOptimizer(Node call, Node callee, const std::vector<std::string>& packages) {
    const bool is_optimizer =
        std::ranges::any_of(file_.names().Resolve(callee), [&](const auto& name) {
          return std::ranges::any_of(packages, [&](const std::string& package) {
            return ParentPart(name.name) == package && LastPart(name.name)[0] < 'a';
          });
        });
    if (!is_optimizer) return;
    OptimizerSite site{EnclosingStatement(call), {}, {}};
    const Node assignment = call.parent();
    if (assignment.Is(NodeKind::kAssignment) &&
        assignment.Child(Field::kLeft).Is(NodeKind::kIdentifier)) {
      site.optimizer = assignment.Child(Field::kLeft);
    }
    const std::vector<Argument> arguments = ArgumentsOf(call);
    if (!arguments.empty() && arguments[0].value.Is(NodeKind::kCall)) {
      const Node parameters = arguments[0].value.Child(Field::kFunction);
      const bool all = parameters.Is(NodeKind::kAttribute) &&
                       parameters.Child(Field::kAttribute).text() == "parameters";
      if (all && parameters.Child(Field::kObject).Is(NodeKind::kIdentifier)) {
        site.model = parameters.Child(Field::kObject);
      }
    }
    optimizers.push_back(site);
  }

  const FileContext& file_;
};

/// Adds the mixed precision of apex to a file that trains one model with one optimizer: all that
/// it takes, or nothing and what stands in the way.
class LossScalingRule : public Rule {
 public:
  LossScalingRule(RuleHeader header, const Fields& fields)
      : Rule(std::move(header)),
        packages_(fields.List("optimizers")),
        arguments_(fields.String("arguments")),
        combines_(fields.String("combine_ddp") == "True") {}

  std::vector<Trigger> triggers() const override { return {{NodeKind::kModule, ""}}; }

  WordSets required_words() const override { return {{"backward", "step"}}; }

  void Check(Node /*module*/, const FileContext& file, Findings& findings) const override {
    const TrainingFile training(file, packages_);
    if (training.has_apex || training.backwards.empty() || training.steps.empty()) return;
    if (std::optional<Finding> obstacle = ObstacleIn(training, file)) {
      findings.push_back(*std::move(obstacle));
      return;
    }
    const OptimizerSite& site = training.optimizers[0];
    const std::string optimizer = Spelled(site.optimizer);
    const Wrappings wrappings = WrappingsBefore(site, file);
    const std::string wrapper = FreeName("wrap_model", file);
    if (wrappings.is_conditional) findings.push_back(BeginUnwrapped(wrappings, wrapper, file));
    for (const Wrapping& wrapping : wrappings.found) {
      findings.push_back(wrapping.is_for_apex
                             ? BroadcastInstead(wrapping, wrappings.is_conditional, file)
                             : WrapLater(wrapping, wrapper, file));
    }
    findings.push_back(Initialize(site, wrappings, wrapper, file));
    for (Node backward : training.backwards) findings.push_back(Scale(backward, optimizer, file));
    for (Node clip : training.clips) Clip(clip, site, file, findings);
    for (Node save : training.saves) AddToCheckpoint(save, optimizer, file, findings);
    for (Node load : training.loads) LoadFromCheckpoint(load, optimizer, file, findings);
  }

 private:
  Finding Open(TextRange range, const Text& why) const {
    return Row(range, {"the mixed precision of apex is not added to this file: " + why.en,
                       "未向该文件添加 apex 混合精度: " + why.zh});
  }

  std::optional<Finding> ObstacleIn(const TrainingFile& training, const FileContext& file) const {
    if (training.other_scaling) {
      return Open(training.other_scaling.range(),
                  Say("it has mixed precision already, and the two exclude each other",
                      "已使用其他混合精度, 两者互斥"));
    }
    if (training.optimizers.size() != 1) {
      const Node at =
          training.optimizers.empty() ? training.backwards[0] : training.optimizers[1].statement;
      return Open(at.range(), training.optimizers.empty()
                                  ? Say("its optimizer is made elsewhere", "优化器在别处创建")
                                  : Say("it has several optimizers", "存在多个优化器"));
    }
    const OptimizerSite& site = training.optimizers[0];
    if (!site.optimizer || !site.model) {
      return Open(site.statement.range(),
                  Say("write optimizer = C(model.parameters(), ...) with one model",
                      "请写成单一模型的 optimizer = C(model.parameters(), ...)"));
    }
    const Node moved = MovedLater(site, file);
    const Node wrapped = WrappingsBefore(site, file).obstacle;
    if (moved || wrapped) {
      return Open((moved ? moved : wrapped).range(),
                  Say("amp.initialize must come after the model is on its device and before it is "
                      "wrapped, and needs the optimizer",
                      "amp.initialize 须在模型移至设备之后、封装之前执行, 且需要优化器"));
    }
    for (Node backward : training.backwards) {
      if (!IsCertain(backward, training, site, file)) {
        return Open(backward.range(), Say("which optimizer steps after this is not certain",
                                          "无法确定此处之后执行 step 的优化器"));
      }
    }
    return std::nullopt;
  }

  static bool Wraps(Node callee, const FileContext& file) {
    return std::ranges::any_of(file.names().Resolve(callee), [](const QualifiedName& name) {
      const std::string_view last = LastPart(name.name);
      return last.ends_with("DataParallel") || last == "parallelize_module" ||
             last == "fully_shard";
    });
  }

  /// The call of a wrapper that `model = DDP(model)` or `model = DDP(model).cuda()` makes of the
  /// model, as a statement of its own.
  std::optional<Wrapping> WrappingIn(Node statement, const OptimizerSite& site,
                                     const FileContext& file) const {
    const Node assignment = statement.first_named_child();
    if (!statement.Is(NodeKind::kExpressionStatement) || !assignment.Is(NodeKind::kAssignment) ||
        assignment.Child(Field::kLeft).text() != site.model.text() ||
        StatementPlace(statement, file.source()).shares_line()) {
      return std::nullopt;
    }
    Node call = assignment.Child(Field::kRight);
    const bool is_moved = call.Is(NodeKind::kCall) &&
                          call.Child(Field::kFunction).Child(Field::kObject).Is(NodeKind::kCall);
    if (is_moved) {
      const std::string_view method = call.Child(Field::kFunction).Child(Field::kAttribute).text();
      if (!Words("moving-methods").Has(method)) return std::nullopt;
      call = call.Child(Field::kFunction).Child(Field::kObject);
    }
    if (!call.Is(NodeKind::kCall) || !Wraps(call.Child(Field::kFunction), file)) {
      return std::nullopt;
    }
    const std::vector<Argument> arguments = ArgumentsOf(call);
    const bool fits = !arguments.empty() && arguments[0].keyword.empty() &&
                      arguments[0].value.text() == site.model.text() &&
                      !(is_moved && arguments.size() > 1);
    if (!fits) return std::nullopt;
    const bool is_distributed = std::ranges::any_of(
        file.names().Resolve(call.Child(Field::kFunction)),
        [](const QualifiedName& name) { return LastPart(name.name) == "DistributedDataParallel"; });
    return Wrapping{statement,
                    assignment.Child(Field::kLeft),
                    call,
                    arguments[0].value,
                    arguments.size() > 1,
                    combines_ && is_distributed && !is_moved};
  }

  /// True for a part of `model.cuda()`, `model = model.cuda()` and
  /// `model.features = DataParallel(model.features)`, which may stay in front of the optimizer.
  static bool MayStay(Node use, const FileContext& file) {
    const Node statement = EnclosingStatement(use);
    if (!statement.Is(NodeKind::kExpressionStatement)) return false;
    Node value = statement.first_named_child();
    bool is_part = false;
    if (value.Is(NodeKind::kAssignment)) {
      is_part = value.Child(Field::kLeft).Is(NodeKind::kAttribute);
      value = value.Child(Field::kRight);
    }
    if (!value.Is(NodeKind::kCall)) return false;
    const Node callee = value.Child(Field::kFunction);
    if (is_part && Wraps(callee, file)) return true;
    return callee.Is(NodeKind::kAttribute) &&
           Words("moving-methods").Has(callee.Child(Field::kAttribute).text()) &&
           callee.Child(Field::kObject).text() == use.text();
  }

  /// What wraps the model in front of the optimizer, and what keeps it from being wrapped later.
  struct Wrappings {
    std::vector<Wrapping> found;
    Node top;  // the statement in the block of the optimizer that holds the first one
    bool is_conditional = false;
    Node obstacle;

    bool HasAnyFor(bool apex) const {
      return std::ranges::any_of(
          found, [&](const Wrapping& wrapping) { return wrapping.is_for_apex == apex; });
    }
  };

  Wrappings WrappingsBefore(const OptimizerSite& site, const FileContext& file) const {
    Wrappings wrappings;
    const uint32_t scope = file.names().ScopeOf(site.statement);
    const uint32_t end = site.statement.range().start;
    for (const Node node : NodesIn(file.tree())) {
      if (!node.Is(NodeKind::kIdentifier) || node.text() != site.model.text() ||
          file.names().ScopeOf(node) != scope || node.range().start >= end) {
        continue;
      }
      const Node statement = EnclosingStatement(node);
      if (!wrappings.found.empty() && wrappings.found.back().statement == statement) continue;
      if (const auto wrapping = WrappingIn(statement, site, file)) {
        wrappings.found.push_back(*wrapping);
        Node top = statement;
        while (top && !(top.parent() == site.statement.parent())) top = top.parent();
        if (!wrappings.top) wrappings.top = top;
        if (!(top == statement)) wrappings.is_conditional = true;
        if (!top || !MarginOf(top)) wrappings.obstacle = statement;
      } else if (const Node wrapper = WrapperIn(statement, site, file)) {
        wrappings.obstacle = wrapper;
      } else if (!wrappings.found.empty() && !MayStay(node, file)) {
        wrappings.obstacle = node;
      }
      if (wrappings.obstacle) return wrappings;
    }
    if (wrappings.HasAnyFor(true)) wrappings.obstacle = MemberOfWrapper(file);
    return wrappings;
  }

  /// `model.module`, which only the wrapper has.
  static Node MemberOfWrapper(const FileContext& file) {
    for (const Node node : NodesIn(file.tree())) {
      if (node.Is(NodeKind::kAttribute) && node.Child(Field::kAttribute).text() == "module" &&
          node.Child(Field::kObject).text() != "self") {
        return node;
      }
    }
    return {};
  }

  /// The call in `statement` that wraps the model in a form that cannot be put off, or a null node.
  static Node WrapperIn(Node statement, const OptimizerSite& site, const FileContext& file) {
    const Node assignment = statement.first_named_child();
    if (!statement.Is(NodeKind::kExpressionStatement) || !assignment.Is(NodeKind::kAssignment)) {
      return {};
    }
    const bool made = assignment.Child(Field::kLeft).text() == site.model.text();
    for (const Node call : NodesIn(assignment)) {
      if (!call.Is(NodeKind::kCall) || !Wraps(call.Child(Field::kFunction), file)) continue;
      const std::vector<Argument> arguments = ArgumentsOf(call);
      const bool given = !arguments.empty() && arguments[0].value.text() == site.model.text();
      if (made || given) return call;
    }
    return {};
  }

  /// `model.cuda()` behind the optimizer.
  static Node MovedLater(const OptimizerSite& site, const FileContext& file) {
    const uint32_t scope = file.names().ScopeOf(site.statement);
    for (const Node call : NodesIn(file.tree())) {
      if (!call.Is(NodeKind::kCall) || file.names().ScopeOf(call) != scope) continue;
      const Node callee = call.Child(Field::kFunction);
      if (call.range().start > site.statement.range().start && callee.Is(NodeKind::kAttribute) &&
          Words("moving-methods").Has(callee.Child(Field::kAttribute).text()) &&
          callee.Child(Field::kObject).text() == site.model.text()) {
        return call;
      }
    }
    return {};
  }

  /// `loss.backward()` alone on its line, with `optimizer.step()` and no other step in its scope.
  static bool IsCertain(Node backward, const TrainingFile& training, const OptimizerSite& site,
                        const FileContext& file) {
    const Node statement = EnclosingStatement(backward);
    if (!(statement.first_named_child() == backward)) return false;
    if (StatementPlace(statement, file.source()).shares_line()) return false;
    bool steps = false;
    const uint32_t scope = file.names().ScopeOf(backward);
    for (Node stepped : training.steps) {
      if (file.names().ScopeOf(stepped) != scope) continue;
      if (stepped.text() == site.optimizer.text()) {
        steps = true;
      } else if (HasPart(stepped.text(), "optim")) {
        return false;
      }
    }
    return steps;
  }

  static std::string FreeName(std::string name, const FileContext& file) {
    while (!file.NodesSaying(name).empty()) name += "_";
    return name;
  }

  /// `wrap_model = None` in front of the branches that set it.
  Finding BeginUnwrapped(const Wrappings& wrappings, const std::string& wrapper,
                         const FileContext& file) const {
    const uint32_t start = wrappings.top.range().start;
    const std::string line_end =
        std::string(file.source().LineEndAt(start)) + MarginOf(wrappings.top).value_or("");
    Finding finding = Change({start, start});
    finding.operation = Operation::kInsert;
    finding.message = Say("wrap the model after amp.initialize", "在 amp.initialize 之后封装模型");
    std::string statements;
    if (wrappings.HasAnyFor(false)) statements += fmt::format("{} = None{}", wrapper, line_end);
    if (wrappings.HasAnyFor(true)) statements += fmt::format("{} = False{}", kCombines, line_end);
    finding.fix.Insert(start, statements);
    return finding;
  }

  /// What DistributedDataParallel does at first, in its place: all cards begin with the same model.
  Finding BroadcastInstead(const Wrapping& wrapping, bool is_conditional,
                           const FileContext& file) const {
    const TextRange range = wrapping.statement.range();
    const std::string torch = file.names().LocalNameOf("torch");
    const std::string line_end = std::string(file.source().LineEndAt(range.start)) +
                                 MarginOf(wrapping.statement).value_or("");
    Finding finding = Change(range);
    finding.message =
        Say("let apex add the gradients up over the cards; names in checkpoints then "
            "have no \"module.\" in front",
            "由 apex 融合各卡梯度; 检查点中的参数名不再带 \"module.\" 前缀");
    if (torch.empty()) finding.needs_import = "import torch";
    finding.fix.Replace(
        range, fmt::format("{}for parameter in {}.parameters():{}    "
                           "{}.distributed.broadcast(parameter.data, 0)",
                           is_conditional ? kCombines + " = True" + line_end : "",
                           wrapping.wrapped.text(), line_end, torch.empty() ? "torch" : torch));
    return finding;
  }

  /// `wrap_model = functools.partial(DDP, device_ids=[gpu])` in place of `model = DDP(model, ...)`,
  /// and two statements in place of `model = DataParallel(model).cuda()`.
  Finding WrapLater(const Wrapping& wrapping, const std::string& wrapper,
                    const FileContext& file) const {
    Finding finding = Change(wrapping.call.range());
    finding.message = Say("wrap the model after amp.initialize", "在 amp.initialize 之后封装模型");
    const Node callee = wrapping.call.Child(Field::kFunction);
    const bool is_moved = !(wrapping.call.parent() == wrapping.model.parent());
    if (is_moved) {
      const StatementPlace place(wrapping.statement, file.source());
      finding.fix.Replace({wrapping.call.range().start, wrapping.wrapped.range().start}, "");
      finding.fix.Replace({wrapping.wrapped.range().end, wrapping.call.range().end}, "");
      finding.fix.Insert(place.insertion(),
                         place.Join(fmt::format("{} = {}", wrapper, callee.text())));
      return finding;
    }
    finding.fix.Replace(wrapping.model.range(), wrapper);
    if (!wrapping.has_more_arguments) {
      finding.fix.Replace({callee.range().end, wrapping.call.range().end}, "");
      return finding;
    }
    const std::string functools = file.names().LocalNameOf("functools");
    if (functools.empty()) finding.needs_import = "import functools";
    finding.fix.Insert(callee.range().start,
                       (functools.empty() ? "functools" : functools) + ".partial(");
    finding.fix.Replace({callee.range().end, wrapping.wrapped.range().end}, "");
    return finding;
  }

  Finding Initialize(const OptimizerSite& site, const Wrappings& wrappings,
                     const std::string& wrapper, const FileContext& file) const {
    const StatementPlace place(site.statement, file.source());
    Finding finding = Change(site.statement.range());
    finding.operation = Operation::kInsert;
    finding.message =
        Say("prepare model and optimizer for mixed precision", "为混合精度准备模型与优化器");
    finding.needs_import = "from apex import amp";
    std::string arguments = arguments_;
    if (wrappings.HasAnyFor(true)) {
      arguments += ", combine_ddp=" + (wrappings.is_conditional ? kCombines : "True");
    }
    const std::string text = fmt::format("{0}, {1} = amp.initialize({0}, {1}, {2})",
                                         site.model.text(), site.optimizer.text(), arguments);
    std::string statements = place.Join(text);
    if (wrappings.HasAnyFor(false)) {
      const std::string wrap = fmt::format("{0} = {1}({0})", site.model.text(), wrapper);
      if (wrappings.is_conditional) {
        statements += place.Join(fmt::format("if {} is not None:", wrapper));
        statements += place.Join("    " + wrap);
      } else {
        statements += place.Join(wrap);
      }
    }
    finding.fix.Insert(place.insertion(), statements);
    return finding;
  }

  Finding Scale(Node backward, const std::string& optimizer, const FileContext& file) const {
    const SourceFile& source = file.source();
    const Node loss = backward.Child(Field::kFunction).Child(Field::kObject);
    const uint32_t start = backward.range().start;
    const std::string margin = MarginOf(backward).value_or("");
    Finding finding = Change(backward.range(), Say("scale the loss", "对损失进行缩放"));
    finding.fix.Insert(start, fmt::format("with amp.scale_loss({}, {}) as scaled_loss:{}{}{}",
                                          loss.text(), optimizer, source.LineEndAt(start), margin,
                                          !HasPart(margin, '\t') ? "    " : "\t"));
    finding.fix.Replace(loss.range(), "scaled_loss");
    return finding;
  }

  /// `clip_grad_norm_(model.parameters(), 1.0)`: the gradients that count are those of amp.
  void Clip(Node clip, const OptimizerSite& site, const FileContext& file,
            Findings& findings) const {
    const std::vector<QualifiedName> names = file.names().Resolve(clip.Child(Field::kFunction));
    const bool of_torch = std::ranges::any_of(
        names, [](const QualifiedName& name) { return name.name.starts_with("torch.nn.utils."); });
    const std::vector<Argument> arguments = ArgumentsOf(clip);
    if (!of_torch || arguments.empty()) return;
    Finding finding = Change(arguments[0].range);
    const std::string text = fmt::format("amp.master_params({})", site.optimizer.text());
    finding.message = Say("clip {}", "裁剪 {}", text);
    if (arguments[0].value.text() == fmt::format("{}.parameters()", site.model.text())) {
      finding.fix.Replace(arguments[0].value.range(), text);
    } else {
      finding.operation = Operation::kSuggestion;
      finding.applicability = Applicability::kDisplayOnly;
    }
    findings.push_back(std::move(finding));
  }

  /// `'optimizer': optimizer.state_dict()` in a dictionary.
  void AddToCheckpoint(Node save, const std::string& optimizer, const FileContext& file,
                       Findings& findings) const {
    const Node pair = save.parent();
    if (!pair.Is(NodeKind::kPair) || save.field() != Field::kValue ||
        save.Child(Field::kFunction).Child(Field::kObject).text() != optimizer) {
      return;
    }
    const std::optional<std::string> margin = MarginOf(pair);
    const uint32_t end = pair.range().end;
    Finding finding = Change(pair.range());
    finding.operation = Operation::kInsert;
    finding.message = Say("save the state of amp", "保存 amp 的状态");
    finding.fix.Insert(end, margin ? fmt::format(",{}{}'amp': amp.state_dict()",
                                                 file.source().LineEndAt(end), *margin)
                                   : ", 'amp': amp.state_dict()");
    findings.push_back(std::move(finding));
  }

  /// `optimizer.load_state_dict(checkpoint['optimizer'])`.
  void LoadFromCheckpoint(Node load, const std::string& optimizer, const FileContext& file,
                          Findings& findings) const {
    const Node statement = EnclosingStatement(load);
    const std::vector<Argument> arguments = ArgumentsOf(load);
    const bool fits = statement.first_named_child() == load && arguments.size() == 1 &&
                      arguments[0].value.Is(NodeKind::kSubscript) &&
                      load.Child(Field::kFunction).Child(Field::kObject).text() == optimizer;
    if (!fits) return;
    const std::string checkpoint = Spelled(arguments[0].value.first_named_child());
    const StatementPlace place(statement, file.source());
    if (place.shares_line()) return;
    Finding finding = Change(statement.range());
    finding.operation = Operation::kInsert;
    finding.message = Say("load the state of amp", "加载 amp 的状态");
    finding.fix.Insert(
        place.insertion(),
        place.Join(fmt::format("if 'amp' in {}:", checkpoint)) +
            place.Join(fmt::format("    amp.load_state_dict({}['amp'])", checkpoint)));
    findings.push_back(std::move(finding));
  }

  std::vector<std::string> packages_;
  std::string arguments_;
  bool combines_;  // apex adds gradients up over the cards
};

}  // namespace

RuleKind LossScalingRuleKind() {
  return {"LossScalingRule",
          "Adds amp.initialize, amp.scale_loss and the state of amp in checkpoints to a file that "
          "trains one model with one optimizer; reports what stands in the way.",
          {{"optimizers", FieldType::kStringList, true, "The modules with classes of optimizers."},
           {"arguments", FieldType::kString, true,
            "What amp.initialize gets besides model and optimizer, as Python text."},
           {"combine_ddp", FieldType::kString, false,
            "True: apex adds gradients up over the cards, and DistributedDataParallel goes."}},
          MakeRule<LossScalingRule>};
}

}  // namespace transplt
