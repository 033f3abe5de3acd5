// What each allowance of models/umdam/constants.toml is for: random streams at cycle level, and how many
// of them leave the interval of a coarse fidelity when the allowance is set to what it would be if it allowed for
// nothing.
//
//   bench_umdam_allowances [STREAMS [SEED]]

#include "models/contract/validation.hpp"
#include "models/umdam/parameters.hpp"
#include "models/umdam/system.hpp"
#include "tests/unit/models/umdam/random_setting.hpp"
#include "tests/unit/models/umdam/shipped.hpp"

#include <fmt/format.h>
#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

namespace pimdse::models::umdam {
namespace {

using sim::Bounded;
using sim::dram::Access;

/// A way of having no allowance.
struct Without {
    char const* name;
    void (*change)(MachineConstants&);
};

constexpr std::array stream_rows{
    Without{"(as they are)", [](MachineConstants&) {}},
    Without{"plateau_run = 4", [](MachineConstants& m) { m.streams.plateau_run = 4; }},
    Without{"plateau_depth = 1", [](MachineConstants& m) { m.streams.plateau_depth = 1; }},
    Without{"plateau_banks = 1", [](MachineConstants& m) { m.streams.plateau_banks = 1; }},
    Without{"plateau_slow = 1", [](MachineConstants& m) { m.streams.plateau_slow = 1; }},
    Without{"plateau_refresh_per_bank = 0", [](MachineConstants& m) { m.streams.plateau_refresh_per_bank = 0; }},
    Without{"group_run_overlap = 0", [](MachineConstants& m) { m.streams.group_run_overlap = 0; }},
    Without{"row_reactivations = 1", [](MachineConstants& m) { m.streams.row_reactivations = 1; }},
    Without{"engine_slow = 1", [](MachineConstants& m) { m.streams.engine_slow = 1; }},
    Without{"engine_activations = 1", [](MachineConstants& m) { m.streams.engine_activations = 1; }},
    Without{"stream_slow = 1", [](MachineConstants& m) { m.streams.stream_slow = 1; }},
    Without{"write_drain = 0", [](MachineConstants& m) { m.streams.write_drain = 0; }},
    Without{"refresh_per_bank = 0", [](MachineConstants& m) { m.streams.refresh_per_bank = 0; }},
    Without{"refresh_max = 0.5", [](MachineConstants& m) { m.streams.refresh_max = 0.5; }},
    Without{"refresh_end = 0", [](MachineConstants& m) { m.streams.refresh_end = 0; }},
    Without{"stream_end = 0", [](MachineConstants& m) { m.streams.stream_end = 0; }},
    Without{"activations_per_burst = 1", [](MachineConstants& m) { m.streams.activations_per_burst = 1; }},
    Without{"row_hit_activations = 1", [](MachineConstants& m) { m.streams.row_hit_activations = 1; }},
    Without{"frfcfs_activations = 1", [](MachineConstants& m) { m.streams.frfcfs_activations = 1; }}};
struct Held {
    int of = 0, cycles = 0, row_activations = 0;  ///< those that left
    double worst = 0.0, off = 0.0;                ///< most by which cycles left; sum of |log(value / exact)|

    void add(Bounded const& found, double exact, Bounded const& opened, double row_activations_exact) {
        ++of;
        auto const out = [](Bounded const& b, double x) {
            return x < b.lower * (1 - 1e-12) || x > b.upper * (1 + 1e-12);
        };
        cycles += out(found, exact) ? 1 : 0;
        row_activations += out(opened, row_activations_exact) ? 1 : 0;
        worst = std::max({worst, exact / found.upper - 1.0, found.lower / exact - 1.0});
        off += std::abs(std::log(found.value / exact));
    }
};

template <std::size_t count>
void print(char const* title, std::array<Without, count> const& rows, std::array<Held, count> const& held) {
    fmt::print("{}\n{:34} {:>6} {:>12} {:>14} {:>8} {:>11}\n", title, "", "of", "leave: time", "leave: activations",
               "by most", "mean error");
    for (std::size_t i = 0; i < count; ++i) {
        auto const& h = held[i];
        fmt::print("{:34} {:6} {:12} {:14} {:7.2f} % {:9.2f} %\n", rows[i].name, h.of, h.cycles, h.row_activations,
                   100 * h.worst, 100 * h.off / std::max(1, h.of));
    }
}

struct Drawn {
    Inputs inputs;
    System system;
    [[nodiscard]] Prepared const& prepared() const { return prepared_of(inputs); }
};

std::optional<Drawn> draw(testing::RandomSetting& settings, testing::Setting const& more) {
    auto setting = settings.next();
    setting.insert(setting.end(), more.begin(), more.end());
    auto const& architecture = shipped_umdam();
    auto table = architecture.parameters();
    auto const point = point_with(table, setting);
    auto inputs = models::prepare(architecture, table);
    auto made = make_system(prepared_of(inputs), design_at(inputs, point));
    if (!std::holds_alternative<System>(made)) return std::nullopt;
    return Drawn{std::move(inputs), std::get<System>(std::move(made))};
}

StreamRun run(Drawn const& d, MachineConstants const& constants, Fidelity fidelity, double bytes, Access access) {
    StreamMemory const memory;
    auto const& s = d.system;
    return Streams(memory, constants, {s.design, s.standard, *s.timing_set, *s.mapping}, fidelity).run(bytes, access);
}

template <std::size_t count>
void hold_streams(char const* title, std::array<Without, count> const& rows, int streams, std::uint64_t seed,
                  double shortest) {
    testing::RandomSetting settings(seed);
    std::mt19937_64 random(seed);
    std::array<Held, count> held;
    for (int trial = 0; trial < streams; ++trial) {
        auto const d =
            draw(settings, {{"baseline", "npu_only"}, {"ignore_capacity", "true"}, {"npu_buffer", "32 MiB"}});
        double const extent = shortest + static_cast<double>(random() % 1000) / 1000.0 * (24.0 - shortest);
        double const bytes = 32.0 * std::floor(std::exp2(extent - 5.0));
        auto const access = random() % 3 == 0 ? Access::write : Access::read;
        if (!d) continue;
        auto const exact = run(*d, d->prepared().machine, Fidelity::cycle, bytes, access);
        for (std::size_t i = 0; i < count; ++i) {
            auto constants = d->prepared().machine;
            rows[i].change(constants);
            auto const found = run(*d, constants, Fidelity::analytic, bytes, access);
            held[i].add(found.cycles, exact.cycles.value, found.row_activations, exact.row_activations.value);
        }
    }
    print(title, rows, held);
}

}  // namespace
}  // namespace pimdse::models::umdam

int main(int argc, char** argv) {
    using namespace pimdse::models;
    int const streams = argc > 1 ? std::atoi(argv[1]) : 1000;
    std::uint64_t const seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    umdam::hold_streams("streams, analytic", umdam::stream_rows, streams, seed, 5.0);
}
