// SPDX-License-Identifier: Apache-2.0
// The Supervisor's functions about the whole simulation, and about pictures.
#include <webots/supervisor.h>

#include <cmath>
#include <cstring>
#include <filesystem>

#include "controller/client/supervisor_refs.h"

using servosim::about;
using servosim::api_call;
using servosim::checked_argument;
using servosim::Client;
using servosim::CommandKind;
using servosim::refuse;
using servosim::supervise;
using servosim::Supervisor;
using servosim::SupervisorRequest;
using servosim::SupervisorRequestKind;

namespace {

// The simulator may work in another folder.
std::string absolute(const char* path) {
  std::error_code error;
  const auto full = std::filesystem::absolute(path, error);
  return error ? path : full.lexically_normal().string();
}

SupervisorRequest plain(SupervisorRequestKind kind) {
  SupervisorRequest request;
  request.kind = kind;
  return request;
}

// For calls that only a picture would answer.
void accept(const char* function) {
  supervise(function, [](Supervisor&) {});
}

}  // namespace

// ---- the world and the simulation

void wb_supervisor_world_load(const char* filename) {
  supervise(__func__, [=](Supervisor& supervisor) {
    const std::string path = absolute(checked_argument(filename, "filename"));
    SupervisorRequest request = plain(SupervisorRequestKind::LoadWorld);
    request.text = path;
    supervisor.call(request);
  });
}

void wb_supervisor_world_reload() {
  supervise(__func__,
            [](Supervisor& supervisor) { supervisor.call(plain(SupervisorRequestKind::Reload)); });
}

bool wb_supervisor_world_save(const char* filename) {
  return supervise(__func__, [=](Supervisor& supervisor) -> bool {
    std::string path;
    if (filename != nullptr) {
      path = absolute(checked_argument(filename, "filename"));
    }
    SupervisorRequest request = plain(SupervisorRequestKind::SaveWorld);
    request.text = path;
    supervisor.call(request);
    return true;
  });
}

void wb_supervisor_simulation_quit(int status) {
  api_call(__func__, [=](Client& client, Client::Lock& lock) {
    refuse(!client.robot().supervisor, "this robot is no supervisor.");
    client.robot().quit_status = status;
    client.request(CommandKind::Quit);
    // Sent now: many programs call exit() next, without another step.
    client.flush(lock);
  });
}

void wb_supervisor_simulation_reset() {
  supervise(__func__,
            [](Supervisor& supervisor) { supervisor.call(plain(SupervisorRequestKind::Reset)); });
}

void wb_supervisor_simulation_reset_physics() {
  supervise(__func__, [](Supervisor& supervisor) {
    supervisor.call(plain(SupervisorRequestKind::ResetPhysics));
  });
}

WbSimulationMode wb_supervisor_simulation_get_mode() {
  return supervise(__func__, [](Supervisor& supervisor) { return supervisor.refs().mode; });
}

void wb_supervisor_simulation_set_mode(WbSimulationMode mode) {
  // In C any number may come, which no C++ enumeration may hold.
  unsigned number = 0;
  static_assert(sizeof number == sizeof mode);
  std::memcpy(&number, &mode, sizeof number);
  supervise(__func__, [=](Supervisor& supervisor) {
    refuse(number > WB_SUPERVISOR_SIMULATION_MODE_FAST, "called with an invalid mode.");
    supervisor.refs().mode = static_cast<WbSimulationMode>(number);
  });
}

// ---- pictures

void wb_supervisor_set_label(int id, const char* text, double x, double y, double size, int color,
                             double transparency, const char* font) {
  supervise(__func__, [=](Supervisor& supervisor) {
    refuse(text == nullptr, "called with a NULL 'text' argument.");
    refuse(font == nullptr, "called with a NULL 'font' argument.");
    refuse(!(x >= 0.0 && x <= 1.0), "x parameter should be in the range [0,1].");
    refuse(!(y >= 0.0 && y <= 1.0), "y parameter should be in the range [0,1].");
    refuse(!(size >= 0.0 && size <= 1.0), "size parameter should be in the range [0,1].");
    refuse(!(transparency >= 0.0 && transparency <= 1.0),
           "transparency parameter should be in the range [0,1].");
    SupervisorRequest request = plain(SupervisorRequestKind::Label);
    request.index = id;
    request.integer = color;
    request.count = 4;
    request.numbers = {x, y, size, transparency};
    request.text = *text == '\0' ? "" : checked_argument(text, "text");
    request.more = *font == '\0' ? "" : checked_argument(font, "font");
    supervisor.call(request);
  });
}

void wb_supervisor_export_image(const char* filename, int quality) {
  supervise(__func__, [=](Supervisor&) {
    checked_argument(filename, "filename");
    refuse(quality < 1 || quality > 100, "the quality should be between 1 and 100.");
  });
}

void wb_supervisor_movie_start_recording(const char* filename, int, int, int, int, int, bool) {
  supervise(__func__, [=](Supervisor&) { checked_argument(filename, "filename"); });
}

void wb_supervisor_movie_stop_recording() { accept(__func__); }

bool wb_supervisor_movie_is_ready() {
  return supervise(__func__, [](Supervisor&) -> bool { return true; });
}

bool wb_supervisor_movie_failed() {
  return supervise(__func__, [](Supervisor&) -> bool { return false; });
}

bool wb_supervisor_animation_start_recording(const char* filename) {
  return supervise(__func__, [=](Supervisor&) -> bool {
    checked_argument(filename, "filename");
    return true;
  });
}

bool wb_supervisor_animation_stop_recording() {
  return supervise(__func__, [](Supervisor&) -> bool { return true; });
}

void wb_supervisor_node_move_viewpoint(WbNodeRef node) {
  supervise(__func__, [=](Supervisor& supervisor) { supervisor.known_node(node); });
}

void wb_supervisor_node_set_visibility(WbNodeRef node, WbNodeRef from, bool) {
  supervise(__func__, [=](Supervisor& supervisor) {
    supervisor.known_node(node);
    supervisor.known_node(from);
  });
}

bool wb_supervisor_virtual_reality_headset_is_used() {
  return supervise(__func__, [](Supervisor&) -> bool { return false; });
}

const double* wb_supervisor_virtual_reality_headset_get_position() {
  accept(__func__);
  return nullptr;
}

const double* wb_supervisor_virtual_reality_headset_get_orientation() {
  accept(__func__);
  return nullptr;
}
