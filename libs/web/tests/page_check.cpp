#include "page_check.h"

#include "ki/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

namespace ki::web::testing {
namespace {

constexpr std::array<std::string_view, 13> kVoid = {"area",  "base", "br",    "col",   "embed",
                                                    "hr",    "img",  "link",  "input", "meta",
                                                    "track", "wbr",  "source"};
constexpr std::array<std::string_view, 29> kBlock = {
    "article", "aside", "blockquote", "details", "div",    "dl",      "fieldset", "figure",
    "footer",  "form",  "h1",         "h2",      "h3",     "h4",      "header",   "main",
    "nav",     "ol",    "p",          "pre",     "table",  "section", "ul",       "li",
    "dt",      "dd",    "tr",         "caption", "summary"};
constexpr std::array<std::string_view, 8> kBare = {
    "hidden", "open", "defer", "checked", "disabled", "selected", "data-suggest", "required"};

template <class List>
bool has(const List& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

struct Element {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;  // of itself and all inside
  std::vector<std::string> children;
  std::string classes() const {
    const auto at = attributes.find("class");
    return at == attributes.end() ? std::string() : " " + at->second + " ";
  }
  bool has_class(std::string_view name_) const {
    return classes().find(" " + std::string(name_) + " ") != std::string::npos;
  }
};

std::optional<std::string_view> decode_entity(std::string_view entity) {
  if (entity == "&amp;") return "&";
  if (entity == "&lt;") return "<";
  if (entity == "&gt;") return ">";
  if (entity == "&quot;") return "\"";
  if (entity == "&#39;") return "'";
  return std::nullopt;
}

class Reader {
 public:
  explicit Reader(std::string_view html) : html_(html) {}

  void read() {
    if (!html_.starts_with("<!doctype html>")) fault("the page does not begin with its doctype");
    at_ = std::min(html_.size(), std::string_view("<!doctype html>").size());
    if (find_invalid_utf8(html_)) fault("the page is not UTF-8");
    while (at_ < html_.size()) {
      if (html_[at_] == '<') {
        tag();
      } else {
        text_run();
      }
    }
    for (const Element& open : stack_) fault(fmt::format("<{}> is never closed", open.name));
    finish();
  }

  std::vector<std::string> faults;
  std::string visible;

 private:
  void fault(std::string what) {
    const std::size_t from = at_ > 60 ? at_ - 60 : 0;
    faults.push_back(
        fmt::format("{} (near byte {}: …{}…)", what, at_,
                    html_.substr(from, std::min<std::size_t>(90, html_.size() - from))));
  }

  bool inside(std::string_view name) const {
    return std::ranges::any_of(stack_, [name](const Element& e) { return e.name == name; });
  }

  std::string decode(std::string_view raw) {
    std::string out;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      if (raw[i] != '&') {
        out += raw[i];
        continue;
      }
      const std::size_t end = raw.find(';', i);
      const auto entity =
          end == raw.npos ? std::nullopt : decode_entity(raw.substr(i, end - i + 1));
      if (!entity) {
        fault("an ampersand that begins no known entity");
        out += '&';
        continue;
      }
      out += *entity;
      i = end;
    }
    return out;
  }

  void text_run() {
    const std::size_t end = std::min(html_.find('<', at_), html_.size());
    const std::string_view raw = html_.substr(at_, end - at_);
    if (raw.find('>') != raw.npos) fault("a bare '>' in text");
    const std::string text = decode(raw);
    const bool is_blank = trim(text).empty();
    if (!is_blank && stack_.empty()) fault("text outside the document");
    if (!is_blank && !stack_.empty()) {
      static constexpr std::array<std::string_view, 9> kNoText = {
          "ul", "ol", "dl", "table", "tr", "thead", "tbody", "head", "html"};
      if (has(kNoText, stack_.back().name)) {
        fault(fmt::format("text directly in <{}>", stack_.back().name));
      }
    }
    for (Element& open : stack_) open.text += text;
    if (!inside("head") && !inside("svg")) visible += text;
    at_ = end;
  }

  void tag() {
    if (html_.substr(at_).starts_with("</")) return close_tag();
    if (html_.substr(at_).starts_with("<!")) {
      fault("a comment or declaration");
      at_ = std::min(html_.find('>', at_), html_.size() - 1) + 1;
      return;
    }
    ++at_;
    Element element;
    while (at_ < html_.size() && (is_ascii_alnum(html_[at_]) || html_[at_] == '-')) {
      element.name += html_[at_++];
    }
    if (element.name.empty()) return fault("a '<' that begins no tag");
    bool is_self_closed = false;
    for (;;) {
      if (at_ >= html_.size()) return fault("a tag without an end");
      const char c = html_[at_];
      if (c == '>') {
        ++at_;
        break;
      }
      if (html_.substr(at_).starts_with("/>")) {
        is_self_closed = true;
        at_ += 2;
        break;
      }
      if (!is_ascii_space(c)) {
        fault("an attribute without white space before it");
        ++at_;
        continue;
      }
      ++at_;
      attribute(element);
    }
    open(std::move(element), is_self_closed);
  }

  void attribute(Element& element) {
    std::string name;
    while (at_ < html_.size() &&
           (is_ascii_alnum(html_[at_]) || html_[at_] == '-' || html_[at_] == ':')) {
      name += html_[at_++];
    }
    if (name.empty()) return;
    std::string value;
    if (at_ < html_.size() && html_[at_] == '=') {
      ++at_;
      if (at_ >= html_.size() || html_[at_] != '"') return fault("an attribute without quotes");
      const std::size_t end = html_.find('"', at_ + 1);
      if (end == html_.npos) return fault("an attribute without an end");
      const std::string_view raw = html_.substr(at_ + 1, end - at_ - 1);
      if (raw.find('<') != raw.npos) fault("a '<' in an attribute");
      value = decode(raw);
      at_ = end + 1;
    } else if (!has(kBare, name)) {
      fault(fmt::format("attribute {} without a value", name));
    }
    if (!element.attributes.emplace(name, value).second) {
      fault(fmt::format("attribute {} twice", name));
    }
    if (name.starts_with("on")) fault(fmt::format("an event handler {}", name));
    if (name == "style") fault("an inline style");
    if (name == "id" && !ids_.insert(value).second) fault(fmt::format("id {} twice", value));
    if (name == "href" || name == "src" || name == "action") {
      const bool is_ours = value.starts_with("/") && !value.starts_with("//");
      const bool is_ok = is_ours || value.starts_with("#") || value.starts_with("https://") ||
                         value.starts_with("http://");
      if (!is_ok) fault(fmt::format("address '{}'", value));
    }
    if (name == "aria-labelledby" || name == "aria-describedby" || name == "for") {
      references_.push_back(value);
    }
  }

  void open(Element element, bool is_self_closed) {
    const std::string& name = element.name;
    const bool is_svg = name == "svg" || inside("svg");
    if (is_self_closed && !is_svg) fault(fmt::format("<{}/> closes itself", name));
    if (name == "style") fault("a style element");
    if (name == "script" && !element.attributes.contains("src")) fault("an inline script");
    if (has(kBlock, name)) {
      if (inside("p") && !is_svg) fault(fmt::format("<{}> inside <p>", name));
      visible += '\n';
    }
    if (name == "a" && inside("a")) fault("a link inside a link");
    if (name == "form" && inside("form")) fault("a form inside a form");
    if (name == "button" && (inside("a") || inside("button"))) fault("a button inside a link");
    const std::string parent = stack_.empty() ? "" : stack_.back().name;
    const auto needs_parent = [&](std::string_view child,
                                  std::initializer_list<std::string_view> ok) {
      if (name == child && !has(ok, parent)) fault(fmt::format("<{}> inside <{}>", name, parent));
    };
    needs_parent("li", {"ul", "ol"});
    needs_parent("dt", {"dl", "div"});
    needs_parent("dd", {"dl", "div"});
    needs_parent("tr", {"thead", "tbody"});
    needs_parent("td", {"tr"});
    needs_parent("th", {"tr"});
    needs_parent("summary", {"details"});
    if ((parent == "ul" || parent == "ol") && name != "li")
      fault(fmt::format("<{}> in a list", name));
    if (parent == "tr" && name != "td" && name != "th") fault(fmt::format("<{}> in a row", name));
    if (name == "th") {
      const auto scope = element.attributes.find("scope");
      if (scope == element.attributes.end()) fault("a <th> without scope");
    }
    if (name == "html" && !element.attributes.contains("lang")) fault("no language");
    if (name == "img" && !element.attributes.contains("alt")) fault("an image without alt");
    if (name == "svg" && !element.attributes.contains("aria-hidden") &&
        !(element.attributes.contains("role") && element.attributes.contains("aria-labelledby"))) {
      fault("an svg without a name that is not hidden either");
    }
    if (name == "h1") ++h1_;
    if (name.size() == 2 && name[0] == 'h' && is_ascii_digit(name[1])) {
      const int level = name[1] - '0';
      if (level > heading_ + 1) fault(fmt::format("<{}> after <h{}>", name, heading_));
      heading_ = level;
    }
    if (name == "main") ++main_;
    if (name == "input" || name == "select" || name == "textarea") label_of(element);
    if (!stack_.empty()) stack_.back().children.push_back(name);
    if (is_self_closed || (!is_svg && has(kVoid, name))) return;
    stack_.push_back(std::move(element));
  }

  void label_of(const Element& element) {
    const auto type = element.attributes.find("type");
    if (type != element.attributes.end() && type->second == "hidden") return;
    if (element.attributes.contains("aria-label") || inside("label")) return;
    const auto id = element.attributes.find("id");
    if (id == element.attributes.end())
      return fault(fmt::format("<{}> without a label", element.name));
    labelled_.push_back(id->second);
  }

  void close_tag() {
    const std::size_t end = html_.find('>', at_);
    if (end == html_.npos) {
      fault("a closing tag without an end");
      at_ = html_.size();
      return;
    }
    const std::string name(html_.substr(at_ + 2, end - at_ - 2));
    at_ = end + 1;
    if (stack_.empty() || stack_.back().name != name) {
      return fault(
          fmt::format("</{}> closes <{}>", name, stack_.empty() ? "" : stack_.back().name));
    }
    const Element element = std::move(stack_.back());
    stack_.pop_back();
    if (has(kBlock, name) || name == "td" || name == "th") visible += name[0] == 't' ? ' ' : '\n';
    closed(element);
  }

  void closed(const Element& e) {
    const std::string_view text = trim(e.text);
    if (e.name == "title") title_ = text;
    if ((e.name == "a" || e.name == "button" || e.name == "summary" || e.name == "label" ||
         e.name == "caption" || e.name == "h1" || e.name == "h2" || e.name == "h3") &&
        text.empty()) {
      fault(fmt::format("<{}> without text", e.name));
    }
    if (e.name == "label") {
      if (const auto it = e.attributes.find("for"); it != e.attributes.end())
        labels_.insert(it->second);
    }
    if (e.name == "table" && (e.children.empty() || e.children.front() != "caption")) {
      fault("a table without caption");
    }
    if (e.name == "svg" && e.attributes.contains("role") &&
        (e.children.empty() || e.children.front() != "title")) {
      fault("an svg without title");
    }
    if (e.name == "span" && (e.has_class("u") || e.has_class("unit")) && text.empty()) {
      fault("a value without its unit");
    }
    if (e.name == "td" && e.has_class("num")) {
      const bool has_number = std::ranges::any_of(text, is_ascii_digit);
      const bool has_unit = std::ranges::any_of(text, is_ascii_alpha) ||
                            text.find("×") != text.npos || text.find('%') != text.npos ||
                            text.find("µ") != text.npos;
      if (has_number && !has_unit) fault(fmt::format("a bare number '{}'", text));
    }
    if (e.name == "td" && !e.has_class("tool") && !e.attributes.contains("data-label")) {
      fault("a cell that does not name its column");
    }
  }

  void finish() {
    if (h1_ != 1) fault(fmt::format("{} h1 elements", h1_));
    if (main_ != 1) fault(fmt::format("{} main elements", main_));
    if (title_.empty()) fault("no title");
    for (const std::string& id : references_) {
      if (!ids_.contains(id)) fault(fmt::format("a reference to the missing id {}", id));
    }
    for (const std::string& id : labelled_) {
      if (!labels_.contains(id)) fault(fmt::format("the field {} has no label", id));
    }
  }

  std::string_view html_;
  std::size_t at_ = 0;
  std::vector<Element> stack_;
  std::set<std::string> ids_, labels_;
  std::vector<std::string> references_, labelled_;
  std::string title_;
  int h1_ = 0, main_ = 0, heading_ = 0;
};

}  // namespace

std::vector<std::string> page_faults(std::string_view html) {
  Reader reader(html);
  reader.read();
  return reader.faults;
}

std::string visible_text(std::string_view html) {
  Reader reader(html);
  reader.read();
  std::string out;
  for (const std::string_view line : split(reader.visible, '\n')) {
    const std::string_view trimmed = trim(line);
    if (!trimmed.empty()) out += std::string(trimmed) + "\n";
  }
  return out;
}

std::string squeezed(std::string_view text) {
  std::string out;
  std::ranges::copy_if(text, std::back_inserter(out), [](char c) { return !is_ascii_space(c); });
  return out;
}

}  // namespace ki::web::testing
