#include "health.h"

#include "ki/base/clock.h"
#include "ki/json/writer.h"
#include "process.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace ki::serve {
namespace {

std::string healthz(const Health& health, const catalog::Snapshot& snapshot, Instant now,
                    const std::string& build) {
  const auto problems = health.problems();
  std::string out;
  json::Writer w(out);
  w.begin_object()
      .member("status", problems.empty() ? "ok" : "degraded")
      .member("catalogVersion", snapshot.seq())
      .member("chain", snapshot.head().chain.to_string())
      .member("runs", snapshot.runs().size())
      .member("build", build)
      .member("startedAt", health.started().to_string())
      .member("uptimeSeconds", std::max<std::int64_t>(0, (now.ms - health.started().ms) / 1000));
  w.key("problems").begin_array();
  for (const std::string& problem : problems) w.value(problem);
  w.end_array().end_object();
  return out + "\n";
}

std::string gauges(const Health& health, const catalog::Snapshot& snapshot,
                   const std::string& build) {
  std::string out;
  const auto add = [&](std::string_view name, std::string_view type, std::string_view help,
                       auto value) {
    fmt::format_to(std::back_inserter(out), "# HELP {0} {1}\n# TYPE {0} {2}\n{0} {3}\n", name, help,
                   type, value);
  };
  const ProcessFacts process = read_process_facts();
  fmt::format_to(std::back_inserter(out),
                 "# HELP ki_build_info The program.\n# TYPE ki_build_info gauge\n"
                 "ki_build_info{{version=\"{}\"}} 1\n",
                 build);
  add("ki_catalog_version", "gauge", "Sequence number of the newest entry that is served.",
      snapshot.seq());
  add("ki_catalog_runs", "gauge", "Runs in the catalog.", snapshot.runs().size());
  add("ki_catalog_editions_total", "counter", "Catalog versions and days that were taken up.",
      health.editions.load());
  add("ki_catalog_refresh_failures_total", "counter", "Looks at the catalog that failed.",
      health.refresh_failures.load());
  add("ki_catalog_refresh_seconds", "gauge", "From seeing the newest publication to serving it.",
      static_cast<double>(health.last_refresh_us.load()) / 1e6);
  add("ki_degraded", "gauge", "1 while something is wrong; see /healthz.",
      health.problems().empty() ? 0 : 1);
  add("process_resident_memory_bytes", "gauge", "Resident memory.", process.resident_bytes);
  add("process_open_fds", "gauge", "Open file descriptors.", process.open_files);
  add("process_threads", "gauge", "Threads.", process.threads);
  add("process_start_time_seconds", "gauge", "Start, since 1970.",
      static_cast<double>(health.started().ms) / 1e3);
  return out;
}

}  // namespace

void Health::report(const std::string& kind, const std::string& problem) {
  {
    const std::scoped_lock lock(mutex_);
    std::string& known = problems_[kind];
    if (known == problem) return;
    known = problem;
  }
  if (note_) note_(fmt::format("{}\n", problem));
}

void Health::clear(const std::string& kind) {
  {
    const std::scoped_lock lock(mutex_);
    if (problems_.erase(kind) == 0) return;
  }
  if (note_) note_(fmt::format("{}: fine again\n", kind));
}

std::vector<std::string> Health::problems() const {
  const std::scoped_lock lock(mutex_);
  std::vector<std::string> texts;
  texts.reserve(problems_.size());
  for (const auto& [kind, text] : problems_) texts.push_back(text);
  return texts;
}

std::vector<http::Route> health_routes(const Health& health, const http::Metrics& metrics,
                                       std::shared_ptr<const catalog::Snapshot> snapshot,
                                       const Clock& clock, std::string build) {
  std::vector<http::Route> routes;
  routes.push_back({.pattern = "/healthz",
                    .handle =
                        [&health, &clock, snapshot, build](const http::Request&) {
                          return http::Response::json(
                              healthz(health, *snapshot, clock.now(), build),
                              http::Cache::kNoStore);
                        },
                    .is_api = true});
  routes.push_back({.pattern = "/metrics",
                    .handle =
                        [&health, &metrics, snapshot = std::move(snapshot),
                         build = std::move(build)](const http::Request&) {
                          http::Response response = http::Response::text(
                              gauges(health, *snapshot, build) + metrics.prometheus());
                          response.content_type = "text/plain; version=0.0.4; charset=utf-8";
                          return response;
                        },
                    .is_api = true});
  return routes;
}

}  // namespace ki::serve
