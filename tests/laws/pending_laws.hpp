#pragma once

#include <array>
#include <string_view>

namespace pimdse::laws {

/// A law that an architecture is known to break, and why that is still so. A row whose law holds fails its test.
struct PendingLaw {
    std::string_view law, architecture, reason;
    bool is_rare = false;  ///< a test run may meet none; the campaign does
};

inline constexpr std::array pending_laws{
    PendingLaw{
        "ttft does not jump", "umdam",
        "prompts are shared at whole blocks of rows only, and a token more may be the first that the NPU's buffer "
        "does not hold: 48 of 470,000 tokens on 34 of 20,439 designs, 9.4 decode steps at most",
        true},
    PendingLaw{
        "a larger request", "umdam",
        "units are chosen by time, prefill before decode. Energy: what takes over where the banks get slower may "
        "draw less (251 of 255,102 larger requests; 75 % less at most, where a row has 32 KiB). Latency: a prefill "
        "in the banks leaves the moving of weights to decode (relayout; 4 of them, 4 % at most)",
        true},
    PendingLaw{"a larger request", "cim_mesh",
               "schedule = searched takes the fastest schedule of those it tries, and another that is as fast to a "
               "percent may "
               "draw less (energy of 1 of 690 larger requests, 0.4 % less)",
               true},
};

inline PendingLaw const* find_pending(std::string_view law, std::string_view architecture) {
    for (auto const& row : pending_laws) {
        if (row.law == law && row.architecture == architecture) return &row;
    }
    return nullptr;
}

}  // namespace pimdse::laws
