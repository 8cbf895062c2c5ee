// Strict reading of an object: every member taken by name, none left over. Private to the module.
#pragma once

#include "ki/base/instant.h"
#include "ki/base/result.h"
#include "ki/base/uuid.h"
#include "ki/digest/digest.h"
#include "ki/json/value.h"

#include <optional>
#include <string>
#include <string_view>

namespace ki::queue {

class Members {
 public:
  static Result<Members> of(const json::Value& value, std::string where);

  Result<const json::Value*> take(std::string_view name);
  Result<std::string> text(std::string_view name);
  Result<Digest> digest(std::string_view name);
  Result<std::optional<Digest>> optional_digest(std::string_view name);
  Result<Instant> instant(std::string_view name);
  Result<Uuid> uuid(std::string_view name);
  Result<std::int64_t> integer(std::string_view name, std::int64_t low, std::int64_t high);
  Result<bool> boolean(std::string_view name);
  Result<const json::Value*> array(std::string_view name);
  Result<Members> object(std::string_view name);
  Result<void> finish() const;
  std::unexpected<Error> wrong(std::string_view name, std::string_view what) const;

 private:
  Members(const json::Value& object, std::string where)
      : object_(&object), where_(std::move(where)) {}
  const json::Value* object_;
  std::string where_;
  std::size_t taken_ = 0;
};

}  // namespace ki::queue
