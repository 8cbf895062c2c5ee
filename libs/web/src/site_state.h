// What all pages of one catalog version share.
#pragma once

#include "assets.h"
#include "ki/views/parts.h"
#include "ki/web/site.h"

#include <memory>
#include <string>
#include <string_view>

namespace ki::web {

using catalog::Index;
using catalog::kNone;
using catalog::Snapshot;

struct Site {
  SiteCatalog catalog;
  SiteOptions options;
  Assets assets;
  std::string version;                      // the catalog version as text
  std::shared_ptr<const Site> pinned = {};  // the same, with its clock at the last publication

  const Snapshot& snapshot() const { return *catalog.snapshot; }
  // The day of the newest publication.
  Instant pinned_day() const { return pinned ? pinned->catalog.now : catalog.now; }
  // For lines that people copy: a place that answers even where no public address is set.
  std::string_view origin() const {
    return options.origin.empty() ? std::string_view("http://127.0.0.1:8417")
                                  : std::string_view(options.origin);
  }
};

}  // namespace ki::web
