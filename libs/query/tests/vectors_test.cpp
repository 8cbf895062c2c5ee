// The original's answers (spec/vectors), row by row. A row that differs must stand in
// tests/divergences.tsv with exactly our value, and every row there must differ.
#include "ki/json/canonical.h"
#include "ki/json/reader.h"
#include "ki/json/writer.h"
#include "ki/query/bracket.h"
#include "ki/query/parse.h"
#include "ki/query/rewrite.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace ki::query {
namespace {

using json::Value;
using json::Writer;

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

std::string vectors_path(const std::string& name) {
  return std::string(KI_SOURCE_DIR) + "/../shared/spec/vectors/" + name;
}

struct Divergence {
  std::string original;
  std::string ours;
};
// Of one file, by row.
std::map<std::string, Divergence> read_divergences(const std::string& file) {
  std::map<std::string, Divergence> rows;
  const auto text = read_file(std::string(KI_SOURCE_DIR) + "/tests/divergences.tsv");
  if (!text) return rows;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> cells;
    std::istringstream cut(line);
    for (std::string cell; std::getline(cut, cell, '\t');) cells.push_back(cell);
    if (cells.size() != 5 || cells[0] != file) continue;
    EXPECT_FALSE(cells[4].empty()) << "a divergence without its rule: " << line;
    EXPECT_TRUE(rows.emplace(cells[1], Divergence{cells[2], cells[3]}).second)
        << "listed twice: " << cells[1];
  }
  return rows;
}

template <class Write>
std::string text_of(Write write) {
  std::string text;
  Writer writer(text);
  write(writer);
  return text;
}

template <class T>
std::string optional_text(const std::optional<T>& value) {
  return text_of([&](Writer& w) { value ? w.value(*value) : w.null(); });
}

// Member name -> canonical JSON, for the members that the vectors have.
using Members = std::map<std::string, std::string>;

std::string facets_text(const Intent& intent) {
  return text_of([&](Writer& w) {
    w.begin_array();
    for (const Facet& facet : intent.facets) {
      w.begin_object().member("display", facet.display).member("field", facet.field);
      w.member("token", facet.token).end_object();
    }
    w.end_array();
  });
}

// `shows_hint`: whether the original's issue of the same place has the member.
template <class ShowsHint>
std::string issues_text(const Intent& intent, ShowsHint shows_hint) {
  return text_of([&](Writer& w) {
    w.begin_array();
    for (std::size_t i = 0; i < intent.issues.size(); ++i) {
      const Issue& issue = intent.issues[i];
      w.begin_object().member("code", issue.code);
      if (shows_hint(i)) w.nullable("hint", issue.hint);
      w.member("token", issue.token).end_object();
    }
    w.end_array();
  });
}

Members members_of(const Intent& intent, std::string_view query, const Value& original) {
  Members m;
  m["text"] = text_of([&](Writer& w) {
    w.begin_array();
    for (const Term& term : intent.terms) w.value(term.text);
    w.end_array();
  });
  m["family"] = optional_text(intent.family);
  m["model"] = optional_text(intent.model);
  m["gpu"] = intent.gpu ? optional_text(std::optional(intent.gpu->typed)) : "null";
  m["architecture"] = optional_text(intent.architecture);
  m["dtypes"] = text_of([&](Writer& w) {
    w.begin_array();
    for (const std::string& dtype : intent.dtypes) w.value(dtype);
    w.end_array();
  });
  m["shape"] = text_of([&](Writer& w) {
    if (!intent.shape) {
      w.null();
      return;
    }
    w.begin_array();
    for (const std::int64_t dim : intent.shape->dims) w.value(dim);
    w.end_array();
  });
  std::map<std::string, std::int64_t> axes;
  for (const AxisBinding& axis : intent.axes) axes[axis.name] = axis.value;
  m["axes"] = text_of([&](Writer& w) {
    w.begin_object();
    for (const auto& [name, value] : axes) w.member(name, value);
    w.end_object();
  });
  m["layout"] = optional_text(intent.layout);
  m["framework"] = optional_text(intent.framework);
  m["language"] = optional_text(intent.language);
  m["cudaMajor"] = optional_text(intent.cuda_major);
  m["minimumTrust"] = intent.minimum_trust
                          ? optional_text(std::optional(to_string(*intent.minimum_trust)))
                          : "null";
  m["license"] = optional_text(intent.license);
  m["requireSource"] = intent.require_source ? "true" : "false";
  m["requireInstallable"] = intent.require_installable ? "true" : "false";
  m["facets"] = facets_text(intent);
  const auto issues = original.find("issues")->items();
  m["issues"] = issues_text(intent, [&](std::size_t i) {
    return i < issues.size() && issues[i].find("hint") != nullptr;
  });
  m["removeFirstFacet"] =
      intent.facets.empty()
          ? "null"
          : optional_text(std::optional(remove_facet(query, intent.facets.front().token)));
  return m;
}

// {"axes":{…},"issues":[…]}: the members of `ours` that differ, once as the original has them and
// once as we do.
Divergence difference(const Value& original, const Members& ours) {
  Divergence d{"{", "{"};
  const auto add = [](std::string& out, const std::string& name, const std::string& value) {
    if (out.size() > 1) out += ',';
    out += "\"" + name + "\":" + value;
  };
  for (const auto& [name, value] : ours) {
    const Value* member = original.find(name);
    const std::string theirs = member == nullptr ? "null" : json::canonical(*member);
    if (theirs == value) continue;
    add(d.original, name, theirs);
    add(d.ours, name, value);
  }
  d.original += '}';
  d.ours += '}';
  return d;
}

// Compares one row with the table and takes it out of it.
void expect_agreement(const std::string& row, const Divergence& found,
                      std::map<std::string, Divergence>& listed) {
  SCOPED_TRACE(row);
  const auto entry = listed.find(row);
  if (entry == listed.end()) {
    EXPECT_EQ(found.ours, "{}") << "the original: " << found.original;
    return;
  }
  EXPECT_EQ(found.original, entry->second.original);
  EXPECT_EQ(found.ours, entry->second.ours);
  EXPECT_NE(found.ours, "{}") << "listed, but it agrees";
  listed.erase(entry);
}

TEST(QueryVectors, AgreeWithTheOriginalExceptWhereAFlawIsListed) {
  auto text = read_file(vectors_path("query-parse.json"));
  if (!text) GTEST_SKIP() << "skipped: ../shared is absent";
  // One axis value is past what JSON integers may be (spec 01.2): read it as text.
  const std::string huge = ": 100000000000000000000";
  const std::size_t at = text->find(huge);
  ASSERT_NE(at, std::string::npos);
  text->replace(at, huge.size(), ": \"100000000000000000000\"");
  const auto document = json::read_document(*text);
  ASSERT_TRUE(document) << document.error().to_string();
  ASSERT_EQ(document->root.items().size(), 81U);
  auto listed = read_divergences("query-parse.json");
  for (const Value& vector : document->root.items()) {
    const std::string query(vector.find("query")->string());
    const Members ours = members_of(parse_query(query), query, vector);
    EXPECT_EQ(ours.size() + 1, vector.members().size());
    expect_agreement(query, difference(vector, ours), listed);
  }
  for (const auto& [row, divergence] : listed) ADD_FAILURE() << "no such row: " << row;
}

// The cases of bracket.json as views.
struct CaseTable {
  struct Row {
    std::string id;
    std::vector<AxisFacts> axes;
    std::vector<std::int64_t> shape;
    std::vector<std::string_view> dtypes;
    std::vector<TensorFacts> tensors;
  };
  std::vector<Row> rows;
  std::vector<BracketCase> cases;

  explicit CaseTable(const Value& list) {
    for (const Value& item : list.items()) {
      Row& row = rows.emplace_back();
      row.id = item.find("id")->string();
      for (const json::Member& axis : item.find("axes")->members()) {
        row.axes.push_back({axis.key, *axis.value.integer()});
      }
      for (const Value& dim : item.find("shape")->items()) row.shape.push_back(*dim.integer());
      for (const Value& dtype : item.find("dtypes")->items()) row.dtypes.push_back(dtype.string());
    }
    for (Row& row : rows) {
      row.tensors = {{.name = "x", .shape = row.shape, .dtype = row.dtypes.front(), .layout = {}}};
      cases.push_back(
          {.facts = {
               .axes = row.axes, .tensors = row.tensors, .dtypes = row.dtypes, .layouts = {}}});
    }
  }
};

std::string bracket_text(const std::optional<Bracket>& found, const CaseTable& table) {
  return text_of([&](Writer& w) {
    if (!found) {
      w.null();
      return;
    }
    const auto side = [&](std::string_view name, const std::optional<BracketSide>& s) {
      w.key(name);
      if (!s) {
        w.null();
        return;
      }
      w.begin_object().member("id", table.rows[s->index].id).member("value", s->value).end_object();
    };
    w.begin_object();
    side("above", found->above);
    w.member("axis", found->axis);
    side("below", found->below);
    w.member("requested", found->requested).key("shape");
    if (found->shape.empty()) {
      w.null();
    } else {
      w.begin_array();
      for (const std::int64_t dim : found->shape) w.value(dim);
      w.end_array();
    }
    w.key("shapeIndex");
    found->dimension ? w.value(*found->dimension) : w.null();
    w.member("token", found->token).end_object();
  });
}

TEST(BracketVectors, AgreeWithTheOriginalExceptWhereAFlawIsListed) {
  const auto text = read_file(vectors_path("bracket.json"));
  if (!text) GTEST_SKIP() << "skipped: ../shared is absent";
  const auto document = json::read_document(*text);
  ASSERT_TRUE(document) << document.error().to_string();
  const CaseTable table(*document->root.find("cases"));
  const std::vector<std::string_view> dims = {"tokens", "hidden"};
  const std::vector<OperationAxis> axes = {{.name = "tokens"}, {.name = "hidden"}};
  const std::vector<OperationTensor> tensors = {{.name = "x", .dims = dims}};
  const OperationFacts operation{.axes = axes, .tensors = tensors};
  auto listed = read_divergences("bracket.json");
  ASSERT_EQ(document->root.find("vectors")->items().size(), 11U);
  for (const Value& vector : document->root.find("vectors")->items()) {
    const std::string query(vector.find("query")->string());
    // The same with and without the operation's symbolic shapes.
    for (const OperationFacts* facts : {&operation, static_cast<const OperationFacts*>(nullptr)}) {
      const Intent intent = parse_query(query);
      const auto found = bracket(intent, table.cases, facts);
      const auto link = [&](const std::optional<BracketSide>& side) {
        return side ? optional_text(std::optional(bracket_query(query, intent, *found, *side)))
                    : "null";
      };
      Members ours;
      ours["bracket"] = bracket_text(found, table);
      ours["belowQuery"] = found ? link(found->below) : "null";
      ours["aboveQuery"] = found ? link(found->above) : "null";
      auto copy = listed;
      expect_agreement(query, difference(vector, ours), copy);
    }
    listed.erase(query);
  }
  for (const auto& [row, divergence] : listed) ADD_FAILURE() << "no such row: " << row;
}

}  // namespace
}  // namespace ki::query
