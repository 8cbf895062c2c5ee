// in-toto Statement v1: a claim (predicate) about things named by their digests (subjects).
#pragma once

#include "ki/base/result.h"
#include "ki/digest/digest.h"

#include <string>
#include <string_view>
#include <vector>

namespace ki::sign {

inline constexpr std::string_view kStatementType = "https://in-toto.io/Statement/v1";

struct Subject {
  std::string name;
  Digest digest;  // SHA-256; other algorithms of a subject are ignored
  bool operator==(const Subject&) const = default;
};

struct Statement {
  std::vector<Subject> subjects;  // not empty
  std::string predicate_type;     // a URI
  std::string predicate;          // canonical JSON text of an object

  // Strict: exactly the members _type, subject, predicateType and predicate; each subject exactly a
  // name and a digest set with a lower-case hex sha256.
  static Result<Statement> parse(std::string_view json);
  std::string to_json() const;  // canonical JSON
  bool is_about(const Digest& digest) const;
};

}  // namespace ki::sign
