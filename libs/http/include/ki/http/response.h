// Response: what a handler returns. The server adds ETag, Cache-Control, compression, security
// headers and Content-Length; HEAD and 304 follow from the answer to GET.
#pragma once

#include "ki/http/problem.h"
#include "ki/http/request.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ki::http {

// Bytes that any number of answers may share.
class Body {
 public:
  Body() = default;
  Body(std::string text)  // NOLINT(google-explicit-constructor): a text is a body
      : Body(std::make_shared<const std::string>(std::move(text))) {}
  Body(const char* text) : Body(std::string(text)) {}  // NOLINT(google-explicit-constructor)
  explicit Body(std::shared_ptr<const std::string> text)
      : bytes_(text ? std::string_view(*text) : std::string_view()), owner_(std::move(text)) {}
  // Bytes that stay valid as long as `owner` lives; no owner: as long as the program.
  explicit Body(std::string_view bytes, std::shared_ptr<const void> owner)
      : bytes_(bytes), owner_(std::move(owner)) {}

  std::string_view bytes() const { return bytes_; }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
  std::shared_ptr<const void> owner_;
};

// How long others may keep an answer (spec 07.1, 17 "HTTP identity"). Answers to GET of the first
// four classes carry an ETag, are answered 304, and are kept, compressed, until the catalog version
// changes: they may depend on nothing but the target and the edition (no header, no clock, no
// client).
enum class Cache : std::uint8_t {
  kRevalidate,  // no-cache: pages and dossiers
  kShort,       // public, s-maxage=60, stale-while-revalidate=300: class S
  kMedium,      // public, s-maxage=300, stale-while-revalidate=86400: class M
  kImmutable,   // public, max-age=31536000, immutable: content-addressed bytes only; set `etag`
  kUnset,       // no Cache-Control: answers to POST that change nothing
  kPrivate,     // private, no-store
  kNoStore,     // no-store
};

struct Response {
  int status = 200;
  std::string content_type = {};  // "text/html; charset=utf-8"; empty without a body
  Body body = {};
  Cache cache = Cache::kNoStore;
  std::string etag = {};             // without quotes; empty: the edition's (version, build, day)
  std::vector<Header> headers = {};  // more headers; values must not hold control bytes
  std::optional<Problem> problem = {};  // when set, it decides status and body

  static Response html(std::string text, Cache cache = Cache::kRevalidate);
  static Response json(std::string text, Cache cache = Cache::kRevalidate);
  static Response text(std::string text, Cache cache = Cache::kNoStore);
  // Status 301, 302, 303, 307 or 308. `location` is a path of this site or an absolute URL,
  // encoded.
  static Response redirect(int status, std::string location, Cache cache = Cache::kNoStore);
  static Response of(Problem problem);
  static Response of(const Error& error) { return of(problem_of(error)); }
};

}  // namespace ki::http
