// SPDX-License-Identifier: Apache-2.0
// PyTorch: the calls of a tool around the training step.
#include "transplt/inject/edit_plan.h"
#include "transplt/inject/frameworks.h"
#include "transplt/inject/inject_file.h"
#include "transplt/inject/pytorch_backward.h"
#include "transplt/inject/pytorch_steps.h"
#include "transplt/inject/pytorch_tools.h"
#include "transplt/inject/pytorch_trainers.h"
#include "transplt/python/statement.h"

namespace transplt {
namespace {

constexpr std::string_view kPytorchRule = "inject-pytorch";

class Injector {
 public:
  Injector(const InjectFile& file, const InjectRequest& request)
      : file_(file), request_(request), plan_(file.tree(), request.tool) {}

  FileInjection Inject() {
    const Node torch = TorchImport(file_);
    if (!torch) return {};
    const BackwardPasses passes = FindBackwardPasses(file_);
    const std::vector<TrainingStep> steps = FindTrainingSteps(file_, passes.calls);
    plan_.ImportBehind(torch);
    ToolLines lines = WriteToolLines(file_, request_, plan_);
    bool done = false;
    for (const TrainingStep& step : steps) done |= Surround(step, lines);
    if (steps.empty() && lines.needs_step) done = AddCallbacks(lines);
    for (Node call : passes.out_of_sight) {
      Leave(call,
            Say("backward() runs in a function that nothing in this file is seen to call: "
                "if the step that calls it elsewhere has not got the lines of {}, put them "
                "around it",
                "backward() 位于本文件中未见调用的函数内: 若其他文件中调用它的训练步骤未插入 {} "
                "的语句, 请手工在该步骤前后插入",
                request_.tool));
    }
    if (!lines.needs_step && !steps.empty()) {
      done = true;
      Note(torch, Say("sets {}", "设置 {}", "torch.npu.set_option"));
    }
    if (!done) return std::move(result_);
    if (!file_.Binds("torch")) plan_.Import("import torch");
    for (const std::string& line : lines.module) plan_.Define(line);
    Warn(torch);
    for (Finding& finding : plan_.Findings()) result_.findings.push_back(std::move(finding));
    return std::move(result_);
  }

 private:
  bool Surround(const TrainingStep& step, const ToolLines& lines) {
    if (!lines.needs_step) return false;
    const EditReason reason{
        step.backward.range(), std::string(kPytorchRule),
        Say("{} around the training step", "在训练步骤前后调用 {}", request_.tool)};
    const Node last = lines.before_update ? step.gradients : step.last;
    const Node outer = step.outer_loop ? step.outer_loop : step.first;
    const bool fits = step.first && EditPlan::CanInsertBefore(step.first) &&
                      EditPlan::CanInsertBefore(last) && EditPlan::CanInsertBefore(outer) &&
                      !Returns(last);
    if (!fits) {
      Leave(step.backward,
            Say("no line can be put around this training step: it shares its line, "
                "or ends with return",
                "无法在该训练步骤前后插入语句: 与其他语句同行或以 return 结束"),
            request_.options);
      return false;
    }
    if (!lines.before_loop.empty()) plan_.InsertBefore(outer, lines.before_loop, reason);
    if (!lines.start.empty()) plan_.InsertBefore(step.first, lines.start, reason);
    if (!lines.end.empty()) {
      for (Node exit : step.exits) EndBefore(exit, last, lines.end, reason);
      plan_.InsertAfter(last, lines.end, reason);
    }
    if (!lines.after_loop.empty()) {
      plan_.InsertAfter(step.outer_loop ? step.outer_loop : step.last, lines.after_loop, reason);
    }
    Note(step.backward,
         Say("{} around the step that begins at line {}", "在第 {1} 行开始的步骤前后调用 {0}",
             request_.tool, file_.LineOf(step.first)));
    return true;
  }

  /// A round that is left early ends its step there.
  void EndBefore(Node exit, Node last, const std::vector<std::string>& end,
                 const EditReason& reason) {
    if (exit.range().start >= last.range().end) return;
    if (EditPlan::CanInsertBefore(exit)) {
      plan_.InsertBefore(exit, end, reason);
    } else {
      Leave(exit, Say("the step of {} is left open where this statement leaves it: it shares its "
                      "line",
                      "此语句提前离开训练步骤且与其他语句同行, {} 的步骤未关闭", request_.tool));
    }
  }

  /// Where a library holds the loop, its trainer gets a callback.
  bool AddCallbacks(ToolLines& lines) {
    bool done = false;
    const TrainerLibrary* library = nullptr;
    for (const LibraryTrainer& trainer : FindLibraryTrainers(file_)) {
      const std::string_view name = trainer.library->name;
      if (!lines.is_debugger || !EditPlan::CanInsertBefore(trainer.statement)) {
        Leave(trainer.statement,
              Say("the training loop is in {}: call {} in a callback of this trainer",
                  "训练循环位于 {} 内: 请在该 trainer 的回调中调用 {}", name, request_.tool),
              request_.options);
        continue;
      }
      plan_.InsertAfter(
          trainer.statement, {AddCallbackLine(trainer)},
          {trainer.statement.range(), std::string(kPytorchRule),
           Say("{} in a callback of {}", "在 {1} 的回调中调用 {0}", request_.tool, name)});
      Note(trainer.statement,
           Say("{} in a callback of {}", "在 {1} 的回调中调用 {0}", request_.tool, name));
      library = trainer.library;
      done = true;
    }
    if (!done) return false;
    for (std::string& line : CallbackLines(*library, lines))
      lines.module.push_back(std::move(line));
    return true;
  }

  static bool Returns(Node statement) { return statement.Is(NodeKind::kReturnStatement); }

  /// What the tool does not see, or does besides.
  void Warn(Node torch) {
    // capture sees functions by whatever name they are called, and outermost calls only.
    const bool hooks_functions = request_.tool == "msprobe" || request_.tool == "ptdbg";
    if (hooks_functions) {
      for (Node import : FunctionsImportedByName(file_)) {
        Leave(import, Say("functions that are imported by name are not seen by {}: write "
                          "torch.NAME where they are used",
                          "{} 无法感知按名称导入的函数: 请在使用处写 torch.NAME", request_.tool));
      }
    }
    const OptionValue* mode = request_.Find("mode");
    if (request_.tool == "ptdbg" && mode != nullptr && mode->value == "acl") {
      Leave(torch, Say("mode acl needs more memory of the NPU, and fails for functions that call "
                       "each other, such as functional.batch_norm and torch.batch_norm",
                       "acl 模式会增加 NPU 内存消耗, 且对相互嵌套的 API (如 functional.batch_norm "
                       "与 torch.batch_norm) 会失败"));
    }
  }

  void Leave(Node node, Text why, const std::vector<OptionValue>& left = {}) {
    result_.Leave(left, node.range(), why);
    result_.findings.push_back(RowAt(node.range(), kPytorchRule, std::move(why)));
  }

  void Note(Node node, Text state) {
    result_.Set(request_.options);
    result_.sites.push_back({node.range(), std::string(request_.tool), std::move(state)});
  }

  const InjectFile& file_;
  const InjectRequest& request_;
  EditPlan plan_;
  FileInjection result_;
};

}  // namespace

FileInjection InjectPytorch(const InjectFile& file, const InjectRequest& request) {
  return Injector(file, request).Inject();
}

}  // namespace transplt
