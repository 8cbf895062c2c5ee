// Manifests of a bundle, validated and kept.
#pragma once

#include "ki/base/error.h"
#include "ki/digest/digest.h"
#include "ki/json/reader.h"
#include "ki/manifest/validator.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ki::publish {

struct Prepared {
  manifest::ManifestKind kind = manifest::ManifestKind::kOperationSpec;
  Digest digest = Digest::of({});
  std::string canonical;
  json::Document document;  // of `canonical`

  const json::Value& spec() const { return *document.root.find("spec"); }
  json::Value metadata() const {
    const json::Value* metadata = document.root.find("metadata");
    return metadata == nullptr ? json::Value() : *metadata;
  }
  // A text member of metadata, or empty.
  std::string_view metadata_text(std::string_view member) const {
    const json::Value* metadata = document.root.find("metadata");
    const json::Value* v = metadata == nullptr ? nullptr : metadata->find(member);
    return v != nullptr && v->is_string() ? v->string() : std::string_view();
  }
};

// Validates manifests one after another; every problem becomes an issue under the pointer given.
class Preparer {
 public:
  Preparer(manifest::Profile profile, std::vector<Issue>& issues)
      : validator_(profile), issues_(issues) {}

  std::optional<Prepared> prepare(std::string_view text, const std::string& pointer,
                                  std::initializer_list<manifest::ManifestKind> kinds);
  void refuse(std::string code, const std::string& pointer, std::string message,
              std::string fix = {});

 private:
  manifest::Validator validator_;
  std::vector<Issue>& issues_;
};

}  // namespace ki::publish
