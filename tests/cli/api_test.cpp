// The reading commands and the API are one: every operation has its command, and a server gives the
// answers that the catalog file gives.
#include "cli_world.h"
#include "ki/api/operation.h"
#include "ki/api/routes.h"
#include "ki/catalog/live.h"
#include "ki/http/server.h"
#include "ki/store_sqlite/sqlite_store.h"

#include <gmock/gmock.h>

namespace ki::cli {
namespace {

using testing::HasSubstr;

TEST_F(CliTest, EveryOperationOfTheApiHasACommandWithItsParameters) {
  for (const api::Operation& operation : api::operations()) {
    SCOPED_TRACE(operation.id);
    const api::CommandForm& form = operation.command;
    const std::string page = must({std::string(form.command), "--help"});
    EXPECT_THAT(page, HasSubstr("--api URL"));
    if (!form.verb.empty()) {
      EXPECT_THAT(page, HasSubstr(std::string(form.verb)));
    }
    for (const api::Parameter& p : operation.parameters) {
      if (p.place == api::Parameter::Place::kPath || p.name == form.operand) continue;
      EXPECT_THAT(page, HasSubstr("\n  --" + std::string(p.option.empty() ? p.name : p.option)));
    }
  }
}

class ApiTest : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    import_registry();
    store_ =
        store_sqlite::SqliteStore::open(catalog(), {.create = false, .read_only = true}).value();
    live_ = catalog::LiveCatalog::open(*store_, std::nullopt).value();
    const auto site = std::make_shared<const api::Site>(api::Site{
        .catalog = std::make_shared<const views::CatalogVersion>(live_->current(), *store_),
        .now = clock_.now(),
        .cursor_key = "of the server"});
    const auto edition = std::make_shared<const http::Edition>(
        http::Edition{.version = "1", .router = http::Router(api::routes(site))});
    http::ServerOptions options;
    options.listen.port = 0;
    options.threads = 1;
    options.clock = &clock_;
    options.metrics = &metrics_;
    server_ = http::Server::start(options, edition).value();
  }
  // The same through the server.
  Outcome remote(std::vector<std::string> args, const std::string& in = "") const {
    args.insert(args.end(), {"--api", server_->address()});
    return ki(args, in);
  }

  std::unique_ptr<store_sqlite::SqliteStore> store_;
  std::unique_ptr<catalog::LiveCatalog> live_;
  http::Metrics metrics_;
  std::unique_ptr<http::Server> server_;
};

TEST_F(ApiTest, AServerAnswersAsTheCatalogDoes) {
  const std::string op = "062-kv-cache-update-with-rope-backward";
  const std::string run = "sha256:449ac0a4bf174ec0ad6110c5275a6db1be2592a54b213acf897613715f8da89d";
  const std::string other =
      "sha256:b9be3851ba01fa36639e1781b1163df1094c0d27057f2f73b30c2c237f6e6423";
  for (const std::vector<std::string>& args : std::vector<std::vector<std::string>>{
           {"search", "op:" + op, "gpu:B200"},
           {"search", "op:" + op, "--json"},
           {"search", "nothing of the kind"},
           {"resolve", "op:" + op, "gpu:GB200", "--require", "exact"},
           {"show", "run", run},
           {"show", "run", "sha256:449ac0a4", "--json"},
           {"show", "run", run, "--cite", "--style", "bibtex"},
           {"show", "operation", op},
           {"show", "operation", "no-such-operation"},
           {"show", "implementation", "no such + thing"},
           {"compare", run, other},
           {"operations", "--limit", "1000", "--tsv"},
           {"projects", "--all"},
           {"runs", "--status", "passed", "--since", "2026-01-01"},
           {"runs", "--status", "fine"},
           {"records", "--all", "rope", "--policy", "ranking-v1"},
           {"changes", "--since", "2020-01-01"},
           {"ranks"},
           {"ranks", "--policy", "ranking-v2", "--json"},
           {"ranks", "--policy", "ranking-v3"},
           {"ranks", "--limit", "1", "--tsv"},
           {"verify", run},
           {"verify", "sha256:000000"},
           {"hardware"},
           {"models"},
           {"sources"},
           {"coverage"},
           {"show", "manifest", run},
           {"stats"},
       }) {
    SCOPED_TRACE(testing::PrintToString(args));
    const Outcome here = ki(args);
    const Outcome there = remote(args);
    EXPECT_EQ(here.code, there.code);
    EXPECT_EQ(here.out, there.out);
    EXPECT_EQ(here.err, there.err);
    EXPECT_FALSE(here.out.empty() && here.err.empty());
  }
  // Statements are recomputed from records, which only the catalog's machine has.
  std::string here = must({"verify", "sha256:b9be3851", "--json"});
  const std::size_t at = here.find("\"statements\": []");
  ASSERT_NE(at, here.npos);
  here.replace(at, std::string_view("\"statements\": []").size(), "\"statements\": null");
  EXPECT_EQ(remote({"verify", "sha256:b9be3851", "--json"}).out, here);
  const std::string request =
      R"({"requests":[{"operation":{"name":")" + op + R"("}},{"query":"rope"}]})";
  EXPECT_EQ(ki({"resolve", "--manifest", "-", "--json"}, request).out,
            remote({"resolve", "--manifest", "-", "--json"}, request).out);
}

TEST_F(ApiTest, SaysWhyAServerCannotBeAsked) {
  struct Case {
    const char* why;
    std::string url;
    int code;
    const char* message;
  };
  const std::string gone = server_->address();
  server_->stop(std::chrono::milliseconds(100));
  server_.reset();
  for (const auto& [why, url, code, message] :
       {Case{"nobody listens", gone, 1, "cannot be reached"},
        Case{"no address", "kernels", 2, "expected http://HOST[:PORT]"},
        Case{"a bad port", "http://127.0.0.1:http", 2, "expected http://HOST[:PORT]"},
        Case{"TLS", "https://127.0.0.1", 2, "plain HTTP"}}) {
    const Outcome outcome = ki({"stats", "--api", url});
    EXPECT_EQ(outcome.code, code) << why;
    EXPECT_THAT(outcome.err, HasSubstr(message)) << why;
  }
}

}  // namespace
}  // namespace ki::cli
