// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/child_process.h"
#include "programs/program.h"

// A web server on the loopback device. web_server.py documents what it can do.

namespace servosim::test {

using Lines = std::vector<std::string>;

inline Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

/// The server, as a process that ends with this object.
class WebServer {
 public:
  explicit WebServer(const TempFolder& folder) : folder_(folder) {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    input_ = Descriptor(ends[0]);
    const Descriptor theirs(ends[1]);
    std::filesystem::create_directories(folder / "served");
    PipedChild child = start_piped_child({"python3", SERVOSIM_TEST_DIR "/programs/web_server.py",
                                          (folder / "served").string(), (folder / "log").string()},
                                         {}, theirs.get(), false);
    output_ = std::move(child.reader);
    pid_ = child.pid;
    for (char c = 0; c != '\n' && ::read(output_.get(), &c, 1) == 1;) {
      port_ += c == '\n' ? "" : std::string(1, c);
    }
  }
  ~WebServer() {
    input_.reset();  // ends it
    static_cast<void>(wait_for_child(pid_));
  }
  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;

  std::string address(const std::string& path) const {
    return "http://127.0.0.1:" + port_ + '/' + path;
  }
  void serve(const std::string& path, const std::string& text) const {
    folder_.write("served/" + path, text);
  }
  Lines requests() const { return lines_of(read_text(folder_ / "log")); }

 private:
  const TempFolder& folder_;
  Descriptor input_;
  Descriptor output_;
  pid_t pid_ = 0;
  std::string port_;
};

}  // namespace servosim::test
