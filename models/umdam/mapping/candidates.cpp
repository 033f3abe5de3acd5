#include "models/umdam/mapping/candidates.hpp"

#include "models/contract/architecture.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/umdam/mapping/field_order.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"
#include "sim/dram/mapping_class.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <array>
#include <bit>

namespace pimdse::models::umdam {
namespace {

using sim::dram::Field;
using sim::dram::Mapping;

/// Orders of the fields between those at the top and the bottom, for each ColL.
std::vector<Candidate> orders(std::vector<int> const& coll_bits, std::string const& top,
                              std::vector<std::string> const& fields, std::string const& bottom) {
    std::vector<Candidate> list;
    for (int const coll : coll_bits) {
        for (std::uint64_t rank = 0; rank < sim::factorial(fields.size()); ++rank) {
            auto text = top + fmt::format("{}", fmt::join(permutation(fields, rank), "-")) + bottom;
            list.push_back({text.insert(text.find("coll") + 4, std::to_string(coll)), -1});
        }
    }
    return list;
}

/// Tokens of a mapping each of whose coordinates is one address bit.
std::string tokens_of(Mapping const& mapping) {
    static constexpr std::array<std::string_view, sim::dram::field_count> names{"ch", "ra", "bg", "ba", "ro", "co"};
    std::vector<std::string_view> owner(static_cast<std::size_t>(mapping.address_bits()));
    for (std::size_t field = 0; field < names.size(); ++field) {
        for (auto const mask : mapping.masks(static_cast<Field>(field)))
            owner[static_cast<std::size_t>(std::countr_zero(mask))] = names[field];
    }
    std::string text = fmt::format("of{}", mapping.offset_bits());
    for (auto bit = static_cast<std::size_t>(mapping.offset_bits()); bit < owner.size();) {
        std::size_t end = bit;
        while (end < owner.size() && owner[end] == owner[bit]) ++end;
        text += fmt::format(" {}{}", owner[bit], end - bit);
        bit = end;
    }
    return text;
}

}  // namespace

std::vector<Candidate> field_orders(std::vector<int> const& coll_bits) {
    return orders(coll_bits, "", field_items(), "");
}

std::vector<Candidate> row_highest_orders(std::vector<int> const& coll_bits) {
    return orders(coll_bits, "row-", {"colm", "bank", "group", "channel"}, "-coll");
}

std::vector<Candidate> bit_orders(Organisation const& o, std::uint64_t most) {
    auto const bits = [](int count) { return std::countr_zero(static_cast<unsigned>(count)); };
    sim::dram::BitOrders const all(
        {bits(o.channels), bits(o.ranks), bits(o.bank_groups), bits(o.banks), 0, bits(o.columns())}, o);
    if (all.count() > most)
        throw sim::InputError(fmt::format("there are {} orders of the bits below the row (at most {} are enumerated)",
                                          all.count(), most));
    std::vector<Candidate> list;
    for (std::uint64_t i = 0; i < all.count(); ++i) list.push_back({tokens_of(all.at(i)), -1});
    return list;
}

std::vector<Candidate> hashed(std::vector<Candidate> candidates, std::vector<std::string> const& hashes) {
    std::size_t const plain = candidates.size();
    for (auto const& hash : hashes) {
        for (std::size_t i = 0; i < plain; ++i)
            candidates.push_back({candidates[i].text + " " + hash, candidates[i].coll_bits});
    }
    return candidates;
}

}  // namespace pimdse::models::umdam
