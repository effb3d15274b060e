// SPDX-License-Identifier: Apache-2.0
#include "transplt/distributed/multi_card_calls.h"

#include <algorithm>
#include <utility>

#include "transplt/base/json_document.h"
#include "transplt/base/json_object_reader.h"
#include "transplt/python/arguments.h"
#include "transplt/python/name_table.h"

namespace transplt {

std::string_view MultiCardText();  // generated from rules/multi_card.json

namespace {

/// The letters of the mode in which a file is opened; "" for reading.
std::string_view ModeOf(Node call) {
  const std::vector<Argument> arguments = ArgumentsOf(call);
  const Argument* mode = FindArgument(arguments, 1, "mode");
  return mode == nullptr ? std::string_view() : PlainStringContent(mode->value).text();
}

class WayReader : private JsonObjectReader {
 public:
  WayReader(const JsonDocument& document, const JsonValue& object)
      : JsonObjectReader(document, object) {}

  Result<MultiCardCalls::Way> Read() {
    MultiCardCalls::Way way;
    way.names = NamePatterns(Strings("names", true));
    way.wrapper = String("way");
    way.keyword = String("keyword", false);
    way.modes = String("modes", false);
    way.why = {String("why"), String("why_zh")};
    way.before = String("before");
    way.after = String("after");
    RefuseUnknown();
    if (error()) return *error();
    return way;
  }
};

/// The lists of names beside the rows.
class ListsReader : private JsonObjectReader {
 public:
  explicit ListsReader(const JsonDocument& document)
      : JsonObjectReader(document, document.root()) {}

  std::optional<Error> Read(MultiCardCalls& calls) {
    Member("calls", JsonValue::Type::kList, true);
    const std::pair<const char*, NamePatterns*> lists[] = {
        {"gives_back", &calls.gives_back},
        {"fluent", &calls.fluent},
        {"module_methods", &calls.module_methods},
        {"loaders", &calls.loaders},
        {"streams", &calls.streams},
        {"several", &calls.several},
        {"modules", &calls.modules},
        {"optimizers", &calls.optimizers},
        {"tensors", &calls.tensors},
        {"losses", &calls.losses},
        {"linear", &calls.linear},
        {"shows", &calls.shows}};
    for (const auto& [name, list] : lists) *list = NamePatterns(Strings(name, true));
    RefuseUnknown();
    return error();
  }
};

}  // namespace

NamePatterns::NamePatterns(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (name.find('*') == std::string::npos) {
      whole_.insert(name);
    } else {
      patterns_.push_back(name);
    }
  }
}

bool NamePatterns::Match(std::string_view qualified) const {
  if (whole_.contains(qualified)) return true;
  return std::ranges::any_of(patterns_, [&](std::string_view pattern) {
    const size_t star = pattern.find('*');
    const std::string_view head = pattern.substr(0, star);
    const std::string_view tail = pattern.substr(star + 1);
    return qualified.size() >= head.size() + tail.size() && qualified.starts_with(head) &&
           qualified.ends_with(tail);
  });
}

const MultiCardCalls::Way* MultiCardCalls::FindWay(const std::vector<std::string>& names,
                                                   Node call) const {
  const auto is_it = [&](const Way& way) {
    const bool is_named =
        std::ranges::any_of(names, [&](const std::string& name) { return way.names.Match(name); });
    if (!is_named) return false;
    if (!way.keyword.empty()) {
      const std::vector<Argument> arguments = ArgumentsOf(call);
      const Argument* given = FindKeyword(arguments, way.keyword);
      if (given == nullptr || given->value.Is(NodeKind::kFalse)) return false;
    }
    return way.modes.empty() || ModeOf(call).find_first_of(way.modes) != std::string_view::npos;
  };
  const auto found = std::ranges::find_if(ways, is_it);
  return found == ways.end() ? nullptr : &*found;
}

Result<MultiCardCalls> MultiCardCalls::Load() {
  Result<JsonDocument> document = JsonDocument::Parse("rules/multi_card.json", MultiCardText());
  if (!document) return document.error();
  MultiCardCalls calls;
  if (auto error = ListsReader(*document).Read(calls)) return *error;
  for (const JsonValue* item : document->root().Find("calls")->children()) {
    Result<Way> way = WayReader(*document, *item).Read();
    if (!way) return way.error();
    calls.ways.push_back(*std::move(way));
  }
  return calls;
}

}  // namespace transplt
