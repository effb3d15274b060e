// SPDX-License-Identifier: Apache-2.0
#include "transplt/profile/profile_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "transplt/base/plain_text.h"

namespace transplt {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kWorthSaying = 0.01;  // of the whole; less is not shown on its own
constexpr size_t kPlaces = 3;

std::string Millis(double micros) {
  return micros >= 1e6 ? fmt::format("{:.2f} s", micros / 1e6)
                       : fmt::format("{:.2f} ms", micros / 1e3);
}

Text FormName(ProfileForm form) {
  switch (form) {
    case ProfileForm::kTrace:
      return Say("trace", "trace");
    case ProfileForm::kKernels:
      return Say("kernels", "kernel 明细");
    case ProfileForm::kTable:
      return Say("table", "表格");
    case ProfileForm::kLog:
      return Say("host log", "host 日志");
  }
  return {};
}

Text Headline(const Profile& profile) {
  Text line = FormName(profile.form);
  const auto add = [&](const Text& part) {
    line.en += ", " + part.en;
    line.zh += "，" + part.zh;
  };
  if (profile.steps > 0) add(Say("steps {}", "step 数 {}", profile.steps));
  if (profile.micros > 0) add(Say("{}", "{}", Millis(profile.micros)));
  if (profile.has_device && profile.micros > 0) {
    add(Say("the device computes in {:.0f} %", "设备计算占 {:.0f} %",
            100 * std::min(1.0, profile.device_micros / profile.micros)));
  }
  return line;
}

/// How much a bottleneck takes, in time or in lines.
Text Amount(const Bottleneck& bottleneck) {
  if (bottleneck.micros <= 0) {
    return Say("{:.0f} % of the operators, {} times", "占算子的 {:.0f} %，{} 次",
               100 * bottleneck.share, bottleneck.count);
  }
  if (bottleneck.count == 0) {
    return Say("{:.0f} %, {}", "{:.0f} %，{}", 100 * bottleneck.share, Millis(bottleneck.micros));
  }
  return Say("{:.0f} %, {}, {} times", "{:.0f} %，{}，{} 次", 100 * bottleneck.share,
             Millis(bottleneck.micros), bottleneck.count);
}

std::string Joined(const std::vector<TimedText>& list, size_t most) {
  std::string joined;
  for (size_t i = 0; i < std::min(list.size(), most); ++i) {
    joined += (i == 0 ? "" : ", ") + OneLine(list[i].text);
  }
  if (list.size() > most) joined += ", …";
  return joined;
}

/// The bottlenecks that are worth a person's time: the first always, then each above a hundredth.
std::span<const Bottleneck> Worthwhile(const Profile& profile, size_t top) {
  size_t count = 0;
  while (count < std::min(top, profile.bottlenecks.size()) &&
         (count == 0 || profile.bottlenecks[count].share >= kWorthSaying)) {
    ++count;
  }
  return {profile.bottlenecks.data(), count};
}

Json ListJson(const std::vector<TimedText>& list) {
  Json json = Json::array();
  for (const TimedText& entry : list) {
    json.push_back({{"text", entry.text}, {"micros", entry.micros}});
  }
  return json;
}

}  // namespace

std::string ProfileText(const Profile& profile, size_t top, Language language) {
  const auto say = [&](const Text& text) { return text.In(language); };
  std::string text = fmt::format("{}: {}\n", OneLine(profile.path), say(Headline(profile)));
  if (profile.bottlenecks.empty()) {
    text += say(Say("  nothing that slows the training was found\n", "  未发现性能瓶颈\n"));
  }
  size_t number = 0;
  std::set<const BottleneckKind*> said;  // a remedy is told once
  for (const Bottleneck& bottleneck : Worthwhile(profile, top)) {
    text += fmt::format("{:3}. {} ({})\n", ++number, OneLine(say(bottleneck.Title())),
                        say(Amount(bottleneck)));
    const bool names_itself = !bottleneck.name.empty() && bottleneck.names.size() < 2;
    if (!bottleneck.names.empty() && !names_itself) {
      text += say(Say("     what:  {}\n", "     事件：{}\n", Joined(bottleneck.names, kPlaces)));
    }
    if (!bottleneck.places.empty()) {
      text += say(Say("     where: {}\n", "     位置：{}\n", Joined(bottleneck.places, kPlaces)));
    }
    if (!bottleneck.shapes.empty()) {
      text += say(Say("     shape: {}\n", "     shape：{}\n", Joined(bottleneck.shapes, 1)));
    }
    if (!said.insert(bottleneck.kind).second) continue;
    text += say(Say("     do:    {}\n", "     措施：{}\n", say(bottleneck.kind->remedy)));
    if (!bottleneck.kind->source.empty()) {
      text += say(Say("     guide: {}\n", "     手册：{}\n", bottleneck.kind->source));
    }
  }
  for (const Text& note : profile.notes) {
    text += say(Say("  note: {}\n", "  注：{}\n", say(note)));
  }
  return text;
}

std::string ProfilesJson(std::span<const Profile> profiles) {
  Json files = Json::array();
  for (const Profile& profile : profiles) {
    Json bottlenecks = Json::array();
    for (const Bottleneck& bottleneck : profile.bottlenecks) {
      bottlenecks.push_back({{"id", bottleneck.kind->id},
                             {"title", bottleneck.Title().en},
                             {"operator", bottleneck.name},
                             {"share", bottleneck.share},
                             {"micros", bottleneck.micros},
                             {"count", bottleneck.count},
                             {"names", ListJson(bottleneck.names)},
                             {"places", ListJson(bottleneck.places)},
                             {"shapes", ListJson(bottleneck.shapes)},
                             {"remedy", bottleneck.kind->remedy.en},
                             {"source", bottleneck.kind->source}});
    }
    Json notes = Json::array();
    for (const Text& note : profile.notes) notes.push_back(note.en);
    files.push_back({{"file", profile.path},
                     {"form", FormName(profile.form).en},
                     {"steps", profile.steps},
                     {"micros", profile.micros},
                     {"has_device", profile.has_device},
                     {"device_micros", profile.device_micros},
                     {"bottlenecks", bottlenecks},
                     {"notes", notes}});
  }
  return Json{{"profiles", files}}.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string ProfilesHtml(std::span<const Profile> profiles, size_t top, Language language) {
  const auto say = [&](const Text& text) { return HtmlText(text.In(language)); };
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"{}\"><head><meta charset=\"utf-8\">"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\"><title>{}</title><style>body{{font:14px sans-serif;margin:2em auto;"
      "max-width:60em}}meter{{width:12em}}dt{{font-weight:bold}}dd{{margin:0 0 1em}}"
      "ol li{{margin-bottom:1em}}</style></head><body><h1>{}</h1>\n",
      language == Language::kChinese ? "zh" : "en", say(Say("Bottlenecks", "性能瓶颈")),
      say(Say("Bottlenecks", "性能瓶颈")));
  for (const Profile& profile : profiles) {
    page +=
        fmt::format("<h2>{}</h2><p>{}</p><ol>\n", HtmlText(profile.path), say(Headline(profile)));
    for (const Bottleneck& bottleneck : Worthwhile(profile, top)) {
      page += fmt::format("<li><b>{}</b><br><meter value=\"{:.4f}\">{:.0f} %</meter> {}<ul>",
                          say(bottleneck.Title()), bottleneck.share, 100 * bottleneck.share,
                          say(Amount(bottleneck)));
      const auto item = [&](const Text& heading, const std::string& what) {
        if (!what.empty()) page += fmt::format("<li>{}: {}</li>", say(heading), HtmlText(what));
      };
      item(Say("what", "事件"), Joined(bottleneck.names, kPlaces));
      item(Say("where", "位置"), Joined(bottleneck.places, kPlaces));
      item(Say("shape", "shape"), Joined(bottleneck.shapes, 1));
      item(Say("do", "措施"), bottleneck.kind->remedy.In(language));
      item(Say("guide", "手册"), bottleneck.kind->source);
      page += "</ul></li>\n";
    }
    page += "</ol>";
    for (const Text& note : profile.notes) page += fmt::format("<p>{}</p>", say(note));
    page += "\n";
  }
  return page + "</body></html>\n";
}

}  // namespace transplt
