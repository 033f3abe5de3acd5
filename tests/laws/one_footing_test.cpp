#include "law_count.hpp"
#include "models/contract/assumptions.hpp"
#include "models/contract/constants.hpp"
#include "models/contract/technology.hpp"
#include "models/contract/toml_file.hpp"
#include "served_points.hpp"
#include "written_file.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <memory>

/// Machines of one comparison stand on one technology, one host and one view, and count power and silicon alike.
namespace pimdse::laws::one_footing_test {
namespace {

using models::Architecture;
using models::Assumptions;

class OneFooting : public ::testing::TestWithParam<Architecture const*> {};
/// All machines, shipped files included.
class OneTechnology : public ::testing::TestWithParam<Architecture const*> {};
/// Machines with on-chip memory of a logic process.
class OnChipMemory : public ::testing::TestWithParam<Architecture const*> {};

/// Rows of technology.toml that a machine must take its figures from, and a metric that shows it; machines that are
/// not named have no such unit or are products of which only the whole is published.
struct SharedRow {
    std::string_view row;
    std::string_view metric;
    std::vector<std::string_view> architectures;
};

std::vector<SharedRow> const& shared_rows() {
    static std::vector<SharedRow> const rows{
        {"sram_leakage", "idle_power", {"umdam", "dplena", "cim_mesh", "lpddr5x_pim"}},
        {"mac_fp16", "energy", {"umdam", "lpddr5x_pim", "tpu_v4i", "tpu_v4i_unfused"}},
        {"mac_int8", "energy", {"cim_mesh"}},
        {"mac_fp8", "energy", {"dplena"}},  // its default; 4 and 16 bits are settings
        {"sram_access_1mib", "energy", {"umdam", "dplena"}},
        {"sram_access_32kib", "energy", {"umdam", "cim_mesh"}},
        {"sram_access_8mib", "energy", {"umdam", "lpddr5x_pim", "tpu_v4i", "tpu_v4i_unfused"}},
        {"vector_operation", "energy", {"umdam", "hbm_pim", "lpddr5x_pim", "tpu_v4i", "tpu_v4i_unfused"}},
        {"adc_conversion", "energy", {"cim_mesh"}},
        {"mac_area_fp16", "area", {"umdam", "lpddr5x_pim"}},
        {"sram_cell", "area", {"umdam", "lpddr5x_pim"}},
        {"dram_array_lpddr5", "energy", {"umdam", "lpddr5x_pim"}},
        {"dram_array_hbm2", "energy", {"dplena", "hbm_pim", "tpu_v4i", "tpu_v4i_unfused"}},
        {"dram_pins_hbm2", "energy", {"dplena", "hbm_pim", "tpu_v4i", "tpu_v4i_unfused"}},
    };
    return rows;
}

bool must_have(SharedRow const& row, std::string_view architecture) {
    return std::ranges::find(row.architectures, architecture) != row.architectures.end();
}

Assumptions with_row(std::string_view row, double factor) {
    auto assumptions = models::common_assumptions();
    auto const& now = models::Technology::load(assumptions).row(row).constant;
    double const unit = sim::parse_unit(now.unit.empty() ? "1" : now.unit).in_si;
    models::set_assumption(assumptions, fmt::format("technology.{}", row),
                           fmt::format("{:.17g} {}", factor * now.si / unit, now.unit));
    return assumptions;
}

/// A row that is multiplied by two: each machine with such a unit shows it, no other changes in any metric.
TEST_P(OneTechnology, rows_of_technology_change_the_machines_that_have_such_units_and_no_other) {
    LawCount count("one technology", GetParam()->name);
    ServedMachine const base(*GetParam(), models::common_assumptions());
    auto const constants = models::constants_of(*GetParam());
    std::set<std::string> named;
    for (auto const& [name, constant] : constants.all()) named.insert(constant.technology);
    for (auto const& shared : shared_rows()) {
        ServedMachine const dearer(*GetParam(), with_row(shared.row, 2.0));
        bool const must = must_have(shared, GetParam()->name);
        Bits bits(71);
        std::uint64_t raised = 0, evaluated = 0;
        for (std::uint64_t n = 0; n < designs_of(200) && evaluated < designs_of(20); ++n) {
            auto const point = base.draw(bits);
            auto const before = base.result(point), after = dearer.result(point);
            if (!before || !after) continue;
            count.tried();
            ++evaluated;
            double const a = base.value(*before, shared.metric), b = dearer.value(*after, shared.metric);
            if (b > a * (1.0 + 1e-9)) ++raised;
            if (b < a * (1.0 - 1e-9))
                count.violated(
                    fmt::format("{} falls when {} rises: {}", shared.metric, shared.row, dearer.command(point)));
            if (!must && !named.contains(std::string(shared.row)) && !same_bits(*before, *after))
                count.violated(fmt::format("{} changes it: {}", shared.row, dearer.command(point)));
        }
        if (must && raised * 2 < evaluated) {
            count.violated(fmt::format("{} raises {} of {} in {} of {} designs only", shared.row, shared.metric,
                                       GetParam()->name, raised, evaluated));
        }
    }
    EXPECT_TRUE(count.holds());
}

/// Rows that state an energy or a power. Others may have either effect: a larger share of waiting units costs energy, a
/// higher limit of a package allows designs.
bool is_cost(models::TechnologyRow const& row) {
    auto const& unit = row.constant.unit;
    return unit.find("J") != std::string::npos || unit.find("W") == unit.size() - 1 ||
           unit.find("W/") != std::string::npos;
}

/// No energy of an operation and no leakage makes a request cheaper by being higher: each row alone, at both ends of
/// its range.
TEST_P(OneTechnology, dearer_operations_make_nothing_cheaper) {
    LawCount count("dearer operations", GetParam()->name);
    auto const assumptions = models::common_assumptions();
    auto const technology = models::Technology::load(assumptions);
    for (auto const& [name, row] : technology.all()) {
        if (!is_cost(row) || name.find("limit") != std::string::npos) continue;
        double const now = row.constant.si;
        ServedMachine const cheap(*GetParam(), with_row(name, row.lower / now)),
            dear(*GetParam(), with_row(name, row.upper / now));
        Bits bits(72);
        for (std::uint64_t n = 0; n < designs_of(12); ++n) {
            auto const point = cheap.draw(bits);
            auto const before = cheap.result(point), after = dear.result(point);
            if (!before || !after) continue;
            count.tried();
            for (auto const* metric : {"energy", "idle_power", "peak_power"}) {
                double const a = cheap.value(*before, metric), b = dear.value(*after, metric);
                if (b < a * (1.0 - 1e-9))
                    count.violated(fmt::format("{} is {:.6g} with {} at its lower end, {:.6g} at its upper: {}", metric,
                                               a, name, b, dear.command(point)));
            }
        }
    }
    EXPECT_TRUE(count.holds());
}

/// MiB of on-chip memory by parameters and metrics that say how much there is; its leakage is in idle_power.
double memory_on_chip(ServedMachine const& machine, Values const& point, models::Metrics const& metrics) {
    double bytes = 0.0;
    if (machine.name() == "umdam") bytes = machine.number(point, "npu_buffer");
    if (machine.name() == "dplena") bytes = machine.value(metrics, "vector_sram_allocated");
    if (machine.name() == "cim_mesh") {
        double const pairs = machine.number(point, "mesh_rows") * machine.number(point, "mesh_cols");
        double const layers = static_cast<double>(machine.model(point).layers);
        double const crossbars = machine.value(metrics, "tiles") * layers;  // a pair has a crossbar at most
        bytes =
            std::min(crossbars, pairs * machine.value(metrics, "total_tiles")) * machine.number(point, "scratchpad");
    }
    return bytes / 1048576.0;
}

TEST_P(OnChipMemory, leaks_alike) {
    LawCount count("leakage", GetParam()->name);
    ServedMachine const base(*GetParam(), models::common_assumptions());
    ServedMachine const dearer(*GetParam(), with_row("sram_leakage", 2.0));
    double const per_mib =
        models::Technology::load(models::common_assumptions()).row("sram_leakage").constant.si * 1048576;
    Bits bits(72);
    for (std::uint64_t n = 0; n < designs_of(300); ++n) {
        auto const point = base.draw(bits);
        auto const before = base.result(point), after = dearer.result(point);
        if (!before || !after) continue;
        count.tried();
        double const rise = dearer.value(*after, "idle_power") - base.value(*before, "idle_power");
        double const min = per_mib * memory_on_chip(base, point, *before);
        if (rise < 0.99 * min) {
            count.violated(fmt::format("idle_power {:.4g} W holds {:.4g} W of leakage, {:.4g} MiB leak {:.4g} W: {}",
                                       base.value(*before, "idle_power"), rise, min / per_mib, min,
                                       base.command(point)));
        }
    }
    EXPECT_TRUE(count.holds());
}

TEST_P(OneFooting, a_host_adds_the_same_watts_to_every_machine) {
    LawCount count("one host", GetParam()->name);
    auto excluded = models::common_assumptions(), included = excluded;
    included.host = models::Host::included;
    ServedMachine const without(*GetParam(), excluded), with(*GetParam(), included);
    double const watts = models::Technology::load(excluded).row("host_power").constant.si;
    Bits bits(73);
    for (std::uint64_t n = 0; n < designs_of(600); ++n) {
        auto const point = without.draw(bits);
        auto const a = without.result(point), b = with.result(point);
        if (!a || !b) continue;
        count.tried();
        double const latency = without.value(*a, "latency");
        double const more = with.value(*b, "energy") - without.value(*a, "energy");
        bool const same_time = std::abs(with.value(*b, "latency") - latency) <= 1e-9 * latency;
        // Eight devices share a host; DPUs sit in servers of their own.
        auto const devices = static_cast<double>(with.whole(point, "devices"));
        double const hosts = with.name() == "upmem" ? devices : std::ceil(devices / 8.0),
                     added = hosts * watts * latency;
        if (!same_time || std::abs(more - added) > 1e-6 * (added + with.value(*b, "energy"))) {
            count.violated(fmt::format("a host of {:.4g} W adds {:.4g} J to {:.4g} s: {}", watts, more, latency,
                                       with.command(point)));
        }
    }
    EXPECT_TRUE(count.holds());
}

/// Under view hardware every machine has attained_share 1 and no layer_overhead, and no share of its time is a launch.
TEST_P(OneFooting, hardware_has_no_launches_and_no_derating) {
    LawCount count("view hardware", GetParam()->name);
    ServedMachine const machine(*GetParam(), models::common_assumptions());
    for (auto const* common : {"attained_share", "layer_overhead"}) {
        count.tried();
        if (machine.find(common) < 0) {
            count.violated(fmt::format("no parameter {}", common));
            continue;
        }
        double const now = machine.number(machine.base(), common),
                     ideal = std::string_view(common) == "layer_overhead" ? 0 : 1;
        if (now != ideal) count.violated(fmt::format("{} = {} under view hardware", common, now));
    }
    Bits bits(74);
    for (std::uint64_t n = 0; n < designs_of(200); ++n) {
        auto const point = machine.draw(bits);
        auto const explained = machine.architecture().explain(machine.inputs(), point, models::Fidelity::analytic);
        if (!std::holds_alternative<models::Metrics>(explained.outcome)) continue;
        count.tried();
        double launches = 0.0, all = 0.0;
        for (auto const& share : explained.time) {
            all += share.amount;
            for (auto const* word : {"launch", "overhead"})
                if (share.what.find(word) != std::string::npos) launches += share.amount;
        }
        bool const asked_for = machine.find("layer_overhead") >= 0 && machine.number(point, "layer_overhead") > 0.0;
        if (launches > 1e-9 * all && !asked_for)
            count.violated(fmt::format("{:.4g} of {:.4g} s are launches: {}", launches, all, machine.command(point)));
    }
    EXPECT_TRUE(count.holds());
}

/// A paper's own batches and heads left out are no part of a comparison.
TEST_P(OneFooting, a_request_is_one_autoregressive_sequence_with_its_lm_head) {
    for (auto const* view : {"hardware", "deployed"}) {
        auto assumptions = models::common_assumptions();
        models::set_assumption(assumptions, "view", view);
        auto parameters = GetParam()->parameters();
        models::set_common_defaults(parameters, assumptions);
        auto const& batch = parameters[static_cast<std::size_t>(models::find_parameter(parameters, "batch"))];
        EXPECT_EQ(batch.default_value.as_integer(), 1) << view;
        if (int const generation = models::find_parameter(parameters, "generation"); generation >= 0) {
            auto const& parameter = parameters[static_cast<std::size_t>(generation)];
            EXPECT_EQ(models::print_value(parameter, parameter.default_value), "autoregressive") << view;
        }
        int const head = models::find_parameter(parameters, "lm_head");
        if (head < 0) continue;
        auto const& parameter = parameters[static_cast<std::size_t>(head)];
        EXPECT_NE(models::print_value(parameter, parameter.default_value), "skip") << view;
    }
}

TEST_P(OneFooting, power_of_phases_and_silicon_add_up) {
    LawCount phases("power of phases", GetParam()->name), dies("silicon", GetParam()->name);
    auto const machines = on_every_footing(*GetParam());
    bool complete = true;
    for (auto const* metric : {"prefill_power", "decode_power", "peak_power"}) {
        if (machines.front().has_metric(metric)) continue;
        phases.violated(fmt::format("no metric {}", metric));
        complete = false;
    }
    if (!machines.front().has_metric("silicon")) dies.violated("no metric silicon");
    Bits bits(75);
    for (std::uint64_t n = 0; n < designs_of(2000); ++n) {
        auto const& machine = machines[n % machines.size()];
        auto const point = machine.draw(bits);
        auto const metrics = machine.result(point);
        if (!metrics) continue;
        phases.tried();
        dies.tried();
        auto const v = [&](char const* name) { return machine.value(*metrics, name); };
        if (machine.has_metric("silicon") && v("silicon") < (v("area") + v("memory_area")) * (1.0 - 1e-9)) {
            dies.violated(fmt::format("silicon {:.4g} m2, area {:.4g} and memory_area {:.4g}: {}", v("silicon"),
                                      v("area"), v("memory_area"), machine.command(point)));
        }
        if (!complete) continue;
        double const peak = v("peak_power") * (1.0 + 1e-9);
        double const decode = std::isnan(v("decode_power")) ? 0.0 : v("decode_power");
        if (peak < v("power") || peak < v("prefill_power") || peak < decode) {
            phases.violated(
                fmt::format("peak_power {:.4g} W, power {:.4g}, prefill_power {:.4g}, decode_power {:.4g}: {}",
                            v("peak_power"), v("power"), v("prefill_power"), decode, machine.command(point)));
        }
        double const sum = v("prefill_power") * v("ttft") + decode * (v("latency") - v("ttft"));
        if (std::abs(sum - v("energy")) > 1e-6 * v("energy")) {
            phases.violated(fmt::format("phases take {:.6g} J, the request {:.6g} J: {}", sum, v("energy"),
                                        machine.command(point)));
        }
        if (machine.has_metric("package_power") && v("package_power") > peak) {
            phases.violated(fmt::format("package_power {:.4g} W, peak_power {:.4g} W: {}", v("package_power"),
                                        v("peak_power"), machine.command(point)));
        }
    }
    EXPECT_TRUE(phases.holds());
    EXPECT_TRUE(dies.holds());
}

/// One machine, written twice: as umdam, and as a file of a user that takes lpddr5x_pim with the buffer of umdam's
/// units.
class WrittenTwice : public ::testing::Test {
  protected:
    using Settings = std::vector<std::pair<char const*, std::string>>;

    /// Metrics of both with these settings, of which each takes the parameters that it has.
    struct Both {
        ServedMachine const &umdam, &file;
        models::Metrics of_umdam, of_file;

        /// The file's metric is within this share of umdam's.
        void expect_near(char const* metric, double share) const {
            double const here = umdam.value(of_umdam, metric);
            EXPECT_NEAR(file.value(of_file, metric), here, share * here) << metric;
        }
    };
    [[nodiscard]] std::optional<Both> both(Settings const& settings) const {
        auto const of = [&settings](ServedMachine const& machine) {
            auto point = machine.base();
            for (auto const& [name, value] : settings) point = machine.with(std::move(point), name, value);
            return machine.result(point);
        };
        auto here = of(umdam_), there = of(file_);
        EXPECT_EQ(here.has_value(), there.has_value());
        if (!here || !there) return std::nullopt;
        return Both{umdam_, file_, std::move(*here), std::move(*there)};
    }
    [[nodiscard]] static Settings settings(char const* llm, int input, int channels, int bits) {
        auto const format = bits == 8 ? "int8" : "fp16";
        return {{"llm", llm},
                {"input", std::to_string(input)},
                {"output", "128"},
                {"channels", std::to_string(channels)},
                {"weights", format},
                {"products", format},
                {"weight_bits", std::to_string(bits)},
                {"dram", "lpddr5x_9600_pim"},
                {"density", "16"},
                {"pim_mac_interval", "3.333 ns"},
                {"loop_order", "res"},
                {"global_buffer_elements", "16384"}};
    }

  private:
    WrittenFile machine_{"written_twice",
                         fmt::format("schema = 1\nname = \"written_twice\"\nbase = \"{}\"\n"
                                     "[compute.bank_units]\nglobal_buffer = \"32 KiB\"\n",
                                     (models::data_directory() / "models/machines/lpddr5x_pim.toml").string())};
    ServedMachine umdam_{models::find_architecture("umdam"), models::common_assumptions()};
    ServedMachine file_{models::find_architecture(machine_.path()), models::common_assumptions()};
};

/// umdam takes nearly the fastest tiling of a product, the file that which moves least, and counts rows that no expert
/// has.
TEST_F(WrittenTwice, prompts_take_the_same_time_and_energy) {
    for (auto const* llm : {"llama-3.2-1b", "llama-3.2-3b", "gpt-oss-20b"}) {
        for (int const input : {256, 2000, 8000}) {
            for (int const bits : {8, 16}) {
                SCOPED_TRACE(fmt::format("{}, {} tokens, {} bits", llm, input, bits));
                auto const found = both(settings(llm, input, 32, bits));
                ASSERT_TRUE(found);
                found->expect_near("ttft", bits == 8 ? 0.045 : 0.02);
                found->expect_near("prefill_power", 0.18);
            }
        }
    }
}

/// Tokens whose products the units in the banks compute. The contexts are short: the file writes each query to its
/// units for the keys of each position.
TEST_F(WrittenTwice, tokens_cost_the_same_time_energy_and_silicon) {
    for (auto const* llm : {"llama-3.2-1b", "llama-3.2-3b", "llama-3-8b"}) {
        for (int const channels : {16, 32}) {
            for (int const bits : {8, 16}) {
                SCOPED_TRACE(fmt::format("{}, {} channels, {} bits", llm, channels, bits));
                auto const found = both(settings(llm, 128, channels, bits));
                ASSERT_TRUE(found);
                found->expect_near("itl", 0.09);
                found->expect_near("energy", 0.05);
                found->expect_near("idle_power", 0.03);
                found->expect_near("silicon", 0.025);
                if (bits == 8) found->expect_near("area", 0.025);  // the file has units for both
                found->expect_near("footprint", 0.001);
            }
        }
    }
}

std::vector<Architecture const*> with_on_chip_memory() {
    auto machines = all_architectures();
    std::erase_if(machines, [](auto const* machine) { return !must_have(shared_rows().front(), machine->name); });
    return machines;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, OnChipMemory, ::testing::ValuesIn(with_on_chip_memory()),
                         [](auto const& param) { return std::string(param.param->name); });
INSTANTIATE_TEST_SUITE_P(Catalogue, OneTechnology, ::testing::ValuesIn(all_architectures()),
                         [](auto const& param) { return std::string(param.param->name); });
INSTANTIATE_TEST_SUITE_P(MachineFiles, OneTechnology, ::testing::ValuesIn(machines_of_files()),
                         [](auto const& param) { return std::string(param.param->name); });
INSTANTIATE_TEST_SUITE_P(Catalogue, OneFooting, ::testing::ValuesIn(all_architectures()),
                         [](auto const& param) { return std::string(param.param->name); });

}  // namespace
}  // namespace pimdse::laws::one_footing_test
