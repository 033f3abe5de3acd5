#pragma once

#include "dse/front/entry.hpp"

#include <cstddef>
#include <map>
#include <vector>

namespace pimdse::dse::front {

/// A set of vectors of one or two values of which none covers another, all minimised. As the first value grows the
/// second falls, so a search among the first ones finds who may cover: a logarithm of the set's size.
class PlaneFront {
  public:
    using Vector = decltype(Entry::values);

    explicit PlaneFront(std::size_t dimensions) : second_(dimensions - 1) {}

    /// True if the entry is a member now. Equal vectors: the smaller id stays. Values must not be NaN.
    bool insert(Entry const& entry);
    /// A member at least as good in both values, or nullptr.
    [[nodiscard]] Entry const* cover(Vector const& values) const;
    [[nodiscard]] std::size_t size() const { return members_.size(); }
    /// By the first value.
    [[nodiscard]] std::vector<Entry> entries() const;
    void clear() { members_.clear(); }

  private:
    std::size_t second_;               ///< which value falls: of one dimension there is one value, which is both
    std::map<double, Entry> members_;  ///< by the first value
};

}  // namespace pimdse::dse::front
