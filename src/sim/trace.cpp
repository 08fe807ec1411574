// SPDX-License-Identifier: Apache-2.0
#include "sim/trace.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "servosim/simulation.h"

namespace servosim {

namespace {

constexpr std::size_t kFlushAt = 1 << 16;

// RFC 4180: a cell with a comma, a quote or a line break is quoted.
std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  }
  return quoted + '"';
}

}  // namespace

Trace::Trace(const Simulation& simulation, std::string path)
    : simulation_(simulation), path_(std::move(path)), file_(std::fopen(path_.c_str(), "we")) {
  if (file_ == nullptr) {
    fail(std::strerror(errno));
  }
  std::setvbuf(file_, nullptr, _IONBF, 0);  // whole rows at a time, also if the process is killed
  buffer_.reserve(2 * kFlushAt);
  std::string header = "time [s]";
  for (int j = 0; j < simulation.joint_count(); ++j) {
    const bool turns = simulation.joint_type(j) == JointType::Rotational;
    const std::string& name = simulation.joint_name(j);
    const char* length = turns ? "rad" : "m";
    for (const std::string& column : {fmt::format("{} position [{}]", name, length),
                                      fmt::format("{} velocity [{}/s]", name, length),
                                      fmt::format("{} commanded velocity [{}/s]", name, length),
                                      fmt::format("{} effort [{}]", name, turns ? "N m" : "N")}) {
      header += ',' + csv_cell(column);
    }
    const int muscles = simulation.muscle_count(j);
    for (int m = 0; m < muscles; ++m) {
      const std::string muscle =
          muscles == 1 ? name + " muscle" : fmt::format("{} muscle {}", name, m + 1);
      for (const char* what : {" status", " length [m]", " radius [m]"}) {
        header += ',' + csv_cell(muscle + what);
      }
    }
  }
  for (int p = 0; p < simulation.propeller_count(); ++p) {
    for (const char* what : {" speed [rad/s]", " thrust [N]", " torque [N m]"}) {
      header += ',' + csv_cell(simulation.propeller_name(p) + what);
    }
  }
  header += '\n';
  buffer_.assign(header.begin(), header.end());
}

Trace::~Trace() {
  if (file_ != nullptr) {
    std::fwrite(buffer_.data(), 1, buffer_.size(), file_);
    std::fclose(file_);
  }
}

void Trace::row() {
  if (file_ == nullptr) {
    fail("it is closed");
  }
  auto out = std::back_inserter(buffer_);
  fmt::format_to(out, "{}", simulation_.time());
  for (int j = 0; j < simulation_.joint_count(); ++j) {
    const JointReading r = simulation_.joint(j);
    fmt::format_to(out, ",{},{},{},{}", r.position, r.velocity, r.commanded_velocity, r.effort);
    for (int m = 0; m < simulation_.muscle_count(j); ++m) {
      const MuscleReading muscle = simulation_.muscle(j, m);
      fmt::format_to(out, ",{},{},{}", muscle.status, muscle.length, muscle.radius);
    }
  }
  for (int p = 0; p < simulation_.propeller_count(); ++p) {
    const PropellerReading r = simulation_.propeller(p);
    fmt::format_to(out, ",{},{},{}", r.speed, r.thrust, r.torque);
  }
  buffer_.push_back('\n');
  if (buffer_.size() >= kFlushAt) {
    flush();
  }
}

void Trace::flush() {
  const bool whole = std::fwrite(buffer_.data(), 1, buffer_.size(), file_) == buffer_.size();
  buffer_.clear();
  if (!whole) {
    const int error = errno;
    std::fclose(std::exchange(file_, nullptr));
    fail(std::strerror(error));
  }
}

void Trace::close() {
  if (file_ == nullptr) {
    return;
  }
  flush();
  if (std::fclose(std::exchange(file_, nullptr)) != 0) {
    fail(std::strerror(errno));
  }
}

void Trace::fail(const char* why) const {
  throw std::runtime_error(fmt::format("cannot write the trace {}: {}", path_, why));
}

}  // namespace servosim
