// Cursors: where the next page of a list begins. Opaque, signed, and bound to the operation, its
// filters and the catalog version.
#pragma once

#include "ki/api/arguments.h"
#include "ki/api/site.h"
#include "ki/http/problem.h"

#include <array>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace ki::api {

struct Position {
  catalog::Seq version = 0;           // of the catalog that the page before was made from
  std::int64_t number = 0;            // rows before this page, or the time of the row before it
  std::array<std::uint8_t, 16> id{};  // of the row before it, where time alone does not tell
};

std::string write_cursor(const Site& site, const Arguments& arguments, const Position& position);

// Problems: INVALID_CURSOR 400 for a text that this site did not sign for this operation and these
// filters.
std::expected<Position, http::Problem> read_cursor(const Site& site, const Arguments& arguments,
                                                   std::string_view text);

// For lists whose rows move when the catalog changes: rows before the page that the parameter
// `cursor` asks for; 0 without it. CURSOR_EXPIRED 410 after a publication.
std::expected<std::size_t, http::Problem> offset_of(const Site& site, const Arguments& arguments,
                                                    std::string_view cursor);
// The cursor behind `shown` rows that start at `offset` of `total`; empty on the last page.
std::string cursor_after(const Site& site, const Arguments& arguments, std::size_t offset,
                         std::size_t shown, std::size_t total);

}  // namespace ki::api
