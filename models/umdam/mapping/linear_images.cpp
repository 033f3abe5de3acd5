#include "models/umdam/mapping/linear_images.hpp"

#include "sim/base/check.hpp"

#include <algorithm>
#include <bit>

namespace pimdse::models::umdam {

/// Independent words with distinct leading bits, and the coordinates of each.
struct LinearImages::Basis {
    std::array<Word, 64> words, coordinates;
    std::size_t size = 0;

    /// What is left of a word, and the coordinates of the rest.
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

/// Into runs of 1 << j numbers that begin at a multiple of that.
std::size_t LinearImages::cut(std::uint64_t first, std::uint64_t behind, Blocks& blocks) const {
    std::size_t count = 0;
    while (first < behind) {
        int const bits = std::min(std::countr_zero(first), static_cast<int>(std::bit_width(behind - first)) - 1);
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
    auto most = static_cast<std::int64_t>(count);
    for (std::size_t j = 0; j <= count_; ++j) {
        bool const whole = j == count_;
        auto const touched = whole ? 1 : static_cast<std::int64_t>(count < 2 ? 1 : ((count - 2) >> j) + 2);
        most = std::min(most, touched << below_[j]);
    }
    return most;
}

std::uint64_t LinearImages::period(std::uint64_t count) const {
    std::size_t seen = count_;
    while (seen > 0 && of_bit_[seen - 1] == 0) --seen;
    return std::uint64_t{1} << std::max(0, static_cast<int>(seen) - std::countr_zero(count));
}

std::int64_t LinearImages::most_different(std::uint64_t count, std::uint64_t times, std::int64_t enough) const {
    std::int64_t const stop = std::min(limit(count), enough == INT64_MAX ? enough : enough + 1);
    std::int64_t most = 1;
    for (std::uint64_t i = 0, runs = std::min(times, period(count)); i < runs && most < stop; ++i)
        most = std::max(most, different(i * count, count));
    return most;
}

std::int64_t LinearImages::most_alike(std::uint64_t count) const {
    Blocks blocks;
    std::size_t const all = cut(0, count, blocks);  // the longest first
    std::int64_t most = 0;
    for (std::size_t i = 0; i < all; ++i) {
        std::int64_t sum = 0;
        for (std::size_t j = 0; j <= i; ++j) {
            int const bits = blocks[j].bits;
            if (holds(blocks[j], blocks[i])) sum += std::int64_t{1} << (bits - below_[static_cast<std::size_t>(bits)]);
        }
        most = std::max(most, sum);
    }
    return most;
}

}  // namespace pimdse::models::umdam
