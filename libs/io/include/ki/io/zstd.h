// Zstandard (RFC 8878) streams over files. Written frames carry a content checksum.
#pragma once

#include "ki/base/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace ki::io {

// Reads a plain or Zstandard file (told apart by the frame magic) as a stream of decompressed
// bytes.
class ByteSource {
 public:
  static Result<ByteSource> open(const std::filesystem::path& path);
  ~ByteSource();
  ByteSource(ByteSource&&) noexcept;
  ByteSource& operator=(ByteSource&&) noexcept;

  // The next bytes, valid until the next call; empty at the end. A frame that stops early or whose
  // checksum is wrong is Code::kCorrupt.
  Result<std::string_view> next();
  // Bytes of the file read so far, and its size: for progress.
  std::uint64_t position() const;
  std::uint64_t size() const;
  bool is_compressed() const;

 private:
  struct State;
  explicit ByteSource(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Writes one Zstandard frame to a new file beside `path`; finish() syncs it and renames it over
// `path`. Destroyed unfinished, it leaves nothing behind.
class ZstdWriter {
 public:
  static Result<ZstdWriter> create(const std::filesystem::path& path, int level);
  ~ZstdWriter();
  ZstdWriter(ZstdWriter&&) noexcept;
  ZstdWriter& operator=(ZstdWriter&&) noexcept;

  Result<void> write(std::string_view bytes);
  Result<void> finish();

 private:
  struct State;
  explicit ZstdWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

Result<std::string> zstd_compress(std::string_view bytes, int level);
// Fails with kCorrupt when the frame is damaged or would expand beyond `max_bytes`.
Result<std::string> zstd_decompress(std::string_view frame, std::size_t max_bytes);

}  // namespace ki::io
