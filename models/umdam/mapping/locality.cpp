#include "models/umdam/mapping/locality.hpp"

#include "models/umdam/mapping/linear_images.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"
#include "sim/dram/mapping/gf2.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

namespace pimdse::models::umdam {
namespace {

using sim::dram::Field;
using sim::dram::Mapping;
namespace gf2 = sim::dram::gf2;

using Word = gf2::Word;
using Words = std::array<Word, 64>;
using Fields = std::initializer_list<Field>;

constexpr Fields lane_fields{Field::channel, Field::rank, Field::group, Field::bank};

/// What each address bit adds to the fields, side by side in a word.
Words images_of(Mapping const& mapping, Fields fields) {
    Words images{};
    int at = 0;
    for (auto const field : fields) {
        for (Word const mask : mapping.masks(field)) {
            for (Word rest = mask; rest != 0; rest &= rest - 1)
                images[static_cast<std::size_t>(std::countr_zero(rest))] |= Word{1} << at;
            ++at;
        }
    }
    return images;
}

/// Those of the address bits [first, last).
std::span<Word const> part(Words const& images, int first, int last) {
    return std::span(images).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
}

/// Address bits of a stored matrix: [low, high) count the lanes, those from `high` on its tiles.
struct AddressBits {
    int offset, low, high, end;
    AddressBits(Mapping const& mapping, StoredShape const& s)
        : offset(mapping.offset_bits()),
          low(std::countr_zero(static_cast<Word>(s.interleave))),
          high(low + std::countr_zero(static_cast<Word>(s.lanes))),
          end(high + static_cast<int>(std::bit_width(static_cast<Word>(s.tiles() - 1)))) {}
};

/// Different images of one matrix column: over the bits inside a tile and over the tiles of the column. Stops counting
/// beyond `enough`.
std::int64_t spread(Words const& images, AddressBits const& bits, StoredShape const& s,
                    std::int64_t enough = INT64_MAX) {
    LinearImages const tiles(part(images, bits.offset, bits.low), part(images, bits.high, bits.end));
    std::int64_t const inside = std::int64_t{1} << tiles.alike();
    if (inside > enough) return inside;
    return inside * tiles.most_different(static_cast<Word>(s.tile_rows), static_cast<Word>(s.tile_columns), enough);
}

int rank_of(std::span<Word const> images) { return LinearImages({}, images).dimension(); }

bool rows_agree(Mapping const& mapping, Words const& lane, AddressBits const& bits) {
    auto const inside_bank = images_of(mapping, {Field::row, Field::column});
    return rank_of(part(inside_bank, bits.low, bits.high)) + rank_of(part(lane, bits.low, bits.high)) <=
           bits.high - bits.low;
}

/// Bytes of the matrix in the bank that holds most: tiles fill the banks they reach evenly, but need not all reach the
/// same ones.
std::int64_t busiest_bank(Words const& lane, AddressBits const& bits, StoredShape const& s) {
    LinearImages const tiles(part(lane, bits.offset, bits.high), part(lane, bits.high, bits.end));
    return tiles.most_alike(static_cast<Word>(s.tiles())) * s.tile_bytes() >> tiles.alike();
}

/// A basis of the addresses below 1 << end that have the image 0.
std::vector<Word> unseen_by(Words const& images, int first, int end) {
    std::vector<std::pair<Word, Word>> pivots;  // image, address
    std::vector<Word> kernel;
    for (int bit = first; bit < end; ++bit) {
        Word address = Word{1} << bit, word = images[static_cast<std::size_t>(bit)];
        for (auto const& [pivot, from] : pivots) {
            if ((word ^ pivot) < word) word ^= pivot, address ^= from;
        }
        if (word == 0)
            kernel.push_back(address);
        else
            pivots.emplace_back(word, address);
    }
    return kernel;
}

/// Addresses by which banks of one channel differ at the same row and column, but for the lane: what each adds to the
/// number of a tile, and to the place inside the interleave.
class Companions {
  public:
    Companions(Mapping const& mapping, AddressBits const& bits, StoredShape const& s) : shape_(s) {
        auto const images = images_of(mapping, {Field::channel, Field::row, Field::column});
        Word const lanes = (Word{1} << bits.high) - (Word{1} << bits.low);
        auto others = unseen_by(images, bits.offset, mapping.address_bits());
        for (auto& address : others) address &= ~lanes;
        auto basis = gf2::row_echelon(others);
        std::erase_if(basis, [&](Word address) { return address >> bits.end != 0; });  // all of these lie outside
        std::vector<Word> places;
        for (auto const address : basis) {
            leads_ |= std::bit_floor(address) >> bits.high;
            places.push_back(address & ((Word{1} << bits.low) - 1));
        }
        places = gf2::row_echelon(places);
        tabulate(basis, places, bits);
    }

    /// As many as there can be.
    [[nodiscard]] std::int64_t limit() const {
        auto const all = static_cast<std::int64_t>(all_.size());
        return std::min(all, std::min(all / places_, shape_.tile_rows) * places_);
    }
    /// Whether another tile, with a lower number, has the same ones.
    [[nodiscard]] bool repeats(std::int64_t tile) const { return (static_cast<Word>(tile) & leads_) != 0; }

    /// Different inputs that are held where this tile's are.
    [[nodiscard]] std::int64_t inputs(std::int64_t tile) {
        std::int64_t count = 0;
        ++turn_;
        for (auto const& other : all_) {
            std::uint32_t const there = static_cast<std::uint32_t>(tile) ^ other.tile;
            if (there >= static_cast<std::uint32_t>(shape_.tiles())) continue;
            auto& met = met_[other.place + there % static_cast<std::uint32_t>(shape_.tile_rows)];
            count += met != turn_ ? 1 : 0;
            met = turn_;
        }
        return count;
    }

  private:
    struct Other {
        std::uint32_t tile = 0;
        std::size_t place = 0;  ///< rows of tiles before those of this place inside the interleave
    };

    void tabulate(std::vector<Word> const& basis, std::vector<Word> const& places, AddressBits const& bits) {
        auto const rows = static_cast<std::size_t>(shape_.tile_rows);
        places_ = std::int64_t{1} << places.size();
        met_.assign(static_cast<std::size_t>(places_) * rows, 0);
        all_.assign(1, {});
        for (auto const address : basis) {
            std::size_t place = 0;
            for (std::size_t i = 0; i < places.size(); ++i)
                place |= (address & std::bit_floor(places[i])) != 0 ? std::size_t{1} << i : 0;
            for (std::size_t i = 0, count = all_.size(); i < count; ++i)
                all_.push_back({all_[i].tile ^ static_cast<std::uint32_t>(address >> bits.high),
                                ((all_[i].place / rows) ^ place) * rows});
        }
    }

    StoredShape shape_;
    Word leads_ = 0;
    std::int64_t places_ = 1;
    std::vector<Other> all_;
    std::vector<std::uint32_t> met_;
    std::uint32_t turn_ = 0;
};

/// Most different inputs k that banks of one channel hold at the same row and column, over `enough` tiles or more.
std::int64_t inputs_at_one_place(Mapping const& mapping, AddressBits const& bits, StoredShape const& s,
                                 std::int64_t enough) {
    Companions companions(mapping, bits, s);
    std::int64_t const limit = companions.limit();
    std::int64_t const step = std::max<std::int64_t>(1, s.tiles() / enough) | 1;  // odd: meets every row of tiles
    std::int64_t most = 1;
    for (std::int64_t tile = 0; tile < s.tiles() && most < limit; tile += step) {
        if (step == 1 && companions.repeats(tile)) continue;
        most = std::max(most, companions.inputs(tile));
    }
    return most;
}

}  // namespace

bool is_legal(Mapping const& mapping, StoredShape const& s) {
    auto const lane = images_of(mapping, lane_fields);
    AddressBits const bits(mapping, s);
    return rows_agree(mapping, lane, bits) && spread(lane, bits, s, 1) == 1;
}

Locality locality_of(Mapping const& mapping, StoredShape const& s, double tiles) {
    sim::expects(std::has_single_bit(static_cast<std::uint64_t>(s.lanes)) &&
                     std::has_single_bit(static_cast<std::uint64_t>(s.interleave)),
                 "a bit mapping has powers of two");
    auto const lane = images_of(mapping, lane_fields);
    AddressBits const bits(mapping, s);
    Locality result;
    result.split = spread(lane, bits, s);
    result.inside = std::max<std::int64_t>(1, result.split / spread(images_of(mapping, {Field::channel}), bits, s));
    result.phases = inputs_at_one_place(mapping, bits, s, sim::whole_part(tiles));
    result.busiest = busiest_bank(lane, bits, s);
    result.lock_step = rows_agree(mapping, lane, bits);
    return result;
}

}  // namespace pimdse::models::umdam
