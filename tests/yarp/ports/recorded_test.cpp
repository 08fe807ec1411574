// SPDX-License-Identifier: Apache-2.0
// Every codec and state machine of the ports is compared with YARP 3.12.3, on either side: they
// understand what one of its programs sent, and they send what the other one answered.
#include <fmt/format.h>

#include <deque>
#include <optional>

#include "support/recorded_flows.h"
#include "yarp/ports/conversation.h"
#include "yarp/ports/name_server.h"
#include "yarp/ports/port.h"
#include "yarp/protocol/message.h"
#include "yarp/protocol/streaming.h"

namespace servosim::yarp {
namespace {

constexpr Generation kV3 = Generation::V3;

// Text has two kinds of line ends.
std::string plain(std::string text) {
  std::erase(text, '\r');
  return text;
}

std::string from(const Writer& writer) { return text_of(writer); }

// A received message with its own copy of the bytes.
struct Heard {
  MessageHead head;
  std::string body;
  Bottle bottle() const { return std::get<Bottle>(decode_bottle(as_bytes(body), kV3)); }
};

// Replays one recorded connection, with state machines of servosim at both ends.
class Replay {
 public:
  Replay(const test::RecordedFlow& flow, std::size_t cut) : flow_(flow), cut_(cut) {}

  void run() {
    for (const auto& piece : flow_.pieces) {
      for (std::size_t at = 0; at < piece.bytes.size() && !HasFailure(); at += cut_) {
        const std::string part = piece.bytes.substr(at, cut_);
        piece.asked ? forth(part) : back(part);
      }
    }
    EXPECT_EQ(incoming_.buffered(), 0u);
    EXPECT_TRUE(waiting_.empty());
    EXPECT_TRUE(disconnects() || (outgoing_ && outgoing_->ready()));
    EXPECT_EQ(sent_, plain_of(true));
  }
  const std::vector<Heard>& messages() const { return messages_; }
  const std::vector<Bottle>& replies() const { return replies_; }
  const std::string& sender() const { return sender_; }
  std::optional<Carrier> carrier() const { return incoming_.carrier(); }
  bool disconnects() const {
    return std::any_of(messages_.begin(), messages_.end(), [](const Heard& heard) {
      return heard.head.command == PortCommand::Disconnect;
    });
  }

 private:
  static bool HasFailure() { return testing::Test::HasFailure(); }
  std::string plain_of(bool forth) const {
    std::string all;
    for (const auto& piece : flow_.pieces) {
      all += piece.asked == forth ? piece.bytes : "";
    }
    return is_text(*incoming_.carrier()) ? plain(all) : all;
  }
  // The port that was dialled receives.
  void forth(const std::string& bytes) {
    incoming_.feed(as_bytes(bytes));
    for (auto event = incoming_.next(); event.index() != 0; event = incoming_.next()) {
      if (const auto* opened = std::get_if<Opened>(&event)) {
        sender_ = opened->sender;
        outgoing_.emplace(opened->carrier, kV3);
        Writer writer;
        encode_handshake(writer, opened->carrier, sender_);
        sent_ += is_text(opened->carrier) ? plain(from(writer)) : from(writer);
      } else if (const auto* message = std::get_if<Message>(&event)) {
        take(*message);
      } else {
        ADD_FAILURE() << error_text(event) << " to " << flow_.to;
        return;
      }
    }
    send_next();
  }
  void take(const Message& message) {
    const Carrier carrier = *incoming_.carrier();
    Bottle body;
    if (has_body(message.head)) {
      const BottleOrError decoded = decode_body(message.body, carrier, kV3);
      ASSERT_FALSE(is_error(decoded)) << error_text(decoded);
      body = std::get<Bottle>(decoded);
    }
    const bool disconnects = message.head.command == PortCommand::Disconnect;
    messages_.push_back(
        {message.head, disconnects ? std::string(as_text(message.body)) : encoded(body)});
    waiting_.push_back(message.head);
    send_again(message, body);
  }
  // Sends the same message from here. It is equal byte by byte if both cut the body in the same
  // way.
  void send_again(const Message& message, const Bottle& body) {
    Writer writer;
    if (message.head.command == PortCommand::Disconnect) {
      encode_disconnect(writer, as_text(message.body));
      disconnected_ = true;
      sent_ += plain(from(writer));
    } else if (!disconnected_) {
      encode_message(writer, *incoming_.carrier(), message.head, body, kV3);
      if (is_text(*incoming_.carrier())) {
        sent_ += plain(from(writer));
      } else {
        compare(writer, message, body);
      }
    }
  }
  void compare(const Writer& ours, const Message& message, const Bottle& body) {
    const FoundMessage found = find_message(ours.bytes());
    EXPECT_EQ(found.message.head.command, message.head.command);
    EXPECT_EQ(found.message.head.reply, message.head.reply);
    ASSERT_EQ(found.message.head.stamp.has_value(), message.head.stamp.has_value());
    if (message.head.stamp) {
      EXPECT_EQ(found.message.head.stamp->sequence, message.head.stamp->sequence);
      EXPECT_EQ(found.message.head.stamp->time, message.head.stamp->time);
    }
    EXPECT_EQ(as_text(found.message.body), as_text(message.body)) << to_text(body);
    // The lengths of the pieces mean nothing, so the whole body is compared.
    const std::string all = plain_of(true);
    const FoundMessage theirs = find_message(as_bytes(all).subspan(sent_.size()));
    ASSERT_GT(theirs.size, 0u);
    const int blocks = all.at(sent_.size() + 8);
    const bool as_ours = blocks == (has_body(message.head) ? 2 : 1) && !message.head.stamp;
    if (as_ours) {
      EXPECT_EQ(from(ours), all.substr(sent_.size(), theirs.size)) << to_text(body);
    }
    sent_ += all.substr(sent_.size(), theirs.size);
  }
  // The side that dialled sends the next message when the previous one is done.
  void send_next() {
    while (outgoing_ && outgoing_->ready() && !waiting_.empty()) {
      outgoing_->sent(waiting_.front());
      waiting_.pop_front();
    }
  }
  // The port that dialled receives.
  void back(const std::string& bytes) {
    ASSERT_TRUE(outgoing_);
    if (disconnects()) {  // a line of text for users follows
      waiting_.clear();
      return;
    }
    outgoing_->feed(as_bytes(bytes));
    for (auto event = outgoing_->next(); event.index() != 0; event = outgoing_->next()) {
      if (const auto* welcomed = std::get_if<Welcomed>(&event)) {
        answer(*welcomed);
      } else if (const auto* reply = std::get_if<RepliedMessage>(&event)) {
        reply_is_ours(*reply);
      } else if (!std::holds_alternative<Finished>(event)) {
        ADD_FAILURE() << error_text(event) << " from " << flow_.to;
        return;
      }
      send_next();
    }
  }
  void answer(const Welcomed& welcomed) {
    Writer writer;
    encode_answer(writer, *incoming_.carrier(), welcomed.number, sender_);
    EXPECT_TRUE(plain_of(false).starts_with(is_text(*incoming_.carrier()) ? plain(from(writer))
                                                                          : from(writer)));
  }
  void reply_is_ours(const RepliedMessage& reply) {
    const Carrier carrier = *incoming_.carrier();
    const BottleOrError decoded = decode_body(reply.body, carrier, kV3);
    ASSERT_FALSE(is_error(decoded)) << error_text(decoded);
    replies_.push_back(std::get<Bottle>(decoded));
    Writer writer;
    encode_reply(writer, carrier, replies_.back(), kV3);
    EXPECT_EQ(from(writer), std::string(as_text(reply.body)) + (is_text(carrier) ? "\r\n" : ""));
  }

  const test::RecordedFlow& flow_;
  std::size_t cut_;
  Incoming incoming_;
  std::optional<Outgoing> outgoing_;
  std::string sender_;
  std::vector<Heard> messages_;
  std::vector<Bottle> replies_;
  std::deque<MessageHead> waiting_;
  std::string sent_;  // the dialling side's bytes, as servosim writes them
  bool disconnected_ = false;
};

class YarpRecorded : public test::RecordedTest {
 protected:
  static bool is_between_ports(const test::RecordedFlow& flow) {
    return !flow.to.empty() && flow.to != "/root";
  }
  static std::vector<test::RecordedFlow::Piece> datagrams_of(const test::RecordedFlow& flow) {
    return flow.to.empty() ? flow.pieces : std::vector<test::RecordedFlow::Piece>();
  }
  // Looks at each complete connection between ports.
  void with_connections(const std::function<void(const test::RecordedFlow&, const Replay&)>& look) {
    for (const auto& flow : flows_) {
      if (is_between_ports(flow)) {
        Replay replay(flow, 1u << 20);
        replay.run();
        look(flow, replay);
      }
    }
  }
  // Looks at the complete messages of each socket's datagrams.
  void with_datagrams(const std::function<void(const std::vector<Heard>&)>& look) {
    for (const auto& flow : flows_) {
      std::vector<Heard> messages;
      DatagramReader reader;
      for (const auto& [asked, datagram] : datagrams_of(flow)) {
        reader.feed(as_bytes(datagram));
        for (auto event = reader.next(); event.index() != 0; event = reader.next()) {
          ASSERT_TRUE(std::holds_alternative<Message>(event)) << error_text(event);
          const auto& message = std::get<Message>(event);
          messages.push_back({message.head, std::string(as_text(message.body))});
        }
      }
      look(messages);
    }
  }
};

TEST_F(YarpRecorded, ConnectionsGoTheSameWayFromEitherSide) {
  int connections = 0;
  int replies = 0;
  for (const auto& flow : flows_) {
    if (!is_between_ports(flow)) {
      continue;
    }
    for (const std::size_t cut : {std::size_t{1} << 20, std::size_t{1}}) {
      Replay replay(flow, cut);
      replay.run();
      std::size_t wanted = 0;
      for (const Heard& heard : replay.messages()) {
        wanted += heard.head.reply ? 1 : 0;
      }
      EXPECT_EQ(replay.replies().size(), wanted) << flow.to;
      replies += static_cast<int>(replay.replies().size());
    }
    ++connections;
  }
  EXPECT_EQ(connections, 31);
  EXPECT_EQ(replies, 650);
}

TEST_F(YarpRecorded, DatagramsAreHeardAndAreOurs) {
  int datagrams = 0;
  for (const auto& flow : flows_) {
    DatagramReader reader;
    for (const auto& [asked, datagram] : datagrams_of(flow)) {
      ++datagrams;
      reader.feed(as_bytes(datagram));
      const DatagramEvent event = reader.next();
      if (datagram.substr(4, 4) == "\xff\xff\xff\xff") {
        EXPECT_EQ(event.index(), 0u) << error_text(event);
        continue;
      }
      ASSERT_TRUE(std::holds_alternative<Message>(event)) << error_text(event);
      Writer writer;
      encode_datagram(writer, as_bytes(datagram).subspan(kDatagramHead), 0);
      EXPECT_EQ(from(writer), datagram);
    }
  }
  EXPECT_EQ(datagrams, 26);
}

TEST_F(YarpRecorded, StatesAreOurs) {
  int states = 0;
  const auto look = [&states](const std::vector<Heard>& messages) {
    for (const Heard& heard : messages) {
      if (!heard.head.stamp) {
        continue;
      }
      const Bottle record = heard.bottle();
      ASSERT_EQ(record.size(), 22u);
      std::vector<std::vector<double>> numbers;
      std::vector<std::vector<std::int32_t>> codes;
      std::vector<bool> valid;
      for (std::size_t i = 0; i < 22; i += 2) {
        auto& row = numbers.emplace_back();
        auto& words = codes.emplace_back();
        for (const BottleValue& item : as_list(record.items[i])->items) {
          i < 18 ? row.push_back(std::get<double>(item))
                 : words.push_back(std::get<std::int32_t>(item));
        }
        valid.push_back(record.items[i + 1] == BottleValue(Vocab("ok")));
      }
      JointStates joints;
      JointValues<double>* const quantities[] = {
          &joints.positions,       &joints.velocities,       &joints.accelerations,
          &joints.motor_positions, &joints.motor_velocities, &joints.motor_accelerations,
          &joints.torques,         &joints.duty_cycles,      &joints.currents};
      for (std::size_t i = 0; i < 9; ++i) {
        *quantities[i] = {numbers[i], valid[i]};
      }
      joints.control_modes = {codes[9], valid[9]};
      joints.interaction_modes = {codes[10], valid[10]};
      Writer writer;
      encode_joint_states(writer, joints, kV3);
      EXPECT_EQ(from(writer), heard.body);
      ++states;
    }
  };
  with_connections([&](const auto&, const Replay& replay) { look(replay.messages()); });
  with_datagrams(look);
  EXPECT_EQ(states, 55);
}

TEST_F(YarpRecorded, StreamedCommandsAreOurs) {
  std::set<std::string> heads;
  const auto look = [&heads](const std::vector<Heard>& messages) {
    for (const Heard& heard : messages) {
      if (heard.head.command != PortCommand::Data || heard.head.reply || heard.head.stamp) {
        continue;
      }
      const auto command = to_streamed(heard.bottle());
      ASSERT_TRUE(std::holds_alternative<StreamedCommand>(command)) << error_text(command);
      const auto& [head, values] = std::get<StreamedCommand>(command);
      Writer writer;
      encode_streamed(writer, head, values, kV3);
      EXPECT_EQ(from(writer), heard.body);
      heads.insert(to_text(head));
    }
  };
  with_connections([&](const auto&, const Replay& replay) { look(replay.messages()); });
  with_datagrams(look);
  EXPECT_EQ(heads.size(), 14u);
}

// Requests to a port about its connections, and its answers.
TEST_F(YarpRecorded, RequestsAboutConnectionsAreOurs) {
  int requests = 0;
  with_connections([&](const test::RecordedFlow& flow, const Replay& replay) {
    for (std::size_t i = 0; i < replay.messages().size(); ++i) {
      const Heard& heard = replay.messages()[i];
      if (heard.head.command != PortCommand::Admin) {
        continue;
      }
      ++requests;
      const AdminRequest request = parse_admin(heard.bottle());
      EXPECT_EQ(to_text(admin_message(request)), to_text(heard.bottle()));
      const Bottle& reply = replay.replies().at(i);
      if (const auto* add = std::get_if<AdminAdd>(&request)) {
        EXPECT_EQ(to_text(admin_added_reply(flow.to, *add)), to_text(reply));
      } else if (const auto* remove = std::get_if<AdminRemove>(&request)) {
        EXPECT_EQ(to_text(admin_removed_reply(flow.to, remove->name)), to_text(reply));
      } else if (const auto* list = std::get_if<AdminList>(&request); list && !reply.empty()) {
        const auto carrier = carrier_named(*as_string(as_list(reply.items.at(2))->items.at(1)));
        EXPECT_EQ(to_text(admin_connection_reply(flow.to, list->name, carrier.value())),
                  to_text(reply));
      } else {
        EXPECT_TRUE(list) << to_text(heard.bottle());
      }
    }
  });
  EXPECT_EQ(requests, 20);
}

TEST_F(YarpRecorded, NamesAreServedAndAskedForAsByYarpserver) {
  NameTable table({"/root", "127.0.0.1", 10000, "tcp"});
  int questions = 0;
  for (const auto& flow : flows_) {
    if (flow.to != "/root") {
      continue;
    }
    ASSERT_EQ(flow.pieces.size(), 2u);
    std::string line = plain(flow.pieces[0].bytes);
    const std::string& answer = flow.pieces[1].bytes;
    const NameRequest request = parse_name_request(line.substr(0, line.size() - 1));
    ASSERT_FALSE(is_error(request)) << error_text(request);
    const std::string ours = encode_name_request(request);
    EXPECT_TRUE(line.starts_with(ours.substr(0, ours.size() - 1))) << line << ours;
    EXPECT_EQ(table.answer(line.substr(0, line.size() - 1), "127.0.0.1"), answer);
    NameReplyReader reader;
    EXPECT_TRUE(reader.feed(as_bytes(answer))) << answer;
    EXPECT_EQ(reader.error(), "");
    const NameReply& reply = reader.reply();
    EXPECT_TRUE(reply.others.empty()) << answer;
    if (const auto* registered = std::get_if<RegisterName>(&request)) {
      ASSERT_EQ(reply.contacts.size(), 1u) << answer;
      EXPECT_EQ(registration_line(reply.contacts[0]) + std::string(kEndOfNameReply), answer);
      EXPECT_EQ(reply.contacts[0].name, registered->contact.name);
    } else if (const auto* set = std::get_if<SetProperty>(&request)) {
      ASSERT_EQ(reply.properties.size(), 1u) << answer;
      EXPECT_EQ(reply.properties[0].key, set->key);
      EXPECT_EQ(reply.properties[0].values.size(), set->values.size());
    }
    ++questions;
  }
  EXPECT_EQ(questions, 25);
}

}  // namespace
}  // namespace servosim::yarp
