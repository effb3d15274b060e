// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "transplt/base/plain_text.h"
#include "transplt/compare/comparison_table.h"
#include "transplt/compare/tensor_pair.h"

namespace transplt {
namespace {

constexpr size_t kHistograms = 12;
constexpr size_t kParts = 64;
constexpr size_t kShownRows = 5000;
constexpr size_t kPlotted = 4000;

constexpr std::string_view kStyle =
    "body{font:14px sans-serif;margin:2em;max-width:1200px}table{border-collapse:collapse}"
    "td,th{border:1px solid #ccc;padding:2px 6px;text-align:left;font-size:12px}"
    "tr.bad td{background:#fdd}tr.gone td{background:#fe9}svg{background:#fafafa;border:1px solid "
    "#ddd}figure{display:inline-block;margin:8px}figcaption{font-size:12px;max-width:360px;"
    "overflow-wrap:anywhere}";

bool IsMarked(const ComparedTensor& row) {
  return Differs(row) || row.verdict == PairVerdict::kUnreadable;
}

/// A point per compared tensor: order of the run against relative Euclidean distance.
std::string Plot(const Comparison& comparison) {
  std::vector<const ComparedTensor*> shown;
  for (const ComparedTensor& row : comparison.rows) {
    if (row.has_values && row.sums.count > 0) shown.push_back(&row);
  }
  const size_t step = shown.size() / kPlotted + 1;
  constexpr double kWidth = 1000;
  constexpr double kHeight = 260;
  constexpr double kLow = -12;  // powers of ten
  constexpr double kHigh = 2;
  std::string svg = fmt::format("<svg viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\">",
                                kWidth + 60, kHeight + 20);
  const auto y_of = [=](double power) {
    return 10 + kHeight * (kHigh - std::clamp(power, kLow, kHigh)) / (kHigh - kLow);
  };
  for (double power = kLow; power <= kHigh; power += 2) {
    svg += fmt::format(
        "<line x1=\"50\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#ddd\"/>"
        "<text x=\"4\" y=\"{:.1f}\" font-size=\"11\">1e{:.0f}</text>",
        kWidth + 50, y_of(power), y_of(power), y_of(power) + 4, power);
  }
  for (size_t i = 0; i < shown.size(); ++i) {
    if (i % step != 0 && !IsMarked(*shown[i])) continue;
    const double distance = shown[i]->metrics.relative_euclidean;
    const double power = distance > 0 ? std::log10(distance) : kLow;
    const double x = 50 + kWidth * (static_cast<double>(i) + 0.5) /
                              static_cast<double>(std::max<size_t>(shown.size(), 1));
    svg += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" fill=\"{}\"><title>{} "
        "{:.3g}</title></circle>",
        x, y_of(power), IsMarked(*shown[i]) ? "#c00" : "#28a", HtmlText(shown[i]->either().name),
        distance);
  }
  return svg + "</svg>\n";
}

/// The values of both tensors, A in red and B in blue.
std::string HistogramSvg(const ComparedTensor& row) {
  const Histogram histogram = HistogramOf(row, kParts);
  if (histogram.a.empty()) return {};
  constexpr double kWidth = 360;
  constexpr double kHeight = 120;
  uint64_t most = 1;
  for (size_t i = 0; i < kParts; ++i) most = std::max({most, histogram.a[i], histogram.b[i]});
  std::string svg = fmt::format(
      "<figure><svg viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\">",
      kWidth, kHeight);
  const auto bars = [&](const std::vector<uint64_t>& counts, std::string_view colour) {
    for (size_t i = 0; i < kParts; ++i) {
      if (counts[i] == 0) continue;
      const double height = std::max(1.0, kHeight * std::log1p(static_cast<double>(counts[i])) /
                                              std::log1p(static_cast<double>(most)));
      const double width = kWidth / kParts;
      svg += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
          "fill=\"{}\" fill-opacity=\".45\"/>",
          static_cast<double>(i) * width, kHeight - height, width, height, colour);
    }
  };
  bars(histogram.b, "#24c");
  bars(histogram.a, "#d22");
  return svg + fmt::format("</svg><figcaption>{}<br>{:.4g} … {:.4g}</figcaption></figure>\n",
                           HtmlText(row.either().name), histogram.low, histogram.high);
}

std::string Histograms(const Comparison& comparison) {
  std::vector<const ComparedTensor*> worst;
  for (const ComparedTensor& row : comparison.rows) {
    if (row.verdict == PairVerdict::kDiffers && row.has_values) worst.push_back(&row);
  }
  // The first ones say where it begins; sorting by size would show where it ends.
  if (worst.size() > kHistograms) worst.resize(kHistograms);
  std::string html;
  for (const ComparedTensor* row : worst) html += HistogramSvg(*row);
  return html;
}

std::string Rows(const Comparison& comparison, Language language) {
  std::string html = "<table><tr><th>#</th><th>A</th><th>B</th><th>" +
                     HtmlText(Say("result", "结果").In(language)) + "</th><th>" +
                     HtmlText(Say("cause", "原因").In(language)) +
                     "</th><th>cosine</th><th>max abs</th><th>rel Euclid</th><th>KL</th><th>" +
                     HtmlText(Say("message", "说明").In(language)) + "</th></tr>\n";
  const auto name = [](const DumpedTensor* tensor) {
    return tensor == nullptr ? std::string("-") : HtmlText(tensor->name);
  };
  size_t shown = 0;
  for (size_t i = 0; i < comparison.rows.size(); ++i) {
    const ComparedTensor& row = comparison.rows[i];
    const bool is_gone =
        row.verdict == PairVerdict::kOnlyInA || row.verdict == PairVerdict::kOnlyInB;
    if (shown == kShownRows) {
      html += "<tr><td colspan=\"10\">" +
              HtmlText(Say("{} more; the CSV file has them all", "另有 {} 行，见 CSV 文件",
                           comparison.rows.size() - i)
                           .In(language)) +
              "</td></tr>\n";
      break;
    }
    ++shown;
    const auto number = [&row](double value) {
      return row.has_values ? fmt::format("{:.6g}", value) : std::string();
    };
    html += fmt::format(
        "<tr class=\"{}\"><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>"
        "<td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
        IsMarked(row) ? "bad"
        : is_gone     ? "gone"
                      : "",
        i, name(row.a), name(row.b), NameOf(row.verdict), NameOf(row.cause),
        number(row.metrics.cosine), number(row.metrics.max_absolute),
        number(row.metrics.relative_euclidean), number(row.metrics.divergence),
        HtmlText(row.message.In(language)));
  }
  return html + "</table>\n";
}

}  // namespace

std::string ComparisonHtml(const Comparison& comparison, Language language) {
  const auto say = [language](const Text& text) { return HtmlText(text.In(language)); };
  std::string html =
      "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>transplt compare</title>"
      "<style>" +
      std::string(kStyle) +
      "</style></head><body>\n<h1>transplt compare</h1>\n<p>A: " + HtmlText(comparison.a.path) +
      "<br>B: " + HtmlText(comparison.b.path) + "</p>\n<p>";
  for (int verdict = 0; verdict <= static_cast<int>(PairVerdict::kUnreadable); ++verdict) {
    const auto value = static_cast<PairVerdict>(verdict);
    html += fmt::format("{}: {} &nbsp; ", NameOf(value), comparison.Count(value));
  }
  html += "</p>\n";
  const auto place = [&](int64_t index, const Text& title) {
    if (index < 0) return;
    html += "<p>" + say(title) + ": <b>" +
            HtmlText(comparison.rows[static_cast<size_t>(index)].either().name) + "</b></p>\n";
  };
  place(comparison.first_difference, Say("first difference", "首个差异"));
  place(comparison.first_producer,
        Say("first whose inputs agree and whose output does not", "首个输入一致而输出不一致者"));
  html += "<h2>" +
          say(Say("relative Euclidean distance, in the order of the run",
                  "相对欧氏距离（按执行顺序）")) +
          "</h2>\n" + Plot(comparison);
  html += "<h2>" +
          say(Say("values of the first that differ (A red, B blue, logarithmic)",
                  "首批差异张量的数值分布（A 红，B 蓝，对数）")) +
          "</h2>\n" + Histograms(comparison);
  html += "<h2>" + say(Say("tensors", "张量")) + "</h2>\n" + Rows(comparison, language);
  return html + "</body></html>\n";
}

}  // namespace transplt
