// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <functional>
#include <map>
#include <utility>

#include "transplt/native/effects.h"

namespace transplt {

/// What evaluating expressions changes, as far as declarations and bodies show it. Clang's own
/// HasSideEffects takes each call for a change, `x.numel()` too, and then nearly no size of a copy
/// could be written twice.
class Effects {
 public:
  /// Who declares a function.
  enum class Origin { kProject, kLibrary, kCuda };

  explicit Effects(std::function<Origin(const clang::FunctionDecl&)> origin_of)
      : origin_of_(std::move(origin_of)) {}

  NativeEffect Of(const clang::Expr* expression) { return OfTree(expression, nullptr); }

 private:
  /// `function`: whose body it is in; what belongs to that alone may change.
  NativeEffect OfTree(const clang::Stmt* tree, const clang::FunctionDecl* function);
  NativeEffect OfNode(const clang::Stmt& node, const clang::FunctionDecl* function);
  NativeEffect OfCall(const clang::CallExpr& call, const clang::FunctionDecl* function);
  NativeEffect OfFunction(const clang::FunctionDecl& called);
  NativeEffect OfDeclared(const clang::FunctionDecl& called) const;

  const std::function<Origin(const clang::FunctionDecl&)> origin_of_;
  std::map<const clang::FunctionDecl*, NativeEffect> known_;
};

}  // namespace transplt
