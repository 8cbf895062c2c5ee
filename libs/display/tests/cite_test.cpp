#include "ki/display/cite.h"

#include "ki/base/text.h"
#include "ki/json/reader.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>

namespace ki::display {
namespace {

Citation seed() {
  return {.implementation = "Amir M. Mir | SF Tensor",
          .operation = "Multi head QKV projection with RoPE backward",
          .workload = "suite of 16 cases · mean latency",
          .value = "1.16 ms",
          .statistic = "mean",
          .source = "NVIDIA SOL-ExecBench",
          .run_id = "01a0352b-0000-7000-8000-000000000000",
          .digest = "sha256:449ac0a4bf174ec0ad6110c5275a6db1be2592a54b213acf897613715f8da89d",
          .url = "https://example.org/runs/01a0352b-0000-7000-8000-000000000000",
          .observed_at = Instant{1779401109698},
          .accessed_at = Instant{1786759377440}};
}

// Names that break out of one format or another.
const std::vector<std::string>& hostile_names() {
  static const std::vector<std::string> names{"}, author = {Evil",
                                              "{unbalanced",
                                              "unbalanced}",
                                              "\\",
                                              "\\}",
                                              "a\\{b",
                                              "100% & $5 #1 _x_ ~^",
                                              "Smith, John and Doe, Jane",
                                              "line\nbreak",
                                              "crlf\r\nER  - \r\nTY  - JOUR",
                                              "tab\tname",
                                              "quote\"s 'n all",
                                              "key: value # comment",
                                              "- item",
                                              "*alias &anchor !tag",
                                              "| pipe > fold",
                                              "yes",
                                              "null",
                                              "1.10",
                                              "~",
                                              "核心 カーネル",
                                              "e\u0301 café",
                                              "😀 \U0001F468\u200D\U0001F4BB",
                                              "\u202Ertl\u202C",
                                              "next\u0085line\u2028para\u2029",
                                              "\uFEFFbom",
                                              std::string("nul\0inside", 10),
                                              "\x7F\x1B[31mred",
                                              "@misc{x,",
                                              "\uFFFE\uFFFF",
                                              " lead and trail ",
                                              "…",
                                              "$\\alpha$",
                                              "%",
                                              "a;b,c"};
  return names;
}

std::string with_spaces_for_controls(std::string_view text) {
  std::string line;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::string_view rest = text.substr(i);
    if (byte < 0x20 || byte == 0x7F) {
      line += ' ';
    } else if (rest.starts_with("\u0085")) {
      line += ' ';
      i += 1;
    } else if (rest.starts_with("\u2028") || rest.starts_with("\u2029")) {
      line += ' ';
      i += 2;
    } else {
      line += text[i];
    }
  }
  return line;
}

TEST(CitationText, IsThatOfTheSeedPage) {
  EXPECT_EQ(citation_text(seed()),
            "Amir M. Mir | SF Tensor · Multi head QKV projection with RoPE backward, suite of 16 "
            "cases · mean latency. "
            "1.16 ms (mean). Reported by NVIDIA SOL-ExecBench. KernelIndex run "
            "01a0352b-0000-7000-8000-000000000000, "
            "sha256:449ac0a4bf174ec0ad6110c5275a6db1be2592a54b213acf897613715f8da89d. "
            "https://example.org/runs/01a0352b-0000-7000-8000-000000000000. Accessed 2026-08-15.");
}

TEST(CitationText, AddsRankAndCatalogAndNamesServingRuns) {
  Citation citation = seed();
  citation.rank = "rank 2 of 70 (ranking-v1)";
  citation.catalog_version = "12";
  EXPECT_TRUE(citation_text(citation).contains(
      ". rank 2 of 70 (ranking-v1). Catalog version 12. https://"));
  const Citation serving{.implementation = "vLLM 0.9",
                         .operation = "Llama-2-70B",
                         .workload = "llama2-70b-99 · Server",
                         .value = "101611 tokens_s",
                         .statistic = "output_token_throughput_tps, reported",
                         .attribution = "MLPerf Inference · closed/datacenter · 6.0-0001",
                         .record = "KernelIndex serving run",
                         .run_id = "r",
                         .accessed_at = Instant{0}};
  EXPECT_EQ(citation_text(serving),
            "vLLM 0.9 · Llama-2-70B, llama2-70b-99 · Server. 101611 tokens_s "
            "(output_token_throughput_tps, reported). "
            "MLPerf Inference · closed/datacenter · 6.0-0001. KernelIndex serving run r. Accessed "
            "1970-01-01.");
}

TEST(CitationText, IsOneLineForEveryName) {
  for (const std::string& name : hostile_names()) {
    Citation citation = seed();
    citation.implementation = name;
    EXPECT_EQ(citation_text(citation).find_first_of(std::string_view("\n\r\t\0\x1B", 5)),
              std::string::npos);
  }
}

// A BibTeX reader written for this test: fields of one entry, braces counted as BibTeX counts them
// (a backslash does not hide a brace).
std::optional<std::map<std::string, std::string>> read_bibtex(std::string_view text) {
  std::map<std::string, std::string> fields;
  if (!text.starts_with("@misc{")) return std::nullopt;
  std::size_t at = text.find(',');
  fields["key"] = std::string(text.substr(6, at - 6));
  while (true) {
    const std::size_t equals = text.find('=', at);
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string name(trim(text.substr(at + 1, equals - at - 1)));
    std::size_t i = equals + 1;
    while (i < text.size() && text[i] == ' ') ++i;
    std::size_t end = i;
    if (text[i] == '{') {
      int depth = 0;
      for (; end < text.size(); ++end) {
        depth += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0;
        if (depth == 0) break;
      }
      if (end >= text.size()) return std::nullopt;
      fields[name] = std::string(text.substr(i + 1, end - i - 1));
      ++end;
    } else {
      while (is_ascii_alnum(text[end])) ++end;
      fields[name] = std::string(text.substr(i, end - i));
    }
    if (text.substr(end) == "\n}\n") return fields;
    if (!text.substr(end).starts_with(",\n")) return std::nullopt;
    at = end;
  }
}

// What TeX would print of a field.
std::string print_tex(std::string_view tex) {
  const std::initializer_list<std::pair<std::string_view, std::string_view>> commands{
      {"\\textbackslash{}", "\\"},
      {"\\textbraceleft{}", "{"},
      {"\\textbraceright{}", "}"},
      {"\\textasciitilde{}", "~"},
      {"\\textasciicircum{}", "^"},
      {"\\textbar{}", "|"},
      {"\\textless{}", "<"},
      {"\\textgreater{}", ">"},
      {"\\&", "&"},
      {"\\%", "%"},
      {"\\$", "$"},
      {"\\#", "#"},
      {"\\_", "_"}};
  std::string printed;
  while (!tex.empty()) {
    bool is_command = false;
    for (const auto& [command, character] : commands) {
      if (!tex.starts_with(command)) continue;
      printed += character;
      tex.remove_prefix(command.size());
      is_command = true;
      break;
    }
    if (is_command) continue;
    if (std::string_view("\\%&$#_~^").contains(tex[0]))
      return "an active character was left: " + std::string(tex);
    if (tex[0] != '{' && tex[0] != '}') printed += tex[0];
    tex.remove_prefix(1);
  }
  return printed;
}

TEST(Bibtex, HasTheFieldsOfTheSeed) {
  EXPECT_EQ(citation_bibtex(seed()),
            "@misc{ki-449ac0a4bf174ec0,\n"
            "  author       = {{Amir M. Mir \\textbar{} SF Tensor}},\n"
            "  title        = {{Amir M. Mir \\textbar{} SF Tensor · Multi head QKV projection with "
            "RoPE backward, "
            "suite of 16 cases · mean latency}},\n"
            "  year         = {2026},\n"
            "  month        = may,\n"
            "  publisher    = {KernelIndex},\n"
            "  note         = {1.16 ms (mean). Reported by NVIDIA SOL-ExecBench. KernelIndex run "
            "01a0352b-0000-7000-8000-000000000000, "
            "sha256:449ac0a4bf174ec0ad6110c5275a6db1be2592a54b213acf897613715f8da89d.},\n"
            "  url          = {https://example.org/runs/01a0352b-0000-7000-8000-000000000000},\n"
            "  urldate      = {2026-08-15}\n"
            "}\n");
}

TEST(Bibtex, PrintsEveryHostileNameAsItIs) {
  for (const std::string& name : hostile_names()) {
    SCOPED_TRACE(quote(name));
    Citation citation = seed();
    citation.implementation = name;
    citation.operation.clear();
    citation.workload.clear();
    citation.url = "https://example.org/" + name;
    const auto fields = read_bibtex(citation_bibtex(citation));
    ASSERT_TRUE(fields) << citation_bibtex(citation);
    EXPECT_EQ(fields->size(), 9u);
    EXPECT_EQ(print_tex(fields->at("author")), with_spaces_for_controls(name));
    EXPECT_EQ(print_tex(fields->at("title")), with_spaces_for_controls(name));
    EXPECT_EQ(fields->at("url").find_first_of("{}\\ \n"), std::string::npos);
  }
}

TEST(CslJson, KeepsEveryNameExactly) {
  for (const std::string& name : hostile_names()) {
    if (name.contains('\0'))
      continue;  // our own reader refuses U+0000; escaping it is the writer's test
    SCOPED_TRACE(quote(name));
    Citation citation = seed();
    citation.authors = {{name}, {"second"}};
    const auto document = json::read_document(citation_csl_json(citation));
    ASSERT_TRUE(document) << document.error().to_string();
    const json::Value& item = document->root.items()[0];
    EXPECT_EQ(item.find("author")->items()[0].find("literal")->string(), name);
    EXPECT_EQ(item.find("author")->items()[1].find("literal")->string(), "second");
    EXPECT_EQ(item.find("type")->string(), "dataset");
    EXPECT_EQ(item.find("accessed")->find("date-parts")->items()[0].items()[1].number(), 8);
  }
}

TEST(Ris, HasOneTagALineForEveryName) {
  for (const std::string& name : hostile_names()) {
    SCOPED_TRACE(quote(name));
    Citation citation = seed();
    citation.implementation = name;
    citation.operation.clear();
    citation.workload.clear();
    const std::string ris = citation_ris(citation);
    std::vector<std::string> tags;
    for (std::string_view line : split(ris, '\n')) {
      if (line.empty()) continue;
      ASSERT_TRUE(line.ends_with('\r'));
      ASSERT_EQ(line.substr(2, 4), "  - ");
      tags.emplace_back(line.substr(0, 2));
      if (tags.back() == "AU" || tags.back() == "TI") {
        EXPECT_EQ(line.substr(6, line.size() - 7), with_spaces_for_controls(name));
      }
    }
    EXPECT_EQ(join(tags, " "), "TY AU TI PY DA PB DB AN N1 UR Y2 ER");
  }
}

// The value of a double-quoted YAML scalar, read by its own rules.
std::optional<std::string> read_yaml_scalar(std::string_view scalar) {
  if (scalar.size() < 2 || scalar.front() != '"' || scalar.back() != '"') return std::nullopt;
  scalar = scalar.substr(1, scalar.size() - 2);
  std::string text;
  for (std::size_t i = 0; i < scalar.size(); ++i) {
    const auto byte = static_cast<unsigned char>(scalar[i]);
    if (byte < 0x20 || byte == 0x7F || scalar[i] == '"') return std::nullopt;
    if (scalar[i] != '\\') {
      text += scalar[i];
      continue;
    }
    const char escape = scalar[++i];
    if (escape == '"' || escape == '\\') {
      text += escape;
      continue;
    }
    if (escape != 'u') return std::nullopt;
    const auto code =
        static_cast<std::uint32_t>(std::stoul(std::string(scalar.substr(i + 1, 4)), nullptr, 16));
    i += 4;
    if (code < 0x80) {
      text += static_cast<char>(code);
    } else if (code < 0x800) {
      text += static_cast<char>(0xC0 | code >> 6);
      text += static_cast<char>(0x80 | (code & 0x3F));
    } else {
      text += static_cast<char>(0xE0 | code >> 12);
      text += static_cast<char>(0x80 | (code >> 6 & 0x3F));
      text += static_cast<char>(0x80 | (code & 0x3F));
    }
  }
  return text;
}

TEST(Cff, KeepsEveryNameExactly) {
  for (const std::string& name : hostile_names()) {
    SCOPED_TRACE(quote(name));
    Citation citation = seed();
    citation.implementation = name;
    citation.operation.clear();
    citation.workload.clear();
    const std::string cff = citation_cff(citation);
    std::map<std::string, std::string> values;
    for (const std::string_view line : split(cff, '\n')) {
      const std::size_t colon = line.find(": ");
      if (colon != std::string_view::npos) {
        values.emplace(std::string(trim(line.substr(0, colon))),
                       std::string(line.substr(colon + 2)));
      }
    }
    EXPECT_EQ(read_yaml_scalar(values.at("title")), name);
    EXPECT_EQ(read_yaml_scalar(values.at("- name")), name);
    EXPECT_EQ(values.at("date-released"), "\"2026-05-21\"")
        << "a date in quotes stays a text everywhere (problem Y8)";
    EXPECT_EQ(values.at("cff-version"), "1.2.0");
  }
}

TEST(Citation, WithoutAnythingStillNamesARecord) {
  const Citation nothing{.accessed_at = Instant{0}};
  EXPECT_EQ(citation_text(nothing), "KernelIndex record. KernelIndex run. Accessed 1970-01-01.");
  EXPECT_TRUE(read_bibtex(citation_bibtex(nothing)));
  EXPECT_TRUE(citation_cff(nothing).contains("  - name: \"Unknown\"\n")) << "CFF needs an author";
  EXPECT_FALSE(citation_cff(nothing).contains("identifiers"));
}

}  // namespace
}  // namespace ki::display
