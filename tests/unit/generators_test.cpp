// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "generators/dump_estimate.h"
#include "generators/generator_kind.h"
#include "generators/host_checks.h"
#include "temp_folder.h"

namespace transplt {

void PrintTo(const GeneratorKind& kind, std::ostream* out) { *out << kind.name; }

namespace {

using Json = nlohmann::ordered_json;

/// Options with which each kind generates something.
GivenOptions EnoughFor(std::string_view kind) {
  static const std::map<std::string_view, GivenOptions> kOptions = {
      {"acl-json", {{"dump-path", {"/d"}}}},
      {"dump-json", {{"dump-path", {"/d"}}}},
      {"mindspore-dump", {{"path", {"/d"}}, {"net-name", {"n"}}, {"sync", {"true"}}}},
      {"mindspore-rdr", {{"path", {"/d"}}}},
      {"msprobe-config", {{"dump-path", {"d"}}}},
      {"ptdbg-script", {{"dump-path", {"d"}}}},
      {"op-select", {{"mode", {"high_precision"}}}},
      {"env", {}},
      {"profiling-script", {{"path", {"p"}}}},
      {"aoe-script", {{"model-path", {"m"}}}},
      {"op-info-script", {}},
      {"single-op-test", {{"op", {"torch.max"}}, {"input", {"2x3:float32"}}}},
      {"launch", {{"entry", {"train.py"}}}},
      {"rank-table", {{"generation", {"910"}}, {"server", {"node=10.0.0.1"}}}},
      {"onnx-export", {{"model", {"m:M"}}, {"input", {"x:1x3"}}}},
  };
  const auto found = kOptions.find(kind);
  return found == kOptions.end() ? GivenOptions() : found->second;
}

class EachKind : public testing::TestWithParam<GeneratorKind> {};

TEST_P(EachKind, HasASchemaWhoseOptionsAreDescribedInTwoLanguages) {
  const auto schema = ConfigSchema::Parse(GetParam().schema());
  ASSERT_TRUE(schema) << schema.error().what.en;
  ASSERT_FALSE(schema->Options().empty());
  for (const ConfigOption& option : schema->Options()) {
    EXPECT_FALSE(option.what.en.empty()) << option.name;
    EXPECT_NE(option.what.en, option.what.zh) << option.name;
  }
}

TEST_P(EachKind, GeneratesFromFewOptions) {
  const auto generated = Generate(GetParam(), EnoughFor(GetParam().name));
  ASSERT_TRUE(generated) << generated.error().what.en;
  for (const Error& mistake : generated->mistakes) {
    ADD_FAILURE() << mistake.where << ": " << mistake.what.en;
  }
  ASSERT_FALSE(generated->files.empty());
  for (const GeneratedFile& file : generated->files) {
    ASSERT_FALSE(file.text.empty());
    EXPECT_EQ(file.text.back(), '\n');
    EXPECT_FALSE(file.text.ends_with("\n\n"));
  }
}

TEST_P(EachKind, WritesJsonThatItsOwnSchemaAccepts) {
  const auto generated = Generate(GetParam(), EnoughFor(GetParam().name));
  ASSERT_TRUE(generated);
  const auto schema = ConfigSchema::Parse(GetParam().schema());
  const auto document = JsonDocument::Parse("x.json", generated->configuration);
  ASSERT_TRUE(document);
  for (const ConfigMistake& mistake : schema->Check(*document)) {
    EXPECT_TRUE(mistake.is_note) << mistake.what.en;
  }
}

/// The names that a template may use without a value of the schema.
bool IsKnownTag(const std::string& tag, const Json& properties) {
  constexpr std::array<std::string_view, 7> kOwn = {"members", "name", "value",  "text",
                                                    "key",     "what", "op_name"};
  if (std::find(kOwn.begin(), kOwn.end(), tag) != kOwn.end()) return true;
  if (properties.contains(tag)) return true;
  if (tag.starts_with("has_") && properties.contains(tag.substr(4))) return true;
  const size_t is = tag.find("_is_");
  if (is == std::string::npos || !properties.contains(tag.substr(0, is))) return false;
  const Json& property = properties.at(tag.substr(0, is));
  if (property.at("type") == "boolean") return tag.ends_with("_true") || tag.ends_with("_false");
  const Json& choices = property.at("enum");
  return std::find(choices.begin(), choices.end(), tag.substr(is + 4)) != choices.end();
}

TEST_P(EachKind, UsesInItsTemplateOnlyWhatTheSchemaKnows) {
  if (GetParam().script == nullptr) return;
  const std::string text(GetParam().script());
  const Json properties = Json::parse(GetParam().schema()).at("properties");
  const std::regex tag(R"(\{\{\{?[#^/]?([A-Za-z0-9_]+)\}\})");
  size_t count = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), tag), end; at != end; ++at, ++count) {
    EXPECT_TRUE(IsKnownTag((*at)[1], properties)) << (*at)[1];
  }
  EXPECT_GT(count, 0u);
}

/// Every value of a schema that a pointer leads to.
void AddPointers(const Json& node, const std::string& at, std::vector<std::string>& pointers) {
  pointers.push_back(at);
  if (!node.contains("properties")) return;
  for (const auto& [name, member] : node.at("properties").items()) {
    AddPointers(member, at + "/" + name, pointers);
  }
}

TEST_P(EachKind, ExplainsEveryRefusalOfItsSchema) {
  const auto schema = ConfigSchema::Parse(GetParam().schema());
  const auto good = Generate(GetParam(), EnoughFor(GetParam().name));
  ASSERT_TRUE(good);
  std::vector<std::string> pointers;
  AddPointers(Json::parse(GetParam().schema()), "", pointers);
  const std::vector<Json> wrong = {
      nullptr,       true,           -1,         99,      1.5,       "", "wrong \xE4\xBD\xA0",
      Json::array(), Json::object(), {"a", "a"}, {-1, 8}, {{"x", 1}}};
  size_t refused = 0;
  for (const std::string& pointer : pointers) {
    for (const Json& value : wrong) {
      Json configuration = Json::parse(good->configuration);
      configuration[Json::json_pointer(pointer)] = value;
      const auto document = JsonDocument::Parse("x.json", configuration.dump());
      ASSERT_TRUE(document);
      for (const ConfigMistake& mistake : schema->Check(*document)) {
        ++refused;
        EXPECT_NE(mistake.what.en, "does not fit the schema") << pointer << " " << value;
        EXPECT_NE(mistake.what.en, mistake.what.zh);
      }
    }
  }
  EXPECT_GT(refused, 0u);
}

INSTANTIATE_TEST_SUITE_P(All, EachKind, testing::ValuesIn(GeneratorKinds()));

TEST(Generate, KeepsTheOrderOfTheSchema) {
  const auto generated =
      Generate(*FindGeneratorKind("acl-json"), {{"dump-mode", {"input"}}, {"dump-path", {"/d"}}});
  ASSERT_TRUE(generated);
  EXPECT_EQ(generated->files.at(0).text, R"({
    "dump": {
        "dump_list": [],
        "dump_path": "/d",
        "dump_mode": "input",
        "dump_op_switch": "on"
    }
}
)");
}

TEST(Generate, DumpsNamedOperatorsOfMindsporeOnly) {
  const auto generated =
      Generate(*FindGeneratorKind("mindspore-dump"), {{"path", {"/d"}},
                                                      {"net-name", {"n"}},
                                                      {"async", {"true"}},
                                                      {"kernels", {"Default/Conv-op12"}}});
  ASSERT_TRUE(generated);
  const Json json = Json::parse(generated->files.at(0).text);
  EXPECT_EQ(json["common_dump_settings"]["dump_mode"], 1);
  EXPECT_EQ(json["async_dump_settings"], Json::parse(R"({"enable": true, "op_debug_mode": 0})"));
  EXPECT_FALSE(json.contains("e2e_dump_settings"));
}

TEST(Generate, WritesOnlyTheSectionOfTheTask) {
  const auto generated =
      Generate(*FindGeneratorKind("msprobe-config"),
               {{"dump-path", {"d"}}, {"task", {"tensor"}}, {"step", {"0,4-6"}}});
  ASSERT_TRUE(generated);
  const Json json = Json::parse(generated->files.at(0).text);
  EXPECT_TRUE(json.contains("tensor"));
  EXPECT_FALSE(json.contains("statistics"));
  EXPECT_EQ(json["step"], Json::parse(R"([0, "4-6"])"));
}

TEST(Generate, RefusesWhatIsNotUtf8) {
  const auto generated = Generate(*FindGeneratorKind("acl-json"), {{"dump-path", {"/d\xFF"}}});
  ASSERT_TRUE(generated);
  ASSERT_EQ(generated->mistakes.size(), 1u);
  EXPECT_EQ(generated->mistakes[0].where, "--dump-path");
  EXPECT_EQ(generated->mistakes[0].what.en, "is not UTF-8");
}

TEST(RenderScript, KeepsBlankLinesAndDropsThoseOfTags) {
  const auto schema = ConfigSchema::Parse(FindGeneratorKind("aoe-script")->schema());
  const auto text = RenderScript(
      "a\n{{#has_model_path}}\n\nb {{model_path}}\n{{/has_model_path}}\n\nc\n"
      "{{#has_job_type}}\nd\n{{/has_job_type}}\ne\n{{^has_job_type}}\nf\n{{/has_job_type}}\n\ng\n",
      R"({"model_path": "m"})", *schema, OutputLanguage::kShell);
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, "a\n\nb m\n\nc\ne\nf\n\ng\n");
}

TEST(Literal, CannotBeTakenForCode) {
  using enum OutputLanguage;
  EXPECT_EQ(Literal(R"("it's $HOME; `x`")", kShell), R"('it'\''s $HOME; `x`')");
  EXPECT_EQ(Literal(R"("")", kShell), "''");
  EXPECT_EQ(Literal("3", kShell), "3");
  EXPECT_EQ(Literal(R"("a\"b\n")", kPython), R"("a\"b\n")");
  EXPECT_EQ(Literal(R"({"a": [true, null, 0.5]})", kPython), R"({"a": [True, None, 0.5]})");
}

std::vector<std::string> Estimate(const char* kind, const GivenOptions& given,
                                  const EstimateInputs& inputs) {
  const GeneratorKind* row = FindGeneratorKind(kind);
  const auto schema = ConfigSchema::Parse(row->schema());
  const auto generated = Generate(*row, given);
  const auto lines = EstimateDump(*schema, generated->configuration, inputs);
  if (!lines) return {lines.error().what.en};
  std::vector<std::string> texts;
  for (const Text& line : *lines) texts.push_back(line.en);
  return texts;
}

TEST(DumpEstimate, MultipliesWhatIsGivenAndShowsTheFormula) {
  EstimateInputs inputs;
  inputs.bytes_per_step = ReadBytes("1.5G");
  inputs.files_per_step = 1000;
  inputs.write_rate = ReadBytes("800M");
  EXPECT_EQ(Estimate("msprobe-config",
                     {{"dump-path", {"d"}}, {"step", {"0,4-6"}}, {"rank", {"0", "7"}}}, inputs),
            (std::vector<std::string>{
                "size = bytes per step and device 1610612736 x steps 4 x devices 2 = 12.0 GiB",
                "files = files per step and device 1000 x steps 4 x devices 2 = 8000",
                "time to write = size 12.0 GiB / write rate 800.0 MiB/s = 15 s, at least"}));
}

TEST(DumpEstimate, InventsNothing) {
  const auto lines = Estimate("acl-json", {{"dump-path", {"d"}}}, {});
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0],
            "size = bytes per step and device x steps x devices: unknown, give --bytes-per-step, "
            "--steps, --devices");
}

TEST(DumpEstimate, KnowsThatIterationZeroOfMindsporeIsAll) {
  EstimateInputs inputs;
  inputs.bytes_per_step = 100;
  inputs.steps = 50;
  const auto lines = Estimate("mindspore-dump",
                              {{"path", {"/d"}}, {"net-name", {"n"}}, {"sync", {"true"}}}, inputs);
  EXPECT_EQ(lines[0], "size = bytes per step and device 100 x steps 50 x devices 8 = 39.1 KiB");
}

TEST(DumpEstimate, RefusesAKindThatTakesNoDump) {
  EXPECT_EQ(Estimate("env", {}, {}), std::vector<std::string>{"this kind of file takes no dump"});
}

TEST(DumpEstimate, ReadsBytesWithUnits) {
  EXPECT_EQ(ReadBytes("800M"), 800.0 * 1024 * 1024);
  EXPECT_EQ(ReadBytes("12"), 12.0);
  EXPECT_EQ(ReadBytes("2k"), 2048.0);
  EXPECT_EQ(ReadBytes("many"), std::nullopt);
  EXPECT_EQ(ReadBytes(""), std::nullopt);
  EXPECT_EQ(ReadBytes("-1"), std::nullopt);
}

/// A machine in a folder, with no variables unless a test sets them.
class HostChecks : public testing::Test {
 protected:
  const HostCheck& Check(const std::string& what) {
    const Host host{folder_.path(), [this](const std::string& name) -> std::optional<std::string> {
                      const auto found = variables_.find(name);
                      if (found == variables_.end()) return std::nullopt;
                      return found->second;
                    }};
    checks_ = CheckHost(host, dump_path_);
    return *std::find_if(checks_.begin(), checks_.end(),
                         [&what](const HostCheck& check) { return check.what.en == what; });
  }

  TempFolder folder_;
  std::map<std::string, std::string> variables_;
  std::string dump_path_;
  std::vector<HostCheck> checks_;
};

TEST_F(HostChecks, GuessNothingAboutWhatCannotBeRead) {
  for (const char* what : {"CPU frequency", "power policy of the BIOS", "memory", "NVMe disks",
                           "driver and firmware", "Pillow, on x86"}) {
    const HostCheck& check = Check(what);
    EXPECT_EQ(check.state, HostCheck::State::kUnknown) << what;
    EXPECT_TRUE(check.found.empty()) << what;
    EXPECT_FALSE(check.remedy.empty()) << what;
  }
}

TEST_F(HostChecks, CountTheGovernorsOfAllCpus) {
  folder_.Write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
  folder_.Write("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n");
  EXPECT_EQ(Check("CPU frequency").state, HostCheck::State::kGood);
  EXPECT_EQ(Check("CPU frequency").found.en, "performance (2 CPUs)");
  folder_.Write("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n");
  EXPECT_EQ(Check("CPU frequency").state, HostCheck::State::kDiffers);
  EXPECT_EQ(Check("CPU frequency").found.en, "performance (1 CPUs), powersave (1 CPUs)");
}

TEST_F(HostChecks, ReadMemoryAndDisks) {
  folder_.Write("proc/meminfo", "MemTotal:       791822336 kB\n");
  folder_.Write("sys/block/nvme0n1/size", "6251233968\n");
  EXPECT_EQ(Check("memory").found.en, "811 GB");
  EXPECT_EQ(Check("memory").state, HostCheck::State::kGood);
  EXPECT_EQ(Check("NVMe disks").found.en, "3.2 TB");
  EXPECT_EQ(Check("NVMe disks").state, HostCheck::State::kGood);
}

TEST_F(HostChecks, ShowVersionsThatOnlyATableOfTheVendorCanCompare) {
  folder_.Write("usr/local/Ascend/driver/version.info", "Version=23.0.3\n");
  folder_.Write("usr/local/Ascend/firmware/version.info", "Version=7.1.0.5.220\n");
  EXPECT_EQ(Check("driver and firmware").found.en,
            "driver Version=23.0.3, firmware Version=7.1.0.5.220");
  EXPECT_EQ(Check("driver and firmware").state, HostCheck::State::kUnknown);
}

TEST_F(HostChecks, CompareVariablesWithTheGuide) {
  variables_ = {{"TASK_QUEUE_ENABLE", "1"}, {"ASCEND_GLOBAL_LOG_LEVEL", "1"}};
  EXPECT_EQ(Check("TASK_QUEUE_ENABLE").state, HostCheck::State::kGood);
  EXPECT_EQ(Check("ASCEND_GLOBAL_LOG_LEVEL").state, HostCheck::State::kDiffers);
  EXPECT_EQ(Check("PTCOPY_ENABLE").found.en, "not set");
}

TEST_F(HostChecks, LookAtTheFolderForDumps) {
  dump_path_ = folder_.path();
  EXPECT_EQ(Check("folder for dumps").state, HostCheck::State::kGood);
  dump_path_ = folder_ / "missing";
  EXPECT_EQ(Check("folder for dumps").state, HostCheck::State::kDiffers);
  EXPECT_EQ(Check("folder for dumps").remedy.en, "mkdir -p " + dump_path_);
}

}  // namespace
}  // namespace transplt
