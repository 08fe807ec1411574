// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <algorithm>
#include <string>
#include <vector>

#include "programs/program.h"
#include "yarp/ports/port_support.h"

// A run with control boards, and clients of these boards.

namespace servosim::test {

using Arguments = std::vector<std::string>;

inline Arguments joined(Arguments first, const Arguments& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// The arm of worlds/icub_arm.wbt as /icub/left_arm, with its own name server.
class YarpRun {
 public:
  explicit YarpRun(const Arguments& more = {},
                   const Arguments& boards = {"--yarp", "icub=/icub/left_arm"})
      : program_(joined(
            joined({"run", SERVOSIM_WORLDS_DIR "/icub_arm.wbt", "--yarp-nameserver=0"}, boards),
            more)) {
    EXPECT_TRUE(program_.wait_for_errors("name server: ")) << program_.err();
    EXPECT_TRUE(program_.wait_for_errors("\n"));
  }

  YarpRun(const YarpRun&) = delete;
  YarpRun& operator=(const YarpRun&) = delete;
  /// A run that is killed leaves its folder behind.
  ~YarpRun() {
    if (!program_.over()) {
      interrupt();
    }
  }

  Program& program() { return program_; }
  /// Returns what follows `word ` in the first lines of the run.
  std::string address(const std::string& word) const {
    const std::size_t begin = program_.err().find(word + ' ') + word.size() + 1;
    return program_.err().substr(begin, program_.err().find_first_of(",\n", begin) - begin);
  }
  std::string names() const { return address("name server:"); }
  int name_port() const { return number_of(names()); }
  int port(const std::string& name) const { return number_of(address(name)); }

  /// Returns what `servosim yarp PART --nameserver ... arguments` prints.
  std::string client(const std::string& part, const Arguments& arguments, int status = 0) const {
    Program client(joined({"yarp", part, "--nameserver", names()}, arguments));
    EXPECT_EQ(client.finish(), status) << client.err();
    return client.out();
  }
  std::string rpc(const Arguments& commands, int status = 0) const {
    return client("rpc", joined({"/icub/left_arm/rpc:i"}, commands), status);
  }
  /// Returns whether the answer contains `part`, now or a little later.
  bool answers(const std::string& command, const std::string& part) const {
    return yarp::becomes([&] { return contains(rpc({command}), part); });
  }
  /// Ends the run as a user does.
  int interrupt() {
    program_.send_signal(SIGINT);
    return program_.finish();
  }

 private:
  static int number_of(const std::string& address) {
    return std::stoi(address.substr(address.find(':') + 1));
  }

  Program program_;
};

}  // namespace servosim::test
