#include "assets.h"

#include "ki/base/check.h"
#include "ki/digest/digest.h"

#include <algorithm>

namespace ki::web {

std::string_view asset_text(std::string_view key);  // generated from assets/

namespace {

Asset make(std::string_view stem, std::string_view extension, std::string_view type,
           std::string body) {
  KI_CHECK(!body.empty());
  const std::string digest = Digest::of(body).to_string();
  std::string file(stem);
  file += '.';
  file += digest.substr(digest.find(':') + 1, 16);
  file += '.';
  file += extension;
  return {.file = std::move(file), .content_type = type, .body = std::move(body)};
}

}  // namespace

Assets::Assets() {
  assets_.push_back(
      make("app", "css", "text/css; charset=utf-8",
           std::string(asset_text("tokens.css")) + std::string(asset_text("app.css"))));
  assets_.push_back(
      make("app", "js", "text/javascript; charset=utf-8", std::string(asset_text("app.js"))));
  assets_.push_back(make("icon", "svg", "image/svg+xml", std::string(asset_text("icon.svg"))));
}

const Asset* Assets::find(std::string_view file) const {
  const auto found = std::ranges::find(assets_, file, &Asset::file);
  return found == assets_.end() ? nullptr : &*found;
}

}  // namespace ki::web
