#include "dse/cli/check/noc_replay.hpp"

#include "dse/cli/check/answer_text.hpp"
#include "dse/cli/check/stopwatch.hpp"
#include "dse/cli/flag_values.hpp"
#include "dse/cli/json_text.hpp"
#include "dse/cli/options.hpp"
#include "dse/cli/verb.hpp"
#include "sim/noc/contention.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

namespace pimdse::dse::cli::check {
namespace {

namespace noc = sim::noc;
using nlohmann::ordered_json;

Manual const noc_replay_manual{
    "pimdse noc replay [flags]",
    "Every node creates a packet with probability LOAD / FLITS in every cycle; latency runs from creation to the "
    "ejection of the last flit.",
    "  pimdse noc replay --mesh 8x8 --traffic uniform --packet 4 --load 0.1 --cycles 100000 --seed 1\n"
    "prints a latency of about 32.1 cycles at a throughput of 0.1 flits per node and cycle.",
    {}};

noc::Mesh mesh_named(std::string const& text) {
    auto const cross = text.find('x');
    try {
        std::size_t read_rows = 0, read_cols = 0;
        int const rows = std::stoi(text.substr(0, cross), &read_rows);
        int const cols = cross == std::string::npos ? 0 : std::stoi(text.substr(cross + 1), &read_cols);
        bool const whole = read_rows == cross && cross != std::string::npos && read_cols == text.size() - cross - 1;
        if (whole && rows > 0 && cols > 0 && rows <= 1024 && cols <= 1024) return {rows, cols};
    } catch (std::exception const&) {
        // said below
    }
    throw UsageError(fmt::format("'{}' is no mesh (rows x columns, 1 to 1024 each). Write --mesh 8x8?", text));
}

ordered_json to_json(noc::OpenLoop const& request, noc::OpenLoopResult const& result, double seconds) {
    // It follows the way of every pair of nodes.
    constexpr int most_nodes = 4096;
    bool const small = request.mesh.nodes() <= most_nodes;
    auto const theory = small ? noc::contention(request) : noc::Contention{0.0, true};
    return {{"mesh", fmt::format("{}x{}", request.mesh.rows, request.mesh.cols)},
            {"traffic", noc::name_of(request.traffic)},
            {"packet_flits", request.packet_flits},
            {"load", request.load},
            {"seed", request.seed},
            {"latency", or_null(result.latency)},
            {"network_latency", or_null(result.network_latency)},
            {"longest_latency", or_null(result.longest)},
            {"throughput", result.accepted},
            {"offered", result.offered},
            {"hops", or_null(result.hops)},
            {"packets", result.packets},
            {"drained", result.drained},
            {"closed_form_latency", theory.saturated ? ordered_json(nullptr) : ordered_json(theory.latency)},
            {"cycles", result.cycles},
            {"simulate_seconds", seconds},
            {"router_cycles_per_second",
             seconds > 0.0 ? static_cast<double>(result.cycles) * request.mesh.nodes() / seconds : 0.0}};
}

/// A simulation of more than about a minute says so before it begins; only a saturated network takes all the time there
/// is.
void say_how_long(noc::OpenLoop const& request) {
    constexpr double per_second = 2e7, notable = 60.0;  // router cycles
    double const cycles = static_cast<double>(request.warmup) + static_cast<double>(request.measured);
    double const least = request.mesh.nodes() * cycles / per_second;
    double const most = least + request.mesh.nodes() * static_cast<double>(request.patience) / per_second;
    if (most < notable) return;
    std::cerr << fmt::format(
        "pimdse: this takes about {:.0f} min, and up to {:.0f} min if packets do not get through\n",
        std::ceil(least / 60.0), std::ceil(most / 60.0));
}

}  // namespace

int noc_replay(std::vector<std::string> const& arguments) {
    po::options_description flags("Flags");
    flags.add_options()("mesh", po::value<std::string>()->default_value("8x8"), "rows x columns of routers");
    flags.add_options()("traffic", po::value<std::string>()->default_value("uniform"),
                        "uniform, transpose, bitcomp or neighbor");
    flags.add_options()("packet", po::value<std::string>()->default_value("1"), "flits of a packet");
    flags.add_options()("load", po::value<std::string>()->default_value("0.1"), "flits per node and cycle");
    flags.add_options()("cycles", po::value<std::string>()->default_value("100000"), "cycles in which packets count");
    flags.add_options()("warmup", po::value<std::string>()->default_value("10000"), "cycles before that");
    flags.add_options()("fifo", po::value<std::string>()->default_value("16"), "flits of an input FIFO");
    flags.add_options()("seed", po::value<std::string>()->default_value("1"), "of the random traffic");
    flags.add_options()("format", po::value<std::string>()->default_value("json"),
                        "json (stable) or text (for people)");
    auto const values = parse(noc_replay_manual, flags, arguments);
    if (!values) return complete;
    noc::OpenLoop request;
    request.mesh = mesh_named((*values)["mesh"].as<std::string>());
    request.traffic =
        from_flag("--traffic", [&] { return noc::traffic_named((*values)["traffic"].as<std::string>()); });
    request.packet_flits = number_of<int>(*values, "packet", {1, 1 << 20});
    request.load = number_of<double>(*values, "load");
    request.measured = number_of<std::int64_t>(*values, "cycles", {1, noc::most_cycles});
    request.warmup = number_of<std::int64_t>(*values, "warmup", {0, noc::most_cycles});
    request.timing.fifo_flits = number_of<int>(*values, "fifo", {1, noc::lanes::most});
    request.seed = number_of<std::uint64_t>(*values, "seed");
    request.patience = 10 * std::max<std::int64_t>(request.measured, 10'000);
    auto const format = format_without_csv(*values, "a replay");
    if (auto const why = noc::why_not(request.mesh, request.timing); !why.empty()) throw UsageError(why);
    say_how_long(request);
    Stopwatch const clock;
    auto const result = from_flag("", [&request] { return noc::run(request); });
    print_answer(to_json(request, result, clock.seconds()), format);
    return complete;
}

}  // namespace pimdse::dse::cli::check
