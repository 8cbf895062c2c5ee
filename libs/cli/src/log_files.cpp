#include "log_files.h"

#include "ki/logbook/log_head.h"
#include "ki/sign/key_file.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::cli {

std::filesystem::path key_file(const std::filesystem::path& catalog, std::string_view role) {
  return Context::keys_path(catalog) / fmt::format("{}.pem", role);
}

Result<logbook::CaughtUp> catch_up_log(catalog::Store& store,
                                       const std::filesystem::path& catalog) {
  KI_TRY(const auto head, logbook::read_head(store));
  if (!head) {
    return fail(Code::kNotFound, "the catalog has no transparency log; begin one: ki log init");
  }
  auto key = sign::read_private_key(key_file(catalog, "log"));
  if (!key) return fail(std::move(key).error().within("the log's private key"));
  KI_TRY(const sign::TrustList trust, logbook::read_trust(store));
  const auto known = logbook::log_verifiers(trust);
  const sign::PublicKey public_key = key->public_key();
  const bool is_known = std::ranges::any_of(known, [&](const sign::NoteVerifier& verifier) {
    return verifier.key() == public_key && verifier.name() == head->head.origin;
  });
  if (!is_known) {
    return fail(Code::kConflict,
                fmt::format("the key in '{}' is not trusted as the key of the log {}",
                            key_file(catalog, "log").string(), head->head.origin));
  }
  return logbook::LogFiles(Context::log_path(catalog)).catch_up(store, *key, known);
}

std::string actor_of(const Context& context) {
  return context.arguments().value("actor").value_or("maintainer:cli");
}

}  // namespace ki::cli
