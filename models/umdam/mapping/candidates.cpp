#include "models/umdam/mapping/candidates.hpp"

#include "sim/base/check.hpp"
#include "sim/dram/mapping_class.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <bit>

namespace pimdse::models::umdam {
namespace {

/// Orders of the items between those at the top and the bottom, for each ColL, as `items` count up.
std::vector<MappingCandidate> orders(std::vector<int> const& coll_bits, std::vector<OrderItem> const& top,
                                     std::vector<OrderItem> const& items, std::vector<OrderItem> const& bottom) {
    std::vector<MappingCandidate> list;
    for (int const coll : coll_bits) {
        std::vector<std::size_t> places(items.size());
        for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
        do {
            FieldOrder order{top, coll};
            for (auto const place : places) order.highest_first.push_back(items[place]);
            order.highest_first.insert(order.highest_first.end(), bottom.begin(), bottom.end());
            list.push_back({{order, {}}, -1});
        } while (std::next_permutation(places.begin(), places.end()));
    }
    return list;
}

}  // namespace

std::vector<MappingCandidate> field_orders(std::vector<int> const& coll_bits) {
    using enum OrderItem;
    return orders(coll_bits, {}, {row, colm, bank, group, channel, coll}, {});
}

std::vector<MappingCandidate> row_highest_orders(std::vector<int> const& coll_bits) {
    using enum OrderItem;
    return orders(coll_bits, {row}, {colm, bank, group, channel}, {coll});
}

std::vector<MappingCandidate> bit_orders(Organisation const& o, std::uint64_t most) {
    auto const bits = [](int count) { return std::countr_zero(static_cast<unsigned>(count)); };
    sim::dram::BitOrders const all(
        {bits(o.channels), bits(o.ranks), bits(o.bank_groups), bits(o.banks), 0, bits(o.columns())}, o);
    if (all.count() > most)
        throw sim::InputError(fmt::format("there are {} orders of the bits below the row (at most {} are enumerated)",
                                          all.count(), most));
    std::vector<MappingCandidate> list;
    for (std::uint64_t i = 0; i < all.count(); ++i) list.push_back({{all.at(i), {}}, -1});
    return list;
}

std::vector<MappingCandidate> hashed(std::vector<MappingCandidate> candidates,
                                     std::vector<std::vector<sim::dram::FieldXor>> const& hashes) {
    std::size_t const plain = candidates.size();
    for (auto const& hash : hashes) {
        for (std::size_t i = 0; i < plain; ++i) {
            candidates.push_back(candidates[i]);
            auto& terms = candidates.back().mapping.terms;
            terms.insert(terms.end(), hash.begin(), hash.end());
        }
    }
    return candidates;
}

}  // namespace pimdse::models::umdam
