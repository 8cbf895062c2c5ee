#include "ki/logbook/bundle.h"

#include "ki/io/file.h"
#include "ki/json/value.h"
#include "ki/manifest/validator.h"
#include "ki/sign/dsse.h"
#include "ki/sign/statement.h"
#include "log_world.h"

namespace ki::logbook {
namespace {

using testing::Contains;
using testing::HasSubstr;

// The identity bytes of a manifest text.
std::string identity_of(const std::string& text) {
  manifest::Validator validator(manifest::Profile::kCompat);
  const auto valid = validator.read(text);
  EXPECT_TRUE(valid) << valid.error().to_string();
  const json::Value spec = valid->spec;
  return std::string(validator.validate_spec(valid->kind, spec)->canonical);
}

class BundleTest : public LogWorld {
 protected:
  void SetUp() override {
    LogWorld::SetUp();
    begin();
    const auto bundle = publish::group_bundle({{"900"}});
    auto live = *catalog::LiveCatalog::open(store_, std::nullopt);
    publish::Publisher publisher(*live, clock_, ids_, "test");
    const auto report = publisher.publish(bundle);
    ASSERT_TRUE(report) << report.error().to_string();
    ASSERT_TRUE(catch_up());
    files_["run.json"] = identity_of(bundle.runs[0].manifest);
    files_["protocol.json"] = identity_of(bundle.runs[0].protocol);
    files_["environment.json"] = identity_of(bundle.runs[0].environment);
    files_["implementation.json"] = identity_of(bundle.implementations[0].manifest);
    files_["workload.json"] = identity_of(bundle.workloads[0].manifest);
    files_["operation.json"] = identity_of(bundle.operations[0].manifest);
    run_ = Digest::of(files_["run.json"]);
    const LogFiles log(folder_ / "log");
    files_["entry.json"] = **find_leaf(store_, tlog::EntryType::kRun, run_);
    files_["run.tlog-proof"] =
        tlog::write_proof(*prove(store_, log, tlog::EntryType::kRun, run_, verifiers_of('k')));
    files_["log.vkey"] = verifiers_of('k')[0].vkey() + "\n";
    const sign::Statement statement{
        {{"run.json", run_}}, "https://kernelindex.dev/controlled-rerun/v1", "{}"};
    files_["statement.dsse.json"] = to_json(
        sign::sign_envelope(std::string(sign::kInTotoType), statement.to_json(), key_of('r')));
    files_["runner.pem"] = key_of('r').public_key().pem();
  }
  BundleKeys keys() const { return {verifiers_of('k'), {key_of('r').public_key()}}; }
  // Whether the bundle holds after a change of its files.
  template <class Change>
  bool holds_with(const Change& change) const {
    BundleFiles files = files_;
    change(files);
    return check_bundle(files, keys()).holds();
  }

  BundleFiles files_;
  Digest run_ = Digest::of("");
};

TEST_F(BundleTest, HoldsAsItWasWritten) {
  const BundleReport report = check_bundle(files_, keys());
  for (const BundleCheck& check : report.checks)
    EXPECT_TRUE(check.holds) << check.name << check.detail;
  EXPECT_TRUE(report.holds());
  EXPECT_EQ(report.run, run_);
  EXPECT_THAT(report.notes, Contains(HasSubstr("not witnessed")));
  EXPECT_EQ(report.checks.size(), 14U);
}

TEST_F(BundleTest, SaysWhenItsKeysAreItsOwn) {
  const BundleReport report = check_bundle(files_, {});
  EXPECT_TRUE(report.holds());
  EXPECT_THAT(report.notes, Contains(HasSubstr("the log's key is the folder's own")));
  EXPECT_THAT(report.notes, Contains(HasSubstr("the runner's key is the folder's own")));
}

TEST_F(BundleTest, SaysWhatIsNotThere) {
  BundleFiles files = files_;
  for (const char* name : {"entry.json", "run.tlog-proof", "statement.dsse.json", "runner.pem"})
    files.erase(name);
  const BundleReport report = check_bundle(files, keys());
  EXPECT_TRUE(report.holds());
  EXPECT_THAT(report.notes, Contains(HasSubstr("no proof")));
  EXPECT_THAT(report.notes, Contains(HasSubstr("as reported")));
}

TEST_F(BundleTest, EveryChangedByteOfEvidenceIsFound) {
  for (const auto& [name, bytes] : files_) {
    // Keys of the folder are not used when the reader has his own.
    if (name == "log.vkey" || name == "runner.pem") continue;
    // The hint of who signed decides nothing.
    const std::size_t hint = name == "statement.dsse.json" ? bytes.find("\"keyid\":\"") + 9 : 0;
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      if (hint != 0 && at >= hint && at < hint + 64) continue;
      BundleFiles files = files_;
      files[name][at] = static_cast<char>(bytes[at] ^ 1);
      EXPECT_FALSE(check_bundle(files, keys()).holds()) << name << " byte " << at;
    }
  }
}

TEST_F(BundleTest, RefusesWhatBelongsToAnotherRunLogOrRunner) {
  for (const char* name : {"run.json", "implementation.json", "workload.json", "operation.json",
                           "protocol.json", "environment.json", "entry.json"}) {
    EXPECT_FALSE(holds_with([&](BundleFiles& files) { files.erase(name); })) << name;
  }
  EXPECT_FALSE(holds_with(
      [](BundleFiles& files) { std::swap(files["protocol.json"], files["environment.json"]); }));
  EXPECT_FALSE(holds_with([](BundleFiles& files) { files["run.json"] += "\n"; }));
  EXPECT_FALSE(check_bundle(files_, {verifiers_of('o'), {key_of('r').public_key()}}).holds());
  EXPECT_FALSE(check_bundle(files_, {verifiers_of('k'), {key_of('o').public_key()}}).holds());
  // The same statement, signed about another run.
  EXPECT_FALSE(holds_with([](BundleFiles& files) {
    const sign::Statement statement{{{"run.json", Digest::of("another")}}, "https://x/v1", "{}"};
    files["statement.dsse.json"] = to_json(
        sign::sign_envelope(std::string(sign::kInTotoType), statement.to_json(), key_of('r')));
  }));
  // The same payload under another type.
  EXPECT_FALSE(holds_with([&](BundleFiles& files) {
    const auto envelope = sign::read_envelope(files["statement.dsse.json"]);
    files["statement.dsse.json"] =
        to_json(sign::sign_envelope("text/plain", envelope->payload, key_of('r')));
  }));
  // Another leaf of the same log with its own good proof.
  EXPECT_FALSE(holds_with([&](BundleFiles& files) {
    const Digest operation = Digest::of(files["operation.json"]);
    files["entry.json"] = **find_leaf(store_, tlog::EntryType::kOperation, operation);
    files["run.tlog-proof"] =
        tlog::write_proof(*prove(store_, LogFiles(folder_ / "log"), tlog::EntryType::kOperation,
                                 operation, verifiers_of('k')));
  }));
  EXPECT_FALSE(check_bundle({}, keys()).holds());
}

TEST_F(BundleTest, AFolderIsReadWithPlainFilesOnly) {
  const auto folder = folder_ / "bundle";
  std::filesystem::create_directory(folder);
  for (const auto& [name, bytes] : files_)
    ASSERT_TRUE(io::write_file_atomically(folder / name, bytes));
  EXPECT_EQ(read_bundle_folder(folder).value(), files_);
  std::filesystem::create_symlink("/etc/passwd", folder / "link");
  EXPECT_FALSE(read_bundle_folder(folder));
  EXPECT_FALSE(read_bundle_folder(folder_ / "none"));
}

}  // namespace
}  // namespace ki::logbook
