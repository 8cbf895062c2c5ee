// Reading the API's answers: members by path, and cells of tables made from them.
#pragma once

#include "ki/json/value.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace ki::cli {

// The value at "current.primary.value"; null when a part is missing or null.
const json::Value* at(const json::Value& value, std::string_view path);
// "" and 0 where there is no such text or number.
std::string_view text_at(const json::Value& value, std::string_view path);
std::int64_t count_at(const json::Value& value, std::string_view path);
double number_at(const json::Value& value, std::string_view path);
bool flag_at(const json::Value& value, std::string_view path);
// Nothing but the items of a list that is there.
std::span<const json::Value> items_at(const json::Value& value, std::string_view path);

// "7.81 µs" of a Measurement; the sign for missing where there is none.
std::string measurement_text(const json::Value* measurement);
// "reported"; "verified · vm, clocks not controlled": the members evidence and evidenceNote.
std::string evidence_text(const json::Value& row);
// "2026-08-15" of an instant; "" of none.
std::string_view date_of(std::string_view instant);

}  // namespace ki::cli
