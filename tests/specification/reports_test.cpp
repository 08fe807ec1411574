// SPDX-License-Identifier: Apache-2.0
#include "specification/reports.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <string>

#include "base/files.h"
#include "specification/place.h"

namespace servosim {
namespace reports_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A specification of which one expectation holds and one fails.
TriedSpecification tried() {
  TriedSpecification made{"worlds/arm.toml", "worlds/arm.wbt", "worlds/arm.toml:2:9", 1.25, ""};
  Verdict run{"run", "exit code 0", "exit code 0", "", false, true};
  run.place = made.place;
  run.seconds = 0.75;
  Verdict effort{"arm/elbow effort", "at most 3 N m", "-2 to 3.5 N m", "arm/elbow", false, false};
  effort.measured = {3.5, -kInfinity, 3.0, "N m"};
  effort.place = "worlds/arm.toml:12:1";
  effort.figure = "servosim-test/arm-1.svg";
  effort.seconds = 0.125;
  made.verdicts = {run, effort};
  made.trace = "servosim-test/arm.csv";
  made.replay = "servosim-test/arm.svt";
  return made;
}

pugi::xml_document parsed(const std::string& text) {
  pugi::xml_document document;
  const pugi::xml_parse_result result = document.load_string(text.c_str());
  EXPECT_TRUE(result) << result.description() << '\n' << text;
  return document;
}

std::string property(const pugi::xml_node& node, const char* name) {
  return node.child("properties").find_child_by_attribute("name", name).attribute("value").value();
}

TEST(Junit, HasTimeBoundValueFigureAndReplayOfEachCase) {
  const pugi::xml_document document = parsed(junit_text({tried()}));
  const pugi::xml_node suite = document.child("testsuites").child("testsuite");
  EXPECT_EQ(suite.attribute("tests").as_int(), 2);
  EXPECT_EQ(suite.attribute("failures").as_int(), 1);
  EXPECT_EQ(suite.attribute("errors").as_int(), 0);
  EXPECT_STREQ(suite.attribute("time").value(), "1.250");
  EXPECT_EQ(property(suite, "world"), "worlds/arm.wbt");
  EXPECT_EQ(property(suite, "replay"), "servosim-test/arm.svt");
  const pugi::xml_node run = suite.find_child_by_attribute("testcase", "name", "run");
  EXPECT_STREQ(run.attribute("time").value(), "0.750");
  EXPECT_STREQ(run.attribute("file").value(), "worlds/arm.toml");
  EXPECT_EQ(run.attribute("line").as_int(), 2);
  EXPECT_FALSE(run.child("failure"));
  const pugi::xml_node effort =
      suite.find_child_by_attribute("testcase", "name", "arm/elbow effort");
  EXPECT_STREQ(effort.attribute("time").value(), "0.125");
  EXPECT_EQ(effort.attribute("line").as_int(), 12);
  EXPECT_EQ(property(effort, "value"), "3.5");
  EXPECT_EQ(property(effort, "low"), "") << "there is no such bound";
  EXPECT_EQ(property(effort, "high"), "3");
  EXPECT_EQ(property(effort, "unit"), "N m");
  EXPECT_EQ(property(effort, "figure"), "servosim-test/arm-1.svg");
  EXPECT_STREQ(effort.child("failure").attribute("message").value(),
               "expected at most 3 N m; came -2 to 3.5 N m");
  EXPECT_STREQ(effort.child("failure").text().get(),
               "worlds/arm.toml:12:1: expected at most 3 N m; came -2 to 3.5 N m\n"
               "figure: servosim-test/arm-1.svg\n"
               "trace: servosim-test/arm.csv\n"
               "replay: servosim-test/arm.svt\n");
}

TEST(Junit, HoldsAnyOutputOfControllers) {
  TriedSpecification each = tried();
  each.output = std::string("]]></system-out>\0<b> & \xff \x1b[31m \uffff\r\nnext\tline\n", 46);
  each.verdicts[1].came = "\"<]]>'\x01\ufffe";
  const std::string text = junit_text({each});
  const std::string output = text.substr(text.find("<system-out>"));
  EXPECT_EQ(output.find("]]>"), std::string::npos) << "XML permits it in attributes alone";
  const pugi::xml_document document = parsed(text);
  const pugi::xml_node suite = document.child("testsuites").child("testsuite");
  EXPECT_STREQ(suite.child("system-out").text().get(),
               "]]></system-out>\\x00<b> & \\xff \\x1b[31m \\xef\\xbf\\xbf\\x0d\nnext\tline\n");
  EXPECT_STREQ(suite.last_child().previous_sibling().child("failure").attribute("message").value(),
               "expected at most 3 N m; came \"<]]>'\\x01\\xef\\xbf\\xbe");
}

TEST(Junit, AnErrorIsAtItsLine) {
  TriedSpecification each{"s.toml", "", "", 0.5, "s.toml:7:1: there is no key 'a\nb' here"};
  const pugi::xml_document document = parsed(junit_text({each}));
  const pugi::xml_node suite = document.child("testsuites").child("testsuite");
  EXPECT_EQ(suite.attribute("tests").as_int(), 1);
  EXPECT_EQ(suite.attribute("errors").as_int(), 1);
  const pugi::xml_node run = suite.child("testcase");
  EXPECT_EQ(run.attribute("line").as_int(), 7);
  EXPECT_STREQ(run.child("error").attribute("message").value(),
               "s.toml:7:1: there is no key 'a\\nb' here");
}

TEST(ResultsJson, HasNullForWhatIsNotKnown) {
  TriedSpecification each = tried();
  each.output = "a\xff\n";
  const nlohmann::ordered_json json = specifications_json({each}).front();
  EXPECT_EQ(json.at("specification"), "worlds/arm.toml");
  EXPECT_EQ(json.at("held"), false);
  EXPECT_TRUE(json.at("error").is_null());
  EXPECT_EQ(json.at("output"), "a\\xff\n");
  EXPECT_EQ(json.at("replay"), "servosim-test/arm.svt");
  const auto& run = json.at("expectations").at(0);
  EXPECT_TRUE(run.at("value").is_null());
  EXPECT_TRUE(run.at("figure").is_null());
  const auto& effort = json.at("expectations").at(1);
  EXPECT_EQ(effort.at("line"), 12);
  EXPECT_EQ(effort.at("column"), 1);
  EXPECT_EQ(effort.at("value"), 3.5);
  EXPECT_EQ(effort.at("high"), 3.0);
  EXPECT_EQ(effort.at("seconds"), 0.125);
}

// The rules for escaping are those of the package @actions/core: `%`, CR and LF everywhere, `:` and
// `,` in properties too.
TEST(Github, AnnotatesWhatFailedAtItsLine) {
  TriedSpecification each = tried();
  each.verdicts[1].place = "a,b:c%.toml:12:3";
  each.verdicts[1].title = "arm/x:y, z";
  each.verdicts[1].expected = "at most 1 %";
  each.verdicts[1].came = "2 %: much\nmore, alas";
  EXPECT_EQ(github_annotations(each, ""),
            "::error file=a%2Cb%3Ac%25.toml,line=12,col=3,title=arm/x%3Ay%2C z::expected at most "
            "1 %25; came 2 %25: much%0Amore, alas\n");
  each.verdicts[1].held = true;
  EXPECT_EQ(github_annotations(each, ""), "");
  EXPECT_EQ(github_group("50 %\n::error::x"), "::group::50 %25%0A::error::x\n");
}

TEST(Github, AnErrorWithoutALineIsAtTheSpecification) {
  TriedSpecification each{"s.toml", "w.wbt", "s.toml:1:9", 0.5, "s.toml: the run was killed"};
  EXPECT_EQ(github_annotations(each, ""),
            "::error file=s.toml,line=1,title=servosim test::s.toml: the run was killed\n");
  each.error = "s.toml: w.wbt:3:5: error: there is no node X";
  EXPECT_EQ(github_annotations(each, ""),
            "::error file=w.wbt,line=3,col=5,title=servosim test::s.toml: w.wbt:3:5: error: there "
            "is no node X\n");
}

TEST(PlaceOfError, IsNoAddress) {
  TriedSpecification each{"s.toml", "w.wbt", "s.toml:3:9", 0.5,
                          "s.toml: w.wbt: cannot listen at 127.0.0.1:8080"};
  EXPECT_EQ(place_of_error(each).line, 0);
  EXPECT_EQ(github_annotations(each, "").find("::error file=s.toml,line=1,title="), 0u);
  const nlohmann::ordered_json json = specifications_json({each}).front();
  EXPECT_TRUE(json.at("file").is_null());
  EXPECT_TRUE(json.at("line").is_null());
  const pugi::xml_document document = parsed(junit_text({each}));
  const pugi::xml_node run = document.child("testsuites").child("testsuite").child("testcase");
  EXPECT_EQ(run.attribute("line").as_int(), 3) << "where the specification names the world";
}

TEST(PlaceOfError, IsInAFileThatExists) {
  const TemporaryFolder folder("servosim_place");
  const std::string path = folder.path() + "/Hand.proto";
  TriedSpecification each{"s.toml", "w.wbt", "", 0.5, "s.toml: " + path + ":4:2: error: wrong"};
  EXPECT_EQ(place_of_error(each).line, 0);
  ASSERT_FALSE(write_file(path, "", false));
  EXPECT_EQ(place_of_error(each).file, path);
  EXPECT_EQ(place_of_error(each).line, 4);
}

TEST(Github, FilesAreRelativeToTheWorkspace) {
  const TemporaryFolder folder("servosim_github");
  const std::string root = std::filesystem::canonical(folder.path());
  TriedSpecification each = tried();
  each.verdicts[1].place = root + "/ci/s.toml:4:1";
  EXPECT_EQ(github_annotations(each, root).find("::error file=ci/s.toml,line=4,"), 0u);
  EXPECT_EQ(github_annotations(each, root + "/other").find("::error file=" + root), 0u);
}

TEST(PlaceInText, IsTheFirstFileWithALine) {
  const auto text_of = [](const std::string& text) {
    const Place at = place_in(text);
    return at.file + ' ' + std::to_string(at.line) + ' ' + std::to_string(at.column);
  };
  EXPECT_EQ(text_of("arm.toml:12:3"), "arm.toml 12 3");
  EXPECT_EQ(text_of("arm.wbt:12"), "arm.wbt 12 0");
  EXPECT_EQ(text_of("C:a b.toml:12:3: expected 4:5"), "C:a b.toml 12 3");
  EXPECT_EQ(text_of("s.toml: /w/a.wbt:2:7: error"), "/w/a.wbt 2 7");
  for (const char* none : {"", "s.toml", "at 12:30 it ended", "a:99999999999", "s.toml:3x"}) {
    EXPECT_EQ(place_in(none).line, 0) << none;
  }
}

}  // namespace reports_test
}  // namespace servosim
