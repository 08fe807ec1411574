/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_SPEAKER_H
#define WB_SPEAKER_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Silent: nothing is played or spoken, so nothing ever plays. */

/* `left` and `right` may be the same speaker. volume in [0, 1], pitch > 0, balance in [-1, 1]. */
void wb_speaker_play_sound(WbDeviceTag left, WbDeviceTag right, const char *sound, double volume,
                           double pitch, double balance, bool loop);
/* NULL: every sound. */
void wb_speaker_stop(WbDeviceTag tag, const char *sound);
bool wb_speaker_is_sound_playing(WbDeviceTag tag, const char *sound);

/* "pico" or "microsoft"; whether it is one of them. */
bool wb_speaker_set_engine(WbDeviceTag tag, const char *engine);
/* Such as "en-US"; whether the engine may have it. */
bool wb_speaker_set_language(WbDeviceTag tag, const char *language);
const char *wb_speaker_get_engine(WbDeviceTag tag);
const char *wb_speaker_get_language(WbDeviceTag tag);
/* volume in [0, 1] */
void wb_speaker_speak(WbDeviceTag tag, const char *text, double volume);
bool wb_speaker_is_speaking(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif /* WB_SPEAKER_H */
