#include "ki/sign/dsse.h"

#include "ki/base/base64.h"
#include "ki/base/check.h"
#include "ki/json/reader.h"
#include "ki/json/writer.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::sign {
namespace {

constexpr std::size_t kMaxSignatures = 16;

class EnvelopeReader {
 public:
  Result<Envelope> read(const json::Value& root) {
    if (!root.is_object()) return fail(Code::kInvalidArgument, "an envelope is a JSON object");
    only(root, "", {"payloadType", "payload", "signatures"});
    envelope_.payload_type = text(root, "", "payloadType");
    if (envelope_.payload_type.empty()) issue("/payloadType", "expected a media type");
    decode(root, "", "payload", envelope_.payload);
    const json::Value* list = root.find("signatures");
    if (list == nullptr || !list->is_array() || list->items().empty() ||
        list->items().size() > kMaxSignatures) {
      issue("/signatures", fmt::format("expected 1 to {} signatures", kMaxSignatures));
    } else {
      for (std::size_t i = 0; i < list->items().size(); ++i) {
        read_signature(list->items()[i], fmt::format("/signatures/{}", i));
      }
    }
    if (issues_.empty()) return std::move(envelope_);
    return fail(Error(Code::kInvalidArgument, "this is no DSSE envelope", std::move(issues_)));
  }

 private:
  void issue(std::string pointer, std::string message) {
    issues_.push_back({.code = "BAD_ENVELOPE",
                       .pointer = std::move(pointer),
                       .message = std::move(message),
                       .fix = {}});
  }
  void only(const json::Value& object, const std::string& at,
            std::initializer_list<std::string_view> known) {
    for (const json::Member& member : object.members()) {
      if (std::ranges::find(known, member.key) == known.end())
        issue(at + "/" + std::string(member.key), "an unknown member, which nobody signed");
    }
  }
  std::string text(const json::Value& object, const std::string& at, std::string_view name,
                   bool is_optional = false) {
    const json::Value* value = object.find(name);
    if (value != nullptr && value->is_string()) return std::string(value->string());
    if (value != nullptr || !is_optional) issue(at + "/" + std::string(name), "expected a text");
    return {};
  }
  void decode(const json::Value& object, const std::string& at, std::string_view name,
              std::string& into) {
    const std::size_t before = issues_.size();
    const std::string encoded = text(object, at, name);
    if (issues_.size() != before) return;
    auto bytes = parse_any_base64(encoded);
    if (bytes) {
      into = *std::move(bytes);
    } else {
      issue(at + "/" + std::string(name), "expected base64");
    }
  }
  void read_signature(const json::Value& value, const std::string& at) {
    if (!value.is_object()) return issue(at, "expected an object with keyid and sig");
    only(value, at, {"keyid", "sig"});
    Envelope::Signed& one = envelope_.signatures.emplace_back();
    one.key_id = text(value, at, "keyid", true);
    decode(value, at, "sig", one.signature);
  }

  Envelope envelope_;
  std::vector<Issue> issues_;
};

}  // namespace

std::string pae(std::string_view payload_type, std::string_view payload) {
  return fmt::format("DSSEv1 {} {} {} {}", payload_type.size(), payload_type, payload.size(),
                     payload);
}

Envelope sign_envelope(std::string payload_type, std::string payload, const PrivateKey& key) {
  const Signature signature = key.sign(pae(payload_type, payload));
  return {.payload_type = std::move(payload_type),
          .payload = std::move(payload),
          .signatures = {{key.public_key().key_id(), std::string(view(signature))}}};
}

std::string to_json(const Envelope& envelope) {
  std::string out;
  json::Writer w(out);
  w.begin_object()
      .member("payloadType", envelope.payload_type)
      .member("payload", base64(envelope.payload))
      .key("signatures")
      .begin_array();
  for (const Envelope::Signed& one : envelope.signatures) {
    w.begin_object().member("keyid", one.key_id).member("sig", base64(one.signature)).end_object();
  }
  w.end_array().end_object();
  return out;
}

Result<Envelope> read_envelope(std::string_view json) {
  KI_TRY(const json::Document document, json::read_document(json));
  return EnvelopeReader().read(document.root);
}

std::vector<PublicKey> verified_keys(const Envelope& envelope, std::span<const PublicKey> trusted) {
  const std::string message = pae(envelope.payload_type, envelope.payload);
  std::vector<PublicKey> keys;
  for (const PublicKey& key : trusted) {
    if (std::ranges::find(keys, key) != keys.end()) continue;
    if (std::ranges::any_of(envelope.signatures, [&](const Envelope::Signed& one) {
          return key.verify(message, one.signature);
        })) {
      keys.push_back(key);
    }
  }
  return keys;
}

bool is_signed_by(const Envelope& envelope, std::span<const PublicKey> trusted,
                  std::size_t threshold) {
  KI_CHECK(threshold >= 1);
  return verified_keys(envelope, trusted).size() >= threshold;
}

}  // namespace ki::sign
