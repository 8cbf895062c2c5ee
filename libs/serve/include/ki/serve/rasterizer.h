// Rasterizer: SVG pictures as PNG, made by rsvg-convert (librsvg) in a process of its own with
// limits on time, memory, output and how many run at once.
#pragma once

#include "ki/digest/digest.h"
#include "ki/http/problem.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace ki::serve {

class Rasterizer {
 public:
  struct Limits {
    std::chrono::milliseconds time{5000};       // of one picture
    std::uint64_t memory_bytes = 512ULL << 20;  // address space of the process
    std::uint64_t output_bytes = 8ULL << 20;    // of a PNG
    std::uint64_t svg_bytes = 1ULL << 20;       // of an SVG
    unsigned concurrent = 2;                    // processes at once
    std::chrono::milliseconds wait{2000};       // for one of them to end
    std::uint64_t cache_bytes = 32ULL << 20;    // of pictures that are kept, by content
  };
  // `program`: what reads an SVG from standard input and writes a PNG to standard output.
  explicit Rasterizer(std::filesystem::path program, const Limits& limits);
  explicit Rasterizer(std::filesystem::path program = "/usr/bin/rsvg-convert")
      : Rasterizer(std::move(program), Limits()) {}

  // Whether the program is there now.
  bool is_available() const;

  // The PNG of an SVG; the same bytes for the same SVG, kept. From any thread.
  // Problems: 501 PNG_NOT_AVAILABLE, which says what to install; 503 UNAVAILABLE when too many are
  // being made; 500 PICTURE_FAILED when the program failed or broke a limit.
  std::expected<std::shared_ptr<const std::string>, http::Problem> png(std::string_view svg);

  std::uint64_t processes() const;  // started so far

 private:
  std::expected<std::string, http::Problem> convert(std::string_view svg) const;
  void keep(const Digest& key, std::shared_ptr<const std::string> picture);

  const std::filesystem::path program_;
  const Limits limits_;
  mutable std::mutex mutex_;
  std::condition_variable ended_;
  unsigned running_ = 0;
  std::uint64_t started_ = 0;
  struct Kept {
    std::shared_ptr<const std::string> picture;
    std::list<Digest>::iterator place;
  };
  std::map<Digest, Kept> kept_;
  std::list<Digest> order_;  // used last first
  std::uint64_t kept_bytes_ = 0;
};

}  // namespace ki::serve
