// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/handed_code.h"

#include <algorithm>

#include "transplt/base/one_of.h"
#include "transplt/facts/name_use.h"
#include "transplt/python/places_of_file.h"

namespace transplt {
namespace {

class HandedCode {
 public:
  HandedCode(const std::vector<std::string>& methods, const CodeFile& file)
      : methods_(methods), file_(file) {}

  bool Holds(Node node) {
    for (; node; node = node.parent()) {
      if (node.Is(NodeKind::kLambda) && IsHandedOver(node)) return true;
      if (node.Is(NodeKind::kFunctionDefinition)) return IsOnlyHandedOver(node);
    }
    return false;
  }

 private:
  /// True if `value` is an argument of one of the methods, itself or bound to further arguments.
  bool IsHandedOver(Node value) {
    if (UseOfName(value).use != NameUse::kHandedOn) return false;
    Node call = value.parent();
    while (!call.Is(NodeKind::kCall)) call = call.parent();
    const Node callee = call.Child(Field::kFunction);
    if (callee.Is(NodeKind::kAttribute) &&
        IsOneOf(callee.Child(Field::kAttribute).text(), methods_)) {
      return true;
    }
    return file_.names().IsNamed(callee, "functools.partial") && IsHandedOver(call);
  }

  bool IsOnlyHandedOver(Node function) {
    const Node name = function.Child(Field::kName);
    // A function that calls itself is asked for once.
    if (IsOneOf(name.text(), asked_)) return true;
    asked_.push_back(std::string(name.text()));
    if (IsSpelledElsewhere(name.text())) return false;
    bool is_used = false;
    for (const Node word : file_.names().places().NodesSaying(name.text())) {
      if (word.parent().Is(NodeKind::kFunctionDefinition) && word.field() == Field::kName) continue;
      const Node use = word.field() == Field::kAttribute ? word.parent() : word;
      if (use.field() == Field::kFunction ? !Holds(use.parent()) : !IsHandedOver(use)) return false;
      is_used = true;
    }
    return is_used;
  }

  bool IsSpelledElsewhere(std::string_view name) const {
    if (file_.project() == nullptr) return false;
    return std::ranges::any_of(file_.project()->FilesSpelling(name),
                               [&](const std::string& path) { return path != file_.path(); });
  }

  const std::vector<std::string>& methods_;
  const CodeFile& file_;
  std::vector<std::string> asked_;
};

}  // namespace

bool RunsOnlyInsideOf(const std::vector<std::string>& methods, Node node, const CodeFile& file) {
  return !methods.empty() && HandedCode(methods, file).Holds(node);
}

}  // namespace transplt
