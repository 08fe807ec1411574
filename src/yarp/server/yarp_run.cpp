// SPDX-License-Identifier: Apache-2.0
#include "yarp/server/yarp_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "sim/driven_joints.h"

namespace servosim::yarp::server {

namespace {

using Board = YarpRunExtension::Board;

void check_name(const std::string& name) {
  const auto odd = [](unsigned char c) { return c <= ' ' || c == 0x7f; };
  if (name.size() < 2 || name.front() != '/' || name.back() == '/' ||
      std::any_of(name.begin(), name.end(), odd)) {
    throw std::invalid_argument(fmt::format(
        "'{}' is no name for ports: a name begins with '/', does not end with '/' and has no "
        "blanks, as /icub/left_arm",
        name));
  }
}

// A motor must belong to only one board, and a name to only one board or other server.
void check(const std::vector<Board>& boards, const YarpRunExtension::Options& options) {
  std::set<std::string> names;
  const auto add_name = [&](const std::string& name) {
    check_name(name);
    if (!names.insert(name).second) {
      throw std::invalid_argument(fmt::format("two boards or other servers are called {}", name));
    }
  };
  if (!options.clock.empty()) {
    add_name(options.clock);
  }
  for (const SensorServer::Options& sensors : options.sensors) {
    add_name(sensors.name);
  }
  std::map<std::pair<std::string, std::string>, std::string>
      owners;  // board of each motor, by robot and name
  for (const Board& board : boards) {
    add_name(board.port);
    for (const JointConfig& joint : board.config.joints) {
      const auto [other, is_new] = owners.emplace(std::pair(board.robot, joint.motor), board.port);
      if (!is_new && other->second != board.port) {
        throw std::invalid_argument(
            fmt::format("motor '{}' of robot '{}' is a joint of {} and of {}; list the motors of "
                        "each",
                        joint.motor, board.robot, other->second, board.port));
      }
    }
  }
}

std::vector<Board> completed(Simulation& simulation, std::vector<Board> boards,
                             const YarpNode::Report& report) {
  for (Board& board : boards) {
    if (board.config.joints.empty()) {
      for (const DeviceNode* device : driven_joints(simulation.robot(board.robot))) {
        board.config.joints.emplace_back().motor = device->name;
      }
    }
    if (board.config.joints.empty()) {
      throw std::invalid_argument(
          fmt::format("robot '{}' has no motor that a board can drive", board.robot));
    }
    board.config.name = board.port;
    board.config.notice = [report](std::string_view message) { report(std::string(message)); };
  }
  return boards;
}

std::vector<std::string> motors_of(const Board& board) {
  std::vector<std::string> motors;
  for (const JointConfig& joint : board.config.joints) {
    motors.push_back(joint.motor);
  }
  return motors;
}

std::string at(const Contact& contact) {
  return fmt::format("{} {}:{}", contact.name, contact.ip, contact.port);
}

// Includes the part of the port's name after the board's name, since it depends on the generation.
std::string at(const BoardServer& server, const std::string& board, const std::string& port) {
  const Contact contact = server.contact(port);
  return fmt::format("{} {}:{}", contact.name.substr(board.size() + 1), contact.ip, contact.port);
}

}  // namespace

YarpRunExtension::Part::Part(YarpNode& node, const Timeline& timeline, Simulation& simulation,
                             const Board& its, const BoardServer::Options& options)
    : robot(its.robot),
      name(its.port),
      motors(motors_of(its)),
      board(simulation, its.robot, its.config),
      server(node, timeline, board, options) {}

YarpRunExtension::YarpRunExtension(Simulation& simulation, Options options,
                                   const YarpNode::Report& report)
    : simulation_(simulation), timeline_(simulation), node_(std::move(options.node), report) {
  const std::vector<Board> boards = completed(simulation, std::move(options.boards), report);
  check(boards, options);
  for (const Board& board : boards) {
    parts_.emplace_back(node_, timeline_, simulation, board,
                        BoardServer::Options{.name = board.port,
                                             .period = board.period,
                                             .generation = options.generation,
                                             .listen = options.listen,
                                             .report = report});
  }
  for (SensorServer::Options& sensors : options.sensors) {
    sensors.generation = options.generation;
    sensors.listen = options.listen;
    sensors_.emplace_back(node_, simulation, timeline_, sensors);
  }
  if (!options.clock.empty()) {
    clock_.emplace(node_, simulation, timeline_,
                   ClockServer::Options{.name = options.clock,
                                        .generation = options.generation,
                                        .listen = options.listen,
                                        .report = report});
  }
}

void YarpRunExtension::begin(std::optional<double> realtime_factor) {
  if (clock_) {
    clock_->begin(realtime_factor);
  }
}

void YarpRunExtension::speed_changed(double speed) {
  if (clock_) {
    clock_->speed_changed(speed);
  }
}

bool YarpRunExtension::commands(int robot) const {
  return std::any_of(parts_.begin(), parts_.end(), [&](const Part& part) {
    return part.robot == simulation_.robot(robot).name();
  });
}

void YarpRunExtension::before_step() {
  for (Part& part : parts_) {
    part.server.before_step();
  }
  if (clock_) {
    clock_->before_step();
  }
}

void YarpRunExtension::after_step() {
  for (Part& part : parts_) {
    part.server.after_step();
  }
  for (SensorServer& sensors : sensors_) {
    sensors.after_step();
  }
  if (clock_) {
    clock_->after_step();
  }
}

void YarpRunExtension::after_reset() {
  for (Part& part : parts_) {
    part.board.reset();
  }
  if (clock_) {
    clock_->after_reset();
  }
}

std::vector<std::string> YarpRunExtension::summary() const {
  std::vector<std::string> lines;
  for (const Part& part : parts_) {
    lines.push_back(fmt::format("robot '{}' is the control board {}: {}", part.robot, part.name,
                                fmt::join(part.motors, ", ")));
    std::vector<std::string> ports;
    for (const char* const port : {"rpc:i", "command:i", "state:o", "stateExt:o"}) {
      ports.push_back(at(part.server, part.name, port));
    }
    lines.push_back(fmt::format("ports of {}: {}", part.name, fmt::join(ports, ", ")));
  }
  for (const SensorServer& sensors : sensors_) {
    std::vector<std::string> names;
    for (const AnalogSensor& sensor : sensors.sensors()) {
      names.push_back(sensor.name);
    }
    lines.push_back(fmt::format("sensors {}: {}, {}", fmt::join(names, ", "),
                                at(sensors.measures()), at(sensors.rpc())));
  }
  if (clock_) {
    lines.push_back(fmt::format("time of the run: {}, {}", at(clock_->clock()), at(clock_->rpc())));
  }
  if (const auto names = node_.name_server()) {
    lines.push_back(fmt::format("name server: {}", to_string(*names)));
  }
  return lines;
}

}  // namespace servosim::yarp::server
