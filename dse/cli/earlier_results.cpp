#include "dse/cli/earlier_results.hpp"

#include "dse/base/durable_file.hpp"
#include "dse/cli/named_files.hpp"
#include "dse/cli/options.hpp"
#include "dse/cli/run_request.hpp"
#include "dse/run/tcp_line.hpp"
#include "dse/search/strategies.hpp"
#include "dse/space/input_hashes.hpp"
#include "dse/space/result.hpp"
#include "dse/space/space.hpp"
#include "dse/store/hdf5_file.hpp"
#include "dse/store/result_file.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <vector>

namespace pimdse::dse::cli {

/// The answers, at the fidelity of the search, of the earlier file that a request begins with; none where it names
/// none. Throws InputError where the file is of another space, MismatchError where its answers were computed from other
/// inputs, UsageError where the strategy has no use for it.
[[nodiscard]] std::vector<space::Result> warm_results(RunRequest const& request, space::Space const& space);

namespace {

void check_same_space(store::ResultFile const& file, std::string const& name, space::Space const& space) {
    auto const columns = space.columns();
    if (!space::same_space(file.columns.canonical_text, file.columns.input_hashes, columns.canonical_text,
                           columns.input_hashes))
        throw sim::InputError(
            fmt::format("{}: belongs to another space (its parameters, constraints or what is kept differ). Leave "
                        "--warm-start out?",
                        name));
    if (auto const input = space::differing_input(file.columns.input_hashes, columns.input_hashes))
        throw base::MismatchError(
            fmt::format("{1} was different when the answers of {0} were computed (this run's would not fit to them). "
                        "Restore it, or leave --warm-start out?",
                        name, *input));
}

}  // namespace

std::vector<space::Result> warm_results(RunRequest const& request, space::Space const& space) {
    std::vector<space::Result> results;
    if (!request.warm_start) return results;
    std::string const name = request.warm_start->string();
    auto const file = store::load_result_file(input_file(name));
    check_same_space(file, name, space);
    for (auto const row : file.store.sorted()) {
        if (file.store.task(row).fidelity == space.search().fidelity) results.push_back(file.store.result(row));
    }
    if (results.empty())
        throw sim::InputError(
            fmt::format("{}: has no answer at {} fidelity (nothing to begin with). Leave "
                        "--warm-start out?",
                        name, models::name_of(space.search().fidelity)));
    if (!search::make_strategy(space)->know(results.front()))
        throw UsageError(
            fmt::format("--warm-start means nothing to strategy '{}' (what it asks for depends on no "
                        "answer). Use strategy 'nsga2' or 'pls'?",
                        space.search().strategy));
    return results;
}

namespace {

using store::journal::Journal;

void restore(search::ResultStore& store, space::Result const& result, std::string const& file) {
    if (store.insert(result) != search::ResultStore::Insertion::conflict) return;
    throw base::MismatchError(
        fmt::format("{}: point {} is answered differently in the file and in its journal (the models changed in "
                    "between?). Use --force to begin anew?",
                    file, index_of(result.task.point)));
}

/// Collects a journal. Blocks are held back: the sealed file has only the sum of what its blocks left out, so it comes
/// first.
class Reading {
  public:
    Reading(RunRequest const& request, space::Space const& space, Restored& into)
        : request_(request), columns_(space.columns()), into_(into) {}

    store::journal::JournalSink sink() {
        store::journal::JournalSink sink;
        sink.result = [this](space::Result&& result) {
            check_in_space({&result, 1});
            restore(into_.store, result, request_.output.string());
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

    /// Adds the sealed file, of which a checkpoint repeats some of the journal.
    void add_sealed() {
        if (std::filesystem::exists(request_.output)) add(store::load_result_file(request_.output));
        for (auto const& block : blocks_) into_.store.insert(block);
        for (auto& part : parts_) into_.store.add(std::move(part));
        into_.quarantine.settle(into_.store);
    }

  private:
    void check_in_space(std::span<space::Result const> results) const {
        for (auto const& result : results) {
            if (columns_.points == 0 || index_of(result.task.point) < columns_.points) continue;
            throw base::StorageError(request_.output,
                                     fmt::format("{} cannot be read (it answers point {} of a space of {})",
                                                 store::journal::journal_path(request_.output).string(),
                                                 index_of(result.task.point), columns_.points));
        }
    }

    void add(store::ResultFile const& file) {
        if (!space::same_space(file.columns.canonical_text, file.columns.input_hashes, columns_.canonical_text,
                               columns_.input_hashes)) {
            throw sim::InputError(
                fmt::format("{}: belongs to another space (its parameters, constraints or what is kept differ). "
                            "Another output name?",
                            request_.output.string()));
        }
        if (auto const input = space::differing_input(file.columns.input_hashes, columns_.input_hashes)) {
            throw base::MismatchError(
                fmt::format("{1} was different when the answers of {0} were computed (this run's would not fit to "
                            "them). Restore it, or start anew with --force?",
                            request_.output.string(), *input));
        }
        into_.runs = with_itself(file.provenance);
        if (into_.store.size() == 0) {
            into_.store = file.store;  // with the blocks it knows to be done
            return;
        }
        for (search::ResultStore::Row row = 0; row < file.store.size(); ++row)
            restore(into_.store, file.store.result(row), request_.output.string());
    }

    RunRequest const& request_;
    space::Columns columns_;
    Restored& into_;
    std::vector<space::BlockSummary> blocks_;
    std::vector<space::BlockPart> parts_;
};

/// What `watch` must know of the run that writes a journal.
std::string run_text(space::Space const& space) {
    nlohmann::ordered_json run{{"start", now_text()},
                               {"host", run::machine_name()},
                               {"pid", ::getpid()},
                               {"planned", search::make_strategy(space)->planned()},
                               {"fidelity", models::name_of(space.search().fidelity)},
                               {"objectives", nlohmann::ordered_json::array()}};
    for (auto const& objective : space.objectives()) {
        run["objectives"].push_back({space.metrics()[objective.metric].name,
                                     objective.better == models::Sense::maximize ? "maximize" : "minimize"});
    }
    return run.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

void refuse_other_files(RunRequest const& request) {
    std::error_code none;
    auto const size = std::filesystem::file_size(request.output, none);
    if (none || size == 0 || store::hdf5::is_hdf5(request.output)) return;
    throw UsageError(fmt::format("{} is no result file, which --force would replace (it is kept). Another name?",
                                 request.output.string()));
}

void refuse_existing(RunRequest const& request) {
    for (auto const& path : {request.output, store::journal::journal_path(request.output)}) {
        if (std::filesystem::exists(path))
            throw UsageError(
                fmt::format("{} exists already (it is kept). Use --resume to go on with it, --force to replace it, or "
                            "another name?",
                            path.string()));
    }
}

namespace {

/// Whoever has the journal is alone with the output; what came there since it was looked for is another run's.
Journal new_journal(RunRequest const& request, store::journal::JournalHeader const& header) {
    try {
        Journal journal =
            Journal::create(store::journal::journal_path(request.output), header, store::journal::Existing::refuse);
        if (std::filesystem::exists(request.output))
            journal.remove();
        else
            return journal;
    } catch (base::StorageError const&) {
        refuse_existing(request);
        throw;
    }
    refuse_existing(request);
    throw base::StorageError(
        request.output, fmt::format("{} came and went while this run began. Start it again?", request.output.string()));
}

}  // namespace

Journal open_journal(RunRequest const& request, space::Space const& space, Restored& restored) {
    restored.warm = warm_results(request, space);
    auto const path = store::journal::journal_path(request.output);
    auto const header = store::journal::JournalHeader::of(space.columns(), run_text(space));
    if (request.if_exists == IfExists::refuse) return new_journal(request, header);
    if (request.if_exists == IfExists::replace) {
        Journal journal = Journal::create(path, header, store::journal::Existing::replace);
        std::filesystem::remove(base::destination_of(
            request.output));  // or a resumed run would take the replaced file's answers for its own
        return journal;
    }
    // The journal comes first, because its lock makes sure that the predecessor is done with the file.
    Reading reading(request, space, restored);
    Journal journal = Journal::resume(
        path, header, reading.sink(),
        request.if_exists == IfExists::salvage ? store::journal::OnDamage::salvage : store::journal::OnDamage::refuse);
    for (auto const& note : journal.report().notes) std::cerr << "pimdse: " << note << "\n";
    try {
        reading.add_sealed();
    } catch (std::exception const&) {
        if (journal.appended() == 0) journal.remove();
        throw;
    }
    if (!restored.quarantine.empty()) {
        std::cerr << fmt::format(
            "pimdse: an earlier run died with {} points under way; they are evaluated in a process apart\n",
            restored.quarantine.size());
    }
    return journal;
}

Restored peek_at_restored(RunRequest const& request, space::Space const& space) {
    Restored restored{search::ResultStore(space.metrics().size()), {}};
    bool const resuming = request.if_exists == IfExists::resume || request.if_exists == IfExists::salvage;
    if (!resuming || request.output.empty()) return restored;
    Reading reading(request, space, restored);
    if (std::filesystem::exists(store::journal::journal_path(request.output)))
        Journal::read(store::journal::journal_path(request.output), reading.sink());
    reading.add_sealed();
    return restored;
}

}  // namespace pimdse::dse::cli
