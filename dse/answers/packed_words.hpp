#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace pimdse::dse::answers {

/// A column of words that changes no more, in the fewest bytes that still give each word at once: nothing where all are
/// equal or count up by one, an index of one or two bytes where few are distinct, an offset from the least where they
/// lie close.
class PackedWords {
  public:
    static constexpr std::size_t most = 65536;

    /// Zero everywhere.
    PackedWords() = default;
    /// At most `most` words.
    explicit PackedWords(std::span<std::uint64_t const> words);

    [[nodiscard]] std::uint64_t operator[](std::size_t i) const {
        switch (form_) {
            case Form::constant:
                return base_;
            case Form::sequence:
                return base_ + i;
            case Form::offsets:
                return base_ + number(0, i);
            case Form::picks:
                break;
        }
        return number_of_width<std::uint64_t>(0,
                                              static_cast<std::size_t>(number(distinct_ * sizeof(std::uint64_t), i)));
    }
    /// What it takes beside the object itself.
    [[nodiscard]] std::size_t bytes() const { return size_; }

  private:
    enum class Form : std::uint8_t { constant, sequence, offsets, picks };

    void pack(std::span<std::uint64_t const> words);
    [[nodiscard]] bool pick(std::span<std::uint64_t const> words, std::size_t bytes_to_beat);
    void allocate(std::size_t bytes);
    /// Puts each word less `base`, in `width_` bytes, from byte `at` on.
    void put_all(std::size_t at, std::span<std::uint64_t const> words, std::uint64_t base);
    template <class T>
    void put_of_width(std::size_t at, std::span<std::uint64_t const> words, std::uint64_t base);

    template <class T>
    [[nodiscard]] std::uint64_t number_of_width(std::size_t at, std::size_t i) const {
        T number;
        __builtin_memcpy(&number, data_.get() + at + i * sizeof(T), sizeof(T));
        return number;
    }
    [[nodiscard]] std::uint64_t number(std::size_t at, std::size_t i) const {
        switch (width_) {
            case 1:
                return number_of_width<std::uint8_t>(at, i);
            case 2:
                return number_of_width<std::uint16_t>(at, i);
            case 4:
                return number_of_width<std::uint32_t>(at, i);
            default:
                return number_of_width<std::uint64_t>(at, i);
        }
    }

    std::uint64_t base_ = 0;
    std::unique_ptr<std::byte[]> data_;  ///< the distinct words of `picks`; then a number of `width_` bytes per word
    std::uint32_t size_ = 0;
    std::uint16_t distinct_ = 0;
    Form form_ = Form::constant;
    std::uint8_t width_ = 0;
};

}  // namespace pimdse::dse::answers
