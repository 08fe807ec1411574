// SPDX-License-Identifier: Apache-2.0
#include "controller_api/protocol/extern_entry.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace servosim {
namespace {

using Kind = ControllerUrl::Kind;

void expect_url(const std::string& text, Kind kind, const std::string& host, int port,
                const std::string& robot) {
  const ControllerUrl url = parse_controller_url(text);
  EXPECT_EQ(url.kind, kind) << text;
  EXPECT_EQ(url.host, host) << text;
  EXPECT_EQ(url.port, port) << text;
  EXPECT_EQ(url.robot, robot) << text;
}

TEST(ControllerUrls, AreRead) {
  expect_url("", Kind::Newest, "", 1234, "");
  expect_url("arm", Kind::Newest, "", 1234, "arm");
  expect_url("my%20arm", Kind::Newest, "", 1234, "my arm");
  expect_url("ipc://", Kind::Local, "", 1234, "");
  expect_url("ipc://1300", Kind::Local, "", 1300, "");
  expect_url("ipc://1300/", Kind::Local, "", 1300, "");
  expect_url("ipc://1300/a%2Fb%C3%BC", Kind::Local, "", 1300, "a/bü");
  expect_url("ipc://1300/100%", Kind::Local, "", 1300, "100%");
  expect_url("ipc://1300/%-1%zz%2", Kind::Local, "", 1300, "%-1%zz%2");
  expect_url("tcp://192.168.0.7:1/arm", Kind::Tcp, "192.168.0.7", 1, "arm");
  expect_url("tcp://host.name:65535", Kind::Tcp, "host.name", 65535, "");
}

TEST(ControllerUrls, ThatMeanNothingAreRefused) {
  for (const char* text :
       {"ipc://x", "ipc://0", "ipc://65536", "ipc://12a/arm", "tcp://", "tcp://host",
        "tcp://host:/arm", "tcp://:1234/arm", "http://host:1", "://1"}) {
    EXPECT_THROW(parse_controller_url(text), std::invalid_argument) << text;
  }
}

TEST(ControllerUrls, ReadBackAnyName) {
  std::string name;
  for (int code = 1; code < 256; ++code) {
    name.push_back(static_cast<char>(code));
  }
  EXPECT_EQ(parse_controller_url("ipc://1/" + percent_encoded(name)).robot, name);
  EXPECT_EQ(percent_encoded("Az09-._~ /%"), "Az09-._~%20%2F%25");
}

TEST(ExternEntry, ReadsBackWhatIsSaid) {
  EXPECT_EQ(robot_of_entry_request(entry_request("my arm")), "my arm");
  EXPECT_EQ(robot_of_entry_request(entry_request("")), "");
  const auto answer =
      decode_entry_answer(encode_entry_answer({EntryAnswer::Kind::Later, "not now"}));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->kind, EntryAnswer::Kind::Later);
  EXPECT_EQ(answer->text, "not now");
}

TEST(ExternEntry, RefusesAllElse) {
  auto request = entry_request("arm");
  request[3] = std::byte{'x'};
  EXPECT_FALSE(robot_of_entry_request(request));
  EXPECT_FALSE(robot_of_entry_request({}));
  EXPECT_FALSE(robot_of_entry_request(entry_request(std::string(kMaxEntryMessage, 'x'))));
  EXPECT_FALSE(decode_entry_answer({}));
  const std::byte unknown[]{std::byte{3}, std::byte{'x'}};
  EXPECT_FALSE(decode_entry_answer(unknown));
}

}  // namespace
}  // namespace servosim
