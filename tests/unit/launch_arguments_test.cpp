// SPDX-License-Identifier: Apache-2.0
#include "transplt/commands/launch_arguments.h"

#include <gtest/gtest.h>

namespace transplt {
namespace {

EntryArgument Option(std::string name, ArgumentRole role = ArgumentRole::kOther,
                     bool required = false) {
  EntryArgument argument;
  argument.name = std::move(name);
  argument.role = role;
  argument.required = required;
  return argument;
}

EntryArgument Positional(std::string name, ArgumentRole role = ArgumentRole::kOther) {
  EntryArgument argument = Option(std::move(name), role, true);
  argument.positional = true;
  return argument;
}

EntryArgument Flag(std::string name) {
  EntryArgument argument = Option(std::move(name));
  argument.takes_value = false;
  return argument;
}

EntryPoint Entry(StartStyle start, std::vector<EntryArgument> arguments,
                 std::vector<std::string> example) {
  EntryPoint entry;
  entry.path = "train.py";
  entry.start = start;
  entry.arguments = std::move(arguments);
  entry.example_arguments = std::move(example);
  return entry;
}

constexpr auto kEnvironment = StartStyle::kEnvironment;

TEST(LaunchArguments, AreThoseOfTheExample) {
  const auto arguments = ArgumentsOf(Entry(kEnvironment, {Option("--lr"), Flag("--fp16")},
                                           {"--lr", "1e-3", "--fp16", "--name=a b"}));
  EXPECT_EQ(arguments.words, "--lr 1e-3 --fp16 --name='a b'");
  EXPECT_TRUE(arguments.left_out.empty());
  EXPECT_TRUE(arguments.missing.empty());
}

TEST(LaunchArguments, TakeTheDataFromTheLauncher) {
  const EntryArgument data = Option("--data", ArgumentRole::kData);
  EXPECT_EQ(ArgumentsOf(Entry(kEnvironment, {data}, {"--data", "/path/to/imagenet"})).words,
            "--data \"$data_path\"");
  EXPECT_EQ(ArgumentsOf(Entry(kEnvironment, {data}, {"--data=<your data>"})).words,
            "--data=\"$data_path\"");
  EXPECT_EQ(ArgumentsOf(Entry(kEnvironment, {data}, {"--data", "data/small"})).words,
            "--data data/small")
      << "a folder of the project";
}

TEST(LaunchArguments, PutTheDataInThePlaceOfSeveralWordsThatDescribeIt) {
  const auto arguments =
      ArgumentsOf(Entry(kEnvironment, {Positional("data", ArgumentRole::kData), Option("-a")},
                        {"-a", "resnet18", "[folder", "with", "images]"}));
  EXPECT_EQ(arguments.words, "-a resnet18 \"$data_path\"");
  EXPECT_TRUE(arguments.missing.empty());
}

TEST(LaunchArguments, LeaveOutPlaceholdersAndSaySo) {
  const auto arguments =
      ArgumentsOf(Entry(kEnvironment, {Option("--out"), Option("--lr")},
                        {"--out", "/path/to/out", "--lr", "1", "$FLAGS", "{name}", "--cache=~/x"}));
  EXPECT_EQ(arguments.words, "--lr 1");
  EXPECT_EQ(arguments.left_out, (std::vector<std::string>{"--out", "$FLAGS", "{name}", "--cache"}));
}

TEST(LaunchArguments, NameRequiredOnesWithoutAValue) {
  const EntryPoint entry = Entry(
      kEnvironment,
      {Option("--config", ArgumentRole::kOther, true), Option("--data", ArgumentRole::kData, true),
       Option("--name", ArgumentRole::kOther, true)},
      {"--config", "<config>"});
  const auto arguments = ArgumentsOf(entry);
  EXPECT_EQ(arguments.missing, (std::vector<std::string>{"--config", "--name"}));
  EXPECT_EQ(arguments.words, "--data \"$data_path\"");
}

TEST(LaunchArguments, OfAScriptThatStartsItsProcessesNameTheServers) {
  EntryPoint entry = Entry(
      StartStyle::kSpawns,
      {Option("--world-size", ArgumentRole::kWorldSize), Option("--rank", ArgumentRole::kRank),
       Option("--dist-url", ArgumentRole::kDistUrl), Flag("--spawn")},
      {"--world-size", "1", "--rank", "0"});
  entry.start_option = "--spawn";
  EXPECT_EQ(ArgumentsOf(entry).words,
            "--world-size \"$nodes\" --rank \"$node_rank\" --spawn --dist-url "
            "\"tcp://$MASTER_ADDR:$MASTER_PORT\"");
}

TEST(LaunchArguments, LeaveRanksToTheLauncher) {
  const std::vector<EntryArgument> options = {Option("--local_rank", ArgumentRole::kLocalRank),
                                              Option("--rank", ArgumentRole::kRank, true),
                                              Option("--lr")};
  const std::vector<std::string> example = {"--local_rank", "0", "--rank=3", "--lr", "1"};
  EXPECT_EQ(ArgumentsOf(Entry(kEnvironment, options, example)).words, "--lr 1");
  EntryPoint by_rank = Entry(StartStyle::kDevice, options, example);
  by_rank.start_option = "--rank";
  EXPECT_EQ(ArgumentsOf(by_rank).words, "--lr 1");
  EXPECT_TRUE(ArgumentsOf(by_rank).missing.empty());
}

TEST(LaunchArguments, PutNotAllProcessesOnTheCardOfTheExample) {
  const EntryArgument gpu = Option("--gpu", ArgumentRole::kDevice);
  EXPECT_EQ(ArgumentsOf(Entry(kEnvironment, {gpu}, {"--gpu", "0"})).words, "");
  EXPECT_EQ(ArgumentsOf(Entry(StartStyle::kSingle, {gpu}, {"--gpu", "1"})).words, "--gpu 1");
  EXPECT_EQ(ArgumentsOf(Entry(kEnvironment, {gpu}, {"--gpu", "npu"})).words, "--gpu npu");
}

TEST(LaunchArguments, NameTheBackendOfNpus) {
  const EntryArgument backend = Option("--dist-backend", ArgumentRole::kBackend);
  EXPECT_EQ(ArgumentsOf(Entry(kEnvironment, {backend}, {"--dist-backend", "nccl"})).words,
            "--dist-backend hccl");
  EXPECT_EQ(ArgumentsOf(Entry(kEnvironment, {backend}, {"--dist-backend", "gloo"})).words,
            "--dist-backend gloo");
}

TEST(LaunchArguments, KeepValuesThatBeginWithAMinus) {
  EXPECT_EQ(ArgumentsOf(Entry(kEnvironment, {Option("--shift"), Option("--lr")},
                              {"--shift", "-1.5", "--lr", "-.5"}))
                .words,
            "--shift -1.5 --lr -.5");
}

}  // namespace
}  // namespace transplt
