#include "hybrid_cases.hpp"
#include "sim/dram/family.hpp"
#include "sim/dram/mapping.hpp"
#include "sim/dram/stream.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>

namespace pimdse::sim::dram::test {
namespace {

class Draw {
  public:
    explicit Draw(unsigned seed) : random_(seed) {}
    std::uint64_t upto(std::uint64_t low, std::uint64_t high) { return low + random_() % (high - low + 1); }
    std::uint64_t power(unsigned low, unsigned high) { return std::uint64_t{1} << upto(low, high); }
    bool one_in(std::uint64_t n) { return upto(1, n) == 1; }
    std::mt19937& engine() { return random_; }

  private:
    std::mt19937 random_;
};

/// About `count` requests.
std::string drawn_spec(Draw& draw, std::uint64_t capacity, std::uint64_t burst, std::uint64_t count) {
    switch (draw.upto(0, 9)) {
        case 0:
            return fmt::format("seq:{}", count * burst);
        case 1:
            return fmt::format("rand:{}:{}", count, capacity >> draw.upto(0, 8));
        case 2:
            return fmt::format("stride:{}:{}", burst * draw.power(0, 6), count);
        case 3:
            return fmt::format("stride:{}:{}", burst * draw.upto(1, 100), count);
        case 4:
            return fmt::format("copy:{}:{}:{}", count / 2 * burst,
                               draw.one_in(2) ? capacity / 2 : capacity / 2 / burst / 3 * burst,
                               draw.one_in(2)   ? 0
                               : draw.one_in(2) ? draw.power(2, 12)
                                                : draw.upto(2, 3000));
        case 5:
            return fmt::format("tile:{}:{}:{}:{}", draw.power(2, 8), burst * draw.upto(1, 20),
                               draw.one_in(2) ? "C" : "R", count);
        case 6:
            return fmt::format("seqw:{}", count * burst);
        case 7:
            return fmt::format("utile:{}", count);
        case 8:  // reads of what was just written
            return fmt::format("copy:{}:{}:0", count / 2 * burst, burst * draw.upto(1, 60));
        default:
            return fmt::format("engines:{}:{}", draw.upto(2, 6), count * burst);
    }
}

Standard drawn_standard(Draw& draw, Scale scale) {
    constexpr std::array names{"L5J", "L5B", "L5A", "D4_2400", "D4_3200", "HBM2_2000", "lpddr5x_8533"};
    auto standard = models::load_dram_standard(names[draw.upto(0, names.size() - 1)]);
    auto& o = standard.organisation;
    o.channels = std::min(o.channels, 1 << draw.upto(0, scale == Scale::as_given ? 2 : 1));
    if (scale == Scale::as_given) return standard;
    auto& t = standard.timing;
    t.nRFC = static_cast<int>(draw.upto(60, 120));
    t.nREFI = t.nRFC + static_cast<int>(draw.upto(700, 1600));
    if (t.nREFIpb > 0) t.nREFIpb = t.nRFCpb + static_cast<int>(draw.upto(40, 150));
    return standard;
}

Options drawn_options(Draw& draw, Standard const& standard) {
    Options options;
    if (draw.one_in(20)) options.refresh = RefreshMode::none;
    if (draw.one_in(5) && standard.timing.nREFIpb > 0) options.refresh = RefreshMode::per_bank;
    if (draw.one_in(3)) options.front_end = FrontEnd::independent;
    if (draw.one_in(2)) options.scheduler = Scheduler::frfcfs_row_hit;
    if (draw.one_in(4)) options.queue_depth = static_cast<int>(draw.power(2, 6));
    if (draw.one_in(5)) options.window = static_cast<int>(draw.upto(4, 200));
    if (draw.one_in(6)) options.tries = static_cast<int>(draw.upto(1, 32));
    return options;
}

/// About as many requests as one sample takes: four refresh intervals at the peak rate, and queues full.
std::uint64_t stretch(Standard const& standard, Options const& options) {
    auto const& t = standard.timing;
    auto const& o = standard.organisation;
    auto const interval = static_cast<int>(refresh_round(standard, options.refresh));
    int const ports = o.channels * (standard.family == Family::hbm2 ? o.ranks : 1);
    return static_cast<std::uint64_t>(4 * interval / t.nBL * ports + 8 * options.queue_depth * o.channels + 512);
}

Mapping drawn_mapping(Draw& draw, Organisation const& o) {
    if (draw.one_in(2)) return random_mapping(o, draw.engine());
    auto const names = mapping_names();
    return parse_mapping(names[draw.upto(0, names.size() - 1)], o);
}

}  // namespace

HybridCase hybrid_case(unsigned seed, Scale scale) {
    Draw draw(seed * 2654435761U + 17);
    while (true) {
        auto standard = drawn_standard(draw, scale);
        auto mapping = drawn_mapping(draw, standard.organisation);
        auto const burst = static_cast<std::uint64_t>(standard.organisation.burst_bytes),
                   capacity = std::uint64_t{1} << mapping.address_bits();
        auto const options = drawn_options(draw, standard);
        auto const count = stretch(standard, options) * draw.upto(37, 80);
        auto const spec = drawn_spec(draw, capacity, burst, count);
        auto stream = parse_stream(spec, standard.organisation.burst_bytes);
        if (stream.highest_address() >= capacity) continue;
        auto what =
            fmt::format("{} {} on {} {} x{} refresh {} front {} scheduler {} depth {} window {} tries {}", seed, spec,
                        standard.name, mapping.text(), standard.organisation.channels,
                        static_cast<int>(options.refresh), static_cast<int>(options.front_end),
                        static_cast<int>(options.scheduler), options.queue_depth, options.window, options.tries);
        return {std::move(standard), std::move(mapping), std::move(stream), options, std::move(what)};
    }
}

}  // namespace pimdse::sim::dram::test
