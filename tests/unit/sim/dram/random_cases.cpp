#include "random_cases.hpp"

#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <numeric>

namespace pimdse::sim::dram::test {
namespace {

int draw(std::mt19937& random, int lower, int upper) {
    return lower + static_cast<int>(random() % static_cast<unsigned>(upper - lower + 1));
}

Timing drawn_timing(Timing t, Family family, std::mt19937& random) {
    for (auto const field : {&Timing::nCL, &Timing::nCWL, &Timing::nRCDRD, &Timing::nRCDWR, &Timing::nRP,
                             &Timing::nRPab, &Timing::nRAS, &Timing::nRC, &Timing::nWR, &Timing::nRTP, &Timing::nRRDS,
                             &Timing::nRRDL, &Timing::nFAW, &Timing::nWTRS, &Timing::nWTRL}) {
        t.*field = draw(random, 2, 40);
    }
    t.nBL = draw(random, 1, 4);
    t.nBLmax = t.nBL + draw(random, 0, 3);
    t.nCCDS = draw(random, 1, 5);
    t.nCCDL = t.nCCDS + draw(random, 0, 3);
    t.nCS = draw(random, 1, 3);
    t.nRFC = draw(random, 20, 150);
    t.nREFI = t.nRFC + draw(random, 250, 900);
    if (family == Family::lpddr5) {
        t.nAAD = draw(random, 1, 10);
        t.nPPD = draw(random, 1, 4);
        t.nWCKPST = draw(random, 0, 4);
        t.nPBR2PBR = draw(random, 10, 60);
    }
    if (row_of(family).refreshes_banks) {
        t.nRFCpb = draw(random, 10, 60);
        t.nPBR2ACT = draw(random, 1, 10);
        t.nREFIpb = 70 + draw(random, 150, 400);
    }
    return t;
}

std::vector<Transaction> drawn_stream(std::mt19937& random, std::uint64_t capacity, std::uint64_t burst,
                                      std::size_t length) {
    std::vector<Transaction> out;
    int const kind = draw(random, 0, 4);
    int const write_share = draw(random, 0, 2) * draw(random, 0, 50);
    std::uint64_t const hot =
        burst << draw(random, 0, 12);  // a few distinct rows: conflicts, forwarding and coalescing
    std::uint64_t const stride =
        burst * (std::uint64_t{1} << draw(random, 0, 14)) + (draw(random, 0, 1) != 0 ? burst : 0);
    for (std::size_t i = 0; i < length; ++i) {
        std::uint64_t address = 0;
        if (kind == 0) address = burst * i;
        if (kind == 1) address = stride * i;
        if (kind == 2) address = burst * (random() % (capacity / burst));
        if (kind == 3) address = hot * (random() % 64);
        if (kind == 4) address = (i % 2 == 0 ? burst * i / 2 : capacity / 2 + stride * i);
        out.push_back(
            {address % capacity / burst * burst, draw(random, 0, 99) < write_share ? Access::write : Access::read});
    }
    return out;
}

}  // namespace

Mapping random_mapping(Organisation const& o, std::mt19937& random) {
    auto const bits = [](int count) { return std::countr_zero(static_cast<unsigned>(count)); };
    std::array<int, field_count> const widths{bits(o.channels), bits(o.ranks), bits(o.bank_groups),
                                              bits(o.banks),    bits(o.rows),  bits(o.columns())};
    while (true) {
        std::vector<std::uint64_t> address_bits(
            static_cast<std::size_t>(std::accumulate(widths.begin(), widths.end(), 0)));
        int const offset = bits(o.burst_bytes);
        for (std::size_t i = 0; i < address_bits.size(); ++i)
            address_bits[i] = std::uint64_t{1} << (static_cast<std::size_t>(offset) + i);
        auto const shuffled = address_bits.size() - static_cast<std::size_t>(draw(random, 0, widths[4]));
        std::shuffle(address_bits.begin(), address_bits.begin() + static_cast<std::ptrdiff_t>(shuffled), random);
        Mapping::Masks masks;
        std::size_t at = 0;
        for (auto const field : {Field::channel, Field::rank, Field::group, Field::bank, Field::column, Field::row}) {
            for (int i = 0; i < widths[static_cast<std::size_t>(field)]; ++i)
                masks[static_cast<std::size_t>(field)].push_back(address_bits[at++]);
        }
        for (int term = draw(random, 0, 4); term > 0; --term) {
            auto& target = masks[random() % 4];
            if (!target.empty()) target[random() % target.size()] ^= address_bits[random() % address_bits.size()];
        }
        try {
            return Mapping::from_masks(masks, offset, o);
        } catch (InputError const&) {
            continue;  // singular: draw again
        }
    }
}

RandomCase random_case(std::string const& name, unsigned seed, Timings timings, std::size_t length) {
    std::mt19937 random(seed * 7919U + static_cast<unsigned>(name.size()));
    auto standard = models::load_dram_standard(name);
    auto& o = standard.organisation;
    o.channels = 1 << draw(random, 0, 2);
    o.rows = 64;
    if (standard.family == Family::lpddr5) o.ranks = draw(random, 1, 4) == 1 ? 2 : 1;
    // Frequent refreshes, so that even short streams contain many.
    standard.timing.nREFI = standard.timing.nRFC + 500;
    if (row_of(standard.family).refreshes_banks) standard.timing.nREFIpb = standard.timing.nRFCpb + 150;
    if (timings == Timings::drawn) standard.timing = drawn_timing(standard.timing, standard.family, random);
    auto mapping = random_mapping(o, random);
    auto transactions = drawn_stream(random, std::uint64_t{1} << mapping.address_bits(),
                                     static_cast<std::uint64_t>(o.burst_bytes), length);
    Options options;
    options.refresh = static_cast<RefreshMode>(draw(random, 0, 2));
    if (!row_of(standard.family).refreshes_banks && options.refresh == RefreshMode::per_bank)
        options.refresh = RefreshMode::all_bank;
    options.scheduler = static_cast<Scheduler>(draw(random, 0, 1));
    if (draw(random, 0, 2) == 0) options.queue_depth = draw(random, 1, 40);
    if (draw(random, 0, 2) == 0) options.window = draw(random, 1, 80);
    if (draw(random, 0, 2) == 0) options.tries = draw(random, 1, 40);
    auto what = fmt::format("{} seed {} mapping {} depth {} window {} tries {} refresh {} scheduler {}", name, seed,
                            mapping.text(), options.queue_depth, options.window, options.tries,
                            static_cast<int>(options.refresh), static_cast<int>(options.scheduler));
    return {std::move(standard), std::move(mapping), std::move(transactions), options, std::move(what)};
}

}  // namespace pimdse::sim::dram::test
