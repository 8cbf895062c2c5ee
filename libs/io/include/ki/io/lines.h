// LineReader: the lines of a plain or Zstandard file, one at a time, in bounded memory.
#pragma once

#include "ki/base/result.h"
#include "ki/io/zstd.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace ki::io {

class LineReader {
 public:
  // A line longer than `max_line` bytes is an error.
  static Result<LineReader> open(const std::filesystem::path& path,
                                 std::size_t max_line = std::size_t{64} << 20);

  // The next line without its line feed, valid until the next call; nothing at the end.
  Result<std::optional<std::string_view>> next();
  std::uint64_t line_number() const { return line_number_; }  // of the line returned last, from 1
  // False when the file ended without a line feed: it may have been cut.
  bool ended_with_newline() const { return ended_with_newline_; }
  const ByteSource& source() const { return source_; }

 private:
  LineReader(ByteSource source, std::size_t max_line)
      : source_(std::move(source)), max_line_(max_line) {}
  ByteSource source_;
  std::size_t max_line_;
  std::string_view chunk_;
  std::string partial_;
  std::uint64_t line_number_ = 0;
  bool ended_with_newline_ = true;
  bool is_partial_returned_ = false;
};

}  // namespace ki::io
