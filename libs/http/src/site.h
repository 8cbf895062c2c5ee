// Site: a request in, a reply out, without sockets: routing, conditions, content coding, caching
// and the header fields that every answer has.
#pragma once

#include "encoding.h"
#include "ki/base/clock.h"
#include "ki/http/edition.h"
#include "ki/http/metrics.h"
#include "request_reader.h"
#include "response_cache.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ki::http {

// An edition with the answers that were made of it.
struct Published {
  Published(std::shared_ptr<const Edition> of, std::size_t cache_bytes, Metrics& metrics);

  std::shared_ptr<const Edition> edition;
  std::vector<std::uint32_t> route_numbers;  // in metrics, by index of the edition's routes
  // By index of the routes: the last answer of this route must not be kept, so that threads need
  // not wait for each other to make one.
  std::vector<std::atomic<bool>> is_unkept;
  ResponseCache cache;
};

struct Reply {
  std::shared_ptr<const StoredReply> stored;
  bool is_not_modified = false;
  bool has_body = true;  // false for HEAD and 304
  bool is_from_cache = false;

  int status() const { return is_not_modified ? 304 : stored->status; }
  std::string_view head() const { return is_not_modified ? stored->not_modified : stored->head; }
  std::string_view body() const { return has_body ? stored->body.bytes() : std::string_view(); }
};

struct SiteOptions {
  std::string origin = {};  // public address without a final slash; "https:" turns HSTS on
  const Clock* clock = nullptr;
  std::function<void(std::string_view)> on_error = {};  // what handlers threw, for the log
};

class Site {
 public:
  Site(SiteOptions options, Metrics& metrics);

  // A request that must be made by a handler.
  struct Pending {
    std::shared_ptr<Published> published;
    Request request;
    const Route* route = nullptr;
    std::string key;  // of the response cache; empty: never kept
    Encoding encoding = Encoding::kIdentity;
    std::uint32_t route_number = 0;
  };

  // The reply, when no handler is needed for it; otherwise what finish() needs.
  std::variant<Reply, Pending> begin(std::shared_ptr<Published> published, RawRequest& raw,
                                     std::string client);
  Reply finish(Pending& pending);
  // The reply to a request that could not be read, or is refused.
  Reply refuse(const Problem& problem);

 private:
  Reply reply(std::shared_ptr<const StoredReply> stored, const Request& request,
              bool is_from_cache);
  std::shared_ptr<const StoredReply> make(const Published& published, const Route* route,
                                          std::uint32_t route_number, const Request& request,
                                          Encoding encoding, bool is_api, bool* may_keep);
  StoredReply render(Response response, std::string_view version, Encoding encoding, bool is_api,
                     bool is_kept) const;
  Response problem_response(const Published* published, const Request* request, bool is_api,
                            const Problem& problem);
  Response options(const Router::Match& match) const;
  std::string request_id() const;

  SiteOptions options_;
  Metrics& metrics_;
  std::string security_;        // header lines of every answer
  std::uint32_t unrouted_ = 0;  // metrics number of what no route answers
};

}  // namespace ki::http
