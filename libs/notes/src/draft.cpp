#include "ki/notes/draft.h"

#include "ki/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

namespace ki::notes {
namespace {

// The member of a request, each asked for once; what is wrong is collected in the order of asking.
class Members {
 public:
  Members(const json::Value& request, std::string_view what) : request_(request), what_(what) {
    if (!request.is_object()) refuse("", "wrong_type", "expected an object");
  }

  std::string choice(std::string_view name, std::span<const std::string_view> choices) {
    const json::Value* value = take(name);
    if (value != nullptr && value->is_string() &&
        std::ranges::find(choices, value->string()) != choices.end()) {
      return std::string(value->string());
    }
    std::string list;
    for (const std::string_view one : choices)
      list += fmt::format("{}{}", list.empty() ? "" : ", ", one);
    refuse(name, "unknown_value", fmt::format("expected one of {}", list));
    return {};
  }

  std::string words(std::string_view name, std::size_t max, bool is_required) {
    const json::Value* value = take(name);
    if (value == nullptr || value->is_null()) {
      if (is_required) refuse(name, "missing", "is missing");
      return {};
    }
    if (!value->is_string()) {
      refuse(name, "wrong_type", "expected a text");
      return {};
    }
    std::string text = clean(name, value->string());
    if (is_required && text.empty()) refuse(name, "empty", "is empty");
    if (const std::size_t length = utf16_length(text); length > max) {
      refuse(name, "too_long", fmt::format("has {} characters, at most {} are taken", length, max));
    }
    return text;
  }

  std::string url(std::string_view name, bool is_https) {
    std::string text = words(name, kMaxEvidenceUrl, false);
    if (text.empty()) return text;
    const bool has_scheme =
        text.starts_with("https://") || (!is_https && text.starts_with("http://"));
    const std::size_t host = text.find("://") + 3;
    const bool has_host = has_scheme && host < text.size() && text[host] != '/';
    const bool is_plain = std::ranges::none_of(text, [](char c) {
      return is_ascii_space(c) || c == '"' || c == '<' || c == '>' || c == '\\' || c == '`';
    });
    const std::string_view authority =
        has_host ? std::string_view(text).substr(host, text.find('/', host) - host)
                 : std::string_view();
    if (!has_host || !is_plain || authority.find('@') != std::string_view::npos) {
      refuse(name, "bad_url",
             fmt::format("expected an {} address without spaces and user names",
                         is_https ? "https" : "http or https"));
    }
    return text;
  }

  std::optional<double> positive(std::string_view name) {
    const json::Value* value = take(name);
    if (value == nullptr || value->is_null()) return std::nullopt;
    if (!value->is_number() || !(value->number() > 0)) {
      refuse(name, "bad_value", "expected a number above 0");
      return std::nullopt;
    }
    return value->number();
  }

  Result<void> finish() {
    if (request_.is_object()) {
      for (const json::Member& member : request_.members()) {
        if (std::ranges::find(taken_, member.key) == taken_.end()) {
          refuse(member.key, "unknown_member", "is no member of " + std::string(what_));
        }
      }
    }
    if (issues_.empty()) return {};
    const Issue& first = issues_.front();
    return fail(Error(Code::kInvalidArgument,
                      fmt::format("{} {}", first.pointer.empty() ? what_ : first.pointer.substr(1),
                                  first.message),
                      std::move(issues_)));
  }

 private:
  const json::Value* take(std::string_view name) {
    taken_.push_back(name);
    return request_.find(name);
  }
  void refuse(std::string_view name, std::string_view code, std::string message) {
    Issue issue;
    issue.code = code;
    if (!name.empty()) issue.pointer = fmt::format("/{}", name);
    issue.message = std::move(message);
    issues_.push_back(std::move(issue));
  }

  // Trimmed, with LF as line end. Control characters (but for LF and TAB) and marks that override
  // the direction of text have no place in a note: they make it read as something else.
  std::string clean(std::string_view name, std::string_view text) {
    std::string out;
    out.reserve(text.size());
    bool is_refused = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const auto byte = static_cast<unsigned char>(text[i]);
      if (byte == '\r') {
        out += '\n';
        if (i + 1 < text.size() && text[i + 1] == '\n') ++i;
        continue;
      }
      const std::string_view three = text.substr(i, 3);
      is_refused = is_refused || (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f ||
                   (byte == 0xc2 && static_cast<unsigned char>(text[i + 1]) < 0xa0) ||
                   (three >= "\u202a" && three <= "\u202e") ||
                   (three >= "\u2066" && three <= "\u2069");
      out += text[i];
    }
    if (is_refused) {
      refuse(name, "control_character",
             "holds control characters or marks that turn the direction of text around");
    }
    return std::string(trim(out));
  }

  const json::Value& request_;
  std::string_view what_;
  std::vector<std::string_view> taken_;
  std::vector<Issue> issues_;
};

}  // namespace

Result<Attestation> read_attestation(const json::Value& request) {
  Members members(request, "an attestation");
  Attestation out;
  out.type = members.choice("type", kAttestationTypes);
  out.body = members.words("body", kMaxAttestationBody, true);
  out.evidence_url = members.url("evidenceUrl", true);
  out.observed_ns = members.positive("observedNs");
  out.environment = members.words("environmentSummary", kMaxEnvironment, false);
  KI_TRY_VOID(members.finish());
  return out;
}

Result<Report> read_report(const json::Value& request) {
  Members members(request, "a report");
  Report out;
  out.reason = members.choice("reason", kReportReasons);
  out.detail = members.words("detail", kMaxReportDetail, true);
  out.evidence_url = members.url("evidenceUrl", false);
  KI_TRY_VOID(members.finish());
  return out;
}

}  // namespace ki::notes
