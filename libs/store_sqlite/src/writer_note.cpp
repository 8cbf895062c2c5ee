#include "writer_note.h"

#include "ki/base/text.h"
#include "ki/io/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace ki::store_sqlite {
namespace {

constexpr std::size_t kMostBytes = 4096;

// When a process started, in clock ticks since boot (proc(5), field 22 of stat): with the pid it
// names one process for ever. Empty when the process is gone.
std::string start_ticks(std::string_view pid) {
  const auto stat = io::read_file(fmt::format("/proc/{}/stat", pid), kMostBytes);
  if (!stat) return {};
  // The command in field 2 may hold spaces and brackets; fields count from its last ')'.
  const std::size_t end = stat->rfind(')');
  if (end == std::string::npos) return {};
  const auto fields = split(std::string_view(*stat).substr(end + 1), ' ');
  return fields.size() > 20 ? std::string(fields[20]) : std::string();
}

// The command line with its arguments separated by spaces, without line breaks, cut for a message.
std::string command_line() {
  const auto bytes = io::read_file("/proc/self/cmdline", std::size_t{1} << 22);
  std::string text;
  if (bytes) {
    for (const char c : *bytes) text += c == '\0' || c == '\n' ? ' ' : c;
  }
  std::string trimmed(trim(text));
  if (trimmed.size() > 160) {
    std::size_t cut = 160;
    while ((static_cast<unsigned char>(trimmed[cut]) & 0xC0) == 0x80) --cut;
    trimmed.resize(cut);
    trimmed += "…";
  }
  return trimmed;
}

}  // namespace

WriterNote::WriterNote(const std::filesystem::path& catalog)
    : path_(catalog.string() + ".writer"), command_(command_line()) {
  const std::string pid = std::to_string(::getpid());
  process_ = fmt::format("{}\n{}\n", pid, start_ticks(pid));
}

void WriterNote::write(Instant since) const {
  const std::string text = fmt::format("{}{}\n{}\n", process_, since.to_string(), command_);
  const int fd = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return;
  [[maybe_unused]] const ssize_t ignored = ::write(fd, text.data(), text.size());
  ::close(fd);
}

void WriterNote::remove() const {
  const auto text = io::read_file(path_, kMostBytes);
  if (text && text->starts_with(process_)) ::unlink(path_.c_str());
}

std::string WriterNote::describe_holder() const {
  constexpr std::string_view kUnknown = "a process that left no note";
  const auto text = io::read_file(path_, kMostBytes);
  if (!text) return std::string(kUnknown);
  const auto lines = split(*text, '\n');
  if (lines.size() < 4 || lines[0].empty() || lines[1].empty()) return std::string(kUnknown);
  // A pid is used again after a while; the start time is not.
  if (start_ticks(lines[0]) != lines[1]) return std::string(kUnknown);
  return fmt::format("process {} ({}), writing since {}", lines[0], lines[3], lines[2]);
}

}  // namespace ki::store_sqlite
