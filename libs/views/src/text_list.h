// A member that is a list of texts.
#pragma once

#include "ki/json/writer.h"

#include <string_view>

namespace ki::views {

void text_list(json::Writer& w, std::string_view key, const auto& texts) {
  w.key(key).begin_array();
  for (const auto& text : texts) w.value(text);
  w.end_array();
}

}  // namespace ki::views
