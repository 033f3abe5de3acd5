#include "models/contract/validation.hpp"
#include "models/text/text.hpp"

#include "small_machine.hpp"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

/// Devices that share layers over a link of their own are one machine.
namespace pimdse::models::text::test::sharing_test {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// The small machine with `devices` times the channels, matrix units and lanes, which a number gives.
std::string several(std::string const& devices) {
    auto text = with("bandwidth = \"channels * channel_rate\"", "bandwidth = \"channels * channel_rate * N\"");
    text = with("capacity = \"channels * 8 GiB\"", "capacity = \"channels * 8 GiB * N\"", text);
    text = with("memory_area = \"channels * 20 mm2\"", "memory_area = \"channels * 20 mm2 * N\"", text);
    text = with("area = \"50 mm2\"", "area = \"50 mm2 * N\"", text);
    text = with("static_power = \"3 W\"", "static_power = \"3 W * N\"", text);
    text = with("value = \"2 us\"", "value = \"2 us + if(N > 1, 1 us, 0)\"", text);
    for (auto at = text.find('N'); at != std::string::npos; at = text.find('N', at + devices.size()))
        if (std::string(" *)>").find(text[at + 1]) != std::string::npos || text[at + 1] == '"')
            text.replace(at, 1, devices);
    return text;
}

class Machine {
  public:
    explicit Machine(std::string const& text) : file_(text), machine_(architecture(file_.path())) {}

    [[nodiscard]] Outcome at(Settings const& settings) const {
        auto table = machine_.parameters();
        auto const point = point_with(table, settings);
        return machine_.evaluate(prepare(machine_, table), point, Fidelity::analytic);
    }
    [[nodiscard]] double metric(Metrics const& metrics, std::string_view name) const {
        return metrics.at(static_cast<std::size_t>(find_metric(machine_.metrics(), name))).value;
    }
    [[nodiscard]] std::string rule(Settings const& settings) const {
        auto const outcome = at(settings);
        auto const* broken = std::get_if<Infeasible>(&outcome);
        return broken == nullptr ? "" : broken->rule;
    }

  private:
    models::testing::TemporaryFile file_;
    Architecture machine_;
};

std::string shared() {
    return with("kind = \"link\"", "kind = \"link\"\nsharing = \"machine\"", several("group.devices"));
}

TEST(Sharing, makes_devices_the_machine_that_the_file_says) {
    Machine const shares(shared()), written(several("4"));
    Settings const request{{"llm", "llama-2-7b"}, {"input", "100"}, {"output", "20"}, {"batch", "4"}};
    auto with_devices = request;
    with_devices.insert(with_devices.end(), {{"devices", "4"}});
    auto const all = std::get<Metrics>(shares.at(with_devices)), one = std::get<Metrics>(written.at(request));
    for (auto const* name : {"ttft", "itl", "latency", "tokens_per_second", "area", "memory_area", "footprint"})
        EXPECT_NEAR(shares.metric(all, name) / written.metric(one, name), 1.0, 1e-12) << name;
    for (auto const* name : {"cost", "embodied_carbon", "idle_power"})
        EXPECT_GT(shares.metric(all, name), written.metric(one, name)) << "links have a price, and draw power at rest";
    double const links = shares.metric(all, "idle_power") - written.metric(one, "idle_power");
    for (auto const* name : {"power", "prefill_power", "decode_power", "peak_power"})
        EXPECT_NEAR(shares.metric(all, name) - links, written.metric(one, name), 1e-9) << name;
    EXPECT_NEAR(shares.metric(all, "energy") - links * shares.metric(all, "latency"), written.metric(one, "energy"),
                1e-9 * written.metric(one, "energy"));
}

/// Four devices send 1 kB in each of 32 layers, in a prompt and in 19 passes, over links of 5 pJ/bit or of 2.
TEST(Sharing, takes_the_joules_of_the_bytes_that_its_rules_send) {
    auto const sends = [](std::string text) {
        return with("{ wait = \"slow_start\" }", "{ wait = \"slow_start\", sends = \"1 kB * (group.devices - 1)\" }",
                    std::move(text));
    };
    auto const stated = with("[number.slow_start]", "[link.cable.energy]\nlinks = \"2 pJ/bit\"\n\n[number.slow_start]",
                             sends(shared()));
    Machine const silent(shared()), usual(sends(shared())), own(stated);
    Settings const request{{"llm", "llama-2-7b"}, {"input", "100"}, {"output", "20"}, {"batch", "4"}, {"devices", "4"}};
    auto const energy = [&](Machine const& machine, Settings const& settings) {
        return machine.metric(std::get<Metrics>(machine.at(settings)), "energy");
    };
    double const bits = 8.0 * 1000.0 * 3.0 * 32.0 * 20.0, without = energy(silent, request);
    EXPECT_NEAR(energy(usual, request) - without, 5e-12 * bits, 1e-6 * 5e-12 * bits);
    EXPECT_NEAR(energy(own, request) - without, 2e-12 * bits, 1e-6 * 2e-12 * bits);
    Settings const alone(request.begin(), request.end() - 1);
    EXPECT_EQ(energy(usual, alone), energy(silent, alone));
}

TEST(Sharing, leaves_other_divisions_as_they_are) {
    Machine const shares(shared()), divides(several("1"));
    for (Settings const& group :
         {Settings{{"devices", "4"}, {"data_parallel", "4"}}, Settings{{"devices", "4"}, {"pipeline_parallel", "4"}},
          Settings{{"devices", "4"}, {"link", "pcie5"}}}) {
        auto settings = group;
        settings.insert(settings.end(), {{"llm", "llama-2-7b"}, {"input", "100"}, {"output", "20"}, {"batch", "4"}});
        EXPECT_EQ(shares.metric(std::get<Metrics>(shares.at(settings)), "latency"),
                  divides.metric(std::get<Metrics>(divides.at(settings)), "latency"));
    }
}

TEST(Sharing, refuses_what_its_law_does_not_read) {
    Machine const shares(shared());
    EXPECT_EQ(shares.rule({{"devices", "4"}, {"link_bandwidth", "10 GB/s"}}), "link");
    EXPECT_EQ(shares.rule({{"devices", "4"}, {"link_latency", "1 us"}}), "link");
    EXPECT_EQ(shares.rule({{"devices", "4"}, {"link_topology", "ring"}}), "link");
    EXPECT_EQ(shares.rule({{"devices", "4"}, {"link_latency", "1 us"}, {"link", "pcie5"}}), "");
    EXPECT_EQ(shares.rule({{"devices", "8"}}), "cable");
}

TEST(Sharing, needs_a_bandwidth_where_devices_exchange) {
    Machine const none(with("bandwidth = \"25 GB/s\"", "bandwidth = 0"));
    EXPECT_EQ(none.rule({{"devices", "4"}}), "machine");
    EXPECT_EQ(none.rule({{"devices", "4"}, {"link", "pcie5"}}), "");
    EXPECT_EQ(none.rule({{"devices", "1"}}), "");
}

}  // namespace
}  // namespace pimdse::models::text::test::sharing_test
