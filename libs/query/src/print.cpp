#include "ki/query/print.h"

#include "ki/base/text.h"
#include "token.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::query {
namespace {

std::string value_text(std::string_view value) {
  if (!has_space(value) && value.find_first_of("[]") == std::string_view::npos) {
    return std::string(value);
  }
  return fmt::format("\"{}\"", value);
}

std::string dims_text(std::span<const std::int64_t> dims, char separator) {
  std::string text;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (i > 0) text += separator;
    text += std::to_string(dims[i]);
  }
  return text;
}

void append(std::string& text, std::string_view token) {
  if (!text.empty()) text += ' ';
  text += token;
}

// An open quote or bracket would swallow what follows it.
bool is_open(const Term& term) {
  return term.kind == TermKind::kWord && term.text.find_first_of("\"[") != std::string::npos;
}

void append_terms(std::string& text, const std::vector<Term>& terms) {
  const Term* previous = nullptr;
  for (const Term& term : terms) {
    switch (term.kind) {
      case TermKind::kWord:
        // Quotes around nothing keep two words from being read as one GPU.
        if (previous != nullptr && previous->kind == TermKind::kWord &&
            !previous->text.starts_with('"') && gpu_word(previous->text) != GpuWord::kNone &&
            gpu_word(term.text) != GpuWord::kNone) {
          append(text, "\"\"");
        }
        append(text, term.text);
        break;
      case TermKind::kPhrase:
        append(text, fmt::format("\"{}\"", term.text));
        break;
      case TermKind::kOperation:
        append(text, filter_token("op", term.text));
        break;
    }
    // Nothing is joined, and no quote may follow, after an open quote.
    if (term.kind == TermKind::kWord && term.text.starts_with('"')) {
      for (auto next = &term + 1; next != terms.data() + terms.size(); ++next) {
        append(text,
               next->kind == TermKind::kOperation ? filter_token("op", next->text) : next->text);
      }
      return;
    }
    previous = &term;
  }
}

void append_filters(std::string& text, const Intent& intent) {
  const auto filter = [&](std::string_view key, const std::optional<std::string>& value) {
    if (value) append(text, filter_token(key, *value));
  };
  filter("family", intent.family);
  if (intent.model)
    append(text, filter_token("model", intent.model->empty() ? "-" : *intent.model));
  if (intent.gpu) append(text, filter_token("gpu", intent.gpu->typed));
  filter("arch", intent.architecture);
  for (const std::string& dtype : intent.dtypes) append(text, filter_token("dtype", dtype));
  if (intent.shape) append(text, shape_token(intent.shape->dims));
  for (const TensorRequest& tensor : intent.tensors) {
    if (tensor.shape) append(text, tensor_token(tensor.name, *tensor.shape));
  }
  for (const AxisBinding& axis : intent.axes) append(text, axis_token(axis.name, axis.value));
  filter("layout", intent.layout);
  filter("framework", intent.framework);
  filter("language", intent.language);
  if (intent.cuda_major) append(text, fmt::format("cuda:{}", *intent.cuda_major));
  if (intent.minimum_trust) append(text, fmt::format("trust:{}", to_string(*intent.minimum_trust)));
  filter("license", intent.license);
  if (intent.require_source) append(text, "source:true");
  if (intent.require_installable) append(text, "installable:true");
}

}  // namespace

std::string filter_token(std::string_view key, std::string_view value) {
  return fmt::format("{}:{}", key, value_text(value));
}

std::string axis_token(std::string_view name, std::int64_t value) {
  return fmt::format("{}{}={}", find_filter(name) ? "axis:" : "", name, value);
}

std::string shape_token(std::span<const std::int64_t> dims) {
  return "shape:" + dims_text(dims, 'x');
}

std::string tensor_token(std::string_view name, std::span<const std::int64_t> dims) {
  return fmt::format("{}{}=[{}]", find_filter(name) ? "tensor:" : "", name, dims_text(dims, ','));
}

std::string to_query_text(const Intent& intent) {
  std::string text;
  if (std::ranges::any_of(intent.terms, is_open)) {
    append_filters(text, intent);
    append_terms(text, intent.terms);
  } else {
    append_terms(text, intent.terms);
    append_filters(text, intent);
  }
  return text;
}

}  // namespace ki::query
