// SPDX-License-Identifier: Apache-2.0
#include "transplt/analysis/operators.h"

#include <gtest/gtest.h>

namespace transplt {
namespace {

constexpr std::string_view kTable =
    "----------------------  ----------  ------------  \n"
    "                  Name    Self CPU    # of Calls  \n"
    "----------------------  ----------  ------------  \n"
    "          aten::conv2d     1.000us             2  \n"
    "       Optimizer.step#     1.000us             1  \n"
    "  autograd::engine::x:     1.000us             1  \n"
    "torch::autograd::Accum     1.000us             1  \n"
    "          aten::conv2d     1.000us             3  \n"
    "   aten::a_long_nam...     1.000us             1  \n"
    "----------------------  ----------  ------------  \n"
    "Self CPU time total: 15.9ms\n";

std::string ErrorOf(std::string_view text) {
  const auto operators = ReadOperators("ops.txt", text);
  return operators ? "" : operators.error().where + ": " + operators.error().what.en;
}

TEST(ReadOperators, TakesTheOperatorsOfATableOfTheProfilerWithTheirCalls) {
  const auto operators = ReadOperators("ops.txt", kTable);
  ASSERT_TRUE(operators);
  ASSERT_EQ(operators->size(), 2U);
  EXPECT_EQ(operators->at(0).name, "aten::conv2d");
  EXPECT_EQ(operators->at(0).calls, 5U);
  EXPECT_EQ(operators->at(1).name, "aten::a_long_nam...");
}

TEST(ReadOperators, TakesAListOfNames) {
  const auto operators =
      ReadOperators("ops.txt", "# mine\naten::add.Tensor\r\n\n  torch.relu\naten::add.Tensor");
  ASSERT_TRUE(operators);
  ASSERT_EQ(operators->size(), 2U);
  EXPECT_EQ(operators->at(0).name, "aten::add.Tensor");
  EXPECT_EQ(operators->at(1).name, "torch.relu");
}

TEST(ReadOperators, NamesTheLineThatIsNoOperator) {
  EXPECT_TRUE(ErrorOf("aten::add\nimport torch\n").starts_with("ops.txt:2: \"import torch\""));
  EXPECT_TRUE(ErrorOf("{\"aten::add\": 1}").starts_with("ops.txt:1: "));
  EXPECT_TRUE(ErrorOf("::\n").starts_with("ops.txt:1: "));
}

TEST(ReadOperators, RefusesAFileWithoutOperators) {
  EXPECT_EQ(ErrorOf(""), "ops.txt: the file names no operator");
  EXPECT_EQ(ErrorOf("----  ----\nName  x\n----  ----\n"),
            "ops.txt: the table names no operator such as aten::add");
}

struct Case {
  const char* name;
  Support support;
  const char* api;
};

class GradeOfAnOperator : public testing::TestWithParam<Case> {};

TEST_P(GradeOfAnOperator, IsThatOfTheApiBehindIt) {
  static const ApiSupport support;
  const ApiSupport::Grade grade = GradeOfOperator(GetParam().name, support);
  EXPECT_EQ(grade.api, GetParam().api);
  EXPECT_EQ(grade.support, GetParam().support);
}

INSTANTIATE_TEST_SUITE_P(
    Of, GradeOfAnOperator,
    testing::Values(
        Case{"aten::adaptive_max_pool2d_backward", Support::kUnsupported,
             "torch.nn.functional.adaptive_max_pool2d"},
        Case{"aten::native_layer_norm", Support::kLimited, "torch.nn.functional.layer_norm"},
        Case{"aten::_softmax_backward_data", Support::kLimited, "torch.softmax"},
        Case{"aten::add_.Tensor", Support::kLimited, "torch.Tensor.add_"},
        Case{"aten::upsample_bilinear2d.vec", Support::kLimited, "torch.nn.functional.interpolate"},
        Case{"aten::rnn_tanh", Support::kUnsupported, "torch.nn.RNN"},
        Case{"aten::lift_fresh", Support::kSupported, ""},
        Case{"aten::no_such_operator", Support::kUnknown, ""},
        Case{"aten::add_and_more_tha...", Support::kUnknown, ""},
        Case{"torchvision::nms", Support::kUnknown, ""},
        Case{"torch.unique_consecutive", Support::kUnsupported, "torch.unique_consecutive"}));

}  // namespace
}  // namespace transplt
