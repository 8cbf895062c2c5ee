#include "ki/queue/job.h"

#include "ki/base/text.h"
#include "ki/json/canonical.h"
#include "ki/json/reader.h"
#include "ki/json/writer.h"
#include "members.h"

#include <algorithm>

namespace ki::queue {
namespace {

constexpr std::string_view kApiVersion = "kernelindex.dev/v1alpha1";

bool is_hex(std::string_view text, std::size_t size) {
  return text.size() == size && std::ranges::all_of(text, [](char c) {
           return is_ascii_digit(c) || (c >= 'a' && c <= 'f');
         });
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 200 && std::ranges::all_of(text, [](char c) {
    return is_ascii_alnum(c) || c == '_' || c == '-' || c == '.';
  });
}

}  // namespace

std::string Job::to_json() const {
  std::string out;
  json::Writer w(out);
  w.begin_object().member("apiVersion", kApiVersion).key("cases").begin_array();
  for (const std::string& one : cases) w.value(one);
  w.end_array().member("created", created.to_string());
  w.member("definition", definition.to_string()).member("expires", expires.to_string());
  w.member("id", id.to_string()).key("implementation");
  if (implementation) {
    w.value(implementation->to_string());
  } else {
    w.null();
  }
  w.member("kind", "Job").key("limits").begin_object();
  w.member("attempts", limits.attempts).member("seconds", limits.seconds).end_object();
  w.member("location", location).member("nonce", nonce).member("origin", origin);
  // What every cell gets; a job cannot ask for more.
  w.key("policy").begin_object().member("files", "read_only").member("network", "none");
  w.end_object().member("problem", problem).key("protocol").begin_object();
  w.member("name", protocol).member("processes", processes).member("quick", is_quick);
  w.member("threads", threads).end_object().key("runner").begin_object();
  w.member("fullIsolation", runner.needs_full_isolation).member("hostClass", runner.host_class);
  w.end_object().member("solution", solution.to_string());
  w.member("workloads", workloads.to_string()).end_object();
  return out;
}

Result<Job> Job::read(std::string_view text) {
  KI_TRY(const json::Document document, json::read_document(text));
  if (json::canonical(document.root) != text)
    return fail(Code::kInvalidArgument, "the job is not in canonical spelling");
  KI_TRY(Members m, Members::of(document.root, "job"));
  Job out;
  KI_TRY(const std::string version, m.text("apiVersion"));
  if (version != kApiVersion) return m.wrong("apiVersion", "is not one that this program knows");
  KI_TRY(const std::string kind, m.text("kind"));
  if (kind != "Job") return m.wrong("kind", "is not Job");
  KI_TRY(const json::Value* cases, m.array("cases"));
  for (const json::Value& one : cases->items()) {
    if (!one.is_string() || one.string().empty())
      return m.wrong("cases", "holds something that is not a case's id");
    out.cases.emplace_back(one.string());
  }
  auto sorted = out.cases;
  std::ranges::sort(sorted);
  if (sorted.empty() || sorted.size() > 10'000 ||
      std::ranges::adjacent_find(sorted) != sorted.end())
    return m.wrong("cases", "is not a list of one or more different cases");
  KI_TRY(out.created, m.instant("created"));
  KI_TRY(out.expires, m.instant("expires"));
  if (out.expires <= out.created) return m.wrong("expires", "is not after created");
  KI_TRY(out.definition, m.digest("definition"));
  KI_TRY(out.id, m.uuid("id"));
  KI_TRY(out.implementation, m.optional_digest("implementation"));
  KI_TRY(Members limits, m.object("limits"));
  KI_TRY(out.limits.attempts, limits.integer("attempts", 1, 1000));
  KI_TRY(out.limits.seconds, limits.integer("seconds", 1, 86'400));
  KI_TRY_VOID(limits.finish());
  KI_TRY(out.location, m.text("location"));
  KI_TRY(out.nonce, m.text("nonce"));
  if (!is_hex(out.nonce, 32)) return m.wrong("nonce", "is not 32 hexadecimal digits");
  KI_TRY(out.origin, m.text("origin"));
  KI_TRY(Members policy, m.object("policy"));
  KI_TRY(const std::string files, policy.text("files"));
  KI_TRY(const std::string network, policy.text("network"));
  if (files != "read_only" || network != "none")
    return m.wrong("policy", "asks for more than read-only files and no network");
  KI_TRY_VOID(policy.finish());
  KI_TRY(out.problem, m.text("problem"));
  if (!is_name(out.problem)) return m.wrong("problem", "is not a name");
  KI_TRY(Members protocol, m.object("protocol"));
  KI_TRY(out.protocol, protocol.text("name"));
  if (out.protocol != "ki_cold_v1" && out.protocol != "ki_hot_v1")
    return protocol.wrong("name", "is neither ki_cold_v1 nor ki_hot_v1");
  KI_TRY(out.processes, protocol.integer("processes", 1, 100));
  KI_TRY(out.is_quick, protocol.boolean("quick"));
  KI_TRY(out.threads, protocol.integer("threads", 1, 1024));
  KI_TRY_VOID(protocol.finish());
  KI_TRY(Members runner, m.object("runner"));
  KI_TRY(out.runner.needs_full_isolation, runner.boolean("fullIsolation"));
  KI_TRY(out.runner.host_class, runner.text("hostClass"));
  constexpr std::string_view kClasses[] = {"any", "vm", "bare", "bare_locked"};
  if (std::ranges::find(kClasses, out.runner.host_class) == std::end(kClasses))
    return runner.wrong("hostClass", "is not any, vm, bare or bare_locked");
  KI_TRY_VOID(runner.finish());
  KI_TRY(out.solution, m.digest("solution"));
  KI_TRY(out.workloads, m.digest("workloads"));
  KI_TRY_VOID(m.finish());
  return out;
}

Digest Job::digest() const { return Digest::of(to_json()); }

sign::Envelope sign_job(const Job& job, const sign::PrivateKey& key) {
  return sign::sign_envelope(std::string(kJobType), job.to_json(), key);
}

Result<Job> read_job(const sign::Envelope& envelope) {
  if (envelope.payload_type != kJobType) {
    return fail(Code::kInvalidArgument,
                "the envelope holds " + quote(envelope.payload_type) + ", not a job");
  }
  return Job::read(envelope.payload);
}

Result<Job> admit(const sign::Envelope& envelope, std::span<const sign::PublicKey> trusted) {
  KI_TRY(Job job, read_job(envelope));
  if (!sign::is_signed_by(envelope, trusted, 1))
    return fail(Code::kConflict, "no key that this catalog trusts for runners signed the job");
  return job;
}

}  // namespace ki::queue
