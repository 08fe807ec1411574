// SPDX-License-Identifier: Apache-2.0
#include "sweep/results_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>

#include "run/test_support.h"

namespace servosim {
namespace results_file_test {

using test::TempFolder;

const ResultsFile::Header kHeader{
    "s1", "0.1", {"sweep", "servosim", "run", "runs", "a.b", "exit_code", "message"}, 100};

SweepRow row(std::int64_t run, std::int64_t code = 0, const std::string& message = "") {
  return {"s1",
          "0.1",
          run,
          std::int64_t{100},
          0.1 * static_cast<double>(run),
          code,
          message.empty() ? SweepValue() : SweepValue(message)};
}

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string refusal(const std::string& path, bool resume = true,
                    const ResultsFile::Header& header = kHeader) {
  try {
    const ResultsFile file(path, header, resume);
    return "none";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

class ResultsFileTest : public testing::TestWithParam<const char*> {
 protected:
  std::string path() const { return folder / (std::string("x") + GetParam()); }

  TempFolder folder;
};

TEST(RunSet, HasWhatWasAdded) {
  RunSet set;
  EXPECT_TRUE(set.add(5));
  EXPECT_FALSE(set.add(5));
  EXPECT_TRUE(set.add(std::uint64_t{1} << 62));
  EXPECT_TRUE(set.has(5));
  EXPECT_TRUE(set.has(std::uint64_t{1} << 62));
  EXPECT_FALSE(set.has(4));
  EXPECT_FALSE(set.has(4101));
  EXPECT_EQ(set.size(), 2u);
  EXPECT_EQ(set.count(0, 5), 0u);
  EXPECT_EQ(set.count(0, 6), 1u);
  EXPECT_EQ(set.count(5, std::uint64_t{1} << 62), 2u);
  EXPECT_EQ(set.count(6, 1), 0u);
}

TEST(ResultsFile, HasALineForEachRow) {
  const TempFolder folder;
  for (const char* ending : {".csv", ".jsonl"}) {
    ResultsFile file(folder / (std::string("x") + ending), kHeader, false);
    file.add(row(3));
    file.add(row(1, 1, "a, \"b\""));
    file.close();
  }
  EXPECT_EQ(text_of(folder / "x.csv"),
            "sweep,servosim,run,runs,a.b,exit_code,message\n"
            "s1,0.1,3,100,0.30000000000000004,0,\n"
            "s1,0.1,1,100,0.1,1,\"a, \"\"b\"\"\"\n");
  EXPECT_EQ(
      text_of(folder / "x.jsonl"),
      R"({"sweep":"s1","servosim":"0.1","run":3,"runs":100,"a.b":0.30000000000000004,"exit_code":0,)"
      R"("message":null})"
      "\n"
      R"({"sweep":"s1","servosim":"0.1","run":1,"runs":100,"a.b":0.1,"exit_code":1,)"
      R"("message":"a, \"b\""})"
      "\n");
}

TEST_P(ResultsFileTest, TornAtAnyByteItGoesOn) {
  {
    ResultsFile file(path(), kHeader, false);
    for (int run = 0; run < 4; ++run) {
      file.add(row(run, run % 2, "a \"text\", with é"));
    }
  }
  const std::string whole = text_of(path());
  const std::string header = path().ends_with(".csv") ? whole.substr(0, whole.find('\n') + 1) : "";
  for (std::size_t size = 1; size <= whole.size(); ++size) {
    std::ofstream(path(), std::ios::binary) << whole.substr(0, size);
    const std::string kept = whole.substr(0, size).substr(0, whole.substr(0, size).rfind('\n') + 1);
    const auto rows = static_cast<std::uint64_t>(std::count(kept.begin(), kept.end(), '\n')) -
                      (kept.empty() || header.empty() ? 0 : 1);
    ResultsFile file(path(), kHeader, true);
    EXPECT_EQ(file.removed(), size - kept.size());
    EXPECT_EQ(file.tally().runs.size(), rows) << size;
    EXPECT_EQ(file.tally().by_exit[1], rows / 2);
    file.add(row(50));
    file.close();
    EXPECT_TRUE(text_of(path()).starts_with(kept.empty() ? header : kept));
    EXPECT_TRUE(text_of(path()).find("50") != std::string::npos);
  }
}

TEST_P(ResultsFileTest, OfAnotherSweepIsRefused) {
  { ResultsFile(path(), kHeader, false).add(row(1)); }
  const std::string before = text_of(path());
  EXPECT_EQ(refusal(path()), "none");
  EXPECT_EQ(refusal(path(), false),
            fmt::format("'{}' has results already; to run what it lacks add --resume, or choose "
                        "another file",
                        path()));
  ResultsFile::Header other = kHeader;
  other.id = "s2";
  EXPECT_EQ(
      refusal(path(), true, other),
      fmt::format("'{}' has the results of another sweep: it is s1, and this is s2: the "
                  "world, its controllers, the parameters, the seeds or other options differ; "
                  "choose another file",
                  path()));
  other = kHeader;
  other.version = "0.2";
  EXPECT_EQ(refusal(path(), true, other),
            fmt::format("'{}' has the results of another sweep: servosim 0.1 has written it, and "
                        "this is 0.2; choose another file",
                        path()));
  if (path().ends_with(".csv")) {
    other = kHeader;
    other.id = "s2";
    other.columns[4] = "c.d";
    EXPECT_EQ(refusal(path(), true, other),
              fmt::format("'{}' has the results of another sweep: it has no column 'c.d'; choose "
                          "another file",
                          path()));
  }
  EXPECT_EQ(text_of(path()), before);
}

TEST_P(ResultsFileTest, WhatIsNoRowOrTwiceIsRefusedWithItsLine) {
  { ResultsFile(path(), kHeader, false).add(row(1)); }
  const int line = path().ends_with(".csv") ? 3 : 2;
  const std::string good = text_of(path());
  std::ofstream(path(), std::ios::app) << "nonsense\n";
  EXPECT_EQ(refusal(path()),
            fmt::format("{}:{}: it is no row of results; remove it, and what is in it is run again",
                        path(), line));
  std::ofstream(path(), std::ios::trunc)
      << good << good.substr(good.rfind("s1,0.1") == good.npos ? 0 : good.rfind("s1,0.1"));
  EXPECT_EQ(refusal(path()),
            fmt::format("{}:{}: run 1 is there twice; remove one of them", path(), line));
  ResultsFile::Header small = kHeader;
  small.runs = 1;
  std::ofstream(path(), std::ios::trunc) << good;
  EXPECT_EQ(refusal(path(), true, small),
            fmt::format("{}:{}: it is no row of results; remove it, and what is in it is run again",
                        path(), line - 1));
}

TEST(ResultsFile, DoesNotOverwriteOtherFiles) {
  const TempFolder folder;
  const std::string notes = folder.write("notes.csv", "my,notes\n");
  EXPECT_EQ(refusal(notes),
            fmt::format("'{}' is there already and is no results file, so it is not overwritten; "
                        "choose another name or remove it",
                        notes));
  EXPECT_EQ(refusal("x.txt"),
            "a results file is a .csv or .jsonl file, not 'x.txt'; did you mean 'x.csv'?");
  EXPECT_THROW(ResultsFile(folder / "none/x.csv", kHeader, false), std::runtime_error);
}

TEST_P(ResultsFileTest, IsOfOneSweepAtATime) {
  const ResultsFile first(path(), kHeader, false);
  EXPECT_EQ(refusal(path()), fmt::format("another sweep writes '{}' at this moment", path()));
}

// If a row does not fit into the space that is left, the rows before it stay.
TEST_P(ResultsFileTest, OnAFullDiskKeepsWholeRows) {
  const auto size_of = [](int rows, const std::string& at) {
    ResultsFile file(at, kHeader, false);
    for (int run = 0; run < rows; ++run) {
      file.add(row(run));
    }
    file.close();
    return std::filesystem::file_size(at);
  };
  const std::string ending = GetParam();
  const auto two = size_of(2, folder / ("two" + ending));
  const auto three = size_of(3, folder / ("three" + ending));
  std::string message;
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  {
    ResultsFile file(path(), kHeader, false);
    const rlimit limit{(two + three) / 2, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
    file.add(row(0));
    file.add(row(1));
    try {
      file.add(row(2));
    } catch (const std::runtime_error& error) {
      message = error.what();
    }
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  }
  EXPECT_EQ(message, fmt::format("'{}' cannot be written: File too large; it has 2 whole rows, and "
                                 "--resume goes on from there",
                                 path()));
  EXPECT_EQ(std::filesystem::file_size(path()), two);
  EXPECT_EQ(refusal(path()), "none");
}

TEST_P(ResultsFileTest, PartsBecomeOne) {
  const std::string ending = GetParam();
  std::vector<std::string> parts;
  for (int part = 0; part < 3; ++part) {
    parts.push_back(folder / fmt::format("part{}{}", part, ending));
    ResultsFile file(parts.back(), kHeader, false);
    for (int run = part; run < 10; run += 3) {
      file.add(row(run, run == 4 ? 2 : 0));
    }
    if (part == 2) {
      file.add(row(4));  // a second row of run 4: that of the first file counts
    }
  }
  std::ofstream(parts[2], std::ios::app) << "s1,0.1,7";
  const auto [tally, runs, torn] = ResultsFile::merge(path(), parts);
  EXPECT_EQ(runs, 100u);
  EXPECT_EQ(torn, std::vector{parts[2]});
  EXPECT_EQ(tally.runs.size(), 10u);
  EXPECT_EQ(tally.by_exit[2], 1u);
  const ResultsFile merged(path(), kHeader, true);
  EXPECT_EQ(merged.tally().runs.size(), 10u);
  EXPECT_EQ(merged.tally().by_exit[2], 1u);
  EXPECT_THROW(ResultsFile::merge(path(), parts), std::invalid_argument);

  const auto merge_refusal = [&](const std::vector<std::string>& of) -> std::string {
    try {
      ResultsFile::merge(folder / ("new" + ending), of);
      return "none";
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
  };
  ResultsFile::Header other = kHeader;
  other.id = "s2";
  const std::string stranger = folder / ("stranger" + ending);
  {
    SweepRow foreign = row(99);
    foreign[0] = "s2";
    ResultsFile(stranger, other, false).add(foreign);
  }
  const std::string refused = merge_refusal({parts[0], stranger});
  EXPECT_TRUE(refused.find("the row is of another sweep: of s2 by servosim 0.1") !=
              std::string::npos)
      << refused;
  EXPECT_FALSE(std::filesystem::exists(folder / ("new" + ending)));
  const std::string part_folder = folder / ("folder" + ending);
  std::filesystem::create_directory(part_folder);
  EXPECT_EQ(merge_refusal({part_folder}), part_folder + ":1: cannot be read");
  const std::string endless = folder.write("endless" + ending, std::string(17 << 20, 'x'));
  EXPECT_EQ(merge_refusal({endless}), endless + ":1: a line is too long");
  for (const auto& entry : std::filesystem::directory_iterator(folder / "")) {
    EXPECT_FALSE(entry.path().filename().string().starts_with(".servosim-")) << entry.path();
  }
  EXPECT_EQ(merge_refusal({folder / ("none" + ending)}),
            fmt::format("'{}' cannot be opened: No such file or directory",
                        (folder / ("none" + ending)).string()));
}

INSTANTIATE_TEST_SUITE_P(Kinds, ResultsFileTest, testing::Values(".csv", ".jsonl"));

}  // namespace results_file_test
}  // namespace servosim
