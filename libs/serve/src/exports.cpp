#include "ki/serve/exports.h"

#include "ki/digest/digest.h"
#include "ki/importers/export.h"
#include "ki/io/file.h"
#include "ki/json/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>

namespace ki::serve {
namespace {

namespace fs = std::filesystem;

struct Download {
  std::string name;  // "catalog-29190-1a2b3c4d.jsonl.zst"
  http::Body body;
  Digest digest = Digest::of("");
  std::uint64_t lines = 0;
  catalog::Seq version = 0;
  Instant modified;
};

// Of a file in the folder: what tells whether it is still the one that was looked at.
struct Stamp {
  std::uintmax_t size = 0;
  fs::file_time_type modified;
  bool operator==(const Stamp&) const = default;
};

Instant instant_of(fs::file_time_type time) {
  const auto since = std::chrono::file_clock::to_sys(time).time_since_epoch();
  return Instant{std::chrono::duration_cast<std::chrono::milliseconds>(since).count()};
}

class Folder {
 public:
  Folder(fs::path path, std::function<void(std::string_view)> note)
      : path_(std::move(path)), note_(std::move(note)) {}

  // Null without a sound export.
  std::shared_ptr<const Download> newest() {
    const std::scoped_lock lock(mutex_);
    std::optional<fs::path> best;
    catalog::Seq best_version = 0;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(path_, error)) {
      if (!entry.path().string().ends_with(".jsonl.zst")) continue;
      const std::optional<catalog::Seq> version = version_of(entry);
      if (!version || (best && *version <= best_version)) continue;
      best = entry.path();
      best_version = *version;
    }
    if (!best) {
      newest_.reset();
      return nullptr;
    }
    if (newest_ == nullptr || newest_path_ != *best || newest_stamp_ != files_.at(*best).stamp) {
      newest_ = read(*best, files_.at(*best));
      newest_path_ = *best;
      newest_stamp_ = files_.at(*best).stamp;
    }
    return newest_;
  }

 private:
  struct File {
    Stamp stamp;
    std::optional<importers::ExportInfo> info;  // nothing: not sound
  };

  // The catalog version of a sound export; each state of a file is checked once.
  std::optional<catalog::Seq> version_of(const fs::directory_entry& entry) {
    std::error_code error;
    const Stamp stamp{entry.file_size(error), entry.last_write_time(error)};
    if (error) return std::nullopt;
    const auto known = files_.find(entry.path());
    if (known == files_.end() || known->second.stamp != stamp) {
      files_[entry.path()] = {stamp, check(entry.path(), stamp)};
    }
    const auto& info = files_[entry.path()].info;
    return info ? std::optional(info->catalog_version) : std::nullopt;
  }

  std::optional<importers::ExportInfo> check(const fs::path& path, const Stamp& stamp) {
    if (stamp.size > kMaxExportBytes) {
      note(fmt::format("{} has more than {} MiB and is not served; give it to a web server",
                       path.string(), kMaxExportBytes >> 20));
      return std::nullopt;
    }
    auto info = importers::verify_export_file(path);
    if (info) return *std::move(info);
    note(fmt::format("{} is not served: {}", path.string(), info.error().to_string()));
    return std::nullopt;
  }

  std::shared_ptr<const Download> read(const fs::path& path, const File& file) {
    auto bytes = io::read_file(path, kMaxExportBytes);
    if (!bytes) {
      note(fmt::format("{} cannot be served: {}", path.string(), bytes.error().to_string()));
      return nullptr;
    }
    auto download = std::make_shared<Download>();
    download->digest = Digest::of(*bytes);
    download->body = http::Body(*std::move(bytes));
    download->version = file.info->catalog_version;
    download->lines = file.info->lines;
    download->modified = instant_of(file.stamp.modified);
    download->name = fmt::format("catalog-{}-{}.jsonl.zst", download->version,
                                 download->digest.hex().substr(0, 8));
    return download;
  }

  void note(std::string_view line) const {
    if (note_) note_(line);
  }

  fs::path path_;
  std::function<void(std::string_view)> note_;
  std::mutex mutex_;
  std::map<fs::path, File> files_;
  std::shared_ptr<const Download> newest_;
  fs::path newest_path_;
  Stamp newest_stamp_;
};

http::Response not_available() {
  return http::Response::of(
      http::Problem{.status = 404,
                    .code = "EXPORT_NOT_AVAILABLE",
                    .detail = "this index offers no export; its operator starts it with "
                              "ki serve --exports FOLDER, where ki export writes"});
}

}  // namespace

Mount exports_part(std::filesystem::path folder, std::function<void(std::string_view)> note) {
  const auto files = folder.empty() ? nullptr : std::make_shared<Folder>(folder, std::move(note));
  return [files](const Basis& basis) {
    const auto newest = [files] { return files ? files->newest() : nullptr; };
    const std::string origin = basis.public_url;
    Part part;
    part.routes.push_back({.method = http::Method::kGet,
                           .pattern = "/api/v1/exports/catalog.jsonl.zst",
                           .handle =
                               [newest](const http::Request&) {
                                 const auto download = newest();
                                 return download ? http::Response::redirect(
                                                       302, "/exports/" + download->name)
                                                 : not_available();
                               },
                           .is_api = true,
                           .may_block = true});
    part.routes.push_back(
        {.method = http::Method::kGet,
         .pattern = "/exports/{file}",
         .handle =
             [newest, origin](const http::Request& request) {
               const auto download = newest();
               if (!download) return not_available();
               const std::string& file = request.parameter("file");
               if (file == "latest.json") {
                 std::string out;
                 json::Writer(out)
                     .begin_object()
                     .member("file", download->name)
                     .member("url", origin + "/exports/" + download->name)
                     .member("sha256", download->digest.hex())
                     .member("sizeBytes", download->body.size())
                     .member("lines", download->lines)
                     .member("catalogVersion", download->version)
                     .member("generatedAt", download->modified.to_string())
                     .end_object();
                 return http::Response::json(std::move(out), http::Cache::kNoStore);
               }
               if (file != download->name) {
                 return http::Response::of(http::Problem{
                     .status = 404,
                     .code = "EXPORT_NOT_AVAILABLE",
                     .detail = "only the newest export is kept: /exports/latest.json names it"});
               }
               http::Response response;
               response.content_type = "application/zstd";
               response.body = download->body;
               response.cache = http::Cache::kNoStore;
               response.headers.push_back(
                   {"Content-Disposition", "attachment; filename=\"" + download->name + "\""});
               return response;
             },
         .may_block = true});
    return part;
  };
}

}  // namespace ki::serve
