#include "dse/store/differing_input.hpp"

#include <algorithm>
#include <iterator>

namespace pimdse::dse::store {

std::optional<std::string> differing_input(InputHashes const& a, InputHashes const& b) {
    if (a.empty() || b.empty()) return std::nullopt;
    InputHashes left = a, right = b, rest;
    std::sort(left.begin(), left.end());
    std::sort(right.begin(), right.end());
    std::set_symmetric_difference(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(rest));
    return rest.empty() ? std::nullopt : std::optional(rest.front().first);
}

}  // namespace pimdse::dse::store
