#include "sim/dram/mapping_class.hpp"

#include "sim/base/check.hpp"
#include "sim/dram/gf2.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace pimdse::sim::dram {
namespace {

constexpr std::uint64_t too_many = std::uint64_t{1} << 63;

/// Binomial coefficient n over k, saturating.
std::uint64_t choose(int n, int k) {
    std::uint64_t result = 1;
    for (int i = 1; i <= k; ++i) {
        auto const factor = static_cast<std::uint64_t>(n - k + i);
        if (result > too_many / factor) return too_many;
        result = result * factor / static_cast<std::uint64_t>(i);
    }
    return result;
}

/// Permutations of a multiset, saturating at 2^63.
std::uint64_t permutations(BitOrders::Widths const& widths) {
    std::uint64_t result = 1;
    int placed = 0;
    for (int const width : widths) {
        placed += width;
        auto const arrangements = choose(placed, width);
        if (arrangements >= too_many / result) return too_many;
        result *= arrangements;
    }
    return result;
}

constexpr std::array seen_fields{Field::channel, Field::rank, Field::group, Field::bank, Field::row};

std::size_t at(Field field) { return static_cast<std::size_t>(field); }

/// Extends the span by the first `max` vectors of `by` that it does not contain, and returns them.
std::vector<std::uint64_t> extend(std::vector<std::uint64_t>& span, std::vector<std::uint64_t> const& by,
                                  std::size_t max) {
    std::vector<std::uint64_t> added;
    for (auto const row : by) {
        if (added.size() == max) break;
        span.push_back(row);
        if (gf2::rank(span) == span.size())
            added.push_back(row);
        else
            span.pop_back();
    }
    return added;
}

}  // namespace

Visible visible_to(Standard const& standard, Options const& options) {
    bool const refreshed = options.refresh != RefreshMode::none;
    return {groups_matter(standard), refreshed && standard.organisation.ranks > 1,
            options.refresh == RefreshMode::per_bank};
}

MappingClass class_of(Mapping const& mapping, Visible visible) {
    MappingClass result;
    result.offset_bits = mapping.offset_bits();
    std::vector<std::uint64_t> span;
    for (auto const field : seen_fields) {
        auto const& masks = mapping.masks(field);
        bool const by_number = (visible.bank_order && (field == Field::group || field == Field::bank)) ||
                               (visible.rank_order && field == Field::rank);
        if (by_number) result.numbered[at(field)] = masks;
        span.insert(span.end(), masks.begin(), masks.end());
        if (field == Field::group && !visible.groups) continue;
        span = gf2::row_echelon(span);
        result.spans[at(field)] = span;
        std::ranges::stable_sort(result.spans[at(field)], {}, [](std::uint64_t row) { return std::countr_zero(row); });
    }
    return result;
}

Mapping representative(MappingClass const& mapping_class, Organisation const& o) {
    std::array<int, field_count> const widths{bits_of(o.channels), bits_of(o.ranks), bits_of(o.bank_groups),
                                              bits_of(o.banks),    bits_of(o.rows),  bits_of(o.columns())};
    Mapping::Masks masks;
    std::vector<std::uint64_t> span;
    for (auto const field : seen_fields) {
        bool const unseen = field == Field::group && mapping_class.spans[at(field)].empty();
        auto const& known = mapping_class.spans[at(unseen ? Field::bank : field)];
        auto const& by = mapping_class.numbered[at(field)].empty() ? known : mapping_class.numbered[at(field)];
        masks[at(field)] = extend(span, by, static_cast<std::size_t>(widths[at(field)]));
    }
    std::vector<std::uint64_t> single;
    for (int bit = mapping_class.offset_bits;
         bit < mapping_class.offset_bits + static_cast<int>(span.size()) + widths.back(); ++bit)
        single.push_back(std::uint64_t{1} << bit);
    masks[at(Field::column)] = extend(span, single, single.size());
    return Mapping::from_masks(std::move(masks), mapping_class.offset_bits, o);
}

BitOrders::BitOrders(Widths widths, Organisation const& organisation)
    : widths_(widths),
      offset_bits_(bits_of(organisation.burst_bytes)),
      row_bits_(bits_of(organisation.rows)),
      count_(permutations(widths)) {
    if ((count_ >> 63) != 0) throw InputError("more than 2^63 bit orders (too many to number). Fewer bits?");
    expects(widths_[static_cast<std::size_t>(Field::row)] == 0, "row bits stay above the ordered bits");
}

BitOrder BitOrders::at(std::uint64_t index) const {
    expects(index < count_, "the index is below the number of orders");
    Widths left = widths_;
    BitOrder order{offset_bits_, {}};
    auto const place = [&](Field field, int count) {
        if (count == 0) return;
        if (auto* last = order.parts.empty() ? nullptr : std::get_if<FieldBits>(&order.parts.back());
            last != nullptr && last->field == field)
            last->count += count;
        else
            order.parts.emplace_back(FieldBits{field, count});
    };
    int const bits = std::accumulate(left.begin(), left.end(), 0);
    for (int placed = 0; placed < bits; ++placed) {
        for (std::size_t f = 0; f < field_count; ++f) {
            if (left[f] == 0) continue;
            --left[f];
            std::uint64_t const below = permutations(left);
            if (index < below) {
                place(static_cast<Field>(f), 1);
                break;
            }
            index -= below;
            ++left[f];
        }
    }
    place(Field::row, row_bits_);
    return order;
}

}  // namespace pimdse::sim::dram
