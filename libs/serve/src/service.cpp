#include "ki/serve/service.h"

#include "health.h"
#include "ki/base/check.h"
#include "ki/catalog/live.h"
#include "ki/store_sqlite/sqlite_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace ki::serve {
namespace {

struct OpenStore {
  std::unique_ptr<store_sqlite::SqliteStore> store;
  bool is_read_only = false;
};

// Writable when that works; a catalog that another process holds, or that lies on a full disk, is
// still read.
Result<OpenStore> open_store(const Options& options, Health& health) {
  if (!options.is_read_only) {
    auto store = store_sqlite::SqliteStore::open(options.catalog);
    if (store) return OpenStore{*std::move(store), false};
    if (store.error().code() != Code::kUnavailable) return fail(std::move(store).error());
    auto readable = store_sqlite::SqliteStore::open(options.catalog, {.read_only = true});
    if (!readable) return fail(std::move(store).error());
    health.report("writing", fmt::format("the catalog is served without writes: {}",
                                         store.error().to_string()));
    return OpenStore{*std::move(readable), true};
  }
  KI_TRY(auto store, store_sqlite::SqliteStore::open(options.catalog, {.read_only = true}));
  return OpenStore{std::move(store), true};
}

// A damaged snapshot file is replaced without a word by LiveCatalog; the operator should know.
void check_snapshot_file(const Options& options, const catalog::Store& store, Health& health) {
  std::error_code ec;
  if (!std::filesystem::exists(options.snapshot_file, ec)) return;
  const auto snapshot = catalog::open_snapshot(options.snapshot_file, store.catalog_id());
  if (!snapshot && snapshot.error().code() == Code::kCorrupt) {
    health.report("snapshot", fmt::format("{}; the catalog is read from its store instead",
                                          snapshot.error().to_string()));
  }
}

}  // namespace

struct Service::State {
  explicit State(Options of)
      : options(std::move(of)), health(options.http.clock->now(), options.note) {
    options.http.metrics = &metrics;
    options.http.error_log = options.note;
  }
  ~State() { stop(std::chrono::milliseconds(0)); }

  // The edition of the catalog's current snapshot.
  Result<std::shared_ptr<const http::Edition>> make_edition() {
    const auto snapshot = live->current();
    Instant now = options.http.clock->now();
    if (snapshot->seq() > 0) {
      KI_TRY(const auto commits, store->commits(snapshot->seq() - 1));
      const auto last = std::ranges::find(commits, snapshot->seq(), &catalog::Commit::last);
      if (last != commits.end() && last->at > now) {
        health.report("clock", fmt::format("the clock says {}, before the newest publication ({}); "
                                           "ages are counted from the publication",
                                           now.to_string(), last->at.to_string()));
        now = last->at;
      } else {
        health.clear("clock");
      }
    }
    const Basis basis{.snapshot = snapshot,
                      .store = store.get(),
                      .now = now,
                      .public_url = options.http.origin,
                      .build = options.build,
                      .is_read_only = is_read_only};
    auto routes = health_routes(health, metrics, snapshot, *options.http.clock, options.build);
    http::ProblemPage problem_page;
    for (const Mount& mount : options.mounts) {
      Part part = mount(basis);
      routes.insert(routes.end(), std::make_move_iterator(part.routes.begin()),
                    std::make_move_iterator(part.routes.end()));
      KI_CHECK(problem_page == nullptr || part.problem_page == nullptr);
      if (part.problem_page) problem_page = std::move(part.problem_page);
    }
    // The chain value tells catalogs apart that have the same number of entries.
    std::string version =
        fmt::format("{}.{}-{}-{}", snapshot->seq(), snapshot->head().chain.hex().substr(0, 8),
                    options.build, now.date());
    ++health.editions;
    served_version = snapshot->seq();
    day = options.http.clock->now().date();
    return std::make_shared<const http::Edition>(
        http::Edition{.version = std::move(version),
                      .router = http::Router(std::move(routes)),
                      .problem_page = std::move(problem_page)});
  }

  // One look at the catalog file: takes up what was published and the new day.
  Result<void> look() {
    const auto begun = std::chrono::steady_clock::now();
    KI_TRY(const catalog::Head head, store->head());
    const catalog::Head served = live->current()->head();
    const bool has_gone_back =
        head.seq < served.seq || (head.seq == served.seq && head.chain != served.chain);
    if (has_gone_back) {
      return fail(
          Code::kConflict,
          fmt::format("the catalog file is not the one that was opened (version {} after {}); "
                      "version {} is served until a restart",
                      head.seq, served.seq, served.seq));
    }
    const bool is_new_day = options.http.clock->now().date() != day;
    if (head.seq == served.seq && !is_new_day) return {};
    KI_TRY_VOID(live->refresh());
    KI_TRY(auto edition, make_edition());
    server->publish(std::move(edition));
    const auto taken = std::chrono::steady_clock::now() - begun;
    health.last_refresh_us = std::chrono::duration_cast<std::chrono::microseconds>(taken).count();
    return {};
  }

  void follow() {
    std::unique_lock lock(mutex);
    while (!wake.wait_for(lock, options.poll, [&] { return is_stopping; })) {
      lock.unlock();
      try {
        if (const auto looked = look(); looked) {
          health.clear("catalog");
        } else {
          ++health.refresh_failures;
          health.report("catalog",
                        fmt::format("the catalog cannot be read on: {}; version {} is served",
                                    looked.error().to_string(), live->current()->seq()));
        }
      } catch (const std::exception& e) {
        ++health.refresh_failures;
        health.report("catalog",
                      fmt::format("taking up a publication failed: {}; version {} is served",
                                  e.what(), live->current()->seq()));
      }
      lock.lock();
    }
  }

  bool stop(std::chrono::milliseconds drain) {
    {
      const std::scoped_lock lock(mutex);
      is_stopping = true;
    }
    wake.notify_all();
    if (follower.joinable()) follower.join();
    return server == nullptr || server->stop(drain);
  }

  Options options;
  http::Metrics metrics;
  Health health;
  std::unique_ptr<store_sqlite::SqliteStore> store;
  bool is_read_only = false;
  std::unique_ptr<catalog::LiveCatalog> live;
  std::atomic<catalog::Seq> served_version = 0;
  std::string day;  // of the clock, when the edition was made
  std::unique_ptr<http::Server> server;
  std::mutex mutex;
  std::condition_variable wake;
  bool is_stopping = false;
  std::thread follower;
};

Service::Service(std::unique_ptr<State> state) : state_(std::move(state)) {}
Service::~Service() = default;

Result<std::unique_ptr<Service>> Service::start(Options options) {
  KI_CHECK(options.http.clock != nullptr);
  auto state = std::make_unique<State>(std::move(options));
  KI_TRY(OpenStore open, open_store(state->options, state->health));
  state->store = std::move(open.store);
  state->is_read_only = open.is_read_only;
  check_snapshot_file(state->options, *state->store, state->health);
  KI_TRY(state->live, catalog::LiveCatalog::open(*state->store, state->options.snapshot_file));
  // Without the file the next start is slower; nothing else.
  if (const auto saved = state->live->save(); !saved && !state->is_read_only)
    state->health.report("snapshot",
                         "the snapshot file cannot be kept: " + saved.error().to_string());
  KI_TRY(auto edition, state->make_edition());
  KI_TRY(state->server, http::Server::start(state->options.http, std::move(edition)));
  State& running = *state;
  running.follower = std::thread([&running] { running.follow(); });
  return std::unique_ptr<Service>(new Service(std::move(state)));
}

std::string Service::address() const { return state_->server->address(); }
std::uint16_t Service::port() const { return state_->server->port(); }
catalog::Seq Service::version() const { return state_->served_version; }
std::uint64_t Service::requests() const { return state_->metrics.requests(); }
bool Service::stop(std::chrono::milliseconds drain) { return state_->stop(drain); }

}  // namespace ki::serve
