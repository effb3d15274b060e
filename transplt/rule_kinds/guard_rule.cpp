// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/guard_signatures.h"
#include "transplt/rule_kinds/rule_kind_rows.h"

namespace transplt {
namespace {

/// Says what asks for a device and what only CUDA can run. It finds nothing itself: what a
/// condition protects is decided once all rules have looked at the file.
class GuardRule : public Rule {
 public:
  GuardRule(RuleHeader header, const Fields& fields) : Rule(std::move(header)) {
    signatures_.rule_id = id();
    signatures_.availability = fields.List("availability");
    signatures_.which_gpu = fields.List("which_gpu");
    signatures_.unanswered = fields.List("unanswered");
    signatures_.attributes = fields.List("attributes");
    signatures_.values = fields.List("values");
    signatures_.host = fields.String("host");
    signatures_.skip_if = fields.List("skip_if");
    signatures_.skip_unless = fields.List("skip_unless");
    signatures_.leaves = fields.List("leaves");
    signatures_.cuda_only = fields.List("cuda_only");
    signatures_.builders = fields.List("builders");
    signatures_.program_files = fields.List("program_files");
    signatures_.toolkit = fields.List("toolkit");
    signatures_.source_suffix = fields.String("source_suffix");
    signatures_.build_options = fields.List("build_options");
    signatures_.build_flags = fields.List("build_flags");
    signatures_.features = fields.List("features");
    signatures_.kernel_suffix = fields.String("kernel_suffix");
    signatures_.transfers = fields.List("transfers");
    signatures_.words = fields.List("words");
    signatures_.target_words = fields.List("target_words");
    signatures_.shared_words = fields.List("shared_words");
    signatures_.sharers = fields.List("sharers");
  }

  const GuardSignatures* guard_signatures() const override { return &signatures_; }

  std::vector<Trigger> triggers() const override { return {}; }
  WordSets required_words() const override {
    WordSets words;
    for (const std::string& value : signatures_.values) words.push_back({value});
    for (const std::string& attribute : signatures_.attributes) words.push_back({attribute});
    return words;
  }

  void Check(Node /*node*/, const FileContext& /*file*/, Findings& /*findings*/) const override {}

 private:
  GuardSignatures signatures_;
};

FieldSpec Names(std::string_view name, std::string_view description) {
  return {name, FieldType::kStringList, false, description};
}

}  // namespace

RuleKind GuardRuleKind() {
  return {
      "GuardRule",
      "Says what asks for the device of the program, and what only that device can run. A "
      "condition before what only CUDA runs stays as it is and is reported; so does the CUDA side "
      "of a program that serves the other device already.",
      {{"values", FieldType::kStringList, true, "What a device or a backend is compared with."},
       Names("availability", "Functions that ask whether the machine has the device."),
       Names("which_gpu", "Functions and attributes that ask for one kind of GPU."),
       Names("unanswered", "Functions that give None where there is no CUDA."),
       Names("attributes", "Attributes of tensors that ask for the device: is_cuda."),
       {"host", FieldType::kString, false, "The name of the device that is always there: cpu."},
       Names("skip_if", "Decorators that skip a test where their condition holds."),
       Names("skip_unless", "Decorators that skip a test where their condition does not hold."),
       Names("leaves", "Functions that do not return: sys.exit."),
       Names("cuda_only", "Names that only CUDA has, besides the rules with \"cuda_only\"."),
       Names("builders", "Functions that compile sources when they are called."),
       Names("toolkit", "Values that are None without the CUDA toolkit, by their full names."),
       Names("program_files", "Files that lie at the root of a program: setup.py."),
       {"source_suffix", FieldType::kString, false, "How sources of CUDA end: .cu."},
       Names("build_options", "Names for what is built for CUDA alone: extra_cuda_cflags."),
       Names("build_flags", "How options of a compiler begin: -D."),
       Names("features", "Parts of names, in lower case, that hint at a feature of CUDA: fused."),
       {"kernel_suffix", FieldType::kString, false,
        "How the name of a function ends that hints at a kernel: _cuda."},
       Names("words", "Words that name the device of the program, in lower case."),
       Names("target_words",
             "The words for the other device, each at the place of its "
             "counterpart in \"words\"."),
       Names("shared_words",
             "Those of \"target_words\" that a third device has too: beside its name they alone "
             "do not show that the other device is served."),
       Names("sharers", "Words that name the third device, in lower case."),
       Names("transfers",
             "Modules whose import makes calls for the device of the program work on the other "
             "one.")},
      MakeRule<GuardRule>};
}

}  // namespace transplt
