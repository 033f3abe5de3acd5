#include "dse/store/result/result_writer.hpp"

#include "dse/store/digest.hpp"
#include "dse/store/durable_file.hpp"
#include "dse/store/hdf5/file.hpp"
#include "dse/store/own_files.hpp"
#include "dse/store/result/certificate_table.hpp"
#include "dse/store/result/column_writer.hpp"
#include "dse/store/result/open_block_table.hpp"
#include "dse/store/result/result_parts.hpp"
#include "dse/store/result/result_schema.hpp"
#include "dse/store/result/result_tables.hpp"
#include "dse/store/result/seal_head.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <span>
#include <system_error>

namespace pimdse::dse::store::result {
namespace {

using Row = answers::ResultStore::Row;

/// Writes one file; the order of creation is fixed, so that everything but /timing and /provenance, which come last,
/// lies at the same place in the files of equal runs.
class Writer {
  public:
    /// `parts` have the rows, unless there are none.
    Writer(hdf5::Group root, task::Columns const& columns, answers::ResultStore const& store,
           std::span<Part const> parts, int threads)
        : root_(std::move(root)),
          columns_(columns),
          store_(store),
          parts_(parts),
          rows_(parts.empty() ? std::span(store.sorted()) : std::span<Row const>()),
          written_(root_, columns, store, rows_, threads),
          digest_(std::async(threads == 1 ? std::launch::deferred : std::launch::async, [this] {
              return digest(identity_text(columns_.canonical_text, columns_.input_hashes), store_);
          })) {}

    std::string write(Provenance const& provenance, task::Certificate const* certificate) {
        write_head();
        written_.write_index();
        written_.write_answers();
        write_parts(root_, parts_);
        tables::write_failures(root_, columns_, store_, rows_);
        tables::write_rules(root_, store_);
        tables::write_blocks(root_, store_);
        tables::write_open_blocks(root_, store_);
        tables::write_front(root_, columns_, store_);
        if (certificate != nullptr) tables::write_certificate(root_, columns_, *certificate);
        std::string sum = digest_.get();
        root_.attribute("digest", sum);
        written_.write_timing(provenance.progress);
        write_provenance(root_, provenance);
        return sum;
    }

  private:
    void write_head() {
        root_.attribute("schema", schema::version);
        root_.attribute("architecture", columns_.architecture);
        root_.attribute("seed", columns_.seed);
        root_.attribute("space", columns_.space_text);
        root_.attribute("canonical_space", columns_.canonical_text);
        root_.attribute("points_in_space", columns_.points);
        root_.attribute("evaluated", store_.evaluated());
        tables::write_inputs(root_, columns_);
    }

    hdf5::Group root_;
    task::Columns const& columns_;
    answers::ResultStore const& store_;
    std::span<Part const> parts_;
    std::span<Row const> rows_;
    ColumnWriter written_;
    std::future<std::string> digest_;  ///< takes as long as all columns, and each row waits for the one before
};

std::string write_file(std::filesystem::path const& path, task::Columns const& columns,
                       answers::ResultStore const& store, Provenance const& provenance, std::span<Part const> parts,
                       int threads, task::Certificate const* certificate = nullptr) {
    auto file = hdf5::File::build(path);
    std::string sum = Writer(file.root(), columns, store, parts, threads).write(provenance, certificate);
    auto const bytes = file.image();
    put_seal_head(bytes);
    replace_file(path, bytes);
    return sum;
}

/// The answers in some rows, as a run of their own.
answers::ResultStore answers_of(answers::ResultStore const& store, std::span<Row const> rows) {
    answers::ResultStore some(store.metrics());
    for (auto const row : rows) some.insert(store.answer(row));
    return some;
}

/// Writes a file whose name says what is in it, which is known when it is written.
Part write_part(std::filesystem::path const& directory, std::size_t number, task::Columns const& columns,
                answers::ResultStore const& answers, Provenance const& provenance, int threads) {
    Part part{{}, index_of(answers.task(0).point), answers.size(), {}};
    auto const unnamed = directory / part_name(number, "0");
    part.digest = write_file(unnamed, columns, answers, provenance, {}, threads);
    part.file = part_name(number, part.digest);
    std::filesystem::rename(unnamed, directory / part.file);
    sync_directory_of(directory / part.file);
    return part;
}

std::vector<Part> write_all_parts(std::filesystem::path const& master, task::Columns const& columns,
                                  answers::ResultStore const& store, Provenance provenance, std::uint64_t rows_per_part,
                                  int threads) {
    auto const directory = parts_directory(master);
    std::error_code failed;
    std::filesystem::create_directory(directory, failed);
    if (failed)
        throw StorageError(directory,
                           fmt::format("cannot make the directory {} ({})", directory.string(), failed.message()));
    provenance.set_more("state", state_part);
    provenance.progress.clear();  // the master has it
    std::span<Row const> rest = store.sorted();
    std::vector<Part> parts;
    while (!rest.empty()) {
        auto const some = rest.first(std::min<std::uint64_t>(rows_per_part, rest.size()));
        parts.push_back(write_part(directory, parts.size(), columns, answers_of(store, some), provenance, threads));
        rest = rest.subspan(some.size());
    }
    return parts;
}

}  // namespace

std::string seal(std::filesystem::path const& path, task::Columns const& columns, answers::ResultStore const& store,
                 Provenance const& provenance, int threads, std::uint64_t rows_per_part,
                 task::Certificate const* certificate) {
    sim::expects(rows_per_part > 0, "a part has rows");
    auto const master = destination_of(path);
    std::vector<Part> parts;
    if (store.size() > rows_per_part)
        parts = write_all_parts(master, columns, store, provenance, rows_per_part, threads);
    std::string sum = write_file(path, columns, store, provenance, parts, threads, certificate);
    remove_other_parts(master, parts);
    return sum;
}

}  // namespace pimdse::dse::store::result
