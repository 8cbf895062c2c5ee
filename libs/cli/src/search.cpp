// `ki search` and `ki resolve`.
#include "answer_text.h"
#include "document.h"
#include "ki/base/text.h"
#include "ki/io/file.h"
#include "ki/json/writer.h"
#include "ki/yaml/reader.h"
#include "reader.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::cli {
namespace {

using json::Value;

// Null: the first group with rows.
Result<const AnswerGroup*> parse_view(const Context& context) {
  const auto view = context.arguments().value("view");
  if (!view) return nullptr;
  if (const AnswerGroup* group = find_answer_group(*view)) return group;
  return fail(
      Code::kInvalidArgument,
      fmt::format("--view is {}; expected exact, compatible, reported or supported", quote(*view)));
}

void print_answer(const Context& context, const Value& answer, const AnswerGroup* group) {
  const AnswerGroup& rows = group == nullptr ? *find_answer_group("exact") : *group;
  switch (context.format()) {
    case Format::kJson:
      context.out(pretty(answer));
      break;
    case Format::kJsonl: {
      std::string out;
      for (const Value& row : items_at(answer, fmt::format("groups.{}", rows.member))) {
        json::Writer(out).value(row);
        out += '\n';
      }
      context.out(out);
      break;
    }
    case Format::kTsv:
      context.out(answer_tsv(answer, rows, !context.arguments().has("quiet")));
      break;
    case Format::kTable:
      context.out(answer_text(answer, group));
      break;
  }
}

bool has_exact(const Value& answer) {
  const auto mode = text_at(answer, "mode");
  return count_at(answer, "totals.exact") != 0 && (mode == "exact" || mode == "operation_only");
}

int exit_code_of(const Value& answer) {
  if (text_at(answer, "mode") == "none") return kNotFound;
  if (at(answer, "operation") == nullptr) return kDone;  // a list to choose from
  return has_exact(answer) ? kDone : kNothingExact;
}

// What --require asks for, beyond an answer.
Result<bool> meets(const Value& answer, const std::optional<std::string>& requirement) {
  if (!requirement) return true;
  if (*requirement == "exact") return has_exact(answer);
  if (*requirement == "verified") return at(answer, "bestVerified") != nullptr;
  if (*requirement == "deployable") return at(answer, "bestDeployable") != nullptr;
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

// What the options of the command add to each request.
struct Additions {
  std::optional<int> max_age_days;
  std::optional<std::string> limit;
  std::optional<std::string> cursor;
};

void write_policy(json::Writer& w, const Value* policy, int max_age_days) {
  w.key("policy").begin_object();
  if (policy != nullptr && policy->is_object()) {
    for (const json::Member& member : policy->members()) {
      if (member.key != "maxAgeDays") w.key(member.key).value(member.value);
    }
  }
  w.member("maxAgeDays", max_age_days).end_object();
}

// Anything but an object is sent as it is, for the API to refuse.
void write_request(json::Writer& w, const Value& request, const Additions& add) {
  if (!request.is_object()) {
    w.value(request);
    return;
  }
  w.begin_object();
  for (const json::Member& member : request.members()) {
    const bool is_replaced = (member.key == "policy" && add.max_age_days) ||
                             (member.key == "limit" && add.limit) ||
                             (member.key == "cursor" && add.cursor);
    if (!is_replaced) w.key(member.key).value(member.value);
  }
  if (add.max_age_days) write_policy(w, request.find("policy"), *add.max_age_days);
  if (add.limit) w.key("limit").raw(*add.limit);
  if (add.cursor) w.member("cursor", *add.cursor);
  w.end_object();
}

std::string body_of(const Value& document, const Additions& add) {
  std::string body;
  json::Writer w(body);
  const Value* requests = document.find("requests");
  if (requests == nullptr || !requests->is_array()) {
    write_request(w, document, add);
    return body;
  }
  w.begin_object();
  for (const json::Member& member : document.members()) {
    w.key(member.key);
    if (member.key != "requests") {
      w.value(member.value);
      continue;
    }
    w.begin_array();
    for (const Value& request : requests->items()) write_request(w, request, add);
    w.end_array();
  }
  w.end_object();
  return body;
}

Result<Additions> additions_of(const Context& context) {
  Additions add;
  if (const auto age = context.arguments().value("max-age")) {
    KI_TRY(add.max_age_days, parse_days(*age));
  }
  if (context.arguments().has("limit")) {
    KI_TRY(const auto limit, context.arguments().integer("limit", 1, 1, 200));
    add.limit = std::to_string(limit);
  }
  add.cursor = context.arguments().value("cursor");
  return add;
}

}  // namespace

Result<int> run_search(Context& context) {
  KI_TRY(const AnswerGroup* group, parse_view(context));
  const api::Operation& operation = *api::find_operation("search");
  Values values = values_of(context, operation);
  values.emplace_back("q", join(context.operands(), " "));
  if (context.arguments().has("limit")) {
    KI_TRY(const auto limit, context.arguments().integer("limit", 50, 1, 200));
    values.emplace_back("limit", std::to_string(limit));
  }
  KI_TRY(Reader reader, Reader::open(context));
  KI_TRY(const json::Document answer, reader.read(operation.id, values));
  print_answer(context, answer.root, group);
  return exit_code_of(answer.root);
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
  if (!manifest && operands.empty()) {
    return context.usage("what should be resolved? Give QUERY or --manifest FILE");
  }
  KI_TRY(const AnswerGroup* group, parse_view(context));
  const auto requirement = context.arguments().value("require");
  KI_TRY(const Additions add, additions_of(context));
  std::string text;
  if (manifest) {
    KI_TRY(text, read_request_text(context, *manifest));
  } else {
    json::Writer w(text);
    w.begin_object().member("query", join(operands, " ")).end_object();
  }
  KI_TRY(const json::Document request, read_request_document(text));
  const bool is_batch = request.root.find("requests") != nullptr;
  KI_TRY(Reader reader, Reader::open(context));
  KI_TRY(const json::Document document,
         reader.read(is_batch ? "resolveKernelBatch" : "resolveKernel", {},
                     body_of(request.root, add)));
  const std::span<const Value> answers =
      is_batch ? items_at(document.root, "results") : std::span(&document.root, 1);
  int worst = kDone;
  for (const Value& answer : answers) {
    KI_TRY(const bool is_met, meets(answer, requirement));
    worst = std::max(worst, is_met ? exit_code_of(answer) : kNothingExact);
    if (is_batch && context.is_json()) continue;
    if (&answer != &answers.front() && context.format() == Format::kTable) context.out("\n");
    print_answer(context, answer, group);
  }
  if (is_batch && context.is_json()) context.out(pretty(document.root));
  return worst;
}

}  // namespace ki::cli
