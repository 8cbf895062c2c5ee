// The snapshot file: a header, one section record a column, then the columns' bytes, each aligned
// to 64. Every section has a checksum (BlockChecksum) and the header a CRC-32C over itself and the
// records; numbers are in the machine's order, so the file is a cache of this machine and never an
// exchange format.
#include "crc32c.h"
#include "ki/catalog/snapshot.h"
#include "ki/io/file.h"
#include "ki/io/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace ki::catalog {
namespace {

constexpr std::array<char, 8> kMagic = {'k', 'i', 's', 'n', 'a', 'p', '0', '2'};
constexpr std::size_t kAlignment = 64;

struct FileHeader {
  std::array<char, 8> magic;
  std::uint32_t header_crc;  // over everything before the first section's bytes, with this field 0
  std::uint32_t sections;
  std::uint64_t layout;  // of the columns' names and row sizes
  std::uint64_t seq;
  std::array<std::uint8_t, 32> chain;
  std::array<char, 40> catalog_id;
};

struct Section {
  std::uint64_t offset;
  std::uint64_t bytes;
  std::uint32_t crc;
  std::uint32_t row_bytes;
};

// Changes when a column is added, renamed or laid out in another way.
std::uint64_t layout_of_columns() {
  std::uint64_t hash = 0xCBF29CE484222325ULL;  // FNV-1a
  const auto add = [&](unsigned char byte) {
    hash ^= byte;
    hash *= 0x100000001B3ULL;
  };
  Columns<Viewed> columns;
  for_each_column(
      [&](std::string_view name, const auto& column) {
        for (const char c : name) add(static_cast<unsigned char>(c));
        const std::size_t size = sizeof(column[0]);
        add(static_cast<unsigned char>(size));
        add(static_cast<unsigned char>(size >> 8));
      },
      columns);
  return hash;
}

std::size_t aligned(std::size_t at) { return (at + kAlignment - 1) / kAlignment * kAlignment; }

template <class T>
std::span<const std::byte> bytes_of(std::span<const T> rows) {
  static_assert(kIsFlat<T>);
  return std::as_bytes(rows);
}

class FileWriter {
 public:
  static Result<FileWriter> create(const std::filesystem::path& path) {
    FileWriter writer;
    writer.path_ = path.string() + fmt::format(".new-{}", ::getpid());
    writer.fd_ = ::open(writer.path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (writer.fd_ < 0) return fail(io::system_error(errno, "cannot create", writer.path_));
    return writer;
  }
  FileWriter(FileWriter&& other) noexcept
      : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}
  ~FileWriter() {
    if (fd_ < 0) return;
    ::close(fd_);
    ::unlink(path_.c_str());
  }
  Result<void> write_at(std::size_t offset, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return fail(io::system_error(errno, "cannot write", path_));
      bytes = bytes.subspan(static_cast<std::size_t>(count));
      offset += static_cast<std::size_t>(count);
    }
    return {};
  }
  // A cache needs no sync: a torn file fails its checksums and is rebuilt.
  Result<void> finish(const std::filesystem::path& path, std::size_t size) {
    if (::ftruncate(fd_, static_cast<off_t>(size)) != 0)
      return fail(io::system_error(errno, "cannot write", path_));
    if (::rename(path_.c_str(), path.c_str()) != 0)
      return fail(io::system_error(errno, "cannot replace", path));
    ::close(fd_);
    fd_ = -1;
    return {};
  }

 private:
  FileWriter() = default;
  std::string path_;
  int fd_ = -1;
};

std::unexpected<Error> corrupt(const std::filesystem::path& path, std::string_view what) {
  return fail(Code::kCorrupt, fmt::format("snapshot file '{}': {}", path.string(), what));
}

}  // namespace

Result<void> write_snapshot(const Snapshot& snapshot, std::string_view catalog_id,
                            const std::filesystem::path& path) {
  FileHeader header{};
  header.magic = kMagic;
  header.layout = layout_of_columns();
  header.seq = snapshot.seq();
  header.chain = snapshot.head().chain.bytes();
  std::copy_n(catalog_id.begin(), std::min(catalog_id.size(), header.catalog_id.size()),
              header.catalog_id.begin());
  std::vector<Section> sections;
  std::vector<std::span<const std::byte>> parts;
  for_each_column(
      [&](std::string_view, const auto& column) {
        const auto bytes = bytes_of(column);
        sections.push_back({0, bytes.size(), block_checksum(bytes),
                            static_cast<std::uint32_t>(sizeof(column[0]))});
        parts.push_back(bytes);
      },
      snapshot.columns());
  header.sections = static_cast<std::uint32_t>(sections.size());
  std::size_t at = aligned(sizeof header + sections.size() * sizeof(Section));
  for (Section& section : sections) {
    section.offset = at;
    at = aligned(at + section.bytes);
  }
  std::vector<std::byte> front(sizeof header + sections.size() * sizeof(Section));
  const auto fill = [&] {
    std::memcpy(front.data(), &header, sizeof header);
    std::memcpy(front.data() + sizeof header, sections.data(), sections.size() * sizeof(Section));
  };
  fill();
  header.header_crc = crc32c(front);
  fill();
  KI_TRY(FileWriter file, FileWriter::create(path));
  KI_TRY_VOID(file.write_at(0, front));
  for (std::size_t i = 0; i < parts.size(); ++i)
    KI_TRY_VOID(file.write_at(sections[i].offset, parts[i]));
  return file.finish(path, at);
}

namespace {

// Reads a part of the file without keeping it in memory: what answers need comes back by itself.
std::uint32_t checksum_of(const io::MappedFile& file, std::size_t offset,
                          std::span<const std::byte> part) {
  BlockChecksum checksum;
  for (std::size_t at = 0; at < part.size(); at += BlockChecksum::kBlock) {
    const std::size_t size = std::min(BlockChecksum::kBlock, part.size() - at);
    file.load_pages(offset + at, size);
    checksum.add(part.subspan(at, size));
    file.release_pages(offset + at, size);
  }
  return checksum.value();
}

}  // namespace

Result<std::shared_ptr<const Snapshot>> open_snapshot(const std::filesystem::path& path,
                                                      std::string_view catalog_id) {
  KI_TRY(io::MappedFile mapped, io::MappedFile::open(path));
  auto file = std::make_shared<const io::MappedFile>(std::move(mapped));
  const std::span<const std::byte> bytes = file->bytes();
  FileHeader header{};
  if (bytes.size() < sizeof header) return corrupt(path, "it is too short");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != kMagic) return corrupt(path, "it does not start as a snapshot");
  if (header.layout != layout_of_columns()) {
    return fail(
        Code::kConflict,
        fmt::format("snapshot file '{}' was written by another version of ki", path.string()));
  }
  const std::string_view id(header.catalog_id.data(),
                            std::min(catalog_id.size(), header.catalog_id.size()));
  if (id != catalog_id) {
    return fail(Code::kConflict,
                fmt::format("snapshot file '{}' belongs to another catalog", path.string()));
  }
  Columns<Viewed> columns;
  std::size_t expected = 0;
  for_each_column([&](std::string_view, const auto&) { ++expected; }, columns);
  const std::size_t front_size = sizeof header + expected * sizeof(Section);
  if (header.sections != expected || bytes.size() < front_size)
    return corrupt(path, "its section table is wrong");
  std::vector<std::byte> front(bytes.begin(),
                               bytes.begin() + static_cast<std::ptrdiff_t>(front_size));
  const std::uint32_t stated = header.header_crc;
  FileHeader unsigned_header = header;
  unsigned_header.header_crc = 0;
  std::memcpy(front.data(), &unsigned_header, sizeof unsigned_header);
  if (crc32c(front) != stated) return corrupt(path, "its header fails its checksum");
  std::string problem;
  std::size_t i = 0;
  for_each_column(
      [&]<class T>(std::string_view name, std::span<const T>& column) {
        Section section{};
        std::memcpy(&section, bytes.data() + sizeof header + i++ * sizeof section, sizeof section);
        if (!problem.empty()) return;
        if (section.row_bytes != sizeof(T) || section.bytes % sizeof(T) != 0 ||
            section.offset % kAlignment != 0 || section.offset > bytes.size() ||
            section.bytes > bytes.size() - section.offset) {
          problem = fmt::format("section '{}' does not fit", name);
          return;
        }
        const auto part = bytes.subspan(section.offset, section.bytes);
        if (checksum_of(*file, section.offset, part) != section.crc) {
          problem = fmt::format("section '{}' fails its checksum", name);
          return;
        }
        column = {reinterpret_cast<const T*>(part.data()), section.bytes / sizeof(T)};
      },
      columns);
  if (!problem.empty()) return corrupt(path, problem);
  return std::make_shared<const Snapshot>(std::move(file), columns,
                                          Head{header.seq, Digest(header.chain)});
}

}  // namespace ki::catalog
