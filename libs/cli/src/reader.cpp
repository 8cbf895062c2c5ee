#include "reader.h"

#include "http_client.h"
#include "ki/api/routes.h"
#include "ki/base/check.h"
#include "ki/base/text.h"
#include "ki/json/writer.h"
#include "ki/logbook/trust_store.h"
#include "ki/notes/desk.h"
#include "log_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace ki::cli {
namespace {

constexpr std::size_t kMaxAnswer = std::size_t{256} << 20;

Code code_of(int status) {
  switch (status) {
    case 400:
    case 410:
    case 413:
    case 403:
    case 415:
    case 422:
      return Code::kInvalidArgument;
    case 404:
      return Code::kNotFound;
    case 409:
      return Code::kConflict;
    case 429:
    case 503:
      return Code::kUnavailable;
    case 501:
      return Code::kUnsupported;
    default:
      return Code::kInternal;
  }
}

// "?limit" is an option here.
Issue issue_of(std::string_view pointer, std::string_view code, std::string_view message) {
  Issue issue;
  issue.code = code;
  issue.pointer = pointer.starts_with('?') ? fmt::format("--{}", pointer.substr(1)) : pointer;
  issue.message = message;
  return issue;
}

Error error_of(int status, std::string_view detail, std::vector<Issue> issues) {
  return {code_of(status),
          detail.starts_with('?') ? fmt::format("--{}", detail.substr(1)) : std::string(detail),
          std::move(issues)};
}

Error error_of(const http::Problem& problem) {
  std::vector<Issue> issues;
  issues.reserve(problem.errors.size());
  for (const http::ProblemDetail& error : problem.errors) {
    issues.push_back(issue_of(error.pointer, error.code, error.message));
  }
  return error_of(problem.status, problem.detail, std::move(issues));
}

// Of a server's answer that is no success.
Error error_of(const HttpAnswer& answer) {
  const auto document = json::read_document(answer.body);
  const json::Value* detail = document ? document->root.find("detail") : nullptr;
  if (detail == nullptr || !detail->is_string()) {
    return {code_of(answer.status), fmt::format("the server answered with status {}, which is no "
                                                "answer of this API",
                                                answer.status)};
  }
  std::vector<Issue> issues;
  if (const json::Value* errors = document->root.find("errors");
      errors != nullptr && errors->is_array()) {
    for (const json::Value& error : errors->items()) {
      const auto member = [&](std::string_view name) {
        const json::Value* value = error.find(name);
        return value != nullptr && value->is_string() ? value->string() : std::string_view();
      };
      issues.push_back(issue_of(member("pointer"), member("code"), member("message")));
    }
  }
  return error_of(answer.status, detail->string(), std::move(issues));
}

}  // namespace

Result<Reader> Reader::open(const Context& context, Context::Access access) {
  Reader reader;
  const auto variable = context.environment().variable("KI_API");
  reader.server_ = context.arguments().value("api").value_or(variable.value_or(""));
  // A catalog that is named is meant.
  if (!context.arguments().has("api") && context.arguments().has("catalog")) reader.server_.clear();
  while (reader.server_.ends_with('/')) reader.server_.pop_back();
  if (!reader.server_.empty()) return reader;
  KI_TRY(reader.catalog_, context.open_catalog(access));
  catalog::Store& store = *reader.catalog_->store;
  KI_TRY(sign::TrustList trust, logbook::read_trust(store));
  std::shared_ptr<notes::Desk> desk;
  if (access != Context::Access::kRead) {
    std::random_device device;
    desk = std::make_shared<notes::Desk>(
        notes::Desk::Options{.store = &store,
                             .clock = context.environment().clock,
                             .takes = notes::Takes::kAnything,
                             .actor = actor_of(context),
                             .limits = {.per_client_a_day = 0},
                             .seed = (std::uint64_t{device()} << 32) | device(),
                             .read_trust = [&store] { return logbook::read_trust(store); }});
  }
  reader.site_ = std::make_shared<const api::Site>(
      api::Site{.catalog = std::make_shared<const views::CatalogVersion>(
                    reader.catalog_->snapshot(), *reader.catalog_->store),
                .now = context.now(),
                .public_url = context.arguments().value("url").value_or(""),
                .version = KI_VERSION,
                // Cursors need not be secret from who reads the catalog's file.
                .cursor_key = "cursors of the command line",
                .trust = std::make_shared<const sign::TrustList>(std::move(trust)),
                .desk = std::move(desk)});
  return reader;
}

Result<std::string> Reader::ask(std::string_view operation, const Values& values,
                                std::string body) {
  const api::Operation* found = api::find_operation(operation);
  KI_CHECK(found != nullptr);
  const http::Request request = api::compose(*found, values, std::move(body));
  if (server_.empty()) {
    const http::Response response = api::call(*found, *site_, request);
    if (response.problem) return fail(error_of(*response.problem));
    return std::string(response.body.bytes());
  }
  KI_TRY(HttpAnswer answer, http_exchange(server_, request, kMaxAnswer));
  if (answer.status != 200 && answer.status != 201) return fail(error_of(answer));
  return std::move(answer.body);
}

Result<json::Document> Reader::read(std::string_view operation, const Values& values,
                                    std::string body) {
  KI_TRY(const std::string text, ask(operation, values, std::move(body)));
  return json::read_document(text, {.max_bytes = kMaxAnswer});
}

namespace {

std::string_view option_of(const api::Parameter& p) { return p.option.empty() ? p.name : p.option; }

bool is_option(const api::Operation& operation, const api::Parameter& p) {
  return p.place == api::Parameter::Place::kQuery && p.name != operation.command.operand;
}

std::string_view placeholder_of(const api::Parameter& p) {
  if (!p.placeholder.empty()) return p.placeholder;
  switch (p.type) {
    case api::Parameter::Type::kInteger:
      return "N";
    case api::Parameter::Type::kFlag:
      return {};
    case api::Parameter::Type::kInstant:
      return "INSTANT";
    case api::Parameter::Type::kChoice:
      return "WHAT";
    case api::Parameter::Type::kText:
      break;
  }
  return "TEXT";
}

}  // namespace

Values values_of(const Context& context, const api::Operation& operation) {
  Values values;
  for (const api::Parameter& p : operation.parameters) {
    if (!is_option(operation, p) || p.name == "limit") continue;
    const std::string_view option = option_of(p);
    if (!context.arguments().has(option)) continue;
    values.emplace_back(p.name, p.type == api::Parameter::Type::kFlag
                                    ? "true"
                                    : context.arguments().value(option).value_or(""));
  }
  return values;
}

std::vector<Option> options_of(std::initializer_list<std::string_view> operations) {
  std::vector<Option> options;
  for (const std::string_view id : operations) {
    const api::Operation* operation = api::find_operation(id);
    KI_CHECK(operation != nullptr);
    for (const api::Parameter& p : operation->parameters) {
      if (!is_option(*operation, p)) continue;
      const std::string_view name = option_of(p);
      if (std::ranges::find(options, name, &Option::name) != options.end()) continue;
      Option option{name, placeholder_of(p), std::string(p.help)};
      if (p.type == api::Parameter::Type::kChoice) {
        option.help += ":";
        for (const std::string_view choice : p.choices) {
          option.help += fmt::format("{} {}", &choice == &p.choices.front() ? "" : ",", choice);
        }
      }
      options.push_back(std::move(option));
    }
  }
  return options;
}

std::string pretty(const json::Value& value) {
  std::string out;
  json::Writer(out, json::Writer::Style::kIndented).value(value);
  return out + "\n";
}

}  // namespace ki::cli
