#pragma once

#include "dse/answers/packed_words.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace pimdse::dse::answers {

/// Words that come one by one, packed 4096 at a time. A copy shares what is packed.
class PackedColumn {
  public:
    void push_back(std::uint64_t word) {
        open_.push_back(word);
        if (open_.size() < rows_per_block) return;
        full_.push_back(std::make_shared<PackedWords const>(open_));
        open_.clear();
    }
    [[nodiscard]] std::uint64_t operator[](std::size_t row) const {
        std::size_t const block = row / rows_per_block;
        return block < full_.size() ? (*full_[block])[row % rows_per_block] : open_[row % rows_per_block];
    }
    [[nodiscard]] std::size_t size() const { return full_.size() * rows_per_block + open_.size(); }

  private:
    static constexpr std::size_t rows_per_block = 4096;
    std::vector<std::shared_ptr<PackedWords const>> full_;
    std::vector<std::uint64_t> open_;
};

}  // namespace pimdse::dse::answers
