#include "command.h"
#include "ki/base/text.h"
#include "ki/display/table.h"
#include "ki/logbook/logged_store.h"
#include "log_files.h"

#include <fmt/format.h>

namespace ki::cli {

std::vector<Option> Command::all_options() const {
  std::vector<Option> all = options;
  if (is_listing) {
    all.insert(all.end(), {{"json", "", "one JSON document"},
                           {"jsonl", "", "one JSON object a row"},
                           {"tsv", "", "tab-separated values"},
                           {"quiet", "", "no headings"}});
  } else if (has_json) {
    all.push_back({"json", "", "one JSON document"});
  }
  if (needs_catalog)
    all.push_back({"catalog", "PATH",
                   "the catalog file (default: $KI_CATALOG, else the user's data folder)"});
  if (is_reading) {
    all.push_back(
        {"api", "URL", "ask the server at URL instead, http://HOST:PORT (default: $KI_API)"});
  }
  all.push_back({"help", "", "this page"});
  return all;
}

Format Context::format() const {
  if (arguments_.has("json")) return Format::kJson;
  if (arguments_.has("jsonl")) return Format::kJsonl;
  if (arguments_.has("tsv")) return Format::kTsv;
  return Format::kTable;
}

std::filesystem::path Context::catalog_path() const {
  if (const auto path = arguments_.value("catalog")) return *path;
  const auto variable = [&](const char* name) {
    const auto value = environment_.variable(name);
    return value && !value->empty() ? value : std::nullopt;
  };
  if (const auto path = variable("KI_CATALOG")) return *path;
  // XDG Base Directory Specification: data files of the user.
  if (const auto data = variable("XDG_DATA_HOME"))
    return std::filesystem::path(*data) / "kernelindex" / "catalog.db";
  if (const auto home = variable("HOME")) {
    return std::filesystem::path(*home) / ".local" / "share" / "kernelindex" / "catalog.db";
  }
  return "catalog.db";
}

std::filesystem::path Context::snapshot_path(const std::filesystem::path& catalog) {
  return catalog.string() + ".snapshot";
}

std::filesystem::path Context::log_path(const std::filesystem::path& catalog) {
  return catalog.string() + ".log";
}

std::filesystem::path Context::keys_path(const std::filesystem::path& catalog) {
  return catalog.string() + ".keys";
}

Result<OpenCatalog> Context::open_catalog(Access access) const {
  OpenCatalog open;
  open.path = catalog_path();
  if (access == Access::kCreate && open.path.has_parent_path()) {
    std::error_code ignored;
    std::filesystem::create_directories(open.path.parent_path(), ignored);
  }
  auto store = store_sqlite::SqliteStore::open(
      open.path, {.create = access == Access::kCreate, .read_only = access == Access::kRead});
  if (!store) {
    if (store.error().code() == Code::kNotFound) {
      return fail(
          Code::kNotFound,
          fmt::format("there is no catalog at '{}'; make one with: ki import kernelindex FILE "
                      "(or name one with --catalog PATH)",
                      open.path.string()));
    }
    return fail(std::move(store).error());
  }
  // Tiles and checkpoint follow the rows; what fails here is done by the next publication.
  auto logged = std::make_unique<logbook::LoggedStore>(*std::move(store));
  logged->set_after_commit([inner = logged.get(), path = open.path, this](const catalog::Commit&) {
    if (const auto done = catch_up_log(*inner, path); !done) {
      err("ki: note: published, but the log's checkpoint is behind: " + done.error().to_string() +
          "; then: ki log checkpoint\n");
    }
  });
  open.store = std::move(logged);
  KI_TRY(open.live, catalog::LiveCatalog::open(*open.store, snapshot_path(open.path)));
  // A snapshot file that cannot be written costs time at the next start, nothing else.
  if (auto saved = open.live->save(); !saved && access != Access::kRead) {
    err("ki: note: " + saved.error().to_string() + "\n");
  }
  return open;
}

Result<void> OpenCatalog::refresh_and_save() {
  KI_TRY_VOID(live->refresh());
  return live->save();
}

std::unexpected<Error> Context::usage(std::string_view problem) const {
  return fail(Code::kInvalidArgument,
              fmt::format("{}\nusage: ki {} {} [options]; ki {} --help shows all", problem,
                          command_.name, command_.operands, command_.name));
}

void ProgressLine::show(std::string_view text) {
  if (!context_.environment().is_err_terminal) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  const std::size_t width = display::display_width(text);
  std::string line = "\r" + std::string(text);
  if (width < width_) line.append(width_ - width, ' ');
  width_ = width;
  context_.err(line);
}

void ProgressLine::clear() {
  if (width_ == 0) return;
  context_.err("\r" + std::string(width_, ' ') + "\r");
  width_ = 0;
}

}  // namespace ki::cli
