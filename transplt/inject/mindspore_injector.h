// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "transplt/inject/edit_plan.h"
#include "transplt/inject/inject_file.h"
#include "transplt/inject/injection.h"
#include "transplt/inject/request.h"
#include "transplt/python/arguments.h"

namespace transplt {

/// Puts the options of one tool into a file of MindSpore.
class MindsporeInjector {
 public:
  MindsporeInjector(const InjectFile& file, const InjectRequest& request)
      : file_(file), request_(request), plan_(file.tree(), request.tool) {}

  FileInjection Inject();

 private:
  // mindspore_injector.cpp
  void InjectDump(Node import);
  void InjectLog(Node import);
  void InjectContext(Node import);
  void InjectPrint();
  void PrintIn(Node definition);

  // mindspore_model.cpp
  void InjectCallbacks();
  void AppendCallbacks(Node call, const std::vector<std::string>& callbacks, int position);
  std::vector<std::string> CallbacksFor(std::string_view model, bool training);
  void DefineCallbacks();
  void InjectMetrics();
  void AddMetrics(Node call);
  /// True if `receiver` is an object of mindspore.Model.
  bool IsModel(Node receiver) const;

  bool IsOn(std::string_view name) const;
  std::string Text(std::string_view name) const;
  std::string Quoted(std::string_view name) const { return plan_.Quoted(Text(name)); }
  EditReason Reason(Node node, std::string_view what) const;
  void Leave(Node node, transplt::Text why);
  void Note(Node node, std::string_view what);
  void AddKeyword(Node call, const std::string& argument, const EditReason& reason);

  const InjectFile& file_;
  const InjectRequest& request_;
  EditPlan plan_;
  FileInjection result_;
};

}  // namespace transplt
