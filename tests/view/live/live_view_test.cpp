// SPDX-License-Identifier: Apache-2.0
#include "view/live/live_view.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "base/raw_client.h"
#include "base/text.h"
#include "servosim/motor.h"
#include "servosim/robot.h"
#include "servosim/simulation.h"

namespace servosim {
namespace {

constexpr const char* kArm = R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 }
Robot { name "arm" controller "<none>" children HingeJoint {
  jointParameters HingeJointParameters { axis 0 1 0 }
  device RotationalMotor { name "turn" maxTorque 10 maxVelocity 4 }
  endPoint Solid { translation 0.2 0 0 boundingObject Box { size 0.4 0.1 0.1 } physics Physics { } } } }
)";

// The run is in this thread, the server in its own, and those that watch and control in two more
// threads.
TEST(LiveView, ShowsARunToSomeAndIsControlledByOthersAtTheSameTime) {
  Simulation simulation = Simulation::from_text(kArm);
  std::string url;
  std::string watched;
  std::string statuses;
  std::atomic<bool> is_done = false;
  std::thread watching;
  std::thread controlling;
  {
    LiveView view(simulation, {{.page = "page"}, true});
    url = view.url();
    const std::string place = url.substr(7, url.find('/', 7) - 7);
    const std::string token = url.substr(url.find('?'));
    const int port = *parse_number<int>(place.substr(place.find(':') + 1));
    const auto request = [&](const std::string& line, const std::string& body) {
      return fmt::format("{}{} HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n\r\n{}", line, token,
                         place, body.size(), body);
    };
    net::RawClient watcher(port);
    ASSERT_TRUE(watcher.send(request("GET /stream", "")));
    watching = std::thread(
        [&watched, socket = std::move(watcher)]() mutable { watched = socket.receive_all(); });
    controlling = std::thread([&] {
      for (const char* body :
           {R"({"do": "pause"})", R"({"do": "motor", "joint": "arm/turn", "velocity": 2.5})",
            R"({"do": "step"})", R"({"do": "motor", "joint": "leg", "velocity": 2.5})",
            "no JSON"}) {
        net::RawClient client(port);
        client.send(request("POST /control", body));
        statuses += client.receive_all().substr(9, 4);
      }
      is_done = true;
    });
    view.begin(std::nullopt);
    EXPECT_TRUE(net::becomes([&] {
      view.serve();
      if (view.ready()) {
        simulation.step();
        view.after_step();
      }
      return is_done.load();
    }));
  }
  controlling.join();
  watching.join();
  EXPECT_EQ(statuses, "204 204 204 400 400 ");
  EXPECT_EQ(simulation.robot("arm").motor("turn").targets().velocity, 2.5);
  EXPECT_NE(watched.find("the run has ended"), watched.npos);  // in the last record
}

}  // namespace
}  // namespace servosim
