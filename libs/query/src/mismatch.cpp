#include "ki/query/mismatch.h"

#include "ki/base/check.h"
#include "ki/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace ki::query {
namespace {

constexpr std::string_view kUnknown = "unknown";

std::string or_unknown(std::string_view text) {
  return std::string(text.empty() ? kUnknown : text);
}

std::string joined(std::span<const std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) {
    if (!text.empty()) text += '/';
    text += part;
  }
  return or_unknown(text);
}

bool has_shape(const TensorFacts& tensor, std::span<const std::int64_t> dims) {
  return std::ranges::equal(tensor.shape, dims);
}

const TensorFacts* find_tensor(const CaseFacts& workload, std::string_view name) {
  for (const TensorFacts& tensor : workload.tensors) {
    if (equals_ignoring_case(tensor.name, name)) return &tensor;
  }
  return nullptr;
}

const AxisFacts* find_axis(const CaseFacts& workload, std::string_view name) {
  for (const AxisFacts& axis : workload.axes) {
    if (equals_ignoring_case(axis.name, name)) return &axis;
  }
  return nullptr;
}

// A tensor that the case does not list (an output) has the shape if the axes have its values.
bool fits_reading(const ShapeReading& reading, std::span<const std::int64_t> dims,
                  const CaseFacts& workload) {
  if (const TensorFacts* tensor = find_tensor(workload, reading.tensor)) {
    return has_shape(*tensor, dims);
  }
  return std::ranges::all_of(reading.axes, [&](const AxisBinding& axis) {
    const AxisFacts* fact = find_axis(workload, axis.name);
    return fact != nullptr && fact->value == axis.value;
  });
}

bool fits_shape(const ShapeRequest& shape, const CaseFacts& workload) {
  if (!shape.is_bound) {
    return std::ranges::count_if(workload.tensors, [&](const TensorFacts& tensor) {
             return has_shape(tensor, shape.dims);
           }) == 1;
  }
  return !shape.readings.empty() &&
         std::ranges::all_of(shape.readings, [&](const ShapeReading& reading) {
           return fits_reading(reading, shape.dims, workload);
         });
}

std::string shape_of(const TensorFacts* tensor) {
  return tensor == nullptr ? std::string(kUnknown) : shape_text(tensor->shape);
}

std::string observed_shape(const ShapeRequest& shape, const CaseFacts& workload) {
  // Of the tensors that can be meant, those that the case lists; named where there are several.
  std::vector<const TensorFacts*> meant;
  for (const ShapeReading& reading : shape.readings) {
    if (const TensorFacts* tensor = find_tensor(workload, reading.tensor)) meant.push_back(tensor);
  }
  if (meant.size() == 1) return shape_of(meant.front());
  std::string text;
  for (const TensorFacts* tensor : meant) {
    text += (text.empty() ? "" : ", ") + std::string(tensor->name) + " " + shape_of(tensor);
  }
  if (!text.empty()) return text;
  return shape_of(workload.tensors.empty() ? nullptr : &workload.tensors.front());
}

bool has_dtype(std::string_view requested, std::span<const std::string_view> dtypes) {
  return std::ranges::any_of(
      dtypes, [&](std::string_view dtype) { return dtype_covers(requested, dtype); });
}

bool has_layout(std::string_view requested, std::span<const std::string_view> layouts) {
  return std::ranges::any_of(
      layouts, [&](std::string_view layout) { return layout_covers(requested, layout); });
}

// "2.8" answers for "2.8.0+cu128", not for "2.80".
bool is_version(std::string_view requested, std::string_view observed) {
  if (!observed.starts_with(requested)) return false;
  return observed.size() == requested.size() || !is_ascii_alnum(observed[requested.size()]);
}

// Calls report(make) for each mismatch in order, where make() gives the Mismatch; stops and
// returns false as soon as report does. The texts are made only by make().
template <class Report>
class Comparison {
 public:
  Comparison(const Intent& intent, Report& report) : intent_(intent), report_(report) {}

  bool compare_run(const RunFacts& run) {
    const CaseFacts& workload = *run.workload;
    return compare_environment(run) && compare_dtypes(workload) && compare_layouts(workload) &&
           compare_code(run) && compare_shapes(workload) && compare_axes(workload);
  }

  bool compare_case(const CaseFacts& workload) {
    return !workload.is_suite && compare_dtypes(workload) && compare_shapes(workload) &&
           compare_axes(workload);
  }

 private:
  bool compare_environment(const RunFacts& run) {
    if (intent_.gpu && match_gpu(intent_.gpu->gpu, *run.gpu) != GpuMatch::kMatch) {
      if (!report_([&] {
            return Mismatch{"hardware.gpu", intent_.gpu->typed, or_unknown(run.gpu->text)};
          })) {
        return false;
      }
    }
    if (intent_.architecture && *intent_.architecture != run.architecture) {
      if (!report_([&] {
            return Mismatch{"hardware.architecture", *intent_.architecture,
                            or_unknown(run.architecture)};
          })) {
        return false;
      }
    }
    if (intent_.cuda_major && intent_.cuda_major != run.cuda_major) {
      if (!report_([&] {
            return Mismatch{
                "environment.cudaToolkit", std::to_string(*intent_.cuda_major),
                run.cuda_major ? std::to_string(*run.cuda_major) : std::string(kUnknown)};
          })) {
        return false;
      }
    }
    return compare_environment_framework(run);
  }

  bool compare_environment_framework(const RunFacts& run) {
    if (!intent_.environment_framework) return true;
    const FrameworkRequest& asked = *intent_.environment_framework;
    const bool is_same =
        equals_ignoring_case(asked.name, run.environment_framework) &&
        (!asked.version || is_version(*asked.version, run.environment_framework_version));
    if (is_same) return true;
    return report_([&] {
      const auto text = [](std::string_view name, std::string_view version) {
        return std::string(name) + (version.empty() ? "" : " ") + std::string(version);
      };
      return Mismatch{
          "environment.framework", text(asked.name, asked.version.value_or("")),
          or_unknown(text(run.environment_framework, run.environment_framework_version))};
    });
  }

  bool compare_dtypes(const CaseFacts& workload) {
    for (const std::string& dtype : intent_.dtypes) {
      if (has_dtype(dtype, workload.dtypes)) continue;
      if (!report_([&] { return Mismatch{"workload.dtype", dtype, joined(workload.dtypes)}; })) {
        return false;
      }
    }
    for (const TensorRequest& asked : intent_.tensors) {
      if (!asked.dtype) continue;
      const TensorFacts* tensor = find_tensor(workload, asked.name);
      if (tensor != nullptr && dtype_covers(*asked.dtype, tensor->dtype)) continue;
      if (!report_([&] {
            return Mismatch{"workload.dtype", asked.name + " " + *asked.dtype,
                            or_unknown(tensor == nullptr ? "" : tensor->dtype)};
          })) {
        return false;
      }
    }
    return true;
  }

  bool compare_layouts(const CaseFacts& workload) {
    if (intent_.layout && !has_layout(*intent_.layout, workload.layouts)) {
      if (!report_([&] {
            return Mismatch{"workload.layout", *intent_.layout, joined(workload.layouts)};
          })) {
        return false;
      }
    }
    for (const TensorRequest& asked : intent_.tensors) {
      if (!asked.layout) continue;
      const TensorFacts* tensor = find_tensor(workload, asked.name);
      if (tensor != nullptr && layout_covers(*asked.layout, tensor->layout)) continue;
      if (!report_([&] {
            return Mismatch{"workload.layout", asked.name + " " + *asked.layout,
                            or_unknown(tensor == nullptr ? "" : tensor->layout)};
          })) {
        return false;
      }
    }
    return true;
  }

  bool compare_code(const RunFacts& run) {
    if (intent_.framework && *intent_.framework != run.framework) {
      if (!report_([&] {
            return Mismatch{"framework", *intent_.framework, or_unknown(run.framework)};
          })) {
        return false;
      }
    }
    if (intent_.language && *intent_.language != run.language) {
      return report_(
          [&] { return Mismatch{"language", *intent_.language, or_unknown(run.language)}; });
    }
    return true;
  }

  bool compare_shapes(const CaseFacts& workload) {
    const bool asks_shape = intent_.shape || intent_.binds_tensor_shape();
    if (asks_shape && workload.is_suite) {
      return report_([&] {
        return Mismatch{"workload.scope", "exact case " + first_shape(), "suite aggregate"};
      });
    }
    if (intent_.shape && !fits_shape(*intent_.shape, workload)) {
      if (!report_([&] {
            return Mismatch{"workload.shape", shape_text(intent_.shape->dims),
                            observed_shape(*intent_.shape, workload)};
          })) {
        return false;
      }
    }
    for (const TensorRequest& asked : intent_.tensors) {
      if (!asked.shape) continue;
      const TensorFacts* tensor = find_tensor(workload, asked.name);
      if (tensor != nullptr && has_shape(*tensor, *asked.shape)) continue;
      if (!report_([&] {
            return Mismatch{"workload.shape", asked.name + " " + shape_text(*asked.shape),
                            shape_of(tensor)};
          })) {
        return false;
      }
    }
    return true;
  }

  std::string first_shape() const {
    if (intent_.shape) return shape_text(intent_.shape->dims);
    for (const TensorRequest& asked : intent_.tensors) {
      if (asked.shape) return asked.name + " " + shape_text(*asked.shape);
    }
    return {};
  }

  bool compare_axes(const CaseFacts& workload) {
    for (const AxisBinding& asked : intent_.axes) {
      if (workload.is_suite) {
        const bool is_covered = std::ranges::any_of(workload.axes, [&](const AxisFacts& axis) {
          return axis.value == asked.value && equals_ignoring_case(axis.name, asked.name);
        });
        if (!report_([&] {
              return Mismatch{"axes." + asked.name, std::to_string(asked.value),
                              is_covered ? "covered inside suite aggregate" : "not in suite"};
            })) {
          return false;
        }
        continue;
      }
      const AxisFacts* axis = find_axis(workload, asked.name);
      if (axis != nullptr && axis->value == asked.value) continue;
      if (!report_([&] {
            return Mismatch{"axes." + asked.name, std::to_string(asked.value),
                            axis == nullptr ? std::string(kUnknown) : std::to_string(axis->value)};
          })) {
        return false;
      }
    }
    return true;
  }

  const Intent& intent_;
  Report& report_;
};

}  // namespace

std::vector<Mismatch> mismatches(const Intent& intent, const RunFacts& run) {
  KI_CHECK(run.workload != nullptr && run.gpu != nullptr);
  std::vector<Mismatch> found;
  auto collect = [&](const auto& make) {
    found.push_back(make());
    return true;
  };
  Comparison(intent, collect).compare_run(run);
  return found;
}

bool matches(const Intent& intent, const RunFacts& run) {
  KI_CHECK(run.workload != nullptr && run.gpu != nullptr);
  auto stop = [](const auto&) { return false; };
  return Comparison(intent, stop).compare_run(run);
}

bool matches_case(const Intent& intent, const CaseFacts& workload) {
  auto stop = [](const auto&) { return false; };
  return Comparison(intent, stop).compare_case(workload);
}

std::vector<Mismatch> case_differences(const CaseFacts& selected, const CaseFacts& other) {
  std::vector<Mismatch> found;
  if (selected.is_suite || other.is_suite) {
    if (selected.is_suite != other.is_suite) {
      const auto scope = [](const CaseFacts& w) {
        return std::string(w.is_suite ? "suite aggregate" : "exact case");
      };
      found.push_back({"workload.scope", scope(selected), scope(other)});
    }
    return found;
  }
  std::map<std::string_view, std::pair<const AxisFacts*, const AxisFacts*>> axes;
  for (const AxisFacts& axis : selected.axes) axes[axis.name].first = &axis;
  for (const AxisFacts& axis : other.axes) axes[axis.name].second = &axis;
  for (const auto& [name, pair] : axes) {
    const auto text = [](const AxisFacts* axis) {
      return axis == nullptr ? std::string(kUnknown) : std::to_string(axis->value);
    };
    const bool is_same =
        pair.first != nullptr && pair.second != nullptr && pair.first->value == pair.second->value;
    if (!is_same)
      found.push_back({"axes." + std::string(name), text(pair.first), text(pair.second)});
  }
  return found;
}

}  // namespace ki::query
