// SPDX-License-Identifier: Apache-2.0
#include "transplt/cxx/effects.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <string>

namespace transplt {
namespace {

/// True for what is written but not evaluated, or not yet.
bool IsNotEvaluated(const clang::Stmt& node) {
  return llvm::isa<clang::UnaryExprOrTypeTraitExpr>(node) ||
         llvm::isa<clang::CXXNoexceptExpr>(node) || llvm::isa<clang::CXXTypeidExpr>(node) ||
         llvm::isa<clang::LambdaExpr>(node);
}

/// True if the place that an assignment changes ends with `function`: a variable or an array of it.
bool IsOwnPlace(const clang::Expr* place, const clang::FunctionDecl* function) {
  if (function == nullptr) return false;
  place = place->IgnoreParenImpCasts();
  if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(place)) {
    const clang::Expr* array = element->getBase()->IgnoreParenImpCasts();
    return array->getType()->isArrayType() && IsOwnPlace(array, function);
  }
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(place)) {
    return !member->isArrow() && IsOwnPlace(member->getBase(), function);
  }
  const auto* use = llvm::dyn_cast<clang::DeclRefExpr>(place);
  const auto* variable = use == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(use->getDecl());
  return variable != nullptr && variable->hasLocalStorage() &&
         !variable->getType()->isReferenceType() && variable->getDeclContext() == function;
}

const clang::FunctionDecl* FunctionIn(const clang::NamedDecl* declaration) {
  if (declaration == nullptr) return nullptr;
  declaration = declaration->getUnderlyingDecl();
  if (const auto* made = llvm::dyn_cast<clang::FunctionTemplateDecl>(declaration)) {
    return made->getTemplatedDecl();
  }
  return llvm::dyn_cast<clang::FunctionDecl>(declaration);
}

/// True for a type through which a function can change what it is given.
bool LetsChange(clang::QualType type) {
  if (type->isRValueReferenceType()) return false;
  const bool leads = type->isPointerType() || type->isLValueReferenceType();
  return leads && !type->getPointeeType().isConstQualified();
}

/// True for a method that may be called on a constant object too: `v.data()`, `m.at(k)`.
bool HasConstTwin(const clang::CXXMethodDecl& method) {
  const auto same = method.getParent()->lookup(method.getDeclName());
  return std::any_of(same.begin(), same.end(), [&](const clang::NamedDecl* other) {
    const auto* twin = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(FunctionIn(other));
    return twin != nullptr && twin->isConst() && twin->param_size() == method.param_size();
  });
}

/// Streams change with << and >>, too.
bool ChangesByOperator(clang::OverloadedOperatorKind kind) {
  return clang::CXXOperatorCallExpr::isAssignmentOp(kind) || kind == clang::OO_PlusPlus ||
         kind == clang::OO_MinusMinus || kind == clang::OO_LessLess ||
         kind == clang::OO_GreaterGreater;
}

std::string NameOf(const clang::NamedDecl& declaration) {
  return declaration.getDeclName().isIdentifier() ? declaration.getName().str() : "";
}

}  // namespace

NativeEffect Effects::OfTree(const clang::Stmt* tree, const clang::FunctionDecl* function) {
  if (tree == nullptr || IsNotEvaluated(*tree)) return NativeEffect::kNone;
  NativeEffect effect = OfNode(*tree, function);
  for (const clang::Stmt* child : tree->children()) {
    if (effect == NativeEffect::kSure) break;
    effect = std::max(effect, OfTree(child, function));
  }
  return effect;
}

NativeEffect Effects::OfNode(const clang::Stmt& node, const clang::FunctionDecl* function) {
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&node)) return OfCall(*call, function);
  if (llvm::isa<clang::RecoveryExpr>(node)) return NativeEffect::kUnknown;
  const clang::Expr* changed = nullptr;
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&node)) {
    if (unary->isIncrementDecrementOp()) changed = unary->getSubExpr();
  } else if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&node)) {
    if (binary->isAssignmentOp()) changed = binary->getLHS();
  }
  if (changed != nullptr) {
    return IsOwnPlace(changed, function) ? NativeEffect::kNone : NativeEffect::kSure;
  }
  const bool makes = llvm::isa<clang::CXXNewExpr>(node) || llvm::isa<clang::CXXDeleteExpr>(node) ||
                     llvm::isa<clang::AtomicExpr>(node);
  // A function that raises an error does so the first time.
  const bool raises = function == nullptr && llvm::isa<clang::CXXThrowExpr>(node);
  return makes || raises ? NativeEffect::kSure : NativeEffect::kNone;
}

NativeEffect Effects::OfCall(const clang::CallExpr& call, const clang::FunctionDecl* function) {
  if (const auto* named = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&call)) {
    if (ChangesByOperator(named->getOperator())) {
      return IsOwnPlace(named->getArg(0), function) ? NativeEffect::kNone : NativeEffect::kSure;
    }
    if (named->getOperator() != clang::OO_Call) return NativeEffect::kNone;
  }
  if (const auto* of_object = llvm::dyn_cast<clang::CXXMemberCallExpr>(&call)) {
    const clang::Expr* object = of_object->getImplicitObjectArgument();
    if (object != nullptr && IsOwnPlace(object, function)) return NativeEffect::kNone;
  }
  if (const clang::FunctionDecl* called = call.getDirectCallee()) return OfFunction(*called);
  // A template whose types are not known yet.
  const clang::Expr* callee = call.getCallee()->IgnoreParenImpCasts();
  if (const auto* set = llvm::dyn_cast<clang::OverloadExpr>(callee)) {
    if (OnlyAsks(set->getName().getAsString())) return NativeEffect::kNone;
    NativeEffect effect = set->getNumDecls() == 0 ? NativeEffect::kMaybe : NativeEffect::kNone;
    for (const clang::NamedDecl* one : set->decls()) {
      const clang::FunctionDecl* called = FunctionIn(one);
      effect = std::max(effect, called == nullptr ? NativeEffect::kMaybe : OfFunction(*called));
    }
    return effect;
  }
  if (const auto* member = llvm::dyn_cast<clang::CXXDependentScopeMemberExpr>(callee)) {
    return OnlyAsks(member->getMember().getAsString()) ? NativeEffect::kNone : NativeEffect::kMaybe;
  }
  return NativeEffect::kMaybe;
}

NativeEffect Effects::OfFunction(const clang::FunctionDecl& called) {
  const clang::FunctionDecl* function = called.getTemplateInstantiationPattern();
  if (function == nullptr) function = &called;
  const clang::FunctionDecl* defined = nullptr;
  const clang::Stmt* body = function->getBody(defined);
  if (body == nullptr) return OfDeclared(*function);
  const auto [known, is_new] = known_.emplace(defined, NativeEffect::kNone);  // within itself
  if (!is_new) return known->second;
  const NativeEffect effect = OfTree(body, defined);
  return known_[defined] = effect == NativeEffect::kUnknown ? NativeEffect::kMaybe : effect;
}

/// Of a function without body. Functions of the libraries that only take values, or what they
/// cannot change, compute something of them.
NativeEffect Effects::OfDeclared(const clang::FunctionDecl& called) const {
  if (OnlyAsks(NameOf(called)) || called.isConstexpr()) return NativeEffect::kNone;
  const Origin origin = origin_of_(called);
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&called);
  if (method != nullptr && !method->isStatic()) {
    if (method->isConst() || HasConstTwin(*method)) return NativeEffect::kNone;
    return origin == Origin::kProject ? NativeEffect::kMaybe : NativeEffect::kSure;
  }
  if (origin != Origin::kLibrary) {
    return origin == Origin::kProject ? NativeEffect::kMaybe : NativeEffect::kSure;
  }
  const clang::QualType result = called.getReturnType();
  const bool only_computes =
      called.param_size() > 0 && !called.isVariadic() && !result->isVoidType() &&
      !result->isPointerType() &&
      std::none_of(called.param_begin(), called.param_end(),
                   [](const clang::ParmVarDecl* one) { return LetsChange(one->getType()); });
  return only_computes ? NativeEffect::kNone : NativeEffect::kSure;
}

}  // namespace transplt
