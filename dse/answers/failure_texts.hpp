#pragma once

#include "dse/answers/slot_table.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::dse::answers {

/// Why points failed: each pair of rule and reason once, by number from 0. A copy shares all but the last thousand.
class FailureTexts {
  public:
    FailureTexts() = default;
    FailureTexts(FailureTexts&&) noexcept = default;
    FailureTexts& operator=(FailureTexts&&) noexcept = default;
    /// The copy's table for add() is made when it is needed.
    FailureTexts(FailureTexts const& other) : full_(other.full_), last_(other.last_) {}
    FailureTexts& operator=(FailureTexts const& other) { return *this = FailureTexts(other); }
    ~FailureTexts() = default;

    /// The number of this pair, which may be new.
    std::uint32_t add(std::string_view rule, std::string_view reason);
    [[nodiscard]] std::string_view rule(std::uint32_t number) const { return entry(number).rule(); }
    /// Valid until the next add(), as rule() is.
    [[nodiscard]] std::string_view reason(std::uint32_t number) const { return entry(number).reason(); }
    [[nodiscard]] std::size_t size() const { return full_.size() * per_chunk + last_.size(); }

  private:
    static constexpr std::size_t per_chunk = 1024;
    struct Entry {
        std::string text;  ///< rule and reason
        std::uint32_t rule_size = 0;
        [[nodiscard]] std::string_view rule() const { return std::string_view(text).substr(0, rule_size); }
        [[nodiscard]] std::string_view reason() const { return std::string_view(text).substr(rule_size); }
    };
    using Chunk = std::vector<Entry>;

    [[nodiscard]] Entry const& entry(std::uint32_t number) const {
        std::size_t const chunk = number / per_chunk;
        return chunk < full_.size() ? (*full_[chunk])[number % per_chunk] : last_[number % per_chunk];
    }
    [[nodiscard]] std::uint64_t hash_of(std::uint32_t number) const;

    std::vector<std::shared_ptr<Chunk const>> full_;
    Chunk last_;
    SlotTable known_;
};

}  // namespace pimdse::dse::answers
