// ki key and ki log: from no key to a proof that a stranger checks.
#include "cli_world.h"
#include "ki/base/text.h"
#include "ki/io/file.h"
#include "ki/tlog/checkpoint.h"
#include "ki/tlog/entry.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>

namespace ki::cli {
namespace {

using testing::HasSubstr;

class CliLogTest : public CliTest {
 protected:
  void begin() const {
    must({"key", "init", "--owner", "Example Lab", "--origin", "log.example/lab"});
    must({"log", "init"});
  }
  std::string log_key() const {
    return std::string(trim(must({"key", "export", "log.example/lab", "--verifier"})));
  }
  std::string first_run() const {
    const std::string runs = must({"runs", "--tsv", "--quiet", "--limit", "1"});
    // The id is the one cell that is a UUID.
    for (const std::string_view cell : split(trim(runs), '\t')) {
      if (cell.size() == 36 && cell[8] == '-') return std::string(cell);
    }
    ADD_FAILURE() << runs;
    return {};
  }
};

TEST_F(CliLogTest, ImportsAreLoggedAndProvedOffline) {
  begin();
  import_registry();
  EXPECT_THAT(must({"log", "verify"}),
              HasSubstr("The catalog's rows are those that the log names"));
  EXPECT_THAT(must({"log", "status"}), HasSubstr("not witnessed"));
  const std::string run = first_run();
  must({"log", "prove", run, "--output", file("run.tlog-proof")});
  const auto proof = tlog::read_proof(*io::read_file(file("run.tlog-proof")));
  ASSERT_TRUE(proof);
  // The entry, as any web server gives it out.
  const std::string json = must({"log", "prove", run, "--json"});
  const auto key = sign::NoteVerifier::parse(log_key());
  ASSERT_TRUE(key);
  must({"log", "export", file("public")});
  const auto verified = must({"log", "verify", file("public"), "--key", key->vkey()});
  EXPECT_THAT(verified, HasSubstr("every hash hold"));
  // Everything the stranger needs is the proof, the entry and the key.
  const std::size_t at = json.find("\"entry\": \"");
  ASSERT_NE(at, json.npos);
  std::string entry;
  for (std::size_t i = at + 10; json[i] != '"'; ++i) {
    if (json[i] == '\\') ++i;
    entry += json[i];
  }
  EXPECT_TRUE(tlog::verify_proof(*proof, entry, *key));
  EXPECT_EQ(tlog::read_entry(entry)->type, tlog::EntryType::kRun);
}

TEST_F(CliLogTest, TheLogMayBeginLaterAndIsTheSame) {
  import_registry();
  EXPECT_EQ(ki({"log", "status"}).code, 3);
  EXPECT_EQ(ki({"log", "init"}).code, 3);  // no key yet
  begin();
  EXPECT_THAT(must({"log", "verify"}),
              HasSubstr("The catalog's rows are those that the log names"));
  EXPECT_EQ(ki({"log", "init"}).code, 1);
}

TEST_F(CliLogTest, CorrectionsAreLoggedAndOlderCheckpointsAreExtended) {
  begin();
  import_registry();
  const std::string kept = must({"log", "checkpoint"});
  std::ofstream(file("kept")) << kept;
  must({"retract", first_run(), "--reason", "wrong clock"});
  const std::string out = must({"log", "verify", "--since", file("kept")});
  EXPECT_THAT(out, HasSubstr("retraction"));
  EXPECT_THAT(out, HasSubstr("nothing was changed since"));
  EXPECT_NE(must({"log", "checkpoint"}), kept);
  // fsck knows the tables.
  EXPECT_THAT(must({"fsck"}), HasSubstr("everything recomputes"));
}

TEST_F(CliLogTest, EvidenceOfARunIsCheckedWithoutTheCatalog) {
  begin();
  import_registry();
  const std::string key = log_key();
  must({"export", "evidence", first_run(), "--output", file("evidence")});
  EXPECT_EQ(ki({"export", "evidence", first_run(), "--output", file("evidence")}).code, 1);
  std::filesystem::rename(catalog(), file("elsewhere.db"));
  const std::string out = must({"verify", file("evidence"), "--key", key});
  EXPECT_THAT(out, HasSubstr("ok   the entry is in the log at its signed checkpoint"));
  EXPECT_THAT(out, HasSubstr("not witnessed"));
  EXPECT_THAT(must({"verify", file("evidence")}), HasSubstr("folder's own"));
  const std::string other = "log.example/lab+4e39949d+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4";
  EXPECT_EQ(ki({"verify", file("evidence"), "--key", other}).code, 2);  // not a key of that name
  std::string run = *io::read_file(file("evidence/run.json"));
  run[run.size() / 2] = static_cast<char>(run[run.size() / 2] ^ 1);
  std::ofstream(file("evidence/run.json")) << run;
  EXPECT_EQ(ki({"verify", file("evidence"), "--key", key}).code, 1);
}

TEST_F(CliLogTest, AnExportCarriesTheLogIntoAnEmptyCatalogAndNotIntoAnother) {
  begin();
  import_registry();
  must({"export", file("whole.jsonl.zst")});
  const std::string entries = must({"log", "status", "--json"});
  must({"import", "kernelindex", file("whole.jsonl.zst"), "--catalog", file("new.db")});
  EXPECT_THAT(must({"fsck", "--catalog", file("new.db")}), HasSubstr("everything recomputes"));
  const std::string there = must({"log", "status", "--json", "--catalog", file("new.db")});
  EXPECT_EQ(there.substr(0, there.find("\"checkpoint\"")),
            entries.substr(0, entries.find("\"checkpoint\"")));
  // A catalog with a log of its own keeps it.
  must({"key", "init", "--catalog", file("own.db"), "--origin", "log.example/own"});
  must({"log", "init", "--catalog", file("own.db")});
  must({"import", "kernelindex", file("whole.jsonl.zst"), "--catalog", file("own.db")});
  EXPECT_THAT(must({"log", "verify", "--catalog", file("own.db")}), HasSubstr("log.example/own"));
  EXPECT_THAT(must({"fsck", "--catalog", file("own.db")}), HasSubstr("everything recomputes"));
}

TEST_F(CliLogTest, ADamagedCopyDoesNotPass) {
  begin();
  must({"log", "export", file("public")});
  const std::string key = log_key();
  must({"log", "verify", file("public"), "--key", key});
  std::string tile = *io::read_file(file("public/tile/0/000.p/3"));
  tile[5] = static_cast<char>(tile[5] ^ 1);
  std::ofstream(file("public/tile/0/000.p/3")) << tile;
  const Outcome outcome = ki({"log", "verify", file("public"), "--key", key});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("does not hold the hashes"));
}

TEST_F(CliLogTest, PrivateKeysAreForTheOwnerAndAreMadeOnce) {
  begin();
  for (const char* name : {"runner", "log"}) {
    struct stat info{};
    ASSERT_EQ(::stat((catalog() + ".keys/" + name + ".pem").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0600U);
  }
  const Outcome again = ki({"key", "init"});
  EXPECT_EQ(again.code, 1);
  EXPECT_THAT(again.err, HasSubstr("never replaced"));
}

TEST_F(CliLogTest, KeysAreTrustedRotatedAndRevoked) {
  begin();
  must({"key", "export", "runner"});
  std::ofstream(file("other.pem")) << must({"key", "export", "runner"});
  EXPECT_EQ(ki({"key", "trust", file("other.pem"), "--role", "runner"}).code, 2);  // no owner
  EXPECT_EQ(ki({"key", "trust", file("other.pem"), "--role", "runner", "--owner", "x"}).code, 1);
  EXPECT_EQ(ki({"key", "trust", file("other.pem"), "--role", "boss", "--owner", "x"}).code, 2);
  const std::string old_key = log_key();
  must({"key", "rotate", "log"});
  must({"key", "rotate", "runner", "--reason", "yearly"});
  const std::string list = must({"key", "list"});
  EXPECT_EQ(std::ranges::count(list, '\n'), 5) << list;  // a heading and four keys
  EXPECT_THAT(must({"log", "verify"}), HasSubstr("every hash hold"));
  // Two keys have the log's name now.
  EXPECT_EQ(ki({"key", "show", "log.example/lab"}).code, 2);
  const std::string status = must({"log", "status"});
  EXPECT_THAT(status, HasSubstr(old_key));
  // The newest checkpoint is signed by the new key only.
  EXPECT_EQ(ki({"log", "verify", catalog() + ".log", "--key", old_key}).code, 2);
  EXPECT_EQ(ki({"key", "revoke", "runner"}).code, 2);  // no reason
  const std::string keyid = list.substr(list.find('\n') + 1, 16);
  must({"key", "revoke", keyid, "--reason", "stolen", "--from", "1"});
  EXPECT_THAT(must({"key", "show", keyid}), HasSubstr("revoked from log index 1 on"));
  EXPECT_THAT(must({"key", "list", "--json"}), HasSubstr("\"reason\": \"stolen\""));
}

TEST_F(CliLogTest, ACatalogWithoutItsLogKeyStillPublishesAndSaysSo) {
  begin();
  std::filesystem::rename(catalog() + ".keys", file("away"));
  const Outcome outcome =
      ki({"import", "manifest", std::string(KI_SOURCE_DIR) + "/registry/groups"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("ki log checkpoint"));
  std::filesystem::rename(file("away"), catalog() + ".keys");
  must({"log", "checkpoint"});
  EXPECT_THAT(must({"log", "verify"}),
              HasSubstr("The catalog's rows are those that the log names"));
}

}  // namespace
}  // namespace ki::cli
