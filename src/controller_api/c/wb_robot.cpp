// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <webots/robot.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "controller_api/c/device_handle.h"
#include "controller_api/client/api_call.h"
#include "controller_api/client/client.h"
#include "controller_api/client/crash_warning.h"
#include "controller_api/client/radio_message.h"

using servosim::alias;
using servosim::api_call;
using servosim::CallError;
using servosim::CommandKind;
using servosim::ControllerClient;
using servosim::nearest_names;
using servosim::refuse;
using servosim::repeat_at_crash;
using servosim::warn;

// ---- life and time

int wb_robot_init() {
  const bool is_init = true;
  return api_call(
      __func__,
      [](ControllerClient& client, ControllerClient::Lock&) {
        refuse(client.left(), "called after wb_robot_cleanup().");
        return 1;
      },
      is_init);
}

int wb_robot_init_msvc() { return wb_robot_init(); }

void wb_robot_cleanup() {
  api_call(__func__,
           [](ControllerClient& client, ControllerClient::Lock& lock) { client.leave(lock); });
}

namespace {

// Prepares every kind of step. Webots takes a negative duration for a very long one.
int prepare_step(ControllerClient& client, int duration) {
  if (duration < 0) {
    client.report_error("the duration is negative; taken as 0.");
  }
  client.robot().step_duration_ms = duration;
  servosim::play_motions(client, std::max(0, duration));
  return std::max(0, duration);
}

}  // namespace

int wb_robot_step(int duration) {
  const int result =
      api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock& lock) {
        return client.step(lock, prepare_step(client, duration));
      });
  servosim::deliver_radio_messages();
  return result;
}

int wb_robot_step_begin(int duration) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock& lock) {
    return client.begin_step(lock, prepare_step(client, duration));
  });
}

int wb_robot_step_end() {
  const int result = api_call(__func__, [](ControllerClient& client, ControllerClient::Lock& lock) {
    return client.end_step(lock);
  });
  servosim::deliver_radio_messages();
  return result;
}

int wb_robot_get_step_duration() {
  return api_call(__func__, [](ControllerClient& client, ControllerClient::Lock&) {
    return client.robot().step_duration_ms;
  });
}

double wb_robot_get_time() {
  return api_call(__func__, [](ControllerClient& client, ControllerClient::Lock&) {
    return client.robot().time;
  });
}

double wb_robot_get_basic_time_step() {
  return api_call(__func__, [](ControllerClient& client, ControllerClient::Lock&) {
    return client.robot().basic_time_step_ms;
  });
}

WbUserInputEvent wb_robot_wait_for_user_input_event(WbUserInputEvent, int timeout) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock& lock) {
    int result = 0;
    do {
      const double basic = client.robot().basic_time_step_ms;
      result = client.step(lock, timeout < 0 ? static_cast<int>(basic) + 1 : timeout);
    } while (timeout < 0 && result >= 0);
    return result < 0 ? WB_EVENT_QUIT : WB_EVENT_NO_EVENT;
  });
}

// ---- the robot

namespace {

// A text of the robot. `member` names it.
const char* robot_text(const char* function, std::string servosim::ClientRobot::*member) {
  return api_call(function, [=](ControllerClient& client, ControllerClient::Lock&) {
    return (client.robot().*member).c_str();
  });
}

// The text to send: "" for NULL. @throws CallError if it is too long
const char* checked_text(const char* text) {
  refuse(text != nullptr && strnlen(text, servosim::kMaxText + 1) > servosim::kMaxText,
         "the text is longer than 1 MiB.");
  return text != nullptr ? text : "";
}

bool robot_flag(const char* function, bool servosim::ClientRobot::*member) {
  return api_call(function, [=](ControllerClient& client, ControllerClient::Lock&) {
    return client.robot().*member;
  });
}

}  // namespace

const char* wb_robot_get_name() { return robot_text(__func__, &servosim::ClientRobot::name); }

const char* wb_robot_get_model() { return robot_text(__func__, &servosim::ClientRobot::model); }

bool wb_robot_get_synchronization() {
  return robot_flag(__func__, &servosim::ClientRobot::synchronization);
}

bool wb_robot_get_supervisor() { return robot_flag(__func__, &servosim::ClientRobot::supervisor); }

const char* wb_robot_get_project_path() {
  return robot_text(__func__, &servosim::ClientRobot::project_path);
}

const char* wb_robot_get_world_path() {
  return robot_text(__func__, &servosim::ClientRobot::world_path);
}

const char* wb_robot_get_controller_name() {
  return robot_text(__func__, &servosim::ClientRobot::controller);
}

const char* wb_robot_get_controller_arguments() {
  return robot_text(__func__, &servosim::ClientRobot::controller_arguments);
}

const char* wb_robot_get_custom_data() {
  return robot_text(__func__, &servosim::ClientRobot::custom_data);
}

void wb_robot_set_custom_data(const char* data) {
  api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    client.robot().custom_data = checked_text(data);
    client.request(CommandKind::CustomData);
  });
}

const char* wb_robot_get_data() { return alias(__func__, wb_robot_get_custom_data); }

void wb_robot_set_data(const char* data) { alias(__func__, wb_robot_set_custom_data, data); }

const char* wb_robot_get_urdf(const char* prefix) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock& lock) {
    return client.urdf(lock, checked_text(prefix)).c_str();
  });
}

void wb_robot_pin_to_static_environment(bool pin) {
  api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    client.robot().pinned = pin;
    client.request(CommandKind::Pin);
  });
}

WbNodeType wb_robot_get_type() {
  return api_call(__func__,
                  [](ControllerClient&, ControllerClient::Lock&) { return WB_NODE_ROBOT; });
}

WbRobotMode wb_robot_get_mode() { return WB_MODE_SIMULATION; }

void wb_robot_set_mode(WbRobotMode mode, const char*) {
  api_call(__func__, [=](ControllerClient&, ControllerClient::Lock&) {
    refuse(mode != WB_MODE_SIMULATION, "there is only the simulation here.");
  });
}

// ---- devices

WbDeviceTag wb_robot_get_device(const char* name) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    refuse(name == nullptr || *name == '\0', "the name is NULL or empty.");
    const auto& devices = client.devices();
    for (std::size_t i = 0; i < devices.size(); ++i) {
      if (devices[i].name == name) {
        return static_cast<WbDeviceTag>(i + 1);
      }
    }
    std::vector<std::string> names;
    for (const auto& device : devices) {
      names.push_back(device.name);
    }
    // Turns the end of a sentence, "; there are 'a', 'b'", into a sentence.
    std::string nearest =
        names.empty() ? "The robot has none" : nearest_names(name, names).substr(2);
    nearest[0] = 'T';
    const std::string text = '"' + std::string(name) + "\" device not found. " + nearest + '.';
    warn(text);
    repeat_at_crash(text);
    return WbDeviceTag{0};
  });
}

int wb_robot_get_number_of_devices() {
  return api_call(__func__, [](ControllerClient& client, ControllerClient::Lock&) {
    return static_cast<int>(client.devices().size());
  });
}

WbDeviceTag wb_robot_get_device_by_index(int index) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    refuse(index < 0 || static_cast<std::size_t>(index) >= client.devices().size(),
           "the index is out of range.");
    return static_cast<WbDeviceTag>(index + 1);
  });
}

// ---- battery

void wb_robot_battery_sensor_enable(int sampling_period) {
  api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    servosim::check_period(sampling_period);
    if (!client.robot().has_battery && sampling_period > 0) {
      warn("wb_robot_battery_sensor_enable(): the field battery of this robot is empty.");
    }
    client.robot().battery_period_ms = sampling_period;
    client.robot().battery = -1.0;  // Webots also has -1 until the next step
    client.request(CommandKind::BatterySampling);
  });
}

void wb_robot_battery_sensor_disable() { alias(__func__, wb_robot_battery_sensor_enable, 0); }

int wb_robot_battery_sensor_get_sampling_period() {
  return api_call(__func__, [](ControllerClient& client, ControllerClient::Lock&) {
    return client.robot().battery_period_ms;
  });
}

int wb_robot_get_battery_sampling_period() {
  return alias(__func__, wb_robot_battery_sensor_get_sampling_period);
}

double wb_robot_battery_sensor_get_value() {
  return api_call(__func__, [](ControllerClient& client, ControllerClient::Lock&) {
    if (client.robot().battery_period_ms <= 0) {
      client.report_error("called for a disabled device; enable the battery sensor first.");
    }
    return client.robot().battery;
  });
}

// ---- threads: no lock of the client may be held here

namespace {

using Task = std::pair<void (*)(void*), void*>;

extern "C" void* run_task(void* argument) {
  const Task task = *static_cast<Task*>(argument);
  delete static_cast<Task*>(argument);
  task.first(task.second);
  return nullptr;
}

}  // namespace

void wb_robot_task_new(void (*task)(void*), void* param) {
  api_call(__func__, [=](ControllerClient&, ControllerClient::Lock&) {
    refuse(task == nullptr, "the task is NULL.");
    auto argument = std::make_unique<Task>(task, param);
    pthread_t thread{};
    const int error = pthread_create(&thread, nullptr, run_task, argument.get());
    if (error != 0) {
      throw CallError(std::string("cannot start a thread: ") + std::strerror(error));
    }
    argument.release();
    pthread_detach(thread);
  });
}

WbMutexRef wb_robot_mutex_new() {
  auto* mutex = new (std::nothrow) pthread_mutex_t;
  if (mutex != nullptr) {
    pthread_mutex_init(mutex, nullptr);
  }
  return mutex;
}

void wb_robot_mutex_lock(WbMutexRef mutex) {
  if (mutex != nullptr) {
    pthread_mutex_lock(static_cast<pthread_mutex_t*>(mutex));
  }
}

void wb_robot_mutex_unlock(WbMutexRef mutex) {
  if (mutex != nullptr) {
    pthread_mutex_unlock(static_cast<pthread_mutex_t*>(mutex));
  }
}

void wb_robot_mutex_delete(WbMutexRef mutex) {
  if (mutex != nullptr) {
    pthread_mutex_destroy(static_cast<pthread_mutex_t*>(mutex));
    delete static_cast<pthread_mutex_t*>(mutex);
  }
}

// ---- keyboard: no key is ever pressed

void wb_robot_keyboard_enable(int) {}
void wb_robot_keyboard_disable() {}
int wb_robot_keyboard_get_key() { return 0; }
