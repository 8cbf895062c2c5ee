// What a command accepts, as data: parsing, help and shell completion all follow it.
#pragma once

#include "ki/base/result.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::cli {

struct Option {
  std::string_view name;   // without "--"
  std::string_view value;  // name of its value in help; empty: a flag
  std::string help;
  bool repeats = false;
};

class Arguments {
 public:
  // Fails with kInvalidArgument for an unknown option (with the closest known one), a missing or an
  // unexpected value, or an option given twice that does not repeat. "--" ends options.
  static Result<Arguments> parse(std::span<const std::string> args,
                                 std::span<const Option> options);

  const std::vector<std::string>& operands() const { return operands_; }
  bool has(std::string_view option) const { return values_.contains(option); }
  std::optional<std::string> value(std::string_view option) const;
  std::vector<std::string> values(std::string_view option) const;
  // An integer within [low, high], or `otherwise` when the option is absent.
  Result<std::int64_t> integer(std::string_view option, std::int64_t otherwise, std::int64_t low,
                               std::int64_t high) const;

 private:
  std::vector<std::string> operands_;
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
};

// "90d", "12h", "2w" or a number of days.
Result<int> parse_days(std::string_view text);

}  // namespace ki::cli
