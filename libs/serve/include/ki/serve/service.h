// Service: `ki serve`. A catalog file, an HTTP server over it, and a thread that follows the file:
// what another process publishes is folded into the next edition and swapped in without a pause.
#pragma once

#include "ki/base/instant.h"
#include "ki/base/result.h"
#include "ki/catalog/snapshot.h"
#include "ki/catalog/store.h"
#include "ki/http/edition.h"
#include "ki/http/server.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ki::serve {

// What the routes of one edition are made of. Handlers may hold it as long as they like.
struct Basis {
  std::shared_ptr<const catalog::Snapshot> snapshot;
  catalog::Store* store = nullptr;  // outlives every edition; safe from any thread
  Instant now;                  // when the edition was made, never before the newest publication
  std::string public_url = {};  // without a final slash; empty: unknown
  std::string build = {};       // version of the program
  bool is_read_only = false;    // the operator wants, or the file allows, no writes
};

// What one part of the site (the API, the pages) brings to an edition.
struct Part {
  std::vector<http::Route> routes = {};
  http::ProblemPage problem_page = {};  // at most one part has one
};
// Called once an edition, on the thread that follows the catalog: what is slow is done here, not in
// the first request.
using Mount = std::function<Part(const Basis&)>;

struct Options {
  std::filesystem::path catalog;
  std::filesystem::path snapshot_file;  // beside it; made when it is missing
  bool is_read_only = false;
  std::string build;
  http::ServerOptions http = {};  // `metrics` and `error_log` are set here
  std::vector<Mount> mounts = {};
  std::chrono::milliseconds poll{200};  // how often the catalog file is looked at
  // Whole lines for the operator: what went wrong and what is served meanwhile. From any thread.
  std::function<void(std::string_view)> note = {};
};

class Service {
 public:
  // Opens the catalog and answers. Fails as opening a store and Server::start() do. A damaged
  // snapshot file, a locked file or a full disk is a note: reads go on.
  static Result<std::unique_ptr<Service>> start(Options options);
  ~Service();

  // "http://127.0.0.1:8417".
  std::string address() const;
  std::uint16_t port() const;
  catalog::Seq version() const;
  std::uint64_t requests() const;
  bool stop(std::chrono::milliseconds drain);  // as Server::stop()

  struct State;  // internal

 private:
  explicit Service(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ki::serve
