// key: keys that sign for a catalog, and the keys that it trusts.
#include "catalog_keys.h"
#include "command.h"
#include "ki/base/base64.h"
#include "ki/base/text.h"
#include "ki/base/uuid.h"
#include "ki/display/format.h"
#include "ki/io/file.h"
#include "ki/json/writer.h"
#include "ki/logbook/log_head.h"
#include "ki/logbook/logbook.h"
#include "ki/logbook/trust_store.h"
#include "ki/rerun/assess.h"
#include "ki/sign/key_file.h"
#include "log_files.h"

#include <fmt/format.h>

namespace ki::cli {
namespace {

using sign::Role;
using sign::TrustedKey;

std::string roles_of(const TrustedKey& key) {
  std::string text;
  for (const Role role : key.roles) {
    if (!text.empty()) text += ", ";
    text += sign::to_string(role);
  }
  return text;
}

// NAME+ID+KEY, of keys that sign notes.
std::optional<std::string> verifier_of(const TrustedKey& key) {
  if (!key.roles.contains(Role::kLog)) return std::nullopt;
  const auto verifier = sign::NoteVerifier::make(key.name, key.key);
  if (!verifier) return std::nullopt;
  return verifier->vkey();
}

std::string status_of(const TrustedKey& key) {
  if (!key.revoked) return "trusted";
  return fmt::format("revoked from log index {} on", key.revoked->index);
}

void write_key(json::Writer& w, const TrustedKey& key) {
  w.begin_object()
      .member("keyid", key.key.key_id())
      .member("name", key.name)
      .member("owner", key.owner)
      .member("publicKey", base64(key.key.view()))
      .nullable("verifierKey", verifier_of(key));
  w.key("roles").begin_array();
  for (const Role role : key.roles) w.value(sign::to_string(role));
  w.end_array().key("revoked");
  if (key.revoked) {
    w.begin_object().member("index", key.revoked->index).member("reason", key.revoked->reason);
    w.end_object();
  } else {
    w.null();
  }
  w.end_object();
}

void print_key(const Context& context, const TrustedKey& key) {
  if (context.is_json()) {
    std::string out;
    json::Writer w(out, json::Writer::Style::kIndented);
    write_key(w, key);
    return context.out(out + "\n");
  }
  context.out(fmt::format("{}\n  name     {}\n  owner    {}\n  roles    {}\n  status   {}\n",
                          key.key.key_id(), key.name, key.owner, roles_of(key), status_of(key)));
  if (key.revoked && !key.revoked->reason.empty())
    context.out(fmt::format("  reason   {}\n", key.revoked->reason));
  if (const auto verifier = verifier_of(key))
    context.out(fmt::format("  verifier {}\n", *verifier));
}

logbook::TrustChange change_of(const Context& context, std::string_view actor,
                               std::string_view reason) {
  return {actor, reason, context.now()};
}

// The name of this catalog's log, begun or not.
Result<std::string> origin_of(const Context& context, catalog::Store& store) {
  KI_TRY(const auto head, logbook::read_head(store));
  if (head) return head->head.origin;
  return context.arguments().value("origin").value_or(logbook::default_origin(store.catalog_id()));
}

Result<int> init(Context& context) {
  KI_TRY(OpenCatalog catalog, context.open_catalog(Context::Access::kCreate));
  KI_TRY(const std::string origin, origin_of(context, *catalog.store));
  const std::string owner = context.arguments().value("owner").value_or(std::string(kThisCatalog));
  const std::string actor = actor_of(context);
  KI_TRY(const std::vector<TrustedKey> made, make_keys(*catalog.store, catalog.path, origin, owner,
                                                       change_of(context, actor, "key init")));
  KI_TRY_VOID(catalog.refresh_and_save());
  if (context.is_json()) {
    std::string out;
    json::Writer w(out, json::Writer::Style::kIndented);
    w.begin_object().key("keys").begin_array();
    for (const TrustedKey& key : made) write_key(w, key);
    w.end_array().end_object();
    context.out(out + "\n");
    return kDone;
  }
  for (const TrustedKey& key : made) print_key(context, key);
  context.out(
      fmt::format("Private keys are in {}; keep a copy elsewhere. Begin the log: ki log "
                  "init\n",
                  Context::keys_path(catalog.path).string()));
  return kDone;
}

Result<int> list(Context& context) {
  KI_TRY(OpenCatalog catalog, context.open_catalog(Context::Access::kRead));
  KI_TRY(const sign::TrustList trust, logbook::read_trust(*catalog.store));
  if (context.is_json()) {
    std::string out;
    json::Writer w(out, json::Writer::Style::kIndented);
    w.begin_object().key("keys").begin_array();
    for (const TrustedKey& key : trust.keys()) write_key(w, key);
    w.end_array().end_object();
    context.out(out + "\n");
    return kDone;
  }
  if (trust.keys().empty()) {
    context.out("This catalog trusts no key. Make its own: ki key init\n");
    return kDone;
  }
  display::Table table({{"keyid"}, {"roles"}, {"name"}, {"owner"}, {"status"}});
  for (const TrustedKey& key : trust.keys()) {
    table.add({key.key.key_id().substr(0, 16), roles_of(key), key.name, key.owner, status_of(key)});
  }
  context.out(table.render());
  return kDone;
}

Result<TrustedKey> find_key(Context& context, catalog::Store& store) {
  if (context.operands().size() != 2) return context.usage("which key?");
  KI_TRY(const sign::TrustList trust, logbook::read_trust(store));
  KI_TRY(const TrustedKey* key, trust.find(context.operands()[1]));
  return *key;
}

Result<int> show(Context& context) {
  KI_TRY(OpenCatalog catalog, context.open_catalog(Context::Access::kRead));
  KI_TRY(const TrustedKey key, find_key(context, *catalog.store));
  print_key(context, key);
  return kDone;
}

Result<int> export_key(Context& context) {
  KI_TRY(OpenCatalog catalog, context.open_catalog(Context::Access::kRead));
  KI_TRY(const TrustedKey key, find_key(context, *catalog.store));
  if (!context.arguments().has("verifier")) {
    context.out(key.key.pem());
    return kDone;
  }
  const auto verifier = verifier_of(key);
  if (!verifier) {
    return fail(Code::kInvalidArgument, "only log keys sign notes; leave --verifier out for PEM");
  }
  context.out(*verifier + "\n");
  return kDone;
}

// What a runner's key says depends on the trust list.
Result<void> assess_again(const Context& context, OpenCatalog& catalog, const TrustedKey& key) {
  if (!key.roles.contains(Role::kRunner)) return {};
  UuidSource ids = new_ids();
  KI_TRY(const rerun::Assessed done,
         rerun::assess(*catalog.live, {}, *context.environment().clock, ids, actor_of(context)));
  if (done.runs_changed != 0) {
    context.err(
        fmt::format("the evidence level of {} changed\n",
                    display::count_noun(static_cast<std::int64_t>(done.runs_changed), "run")));
  }
  return {};
}

// A public key as PEM, or as notes name it.
struct GivenKey {
  sign::PublicKey key;
  std::optional<std::string> name;
};

Result<GivenKey> read_given_key(const std::string& path) {
  KI_TRY(const std::string text, io::read_file(path, 64 << 10));
  if (trim(text).starts_with("-----BEGIN")) {
    auto key = sign::PublicKey::from_pem(text);
    if (!key) return fail(std::move(key).error().within(path));
    return GivenKey{*key, std::nullopt};
  }
  auto verifier = sign::NoteVerifier::parse(trim(text));
  if (!verifier) return fail(std::move(verifier).error().within(path));
  return GivenKey{verifier->key(), verifier->name()};
}

Result<int> trust(Context& context) {
  if (context.operands().size() != 2) return context.usage("trust the key in which file?");
  const Arguments& arguments = context.arguments();
  KI_TRY(const GivenKey given, read_given_key(context.operands()[1]));
  TrustedKey key{given.key, {}, {}, {}};
  for (const std::string& name : arguments.values("role")) {
    const auto role = sign::parse_role(name);
    if (!role)
      return context.usage(fmt::format("{} is no role: runner, log or attester", quote(name)));
    key.roles.insert(*role);
  }
  if (key.roles.empty()) return context.usage("trust it as what? --role runner, log or attester");
  if (!arguments.has("owner")) return context.usage("who holds the key? --owner NAME");
  key.owner = *arguments.value("owner");
  key.name = arguments.value("name").value_or(given.name.value_or(key.key.key_id().substr(0, 16)));
  if (key.roles.contains(Role::kLog)) {
    KI_TRY_VOID(sign::NoteVerifier::make(key.name, key.key));
  }
  KI_TRY(OpenCatalog catalog, context.open_catalog(Context::Access::kCreate));
  UuidSource ids = new_ids();
  const std::string actor = actor_of(context);
  KI_TRY_VOID(
      logbook::trust_keys(*catalog.store, std::span(&key, 1), change_of(context, actor, ""), ids));
  KI_TRY_VOID(assess_again(context, catalog, key));
  KI_TRY_VOID(catalog.refresh_and_save());
  print_key(context, key);
  return kDone;
}

Result<int> revoke(Context& context) {
  if (!context.arguments().has("reason")) return context.usage("why? --reason TEXT");
  KI_TRY(const std::int64_t from,
         context.arguments().integer("from", -1, 0, std::int64_t{1} << 52));
  KI_TRY(OpenCatalog catalog, context.open_catalog(Context::Access::kWrite));
  KI_TRY(TrustedKey key, find_key(context, *catalog.store));
  UuidSource ids = new_ids();
  const std::string actor = actor_of(context), reason = *context.arguments().value("reason");
  std::optional<sign::LogIndex> index;
  if (from >= 0) index = static_cast<sign::LogIndex>(from);
  KI_TRY(key.revoked, logbook::revoke_key(*catalog.store, key.key, index,
                                          change_of(context, actor, reason), ids));
  KI_TRY_VOID(assess_again(context, catalog, key));
  KI_TRY_VOID(catalog.refresh_and_save());
  print_key(context, key);
  return kDone;
}

// A new key takes the place of the old one, which stays trusted for what it signed and is kept
// beside it.
Result<int> rotate(Context& context) {
  if (context.operands().size() != 2) return context.usage("rotate which key: runner or log?");
  const auto role = sign::parse_role(context.operands()[1]);
  if (!role || *role == Role::kAttester) return context.usage("rotate which key: runner or log?");
  KI_TRY(OpenCatalog catalog, context.open_catalog(Context::Access::kWrite));
  const std::filesystem::path path = key_file(catalog.path, sign::to_string(*role));
  KI_TRY(const sign::PrivateKey old_key, sign::read_private_key(path));
  KI_TRY(const sign::TrustList trust, logbook::read_trust(*catalog.store));
  const TrustedKey* old_trusted = trust.find(old_key.public_key());
  if (old_trusted == nullptr) {
    return fail(Code::kConflict,
                fmt::format("the key in '{}' is not in the trust list", path.string()));
  }
  const sign::PrivateKey key = sign::PrivateKey::generate();
  const TrustedKey trusted{key.public_key(), old_trusted->name, old_trusted->owner, {*role}};
  // The new key is written before it is trusted, and put in place afterwards: an interruption
  // leaves the old one at work.
  const std::filesystem::path fresh = path.string() + ".new";
  std::error_code ignored;
  std::filesystem::remove(fresh, ignored);
  KI_TRY_VOID(sign::write_private_key(fresh, key));
  UuidSource ids = new_ids();
  const std::string actor = actor_of(context);
  const std::string reason = context.arguments().value("reason").value_or("rotation");
  KI_TRY_VOID(logbook::trust_keys(*catalog.store, std::span(&trusted, 1),
                                  change_of(context, actor, reason), ids));
  const std::filesystem::path kept =
      path.parent_path() /
      fmt::format("{}-{}.pem", sign::to_string(*role), old_key.public_key().key_id().substr(0, 16));
  std::error_code error;
  std::filesystem::create_hard_link(path, kept, error);
  if (error) return fail(io::system_error(error.value(), "cannot keep the old key as", kept));
  std::filesystem::rename(fresh, path, error);
  if (error) return fail(io::system_error(error.value(), "cannot put in place", path));
  KI_TRY_VOID(catalog.refresh_and_save());
  if (*role == Role::kLog) {
    KI_TRY(const auto head, logbook::read_head(*catalog.store));
    if (head) KI_TRY_VOID(catch_up_log(*catalog.store, catalog.path));
  }
  print_key(context, trusted);
  if (!context.is_json()) {
    context.out(
        fmt::format("The old key stays trusted for what it signed; it is in {}. If it was "
                    "stolen: ki key revoke {} --reason TEXT\n",
                    kept.string(), old_key.public_key().key_id().substr(0, 16)));
  }
  return kDone;
}

}  // namespace

Result<int> run_key(Context& context) {
  if (context.operands().empty()) return context.usage("what about keys?");
  const std::string& verb = context.operands().front();
  if (verb == "init") return init(context);
  if (verb == "list") return list(context);
  if (verb == "show") return show(context);
  if (verb == "rotate") return rotate(context);
  if (verb == "trust") return trust(context);
  if (verb == "revoke") return revoke(context);
  if (verb == "export") return export_key(context);
  return context.usage(fmt::format("{} is not something that key can do", quote(verb)));
}

}  // namespace ki::cli
