#pragma once

#include "sim/base/units.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pimdse::sim::dram {

/// Which command rules a standard follows.
enum class Family : std::uint8_t { lpddr5, ddr4, hbm2 };
inline constexpr std::size_t family_count = 3;

/// What one memory system is made of. Every count is at least 1; banks per channel (ranks * bank_groups * banks) at
/// most 64.
struct Organisation {
    int channels = 1;
    int ranks = 1;        ///< per channel; HBM2: pseudo channels per channel
    int bank_groups = 1;  ///< per rank
    int banks = 1;        ///< per bank group
    int rows = 1;         ///< per bank
    int row_bytes = 1;
    int burst_bytes = 1;    ///< one transaction
    int channel_bits = 16;  ///< data pins of a channel (HBM2: of a pseudo channel)

    auto operator<=>(Organisation const&) const = default;
    [[nodiscard]] int banks_per_rank() const { return bank_groups * banks; }
    [[nodiscard]] int banks_per_channel() const { return ranks * banks_per_rank(); }
    [[nodiscard]] int columns() const { return row_bytes / burst_bytes; }
    [[nodiscard]] double capacity_bytes() const { return 1.0 * channels * banks_per_channel() * rows * row_bytes; }
};

/// Row activations of one rank that a window of nFAW allows.
inline constexpr int activates_per_window = 4;

/// Timing values in clock cycles, named as in the standards. Where a family does not split a value (S = L, read =
/// write) both halves hold the same number.
struct Timing {
    int nBL = 0, nBLmax = 0, nCL = 0, nCWL = 0, nRCDRD = 0, nRCDWR = 0, nRP = 0, nRPab = 0, nRAS = 0, nRC = 0, nWR = 0,
        nRTP = 0;
    int nCCDS = 0, nCCDL = 0, nRRDS = 0, nRRDL = 0, nFAW = 0, nWTRS = 0, nWTRL = 0, nCS = 0;
    int nPPD = 0, nAAD = 0, nWCKPST = 0, nRFC = 0, nREFI = 0, nRFCpb = 0, nREFIpb = 0, nPBR2PBR = 0,
        nPBR2ACT = 0;  ///< nPBR2ACT is HBM2's nRREFD

    [[nodiscard]] int read_latency() const { return nCL + nBL; }
};

/// Energy per command; 0 where a source gives none.
struct CommandEnergy {
    Energy activate;  ///< ACT and the PRE that ends it
    Energy read;      ///< one burst out of the array
    Energy write;
    Energy transfer;  ///< one burst over the pins, either way
    Energy refresh;   ///< one all-bank refresh of one rank
    Energy refresh_bank;
};

/// A DRAM standard as data: what models/dram/<name>.toml says.
struct Standard {
    std::string name;
    std::string source;
    Family family = Family::lpddr5;
    int density_gbit = 0;  ///< of one die as the timing set names it; decides rows and refresh time
    bool has_reference_rows = false;
    double mega_transfers = 0.0;  ///< data rate per pin, MT/s
    Time clock;                   ///< tCK
    Organisation organisation;
    Timing timing;
    CommandEnergy energy;
};

/// Share of time all-bank refresh takes from a saturated stream: of every nREFI cycles, nRFC and what reopening the
/// rows of a rank takes.
[[nodiscard]] double refresh_share(Standard const& standard);

/// The same set with contradictions replaced by what governs (nRC := nRAS + nRP where that is longer): identical
/// timing.
[[nodiscard]] Standard corrected(Standard standard);

/// True if bank groups can be seen in the timing (nCCD, nRRD or nWTR differ within and across groups).
[[nodiscard]] bool groups_matter(Standard const& standard);

/// What a timing set amounts to, and what is wrong with it.
struct Review {
    int effective_row_cycle = 0;        ///< cycles: max(nRC, nRAS + nRP)
    Bandwidth peak;                     ///< from nBL and nCCDS, all channels
    Bandwidth pins;                     ///< from data rate and width, all channels
    Bandwidth refresh_ceiling;          ///< peak less the share all-bank refresh takes
    std::vector<std::string> warnings;  ///< one sentence each, naming the value used
};

/// Reviews a timing set. Throws InputError (every mistake) where it cannot be simulated at all: counts that are not
/// positive, a refresh that never ends (nRFC >= nREFI), more than 64 banks or 8 ranks per channel.
[[nodiscard]] Review review(Standard const& standard);

}  // namespace pimdse::sim::dram
