#include "ki/bounds/hardware.h"

#include "ki/base/text.h"
#include "ki/json/reader.h"
#include "registry_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ki::bounds {
namespace {

class HardwareReader {
 public:
  explicit HardwareReader(std::string_view pointer) : base_(pointer) {}

  Result<Hardware> read(const json::Value& record) {
    if (!record.is_object()) {
      refuse("", "a hardware record is an object");
    } else {
      for (const json::Member& member : record.members()) read_member(member);
      if (out_.name.empty()) refuse("/name", "is missing");
      if (!(out_.nominal.dram_bytes > 0)) refuse("/dram_Bps", "is missing");
      if (out_.provenance.empty()) refuse("/provenance", "every record says where it comes from");
    }
    if (issues_.empty()) return std::move(out_);
    return fail(Error(Code::kInvalidArgument, "the hardware record is not valid", issues_));
  }

 private:
  void refuse(std::string pointer, std::string message) {
    issues_.push_back({.code = "invalid_hardware",
                       .pointer = base_ + std::move(pointer),
                       .message = std::move(message),
                       .fix = ""});
  }
  double positive(const json::Value& value, const std::string& pointer) {
    if (value.is_number() && value.number() > 0 && std::isfinite(value.number()))
      return value.number();
    refuse(pointer, "expected a number above 0");
    return 0;
  }
  std::int64_t count(const json::Value& value, const std::string& pointer) {
    const auto integer = value.is_number() ? value.integer() : std::nullopt;
    if (integer && *integer >= 0) return *integer;
    refuse(pointer, "expected an integer of at least 0");
    return 0;
  }
  std::string text(const json::Value& value, const std::string& pointer) {
    if (value.is_string() && !value.string().empty()) return std::string(value.string());
    refuse(pointer, "expected a text");
    return {};
  }
  void peaks(const json::Value& value, Unit unit, const std::string& pointer, Ceilings& out) {
    if (!value.is_object()) return refuse(pointer, "expected an object of precisions");
    for (const json::Member& peak : value.members()) {
      const std::string at = fmt::format("{}/{}", pointer, peak.key);
      out.peaks.push_back({unit, std::string(peak.key), positive(peak.value, at)});
    }
  }
  // {"dram_Bps" or "copy_Bps", "tensor": {...}, "simt": {...}, "fixed_ns"}
  Ceilings ceilings(const json::Value& value, const std::string& pointer) {
    Ceilings out;
    if (!value.is_object()) {
      refuse(pointer, "expected an object");
      return out;
    }
    for (const json::Member& member : value.members()) {
      const std::string at = fmt::format("{}/{}", pointer, member.key);
      if (member.key == "dram_Bps" || member.key == "copy_Bps") {
        out.dram_bytes = positive(member.value, at);
      } else if (member.key == "tensor") {
        peaks(member.value, Unit::kTensor, at, out);
      } else if (member.key == "simt") {
        peaks(member.value, Unit::kSimt, at, out);
      } else if (member.key == "fixed_ns" && pointer == "/solar") {
        out_.solar_fixed_ns = count(member.value, at);
      } else {
        refuse(at, "unknown member");
      }
    }
    return out;
  }
  void read_member(const json::Member& member) {
    const json::Value& value = member.value;
    const std::string at = fmt::format("/{}", member.key);
    if (member.key == "name") {
      out_.name = text(value, at);
    } else if (member.key == "title") {
      out_.title = text(value, at);
    } else if (member.key == "kind") {
      out_.kind = text(value, at);
      if (out_.kind != "gpu" && out_.kind != "cpu") refuse(at, "expected gpu or cpu");
    } else if (member.key == "clock") {
      out_.clock = text(value, at);
    } else if (member.key == "products") {
      if (!value.is_array()) return refuse(at, "expected an array");
      for (const json::Value& item : value.items()) out_.products.push_back(text(item, at));
    } else if (member.key == "dram_Bps") {
      out_.nominal.dram_bytes = positive(value, at);
    } else if (member.key == "peaks") {
      Ceilings peaks = ceilings(value, at);
      out_.nominal.peaks = std::move(peaks.peaks);
    } else if (member.key == "measured") {
      out_.measured = ceilings(value, at);
    } else if (member.key == "solar") {
      out_.solar = ceilings(value, at);
    } else if (member.key == "l2_bytes") {
      out_.l2_bytes = count(value, at);
    } else if (member.key == "launch_ns") {
      out_.launch_ns = count(value, at);
    } else if (member.key == "provenance") {
      if (!value.is_object()) return refuse(at, "expected an object of sources");
      for (const json::Member& source : value.members())
        out_.provenance.push_back({std::string(source.key), text(source.value, at)});
    } else {
      refuse(at, "unknown member");
    }
  }

  std::string base_;
  Hardware out_;
  std::vector<Issue> issues_;
};

}  // namespace

std::optional<double> Ceilings::peak(Unit unit, std::string_view precision) const {
  for (const Peak& peak : peaks) {
    if (peak.unit == unit && peak.precision == precision) return peak.flops;
  }
  return std::nullopt;
}

bool Hardware::is_product(std::string_view product) const {
  return std::ranges::any_of(
      products, [&](const std::string& own) { return equals_ignoring_case(own, product); });
}

Result<Hardware> read_hardware(const json::Value& record, std::string_view pointer) {
  return HardwareReader(pointer).read(record);
}

Result<std::vector<Hardware>> known_hardware() {
  KI_TRY(const json::Document document, json::read_document(registry_text("hardware")));
  std::vector<Hardware> known;
  for (const json::Value& record : document.root.items()) {
    KI_TRY(Hardware hardware, read_hardware(record, fmt::format("/{}", known.size())));
    known.push_back(std::move(hardware));
  }
  return known;
}

Result<Hardware> find_hardware(std::span<const Hardware> known, std::string_view name) {
  std::vector<std::string_view> names;
  std::string all;
  for (const Hardware& hardware : known) {
    if (equals_ignoring_case(hardware.name, name) || equals_ignoring_case(hardware.title, name) ||
        hardware.is_product(name)) {
      return hardware;
    }
    names.push_back(hardware.name);
    all += (all.empty() ? "" : ", ") + hardware.name;
  }
  const auto near = did_you_mean(name, names);
  return fail(Code::kNotFound,
              fmt::format("no hardware record is named {}{}; there are {}", quote(name),
                          near ? fmt::format(" (did you mean '{}'?)", *near) : "", all));
}

}  // namespace ki::bounds
