// SPDX-License-Identifier: Apache-2.0
#include "transplt/programs/tensorflow_programs.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/unit/project_on_disk.h"
#include "transplt/facts/training_apis.h"

namespace transplt {
namespace {

using Files = std::map<std::string, std::string>;

constexpr TensorflowMode kSessions = TensorflowMode::kSessions;
constexpr TensorflowMode kEager = TensorflowMode::kEager;
constexpr TensorflowMode kUnknown = TensorflowMode::kUnknown;

/// What the programs of the project do that run the file.
TensorflowUse UseIn(const Files& files, const std::string& path) {
  const ProjectOnDisk project(files);
  Result<TrainingApis> apis = TrainingApis::Load();
  EXPECT_TRUE(apis);
  const ProgramSources sources = project.sources();
  const ProjectPrograms programs(sources, *std::move(apis));
  const auto opened = sources.index.Open(path);
  const Classes classes(opened->names(), &sources.index);
  return TensorflowPrograms(programs).Of({opened->names(), classes, &sources.index});
}

TensorflowMode ModeOf(const Files& files, const std::string& path) {
  return UseIn(files, path).mode;
}

std::string Main(const std::string& imports, const std::string& body) {
  return imports + "\n\nif __name__ == '__main__':\n    " + body + "\n";
}

const std::string kTf = "import tensorflow as tf\n";

TEST(TensorflowPrograms, GoByWhatAProgramSwitchesOn) {
  const std::string v1 = "import tensorflow.compat.v1 as tf\n";
  EXPECT_EQ(ModeOf({{"a.py", Main(v1, "tf.enable_v2_behavior()")}}, "a.py"), kEager);
  EXPECT_EQ(ModeOf({{"a.py", Main(v1, "tf.placeholder(1); tf.enable_eager_execution()")}}, "a.py"),
            kEager);
  EXPECT_EQ(ModeOf({{"a.py", Main(kTf, "tf.GradientTape(); tf.compat.v1.disable_v2_behavior()")}},
                   "a.py"),
            kSessions);
  // Whoever starts the program decides.
  EXPECT_EQ(
      ModeOf({{"a.py", Main(v1, "if flag: tf.enable_v2_behavior()\n    tf.Session()")}}, "a.py"),
      kSessions);
}

TEST(TensorflowPrograms, GoByWhatOnlyOneOfTheVersionsHas) {
  EXPECT_EQ(ModeOf({{"a.py", Main(kTf, "tf.GradientTape(); tf.placeholder(1)")}}, "a.py"),
            kSessions);
  EXPECT_EQ(ModeOf({{"a.py", Main(kTf, "tf.enable_eager_execution()")}}, "a.py"), kSessions);
  EXPECT_EQ(ModeOf({{"a.py", Main(kTf, "tf.GradientTape(); tf.compat.v1.placeholder(1)")}}, "a.py"),
            kEager);
  EXPECT_EQ(ModeOf({{"a.py", Main(kTf, "tf.compat.v1.Session()")}}, "a.py"), kSessions);
  EXPECT_EQ(ModeOf({{"a.py", Main("import tensorflow.compat.v1 as tf", "tf.zeros(1)")}}, "a.py"),
            kSessions);
  EXPECT_EQ(ModeOf({{"a.py", Main(kTf, "tf.compat.v1.get_default_graph()")}}, "a.py"), kUnknown);
  EXPECT_EQ(ModeOf({{"a.py", Main("from mine import Session", "Session()")}}, "a.py"), kUnknown);
}

TEST(TensorflowPrograms, GiveAllFilesOfAProgramOneAnswer) {
  const Files files = {
      {"one/run.py", Main(kTf + "import data\n", "data.get(tf.Session())")},
      {"one/data.py", kTf + "def get(x):\n    return tf.zeros(x)\n"},
      {"two/run.py", Main(kTf + "import data\n", "data.get(tf.GradientTape())")},
      {"two/data.py", kTf + "def get(x):\n    return tf.compat.v1.get_variable(x)\n"},
  };
  EXPECT_EQ(ModeOf(files, "one/data.py"), kSessions);
  EXPECT_EQ(ModeOf(files, "two/data.py"), kEager);
}

TEST(TensorflowPrograms, LetAFileOfProgramsOfBothKindsTellByItself) {
  const Files files = {
      {"a.py", Main(kTf + "import data\n", "data.get(tf.Session())")},
      {"b.py", Main(kTf + "import data\n", "data.get(tf.GradientTape())")},
      {"data.py", kTf + "def get(x):\n    return tf.compat.v1.placeholder(x)\n"},
  };
  EXPECT_EQ(ModeOf(files, "data.py"), kSessions);
}

TEST(TensorflowPrograms, KnowWhichOfThemTrain) {
  const Files files = {
      {"train.py", Main(kTf + "import data\n", "optimizer.minimize(data.get())")},
      {"predict.py", Main(kTf + "import other\n", "print(model(other.get()))")},
      {"data.py", kTf + "def get():\n    return tf.zeros(1)\n"},
      {"other.py", kTf + "def get():\n    return tf.zeros(1)\n"},
  };
  EXPECT_TRUE(UseIn(files, "data.py").trains);
  EXPECT_FALSE(UseIn(files, "other.py").trains);
  EXPECT_FALSE(UseIn(files, "predict.py").trains);
}

}  // namespace
}  // namespace transplt
