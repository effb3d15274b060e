// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/written_names.h"

#include <algorithm>

#include "transplt/base/json_document.h"
#include "transplt/base/word_list.h"
#include "transplt/python/arguments.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/places_of_file.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

constexpr std::string_view kCall = "_(";

/// The value of the only argument of `_(text)`, or null.
Node OnlyArgument(const SyntaxTree& tree, const std::string& text) {
  const Node statement = tree.root().first_named_child();
  const Node call = statement.first_named_child();
  if (!tree.unparsed().empty() || statement.next_named_sibling() || !call.Is(NodeKind::kCall)) {
    return {};
  }
  const std::vector<Argument> arguments = ArgumentsOf(call);
  if (arguments.size() != 1 || !arguments[0].keyword.empty() || arguments[0].is_splat) return {};
  const TextRange whole{kCall.size(), static_cast<uint32_t>(kCall.size() + text.size())};
  const Node value = arguments[0].value;
  const bool is_bare = value.Is(NodeKind::kGeneratorExpression) && value.range() != whole;
  const bool stands_alone = !value.Is(NodeKind::kNamedExpression) && !value.Is(NodeKind::kYield);
  return arguments[0].value_range == whole && stands_alone && !is_bare ? value : Node();
}

/// The bindings of `name` that count at `place`.
std::vector<const Binding*> BindingsFor(std::string_view name, Node place,
                                        const FileContext& file) {
  const NameTable& names = file.names();
  for (uint32_t scope = names.ScopeOf(place);; scope = names.ParentScope(scope)) {
    std::vector<const Binding*> found = names.places().BindingsIn(scope, name);
    if (!found.empty() || scope == 0) return found;
  }
}

std::string_view HeadOf(std::string_view dotted) { return dotted.substr(0, dotted.find('.')); }

}  // namespace

Result<WrittenExpression> WrittenExpression::Read(const std::string& text) {
  const Error mistake = BadRule(
      Say("is {}, which is not one expression of Python; write a value such as \"'npu'\"",
          "为 {}，不是单个 Python 表达式；请写一个值，如 \"'npu'\"", QuoteForMessage(text)));
  if (text.find_first_of("\r\n") != std::string::npos) return mistake;
  const Result<SourceFile> source =
      SourceFile::FromBytes("rule.py", std::string(kCall) + text + ")\n");
  if (!source) return mistake;
  Parser parser;
  const SyntaxTree tree = SyntaxTree::Parse(*source, parser);
  const Node value = OnlyArgument(tree, text);
  if (!value) return mistake;
  const NameTable names(tree, "rule", false);
  WrittenExpression expression;
  for (const Node node : NodesIn(tree)) {
    const bool is_inside = node.id() >= value.id() && node.id() < value.end_id();
    if (!is_inside || !node.Is(NodeKind::kIdentifier) || names.Resolve(node).empty()) continue;
    if (!names.BindingsOf(node).empty()) continue;
    expression.names_.push_back({std::string(node.text()), node.parent().Is(NodeKind::kAttribute) &&
                                                               node.field() == Field::kObject});
  }
  return expression;
}

std::optional<Error> FindReservedWord(std::string_view field, const std::string& name) {
  if (WrittenExpression::Read(name)) return std::nullopt;
  Error mistake =
      BadRule(Say("is {}, and Python takes a part of it for a word of its own; write "
                  "another name",
                  "为 {}，其中含有 Python 保留字；请改用其他名称", QuoteForMessage(name)));
  mistake.where = std::string(field);
  return mistake;
}

bool IsBoundAt(std::string_view name, Node place, const FileContext& file) {
  return Words("names-of-python").Has(name) || !file.names().star_imports().empty() ||
         !BindingsFor(name, place, file).empty();
}

bool IsImportable(std::string_view name, const FileContext& file) {
  const std::vector<const Binding*>& bindings = file.names().places().BindingsNamed(name);
  const bool is_module = std::ranges::all_of(bindings, [&](const Binding* binding) {
    return binding->kind == BindingKind::kImport && HeadOf(binding->target) == name;
  });
  return is_module && (!bindings.empty() || Words("python-modules").Has(name));
}

bool MeansAnother(std::string_view head, Node place, const FileContext& file) {
  const auto is_other = [&](const Binding* binding) {
    return binding->kind != BindingKind::kImport || HeadOf(binding->target) != head;
  };
  return std::ranges::any_of(BindingsFor(head, place, file), is_other) ||
         std::ranges::any_of(file.names().places().BindingsIn(0, head), is_other);
}

void RequireModule(std::string_view module, Node place, const FileContext& file, Finding& finding) {
  const std::string_view head = HeadOf(module);
  if (MeansAnother(head, place, file)) {
    const Text why =
        Say("; not done: {} has another meaning here; rename that, or import {} under "
            "another name and write it yourself",
            "；未执行：此处 {} 另有含义；请将其改名，或以其他名称导入 {} 后自行修改", head, module);
    Leave(finding, {finding.message.en + why.en, finding.message.zh + why.zh});
    return;
  }
  const auto imports = [&](const Binding* binding) {
    return binding->kind == BindingKind::kImport && binding->target == module;
  };
  if (module == head && std::ranges::any_of(BindingsFor(head, place, file), imports)) return;
  finding.needs_import = "import " + std::string(module);
}

bool IsOwnWithout(std::string_view from, std::string_view to, const FileContext& file) {
  if (file.project() == nullptr) return false;
  const std::string& path = file.source().path();
  const auto is_file = [&](std::string_view module) {
    return !file.project()->FileOfModule(path, module).empty();
  };
  if (!is_file(from) || is_file(to) || HeadOf(from) != HeadOf(to)) return false;
  return file.project()->FindDefinition(path, ParentPart(to), LastPart(to)).empty();
}

}  // namespace transplt
