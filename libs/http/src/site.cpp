#include "site.h"

#include "conditional.h"
#include "ki/base/check.h"
#include "ki/base/text.h"
#include "ki/base/uuid.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <random>
#include <utility>

namespace ki::http {
namespace {

// Compressing less than this saves nothing: it travels in one packet either way.
constexpr std::size_t kMinCompressed = 256;

std::string_view cache_control(Cache cache) {
  switch (cache) {
    case Cache::kRevalidate:
      return "no-cache";
    case Cache::kShort:
      return "public, s-maxage=60, stale-while-revalidate=300";
    case Cache::kMedium:
      return "public, s-maxage=300, stale-while-revalidate=86400";
    case Cache::kImmutable:
      return "public, max-age=31536000, immutable";
    case Cache::kUnset:
      return "";
    case Cache::kPrivate:
      return "private, no-store";
    case Cache::kNoStore:
      return "no-store";
  }
  return "";
}

bool is_kept(Cache cache) {
  return cache == Cache::kRevalidate || cache == Cache::kShort || cache == Cache::kMedium ||
         cache == Cache::kImmutable;
}

bool is_safe_field(const Header& header) {
  const auto is_control = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  };
  return !header.name.empty() && std::ranges::none_of(header.value, is_control) &&
         std::ranges::all_of(header.name, [](char c) { return is_ascii_alnum(c) || c == '-'; });
}

void add_field(std::string& head, std::string_view name, std::string_view value) {
  head.append(name).append(": ").append(value).append("\r\n");
}

Problem internal_problem() { return problem_of(Error(Code::kInternal, "")); }

// The methods of a path, as the field Allow lists them (RFC 9110 section 10.2.1).
std::string methods_of(const Router::Match& match) {
  std::vector<std::string> methods;
  methods.reserve(match.allowed.size());
  for (const Method method : match.allowed) methods.emplace_back(to_string(method));
  return join(methods, ", ");
}

// Posts of forms come from our own pages only. A client that is no browser sends no Origin.
bool is_foreign_post(const Request& request, std::string_view origin) {
  const auto from = request.header("origin");
  if (!from) return request.header("sec-fetch-site") == "cross-site";
  if (!origin.empty()) return *from != origin;
  const std::size_t scheme = from->find("://");
  if (scheme == std::string_view::npos) return true;
  return from->substr(scheme + 3) != request.header("host").value_or("");
}

}  // namespace

Published::Published(std::shared_ptr<const Edition> of, std::size_t cache_bytes, Metrics& metrics)
    : edition(std::move(of)), is_unkept(edition->router.routes().size()), cache(cache_bytes) {
  KI_CHECK(!edition->version.empty());
  KI_CHECK(std::ranges::all_of(edition->version, [](char c) {
    return is_ascii_alnum(c) || c == '.' || c == '-' || c == '_';
  }));
  for (const Route& route : edition->router.routes())
    route_numbers.push_back(metrics.route(route.pattern));
}

Site::Site(SiteOptions options, Metrics& metrics)
    : options_(std::move(options)), metrics_(metrics), unrouted_(metrics.route("(none)")) {
  KI_CHECK(options_.clock != nullptr);
  add_field(security_, "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
            "font-src 'self'; connect-src 'self'; manifest-src 'self'; object-src 'none'; "
            "base-uri 'self'; form-action 'self'; frame-ancestors 'none'");
  add_field(security_, "X-Content-Type-Options", "nosniff");
  add_field(security_, "Referrer-Policy", "strict-origin-when-cross-origin");
  add_field(security_, "Permissions-Policy", "camera=(), geolocation=(), microphone=()");
  // RFC 6797 section 7.2: never over plain HTTP.
  if (options_.origin.starts_with("https:"))
    add_field(security_, "Strict-Transport-Security", "max-age=31536000");
}

std::string Site::request_id() const {
  thread_local UuidSource source([] {
    std::random_device device;
    return (std::uint64_t{device()} << 32) | device();
  }());
  return source.next(options_.clock->now()).to_string();
}

Response Site::problem_response(const Published* published, const Request* request, bool is_api,
                                const Problem& problem) {
  Response response;
  const bool wants_page =
      published != nullptr && request != nullptr && !is_api &&
      published->edition->problem_page != nullptr &&
      request->header("accept").value_or("").find("text/html") != std::string_view::npos;
  if (wants_page) {
    try {
      response = published->edition->problem_page(*request, problem);
    } catch (const std::exception& e) {
      metrics_.handler_failures.fetch_add(1, std::memory_order_relaxed);
      if (options_.on_error)
        options_.on_error(fmt::format("the problem page failed: {}", e.what()));
      response = {};
    }
  }
  if (response.body.size() == 0) {
    response.content_type = "application/problem+json";
    response.body = problem_json(problem, request_id(), options_.origin);
  }
  response.status = problem.status;
  response.cache = Cache::kNoStore;
  response.problem.reset();
  if (problem.retry_after_seconds)
    response.headers.push_back({"Retry-After", std::to_string(*problem.retry_after_seconds)});
  return response;
}

StoredReply Site::render(Response response, std::string_view version, Encoding encoding,
                         bool is_api, bool is_kept_reply) const {
  StoredReply out;
  out.status = response.status;
  const bool compressible = is_compressible(response.content_type);
  std::string_view used_encoding;
  if (compressible && encoding != Encoding::kIdentity && response.body.size() >= kMinCompressed) {
    std::string compressed =
        compress(response.body.bytes(), encoding, is_kept_reply ? Effort::kKept : Effort::kOnce);
    if (compressed.size() < response.body.size()) {
      response.body = Body(std::move(compressed));
      used_encoding = to_string(encoding);
    }
  }
  std::string shared;  // fields of 200 and of 304 (RFC 9110 section 15.4.5)
  if (const auto control = cache_control(response.cache); !control.empty())
    add_field(shared, "Cache-Control", control);
  if (compressible) add_field(shared, "Vary", "Accept-Encoding");
  if (is_kept(response.cache) && response.status == 200) {
    out.etag = fmt::format("\"{}{}{}\"", response.etag.empty() ? version : response.etag,
                           used_encoding.empty() ? "" : "-", used_encoding);
    add_field(shared, "ETag", out.etag);
  }
  if (is_api) {
    add_field(shared, "Access-Control-Allow-Origin", "*");
    add_field(shared, "Access-Control-Expose-Headers", "ETag, Link, Location, Retry-After");
  }
  out.not_modified = shared;
  out.head = std::move(shared);
  if (!response.content_type.empty()) add_field(out.head, "Content-Type", response.content_type);
  if (!used_encoding.empty()) add_field(out.head, "Content-Encoding", used_encoding);
  for (const Header& header : response.headers) add_field(out.head, header.name, header.value);
  out.head += security_;
  // RFC 9110 section 8.6: none in an answer 204.
  if (response.status != 204)
    add_field(out.head, "Content-Length", std::to_string(response.body.size()));
  out.body = std::move(response.body);
  return out;
}

std::shared_ptr<const StoredReply> Site::make(const Published& published, const Route* route,
                                              std::uint32_t route_number, const Request& request,
                                              Encoding encoding, bool is_api, bool* may_keep) {
  Response response;
  try {
    response = route->handle(request);
    if (!std::ranges::all_of(response.headers, is_safe_field))
      throw std::runtime_error("a header field holds control bytes");
  } catch (const std::exception& e) {
    metrics_.handler_failures.fetch_add(1, std::memory_order_relaxed);
    if (options_.on_error) {
      options_.on_error(fmt::format("{} {} failed: {}", to_string(request.method),
                                    request.target.canonical(), e.what()));
    }
    response = Response::of(internal_problem());
  }
  if (response.problem) {
    // A copy: the problem belongs to the response that is replaced.
    const Problem problem = *response.problem;
    auto more = std::move(response.headers);
    response = problem_response(&published, &request, is_api, problem);
    response.headers.insert(response.headers.end(), more.begin(), more.end());
  } else if (response.status >= 400) {
    response.cache = Cache::kNoStore;
  }
  *may_keep = response.status == 200 && is_kept(response.cache) && request.method == Method::kGet;
  auto stored = std::make_shared<StoredReply>(
      render(std::move(response), published.edition->version, encoding, is_api, *may_keep));
  stored->route = route_number;
  return stored;
}

Reply Site::reply(std::shared_ptr<const StoredReply> stored, const Request& request,
                  bool is_from_cache) {
  Reply out{.stored = std::move(stored), .is_from_cache = is_from_cache};
  const bool is_read = request.method == Method::kGet || request.method == Method::kHead;
  if (is_read && !out.stored->etag.empty()) {
    if (const auto field = request.header("if-none-match"))
      out.is_not_modified = none_match_names(*field, out.stored->etag);
  }
  out.has_body = !out.is_not_modified && request.method != Method::kHead;
  return out;
}

Response Site::options(const Router::Match& match) const {
  Response response{.status = 204};
  const std::string list = methods_of(match);
  response.headers.push_back({"Allow", list});
  if (match.is_api) {
    response.headers.push_back({"Access-Control-Allow-Methods", list});
    response.headers.push_back({"Access-Control-Allow-Headers", "Content-Type, Authorization"});
    response.headers.push_back({"Access-Control-Max-Age", "86400"});
  }
  return response;
}

std::variant<Reply, Site::Pending> Site::begin(std::shared_ptr<Published> published,
                                               RawRequest& raw, std::string client) {
  Request request;
  request.headers = std::move(raw.headers);
  request.body = std::move(raw.body);
  request.client = std::move(client);

  const auto immediate = [&](Response response, bool is_api) {
    auto stored = std::make_shared<StoredReply>(render(
        std::move(response), published->edition->version, Encoding::kIdentity, is_api, false));
    stored->route = unrouted_;
    return reply(std::move(stored), request, false);
  };
  const auto refused = [&](const Problem& problem, bool is_api, std::string allow = "") {
    Response response = problem_response(published.get(), &request, is_api, problem);
    if (!allow.empty()) response.headers.push_back({"Allow", std::move(allow)});
    return immediate(std::move(response), is_api);
  };

  const auto method = parse_method(raw.method);
  if (!method) {
    return refused({.status = 501,
                    .code = "NOT_IMPLEMENTED",
                    .detail = fmt::format("no method {} here", quote(raw.method))},
                   false);
  }
  request.method = *method;
  const Router& router = published->edition->router;
  if (*method == Method::kOptions && raw.target == "*") {
    Router::Match any;
    any.allowed = {Method::kGet, Method::kHead, Method::kPost, Method::kOptions};
    return immediate(options(any), false);
  }
  auto target = parse_target(raw.target);
  if (!target) return refused(target.error(), false);
  request.target = *std::move(target);

  Pending pending;
  const bool is_read = *method == Method::kGet || *method == Method::kHead;
  pending.encoding = preferred_encoding(request.header("accept-encoding").value_or(""));
  if (is_read) {
    pending.key = request.target.canonical();
    pending.key += '\n';
    pending.key += static_cast<char>('0' + static_cast<int>(pending.encoding));
    if (auto kept = published->cache.find(pending.key)) {
      metrics_.cache_hits.fetch_add(1, std::memory_order_relaxed);
      return reply(std::move(kept), request, true);
    }
  }

  Router::Match match = router.match(*method, request.path());
  if (*method == Method::kOptions && !match.allowed.empty())
    return immediate(options(match), match.is_api);
  if (match.route == nullptr) {
    const bool is_api = match.is_api || request.path().starts_with(published->edition->api_prefix);
    if (!match.allowed.empty()) {
      const std::string list = methods_of(match);
      return refused(
          {.status = 405,
           .code = "METHOD_NOT_ALLOWED",
           .detail = fmt::format("{} is not allowed here; allowed: {}", to_string(*method), list)},
          is_api, list);
    }
    if (is_read && request.path().size() > 1 && request.path().ends_with('/')) {
      Target without = request.target;
      without.path.pop_back();
      if (router.match(Method::kGet, without.path).route != nullptr)
        return immediate(Response::redirect(308, without.canonical()), is_api);
    }
    return refused({.status = 404,
                    .code = "NOT_FOUND",
                    .detail = fmt::format("there is nothing at {}", quote(request.path()))},
                   is_api);
  }
  if (!is_read && (!match.route->is_api || match.route->is_write) &&
      is_foreign_post(request, options_.origin)) {
    return refused({.status = 403,
                    .code = "FORBIDDEN",
                    .detail = "what stores something is taken from this site's own pages, and "
                              "from programs that are no browser"},
                   match.route->is_api);
  }
  pending.route = match.route;
  request.parameters = std::move(match.parameters);
  pending.request = std::move(request);
  pending.route_number =
      published->route_numbers[static_cast<std::size_t>(match.route - router.routes().data())];
  pending.published = std::move(published);
  return pending;
}

Reply Site::finish(Pending& pending) {
  Published& published = *pending.published;
  // Handlers see HEAD as GET: the answer kept for one serves the other.
  const Method asked = std::exchange(pending.request.method, pending.request.method == Method::kHead
                                                                 ? Method::kGet
                                                                 : pending.request.method);
  const auto make_reply = [&](bool* may_keep) {
    return make(published, pending.route, pending.route_number, pending.request, pending.encoding,
                pending.route->is_api, may_keep);
  };
  std::shared_ptr<const StoredReply> unkept;
  std::shared_ptr<const StoredReply> stored;
  std::atomic<bool>& is_unkept = published.is_unkept[static_cast<std::size_t>(
      pending.route - published.edition->router.routes().data())];
  if (!pending.key.empty() && !is_unkept.load(std::memory_order_relaxed)) {
    stored = published.cache.find_or_make(pending.key, [&]() -> std::shared_ptr<const StoredReply> {
      bool may_keep = false;
      auto made = make_reply(&may_keep);
      if (may_keep) {
        metrics_.cache_misses.fetch_add(1, std::memory_order_relaxed);
        return made;
      }
      unkept = std::move(made);
      return nullptr;
    });
    if (!stored) {
      stored = std::move(unkept);
      if (stored == nullptr) {  // another thread's answer must not be kept; this is ours
        bool may_keep = false;
        stored = make_reply(&may_keep);
      }
      if (stored->status == 200) is_unkept.store(true, std::memory_order_relaxed);
    }
  } else {
    bool may_keep = false;
    stored = make_reply(&may_keep);
  }
  pending.request.method = asked;
  return reply(std::move(stored), pending.request, false);
}

Reply Site::refuse(const Problem& problem) {
  auto stored = std::make_shared<StoredReply>(render(
      problem_response(nullptr, nullptr, true, problem), "", Encoding::kIdentity, true, false));
  stored->route = unrouted_;
  return {.stored = std::move(stored)};
}

}  // namespace ki::http
