#include "dse/cli/join.hpp"

#include "dse/base/durable_file.hpp"
#include "dse/cli/coordinate.hpp"
#include "dse/cli/named_files.hpp"
#include "dse/cli/options.hpp"
#include "dse/cli/verb.hpp"
#include "dse/run/liveness.hpp"
#include "dse/run/remote_workers.hpp"
#include "dse/run/worker_loop.hpp"
#include "dse/space/input_hashes.hpp"
#include "dse/space/search_names.hpp"
#include "dse/space/space_reader.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>

namespace pimdse::dse::cli {
namespace {

using Clock = std::chrono::steady_clock;

Manual const join_manual{
    "pimdse join FILE.h5 [flags]",
    "Evaluates points of an exploration that runs elsewhere and was started with --joinable, until it ends. Workers "
    "may join and leave at any time: the points of\n"
    "a worker that leaves are given to another one, and the result is the same. The run writes its address to "
    "FILE.h5.join.",
    "  pimdse explore spaces/quick.toml -o quick.h5 --joinable      # in one allocation, or on a laptop\n"
    "  pimdse join quick.h5                                        # in another one; as often as you like",
    {"file"}};

std::optional<run::TcpLine> connected(run::Invitation const& invitation) {
    constexpr double patience_seconds = 5.0;
    auto addresses = invitation.addresses;
    if (invitation.machine == run::machine_name())
        std::reverse(addresses.begin(),
                     addresses.end());  // on the same host try the loopback address, which is listed last, first
    for (auto const& address : addresses) {
        int const socket = run::connect_to(address, invitation.port, patience_seconds);
        if (socket >= 0) return run::TcpLine(socket);
    }
    return std::nullopt;
}

/// Sends the token and the name of this host, and returns the reply of the run; nothing if there is none.
std::optional<nlohmann::json> welcomed(run::TcpLine& line, std::string const& token) {
    constexpr double patience_seconds = 30.0;
    std::string const greeting = token + "\n" + run::machine_name();
    auto const bytes = std::as_bytes(std::span(greeting));
    line.send(run::Tag::hello, {bytes.begin(), bytes.end()});
    for (auto const begun = Clock::now(); !line.gone() && run::seconds_since(begun) < patience_seconds;
         std::this_thread::sleep_for(std::chrono::milliseconds(5))) {
        line.move();
        auto const message = line.receive();
        if (!message || message->tag != run::Tag::hello) continue;
        auto json = nlohmann::json::parse(reinterpret_cast<char const*>(message->bytes.data()),
                                          reinterpret_cast<char const*>(message->bytes.data() + message->bytes.size()),
                                          nullptr, false);
        return json.is_object() ? std::optional(std::move(json)) : std::nullopt;
    }
    return std::nullopt;
}

space::Space space_in(nlohmann::json const& welcome) {
    space::Space space = space::parse_space(welcome.at("text"), welcome.at("name"),
                                            welcome.at("overrides").get<std::vector<space::Override>>());
    auto search = space.search();
    search.keep = space::parse_keep(welcome.at("keep").get<std::string>());
    space.set_search(search);
    space.set_objectives(
        space::parse_objectives(space.plain_metrics(), welcome.at("objectives").get<std::vector<std::string>>()));
    auto const input =
        space::differing_input(welcome.at("inputs").get<space::InputHashes>(), space.columns().input_hashes);
    if (input)
        throw base::MismatchError(
            fmt::format("{} on this host differs from that of the run (results would come from another model). {}?",
                        *input, space::is_own_file(*input) ? "Copy the file of the run" : "Install the same version"));
    return space;
}

run::WorkSettings settings_in(nlohmann::json const& welcome, int threads) {
    run::WorkSettings settings;
    settings.threads = threads;
    settings.silence_seconds = welcome.at("silence_seconds");
    settings.point_seconds = welcome.at("point_seconds");
    settings.worker_process = worker_settings(
        welcome.at("name"), welcome.at("overrides").get<std::vector<space::Override>>(), settings.point_seconds);
    settings.give_up = [](std::string const& why) {
        std::cerr << fmt::format("pimdse: {} (the run gives the points of this worker to others)\n", why);
        std::_Exit(resumable);
    };
    return settings;
}

run::ExitReason work_over(run::TcpLine& line, nlohmann::json const& welcome, int threads) {
    space::Space const space = space_in(welcome);
    run::CoordinatorLink coordinator;
    coordinator.send = [&](run::Tag tag, space::Bytes const& bytes) { line.send(tag, bytes); };
    coordinator.receive = [&] {
        line.move();
        return line.receive();
    };
    coordinator.gone = [&] { return line.gone(); };
    return work_for(coordinator, space, settings_in(welcome, threads));
}

/// Works until the run ends. The run removes its invitation when it ends, and writes a new one after a restart.
int join(std::filesystem::path const& invitation, int threads, double patience_seconds) {
    bool worked = false;
    auto since = Clock::now();
    while (true) {
        std::error_code error;  // set for a name that no file can have
        if (!std::filesystem::exists(invitation, error)) {
            if (worked) return complete;
            throw base::MissingInput(
                fmt::format("{} does not exist (a run started by explore --joinable writes it). Has the run ended, or "
                            "is it in another folder?",
                            shown_name(invitation.string())));
        }
        auto const found = run::Invitation::read(invitation);
        if (auto line = connected(found)) {
            if (auto const welcome = welcomed(*line, found.token)) {
                if (!worked)
                    std::cerr << fmt::format("pimdse: working on {} with {} {}\n", invitation.stem().string(), threads,
                                             threads == 1 ? "thread" : "threads");
                worked = true;
                if (work_over(*line, *welcome, threads) == run::ExitReason::dismissed) return complete;
                since = Clock::now();
            }
        }
        if (run::seconds_since(since) > patience_seconds) {
            std::cerr << fmt::format("pimdse: the run of {} does not reply any more\n", invitation.string());
            return resumable;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
    }
}

}  // namespace

space::Bytes welcome_of(RunRequest const& request, space::Space const& space) {
    auto objectives = nlohmann::json::array();
    for (auto const& objective : space.objectives()) objectives.push_back(space.metrics()[objective.metric].name);
    std::string const text = nlohmann::json{
        {"text", space.text()},
        {"name", std::filesystem::absolute(request.space_file).string()},
        {"overrides", request.overrides},
        {"objectives", objectives},
        {"keep", space.search().keep == space::Keep::front ? "front" : "all"},
        {"inputs", space.columns().input_hashes},
        {"silence_seconds", request.silence_seconds},
        {"point_seconds",
         request.point_seconds}}.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    auto const bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

int run_join(std::vector<std::string> const& arguments) {
    po::options_description flags("Flags");
    auto add = flags.add_options();
    add("threads", po::value<std::string>()->default_value("0"),
        "threads (0: PIMDSE_THREADS, SLURM_CPUS_PER_TASK, or all cores that this host allows)");
    add("patience", po::value<std::string>()->default_value("10 min"),
        "how long to wait for a run that does not reply");
    auto const values = parse(join_manual, flags, arguments);
    if (!values) return complete;
    std::filesystem::path const file = needed(*values, "file", join_manual);
    auto const invitation = file.extension() == ".join" ? file : run::Invitation::path_of(file);
    return join(invitation, threads_of(*values), seconds_of(*values, "patience"));
}

}  // namespace pimdse::dse::cli
