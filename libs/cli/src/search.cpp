#include "command.h"
#include "ki/base/text.h"
#include "ki/digest/digest.h"
#include "ki/io/file.h"
#include "ki/json/reader.h"
#include "ki/query/parse.h"
#include "ki/query/request.h"
#include "ki/resolve/resolver.h"
#include "ki/views/answer_json.h"
#include "ki/views/answer_text.h"
#include "ki/yaml/reader.h"

#include <fmt/format.h>

#include <array>

namespace ki::cli {
namespace {

using resolve::Answer;
using resolve::GroupKind;

struct Engine {
  explicit Engine(std::shared_ptr<const catalog::Snapshot> current)
      : snapshot(std::move(current)), index(*snapshot), resolver(*snapshot, index) {}
  std::shared_ptr<const catalog::Snapshot> snapshot;
  resolve::SearchIndex index;
  resolve::Resolver resolver;
};

Result<std::optional<GroupKind>> parse_view(const Context& context) {
  const auto view = context.arguments().value("view");
  if (!view) return std::optional<GroupKind>();
  if (*view == "exact") return GroupKind::kExact;
  if (*view == "compatible") return GroupKind::kCompatible;
  if (*view == "reported") return GroupKind::kReported;
  if (*view == "supported") return GroupKind::kSupportedUnmeasured;
  return fail(
      Code::kInvalidArgument,
      fmt::format("--view is {}; expected exact, compatible, reported or supported", quote(*view)));
}

// limit, offset and the cohort to lead with.
Result<resolve::Request> paging(const Context& context) {
  resolve::Request request;
  request.now = context.now();
  KI_TRY(const auto limit,
         context.arguments().integer("limit", resolve::kPageSize, 1, resolve::kMaxPageSize));
  KI_TRY(const auto offset, context.arguments().integer("offset", 0, 0, 1'000'000'000));
  request.limit = static_cast<std::uint32_t>(limit);
  request.offsets.fill(static_cast<std::uint32_t>(offset));
  request.list_offset = static_cast<std::uint32_t>(offset);
  if (const auto cohort = context.arguments().value("group")) {
    KI_TRY(request.cohort, Digest::parse(*cohort));
  }
  return request;
}

void print_answer(const Context& context, const Engine& engine, const Answer& answer,
                  std::string_view query, std::optional<GroupKind> view) {
  std::string out;
  switch (context.format()) {
    case Format::kJson: {
      json::Writer w(out, json::Writer::Style::kIndented);
      views::write_answer(w, *engine.snapshot, answer,
                          {.query = query, .generated_at = context.now()});
      out += '\n';
      break;
    }
    case Format::kJsonl:
      for (const resolve::Row& row : answer.group(view.value_or(GroupKind::kExact)).rows) {
        json::Writer w(out);
        views::write_row(w, *engine.snapshot, row);
        out += '\n';
      }
      break;
    case Format::kTsv:
    case Format::kTable:
      out = views::answer_text(*engine.snapshot, answer, {.query = query, .group = view});
      break;
  }
  context.out(out);
}

bool has_exact(const Answer& answer) {
  return answer.group(GroupKind::kExact).total != 0 &&
         (answer.mode == resolve::Mode::kExact || answer.mode == resolve::Mode::kOperationOnly);
}

int exit_code_of(const Answer& answer) {
  if (answer.mode == resolve::Mode::kNothing) return kNotFound;
  if (answer.operation == catalog::kNone) return kDone;  // a list to choose from
  return has_exact(answer) ? kDone : kNothingExact;
}

// What --require asks for, beyond an answer.
Result<bool> meets(const Answer& answer, const std::optional<std::string>& requirement) {
  if (!requirement) return true;
  if (*requirement == "exact") return has_exact(answer);
  if (*requirement == "verified") return answer.best_verified.has_value();
  if (*requirement == "deployable") return answer.best_deployable.has_value();
  return fail(
      Code::kInvalidArgument,
      fmt::format("--require is {}; expected exact, verified or deployable", quote(*requirement)));
}

Result<std::string> read_request_text(const Context& context, const std::string& path) {
  if (path == "-") return context.environment().read_stdin();
  return io::read_file(path, 1 << 20);
}

// A request document: JSON when it starts as JSON, else YAML.
Result<json::Document> read_request_document(std::string_view text) {
  const std::string_view start = trim(text);
  if (start.starts_with('{') || start.starts_with('[')) return json::read_document(text);
  return yaml::read(text);
}

}  // namespace

Result<int> run_search(Context& context) {
  KI_TRY(const auto view, parse_view(context));
  KI_TRY(resolve::Request request, paging(context));
  KI_TRY(OpenCatalog catalog, context.open_catalog(Context::Access::kRead));
  const std::string query = join(context.operands(), " ");
  const query::Intent intent = query::parse_query(query);
  const Engine engine(catalog.snapshot());
  request.intent = &intent;
  request.query = query;
  const Answer answer = engine.resolver.resolve(request);
  print_answer(context, engine, answer, query, view);
  return exit_code_of(answer);
}

Result<int> run_resolve(Context& context) {
  std::vector<std::string> operands = context.operands();
  if (!operands.empty() && operands.front() == "kernel") operands.erase(operands.begin());
  if (!operands.empty() && operands.front() == "serving") {
    return fail(Code::kUnsupported,
                "resolving serving results is not part of this version; serving runs are stored "
                "and exported");
  }
  const auto manifest = context.arguments().value("manifest");
  if (manifest && !operands.empty()) return context.usage("give either QUERY or --manifest FILE");
  if (!manifest && operands.empty())
    return context.usage("what should be resolved? Give QUERY or --manifest FILE");
  KI_TRY(const auto view, parse_view(context));
  KI_TRY(const resolve::Request page, paging(context));
  const auto requirement = context.arguments().value("require");
  std::optional<int> max_age_days;
  if (const auto age = context.arguments().value("max-age")) {
    KI_TRY(max_age_days, parse_days(*age));
  }

  std::vector<query::Intent> intents;
  const std::string query = join(operands, " ");
  bool is_batch = false;
  if (manifest) {
    KI_TRY(const std::string text, read_request_text(context, *manifest));
    KI_TRY(const json::Document document, read_request_document(text));
    is_batch = document.root.find("requests") != nullptr;
    if (is_batch) {
      KI_TRY(std::vector<Result<query::Intent>> batch, query::parse_batch(document.root));
      std::vector<ki::Issue> issues;
      for (Result<query::Intent>& intent : batch) {
        if (!intent)
          issues.insert(issues.end(), intent.error().issues().begin(),
                        intent.error().issues().end());
        else
          intents.push_back(*std::move(intent));
      }
      if (!issues.empty())
        return fail(Error(Code::kInvalidArgument, "the batch is not accepted", std::move(issues)));
    } else {
      KI_TRY(query::Intent intent, query::parse_request(document.root));
      intents.push_back(std::move(intent));
    }
  } else {
    intents.push_back(query::parse_query(query));
    // A structured command refuses what a search box may doubt.
    if (intents.front().has_refusals()) {
      std::vector<ki::Issue> issues;
      for (const query::Issue& issue : intents.front().issues) {
        if (issue.severity == query::Severity::kRefused) issues.push_back(issue.to_issue());
      }
      return fail(
          Error(Code::kInvalidArgument, "the request is not understood", std::move(issues)));
    }
  }

  KI_TRY(OpenCatalog catalog, context.open_catalog(Context::Access::kRead));
  const Engine engine(catalog.snapshot());
  int worst = kDone;
  std::string batch_json;
  for (std::size_t i = 0; i < intents.size(); ++i) {
    query::Intent& intent = intents[i];
    if (max_age_days) intent.max_age_days = max_age_days;
    resolve::Request request = page;
    request.intent = &intent;
    request.query = query;
    if (intent.limit && !context.arguments().has("limit"))
      request.limit = static_cast<std::uint32_t>(*intent.limit);
    const Answer answer = engine.resolver.resolve(request);
    KI_TRY(const bool is_met, meets(answer, requirement));
    const int code = is_met ? exit_code_of(answer) : kNothingExact;
    worst = std::max(worst, code);
    if (is_batch && context.is_json()) {
      json::Writer w(batch_json);
      views::write_answer(w, *engine.snapshot, answer,
                          {.query = query, .generated_at = context.now()});
      batch_json += i + 1 < intents.size() ? "," : "";
      continue;
    }
    if (i != 0 && context.format() == Format::kTable) context.out("\n");
    print_answer(context, engine, answer, query, view);
  }
  if (is_batch && context.is_json()) {
    context.out(fmt::format("{{\"results\":[{}],\"generatedAt\":\"{}\"}}\n", batch_json,
                            context.now().to_string()));
  }
  return worst;
}

}  // namespace ki::cli
