#include "ki/query/intent.h"

#include <algorithm>
#include <tuple>

namespace ki::query {

ki::Issue Issue::to_issue() const {
  ki::Issue issue;
  issue.code = code;
  issue.pointer = path;
  issue.message = message;
  if (hint) issue.fix = "did you mean '" + *hint + "'?";
  return issue;
}

bool Intent::binds_tensor_shape() const {
  return std::ranges::any_of(tensors, [](const TensorRequest& t) { return t.shape.has_value(); });
}

bool Intent::has_constraints() const {
  return gpu || architecture || !dtypes.empty() || shape || !tensors.empty() || !axes.empty() ||
         layout || framework || language || cuda_major || environment_framework;
}

bool Intent::has_refusals() const {
  return std::ranges::any_of(issues,
                             [](const Issue& i) { return i.severity == Severity::kRefused; });
}

bool is_same_request(const Intent& a, const Intent& b) {
  const auto is_same_term = [](const Term& x, const Term& y) {
    return x.text == y.text && x.kind == y.kind;
  };
  const auto gpu = [](const Intent& i) {
    return i.gpu ? std::optional(i.gpu->typed) : std::nullopt;
  };
  const auto dims = [](const Intent& i) {
    return i.shape ? std::optional(i.shape->dims) : std::nullopt;
  };
  const auto what = [](const Intent& i) {
    return std::tie(i.family, i.model, i.operation, i.architecture, i.dtypes, i.tensors, i.axes,
                    i.layout, i.framework, i.language, i.cuda_major, i.environment_framework);
  };
  const auto how = [](const Intent& i) {
    return std::tie(i.minimum_trust, i.license, i.allowed_licenses, i.require_source,
                    i.require_installable, i.max_age_days, i.objective_metric, i.limit, i.cursor,
                    i.include);
  };
  return std::ranges::equal(a.terms, b.terms, is_same_term) && gpu(a) == gpu(b) &&
         dims(a) == dims(b) && what(a) == what(b) && how(a) == how(b);
}

std::string shape_text(std::span<const std::int64_t> dims) {
  std::string text = "[";
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(dims[i]);
  }
  return text + "]";
}

}  // namespace ki::query
