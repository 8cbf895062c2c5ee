#include "ki/query/hardware.h"

#include "ki/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace ki::query {
namespace {

// Say nothing about which product it is: brands, boards, boxes, trade marks.
constexpr std::array<std::string_view, 7> kBrands = {"geforce", "tesla",   "instinct",  "quadro",
                                                     "radeon",  "edition", "generation"};
constexpr std::array<std::string_view, 28> kNoise = {
    "gpu",    "gpus",      "graphics", "card",        "accelerator", "corp",   "inc",
    "tm",     "r",         "ms",       "corporation", "maxsun",      "turbo",  "virtualized",
    "tensor", "core",      "mig",      "and",         "grace",       "hopper", "ampere",
    "gddr6",  "blackwell", "lovelace", "gddr6x",      "gddr7",       "nvl72",  "nvl36"};

struct Word {
  std::string_view word;
  FormFactor form;
};
constexpr std::array kForms = {
    Word{"sxm", FormFactor::kSxm},       Word{"sxm2", FormFactor::kSxm},
    Word{"sxm3", FormFactor::kSxm},      Word{"sxm4", FormFactor::kSxm},
    Word{"sxm5", FormFactor::kSxm},      Word{"sxm6", FormFactor::kSxm},
    Word{"hgx", FormFactor::kSxm},       Word{"dgx", FormFactor::kSxm},
    Word{"pcie", FormFactor::kPcie},     Word{"pci", FormFactor::kPcie},
    Word{"nvl", FormFactor::kNvl},       Word{"oam", FormFactor::kOam},
    Word{"server", FormFactor::kServer}, Word{"workstation", FormFactor::kWorkstation},
    Word{"maxq", FormFactor::kMaxQ},
};
constexpr std::array<std::string_view, 4> kMemoryTypes = {"hbm2", "hbm2e", "hbm3", "hbm3e"};

template <class Range>
bool contains(const Range& range, std::string_view word) {
  return std::ranges::find(range, word) != range.end();
}

std::optional<Vendor> vendor_word(std::string_view word) {
  if (word == "nvidia") return Vendor::kNvidia;
  if (word == "amd") return Vendor::kAmd;
  if (word == "intel") return Vendor::kIntel;
  return std::nullopt;
}

std::optional<FormFactor> form_word(std::string_view word) {
  for (const Word& entry : kForms) {
    if (entry.word == word) return entry.form;
  }
  return std::nullopt;
}

std::optional<std::uint16_t> whole_number(std::string_view text) {
  std::uint16_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || text.front() == '0') return std::nullopt;
  return value;
}

std::optional<std::uint16_t> memory_word(std::string_view word) {
  for (const std::string_view unit : {"gib", "gb", "g"}) {
    if (word.size() > unit.size() && word.ends_with(unit)) {
      return whole_number(word.substr(0, word.size() - unit.size()));
    }
  }
  return std::nullopt;
}

// "8x" or "x8".
bool is_count(std::string_view word) {
  constexpr std::uint16_t kMaxCount = 999;  // "X9000" would be a name
  if (word.size() < 2) return false;
  std::string_view digits;
  if (word.front() == 'x') digits = word.substr(1);
  if (word.back() == 'x') digits = word.substr(0, word.size() - 1);
  const auto count = digits.empty() ? std::nullopt : whole_number(digits);
  return count && *count <= kMaxCount;
}

// "1g.5gb": a slice of one GPU.
bool is_partition(std::string_view word) {
  const std::size_t dot = word.find('.');
  return dot != std::string_view::npos && dot >= 2 && word[dot - 1] == 'g' &&
         whole_number(word.substr(0, dot - 1)) && memory_word(word.substr(dot + 1));
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? ascii_lower(text[i]) : ' ';
    const bool joins_digits =
        c == '.' && !word.empty() && i + 1 < text.size() && is_ascii_alnum(text[i + 1]);
    const bool is_word_byte = is_ascii_alnum(c) || static_cast<unsigned char>(c) >= 0x80;
    if (is_word_byte || joins_digits) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  return words;
}

bool is_attribute(std::string_view word) {
  return form_word(word) || memory_word(word) || contains(kMemoryTypes, word);
}

// The names of all products as lower-case words, made once.
struct Name {
  const Product* product;
  std::vector<std::string> words;
};
struct Names {
  std::vector<Name> names;
  std::vector<std::string> tokens;    // sorted: names of one word
  std::vector<std::string> spelling;  // sorted: words of the longer names, "rtx", "pro", "6000"

  Names() {
    for (const Product& product : products()) {
      tokens.push_back(ascii_lower(product.token));
      names.push_back({&product, {tokens.back()}});
      for (const std::string_view text : product.spellings) {
        Name& name = names.emplace_back(&product, std::vector<std::string>{});
        for (const std::string_view word : split(text, ' ')) name.words.emplace_back(word);
        spelling.insert(spelling.end(), name.words.begin(), name.words.end());
      }
    }
    std::ranges::sort(tokens);
    std::ranges::sort(spelling);
  }
};
const Names& names() {
  static const Names all;
  return all;
}

bool is_product_word(std::string_view word) {
  return std::ranges::binary_search(names().tokens, word, std::ranges::less{});
}
bool is_spelling_word(std::string_view word) {
  return std::ranges::binary_search(names().spelling, word, std::ranges::less{});
}

constexpr std::size_t kMaxRunTogether = 40;  // bytes of a word that is cut
constexpr int kMaxAttributes = 4;            // in one word; bounds the search

// Cuts "sxm580gb" into attributes, longest first; false when something is left.
bool cut_attributes(std::string_view text, std::vector<std::string>& out, int left) {
  if (text.empty()) return true;
  if (left == 0) return false;
  for (std::size_t length = text.size(); length > 0; --length) {
    if (!is_attribute(text.substr(0, length))) continue;
    out.emplace_back(text.substr(0, length));
    if (cut_attributes(text.substr(length), out, left - 1)) return true;
    out.pop_back();
  }
  return false;
}

// Cuts a run-together spelling ("8xh100", "h100sxm5") into its words; otherwise the word itself.
void cut_word(std::string_view word, std::vector<std::string>& out) {
  if (word.size() > kMaxRunTogether || is_product_word(word) || is_attribute(word)) {
    out.emplace_back(word);
    return;
  }
  const std::size_t x = word.find('x');
  if (x != std::string_view::npos && x > 0 && x + 1 < word.size() &&
      is_count(word.substr(0, x + 1)) && !is_ascii_digit(word[x + 1])) {
    return cut_word(word.substr(x + 1), out);
  }
  std::size_t longest = 0;
  for (const std::string& token : names().tokens) {
    if (word.starts_with(token) && token.size() > longest) longest = token.size();
  }
  if (longest > 0) {
    std::vector<std::string> attributes;
    if (cut_attributes(word.substr(longest), attributes, kMaxAttributes)) {
      out.emplace_back(word.substr(0, longest));
      out.insert(out.end(), attributes.begin(), attributes.end());
      return;
    }
  }
  out.emplace_back(word);
}

struct Found {
  const Product* product = nullptr;
  std::size_t words = 0;
};

// The product whose name starts at words[at]; the longest name wins.
Found find_product(std::span<const std::string> words, std::size_t at) {
  Found best;
  for (const auto& [product, name] : names().names) {
    if (name.size() <= best.words || at + name.size() > words.size()) continue;
    if (std::ranges::equal(words.subspan(at, name.size()), name)) best = {product, name.size()};
  }
  return best;
}

// What a text says about form and memory, before it is known whether the product comes so.
struct Attribute {
  std::string word;
  FormFactor form = FormFactor::kUnknown;
  std::uint16_t memory_gb = 0;
  bool is_memory_type = false;
};

bool fits(const Variant& variant, const Attribute& attribute) {
  if (attribute.is_memory_type) {
    return variant.memory_type.empty() || variant.memory_type == attribute.word;
  }
  if (attribute.memory_gb != 0) {
    return variant.memory_gb == attribute.memory_gb || variant.usable_gb == attribute.memory_gb;
  }
  return variant.form == attribute.form;
}

class GpuReader {
 public:
  explicit GpuReader(std::string_view text) {
    gpu_.text = std::string(trim(text));
    for (const std::string& word : words_of(text)) {
      if (word != "r" && word != "tm") cut_word(word, words_);  // trade marks stand anywhere
    }
  }

  Gpu read() {
    for (std::size_t i = 0; i < words_.size();) i += read_word(i);
    narrow();
    if (gpu_.product != nullptr) {
      if (named_ != Vendor::kUnknown && named_ != gpu_.product->vendor) leave(to_string(named_));
      gpu_.vendor = gpu_.product->vendor;
    } else {
      gpu_.vendor = named_;
    }
    return std::move(gpu_);
  }

 private:
  // Returns how many words it used.
  std::size_t read_word(std::size_t i) {
    if (const Found found = find_product(words_, i); found.product != nullptr) {
      if (gpu_.product != nullptr && gpu_.product != found.product) gpu_.is_several = true;
      if (gpu_.product == nullptr) gpu_.product = found.product;
      return found.words;
    }
    const std::string_view word = words_[i];
    if (word == "power") return power_cap(i);
    if (word == "max" && i + 1 < words_.size() && words_[i + 1] == "q") {
      attributes_.push_back({.word = "maxq", .form = FormFactor::kMaxQ});
      return i + 2 < words_.size() && words_[i + 2] == "workstation" ? 3 : 2;
    }
    if (word == "pci" && i + 1 < words_.size() && words_[i + 1] == "e") {
      attributes_.push_back({.word = "pcie", .form = FormFactor::kPcie});
      return 2;
    }
    if (i + 1 < words_.size() && whole_number(word) &&
        contains(std::array<std::string_view, 3>{"gb", "gib", "g"}, words_[i + 1])) {
      attributes_.push_back({.word = std::string(word) + "gb", .memory_gb = *whole_number(word)});
      return 2;
    }
    if (const auto vendor = vendor_word(word)) {
      named_ = *vendor;
    } else if (is_partition(word)) {
      gpu_.partition = word;
    } else if (const auto form = form_word(word)) {
      attributes_.push_back({.word = std::string(word), .form = *form});
    } else if (const auto memory = memory_word(word)) {
      attributes_.push_back({.word = std::to_string(*memory) + "gb", .memory_gb = *memory});
    } else if (contains(kMemoryTypes, word)) {
      attributes_.push_back({.word = std::string(word), .is_memory_type = true});
    } else if (!contains(kNoise, word) && !contains(kBrands, word) && !is_count(word)) {
      leave(word);
    }
    return 1;
  }

  // "power cap 1000 W" is a setting, not a product.
  std::size_t power_cap(std::size_t i) {
    std::size_t next = i + 1;
    const auto at = [&](std::string_view word) {
      return next < words_.size() && words_[next] == word;
    };
    if (at("cap") || at("limit")) ++next;
    if (next >= words_.size() || !is_ascii_digit(words_[next].front())) {
      leave("power");
      return 1;
    }
    ++next;
    if (at("w") || at("watts")) ++next;
    return next - i;
  }

  // Keeps the variants that fit all attributes. An attribute in which the product does not come is
  // part of another product's name and stays in `rest`.
  void narrow() {
    if (gpu_.product == nullptr) {
      for (const Attribute& attribute : attributes_) leave(attribute.word);
      return;
    }
    const auto variants = gpu_.product->variants;
    auto set = static_cast<std::uint16_t>((1U << variants.size()) - 1U);
    for (const Attribute& attribute : attributes_) {
      std::uint16_t kept = 0;
      for (std::size_t i = 0; i < variants.size(); ++i) {
        if ((set >> i & 1U) != 0 && fits(variants[i], attribute)) {
          kept = static_cast<std::uint16_t>(kept | (1U << i));
        }
      }
      if (kept == 0) {
        leave(attribute.word);
      } else {
        set = kept;
      }
    }
    gpu_.variants = set;
  }

  void leave(std::string_view word) {
    if (!gpu_.rest.empty()) gpu_.rest += ' ';
    gpu_.rest += word;
  }

  Gpu gpu_;
  Vendor named_ = Vendor::kUnknown;
  std::vector<std::string> words_;
  std::vector<Attribute> attributes_;
};

std::string variant_name(const Product& product, const Variant& variant, bool with_form,
                         bool with_memory) {
  std::string name(product.name);
  if (with_form && variant.form != FormFactor::kUnknown) {
    name += ' ';
    name += to_string(variant.form);
  }
  if (with_memory && variant.memory_gb != 0) name += " " + std::to_string(variant.memory_gb) + "GB";
  return name;
}

}  // namespace

Gpu parse_gpu(std::string_view text) { return GpuReader(text).read(); }

GpuMatch match_gpu(const Gpu& requested, const Gpu& observed) {
  if (requested.is_several != observed.is_several) return GpuMatch::kNoMatch;
  if (requested.is_several) {
    return equals_ignoring_case(requested.text, observed.text) ? GpuMatch::kMatch
                                                               : GpuMatch::kNoMatch;
  }
  if (requested.product == nullptr) {
    const bool is_vendor_alone = requested.rest.empty() && requested.partition.empty();
    if (is_vendor_alone) {
      return requested.vendor != Vendor::kUnknown && requested.vendor == observed.vendor
                 ? GpuMatch::kMatch
                 : GpuMatch::kNoMatch;
    }
    const bool is_same =
        observed.product == nullptr && requested.rest == observed.rest &&
        requested.partition == observed.partition &&
        (requested.vendor == Vendor::kUnknown || observed.vendor == Vendor::kUnknown ||
         requested.vendor == observed.vendor);
    return is_same ? GpuMatch::kMatch : GpuMatch::kNoMatch;
  }
  if (requested.product != observed.product || requested.rest != observed.rest ||
      requested.partition != observed.partition) {
    return GpuMatch::kNoMatch;
  }
  if (requested.variants == observed.variants) return GpuMatch::kMatch;
  return (requested.variants & observed.variants) != 0 ? GpuMatch::kAmbiguous : GpuMatch::kNoMatch;
}

std::string canonical_name(const Gpu& gpu) {
  if (gpu.product == nullptr || gpu.is_several) return gpu.text;
  const auto variants = gpu.product->variants;
  const auto all = static_cast<std::uint16_t>((1U << variants.size()) - 1U);
  std::string name(gpu.product->name);
  if (gpu.variants != all) {
    // Name what all variants that fit have in common.
    const Variant* first = nullptr;
    bool is_one_form = true;
    bool is_one_memory = true;
    for (std::size_t i = 0; i < variants.size(); ++i) {
      if ((gpu.variants >> i & 1U) == 0) continue;
      if (first == nullptr) first = &variants[i];
      is_one_form = is_one_form && variants[i].form == first->form;
      is_one_memory = is_one_memory && variants[i].memory_gb == first->memory_gb;
    }
    if (first != nullptr) name = variant_name(*gpu.product, *first, is_one_form, is_one_memory);
  }
  if (!gpu.partition.empty()) name += " MIG " + gpu.partition;
  if (!gpu.rest.empty()) name += " " + gpu.rest;
  return name;
}

std::vector<std::string> variant_names(const Gpu& gpu) {
  std::vector<std::string> names;
  if (gpu.product == nullptr) return names;
  for (std::size_t i = 0; i < gpu.product->variants.size(); ++i) {
    if ((gpu.variants >> i & 1U) != 0) {
      names.push_back(variant_name(*gpu.product, gpu.product->variants[i], true, true));
    }
  }
  return names;
}

std::optional<std::string_view> gpu_hint(std::string_view text) {
  std::vector<std::string> lower;
  for (const Product& product : products()) lower.push_back(ascii_lower(product.token));
  const std::vector<std::string_view> candidates(lower.begin(), lower.end());
  for (const std::string& word : words_of(text)) {
    if (const auto close = did_you_mean(word, candidates)) {
      const auto at = std::ranges::find(candidates, *close) - candidates.begin();
      return products()[static_cast<std::size_t>(at)].token;
    }
  }
  return std::nullopt;
}

GpuWord gpu_word(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string& word : words_of(text)) cut_word(word, words);
  GpuWord result = words.empty() ? GpuWord::kNone : GpuWord::kFiller;
  for (const std::string& word : words) {
    if (contains(kNoise, word)) continue;
    if (!vendor_word(word) && !is_attribute(word) && !is_product_word(word) &&
        !contains(kBrands, word) && !is_spelling_word(word)) {
      return GpuWord::kNone;
    }
    result = GpuWord::kName;
  }
  return result;
}

std::string_view to_string(Vendor vendor) {
  switch (vendor) {
    case Vendor::kNvidia:
      return "nvidia";
    case Vendor::kAmd:
      return "amd";
    case Vendor::kIntel:
      return "intel";
    case Vendor::kUnknown:
      break;
  }
  return "unknown";
}

std::string_view to_string(FormFactor form) {
  switch (form) {
    case FormFactor::kSxm:
      return "SXM";
    case FormFactor::kPcie:
      return "PCIe";
    case FormFactor::kNvl:
      return "NVL";
    case FormFactor::kOam:
      return "OAM";
    case FormFactor::kServer:
      return "Server Edition";
    case FormFactor::kWorkstation:
      return "Workstation Edition";
    case FormFactor::kMaxQ:
      return "Max-Q Workstation Edition";
    case FormFactor::kUnknown:
      break;
  }
  return "";
}

GpuChoice choose_gpu(const Gpu& requested, std::span<const Gpu> observed) {
  GpuChoice choice;
  for (const Gpu& gpu : observed) {
    switch (match_gpu(requested, gpu)) {
      case GpuMatch::kMatch:
        choice.matching.push_back(gpu.text);
        break;
      case GpuMatch::kAmbiguous:
        choice.ambiguous.push_back(gpu.text);
        break;
      case GpuMatch::kNoMatch:
        break;
    }
  }
  return choice;
}

}  // namespace ki::query
