/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_CONTACT_POINT_H
#define WB_CONTACT_POINT_H

/* Where a Solid touches something. */
typedef struct {
  double point[3]; /* in the world's axes [m] */
  int node_id;     /* the requested Solid, or its descendant that touches; see get_from_id */
  int padding;     /* 0 */
} WbContactPoint;

#endif /* WB_CONTACT_POINT_H */
