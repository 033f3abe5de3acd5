#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace pimdse::dse::cli {

/// Rows of cells printed in aligned columns; numbers to the right. The first row is the head.
class TextTable {
  public:
    explicit TextTable(std::vector<std::string> head) { rows_.push_back(std::move(head)); }
    void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
    /// `width`: of the screen; 0: any. What is wider has its last column broken between words if that is prose, or else
    /// comes in parts, one below the other, each with the first column.
    [[nodiscard]] std::string text(std::size_t width = 0) const;
    [[nodiscard]] std::string csv() const;

  private:
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace pimdse::dse::cli
