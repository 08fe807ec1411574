/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WB_SPEAKER_H
#define WB_SPEAKER_H

#include <webots/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* servosim makes no sounds: nothing is played or spoken. A message says so once for each speaker.
 * Arguments are checked, as in Webots. */

/* `left` and `right` may be the same speaker. The volume is in [0, 1], the pitch above 0, and the
 * balance in
 * [-1, 1]; other numbers, and a NULL or empty sound, are errors. Whether there is such a file is
 * not checked. */
void wb_speaker_play_sound(WbDeviceTag left, WbDeviceTag right, const char *sound, double volume,
                           double pitch, double balance, bool loop);
/* Only checks the tag. NULL means every sound. */
void wb_speaker_stop(WbDeviceTag tag, const char *sound);
/* Always false. */
bool wb_speaker_is_sound_playing(WbDeviceTag tag, const char *sound);

/* "pico" or "microsoft". Returns true; false and an error for another one. */
bool wb_speaker_set_engine(WbDeviceTag tag, const char *engine);
/* "en-US", "en-UK", "de-DE", "es-ES", "fr-FR" or "it-IT". Returns true; false and an error for
 * another one. */
bool wb_speaker_set_language(WbDeviceTag tag, const char *language);
/* The engine that was set; "pico" at first. */
const char *wb_speaker_get_engine(WbDeviceTag tag);
/* The language that was set; "en-US" at first. */
const char *wb_speaker_get_language(WbDeviceTag tag);
/* The volume is in [0, 1]; another one, and a NULL text, are errors. */
void wb_speaker_speak(WbDeviceTag tag, const char *text, double volume);
/* Always false. */
bool wb_speaker_is_speaking(WbDeviceTag tag);

#ifdef __cplusplus
}
#endif

#endif /* WB_SPEAKER_H */
