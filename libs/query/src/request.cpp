#include "ki/query/request.h"

#include "builder.h"
#include "ki/base/text.h"
#include "ki/json/pointer.h"
#include "ki/query/parse.h"
#include "ki/query/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ki::query {
namespace {

using json::Kind;
using json::Value;
using Names = std::span<const std::string_view>;

constexpr std::array<std::string_view, 10> kInclude = {
    "facets",  "issues",  "policy",  "selected", "excluded",
    "related", "nearest", "sources", "matches",  "cohortOptions"};
constexpr int kMaxAgeDays = 36'500;

std::string child(const std::string& path, std::string_view key) {
  std::string pointer = path;
  json::append_pointer(pointer, key);
  return pointer;
}

class RequestReader {
 public:
  explicit RequestReader(std::string root) : root_(std::move(root)) {}

  Result<Intent> read(const Value& request) {
    static constexpr std::array<std::string_view, 8> kMembers = {
        "query", "operation", "environment", "policy", "objective", "limit", "cursor", "include"};
    if (is_object(request, root_, kMembers)) {
      read_query(request);
      from_text_ = intent_;
      if (const Value* v = request.find("operation")) read_operation(*v);
      if (const Value* v = request.find("environment")) read_environment(*v);
      if (const Value* v = request.find("policy")) read_policy(*v);
      read_answer(request);
    }
    if (!intent_.has_refusals()) return std::move(intent_);
    std::vector<ki::Issue> issues;
    for (const Issue& issue : intent_.issues) {
      if (issue.severity == Severity::kRefused) issues.push_back(issue.to_issue());
    }
    const std::size_t count = issues.size();
    return fail(Error(Code::kInvalidArgument,
                      fmt::format("the request has {} problem{}", count, count == 1 ? "" : "s"),
                      std::move(issues)));
  }

 private:
  void refuse(const std::string& path, std::string code, std::string message,
              std::optional<std::string> hint = std::nullopt) {
    builder_.issue(
        {.path = path},
        {.code = std::move(code), .message = std::move(message), .hint = std::move(hint)});
  }

  bool is_kind(const Value& value, Kind kind, const std::string& path) {
    if (value.kind() == kind) return true;
    refuse(
        path, "WRONG_TYPE",
        fmt::format("expected {}, found {}", json::to_string(kind), json::to_string(value.kind())));
    return false;
  }

  // Refuses members that are not in `members`.
  bool is_object(const Value& value, const std::string& path, Names members) {
    if (!is_kind(value, Kind::kObject, path)) return false;
    for (const json::Member& member : value.members()) {
      if (std::ranges::find(members, member.key) != members.end()) continue;
      const auto hint = did_you_mean(member.key, members);
      refuse(child(path, member.key), "UNKNOWN_MEMBER",
             fmt::format("{} is no member of this object", quote(member.key)),
             hint ? std::optional<std::string>(std::string(*hint)) : std::nullopt);
    }
    return true;
  }

  // The text of a member, trimmed; nothing when absent or refused.
  std::optional<std::string_view> text(const Value& parent, std::string_view name,
                                       const std::string& path, std::size_t max_length) {
    const Value* value = parent.find(name);
    return value == nullptr ? std::nullopt : text_of(*value, child(path, name), max_length);
  }

  std::optional<std::string_view> text_of(const Value& value, const std::string& path,
                                          std::size_t max_length) {
    if (!is_kind(value, Kind::kString, path)) return std::nullopt;
    if (const std::size_t length = utf16_length(value.string()); length > max_length) {
      refuse(path, "TOO_LONG",
             fmt::format("has {} characters; at most {} are allowed", length, max_length));
      return std::nullopt;
    }
    const std::string_view trimmed = trim(value.string());
    if (trimmed.empty()) {
      refuse(path, "BAD_VALUE", "is empty; leave the member out to ask for anything");
      return std::nullopt;
    }
    return trimmed;
  }

  std::optional<bool> boolean(const Value& parent, std::string_view name, const std::string& path) {
    const Value* value = parent.find(name);
    if (value == nullptr || !is_kind(*value, Kind::kBool, child(path, name))) return std::nullopt;
    return value->boolean();
  }

  std::optional<int> integer(const Value& parent, std::string_view name, const std::string& path,
                             int low, int high, std::string code) {
    const Value* value = parent.find(name);
    const std::string at = child(path, name);
    if (value == nullptr || !is_kind(*value, Kind::kNumber, at)) return std::nullopt;
    const auto number = value->integer();
    if (!number || *number < low || *number > high) {
      refuse(at, std::move(code), fmt::format("expected an integer from {} to {}", low, high));
      return std::nullopt;
    }
    return static_cast<int>(*number);
  }

  template <class Each>
  void each_item(const Value& parent, std::string_view name, const std::string& path, Each each) {
    const Value* value = parent.find(name);
    std::string at = child(path, name);
    if (value == nullptr || !is_kind(*value, Kind::kArray, at)) return;
    for (std::size_t i = 0; i < value->items().size(); ++i) {
      std::string pointer = at;
      json::append_pointer(pointer, i);
      each(value->items()[i], pointer);
    }
  }

  void read_query(const Value& request) {
    const Value* value = request.find("query");
    const std::string path = child(root_, "query");
    if (value == nullptr || !is_kind(*value, Kind::kString, path)) return;
    Intent typed = parse_query(value->string());
    for (Issue& issue : typed.issues) issue.path = path;
    for (Facet& facet : typed.facets) facet.path = path;
    std::vector<Issue> before = std::move(intent_.issues);
    intent_ = std::move(typed);
    intent_.issues.insert(intent_.issues.begin(), before.begin(), before.end());
  }

  // A value of a filter; refused when the query text asks for another one.
  void filter(Filter filter, std::string_view key, std::string_view value,
              const std::string& path) {
    const Intent before = intent_;
    builder_.filter(filter, value, {.token = filter_token(key, value), .path = path});
    const auto differs = [&](const auto& member) {
      const auto& typed = from_text_.*member;
      return typed && typed != intent_.*member;
    };
    bool is_conflict = differs(&Intent::family) || differs(&Intent::model) ||
                       differs(&Intent::architecture) || differs(&Intent::layout) ||
                       differs(&Intent::framework) || differs(&Intent::language) ||
                       differs(&Intent::cuda_major) || differs(&Intent::minimum_trust) ||
                       differs(&Intent::license);
    if (from_text_.gpu && intent_.gpu &&
        match_gpu(intent_.gpu->gpu, from_text_.gpu->gpu) != GpuMatch::kMatch) {
      is_conflict = true;
    }
    if (!is_conflict) return;
    intent_ = before;
    refuse(path, "CONFLICT", fmt::format("{} contradicts the text of 'query'", quote(value)));
  }

  void read_operation(const Value& operation) {
    const std::string path = child(root_, "operation");
    static constexpr std::array<std::string_view, 12> kMembers = {
        "id",   "digest", "slug",   "name",   "family",   "model",
        "axes", "shape",  "layout", "inputs", "language", "framework"};
    if (!is_object(operation, path, kMembers)) return;
    read_selectors(operation, path);
    if (const auto v = text(operation, "family", path, 100)) {
      filter(Filter::kFamily, "family", *v, child(path, "family"));
    }
    if (const auto v = text(operation, "model", path, 200)) {
      filter(Filter::kModel, "model", *v, child(path, "model"));
    }
    if (const auto v = text(operation, "layout", path, 50)) {
      filter(Filter::kLayout, "layout", *v, child(path, "layout"));
    }
    if (const auto v = text(operation, "language", path, 50)) {
      filter(Filter::kLanguage, "language", *v, child(path, "language"));
    }
    if (const auto v = text(operation, "framework", path, 100)) {
      filter(Filter::kFramework, "framework", *v, child(path, "framework"));
    }
    if (const Value* shape = operation.find("shape")) {
      const std::string at = child(path, "shape");
      if (auto dims = shape_of(*shape, at)) {
        if (from_text_.shape && from_text_.shape->dims != *dims) {
          refuse(at, "CONFLICT", "another shape than in the text of 'query'");
        } else {
          const std::string token = shape_token(*dims);
          builder_.shape_dims(std::move(*dims), {.token = token, .path = at});
        }
      }
    }
    if (const Value* axes = operation.find("axes")) read_axes(*axes, child(path, "axes"));
    each_item(operation, "inputs", path,
              [&](const Value& item, const std::string& at) { read_input(item, at); });
  }

  void read_selectors(const Value& operation, const std::string& path) {
    const auto own = [](const auto& value) {
      return std::optional<std::string>(std::string(*value));
    };
    if (const auto v = text(operation, "id", path, 100)) intent_.operation.id = own(v);
    if (const auto v = text(operation, "digest", path, 100)) {
      const bool is_digest = v->starts_with("sha256:") && v->size() == 71 &&
                             std::ranges::all_of(v->substr(7), [](char c) {
                               return is_ascii_digit(c) || (c >= 'a' && c <= 'f');
                             });
      if (is_digest) {
        intent_.operation.digest = own(v);
      } else {
        refuse(child(path, "digest"), "BAD_VALUE",
               "expected 'sha256:' and 64 lower-case hexadecimal digits");
      }
    }
    for (const std::string_view member : {"slug", "name"}) {
      const auto v = text(operation, member, path, 200);
      if (!v) continue;
      (member == "slug" ? intent_.operation.slug : intent_.operation.name) = own(v);
      builder_.filter(Filter::kOperation, *v,
                      {.token = filter_token("op", *v), .path = child(path, member)});
    }
  }

  std::optional<std::vector<std::int64_t>> shape_of(const Value& value, const std::string& path) {
    if (!is_kind(value, Kind::kArray, path)) return std::nullopt;
    std::vector<std::int64_t> dims;
    for (const Value& item : value.items()) {
      const auto size = item.is_number() ? item.integer() : std::nullopt;
      if (!size || *size < 0) break;
      dims.push_back(*size);
    }
    if (dims.empty() || dims.size() != value.items().size()) {
      refuse(path, "BAD_SHAPE", "expected at least one integer, each 0 or more");
      return std::nullopt;
    }
    return dims;
  }

  void read_axes(const Value& axes, const std::string& path) {
    if (!is_kind(axes, Kind::kObject, path)) return;
    std::vector<std::string> seen;
    for (const json::Member& member : axes.members()) {
      const std::string at = child(path, member.key);
      const std::string name = ascii_lower(member.key);
      const auto value = member.value.is_number() ? member.value.integer() : std::nullopt;
      if (!is_name(member.key)) {
        refuse(at, "BAD_AXIS", fmt::format("{} is no axis name", quote(member.key)));
      } else if (!value || *value < 0) {
        refuse(at, "BAD_AXIS", fmt::format("axis '{}' needs an integer, 0 or more", member.key));
      } else if (std::ranges::find(seen, name) != seen.end()) {
        refuse(at, "CONFLICT", fmt::format("axis '{}' is named twice (in another case)", name));
      } else if (const auto typed = std::ranges::find(from_text_.axes, name, &AxisBinding::name);
                 typed != from_text_.axes.end() && typed->value != *value) {
        refuse(at, "CONFLICT", "another value than in the text of 'query'");
      } else {
        builder_.axis(name, *value, {.token = axis_token(name, *value), .path = at});
      }
      seen.push_back(name);
    }
  }

  void read_input(const Value& input, const std::string& path) {
    static constexpr std::array<std::string_view, 4> kMembers = {"name", "shape", "dtype",
                                                                 "layout"};
    if (!is_object(input, path, kMembers)) return;
    const auto name = text(input, "name", path, 100);
    if (!name) {
      if (input.find("name") == nullptr) {
        refuse(child(path, "name"), "BAD_VALUE", "is missing; it names the tensor");
      }
      return;
    }
    if (!is_name(*name)) {
      return refuse(child(path, "name"), "BAD_VALUE",
                    fmt::format("{} is no tensor name", quote(*name)));
    }
    if (const Value* shape = input.find("shape")) {
      if (auto dims = shape_of(*shape, child(path, "shape"))) {
        const std::string token = tensor_token(ascii_lower(*name), *dims);
        builder_.tensor_shape(*name, std::move(*dims),
                              {.token = token, .path = child(path, "shape")});
      }
    }
    if (const auto typed = text(input, "dtype", path, 50)) {
      if (const auto dtype = find_dtype(*typed)) {
        builder_.tensor(*name).dtype = std::string(*dtype);
      } else {
        refuse_dtype(*typed, child(path, "dtype"));
      }
    }
    if (const auto typed = text(input, "layout", path, 50)) {
      if (const auto layout = find_layout(*typed)) {
        builder_.tensor(*name).layout = std::string(*layout);
      } else {
        refuse(child(path, "layout"), "BAD_LAYOUT", fmt::format("{} is no layout", quote(*typed)));
      }
    }
  }

  void refuse_dtype(std::string_view typed, const std::string& path) {
    const auto hint = dtype_hint(typed);
    refuse(path, "BAD_DTYPE", fmt::format("{} is no known dtype", quote(typed)),
           hint ? std::optional<std::string>(std::string(*hint)) : std::nullopt);
  }

  void read_environment(const Value& environment) {
    static constexpr std::array<std::string_view, 6> kMembers = {
        "hardwareProduct", "architecture", "dtype", "dtypes", "cudaToolkit", "framework"};
    const std::string path = child(root_, "environment");
    if (!is_object(environment, path, kMembers)) return;
    if (const auto v = text(environment, "hardwareProduct", path, 100)) {
      filter(Filter::kGpu, "gpu", *v, child(path, "hardwareProduct"));
    }
    if (const auto v = text(environment, "architecture", path, 50)) {
      filter(Filter::kArchitecture, "arch", *v, child(path, "architecture"));
    }
    if (const auto v = text(environment, "dtype", path, 50)) {
      filter(Filter::kDtype, "dtype", *v, child(path, "dtype"));
    }
    each_item(environment, "dtypes", path, [&](const Value& item, const std::string& at) {
      if (const auto v = text_of(item, at, 50)) filter(Filter::kDtype, "dtype", *v, at);
    });
    if (const auto v = text(environment, "cudaToolkit", path, 50)) {
      filter(Filter::kCuda, "cuda", *v, child(path, "cudaToolkit"));
    }
    if (const Value* framework = environment.find("framework")) {
      static constexpr std::array<std::string_view, 2> kFramework = {"name", "version"};
      const std::string at = child(path, "framework");
      if (!is_object(*framework, at, kFramework)) return;
      const auto name = text(*framework, "name", at, 100);
      const auto version = text(*framework, "version", at, 100);
      if (name) {
        intent_.environment_framework = FrameworkRequest{
            framework_name(*name),
            version ? std::optional<std::string>(std::string(*version)) : std::nullopt};
      } else if (framework->find("name") == nullptr) {
        refuse(child(at, "name"), "BAD_VALUE", "is missing; a version alone names no framework");
      }
    }
  }

  void read_policy(const Value& policy) {
    static constexpr std::array<std::string_view, 6> kMembers = {
        "minimumTrust", "sourceRequired",  "installableRequired",
        "license",      "allowedLicenses", "maxAgeDays"};
    const std::string path = child(root_, "policy");
    if (!is_object(policy, path, kMembers)) return;
    if (const auto v = text(policy, "minimumTrust", path, 50)) {
      filter(Filter::kTrust, "trust", *v, child(path, "minimumTrust"));
    }
    if (const auto v = text(policy, "license", path, 100)) {
      filter(Filter::kLicense, "license", *v, child(path, "license"));
    }
    read_flag(policy, "sourceRequired", path, Filter::kSource, "source", from_text_.require_source);
    read_flag(policy, "installableRequired", path, Filter::kInstallable, "installable",
              from_text_.require_installable);
    each_item(policy, "allowedLicenses", path, [&](const Value& item, const std::string& at) {
      if (const auto v = text_of(item, at, 100))
        intent_.allowed_licenses.push_back(ascii_lower(*v));
    });
    intent_.max_age_days = integer(policy, "maxAgeDays", path, 0, kMaxAgeDays, "BAD_LIMIT");
  }

  void read_flag(const Value& policy, std::string_view name, const std::string& path, Filter filter,
                 std::string_view key, bool is_required_by_text) {
    const auto wanted = boolean(policy, name, path);
    if (!wanted) return;
    const std::string at = child(path, name);
    if (is_required_by_text && !*wanted) {
      return refuse(at, "CONFLICT", "the text of 'query' requires it");
    }
    const std::string_view value = *wanted ? "true" : "false";
    builder_.filter(filter, value, {.token = filter_token(key, value), .path = at});
  }

  void read_answer(const Value& request) {
    if (const Value* objective = request.find("objective")) {
      static constexpr std::array<std::string_view, 1> kMembers = {"metric"};
      const std::string path = child(root_, "objective");
      if (is_object(*objective, path, kMembers)) {
        if (const auto v = text(*objective, "metric", path, 100)) {
          if (is_name(*v)) {
            intent_.objective_metric = ascii_lower(*v);
          } else {
            refuse(child(path, "metric"), "BAD_VALUE",
                   fmt::format("{} is no metric name", quote(*v)));
          }
        }
      }
    }
    intent_.limit = integer(request, "limit", root_, 1, kMaxLimit, "BAD_LIMIT");
    if (const auto v = text(request, "cursor", root_, 1000)) intent_.cursor = std::string(*v);
    each_item(request, "include", root_, [&](const Value& item, const std::string& at) {
      const auto v = text_of(item, at, 50);
      if (!v) return;
      if (std::ranges::find(kInclude, *v) != kInclude.end()) {
        intent_.include.emplace_back(*v);
        return;
      }
      const auto hint = did_you_mean(*v, kInclude);
      refuse(at, "BAD_VALUE", fmt::format("{} names no part of an answer", quote(*v)),
             hint ? std::optional<std::string>(std::string(*hint)) : std::nullopt);
    });
  }

  std::string root_;  // pointer of the request
  Intent intent_;
  Intent from_text_;  // of the member "query" alone
  Builder builder_{intent_};
};

}  // namespace

Result<Intent> parse_request(const Value& request) { return RequestReader("").read(request); }

Result<std::vector<Result<Intent>>> parse_batch(const Value& batch) {
  const auto refuse = [](std::string pointer, std::string code, std::string message) {
    ki::Issue issue;
    issue.code = std::move(code);
    issue.pointer = std::move(pointer);
    issue.message = message;
    return fail(Error(Code::kInvalidArgument, std::move(message), {std::move(issue)}));
  };
  if (!batch.is_object()) return refuse("", "WRONG_TYPE", "a batch is an object");
  for (const json::Member& member : batch.members()) {
    if (member.key != "requests") {
      return refuse(child("", member.key), "UNKNOWN_MEMBER",
                    fmt::format("{} is no member of a batch", quote(member.key)));
    }
  }
  const Value* requests = batch.find("requests");
  const bool is_fit = requests != nullptr && requests->is_array() && !requests->items().empty() &&
                      requests->items().size() <= kMaxBatch;
  if (!is_fit) {
    return refuse("/requests", "BAD_VALUE",
                  fmt::format("expected an array of 1 to {} requests", kMaxBatch));
  }
  std::vector<Result<Intent>> results;
  for (std::size_t i = 0; i < requests->items().size(); ++i) {
    results.push_back(RequestReader(fmt::format("/requests/{}", i)).read(requests->items()[i]));
  }
  return results;
}

}  // namespace ki::query
