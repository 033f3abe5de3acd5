#include "models/dplena/hbm/logit_stream.hpp"

#include "models/dplena/hbm/address.hpp"
#include "models/dplena/program/blocks.hpp"
#include "sim/base/counting.hpp"

#include <numeric>

namespace pimdse::models::dplena {
namespace {

/// Elements of a byte, or of two.
std::int64_t elements_together(Fetching const& fetching) { return 8 / fetching.element_bits; }

/// Bytes after which addresses meet the same banks again, and elements whose data do.
std::int64_t row_span(Fetching const& fetching) { return std::int64_t{1} << AddressMap(fetching.channels).row_shift(); }
std::int64_t data_span(Fetching const& fetching) { return row_span(fetching) * elements_together(fetching); }

bool in_turn(Design const& d) { return d.overlap == Overlap::none || (d.buffers == 1 && d.outstanding == 1); }

}  // namespace

std::int64_t LogitStream::period(Fetching const& fetching) const {
    auto const span = row_span(fetching) * std::lcm(elements_together(fetching), fetching.mx_block);
    return span / std::gcd(stride, span) * per_unit();
}

LogitStream LogitStream::endless(Fetching const& fetching) const {
    constexpr std::int64_t far_away = std::int64_t{1} << 40;  // addresses have 32 bits
    auto stream = *this;
    stream.units = 0;
    stream.scales = scales % data_span(fetching) + far_away;
    return stream;
}

LogitStream stream_of(Program const& program) {
    auto const& d = program.design();
    LogitStream s;
    s.width = d.prefetch * d.vlen;
    s.scales = d.logits();
    if (d.mode == Mode::performance) {
        s.stride = d.preload * d.block_length * d.vocab;
        s.fetched = program.prefetches_per_preload() * s.width;
        s.units = program.preloads();
    } else {
        s.stride = d.vocab;
        s.fetched = d.chunks_per_row() * d.v_chunk;
        s.repeats = program.fetches_per_chunk();
        s.units = program.preloads() == 0 ? 0 : d.rows();
    }
    if (s.fetched == s.stride && s.repeats == 1) {
        s.units = s.count();
        s.stride = s.fetched = s.width;
    }
    return s;
}

Gaps gaps_of(Program const& program) {
    auto const& d = program.design();
    if (d.refresh == Refresh::off || !in_turn(d) || program.preloads() == 0) return {};
    auto const phases = Blocks(program).phases();
    auto const fetches = program.prefetch_bumps(program.prefetches_per_preload() - 1).sum();
    auto const gap = [&](std::size_t i) {
        return sim::whole_part(phases[i].work / static_cast<double>(phases[i].blocks)) - fetches;
    };
    auto const two = phases.size() > 1;
    return {.within_preload = program.prefetch_bumps(1).sum(),
            .between_preloads = {gap(0), gap(two ? 1 : 0)},
            .prefetches_per_preload = program.prefetches_per_preload(),
            .preloads_per_pass = two ? d.chunks_per_row() : 1};
}

}  // namespace pimdse::models::dplena
