#pragma once

#include <string>
#include <vector>

namespace pimdse::dse::cli {

/// Rows of cells printed in aligned columns; numbers to the right. The first row is the head.
class TextTable {
  public:
    explicit TextTable(std::vector<std::string> head) { rows_.push_back(std::move(head)); }
    void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
    [[nodiscard]] std::string text() const;
    [[nodiscard]] std::string csv() const;

  private:
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace pimdse::dse::cli
