#include "dse/answers/packed_words.hpp"

#include "sim/base/check.hpp"
#include "sim/base/random.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace pimdse::dse::answers {
namespace {

/// Bytes of a number up to `largest`.
std::uint8_t width_of(std::uint64_t largest) {
    if (largest <= std::numeric_limits<std::uint8_t>::max()) return 1;
    if (largest <= std::numeric_limits<std::uint16_t>::max()) return 2;
    return largest <= std::numeric_limits<std::uint32_t>::max() ? 4 : 8;
}

bool counts_up(std::span<std::uint64_t const> words) {
    return std::adjacent_find(words.begin(), words.end(),
                              [](std::uint64_t a, std::uint64_t b) { return b != a + 1; }) == words.end();
}

/// Numbers distinct words in the order of their first appearance, up to a limit.
class Numbering {
  public:
    static constexpr std::size_t limit = 1024;

    /// The word's number; `limit` when there are too many.
    std::size_t number(std::uint64_t word) {
        std::size_t slot = sim::mixed_bits(word) % slots_.size();
        while (slots_[slot] != 0) {
            std::size_t const known = slots_[slot] - 1U;
            if (words_[known] == word) return known;
            slot = (slot + 1) % slots_.size();
        }
        if (words_.size() == limit) return limit;
        words_.push_back(word);
        slots_[slot] = static_cast<std::uint16_t>(words_.size());
        return words_.size() - 1;
    }
    [[nodiscard]] std::vector<std::uint64_t> const& words() const { return words_; }

  private:
    std::array<std::uint16_t, 4 * limit> slots_{};
    std::vector<std::uint64_t> words_;
};

}  // namespace

PackedWords::PackedWords(std::span<std::uint64_t const> words) {
    sim::expects(words.size() <= most, "a packed column is short");
    if (!words.empty()) pack(words);
}

void PackedWords::pack(std::span<std::uint64_t const> words) {
    auto const [least, largest] = std::minmax_element(words.begin(), words.end());
    base_ = *least;
    if (*least == *largest) return;
    if (words.front() == base_ && counts_up(words)) {
        form_ = Form::sequence;
        return;
    }
    std::uint8_t const width = width_of(*largest - *least);
    if (width > 1 && pick(words, width * words.size())) return;
    form_ = Form::offsets;
    width_ = width;
    allocate(width_ * words.size());
    put_all(0, words, base_);
}

/// False if there are too many distinct words for a gain.
bool PackedWords::pick(std::span<std::uint64_t const> words, std::size_t bytes_to_beat) {
    Numbering numbering;
    std::vector<std::uint64_t> numbers;
    numbers.reserve(words.size());
    for (auto const word : words) {
        std::size_t const number = numbering.number(word);
        if (number == Numbering::limit) return false;
        numbers.push_back(number);
    }
    auto const& distinct = numbering.words();
    std::uint8_t const width = width_of(distinct.size() - 1);
    std::size_t const table = distinct.size() * sizeof(std::uint64_t);
    if (table + width * words.size() >= bytes_to_beat) return false;
    form_ = Form::picks;
    allocate(table + width * words.size());
    distinct_ = static_cast<std::uint16_t>(distinct.size());
    width_ = sizeof(std::uint64_t);
    put_all(0, distinct, 0);
    width_ = width;
    put_all(table, numbers, 0);
    return true;
}

void PackedWords::allocate(std::size_t bytes) {
    data_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
    size_ = static_cast<std::uint32_t>(bytes);
}

template <class T>
void PackedWords::put_of_width(std::size_t at, std::span<std::uint64_t const> words, std::uint64_t base) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        auto const number = static_cast<T>(words[i] - base);
        __builtin_memcpy(data_.get() + at + i * sizeof(T), &number, sizeof(T));
    }
}

void PackedWords::put_all(std::size_t at, std::span<std::uint64_t const> words, std::uint64_t base) {
    switch (width_) {
        case 1:
            return put_of_width<std::uint8_t>(at, words, base);
        case 2:
            return put_of_width<std::uint16_t>(at, words, base);
        case 4:
            return put_of_width<std::uint32_t>(at, words, base);
        default:
            return put_of_width<std::uint64_t>(at, words, base);
    }
}

}  // namespace pimdse::dse::answers
