// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace servosim {

class Notices;
struct MotorSpec;

/// What a motor has to say about its commands, each kind once.
///
/// Threads: one at a time, with the whole Simulation.
class MotorReports {
 public:
  enum Kind : unsigned {
    Above = 1,
    Below = 2,
    Fast = 4,
    Force = 8,
    MaxForce = 16,
    Feedback = 32,
    NoServo = 64,
    Pulse = 128,
    IdleGain = 256
  };

  /// @param owner  the name of the robot
  /// @param notices  where messages go; outlives the reports
  MotorReports(std::string owner, Notices& notices) : owner_(std::move(owner)), notices_(notices) {}

  /// To the motor of the same node in another scene.
  /// @param spec  its node; outlives the reports or the next bind()
  void bind(const MotorSpec& spec) { spec_ = &spec; }
  void set_owner(const std::string& owner) { owner_ = owner; }
  const std::string& owner() const { return owner_; }
  /// Returns `robot "NAME", motor "NAME"`, with which messages begin.
  std::string subject() const;

  /// Returns whether a message of this kind was reported.
  bool has(Kind kind) const { return (reported_ & kind) != 0; }
  /// Reports a message of a kind.
  void once(Kind kind, std::string_view what);
  /// Reports that a value was replaced by another one, if they differ by more than a rounding
  /// error.
  void replaced(Kind kind, const char* what, double asked, double used);
  /// One bit for each kind that was reported.
  unsigned& reported() { return reported_; }

 private:
  std::string owner_;
  const MotorSpec* spec_ = nullptr;  // not null after bind()
  Notices& notices_;
  unsigned reported_ = 0;
};

}  // namespace servosim
