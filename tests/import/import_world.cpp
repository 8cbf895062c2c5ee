#include "import_world.h"

#include "ki/base/text.h"
#include "ki/io/file.h"
#include "ki/io/zstd.h"
#include "ki/publish/fsck.h"
#include "ki/synth/generator.h"

#include <unistd.h>

namespace ki::import_tests {

std::vector<std::string> synthetic_lines(std::uint64_t runs, std::uint64_t seed) {
  std::string text;
  const auto counts =
      synth::generate({.runs = runs, .seed = seed}, [&](std::string_view lines) -> Result<void> {
        text += lines;
        return {};
      });
  EXPECT_TRUE(counts);
  std::vector<std::string> lines;
  for (const std::string_view line : split(text, '\n')) {
    if (!line.empty()) lines.emplace_back(line);
  }
  return lines;
}

std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += line;
    text += '\n';
  }
  return text;
}

std::string table_of(std::string_view line) {
  // The last one: rows come before it in our format, and hold no member of that name.
  constexpr std::string_view kMember = "\"table\":\"";
  const std::size_t at = line.rfind(kMember);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = line.substr(at + kMember.size());
  return std::string(rest.substr(0, rest.find('"')));
}

std::size_t find_line(const std::vector<std::string>& lines, std::string_view table,
                      std::size_t n) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (table_of(lines[i]) == table && n-- == 0) return i;
  }
  ADD_FAILURE() << "no such line of " << table;
  return 0;
}

std::string member_of(std::string_view line, std::string_view member) {
  const std::string start = "\"" + std::string(member) + "\":\"";
  const std::size_t at = line.find(start);
  if (at == std::string_view::npos) {
    ADD_FAILURE() << "no text member " << member;
    return {};
  }
  const std::string_view rest = line.substr(at + start.size());
  return std::string(rest.substr(0, rest.find('"')));
}

void replace(std::string& line, std::string_view from, std::string_view to, bool is_first) {
  const std::size_t at = line.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  if (!is_first) {
    ASSERT_EQ(line.find(from, at + 1), std::string::npos) << from << " occurs twice";
  }
  line.replace(at, from.size(), to);
}

void ImportWorld::SetUp() {
  folder_ = std::filesystem::path(testing::TempDir()) /
            ("ki-import-" + std::to_string(::getpid()) + "-" +
             testing::UnitTest::GetInstance()->current_test_info()->name());
  std::filesystem::remove_all(folder_);
  std::filesystem::create_directories(folder_);
}

void ImportWorld::TearDown() { std::filesystem::remove_all(folder_); }

std::filesystem::path ImportWorld::write(std::string_view name, std::string_view bytes) const {
  const auto path = file(name);
  EXPECT_TRUE(io::write_file_atomically(path, bytes));
  return path;
}

std::unique_ptr<catalog::Store> ImportWorld::new_store() const {
  return std::make_unique<store_memory::MemoryStore>("01990000-0000-7000-8000-000000000001",
                                                     std::chrono::milliseconds(1));
}

Result<importers::ImportReport> ImportWorld::import_text(catalog::Store& store,
                                                         std::string_view text) {
  return importers::import_kernelindex(write("in.jsonl", text), store, options());
}

importers::ImportReport ImportWorld::must_import(catalog::Store& store, std::string_view text) {
  auto report = import_text(store, text);
  EXPECT_TRUE(report) << (report ? "" : report.error().to_string());
  if (!report) return {};
  EXPECT_EQ(report->refused_total, 0U)
      << (report->refused.empty() ? "" : report->refused.front().reason);
  return *std::move(report);
}

std::string ImportWorld::exported(catalog::Store& store) {
  const auto path = file("out.jsonl.zst");
  const auto info = importers::export_catalog(store, path);
  EXPECT_TRUE(info) << (info ? "" : info.error().to_string());
  std::string text;
  auto source = io::ByteSource::open(path);
  EXPECT_TRUE(source);
  for (;;) {
    const auto part = source->next();
    EXPECT_TRUE(part);
    if (!part || part->empty()) return text;
    text += *part;
  }
}

void ImportWorld::expect_sound(catalog::Store& store) {
  const auto report = publish::fsck(store);
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_TRUE(report->is_clean()) << report->problems.front().to_string();
}

}  // namespace ki::import_tests
