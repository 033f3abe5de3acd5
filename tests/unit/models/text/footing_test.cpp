#include "models/contract/assumptions.hpp"
#include "tests/unit/models/text/folder.hpp"
#include "tests/unit/models/text/given.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

/// Common assumptions of a comparison: views, phases, host, technology.
namespace pimdse::models::text::test::footing_test {
namespace {

Assumptions assuming(std::string_view key, std::string const& text, Assumptions assumptions = {}) {
    set_assumption(assumptions, key, text);
    return assumptions;
}

/// The default point with constants under these assumptions; its defaults stay those of view own.
class Under {
  public:
    explicit Under(Assumptions const& assumptions, Settings const& settings = {})
        : given_(settings, assumptions), design_(given_.design()) {}
    [[nodiscard]] Result result() const { return analytic(design_); }
    [[nodiscard]] Design const& design() const { return design_; }

  private:
    Given given_;
    Design design_;
};

std::string rule_under(Assumptions const& assumptions) { return Given({}, assumptions).rule(); }

TEST(Footing, has_packages_of_some_watts) {
    for (auto const& settings :
         {Settings{}, Settings{{"device", "h100"}, {"batch", "16"}},
          Settings{{"llm", "llada-8b"}, {"generation", "diffusion"}, {"block_length", "32"}, {"steps", "8"}}}) {
        auto const watts = Given(settings).metric("package_power");
        EXPECT_GT(watts.value, 1.0);
        EXPECT_LT(watts.value, 30.0);
        EXPECT_LE(watts.value, watts.upper);
    }
}

TEST(Footing, names_what_limits_a_phase) {
    auto const limits = [](Settings const& settings) {
        Given const g(settings);
        auto const d = g.design();
        return analytic(d).limits();
    };
    auto const plain = limits({{"input", "2048"}});
    ASSERT_EQ(plain.size(), 2U);
    EXPECT_EQ(plain[0].limiter, "processor");
    EXPECT_EQ(plain[1].limiter, "hbm");
    for (auto const& limit : plain) EXPECT_LE(limit.attained, limit.roof);
    EXPECT_EQ(limits({{"llm", "opt-125m"}, {"input", "1"}})[1].limiter, "waiting");
    EXPECT_EQ(limits({{"output", "1"}}).size(), 1U);
}

TEST(Footing, attains_what_was_measured_unless_it_is_told) {
    Settings const prompt{{"input", "2048"}, {"output", "1"}};
    auto const ttft = [&](char const* share) {
        return Given(prompt.with("attained_share", share)).metric("ttft").value;
    };
    EXPECT_EQ(ttft("0"), Given(prompt).metric("ttft").value);
    EXPECT_NEAR(ttft("0"), ttft("0.725"), 0.01 * ttft("0")) << "products attain this share, attention 0.6";
    EXPECT_GT(ttft("0.3"), 2.0 * ttft("0.725"));
    EXPECT_LT(ttft("1"), 0.75 * ttft("0.725"));
    // A share above the measured one does not draw more power.
    EXPECT_LE(Given(prompt.with("attained_share", "1")).metric("power").value,
              1.02 * Given(prompt).metric("power").value);
    auto const itl = [](char const* overhead) { return Given({{"layer_overhead", overhead}}).metric("itl").value; };
    EXPECT_NEAR(itl("55 us") - itl("0 us"), 32 * 55e-6, 30e-6) << "tasks of attention and the LM head take the rest";
}

TEST(Footing, has_no_derating_of_its_memory_under_view_hardware) {
    Settings const without_kernels{{"layer_overhead", "0 s"}};
    Under const own({}, without_kernels), hardware(assuming("view", "hardware"), without_kernels);
    auto const at = Given().rule_of(Operator::q);
    EXPECT_NEAR(hardware.result().rest.seconds[at] / own.result().rest.seconds[at], 0.834 / 0.91, 1e-9);
    EXPECT_LE(hardware.result().rest.min, hardware.result().rest.total());
}

TEST(Footing, takes_shared_figures_from_the_technology) {
    auto const common = assuming("constants", "technology");
    Under const before(common), array(assuming("technology.dram_array_hbm2", "4 pJ/bit", common));
    auto const array_energy = [](Under const& under) {
        CostLaw const law(under.design().prepared->machine(), under.design().hardware, Fidelity::analytic);
        return law.energy_of(under.result().all())[energy_row("dram_array")];
    };
    EXPECT_GT(array_energy(array), 1.2 * array_energy(before));
    double const energy = before.result().energy().value;
    EXPECT_NEAR(array.result().energy().value, energy, 1e-3 * energy) << "the power of a board is measured as a whole";
    EXPECT_EQ(rule_under(common), "");
}

/// A machine that is not sold may ask too much of its packages; that boards run at their full rate is known.
TEST(Footing, refuses_packages_beyond_a_limit_that_a_file_states) {
    auto const common = assuming("constants", "technology");
    EXPECT_EQ(rule_under(assuming("technology.package_limit_hbm2", "5 W", common)), "");
    Folder const folder;
    auto const rule_with = [&](char const* watts) {
        auto const machine = architecture(
            folder.with("own.toml", fmt::format("schema = 1\nname = \"own\"\nbase = \"{}\"\n[memory.hbm]\n"
                                                "package_limit = \"{}\"\n",
                                                (data_directory() / "models/machines/h100.toml").string(), watts)));
        return Given(machine, {}).rule();
    };
    EXPECT_EQ(rule_with("5 W"), "package_power");
    EXPECT_EQ(rule_with("30 W"), "");
}

}  // namespace
}  // namespace pimdse::models::text::test::footing_test
