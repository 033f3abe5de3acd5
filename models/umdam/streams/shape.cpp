#include "models/umdam/streams/shape.hpp"

#include "sim/base/counting.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

namespace pimdse::models::umdam {
namespace {

using sim::dram::Place;

/// The first `count` bursts of the channel that holds address 0, as far as `most_steps` bursts show them.
std::vector<Place> bursts_of_one_channel(sim::dram::Mapping const& mapping, int extent, std::size_t count,
                                         std::uint64_t most_steps) {
    std::uint64_t const step = std::uint64_t{1} << mapping.offset_bits();
    std::uint64_t const all = std::uint64_t{1} << (extent - mapping.offset_bits());
    std::vector<Place> places;
    for (std::uint64_t i = 0; i < std::min(all, most_steps) && places.size() < count; ++i) {
        auto const place = mapping.place(i * step);
        if (place.channel == 0) places.push_back(place);
    }
    return places;
}

/// Rows a bank opens for these rows in order, `waiting` bursts to other rows being held back at most. An opening serves
/// every burst to its row until too many others wait.
double openings(std::vector<std::uint32_t> rows, std::size_t waiting) {
    double count = 0.0;
    std::vector<std::uint32_t> left;
    while (!rows.empty()) {
        std::uint32_t const row = rows.front();
        left.clear();
        std::size_t at = 0;
        for (; at < rows.size() && left.size() <= waiting; ++at) {
            if (rows[at] != row) left.push_back(rows[at]);
        }
        left.insert(left.end(), rows.begin() + static_cast<std::ptrdiff_t>(at), rows.end());
        rows.swap(left);
        count += 1.0;
    }
    return count;
}

using RowsOfBanks = std::array<std::vector<std::uint32_t>, 64>;

RowsOfBanks by_bank(std::vector<Place> const& places, std::size_t count) {
    RowsOfBanks rows;
    for (std::size_t i = 0; i < count; ++i) rows[places[i].bank].push_back(places[i].row);
    return rows;
}

struct Openings {
    double all = 0.0, busiest = 0.0, banks = 0.0;
};

/// Of the bursts from the half on, a row that stays open across it not being opened again.
Openings of_second_half(std::vector<Place> const& places, std::size_t half, std::size_t waiting) {
    auto const whole = by_bank(places, places.size()), first = by_bank(places, half);
    Openings sum;
    for (std::size_t bank = 0; bank < whole.size(); ++bank) {
        double const here = openings(whole[bank], waiting) - openings(first[bank], waiting);
        sum.all += here;
        sum.busiest = std::max(sum.busiest, here);
        sum.banks += whole[bank].empty() ? 0.0 : 1.0;
    }
    return sum;
}

/// Rows with bursts before and after a place of the second half, the mean of so many places.
double rows_in_use(std::vector<Place> const& places, std::size_t half, std::size_t looks) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::size_t, std::size_t>> lives;
    for (std::size_t i = 0; i < places.size(); ++i)
        lives.try_emplace({places[i].bank, places[i].row}, i, i).first->second.second = i;
    double sum = 0.0;
    for (std::size_t look = 1; look <= looks; ++look) {
        std::size_t const at = half + (places.size() - half) * look / (looks + 1);
        for (auto const& [row, life] : lives) sum += life.first < at && life.second >= at ? 1.0 : 0.0;
    }
    return sum / static_cast<double>(looks);
}

}  // namespace

StreamShape stream_shape(ShapeKey const& key, StreamAllowances const& allowances) {
    auto const& o = key.organisation;
    // long enough for every bank to change its row, whatever the order
    std::size_t const stretch =
        std::max(static_cast<std::size_t>(allowances.shape_stretch),
                 static_cast<std::size_t>(o.banks_per_channel()) * static_cast<std::size_t>(o.columns()));
    auto const places = bursts_of_one_channel(*key.mapping, key.extent, 2 * stretch,
                                              static_cast<std::uint64_t>(sim::whole_part(allowances.shape_steps)));
    std::size_t const half = places.size() < 2 * stretch ? 0 : stretch;  // a short stream is counted from its beginning
    double const bursts = static_cast<double>(places.size() - half);
    auto const most = of_second_half(places, half, 0);
    // one request of each bank may have left the queue for its row to be opened
    auto const least = of_second_half(places, half, static_cast<std::size_t>(key.depth + o.banks_per_channel()));
    StreamShape shape;
    shape.most_openings = most.all / bursts;
    shape.least_openings = std::min(least.all, most.all) / bursts;
    shape.busiest_bank = std::min(least.busiest, most.busiest) / bursts;
    shape.banks = most.banks;
    shape.rows_in_use =
        std::min(rows_in_use(places, half, static_cast<std::size_t>(allowances.shape_looks)), shape.banks);
    auto const rank = [&](std::size_t i) { return places[i].bank / static_cast<std::uint32_t>(o.banks_per_rank()); };
    for (std::size_t i = half + 1; i < places.size(); ++i)
        shape.rank_changes += rank(i) != rank(i - 1) ? 1.0 / bursts : 0.0;
    return shape;
}

}  // namespace pimdse::models::umdam
