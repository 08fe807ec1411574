// SPDX-License-Identifier: Apache-2.0
// Every method of YARP 4.0's interface file in tests/data/peers: its name, its arguments, and the
// bytes of its reply for any result of the request.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/bottle_shape.h"
#include "support/four_joints.h"
#include "yarp/server/dispatcher.h"
#include "yarp/server/methods.h"

namespace servosim::yarp::server {
namespace wire_v4_methods_test {

using yarp::Bottle;
using yarp::BottleValue;
using yarp::Generation;
using yarp::Vocab;

constexpr int kJoints = 4;

struct Declared {
  std::string name;
  std::vector<std::string> takes;
  std::vector<std::string> gives;
};

std::vector<std::string> split(const std::string& types) {
  std::vector<std::string> all;
  static const std::regex kType("map<string, bool>|[^, ][^,]*");
  for (std::sregex_iterator it(types.begin(), types.end(), kType), end; it != end; ++it) {
    all.push_back(it->str());
  }
  return all;
}

const std::vector<Declared>& declared() {
  static const std::vector<Declared> kAll = [] {
    std::vector<Declared> all;
    std::ifstream in(SERVOSIM_TEST_DIR "/data/peers/yarp4_methods.txt");
    static const std::regex kLine(R"((\w+)\((.*?)\)(?: -> (.*))?)");
    for (std::string line; std::getline(in, line);) {
      std::smatch parts;
      if (line[0] != '#' && std::regex_match(line, parts, kLine)) {
        all.push_back({parts[1], split(parts[2]), split(parts[3])});
      }
    }
    EXPECT_EQ(all.size(), 193u);
    return all;
  }();
  return kAll;
}

// The name of a type of the interface file in the table, and an argument of that type.
struct Type {
  std::string in_short;
  std::vector<BottleValue> argument;  // the fields of a record
};

BottleValue list_of(std::vector<BottleValue> items) { return Bottle{std::move(items), false}; }

Type type_of(const std::string& name, std::size_t count) {
  const std::vector<BottleValue> doubles(count, BottleValue(0.25));
  const BottleValue pid = Bottle{std::vector<BottleValue>(10, BottleValue(0.25)), true};
  const BottleValue stiff = Vocab("stif").code;
  const BottleValue position = Vocab("pos").code;
  const std::map<std::string, Type> kTypes{
      {"bool", {"bool", {Vocab("ok")}}},
      {"double", {"double", {0.25}}},
      {"i16", {"i16", {std::int16_t{2}}}},
      {"i32", {"i32", {2}}},
      {"string", {"string", {std::string("kPWM")}}},
      {"list<double>", {"double[]", {list_of(doubles)}}},
      {"list<i32>", {"i32[]", {list_of({0, 2})}}},
      {"list<yBottle>", {"Bottle[]", {}}},
      {"list<yInfoPid>", {"InfoPid[]", {}}},
      {"list<yInteractionModeEnum>", {"mode[]", {list_of(std::vector<BottleValue>(count, stiff))}}},
      {"list<yPid>", {"Pid[]", {list_of(std::vector<BottleValue>(count, pid))}}},
      {"list<yPidControlTypeEnum>", {"pidtype[]", {}}},
      {"list<ySelectableControlModeEnum>",
       {"mode[]", {list_of(std::vector<BottleValue>(count, position))}}},
      {"map<string, bool>", {"map", {}}},
      {"yBottle", {"Bottle", {list_of(std::vector<BottleValue>(kJoints, BottleValue(0.25)))}}},
      {"yCalibrationParameters", {"Calibration", {1, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0}}},
      {"yInfoPid", {"InfoPid", {}}},
      {"yInteractionModeEnum", {"mode", {stiff}}},
      {"yJointTypeEnum", {"type", {}}},
      {"yMotorTorqueParameters", {"MotorTorque", std::vector<BottleValue>(9, BottleValue(0.25))}},
      {"yPid", {"Pid", {pid}}},
      {"yPidControlTypeEnum", {"pidtype", {Vocab("pos1").code}}},
      {"ySelectableControlModeEnum", {"mode", {position}}}};
  return kTypes.at(name);
}

// Returns the request of a client: for joint 2, for all joints, or for the group of 0 and 2.
Bottle request(const Declared& method) {
  const bool group = !method.takes.empty() && method.takes[0] == "list<i32>";
  Bottle message{{method.name}, true};
  for (const std::string& name : method.takes) {
    for (const BottleValue& value : type_of(name, group ? 2 : kJoints).argument) {
      message.add(value);
    }
  }
  return message;
}

std::string in_short(const std::vector<std::string>& types) {
  std::string all;
  for (const std::string& name : types) {
    all += (all.empty() ? "" : " ") + type_of(name, 0).in_short;
  }
  return all;
}

// Returns the shape of a reply as a pattern. With `filled` it includes the lists of joints.
std::string pattern(const Declared& method, bool filled) {
  const bool group = !method.takes.empty() && method.takes[0] == "list<i32>";
  const std::string count = group ? "2" : fmt::format("{}", kJoints);
  const std::string pid = "\\(d{10}\\)";
  const auto list = [&](const std::string& letter) {
    return filled ? fmt::format("\\[{}{}\\]", count, letter)
                  : fmt::format("(\\[\\d+{}\\]|\\(\\))", letter);
  };
  const std::map<std::string, std::string> kShapes{
      {"bool", "v"},
      {"double", "d"},
      {"i32", "i"},
      {"string", "s"},
      {"list<double>", list("d")},
      {"list<i32>", list("i")},
      {"list<yBottle>", filled ? "\\(\\[6s\\]\\)" : "\\((\\[6s\\])?\\)"},
      {"list<yInfoPid>", "\\(\\)"},
      {"list<yInteractionModeEnum>", list("i")},
      {"list<yPid>",
       filled ? fmt::format("\\(({}){{{}}}\\)", pid, count) : fmt::format("\\(({})*\\)", pid)},
      {"list<yPidControlTypeEnum>", filled ? "\\[4i\\]" : "(\\[4i\\]|\\(\\))"},
      {"list<ySelectableControlModeEnum>", filled ? "\\[\\d+i\\]" : "(\\[\\d+i\\]|\\(\\))"},
      {"map<string, bool>", filled ? "\\((\\(sv\\)){24}\\)" : "\\((\\(sv\\))*\\)"},
      {"yBottle", filled ? "\\[4d\\]" : "(\\[4d\\]|\\(\\))"},
      {"yInfoPid", "s{13}"},
      {"yInteractionModeEnum", "i"},
      {"yJointTypeEnum", "i"},
      {"yMotorTorqueParameters", "d{9}"},
      {"yPid", pid}};
  if (method.gives.empty()) {
    return "\\(v\\)";
  }
  std::string all = "\\(\\(v\\)";
  for (const std::string& name : method.gives) {
    all += kShapes.at(name);
  }
  return all + "\\)";
}

struct Replied {
  std::string shape;
  std::string code;
};

// A new board for each request, in the mode that obeys it.
class Bench {
 public:
  Replied ask(const Bottle& message, std::string_view mode = "pos") {
    yarp::ControlBoard board = four_.make({});
    for (int j = 0; j < kJoints; ++j) {
      board.view<IControlMode>().setControlMode(j, yarp::createVocab32(mode));
      board.view<IControlCalibration>().setCalibrationParameters(j, CalibrationParameters{});
    }
    const Timeline timeline(four_.simulation);
    Dispatcher dispatcher(timeline, board, Generation::V4);
    const auto outcome = dispatcher.request(message);
    const auto& reply = std::get<Bottle>(outcome.reply);
    Writer writer;
    encode_bottle(writer, reply, Generation::V4);
    const Bottle* const inner = yarp::as_list(reply.items.at(0));
    return {test::BottleShape::of(as_text(writer.bytes())),
            yarp::vocab_text(std::get<Vocab>((inner ? *inner : reply).items.at(0)).code)};
  }

 private:
  test::Four four_;
};

std::string_view mode_for(const std::string& method) {
  static const std::vector<std::pair<std::string, std::string>> kModes{
      {"velocityMove", "vel"},  {"setRefPosition", "posd"},  {"setRefVelocity", "veld"},
      {"setRefTorque", "torq"}, {"setRefDutyCycle", "ipwm"}, {"setRefCurrent", "icur"}};
  for (const auto& [start, mode] : kModes) {
    if (method.starts_with(start)) {
      return mode;
    }
  }
  return "pos";
}

// The board of a simulation does not have these.
const std::set<std::string> kNotHere{
    "setManualBrakeActiveRPC", "setAutoBrakeEnabledRPC", "isJointBrakedRPC",
    "getAutoBrakeEnabledRPC",  "getPidExtraInfoRPC",     "getPidExtraInfosRPC",
    "getTemperatureOneRPC",    "getTemperatureAllRPC",   "getPowerSupplyVoltageRPC"};

// Joint 3 cannot do these, so the request for all joints is refused.
const std::set<std::string> kNotByAll{"setRefPositionAllRPC", "setRefVelocityAllRPC",
                                      "setRefTorqueAllRPC", "setRefDutyCycleAllRPC",
                                      "setRefCurrentAllRPC"};

TEST(WireV4Methods, AreThoseOfTheInterfaceFile) {
  EXPECT_EQ(methods().size(), declared().size());
  for (const Declared& method : declared()) {
    const Method* const here = find_method(method.name);
    ASSERT_NE(here, nullptr) << method.name;
    EXPECT_EQ(here->takes, in_short(method.takes)) << method.name;
    EXPECT_EQ(here->gives, in_short(method.gives)) << method.name;
  }
}

TEST(WireV4Methods, AreDoneAndAnsweredInFullShape) {
  Bench bench;
  for (const Declared& method : declared()) {
    const Replied reply = bench.ask(request(method), mode_for(method.name));
    EXPECT_EQ(reply.code, kNotHere.contains(method.name)    ? "err2"
                          : kNotByAll.contains(method.name) ? "err5"
                                                            : "ok")
        << method.name;
    EXPECT_TRUE(std::regex_match(reply.shape, std::regex(pattern(method, reply.code == "ok"))))
        << method.name << ": " << reply.shape << "\nnot " << pattern(method, true);
  }
}

// Programs that get less than that wait for ever.
TEST(WireV4Methods, AreRefusedInFullShape) {
  Bench bench;
  for (const Declared& method : declared()) {
    std::vector<std::pair<Bottle, std::string>> bad;
    const bool takes_joint = !method.takes.empty() && method.takes.back() != "list<double>" &&
                             (method.takes[0] == "i32" || method.takes[0] == "i16");
    Bottle elsewhere = request(method);
    if (takes_joint) {
      elsewhere.items[1] = 9;
      bad.emplace_back(elsewhere, "err7");
    }
    if (method.takes.size() > 1 && method.takes[0] == "yPidControlTypeEnum") {
      for (const char* const type : {"pos", "pos2", "mix1", "junk"}) {
        elsewhere = request(method);
        elsewhere.items[1] = Vocab(type).code;
        bad.emplace_back(elsewhere, "err5");
      }
    }
    if (!method.takes.empty() && !method.name.starts_with("park")) {
      bad.emplace_back(Bottle{{method.name}, true}, "err5");
      Bottle odd{{method.name}, true};
      for (std::size_t n = 1; n < request(method).size(); ++n) {
        odd.add(Bottle{{Bottle{}}});
      }
      bad.emplace_back(odd, "err5");
    }
    for (const auto& [message, code] : bad) {
      const Replied reply = bench.ask(message, mode_for(method.name));
      EXPECT_EQ(reply.code, find_method(method.name)->verb.empty() ? "err2" : code)
          << to_text(message);
      EXPECT_TRUE(std::regex_match(reply.shape, std::regex(pattern(method, false))))
          << to_text(message) << ": " << reply.shape << "\nnot " << pattern(method, false);
    }
  }
}

TEST(WireV4Methods, ThatAreNotThereAreAnsweredByAReturnValue) {
  Bench bench;
  for (const char* const name : {"noSuchMethodRPC", "getControlModeOneRPC", "get", ""}) {
    const Replied reply = bench.ask({{std::string(name), 0}, true});
    EXPECT_EQ(reply.code, "err2") << name;
    EXPECT_EQ(reply.shape, "(v)") << name;
  }
  EXPECT_EQ(bench.ask({{Vocab("get"), Vocab("axes")}}).shape, "(v)");
}

}  // namespace wire_v4_methods_test
}  // namespace servosim::yarp::server
