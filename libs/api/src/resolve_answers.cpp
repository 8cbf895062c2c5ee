// search, resolveKernel, resolveKernelBatch, compareRuns.
#include "answers.h"
#include "ki/query/parse.h"
#include "ki/query/request.h"
#include "ki/resolve/compare.h"
#include "ki/views/answer_json.h"
#include "ki/views/comparison.h"
#include "ki/views/find.h"
#include "ki/views/parts.h"

#include <algorithm>

namespace ki::api {
namespace {

// Reused from request to request by each thread.
struct Working {
  resolve::Scratch scratch;
  resolve::Answer answer;
};
Working& working() {
  thread_local Working kept;
  return kept;
}

// Whether some list of the answer goes on behind its page.
bool has_more(const resolve::Answer& answer) {
  if (std::ranges::any_of(answer.groups,
                          [](const resolve::Group& group) { return group.overflow() != 0; })) {
    return true;
  }
  return answer.chooser &&
         answer.chooser->offset + answer.chooser->rows.size() < answer.chooser->total;
}

struct Question {
  const query::Intent& intent;
  std::string_view query;  // as typed; empty: structured
  std::optional<Digest> cohort{};
  std::size_t offset = 0;
  std::size_t limit = resolve::kPageSize;
};

// The answer stays valid until the thread's next question.
const resolve::Answer& ask(const Site& site, const Question& question) {
  resolve::Request request;
  request.intent = &question.intent;
  request.query = question.query;
  request.cohort = question.cohort;
  request.now = site.now;
  request.limit = static_cast<std::uint32_t>(question.limit);
  request.offsets.fill(static_cast<std::uint32_t>(question.offset));
  request.list_offset = static_cast<std::uint32_t>(question.offset);
  auto& [scratch, answer] = working();
  site.catalog->resolver().resolve(request, scratch, answer);
  return answer;
}

// What an exact request, at the pointer `request` of the body, holds that means nothing for the
// operation found (spec 06: refused).
std::vector<Issue> refusals(const resolve::Answer& answer, std::string_view request) {
  std::vector<Issue> refused;
  for (const query::Issue& issue : answer.issues) {
    const bool is_odd_word = issue.code == "UNKNOWN_WORD" && answer.operation != catalog::kNone;
    if (issue.severity != query::Severity::kRefused && !is_odd_word) continue;
    refused.push_back(issue.to_issue());
    if (refused.back().pointer.empty()) refused.back().pointer = std::string(request) + "/query";
  }
  return refused;
}

void write_answer(json::Writer& w, const Site& site, const Arguments& arguments,
                  const Question& question, const resolve::Answer& answer) {
  const std::string next =
      has_more(answer)
          ? write_cursor(site, arguments,
                         {.version = site.snapshot().seq(),
                          .number = static_cast<std::int64_t>(question.offset + question.limit)})
          : std::string();
  views::write_answer(w, site.snapshot(), answer,
                      {.query = question.query,
                       .generated_at = site.now,
                       .next_cursor = next,
                       .include = question.intent.include});
}

// The text that a structured request was typed as.
std::string_view query_text(const json::Value& request) {
  const json::Value* text = request.find("query");
  return text != nullptr && text->is_string() ? text->string() : std::string_view();
}

std::size_t request_limit(const query::Intent& intent) {
  return static_cast<std::size_t>(intent.limit.value_or(static_cast<int>(resolve::kPageSize)));
}

}  // namespace

Result<http::Response> search(const Site& site, const Arguments& arguments) {
  KI_API_PAGE(offset, site, arguments);
  std::optional<Digest> cohort;
  if (const std::string_view key = arguments.text("cohort"); !key.empty()) {
    KI_TRY(cohort, Digest::parse(key));
  }
  const std::string_view text = arguments.text("q");
  const query::Intent intent = query::parse_query(text);
  const Question question{.intent = intent,
                          .query = text,
                          .cohort = cohort,
                          .offset = offset,
                          .limit = limit_of(arguments)};
  const resolve::Answer& answer = ask(site, question);
  return json_answer(arguments,
                     [&](json::Writer& w) { write_answer(w, site, arguments, question, answer); });
}

Result<http::Response> resolve_kernel(const Site& site, const Arguments& arguments) {
  const json::Value& body = *arguments.body();
  KI_TRY(const query::Intent intent, query::parse_request(body));
  const auto offset = offset_of(site, arguments, intent.cursor.value_or(""));
  if (!offset) return http::Response::of(offset.error());
  const Question question{.intent = intent,
                          .query = query_text(body),
                          .offset = *offset,
                          .limit = request_limit(intent)};
  const resolve::Answer& answer = ask(site, question);
  if (auto refused = refusals(answer, ""); !refused.empty()) {
    return fail(Error(Code::kInvalidArgument, "the request is not understood", std::move(refused)));
  }
  return json_answer(arguments,
                     [&](json::Writer& w) { write_answer(w, site, arguments, question, answer); });
}

Result<http::Response> resolve_batch(const Site& site, const Arguments& arguments) {
  const json::Value& body = *arguments.body();
  KI_TRY(const auto requests, query::parse_batch(body));
  std::vector<Issue> issues;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (!requests[i]) {
      const auto& found = requests[i].error().issues();
      issues.insert(issues.end(), found.begin(), found.end());
    } else if (requests[i]->cursor) {
      issues.push_back({.code = "UNKNOWN_MEMBER",
                        .pointer = "/requests/" + std::to_string(i) + "/cursor",
                        .message = "the requests of a batch have no further pages",
                        .fix = {}});
    }
  }
  http::Response response = json_answer(arguments, [&](json::Writer& w) {
    w.begin_object().key("results").begin_array();
    const auto items = body.find("requests")->items();
    for (std::size_t i = 0; i < requests.size() && issues.empty(); ++i) {
      const query::Intent& intent = *requests[i];
      const Question question{
          .intent = intent, .query = query_text(items[i]), .limit = request_limit(intent)};
      const resolve::Answer& answer = ask(site, question);
      issues = refusals(answer, "/requests/" + std::to_string(i));
      write_answer(w, site, arguments, question, answer);
    }
    w.end_array().member("generatedAt", site.now.to_string()).end_object();
  });
  if (!issues.empty()) {
    return fail(Error(Code::kInvalidArgument, "the batch is not understood", std::move(issues)));
  }
  return response;
}

Result<http::Response> compare_runs(const Site& site, const Arguments& arguments) {
  const auto refuse = [](std::string pointer, std::string message) {
    Issue issue{.code = "BAD_VALUE", .pointer = std::move(pointer), .message = message, .fix = {}};
    return fail(Error(Code::kInvalidArgument, std::move(message), {std::move(issue)}));
  };
  const json::Value& body = *arguments.body();
  if (!body.is_object()) return refuse("", "expected an object");
  for (const json::Member& member : body.members()) {
    if (member.key != "runs") return refuse("", "an unknown member; only 'runs' is known");
  }
  const json::Value* runs = body.find("runs");
  if (runs == nullptr || !runs->is_array() || runs->items().size() < 2 ||
      runs->items().size() > resolve::kMaxCompared) {
    return refuse("/runs", "expected 2 to 8 ids or digests of runs");
  }
  std::vector<std::string> ids;
  for (const json::Value& id : runs->items()) {
    const std::string pointer = "/runs/" + std::to_string(ids.size());
    if (!id.is_string() || id.string().size() > 200) {
      return refuse(pointer, "expected the id or digest of a run");
    }
    // A short id names its run; one that names none is reported with the others that are missing.
    const auto run = views::find_run(site.snapshot(), id.string());
    if (!run && run.error().code() != Code::kNotFound)
      return refuse(pointer, run.error().message());
    ids.push_back(run ? views::id_text(site.snapshot().runs()[*run].id) : std::string(id.string()));
  }
  const std::vector<std::string_view> wanted(ids.begin(), ids.end());
  const resolve::Comparison comparison = resolve::compare(site.snapshot(), wanted);
  return json_answer(arguments,
                     [&](json::Writer& w) { views::write_json(w, site.snapshot(), comparison); });
}

}  // namespace ki::api
