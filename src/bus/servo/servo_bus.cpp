// SPDX-License-Identifier: Apache-2.0
#include "bus/servo/servo_bus.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/assert.h"

namespace servosim::bus {
namespace {

// Receivers of a UART tolerate a difference of a few percent.
constexpr double kBaudTolerance = 0.03;

}  // namespace

BusServo& ServoBus::add(std::unique_ptr<BusServo> servo) {
  SERVOSIM_ASSERT(servo->table().protocol == protocol_, "a servo of another protocol: {}",
                  servo->table().model);
  servos_.push_back(std::move(servo));
  return *servos_.back();
}

bool ServoBus::hears(const BusServo& servo, double baud) const {
  return servo.is_present() &&
         (baud <= 0.0 || std::abs(servo.baud() - baud) <= kBaudTolerance * baud);
}

// A servo's own ID comes before the secondary ID of another one.
BusServo* ServoBus::find(std::uint8_t id, double baud) {
  for (const auto& servo : servos_) {
    if (hears(*servo, baud) && servo->id() == id) {
      return servo.get();
    }
  }
  return nullptr;
}

int ServoBus::receive(std::span<const std::uint8_t> bytes, double now, double baud,
                      std::vector<BusReply>& replies) {
  const double slowest = servos_.empty() ? 1e6 : servos_.front()->baud();
  const double per_byte = byte_time(baud > 0.0 ? baud : slowest);
  const double begin = std::max(now, last_byte_);
  const double gap =
      protocol_ == &kDynamixel1 ? choices_.packets.byte_gap_1 : choices_.packets.byte_gap;
  if (now - last_byte_ > gap) {
    reader_.forget();
  }
  reader_.feed(bytes);
  replies_ = &replies;
  int instructions = 0;
  while (const auto received = reader_.next()) {
    const auto before = static_cast<double>(received->end - std::min(received->end, received_));
    free_at_ = std::max(free_at_, begin + before * per_byte);
    instructions += received->is_intact && !received->packet.is_status ? 1 : 0;
    obey(*received, baud);
  }
  received_ += bytes.size();
  last_byte_ = begin + static_cast<double>(bytes.size()) * per_byte;
  free_at_ = std::max(free_at_, last_byte_);
  replies_ = nullptr;
  return instructions;
}

void ServoBus::flush(double now) { free_at_ = std::min(free_at_, std::max(now, last_byte_)); }

void ServoBus::step(double h) {
  for (const auto& servo : servos_) {
    servo->step(h);
  }
}

void ServoBus::reply_bytes(const BusServo& servo, double baud, double delay, Octets bytes) {
  const double per_byte = byte_time(baud > 0.0 ? baud : servo.baud());
  free_at_ += delay + static_cast<double>(bytes.size()) * per_byte;
  replies_->push_back({free_at_, std::move(bytes), servo.noise()});
}

void ServoBus::reply(const BusServo& servo, std::uint8_t id, double baud, double delay,
                     const ServoAnswer& answer) {
  reply_bytes(servo, baud, delay,
              encode(*protocol_, BusPacket{true, id, answer.error, answer.parameters}));
}

void ServoBus::obey(const ReadPacket& received, double baud) {
  const BusPacket& packet = received.packet;
  if (packet.is_status) {
    return;  // an echo
  }
  const auto request =
      received.is_intact ? read_request(*protocol_, packet) : std::optional<BusRequest>();
  if (!request) {
    const ServoFault fault = !received.is_intact ? ServoFault::Checksum
                             : protocol_->find_code(packet.code) != nullptr
                                 ? ServoFault::DataLength
                                 : ServoFault::Instruction;
    if (BusServo* const servo = find(packet.id, baud)) {
      if (const auto answer = servo->answer_fault(fault)) {
        reply(*servo, servo->id(), baud, servo->return_delay(), *answer);
      }
    }
    return;
  }
  switch (request->instruction) {
    case Instruction::SyncRead:
    case Instruction::BulkRead:
    case Instruction::FastSyncRead:
    case Instruction::FastBulkRead:
      read_several(*request, baud);
      return;
    case Instruction::SyncWrite:
    case Instruction::BulkWrite:
      write_several(*request, baud);
      return;
    default:
      obey_all(*request, baud);
  }
}

void ServoBus::obey_all(const BusRequest& request, double baud) {
  const bool is_for_all = request.id == kBroadcast;
  if (is_for_all && request.instruction == Instruction::Ping) {
    ping_all(baud);
    return;
  }
  for (const auto& servo : servos_) {
    if (!hears(*servo, baud) || !(is_for_all || servo->obeys(request.id))) {
      continue;
    }
    // Its own ID, baud rate and delay are those of before it obeys.
    const std::uint8_t id = servo->id();
    const double delay = servo->return_delay();
    servo->heard();
    if (const auto answer = servo->obey(request)) {
      reply(*servo, id, baud, delay, *answer);
    }
  }
}

void ServoBus::ping_all(double baud) {
  std::vector<BusServo*> hearers;
  for (const auto& servo : servos_) {
    if (hears(*servo, baud)) {
      hearers.push_back(servo.get());
    }
  }
  std::stable_sort(hearers.begin(), hearers.end(),
                   [](const BusServo* a, const BusServo* b) { return a->id() < b->id(); });
  const double begin = free_at_;
  for (BusServo* const servo : hearers) {
    free_at_ = std::max(free_at_, begin + choices_.packets.ping_slot * servo->id());
    servo->heard();
    if (const auto answer = servo->obey({Instruction::Ping, kBroadcast, {}, {}})) {
      reply(*servo, servo->id(), baud, servo->return_delay(), *answer);
    }
  }
}

void ServoBus::read_several(const BusRequest& request, double baud) {
  const bool is_fast = request.instruction == Instruction::FastSyncRead ||
                       request.instruction == Instruction::FastBulkRead;
  const bool is_dynamixel = protocol_ == &kDynamixel1 || protocol_ == &kDynamixel2;
  std::size_t length = 0;
  for (const RegisterAccess& access : request.accesses) {
    length += 4U + access.count;
  }
  if (is_fast && length + 1 > PacketReader::kMaxLength) {
    return;
  }
  FastStatus fast(length);
  Octets chain;  // of a fast read, what has been written
  const BusServo* first = nullptr;
  bool is_next = false;  // not the first one that answers
  for (const RegisterAccess& access : request.accesses) {
    BusServo* const servo = find(access.id, baud);
    if (servo != nullptr) {
      servo->heard();
    }
    const auto answer = servo != nullptr && servo->has_reads_of_several(request.instruction)
                            ? servo->read(access.address, access.count)
                            : std::nullopt;
    if (!answer) {
      if (is_fast ? choices_.packets.missing_ends_fast_read
                  : is_dynamixel && choices_.packets.missing_ends_chain) {
        break;
      }
      continue;
    }
    if (is_fast) {
      Octets data = answer->parameters;
      data.resize(access.count);
      const Octets part = fast.add(answer->error, servo->id(), data);
      chain.insert(chain.end(), part.begin(), part.end());
      first = first == nullptr ? servo : first;
    } else {
      const double gap = is_next ? choices_.packets.status_gap : 0.0;
      reply(*servo, servo->id(), baud, servo->return_delay() + gap, *answer);
      is_next = true;
    }
  }
  if (first != nullptr) {
    reply_bytes(*first, baud, first->return_delay(), std::move(chain));
  }
}

void ServoBus::write_several(const BusRequest& request, double baud) {
  for (const auto& servo : servos_) {
    if (!hears(*servo, baud)) {
      continue;
    }
    for (const RegisterAccess& access : request.accesses) {
      if (servo->obeys(access.id)) {
        servo->heard();
        servo->write(access.id, access.address, access.data);
      }
    }
  }
}

}  // namespace servosim::bus
