// SPDX-License-Identifier: Apache-2.0
// A board of servosim gets the bytes of a real client, and a client of servosim gets the bytes of a
// real board. Both were recorded with YARP 3.12.3.
#include <map>
#include <set>

#include "support/recorded_flows.h"
#include "yarp/protocol/streaming.h"
#include "yarp/server/support.h"

namespace servosim::yarp::server {
namespace {

using test::RecordedFlow;
using yarp::as_list;
using yarp::becomes;
using yarp::BottleValue;
using yarp::RawClient;

constexpr const char* kBoard = "/fake";

// A board with three joints, like the recorded one.
class FakeBoard : public ServedBoard {
 public:
  FakeBoard() : ServedBoard(Generation::V3, true, kBoard, 3) {}
};

// Returns types, lengths and words of a message. Values of the same kind have the same shape.
std::string shape(const BottleValue& value);
std::string shape(const Bottle& bottle) {
  std::string text = "(";
  for (const BottleValue& item : bottle.items) {
    text += (text.size() > 1 ? " " : "") + shape(item);
  }
  return text + ")";
}
std::string shape(const BottleValue& value) {
  if (const Bottle* const list = as_list(value)) {
    return shape(*list);
  }
  if (const auto* vocab = std::get_if<yarp::Vocab>(&value)) {
    return "[" + yarp::vocab_text(vocab->code) + "]";
  }
  return std::array{"i8", "i16", "i32", "i64", "f32", "f64", "", "v64", "string", "blob", ""}.at(
      value.index());
}

Bottle decoded(Bytes bytes) { return std::get<Bottle>(yarp::decode_bottle(bytes, Generation::V3)); }
Bottle body_of(const std::string& message) {
  return decoded(yarp::find_message(as_bytes(message)).message.body);
}

// Receives a reply and its acknowledgement, byte by byte.
Bottle receive_reply(RawClient& client) {
  std::string bytes;
  for (yarp::BottleEnd end; end.size == 0 && end.error.empty();
       end = yarp::find_bottle_end(as_bytes(bytes), Generation::V3)) {
    const std::string byte = client.receive(1);
    if (byte.empty()) {
      ADD_FAILURE() << "the reply breaks off";
      return {};
    }
    bytes += byte;
  }
  EXPECT_EQ(client.receive(8), yarp::ack());
  return decoded(as_bytes(bytes));
}

class WireRecorded : public test::RecordedTest {
 protected:
  using Look = std::function<void(const RecordedFlow&)>;
  void with_flows_to(const std::string& port, const Look& look) {
    for (const RecordedFlow& flow : flows_) {
      if (flow.to == port) {
        look(flow);
      }
    }
  }
  static bool by_text(const RecordedFlow& flow) {
    return flow.pieces.front().bytes.starts_with("CONN");
  }
  // Returns the shape of the first recorded state, by any carrier.
  std::string state_shape() const {
    for (const RecordedFlow& flow : flows_) {
      if (flow.to.empty() && flow.pieces[0].bytes.size() > 200) {
        return shape(body_of(flow.pieces[0].bytes.substr(8)));
      }
      if (flow.to.ends_with("/stateExt:i") && flow.pieces.size() > 2) {
        return shape(body_of(flow.pieces[2].bytes));
      }
    }
    return "none";
  }
};

// The recorded board accepts everything and knows values that no simulation has. The board of
// servosim gets the same requests.
TEST_F(WireRecorded, RequestsAreAnsweredInTheSameShapes) {
  const std::map<std::string, std::string> different{
      {"[get] [tmp] 0", "([fail])"},  // there is no temperature
      {"[get] [tmps]", "([fail])"},
      {"[set] [vlim] 0 -33.0 33.0", "([fail])"},   // a velocity has no lower limit
      {"[set] [llim] 0 10.0 -10.0", "([fail])"},   // the limits are in the wrong order
      {"[set] [vels] (0.0 0.0 0.0)", "([fail])"},  // with these speeds nothing would move
  };
  std::set<std::string> requests;
  const FakeBoard board;
  with_flows_to(std::string(kBoard) + "/rpc:i", [&](const RecordedFlow& flow) {
    if (by_text(flow)) {
      return;
    }
    RawClient client(board.port("rpc:i"));
    ASSERT_TRUE(client.send(flow.pieces.at(0).bytes));
    EXPECT_EQ(client.receive(8), yarp::answer(Carrier::Tcp, board.port("rpc:i"), ""));
    for (std::size_t i = 2; i + 1 < flow.pieces.size(); i += 2) {
      const std::string& request = flow.pieces[i].bytes;
      const std::string& reply = flow.pieces[i + 1].bytes;
      ASSERT_TRUE(client.send(request));
      if (reply == yarp::ack()) {  // answers the quit command
        EXPECT_EQ(client.receive(8), reply);
        continue;
      }
      const std::string text = to_text(body_of(request));
      const Bottle answered = receive_reply(client);
      if (text == "[help]") {
        EXPECT_GT(answered.size(), 100u);  // the help of servosim's board is longer
        continue;
      }
      const auto other = different.find(text);
      EXPECT_EQ(shape(answered), other != different.end()
                                     ? other->second
                                     : shape(decoded(as_bytes(reply).first(reply.size() - 8))))
          << text;
      requests.insert(text);
    }
  });
  EXPECT_EQ(requests.size(), 73u);
}

// Reads states in place of the recorded client. It is a port that the name server knows.
class PlayedReader {
 public:
  PlayedReader(int names, const std::string& name) {
    RawClient client(names);
    client.send("NAME_SERVER register " + name + " tcp 127.0.0.1 " +
                std::to_string(listener_.port()) + "\r\n");
    EXPECT_NE(client.receive_all().find(name), std::string::npos);
  }
  void accept() { caller_.emplace(listener_.accept()); }
  std::string receive(std::size_t size) { return caller_->receive(size); }
  void welcome(int number) {
    Writer writer;
    yarp::encode_number(writer, number);
    EXPECT_TRUE(caller_->send(as_text(writer.bytes())));
  }
  int udp_port() const { return net::local_address(udp_).port; }
  std::string receive_datagram() {
    std::string bytes(1u << 16, '\0');
    EXPECT_TRUE(becomes([&] {
      const ssize_t size = ::recv(udp_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
      bytes.resize(size > 0 ? static_cast<std::size_t>(size) : bytes.size());
      return size > 0;
    }));
    return bytes;
  }
  std::string receive_message() {
    std::string bytes;
    while (yarp::find_message(as_bytes(bytes)).size == 0 && bytes.size() < 4096) {
      bytes += receive(1);
    }
    return bytes;
  }

 private:
  net::RawListener listener_;
  Descriptor udp_ = net::udp_socket({});
  std::optional<RawClient> caller_;
};

// A client makes the board connect to it, gets the states, and ends the connection.
TEST_F(WireRecorded, StatesAreToldAsTheyTellThem) {
  std::set<std::string> done;
  for (const RecordedFlow& states : flows_) {
    if (!states.to.ends_with("/stateExt:i") || by_text(states) || done.contains(states.to)) {
      continue;
    }
    const FakeBoard board;
    PlayedReader reader(board.names(), states.to);
    const std::string& handshake = states.pieces.at(0).bytes;
    const bool by_udp = handshake.starts_with("YA\x61");
    const bool acknowledged = handshake.starts_with("YA\xe4");
    with_flows_to(std::string(kBoard) + "/stateExt:o", [&](const RecordedFlow& flow) {
      const std::string& request = flow.pieces.at(2).bytes;
      if (request.find(states.to.substr(1)) == std::string::npos) {
        return;
      }
      const bool ends = request.find("[del]") != std::string::npos;
      RawClient client(board.port("stateExt:o"));
      client.send(flow.pieces.at(0).bytes);
      EXPECT_EQ(client.receive_line(), flow.pieces.at(1).bytes);
      client.send(request);
      if (request.find("[add]") != std::string::npos) {
        reader.accept();
        EXPECT_EQ(reader.receive(handshake.size()), handshake);
        reader.welcome(by_udp ? reader.udp_port() : 7);
        const std::string message =
            by_udp ? reader.receive_datagram().substr(8) : reader.receive_message();
        EXPECT_EQ(shape(body_of(message)), state_shape());
        if (acknowledged) {
          reader.welcome(0);
        }
        done.insert(states.to);
      }
      EXPECT_EQ(client.receive(flow.pieces.at(3).bytes.size()), flow.pieces.at(3).bytes);
      if (ends && by_udp) {  // the recorded client says this then
        const auto disconnect = std::find_if(flows_.begin(), flows_.end(), [&](const auto& other) {
          return other.to == states.to && by_text(other);
        });
        ASSERT_NE(disconnect, flows_.end());
        reader.accept();
        EXPECT_EQ(reader.receive(disconnect->pieces[0].bytes.size()), disconnect->pieces[0].bytes);
      }
    });
  }
  EXPECT_EQ(done.size(), 3u);  // one for each carrier
}

// By udp, commands travel in one direction. They are obeyed, and they end when another connection
// says so.
TEST_F(WireRecorded, StreamedCommandsAreObeyedByWhateverCarrierAndEnd) {
  const FakeBoard board;
  yarp::YarpClient rpc(
      {.name_server = "", .timeout = yarp::kTestTimeout, .generation = Generation::V3});
  rpc.connect("127.0.0.1:" + std::to_string(board.port("rpc:i")), Carrier::Tcp, "/asker");
  const auto ask = [&](const std::string& request) {
    return *rpc.send(yarp::asking(), yarp::bottle(request));
  };
  const auto inputs = [&] {
    RawClient client(board.port("command:i"));
    client.send("CONNACK admin\r\na\r\n[list] [in]\r\n");
    client.receive_line();
    return client.receive_line();
  };
  // For each head of a command, the mode and the request for its value.
  const std::map<std::string, std::pair<std::string, std::string>> modes{
      {"vmo", {"vel", "get vmo 0"}},
      {"dpo", {"posd", "get dpo 0"}},
      {"dtq", {"torq", "get torq ref 0"}},
      {"ipwm", {"ipwm", "get ipwm ref 0"}},
      {"icur", {"icur", "get icur ref 0"}}};
  std::set<std::string> obeyed;
  const auto obeys = [&](const std::string& message) {
    const auto command = std::get<yarp::StreamedCommand>(yarp::to_streamed(body_of(message)));
    const std::string head = yarp::vocab_text(*yarp::as_vocab(command.head.items[0]));
    const auto& [mode, query] = modes.at(head.substr(0, head.starts_with("i") ? 4 : 3));
    return std::tuple(mode, query, command.values[0]);
  };
  const auto send_and_see = [&](const std::string& message, const std::function<void()>& send) {
    const auto [mode, query, value] = obeys(message);
    ask("set icmd cmds (" + mode + " " + mode + " " + mode + ")");
    send();
    EXPECT_TRUE(becomes([&, query = query, value = value]() -> bool {
      const Bottle reply = ask(query);
      return reply.size() > 2 && yarp::as_number(reply.items[2]) == value;
    })) << to_text(body_of(message));
    obeyed.insert(to_text(*as_list(body_of(message).items[0])));
  };
  const RecordedFlow* commands = nullptr;
  for (const RecordedFlow& flow : flows_) {
    if (flow.to.empty() && flow.pieces.size() == 12 && flow.pieces[0].bytes.size() < 200) {
      commands = &flow;
    }
  }
  with_flows_to(std::string(kBoard) + "/command:i", [&](const RecordedFlow& flow) {
    const std::string& begin = flow.pieces.at(0).bytes;
    RawClient client(board.port("command:i"));
    client.send(begin);
    if (by_text(flow)) {  // the disconnect command of a sender by udp
      EXPECT_NE(inputs(), "\r\n");
      EXPECT_EQ(client.receive_line(), flow.pieces.at(1).bytes);
      client.send(flow.pieces.at(2).bytes);
      EXPECT_EQ(client.receive_line(), flow.pieces.at(3).bytes);
      EXPECT_EQ(inputs(), "\r\n");
      return;
    }
    const auto number = yarp::decode_number(as_bytes(client.receive(8)));
    ASSERT_TRUE(number);
    if (begin.starts_with("YA\x61\x1e")) {
      ASSERT_NE(commands, nullptr);
      const Descriptor udp =
          net::udp_sender({INADDR_LOOPBACK, static_cast<std::uint16_t>(*number)});
      client.close();
      for (const RecordedFlow::Piece& piece : commands->pieces) {
        const std::string& datagram = piece.bytes;
        send_and_see(datagram.substr(8), [&] {
          EXPECT_EQ(::send(udp.get(), datagram.data(), datagram.size(), 0),
                    static_cast<ssize_t>(datagram.size()));
        });
      }
      return;
    }
    std::string stream;
    for (std::size_t i = 1; i < flow.pieces.size(); ++i) {
      stream += flow.pieces[i].asked ? flow.pieces[i].bytes : "";
    }
    const bool acknowledged = begin.starts_with("YA\xe4");
    for (auto found = yarp::find_message(as_bytes(stream)); found.size > 0;
         found = yarp::find_message(as_bytes(stream))) {
      const std::string message = stream.substr(0, found.size);
      stream.erase(0, found.size);
      if (found.message.head.command == yarp::PortCommand::Data) {
        send_and_see(message, [&] { client.send(message); });
      } else {
        client.send(message);
      }
      EXPECT_EQ(client.receive(acknowledged ? 8 : 0), acknowledged ? yarp::ack() : "");
    }
    client.close();
    EXPECT_TRUE(becomes([&] { return inputs() == "\r\n"; }));
  });
  EXPECT_EQ(obeyed.size(), 14u);
}

// ---- servosim's client and a recorded board

/// Sends the replies of a recorded board to any requests. `heard` has the requests.
class PlayedBoard {
 public:
  explicit PlayedBoard(std::vector<RecordedFlow::Piece> pieces)
      : pieces_(std::move(pieces)), thread_([this] { play(); }) {}
  ~PlayedBoard() { thread_.join(); }
  std::string address() const { return "127.0.0.1:" + std::to_string(listener_.port()); }
  std::string heard() {
    thread_.join();
    thread_ = std::thread([] {});
    return heard_;
  }

 private:
  void play() {
    RawClient client = listener_.accept();
    for (const RecordedFlow::Piece& piece : pieces_) {
      if (piece.asked) {
        heard_ += client.receive(piece.bytes.size());
      } else {
        client.send(piece.bytes);
      }
    }
  }
  std::vector<RecordedFlow::Piece> pieces_;
  net::RawListener listener_;
  std::string heard_;
  std::thread thread_;
};

TEST_F(WireRecorded, OurClientAsksAsTheirsAndUnderstandsTheirBoard) {
  int requests = 0;
  with_flows_to(std::string(kBoard) + "/rpc:i", [&](const RecordedFlow& flow) {
    if (by_text(flow)) {
      return;
    }
    PlayedBoard board(flow.pieces);
    const std::string& begin = flow.pieces.at(0).bytes;
    std::string asked;
    {
      yarp::YarpClient client(
          {.name_server = "", .timeout = yarp::kTestTimeout, .generation = Generation::V3});
      client.connect(board.address(), Carrier::Tcp, begin.substr(12, begin.size() - 13));
      asked = begin;
      for (std::size_t i = 2; i + 1 < flow.pieces.size(); i += 2) {
        const std::string& request = flow.pieces[i].bytes;
        asked += request;
        if (flow.pieces[i + 1].bytes == yarp::ack()) {
          continue;  // the disconnect command comes at the end
        }
        const auto reply = client.send(yarp::asking(), body_of(request));
        ASSERT_TRUE(reply) << to_text(body_of(request));
        const std::string& recorded = flow.pieces[i + 1].bytes;
        EXPECT_EQ(yarp::encoded(*reply) + yarp::ack(), recorded);
        ++requests;
      }
    }
    EXPECT_EQ(board.heard(), asked);
  });
  EXPECT_EQ(requests, 304);
}

}  // namespace
}  // namespace servosim::yarp::server
