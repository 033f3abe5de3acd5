#include "dse/cli/text_table.hpp"

#include "sim/base/csv.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>

namespace pimdse::dse::cli {
namespace {

bool looks_numeric(std::string const& cell) {
    return !cell.empty() &&
           (std::isdigit(static_cast<unsigned char>(cell[0])) != 0 || (cell.size() > 1 && cell[0] == '-'));
}

}  // namespace

std::string TextTable::text() const {
    std::vector<std::size_t> widths;
    std::vector<bool> numeric;
    for (auto const& row : rows_) {
        widths.resize(std::max(widths.size(), row.size()), 0);
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    for (std::size_t i = 0; i < widths.size(); ++i) {
        numeric.push_back(rows_.size() > 1 && std::all_of(rows_.begin() + 1, rows_.end(), [&](auto const& row) {
                              return i < row.size() && looks_numeric(row[i]);
                          }));
    }
    std::string text;
    for (auto const& row : rows_) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i)
            line +=
                numeric[i] ? fmt::format("{:>{}}  ", row[i], widths[i]) : fmt::format("{:<{}}  ", row[i], widths[i]);
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

std::string TextTable::csv() const {
    std::string text;
    for (auto const& row : rows_) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (i > 0) text += ',';
            text += sim::csv_cell(row[i]);
        }
        text += '\n';
    }
    return text;
}

}  // namespace pimdse::dse::cli
