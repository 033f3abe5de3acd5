#include "dse/cli/uncertain_passes.hpp"

#include "dse/base/digest.hpp"
#include "dse/base/durable_file.hpp"
#include "dse/run/explore.hpp"
#include "dse/run/local_transport.hpp"
#include "dse/run/mpi_transport.hpp"
#include "dse/run/worker_loop.hpp"
#include "dse/search/strategy.hpp"
#include "dse/search/sweep.hpp"
#include "dse/space/search_settings.hpp"
#include "dse/store/journal.hpp"
#include "dse/store/result_file.hpp"
#include "dse/uncertain/pass.hpp"
#include "dse/uncertain/study.hpp"
#include "dse/uncertain/uncertainty_reader.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <array>
#include <filesystem>
#include <utility>

namespace pimdse::dse::cli {
namespace {

constexpr std::array<std::string_view, 5> pass_names{"best", "worst", "feasible", "forms", "draws"};

std::filesystem::path journal_of(RunRequest const& request, std::string_view pass) {
    auto path = base::destination_of(request.output);
    path += fmt::format(".{}.journal", pass);
    return path;
}

/// Announces passes to the other ranks and evaluates them.
class PassRunner {
  public:
    PassRunner(RunRequest const& request, space::Space const& space, run::WorkSettings settings, Job& job,
               std::stop_token stop, ProgressLine& line)
        : request_(request),
          space_(space),
          settings_(std::move(settings)),
          job_(job),
          stop_(std::move(stop)),
          line_(line) {}

    std::optional<search::ResultStore> evaluate(uncertain::Pass const& pass, std::vector<space::Task> const& tasks) {
        if (stop_.stop_requested()) return std::nullopt;
        auto const text = pass.text();
        uncertain::PassSpace const pass_space(space_, pass);
        auto const& space = pass_space.space();
        search::ResultStore store(space.metrics().size());
        auto journal = opened(pass, text, space, store);
        job_.announce(text);
        run::LocalTransport local(space, settings_);
        std::vector<run::Transport*> transports{&local};
        std::optional<run::MpiTransport> mpi;
        if (job_.ranks != nullptr) transports.push_back(&mpi.emplace(*job_.ranks, settings_));
        auto const strategy = search::make_listed(tasks);
        auto const explored =
            run::explore(space, *strategy, transports, journal, store,
                         {.stop = stop_, .watch = [this](run::Progress const& progress) { line_.show(progress); }});
        job_.release(resumable);
        if (!explored.complete) return std::nullopt;
        return store;
    }

  private:
    /// The journal of a pass, with its results in the store. One that belongs to other settings is replaced.
    store::journal::Journal opened(uncertain::Pass const& pass, std::string const& text, space::Space const& space,
                                   search::ResultStore& store) const {
        store::journal::JournalHeader header;
        header.architecture = "uncertain";
        for (auto const& metric : space.metrics()) header.metrics.push_back(metric.name);
        header.space_text = space_.text();
        header.canonical_text = space_.canonical_text() + base::sha256(text);
        header.run = "{}";
        header.inputs = space_.columns().input_hashes;
        auto const path = journal_of(request_, pass.name);
        using store::journal::Journal;
        store::journal::JournalSettings const settings{.result = store::journal::journal_path(request_.output)};
        bool const resume = request_.if_exists == IfExists::resume || request_.if_exists == IfExists::salvage;
        if (resume && std::filesystem::exists(path)) {
            store::journal::JournalSink sink;
            sink.result = [&](space::Result&& result) { (void)store.insert(result); };
            sink.started = [](store::journal::Started&&) {};
            sink.block = [](space::BlockSummary&&) {};
            try {
                return Journal::resume(path, header, sink, store::journal::OnDamage::refuse, settings);
            } catch (sim::InputError const&) {
                store = search::ResultStore(space.metrics().size());  // of other constants, draws or results
            }
        }
        return Journal::create(path, header, store::journal::Existing::replace, settings);
    }

    RunRequest const& request_;
    space::Space const& space_;
    run::WorkSettings settings_;
    Job& job_;
    std::stop_token stop_;
    ProgressLine& line_;
};

/// The result that an earlier run wrote, if it is of these results and this uncertainty.
std::optional<search::RobustFront> earlier(RunRequest const& request, std::string const& key) {
    bool const resume = request.if_exists == IfExists::resume || request.if_exists == IfExists::salvage;
    if (!resume || !std::filesystem::exists(request.output)) return std::nullopt;
    auto const file = store::load_result_file(request.output);
    if (!file.robust || file.robust->key != key) return std::nullopt;
    return file.robust;
}

}  // namespace

std::optional<uncertain::Uncertainty> uncertainty_of(RunRequest const& request, space::Space const& space) {
    if (request.served) return std::nullopt;
    uncertain::UncertaintyFlags const flags{request.uncertain, request.uncertain_seed};
    auto uncertainty = uncertain::read_uncertainty(space, request.space_file.string(), flags);
    if (!uncertainty) return std::nullopt;
    if (space.search().keep == space::Keep::front)
        throw UsageError("draws of uncertain constants need every result. Leave out --keep front?");
    if (space.search().shards > 1)
        throw UsageError("draws of uncertain constants need the whole space. Leave out --shard?");
    return uncertainty;
}

std::optional<search::RobustFront> robust_front(RunRequest const& request, space::Space const& space,
                                                search::ResultStore const& store,
                                                uncertain::Uncertainty const& uncertainty,
                                                run::WorkSettings const& settings, Job& job,
                                                std::stop_token const& stop, ProgressLine& line) {
    if (auto known = earlier(request, uncertain::key_of(space, store, uncertainty))) return known;
    PassRunner runner(request, space, settings, job, stop, line);
    return uncertain::study(space, store, uncertainty,
                            [&](uncertain::Pass const& pass, std::vector<space::Task> const& tasks) {
                                return runner.evaluate(pass, tasks);
                            },
                            {[&](std::string const& step) { line.say(step); }});
}

void remove_pass_journals(RunRequest const& request) {
    for (auto const pass : pass_names) {
        std::error_code ignored;
        std::filesystem::remove(journal_of(request, pass), ignored);
    }
}

void work_on_passes(RunRequest const& request, space::Space const& space, run::Communicator& ranks) {
    while (true) {
        auto const text = ranks.broadcast("");
        if (text.empty()) return;
        uncertain::PassSpace const pass_space(space, uncertain::Pass::from(text));
        run::work_for_rank_0(ranks, pass_space.space(), work_settings(request, &ranks));
    }
}

}  // namespace pimdse::dse::cli
