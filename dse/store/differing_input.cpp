#include "dse/store/differing_input.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace pimdse::dse::store {
namespace {

struct Input {
    std::string identity, sum, name;  ///< of a file of the user's own the content alone is its identity
};

bool before(Input const& a, Input const& b) { return std::tie(a.identity, a.sum) < std::tie(b.identity, b.sum); }

std::vector<Input> sorted(InputHashes const& hashes) {
    std::vector<Input> inputs;
    for (auto const& [name, sum] : hashes) inputs.push_back({is_own_file(name) ? "" : name, sum, name});
    std::sort(inputs.begin(), inputs.end(), before);
    return inputs;
}

}  // namespace

bool is_own_file(std::string_view input) { return input.starts_with('/'); }

std::optional<std::string> differing_input(InputHashes const& a, InputHashes const& b) {
    if (a.empty() || b.empty()) return std::nullopt;
    auto const left = sorted(a), right = sorted(b);
    std::vector<Input> rest;
    std::set_symmetric_difference(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(rest),
                                  before);
    return rest.empty() ? std::nullopt : std::optional(rest.front().name);
}

}  // namespace pimdse::dse::store
