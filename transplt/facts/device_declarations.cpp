// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/device_declarations.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "transplt/facts/served_devices.h"
#include "transplt/python/arguments.h"
#include "transplt/python/dotted_name.h"
#include "transplt/python/places_of_file.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

bool IsList(Node node) {
  return node.Is(NodeKind::kTuple) || node.Is(NodeKind::kList) || node.Is(NodeKind::kSet);
}

/// The place of a call of `name` whose argument, by keyword or position, names the target. What one
/// device is chosen for may be chosen otherwise in each call: a list says what there is.
std::string CallForTarget(std::string_view name, size_t position, std::string_view keyword,
                          const ProjectIndex& project, const GuardSignatures& signatures) {
  for (const std::string& path : project.FilesSpelling(name)) {
    const std::shared_ptr<const OpenedFile> file = project.Open(path);
    if (file == nullptr) continue;
    for (const Node node : file->names().places().NodesSaying(name)) {
      const Node callee = node.field() == Field::kAttribute ? node.parent() : node;
      const Node call = callee.parent();
      if (callee.field() != Field::kFunction || !call.Is(NodeKind::kCall)) continue;
      const Argument* given = FindArgument(ArgumentsOf(call), position, keyword);
      if (given == nullptr || !IsList(given->value)) continue;
      const std::string_view text = given->value.text();
      if (HasDeviceWord(text, signatures.target_words) && !HasDeviceWord(text, signatures.words)) {
        return fmt::format("{}:{}", path, file->source().Locate(call.range().start).line);
      }
    }
  }
  return {};
}

std::optional<DeviceDeclaration> DeclarationWith(Node list, const ProjectIndex& project,
                                                 const GuardSignatures& signatures) {
  const Node item = list.parent().Is(NodeKind::kKeywordArgument) ? list.parent() : list;
  const Node call = item.parent().Is(NodeKind::kArgumentList) ? item.parent().parent() : Node();
  if (!call.Is(NodeKind::kCall)) return std::nullopt;
  const bool is_for_cuda = HasDeviceWord(list.text(), signatures.words) &&
                           !HasDeviceWord(list.text(), signatures.target_words);
  if (!is_for_cuda) return std::nullopt;
  const std::vector<Argument> arguments = ArgumentsOf(call);
  const auto argument = std::ranges::find(arguments, list, &Argument::value);
  if (argument == arguments.end()) return std::nullopt;
  const std::string_view callee = LastPart(call.Child(Field::kFunction).text());
  std::string beside = CallForTarget(callee, static_cast<size_t>(argument - arguments.begin()),
                                     argument->keyword, project, signatures);
  if (beside.empty()) return std::nullopt;
  return DeviceDeclaration{call, std::move(beside)};
}

}  // namespace

std::optional<DeviceDeclaration> DeclarationAround(Node place, const ProjectIndex& project,
                                                   const GuardSignatures& signatures) {
  const Node text = place.Is(NodeKind::kString) ? place : place.parent();
  if (!text.Is(NodeKind::kString) || !IsList(text.parent())) return std::nullopt;
  return DeclarationWith(text.parent(), project, signatures);
}

std::vector<DeviceDeclaration> DeclarationsOfPackage(const OpenedFile& file,
                                                     const ProjectIndex& project,
                                                     const GuardSignatures& signatures) {
  std::vector<DeviceDeclaration> declarations;
  for (const Node name : file.names().places().NodesSaying("__name__")) {
    Node call = name;
    while (call && !call.Is(NodeKind::kCall)) call = call.parent();
    if (!call) continue;
    for (const Argument& argument : ArgumentsOf(call)) {
      if (!IsList(argument.value)) continue;
      if (auto found = DeclarationWith(argument.value, project, signatures)) {
        declarations.push_back(*std::move(found));
      }
    }
  }
  return declarations;
}

}  // namespace transplt
