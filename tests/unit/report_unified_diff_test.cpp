// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <set>

#include "report_fixture.h"
#include "transplt/report/unified_diff.h"

namespace transplt {
namespace {

SourceFile Source(const std::string& path, const std::string& bytes) {
  Result<SourceFile> source = SourceFile::FromBytes(path, bytes);
  EXPECT_TRUE(source) << path << ": " << source.error().what.en;
  return *std::move(source);
}

/// Replaces the first `before` of a file by `after`.
EditList EditReplacing(const std::string& bytes, const std::string& before,
                       const std::string& after) {
  const auto start = static_cast<uint32_t>(bytes.find(before));
  const auto end = start + static_cast<uint32_t>(before.size());
  EditList edits;
  EXPECT_FALSE(edits.TryAdd({{{{start, end}, after}}}, "rule"));
  return edits;
}

/// The hunks of the diff, without the three lines that name the file.
std::string Hunks(const std::string& bytes, const EditList& edits) {
  const std::string diff = UnifiedDiff(Source("f.py", bytes), edits);
  const std::string header = "diff --git a/f.py b/f.py\n--- a/f.py\n+++ b/f.py\n";
  EXPECT_TRUE(diff.starts_with(header)) << diff;
  return diff.substr(std::min(header.size(), diff.size()));
}

std::string Hunks(const std::string& bytes, const std::string& before, const std::string& after) {
  return Hunks(bytes, EditReplacing(bytes, before, after));
}

std::string Numbered(int count) {
  std::string lines;
  for (int i = 1; i <= count; ++i) lines += fmt::format("line {}\n", i);
  return lines;
}

TEST(UnifiedDiff, IsEmptyWithoutEdits) {
  EXPECT_EQ(UnifiedDiff(Source("f.py", "a\n"), EditList()), "");
}

TEST(UnifiedDiff, IsEmptyWhenAnEditWritesWhatIsThere) {
  EXPECT_EQ(UnifiedDiff(Source("f.py", "a\nb\n"), EditReplacing("a\nb\n", "a\nb", "a\nb")), "");
}

TEST(UnifiedDiff, ShowsAChangedLineWithThreeLinesAround) {
  EXPECT_EQ(Hunks(Numbered(9), "line 5", "LINE 5"),
            "@@ -2,7 +2,7 @@\n line 2\n line 3\n line 4\n-line 5\n+LINE 5\n line 6\n line 7\n"
            " line 8\n");
}

TEST(UnifiedDiff, ShowsAnInsertedLineAsOneLineWhereverItsEditStands) {
  const std::string inserted = "@@ -1,2 +1,3 @@\n import torch\n+import torch_npu\n x = 1\n";
  const std::string bytes = "import torch\nx = 1\n";
  EXPECT_EQ(Hunks(bytes, "x", "import torch_npu\nx"), inserted);
  EXPECT_EQ(Hunks(bytes, "import torch\n", "import torch\nimport torch_npu\n"), inserted);
  EXPECT_EQ(Hunks(bytes, "torch", "torch\nimport torch_npu"), inserted);
}

TEST(UnifiedDiff, ShowsARemovedLineAsOneLineWhereverItsEditStands) {
  const std::string removed = "@@ -1,3 +1,2 @@\n a\n-import amp_C\n c\n";
  EXPECT_EQ(Hunks("a\nimport amp_C\nc\n", "import amp_C\n", ""), removed);
  EXPECT_EQ(Hunks("a\nimport amp_C\nc\n", "\nimport amp_C", ""), removed);
}

TEST(UnifiedDiff, KeepsAnUntouchedLineBetweenEditsOutOfIt) {
  EditList edits;
  const std::string bytes = "one\ntwo\nthree\n";
  EXPECT_FALSE(edits.TryAdd({{{{0, 4}, "ONE\n"}}}, "rule"));
  EXPECT_FALSE(edits.TryAdd({{{{7, 7}, "\nnew"}}}, "rule"));
  EXPECT_EQ(Hunks(bytes, edits), "@@ -1,3 +1,4 @@\n-one\n+ONE\n two\n+new\n three\n");
}

TEST(UnifiedDiff, KeepsALineOutOfItThatTwoEditsOnlyTouch) {
  EditList edits;
  const std::string bytes = "    foo()\n    bar()\n";
  EXPECT_FALSE(edits.TryAdd({{{{4, 14}, ""}}}, "rule"));  // "foo()", line end, indentation
  EXPECT_FALSE(edits.TryAdd({{{{19, 19}, "\n    baz()"}}}, "rule"));
  EXPECT_EQ(Hunks(bytes, edits), "@@ -1,2 +1,2 @@\n-    foo()\n     bar()\n+    baz()\n");
}

TEST(UnifiedDiff, LeavesUnchangedLinesOfALongReplacementAlone) {
  EXPECT_EQ(Hunks("f(a,\n  b,\n  c)\n", "f(a,\n  b,\n  c)", "g(a,\n  b,\n  d)"),
            "@@ -1,3 +1,3 @@\n-f(a,\n+g(a,\n   b,\n-  c)\n+  d)\n");
}

TEST(UnifiedDiff, MergesHunksWhoseContextMeets) {
  const std::string bytes = Numbered(20);
  EditList near = EditReplacing(bytes, "line 4\n", "LINE 4\n");
  EXPECT_FALSE(
      near.TryAdd(Fix{{EditReplacing(bytes, "line 11\n", "x\n").edits().begin()->edit}}, "rule"));
  EXPECT_THAT(Hunks(bytes, near), testing::StartsWith("@@ -1,14 +1,14 @@\n"));
  EditList far = EditReplacing(bytes, "line 4\n", "LINE 4\nmore\n");
  EXPECT_FALSE(
      far.TryAdd(Fix{{EditReplacing(bytes, "line 12\n", "x\n").edits().begin()->edit}}, "rule"));
  EXPECT_THAT(Hunks(bytes, far), testing::HasSubstr("@@ -9,7 +10,7 @@\n"));
}

TEST(UnifiedDiff, SaysOnWhichSideTheLastNewlineIsMissing) {
  const std::string missing = "\\ No newline at end of file\n";
  EXPECT_EQ(Hunks("a\nb", "b", "c"), "@@ -1,2 +1,2 @@\n a\n-b\n" + missing + "+c\n" + missing);
  EXPECT_EQ(Hunks("a\nb", "b", "b\n"), "@@ -1,2 +1,2 @@\n a\n-b\n" + missing + "+b\n");
  EXPECT_EQ(Hunks("a\nb\n", "b\n", "b"), "@@ -1,2 +1,2 @@\n a\n-b\n+b\n" + missing);
  EXPECT_EQ(Hunks("a\nb", "a", "c"), "@@ -1,2 +1,2 @@\n-a\n+c\n b\n" + missing);
}

TEST(UnifiedDiff, NamesLineZeroOfAnEmptySide) {
  EXPECT_EQ(Hunks("", "", "a\n"), "@@ -0,0 +1 @@\n+a\n");
  EXPECT_EQ(Hunks("a\nb\n", "a\nb\n", ""), "@@ -1,2 +0,0 @@\n-a\n-b\n");
}

TEST(UnifiedDiff, KeepsCarriageReturnsAndEveryOtherByte) {
  EXPECT_EQ(Hunks("a\r\nb\r\n", "b", "c"), "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n");
  EXPECT_EQ(Hunks("a\rb\rc\n", "b", "B"), "@@ -1 +1 @@\n-a\rb\rc\n+a\rB\rc\n");
  EXPECT_EQ(Hunks("# \xD6\xD0\nb\n", "b", "c"), "@@ -1,2 +1,2 @@\n # \xD6\xD0\n-b\n+c\n");
}

TEST(UnifiedDiff, QuotesNamesAsGitDoes) {
  const auto header = [](const std::string& path) {
    const std::string diff = UnifiedDiff(Source(path, "a\n"), EditReplacing("a\n", "a", "b"));
    return diff.substr(0, diff.find("@@"));
  };
  EXPECT_EQ(header("my file.py"),
            "diff --git a/my file.py b/my file.py\n--- a/my file.py\t\n+++ b/my file.py\t\n");
  EXPECT_EQ(header("a\"b\\c\td\x01.py"),
            "diff --git \"a/a\\\"b\\\\c\\td\\001.py\" \"b/a\\\"b\\\\c\\td\\001.py\"\n"
            "--- \"a/a\\\"b\\\\c\\td\\001.py\"\n+++ \"b/a\\\"b\\\\c\\td\\001.py\"\n");
  EXPECT_THAT(header("中.py"), testing::StartsWith("diff --git \"a/\\344\\270\\255.py\" "));
}

/// Random files and edits over few different lines, so that edits often meet equal text.
class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  uint32_t Below(size_t limit) {
    return static_cast<uint32_t>(std::uniform_int_distribution<size_t>(0, limit - 1)(random_));
  }
  const std::string& One(const std::vector<std::string>& of) { return of[Below(of.size())]; }

  std::string File() {
    static const std::vector<std::string> kEnds = {"\n", "\r\n", "\r"};
    const uint32_t style = Below(5);  // LF, LF, CRLF, lone CR, mixed
    std::string bytes;
    const uint32_t lines = Below(4) == 0 ? Below(3) : Below(30);
    for (uint32_t i = 0; i < lines; ++i) {
      const size_t end = style == 4 ? Below(3) : style == 0 ? 0 : style - 1;
      bytes += One(kWords) + kEnds[end];
    }
    if (Below(2) == 0) bytes += One(kWords);
    return bytes;
  }

  std::string NewText() {
    std::string text;
    for (uint32_t i = Below(4); i > 0; --i) {
      text += One(kWords);
      if (Below(2) == 0) text += Below(4) == 0 ? "\r\n" : "\n";
    }
    return text;
  }

  EditList Edits(const std::string& bytes) {
    EditList edits;
    for (uint32_t i = 1 + Below(6); i > 0; --i) {
      const uint32_t start = Below(bytes.size() + 1);
      const size_t longest = std::min<size_t>(bytes.size() - start, Below(5) == 0 ? 60 : 8);
      const uint32_t end = start + (Below(3) == 0 ? 0 : Below(longest + 1));
      // A refused edit is as good as one that was not tried.
      (void)edits.TryAdd({{{{start, end}, NewText()}}}, "rule");
    }
    return edits;
  }

 private:
  const std::vector<std::string> kWords = {
      "",  "",      "a",         "b",     "a b",  "    a",       "",
      "c", "x = 1", "\xD6\xD0=", "\xFF#", "-- a", "@@ -1 +1 @@", "\\ No newline at end of file"};
  std::mt19937 random_;
};

std::string UnusualName(uint32_t index) {
  static const std::vector<std::string> kForms = {
      "plain/{}.py",      "with blank/{} x.py", "中文/{}.py",  "q\"uote{}.py",
      "back\\slash{}.py", "tab\t{}.py",         "line\n{}.py", "\x01\x7F\xFF{}.py",
      "{} .py ",          "+({})@=.py",         "b/{}.py",     "'{}'.py"};
  return fmt::format(fmt::runtime(kForms[index % kForms.size()]), index);
}

/// Fails the test also if git had to look for a hunk elsewhere than its header says.
void ApplyPatch(const TempFolder& folder, const std::string& options) {
  const std::string output = OutputOf(
      "cd '" + folder.path() +
      "' && export LC_ALL=C GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 && git init -q . && "
      "git apply -v --whitespace=nowarn " +
      options + " all.patch 2>&1");
  EXPECT_THAT(output, testing::HasSubstr("Applied patch"));
  EXPECT_THAT(output, testing::Not(testing::HasSubstr("offset")));
}

/// Whether only the last line of a side is marked as one without line end, which git does not
/// check. A marked line ends its side: no line of the same side may follow.
bool MarksOnlyLastLines(const std::string& diff) {
  bool old_ended = false;
  bool new_ended = false;
  char sign = ' ';
  for (size_t at = diff.find("\n@@"); at != diff.npos && at + 1 < diff.size();
       at = diff.find('\n', at + 1)) {
    const char next = diff[at + 1];
    if (next == '\\') {
      old_ended |= sign != '+';
      new_ended |= sign != '-';
    } else if ((old_ended && next != '+') || (new_ended && next != '-')) {
      return false;
    }
    sign = next;
  }
  return true;
}

TEST(UnifiedDiff, AppliedByGitGivesWhatTheEditsGiveAndBack) {
  constexpr uint32_t kFiles = 3'000;
  Generator generator(20'240'601);
  TempFolder folder;
  std::string patch;
  std::vector<std::string> original;
  std::vector<std::string> expected;
  for (uint32_t i = 0; i < kFiles; ++i) {
    const std::string bytes = generator.File();
    const EditList edits = generator.Edits(bytes);
    const std::filesystem::path path = folder / UnusualName(i);
    std::filesystem::create_directories(path.parent_path());
    WriteBytes(path.string(), bytes);
    const std::string diff = UnifiedDiff(Source(UnusualName(i), bytes), edits);
    ASSERT_TRUE(MarksOnlyLastLines(diff)) << diff;
    patch += diff;
    original.push_back(bytes);
    expected.push_back(edits.ApplyTo(bytes));
  }
  WriteBytes(folder / "all.patch", patch);
  ApplyPatch(folder, "");
  for (uint32_t i = 0; i < kFiles; ++i) {
    ASSERT_EQ(ReadBytes(folder / UnusualName(i)), expected[i]) << "file " << i;
  }
  ApplyPatch(folder, "--reverse");
  for (uint32_t i = 0; i < kFiles; ++i) {
    ASSERT_EQ(ReadBytes(folder / UnusualName(i)), original[i]) << "file " << i;
  }
}

/// The lines of `diff` that begin with `sign`, headers left out.
size_t CountLines(const std::string& diff, char sign) {
  size_t count = 0;
  for (size_t at = diff.find("\n@@"); at != diff.npos && at + 1 < diff.size();
       at = diff.find('\n', at + 1)) {
    if (diff[at + 1] == sign) ++count;
  }
  return count;
}

TEST(UnifiedDiff, ShowsEachLineWhoseBytesChangeAndNoOther) {
  Generator generator(7);
  for (int round = 0; round < 2'000; ++round) {
    const std::string bytes = generator.File();
    EditList edits;
    std::set<size_t> changed;  // the lines that hold an insertion
    for (int i = 0; i < 4 && !bytes.empty(); ++i) {
      const uint32_t place = generator.Below(bytes.size());
      const Fix fix = {{{{place, place}, "\x02"}}};
      if (edits.TryAdd(fix, "rule")) continue;
      changed.insert(static_cast<size_t>(std::count(bytes.begin(), bytes.begin() + place, '\n')));
    }
    const std::string diff = UnifiedDiff(Source("f.py", bytes), edits);
    ASSERT_EQ(CountLines(diff, '-'), changed.size()) << diff;
    ASSERT_EQ(CountLines(diff, '+'), changed.size()) << diff;
  }
}

}  // namespace
}  // namespace transplt
