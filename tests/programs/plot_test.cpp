// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "programs/program.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;
using test::contains;
using test::Program;
using test::Project;
using test::ScopedVariable;
using test::TempFolder;

// Returns a trace of one joint, whose name is `cell` in the CSV header.
std::string trace_of(const std::string& name) {
  return "time [s],\"" + name + " position [rad]\",\"" + name + " target [rad]\",\"" + name +
         " lower limit [rad]\"\n0.5,0,1,-0.25\n1,0.75,1,-0.25\n1.5,0.875,,-0.25\n";
}

TEST(Plot, DrawsARunBesideItsTrace) {
  const Project project("one");
  for (const char* name : {"a trace.csv", "other.jsonl"}) {
    const std::string trace = project / name;
    Program run({"run", project.world(), "--controller", "arm=", "--steps", "50", "--quiet",
                 "--trace", trace});
    ASSERT_EQ(run.finish(), 0) << run.err();
    Program plot({"plot", trace});
    EXPECT_EQ(plot.finish(), 0) << plot.err();
    EXPECT_EQ(plot.err(), "");
    const std::string figure = fs::path(trace).replace_extension(".svg");
    EXPECT_EQ(plot.out(), figure + ": 1 of 1 joints, muscles and propellers, 50 steps\n");
    const std::string svg = test::read_text(figure);
    for (const char* text : {"<svg", "arm/shoulder", "position [rad]", "velocity [rad/s]",
                             "effort [N m]", "time [s]", "target", "</svg>"}) {
      EXPECT_TRUE(contains(svg, text)) << text;
    }
  }
}

TEST(Plot, WritesTheFormatThatTheNameAsksFor) {
  const TempFolder folder;
  const std::string trace = folder.write("t.csv", trace_of("r/a"));
  const struct {
    const char* name;
    const char* magic;
  } cases[]{{"x.png", "\x89PNG"}, {"x.pdf", "%PDF"}, {"x.svg", "<?xml"}};
  for (const auto& c : cases) {
    const std::string figure = folder / c.name;
    Program plot({"plot", trace, "-o", figure});
    EXPECT_EQ(plot.finish(), 0) << plot.err();
    EXPECT_EQ(test::read_text(figure).find(c.magic), 0u) << c.name;
  }
  Program plot({"plot", trace, "-o", folder / "x.bmp"});
  EXPECT_EQ(plot.finish(), 2);
  EXPECT_TRUE(contains(plot.err(), "a figure is a .svg, .png or .pdf file")) << plot.err();
}

TEST(Plot, CallsAnSvgAfterItsTraces) {
  const TempFolder folder;
  const std::string one = folder.write("a <b> & c.csv", trace_of("r/a"));
  Program plot({"plot", one, folder.write("two.csv", trace_of("r/b")), "-o", folder / "x.svg"});
  EXPECT_EQ(plot.finish(), 0) << plot.err();
  const std::string svg = test::read_text(folder / "x.svg");
  EXPECT_TRUE(contains(svg, "<title>a &lt;b&gt; &amp; c.csv, two.csv</title>"));
  EXPECT_FALSE(contains(svg, "<title>Gnuplot"));
  EXPECT_TRUE(contains(svg, "r/a"));
  EXPECT_TRUE(contains(svg, "r/b"));
}

TEST(Plot, DrawsTracesOnTheSameAxes) {
  const TempFolder folder;
  const std::string one = folder.write("one.csv", trace_of("r/a"));
  const std::string two = folder.write("two.csv", trace_of("r/a"));
  Program plot({"plot", one, two});
  EXPECT_EQ(plot.finish(), 0) << plot.err();
  EXPECT_EQ(plot.out(), (folder / "one.svg").string() +
                            ": 1 of 1 joints, muscles and propellers, 3 steps; two.csv: 1 of 1 "
                            "joints, muscles and propellers, 3 steps\n");
  const std::string svg = test::read_text(folder / "one.svg");
  EXPECT_TRUE(contains(svg, "one.csv</tspan>") || contains(svg, ">one.csv<")) << "in the legend";
  std::vector<std::string> many{"plot", one, two, one, two, one, two, one};
  Program refused(many);
  EXPECT_EQ(refused.finish(), 2);
  EXPECT_TRUE(contains(refused.err(), "7 traces are more than the 6 that a figure can show"));
}

TEST(Plot, ShowsAPartOfTheTime) {
  const TempFolder folder;
  const std::string trace = folder.write("t.csv", trace_of("r/a"));
  Program part({"plot", trace, "--from", "0.9", "--to", "1.2"});
  EXPECT_EQ(part.finish(), 0) << part.err();
  EXPECT_TRUE(contains(part.out(), ", 1 steps\n")) << part.out();
  Program none({"plot", trace, "--from", "3"});
  EXPECT_EQ(none.finish(), 2);
  EXPECT_TRUE(contains(none.err(), ": ends at 1.5 s and has no steps from 3 s to 1.5 s; choose "))
      << none.err();
  Program reversed({"plot", trace, "--from", "1.2", "--to", "0.9"});
  EXPECT_EQ(reversed.finish(), 2);
  EXPECT_TRUE(contains(reversed.err(), "--from 1.2 is not before --to 0.9")) << reversed.err();
}

TEST(Plot, MarksStepResponsesOnDemand) {
  const TempFolder folder;
  std::string text =
      "time [s],r/a position [rad],r/a target [rad],r/b position [rad],r/b target "
      "[rad],r/c position [rad]\n";
  for (const char* row : {"0.1,0,0,0,", "0.2,0,2,0,", "0.3,1,2,0,", "0.4,2.5,2,0,", "0.5,2,2,0,"}) {
    text += std::string(row) + ",0\n";
  }
  const std::string trace = folder.write("t.csv", text);
  Program plot({"plot", trace, "--step-response"});
  EXPECT_EQ(plot.finish(), 0) << plot.err();
  EXPECT_TRUE(contains(plot.out(), trace + ": r/a: step to 2 at 0.1 s: rise 0.133 s, overshoot 25 "
                                           "%, settled in 0.4 s\n"))
      << plot.out();
  EXPECT_TRUE(contains(plot.out(), ": r/b: its target makes no step\n")) << plot.out();
  EXPECT_FALSE(contains(plot.out(), "r/c"));
  EXPECT_TRUE(contains(test::read_text(folder / "t.svg"), "overshoot 25 %"));
}

TEST(Plot, LeavesItsTraceAlone) {
  const TempFolder folder;
  const std::string trace = folder.write("t.svg", trace_of("r/a"));
  Program plot({"plot", trace});
  EXPECT_EQ(plot.finish(), 2);
  EXPECT_TRUE(contains(plot.err(), "is the trace itself; name the figure with -o")) << plot.err();
  EXPECT_EQ(test::read_text(trace), trace_of("r/a"));
}

TEST(Plot, ChoosesJoints) {
  const TempFolder folder;
  const std::string trace = folder.write(
      "t.csv", "time [s],l/a position [rad],l/b position [rad],r/a position [rad]\n1,2,3,4\n");
  const auto drawn = [&](const std::vector<std::string>& globs) {
    std::vector<std::string> arguments{"plot", trace};
    for (const std::string& glob : globs) {
      arguments.insert(arguments.end(), {"--joint", glob});
    }
    Program plot(arguments);
    EXPECT_EQ(plot.finish(), 0) << plot.err();
    const std::string svg = test::read_text(folder / "t.svg");
    std::string names;
    for (const char* name : {"l/a", "l/b", "r/a"}) {
      names += contains(svg, name) ? name : "-";
    }
    return names;
  };
  EXPECT_EQ(drawn({}), "l/al/br/a");
  EXPECT_EQ(drawn({"a"}), "l/a-r/a");
  EXPECT_EQ(drawn({"l/?", "r/a"}), "l/al/br/a");
  Program plot({"plot", trace, "--joint", "x"});
  EXPECT_EQ(plot.finish(), 2);
  EXPECT_TRUE(contains(
      plot.err(),
      "no joint or propeller matches 'x'; there are 'l/a', 'l/b', 'r/a'; the first line of "))
      << plot.err();
}

// A name may reach gnuplot only as text.
TEST(Plot, TakesNamesAsTheyAre) {
  const TempFolder folder;
  const std::string made = folder / "made";
  for (const std::string& name :
       {"r/`touch " + made + "`", "r/'; system 'touch " + made + "'; '",
        std::string("r/a_b^c{x}@&"), "r/\"\"; system \"\"touch " + made + "\"\"",
        std::string("r/back\\"), std::string("r/%g %s"), "r/line\n system 'touch " + made + "'\n",
        "r/$(touch " + made + ")", std::string("r/<b>&amp;"), std::string("r/\xff\xfe"),
        "r/" + std::string(3000, 'x'), std::string("r/EOD\nEOD\n")}) {
    const std::string trace = folder.write("t.csv", trace_of(name));
    Program plot({"plot", trace});
    EXPECT_EQ(plot.finish(), 0) << name << plot.err();
    EXPECT_EQ(plot.err(), "") << name;
    EXPECT_FALSE(fs::exists(made)) << name;
  }
  const std::string trace = folder.write("t.csv", trace_of("r/a_b <it's> {x}"));
  Program plot({"plot", trace});
  EXPECT_EQ(plot.finish(), 0);
  EXPECT_TRUE(contains(test::read_text(folder / "t.svg"), "r/a_b &lt;it's> {x}"));
}

TEST(Plot, TakesUnitsAsTheyAre) {
  const TempFolder folder;
  const std::string made = folder / "made";
  const std::string trace = folder.write(
      "t.csv", "time [s],r/a position [x'; system 'touch " + made + "'; '_{y}]\n1,2\n2,3\n");
  Program plot({"plot", trace});
  EXPECT_EQ(plot.finish(), 0) << plot.err();
  EXPECT_FALSE(fs::exists(made));
  EXPECT_TRUE(contains(test::read_text(folder / "t.svg"), "'_{y}]"));
}

TEST(Plot, DrawsASingleStepFromZeroOn) {
  const TempFolder folder;
  const std::string trace = folder.write("t.csv", "time [s],r/a position [rad]\n0.032,0.5\n");
  Program plot({"plot", trace});
  EXPECT_EQ(plot.finish(), 0) << plot.err();
  const std::string svg = test::read_text(folder / "t.svg");
  EXPECT_TRUE(contains(svg, "0.03</text>") || contains(svg, " 0.03<")) << "numbers of the axis";
  EXPECT_FALSE(contains(svg, "-0.9")) << "nothing before the start";
}

TEST(Plot, SaysWhatIsWrongWithATrace) {
  const TempFolder folder;
  const struct {
    std::string text;
    const char* message;
  } cases[]{
      {"", ": is not a trace: "},
      {"#VRML_SIM R2023b utf8\n", ": is not a trace: "},
      {"time [s],r/a position [rad]\n", ": has no steps"},
      {"time [s]\n1\n", ": has no joints, muscles or propellers, so there is nothing to draw\n"},
      {"time [s],r/a position [rad]\n1,2,3\n", ": line 2: 3 cells, but the header has 2"}};
  for (const auto& c : cases) {
    const std::string trace = folder.write("t.csv", c.text);
    Program plot({"plot", trace});
    EXPECT_EQ(plot.finish(), 2);
    EXPECT_EQ(plot.err().find("servosim: error: " + trace + c.message), 0u) << plot.err();
    EXPECT_EQ(plot.out(), "");
    EXPECT_FALSE(fs::exists(folder / "t.svg"));
  }
  Program absent({"plot", folder / "absent.csv"});
  EXPECT_EQ(absent.finish(), 2);
  Program a_folder({"plot", folder.path()});
  EXPECT_EQ(a_folder.finish(), 2);
}

TEST(Plot, AsksForAChoiceAmongTooManyJoints) {
  const TempFolder folder;
  std::string header = "time [s]";
  std::string row = "1";
  for (int i = 0; i < 61; ++i) {
    header += ",r/j" + std::to_string(i) + " position [rad]";
    row += ",0.5";
  }
  const std::string trace = folder.write("t.csv", header + '\n' + row + '\n');
  Program all({"plot", trace});
  EXPECT_EQ(all.finish(), 2);
  EXPECT_TRUE(contains(all.err(), "a figure has at most 60: choose some with --joint GLOB"))
      << all.err();
  Program some({"plot", trace, "--joint", "j?", "--joint", "j1?"});
  EXPECT_EQ(some.finish(), 0) << some.err();
  EXPECT_TRUE(contains(some.out(), ": 20 of 61 ")) << some.out();
}

TEST(Plot, DrawsWhatAKilledRunLeft) {
  const TempFolder folder;
  const std::string trace = folder.write("t.csv", trace_of("r/a") + "2,0.9");
  Program plot({"plot", trace});
  EXPECT_EQ(plot.finish(), 0);
  EXPECT_EQ(plot.err(),
            "servosim: warning: " + trace + ": its last line is cut off and was left out\n");
  EXPECT_TRUE(contains(plot.out(), ", 3 steps\n")) << plot.out();
}

TEST(Plot, FailsWhenTheFigureOrItsOutputIsLost) {
  const TempFolder folder;
  const std::string trace = folder.write("t.csv", trace_of("r/a"));
  Program nowhere({"plot", trace, "-o", "/no/such/folder/x.svg"});
  EXPECT_EQ(nowhere.finish(), 1);
  EXPECT_TRUE(contains(nowhere.err(), "'/no/such/folder/x.svg' cannot be written: No such file"))
      << nowhere.err();
  fs::create_symlink("/dev/full", folder / "full.svg");
  Program full({"plot", trace, "-o", folder / "full.svg"});
  EXPECT_EQ(full.finish(), 1);
  EXPECT_TRUE(contains(full.err(), "full.svg' cannot be written: No space left on device"))
      << full.err();
  Program closed({"plot", trace}, {"/", Program::Sink::Closed, Program::Sink::Captured});
  EXPECT_EQ(closed.finish(), 0) << "the figure is what was asked for";
}

TEST(Plot, SaysHowToInstallGnuplot) {
  const TempFolder folder;
  const std::string trace = folder.write("t.csv", trace_of("r/a"));
  const ScopedVariable path("PATH", folder.path());
  Program plot({"plot", trace});
  EXPECT_EQ(plot.finish(), 1);
  EXPECT_EQ(plot.err(),
            "servosim: error: gnuplot is needed to draw, but is not installed; on Debian: sudo apt "
            "install gnuplot-nox\n");
  EXPECT_FALSE(fs::exists(folder / "t.svg"));
}

TEST(Plot, TellsWhatGnuplotSaysWhenItFails) {
  const TempFolder folder;
  const std::string trace = folder.write("t.csv", trace_of("r/a"));
  fs::permissions(folder.write("gnuplot", "#!/bin/sh\necho no such terminal >&2\nexit 3\n"),
                  fs::perms::owner_all);
  const ScopedVariable path("PATH", folder.path().string() + ":/usr/bin:/bin");
  Program plot({"plot", trace});
  EXPECT_EQ(plot.finish(), 1);
  EXPECT_EQ(plot.err(), "servosim: error: gnuplot exited with status 3\nno such terminal\n");
}

// On a full disk gnuplot writes an incomplete figure and exits with status 0.
TEST(Plot, RefusesAFigureThatGnuplotHasNotFinished) {
  const TempFolder folder;
  const std::string trace = folder.write("t.csv", trace_of("r/a"));
  folder.write("t.svg", "old");
  fs::permissions(folder.write("gnuplot", "#!/bin/sh\nprintf '<svg><g>' > figure\n"),
                  fs::perms::owner_all);
  const ScopedVariable path("PATH", folder.path().string() + ":/usr/bin:/bin");
  Program plot({"plot", trace});
  EXPECT_EQ(plot.finish(), 1);
  EXPECT_TRUE(contains(plot.err(), "gnuplot has written only a part of the figure in '"))
      << plot.err();
  EXPECT_EQ(test::read_text(folder / "t.svg"), "old");
}

}  // namespace
}  // namespace servosim
