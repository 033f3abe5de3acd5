#include "tests/unit/models/dplena/random_designs.hpp"

#include "models/dplena/parameters.hpp"
#include "tests/support/campaign.hpp"

#include <fmt/format.h>

namespace support {

using namespace pimdse::models;
using namespace pimdse::models::dplena;

std::string told(Design const& d) {
    return fmt::format(
        "mode {} vlen {} prefetch {} batch {} length {} vocab {} steps {} of them in memory {} preload {} chunk {} "
        "block {} channels {} bus "
        "{} refresh {} "
        "overlap {} "
        "buffers {} outstanding {} passes {} loop {} lanes {}",
        static_cast<int>(d.mode), d.vlen, d.prefetch, d.batch, d.block_length, d.vocab, d.steps, d.steps_in_memory(),
        d.preload, d.v_chunk, d.mx_block, d.channels, static_cast<int>(d.bus), static_cast<int>(d.refresh),
        static_cast<int>(d.overlap), d.buffers, d.outstanding, static_cast<int>(d.passes),
        static_cast<int>(d.loop_hardware), d.exp_lanes);
}

namespace {

Design random_design(Rng& rng, Kind kind) {
    auto d = support::design({});
    d.mode = rng.below(2) == 0 ? Mode::performance : Mode::edge;
    d.vlen = 64 << rng.below(7);
    d.prefetch = 1 << rng.below(5);
    d.batch = 1 << rng.below(5);
    d.block_length = 8 << rng.below(4);
    d.steps = 1 << rng.below(3);
    d.preload = 1 << rng.below(2);
    d.mx_block = 8 << rng.below(3);
    d.channels = 8 << rng.below(4);
    d.bus = rng.below(2) == 0 ? Bus::compat : Bus::corrected;
    d.step_logits = d.steps == 2 ? StepLogits::overwrite : StepLogits::apart;
    d.vocab = rng.below(2) == 0 ? 126976 : 512 * (1 + rng.below(200));
    d.chunk_is_given = d.mode == Mode::edge;
    d.v_chunk = d.chunk_is_given ? d.vlen * d.prefetch * (1 + rng.below(8)) : d.vocab;
    d.loop_hardware = rng.below(3) == 0 ? LoopHardware::on : LoopHardware::off;
    d.exp_lanes = d.vlen >> rng.below(4);
    d.passes = rng.below(3) == 0 ? Passes::one : Passes::two;
    if (kind == Kind::overlapped || kind == Kind::everything) {
        d.overlap = static_cast<Overlap>(1 + rng.below(3));
        d.buffers = 1 + rng.below(4);
        d.outstanding = rng.below(3) == 0 ? 1 + rng.below(4) : 1;
    }
    if (kind == Kind::refreshing || (kind == Kind::everything && rng.below(2) == 0)) d.refresh = Refresh::on;
    d.sram_limit = std::int64_t{1} << 40;
    return d;
}

}  // namespace

void for_random_designs(std::uint64_t seed, int count, Kind kind,
                        std::function<void(Design const&, Program const&)> const& check, Sizes const& sizes) {
    Rng rng(seed);
    for (int i = 0; i < pimdse::tests::draws(count, 5);) {
        auto const design = random_design(rng, kind);
        if (dplena::broken_rule(design, prepared())) continue;
        Program const program(design, machine().costs);
        if (program.prefetches() < sizes.min_prefetches || program.prefetches() > sizes.max_prefetches) continue;
        if (program.total().sum() > sizes.max_cycles) continue;
        check(design, program);
        ++i;
    }
}

}  // namespace support
