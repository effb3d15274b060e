// SPDX-License-Identifier: Apache-2.0
#include "generators/launch_checks.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <set>
#include <string>

#include "generators/shell_words.h"
#include "generators/texts.h"
#include "transplt/base/json_text.h"

namespace transplt {
namespace {

void Add(std::vector<ConfigMistake>& mistakes, std::string pointer, Text what,
         bool is_note = false) {
  mistakes.push_back({std::move(pointer), "", std::move(what)});
  mistakes.back().is_note = is_note;
}

/// The numbers of "3, 1"; the schema has seen that there is nothing else.
std::vector<int> NumbersIn(const std::string& list) {
  std::vector<int> numbers;
  const char* const end = list.data() + list.size();
  for (const char* at = list.data(); at != end; ++at) {
    int number = 0;
    const auto [stop, error] = std::from_chars(at, end, number);
    if (error != std::errc()) continue;
    numbers.push_back(number);
    at = stop - 1;
  }
  return numbers;
}

/// The driver takes cards in ascending order only, and a space ends its list.
void CompleteDevices(OrderedJson& configuration, std::vector<ConfigMistake>& mistakes) {
  const std::string given = configuration.at("devices").get<std::string>();
  std::vector<int> devices = NumbersIn(given);
  std::sort(devices.begin(), devices.end());
  const std::string sorted = fmt::format("{}", fmt::join(devices, ","));
  if (std::adjacent_find(devices.begin(), devices.end()) != devices.end()) {
    return Add(mistakes, "/devices", Say("has a card twice: {}", "重复包含同一张卡：{}", sorted));
  }
  if (sorted != given) {
    Add(mistakes, "/devices",
        Say("is written as {}: the driver takes cards in ascending order without spaces only",
            "写为 {}：驱动仅接受升序且不含空格的卡号", sorted),
        true);
  }
  const auto count = static_cast<int64_t>(devices.size());
  const auto npus = configuration.find("npus");
  if (npus != configuration.end() && npus->get<int64_t>() != count) {
    return Add(mistakes, "/npus",
               Say("is {}, but --devices names {} cards; leave one of them out",
                   "为 {}，而 --devices 指定了 {} 张卡；请省略其一", npus->get<int64_t>(), count));
  }
  configuration["devices"] = sorted;
  configuration["npus"] = count;
}

void CompleteCards(OrderedJson& configuration, std::vector<ConfigMistake>& mistakes) {
  const bool is_single = configuration.at("start") == "single";
  const std::string option = configuration.contains("devices") ? "/devices" : "/npus";
  if (configuration.contains("devices")) CompleteDevices(configuration, mistakes);
  if (!configuration.contains("npus")) configuration["npus"] = is_single ? 1 : 8;
  const auto npus = configuration.at("npus").get<int64_t>();
  if (!CanConnect(npus)) {
    Add(mistakes, option,
        Say("gives {} cards; HCCL connects 1, 2, 4, 8 or (Atlas A3) 16 cards of a server, because "
            "cards are wired in groups of these sizes",
            "给出 {} 张卡；HCCL 支持单机 1、2、4、8 或（Atlas A3）16 "
            "卡互联，因为卡按此规模成组连线",
            npus));
  }
  const auto nodes = configuration.at("nodes").get<int64_t>();
  if (is_single && npus * nodes != 1) {
    Add(mistakes, "/start",
        Say("is single, but {} cards are asked for; write --npus 1, or say how the training "
            "learns its rank",
            "为 single，却要求 {} 张卡；请写 --npus 1，或说明训练如何得知 rank", npus * nodes));
  }
}

void CheckNodes(const OrderedJson& configuration, std::vector<ConfigMistake>& mistakes) {
  const std::string launcher = configuration.at("launcher").get<std::string>();
  const auto nodes = configuration.at("nodes").get<int64_t>();
  const bool finds_master = launcher == "slurm" || launcher == "volcano";
  const std::string master = configuration.at("master").get<std::string>();
  if (nodes > 1 && launcher == "mpirun") {
    const auto hosts = configuration.find("hosts");
    const int64_t count = hosts == configuration.end()
                              ? 0
                              : 1 + std::count(hosts->get_ref<const std::string&>().begin(),
                                               hosts->get_ref<const std::string&>().end(), ',');
    if (count != nodes) {
      Add(mistakes, "/hosts",
          Say("names {} servers, but --nodes is {}", "指定了 {} 台服务器，而 --nodes 为 {}", count,
              nodes));
    }
  } else if (nodes > 1 && !finds_master && (master == "127.0.0.1" || master == "localhost")) {
    Add(mistakes, "/master",
        Say("is {}, which other servers cannot reach; give the address of the server with node "
            "rank 0",
            "为 {}，其他服务器无法访问；请给出 node rank 为 0 的服务器地址", master));
  }
}

void CheckFrameworks(const OrderedJson& configuration, std::vector<ConfigMistake>& mistakes) {
  if (configuration.at("framework") != "mindspore") return;
  const std::string launcher = configuration.at("launcher").get<std::string>();
  if (launcher != "msrun" && !configuration.contains("rank_table") &&
      configuration.at("start") != "single") {
    Add(mistakes, "/rank_table",
        Say("is missing: without msrun, MindSpore needs the rank table of its cards (generate "
            "rank-table); or use --launcher msrun",
            "缺失：不使用 msrun 时，MindSpore 需要 rank table（generate rank-table）；或使用 "
            "--launcher msrun"));
  }
  const auto dump = configuration.find("dump_config");
  if (dump == configuration.end()) return;
  const auto schema = ConfigSchema::Parse(MindsporeDumpSchema());
  const auto document = JsonDocument::Parse("data_dump.json", dump->dump(4));
  if (!schema || !document) {
    return Add(mistakes, "/dump_config", {"cannot be read", "无法读取"});
  }
  for (const ConfigMistake& wrong : schema->Check(*document)) {
    if (wrong.is_note) continue;
    Add(mistakes, "/dump_config",
        {fmt::format("{} {}", wrong.pointer, wrong.what.en),
         fmt::format("{} {}", wrong.pointer, wrong.what.zh)});
  }
}

/// A job of Kubernetes is YAML, and its launcher lies in a folder of its own.
void CheckVolcano(const OrderedJson& configuration, std::vector<ConfigMistake>& mistakes) {
  if (configuration.at("launcher") != "volcano") return;
  if (!configuration.at("working_folder").get<std::string>().starts_with('/')) {
    Add(mistakes, "/working_folder",
        Say("must be an absolute path of the containers, starting with \"/\"",
            "应为容器内以 \"/\" 开头的绝对路径"));
  }
  if (configuration.at("mounts").empty()) {
    Add(mistakes, "/mounts",
        Say("is not given: the image must hold the training and its data, and the logs end with "
            "the pods",
            "未给出：镜像须包含训练代码与数据，日志将随 Pod 结束而丢失"),
        true);
  }
  for (const auto& [name, value] : configuration.items()) {
    // What YAML cannot hold in a block; JSON shows it as \u00XX.
    const bool is_control = value.dump().find("\\u00") != std::string::npos;
    if (is_control) {
      Add(mistakes, "/" + name, Say("has a control character", "含有控制字符"));
    }
  }
}

void CheckWords(const OrderedJson& configuration, std::vector<ConfigMistake>& mistakes) {
  for (const char* name : {"arguments", "performance_arguments"}) {
    const auto words = configuration.find(name);
    if (words == configuration.end()) continue;
    if (auto why = WhyNotShellWords(words->get<std::string>())) {
      Add(mistakes, std::string("/") + name, *std::move(why));
    }
  }
}

/// Variables that a launcher sets for each process have options of their own.
void CheckVariableName(const std::string& name, std::vector<ConfigMistake>& mistakes) {
  static const std::map<std::string_view, std::string_view> kOptions = {
      {"ASCEND_RT_VISIBLE_DEVICES", "--devices"},
      {"ASCEND_DEVICE_ID", "--devices"},
      {"DEVICE_ID", "--devices"},
      {"MASTER_ADDR", "--master"},
      {"MASTER_PORT", "--port"},
      {"MINDSPORE_DUMP_CONFIG", "--dump-config"},
      {"RANK_TABLE_FILE", "--rank-table"},
      {"PYTHONPATH", "--python-path"},
      {"RANK_SIZE", "--npus and --nodes"},
      {"WORLD_SIZE", "--npus and --nodes"},
      {"RANK", "--start"},
      {"LOCAL_RANK", "--start"},
      {"RANK_ID", "--start"},
  };
  if (const auto found = kOptions.find(name); found != kOptions.end()) {
    return Add(mistakes, "/env",
               Say("sets {}, which the launcher sets for each process; use {}",
                   "设置了 {}，该变量由启动脚本逐进程设置；请使用 {}", name, found->second));
  }
  // The scripts keep their own values in variables of the shell.
  const auto assigns = [&name](std::string_view text) {
    for (size_t at = text.find(name + "="); at != text.npos; at = text.find(name + "=", at + 1)) {
      const char before = at == 0 ? '\n' : text[at - 1];
      if (std::isalnum(static_cast<unsigned char>(before)) == 0 && before != '_') return true;
    }
    return false;
  };
  if (assigns(LaunchSettingsTemplate()) || assigns(LaunchChecksTemplate()) ||
      assigns(LaunchRanksTemplate()) || assigns(LaunchSuperviseTemplate())) {
    Add(mistakes, "/env",
        Say("sets {}, a name that the launcher uses for itself; set it in the training",
            "设置了 {}，启动脚本自身使用该名称；请在训练脚本中设置", name));
  }
}

/// Sorts NAME=VALUE into variables that schemas/env.json knows and others.
void SortVariables(const OrderedJson& settings, const ConfigSchema& schema, GivenOptions& given,
                   OrderedJson& others) {
  std::set<std::string> known;
  for (const ConfigOption& option : schema.Options()) known.insert(option.name);
  for (const OrderedJson& setting : settings) {
    const std::string text = setting.get<std::string>();
    const size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    if (known.contains(name)) {
      given[name] = {text.substr(equals + 1)};
    } else {
      others[name] = text.substr(equals + 1);
    }
  }
}

}  // namespace

bool CanConnect(int64_t cards) {
  constexpr std::array<int64_t, 5> kCounts = {1, 2, 4, 8, 16};
  return std::find(kCounts.begin(), kCounts.end(), cards) != kCounts.end();
}

void CompleteLaunch(OrderedJson& configuration, std::vector<ConfigMistake>& mistakes) {
  CompleteCards(configuration, mistakes);
  CheckNodes(configuration, mistakes);
  CheckFrameworks(configuration, mistakes);
  CheckVolcano(configuration, mistakes);
  CheckWords(configuration, mistakes);
  const bool has_option = configuration.contains("rank_option");
  if (configuration.at("start") == "local-rank-argument" && !has_option) {
    configuration["rank_option"] = "--local_rank";
  }
}

OrderedJson LaunchEnvironment(const OrderedJson& configuration,
                              std::vector<ConfigMistake>& mistakes) {
  const auto schema = ConfigSchema::Parse(EnvSchema());
  if (!schema) return OrderedJson::object();
  GivenOptions given;
  OrderedJson others = OrderedJson::object();
  SortVariables(configuration.at("env"), *schema, given, others);
  for (const auto& [name, values] : given) CheckVariableName(name, mistakes);
  for (const auto& [name, value] : others.items()) CheckVariableName(name, mistakes);
  const bool is_pytorch = configuration.at("framework") == "pytorch";
  // The other defaults are variables of torch_npu.
  if (!is_pytorch) given.emplace("HCCL_WHITELIST_DISABLE", std::vector<std::string>{"1"});
  const auto defaults = is_pytorch ? Defaults::kWrite : Defaults::kLeaveOut;
  std::vector<ConfigMistake> wrong;
  const std::string text = schema->Make(given, defaults, wrong);
  if (const auto document = JsonDocument::Parse("env", text); document && wrong.empty()) {
    wrong = schema->Check(*document);
  }
  for (const ConfigMistake& one : wrong) {
    const std::string name =
        one.options.empty() ? schema->OptionAt(one.pointer) : one.options.front();
    Add(mistakes, "/env",
        {fmt::format("{}: {}", name, one.what.en), fmt::format("{}：{}", name, one.what.zh)},
        one.is_note);
  }
  OrderedJson environment = ParseOrderedJson(text);
  environment.update(others);
  return environment;
}

}  // namespace transplt
