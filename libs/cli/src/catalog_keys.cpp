#include "catalog_keys.h"

#include "ki/io/file.h"
#include "ki/sign/key_file.h"
#include "log_files.h"

#include <fmt/format.h>

#include <random>

namespace ki::cli {
namespace {

using sign::Role;
using sign::TrustedKey;

Result<void> make_keys_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error) {
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, error);
  }
  if (error) return fail(io::system_error(error.value(), "cannot make the folder", folder));
  return {};
}

}  // namespace

UuidSource new_ids() {
  std::random_device device;
  return UuidSource((std::uint64_t{device()} << 32) | device());
}

Result<std::vector<TrustedKey>> make_keys(catalog::Store& store,
                                          const std::filesystem::path& catalog,
                                          const std::string& origin, const std::string& owner,
                                          const logbook::TrustChange& change) {
  KI_TRY_VOID(make_keys_folder(Context::keys_path(catalog)));
  std::vector<TrustedKey> made;
  for (const Role role : {Role::kRunner, Role::kLog}) {
    const std::filesystem::path path = key_file(catalog, sign::to_string(role));
    const sign::PrivateKey key = sign::PrivateKey::generate();
    const std::string name = role == Role::kLog ? origin : "runner";
    KI_TRY_VOID(sign::NoteVerifier::make(origin, key.public_key()));
    if (auto written = sign::write_private_key(path, key); !written) {
      // The first of two may have been made by a call that was interrupted: it is used.
      if (written.error().code() != Code::kConflict) return fail(std::move(written).error());
      KI_TRY(const sign::PrivateKey there, sign::read_private_key(path));
      KI_TRY(const sign::TrustList list, logbook::read_trust(store));
      if (list.find(there.public_key()) != nullptr) return fail(std::move(written).error());
      made.push_back({there.public_key(), name, owner, {role}});
      continue;
    }
    made.push_back({key.public_key(), name, owner, {role}});
  }
  UuidSource ids = new_ids();
  KI_TRY_VOID(logbook::trust_keys(store, made, change, ids));
  return made;
}

Result<logbook::LogHead> begin_catalog_log(OpenCatalog& catalog,
                                           const std::optional<std::string>& origin,
                                           std::string_view actor, Instant now) {
  auto key = sign::read_private_key(key_file(catalog.path, "log"));
  if (!key) {
    if (key.error().code() == Code::kNotFound) {
      return fail(Code::kNotFound, "the catalog has no log key; make one: ki key init");
    }
    return fail(std::move(key).error());
  }
  KI_TRY(const sign::TrustList trust, logbook::read_trust(*catalog.store));
  const TrustedKey* trusted = trust.find(key->public_key());
  if (trusted == nullptr) {
    return fail(Code::kConflict, "the log key is not in the trust list; make one: ki key init");
  }
  const std::string name = origin.value_or(trusted->name);
  if (name != trusted->name) {
    return fail(Code::kConflict,
                fmt::format("the log key's name is {}; a log and its key have one name: ki key "
                            "init --origin NAME in a new catalog",
                            trusted->name));
  }
  UuidSource ids = new_ids();
  return logbook::begin_log(*catalog.store, name, actor, now, ids);
}

Result<std::optional<CatalogRunner>> find_runner(catalog::Store& store,
                                                 const std::filesystem::path& catalog) {
  const std::filesystem::path path = key_file(catalog, sign::to_string(Role::kRunner));
  auto key = sign::read_private_key(path);
  if (!key) {
    if (key.error().code() == Code::kNotFound) return std::nullopt;
    return fail(std::move(key).error());
  }
  KI_TRY(const sign::TrustList trust, logbook::read_trust(store));
  const TrustedKey* trusted = trust.find(key->public_key());
  if (trusted == nullptr || trusted->revoked || !trusted->roles.contains(Role::kRunner)) {
    return fail(Code::kConflict,
                fmt::format("the runner key in '{}' is not one that the catalog trusts; see ki key "
                            "list",
                            path.string()));
  }
  return CatalogRunner{*std::move(key), trusted->owner};
}

}  // namespace ki::cli
