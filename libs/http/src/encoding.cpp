#include "encoding.h"

#include "ki/base/check.h"
#include "ki/base/text.h"

#include <libdeflate.h>
#include <zstd.h>

#include <memory>
#include <optional>

namespace ki::http {
namespace {

// Fast enough that a page of 30 kB costs a few dozen microseconds (bench/http).
constexpr int kGzipOnce = 1;
constexpr int kGzipKept = 6;
constexpr int kZstdOnce = 1;
constexpr int kZstdKept = 6;

// A qvalue in thousandths: 0 to 1 with at most three decimals (RFC 9110 section 12.4.2).
std::optional<int> parse_qvalue(std::string_view text) {
  if (text.empty() || (text[0] != '0' && text[0] != '1')) return std::nullopt;
  int thousandths = (text[0] - '0') * 1000;
  if (text.size() == 1) return thousandths;
  if (text[1] != '.' || text.size() > 5) return std::nullopt;
  int unit = 100;
  for (const char c : text.substr(2)) {
    if (!is_ascii_digit(c)) return std::nullopt;
    thousandths += (c - '0') * unit;
    unit /= 10;
  }
  return thousandths <= 1000 ? std::optional(thousandths) : std::nullopt;
}

struct GzipDeleter {
  void operator()(libdeflate_compressor* c) const { libdeflate_free_compressor(c); }
};
struct ZstdDeleter {
  void operator()(ZSTD_CCtx* c) const { ZSTD_freeCCtx(c); }
};

std::string gzip(std::string_view bytes, int level) {
  using Compressor = std::unique_ptr<libdeflate_compressor, GzipDeleter>;
  thread_local std::array<Compressor, 13> compressors;
  Compressor& compressor = compressors[static_cast<std::size_t>(level)];
  if (!compressor) compressor.reset(libdeflate_alloc_compressor(level));
  KI_CHECK(compressor != nullptr);
  std::string out(libdeflate_gzip_compress_bound(compressor.get(), bytes.size()), '\0');
  const std::size_t size = libdeflate_gzip_compress(compressor.get(), bytes.data(), bytes.size(),
                                                    out.data(), out.size());
  KI_CHECK(size > 0);  // the bound suffices
  return out.substr(0, size);
}

std::string zstd(std::string_view bytes, int level) {
  thread_local const std::unique_ptr<ZSTD_CCtx, ZstdDeleter> context(ZSTD_createCCtx());
  KI_CHECK(context != nullptr);
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size =
      ZSTD_compressCCtx(context.get(), out.data(), out.size(), bytes.data(), bytes.size(), level);
  KI_CHECK(ZSTD_isError(size) == 0);
  return out.substr(0, size);
}

}  // namespace

std::string_view to_string(Encoding encoding) {
  switch (encoding) {
    case Encoding::kIdentity:
      return "identity";
    case Encoding::kGzip:
      return "gzip";
    case Encoding::kZstd:
      return "zstd";
  }
  return "";
}

Encoding preferred_encoding(std::string_view accept_encoding) {
  std::optional<int> identity, gzip, zstd, any;
  for (const std::string_view item : split(accept_encoding, ',')) {
    const std::size_t semicolon = item.find(';');
    const std::string_view name = trim(item.substr(0, semicolon));
    int weight = 1000;
    if (semicolon != std::string_view::npos) {
      const std::string_view parameter = trim(item.substr(semicolon + 1));
      const std::size_t equals = parameter.find('=');
      if (equals == std::string_view::npos ||
          !equals_ignoring_case(trim(parameter.substr(0, equals)), "q"))
        continue;
      const auto q = parse_qvalue(trim(parameter.substr(equals + 1)));
      if (!q) continue;  // what is not understood is not accepted
      weight = *q;
    }
    if (equals_ignoring_case(name, "gzip") || equals_ignoring_case(name, "x-gzip"))
      gzip = weight;
    else if (equals_ignoring_case(name, "zstd"))
      zstd = weight;
    else if (equals_ignoring_case(name, "identity"))
      identity = weight;
    else if (name == "*")
      any = weight;
  }
  const int zstd_weight = zstd.value_or(any.value_or(0));
  const int gzip_weight = gzip.value_or(any.value_or(0));
  // Identity is always acceptable unless it is excluded; unstated, anything that is named beats it.
  const int identity_weight = identity.value_or(any == 0 ? 0 : 1);
  if (zstd_weight > 0 && zstd_weight >= gzip_weight && zstd_weight >= identity_weight)
    return Encoding::kZstd;
  if (gzip_weight > 0 && gzip_weight >= identity_weight) return Encoding::kGzip;
  return Encoding::kIdentity;
}

bool is_compressible(std::string_view content_type) {
  const std::string_view type = trim(content_type.substr(0, content_type.find(';')));
  return type.starts_with("text/") || type.ends_with("+json") || type.ends_with("+xml") ||
         type == "application/json" || type == "application/x-ndjson" ||
         type == "application/xml" || type == "application/javascript" ||
         type == "application/yaml";
}

std::string compress(std::string_view bytes, Encoding encoding, Effort effort) {
  switch (encoding) {
    case Encoding::kIdentity:
      return std::string(bytes);
    case Encoding::kGzip:
      return gzip(bytes, effort == Effort::kOnce ? kGzipOnce : kGzipKept);
    case Encoding::kZstd:
      return zstd(bytes, effort == Effort::kOnce ? kZstdOnce : kZstdKept);
  }
  KI_CHECK(false && "not an encoding");
}

}  // namespace ki::http
