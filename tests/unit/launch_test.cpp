// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "generators/generator_kind.h"
#include "generators/shell_words.h"
#include "temp_folder.h"

namespace transplt {
namespace {

using Json = nlohmann::ordered_json;

Generated Make(const char* kind, const GivenOptions& given) {
  const auto generated = Generate(*FindGeneratorKind(kind), given);
  EXPECT_TRUE(generated);
  return generated ? *generated : Generated();
}

/// "--option: what" of each mistake.
std::vector<std::string> MistakesOf(const Generated& generated) {
  std::vector<std::string> texts;
  for (const Error& mistake : generated.mistakes) {
    texts.push_back(mistake.where + ": " + mistake.what.en);
    EXPECT_NE(mistake.what.en, mistake.what.zh);
  }
  return texts;
}

struct WrongLaunch {
  const char* title;
  GivenOptions options;
  const char* expected;
};

class WrongLaunches : public testing::TestWithParam<WrongLaunch> {};

TEST_P(WrongLaunches, AreRefusedWithTheOptionAndTheReason) {
  const WrongLaunch& row = GetParam();
  GivenOptions options = row.options;
  options.emplace("entry", std::vector<std::string>{"train.py"});
  const Generated generated = Make("launch", options);
  EXPECT_EQ(MistakesOf(generated), std::vector<std::string>{row.expected}) << row.title;
  EXPECT_TRUE(generated.files.empty());
}

const WrongLaunch kWrongLaunches[] = {
    {"three cards",
     {{"npus", {"3"}}},
     "--npus: gives 3 cards; HCCL connects 1, 2, 4, 8 or (Atlas A3) 16 cards of a server, because "
     "cards are wired in groups of these sizes"},
    {"six cards by name",
     {{"devices", {"0,1,2,3,4,5"}}},
     "--devices: gives 6 cards; HCCL connects 1, 2, 4, 8 or (Atlas A3) 16 cards of a server, "
     "because cards are wired in groups of these sizes"},
    {"a card twice", {{"devices", {"1,0,1,2"}}}, "--devices: has a card twice: 0,1,1,2"},
    {"two numbers of cards",
     {{"devices", {"0,1"}}, {"npus", {"4"}}},
     "--npus: is 4, but --devices names 2 cards; leave one of them out"},
    {"script and module",
     {{"module", {"a.b"}}},
     "--module: is given beside --entry; give one of them"},
    {"one card and several",
     {{"start", {"single"}}, {"npus", {"2"}}},
     "--start: is single, but 2 cards are asked for; write --npus 1, or say how the training "
     "learns its rank"},
    {"a card option without a name",
     {{"start", {"device-argument"}}},
     "--rank-option: give the option of the training that names the card, such as --gpu"},
    {"a rank option without a name",
     {{"start", {"rank-argument"}}},
     "--rank-option: give the option of the training that takes the rank, such as --rank"},
    {"several servers that cannot find the first",
     {{"nodes", {"2"}}},
     "--master: is 127.0.0.1, which other servers cannot reach; give the address of the server "
     "with node rank 0"},
    {"a variable with an option of its own",
     {{"env", {"MASTER_PORT=1"}}},
     "--env: sets MASTER_PORT, which the launcher sets for each process; use --port"},
    {"a variable of the launcher",
     {{"env", {"logs=x"}}},
     "--env: sets logs, a name that the launcher uses for itself; set it in the training"},
    {"a wrong value of a variable",
     {{"env", {"HCCL_CONNECT_TIMEOUT=60"}}},
     "--env: HCCL_CONNECT_TIMEOUT: is 60; the smallest value is 120"},
    {"msrun without MindSpore",
     {{"launcher", {"msrun"}}},
     "--launcher: msrun belongs to MindSpore; add --framework mindspore or use another launcher"},
    {"too few names for mpirun",
     {{"launcher", {"mpirun"}}, {"nodes", {"3"}}, {"hosts", {"a,b"}}},
     "--hosts: names 2 servers, but --nodes is 3"},
    {"field scripts on several servers",
     {{"launcher", {"field"}}, {"nodes", {"2"}}, {"master", {"a"}}},
     "--nodes: these scripts run on one server; use --launcher bash for several"},
    {"an argument that would be a command",
     {{"arguments", {"--lr 0.1; rm x"}}},
     "--arguments: has the operator ; of the shell; put quotes around it"},
};

INSTANTIATE_TEST_SUITE_P(All, WrongLaunches, testing::ValuesIn(kWrongLaunches));

TEST(Launch, WritesCardsInAscendingOrderAndSaysSo) {
  const Generated generated = Make("launch", {{"entry", {"train.py"}}, {"devices", {"3, 1"}}});
  ASSERT_EQ(generated.files.size(), 1u);
  EXPECT_NE(generated.files[0].text.find("\ndevices='1,3'\nnpus=2\n"), std::string::npos);
  ASSERT_EQ(generated.notes.size(), 1u);
  EXPECT_EQ(generated.notes[0].en,
            "--devices: is written as 1,3: the driver takes cards in ascending order without "
            "spaces only");
}

TEST(Launch, ExplainsEachVariableThatItSets) {
  const Generated generated =
      Make("launch", {{"entry", {"train.py"}}, {"env", {"HCCL_BUFFSIZE=400", "MY_NAME=a b"}}});
  ASSERT_EQ(generated.files.size(), 1u);
  const std::string& text = generated.files[0].text;
  EXPECT_NE(text.find("    # MB of the buffer between two cards; HCCL's own default is 200\n"
                      "    set_default HCCL_BUFFSIZE 400\n"),
            std::string::npos);
  EXPECT_NE(text.find("    set_default MY_NAME 'a b'\n"), std::string::npos);
  EXPECT_NE(text.find("    set_default HCCL_WHITELIST_DISABLE 1\n"), std::string::npos);
}

TEST(Launch, LeavesNoTagInAnyFileOfAnyLauncher) {
  size_t count = 0;
  for (const std::string name :
       {"bash", "torchrun", "mpirun", "slurm", "volcano", "msrun", "field"}) {
    GivenOptions options = {{"entry", {"train.py"}}, {"launcher", {name}}};
    if (name == "volcano") options.insert({{"image", {"i"}}, {"working-folder", {"/w"}}});
    if (name == "msrun") options.insert({"framework", {"mindspore"}});
    const Generated generated = Make("launch", options);
    EXPECT_EQ(MistakesOf(generated), std::vector<std::string>()) << name;
    for (const GeneratedFile& file : generated.files) {
      ++count;
      EXPECT_EQ(file.text.find("{{"), std::string::npos) << file.name;
      EXPECT_EQ(file.text.find('\x01'), std::string::npos) << file.name;
    }
  }
  EXPECT_EQ(count, 12u);
}

TEST(ShellWords, MayHaveQuotesBackslashesAndPlainVariables) {
  for (const char* text : {"", "--a 1 'b c' \"d $e ${f}\" g\\ h", "a#b", "'#' '`'", "$", "a$",
                           "'$(x)' \\$\\(", "\"a\\\"b\"", "{a,b} * ~ x=y"}) {
    EXPECT_FALSE(WhyNotShellWords(text)) << text;
  }
}

TEST(ShellWords, MustEndWhereTheTextEnds) {
  for (const char* text : {"'a",   "\"a",  "a\\",     "a;b",  "a|b",      "a&",      "a>b",
                           "(a)",  "a\nb", "$(a)",    "`a`",  "\"$(a)\"", "\"`a`\"", "#a",
                           "a #b", "${a",  "${a:-b}", "$'a'", "$[1]",     "\"a\\",   "a)"}) {
    EXPECT_TRUE(WhyNotShellWords(text)) << text;
  }
}

TEST(RankTable, OfAtlasTrainingCardsHasServersWithTextsOnly) {
  const Generated generated =
      Make("rank-table",
           {{"generation", {"910"}},
            {"server", {"10.0.0.1=192.168.1.8,192.168.1.9", "10.0.0.2=192.168.2.8,192.168.2.9"}}});
  ASSERT_EQ(generated.files.size(), 1u);
  EXPECT_EQ(Json::parse(generated.files[0].text), Json::parse(R"({
    "version": "1.0", "server_count": "2", "server_list": [
      {"server_id": "10.0.0.1", "device": [
        {"device_id": "0", "device_ip": "192.168.1.8", "rank_id": "0"},
        {"device_id": "1", "device_ip": "192.168.1.9", "rank_id": "1"}]},
      {"server_id": "10.0.0.2", "device": [
        {"device_id": "0", "device_ip": "192.168.2.8", "rank_id": "2"},
        {"device_id": "1", "device_ip": "192.168.2.9", "rank_id": "3"}]}],
    "status": "completed"})"));
}

TEST(RankTable, OfAtlasA3HasSuperPods) {
  const Generated generated = Make("rank-table", {{"generation", {"a3"}},
                                                  {"server", {"a=10.0.0.1", "b=10.0.0.2"}},
                                                  {"super-device-ids", {"a=7", "b=7"}},
                                                  {"super-pod", {"b=1"}}});
  ASSERT_EQ(generated.files.size(), 1u);
  const Json table = Json::parse(generated.files[0].text);
  EXPECT_EQ(table.at("version"), "1.2");
  EXPECT_EQ(table.at("server_list")[1].at("device")[0].at("super_device_id"), "7");
  EXPECT_EQ(table.at("super_pod_list"), Json::parse(R"([
    {"super_pod_id": "0", "server_list": [{"server_id": "a"}]},
    {"super_pod_id": "1", "server_list": [{"server_id": "b"}]}])"));
}

class RankTableFiles : public testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& text) {
    folder_.Write(name, text);
    return folder_ / name;
  }

  TempFolder folder_;
};

TEST_F(RankTableFiles, AddressesAreReadFromHccnConf) {
  const std::string path = Write("hccn.conf",
                                 "address_1=192.168.1.9\nnetmask_1=255.255.255.0\n"
                                 " address_0 = 192.168.1.8 \r\nnetdetect_0=192.168.1.1\n");
  const Generated generated = Make("rank-table", {{"generation", {"a2"}}, {"hccn", {"n=" + path}}});
  ASSERT_EQ(generated.files.size(), 1u);
  EXPECT_EQ(Json::parse(generated.files[0].text).at("server_list")[0].at("device"),
            Json::parse(R"([{"device_id": "0", "device_ip": "192.168.1.8", "rank_id": "0"},
                            {"device_id": "1", "device_ip": "192.168.1.9", "rank_id": "1"}])"));
}

TEST_F(RankTableFiles, OnlyTheCardsThatAreNamedTakePart) {
  const std::string path =
      Write("hccn.conf", "address_0=10.0.0.1\naddress_1=10.0.0.2\naddress_2=10.0.0.3\n");
  const Generated generated =
      Make("rank-table", {{"generation", {"910"}}, {"hccn", {"n=" + path}}, {"devices", {"2,1"}}});
  ASSERT_EQ(generated.files.size(), 1u);
  const Json devices = Json::parse(generated.files[0].text).at("server_list")[0].at("device");
  EXPECT_EQ(devices[0].at("device_id"), "1");
  EXPECT_EQ(devices[1].at("device_ip"), "10.0.0.3");
  EXPECT_EQ(devices.size(), 2u);
}

/// The hccl_rootinfo.json of a server with two cards, whose addresses start with `prefix`.
std::string RootInfo(const std::string& prefix) {
  Json info = {{"version", "2.0"}, {"rank_count", 2}, {"rank_list", Json::array()}};
  for (int card = 0; card < 2; ++card) {
    const Json address = {{"addr_type", "EID"},
                          {"addr", prefix + std::to_string(card)},
                          {"ports", {"0/1"}},
                          {"plane_id", "plane0"}};
    const Json level = {{"net_layer", 0}, {"net_instance_id", "0"}, {"rank_addr_list", {address}}};
    info["rank_list"].push_back({{"device_id", card}, {"local_id", card}, {"level_list", {level}}});
  }
  return info.dump();
}

TEST_F(RankTableFiles, Of950TakesTheNetworksFromEachServer) {
  const std::string a = Write("a.json", RootInfo("aa"));
  const std::string b = Write("b.json", RootInfo("bb"));
  const Generated generated =
      Make("rank-table", {{"generation", {"950"}}, {"root-info", {"a=" + a, "b=" + b}}});
  ASSERT_EQ(generated.files.size(), 1u);
  const Json table = Json::parse(generated.files[0].text);
  EXPECT_EQ(table.at("version"), "2.0");
  EXPECT_EQ(table.at("rank_count"), 4);
  EXPECT_EQ(table.at("rank_list")[3].at("rank_id"), 3);
  EXPECT_EQ(table.at("rank_list")[3].at("local_id"), 1);
  EXPECT_EQ(table.at("rank_list")[3].at("level_list"),
            Json::parse(RootInfo("bb")).at("rank_list")[1].at("level_list"));
}

TEST_F(RankTableFiles, OfOtherContentAreRefused) {
  const std::string empty = Write("empty.conf", "netmask_0=255.255.255.0\n");
  EXPECT_EQ(
      MistakesOf(Make("rank-table", {{"generation", {"910"}}, {"hccn", {"n=" + empty}}})),
      std::vector<std::string>{"--hccn: " + empty + " has no line such as address_0=192.168.1.8"});
  EXPECT_EQ(MistakesOf(Make("rank-table", {{"generation", {"910"}}, {"hccn", {"n=/no/file"}}})),
            std::vector<std::string>{"--hccn: /no/file cannot be read"});
  EXPECT_EQ(
      MistakesOf(Make("rank-table", {{"generation", {"950"}}, {"root-info", {"n=" + empty}}})),
      std::vector<std::string>{"--root-info: " + empty +
                               " is no hccl_rootinfo.json of version 2.0"});
}

struct WrongTable {
  GivenOptions options;
  std::vector<std::string> expected;
};

class WrongTables : public testing::TestWithParam<WrongTable> {};

TEST_P(WrongTables, AreRefusedWithTheReason) {
  EXPECT_EQ(MistakesOf(Make("rank-table", GetParam().options)), GetParam().expected);
}

const WrongTable kWrongTables[] = {
    {{{"generation", {"910"}}, {"server", {"a=10.0.0.1,10.0.0.1"}}},
     {"--server: gives the address 10.0.0.1 to card 0 of a and to card 1 of a"}},
    {{{"generation", {"910"}}, {"server", {"a=10.0.0.1,10.0.0.2", "b=10.0.0.3"}}},
     {"--server: gives 1 cards of b, but 2 of a; all servers take part with the same number"}},
    {{{"generation", {"910"}}, {"server", {"a=10.0.0.1", "a=10.0.0.2"}}},
     {"--server: has the server a twice"}},
    {{{"generation", {"910"}}, {"server", {"a=10.0.0.1,10.0.0.2,10.0.0.3"}}},
     {"--server: gives 3 cards of each server; HCCL connects 1, 2, 4, 8 or (Atlas A3) 16"}},
    {{{"generation", {"910"}}, {"server", {"a=10.0.0.999"}}},
     {"--server: gives card 0 of a the address \"10.0.0.999\", which is no IP address"}},
    {{{"generation", {"910"}}, {"server", {"a=10.0.0.1"}}, {"devices", {"4"}}},
     {"--devices: names card 4, which a does not have"}},
    {{{"generation", {"a3"}}, {"server", {"a=10.0.0.1"}}},
     {"--super-device-ids: is missing for a: cards of Atlas A3 have a number in their super pod"}},
    {{{"generation", {"a3"}}, {"server", {"a=10.0.0.1"}}, {"super-device-ids", {"a=1,2"}}},
     {"--super-device-ids: has 2 numbers for the 1 cards of a",
      "--super-device-ids: is missing for a: cards of Atlas A3 have a number in their super pod"}},
    {{{"generation", {"a3"}},
      {"server", {"a=10.0.0.1", "b=10.0.0.2"}},
      {"super-device-ids", {"a=1", "b=1"}}},
     {"--super-device-ids: has 1 twice in super pod 0"}},
    {{{"generation", {"910"}}},
     {"--server, --hccn: give the servers with the addresses of their cards (--server), or their "
      "/etc/hccn.conf (--hccn)"}},
    {{{"generation", {"950"}}, {"server", {"a=10.0.0.1"}}},
     {"--server: is not used here; it goes with --generation 910, --generation a2, --generation "
      "a3"}},
};

INSTANTIATE_TEST_SUITE_P(All, WrongTables, testing::ValuesIn(kWrongTables));

TEST(Environment, RefusesVisibleCardsThatDoNotAscend) {
  EXPECT_EQ(MistakesOf(Make("env", {{"ASCEND_RT_VISIBLE_DEVICES", {"3,1"}}})),
            std::vector<std::string>{"--ASCEND_RT_VISIBLE_DEVICES: is not ascending; the driver "
                                     "takes cards in ascending order only"});
  EXPECT_EQ(MistakesOf(Make("env", {{"ASCEND_RT_VISIBLE_DEVICES", {"0, 1"}}})),
            std::vector<std::string>{
                "--ASCEND_RT_VISIBLE_DEVICES: is \"0, 1\"; write numbers with commas and without "
                "spaces, such as 0,1,2,3: a space ends the list"});
  EXPECT_TRUE(MistakesOf(Make("env", {{"ASCEND_RT_VISIBLE_DEVICES", {"0,9,10"}}})).empty());
}

TEST(Environment, RefusesTwoWaysBetweenTheCardsOfAServer) {
  EXPECT_EQ(MistakesOf(Make(
                "env", {{"HCCL_INTRA_PCIE_ENABLE", {"1"}}, {"HCCL_INTRA_ROCE_ENABLE", {"1"}}})),
            std::vector<std::string>{"--HCCL_INTRA_ROCE_ENABLE: cards of a server use PCIe or "
                                     "RoCE; set one of the two to 0"});
}

}  // namespace
}  // namespace transplt
