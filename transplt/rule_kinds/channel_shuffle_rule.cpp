// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>

#include "transplt/base/text_parts.h"
#include "transplt/python/statement.h"
#include "transplt/rule_kinds/channel_shuffle.h"
#include "transplt/rule_kinds/rule_kind_rows.h"

namespace transplt {
namespace {

/// Writes the shuffle of channels (view, transpose, contiguous, view) as one call of the module
/// that is written beside the program: an index_select, which is a computation on the NPU and not a
/// copy of views, by an index that stays on the device.
class ChannelShuffleRule : public Rule {
 public:
  explicit ChannelShuffleRule(RuleHeader header) : Rule(std::move(header)) {}

  std::vector<Trigger> triggers() const override { return {{NodeKind::kCall, "contiguous"}}; }

  WordSets required_words() const override { return {{"contiguous"}}; }

  void Check(Node node, const FileContext& file, Findings& findings) const override {
    const std::optional<ChannelShuffle> shuffle = ChannelShuffleAt(node, file);
    if (!shuffle) return;
    const TextRange result = shuffle->result.range();
    Finding finding =
        Found({shuffle->view ? shuffle->view.range().start : result.start, result.end});
    for (const Node statement : {shuffle->view, shuffle->swap}) {
      if (!statement) continue;
      const std::optional<Edit> removal = Remove(statement, file.source());
      if (!removal) return;
      finding.fix.edits.push_back(*removal);
    }
    finding.fix.Replace(result, Selection(shuffle->tensor.text(), shuffle->split));
    findings.push_back(std::move(finding));
  }

 private:
  /// `transplt_similar.shuffle_channels(x, groups)`.
  static std::string Selection(std::string_view tensor, const std::vector<Argument>& split) {
    return fmt::format("{}.shuffle_channels({}, {})", kSimilarModule, tensor,
                       split[1].value.text());
  }

  Finding Found(TextRange range) const {
    Finding finding = Change(
        range, Say("shuffle the channels by index_select, with an index that stays on the device",
                   "用 index_select 重排通道, 索引常驻设备"));
    finding.needs_import = fmt::format("import {}", kSimilarModule);
    return finding;
  }

  /// Takes a statement out with its lines; nothing if it shares them.
  static std::optional<Edit> Remove(Node statement, const SourceFile& source) {
    const StatementPlace place(statement, source);
    const uint32_t start = source.LineRange(source.Locate(statement.range().start).line).start;
    const std::string_view after =
        TextRange{statement.range().end, place.insertion()}.In(source.bytes());
    if (place.shares_line() || HasPart(after, '#')) return std::nullopt;
    return Edit{{start, place.insertion()}, ""};
  }
};

Result<std::unique_ptr<Rule>> MakeChannelShuffleRule(RuleHeader header, const Fields& /*fields*/) {
  return std::unique_ptr<Rule>(std::make_unique<ChannelShuffleRule>(std::move(header)));
}

}  // namespace

RuleKind ChannelShuffleRuleKind() {
  return {"ChannelShuffleRule",
          "Writes a shuffle of channels (view, transpose, contiguous, view) as "
          "transplt_similar.shuffle_channels, an index_select.",
          {},
          MakeChannelShuffleRule};
}

}  // namespace transplt
