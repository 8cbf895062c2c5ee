#include "document.h"

#include "ki/display/format.h"

#include <algorithm>

namespace ki::cli {

const json::Value* at(const json::Value& value, std::string_view path) {
  const json::Value* found = &value;
  while (found != nullptr && !path.empty()) {
    const std::string_view name = path.substr(0, path.find('.'));
    path.remove_prefix(std::min(path.size(), name.size() + 1));
    found = found->find(name);
  }
  return found == nullptr || found->is_null() ? nullptr : found;
}

std::string_view text_at(const json::Value& value, std::string_view path) {
  const json::Value* found = at(value, path);
  return found != nullptr && found->is_string() ? found->string() : std::string_view();
}

std::int64_t count_at(const json::Value& value, std::string_view path) {
  const json::Value* found = at(value, path);
  return found != nullptr && found->is_number() ? found->integer().value_or(0) : 0;
}

double number_at(const json::Value& value, std::string_view path) {
  const json::Value* found = at(value, path);
  return found != nullptr && found->is_number() ? found->number() : 0;
}

bool flag_at(const json::Value& value, std::string_view path) {
  const json::Value* found = at(value, path);
  return found != nullptr && found->is_bool() && found->boolean();
}

std::span<const json::Value> items_at(const json::Value& value, std::string_view path) {
  const json::Value* found = at(value, path);
  return found != nullptr && found->is_array() ? found->items() : std::span<const json::Value>();
}

std::string measurement_text(const json::Value* measurement) {
  if (measurement == nullptr || measurement->is_null()) return std::string(display::kMissing);
  return display::primary_text(number_at(*measurement, "value"), text_at(*measurement, "unit"));
}

std::string evidence_text(const json::Value& row) {
  std::string out(text_at(row, "evidence"));
  if (const auto note = text_at(row, "evidenceNote"); !note.empty())
    out += " · " + std::string(note);
  return out;
}

std::string_view date_of(std::string_view instant) { return instant.substr(0, 10); }

}  // namespace ki::cli
