// What our side says, as lines for compare.mjs.
//
//   ki_peer_feed doubles COUNT            <16 hex digits of the double> TAB <our number text>
//   ki_peer_feed catalog EXPORT           <manifest JSON> TAB <digest>
//   ki_peer_feed schemas EXAMPLES [EXPORT]  <kind slug> TAB <accept, or the codes> TAB <JSON>
//   ki_peer_feed yaml EXAMPLES COUNT      <YAML as a JSON string> TAB <canonical JSON, or
//   "refused">
//   ki_peer_feed dsse COUNT               <envelope> TAB <SPKI PEM as a JSON string> TAB <PAE in
//   base64>
//
// EXAMPLES is the folder registry/examples; its manifests and random changes of them are the
// corpus.
#include "ki/base/base64.h"
#include "ki/base/text.h"
#include "ki/io/file.h"
#include "ki/io/lines.h"
#include "ki/json/canonical.h"
#include "ki/json/number.h"
#include "ki/json/reader.h"
#include "ki/json/writer.h"
#include "ki/manifest/validator.h"
#include "ki/sign/dsse.h"
#include "ki/yaml/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace {

using ki::Result;
using ki::json::Value;
using ki::manifest::Profile;
using ki::manifest::Validator;
using Random = std::mt19937_64;

void put(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

// Payloads of any bytes, types of any text.
void feed_dsse(long count) {
  Random random(1729);
  const ki::sign::PrivateKey key = ki::sign::PrivateKey::generate();
  std::string pem;
  ki::json::append_string(pem, key.public_key().pem());
  for (long i = 0; i < count; ++i) {
    std::string payload(random() % 300, '\0');
    for (char& c : payload) c = static_cast<char>(random() & 0xFF);
    const std::string type =
        i % 2 == 0 ? std::string(ki::sign::kInTotoType) : "text/\u00fcber \u4e16";
    const ki::sign::Envelope envelope = ki::sign::sign_envelope(type, payload, key);
    put(fmt::format("{}\t{}\t{}\n", ki::sign::to_json(envelope), pem,
                    ki::base64(ki::sign::pae(type, payload))));
  }
}

void feed_doubles(long count) {
  Random random(8785);
  std::string line;
  for (long i = 0; i < count;) {
    // Half of all bit patterns as they come, half near the numbers that people write.
    double x = std::bit_cast<double>(random());
    if (i % 2 == 1) {
      const double digits = static_cast<double>(random() % 1'000'000'000);
      x = digits * std::pow(10.0, static_cast<double>(random() % 45) - 30.0);
      if (random() % 2 == 0) x = -x;
    }
    if (!std::isfinite(x)) continue;
    ++i;
    line = fmt::format("{:016x}\t", std::bit_cast<std::uint64_t>(x));
    ki::json::append_number(line, x);
    put(line += '\n');
  }
}

// Calls `each` with every manifest of the export.
template <class Each>
Result<void> for_each_manifest(const std::string& path, const Each& each) {
  KI_TRY(ki::io::LineReader lines, ki::io::LineReader::open(path));
  ki::json::Reader reader(ki::json::Limits{.max_bytes = std::size_t{64} << 20});
  for (;;) {
    KI_TRY(const auto line, lines.next());
    if (!line) return {};
    KI_TRY(const Value value, reader.read(*line));
    const Value* row = value.find("row");
    const Value* manifest = row == nullptr ? nullptr : row->find("manifest");
    if (manifest == nullptr) continue;
    if (manifest->find("run") == nullptr) {
      each(*manifest);
      continue;
    }
    for (const char* part : {"run", "protocol", "environment"}) each(*manifest->find(part));
  }
}

Result<void> feed_catalog(const std::string& path) {
  Validator validator(Profile::kCompat);
  return for_each_manifest(path, [&](const Value& manifest) {
    const auto valid = validator.validate(manifest);
    KI_CHECK(valid.has_value());
    std::string line;
    ki::json::Writer(line).value(manifest);
    put(line += '\t' + valid->digest.to_string() + '\n');
  });
}

Result<std::vector<std::string>> example_texts(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  std::vector<std::string> texts;
  for (const auto& path : paths) {
    KI_TRY(std::string text, ki::io::read_file(path));
    texts.push_back(std::move(text));
  }
  return texts;
}

// Where changes happen: the nodes of a value in depth-first order are numbered.
class Mutator {
 public:
  explicit Mutator(Random& random) : random_(random) {}

  // The JSON text of `value` with one node changed.
  std::string mutate(const Value& value) {
    target_ = random_() % count(value);
    at_ = 0;
    out_.clear();
    write(value);
    return out_;
  }

 private:
  static std::size_t count(const Value& value) {
    std::size_t nodes = 1;
    if (value.is_array()) {
      for (const Value& item : value.items()) nodes += count(item);
    } else if (value.is_object()) {
      for (const auto& member : value.members()) nodes += count(member.value);
    }
    return nodes;
  }

  std::string_view other() {
    static constexpr std::string_view kOthers[] = {"null",
                                                   "true",
                                                   "0",
                                                   "-1",
                                                   "1.5",
                                                   "-0.0",
                                                   "1e3",
                                                   "9007199254740991",
                                                   "9007199254740992",
                                                   "\"\"",
                                                   "\"x\"",
                                                   "\"X\"",
                                                   "\"1.005 us\"",
                                                   "\"1.0005 us\"",
                                                   "\"8 us\"",
                                                   "\"2026-02-30T00:00:00Z\"",
                                                   "\"2026-02-28T00:00Z\"",
                                                   "\"https://a.b/c\"",
                                                   "\"https://a b\"",
                                                   "\"sha256:00\"",
                                                   "[]",
                                                   "{}",
                                                   "[1,2]",
                                                   "[\"b\",\"a\",\"b\"]",
                                                   "{\"a\":1}",
                                                   "{\"a\":\"b\"}",
                                                   "\"constant\"",
                                                   "\"derived\"",
                                                   "\"none\"",
                                                   "\"é😀\""};
    return kOthers[random_() % std::size(kOthers)];
  }

  void write(const Value& value) {
    const bool is_target = at_++ == target_;
    const std::uint64_t way = is_target ? random_() % 4 : 4;
    if (way == 0 || (way < 4 && !value.is_object())) {
      if (value.is_string() && random_() % 3 == 0) {
        // A text at a length around the limits.
        static constexpr std::size_t kLengths[] = {50,  51,  100, 101,  200,
                                                   201, 500, 501, 1001, 2001};
        out_ += '"' + std::string(kLengths[random_() % std::size(kLengths)], 'a') + '"';
      } else if (value.is_array() && random_() % 2 == 0) {
        out_ += '[';
        for (int copy = 0; copy < 9; ++copy) {
          for (const Value& item : value.items()) {
            if (out_.back() != '[') out_ += ',';
            ki::json::append_canonical(out_, item);
          }
        }
        out_ += ']';
      } else {
        out_ += other();
      }
      at_ += count(value) - 1;
      return;
    }
    if (value.is_array()) {
      out_ += '[';
      for (const Value& item : value.items()) {
        if (&item != value.items().data()) out_ += ',';
        write(item);
      }
      out_ += ']';
      return;
    }
    if (!value.is_object()) {
      ki::json::append_canonical(out_, value);
      return;
    }
    // 1: a member less; 2: a member more; 3: a member renamed.
    const auto members = value.members();
    const std::size_t chosen = members.empty() ? 0 : random_() % members.size();
    out_ += '{';
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (way == 1 && i == chosen) {
        at_ += count(members[i].value);
        continue;
      }
      if (out_.back() != '{') out_ += ',';
      std::string name(members[i].key);
      if (way == 3 && i == chosen) name += 's';
      ki::json::append_string(out_, name);
      out_ += ':';
      write(members[i].value);
    }
    if (way == 2) {
      if (out_.back() != '{') out_ += ',';
      out_ += fmt::format("\"extra\":{}", other());
    }
    out_ += '}';
  }

  Random& random_;
  std::size_t target_ = 0;
  std::size_t at_ = 0;
  std::string out_;
};

void feed_verdict(Validator& validator, std::string_view slug, const std::string& text) {
  const auto valid = validator.read(text, ki::manifest::TextForm::kJson);
  std::string codes;
  if (valid) {
    codes = "accept";
  } else {
    for (const ki::Issue& issue : valid.error().issues())
      codes += (codes.empty() ? "" : " ") + issue.code;
  }
  put(fmt::format("{}\t{}\t{}\n", slug, codes, text));
}

Result<void> feed_schemas(const std::string& examples, const std::string& catalog) {
  std::vector<std::pair<std::string, std::string>> corpus;  // slug, JSON text
  Validator strict(Profile::kStrict);
  KI_TRY(const std::vector<std::string> texts, example_texts(examples));
  for (const std::string& text : texts) {
    KI_TRY(const auto valid, strict.read(text));
    // The authoring form, so that durations stay texts.
    KI_TRY(const auto document, ki::yaml::read(text));
    std::string json;
    ki::json::Writer(json).value(document.root);
    corpus.emplace_back(ki::manifest::kind_slug(valid.kind), std::move(json));
  }
  if (!catalog.empty()) {
    std::map<std::string, int> taken;
    KI_TRY_VOID(for_each_manifest(catalog, [&](const Value& manifest) {
      const auto kind = ki::manifest::parse_kind(manifest.find("kind")->string());
      KI_CHECK(kind.has_value());
      const std::string slug(ki::manifest::kind_slug(*kind));
      std::string json;
      ki::json::Writer(json).value(manifest);
      // Every tenth, at most 40 of a kind, to be changed.
      if (const int seen = taken[slug]++; seen % 10 == 0 && seen < 400)
        corpus.emplace_back(slug, json);
    }));
  }
  Random random(2020);
  Mutator mutator(random);
  Validator compat(Profile::kCompat);
  for (const auto& [slug, text] : corpus) {
    feed_verdict(compat, slug, text);
    KI_TRY(const auto document, ki::json::read_document(text));
    for (int i = 0; i < 150; ++i) feed_verdict(compat, slug, mutator.mutate(document.root));
  }
  return {};
}

Result<void> feed_yaml(const std::string& examples, long count) {
  KI_TRY(const std::vector<std::string> texts, example_texts(examples));
  static constexpr std::string_view kPieces[] = {
      "\n",     "  ",     ": ", "- ",    "#",     " #",      "'",   "\"",   "&a ",
      "*a",     "[",      "]",  "{",     "}",     ",",       "|\n", ">-\n", "0x10",
      "0o7",    "1_000",  ".5", "1e3",   "~",     "null",    "yes", "true", ".inf",
      "!!str ", "!!int ", "<<", "? ",    "---\n", "\\u0061", "é",   "😀",   "1:30",
      "017",    "+1",     "-0", "key: ", "\t",    "%",       "@",   "`",    "\\"};
  Random random(12);
  for (long i = 0; i < count; ++i) {
    std::string text = texts[random() % texts.size()];
    const std::uint64_t changes = random() % 4;
    for (std::uint64_t change = 0; change < changes; ++change) {
      const std::size_t at = random() % text.size();
      const std::string_view piece = kPieces[random() % std::size(kPieces)];
      switch (random() % 3) {
        case 0:
          text.insert(at, piece);
          break;
        case 1:
          text.erase(at, random() % 5);
          break;
        default:
          text.replace(at, random() % 5, piece);
      }
      if (text.empty()) text = "a: 1\n";
    }
    if (ki::find_invalid_utf8(text)) continue;  // a change cut a character
    std::string line;
    ki::json::append_string(line, text);
    line += '\t';
    const auto document = ki::yaml::read(text);
    line += document ? ki::json::canonical(document->root) : std::string("refused");
    put(line += '\n');
  }
  return {};
}

Result<void> run(const std::vector<std::string>& arguments) {
  const auto argument = [&](std::size_t i) {
    return i < arguments.size() ? arguments[i] : std::string();
  };
  if (argument(0) == "doubles") {
    feed_doubles(std::stol(argument(1)));
    return {};
  }
  if (argument(0) == "dsse") {
    feed_dsse(std::stol(argument(1)));
    return {};
  }
  if (argument(0) == "catalog") return feed_catalog(argument(1));
  if (argument(0) == "schemas") return feed_schemas(argument(1), argument(2));
  if (argument(0) == "yaml") return feed_yaml(argument(1), std::stol(argument(2)));
  return ki::fail(ki::Code::kInvalidArgument, "expected doubles, catalog, schemas, yaml or dsse");
}

}  // namespace

int main(int argc, char** argv) {
  const auto done = run({argv + 1, argv + argc});
  if (!done) fmt::print(stderr, "{}\n", done.error().to_string());
  return done ? 0 : ki::exit_code(done.error().code());
}
