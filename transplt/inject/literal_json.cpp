// SPDX-License-Identifier: Apache-2.0
#include "transplt/inject/literal_json.h"

#include <nlohmann/json.hpp>

#include "transplt/base/json_text.h"
#include "transplt/inject/tensorflow_sites.h"
#include "transplt/syntax/node_walk.h"

namespace transplt {
namespace {

using Json = nlohmann::ordered_json;

class Reader {
 public:
  explicit Reader(LiteralJson& result) : result_(result) {}

  std::optional<Json> Read(Node node, const std::string& pointer) {
    result_.places.emplace(pointer, node);
    std::optional<Json> value = Value(node, pointer);
    if (!value) result_.computed.insert(pointer);
    return value;
  }

 private:
  std::optional<Json> Value(Node node, const std::string& pointer) {
    switch (node.kind()) {
      case NodeKind::kDictionary:
        return Object(node, pointer);
      case NodeKind::kList:
        return List(node, pointer);
      case NodeKind::kTrue:
        return Json(true);
      case NodeKind::kFalse:
        return Json(false);
      case NodeKind::kInteger: {
        Json number = ParseOrderedJson(node.text());
        if (!number.is_number()) return std::nullopt;
        return number;
      }
      case NodeKind::kString: {
        const std::optional<std::string> text = LiteralValue(node);
        if (!text) return std::nullopt;
        return Json(*text);
      }
      default:
        return std::nullopt;
    }
  }

  Json Object(Node dictionary, const std::string& pointer) {
    Json object = Json::object();
    for (const Node pair : NamedChildren(dictionary)) {
      const std::optional<std::string> key =
          pair.Is(NodeKind::kPair) ? LiteralValue(pair.Child(Field::kKey)) : std::nullopt;
      if (!key) {
        result_.computed.insert(pointer);
        continue;
      }
      const std::string at = pointer + "/" + *key;
      if (auto value = Read(pair.Child(Field::kValue), at)) object[*key] = *std::move(value);
    }
    return object;
  }

  /// Nothing if an element is computed: then nobody knows how many there are.
  std::optional<Json> List(Node list, const std::string& pointer) {
    Json values = Json::array();
    for (const Node element : NamedChildren(list)) {
      std::optional<Json> value = Read(element, pointer + "/" + std::to_string(values.size()));
      if (!value) return std::nullopt;
      values.push_back(*std::move(value));
    }
    return values;
  }

  LiteralJson& result_;
};

}  // namespace

LiteralJson LiteralJsonOf(Node dictionary) {
  LiteralJson result;
  const std::optional<Json> value = Reader(result).Read(dictionary, "");
  // A text of the script need not be UTF-8.
  result.text = value ? value->dump(-1, ' ', false, Json::error_handler_t::replace) : "{}";
  return result;
}

}  // namespace transplt
