// Reading solutions.
#include "ki/problem/solution.h"

#include "ki/base/text.h"
#include "ki/json/canonical.h"
#include "ki/json/pointer.h"
#include "ki/json/writer.h"
#include "source.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>

namespace ki::problem {
namespace {

constexpr std::array<std::string_view, 5> kPython = {"pytorch", "triton", "cute_dsl", "cutile",
                                                     "cudnn_frontend"};
constexpr std::array<std::string_view, 4> kCpp = {"cutlass", "cudnn", "cublas", "cuda_cpp"};
constexpr std::array<std::string_view, 2> kOurs = {"x_c", "x_cpp"};
constexpr std::array<std::string_view, 8> kCppSuffixes = {".cu", ".cpp", ".cc",  ".cxx",
                                                          ".c",  ".hpp", ".cuh", ".h"};
constexpr std::array<std::string_view, 8> kHarnessFiles = {
    "definition.json", "workload.jsonl", "solution.json", "config.json",
    "eval_driver.py",  "build_ext.py",   "_reference.py", "benchmark_kernel.so"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

// What is wrong with a path for everyone, or nothing.
std::string_view path_refusal(std::string_view path) {
  if (path.starts_with('/')) return "the path is absolute";
  for (const std::string_view part : split(path, '/')) {
    if (part == "..") return "the path leaves its folder";
  }
  return {};
}
// What is wrong with it for us alone.
std::string_view strict_path_refusal(std::string_view path) {
  if (std::ranges::any_of(path,
                          [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }))
    return "the path has a control character";
  if (path.find('\\') != path.npos) return "the path has a backslash";
  if (path.ends_with('/')) return "the path ends with '/'";
  for (const std::string_view part : split(path, '/')) {
    if (part.empty() || part == ".") return "the path has an empty or '.' component";
  }
  if (contains(kHarnessFiles, ascii_lower(path))) return "the path is a file of the harness";
  return {};
}

class SolutionReader {
 public:
  SolutionReader(const Source& source, Findings& findings, ReadBeside beside, const void* context)
      : source_(source),
        findings_(findings),
        object_(source, findings, source.root(), ""),
        beside_(beside),
        context_(context) {}

  Solution read() {
    out_.name = object_.text("name");
    out_.definition = object_.text("definition");
    out_.author = object_.text("author");
    out_.description = object_.optional_text("description", true).value_or("");
    read_sources();
    if (const json::Value* spec = object_.object("spec")) {
      Object fields(source_, findings_, *spec, object_.pointer("spec"));
      read_spec(fields);
      fields.finish();
    }
    object_.finish();
    return std::move(out_);
  }

 private:
  void read_sources() {
    const json::Value* sources = object_.list("sources");
    if (sources == nullptr) return;
    if (sources->items().empty())
      object_.refuse(*sources, object_.pointer("sources"), "no_sources", "there is no source");
    std::size_t i = 0;
    for (const json::Value& item : sources->items()) {
      std::string at = object_.pointer("sources");
      json::append_pointer(at, i++);
      if (!Object::is_object(source_, findings_, item, at)) continue;
      Object fields(source_, findings_, item, at);
      read_source(fields);
      fields.finish();
    }
  }

  void read_source(Object& fields) {
    SourceFile file;
    file.path = fields.text("path");
    if (file.path.empty()) return;
    const json::Value& path = *fields.value().find("path");
    const std::string at = fields.pointer("path");
    bool is_safe = true;
    if (const auto why = path_refusal(file.path); !why.empty()) {
      fields.refuse(path, at, "source_path", std::string(why),
                    "use a path below the solution's folder");
      is_safe = false;
    } else if (const auto strict_why = strict_path_refusal(file.path); !strict_why.empty()) {
      fields.strict(path, at, "source_path", std::string(strict_why),
                    "use plain components separated by '/'");
      is_safe = false;
    }
    for (const SourceFile& other : out_.sources) {
      if (other.path == file.path) {
        fields.refuse(path, at, "duplicate_path",
                      fmt::format("{} was used before", quote(file.path)));
      } else if (equals_ignoring_case(other.path, file.path)) {
        fields.strict(
            path, at, "duplicate_path",
            fmt::format("{} differs from {} only in case", quote(file.path), quote(other.path)));
      }
    }
    read_content(fields, file, is_safe);
    out_.sources.push_back(std::move(file));
  }

  void read_content(Object& fields, SourceFile& file, bool is_safe) {
    const json::Value* content = fields.optional("content");
    if (content != nullptr && !source_.is_text(*content)) {
      fields.text(*content, fields.pointer("content"));
      return;
    }
    if (content != nullptr && !content->string().empty()) {
      file.content = content->string();
      return;
    }
    if (beside_ == nullptr || !is_safe) {
      fields.refuse(fields.value(), fields.pointer("content"), "no_content",
                    fmt::format("the content of {} is empty or missing", quote(file.path)));
      return;
    }
    auto text = beside_(context_, file.path);
    if (!text || text->empty()) {
      fields.refuse(
          fields.value(), fields.pointer("content"), "no_content",
          text ? fmt::format("the file {} is empty", quote(file.path)) : text.error().to_string());
      return;
    }
    file.content = *std::move(text);
  }

  void read_spec(Object& spec) {
    read_languages(spec);
    read_hardware(spec);
    read_entry(spec);
    out_.dependencies = spec.texts("dependencies", false, false);
    out_.destination_passing_style = spec.boolean("destination_passing_style", true);
    if (const auto binding = spec.optional_text("binding")) {
      out_.binding = *binding;
      const json::Value& value = *spec.value().find("binding");
      if (*binding == "x_ki_abi1") {
        spec.extension(value, spec.pointer("binding"), "the binding x_ki_abi1 is ours");
      } else if (*binding != "torch") {
        spec.refuse(value, spec.pointer("binding"), "binding",
                    fmt::format("the binding {} is not known", quote(*binding)),
                    "use torch or x_ki_abi1");
      }
    }
    if (is_ours_ && out_.binding != "x_ki_abi1") {
      spec.refuse(spec.value(), spec.pointer("binding"), "binding",
                  "the languages x_c and x_cpp are called through the C ABI",
                  R"(add "binding": "x_ki_abi1")");
    }
    if (out_.is_cpu_abi() && !out_.destination_passing_style) {
      spec.refuse(spec.value(), spec.pointer("destination_passing_style"), "binding",
                  "the C ABI passes destinations", "write true");
    }
    if (const json::Value* threads = spec.optional("x_threads")) {
      const auto count = spec.integer(*threads, spec.pointer("x_threads"));
      if (count && (*count < 1 || *count > 1024)) {
        spec.refuse(*threads, spec.pointer("x_threads"), "threads",
                    fmt::format("{} threads; 1 to 1024 are expected", *count));
      } else if (count) {
        out_.x_threads = static_cast<int>(*count);
      }
      spec.extension(*threads, spec.pointer("x_threads"), "x_threads is ours");
    }
    read_options(spec);
  }

  void read_languages(Object& spec) {
    out_.languages = spec.texts("languages", true, false);
    const json::Value* value = spec.value().find("languages");
    if (value == nullptr) return;
    const std::string at = spec.pointer("languages");
    if (out_.languages.empty())
      spec.strict(*value, at, "languages", "the list is empty; the original takes it for Python");
    std::size_t python = 0, cpp = 0, ours = 0;
    for (const std::string& language : out_.languages) {
      if (contains(kPython, language)) {
        ++python;
      } else if (contains(kCpp, language)) {
        ++cpp;
      } else if (contains(kOurs, language)) {
        ++ours;
        spec.extension(*value, at, fmt::format("the language {} is ours", language));
      } else {
        spec.refuse(
            *value, at, "language", fmt::format("the language {} is not known", quote(language)),
            "use pytorch, triton, cute_dsl, cutile, cudnn_frontend, cutlass, cudnn, cublas, "
            "cuda_cpp, x_c or x_cpp");
      }
    }
    if ((python > 0) + (cpp > 0) + (ours > 0) > 1) {
      spec.refuse(*value, at, "mixed_languages",
                  "Python, CUDA C++ and C ABI languages cannot be mixed");
    }
    is_ours_ = ours > 0;
    is_python_ = cpp == 0 && ours == 0;
  }

  void read_hardware(Object& spec) {
    out_.target_hardware = spec.texts("target_hardware", true, false);
    const json::Value* value = spec.value().find("target_hardware");
    if (value == nullptr) return;
    const std::string at = spec.pointer("target_hardware");
    if (out_.target_hardware.empty()) spec.refuse(*value, at, "hardware", "the list is empty");
    for (const std::string& hardware : out_.target_hardware) {
      if (hardware == "X_CPU") {
        spec.extension(*value, at, "the hardware X_CPU is ours");
      } else if (hardware != "B200" && hardware != "LOCAL") {
        spec.refuse(*value, at, "hardware",
                    fmt::format("the hardware {} is not known", quote(hardware)),
                    "use B200, LOCAL or X_CPU");
      }
    }
  }

  void read_entry(Object& spec) {
    const std::string entry = spec.text("entry_point");
    if (entry.empty()) return;
    const json::Value& value = *spec.value().find("entry_point");
    const std::string at = spec.pointer("entry_point");
    const std::size_t colons = entry.find("::");
    if (colons == entry.npos || entry.find("::", colons + 2) != entry.npos) {
      spec.refuse(value, at, "entry_point", fmt::format("{} is not FILE::FUNCTION", quote(entry)));
      return;
    }
    out_.entry_file = entry.substr(0, colons);
    out_.entry_symbol = entry.substr(colons + 2);
    if (!is_identifier(out_.entry_symbol)) {
      spec.strict(value, at, "entry_point",
                  out_.entry_symbol.empty() ? "the function's name is empty"
                                            : "the function's name is not an identifier");
    }
    if (std::ranges::find(out_.sources, out_.entry_file, &SourceFile::path) == out_.sources.end()) {
      spec.refuse(value, at, "entry_point",
                  fmt::format("the file {} is not among the sources", quote(out_.entry_file)));
    }
    const bool fits = is_python_ ? out_.entry_file.ends_with(".py")
                                 : std::ranges::any_of(kCppSuffixes, [&](std::string_view suffix) {
                                     return out_.entry_file.ends_with(suffix);
                                   });
    if (!fits) {
      spec.refuse(value, at, "entry_point",
                  fmt::format("the file {} does not fit the languages", quote(out_.entry_file)));
    }
  }

  void read_options(Object& spec) {
    const json::Value* value = spec.optional("compile_options");
    if (value == nullptr ||
        !Object::is_object(source_, findings_, *value, spec.pointer("compile_options")))
      return;
    Object fields(source_, findings_, *value, spec.pointer("compile_options"));
    CompileOptions options;
    options.cflags = fields.texts("cflags", false, false);
    if (fields.has("cuda_cflags")) options.cuda_cflags = fields.texts("cuda_cflags", false, false);
    if (fields.has("ld_flags")) options.ld_flags = fields.texts("ld_flags", false, false);
    // Defaults of the original's GPU builds mean nothing to the C ABI.
    if (is_ours_ && !fields.has("cuda_cflags")) options.cuda_cflags.clear();
    if (is_ours_ && !fields.has("ld_flags")) options.ld_flags.clear();
    for (const auto& [name, member] : {std::pair{"x_std", &CompileOptions::x_std},
                                       std::pair{"x_compiler", &CompileOptions::x_compiler}}) {
      if (const auto text = fields.optional_text(name)) {
        options.*member = *text;
        fields.extension(*value->find(name), fields.pointer(name), fmt::format("{} is ours", name));
      }
    }
    if (!options.x_compiler.empty() && options.x_compiler != "g++" &&
        options.x_compiler != "clang-19") {
      fields.refuse(*value->find("x_compiler"), fields.pointer("x_compiler"), "compiler",
                    fmt::format("the compiler {} is not known", quote(options.x_compiler)),
                    "use g++ or clang-19");
    }
    fields.finish();
    out_.compile_options = std::move(options);
  }

  const Source& source_;
  Findings& findings_;
  Object object_;
  ReadBeside beside_;
  const void* context_;
  Solution out_;
  bool is_ours_ = false;
  bool is_python_ = true;
};

template <class T>
void write_list(json::Writer& w, std::string_view name, const std::vector<T>& list) {
  w.key(name).begin_array();
  for (const T& item : list) w.value(item);
  w.end_array();
}

}  // namespace

Reading<Solution> read_solution(std::string_view json, ReadBeside beside, const void* context) {
  Reading<Solution> out;
  const auto source = Source::read(json, out.findings);
  if (!source || !Object::is_object(*source, out.findings, source->root(), "")) return out;
  Solution solution = SolutionReader(*source, out.findings, beside, context).read();
  const bool is_hopeless = std::ranges::any_of(out.findings, [](const Finding& f) {
    return f.is_refused_strictly && f.is_refused_compatibly;
  });
  if (!is_hopeless) out.value = std::move(solution);
  return out;
}

std::string Solution::to_json() const {
  std::string text;
  json::Writer w(text);
  w.begin_object().member("name", name).member("definition", definition).member("author", author);
  w.key("spec").begin_object();
  write_list(w, "languages", languages);
  write_list(w, "target_hardware", target_hardware);
  write_list(w, "dependencies", dependencies);
  w.member("entry_point", entry_file + "::" + entry_symbol);
  w.member("destination_passing_style", destination_passing_style);
  w.member("binding", binding).member("x_threads", x_threads);
  if (compile_options) {
    w.key("compile_options").begin_object();
    write_list(w, "cflags", compile_options->cflags);
    write_list(w, "cuda_cflags", compile_options->cuda_cflags);
    write_list(w, "ld_flags", compile_options->ld_flags);
    w.member("x_std", compile_options->x_std).member("x_compiler", compile_options->x_compiler);
    w.end_object();
  }
  w.end_object().key("sources").begin_array();
  for (const SourceFile& file : sources) {
    w.begin_object().member("path", file.path).member("content", file.content).end_object();
  }
  w.end_array().end_object();
  const auto document = json::read_document(text, {.max_bytes = text.size() + 1});
  KI_CHECK(document.has_value());
  return json::canonical(document->root);
}

Digest Solution::digest() const { return Digest::of(to_json()); }

std::string Solution::compat_sha1() const {
  std::string text = name + definition;
  for (const std::string& language : languages) text += language;
  text += entry_file + "::" + entry_symbol + binding;
  for (const std::string& dependency : dependencies) text += dependency;
  for (const SourceFile& file : sources) text += file.path + file.content;
  std::array<unsigned char, 20> bytes{};
  unsigned length = 0;
  KI_CHECK(EVP_Digest(text.data(), text.size(), bytes.data(), &length, EVP_sha1(), nullptr) == 1);
  std::string out;
  for (const unsigned char byte : bytes) out += fmt::format("{:02x}", byte);
  return out;
}

Findings check_solution(const Definition& definition, const Solution& solution) {
  Findings out;
  if (solution.definition != definition.name) {
    out.push_back({{"definition_mismatch", "/definition", 0, 0,
                    fmt::format("the solution is for {}, the definition is {}",
                                quote(solution.definition), quote(definition.name)),
                    ""},
                   true,
                   false});
  }
  return out;
}

}  // namespace ki::problem
