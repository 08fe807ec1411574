/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning of controllers that test the Supervisor functions. */
#ifndef SERVOSIM_TESTS_API_SUPERVISOR_H
#define SERVOSIM_TESTS_API_SUPERVISOR_H

#include <webots/supervisor.h>

#include "api.h"

enum { kStep = 16 };                 /* ms, that of the worlds */
static const double h = kStep / 1e3; /* s */

static inline bool exists(const char *def) { return wb_supervisor_node_get_from_def(def) != NULL; }

static inline WbNodeRef find(const char *def) {
  const WbNodeRef node = wb_supervisor_node_get_from_def(def);
  EXPECT(node != NULL);
  return node;
}

static inline WbFieldRef field(const char *def, const char *name) {
  const WbFieldRef found = wb_supervisor_node_get_field(find(def), name);
  EXPECT(found != NULL);
  return found;
}

/* Returns the field with the nodes at the top level. */
static inline WbFieldRef top(void) {
  return wb_supervisor_node_get_field(wb_supervisor_node_get_root(), "children");
}

static inline void expect_vector(const double *v, double x, double y, double z, double tolerance) {
  EXPECT_NEAR(v[0], x, tolerance);
  EXPECT_NEAR(v[1], y, tolerance);
  EXPECT_NEAR(v[2], z, tolerance);
}

#endif
