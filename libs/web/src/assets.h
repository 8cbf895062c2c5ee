// The stylesheet, the script and the icon, under addresses that name their content.
#pragma once

#include "ki/web/url.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::web {

struct Asset {
  std::string file;  // "app.0123456789abcdef.css"
  std::string_view content_type;
  std::string body;
};

class Assets {
 public:
  Assets();
  const Asset* find(std::string_view file) const;
  Url stylesheet() const { return Url::path({"assets", assets_[0].file}); }
  Url script() const { return Url::path({"assets", assets_[1].file}); }
  Url icon() const { return Url::path({"assets", assets_[2].file}); }
  std::span<const Asset> all() const { return assets_; }

 private:
  std::vector<Asset> assets_;
};

}  // namespace ki::web
