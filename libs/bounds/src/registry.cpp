#include "ki/bounds/registry.h"

#include "ki/json/reader.h"
#include "registry_text.h"

#include <fmt/format.h>

namespace ki::bounds {
namespace {

Result<Digest> operation_of(const json::Value& object) {
  const json::Value* digest = object.find("operation");
  if (digest == nullptr || !digest->is_string())
    return fail(Code::kInvalidArgument, "/operation: expected the digest of an operation");
  return Digest::parse(digest->string());
}

}  // namespace

Result<std::vector<DeclaredOperation>> declared_operations() {
  KI_TRY(const json::Document document, json::read_document(registry_text("operations")));
  std::vector<DeclaredOperation> out;
  for (const json::Value& item : document.root.items()) {
    const std::string pointer = fmt::format("/{}", out.size());
    KI_TRY(const Digest operation, operation_of(item));
    const json::Value* name = item.find("name");
    const json::Value* bound = item.find("bound");
    if (name == nullptr || !name->is_string() || bound == nullptr)
      return fail(Code::kInvalidArgument, pointer + ": name or bound is missing");
    KI_TRY(Declaration declaration, read_declaration(*bound, pointer + "/bound"));
    out.push_back({operation, std::string(name->string()), std::move(declaration)});
  }
  return out;
}

Result<ProblemBound> read_problem_bound(std::string_view bounds_json) {
  KI_TRY(const json::Document document, json::read_document(bounds_json));
  KI_TRY(const Digest operation, operation_of(document.root));
  const json::Value* bound = document.root.find("bound");
  if (bound == nullptr) return fail(Code::kInvalidArgument, "/bound: is missing");
  KI_TRY(Declaration declaration, read_declaration(*bound, "/bound"));
  return ProblemBound{operation, std::move(declaration)};
}

}  // namespace ki::bounds
