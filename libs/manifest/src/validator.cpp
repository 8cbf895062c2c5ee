#include "ki/manifest/validator.h"

#include "checker.h"
#include "definitions.h"
#include "ki/base/text.h"
#include "ki/digest/sha256.h"
#include "ki/json/reader.h"
#include "ki/yaml/reader.h"

#include <fmt/format.h>

#include <optional>

namespace ki::manifest {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kMaxBytes = 1'048'576;  // spec 01.6

bool looks_like_json(std::string_view text) {
  for (const char c : text) {
    if (!is_ascii_space(c)) return c == '{' || c == '[';
  }
  return false;
}

}  // namespace

struct Validator::Impl {
  explicit Impl(Profile profile) : checker(profile) {}

  Checker checker;
  json::Reader reader;
  json::Document yaml;
  Sha256 hasher;
  std::vector<Issue> warnings;

  Result<ValidManifest> refuse(std::optional<ManifestKind> kind) {
    std::vector<Issue> issues = checker.take_issues();
    const std::string what =
        kind ? fmt::format("the {} manifest", to_string(*kind)) : std::string("the manifest");
    std::string message = issues.size() == 1
                              ? what + " has a problem"
                              : fmt::format("{} has {} problems", what, issues.size());
    return fail(Error(Code::kInvalidArgument, std::move(message), std::move(issues)));
  }

  Result<ValidManifest> validate(const json::Value& manifest, std::string_view text) {
    checker.start(text);
    std::optional<ManifestKind> kind;
    const json::Value* kind_value = manifest.find("kind");
    if (kind_value != nullptr && kind_value->is_string()) kind = parse_kind(kind_value->string());
    const json::Value root =
        checker.check(manifest, kind ? manifest_type(*kind) : unknown_manifest_type());
    warnings = checker.take_warnings();
    if (checker.has_issues()) return refuse(kind);

    const std::string_view canonical = checker.canonical().view();
    // The digested text is the canonical text without the member metadata.
    static constexpr std::string_view kMetadataKey = ",\"metadata\":";
    const std::size_t before_metadata = prefix_length(*kind);
    KI_CHECK(canonical.substr(before_metadata).starts_with(kMetadataKey));
    hasher.update(canonical.substr(0, before_metadata));
    hasher.update(canonical.substr(checker.spec_begin()));
    return ValidManifest{.kind = *kind,
                         .root = root,
                         .metadata = *root.find("metadata"),
                         .spec = *root.find("spec"),
                         .canonical = canonical,
                         .digest = hasher.finish()};
  }

  // Length of {"apiVersion":"kernelindex.dev/v1alpha1","kind":"<kind>"
  static std::size_t prefix_length(ManifestKind kind) {
    constexpr std::string_view kBegin = R"({"apiVersion":"","kind":"")";
    return kBegin.size() + kApiVersion.size() + to_string(kind).size();
  }

  Result<ValidManifest> validate_spec(ManifestKind kind, const json::Value& spec,
                                      std::string_view text) {
    checker.start(text);
    TextBuffer& out = checker.canonical();
    out.put(R"({"apiVersion":")");
    out.put(kApiVersion);
    out.put(R"(","kind":")");
    out.put(to_string(kind));
    out.put(R"(","spec":)");
    const json::Value normalised = checker.check(spec, spec_type(kind));
    out.put('}');
    warnings = checker.take_warnings();
    if (checker.has_issues()) return refuse(kind);
    hasher.update(out.view());
    return ValidManifest{.kind = kind,
                         .root = {},
                         .metadata = {},
                         .spec = normalised,
                         .canonical = out.view(),
                         .digest = hasher.finish()};
  }

  Result<ValidManifest> read(std::string_view text, TextForm form) {
    warnings.clear();
    if (text.size() > kMaxBytes) {
      return fail(
          Error(Code::kInvalidArgument, "the text is too large",
                {{"too_large", "", 0, 0,
                  fmt::format("the text has {} bytes; at most {} are read", text.size(), kMaxBytes),
                  "split it"}}));
    }
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    if (form == TextForm::kJson || (form == TextForm::kAuto && looks_like_json(text))) {
      KI_TRY(const json::Value value, reader.read(text));
      return validate(value, text);
    }
    KI_TRY(yaml, yaml::read(text));
    return validate(yaml.root, text);
  }
};

Validator::Validator(Profile profile) : impl_(std::make_unique<Impl>(profile)) {}
Validator::~Validator() = default;
Validator::Validator(Validator&&) noexcept = default;
Validator& Validator::operator=(Validator&&) noexcept = default;

Result<ValidManifest> Validator::read(std::string_view text, TextForm form) {
  return impl_->read(text, form);
}
Result<ValidManifest> Validator::validate(const json::Value& manifest, std::string_view text) {
  return impl_->validate(manifest, text);
}
Result<ValidManifest> Validator::validate_spec(ManifestKind kind, const json::Value& spec,
                                               std::string_view text) {
  return impl_->validate_spec(kind, spec, text);
}
void Validator::collect_warnings(bool is_on) { impl_->checker.collect_warnings(is_on); }
std::span<const Issue> Validator::warnings() const { return impl_->warnings; }

}  // namespace ki::manifest
