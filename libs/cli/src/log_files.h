// The transparency log's files and keys of a catalog, for the commands.
#pragma once

#include "command.h"
#include "ki/logbook/log_files.h"
#include "ki/logbook/trust_store.h"
#include "ki/sign/ed25519.h"

#include <filesystem>
#include <string_view>

namespace ki::cli {

// "<catalog>.keys/runner.pem", "<catalog>.keys/log.pem".
std::filesystem::path key_file(const std::filesystem::path& catalog, std::string_view role);

// Brings the files of the catalog's log up to date, signed by its log key. Fails when there is no
// private key here: a copy of a catalog does not speak for it.
Result<logbook::CaughtUp> catch_up_log(catalog::Store& store, const std::filesystem::path& catalog);

// "maintainer:cli", unless --actor names somebody.
std::string actor_of(const Context& context);

}  // namespace ki::cli
