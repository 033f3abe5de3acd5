#include "sim/dram/mapping_class.hpp"

#include "sim/base/check.hpp"
#include "sim/dram/mapping/gf2.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <set>

namespace pimdse::sim::dram {
namespace {

int bits_of(int count) { return std::countr_zero(static_cast<unsigned>(count)); }

std::uint64_t hashed(std::uint64_t x) {
    x = (x + 0x9E3779B97F4A7C15ULL) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
}

constexpr std::uint64_t too_many = std::uint64_t{1} << 63;

/// n over k, saturating.
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
        auto const ways = choose(placed, width);
        if (ways >= too_many / result) return too_many;
        result *= ways;
    }
    return result;
}

constexpr std::array<std::string_view, field_count> tokens{"ch", "ra", "bg", "ba", "ro", "co"};

}  // namespace

Visible visible_to(Standard const& standard, Options const& options) {
    bool const refreshed = options.refresh != RefreshMode::none;
    return {groups_matter(standard), refreshed && standard.organisation.ranks > 1,
            options.refresh == RefreshMode::per_bank};
}

std::string canonical_key(Mapping const& mapping, Visible visible) {
    std::string key;
    std::vector<std::uint64_t> span;
    for (auto const field : {Field::channel, Field::rank, Field::group, Field::bank, Field::row}) {
        auto const& masks = mapping.masks(field);
        bool const by_number = (visible.bank_order && (field == Field::group || field == Field::bank)) ||
                               (visible.rank_order && field == Field::rank);
        if (by_number) {
            key += '=';
            for (auto const mask : masks) key += fmt::format("{:x},", mask);
        }
        span.insert(span.end(), masks.begin(), masks.end());
        if (field == Field::group && !visible.groups) continue;
        span = gf2::row_echelon(span);
        key += '/';
        for (auto const row : span) key += fmt::format("{:x},", row);
    }
    return key;
}

BitOrders::BitOrders(Widths widths, Organisation const& organisation)
    : widths_(widths), organisation_(organisation), count_(permutations(widths)) {
    if ((count_ >> 63) != 0) throw InputError("more than 2^63 bit orders (too many to number). Fewer bits?");
    expects(widths_[static_cast<std::size_t>(Field::row)] == 0, "row bits stay above the ordered bits");
}

Mapping BitOrders::at(std::uint64_t index) const {
    expects(index < count_, "an index below the number of orders");
    Widths left = widths_;
    std::string text = fmt::format("of{}", bits_of(organisation_.burst_bytes));
    int const bits = std::accumulate(left.begin(), left.end(), 0);
    for (int placed = 0; placed < bits; ++placed) {
        for (std::size_t f = 0; f < field_count; ++f) {
            if (left[f] == 0) continue;
            --left[f];
            std::uint64_t const below = permutations(left);
            if (index < below) {
                text += fmt::format(" {}1", tokens[f]);
                break;
            }
            index -= below;
            ++left[f];
        }
    }
    return Mapping::parse(text + fmt::format(" ro{}", bits_of(organisation_.rows)), organisation_);
}

Mapping BitOrders::sample(std::uint64_t number) const { return at(hashed(number) % count_); }

double count_linear_classes(std::vector<int> const& widths) {
    // [n]! / product of [w]! with [k] = 2^k - 1
    double log_count = 0.0;
    int placed = 0;
    for (int const width : widths) {
        for (int i = 1; i <= width; ++i)
            log_count += std::log2(std::exp2(++placed) - 1.0) - std::log2(std::exp2(i) - 1.0);
    }
    return std::exp2(log_count);
}

Mapping sample_linear(Organisation const& o, std::uint64_t number) {
    std::array<int, field_count> const widths{bits_of(o.channels), bits_of(o.ranks), bits_of(o.bank_groups),
                                              bits_of(o.banks),    bits_of(o.rows),  bits_of(o.columns())};
    int const bits = std::accumulate(widths.begin(), widths.end(), 0), offset = bits_of(o.burst_bytes);
    std::vector<std::uint64_t> rows;
    std::uint64_t state = hashed(number);
    while (static_cast<int>(rows.size()) < bits) {
        state = hashed(state + 1);
        std::uint64_t const row = (state >> (64 - bits)) << offset;
        rows.push_back(row);
        if (gf2::rank(rows) < rows.size()) rows.pop_back();
    }
    Mapping::Masks masks;
    auto next = rows.begin();
    for (std::size_t f = 0; f < field_count; ++f) {
        masks[f].assign(next, next + widths[f]);
        next += widths[f];
    }
    return Mapping::from_masks(std::move(masks), offset, o);
}

std::vector<std::string> umdam_family(Organisation const& o) {
    std::set<std::string> texts;
    int const columns = bits_of(o.columns());
    for (int low = 0; low <= columns; ++low) {
        std::vector<std::string> fields{fmt::format("ch{}", bits_of(o.channels)),
                                        fmt::format("bg{}", bits_of(o.bank_groups)),
                                        fmt::format("ba{}", bits_of(o.banks))};
        if (o.ranks > 1) fields.push_back(fmt::format("ra{}", bits_of(o.ranks)));
        if (low < columns) fields.push_back(fmt::format("co{}", columns - low));
        std::sort(fields.begin(), fields.end());
        do {
            std::string text = fmt::format("of{}", bits_of(o.burst_bytes));
            if (low > 0) text += fmt::format(" co{}", low);
            for (auto const& field : fields) text += " " + field;
            // Column bits that meet are one field.
            auto const joined = fmt::format(" co{} co{} ", low, columns - low);
            if (auto const at = text.find(joined); low > 0 && low < columns && at != std::string::npos)
                text.replace(at, joined.size(), fmt::format(" co{} ", columns));
            texts.insert(text + fmt::format(" ro{}", bits_of(o.rows)));
        } while (std::next_permutation(fields.begin(), fields.end()));
    }
    return {texts.begin(), texts.end()};
}

}  // namespace pimdse::sim::dram
