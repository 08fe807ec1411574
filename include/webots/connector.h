/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_CONNECTOR_H
#define WB_CONNECTOR_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Looks for a partner every `sampling_period` ms, 0 or more; 0 stops. A negative one is an error.
 */
void wb_connector_enable_presence(WbDeviceTag tag, int sampling_period);
/* Stops looking. The last sample can still be read, with an error message. */
void wb_connector_disable_presence(WbDeviceTag tag);
/* The period as it was requested [ms]; 0 while disabled. */
int wb_connector_get_presence_sampling_period(WbDeviceTag tag);
/* 1: a partner is attached, or a compatible one is within the tolerances of this connector. 0:
 * neither. -1: the connector is passive and senses nothing, or no sample was taken yet. */
int wb_connector_get_presence(WbDeviceTag tag);
/* Commands the connector to hold: it takes the partner that is present, or, with autoLock TRUE, the
 * first one that comes. An error for a passive connector. */
void wb_connector_lock(WbDeviceTag tag);
/* Releases the partner. With unilateralUnlock FALSE of either, a partner that is locked stays
 * attached. */
void wb_connector_unlock(WbDeviceTag tag);
/* Whether the connector was commanded to hold, by its controller or by the field isLocked, and was
 * not torn off since. It does not tell whether the connector holds anything. */
bool wb_connector_is_locked(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif /* WB_CONNECTOR_H */
