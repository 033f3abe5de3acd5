#include "sim/dram/standard.hpp"

#include "sim/base/check.hpp"
#include "sim/dram/family.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace pimdse::sim::dram {

double refresh_share(Standard const& standard) {
    auto const& t = standard.timing;
    int const reopen = t.nRP + t.nRCDRD + standard.organisation.banks_per_rank() - 1;
    return static_cast<double>(t.nRFC + reopen) / t.nREFI;
}

Standard corrected(Standard standard) {
    auto& t = standard.timing;
    t.nRC = std::max(t.nRC, t.nRAS + t.nRP);
    return standard;
}

bool groups_matter(Standard const& standard) {
    auto const& t = standard.timing;
    return t.nCCDL > std::max(t.nCCDS, t.nBL) || t.nRRDL > t.nRRDS || t.nBLmax + t.nWTRL > t.nBL + t.nWTRS;
}

namespace {

/// Bandwidth of all channels if a burst takes `cycles`.
Bandwidth rate(Standard const& s, double cycles) {
    double const ports = data_ports(s);
    return Bandwidth{ports * s.organisation.burst_bytes / (cycles * s.clock.si)};
}

double burst_cycles_on_pins(Standard const& s) {
    double const seconds = s.organisation.burst_bytes * 8.0 / s.organisation.channel_bits / (s.mega_transfers * 1e6);
    return seconds / s.clock.si;
}

/// Refreshes of different banks may overlap, as far as nPBR2PBR allows; refreshes of one bank may not.
void refuse_endless_bank_refresh(Standard const& s, std::vector<std::string>& mistakes) {
    auto const& t = s.timing;
    if (t.nPBR2PBR >= t.nREFIpb)
        mistakes.push_back(
            fmt::format("{}: nPBR2PBR = {} >= nREFIpb = {} (refresh would never end)", s.name, t.nPBR2PBR, t.nREFIpb));
    auto const banks = std::int64_t{s.organisation.bank_groups} * s.organisation.banks;
    if (t.nRFCpb >= banks * t.nREFIpb)
        mistakes.push_back(fmt::format("{}: nRFCpb = {} >= nREFIpb of all {} banks = {} (refresh would never end)",
                                       s.name, t.nRFCpb, banks, banks * t.nREFIpb));
}

void refuse_too_many_banks(Standard const& s, std::vector<std::string>& mistakes) {
    auto const& o = s.organisation;
    double const banks = 1.0 * o.ranks * o.bank_groups * o.banks;
    if (banks > 64)
        mistakes.push_back(fmt::format("{}: {:.0f} banks per channel (at most 64 are supported)", s.name, banks));
    if (o.ranks > 8)
        mistakes.push_back(fmt::format("{}: {} ranks per channel (at most 8 are supported)", s.name, o.ranks));
}

void refuse_impossible(Standard const& s) {
    std::vector<std::string> mistakes;
    auto const& o = s.organisation;
    for (auto const& [name, value] : {std::pair{"channels", o.channels},
                                      {"ranks", o.ranks},
                                      {"bank_groups", o.bank_groups},
                                      {"banks", o.banks},
                                      {"rows", o.rows},
                                      {"row_bytes", o.row_bytes},
                                      {"burst_bytes", o.burst_bytes},
                                      {"channel_bits", o.channel_bits},
                                      {"nBL", s.timing.nBL},
                                      {"nCL", s.timing.nCL},
                                      {"nCWL", s.timing.nCWL},
                                      {"nRCD", s.timing.nRCDRD},
                                      {"nRP", s.timing.nRP},
                                      {"nRAS", s.timing.nRAS},
                                      {"nREFI", s.timing.nREFI}}) {
        if (value < 1) mistakes.push_back(fmt::format("{}: {} = {} (it must be at least 1)", s.name, name, value));
    }
    if (!(s.clock.si > 0.0))
        mistakes.push_back(fmt::format("{}: the clock period is {} s (it must be positive)", s.name, s.clock.si));
    refuse_too_many_banks(s, mistakes);
    if (o.channels > 256)
        mistakes.push_back(fmt::format("{}: {} channels (at most 256 are supported)", s.name, o.channels));
    if (o.burst_bytes > o.row_bytes)
        mistakes.push_back(
            fmt::format("{}: a burst of {} B is larger than a row of {} B", s.name, o.burst_bytes, o.row_bytes));
    if (s.timing.nRFC >= s.timing.nREFI)
        mistakes.push_back(fmt::format("{}: nRFC = {} >= nREFI = {} (refresh would never end)", s.name, s.timing.nRFC,
                                       s.timing.nREFI));
    if (s.timing.nREFIpb > 0) refuse_endless_bank_refresh(s, mistakes);
    if (!mistakes.empty()) throw InputError(mistakes);
}

void warn_about_bursts(Standard const& s, Review& review) {
    if (s.mega_transfers <= 0.0) return;
    double const pins = burst_cycles_on_pins(s);
    if (std::abs(pins - s.timing.nBL) > 0.02 * pins) {
        review.warnings.push_back(
            fmt::format("{}: a burst of {} B takes {:.3g} cycles at {:.0f} MT/s on {} pins but nBL = {} (peak {:.1f} "
                        "GB/s of the pins' "
                        "{:.1f}). nBL = {} is used",
                        s.name, s.organisation.burst_bytes, pins, s.mega_transfers, s.organisation.channel_bits,
                        s.timing.nBL, review.peak.si / 1e9, review.pins.si / 1e9, s.timing.nBL));
    }
    auto const& family = row_of(s.family);
    bool const wants_groups = family.groups_needed_above > 0.0 && s.mega_transfers > family.groups_needed_above;
    if (wants_groups && s.timing.nCCDL == s.timing.nCCDS) {
        review.warnings.push_back(
            fmt::format("{}: nCCD is the same within and across bank groups, but {} above {:.0f} MT/s needs bank "
                        "groups. nCCDL = {} is used",
                        s.name, family.name, family.groups_needed_above, s.timing.nCCDL));
    }
}

void warn_about_rows(Standard const& s, Review& review) {
    auto const& t = s.timing;
    if (t.nRC < t.nRAS + t.nRP) {
        review.warnings.push_back(fmt::format("{}: nRC = {} is shorter than nRAS + nRP = {} + {} = {}. {} is used",
                                              s.name, t.nRC, t.nRAS, t.nRP, t.nRAS + t.nRP, t.nRAS + t.nRP));
    }
    if (t.nRAS < t.nRCDRD)
        review.warnings.push_back(
            fmt::format("{}: nRAS = {} is shorter than nRCD = {}. Both are used as given", s.name, t.nRAS, t.nRCDRD));
    if (t.nCCDS < t.nBL)
        review.warnings.push_back(fmt::format("{}: nCCDS = {} is shorter than the burst, nBL = {}. {} is used", s.name,
                                              t.nCCDS, t.nBL, t.nBL));
}

}  // namespace

Review review(Standard const& standard) {
    refuse_impossible(standard);
    auto const& t = standard.timing;
    Review review;
    review.effective_row_cycle = std::max(t.nRC, t.nRAS + t.nRP);
    review.peak = rate(standard, std::max(t.nBL, t.nCCDS));
    review.pins = standard.mega_transfers > 0.0 ? rate(standard, burst_cycles_on_pins(standard)) : review.peak;
    review.refresh_ceiling = review.peak * (1.0 - refresh_share(standard));
    warn_about_bursts(standard, review);
    warn_about_rows(standard, review);
    return review;
}

}  // namespace pimdse::sim::dram
