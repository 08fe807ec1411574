// SPDX-License-Identifier: Apache-2.0
// Spellings of older releases.
#include <webots/supervisor.h>

#include <fstream>
#include <iterator>

#include "controller/client/supervisor_refs.h"

using servosim::alias;
using servosim::CallError;
using servosim::checked_argument;
using servosim::supervise;
using servosim::Supervisor;

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

// The text of a file with a node, such as a .wbo.
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
