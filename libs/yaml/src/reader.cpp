#include "ki/yaml/reader.h"

#include "ki/base/text.h"
#include "ki/json/pointer.h"
#include "scalar.h"

#include <fmt/format.h>
#include <yaml.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ki::yaml {
namespace {

using json::Member;
using json::Value;

constexpr std::string_view kCorePrefix = "tag:yaml.org,2002:";

// What a node adds up to once its aliases are followed.
struct Weight {
  std::size_t nodes = 1;
  std::size_t aliases = 0;  // expansions inside
  std::size_t height = 0;   // nested levels
};

struct Node {
  Value value;
  Weight weight;
};

// libyaml's parser and event with their lifetimes.
class Events {
 public:
  explicit Events(std::string_view text) {
    KI_CHECK(yaml_parser_initialize(&parser_) == 1);
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
  }
  ~Events() {
    yaml_event_delete(&event_);
    yaml_parser_delete(&parser_);
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  // The next event, or nothing on a syntax error (see parser()).
  const yaml_event_t* next() {
    yaml_event_delete(&event_);
    return yaml_parser_parse(&parser_, &event_) == 1 ? &event_ : nullptr;
  }
  const yaml_parser_t& parser() const { return parser_; }

 private:
  yaml_parser_t parser_{};
  yaml_event_t event_{};
};

std::string_view text_of(const yaml_char_t* text) {
  return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

class ReaderRun {
 public:
  ReaderRun(std::string_view text, const Limits& limits)
      : limits_(limits),
        text_(text),
        bom_(text.starts_with("\xEF\xBB\xBF") ? 3 : 0),
        is_ascii_(std::ranges::all_of(
            text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) {}

  Result<json::Document> run() {
    if (!check_bytes()) return finish();
    Events events(text_.substr(bom_));
    read_events(events);
    return finish();
  }

 private:
  struct Open {
    bool is_mapping = false;
    bool has_key = false;  // the key of the next value was read
    std::uint32_t offset = 0;
    std::size_t base = 0;  // of its items or members on the shared stack
    std::string anchor;
    std::string_view key;
    std::uint32_t key_offset = 0;
    Weight weight{.nodes = 1, .aliases = 0, .height = 1};
  };

  Result<json::Document> finish() {
    if (issues_.empty()) return std::move(document_);
    std::string message = issues_.size() == 1
                              ? "the YAML text is not accepted"
                              : fmt::format("the YAML text has {} problems", issues_.size());
    return fail(Error(Code::kInvalidArgument, std::move(message), std::move(issues_)));
  }

  // --- Places ---

  void issue(std::string_view code, std::size_t offset, std::string message, std::string fix = "") {
    std::string pointer;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      const Open& open = open_[i];
      if (open.is_mapping) {
        if (open.has_key) json::append_pointer(pointer, open.key);
      } else {
        json::append_pointer(pointer, item_count(i));
      }
    }
    const json::Position position = json::position_of(text_, offset);
    issues_.push_back({std::string(code), std::move(pointer), position.line, position.column,
                       std::move(message), std::move(fix)});
  }

  // Complete items of the open sequence `index`: up to the base of the next open sequence.
  std::size_t item_count(std::size_t index) const {
    std::size_t top = values_.size();
    for (std::size_t i = index + 1; i < open_.size(); ++i) {
      if (!open_[i].is_mapping) {
        top = open_[i].base;
        break;
      }
    }
    return top - open_[index].base;
  }

  // libyaml counts characters; marks come almost always in order.
  std::size_t offset_of(const yaml_mark_t& mark) {
    if (is_ascii_) return std::min(bom_ + mark.index, text_.size());
    if (mark.index < cursor_index_) {
      cursor_index_ = 0;
      cursor_offset_ = bom_;
    }
    while (cursor_index_ < mark.index && cursor_offset_ < text_.size()) {
      do {
        ++cursor_offset_;
      } while (cursor_offset_ < text_.size() &&
               (static_cast<unsigned char>(text_[cursor_offset_]) & 0xC0) == 0x80);
      ++cursor_index_;
    }
    return cursor_offset_;
  }

  // Where a node begins after its anchor and tag; sets whether it has a tag in the text.
  std::size_t skip_properties(std::size_t offset, bool& has_tag) const {
    has_tag = false;
    std::size_t at = offset;
    while (at < text_.size() && (text_[at] == '&' || text_[at] == '!')) {
      has_tag |= text_[at] == '!';
      while (at < text_.size() && !is_ascii_space(text_[at])) ++at;
      while (at < text_.size() && (text_[at] == ' ' || text_[at] == '\t')) ++at;
    }
    return at < text_.size() ? at : offset;
  }

  // --- Bytes ---

  bool check_bytes() {
    if (text_.size() > limits_.max_bytes) {
      issues_.push_back({"too_large", "", 0, 0,
                         fmt::format("the text has {} bytes; at most {} are read", text_.size(),
                                     limits_.max_bytes),
                         "split it"});
      return false;
    }
    if (const auto bad = find_invalid_utf8(text_)) {
      issue("invalid_utf8", *bad,
            fmt::format("byte 0x{:02x} is not UTF-8", static_cast<unsigned char>(text_[*bad])),
            "save the text as UTF-8");
      return false;
    }
    if (const std::size_t nul = text_.find('\0'); nul != text_.npos) {
      issue("nul_character", nul, "the text has a NUL character", "leave it out");
      return false;
    }
    if (text_.find('\xEF', bom_) != text_.npos) {
      if (const std::size_t bom = text_.find("\xEF\xBB\xBF", bom_); bom != text_.npos) {
        issue("byte_order_mark", bom, "a byte order mark stands inside the text", "leave it out");
        return false;
      }
    }
    // YAML 1.1 breaks lines at these three, YAML 1.2 does not.
    for (const std::string_view separator : {"\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"}) {
      if (const std::size_t at = text_.find(separator); at != text_.npos) {
        issue("line_separator", at,
              "a Unicode line separator breaks the line for some YAML readers only",
              "write it as an escape in double quotes");
      }
    }
    return issues_.empty();
  }

  // --- Events ---

  void read_events(Events& events) {
    bool is_read = false;
    while (const yaml_event_t* event = events.next()) {
      switch (event->type) {
        case YAML_NO_EVENT:
        case YAML_STREAM_START_EVENT:
        case YAML_DOCUMENT_END_EVENT:
          break;
        case YAML_DOCUMENT_START_EVENT:
          if (is_read) {
            issue("several_documents", offset_of(event->start_mark),
                  "a second document begins here", "keep one document per text");
            return;
          }
          is_read = true;
          check_version(*event);
          break;
        case YAML_STREAM_END_EVENT:
          if (!is_read) issue("empty", text_.size(), "the text holds no value");
          return;
        case YAML_ALIAS_EVENT:
          if (!read_alias(*event)) return;
          break;
        case YAML_SCALAR_EVENT:
          read_scalar(*event);
          break;
        case YAML_SEQUENCE_START_EVENT:
        case YAML_MAPPING_START_EVENT:
          if (!open(*event)) return;
          break;
        case YAML_SEQUENCE_END_EVENT:
        case YAML_MAPPING_END_EVENT:
          close();
          break;
      }
      if (issues_.size() >= limits_.max_issues) return;
    }
    syntax(events.parser());
  }

  void syntax(const yaml_parser_t& parser) {
    if (parser.error == YAML_READER_ERROR) {
      issue("control_character", std::min(bom_ + parser.problem_offset, text_.size()),
            fmt::format("character U+{:04X} is not allowed in YAML",
                        static_cast<unsigned>(parser.problem_value)),
            "write it as an escape in double quotes");
      return;
    }
    const std::size_t offset = offset_of(parser.problem_mark);
    std::string message = parser.problem != nullptr ? parser.problem : "the text is not YAML";
    if (message.starts_with("found invalid Unicode character escape code")) {
      issue("lone_surrogate", offset, "the escape is half of a surrogate pair or no character",
            "write the character itself");
      return;
    }
    if (parser.context != nullptr) message += fmt::format(" {}", parser.context);
    issue("syntax", offset, std::move(message));
  }

  void check_version(const yaml_event_t& event) {
    const yaml_version_directive_t* version = event.data.document_start.version_directive;
    if (version == nullptr || (version->major == 1 && version->minor == 2)) return;
    issue("syntax", offset_of(event.start_mark),
          fmt::format("the text says that it is YAML {}.{}; only YAML 1.2 is read", version->major,
                      version->minor),
          "remove the %YAML line");
  }

  bool open(const yaml_event_t& event) {
    const bool is_mapping = event.type == YAML_MAPPING_START_EVENT;
    const yaml_char_t* anchor =
        is_mapping ? event.data.mapping_start.anchor : event.data.sequence_start.anchor;
    const yaml_char_t* tag =
        is_mapping ? event.data.mapping_start.tag : event.data.sequence_start.tag;
    const std::size_t offset = offset_of(event.start_mark);
    if (open_.size() == limits_.max_depth) {
      issue("too_deep", offset, fmt::format("more than {} nested levels", limits_.max_depth));
      return false;
    }
    if (tag != nullptr && text_of(tag) != std::string(kCorePrefix) + (is_mapping ? "map" : "seq"))
      unknown_tag(text_of(tag), offset);
    Open next;
    next.is_mapping = is_mapping;
    next.offset = static_cast<std::uint32_t>(offset);
    next.base = is_mapping ? members_.size() : values_.size();
    next.anchor = text_of(anchor);
    // An alias to a node that is still open is a cycle; the name is known from here on.
    if (!next.anchor.empty()) anchors_[next.anchor] = std::nullopt;
    open_.push_back(std::move(next));
    return true;
  }

  void close() {
    Open& open = open_.back();
    Node node;
    if (open.is_mapping) {
      const std::span<const Member> members(members_.data() + open.base,
                                            members_.size() - open.base);
      open.has_key = false;
      find_duplicates(members);
      node.value = Value::object(document_.nodes.copy(members), open.offset);
      members_.resize(open.base);
    } else {
      const std::span<const Value> items(values_.data() + open.base, values_.size() - open.base);
      node.value = Value::array(document_.nodes.copy(items), open.offset);
      values_.resize(open.base);
    }
    node.weight = open.weight;
    const std::string anchor = std::move(open.anchor);
    open_.pop_back();
    if (!anchor.empty()) anchors_[anchor] = node;
    attach(node);
  }

  bool read_alias(const yaml_event_t& event) {
    const std::size_t offset = offset_of(event.start_mark);
    const std::string name(text_of(event.data.alias.anchor));
    const auto found = anchors_.find(name);
    if (found == anchors_.end()) {
      issue("unknown_alias", offset, fmt::format("no anchor {} stands before this", quote(name)));
      return false;
    }
    if (!found->second) {
      issue("recursive_alias", offset,
            fmt::format("the alias {} stands inside the node that it names", quote(name)));
      return false;
    }
    Node node = *found->second;
    node.weight.aliases += 1;
    aliases_ += node.weight.aliases;
    alias_nodes_ += node.weight.nodes;
    if (aliases_ > limits_.max_aliases || alias_nodes_ > limits_.max_alias_nodes) {
      issue("alias_bomb", offset,
            fmt::format("aliases expand more than {} times or to more than {} nodes",
                        limits_.max_aliases, limits_.max_alias_nodes),
            "write the values out");
      return false;
    }
    if (open_.size() + node.weight.height > limits_.max_depth) {
      issue("too_deep", offset, fmt::format("more than {} nested levels", limits_.max_depth));
      return false;
    }
    attach(node, offset);
    return true;
  }

  void read_scalar(const yaml_event_t& event) {
    const auto& scalar = event.data.scalar;
    bool has_tag = false;
    const std::size_t offset = skip_properties(offset_of(event.start_mark), has_tag);
    const std::string_view text = document_.text.copy(
        std::string_view(reinterpret_cast<const char*>(scalar.value), scalar.length));
    if (text.find('\0') != text.npos) {
      issue("nul_character", offset,
            "a NUL character is refused: it ends text in too many programs", "leave it out");
    }
    const std::string_view tag = text_of(scalar.tag);
    // libyaml drops the tag '!'.
    if (tag.empty() && has_tag) unknown_tag("!", offset);

    const bool is_plain = scalar.style == YAML_PLAIN_SCALAR_STYLE;
    Scalar resolved{Value::string(text), ScalarError::kNone};
    if (tag.empty()) {
      if (is_plain) resolved = resolve_plain(text);
    } else {
      resolved = resolve_tagged(text, tag, offset);
    }
    if (resolved.error != ScalarError::kNone) refuse_number(resolved.error, text, offset);
    if (is_plain && tag.empty() && text == "<<" && is_key_due()) {
      issue("merge_key", offset, "merge keys are not read", "write the members out");
    }
    const Node node{with_offset(resolved.value, offset), Weight{}};
    if (scalar.anchor != nullptr) anchors_[std::string(text_of(scalar.anchor))] = node;
    attach(node, offset, text);
  }

  Scalar resolve_tagged(std::string_view text, std::string_view tag, std::size_t offset) {
    if (!tag.starts_with(kCorePrefix)) {
      unknown_tag(tag, offset);
      return {Value::string(text), ScalarError::kNone};
    }
    const std::string_view name = tag.substr(kCorePrefix.size());
    if (name == "str") return {Value::string(text), ScalarError::kNone};
    const Scalar resolved = resolve_plain(text);
    bool is_of_tag = false;
    if (name == "null") {
      is_of_tag = resolved.value.is_null();
    } else if (name == "bool") {
      is_of_tag = resolved.value.is_bool();
    } else if (name == "int") {
      is_of_tag = resolved.value.is_number() && text.find_first_of(".eE") == text.npos;
      is_of_tag |= resolved.value.is_number() && text.starts_with("0x");
    } else if (name == "float") {
      is_of_tag = resolved.value.is_number() && !text.starts_with("0x") && !text.starts_with("0o");
    } else {
      unknown_tag(tag, offset);
      return resolved;
    }
    if (!is_of_tag) {
      issue("bad_tag_value", offset,
            fmt::format("{} is not a value of the tag !!{}", quote(text), name));
    }
    return resolved;
  }

  void unknown_tag(std::string_view tag, std::size_t offset) {
    const std::string shown = tag.starts_with(kCorePrefix)
                                  ? "!!" + std::string(tag.substr(kCorePrefix.size()))
                                  : std::string(tag);
    issue("unknown_tag", offset, fmt::format("the tag {} is not read", quote(shown)),
          "remove the tag; write text in quotes");
  }

  void refuse_number(ScalarError error, std::string_view text, std::size_t offset) {
    const std::string quoted = fmt::format("write it in quotes if it is text: \"{}\"", text);
    switch (error) {
      case ScalarError::kNone:
        return;
      case ScalarError::kNotFinite:
        issue("number_not_finite", offset, fmt::format("{} is not a finite number", quote(text)),
              quoted);
        return;
      case ScalarError::kOverflow:
        issue("number_overflow", offset, fmt::format("{} is larger than any double", quote(text)),
              quoted);
        return;
      case ScalarError::kUnderflow:
        issue("number_underflow", offset, fmt::format("{} rounds to zero", quote(text)), quoted);
        return;
      case ScalarError::kTooLarge:
        issue("number_too_large", offset,
              fmt::format("{} is outside ±(2^53−1), where numbers are not exact", quote(text)),
              quoted);
        return;
    }
  }

  static Value with_offset(const Value& value, std::size_t offset) {
    const auto at = static_cast<std::uint32_t>(offset);
    switch (value.kind()) {
      case json::Kind::kNull:
        return Value::null(at);
      case json::Kind::kBool:
        return Value::boolean(value.boolean(), at);
      case json::Kind::kNumber:
        return Value::number(value.number(), value.has_canonical_spelling(), at);
      case json::Kind::kString: {
        const Value text = Value::string(value.string(), at);
        return value.is_plain_yaml() ? text.marked_plain_yaml() : text;
      }
      case json::Kind::kArray:
        return Value::array(value.items(), at);
      case json::Kind::kObject:
        return Value::object(value.members(), at);
    }
    return value;
  }

  bool is_key_due() const {
    return !open_.empty() && open_.back().is_mapping && !open_.back().has_key;
  }

  // Puts a complete node where it belongs. `key_text` is a scalar's text as a key.
  void attach(const Node& node, std::optional<std::size_t> offset = std::nullopt,
              std::optional<std::string_view> key_text = std::nullopt) {
    if (open_.empty()) {
      document_.root = node.value;
      return;
    }
    Open& open = open_.back();
    open.weight.nodes += node.weight.nodes;
    open.weight.aliases += node.weight.aliases;
    open.weight.height = std::max(open.weight.height, node.weight.height + 1);
    if (!open.is_mapping) {
      values_.push_back(node.value);
      return;
    }
    if (open.has_key) {
      members_.push_back({open.key, open.key_offset, node.value});
      open.has_key = false;
      return;
    }
    const std::size_t at = offset ? *offset : node.value.offset();
    if (!node.value.is_string()) {
      issue("non_string_key", at,
            fmt::format("a name must be text; this is {} {}",
                        node.value.is_array() || node.value.is_object() ? "an" : "a",
                        json::to_string(node.value.kind())),
            key_text && !key_text->empty() ? fmt::format("write it in quotes: \"{}\"", *key_text)
                                           : std::string());
    }
    open.key = node.value.is_string() ? node.value.string() : key_text.value_or("");
    open.key_offset = static_cast<std::uint32_t>(at);
    open.has_key = true;
  }

  void find_duplicates(std::span<const Member> members) {
    std::vector<const Member*> sorted;
    sorted.reserve(members.size());
    for (const Member& member : members) sorted.push_back(&member);
    std::ranges::stable_sort(sorted, {}, &Member::key);
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      if (sorted[i]->key != sorted[i - 1]->key) continue;
      const json::Position before = json::position_of(text_, sorted[i - 1]->key_offset);
      Open& open = open_.back();
      open.key = sorted[i]->key;
      open.has_key = true;
      issue("duplicate_key", sorted[i]->key_offset,
            fmt::format("the name {} appears twice; first at {}:{}", quote(sorted[i]->key),
                        before.line, before.column),
            "keep one of the two");
      open.has_key = false;
    }
  }

  const Limits& limits_;
  std::string_view text_;
  std::size_t bom_;
  bool is_ascii_;
  std::size_t cursor_index_ = 0;
  std::size_t cursor_offset_ = bom_;
  json::Document document_;
  std::vector<Open> open_;
  std::vector<Value> values_;
  std::vector<Member> members_;
  std::map<std::string, std::optional<Node>, std::less<>> anchors_;  // nothing: still open
  std::size_t aliases_ = 0;
  std::size_t alias_nodes_ = 0;
  std::vector<Issue> issues_;
};

}  // namespace

Result<json::Document> read(std::string_view text, Limits limits) {
  return ReaderRun(text, limits).run();
}

}  // namespace ki::yaml
