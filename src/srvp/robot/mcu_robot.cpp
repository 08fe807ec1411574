// SPDX-License-Identifier: Apache-2.0
#include "srvp/robot/mcu_robot.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/assert.h"

namespace servosim::srvp::robot {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
// Times are sums of steps, so rounding of the last bit must not delay the end of a period by one
// step.
bool passed(double since, double period, double now) { return now - since >= period - kTimeSlack; }

}  // namespace

ServoMovement::ServoMovement(const std::vector<Goal>& goals, double now) : start_(now) {
  for (const Goal& goal : goals) {
    progress_.push_back({goal, kNever, now, kNever});
  }
}

ServoMovement::State ServoMovement::update(std::span<const double> positions, double now) {
  bool moving = false;
  bool all_arrived = true;
  for (Progress& servo : progress_) {
    SERVOSIM_ASSERT(servo.goal.servo < positions.size(), "servo {} of {}", servo.goal.servo,
                    positions.size());
    update_progress(servo, positions[servo.goal.servo], now);
    moving = moving || (!servo.arrived && !passed(servo.nearer_since, kStallTime, now));
    all_arrived = all_arrived && servo.arrived;
  }
  return all_arrived                                ? State::Done
         : moving && !passed(start_, kTimeOut, now) ? State::Moving
                                                    : State::Failed;
}

void ServoMovement::update_progress(Progress& servo, double position, double now) {
  const double distance = std::abs(position - servo.goal.target);
  if (distance <= servo.goal.tolerance) {
    servo.near_since = std::min(servo.near_since, now);
    servo.nearer_since = now;
  } else {
    servo.near_since = kNever;
  }
  if (distance <= servo.nearest - kProgress) {
    servo.nearest = distance;
    servo.nearer_since = now;
  }
  servo.arrived = passed(servo.near_since, kRest, now);
}

McuRobot::McuRobot(const Simulation& simulation, McuKind kind, std::vector<McuServo> servos)
    : simulation_(simulation), kind_(kind), servos_(std::move(servos)), measured_(servos_.size()) {}

void McuRobot::perform(McuOrder order, Respond respond) {
  if (!moving()) {
    begin(order, std::move(respond));
  } else if (waiting_.size() < kMaxWaiting) {
    waiting_.push_back({std::move(order), std::move(respond)});
  } else {
    respond(nack(Nack::ErrorContactingMcu));
  }
}

void McuRobot::begin(const McuOrder& order, Respond respond) {
  if (order.kind == McuOrder::Kind::Execute) {
    return start_movement(stored_, [this, respond = std::move(respond)](Control answer) {
      if (answer.ack) {
        stored_.clear();  // after a failure they stay stored, as they do in a server
      }
      respond(answer);
    });
  }
  const bool stores = order.kind == McuOrder::Kind::Store;
  std::optional<Targets> targets;
  if (!stores || kind_ == McuKind::Smart) {
    targets = targets_of(order.movement);
  }
  if (!targets) {
    respond(nack(Nack::InvalidParameter));
  } else if (stores) {
    targets->merge(stored_);  // new targets replace stored ones for the same servo
    stored_ = std::move(*targets);
    respond(ack());
  } else {
    start_movement(*targets, std::move(respond));
  }
}

// Returns nothing if one of the moves is impossible; then no servo is moved. If two moves are for
// one servo, the last one counts.
std::optional<McuRobot::Targets> McuRobot::targets_of(const Movement& movement) const {
  const auto form = kind_ == McuKind::Smart ? MoveForm::Position : MoveForm::Pwm;
  if (movement.form != form) {
    return std::nullopt;
  }
  Targets targets;
  for (const Move& move : movement.moves) {
    const auto target =
        move.servo < servos_.size() ? target_of(servos_[move.servo], move.value) : std::nullopt;
    if (!target) {
      return std::nullopt;
    }
    targets[move.servo] = *target;
  }
  return targets;
}

std::optional<double> McuRobot::target_of(const McuServo& servo, int value) const {
  std::optional<double> position;
  if (kind_ == McuKind::Dumb) {
    position = servo.position_of_pwm(value);
  } else if (value >= 0 && value <= kMaxPosition) {
    position = value;
  }
  return position && servo.reaches(*position) ? position : std::nullopt;
}

void McuRobot::start_movement(const Targets& targets, Respond respond) {
  if (targets.empty()) {
    return respond(nack(Nack::InvalidParameter));
  }
  std::vector<ServoMovement::Goal> goals;
  for (const auto& [servo, target] : targets) {
    servos_[servo].move_to(target);
    goals.push_back(
        {servo, target, std::max(ServoMovement::kTolerance, servos_[servo].rest_zone())});
  }
  SERVOSIM_ASSERT(!moving(), "{} orders wait for the movement", waiting_.size());
  movement_.emplace(goals, simulation_.time());
  next_check_ = 0.0;
  respond_ = std::move(respond);
}

void McuRobot::after_step() {
  if (!movement_ || simulation_.time() < next_check_) {
    return;
  }
  next_check_ = simulation_.time() + kCheckInterval - kTimeSlack;
  measure();
  const ServoMovement::State state = movement_->update(measured_, simulation_.time());
  if (state == ServoMovement::State::Moving) {
    return;
  }
  finish(state == ServoMovement::State::Done ? ack() : nack(Nack::ErrorContactingMcu));
}

void McuRobot::after_reset() {
  if (movement_) {
    finish(nack(Nack::ErrorContactingMcu));
  }
}

void McuRobot::finish(Control answer) {
  movement_.reset();
  const Respond respond = std::exchange(respond_, {});
  respond(answer);
  begin_next();
}

void McuRobot::begin_next() {
  while (!moving() && !waiting_.empty()) {
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    begin(next.order, std::move(next.respond));
  }
}

void McuRobot::measure() {
  std::transform(servos_.begin(), servos_.end(), measured_.begin(), [this](const McuServo& s) {
    return s.position(simulation_.joint(s.joint).position());
  });
}

std::vector<std::uint8_t> McuRobot::positions() const {
  std::vector<std::uint8_t> rounded;
  for (const McuServo& servo : servos_) {
    const double position = servo.position(simulation_.joint(servo.joint).position());
    rounded.push_back(
        static_cast<std::uint8_t>(std::lround(std::clamp(position, 0.0, double{kMaxPosition}))));
  }
  return rounded;
}

}  // namespace servosim::srvp::robot
