// SPDX-License-Identifier: Apache-2.0
#include <sys/socket.h>

#include "support/case_names.h"
#include "yarp/protocol/message.h"
#include "yarp/protocol/streaming.h"
#include "yarp/server/support.h"

namespace servosim::yarp::server {
namespace {

using yarp::becomes;
using yarp::bottle;
using yarp::handshake;
using yarp::RawClient;

// Sends to NAME/command:i as remote_controlboard does. With udp it sends datagrams to the port that
// it is given.
class Streamer {
 public:
  Streamer(const ServedBoard& board, Carrier carrier)
      : carrier_(carrier), client_(board.port("command:i")) {
    client_.send(handshake(carrier, "/streamer"));
    const std::string number = client_.receive(8);
    if (carrier == Carrier::Udp) {
      const auto port = yarp::decode_number(as_bytes(number));
      EXPECT_TRUE(port);
      udp_ = net::udp_sender({INADDR_LOOPBACK, static_cast<std::uint16_t>(port.value_or(0))});
    }
  }
  void tell(const std::string& text) {
    const std::string bytes = yarp::message(carrier_, yarp::telling(), bottle(text));
    if (carrier_ == Carrier::Udp) {
      Writer writer;
      yarp::encode_datagram(writer, as_bytes(bytes), 0);
      ::send(udp_.get(), writer.bytes().data(), writer.size(), 0);
      return;
    }
    client_.send(bytes);
    if (carrier_ == Carrier::Tcp) {
      EXPECT_EQ(client_.receive(8), yarp::ack());
    }
  }

 private:
  Carrier carrier_;
  RawClient client_;
  Descriptor udp_;
};

class WireStreamedBy : public testing::TestWithParam<std::string_view> {};

struct Streamed {
  const char* mode;
  const char* message;
  const char* request;
  const char* reply;
};

// Joint 3 obeys only the position and the velocity.
TEST_P(WireStreamedBy, EveryCommandIsObeyed) {
  const ServedBoard board;
  Asker ask(board, Carrier::Tcp);
  Streamer stream(board, yarp::carrier_named(GetParam()).value());
  for (const Streamed& row : std::initializer_list<Streamed>{
           {"vel", "([vmo] 2) (3.5)", "get vmos", "[is] vmos (0.0 0.0 3.5 0.0) * [ok]"},
           {"vel", "([vmos]) (1.0 2.0 3.0 4.0)", "get vmos", "[is] vmos (1.0 2.0 3.0 4.0) * [ok]"},
           {"vel", "([vmog] 2 (3 0)) (5.0 6.0)", "get vmos", "[is] vmos (6.0 0.0 0.0 5.0) * [ok]"},
           {"vel", "([ivel] [vmo] 1) (-1.5)", "get vmos", "[is] vmos (0.0 -1.5 0.0 0.0) * [ok]"},
           {"posd", "([dpo] 2) (3.5)", "get dpos", "[is] dpos (0.0 0.0 3.5 0.0) * [ok]"},
           {"posd", "([dpos]) (1.0 2.0 3.0 4.0)", "get dpos", "[is] dpos (1.0 2.0 3.0 0.0) * [ok]"},
           {"posd", "([dpog] 2 (2 0)) (5.0 6.0)", "get dpos", "[is] dpos (6.0 0.0 5.0 0.0) * [ok]"},
           {"torq", "([dtq] 2) (3.5)", "get torq refs", "[is] torq (0.0 0.0 3.5 0.0) * [ok]"},
           {"torq", "([dtqs]) (1.0 2.0 3.0 4.0)", "get torq refs",
            "[is] torq (1.0 2.0 3.0 0.0) * [ok]"},
           {"torq", "([dtqg] 2 (2 0)) (5.0 6.0)", "get torq refs",
            "[is] torq (6.0 0.0 5.0 0.0) * [ok]"},
           {"pos", "([poss]) (1.0 2.0 3.0 4.0)", "get poss", "[is] poss (1.0 2.0 3.0 4.0) * [ok]"},
           {"ipwm", "([ipwm] [ref] 2) (3.5)", "get ipwm refs", "[is] ipwm (0.0 0.0 3.5 0.0) [ok]"},
           {"ipwm", "([ipwm] [refs]) (1 2 3 4)", "get ipwm refs",
            "[is] ipwm (1.0 2.0 3.0 0.0) [ok]"},
           {"icur", "([icur] [ref] 2) (3.5)", "get icur refs", "[is] icur (0.0 0.0 3.5 0.0) [ok]"},
           {"icur", "([icur] [refs]) (1.0 2.0 3.0 4.0)", "get icur refs",
            "[is] icur (1.0 2.0 3.0 0.0) [ok]"},
           {"icur", "([icur] [refg] 2 (2 0)) (5.0 6.0)", "get icur refs",
            "[is] icur (6.0 0.0 5.0 0.0) [ok]"}}) {
    ask("set icmd cmds (idl idl idl idl)");
    ask(fmt::format("set icmd cmds ({0} {0} {0} {0})", row.mode));
    EXPECT_NE(ask(row.request), row.reply) << row.message;
    stream.tell(row.message);
    EXPECT_TRUE(becomes([&] { return ask(row.request) == row.reply; })) << row.message;
  }
}

INSTANTIATE_TEST_SUITE_P(Carriers, WireStreamedBy, testing::Values("tcp", "fast_tcp", "udp"),
                         test::by_text);

// A user sees whether a command was possible.
TEST(WireStreamed, AsTextWithReplies) {
  ServedBoard board;
  Asker rpc(board, Carrier::Tcp);
  Asker ask(board, Carrier::TextAck, Generation::V3, "command:i");
  rpc("set icmd cmds (vel vel vel vel)");
  EXPECT_EQ(ask("(vmo 2) (3)"), "[ok]");
  EXPECT_EQ(rpc("get vmos"), "[is] vmos (0.0 0.0 3.0 0.0) * [ok]");
  for (const char* bad : {"vmo 2 3",
                          "(vmo 2)",
                          "(vmo 2) (x)",
                          "(vmo 2) ()",
                          "(vmo 4) (1)",
                          "(vmo x) (1)",
                          "(vmo) (1)",
                          "(vmo) (0 20)",
                          "(vmo 2) (3 4)",
                          "(vmo 2 3) (4)",
                          "(vmo 2 (3)) (4)",
                          "() (1)",
                          "(bogus 0) (1)",
                          "(ref 0) (1)",
                          "(vmos) (1 2 3)",
                          "(vmo 0) (nan)",
                          "(vmos) (1 2 3 4 5)",
                          "(vmog 2 (0 1)) (1)",
                          "(vmog 1 (0 1)) (1 2)",
                          "(vmog 2) (1 2)"}) {
    EXPECT_EQ(ask(bad), "[fail]") << bad;
  }
  EXPECT_EQ(rpc("get vmos"), "[is] vmos (0.0 0.0 3.0 0.0) * [ok]");
  EXPECT_EQ(ask("(dpos) (1 2 3 4)"), "[ok]");  // dropped in this mode
  EXPECT_EQ(rpc("get dpos"), "[is] dpos (0.0 0.0 0.0 0.0) * [ok]");
  ASSERT_EQ(board.said().size(), 4u);  // one of each kind within a second: bad heads, [vmo], ...
  EXPECT_EQ(board.said()[0],
            "/arm/command:i, from /asker: 'vmo 2 3' is not a streamed command: two lists, as in "
            "([vmo] 0) (10.5)");
}

}  // namespace
}  // namespace servosim::yarp::server
