// Law: how the bytes are cut into pieces changes nothing: the same requests come out, or the same
// bytes are refused. Refusals have a 4xx or 5xx status and a sentence.
#include "request_reader.h"

#include <cstdlib>
#include <vector>

namespace {

using ki::http::RawRequest;
using ki::http::RequestReader;
using State = RequestReader::State;

struct Outcome {
  std::vector<RawRequest> requests;
  bool is_refused = false;
  bool operator==(const Outcome&) const = default;
};

// Small limits, so that inputs reach them.
const ki::http::ReadLimits kLimits{.header_bytes = 512, .header_count = 8, .body_bytes = 256};

Outcome read(std::string_view text, std::size_t step) {
  Outcome outcome;
  std::size_t begin = 0;
  std::size_t end = std::min(step, text.size());
  while (outcome.requests.size() < 16) {
    RequestReader reader(kLimits);
    for (;;) {
      begin += reader.feed(text.substr(begin, end - begin));
      if (begin > end) std::abort();
      if (reader.state() == State::kDone || reader.state() == State::kFailed) break;
      if (end == text.size()) return outcome;  // not whole
      end = std::min(end + step, text.size());
    }
    if (reader.state() == State::kFailed) {
      const auto& problem = reader.problem();
      if (problem.status < 400 || problem.status > 505 || problem.detail.empty()) std::abort();
      outcome.is_refused = true;
      return outcome;
    }
    const RawRequest& request = reader.request();
    if (request.method.empty() || request.target.empty()) std::abort();
    if (request.body.size() > kLimits.body_bytes) std::abort();
    if (request.headers.size() > kLimits.header_count) std::abort();
    if (request.version == 11 && !request.header("host")) std::abort();
    for (const auto& header : request.headers) {
      if (header.value.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos)
        std::abort();
    }
    outcome.requests.push_back(request);
  }
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t step = 1 + data[0] % 64;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Outcome whole = read(text, text.size() + 1);
  const Outcome pieces = read(text, step);
  if (whole.requests != pieces.requests) std::abort();
  // A refusal may wait for the end of a line that never comes; what is accepted may not differ.
  return 0;
}
