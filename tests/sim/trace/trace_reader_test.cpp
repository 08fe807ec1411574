// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/trace_reader.h"

#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/trace/trace_format.h"
#include "sim/trace/trace_writer.h"
#include "support/worlds.h"

namespace servosim::test {
namespace {

struct Content {
  std::vector<TraceItem> items;
  std::vector<std::vector<double>> rows;
  bool cut_off = false;
};

Content read(std::istream& in) {
  TraceReader reader(in);
  Content content{reader.items(), {}, false};
  for (std::vector<double> row; reader.next(row);) {
    EXPECT_EQ(row.size(), reader.width());
    content.rows.push_back(row);
  }
  content.cut_off = reader.cut_off();
  return content;
}

Content read(const std::string& text) {
  std::istringstream in(text);
  return read(in);
}

// What it says of a text that cannot be read whole.
std::string failure(const std::string& text) {
  try {
    read(text);
  } catch (const TraceError& error) {
    return error.what();
  }
  return "none";
}

std::string written(const TraceFormat& format, const std::vector<std::vector<double>>& rows) {
  std::string text = format.header;
  TraceRowPrinter printer(format);
  std::string line(printer.max_size(), '\0');
  for (const std::vector<double>& row : rows) {
    text.append(line.data(), printer.print(row.data(), line.data()));
  }
  return text;
}

void expect_same(const std::vector<TraceItem>& a, const std::vector<TraceItem>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].kind, b[i].kind) << i;
    EXPECT_EQ(a[i].name, b[i].name);
    ASSERT_EQ(a[i].columns.size(), b[i].columns.size()) << a[i].name;
    for (std::size_t c = 0; c < a[i].columns.size(); ++c) {
      EXPECT_EQ(a[i].columns[c].quantity, b[i].columns[c].quantity);
      EXPECT_EQ(a[i].columns[c].unit, b[i].columns[c].unit);
    }
  }
}

// Names that look like quantities, or need every kind of quoting.
const std::vector<TraceItem> kItems{
    {TraceKind::Joint, "r/a", {{"position", "rad"}, {"velocity", "rad/s"}, {"effort", "N m"}}},
    {TraceKind::Joint, "r/a position", {{"position", "m"}, {"target", "m"}}},
    {TraceKind::Joint, "r/a commanded", {{"position", "m"}, {"velocity", "m/s"}}},
    {TraceKind::Joint,
     "r/s",
     {{"position", "rad"},
      {"current", "A"},
      {"voltage", "V"},
      {"duty", ""},
      {"temperature", "°C"}}},
    {TraceKind::Joint, "r/x [rad], \"q\"\r\nnext", {{"position", "m"}, {"upper limit", "m"}}},
    {TraceKind::Muscle, "r/a muscle 2", {{"status", ""}, {"length", "m"}, {"radius", "m"}}},
    {TraceKind::Propeller, "r/p", {{"speed", "rad/s"}, {"thrust", "N"}, {"torque", "N m"}}},
    {TraceKind::Propeller, "r/q", {{"speed", "rad/s"}, {"thrust", "N"}, {"torque", "N m"}}}};

TEST(TraceReader, CountsEpisodes) {
  for (const std::string& text :
       {std::string("time [s],a/b position [rad]\n0.5,1\n") + csv_episode(2) + "0.25,3\n",
        std::string("time [s],a/b position [rad]\n0.5,1\n0.25,3\n"),
        "{\"format\":\"servosim trace\",\"version\":1,\"joints\":{\"a/b\":{\"units\":{"
        "\"position\":\"rad\"}}}}\n{\"time\":0.5,\"joints\":{\"a/b\":{\"position\":1}}}\n" +
            jsonl_episode(2) + "{\"time\":0.25,\"joints\":{\"a/b\":{\"position\":3}}}\n"}) {
    std::istringstream in(text);
    TraceReader reader(in);
    std::vector<double> row;
    EXPECT_TRUE(reader.next(row));
    EXPECT_EQ(reader.episode(), 1);
    EXPECT_TRUE(reader.next(row));
    EXPECT_EQ(row, (std::vector{0.25, 3.0}));
    EXPECT_EQ(reader.episode(), 2);
    EXPECT_FALSE(reader.next(row));
  }
}

TEST(TraceReader, GivesBackEveryNumberAndNameOfBothFormats) {
  const double values[]{
      0.1,  -0.0, DBL_MAX,  -DBL_MIN, DBL_TRUE_MIN, 1.0 / 3.0, 12345678,
      1e21, 1e-7, INFINITY, -NAN,     2.5e-5,       100000.0,  0.30000000000000004};
  std::vector<std::vector<double>> rows(40, std::vector<double>(24));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    rows[r][0] = 0.008 * static_cast<double>(r);
    for (std::size_t c = 1; c < rows[r].size(); ++c) {
      rows[r][c] = values[(r / c + c) % std::size(values)];  // some stay for a while
    }
  }
  for (const TraceFormat& format : {csv_format(kItems), jsonl_format(kItems, "w", 0.008)}) {
    const Content content = read(written(format, rows));
    expect_same(content.items, kItems);
    EXPECT_FALSE(content.cut_off);
    ASSERT_EQ(content.rows.size(), rows.size());
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (std::size_t c = 0; c < rows[r].size(); ++c) {
        const double wanted = rows[r][c];
        const double got = content.rows[r][c];
        EXPECT_TRUE(std::isfinite(wanted) ? got == wanted : std::isnan(got))
            << r << ' ' << c << ": " << got << " for " << wanted;
      }
    }
  }
}

TEST(TraceReader, ReadsWhatTraceWrites) {
  Simulation simulation = load(OneJoint{});
  simulation.robot("r").motor("m").set_position(0.7);
  for (const char* ending : {".csv", ".jsonl"}) {
    simulation.reset();
    const std::string path = testing::TempDir() + "servosim_trace_reader_test" + ending;
    Trace trace(simulation, path);
    std::vector<double> positions;
    for (int n = 0; n < 3000; ++n) {  // several times what is handed over at once
      simulation.step();
      trace.row();
      positions.push_back(simulation.joint(0).position());
    }
    trace.close();
    std::ifstream in(path);
    const Content content = read(in);
    ASSERT_EQ(content.rows.size(), positions.size());
    for (std::size_t n = 0; n < positions.size(); ++n) {
      ASSERT_EQ(content.rows[n][1], positions[n]) << n;
    }
    std::filesystem::remove(path);
  }
}

// The writer gathers 64 KiB before it writes; with such a header the first row comes on top.
TEST(TraceReader, ReadsAHeaderAndRowsThatAreLongerThanWhatTheWriterGathers) {
  constexpr int kJoints = 1000;
  constexpr std::size_t kGathered = 1 << 16;
  std::string world = "#VRML_SIM R2023b utf8\nRobot { name \"r\" children [\n";
  for (int i = 0; i < kJoints; ++i) {
    const std::string name = "motor_" + std::to_string(i);
    world += "HingeJoint { device RotationalMotor { name \"" + name +
             "\" maxVelocity 1.2345678901234567 maxTorque 1.2345678901234567"
             " minPosition -1.2345678901234567 maxPosition 1.2345678901234567 }"
             " endPoint Solid { name \"" +
             name + "\" } }\n";
  }
  Simulation simulation = load(world + "] }");
  for (const char* ending : {".csv", ".jsonl"}) {
    const std::string path = testing::TempDir() + "servosim_trace_reader_long_test" + ending;
    Trace trace(simulation, path);
    for (int n = 0; n < 5; ++n) {
      simulation.step();
      trace.row();
    }
    trace.close();
    std::ifstream in(path);
    int lines = 0;
    for (std::string line; std::getline(in, line); ++lines) {
      EXPECT_GT(line.size(), kGathered);
    }
    EXPECT_EQ(lines, 6);
    in = std::ifstream(path);
    const Content content = read(in);
    EXPECT_EQ(content.items.size(), static_cast<std::size_t>(kJoints));
    ASSERT_EQ(content.rows.size(), 5u);
    EXPECT_EQ(content.rows.back().back(), 1.2345678901234567);  // the last motor's torque
    std::filesystem::remove(path);
  }
}

TEST(TraceReader, TakesColumnsInAnyOrderAndBothLineEnds) {
  const Content content =
      read("time [s],r/b effort [N],r/a target [rad]\r\n0.5,1,\r\n1,-2,3e4\r\n");
  expect_same(content.items, {{TraceKind::Joint, "r/b", {{"effort", "N"}}},
                              {TraceKind::Joint, "r/a", {{"target", "rad"}}}});
  ASSERT_EQ(content.rows.size(), 2u);
  EXPECT_TRUE(std::isnan(content.rows[0][2]));
  EXPECT_EQ(content.rows[1], (std::vector<double>{1.0, -2.0, 3e4}));
}

TEST(TraceReader, LeavesOutALastLineThatIsCutOff) {
  const std::string header = "time [s],r/a position [rad]\n";
  const Content cut = read(header + "0.5,1\n1,2");
  EXPECT_EQ(cut.rows.size(), 1u);
  EXPECT_TRUE(cut.cut_off);
  EXPECT_FALSE(read(header + "0.5,1\n").cut_off);
  EXPECT_TRUE(read(header).rows.empty());
  const TraceFormat json = jsonl_format(kItems, "w", 0.008);
  EXPECT_TRUE(read(json.header + "{\"time\":0.00").cut_off);
}

constexpr const char* kNoTrace =
    "is not a trace: a trace is a file that `servosim run WORLD.wbt --trace FILE.csv` (or .jsonl) "
    "writes";

TEST(TraceReader, SaysWhatIsNoTrace) {
  for (const std::string& text :
       {std::string(), std::string("\n"), std::string("time [s],a position [rad]"),
        std::string("#VRML_SIM R2023b utf8\n"), std::string("t,x\n1,2\n"),
        std::string("time [s]\0,r/a position [rad]\n", 30), std::string("{}\n"),
        std::string("{\"format\":[]}\n"), std::string("{\n"), std::string(1000, '[') + '\n',
        std::string(17 << 20, 'x'), "time [s]" + std::string(17 << 20, ','),
        std::string("time [s],\"r/a position [rad]\n1,2\n"), std::string("\xff\xfe\0\n", 4)}) {
    EXPECT_EQ(failure(text), kNoTrace) << text.substr(0, 40);
  }
}

TEST(TraceReader, NamesTheLineThatIsDamaged) {
  const std::string header = "time [s],r/a position [rad]\n";
  const struct {
    std::string text;
    const char* message;
  } cases[]{
      {"time [s],r/a wobble [rad]\n", "line 1: column 2, 'r/a wobble [rad]', is none of a trace"},
      {"time [s],position [rad]\n", "line 1: column 2, 'position [rad]', is none of a trace"},
      {"time [s],\n", "line 1: column 2, '', is none of a trace"},
      {header + "0.5,1\n1,2,3\n", "line 3: 3 cells, but the header has 2"},
      {header + "0.5\n", "line 2: 1 cells, but the header has 2"},
      {header + "\n", "line 2: 1 cells, but the header has 2"},
      {header + "0.5,x\n", "line 2: cell 2, 'x', is not a number"},
      {header + "0.5,1 \n", "line 2: cell 2, '1 ', is not a number"},
      {header + "0.5,nan\n", "line 2: cell 2, 'nan', is not a number"},
      {header + "inf,1\n", "line 2: cell 1, 'inf', is not a number"},
      {header + "0.5,1e999\n", "line 2: cell 2, '1e999', is not a number"},
      {header + ",1\n", "line 2: it has no time"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(failure(c.text), c.message);
  }
}

TEST(TraceReader, NamesTheJsonLineThatIsDamaged) {
  const std::string header =
      "{\"format\":\"servosim trace\",\"version\":1,\"joints\":{\"a\":{\"units\":{\"position\":"
      "\"rad\"}}}}\n";
  EXPECT_EQ(failure(header + "{\"time\":1,\"joints\":{\"a\":{\"position\":2}}}\n"), "none");
  EXPECT_EQ(failure(header + "{\"time\":1,\"joints\":{}}\n"), "line 2: no 'a'");
  EXPECT_EQ(failure(header + "{\"time\":1,\"joints\":[]}\n"), "line 2: no 'a'");
  EXPECT_EQ(failure(header + "{\"time\":1}\n"), "line 2: no 'a'");
  EXPECT_EQ(failure(header + "{\"joints\":{\"a\":{\"position\":2}}}\n"), "line 2: it has no time");
  EXPECT_EQ(failure(header + "{\"time\":NaN}\n"), "line 2: no JSON object");
  EXPECT_EQ(failure(header + "{\"time\":1e999}\n"), "line 2: no JSON object");
  EXPECT_EQ(failure(header + "[]\n"), "line 2: no JSON object");
  EXPECT_EQ(failure(header + "{\"time\":1,\"joints\":" + std::string(100000, '[') + "\n"),
            "line 2: no JSON object");
  EXPECT_EQ(failure("{\"format\":\"servosim trace\",\"version\":2}\n"),
            "is a trace of another version than 1; a newer servosim may read it");
  EXPECT_EQ(failure("{\"format\":\"servosim trace\",\"version\":1,\"joints\":{\"a\":3}}\n"),
            "line 1: 'a' has no \"units\"");
}

constexpr const char* kJsonHeader =
    "{\"format\":\"servosim trace\",\"version\":1,\"joints\":{\"a\":{\"units\":{\"position\":"
    "\"rad\"}}}";

// Each would take the stack, were it read, copied or freed level by level.
TEST(TraceReader, DoesNotMindDepth) {
  constexpr std::size_t kLevels = 4'000'000;
  const std::string open(kLevels, '[');
  const std::string nested = open + std::string(kLevels, ']');
  std::string objects;
  for (int n = 0; n < 1'000'000; ++n) {
    objects += "{\"a\":";
  }
  objects += "1" + std::string(1'000'000, '}');
  for (const std::string& deep : {open, nested, objects}) {
    EXPECT_EQ(failure("{\"format\":" + deep + "}\n"), kNoTrace);
    EXPECT_EQ(failure(kJsonHeader + (",\"world\":" + deep) + "}\n"), kNoTrace);
    for (const char* key : {"time", "joints", "others"}) {
      EXPECT_EQ(failure(kJsonHeader + ("}\n{\"" + std::string(key) + "\":") + deep + "}\n"),
                "line 2: no JSON object");
    }
  }
}

TEST(TraceReader, PassesOverWhatALaterVersionMayAdd) {
  const Content content =
      read(std::string(kJsonHeader) +
           ",\"tags\":[1,[{\"joints\":{\"b\":2}}],null],\"sensors\":{\"s\":{\"units\":{}}}}\n"
           "{\"joints\":{\"b\":[],\"a\":{\"force\":1,\"position\":2}},\"tags\":[{\"time\":9}],"
           "\"time\":0.5,\"ok\":true}\n");
  expect_same(content.items, {{TraceKind::Joint, "a", {{"position", "rad"}}}});
  EXPECT_EQ(content.rows, (std::vector<std::vector<double>>{{0.5, 2.0}}));
}

// Neither may cost a look at all before for each new one: that would be hours.
TEST(TraceReader, ReadsHeadersOfManyLinesAndManyNames) {
  constexpr std::size_t kMany = 200'000;
  std::string csv = "time [s],\"";
  std::string json = "{\"format\":\"servosim trace\",\"version\":1,\"joints\":{";
  for (std::size_t n = 0; n < kMany; ++n) {
    csv += "a name that goes on\n";
    json += (n == 0 ? "\"" : ",\"") + std::to_string(n) + R"(":{"units":{"position":"m"}})";
  }
  EXPECT_EQ(failure(csv), kNoTrace);
  EXPECT_EQ(read(csv + " position [m]\"\n1,2\n").rows.size(), 1u);
  const Content content = read(json + "}}\n");
  ASSERT_EQ(content.items.size(), kMany);
  EXPECT_EQ(content.items[11].name, "11");  // in the order of the file
}

TEST(TraceReader, RefusesANameThatIsThereTwice) {
  const std::string begin = "{\"format\":\"servosim trace\",\"version\":1,\"joints\":{\"a\":{";
  EXPECT_EQ(failure(begin + R"("units":{"position":"m"}},"a":{"units":{"effort":"N"}}}})" + '\n'),
            "line 1: 'a' is there twice");
  EXPECT_EQ(failure(begin + R"("units":{"upper limit":"m","upper_limit":"m"}}}})" + '\n'),
            "line 1: 'a' is there twice");
}

}  // namespace
}  // namespace servosim::test
