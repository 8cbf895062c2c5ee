// What an answer of the API costs without the transport: processor time of one thread and bytes,
// over distinct requests on the public catalog beside the checkout.
//
//   bench_api [--requests N]
#include "ki/api/routes.h"
#include "ki/views/parts.h"
#include "ki/views_testing/public_catalog.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace ki::api {
namespace {

double processor_micros() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) / 1e3;
}

// Requests that differ: an operation, a GPU it was or was not measured on, a page size.
std::vector<std::string> queries(const catalog::Snapshot& s, std::size_t count) {
  std::vector<std::string> texts;
  const char* const gpus[] = {"", " gpu:B200", " gpu:H100", " gpu:MI300X", " gpu:A100"};
  for (std::size_t i = 0; texts.size() < count; ++i) {
    const auto& op = s.operations()[i % s.operations().size()];
    texts.push_back(fmt::format("op:{}{}{}", s.text(op.slug), gpus[i / 449 % 5],
                                i / 2245 == 0 ? "" : fmt::format(" m={}", i)));
  }
  return texts;
}

void measure(const Site& site, std::string_view what, const std::vector<http::Request>& requests,
             const Operation& operation) {
  std::vector<double> times;
  std::size_t bytes = 0;
  const double start = processor_micros();
  for (const http::Request& request : requests) {
    const double before = processor_micros();
    const http::Response response = call(operation, site, request);
    times.push_back(processor_micros() - before);
    bytes += response.body.size();
    if (response.status != 200) fmt::print("status {} of {}\n", response.status, what);
  }
  const double total = processor_micros() - start;
  std::ranges::sort(times);
  const auto n = static_cast<double>(requests.size());
  fmt::print("{:<34} {:>8.1f} us mean {:>8.1f} p50 {:>8.1f} p99 {:>9.0f} bytes {:>8.0f}/s a core\n",
             what, total / n, times[times.size() / 2], times[times.size() * 99 / 100],
             static_cast<double>(bytes) / n, n / total * 1e6);
}

int run(std::size_t count) {
  const auto* world = views::testing::public_catalog();
  if (world == nullptr) {
    fmt::print("skipped: ../shared is absent\n");
    return 0;
  }
  const Site site{
      .catalog = std::make_shared<const views::CatalogVersion>(world->snapshot, *world->store),
      .now = Instant{1'788'000'000'000},
      .public_url = "https://index.example",
      .version = "bench",
      .cursor_key = "bench"};
  site.catalog->prepare();
  const catalog::Snapshot& s = site.snapshot();
  const auto texts = queries(s, count);
  const Operation& search = *find_operation("search");
  const Operation& resolve = *find_operation("resolveKernel");
  for (const char* limit : {"50", "20", "10"}) {
    std::vector<http::Request> searches;
    std::vector<http::Request> resolves;
    for (const std::string& text : texts) {
      searches.push_back(compose(search, {{"q", text}, {"limit", limit}}, ""));
      resolves.push_back(
          compose(resolve, {}, fmt::format(R"({{"query":"{}","limit":{}}})", text, limit)));
    }
    measure(site, fmt::format("search, {} rows a group", limit), searches, search);
    measure(site, fmt::format("resolve, {} rows a group", limit), resolves, resolve);
  }
  const Operation& run = *find_operation("getRun");
  std::vector<http::Request> runs;
  for (std::size_t i = 0; i < std::min(count, s.runs().size()); ++i) {
    runs.push_back(compose(run, {{"run", views::id_text(s.runs()[i].id)}}, ""));
  }
  measure(site, "run dossier", runs, run);
  return 0;
}

}  // namespace
}  // namespace ki::api

int main(int argc, char** argv) {
  std::size_t count = 5000;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view value = argv[i + 1];
    if (std::string_view(argv[i]) != "--requests" ||
        std::from_chars(value.data(), value.data() + value.size(), count).ec != std::errc{}) {
      std::fprintf(stderr, "usage: bench_api [--requests N]\n");
      return 2;
    }
  }
  return ki::api::run(count);
}
