#include "ki/serve/log_part.h"

#include "ki/base/base64.h"
#include "ki/digest/digest.h"
#include "ki/json/writer.h"
#include "ki/logbook/log_files.h"
#include "ki/logbook/trust_store.h"
#include "ki/tlog/tile.h"
#include "ki/views/find.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace ki::serve {
namespace {

using logbook::LogFiles;

constexpr std::string_view kPrefix = "/log/";

http::Response not_available() {
  return http::Response::of(
      http::Problem{.status = 404,
                    .code = "LOG_NOT_AVAILABLE",
                    .detail = "this index has no transparency log; its operator begins one with "
                              "ki key init and ki log init"});
}

// What is wrong with the files is the operator's to know (`ki log verify`), not the client's.
http::Response unreadable() {
  return http::Response::of(http::Problem{.status = 503,
                                          .code = "UNAVAILABLE",
                                          .detail = "the log's files cannot be read now",
                                          .retry_after_seconds = 5});
}

http::Response checkpoint(const LogFiles& files) {
  const auto note = files.checkpoint_note();
  if (!note) return unreadable();
  if (!*note) return not_available();
  return http::Response::text(**note, http::Cache::kNoStore);
}

// The file that the path below /log/ names. The path is one that tile_path() writes, or no file is
// looked for: nothing of it reaches the file system unread.
http::Response tile(const LogFiles& files, std::string_view path) {
  const auto id = tlog::parse_tile_path(path.substr(kPrefix.size()));
  if (!id) {
    return http::Response::of(
        http::Problem{.status = 404, .code = "NOT_FOUND", .detail = "this is no path of a tile"});
  }
  auto bytes = files.read_tile(*id);
  if (!bytes) {
    return http::Response::of(
        http::Problem{.status = 404, .code = "NOT_FOUND", .detail = "the log has no such tile"});
  }
  http::Response response;
  response.content_type = "application/octet-stream";
  response.etag = Digest::of(*bytes).hex().substr(0, 32);
  response.body = http::Body(*std::move(bytes));
  response.cache = http::Cache::kImmutable;
  return response;
}

void write_head(json::Writer& w, const tlog::VerifiedCheckpoint& opened, std::string_view note,
                const std::vector<sign::NoteVerifier>& keys) {
  w.member("origin", opened.checkpoint.origin)
      .member("size", opened.checkpoint.size)
      .member("root", base64(opened.checkpoint.root.view()))
      .member("checkpoint", note)
      .member("witnesses", std::ranges::count_if(opened.signatures, [](const auto& signature) {
                return signature.cosigned_at != 0;
              }));
  w.key("verifierKeys").begin_array();
  for (const sign::NoteVerifier& key : keys) w.value(key.vkey());
  w.end_array();
}

http::Response proof(const LogFiles& files, const Basis& basis, const std::string& run) {
  const auto index = views::find_run(*basis.snapshot, run);
  if (!index) {
    return http::Response::of(
        http::Problem{.status = 404, .code = "RUN_NOT_FOUND", .detail = index.error().message()});
  }
  const auto note = files.checkpoint_note();
  if (!note) return unreadable();
  if (!*note) return not_available();
  const Digest digest(basis.snapshot->runs()[*index].digest);
  const auto leaf = logbook::find_leaf(*basis.store, tlog::EntryType::kRun, digest);
  const auto trust = logbook::read_trust(*basis.store);
  if (!leaf || !trust) return unreadable();
  if (!*leaf) {
    return http::Response::of(http::Problem{
        .status = 404, .code = "NOT_LOGGED", .detail = "the log does not name this run"});
  }
  const auto keys = logbook::log_verifiers(*trust);
  const auto proved = logbook::prove(*basis.store, files, tlog::EntryType::kRun, digest, keys);
  if (!proved) return unreadable();
  const auto opened = logbook::open_any(proved->note, keys);
  if (!opened) return unreadable();
  std::string out;
  json::Writer w(out);
  w.begin_object()
      .member("runDigest", digest.to_string())
      .member("index", proved->index)
      .member("entry", **leaf)
      .member("proof", tlog::write_proof(*proved));
  write_head(w, *opened, proved->note, keys);
  w.end_object();
  return http::Response::json(std::move(out), http::Cache::kNoStore);
}

// From a size that a client kept to the checkpoint's.
http::Response consistency(const LogFiles& files, const Basis& basis, std::string_view from) {
  std::uint64_t old_size = 0;
  const auto [end, error] = std::from_chars(from.data(), from.data() + from.size(), old_size);
  const auto note = files.checkpoint_note();
  if (!note) return unreadable();
  if (!*note) return not_available();
  const auto trust = logbook::read_trust(*basis.store);
  if (!trust) return unreadable();
  const auto keys = logbook::log_verifiers(*trust);
  const auto opened = logbook::open_any(**note, keys);
  if (!opened) return unreadable();
  const std::uint64_t size = opened->checkpoint.size;
  if (error != std::errc() || end != from.data() + from.size() || old_size < 1 || old_size > size) {
    return http::Response::of(http::Problem{
        .status = 400,
        .code = "INVALID_PARAMETER",
        .detail = "from is the size of an older checkpoint: 1 to " + std::to_string(size),
        .errors = {{"?from", "out_of_range", "expected 1 to " + std::to_string(size)}}});
  }
  const auto hashes = tlog::consistency_proof(
      old_size, size,
      tlog::hashes_of_tiles(size, [&](const tlog::TileId& id) { return files.read_tile(id); }));
  if (!hashes) return unreadable();
  std::string out;
  json::Writer w(out);
  w.begin_object().member("from", old_size).key("hashes").begin_array();
  for (const Digest& hash : *hashes) w.value(base64(hash.view()));
  w.end_array();
  write_head(w, *opened, **note, keys);
  w.end_object();
  return http::Response::json(std::move(out), http::Cache::kNoStore);
}

}  // namespace

Mount log_part(std::filesystem::path folder) {
  const auto files = std::make_shared<const LogFiles>(std::move(folder));
  return [files](const Basis& basis) {
    Part part;
    part.routes.push_back({.method = http::Method::kGet,
                           .pattern = "/log/checkpoint",
                           .handle = [files](const http::Request&) { return checkpoint(*files); },
                           .may_block = true});
    // "tile/<L>/<N>" with up to six groups of digits, and ".p/<W>".
    std::string pattern = "/log/tile/{level}";
    for (const char* group : {"/{a}", "/{b}", "/{c}", "/{d}", "/{e}", "/{f}", "/{g}"}) {
      pattern += group;
      part.routes.push_back(
          {.method = http::Method::kGet,
           .pattern = pattern,
           .handle = [files](const http::Request& request) { return tile(*files, request.path()); },
           .may_block = true});
    }
    part.routes.push_back({.method = http::Method::kGet,
                           .pattern = "/api/v1/runs/{run}/proof",
                           .handle =
                               [files, basis](const http::Request& request) {
                                 return proof(*files, basis, request.parameter("run"));
                               },
                           .is_api = true,
                           .may_block = true});
    part.routes.push_back({.method = http::Method::kGet,
                           .pattern = "/api/v1/log/consistency",
                           .handle =
                               [files, basis](const http::Request& request) {
                                 return consistency(*files, basis,
                                                    request.query("from").value_or(""));
                               },
                           .is_api = true,
                           .may_block = true});
    return part;
  };
}

}  // namespace ki::serve
