// Reader: where the reading commands get their answers from: the API of a server (--api URL), or
// the same operations on a catalog of this machine. One code makes both answers.
#pragma once

#include "command.h"
#include "ki/api/operation.h"
#include "ki/api/site.h"
#include "ki/json/reader.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ki::cli {

using Values = std::vector<std::pair<std::string, std::string>>;

class Reader {
 public:
  // Opens the catalog, unless --api or $KI_API names a server. With kWrite operations that store
  // something may be asked too.
  static Result<Reader> open(const Context& context,
                             Context::Access access = Context::Access::kRead);

  // Whether a server answers, not a catalog of this machine.
  bool is_remote() const { return !server_.empty(); }
  // The text of an answer. The API's problems come back as errors, with their issues.
  Result<std::string> ask(std::string_view operation, const Values& values, std::string body = {});
  // The same, read.
  Result<json::Document> read(std::string_view operation, const Values& values,
                              std::string body = {});

 private:
  std::optional<OpenCatalog> catalog_;
  std::shared_ptr<const api::Site> site_;
  std::string server_;  // its address; empty: the catalog answers
};

// The values of an operation's parameters that the command's options state, but for the limit.
Values values_of(const Context& context, const api::Operation& operation);
// The options of the parameters of operations, each once.
std::vector<Option> options_of(std::initializer_list<std::string_view> operations);

// The document as people read JSON: indented.
std::string pretty(const json::Value& value);

}  // namespace ki::cli
