// serve: the catalog over HTTP until the process is interrupted.
#include "command.h"
#include "ki/base/text.h"
#include "ki/io/file.h"
#include "ki/serve/desk.h"
#include "ki/serve/exports.h"
#include "ki/serve/log_part.h"
#include "ki/serve/service.h"
#include "ki/serve/site.h"
#include "log_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <thread>
#include <utility>

namespace ki::cli {
namespace {

constexpr auto kCancelPoll = std::chrono::milliseconds(50);

// An open file that is appended to. Losing a line of the log is no reason to stop.
class LogFile {
 public:
  static Result<std::shared_ptr<LogFile>> open(const std::string& path) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file < 0) return fail(io::system_error(errno, "opening the access log", path));
    return std::shared_ptr<LogFile>(new LogFile(file));
  }
  ~LogFile() { ::close(file_); }
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  void write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t count = ::write(file_, text.data(), text.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return;
      text.remove_prefix(static_cast<std::size_t>(count));
    }
  }

 private:
  explicit LogFile(int file) : file_(file) {}
  int file_;
};

Result<std::string> public_url(const Arguments& arguments) {
  std::string url = arguments.value("public-url").value_or("");
  while (url.ends_with('/')) url.pop_back();
  const bool has_scheme = url.starts_with("http://") || url.starts_with("https://");
  if (!url.empty() && (!has_scheme || find_invalid_utf8(url) ||
                       url.find_first_of(" \"<>\r\n\t?#") != std::string::npos)) {
    return fail(
        Code::kInvalidArgument,
        fmt::format("--public-url {}: expected an address such as https://ki.example", quote(url)));
  }
  return url;
}

// What --allow-notes says.
Result<notes::Takes> takes_of(const Arguments& arguments) {
  const auto who = arguments.value("allow-notes");
  if (!who) return notes::Takes::kNothing;
  if (*who == "anyone") return notes::Takes::kAnything;
  if (*who == "signed") return notes::Takes::kSigned;
  return fail(Code::kInvalidArgument,
              fmt::format("--allow-notes {}: expected anyone or signed", quote(*who)));
}

// Nothing when the catalog cannot be written now: it is served without notes.
Result<std::shared_ptr<notes::Desk>> desk_of(const Context& context,
                                             const serve::Options& options) {
  const Arguments& arguments = context.arguments();
  KI_TRY(const notes::Takes takes, takes_of(arguments));
  KI_TRY(const std::int64_t quota, arguments.integer("notes-a-day", 20, 0, 1'000'000));
  if (takes == notes::Takes::kNothing) return nullptr;
  if (options.is_read_only) {
    return fail(Code::kInvalidArgument,
                "--allow-notes writes to the catalog; --read-only does not");
  }
  auto desk = serve::open_desk(
      {.catalog = options.catalog,
       .takes = takes,
       .clock = options.http.clock,
       .limits = {.per_client_a_day = static_cast<std::size_t>(quota)},
       .after_commit = [note = options.note, path = options.catalog](catalog::Store& store) {
         if (const auto done = catch_up_log(store, path); !done) {
           note(
               fmt::format("a note was stored, but the log's checkpoint is behind: {}; then: ki "
                           "log checkpoint\n",
                           done.error().to_string()));
         }
       }});
  if (desk) return *std::move(desk);
  if (desk.error().code() == Code::kNotFound) return nullptr;  // the service says it better
  options.note(fmt::format("no notes are taken: {}\n", desk.error().to_string()));
  return nullptr;
}

}  // namespace

Result<int> run_serve(Context& context) {
  const Arguments& arguments = context.arguments();
  if (!context.operands().empty()) return context.usage("serve takes no operands");
  serve::Options options;
  options.catalog = context.catalog_path();
  options.snapshot_file = Context::snapshot_path(options.catalog);
  options.is_read_only = arguments.has("read-only");
  options.build = KI_VERSION;
  options.http.clock = context.environment().clock;
  KI_TRY(options.http.listen,
         http::ListenAddress::parse(arguments.value("listen").value_or("127.0.0.1:8417")));
  KI_TRY(options.http.origin, public_url(arguments));
  options.http.trusted_proxies = arguments.values("trusted-proxy");
  KI_TRY(const std::int64_t rate, arguments.integer("rate-limit", 200, 0, 1'000'000));
  options.http.limits.requests_per_second = static_cast<double>(rate);
  options.http.limits.burst = static_cast<double>(2 * rate);
  // Without a limit of the rate there is none of one client's connections either: a load generator.
  if (rate == 0) options.http.limits.connections_per_client = options.http.limits.connections;
  KI_TRY(const std::int64_t threads, arguments.integer("threads", 0, 0, 1024));
  options.http.threads = static_cast<unsigned>(threads);
  KI_TRY(const std::int64_t cache_mb, arguments.integer("cache-mb", 64, 0, 1 << 20));
  options.http.cache_bytes = static_cast<std::size_t>(cache_mb) << 20;
  KI_TRY(const std::int64_t drain, arguments.integer("drain", 10, 0, 3600));

  // Access log, notes and this function write from different threads.
  std::mutex out;
  options.note = [&](std::string_view line) {
    const std::scoped_lock lock(out);
    context.err(fmt::format("ki serve: {}", line));
  };
  const std::string log = arguments.value("access-log").value_or("-");
  if (log == "-") {
    options.http.access_log = [&](std::string_view lines) {
      const std::scoped_lock lock(out);
      context.err(lines);
    };
  } else if (log != "off") {
    KI_TRY(auto file, LogFile::open(log));
    options.http.access_log = [file = std::move(file)](std::string_view lines) {
      file->write(lines);
    };
  }

  KI_TRY(const auto desk, desk_of(context, options));
  options.mounts = serve::site_parts(desk);
  const std::string exports = arguments.value("exports").value_or("");
  if (!exports.empty() && !std::filesystem::is_directory(exports)) {
    return fail(Code::kInvalidArgument,
                fmt::format("--exports {}: no such folder", quote(exports)));
  }
  options.mounts.push_back(serve::exports_part(exports, options.note));
  options.mounts.push_back(serve::log_part(Context::log_path(options.catalog)));
  auto started = serve::Service::start(options);
  if (!started) {
    if (started.error().code() == Code::kNotFound) {
      return fail(Code::kNotFound,
                  fmt::format("there is no catalog at '{}'; make one with: ki import kernelindex "
                              "FILE (or name one with --catalog PATH)",
                              options.catalog.string()));
    }
    return fail(std::move(started).error());
  }
  serve::Service& service = **started;
  options.note(fmt::format("listening on {}, catalog {} version {}\n", service.address(),
                           options.catalog.string(), service.version()));
  const std::atomic<bool>* cancel = context.environment().cancel;
  while (cancel == nullptr || !cancel->load()) std::this_thread::sleep_for(kCancelPoll);
  const bool is_clean = service.stop(std::chrono::seconds(drain));
  options.note(fmt::format("stopped after {} answers{}\n", service.requests(),
                           is_clean ? "" : "; some connections were cut off"));
  return kDone;
}

}  // namespace ki::cli
