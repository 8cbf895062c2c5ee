#include "ki/bounds/declaration.h"

#include "ki/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ki::bounds {
namespace {

constexpr std::array kProfiles = {Profile::kPhysical, Profile::kSolarCompat, Profile::kMeasured};

class DeclarationReader {
 public:
  explicit DeclarationReader(std::string_view pointer) : base_(pointer) {}

  Result<Declaration> read(const json::Value& bound) {
    if (!bound.is_object()) {
      refuse("", "a bound is an object");
    } else {
      for (const json::Member& member : bound.members()) read_member(member);
    }
    if (issues_.empty()) return std::move(out_);
    return fail(Error(Code::kInvalidArgument, "the bound declaration is not valid", issues_));
  }

 private:
  void refuse(std::string_view pointer, std::string message) {
    issues_.push_back({.code = "invalid_bound",
                       .pointer = fmt::format("{}{}", base_, pointer),
                       .message = std::move(message),
                       .fix = ""});
  }

  void read_member(const json::Member& member) {
    const json::Value& value = member.value;
    if (member.key == "traffic") {
      if (!value.is_object()) return refuse("/traffic", "expected an object of tensors");
      for (const json::Member& tensor : value.members()) read_tensor(tensor);
    } else if (member.key == "extra_traffic" || member.key == "work") {
      if (!value.is_array()) return refuse("/" + std::string(member.key), "expected an array");
      std::size_t at = 0;
      for (const json::Value& item : value.items()) {
        const std::string pointer = fmt::format("/{}/{}", member.key, at++);
        if (!item.is_object()) {
          refuse(pointer, "expected an object");
        } else if (member.key == "work") {
          read_work(item, pointer);
        } else {
          read_extra(item, pointer);
        }
      }
    } else if (member.key == "fixed_ns") {
      const auto ns = value.is_number() ? value.integer() : std::nullopt;
      if (!ns || *ns < 0) return refuse("/fixed_ns", "expected an integer of at least 0");
      out_.fixed_ns = *ns;
    } else if (member.key == "axes_from") {
      if (!value.is_string() || value.string() != "manifest")
        refuse("/axes_from", "only \"manifest\" is known");
    } else if (member.key == "ignores") {
      if (!value.is_string()) return refuse("/ignores", "expected a text");
      out_.ignores = value.string();
    } else {
      refuse(
          "/" + std::string(member.key),
          "unknown member; known are traffic, extra_traffic, work, fixed_ns, axes_from, ignores");
    }
  }

  std::string text(const json::Value& object, std::string_view key, const std::string& pointer) {
    const json::Value* value = object.find(key);
    if (value != nullptr && value->is_string() && !value->string().empty())
      return std::string(value->string());
    refuse(fmt::format("{}/{}", pointer, key), "expected a text");
    return {};
  }
  Expression expression(const json::Value& object, std::string_view key,
                        const std::string& pointer) {
    const std::string written = text(object, key, pointer);
    if (!written.empty()) {
      auto parsed = Expression::parse(written);
      if (parsed) return *std::move(parsed);
      refuse(fmt::format("{}/{}", pointer, key), parsed.error().message());
    }
    return *Expression::parse("0");
  }
  void only(const json::Value& object, std::initializer_list<std::string_view> known,
            const std::string& pointer) {
    for (const json::Member& member : object.members()) {
      if (std::ranges::find(known, member.key) == known.end())
        refuse(fmt::format("{}/{}", pointer, member.key), "unknown member");
    }
  }

  void read_tensor(const json::Member& tensor) {
    const std::string pointer = "/traffic/" + std::string(tensor.key);
    const json::Value& value = tensor.value;
    if (value.is_string() && value.string() == "once") {
      out_.once.emplace_back(tensor.key);
      return;
    }
    if (value.is_string() && value.string() == "none") {
      out_.traffic.push_back({std::string(tensor.key), *Expression::parse("0"), "does not move"});
      return;
    }
    if (!value.is_object())
      return refuse(pointer, "expected \"once\", \"none\" or {\"elements\", \"why\"}");
    only(value, {"elements", "why"}, pointer);
    out_.traffic.push_back({std::string(tensor.key), expression(value, "elements", pointer),
                            text(value, "why", pointer)});
  }
  void read_extra(const json::Value& item, const std::string& pointer) {
    only(item, {"bytes", "why", "profile"}, pointer);
    ExtraTraffic extra{expression(item, "bytes", pointer), text(item, "why", pointer), {}};
    if (item.find("profile") != nullptr) {
      extra.only = parse_profile(text(item, "profile", pointer));
      if (!extra.only) refuse(pointer + "/profile", "is no profile");
    }
    out_.extra_traffic.push_back(std::move(extra));
  }
  void read_work(const json::Value& item, const std::string& pointer) {
    only(item, {"flops", "unit", "precision", "passes", "why"}, pointer);
    Work work{.flops = expression(item, "flops", pointer)};
    const std::string unit = text(item, "unit", pointer);
    if (unit == to_string(Unit::kSimt)) {
      work.unit = Unit::kSimt;
    } else if (unit != to_string(Unit::kTensor)) {
      refuse(pointer + "/unit", "expected tensor or simt");
    }
    const std::string precision = text(item, "precision", pointer);
    const std::size_t arrow = precision.find("->");
    work.operands = precision.substr(0, arrow);
    work.precision = arrow == std::string::npos ? precision : precision.substr(arrow + 2);
    if (const json::Value* passes = item.find("passes"); passes != nullptr) {
      const auto count = passes->is_number() ? passes->integer() : std::nullopt;
      if (!count || *count < 1) {
        refuse(pointer + "/passes", "expected an integer of at least 1");
      } else {
        work.passes = *count;
      }
    }
    if (item.find("why") != nullptr) work.why = text(item, "why", pointer);
    out_.work.push_back(std::move(work));
  }

  std::string base_;
  Declaration out_;
  std::vector<Issue> issues_;
};

}  // namespace

std::string_view to_string(Profile profile) {
  switch (profile) {
    case Profile::kPhysical:
      return "physical";
    case Profile::kSolarCompat:
      return "solar-compat";
    case Profile::kMeasured:
      return "measured";
  }
  return "";
}

std::optional<Profile> parse_profile(std::string_view name) {
  for (const Profile profile : kProfiles) {
    if (to_string(profile) == name) return profile;
  }
  return std::nullopt;
}

std::string_view to_string(Unit unit) { return unit == Unit::kTensor ? "tensor" : "simt"; }

Result<Declaration> read_declaration(const json::Value& bound, std::string_view pointer) {
  return DeclarationReader(pointer).read(bound);
}

}  // namespace ki::bounds
