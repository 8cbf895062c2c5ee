#include "arguments.h"

#include "ki/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace ki::cli {
namespace {

const Option* find_option(std::span<const Option> options, std::string_view name) {
  const auto found = std::ranges::find(options, name, &Option::name);
  return found == options.end() ? nullptr : &*found;
}

std::unexpected<Error> unknown(std::string_view name, std::span<const Option> options) {
  std::vector<std::string_view> names;
  for (const Option& option : options) names.push_back(option.name);
  std::string message = fmt::format("unknown option --{}", name);
  if (const auto near = did_you_mean(name, names))
    message += fmt::format("; did you mean --{}?", *near);
  return fail(Code::kInvalidArgument, message);
}

}  // namespace

Result<Arguments> Arguments::parse(std::span<const std::string> args,
                                   std::span<const Option> options) {
  Arguments result;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::string& arg = args[i];
    if (arg == "--") {
      result.operands_.insert(result.operands_.end(),
                              args.begin() + static_cast<std::ptrdiff_t>(i) + 1, args.end());
      break;
    }
    if (arg == "-h") {
      result.values_["help"];
      continue;
    }
    if (!arg.starts_with("--")) {
      if (arg.size() > 1 && arg[0] == '-' && !is_ascii_digit(arg[1]))
        return unknown(std::string_view(arg).substr(1), options);
      result.operands_.push_back(arg);
      continue;
    }
    const std::size_t equals = arg.find('=');
    const std::string name = arg.substr(2, equals == arg.npos ? arg.npos : equals - 2);
    const Option* option = find_option(options, name);
    if (option == nullptr) return unknown(name, options);
    std::string value;
    if (option->value.empty()) {
      if (equals != arg.npos)
        return fail(Code::kInvalidArgument, fmt::format("--{} takes no value", name));
    } else if (equals != arg.npos) {
      value = arg.substr(equals + 1);
    } else if (i + 1 < args.size()) {
      value = args[++i];
    } else {
      return fail(Code::kInvalidArgument,
                  fmt::format("--{} needs a value: --{} {}", name, name, option->value));
    }
    auto& values = result.values_[name];
    if (!values.empty() && !option->repeats)
      return fail(Code::kInvalidArgument, fmt::format("--{} is given twice", name));
    values.push_back(std::move(value));
  }
  return result;
}

std::optional<std::string> Arguments::value(std::string_view option) const {
  const auto found = values_.find(option);
  if (found == values_.end() || found->second.empty()) return std::nullopt;
  return found->second.front();
}

std::vector<std::string> Arguments::values(std::string_view option) const {
  const auto found = values_.find(option);
  return found == values_.end() ? std::vector<std::string>() : found->second;
}

Result<std::int64_t> Arguments::integer(std::string_view option, std::int64_t otherwise,
                                        std::int64_t low, std::int64_t high) const {
  const auto text = value(option);
  if (!text) return otherwise;
  std::int64_t number = 0;
  const auto parsed = std::from_chars(text->data(), text->data() + text->size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != text->data() + text->size() || number < low ||
      number > high) {
    return fail(Code::kInvalidArgument, fmt::format("--{} is {}; expected an integer from {} to {}",
                                                    option, quote(*text), low, high));
  }
  return number;
}

Result<int> parse_days(std::string_view text) {
  std::string_view digits = text;
  int factor = 1;
  if (digits.ends_with('d'))
    digits.remove_suffix(1);
  else if (digits.ends_with('w'))
    digits.remove_suffix(1), factor = 7;
  int number = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size() || number < 1 ||
      number > 36500) {
    return fail(
        Code::kInvalidArgument,
        fmt::format("{} is no age; expected days or weeks such as 90d or 12w", quote(text)));
  }
  return number * factor;
}

}  // namespace ki::cli
