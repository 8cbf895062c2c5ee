#include "process.h"

#include "ki/base/text.h"
#include "ki/io/file.h"

#include <charconv>
#include <filesystem>

namespace ki::serve {
namespace {

// The number behind "Name:" in /proc/self/status.
std::uint64_t field(std::string_view status, std::string_view name) {
  const std::size_t at = status.find(name);
  if (at == std::string_view::npos) return 0;
  const std::string_view text = trim(status.substr(at + name.size(), 40));
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

ProcessFacts read_process_facts() {
  ProcessFacts facts;
  if (const auto status = io::read_file("/proc/self/status", 1 << 16)) {
    facts.resident_bytes = field(*status, "VmRSS:") * 1024;
    facts.threads = field(*status, "Threads:");
  }
  std::error_code ec;
  for (std::filesystem::directory_iterator it("/proc/self/fd", ec), end; !ec && it != end;
       it.increment(ec))
    ++facts.open_files;
  if (facts.open_files > 0) --facts.open_files;  // the one that lists them
  return facts;
}

}  // namespace ki::serve
