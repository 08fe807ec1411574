/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_CONTACT_POINT_H
#define WB_CONTACT_POINT_H

/* A point where a Solid touches something, as wb_supervisor_node_get_contact_points() returns it.
 */
typedef struct {
  double point[3]; /* in the world's axes [m] */
  /* The requested Solid, or the one below it that touches, for wb_supervisor_node_get_from_id(). */
  int node_id;
  int padding; /* always 0 */
} WbContactPoint;

#endif /* WB_CONTACT_POINT_H */
