#include "sim/pim/bank_units.hpp"

#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::sim::pim {

void review(BankUnits const& units) {
    auto const& s = units.sizes;
    auto const& t = units.timing;
    std::vector<std::string> mistakes;
    std::vector<std::pair<std::string_view, std::int64_t>> const counts{
        {"the number of banks", s.banks},
        {"the number of banks of a unit", s.banks_per_unit},
        {"the word", s.word_bytes},
        {"the row", s.row_bytes},
        {"the operand buffer", s.buffer_bytes},
        {"the number of sums", s.sums},
        {"the size of a sum", s.sum_bytes},
        {"the interval of MACs", t.mac_interval},
        {"the interval of buffer writes", t.buffer_write},
        {"the interval of sums written", t.sum_write},
        {"the interval of sums read", t.sum_read}};
    for (auto const& [what, count] : counts)
        if (count < 1) mistakes.push_back(fmt::format("{} is {} (at least 1 is needed)", what, count));
    if (!mistakes.empty()) throw InputError(mistakes);
    if (s.banks % s.banks_per_unit != 0)
        mistakes.push_back(
            fmt::format("{} banks cannot be shared by units of {} banks each", s.banks, s.banks_per_unit));
    if (s.row_bytes % s.word_bytes != 0)
        mistakes.push_back(
            fmt::format("a row of {} bytes is not a multiple of the word of {} bytes", s.row_bytes, s.word_bytes));
    auto const needed = t.refresh_time + t.precharge + t.activate_to_mac + t.mac_to_precharge + t.mode_change;
    if (t.refresh_interval != 0 && t.refresh_interval <= needed)
        mistakes.push_back(
            fmt::format("refresh would never end (an interval of {} cycles; the refresh and opening the "
                        "row again take {})",
                        t.refresh_interval, needed));
    if (!(t.clock.si > 0.0)) mistakes.emplace_back("the clock has no period");
    if (!mistakes.empty()) throw InputError(mistakes);
}

}  // namespace pimdse::sim::pim
