#pragma once

#include "sim/base/units.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pimdse::sim::dram {

/// DRAM family: selects the command rules.
enum class Family : std::uint8_t { lpddr5, ddr4, hbm2, gddr6 };
inline constexpr std::size_t family_count = 4;

/// Organisation of a memory system. Every count is at least 1; at most 64 banks per channel.
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

/// Maximum row activations of a rank within nFAW.
inline constexpr int activations_per_window = 4;

/// Timing values in clock cycles, with the names of the standards. If a family does not distinguish the two values of a
/// pair (S and L, read and write), both are equal.
struct Timing {
    int nBL = 0, nBLmax = 0, nCL = 0, nCWL = 0, nRCDRD = 0, nRCDWR = 0, nRP = 0, nRPab = 0, nRAS = 0, nRC = 0, nWR = 0,
        nRTP = 0;
    int nCCDS = 0, nCCDL = 0, nRRDS = 0, nRRDL = 0, nFAW = 0, nWTRS = 0, nWTRL = 0, nCS = 0;
    int nPPD = 0, nAAD = 0, nWCKPST = 0, nRFC = 0, nREFI = 0, nRFCpb = 0, nREFIpb = 0, nPBR2PBR = 0,
        nPBR2ACT = 0;  ///< nPBR2ACT is HBM2's nRREFD

    [[nodiscard]] int read_latency() const { return nCL + nBL; }
};

/// Energy per command; 0 if no source gives it.
struct CommandEnergy {
    Energy activate;  ///< ACT and the PRE that ends it
    Energy read;      ///< one burst out of the array
    Energy write;
    Energy transfer;  ///< one burst over the pins, either way
    Energy refresh;   ///< one all-bank refresh of one rank
    Energy refresh_bank;
};

/// A timing set: a DRAM standard as data, read from models/dram/<name>.toml.
struct Standard {
    std::string name;
    std::string source;
    Family family = Family::lpddr5;
    int density_gbit = 0;  ///< per die; decides rows and refresh time
    bool has_reference_rows = false;
    double mega_transfers = 0.0;  ///< data rate per pin, MT/s
    Time clock;                   ///< tCK
    Organisation organisation;
    Timing timing;
    CommandEnergy energy;
};

/// Fraction of time that all-bank refresh takes from a saturated stream: nRFC and reopening the rows of a rank, per
/// nREFI.
[[nodiscard]] double refresh_share(Standard const& standard);

/// The timing set with nRC raised to nRAS + nRP if that is longer. Its timing is identical.
[[nodiscard]] Standard corrected(Standard standard);

/// True if bank groups affect timing: nCCD, nRRD or nWTR differ within and across groups.
[[nodiscard]] bool groups_matter(Standard const& standard);

/// Derived figures of a timing set, and warnings.
struct Review {
    int effective_row_cycle = 0;        ///< cycles: max(nRC, nRAS + nRP)
    Bandwidth peak;                     ///< from nBL and nCCDS, all channels
    Bandwidth pins;                     ///< from data rate and width, all channels
    Bandwidth refresh_ceiling;          ///< peak minus the part that all-bank refresh takes
    std::vector<std::string> warnings;  ///< one sentence each, with the value used
};

/// Reviews a timing set. Throws InputError with every mistake if it cannot be simulated: counts that are not positive,
/// a refresh that would never end (nRFC >= nREFI), more than 64 banks or 8 ranks per channel.
[[nodiscard]] Review review(Standard const& standard);

}  // namespace pimdse::sim::dram
