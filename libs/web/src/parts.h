// Components that several pages use. Each writes elements that are complete in themselves.
#pragma once

#include "ki/display/format.h"
#include "ki/views/parts.h"
#include "ki/web/html.h"
#include "site_state.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ki::web {

// ---- addresses

Url run_url(const Snapshot& s, Index run);
Url operation_url(std::string_view slug);
Url implementation_url(std::string_view slug);
Url project_url(std::string_view slug);
Url gpu_url(std::string_view product);
Url search_url(std::string_view query);
Url api(std::initializer_list<std::string_view> segments);  // under /api/v1
std::string number(std::int64_t n);                         // digits alone, for addresses
// The exact value for programs: the shortest text that reads back as the same double.
std::string number_cell(double value);

// ---- text

// A value and its unit in one table cell; "—" without one.
void value_cell(Html& h, std::optional<double> value, std::string_view unit);
void readout(Html& h, const views::MetricValue& value);
// "2026-05-21" as a time element; "—" for 0.
void day(Html& h, std::int64_t ms);
// `note` stands beside the word: views::evidence_note() of the run that is meant.
void evidence(Html& h, std::optional<policy::EvidenceLevel> level, std::string_view note = {});
// The short form, with a button that copies the whole where there is script.
void copyable(Html& h, std::string_view shown, std::string_view whole, Markup label);
// One line to copy, as code.
void copy_line(Html& h, std::string_view line, Markup label);
void named_link(Html& h, const Url& url, std::string_view name);
// "MIT", "Apache-2.0 (declared)", "source, licence unknown", "no public source".
std::string licence_text(const Snapshot& s, Index implementation);
// Whether it can be used, in one sentence.
std::string use_text(const Snapshot& s, Index implementation);
// Why its number is believed, in one sentence.
std::string_view evidence_sentence(policy::EvidenceLevel level);
std::string_view product_of(const Snapshot& s, Index environment);
std::string_view unit_of(const Snapshot& s, Index run);
std::string_view statistic_of(const Snapshot& s, Index run);
std::string value_text(const Snapshot& s, Index run);
// The name, and where another row reads the same, what tells them apart.
std::string distinct_name(const Snapshot& s, Index implementation, bool is_repeated);
// Positions of rows whose implementation's name occurs more than once.
std::vector<bool> repeated_names(const Snapshot& s, std::span<const resolve::Row> rows);

// ---- lists of pairs: <dl>

class Pairs {
 public:
  explicit Pairs(Html& h) : h_(h) { h_ << "<dl class=\"pairs\">"; }
  ~Pairs() { h_ << "</dl>"; }
  Pairs(const Pairs&) = delete;
  Pairs& operator=(const Pairs&) = delete;
  // Nothing for an empty value.
  void add(std::string_view key, std::string_view value);
  void add_link(std::string_view key, const Url& url, std::string_view value);
  void add_copy(std::string_view key, std::string_view shown, std::string_view whole, Markup label);
  // A pair whose value the caller writes before the next call.
  template <class Write>
  void add_with(std::string_view key, const Write& write) {
    h_ << "<div><dt>" << text(key) << "</dt><dd>";
    write(h_);
    h_ << "</dd></div>";
  }

 private:
  Html& h_;
};

// ---- tables

// A table with a caption and scoped headers. On phones a row becomes a block whose cells name their
// column.
class Table {
 public:
  enum class Kind : std::uint8_t {
    kText,
    kValue,   // a measured value with its unit
    kCount,   // a count of what the heading names
    kHeader,  // names the row
    kTool,    // checkbox: the heading is for readers of the screen only
  };
  struct Column {
    std::string_view label;
    Kind kind = Kind::kText;
  };
  Table(Html& h, std::string_view caption, std::span<const Column> columns,
        bool is_caption_shown = false);
  ~Table();
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  void row(bool is_marked = false);
  // The next cell of the row; the caller writes its content before the next call.
  Html& cell();

 private:
  void end_cell();
  Html& h_;
  std::span<const Column> columns_;
  std::size_t next_ = 0;
  bool has_row_ = false;
};

// ---- comparing

// A form around a table whose rows can be picked; "Compare the marked runs" below it.
void begin_compare(Html& h);
void end_compare(Html& h);
void compare_box(Html& h, std::string_view run_id, std::string_view name);

// ---- paging

struct Paging {
  std::size_t page = 1;  // from 1
  std::size_t size = 25;
  std::size_t total = 0;
  std::size_t pages() const { return total == 0 ? 1 : (total + size - 1) / size; }
  std::size_t offset() const { return (page - 1) * size; }
};
// From the parameter "page": 1 to 100,000; anything else is 1.
std::size_t page_parameter(const http::Request& request);
// `base` without the page.
void pager(Html& h, const Url& base, const Paging& paging, Markup what);

}  // namespace ki::web
