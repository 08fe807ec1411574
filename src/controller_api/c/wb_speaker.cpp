// SPDX-License-Identifier: Apache-2.0
#include <webots/speaker.h>

#include <cstring>

#include "controller_api/c/device_handle.h"

using servosim::api_call;
using servosim::ClientDevice;
using servosim::ControllerClient;
using servosim::refuse;

namespace {

constexpr WbNodeType kSpeaker = WB_NODE_SPEAKER;
constexpr std::string_view kEngine = "engine";
constexpr std::string_view kLanguage = "language";

bool is_one_of(const char* text, std::initializer_list<const char*> known) {
  for (const char* word : known) {
    if (text != nullptr && std::strcmp(text, word) == 0) {
      return true;
    }
  }
  return false;
}

// Stores the text if it is one of `known`. @returns false, after an error message, if it is not
bool keep_text(const char* function, WbDeviceTag tag, std::string_view name, const char* text,
               std::initializer_list<const char*> known, const char* refusal) {
  return api_call(function, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& speaker = client.device(tag, kSpeaker);
    refuse(!is_one_of(text, known), refusal);
    for (servosim::ClientField& field : speaker.fields) {
      if (field.name == name) {
        field.text = text;
        return true;
      }
    }
    speaker.fields.push_back({std::string(name), text, {}});
    return true;
  });
}

const char* kept_text(const char* function, WbDeviceTag tag, std::string_view name,
                      const char* otherwise) {
  return api_call(function, [=](ControllerClient& client, ControllerClient::Lock&) {
    const std::string& text = client.device(tag, kSpeaker).field(name).text;
    return text.empty() ? otherwise : text.c_str();
  });
}

constexpr const char* kSilent = "servosim makes no sounds";

bool in(double value, double low, double high) { return value >= low && value <= high; }

}  // namespace

void wb_speaker_play_sound(WbDeviceTag left, WbDeviceTag right, const char* sound, double volume,
                           double pitch, double balance, bool) {
  api_call(__func__, [=, function = __func__](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& speaker = client.device(left, kSpeaker);
    client.device(right, kSpeaker);
    refuse(sound == nullptr || *sound == '\0', "the sound is NULL or empty.");
    refuse(!in(volume, 0.0, 1.0), "the volume is out of range [0, 1].");
    refuse(!(pitch > 0.0), "the pitch is not positive.");
    refuse(!in(balance, -1.0, 1.0), "the balance is out of range [-1, 1].");
    servosim::report_absent(function, speaker, kSilent);
  });
}

void wb_speaker_stop(WbDeviceTag tag, const char*) {
  servosim::check_device(__func__, tag, kSpeaker);
}

bool wb_speaker_is_sound_playing(WbDeviceTag tag, const char*) {
  servosim::check_device(__func__, tag, kSpeaker);
  return false;
}

bool wb_speaker_set_engine(WbDeviceTag tag, const char* engine) {
  return keep_text(__func__, tag, kEngine, engine, {"pico", "microsoft"},
                   "the engine is neither \"pico\" nor \"microsoft\".");
}

bool wb_speaker_set_language(WbDeviceTag tag, const char* language) {
  return keep_text(__func__, tag, kLanguage, language,
                   {"en-US", "en-UK", "de-DE", "es-ES", "fr-FR", "it-IT"},
                   "the language is none of en-US, en-UK, de-DE, es-ES, fr-FR, it-IT.");
}

const char* wb_speaker_get_engine(WbDeviceTag tag) {
  return kept_text(__func__, tag, kEngine, "pico");
}

const char* wb_speaker_get_language(WbDeviceTag tag) {
  return kept_text(__func__, tag, kLanguage, "en-US");
}

void wb_speaker_speak(WbDeviceTag tag, const char* text, double volume) {
  api_call(__func__, [=, function = __func__](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& speaker = client.device(tag, kSpeaker);
    refuse(text == nullptr, "the text is NULL.");
    refuse(!in(volume, 0.0, 1.0), "the volume is out of range [0, 1].");
    servosim::report_absent(function, speaker, kSilent);
  });
}

bool wb_speaker_is_speaking(WbDeviceTag tag) {
  servosim::check_device(__func__, tag, kSpeaker);
  return false;
}
