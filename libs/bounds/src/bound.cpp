#include "ki/bounds/bound.h"

#include "ki/display/format.h"
#include "ki/stats/geometric_mean.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::bounds {
namespace {

constexpr double kNs = 1e-9;

// SOLAR prices every element of a problem alike: by the narrowest of its types.
struct SolarElement {
  std::int64_t bits = 16;
  std::string_view precision = "bf16";
};
SolarElement solar_element(const OperationShape& shape) {
  SolarElement out;
  for (const TensorShape& tensor : shape.tensors) {
    const bool is_fp4 =
        tensor.dtype == "nvfp4" || tensor.dtype == "mxfp4" || tensor.dtype == "float4_e2m1fn_x2";
    if (is_fp4) return {4, "nvfp4"};
    if (tensor.dtype.starts_with("fp8")) out = {8, "fp8"};
  }
  return out;
}

class Computation {
 public:
  Computation(const OperationShape& shape, const Declaration& declaration, const Hardware& hardware,
              Profile profile, const Ceilings& ceilings)
      : shape_(shape),
        declaration_(declaration),
        hardware_(hardware),
        profile_(profile),
        ceilings_(ceilings),
        solar_(solar_element(shape)) {}

  Result<CaseBound> run(const Case& one) const {
    CaseBound out{.name = one.name};
    for (const TensorShape& tensor : shape_.tensors) {
      KI_TRY(TensorBytes bytes, traffic_of(tensor, one));
      KI_TRY_VOID(add(out.bytes, bytes.bytes));
      out.traffic.push_back(std::move(bytes));
    }
    for (const ExtraTraffic& extra : declaration_.extra_traffic) {
      if (extra.only && *extra.only != profile_) continue;
      KI_TRY(const std::int64_t bytes, extra.bytes.evaluate(one.axes));
      KI_TRY_VOID(add(out.bytes, bytes));
      out.traffic.push_back({"(beyond the tensors)", false, bytes, extra.why});
    }
    for (const Work& work : declaration_.work) {
      KI_TRY_VOID(add_work(work, one, out));
    }
    out.memory_s = static_cast<double>(out.bytes) / ceilings_.dram_bytes;
    out.fixed_s =
        kNs * static_cast<double>(is_solar() ? hardware_.solar_fixed_ns : declaration_.fixed_ns);
    out.seconds = std::max({out.memory_s, out.tensor_s, out.simt_s});
    out.binding = out.seconds == out.memory_s   ? Binding::kMemory
                  : out.seconds == out.tensor_s ? Binding::kTensor
                                                : Binding::kSimt;
    out.seconds += out.fixed_s;
    return out;
  }

 private:
  bool is_solar() const { return profile_ == Profile::kSolarCompat; }

  static Result<void> add(std::int64_t& sum, std::int64_t more) {
    if (__builtin_add_overflow(sum, more, &sum))
      return fail(Code::kInvalidArgument, "a sum of the bound overflows 64 bits");
    return {};
  }

  Result<TensorBytes> traffic_of(const TensorShape& tensor, const Case& one) const {
    TensorBytes out{.name = tensor.name, .is_output = tensor.is_output};
    std::int64_t count = 0;
    const auto declared =
        std::ranges::find(declaration_.traffic, tensor.name, &TensorTraffic::tensor);
    if (declared != declaration_.traffic.end()) {
      KI_TRY(count, declared->elements.evaluate(one.axes));
      out.why = declared->why;
    } else {
      KI_TRY(count, elements(tensor, one.axes));
    }
    std::int64_t bits = tensor.bits;
    if (is_solar()) bits = tensor.dtype == "bool" ? 0 : solar_.bits;
    std::int64_t all = 0;
    if (__builtin_mul_overflow(count, bits, &all) || __builtin_add_overflow(all, 7, &all)) {
      return fail(Code::kInvalidArgument,
                  fmt::format("tensor '{}': its bytes overflow 64 bits", tensor.name));
    }
    out.bytes = all / 8;
    return out;
  }

  Result<void> add_work(const Work& work, const Case& one, CaseBound& out) const {
    KI_TRY(const std::int64_t flops, work.flops.evaluate(one.axes));
    // SOLAR leaves the vector units out, and a problem is one pass.
    if (is_solar() && work.unit == Unit::kSimt) return {};
    KI_TRY_VOID(add(out.flops, flops));
    WorkTime time{.unit = work.unit,
                  .precision = is_solar() ? std::string(solar_.precision) : work.precision};
    if (__builtin_mul_overflow(flops, is_solar() ? 1 : work.passes, &time.flops))
      return fail(Code::kInvalidArgument, "the operations of all passes overflow 64 bits");
    auto peak = ceilings_.peak(work.unit, time.precision);
    if (!peak && profile_ == Profile::kMeasured) {
      peak = hardware_.nominal.peak(work.unit, time.precision);
      time.is_nominal = true;
    }
    if (!peak) {
      return fail(
          Code::kNotFound,
          fmt::format("{} has no {} ceiling of precision '{}' for profile {}", hardware_.title,
                      to_string(work.unit), time.precision, to_string(profile_)));
    }
    time.seconds = static_cast<double>(time.flops) / *peak;
    (work.unit == Unit::kTensor ? out.tensor_s : out.simt_s) += time.seconds;
    out.work.push_back(std::move(time));
    return {};
  }

  const OperationShape& shape_;
  const Declaration& declaration_;
  const Hardware& hardware_;
  Profile profile_;
  const Ceilings& ceilings_;
  SolarElement solar_;
};

Result<const Ceilings*> ceilings_of(const Hardware& hardware, Profile profile) {
  const Ceilings* found = nullptr;
  switch (profile) {
    case Profile::kPhysical:
      found = &hardware.nominal;
      break;
    case Profile::kSolarCompat:
      found = hardware.solar ? &*hardware.solar : nullptr;
      break;
    case Profile::kMeasured:
      found = hardware.measured ? &*hardware.measured : nullptr;
      break;
  }
  if (found == nullptr || !(found->dram_bytes > 0)) {
    return fail(Code::kNotFound,
                fmt::format("there are no {} figures of {}", to_string(profile), hardware.title));
  }
  return found;
}

Result<void> check_names(const OperationShape& shape, const Declaration& declaration) {
  std::vector<std::string_view> names(declaration.once.begin(), declaration.once.end());
  for (const TensorTraffic& traffic : declaration.traffic) names.push_back(traffic.tensor);
  for (const std::string_view name : names) {
    if (shape.find(name) != nullptr) continue;
    return fail(Code::kInvalidArgument,
                fmt::format("the bound declares traffic of '{}', which is no tensor of {}", name,
                            shape.name));
  }
  return {};
}

std::optional<double> geomean_of(std::span<const CaseBound> cases,
                                 double (*term)(const CaseBound&)) {
  std::vector<double> values;
  for (const CaseBound& one : cases) values.push_back(term(one));
  const auto mean = stats::geometric_mean(values);
  return mean ? std::optional(*mean) : std::nullopt;
}

}  // namespace

std::string_view to_string(Binding binding) {
  switch (binding) {
    case Binding::kMemory:
      return "memory";
    case Binding::kTensor:
      return "tensor";
    case Binding::kSimt:
      return "simt";
  }
  return "";
}

Result<CaseBound> bound_of(const OperationShape& shape, const Declaration& declaration,
                           const Hardware& hardware, Profile profile, const Case& one) {
  KI_TRY_VOID(check_names(shape, declaration));
  KI_TRY(const Ceilings* ceilings, ceilings_of(hardware, profile));
  auto bound = Computation(shape, declaration, hardware, profile, *ceilings).run(one);
  if (!bound) return fail(std::move(bound).error().within("case " + one.name));
  return bound;
}

Result<SuiteBound> bound_of(const OperationShape& shape, const Declaration& declaration,
                            const Hardware& hardware, Profile profile,
                            std::span<const Case> cases) {
  if (cases.empty())
    return fail(Code::kInvalidArgument, fmt::format("{} has no cases", shape.name));
  SuiteBound out;
  for (const Case& one : cases) {
    KI_TRY(CaseBound bound, bound_of(shape, declaration, hardware, profile, one));
    out.mean_s += bound.seconds;
    out.cases.push_back(std::move(bound));
  }
  out.mean_s /= static_cast<double>(cases.size());
  const auto geomean = geomean_of(out.cases, [](const CaseBound& c) { return c.seconds; });
  if (!geomean) {
    return fail(
        Code::kInvalidArgument,
        fmt::format("a case of {} moves nothing and does no work: its bound is 0", shape.name));
  }
  out.geomean_s = *geomean;
  out.memory_geomean_s = geomean_of(out.cases, [](const CaseBound& c) { return c.memory_s; });
  out.compute_geomean_s =
      geomean_of(out.cases, [](const CaseBound& c) { return std::max(c.tensor_s, c.simt_s); });
  return out;
}

std::optional<std::string> impossible(double measured_s, double physical_bound_s) {
  if (!(measured_s < physical_bound_s)) return std::nullopt;
  return fmt::format("impossible or aliasing: {} is {:.3f} of the physical bound {}",
                     display::latency_text(measured_s / kNs), measured_s / physical_bound_s,
                     display::latency_text(physical_bound_s / kNs));
}

}  // namespace ki::bounds
