// SPDX-License-Identifier: Apache-2.0
// The Supervisor's functions about the whole simulation and about pictures, and the spellings of
// older releases.
#include <webots/supervisor.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/report_once.h"
#include "controller_api/client/supervisor_refs.h"

using servosim::about;
using servosim::alias;
using servosim::api_call;
using servosim::CallError;
using servosim::checked_argument;
using servosim::CommandKind;
using servosim::ControllerClient;
using servosim::refuse;
using servosim::supervise;
using servosim::Supervisor;
using servosim::SupervisorRequest;
using servosim::SupervisorRequestKind;

namespace {

// The simulator may have another working directory.
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

// Checks the caller of a function whose result would need a rendered picture.
void accept(const char* function) {
  supervise(function, [](Supervisor&) {});
}

// Makes the run incomplete, since a file of the rendered scene is not written.
void miss_picture(const char* function, servosim::ReportOnce<>& once, Supervisor& supervisor) {
  if (once.first()) {
    servosim::warn(std::string(function) +
                   "(): nothing is drawn, and no file is written (reported once).");
    supervisor.call(plain(SupervisorRequestKind::ExportImage));
  }
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
  api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock& lock) {
    client.refuse_unless_supervisor();
    client.robot().quit_status = status;
    client.request(CommandKind::Quit);
    // The request is sent at once: many programs call exit() next, without another step.
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
  // C callers may pass any number, also one outside of the C++ enumeration.
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
  supervise(__func__, [=, function = __func__](Supervisor& supervisor) {
    static servosim::ReportOnce<> once;
    checked_argument(filename, "filename");
    refuse(quality < 1 || quality > 100, "the quality should be between 1 and 100.");
    miss_picture(function, once, supervisor);
  });
}

void wb_supervisor_movie_start_recording(const char* filename, int, int, int, int, int, bool) {
  supervise(__func__, [=, function = __func__](Supervisor& supervisor) {
    static servosim::ReportOnce<> once;
    checked_argument(filename, "filename");
    miss_picture(function, once, supervisor);
  });
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
    return false;  // nothing is written
  });
}

bool wb_supervisor_animation_stop_recording() {
  return supervise(__func__, [](Supervisor&) -> bool { return false; });
}

void wb_supervisor_node_move_viewpoint(WbNodeRef node) {
  supervise(__func__, [=](Supervisor& supervisor) { supervisor.known_node(node); });
}

void wb_supervisor_node_set_visibility(WbNodeRef node, WbNodeRef from, bool visible) {
  supervise(__func__, [=](Supervisor& supervisor) {
    SupervisorRequest request =
        about(SupervisorRequestKind::SetVisibility, supervisor.known_node(node));
    request.index = supervisor.known_node(from).id;
    request.integer = visible ? 1 : 0;
    supervisor.call(request);
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

// ---- spellings of older releases

void wb_supervisor_node_enable_contact_point_tracking(WbNodeRef node, int sampling_period,
                                                      bool include_descendants) {
  alias(__func__, wb_supervisor_node_enable_contact_points_tracking, node, sampling_period,
        include_descendants);
}

void wb_supervisor_node_disable_contact_point_tracking(WbNodeRef node, bool) {
  alias(__func__, wb_supervisor_node_disable_contact_points_tracking, node);
}

void wb_supervisor_simulation_revert() { alias(__func__, wb_supervisor_world_reload); }

void wb_supervisor_load_world(const char* filename) {
  alias(__func__, wb_supervisor_world_load, filename);
}

bool wb_supervisor_save_world(const char* filename) {
  return alias(__func__, wb_supervisor_world_save, filename);
}

void wb_supervisor_field_remove_mf_node(WbFieldRef field, int position) {
  alias(__func__, wb_supervisor_field_remove_mf, field, position);
}

void wb_supervisor_simulation_physics_reset() {
  alias(__func__, wb_supervisor_simulation_reset_physics);
}

int wb_supervisor_movie_get_status() { return WB_SUPERVISOR_MOVIE_READY; }

int wb_supervisor_get_movie_status() { return WB_SUPERVISOR_MOVIE_READY; }

void wb_supervisor_start_movie(const char* file, int width, int height, int codec, int quality,
                               int acceleration, bool caption) {
  alias(__func__, wb_supervisor_movie_start_recording, file, width, height, codec, quality,
        acceleration, caption);
}

void wb_supervisor_stop_movie() { alias(__func__, wb_supervisor_movie_stop_recording); }

void wb_supervisor_start_animation(const char* filename) {
  alias(__func__, wb_supervisor_animation_start_recording, filename);
}

void wb_supervisor_stop_animation() { alias(__func__, wb_supervisor_animation_stop_recording); }

namespace {

// The text of a file that has a node, such as a .wbo file; empty after an error message.
std::string node_file(const char* function, const char* filename) {
  std::string text;
  supervise(function, [&](Supervisor&) {
    std::ifstream file(checked_argument(filename, "filename"), std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(file), {});
    if (!file || text.empty()) {
      throw CallError(std::string("cannot read '") + filename + "'.");
    }
  });
  return text;
}

}  // namespace

void wb_supervisor_field_import_mf_node(WbFieldRef field, int position, const char* filename) {
  if (const std::string text = node_file(__func__, filename); !text.empty()) {
    alias(__func__, wb_supervisor_field_import_mf_node_from_string, field, position, text.c_str());
  }
}

void wb_supervisor_field_import_sf_node(WbFieldRef field, const char* filename) {
  if (const std::string text = node_file(__func__, filename); !text.empty()) {
    alias(__func__, wb_supervisor_field_import_sf_node_from_string, field, text.c_str());
  }
}

WbFieldRef wb_supervisor_node_get_proto_field(WbNodeRef node, const char* field_name) {
  return alias(__func__, wb_supervisor_node_get_base_node_field, node, field_name);
}

WbFieldRef wb_supervisor_node_get_proto_field_by_index(WbNodeRef node, int index) {
  return alias(__func__, wb_supervisor_node_get_base_node_field_by_index, node, index);
}

int wb_supervisor_node_get_proto_number_of_fields(WbNodeRef node) {
  return alias(__func__, wb_supervisor_node_get_number_of_base_node_fields, node);
}

const char* wb_supervisor_node_get_name(WbNodeRef node) {
  return alias(__func__, wb_supervisor_node_get_type_name, node);
}
