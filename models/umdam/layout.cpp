#include "models/umdam/layout.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <initializer_list>
#include <utility>
#include <vector>

namespace pimdse::models::umdam {
namespace {

void check_options(Organisation const& organisation, LayoutOptions const& o) {
    if (o.interleave % organisation.burst_bytes != 0 || o.interleave < 1 ||
        organisation.row_bytes % o.interleave != 0) {
        throw sim::InputError(
            fmt::format("interleave = {} B does not divide a row evenly (it must be a multiple of the {} B burst that "
                        "divides the {} B row)",
                        o.interleave, organisation.burst_bytes, organisation.row_bytes));
    }
    std::int64_t const banks = lanes(organisation);
    if (o.tile_width < 0 || (o.tile_width != 0 && o.tile_width % banks != 0 && banks % o.tile_width != 0)) {
        throw sim::InputError(fmt::format("tile width {} does not fit {} banks (it must be a multiple or a divisor)",
                                          o.tile_width, banks));
    }
    if (o.split < 1 || !std::has_single_bit(static_cast<std::uint64_t>(o.split)) || o.split > banks) {
        throw sim::InputError(fmt::format(
            "split = {} cannot divide a column (it must be a power of two, at most the {} banks)", o.split, banks));
    }
}

using sim::dram::Field;
using sim::dram::Mapping;
namespace gf2 = sim::dram::gf2;

using Word = gf2::Word;
using Words = std::array<Word, 64>;
using Fields = std::initializer_list<Field>;

constexpr Fields lane_fields{Field::channel, Field::rank, Field::group, Field::bank};

/// The contribution of each address bit to the fields, which are concatenated in one word.
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

/// The images of the address bits [first, last).
std::span<Word const> part(Words const& images, int first, int last) {
    return std::span(images).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
}

/// Address bits of a stored matrix: bits [lower, upper) count the columns of a tile, bits from `upper` on the tiles.
struct AddressBits {
    int offset, lower, upper, end;
    AddressBits(Mapping const& mapping, StoredShape const& s)
        : offset(mapping.offset_bits()),
          lower(std::countr_zero(static_cast<Word>(s.interleave))),
          upper(lower + std::countr_zero(static_cast<Word>(s.width))),
          end(upper + static_cast<int>(std::bit_width(static_cast<Word>(s.tiles() - 1)))) {}
};

/// Largest number of different images of the tiles of one tile column, tile by tile. Counting stops above `enough`.
std::int64_t spread_of_tiles(LinearImages const& tiles, TileGrid const& grid, std::int64_t enough) {
    std::int64_t max = 1;
    std::vector<Word> images(static_cast<std::size_t>(grid.rows));
    // along a Z curve, the images of all tile columns differ by a constant
    std::int64_t const columns = grid.curve == TileCurve::morton ? 1 : grid.columns;
    for (std::int64_t column = 0; column < columns && max <= enough; ++column) {
        for (std::int64_t row = 0; row < grid.rows; ++row)
            images[static_cast<std::size_t>(row)] = tiles.image(static_cast<Word>(grid.index(row, column)));
        std::sort(images.begin(), images.end());
        auto const end = std::unique(images.begin(), images.end());
        max = std::max<std::int64_t>(max, end - images.begin());
    }
    return max;
}

/// Number of different images of one matrix column, over the bits inside a tile and the tiles of the column. Counting
/// stops above `enough`.
std::int64_t spread(Words const& images, AddressBits const& bits, StoredShape const& s,
                    std::int64_t enough = INT64_MAX) {
    LinearImages const tiles(part(images, bits.offset, bits.lower), part(images, bits.upper, bits.end));
    std::int64_t const inside = std::int64_t{1} << tiles.alike();
    if (inside > enough) return inside;
    if (s.curve != TileCurve::column_major) return inside * spread_of_tiles(tiles, s.grid(), enough);
    return inside * tiles.max_different(static_cast<Word>(s.tile_rows), static_cast<Word>(s.tile_columns), enough);
}

int rank_of(std::span<Word const> images) { return LinearImages({}, images).dimension(); }

bool rows_agree(Mapping const& mapping, Words const& lane, AddressBits const& bits) {
    auto const inside_bank = images_of(mapping, {Field::row, Field::column});
    return rank_of(part(inside_bank, bits.lower, bits.upper)) + rank_of(part(lane, bits.lower, bits.upper)) <=
           bits.upper - bits.lower;
}

/// How many of the tiles have the most frequent image; numbers that the curve leaves out hold no tile.
std::int64_t max_alike_of_tiles(LinearImages const& tiles, TileGrid const& grid) {
    std::vector<Word> images;
    for (std::int64_t column = 0; column < grid.columns; ++column) {
        for (std::int64_t row = 0; row < grid.rows; ++row)
            images.push_back(tiles.image(static_cast<Word>(grid.index(row, column))));
    }
    std::sort(images.begin(), images.end());
    std::int64_t max = 0;
    for (auto first = images.begin(); first != images.end();) {
        auto const end = std::upper_bound(first, images.end(), *first);
        max = std::max<std::int64_t>(max, end - first);
        first = end;
    }
    return max;
}

/// Bytes of the matrix in the bank that holds the most. Tiles fill the banks they reach evenly, but different tiles may
/// reach different banks.
std::int64_t busiest_bank(Words const& lane, AddressBits const& bits, StoredShape const& s) {
    LinearImages const tiles(part(lane, bits.offset, bits.upper), part(lane, bits.upper, bits.end));
    auto const alike = s.curve == TileCurve::morton ? max_alike_of_tiles(tiles, s.grid())
                                                    : tiles.max_alike(static_cast<Word>(s.tiles()));
    return alike * s.tile_bytes() >> tiles.alike();
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

/// Addresses by which banks of one channel differ at the same row and column, apart from the lane. Each is stored as
/// its contribution to the tile number and to the position inside the interleave.
class Companions {
  public:
    Companions(Mapping const& mapping, AddressBits const& bits, StoredShape const& s) : grid_(s.grid()) {
        auto const images = images_of(mapping, {Field::channel, Field::row, Field::column});
        Word const lanes = (Word{1} << bits.upper) - (Word{1} << bits.lower);
        auto others = unseen_by(images, bits.offset, mapping.address_bits());
        for (auto& address : others) address &= ~lanes;
        auto basis = gf2::row_echelon(others);
        // such addresses lie outside the matrix
        std::erase_if(basis, [&](Word address) { return address >> bits.end != 0; });
        std::vector<Word> places;
        for (auto const address : basis) {
            leads_ |= std::bit_floor(address) >> bits.upper;
            places.push_back(address & ((Word{1} << bits.lower) - 1));
        }
        places = gf2::row_echelon(places);
        tabulate(basis, places, bits);
    }

    /// Upper bound of inputs().
    [[nodiscard]] std::int64_t limit() const {
        auto const all = static_cast<std::int64_t>(all_.size());
        return std::min(all, std::min(all / places_, grid_.rows) * places_);
    }
    /// Whether a tile with a lower number has the same companions.
    [[nodiscard]] bool repeats(std::int64_t tile) const { return (static_cast<Word>(tile) & leads_) != 0; }

    /// Number of different inputs that are stored at the same row and column as those of this tile.
    [[nodiscard]] std::int64_t inputs(std::int64_t tile) {
        std::int64_t count = 0;
        ++turn_;
        for (auto const& other : all_) {
            std::uint32_t const there = static_cast<std::uint32_t>(tile) ^ other.tile;
            if (!grid_.holds(there)) continue;
            auto& met = met_[other.place + static_cast<std::size_t>(grid_.row_of(there))];
            count += met != turn_ ? 1 : 0;
            met = turn_;
        }
        return count;
    }

  private:
    struct Other {
        std::uint32_t tile = 0;
        /// Offset in met_: the index of the position inside the interleave times the number of tile rows.
        std::size_t place = 0;
    };

    void tabulate(std::vector<Word> const& basis, std::vector<Word> const& places, AddressBits const& bits) {
        auto const rows = static_cast<std::size_t>(grid_.rows);
        places_ = std::int64_t{1} << places.size();
        met_.assign(static_cast<std::size_t>(places_) * rows, 0);
        all_.assign(1, {});
        for (auto const address : basis) {
            std::size_t place = 0;
            for (std::size_t i = 0; i < places.size(); ++i)
                place |= (address & std::bit_floor(places[i])) != 0 ? std::size_t{1} << i : 0;
            for (std::size_t i = 0, count = all_.size(); i < count; ++i)
                all_.push_back({all_[i].tile ^ static_cast<std::uint32_t>(address >> bits.upper),
                                ((all_[i].place / rows) ^ place) * rows});
        }
    }

    TileGrid grid_;
    Word leads_ = 0;
    std::int64_t places_ = 1;
    std::vector<Other> all_;
    std::vector<std::uint32_t> met_;
    std::uint32_t turn_ = 0;
};

/// Largest number of different inputs k that banks of one channel hold at the same row and column, examined for at
/// least `enough` tiles.
std::int64_t inputs_at_one_place(Mapping const& mapping, AddressBits const& bits, StoredShape const& s,
                                 std::int64_t enough) {
    Companions companions(mapping, bits, s);
    std::int64_t const limit = companions.limit();
    // odd, so that every tile row is examined
    std::int64_t const step = std::max<std::int64_t>(1, s.tiles() / enough) | 1;
    std::int64_t max = 1;
    for (std::int64_t tile = 0; tile < s.tiles() && max < limit; tile += step) {
        if (step == 1 && companions.repeats(tile)) continue;
        max = std::max(max, companions.inputs(tile));
    }
    return max;
}

}  // namespace

Layout::Layout(std::int64_t inputs, std::int64_t outputs, Organisation const& organisation,
               LayoutOptions const& options)
    : options_(options), inputs_(inputs), outputs_(outputs) {
    sim::expects(inputs >= 1 && outputs >= 1, "a matrix has rows and columns");
    check_options(organisation, options);
    height_ = options.interleave * 8 / options.element_bits;
    width_ = options.tile_width == 0 ? lanes(organisation) : options.tile_width;
    std::int64_t const row_elements = organisation.row_bytes * 8 / options.element_bits;
    part_ = sim::divide_up(inputs, options.split);
    std::int64_t const stored = options.row_pad == RowPad::on ? sim::round_up(part_, row_elements) : part_;
    tile_rows_ = sim::divide_up(stored, height_);
    tile_columns_ = sim::divide_up(outputs * options.split, width_);  // a part of a column is stored as a column
}

std::uint64_t Layout::bit_address(std::int64_t k, std::int64_t n) const {
    sim::expects(k >= 0 && k < inputs_ && n >= 0 && n < outputs_, "the element is inside the matrix");
    std::int64_t const column = n * options_.split + k / part_;
    std::int64_t const row = k % part_;
    std::int64_t const tile_row = row / height_;
    std::int64_t const tile_column = column / width_;
    std::int64_t const lane = (column % width_ + options_.rotation * tile_column) % width_;
    std::int64_t const strip = grid().index(tile_row, tile_column) * tile_bytes() + lane * options_.interleave;
    return static_cast<std::uint64_t>(strip * 8 + row % height_ * options_.element_bits);
}

bool is_legal(Mapping const& mapping, StoredShape const& s) {
    auto const lane = images_of(mapping, lane_fields);
    AddressBits const bits(mapping, s);
    return rows_agree(mapping, lane, bits) && spread(lane, bits, s, 1) == 1;
}

Locality locality_of(Mapping const& mapping, StoredShape const& s, double tiles) {
    sim::expects(std::has_single_bit(static_cast<std::uint64_t>(s.width)) &&
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

/// Independent words with distinct leading bits, and the coordinates of each.
struct LinearImages::Basis {
    std::array<Word, 64> words, coordinates;
    std::size_t size = 0;

    /// Reduces a word by the basis and adds the coordinates of the part removed.
    void reduce(Word& word, Word& at) const {
        for (std::size_t i = 0; i < size; ++i) {
            if ((word ^ words[i]) < word) word ^= words[i], at ^= coordinates[i];
        }
    }
    void add(Word word, Word at) { words[size] = word, coordinates[size++] = at; }
};

LinearImages::LinearImages(std::span<Word const> alike, std::span<Word const> bits) : count_(bits.size()) {
    sim::expects(bits.size() <= of_bit_.size(), "a number has 64 bits");
    Basis basis;
    for (Word word : alike) {
        Word at = 0;
        basis.reduce(word, at);
        if (word != 0) basis.add(word, 0), ++alike_;
    }
    for (std::size_t j = 0; j < count_; ++j) {
        Word word = bits[j], at = 0;
        basis.reduce(word, at);
        below_[j + 1] = below_[j];
        of_bit_[j] = at;
        if (word == 0) continue;
        of_bit_[j] = Word{1} << below_[j];
        basis.add(word, at ^ of_bit_[j]);
        ++below_[j + 1];
    }
}

LinearImages::Word LinearImages::image(std::uint64_t number) const {
    Word sum = 0;
    for (; number != 0; number &= number - 1) sum ^= of_bit_[static_cast<std::size_t>(std::countr_zero(number))];
    return sum;
}

/// Cuts the run into blocks of 1 << j numbers that begin at a multiple of their length.
std::size_t LinearImages::cut(std::uint64_t first, std::uint64_t end, Blocks& blocks) const {
    std::size_t count = 0;
    while (first < end) {
        int const bits = std::min(std::countr_zero(first), static_cast<int>(std::bit_width(end - first)) - 1);
        blocks[count++] = {image(first), bits};
        first += std::uint64_t{1} << bits;
    }
    return count;
}

bool LinearImages::holds(Block const& outer, Block const& inner) const {
    return (outer.image ^ inner.image) >> below_[static_cast<std::size_t>(outer.bits)] == 0;
}

std::int64_t LinearImages::different(std::uint64_t first, std::uint64_t count) const {
    Blocks blocks;
    std::size_t const all = cut(first, first + count, blocks);
    auto const end = blocks.begin() + static_cast<std::ptrdiff_t>(all);
    std::sort(blocks.begin(), end, [](Block const& a, Block const& b) { return a.bits > b.bits; });
    std::int64_t sum = 0;
    auto kept = blocks.begin();
    for (auto block = blocks.begin(); block != end; ++block) {
        if (std::any_of(blocks.begin(), kept, [&](Block const& other) { return holds(other, *block); })) continue;
        sum += std::int64_t{1} << below_[static_cast<std::size_t>(block->bits)];
        *kept++ = *block;
        if (sum == std::int64_t{1} << dimension()) break;
    }
    return sum;
}

std::int64_t LinearImages::limit(std::uint64_t count) const {
    auto max = static_cast<std::int64_t>(count);
    for (std::size_t j = 0; j <= count_; ++j) {
        bool const whole = j == count_;
        auto const touched = whole ? 1 : static_cast<std::int64_t>(count < 2 ? 1 : ((count - 2) >> j) + 2);
        max = std::min(max, touched << below_[j]);
    }
    return max;
}

std::uint64_t LinearImages::period(std::uint64_t count) const {
    std::size_t seen = count_;
    while (seen > 0 && of_bit_[seen - 1] == 0) --seen;
    return std::uint64_t{1} << std::max(0, static_cast<int>(seen) - std::countr_zero(count));
}

std::int64_t LinearImages::max_different(std::uint64_t count, std::uint64_t times, std::int64_t enough) const {
    std::int64_t const stop = std::min(limit(count), enough == INT64_MAX ? enough : enough + 1);
    std::int64_t max = 1;
    for (std::uint64_t i = 0, runs = std::min(times, period(count)); i < runs && max < stop; ++i)
        max = std::max(max, different(i * count, count));
    return max;
}

std::int64_t LinearImages::max_alike(std::uint64_t count) const {
    Blocks blocks;
    std::size_t const all = cut(0, count, blocks);  // longest first
    std::int64_t max = 0;
    for (std::size_t i = 0; i < all; ++i) {
        std::int64_t sum = 0;
        for (std::size_t j = 0; j <= i; ++j) {
            int const bits = blocks[j].bits;
            if (holds(blocks[j], blocks[i])) sum += std::int64_t{1} << (bits - below_[static_cast<std::size_t>(bits)]);
        }
        max = std::max(max, sum);
    }
    return max;
}

}  // namespace pimdse::models::umdam
