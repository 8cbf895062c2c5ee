#include "parts.h"

#include "ki/base/check.h"
#include "ki/display/labels.h"
#include "ki/display/names.h"
#include "ki/json/number.h"
#include "ki/resolve/describe.h"

#include <charconv>
#include <cmath>
#include <map>

namespace ki::web {

Url run_url(const Snapshot& s, Index run) {
  return Url::path({"runs", views::id_text(s.runs()[run].id)});
}
Url operation_url(std::string_view slug) { return Url::path({"operations", slug}); }
Url implementation_url(std::string_view slug) { return Url::path({"implementations", slug}); }
Url project_url(std::string_view slug) { return Url::path({"projects", slug}); }
Url gpu_url(std::string_view product) {
  return Url::path({"gpus", display::hardware_slug(product)});
}
Url search_url(std::string_view query) { return Url::path({"search"}).with("q", query); }

Url api(std::initializer_list<std::string_view> segments) {
  return Url::path({"api", "v1"}).below(segments);
}

std::string number(std::int64_t n) { return display::to_fixed(static_cast<double>(n), 0); }

std::string number_cell(double value) {
  return std::isfinite(value) ? json::number_text(value) : std::string();
}

void value_cell(Html& h, std::optional<double> value, std::string_view unit) {
  if (!value || std::isnan(*value)) {
    h << text(display::kMissing);
    return;
  }
  const display::Readout r = display::primary(*value, unit);
  h << "<span class=\"v\">" << text(r.value) << "</span> <span class=\"u\">" << text(r.unit)
    << "</span>";
}

void readout(Html& h, const views::MetricValue& m) {
  const display::Readout r = display::primary(m.value, m.unit);
  h << "<p class=\"readout\"><span class=\"value\">" << text(r.value)
    << "</span><span class=\"unit\">" << text(r.unit) << "</span><span class=\"stat\"> ";
  if (m.interval) {
    h << text(display::spread({m.value, m.interval->low, m.interval->high}, m.unit)) << " · ";
  }
  h << text(display::words(m.statistic));
  if (m.samples != 0) h << " of " << text(display::count(m.samples));
  h << "</span></p>";
}

void day(Html& h, std::int64_t ms) {
  if (ms == 0) {
    h << text(display::kMissing);
    return;
  }
  const std::string date = display::date(Instant{ms});
  h << "<time" << attr("datetime", date) << ">" << text(date) << "</time>";
}

void evidence(Html& h, std::optional<policy::EvidenceLevel> level, std::string_view note) {
  if (!level) {
    h << "<span class=\"ev\">No evidence</span>";
    return;
  }
  h << "<span" << attr("class", "ev ev-" + std::string(policy::to_string(*level))) << ">"
    << text(display::evidence_label(policy::to_string(*level)));
  if (!note.empty()) h << text(" · ") << text(note);
  h << "</span>";
}

void copyable(Html& h, std::string_view shown, std::string_view whole, Markup label) {
  h << "<code class=\"id\">" << text(shown) << "</code> <button type=\"button\" class=\"copy\""
    << attr("data-copy", whole) << " hidden>" << label << "</button>";
}

void copy_line(Html& h, std::string_view line, Markup label) {
  h << "<code class=\"line\">" << text(line) << "</code> <button type=\"button\" class=\"copy\""
    << attr("data-copy", line) << " hidden>" << label << "</button>";
}

void named_link(Html& h, const Url& url, std::string_view name) {
  h << "<a" << href(url) << ">" << text(name) << "</a>";
}

std::string licence_text(const Snapshot& s, Index implementation) {
  const auto& row = s.implementations()[implementation];
  if (row.license_concluded != 0) return std::string(s.name(row.license_concluded));
  if (row.license_declared != 0) return std::string(s.name(row.license_declared)) + " (declared)";
  return row.source_available != 0 ? "source, licence unknown" : "no public source";
}

std::string use_text(const Snapshot& s, Index implementation) {
  const auto& row = s.implementations()[implementation];
  if (row.installable != 0) return "Installable; licence " + licence_text(s, implementation) + ".";
  if (row.source_available == 0) return "Cannot be used: its source is not public.";
  if (row.license_concluded == 0 && row.license_declared == 0) {
    return "Source is public, but nobody states a licence; there is no install recipe.";
  }
  return "Source is public under " + licence_text(s, implementation) +
         "; there is no install recipe.";
}

std::string_view evidence_sentence(policy::EvidenceLevel level) {
  switch (level) {
    case policy::EvidenceLevel::kReported:
      return "Its source reports this number; nobody known to the index has reproduced it.";
    case policy::EvidenceLevel::kReproducible:
      return "Code and raw evidence are stated, so others could repeat it; the index has not.";
    case policy::EvidenceLevel::kVerified:
      return "The index reran it under its own control.";
    case policy::EvidenceLevel::kReplicated:
      return "Independent parties measured it again.";
  }
  return {};
}

std::string_view product_of(const Snapshot& s, Index environment) {
  return environment == kNone ? std::string_view() : s.name(s.environments()[environment].product);
}

std::string_view unit_of(const Snapshot& s, Index run) {
  return s.name(s.metrics()[s.cohorts()[s.runs()[run].cohort].metric].unit);
}

std::string_view statistic_of(const Snapshot& s, Index run) {
  return s.name(s.metrics()[s.cohorts()[s.runs()[run].cohort].metric].statistic);
}

std::string value_text(const Snapshot& s, Index run) {
  const double value = s.runs()[run].value;
  if (std::isnan(value)) return std::string(display::kMissing);
  return display::primary_text(value, unit_of(s, run));
}

std::string distinct_name(const Snapshot& s, Index implementation, bool is_repeated) {
  std::string name = resolve::implementation_name(s, implementation);
  const std::string_view revision = s.text(s.implementations()[implementation].revision);
  if (is_repeated && !revision.empty()) name += " (" + display::revision(revision) + ")";
  return name;
}

std::vector<bool> repeated_names(const Snapshot& s, std::span<const resolve::Row> rows) {
  std::map<std::string, std::size_t> first;
  std::vector<bool> repeated(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto [at, is_new] =
        first.emplace(resolve::implementation_name(s, rows[i].implementation), i);
    if (is_new) continue;
    repeated[i] = repeated[at->second] = true;
  }
  return repeated;
}

void Pairs::add(std::string_view key, std::string_view value) {
  if (value.empty()) return;
  h_ << "<div><dt>" << text(key) << "</dt><dd>" << text(value) << "</dd></div>";
}

void Pairs::add_link(std::string_view key, const Url& url, std::string_view value) {
  h_ << "<div><dt>" << text(key) << "</dt><dd><a" << href(url) << ">" << text(value)
     << "</a></dd></div>";
}

void Pairs::add_copy(std::string_view key, std::string_view shown, std::string_view whole,
                     Markup label) {
  if (whole.empty()) return;
  h_ << "<div><dt>" << text(key) << "</dt><dd>";
  copyable(h_, shown, whole, label);
  h_ << "</dd></div>";
}

Table::Table(Html& h, std::string_view caption, std::span<const Column> columns,
             bool is_caption_shown)
    : h_(h), columns_(columns) {
  h_ << "<div class=\"wide\"><table>";
  if (is_caption_shown) {
    h_ << "<caption>";
  } else {
    h_ << "<caption class=\"sr\">";
  }
  h_ << text(caption) << "</caption><thead><tr>";
  for (const Column& column : columns_) {
    h_ << "<th scope=\"col\"";
    if (column.kind == Kind::kValue || column.kind == Kind::kCount) h_ << " class=\"num\"";
    h_ << ">";
    if (column.kind == Kind::kTool) {
      h_ << "<span class=\"sr\">" << text(column.label) << "</span>";
    } else {
      h_ << text(column.label);
    }
    h_ << "</th>";
  }
  h_ << "</tr></thead><tbody>";
}

Table::~Table() {
  end_cell();
  if (has_row_) h_ << "</tr>";
  h_ << "</tbody></table></div>\n";
}

void Table::end_cell() {
  if (next_ == 0) return;
  if (columns_[next_ - 1].kind == Kind::kHeader) {
    h_ << "</th>";
  } else {
    h_ << "</td>";
  }
}

void Table::row(bool is_marked) {
  end_cell();
  KI_CHECK(!has_row_ || next_ == columns_.size());
  if (has_row_) h_ << "</tr>\n";
  if (is_marked) {
    h_ << "<tr class=\"mark\">";
  } else {
    h_ << "<tr>";
  }
  has_row_ = true;
  next_ = 0;
}

Html& Table::cell() {
  end_cell();
  const Column& column = columns_[next_++];
  switch (column.kind) {
    case Kind::kHeader:
      h_ << "<th scope=\"row\">";
      return h_;
    case Kind::kValue:
      h_ << "<td class=\"num\"";
      break;
    case Kind::kCount:
      h_ << "<td class=\"count\"";
      break;
    case Kind::kTool:
      h_ << "<td class=\"tool\">";
      return h_;
    case Kind::kText:
      h_ << "<td";
      break;
  }
  return h_ << attr("data-label", column.label) << ">";
}

void begin_compare(Html& h) { h << "<form class=\"picks\" action=\"/compare\" method=\"get\">"; }

void end_compare(Html& h) {
  h << "<p class=\"act\"><button type=\"submit\">Compare the marked runs</button> <span "
       "class=\"hint\">Mark two to eight rows.</span></p></form>";
}

void compare_box(Html& h, std::string_view run_id, std::string_view name) {
  h << "<input type=\"checkbox\" name=\"run\"" << attr("value", run_id)
    << attr("aria-label", "Compare " + std::string(name)) << ">";
}

std::size_t page_parameter(const http::Request& request) {
  const auto given = request.query("page");
  if (!given) return 1;
  std::size_t page = 0;
  const auto [end, error] = std::from_chars(given->data(), given->data() + given->size(), page);
  const bool is_page =
      error == std::errc() && end == given->data() + given->size() && page >= 1 && page <= 100'000;
  return is_page ? page : 1;
}

void pager(Html& h, const Url& base, const Paging& paging, Markup what) {
  if (paging.pages() == 1) return;
  h << "<nav class=\"pager\" aria-label=\"Pages\">";
  const auto step = [&](std::size_t page, Markup rel, Markup label) {
    h << "<a rel=\"" << rel << "\""
      << href(page == 1 ? base : base.with("page", number(static_cast<std::int64_t>(page)))) << ">"
      << label << "</a>";
  };
  if (paging.page > 1) step(paging.page - 1, "prev", "← Previous");
  const auto last = std::min(paging.total, paging.offset() + paging.size);
  h << "<span>" << text(display::count(static_cast<std::int64_t>(paging.offset() + 1))) << "–"
    << text(display::count(static_cast<std::int64_t>(last))) << " of "
    << text(display::count(static_cast<std::int64_t>(paging.total))) << " " << what << "</span>";
  if (paging.page < paging.pages()) step(paging.page + 1, "next", "Next →");
  h << "</nav>";
}

}  // namespace ki::web
