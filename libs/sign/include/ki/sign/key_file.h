// Key files: a private key as PKCS #8 PEM that only its owner can read, a public key as PEM.
#pragma once

#include "ki/base/result.h"
#include "ki/sign/ed25519.h"

#include <filesystem>

namespace ki::sign {

// Makes a new file with mode 0600, synced; fails with kConflict when the name is taken: a private
// key is never replaced.
Result<void> write_private_key(const std::filesystem::path& path, const PrivateKey& key);

// Fails with kUnsupported when others than the owner may read or write the file, or when it is no
// plain file.
Result<PrivateKey> read_private_key(const std::filesystem::path& path);

Result<void> write_public_key(const std::filesystem::path& path, const PublicKey& key);
Result<PublicKey> read_public_key(const std::filesystem::path& path);

}  // namespace ki::sign
