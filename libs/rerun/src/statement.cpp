#include "ki/rerun/statement.h"

#include "ki/base/text.h"
#include "ki/json/reader.h"
#include "ki/json/writer.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::rerun {
namespace {

// Reads members by name, counting them: what is left over is unknown.
class Members {
 public:
  Members(const json::Value& object, std::string where)
      : object_(object), where_(std::move(where)) {}

  Result<const json::Value*> take(std::string_view name) {
    const json::Value* value = object_.find(name);
    if (value == nullptr) return wrong(name, "is missing");
    ++taken_;
    return value;
  }
  Result<std::string> text(std::string_view name) {
    KI_TRY(const json::Value* value, take(name));
    if (!value->is_string() || value->string().empty()) return wrong(name, "is not a text");
    return std::string(value->string());
  }
  Result<Digest> digest(std::string_view name) {
    KI_TRY(const std::string text, this->text(name));
    const auto parsed = Digest::parse(text);
    if (!parsed) return wrong(name, "is not a digest sha256:...");
    return *parsed;
  }
  Result<Instant> instant(std::string_view name) {
    KI_TRY(const std::string text, this->text(name));
    const auto parsed = parse_instant(text);
    if (!parsed) return wrong(name, "is not an instant");
    return parsed->instant;
  }
  Result<void> finish() const {
    if (taken_ == object_.members().size()) return {};
    return fail(Code::kInvalidArgument,
                fmt::format("{} has members that controlled-rerun/v1 does not know", where_));
  }
  std::unexpected<Error> wrong(std::string_view name, std::string_view what) const {
    return fail(Code::kInvalidArgument, fmt::format("{}/{} {}", where_, name, what));
  }

 private:
  const json::Value& object_;
  std::string where_;
  std::size_t taken_ = 0;
};

bool is_machine(std::string_view text) {
  return text == kUnknownMachine || (text.size() == 64 && std::ranges::all_of(text, [](char c) {
                                       return is_ascii_digit(c) || (c >= 'a' && c <= 'f');
                                     }));
}

}  // namespace

sign::Statement ControlledRerun::to_statement() const {
  std::string predicate;
  json::Writer w(predicate);
  w.begin_object().member("environment", environment.to_string()).key("evidence").begin_array();
  for (const Digest& record : evidence) w.value(record.to_string());
  w.end_array().member("finishedOn", finished.to_string());
  w.member("implementation", implementation.to_string()).key("job");
  if (job) {
    w.value(job->to_string());
  } else {
    w.null();
  }
  w.member("keyCommitment", key_commitment.to_string()).member("protocol", protocol.to_string());
  w.key("runner").begin_object().member("hostClass", runner.host_class);
  w.member("machine", runner.machine).member("owner", runner.owner);
  w.member("version", runner.version).end_object();
  w.member("startedOn", started.to_string()).member("workload", workload.to_string());
  w.end_object();
  return {.subjects = {{"run", run}},
          .predicate_type = std::string(kPredicateType),
          .predicate = std::move(predicate)};
}

Result<ControlledRerun> ControlledRerun::read(const sign::Statement& statement) {
  if (statement.predicate_type != kPredicateType) {
    return fail(Code::kInvalidArgument, fmt::format("the statement is a {}, not a {}",
                                                    statement.predicate_type, kPredicateType));
  }
  if (statement.subjects.size() != 1 || statement.subjects.front().name != "run") {
    return fail(Code::kInvalidArgument, "the statement is not about exactly one run");
  }
  KI_TRY(const json::Document document, json::read_document(statement.predicate));
  Members m(document.root, "/predicate");
  ControlledRerun out;
  out.run = statement.subjects.front().digest;
  KI_TRY(out.environment, m.digest("environment"));
  KI_TRY(const json::Value* evidence, m.take("evidence"));
  if (!evidence->is_array() || evidence->items().empty())
    return m.wrong("evidence", "names no record");
  for (const json::Value& record : evidence->items()) {
    const auto digest =
        record.is_string() ? Digest::parse(record.string()) : Result<Digest>(m.wrong("", ""));
    if (!digest) return m.wrong("evidence", "holds something that is not a digest");
    out.evidence.push_back(*digest);
  }
  KI_TRY(out.finished, m.instant("finishedOn"));
  KI_TRY(out.implementation, m.digest("implementation"));
  KI_TRY(const json::Value* job, m.take("job"));
  if (!job->is_null()) {
    const auto digest = job->is_string() ? Digest::parse(job->string()) : m.wrong("job", "");
    if (!digest) return m.wrong("job", "is neither null nor a digest");
    out.job = *digest;
  }
  KI_TRY(out.key_commitment, m.digest("keyCommitment"));
  KI_TRY(out.protocol, m.digest("protocol"));
  KI_TRY(const json::Value* runner, m.take("runner"));
  if (!runner->is_object()) return m.wrong("runner", "is not an object");
  Members r(*runner, "/predicate/runner");
  KI_TRY(out.runner.host_class, r.text("hostClass"));
  KI_TRY(out.runner.machine, r.text("machine"));
  if (!is_machine(out.runner.machine))
    return r.wrong("machine", "is neither 64 hex digits nor \"unknown\"");
  KI_TRY(out.runner.owner, r.text("owner"));
  KI_TRY(out.runner.version, r.text("version"));
  KI_TRY_VOID(r.finish());
  KI_TRY(out.started, m.instant("startedOn"));
  KI_TRY(out.workload, m.digest("workload"));
  KI_TRY_VOID(m.finish());
  if (out.finished < out.started) return m.wrong("finishedOn", "lies before startedOn");
  return out;
}

sign::Envelope sign_rerun(const ControlledRerun& rerun, const sign::PrivateKey& key) {
  return sign::sign_envelope(std::string(sign::kInTotoType), rerun.to_statement().to_json(), key);
}

}  // namespace ki::rerun
