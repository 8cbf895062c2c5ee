// Where a server takes notes: a desk over its own connection to the catalog.
#pragma once

#include "ki/base/clock.h"
#include "ki/base/result.h"
#include "ki/notes/desk.h"

#include <filesystem>
#include <functional>
#include <memory>

namespace ki::serve {

struct DeskOptions {
  std::filesystem::path catalog;
  notes::Takes takes = notes::Takes::kAnything;
  const Clock* clock = nullptr;  // never null
  notes::Quota::Limits limits = {};
  // Called after each note when the catalog has a transparency log, with the store: brings the
  // log's files up to date.
  std::function<void(catalog::Store&)> after_commit = {};
};

// What is filed goes through the catalog's transparency log where it has one. A note waits at most
// two seconds for another writer. Fails as opening a store does.
Result<std::shared_ptr<notes::Desk>> open_desk(const DeskOptions& options);

}  // namespace ki::serve
