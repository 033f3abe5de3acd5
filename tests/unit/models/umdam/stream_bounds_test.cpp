#include "models/contract/validation.hpp"
#include "models/umdam/parameters.hpp"
#include "models/umdam/streams.hpp"
#include "models/umdam/system.hpp"
#include "shipped.hpp"
#include "tests/support/campaign.hpp"
#include "tests/unit/models/umdam/random_setting.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>

namespace pimdse::models::umdam::stream_bounds_test {
namespace {

using sim::dram::Access;
using testing::printed;
using testing::RandomSetting;

/// Memory, mapping, controller and engines of random points; the rest is out of the way.
testing::Setting only_streams(testing::Setting setting) {
    for (auto const& [name, value] : testing::Setting{
             {"baseline", "npu_only"}, {"ignore_capacity", "true"}, {"npu_buffer", "32 MiB"}, {"llm", "opt-125m"}})
        setting.emplace_back(name, value);
    return setting;
}

struct Held {
    int streams = 0;
    double width = 0.0;  ///< sum of log(high / low)
};

void hold(sim::Bounded const& range, double exact, std::string const& where, Held& held) {
    EXPECT_LE(range.lower, exact) << where;
    EXPECT_GE(range.upper, exact) << where;
    EXPECT_LE(range.lower, range.value) << where;
    EXPECT_LE(range.value, range.upper) << where;
    ++held.streams;
    held.width += std::log(range.upper / range.lower);
}

TEST(StreamBounds, hold_cycles_and_row_activations_of_random_streams) {
    auto const& architecture = shipped_umdam();
    char const* const chosen =
        std::getenv("PIMDSE_UMDAM_SEED");  // NOLINT(concurrency-mt-unsafe): read before any thread starts
    std::uint64_t const seed = chosen == nullptr ? 4 : std::strtoull(chosen, nullptr, 10);
    RandomSetting settings(seed);
    std::mt19937_64 random(seed);
    std::array<Held, 2> held;
    int const streams = tests::draws(2000, 3, 50);
    for (int trial = 0; trial < streams; ++trial) {
        auto const setting = only_streams(settings.next());
        auto table = architecture.parameters();
        auto const point = point_with(table, setting);
        auto const inputs = models::prepare(architecture, table);
        auto const made = make_system(prepared_of(inputs), design_at(inputs, point));
        // one in four long
        double const extent = random() % 4 == 0 ? 21.0 + static_cast<double>(random() % 500) / 100.0
                                                : static_cast<double>(random() % 1600) / 100.0 + 5.0;
        double const bytes = 32.0 * std::floor(std::exp2(extent - 5.0));
        auto const access = random() % 3 == 0 ? Access::write : Access::read;
        if (std::holds_alternative<Infeasible>(made)) continue;
        auto const& d = std::get<System>(made);
        auto const& prepared = prepared_of(inputs);
        auto const run = [&](Fidelity fidelity) {
            return Streams(prepared.streams, prepared.machine, {d.design, d.standard, *d.timing_set, *d.mapping},
                           fidelity)
                .run(bytes, access);
        };
        auto const exact = run(Fidelity::cycle);
        for (auto const fidelity : {Fidelity::analytic}) {
            auto const found = run(fidelity);
            auto const where = [&](char const* what, sim::Bounded const& range, double value) {
                return fmt::format("{} of {} {} B, {}: {} in {} .. {} .. {}\n  {}", what,
                                   access == Access::write ? "write" : "read", bytes, name_of(fidelity), value,
                                   range.lower, range.value, range.upper, printed(setting));
            };
            hold(found.cycles, exact.cycles.value, where("cycles", found.cycles, exact.cycles.value),
                 held[static_cast<std::size_t>(fidelity)]);
            Held row_activations;
            hold(found.row_activations, exact.row_activations.value,
                 where("row activations", found.row_activations, exact.row_activations.value), row_activations);
        }
    }
    for (std::size_t i = 0; i < held.size(); ++i) {
        if (held[i].streams == 0) continue;
        RecordProperty(fmt::format("mean_width_percent_{}", models::fidelity_names[i]),
                       static_cast<int>(100.0 * (std::exp(held[i].width / held[i].streams) - 1.0)));
    }
    EXPECT_GT(held[0].streams, streams / 2);
}

}  // namespace
}  // namespace pimdse::models::umdam::stream_bounds_test
