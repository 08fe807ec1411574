// SPDX-License-Identifier: Apache-2.0
#include "yarp/server/call.h"

#include <array>
#include <cmath>
#include <limits>

namespace servosim::yarp::server {

namespace {

std::optional<int> whole(const BottleValue& item) {
  if (const auto code = as_vocab(item)) {
    return code;
  }
  if (const auto number = as_int(item)) {
    return number;
  }
  const auto number = as_number(item);
  constexpr double kMaxInt = std::numeric_limits<int>::max();
  const bool fits = number && std::abs(*number) <= kMaxInt && std::trunc(*number) == *number;
  return fits ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

}  // namespace

const BottleValue* Arguments::next() {
  if (flatten_lists_ && at_list()) {
    items_ = as_list(items_.front())->items;
  }
  if (!ok_ || items_.empty()) {
    ok_ = false;
    return nullptr;
  }
  const BottleValue* const item = &items_.front();
  items_ = items_.subspan(1);
  return item;
}

int Arguments::take_int() {
  const BottleValue* const item = next();
  const std::optional<int> value = item ? whole(*item) : std::nullopt;
  ok_ = ok_ && value;
  return value.value_or(0);
}

// [ok] and [fail] are the truth values of 4.0; text has true and false.
bool Arguments::take_bool() {
  const int value = take_int();
  return value != 0 && value != vocab("fail");
}

double Arguments::take_number() {
  const BottleValue* const item = next();
  const std::optional<double> value = item ? as_number(*item) : std::nullopt;
  ok_ = ok_ && value;
  return value.value_or(0.0);
}

// People may type a word as a vocab.
std::string Arguments::take_string() {
  const BottleValue* const item = next();
  if (item == nullptr) {
    return {};
  }
  if (const auto* vocab = std::get_if<Vocab>(item)) {
    return vocab_text(vocab->code);
  }
  const std::string* const text = as_string(*item);
  ok_ = text != nullptr;
  return text ? *text : std::string();
}

// The order on the wire differs from that of the struct.
Pid Arguments::take_pid() {
  const std::vector<double> v = list<double>(10);
  return ok_ ? Pid{v[0], v[1], v[2], v[3], v[6], v[4], v[5], v[7], v[8], v[9]} : Pid{};
}

MotorTorqueParameters Arguments::take_motor_torque() {
  std::array<double, 9> v{};
  flatten_lists();
  for (double& number : v) {
    number = take_number();
  }
  return ok_ ? MotorTorqueParameters{v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8]}
             : MotorTorqueParameters{};
}

PidType Arguments::take_pid_type() {
  const int code = take_int();
  if (generation_ == Generation::V3) {
    return {code};
  }
  std::string text = vocab_text(code);
  const bool known = text.size() == 4 && text.back() == '1';
  text.resize(known ? 3 : 0);
  return {vocab(text)};
}

std::vector<int> Arguments::joints() {
  std::optional<std::size_t> count;
  if (!done() && !at_list()) {
    const int claimed = take<int>();
    ok_ = ok_ && claimed >= 0;
    count = static_cast<std::size_t>(claimed);
  }
  return list<int>(count);
}

}  // namespace servosim::yarp::server
