#include "dse/cli/earlier_results.hpp"

#include "dse/base/durable_file.hpp"
#include "dse/base/thread_count.hpp"
#include "dse/cli/verb.hpp"
#include "dse/space/input_hashes.hpp"
#include "dse/space/result.hpp"
#include "dse/space/space.hpp"
#include "dse/store/hdf5_file.hpp"
#include "dse/store/result_file.hpp"
#include "sim/base/file_error.hpp"
#include "sim/base/json.hpp"

#include <unistd.h>
#include <map>
#include <ranges>

namespace pimdse::dse::cli {

namespace {

/// Throws InputError if a file belongs to another space, and MismatchError if an input of its results has changed, with
/// what to do about either.
void check_same_space(store::ResultFile const& file, std::string const& name, space::Columns const& columns,
                      std::string_view if_other, std::string_view if_changed) {
    if (!space::same_space(file.columns.canonical_text, file.columns.input_hashes, columns.canonical_text,
                           columns.input_hashes))
        throw sim::InputError("{}: belongs to another space (its parameters, constraints or kept points differ). {}?",
                              name, if_other);
    if (auto const input = space::differing_input(file.columns.input_hashes, columns.input_hashes))
        throw sim::MismatchError(
            "{1} has changed since the results of {0} were computed (results of this run would not be comparable with "
            "them). Restore it, or {2}?",
            name, *input, if_changed);
}

using store::journal::Journal;

void restore(search::ResultStore& store, space::Result const& result, std::string const& file) {
    if (store.insert(result) != search::ResultStore::Insertion::conflict) return;
    throw sim::MismatchError(
        "{}: point {} has different results in the file and in its journal (the models have probably changed in "
        "between). Use --force to start again?",
        file, index_of(result.task.point));
}

/// Reads a journal and the sealed file. The blocks of the journal are stored last: the sealed file has only the total
/// of the points that its blocks left out, so it must be stored first.
class RestoredReader {
  public:
    RestoredReader(RunRequest const& request, space::Space const& space, Restored& into)
        : request_(request), columns_(space.columns()), into_(into) {}

    store::journal::JournalSink sink() {
        store::journal::JournalSink sink;
        sink.result = [this](space::Result&& result) {
            check_in_space({&result, 1});
            take(std::move(result));
        };
        sink.block = [this](space::BlockSummary&& block) {
            check_in_space(block.kept);
            blocks_.push_back(std::move(block));
        };
        sink.part = [this](space::BlockPart&& part) {
            check_in_space(part.kept);
            parts_.push_back(std::move(part));
        };
        sink.started = [this](store::journal::Started&& mark) { into_.quarantine.started(mark); };
        return sink;
    }

    /// Adds the sealed file; if it is a checkpoint, it repeats some results of the journal.
    void add_sealed() {
        if (std::filesystem::exists(request_.output)) add(store::load_result_file(request_.output));
        for (auto const& block : blocks_) into_.store.insert(block);
        for (auto& part : parts_) into_.store.add(std::move(part));
        auto const longer = settle_timeouts();
        into_.quarantine.settle(into_.store);
        for (auto const task : longer) into_.quarantine.add(task);
        into_.evaluated_longer = longer.size();
    }

  private:
    /// Stores a result. One that a time limit ended gives way to any other result of its point.
    void take(space::Result&& result) {
        auto const limit = run::time_limit_of(result.outcome);
        if (!limit) return restore(into_.store, result, request_.output.string());
        auto const [known, is_new] = timeouts_.try_emplace(result.task, result);
        if (!is_new && *limit > *run::time_limit_of(known->second.outcome)) known->second = std::move(result);
    }

    /// Stores the timeouts that stay, and returns the points that are evaluated again: this run allows them more time.
    std::vector<space::Task> settle_timeouts() {
        std::vector<space::Task> longer;
        for (auto const& [task, result] : timeouts_) {
            if (into_.store.contains(task)) continue;
            if (*run::time_limit_of(result.outcome) < request_.point_seconds)
                longer.push_back(task);
            else
                (void)into_.store.insert(result);
        }
        return longer;
    }

    void check_in_space(std::span<space::Result const> results) const {
        for (auto const& result : results) {
            if (columns_.points == 0 || index_of(result.task.point) < columns_.points) continue;
            throw sim::StorageError(
                request_.output, "{} cannot be read (it has a result for point {}, but the space has {} points)",
                store::journal::journal_path(request_.output).string(), index_of(result.task.point), columns_.points);
        }
    }

    void add(store::ResultFile const& file) {
        check_same_space(file, request_.output.string(), columns_, "Use another output name",
                         "start again with --force");
        into_.runs = with_itself(file.provenance);
        // A block of a file that keeps fronts cannot be left for one of its points.
        bool const as_it_is = file.store.count(search::Status::timeout) == 0 || !file.store.blocks().empty();
        if (into_.store.size() == 0 && as_it_is) {
            into_.store = file.store;  // including the blocks that are done
            return;
        }
        for (search::Row row = 0; row < file.store.size(); ++row) take(file.store.result(row));
    }

    RunRequest const& request_;
    space::Columns columns_;
    Restored& into_;
    std::vector<space::BlockSummary> blocks_;
    std::vector<space::BlockPart> parts_;
    std::map<space::Task, space::Result> timeouts_;
};

/// The strategy of this run; nullptr for a served run, whose client chooses the points.
std::unique_ptr<search::Strategy> own_search(RunRequest const& request, space::Space const& space) {
    if (request.served) return nullptr;
    return request.refined ? search::make_listed(*request.refined) : search::make_strategy(space);
}

/// The description of the run in the header of its journal, as JSON; `watch` reads it.
std::string run_text(space::Space const& space, std::uint64_t planned) {
    auto const objective_json = [&](space::Objective const& one) -> sim::Json {
        return {space.metrics()[one.metric].name, one.better == models::Sense::maximize ? "maximize" : "minimize"};
    };
    return sim::Json{{"start", now_text()},
                     {"host", base::machine_name()},
                     {"pid", ::getpid()},
                     {"planned", planned},
                     {"fidelity", models::name_of(space.search().fidelity)},
                     {"objectives", space.objectives() | std::views::transform(objective_json)}}
        .dump();
}

/// Creates the journal, whose lock protects the output. An output that appeared since the last check belongs to another
/// run.
Journal new_journal(RunRequest const& request, store::journal::JournalHeader const& header) {
    try {
        Journal journal =
            Journal::create(store::journal::journal_path(request.output), header, store::journal::Existing::refuse);
        if (std::filesystem::exists(request.output))
            journal.remove();
        else
            return journal;
    } catch (sim::StorageError const&) {
        refuse_existing(request);
        throw;
    }
    refuse_existing(request);
    throw sim::StorageError(request.output,
                            "{} was created and removed by another run while this run started. Start this run again?",
                            request.output.string());
}

}  // namespace

/// The results, at the fidelity of the search, of the file of --warm-start; none without that flag. Throws InputError
/// if the file belongs to another space, MismatchError if its results were computed from other inputs, and UsageError
/// if the strategy is non-adaptive.
std::vector<space::Result> warm_results(RunRequest const& request, space::Space const& space) {
    std::vector<space::Result> results;
    if (!request.warm_start) return results;
    std::string const name = request.warm_start->string();
    auto const file = store::load_result_file(input_file(name));
    check_same_space(file, name, space.columns(), "Leave out --warm-start", "leave out --warm-start");
    for (auto const row : file.store.sorted()) {
        if (file.store.task(row).fidelity == space.search().fidelity) results.push_back(file.store.result(row));
    }
    if (results.empty())
        throw sim::InputError("{}: has no result at {} fidelity to start from. Leave out --warm-start?", name,
                              models::name_of(space.search().fidelity));
    if (!search::make_strategy(space)->know(results.front()))
        throw UsageError(
            "--warm-start has no effect with strategy '{}' (its points do not depend on results). Use strategy 'nsga2' "
            "or 'pls'?",
            space.search().strategy);
    return results;
}

void refuse_other_files(RunRequest const& request) {
    std::error_code none;
    auto const size = std::filesystem::file_size(request.output, none);
    if (none || size == 0 || store::hdf5::is_hdf5(request.output)) return;
    throw UsageError("{} is not a result file, so --force does not replace it (it is kept). Use another name?",
                     request.output.string());
}

void refuse_existing(RunRequest const& request) {
    for (auto const& path : {request.output, store::journal::journal_path(request.output)}) {
        if (std::filesystem::exists(path))
            throw UsageError(
                "{} exists already (it is kept). Use --resume to continue it, --force to replace it, or another name?",
                path.string());
    }
}

Journal open_journal(RunRequest const& request, space::Space const& space, Restored& restored) {
    restored.search = own_search(request, space);
    restored.warm = warm_results(request, space);
    auto const path = store::journal::journal_path(request.output);
    auto const planned = restored.search == nullptr ? space.size() : restored.search->planned();
    auto const header = store::journal::JournalHeader::of(space.columns(), run_text(space, planned));
    if (request.if_exists == IfExists::refuse) return new_journal(request, header);
    store::journal::JournalSettings const settings{.result = base::destination_of(request.output)};
    if (request.if_exists == IfExists::replace) {
        Journal journal = Journal::create(path, header, store::journal::Existing::replace, settings);
        std::filesystem::remove(
            base::destination_of(request.output));  // or a resumed run would restore results of the replaced file
        return journal;
    }
    // The journal is opened first: its lock guarantees that the previous run no longer writes the file.
    RestoredReader reader(request, space, restored);
    Journal journal = Journal::resume(
        path, header, reader.sink(),
        request.if_exists == IfExists::salvage ? store::journal::OnDamage::salvage : store::journal::OnDamage::refuse,
        settings);
    for (auto const& note : journal.report().notes) std::cerr << "pimdse: " << note << "\n";
    try {
        reader.add_sealed();
    } catch (std::exception const&) {
        if (journal.appended() == 0) journal.remove();
        throw;
    }
    if (auto const died = restored.quarantine.size() - restored.evaluated_longer; died > 0) {
        std::cerr << fmt::format(
            "pimdse: an earlier run died with {} points under way; they are evaluated in a separate process\n", died);
    }
    if (restored.evaluated_longer > 0) {
        std::cerr << fmt::format(
            "pimdse: {} points took longer than an earlier --point-timeout; they are evaluated again, up to {} s\n",
            restored.evaluated_longer, request.point_seconds);
    }
    return journal;
}

Restored peek_at_restored(RunRequest const& request, space::Space const& space) {
    Restored restored{search::ResultStore(space.metrics().size()), {}};
    if (!request.resumes() || request.output.empty()) return restored;
    RestoredReader reader(request, space, restored);
    if (std::filesystem::exists(store::journal::journal_path(request.output)))
        Journal::read(store::journal::journal_path(request.output), reader.sink());
    reader.add_sealed();
    return restored;
}

}  // namespace pimdse::dse::cli
