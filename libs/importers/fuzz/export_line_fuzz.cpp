// Law: a row that passes as an exported line is stored as canonical JSON, and what was stored
// passes as a stored row with the same key, digest and bytes. Each input line is one line of an
// export.

#include "../src/export_line.h"
#include "ki/catalog/table.h"
#include "ki/json/canonical.h"
#include "ki/publish/row_checker.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

struct Checkers {
  ki::publish::RowChecker given{ki::publish::RowForm::kPublic};
  ki::publish::RowChecker stored{ki::publish::RowForm::kStored};

  void store(const ki::publish::CheckedRow& row, std::uint64_t place) {
    ki::json::Reader reader(ki::importers::kLineLimits);
    const std::string body(row.body);
    const std::string key(row.key);
    const auto value = reader.read(body);
    require(value.has_value());
    require(ki::json::canonical(*value) == body);
    const auto again = stored.check(row.table, *value, body, place, 0, nullptr);
    require(again.has_value());
    require(again->body == body && again->key == key && again->digest == row.digest);
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  Checkers checkers;
  ki::json::Reader reader(ki::importers::kLineLimits);
  for (std::uint64_t number = 1; !text.empty() && number < 64; ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const auto value = reader.read(line);
    if (!value) continue;
    const auto parsed = ki::importers::read_export_line(*value);
    if (!parsed) continue;
    const auto table = ki::catalog::find_table(parsed->table);
    if (!table) {
      (void)checkers.given.check_measurement(*parsed->row, parsed->table == "serving_measurements");
      continue;
    }
    const auto row =
        checkers.given.check(*table, *parsed->row, line, number, 0,
                             [&](const ki::publish::CheckedRow& document) -> ki::Result<void> {
                               checkers.store(document, number);
                               return {};
                             });
    if (row) checkers.store(*row, number);
  }
  (void)checkers.given.finish(true);
  (void)checkers.stored.finish(false);
  return 0;
}
