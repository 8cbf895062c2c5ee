#include "ki/sign/statement.h"

#include "ki/base/check.h"
#include "ki/json/canonical.h"
#include "ki/json/reader.h"
#include "ki/json/writer.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::sign {
namespace {

std::unexpected<Error> wrong(std::string message) {
  return fail(Code::kInvalidArgument, "in-toto statement: " + message);
}

Result<Subject> read_subject(const json::Value& value) {
  if (!value.is_object()) return wrong("a subject is not an object");
  for (const json::Member& member : value.members()) {
    if (member.key != "name" && member.key != "digest") {
      return wrong(fmt::format("'{}' of a subject is not understood", member.key));
    }
  }
  const json::Value* name = value.find("name");
  if (name == nullptr || !name->is_string() || name->string().empty()) {
    return wrong("a subject has no name");
  }
  const json::Value* digests = value.find("digest");
  const json::Value* sha256 = digests == nullptr ? nullptr : digests->find("sha256");
  if (sha256 == nullptr || !sha256->is_string()) return wrong("a subject has no digest.sha256");
  auto digest = Digest::parse("sha256:" + std::string(sha256->string()));
  if (!digest) return wrong("digest.sha256 of a subject is not 64 lower-case hex digits");
  return Subject{std::string(name->string()), *digest};
}

}  // namespace

Result<Statement> Statement::parse(std::string_view text) {
  KI_TRY(const json::Document document, json::read_document(text));
  const json::Value& root = document.root;
  if (!root.is_object()) return wrong("not an object");
  for (const json::Member& member : root.members()) {
    if (member.key != "_type" && member.key != "subject" && member.key != "predicateType" &&
        member.key != "predicate") {
      return wrong(fmt::format("'{}' is not a member of Statement v1", member.key));
    }
  }
  const json::Value* type = root.find("_type");
  if (type == nullptr || !type->is_string() || type->string() != kStatementType) {
    return wrong(fmt::format("'_type' is not {}", kStatementType));
  }
  Statement statement;
  const json::Value* subjects = root.find("subject");
  if (subjects == nullptr || !subjects->is_array() || subjects->items().empty()) {
    return wrong("'subject' is not an array of at least one subject");
  }
  for (const json::Value& item : subjects->items()) {
    KI_TRY(Subject subject, read_subject(item));
    statement.subjects.push_back(std::move(subject));
  }
  const json::Value* predicate_type = root.find("predicateType");
  if (predicate_type == nullptr || !predicate_type->is_string() ||
      predicate_type->string().find(':') == std::string_view::npos) {
    return wrong("'predicateType' is not a URI");
  }
  statement.predicate_type = predicate_type->string();
  const json::Value* predicate = root.find("predicate");
  if (predicate == nullptr || !predicate->is_object()) return wrong("'predicate' is not an object");
  statement.predicate = json::canonical(*predicate);
  return statement;
}

std::string Statement::to_json() const {
  KI_CHECK(!subjects.empty());
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  writer.member("_type", kStatementType);
  writer.key("predicate").raw(predicate);
  writer.member("predicateType", predicate_type);
  writer.key("subject").begin_array();
  for (const Subject& subject : subjects) {
    writer.begin_object().key("digest").begin_object();
    writer.member("sha256", subject.digest.hex()).end_object();
    writer.member("name", subject.name).end_object();
  }
  writer.end_array().end_object();
  return out;
}

bool Statement::is_about(const Digest& digest) const {
  return std::ranges::any_of(subjects, [&](const Subject& s) { return s.digest == digest; });
}

}  // namespace ki::sign
