// SPDX-License-Identifier: Apache-2.0
#include "transplt/report/patch_mail.h"

#include <fmt/format.h>

#include "transplt/base/plain_text.h"
#include "transplt/report/unified_diff.h"

namespace transplt {
namespace {

constexpr size_t kSlug = 50;
constexpr size_t kSubject = 90;

/// `text` as quoted-printable (RFC 2045, 6.7). Mails of 8 bits lose each CR at the end of a line.
std::string QuotedPrintable(std::string_view text) {
  constexpr size_t kLongest = 72;
  std::string quoted;
  size_t column = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      quoted.push_back('\n');
      column = 0;
      continue;
    }
    const bool ends_line = i + 1 == text.size() || text[i + 1] == '\n';
    const bool is_plain = (c > ' ' && c <= '~' && c != '=') || (c == ' ' && !ends_line);
    if (column >= kLongest) {
      quoted += "=\n";
      column = 0;
    }
    const std::string piece =
        is_plain ? std::string(1, c) : fmt::format("={:02X}", static_cast<unsigned char>(c));
    quoted += piece;
    column += piece.size();
  }
  return quoted;
}

}  // namespace

std::string TextOf(const PatchMail& mail) {
  std::string body;
  for (size_t start = 0; start < mail.body.size();) {
    const size_t end = std::min(mail.body.find('\n', start), mail.body.size());
    // Indented, no line is taken for a header or for the beginning of the patch.
    body += fmt::format(" {}\n", OneLine(mail.body.substr(start, end - start)));
    start = end + 1;
  }
  body += "---\n\n";
  for (const PatchedFile& file : mail.files) body += UnifiedDiff(file);
  body += "-- \ntransplt\n";
  const bool has_cr = body.find('\r') != std::string::npos;
  // The date is that of no run, so that the same patch is the same text.
  return fmt::format(
      "From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001\n"
      "From: transplt <transplt@localhost>\n"
      "Date: Thu, 1 Jan 1970 00:00:00 +0000\n"
      "Subject: [PATCH {}/{}] {}\n"
      "MIME-Version: 1.0\n"
      "Content-Type: text/plain; charset=UTF-8\n"
      "Content-Transfer-Encoding: {}\n\n{}",
      mail.number, mail.count, FitColumns(OneLine(mail.subject), kSubject),
      has_cr ? "quoted-printable" : "8bit", has_cr ? QuotedPrintable(body) : body);
}

std::string FileNameOf(const PatchMail& mail, std::string_view cause) {
  std::string slug;
  for (const char c : cause.substr(0, kSlug)) {
    const bool is_plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (is_plain) {
      slug.push_back(c);
    } else if (!slug.empty() && slug.back() != '-') {
      slug.push_back('-');
    }
  }
  while (slug.ends_with('-')) slug.pop_back();
  return fmt::format("{:04}-{}.patch", mail.number, slug.empty() ? "edits" : slug);
}

}  // namespace transplt
