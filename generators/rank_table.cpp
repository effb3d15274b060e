// SPDX-License-Identifier: Apache-2.0
#include "generators/rank_table.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "generators/config_condition.h"
#include "generators/launch_checks.h"
#include "transplt/base/json_text.h"

namespace transplt {
namespace {

/// A card of a server.
struct Card {
  int64_t id = 0;
  std::string address;
  std::string super_id;
  OrderedJson levels;  ///< of 950: what its server says about its networks
  int64_t local_id = 0;
};

/// A server that takes part.
struct Server {
  std::string id;
  std::string super_pod = "0";
  std::vector<Card> cards;
};

std::vector<std::string> SplitAt(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

/// "NAME=VALUE"; the schema has seen that there is a name.
std::pair<std::string, std::string> SplitName(const OrderedJson& setting) {
  const std::string text = setting.get<std::string>();
  const size_t equals = text.find('=');
  return {text.substr(0, equals), text.substr(equals + 1)};
}

/// The number that `text` is, or nothing.
std::optional<int64_t> NumberIn(std::string_view text) {
  int64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

bool IsAddress(const std::string& text) {
  in6_addr place{};
  return inet_pton(AF_INET, text.c_str(), &place) == 1 ||
         inet_pton(AF_INET6, text.c_str(), &place) == 1;
}

/// Makes the table of one configuration.
class RankTable {
 public:
  RankTable(const OrderedJson& configuration, std::vector<ConfigMistake>& mistakes)
      : configuration_(configuration), mistakes_(mistakes) {}

  std::string Make() {
    ReadServers();
    SelectDevices();
    if (configuration_.at("generation") == "a3") ReadSuperPods();
    CheckServers();
    return (configuration_.at("generation") == "950" ? RankList() : ServerList()).dump(4) + "\n";
  }

 private:
  void Add(const std::string& pointer, Text what) {
    mistakes_.push_back({pointer, "", std::move(what)});
  }

  /// A list of the configuration; empty if it does not belong to these chips.
  OrderedJson ListAt(const std::string& name) const {
    return configuration_.value(name, OrderedJson::array());
  }

  void ReadServers() {
    for (const OrderedJson& setting : ListAt("servers")) {
      const auto [name, addresses] = SplitName(setting);
      Server& server = servers_.emplace_back();
      server.id = name;
      for (const std::string& address : SplitAt(addresses, ',')) {
        server.cards.push_back({static_cast<int64_t>(server.cards.size()), address, "", {}, 0});
      }
    }
    for (const OrderedJson& setting : ListAt("hccn")) {
      if (auto text = ReadFile("/hccn", setting)) ReadHccn(SplitName(setting), *text);
    }
    for (const OrderedJson& setting : ListAt("root_info")) {
      if (auto text = ReadFile("/root_info", setting)) ReadRootInfo(SplitName(setting), *text);
    }
    option_ = !ListAt("servers").empty() ? "/servers"
              : !ListAt("hccn").empty()  ? "/hccn"
                                         : "/root_info";
  }

  std::optional<std::string> ReadFile(const std::string& pointer, const OrderedJson& setting) {
    const std::string path = SplitName(setting).second;
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (file && text << file.rdbuf()) return text.str();
    Add(pointer, Say("{} cannot be read", "无法读取 {}", path));
    return std::nullopt;
  }

  /// Lines such as "address_0=192.168.1.8"; others say nothing about a rank table.
  void ReadHccn(const std::pair<std::string, std::string>& named, const std::string& text) {
    constexpr std::string_view kAddress = "address_";
    Server& server = servers_.emplace_back();
    server.id = named.first;
    for (std::string line : SplitAt(text, '\n')) {
      line.erase(std::remove_if(line.begin(), line.end(),
                                [](char c) { return c == ' ' || c == '\r' || c == '\t'; }),
                 line.end());
      const size_t equals = line.find('=');
      if (!line.starts_with(kAddress) || equals == line.npos) continue;
      const auto card =
          NumberIn(std::string_view(line).substr(kAddress.size(), equals - kAddress.size()));
      if (card) server.cards.push_back({*card, line.substr(equals + 1), "", {}, 0});
    }
    if (server.cards.empty()) {
      Add("/hccn", Say("{} has no line such as address_0=192.168.1.8",
                       "{} 中没有形如 address_0=192.168.1.8 的行", named.second));
    }
  }

  void ReadRootInfo(const std::pair<std::string, std::string>& named, const std::string& text) {
    Server& server = servers_.emplace_back();
    server.id = named.first;
    const OrderedJson info = ParseOrderedJson(text);
    const bool is_info = info.is_object() && info.value("version", OrderedJson()) == "2.0" &&
                         info.value("rank_list", OrderedJson()).is_array();
    if (!is_info) {
      return Add("/root_info", Say("{} is no hccl_rootinfo.json of version 2.0",
                                   "{} 不是 2.0 版的 hccl_rootinfo.json", named.second));
    }
    const OrderedJson& ranks = info.at("rank_list");
    if (info.value("rank_count", OrderedJson()) != ranks.size()) {
      Add("/root_info",
          Say("{}: rank_count is not the length of rank_list, {}",
              "{}：rank_count 与 rank_list 的长度 {} 不符", named.second, ranks.size()));
    }
    for (const OrderedJson& rank : ranks) AddCard(named.second, rank, server);
  }

  void AddCard(const std::string& path, const OrderedJson& rank, Server& server) {
    const auto number = [&rank](const char* name) -> std::optional<int64_t> {
      if (!rank.is_object() || !rank.contains(name)) return std::nullopt;
      const OrderedJson& value = rank.at(name);
      if (value.is_string()) return NumberIn(value.get<std::string>());
      return value.is_number_unsigned() ? std::optional(value.get<int64_t>()) : std::nullopt;
    };
    const auto id = number("device_id");
    const auto local = number("local_id");
    const bool has_levels = rank.is_object() && rank.contains("level_list") &&
                            rank.at("level_list").is_array() && !rank.at("level_list").empty();
    if (!id || !local || !has_levels) {
      return Add("/root_info",
                 Say("{}: element {} of rank_list lacks device_id, local_id or level_list",
                     "{}：rank_list 的第 {} 个元素缺少 device_id、local_id 或 level_list", path,
                     server.cards.size()));
    }
    server.cards.push_back({*id, "", "", rank.at("level_list"), *local});
  }

  /// Keeps the cards that take part, in ascending order.
  void SelectDevices() {
    std::set<int64_t> wanted;
    for (const std::string& text : SplitAt(configuration_.value("devices", ""), ',')) {
      const int64_t id = NumberIn(text).value_or(0);
      if (!wanted.insert(id).second) {
        Add("/devices", Say("has card {} twice", "重复包含 {} 号卡", id));
      }
    }
    for (Server& server : servers_) {
      std::stable_sort(server.cards.begin(), server.cards.end(),
                       [](const Card& a, const Card& b) { return a.id < b.id; });
      for (const int64_t id : wanted) {
        const bool is_there = std::any_of(server.cards.begin(), server.cards.end(),
                                          [id](const Card& card) { return card.id == id; });
        if (!is_there) {
          Add("/devices", Say("names card {}, which {} does not have",
                              "包含 {} 号卡，但 {} 没有该卡", id, server.id));
        }
      }
      if (wanted.empty()) continue;
      std::erase_if(server.cards, [&](const Card& card) { return !wanted.contains(card.id); });
    }
  }

  void ReadSuperPods() {
    std::map<std::string, Server*> by_name;
    for (Server& server : servers_) by_name.emplace(server.id, &server);
    const auto find = [&](const std::string& pointer, const std::string& name) -> Server* {
      const auto found = by_name.find(name);
      if (found != by_name.end()) return found->second;
      Add(pointer, Say("names {}, which is none of the servers", "中的 {} 不在服务器列表中", name));
      return nullptr;
    };
    for (const OrderedJson& setting : ListAt("super_pods")) {
      const auto [name, pod] = SplitName(setting);
      if (Server* server = find("/super_pods", name)) server->super_pod = pod;
    }
    for (const OrderedJson& setting : ListAt("super_device_ids")) {
      const auto [name, list] = SplitName(setting);
      Server* server = find("/super_device_ids", name);
      if (server == nullptr) continue;
      const std::vector<std::string> ids = SplitAt(list, ',');
      if (ids.size() != server->cards.size()) {
        Add("/super_device_ids", Say("has {} numbers for the {} cards of {}",
                                     "为 {2} 给出了 {0} 个编号，而该服务器有 {1} 张卡", ids.size(),
                                     server->cards.size(), name));
        continue;
      }
      for (size_t i = 0; i < ids.size(); ++i) server->cards[i].super_id = ids[i];
    }
    CheckSuperPods();
  }

  void CheckSuperPods() {
    std::set<std::string> seen;
    for (const Server& server : servers_) {
      for (const Card& card : server.cards) {
        if (card.super_id.empty()) {
          return Add("/super_device_ids",
                     Say("is missing for {}: cards of Atlas A3 have a number in their super pod",
                         "缺少 {} 的编号：Atlas A3 的卡在超节点内有编号", server.id));
        }
        if (!seen.insert(server.super_pod + "/" + card.super_id).second) {
          return Add("/super_device_ids",
                     Say("has {} twice in super pod {}", "在超节点 {1} 中重复包含 {0}",
                         card.super_id, server.super_pod));
        }
      }
    }
  }

  void CheckServers() {
    std::set<std::string> names;
    std::map<std::string, std::string> addresses;
    for (const Server& server : servers_) {
      if (!names.insert(server.id).second) {
        Add(option_, Say("has the server {} twice", "重复包含服务器 {}", server.id));
      }
      if (server.cards.size() != servers_.front().cards.size()) {
        Add(option_,
            Say("gives {} cards of {}, but {} of {}; all servers take part with the same "
                "number",
                "{1} 有 {0} 张卡，而 {3} 有 {2} 张；各服务器的卡数须相同", server.cards.size(),
                server.id, servers_.front().cards.size(), servers_.front().id));
      }
      CheckCards(server, addresses);
    }
    const size_t count = servers_.empty() ? 1 : servers_.front().cards.size();
    if (count > 0 && !CanConnect(static_cast<int64_t>(count))) {
      Add(option_, Say("gives {} cards of each server; HCCL connects 1, 2, 4, 8 or (Atlas A3) 16",
                       "每台服务器 {} 张卡；HCCL 支持 1、2、4、8 或（Atlas A3）16 卡互联", count));
    }
  }

  void CheckCards(const Server& server, std::map<std::string, std::string>& addresses) {
    std::set<int64_t> ids;
    for (const Card& card : server.cards) {
      if (!ids.insert(card.id).second) {
        Add(option_,
            Say("has card {} of {} twice", "重复包含 {1} 的 {0} 号卡", card.id, server.id));
      }
      const std::string here = fmt::format("{} of {}", card.id, server.id);
      for (const std::string& address : AddressesOf(card)) {
        const bool is_wrong = card.levels.is_null() && !IsAddress(address);
        if (is_wrong) {
          Add(option_, Say("gives card {} the address {}, which is no IP address",
                           "{} 的地址 {} 不是 IP 地址", here, QuoteForMessage(address)));
        }
        const auto [other, is_new] = addresses.emplace(address, here);
        if (!is_new) {
          Add(option_, Say("gives the address {} to card {} and to card {}",
                           "地址 {} 同时属于 {} 与 {}", address, other->second, here));
        }
      }
    }
  }

  static std::vector<std::string> AddressesOf(const Card& card) {
    if (card.levels.is_null()) return {card.address};
    std::vector<std::string> addresses;
    for (const OrderedJson& level : card.levels) {
      if (!level.is_object() || !level.contains("rank_addr_list")) continue;
      for (const OrderedJson& address : level.at("rank_addr_list")) {
        if (address.is_object() && address.contains("addr") && address.at("addr").is_string()) {
          addresses.push_back(address.at("addr").get<std::string>());
        }
      }
    }
    return addresses;
  }

  /// Versions 1.0 and 1.2: all values are strings.
  OrderedJson ServerList() const {
    const bool has_pods = configuration_.at("generation") == "a3";
    OrderedJson table = {{"version", has_pods ? "1.2" : "1.0"},
                         {"server_count", std::to_string(servers_.size())},
                         {"server_list", OrderedJson::array()}};
    int64_t rank = 0;
    for (const Server& server : servers_) {
      OrderedJson entry = {{"server_id", server.id}, {"device", OrderedJson::array()}};
      for (const Card& card : server.cards) {
        OrderedJson device = {{"device_id", std::to_string(card.id)}, {"device_ip", card.address}};
        if (has_pods) device["super_device_id"] = card.super_id;
        device["rank_id"] = std::to_string(rank++);
        entry["device"].push_back(std::move(device));
      }
      table["server_list"].push_back(std::move(entry));
    }
    if (has_pods) table["super_pod_list"] = SuperPodList();
    table["status"] = "completed";
    return table;
  }

  OrderedJson SuperPodList() const {
    std::vector<std::string> order;
    std::map<std::string, OrderedJson> members;
    for (const Server& server : servers_) {
      OrderedJson& list = members.try_emplace(server.super_pod, OrderedJson::array()).first->second;
      if (list.empty()) order.push_back(server.super_pod);
      list.push_back({{"server_id", server.id}});
    }
    OrderedJson pods = OrderedJson::array();
    for (const std::string& pod : order) {
      pods.push_back({{"super_pod_id", pod}, {"server_list", members.at(pod)}});
    }
    return pods;
  }

  /// Version 2.0: a list of ranks with numbers, and the networks of each.
  OrderedJson RankList() const {
    OrderedJson ranks = OrderedJson::array();
    for (const Server& server : servers_) {
      for (const Card& card : server.cards) {
        ranks.push_back({{"rank_id", ranks.size()},
                         {"local_id", card.local_id},
                         {"device_id", card.id},
                         {"level_list", card.levels}});
      }
    }
    return {{"version", "2.0"},
            {"status", "completed"},
            {"rank_count", ranks.size()},
            {"rank_list", ranks}};
  }

  const OrderedJson& configuration_;
  std::vector<ConfigMistake>& mistakes_;
  std::vector<Server> servers_;
  std::string option_;  ///< how the servers were given, for messages
};

}  // namespace

Result<std::vector<GeneratedFile>> MakeRankTable(const std::string& configuration,
                                                 std::vector<ConfigMistake>& mistakes) {
  const OrderedJson parsed = ParseOrderedJson(configuration);
  std::string text = RankTable(parsed, mistakes).Make();
  return std::vector<GeneratedFile>{{"rank_table.json", std::move(text)}};
}

}  // namespace transplt
