// SPDX-License-Identifier: Apache-2.0
#include "servosim/diagnostics.h"

#include <gtest/gtest.h>

namespace servosim {
namespace {

TEST(SourceMap, CountsLinesAndColumnsFromOne) {
  SourceMap sources;
  sources.add("other.wbt", "unrelated");
  const std::uint32_t file = sources.add("a.wbt", "ab\n\ncde\nf");
  const auto at = [&](std::uint32_t offset) {
    const Diagnostic d = sources.resolve({file, offset});
    EXPECT_EQ(d.file, "a.wbt");
    return std::pair(d.line, d.column);
  };
  EXPECT_EQ(at(0), std::pair(1, 1));
  EXPECT_EQ(at(1), std::pair(1, 2));
  EXPECT_EQ(at(2), std::pair(1, 3)) << "the line break belongs to its line";
  EXPECT_EQ(at(3), std::pair(2, 1));
  EXPECT_EQ(at(4), std::pair(3, 1));
  EXPECT_EQ(at(6), std::pair(3, 3));
  EXPECT_EQ(at(8), std::pair(4, 1));
  EXPECT_EQ(at(9), std::pair(4, 2)) << "the end of the text";
}

TEST(SourceMap, ResolvesNoFileToAnEmptyPlace) {
  const Diagnostic d = SourceMap().resolve({SourceLocation::kNoFile, 7});
  EXPECT_TRUE(d.file.empty());
  EXPECT_EQ(d.line, 0);
}

TEST(Diagnostics, PrintPlaceSeverityAndText) {
  Diagnostics diagnostics;
  const std::uint32_t file = diagnostics.sources().add("dir/a.wbt", "x\nyz");
  diagnostics.warning({file, 3}, "odd");
  diagnostics.error({file, 2}, "bad");
  ASSERT_EQ(diagnostics.list().size(), 2u);
  EXPECT_EQ(to_string(diagnostics.list()[0]), "dir/a.wbt:2:2: warning: odd");
  EXPECT_EQ(to_string(diagnostics.list()[1]), "dir/a.wbt:2:1: error: bad");
  EXPECT_EQ(diagnostics.warnings(), 1u);
  EXPECT_EQ(diagnostics.errors(), 1u);
  EXPECT_EQ(to_string({"", 0, 0, Severity::Error, "lost"}), "error: lost");
  EXPECT_EQ(to_string({"a.wbt", 0, 0, Severity::Error, "lost"}), "a.wbt: error: lost")
      << "the whole file is meant";
}

TEST(Diagnostics, ReportTheSameAboutTheSamePlaceOnce) {
  Diagnostics diagnostics;
  const std::uint32_t file = diagnostics.sources().add("a.wbt", "xyz");
  diagnostics.warning({file, 1}, "odd");
  diagnostics.warning({file, 1}, "odd");
  diagnostics.warning({file, 2}, "odd");
  diagnostics.warning({file, 1}, "odder");
  EXPECT_EQ(diagnostics.list().size(), 3u);
  EXPECT_EQ(diagnostics.warnings(), 3u);
  EXPECT_EQ(diagnostics.dropped(), 0u);
}

TEST(Diagnostics, CountButDoNotKeepTooMany) {
  Diagnostics diagnostics;
  for (std::size_t i = 0; i < Diagnostics::kMaxKept + 17; ++i) {
    diagnostics.warning({}, "number " + std::to_string(i));
  }
  diagnostics.error({}, "the last");
  EXPECT_EQ(diagnostics.list().size(), Diagnostics::kMaxKept);
  EXPECT_EQ(diagnostics.warnings(), Diagnostics::kMaxKept + 17);
  EXPECT_EQ(diagnostics.errors(), 1u) << "an error counts, even if it is not kept";
  EXPECT_EQ(diagnostics.dropped(), 18u);
}

TEST(Diagnostics, OfMissingLooksLeaveRoomForOthers) {
  Diagnostics diagnostics;
  for (std::size_t i = 0; i < Diagnostics::kMaxKept; ++i) {
    diagnostics.missing_looks({}, "number " + std::to_string(i));
  }
  diagnostics.warning({}, "odd");
  ASSERT_EQ(diagnostics.list().size(), Diagnostics::kMaxKept / 2 + 1);
  EXPECT_TRUE(diagnostics.list().front().only_looks);
  EXPECT_FALSE(diagnostics.list().back().only_looks);
  EXPECT_EQ(diagnostics.warnings(), Diagnostics::kMaxKept + 1);
}

TEST(Diagnostics, OfReplacedValuesAreKeptAfterManyOthers) {
  Diagnostics diagnostics;
  for (std::size_t i = 0; i < Diagnostics::kMaxKept; ++i) {
    diagnostics.warning({}, "number " + std::to_string(i));
  }
  diagnostics.replacement({}, "mass is -3, but it must be > 0; 1 is used");
  ASSERT_EQ(diagnostics.list().size(), Diagnostics::kMaxKept + 1);
  EXPECT_FALSE(diagnostics.list().front().replaced);
  EXPECT_TRUE(diagnostics.list().back().replaced);
  EXPECT_EQ(diagnostics.list().back().severity, Severity::Warning);
}

TEST(SourceMap, KeepsATextOnceThatIsAddedAgain) {
  SourceMap sources;
  const std::uint32_t world = sources.add("w.wbt", "world");
  const std::uint32_t node = sources.add("imported node", "Group { }");
  EXPECT_EQ(sources.add("imported node", "Group { }"), node);
  EXPECT_NE(sources.add("imported node", "Pose { }"), node);
  EXPECT_NE(sources.add("other node", "Group { }"), node);
  // A position in a text that was generated from another text is a position in that other text.
  const std::uint32_t made = sources.add_made("Group { }", world, {{0, 3, false}});
  EXPECT_NE(made, node);
  EXPECT_NE(sources.add("w.wbt", "Group { }"), made);
}

TEST(LoadError, HasTheTextOfItsFirstError) {
  const std::vector<Diagnostic> list{{"a.wbt", 2, 3, Severity::Warning, "odd"},
                                     {"a.wbt", 4, 5, Severity::Error, "bad"},
                                     {"a.wbt", 6, 7, Severity::Error, "worse"}};
  const LoadError error(list);
  EXPECT_STREQ(error.what(), "a.wbt:4:5: error: bad");
  EXPECT_EQ(error.list().size(), 3u);
}

}  // namespace
}  // namespace servosim
