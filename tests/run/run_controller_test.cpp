// SPDX-License-Identifier: Apache-2.0
#include "run/run_controller.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>

#include <array>

#include "controller_api/protocol/protocol.h"
#include "controller_api/protocol/stream.h"
#include "run/test_support.h"

namespace servosim {
namespace {

using namespace std::chrono_literals;
using test::TempFolder;
using Clock = RunController::Clock;

// A controller that sends no request, with a clock that the test sets.
class ControllerTest : public testing::Test {
 protected:
  PlannedController plan() {
    const auto program = folder_.write_program("silent", "#!/bin/sh\nexec sleep 60\n");
    return {0, "arm", true, {program, {}, folder_.path(), {}}};
  }
  // Returns what is printed when the controller is watched at these times after the start.
  std::string printed_at(std::vector<Clock::duration> times,
                         std::optional<Clock::duration> timeout) {
    const Clock::time_point start = Clock::now();
    testing::internal::CaptureStderr();
    controller_.watch(start, timeout);
    for (const Clock::duration time : times) {
      controller_.watch(start + time, timeout);
    }
    return testing::internal::GetCapturedStderr();
  }
  std::string notice(const std::string& waited) {
    return fmt::format(
        "servosim: warning: robot 'arm': its controller has not called wb_robot_init() or Robot() "
        "for {} s; the simulation waits for it; it may still load modules or read files, else "
        "`gdb -p {}` shows where it is\n",
        waited, controller_.program()->process().pid());
  }

  TempFolder folder_;
  Console console_;
  Simulation simulation_ = Simulation::from_text(
      "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 }\nRobot { name \"arm\" }\n");
  RunController controller_{plan(), simulation_, SessionOptions{}, console_};
};

TEST_F(ControllerTest, IsNamedBeforeItsFirstStepAfterFifteenSecondsAndEachMinute) {
  EXPECT_EQ(printed_at({14990ms, 15s, 40s, 74990ms, 75s, 100s, 135s}, std::nullopt),
            notice("15") + notice("75") + notice("135"));
  EXPECT_TRUE(controller_.blocks_step());
  EXPECT_FALSE(controller_.failed());
}

TEST_F(ControllerTest, IsRemovedAfterTheTimeout) {
  EXPECT_EQ(printed_at({2990ms, 22490ms}, 22500ms), notice("22"));
  EXPECT_EQ(printed_at({23s}, 22500ms),
            "servosim: error: robot 'arm': its controller did not ask for a step within 22.5 s and "
            "was removed\n");
  EXPECT_FALSE(controller_.blocks_step());
  EXPECT_TRUE(controller_.failed());
  while (!controller_.ended()) {  // it must be killed, not sleep for a minute
  }
}

TEST_F(ControllerTest, IsNotWaitedForAsAnExternOneWithATimeToConnect) {
  PlannedController extern_plan = plan();
  extern_plan.is_extern = true;
  RunController controller(extern_plan, simulation_, SessionOptions{}, console_);
  const Clock::time_point start = Clock::now();
  EXPECT_TRUE(controller.end_so_far().missing.has_value());
  testing::internal::CaptureStderr();
  controller.watch(start, std::nullopt, 2s);
  controller.watch(start + 1990ms, std::nullopt, 2s);
  EXPECT_TRUE(controller.blocks_step());
  controller.watch(start + 2s, std::nullopt, 2s);
  EXPECT_FALSE(controller.blocks_step());
  EXPECT_EQ(
      testing::internal::GetCapturedStderr(),
      "servosim: warning: robot 'arm': nobody has connected as its controller within 2 s; the "
      "run goes on without it\n");
  EXPECT_FALSE(controller.failed());
  EXPECT_EQ(controller.end_so_far().missing->kind, Missing::Extern);
}

TEST_F(ControllerTest, EndedFromOutsideHasFailed) {
  testing::internal::CaptureStderr();
  controller_.program()->process().signal(SIGKILL);
  while (!controller_.ended()) {
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "servosim: error: robot 'arm': its controller was ended by SIGKILL at 0 s\n");
  EXPECT_TRUE(controller_.failed());
  EXPECT_TRUE(controller_.blocks_step());  // a child of it may hold the link
  controller_.drain();
  EXPECT_FALSE(controller_.blocks_step());
}

TEST_F(ControllerTest, EndedAfterTheEndHasNotFailed) {
  controller_.end();
  controller_.program()->process().signal(SIGKILL);
  while (!controller_.ended()) {
  }
  EXPECT_FALSE(controller_.failed());
}

// A client that connects as an extern controller, at the other end of a pair of sockets.
class ExternControllerTest : public testing::Test {
 protected:
  MessageStream connect() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    testing::internal::CaptureStderr();
    controller_.accept(MessageStream(ends[0]), SessionOptions{});
    return MessageStream(ends[1]);
  }
  void send(MessageStream& client, const Writer& message) {
    ASSERT_TRUE(client.send(message.bytes()));
    while (!controller_.receive()) {
    }
  }
  void send_hello(MessageStream& client) {
    encode_hello(writer_, {});
    send(client, writer_);
    EXPECT_EQ(client.receive(10000), MessageStream::Status::Message);
  }
  static std::string printed() { return testing::internal::GetCapturedStderr(); }

  Console console_;
  Writer writer_;
  Simulation simulation_ = Simulation::from_text(
      "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 }\nRobot { name \"arm\" }\n");
  RunController controller_{{0, "arm", true, {}, true}, simulation_, SessionOptions{}, console_};
};

TEST_F(ExternControllerTest, ClosesASilentClientForAnother) {
  const MessageStream silent = connect();
  const Clock::time_point now = Clock::now();
  EXPECT_TRUE(controller_.connected());
  EXPECT_TRUE(controller_.awaits_connection());
  controller_.watch(now + 4s, std::nullopt);
  EXPECT_TRUE(controller_.connected());
  controller_.watch(now + 6s, std::nullopt);
  EXPECT_FALSE(controller_.connected());
  EXPECT_TRUE(controller_.awaits_connection());
  EXPECT_TRUE(controller_.blocks_step());
  EXPECT_EQ(printed(), "");
  MessageStream next = connect();
  send_hello(next);
  EXPECT_FALSE(controller_.awaits_connection());
  controller_.watch(now + 60s, std::nullopt);  // after its hello it may compute without limit
  EXPECT_TRUE(controller_.connected());
  printed();
}

TEST_F(ExternControllerTest, NoticesAClientThatDisconnectsDuringAStep) {
  {
    MessageStream client = connect();
    send_hello(client);
    encode_step(writer_, 8000);
    send(client, writer_);
    EXPECT_FALSE(controller_.may_send());
    controller_.watch(Clock::now(), std::nullopt);
    EXPECT_TRUE(controller_.connected());
  }
  controller_.watch(Clock::now(), std::nullopt);
  EXPECT_FALSE(controller_.connected());
  EXPECT_FALSE(controller_.blocks_step());
  EXPECT_FALSE(controller_.failed());
  EXPECT_NE(printed().find("robot 'arm': its controller has disconnected"), std::string::npos);
}

TEST_F(ExternControllerTest, KeepsTheCustomDataForTheNextClient) {
  {
    MessageStream client = connect();
    send_hello(client);
    encode_step(writer_, 0);
    encode_command(writer_, {0, CommandKind::CustomData, {}, 0, "kept"});
    send(client, writer_);
  }
  printed();
  MessageStream next = connect();
  encode_hello(writer_, {});
  send(next, writer_);
  EXPECT_EQ(next.receive(10000), MessageStream::Status::Message);
  Reader readings({});
  const SimulationReply reply = decode_reply(next.message(), readings);
  ASSERT_TRUE(std::holds_alternative<Welcome>(reply));
  EXPECT_EQ(std::get<Welcome>(reply).custom_data, "kept");
  printed();
}

}  // namespace
}  // namespace servosim
