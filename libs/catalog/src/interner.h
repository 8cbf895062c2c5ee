// Texts of a snapshot under construction: one buffer, and ids for the texts that occur often.
#pragma once

#include "ki/base/check.h"
#include "ki/catalog/columns.h"
#include "slots.h"

#include <string_view>

namespace ki::catalog {

class Interner {
 public:
  explicit Interner(Columns<Owned>& columns) : c_(columns) {
    if (c_.names.empty()) {
      c_.names.push_back({});  // name 0 is ""
    }
  }

  TextRef text(std::string_view text) {
    if (text.empty()) return {};
    KI_CHECK(c_.text.size() + text.size() < kNone);
    const TextRef ref{static_cast<std::uint32_t>(c_.text.size()),
                      static_cast<std::uint32_t>(text.size())};
    c_.text.insert(c_.text.end(), text.begin(), text.end());
    return ref;
  }

  NameId name(std::string_view wanted) {
    if (wanted.empty()) return 0;
    const Index found = find_slot(c_.name_slots, hash_of(wanted),
                                  [&](Index i) { return view(c_.names[i]) == wanted; });
    if (found != kNone) return found;
    const auto id = static_cast<NameId>(c_.names.size());
    c_.names.push_back(text(wanted));
    add_slot(c_.name_slots, c_.names.size(), id,
             [&](Index i) { return hash_of(view(c_.names[i])); });
    return id;
  }

  std::string_view view(TextRef ref) const { return {c_.text.data() + ref.offset, ref.length}; }
  std::string_view view_name(NameId id) const { return view(c_.names[id]); }

 private:
  Columns<Owned>& c_;
};

}  // namespace ki::catalog
