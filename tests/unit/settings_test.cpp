// SPDX-License-Identifier: Apache-2.0
#include "transplt/programs/settings.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace transplt {
namespace {

using Texts = std::vector<std::string>;

TEST(SettingsTest, KeepsEachSettingOnceInAlphabeticalOrder) {
  const Settings settings(Texts{"cfg.flash", "--flash", "cfg.flash"});
  EXPECT_EQ(settings.texts(), (Texts{"--flash", "cfg.flash"}));
}

TEST(SettingsTest, HasChangedOnlyWhereASettingIsNew) {
  Settings settings("--flash");
  EXPECT_FALSE(settings.Add("--flash"));
  EXPECT_FALSE(settings.Add(Settings()));
  EXPECT_TRUE(settings.Add(Settings(Texts{"--flash", "--fused"})));
  EXPECT_EQ(settings.texts(), (Texts{"--flash", "--fused"}));
}

TEST(SettingsTest, KeepsTheFirstEightOfMany) {
  Settings settings(Texts{"b", "c", "d", "e", "f", "g", "h", "i"});
  EXPECT_FALSE(settings.Add("j"));
  EXPECT_TRUE(settings.Add("a"));
  EXPECT_EQ(settings.texts(), (Texts{"a", "b", "c", "d", "e", "f", "g", "h"}));
}

TEST(SettingsTest, ACopyStaysAsItIsWhenTheOtherOneChanges) {
  Settings settings("--flash");
  const Settings copy = settings;
  settings.Add("--fused");
  EXPECT_EQ(copy, Settings("--flash"));
  EXPECT_NE(copy, settings);
}

TEST(SettingsTest, WithoutAnyIsEmpty) {
  EXPECT_TRUE(Settings().empty());
  EXPECT_TRUE(Settings(Texts{}).empty());
  EXPECT_EQ(Settings(Texts{}), Settings());
}

}  // namespace
}  // namespace transplt
