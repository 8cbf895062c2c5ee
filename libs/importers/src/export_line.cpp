#include "export_line.h"

#include "ki/base/text.h"

#include <fmt/format.h>

namespace ki::importers {

Result<ExportLine> read_export_line(const json::Value& value) {
  if (!value.is_object()) return fail(Code::kInvalidArgument, "the line is not a JSON object");
  ExportLine line;
  for (const json::Member& member : value.members()) {
    if (member.key == "table" && member.value.is_string()) {
      line.table = member.value.string();
    } else if (member.key == "row" && member.value.is_object()) {
      line.row = &member.value;
    } else if (member.key == "seq" && member.value.integer().value_or(0) > 0) {
      line.seq = static_cast<std::uint64_t>(*member.value.integer());
    } else if (member.key == "version" && member.value.integer().value_or(-1) >= 0 &&
               *member.value.integer() <= INT32_MAX) {
      line.version = static_cast<std::uint32_t>(*member.value.integer());
    } else {
      return fail(
          Code::kInvalidArgument,
          fmt::format("member {} of the line is not known, or not of its type", quote(member.key)));
    }
  }
  if (line.table.empty() || line.row == nullptr) {
    return fail(Code::kInvalidArgument,
                "the line has no text member 'table' and object member 'row'");
  }
  return line;
}

}  // namespace ki::importers
