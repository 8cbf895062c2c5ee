#include "ki/store_sqlite/sqlite_store.h"

#include "entry_rows.h"
#include "ki/base/clock.h"
#include "ki/base/uuid.h"
#include "ki/io/file.h"
#include "schema.h"
#include "store_state.h"
#include "write_transaction.h"

#include <fmt/format.h>

#include <random>

namespace ki::store_sqlite {
namespace {

std::string fresh_id(Instant now) {
  std::random_device device;
  const std::uint64_t seed = (static_cast<std::uint64_t>(device()) << 32) | device();
  return UuidSource(seed).next(now).to_string();
}

// Of an SQLite database (its file format, section 1.3.2).
constexpr std::uintmax_t kSmallestPage = 512;

Result<void> check_file(const std::filesystem::path& path, const Options& options) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) {
    if (!options.create || options.read_only) {
      return fail(Code::kNotFound, fmt::format("there is no catalog at '{}'; import one, or name "
                                               "another file",
                                               path.string()));
    }
    const Instant now = SystemClock().now();
    return create_catalog_file(path, options.catalog_id.value_or(fresh_id(now)), now);
  }
  if (error) return fail(io::system_error(error.value(), "cannot open", path));
  if (status.type() == std::filesystem::file_type::directory) {
    return fail(io::system_error(EISDIR, "cannot open", path));
  }
  // SQLite would take it for a new database and hide that a catalog was lost.
  if (std::filesystem::is_regular_file(status) &&
      std::filesystem::file_size(path, error) < kSmallestPage) {
    return fail(
        Code::kCorrupt,
        fmt::format("'{}' is empty or cut, so it is no catalog (any more); restore a backup, or "
                    "remove it to begin anew",
                    path.string()));
  }
  return {};
}

// A file that nobody has open, in a folder that may not be written: SQLite could not make the
// shared memory of its write-ahead log there, and needs none.
bool can_be_immutable(const std::filesystem::path& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path.string() + "-wal", error);
  return error || size == 0;
}

// That the log ends where its last commit says.
Result<void> check_head(Database& database, const std::filesystem::path& path) {
  KI_TRY(Statement statement, database.prepare(kReadHead));
  KI_TRY(const catalog::Head head, read_head(statement));
  KI_TRY(const std::int64_t last, database.query_integer("SELECT max(seq) FROM entries"));
  if (last == to_column(head.seq)) return {};
  return fail(Code::kCorrupt,
              fmt::format("'{}' ends at entry {}, but its last commit at {}; run `ki fsck`",
                          path.string(), last, head.seq));
}

// Recognises the file and reads its id, all from one view.
Result<std::string> read_identity(Database& database, const std::filesystem::path& path) {
  KI_TRY_VOID(database.execute("BEGIN"));
  KI_TRY(const std::size_t version, read_schema_version(database, path));
  if (version < migrations().size()) {
    return fail(Code::kUnsupported,
                fmt::format("'{}' has schema {}; open it once with write access to bring it to {}",
                            path.string(), version, migrations().size()));
  }
  KI_TRY(const std::optional<std::string> id,
         database.query_text("SELECT value FROM meta WHERE name = 'catalog_id'"));
  if (!id) {
    return fail(Code::kCorrupt,
                fmt::format("'{}' has no catalog id; run `ki fsck`", path.string()));
  }
  KI_TRY_VOID(check_head(database, path));
  KI_TRY_VOID(database.execute("COMMIT"));
  return *id;
}

}  // namespace

SqliteStore::SqliteStore(std::unique_ptr<State> state) : state_(std::move(state)) {}
SqliteStore::~SqliteStore() = default;

Result<std::unique_ptr<SqliteStore>> SqliteStore::open(const std::filesystem::path& path,
                                                       const Options& options) {
  KI_TRY_VOID(check_file(path, options));
  auto state = std::make_unique<State>(path, options, Access::kRead);
  if (!options.read_only) {
    KI_TRY(state->writer, Writer::open(path, options.busy_timeout));
  }
  const auto deadline = std::chrono::steady_clock::now() + options.busy_timeout;
  const auto identify = [&](Access access) -> Result<std::string> {
    KI_TRY(const std::unique_ptr<Reader> reader, Reader::open(path, access, options.busy_timeout));
    auto id = until_free(reader->database(), deadline,
                         [&] { return read_identity(reader->database(), path); });
    if (!id && reader->database().is_busy()) return fail(locked_error(path, options.busy_timeout));
    return id;
  };
  auto id = identify(Access::kRead);
  if (!id && options.read_only && id.error().code() != Code::kCorrupt && can_be_immutable(path)) {
    if (auto again = identify(Access::kImmutable)) {
      state = std::make_unique<State>(path, options, Access::kImmutable);
      id = std::move(again);
    }
  }
  if (!id) return fail(Error(id.error()).within(fmt::format("opening '{}'", path.string())));
  state->catalog_id = *std::move(id);
  return std::unique_ptr<SqliteStore>(new SqliteStore(std::move(state)));
}

std::string SqliteStore::catalog_id() const { return state_->catalog_id; }

Result<std::unique_ptr<catalog::Transaction>> SqliteStore::begin() {
  if (state_->writer == nullptr) {
    return fail(Code::kUnsupported,
                fmt::format("'{}' is open read-only; open it with write access to change it",
                            state_->path.string()));
  }
  KI_TRY(const catalog::Head head, state_->writer->begin(state_->readers));
  if (head.seq == 0) return make_fill_transaction(*state_->writer, state_->readers);
  return make_append_transaction(*state_->writer, state_->readers, head);
}

Result<catalog::Head> SqliteStore::head() {
  return state_->read(catalog::Head{}, Query::kHead, read_head);
}

Result<void> SqliteStore::read_since(catalog::Seq after, catalog::Seq upto,
                                     const catalog::EntryVisitor& visit) {
  const auto read = [&](Statement& rows) -> Result<bool> {
    rows.bind(1, to_column(after));
    rows.bind(2, to_column(upto));
    for (catalog::Seq expected = after + 1;; ++expected) {
      KI_TRY(const bool row, rows.step());
      if (!row) return true;
      KI_TRY(const catalog::Entry entry, to_entry(rows));
      if (entry.seq != expected) {
        return fail(Code::kCorrupt,
                    fmt::format("entry {} is missing from the log; run `ki fsck`", expected));
      }
      KI_TRY(const catalog::Step step, visit(entry));
      if (step == catalog::Step::kStop) return true;
    }
  };
  KI_TRY_VOID(state_->read(true, Query::kSince, read));
  return {};
}

Result<void> SqliteStore::read_prefix(catalog::Table table, std::string_view prefix,
                                      catalog::Seq upto, const catalog::EntryVisitor& visit) {
  const auto read = [&](Statement& rows) -> Result<bool> {
    rows.bind(1, static_cast<std::int64_t>(table));
    rows.bind_text(2, prefix);
    rows.bind(3, to_column(upto));
    for (;;) {
      KI_TRY(const bool row, rows.step());
      if (!row) return true;
      KI_TRY(const catalog::Entry entry, to_entry(rows));
      if (!entry.key.starts_with(prefix)) return true;
      KI_TRY(const catalog::Step step, visit(entry));
      if (step == catalog::Step::kStop) return true;
    }
  };
  KI_TRY_VOID(state_->read(true, Query::kTable, read));
  return {};
}

Result<std::optional<catalog::OwnedEntry>> SqliteStore::read(catalog::Seq seq) {
  return state_->read(std::optional<catalog::OwnedEntry>(), Query::kSeq, [&](Statement& row) {
    row.bind(1, to_column(seq));
    return read_one(row);
  });
}

Result<std::optional<catalog::OwnedEntry>> SqliteStore::find(catalog::Table table,
                                                             std::string_view key,
                                                             catalog::Seq upto) {
  return state_->read(std::optional<catalog::OwnedEntry>(), Query::kKey, [&](Statement& row) {
    row.bind(1, static_cast<std::int64_t>(table));
    row.bind_text(2, key);
    row.bind(3, to_column(upto));
    return read_one(row);
  });
}

Result<std::optional<catalog::OwnedEntry>> SqliteStore::find_digest(catalog::Table table,
                                                                    const Digest& digest) {
  return state_->read(std::optional<catalog::OwnedEntry>(), Query::kDigest, [&](Statement& row) {
    row.bind(1, static_cast<std::int64_t>(table));
    row.bind_blob(2, digest.view());
    return read_one(row);
  });
}

Result<std::vector<catalog::Commit>> SqliteStore::commits(catalog::Seq after) {
  using Commits = std::vector<catalog::Commit>;
  return state_->read(Commits(), Query::kCommits, [&](Statement& rows) -> Result<Commits> {
    rows.bind(1, to_column(after));
    Commits commits;
    for (;;) {
      KI_TRY(const bool row, rows.step());
      if (!row) return commits;
      KI_TRY(const Digest chain, to_digest(rows.text(4), "a commit's chain value"));
      commits.push_back({static_cast<catalog::Seq>(rows.integer(0)),
                         static_cast<catalog::Seq>(rows.integer(1)), Instant{rows.integer(2)},
                         std::string(rows.text(3)), chain});
    }
  });
}

}  // namespace ki::store_sqlite
