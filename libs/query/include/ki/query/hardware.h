// GPU products as structured facts: vendor, product, form factor, memory, architecture. A text is
// read into a Gpu; two Gpus match, don't match, or leave open which product is meant. Names are
// compared by whole products, never by parts of their text: B200 is not GB200, L4 is not L40S.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::query {

enum class Vendor : std::uint8_t { kUnknown, kNvidia, kAmd, kIntel };
enum class FormFactor : std::uint8_t {
  kUnknown,
  kSxm,
  kPcie,
  kNvl,
  kOam,
  kServer,
  kWorkstation,
  kMaxQ,
};

// One thing that can be bought: the same chip as another variant, but not the same product.
struct Variant {
  FormFactor form = FormFactor::kUnknown;
  std::uint16_t memory_gb = 0;        // as on the data sheet
  std::uint16_t usable_gb = 0;        // the other figure in use for the same product; 0: none
  std::string_view memory_type = {};  // "hbm3"; empty: does not tell variants apart
};

struct Product {
  std::string_view token;  // "B200": unique, and a query word where is_word
  std::string_view name;   // "NVIDIA B200"
  Vendor vendor = Vendor::kUnknown;
  std::string_view architecture;  // "sm_100"
  bool is_word = true;  // recognised without "gpu:" (false where it is also a size, "h20")
  std::span<const std::string_view> spellings;  // other names, words separated by one space
  std::span<const Variant> variants;            // at most 16
};
std::span<const Product> products();

// What a text says about a GPU.
struct Gpu {
  std::string text;                  // as given
  Vendor vendor = Vendor::kUnknown;  // of the product, else as named
  const Product* product = nullptr;  // nullptr: none of products()
  std::uint16_t variants = 0;        // bit i: product->variants[i] fits the text
  std::string partition;             // MIG profile, "1g.5gb"; empty: the whole GPU
  std::string rest;                  // words that are none of the above, lower case
  bool is_several = false;           // names more than one product (a mixed system)

  // A known product, alone, with nothing left over.
  bool is_complete() const { return product != nullptr && rest.empty() && !is_several; }
  bool operator==(const Gpu&) const = default;
};

// Never fails: what is not known stays in `rest`. Boards, counts ("8x"), "(R)", power caps and
// "GPU" say nothing about the product and are skipped.
Gpu parse_gpu(std::string_view text);

enum class GpuMatch : std::uint8_t {
  kNoMatch,
  kMatch,
  kAmbiguous,  // the same chip, but one text fits variants that the other does not
};
// Whether a run on `observed` answers a request for `requested`. A vendor alone ("AMD") matches
// all its products. Unknown products match when all their words are equal. No allocation.
GpuMatch match_gpu(const Gpu& requested, const Gpu& observed);

// "NVIDIA H100 PCIe 80GB", as precise as the text was; the text itself for an unknown product.
std::string canonical_name(const Gpu& gpu);
// The names of the variants that fit, for "which one?" messages. Empty for an unknown product.
std::vector<std::string> variant_names(const Gpu& gpu);
// The product token closest to an unknown GPU text.
std::optional<std::string_view> gpu_hint(std::string_view text);
// What a word of a query may be within the name of a GPU. A filler ("blackwell", "gpu") stands only
// between words that name something ("NVIDIA", "B200", "SXM", "80GB").
enum class GpuWord : std::uint8_t { kNone, kFiller, kName };
GpuWord gpu_word(std::string_view text);

std::string_view to_string(Vendor vendor);    // "nvidia"; "unknown"
std::string_view to_string(FormFactor form);  // "SXM", "PCIe"; empty when unknown

// What a request means among the GPUs that a catalog holds.
struct GpuChoice {
  std::vector<std::string> matching;   // observed texts that match
  std::vector<std::string> ambiguous;  // observed texts that may or may not be meant
};
GpuChoice choose_gpu(const Gpu& requested, std::span<const Gpu> observed);

}  // namespace ki::query
