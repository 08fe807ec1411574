/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_CONNECTOR_H
#define WB_CONNECTOR_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Looks for a partner every sampling_period ms, 0 or more; 0 stops. */
void wb_connector_enable_presence(WbDeviceTag tag, int sampling_period);
void wb_connector_disable_presence(WbDeviceTag tag);
/* The requested period [ms]; 0 while disabled. */
int wb_connector_get_presence_sampling_period(WbDeviceTag tag);
/* 1: a compatible connector is within the tolerances; 0: none is; -1: it is passive and senses
 * nothing, or no sample was taken yet. */
int wb_connector_get_presence(WbDeviceTag tag);
/* Holds the partner, now or, with autoLock, as soon as one is present. Not for passive ones. */
void wb_connector_lock(WbDeviceTag tag);
/* Releases the partner. */
void wb_connector_unlock(WbDeviceTag tag);
/* Whether it was locked, by its controller or by the isLocked field, and did not break loose since;
 * not whether it holds anything. */
bool wb_connector_is_locked(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif /* WB_CONNECTOR_H */
