// The dossier of one implementation (spec 07.2, 10).
#pragma once

#include "ki/base/result.h"
#include "ki/catalog/store.h"
#include "ki/json/value.h"
#include "ki/views/parts.h"

namespace ki::views {

// The source file against that of the project's previous submission for the operation.
struct SourceDiff {
  enum class Kind : std::uint8_t { kAdded, kDeleted, kContext, kGap };
  struct Line {
    Kind kind = Kind::kContext;
    std::string text;  // of a gap: how many lines it stands for
  };
  Named previous;
  std::string previous_id;
  std::string_view previous_revision;
  std::size_t added = 0;    // lines, in all
  std::size_t deleted = 0;  // lines, in all
  std::vector<Line> lines;  // the first ones; empty: no line differs
  std::size_t lines_total = 0;
};
std::string_view to_string(SourceDiff::Kind kind);  // add, del, ctx, gap

struct ImplementationView {
  struct Revision {  // another revision under the same slug
    Named named;
    std::string id;
    std::string_view revision;
  };
  struct Interface {
    std::string language;
    std::string framework;  // callable.interface
    std::string symbol;
    std::string source_path;  // callable.path
  };
  struct Support {
    std::vector<std::string> architectures;  // declared
    std::vector<std::string> products;       // declared as tested
    std::vector<std::string> dtypes;
    std::vector<std::string> layouts;
    std::vector<std::string> axes;
    std::vector<std::string_view> measured_on;  // GPUs of its eligible runs
  };
  struct Source {
    bool is_available = false;
    std::string url;
    std::string commit;
    std::string tree_digest;
  };

  struct SourceCode {
    std::string file_name;
    std::string language;  // python, cpp or text, by the file's name
    std::string digest;
    std::optional<std::int64_t> size_bytes;
    std::string uri;      // where it stands at its source; may be empty
    std::string licence;  // of the file; may be empty
    std::string content;  // empty: not stored here
    // Of files whose text is stored on both sides, when the content is asked for.
    std::optional<SourceDiff> diff;
  };

  Index implementation = kNone;
  catalog::Seq catalog_version = 0;
  bool is_illustrative = false;
  std::string id;
  std::string digest;
  Named named;
  std::string_view revision;  // in full; empty: not stated
  std::int64_t created_ms = 0;
  Named project;
  std::string_view project_url;
  Named operation;
  std::string_view install_kind;     // empty: no recipe
  std::string_view install_command;  // may be empty
  std::vector<KeyValue> requirements;
  Interface interface;
  Support support;
  Source source;
  Licence licence;
  std::string licence_evidence;                          // path; may be empty
  std::vector<std::string_view> not_deployable_because;  // codes; empty: deployable
  bool is_vendorable = false;
  std::optional<policy::EvidenceLevel> evidence;
  std::string trust_summary;
  std::uint32_t records = 0;          // comparison groups that it leads
  std::vector<resolve::Row> results;  // its eligible runs, fastest of each group, most compared
                                      // groups first: the page
  std::size_t results_total = 0;      // groups
  std::uint32_t runs = 0;             // eligible
  std::vector<std::string> limitations;
  std::optional<SourceCode> source_code;  // of a mirrored or named source file
  std::vector<Revision> revisions;        // other revisions under this slug, newest first
  std::vector<std::string> authors;
  std::vector<SourceRef> sources;
  json::Document document;  // the stored row
  const json::Value* manifest = nullptr;
};

struct ImplementationViewOptions {
  std::size_t limit = 50;
  std::size_t offset = 0;
  bool with_source = false;  // also the content of the source file, and what changed in it
  Instant now{};
};

Result<ImplementationView> implementation_view(const catalog::Snapshot& snapshot,
                                               catalog::Store& store, Index implementation,
                                               const ImplementationViewOptions& options);

// `next_cursor` leads to the next page of results; empty on the last.
void write_json(json::Writer& w, const catalog::Snapshot& snapshot, const ImplementationView& view,
                std::string_view next_cursor);

}  // namespace ki::views
