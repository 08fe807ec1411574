// SPDX-License-Identifier: Apache-2.0
// The file of a trace: whose it is, and what cannot be written.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <stdexcept>

#include "sim/trace/trace_support.h"
#include "sim/trace/trace_writer.h"
#include "support/worlds.h"

namespace servosim::test {
namespace {

TEST_F(TraceTest, IsWholeWithoutCloseToo) {
  Simulation simulation = load(OneJoint{});
  {
    Trace trace(simulation, path_);
    simulation.step();
    trace.row();
  }
  EXPECT_EQ(lines_of(path_).size(), 2u);
}

// As a controller does that holds the simulation and starts another program.
TEST_F(TraceTest, IsLeftToItsProcessByAForkedOne) {
  Simulation simulation = load(OneJoint{});
  auto trace = std::make_unique<Trace>(simulation, path_);
  const auto add_rows = [&] {
    for (int n = 0; n < 3000; ++n) {  // several times what is handed over at once
      trace->row();
    }
  };
  add_rows();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::alarm(20);  // should it wait for a thread that is not there
    add_rows();
    trace.reset();
    ::_exit(7);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 7);
  add_rows();
  trace->close();
  EXPECT_EQ(lines_of(path_).size(), 6001u);
}

TEST_F(TraceTest, IsLeftToItsProcessAlsoBeforeItsThreadBegins) {
  Simulation simulation = load(OneJoint{});
  auto trace = std::make_unique<Trace>(simulation, path_);
  trace->row();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::alarm(20);
    for (int n = 0; n < 3000; ++n) {
      trace->row();
    }
    trace.reset();
    ::_exit(7);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << status;
  trace->close();
  EXPECT_EQ(lines_of(path_).size(), 2u);
}

TEST_F(TraceTest, NamesThePathItCannotWrite) {
  Simulation simulation = load(OneJoint{});
  const auto failure = [&](const std::string& path) {
    try {
      Trace trace(simulation, path);
      for (int n = 0; n < 5000; ++n) {
        trace.row();
      }
      trace.close();
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string("nothing thrown");
  };
  EXPECT_EQ(failure("/no/such/folder/x.csv"),
            std::string("cannot write the trace /no/such/folder/x.csv: ") + std::strerror(ENOENT));
  EXPECT_EQ(failure("/dev/full"),
            std::string("cannot write the trace /dev/full: ") + std::strerror(ENOSPC));
}

TEST_F(TraceTest, TellsAFailureOnceAndTakesNoMoreRows) {
  Simulation simulation = load(OneJoint{});
  const auto failure = [](const auto& call) {
    try {
      call();
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string full =
      std::string("cannot write the trace /dev/full: ") + std::strerror(ENOSPC);
  Trace trace(simulation, "/dev/full");
  std::string why;
  for (int n = 0; n < 50000 && why.empty(); ++n) {  // until a buffer is full
    why = failure([&] { trace.row(); });
  }
  EXPECT_EQ(why, full);
  EXPECT_EQ(failure([&] { trace.row(); }), "cannot write the trace /dev/full: it is closed");
  EXPECT_EQ(failure([&] { trace.close(); }), "");

  Trace closing(simulation, "/dev/full");
  closing.row();
  EXPECT_EQ(failure([&] { closing.close(); }), full);
  EXPECT_EQ(failure([&] { closing.close(); }), "");
}

}  // namespace
}  // namespace servosim::test
