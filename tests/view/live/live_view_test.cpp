// SPDX-License-Identifier: Apache-2.0
#include "view/live/live_view.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>
#include <vector>

#include "base/bytes.h"
#include "base/raw_client.h"
#include "base/text.h"
#include "recording/recording_format.h"
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

struct SentRecord {
  char kind = 0;
  std::string content;
};

std::vector<SentRecord> sent_records(const std::string& answer) {
  std::vector<SentRecord> records;
  Reader in(as_bytes(std::string_view(answer).substr(answer.find("\r\n\r\n") + 4)));
  while (in.left() >= kRecordHead) {
    const char kind = static_cast<char>(in.u8());
    const std::size_t length = in.u32();
    records.push_back({kind, std::string(as_text(in.take(std::min(length, in.left()))))});
  }
  return records;
}

TEST(LiveView, PacksPicturesForThoseWhoWatch) {
  Simulation simulation = Simulation::from_text(
      "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 }\nRobot { name \"eye\" controller "
      "\"<none>\" children [ Camera { name \"camera\" width 7 height 5 } ] }\n");
  simulation.robot("eye").find("camera")->devices[0]->enable(8, 0.0);
  simulation.step();  // so that there is a picture when the view makes its first frame
  std::string watched;
  std::atomic<bool> has_picture = false;
  std::thread watching;
  {
    LiveView view(simulation, {{.page = "page"}, false});
    const auto step = [&] {
      view.serve();
      simulation.step();
      view.after_step();
    };
    view.begin(std::nullopt);
    const std::string url = view.url();
    const std::string place = url.substr(7, url.find('/', 7) - 7);
    net::RawClient watcher(*parse_number<int>(place.substr(place.find(':') + 1)));
    ASSERT_TRUE(watcher.send(fmt::format("GET /stream{} HTTP/1.1\r\nHost: {}\r\n\r\n",
                                         url.substr(url.find('?')), place)));
    watching = std::thread([&watched, &has_picture, socket = std::move(watcher)]() mutable {
      for (std::string byte = socket.receive(1); !byte.empty(); byte = socket.receive(1)) {
        watched += byte;
        has_picture = has_picture || watched.ends_with("\x89PNG");
      }
    });
    EXPECT_TRUE(net::becomes([&] {
      step();
      return has_picture.load();
    }));
  }
  watching.join();
  std::vector<SentRecord> records = sent_records(watched);
  std::erase_if(records, [](const SentRecord& each) {
    return each.kind != kFrameRecord && each.kind != kPictureRecord;
  });
  ASSERT_GE(records.size(), 3u);
  EXPECT_EQ(records[0].kind, kFrameRecord);
  EXPECT_EQ(records[1].kind, kFrameRecord) << "no picture follows the first frame";
  const auto picture = std::find_if(records.begin(), records.end(), [](const SentRecord& each) {
    return each.kind == kPictureRecord;
  });
  ASSERT_NE(picture, records.end());
  Reader in(as_bytes(picture->content));
  RecordedPicture head;
  RecordedPicture::for_each(head, [&in](auto& number) {
    number = in.number<std::remove_reference_t<decltype(number)>>();
  });
  EXPECT_EQ(as_text(in.take(head.name)), "eye/camera");
  EXPECT_EQ(std::tuple(head.width, head.height, head.columns, head.rows), std::tuple(7, 5, 7, 5));
  double moment = 0.0;  // that of the frame before it
  std::memcpy(&moment, std::prev(picture)->content.data(), sizeof moment);
  EXPECT_EQ(head.time, moment);
}

}  // namespace
}  // namespace servosim
