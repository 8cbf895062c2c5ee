#include "command.h"
#include "ki/base/text.h"
#include "ki/io/file.h"
#include "ki/json/canonical.h"
#include "ki/json/writer.h"
#include "ki/manifest/schema.h"
#include "ki/manifest/validator.h"

#include <fmt/format.h>

namespace ki::cli {
namespace {

using manifest::ManifestKind;

Result<std::string> read_text(const Context& context, const std::string& path) {
  if (path == "-") return context.environment().read_stdin();
  return io::read_file(path, 2 << 20);
}

manifest::Profile profile_of(const Context& context) {
  return context.arguments().has("compat") ? manifest::Profile::kCompat
                                           : manifest::Profile::kStrict;
}

// "OperationSpec", "operation-spec" or "operationspec".
Result<ManifestKind> parse_kind_name(std::string_view name) {
  std::vector<std::string_view> names;
  for (const ManifestKind kind : manifest::all_kinds()) {
    if (equals_ignoring_case(name, to_string(kind)) || equals_ignoring_case(name, kind_slug(kind)))
      return kind;
    names.push_back(kind_slug(kind));
  }
  const auto near = did_you_mean(name, names);
  std::string all;
  for (const std::string_view known : names) all += (all.empty() ? "" : ", ") + std::string(known);
  return fail(Code::kInvalidArgument,
              fmt::format("{} is no manifest kind{}; the kinds are {}", quote(name),
                          near ? fmt::format(" (did you mean '{}'?)", *near) : "", all));
}

Result<int> validate(const Context& context, std::span<const std::string> files) {
  manifest::Validator validator(profile_of(context));
  bool all_valid = true;
  std::string out;
  json::Writer w(out, json::Writer::Style::kIndented);
  if (context.is_json()) w.begin_array();
  for (const std::string& file : files) {
    KI_TRY(const std::string text, read_text(context, file));
    const auto valid = validator.read(text);
    all_valid = all_valid && valid.has_value();
    if (context.is_json()) {
      w.begin_object().member("file", file).member("valid", valid.has_value()).key("kind");
      if (valid)
        w.value(to_string(valid->kind));
      else
        w.null();
      w.key("specDigest");
      if (valid)
        w.value(valid->digest.to_string());
      else
        w.null();
      w.key("issues").begin_array();
      if (!valid) {
        for (const Issue& issue : valid.error().issues()) {
          w.begin_object()
              .member("code", issue.code)
              .member("pointer", issue.pointer)
              .member("line", issue.line)
              .member("column", issue.column)
              .member("message", issue.message)
              .member("fix", issue.fix)
              .end_object();
        }
      }
      w.end_array().end_object();
    } else if (valid) {
      context.out(fmt::format("{}: valid {} {}\n", file, to_string(valid->kind),
                              valid->digest.to_string()));
    } else {
      for (const Issue& issue : valid.error().issues())
        context.out(fmt::format("{}:{}\n", file, issue.to_string()));
      if (valid.error().issues().empty())
        context.out(fmt::format("{}: {}\n", file, valid.error().to_string()));
    }
  }
  if (context.is_json()) {
    w.end_array();
    context.out(out + "\n");
  }
  return all_valid ? kDone : kDidNotPass;
}

Result<int> digest(const Context& context, std::span<const std::string> files) {
  manifest::Validator validator(profile_of(context));
  for (const std::string& file : files) {
    KI_TRY(const std::string text, read_text(context, file));
    auto valid = validator.read(text);
    if (!valid) return fail(std::move(valid).error().within(file));
    if (context.is_json()) {
      context.out(fmt::format("{{\"kind\":\"{}\",\"specDigest\":\"{}\"}}\n", to_string(valid->kind),
                              valid->digest.to_string()));
    } else if (context.arguments().has("canonical")) {
      context.out(std::string(valid->canonical) + "\n");
    } else {
      context.out(fmt::format("{}  {}\n", valid->digest.to_string(), file));
    }
  }
  return kDone;
}

Result<int> schema(const Context& context, std::span<const std::string> operands) {
  if (operands.empty()) {
    for (const ManifestKind kind : manifest::all_kinds())
      context.out(fmt::format("{}\n", kind_slug(kind)));
    return kDone;
  }
  for (const std::string& name : operands) {
    KI_TRY(const ManifestKind kind, parse_kind_name(name));
    context.out(manifest::json_schema(kind));
  }
  return kDone;
}

Result<int> init(const Context& context, std::span<const std::string> operands) {
  if (operands.size() != 1) return context.usage("init which kind? ki manifest schema lists them");
  KI_TRY(const ManifestKind kind, parse_kind_name(operands.front()));
  const std::string_view example = help_page(fmt::format("example-{}", kind_slug(kind)));
  if (example.empty())
    return fail(Code::kInternal, fmt::format("no example of {} is built in", to_string(kind)));
  context.out(example);
  return kDone;
}

}  // namespace

Result<int> run_manifest(Context& context) {
  const auto& operands = context.operands();
  if (operands.empty()) return context.usage("which verb? init, validate, digest or schema");
  const std::string& verb = operands.front();
  const std::span<const std::string> rest(operands.begin() + 1, operands.end());
  if (verb == "schema") return schema(context, rest);
  if (verb == "init") return init(context, rest);
  if (verb == "validate" || verb == "digest") {
    if (rest.empty()) return context.usage("which files? '-' reads standard input");
    return verb == "validate" ? validate(context, rest) : digest(context, rest);
  }
  const auto near = did_you_mean(verb, context.command().verbs);
  return context.usage(fmt::format("{} is no verb of manifest{}", quote(verb),
                                   near ? fmt::format("; did you mean '{}'?", *near) : ""));
}

}  // namespace ki::cli
