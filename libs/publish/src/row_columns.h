// RowColumns: the columns of one row, each asked for once. Collects every column that is missing,
// of another type, different from what was recomputed, or not known.
#pragma once

#include "ki/base/error.h"
#include "ki/base/instant.h"
#include "ki/base/uuid.h"
#include "ki/digest/digest.h"
#include "ki/json/value.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::publish {

class RowColumns {
 public:
  RowColumns(const json::Value& row, std::vector<Issue>& issues)
      : members_(row.members()), issues_(issues), seen_(members_.size(), false) {}

  // The value, also null; nothing when the column is absent.
  const json::Value* take(std::string_view column);

  std::string_view text(std::string_view column);
  std::optional<std::string_view> nullable_text(std::string_view column);
  std::optional<Uuid> id(std::string_view column);
  std::optional<Uuid> nullable_id(std::string_view column);
  std::optional<Digest> digest(std::string_view column);
  std::optional<Instant> instant(std::string_view column);
  std::optional<Instant> nullable_instant(std::string_view column);
  bool boolean(std::string_view column);
  std::optional<double> nullable_number(std::string_view column);
  std::optional<std::int64_t> integer(std::string_view column);
  std::optional<std::int64_t> nullable_integer(std::string_view column);
  const json::Value* object(std::string_view column);
  const json::Value* nullable_object(std::string_view column);
  void texts(std::string_view column);

  // The stored column must be what was recomputed.
  void equals(std::string_view column, std::string_view expected);
  void equals(std::string_view column, const std::optional<std::string_view>& expected);
  void equals(std::string_view column, const std::optional<double>& expected);
  void equals(std::string_view column, const std::optional<std::int64_t>& expected);
  void equals_bool(std::string_view column, bool expected);
  void equals(std::string_view column, std::span<const std::string_view> expected);
  void equals(std::string_view column, const Digest& expected) {
    equals(column, std::string_view(expected.to_string()));
  }

  void refuse(std::string_view code, std::string_view column, std::string message);
  // Every column that nobody asked for is unknown.
  void finish();

 private:
  void wrong_type(std::string_view column, std::string_view expected, const json::Value* found);
  void differs(std::string_view column, const std::string& expected, const json::Value* found);

  std::span<const json::Member> members_;
  std::vector<Issue>& issues_;
  std::vector<bool> seen_;
  std::size_t next_ =
      0;  // rows of one table have one order: the next column is mostly the next asked
};

}  // namespace ki::publish
