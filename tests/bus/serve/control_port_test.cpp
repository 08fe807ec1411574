// SPDX-License-Identifier: Apache-2.0
// The socket by which lines come to a bus while it is served.
#include "bus/serve/control_port.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "base/scoped.h"
#include "bus/client/served_rig.h"

namespace servosim::bus {
namespace {

namespace control_port_test {

namespace fs = std::filesystem;

std::string thrown_by(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

// A client in a thread of its own, while this thread serves.
template <typename Call>
auto while_served(net::EventLoop& loop, Call call) {
  decltype(call()) result;
  std::thread client([&] {
    result = call();
    loop.post([&loop] { loop.stop(); });
  });
  loop.run();
  client.join();
  return result;
}

TEST(ControlPort, AnswersEachLine) {
  const test::ScratchFolder folder;
  const std::string path = folder.file("arm.control");
  {
    net::EventLoop loop;
    const auto port = open_control(
        loop, path, [](std::string_view line) { return "<" + std::string(line) + ">"; });
    struct stat found {};
    ASSERT_EQ(::stat(path.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777, 0600U);  // others must not send faults
    EXPECT_EQ(while_served(loop, [&] { return ask_control(path, "a b"); }), "<a b>");
  }
  {
    net::EventLoop loop;
    const auto port = open_control(loop, path, [](std::string_view) { return "ok"; });
    // A line without an end ends the connection.
    const std::string why = while_served(loop, [&] {
      return thrown_by([&] { ask_control(path, std::string(2 * ControlPort::kMaxLine, 'x')); });
    });
    EXPECT_NE(why, "");
    EXPECT_NE(why.find("arm.control"), std::string::npos) << why;
  }
  EXPECT_FALSE(fs::exists(path));
  EXPECT_NE(thrown_by([&] { ask_control(path, "a"); }), "");
}

TEST(ControlPort, ReplacesOnlyADeadSocket) {
  const test::ScratchFolder folder;
  const std::string path = folder.file("arm.control");
  net::EventLoop loop;
  const auto open = [&] { return open_control(loop, path, [](std::string_view) { return "ok"; }); };
  std::ofstream(path) << "mine";
  EXPECT_NE(thrown_by([&] { open(); }).find("is not replaced"), std::string::npos);
  EXPECT_EQ(fs::file_size(path), 4U);
  fs::remove(path);
  {
    // What a program that was killed leaves.
    const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  const auto port = open();
  EXPECT_NE(thrown_by([&] { open(); }).find("is not replaced"), std::string::npos);
  EXPECT_NE(thrown_by([&] {
              open_control(loop, folder.file(std::string(200, 'x')),
                           [](std::string_view) { return "ok"; });
            }),
            "");
}

}  // namespace control_port_test

}  // namespace
}  // namespace servosim::bus
