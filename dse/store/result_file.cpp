#include "dse/store/result_file.hpp"

#include "dse/space/input_hashes.hpp"
#include "dse/store/hdf5_file.hpp"
#include "dse/store/result_parts.hpp"
#include "dse/store/result_schema.hpp"
#include "dse/store/result_tables.hpp"
#include "dse/store/robust_tables.hpp"
#include "dse/store/row_reader.hpp"
#include "sim/base/check.hpp"
#include "sim/base/digest.hpp"
#include "sim/base/file_error.hpp"
#include "sim/base/number_in.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <fstream>
#include <new>
#include <string_view>
#include <utility>

namespace pimdse::dse::store {
namespace {

using hdf5::Group;

constexpr std::size_t max_objectives = 6;

/// Checks that a file whose bytes are not those that were sealed has the sealed content all the same, as h5repack
/// leaves it. Throws StorageError if it has not.
void check_content(base::DurableFile const& file, Seal const& seal) {
    auto const path = file.path();
    auto const refuse = [&](std::string const& what) {
        throw sim::StorageError(path, "{} {}. Is there a copy, or its journal?", path.string(), what);
    };
    try {
        if (seal.content.empty()) throw sim::StorageError(path, seal.damage);
        try_apart(path, file.size(), [&] {
            if (!hdf5::is_hdf5(file.place())) throw sim::StorageError(path, seal.damage);
            if (content_sum(hdf5::File::open(path, file.place()).root()) != seal.content)
                throw sim::InputError("another content");
        });
    } catch (sim::InputError const&) {
        refuse("was changed since it was sealed (its content is another one)");
    } catch (sim::StorageError const&) {
        refuse(fmt::format("is damaged ({})", seal.damage));
    }
}

/// Checks a file, then calls `read` with its root. A sealed file is checked by its checksum, any other one by reading
/// it in a copy of this process.
void with_file(std::filesystem::path const& path, std::function<void(hdf5::Group const&)> const& read) {
    base::DurableFile const file(path, base::DurableFile::Mode::read);
    auto const open = [&] { read(hdf5::File::open(path, file.place()).root()); };
    auto const seal = check_seal(file);
    if (seal.state == Seal::State::none) try_apart(path, file.size(), open);
    if (seal.state == Seal::State::other_bytes) check_content(file, seal);
    open();
}

/// The path of a part of this master file. Throws StorageError if the part does not exist.
std::filesystem::path place_of(Part const& part, std::filesystem::path const& master) {
    auto place = parts_directory(base::destination_of(master)) / part.file;
    if (std::filesystem::exists(place)) return place;
    throw sim::StorageError(
        place, "{} does not exist, but it has {} of the results of {}. Was the file moved without the directory {}?",
        place.string(), part.rows, master.string(), place.parent_path().filename().string());
}

/// Reads one file; any inconsistency is reported as damage.
class FileReader {
  public:
    FileReader(std::filesystem::path const& path, hdf5::Group const& root, WantedMetrics const& wanted)
        : path_(path), root_(root), wanted_(wanted) {}

    [[nodiscard]] space::Columns read_columns() const {
        check_schema();
        return columns_of(RowReader(root_));
    }

    ResultFile read() {
        check_schema();
        RowReader rows(root_);
        ResultFile file{path_, {}, search::ResultStore(rows.metrics().size()),        {}, {}, {}, {},
                        {},    {}, std::vector<ValueColumn>(rows.parameters().size())};
        file.columns = columns_of(rows);
        file.digest = root_.text("digest");
        read_front(file);
        file.certificate = tables::read_certificate(root_, file.columns);
        if (file.certificate) file.statement = root_.open_group("certificate").text("statement");
        file.robust = tables::read_robust_front(root_);
        if (wanted_) rows.read_only(wanted_(file.columns));
        rows.read(file.store, file.values);
        read_parts(file);
        restore_left_out(file);
        restore_blocks(file.store);
        tables::read_open_blocks(root_, file.store);
        file.provenance = read_provenance(root_);
        file.columns.decode = decoder_of(file.store, file.values);
        return file;
    }

  private:
    [[noreturn]] void damaged(std::string const& what) const { root_.damaged(what); }

    void check_schema() const {
        if (!root_.has_attribute("schema"))
            throw sim::InputError("{} is not a result file of pimdse (it has no schema)", path_.string());
        if (auto const found = root_.number("schema"); found < schema::oldest_version || found > schema::version) {
            throw sim::InputError(
                "{} has schema {} (this program reads schemas {} to {}). Was it written by a newer version?",
                path_.string(), found, schema::oldest_version, schema::version);
        }
    }

    [[nodiscard]] space::Columns columns_of(RowReader const& rows) const {
        space::Columns columns;
        columns.parameters = rows.parameters();
        columns.metrics = rows.metrics();
        columns.machines = rows.machines();
        columns.architecture = root_.text("architecture");
        columns.seed = root_.number("seed");
        columns.space_text = root_.text("space");
        columns.canonical_text = root_.text("canonical_space");
        columns.points = root_.number("points_in_space");
        read_inputs(columns);
        read_machine_files(columns);
        return columns;
    }

    void read_machine_files(space::Columns& columns) const {
        if (!root_.has("machine_files")) return;
        auto const group = root_.open_group("machine_files");
        auto const files = group.open_column("file").read_texts();
        auto const texts = group.open_column("text").read_texts();
        if (files.size() != texts.size()) damaged("the numbers of machine files and of their texts differ");
        for (std::size_t i = 0; i < files.size(); ++i) {
            if (std::ranges::find(columns.input_hashes, std::pair(files[i], sim::sha256(texts[i]))) ==
                columns.input_hashes.end())
                damaged(fmt::format("the text of {} is not that of which it has the SHA-256", files[i]));
            columns.machine_files.push_back({files[i], texts[i]});
        }
    }

    void read_inputs(space::Columns& columns) const {
        bool const as_attributes = root_.has_attribute("input_files");  // files of version 1
        auto const names =
            as_attributes ? root_.texts("input_files") : root_.open_group("inputs").open_column("file").read_texts();
        auto const sums =
            as_attributes ? root_.texts("input_sha256") : root_.open_group("inputs").open_column("sha256").read_texts();
        if (names.size() != sums.size()) damaged("the numbers of input files and of their SHA-256 sums differ");
        for (std::size_t i = 0; i < names.size(); ++i) columns.input_hashes.emplace_back(names[i], sums[i]);
    }

    void read_front(ResultFile& file) const {
        auto const group = root_.open_group("front");
        auto const names = group.texts("objectives");
        auto const senses = group.texts("better");
        if (names.size() != senses.size() || names.size() > max_objectives)
            damaged("objectives without a sense, or too many of them");
        for (std::size_t i = 0; i < names.size(); ++i) {
            int const metric = models::find_metric(file.columns.metrics, names[i]);
            if (metric < 0) damaged(fmt::format("objective {} is not among the metrics", names[i]));
            auto const better = schema::sense_named(senses[i]);
            if (better == models::Sense::none)
                damaged(fmt::format("objective {} is neither minimized nor maximized", names[i]));
            file.columns.objectives.push_back({static_cast<std::size_t>(metric), better});
        }
        for (auto const id : group.open_column("ids").read<std::uint64_t>()) file.front.push_back(space::PointId{id});
        auto const fidelity = group.text("fidelity");
        auto const found = std::find(models::fidelity_names.begin(), models::fidelity_names.end(), fidelity);
        if (found == models::fidelity_names.end()) damaged("unknown fidelity of the front");
        file.front_fidelity = static_cast<models::Fidelity>(found - models::fidelity_names.begin());
        tables::read_history(group, file.history);
    }

    /// Reads the rows that are stored in part files.
    void read_parts(ResultFile& file) const {
        for (auto const& part : dse::store::read_parts(root_)) {
            with_file(place_of(part, path_), [&](hdf5::Group const& root) { read_part(root, part, file); });
        }
    }

    void read_part(hdf5::Group const& root, Part const& part, ResultFile& file) const {
        RowReader rows(root);
        auto const same_names = [](auto const& table, auto const& other) {
            return std::ranges::equal(
                table, other, {}, [](auto const& row) { return row.name; }, [](auto const& row) { return row.name; });
        };
        space::Columns theirs;
        FileReader(path_, root, wanted_).read_inputs(theirs);
        bool const same = space::same_space(root.text("canonical_space"), theirs.input_hashes,
                                            file.columns.canonical_text, file.columns.input_hashes) &&
                          same_names(rows.parameters(), file.columns.parameters) &&
                          same_names(rows.metrics(), file.columns.metrics);
        if (!same || rows.rows() != part.rows || root.text("digest") != part.digest)
            root.damaged(fmt::format("it is not the part that {} refers to", path_.string()));
        if (wanted_) rows.read_only(wanted_(file.columns));
        rows.read(file.store, file.values);
    }

    /// Reads which blocks of ids are complete, if only fronts were kept.
    void restore_blocks(search::ResultStore& store) const {
        if (!root_.has("blocks")) return;
        auto const group = root_.open_group("blocks");
        auto const blocks = group.open_column("block").read<std::uint64_t>();
        auto const fidelities = group.open_column("fidelity").read<std::uint8_t>();
        auto const points = group.open_column("points").read<std::uint64_t>();
        if (fidelities.size() != blocks.size() || points.size() != blocks.size())
            damaged("/blocks has columns of different length");
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            if (fidelities[i] >= models::fidelity_names.size()) damaged("unknown fidelity of a block");
            if (points[i] > space::BlockSummary::ids)
                damaged(fmt::format("block {} has {} points, more than it has ids", blocks[i], points[i]));
            if (!store.add_block(blocks[i], static_cast<models::Fidelity>(fidelities[i]), points[i]))
                damaged(fmt::format("block {} occurs twice", blocks[i]));
        }
    }

    /// Restores the numbers of points that are counted in the file but have no row, because only fronts were kept.
    void restore_left_out(ResultFile& file) const {
        search::ResultStore& store = file.store;
        auto const group = root_.open_group("rules");
        auto const names = group.open_column("rule").read_texts();
        auto const points = group.open_column("points").read<std::uint64_t>();
        if (names.size() != points.size()) damaged("/rules has columns of different length");
        for (std::size_t i = 0; i < names.size(); ++i) file.stated_rules[names[i]] += points[i];
        std::uint64_t const evaluated = root_.number("evaluated");
        if (evaluated == store.size()) return;
        if (evaluated < store.size())
            damaged(fmt::format("it states {} results, but has {} rows", evaluated, store.size()));
        std::vector<space::BlockSummary::Count> left_out;
        std::uint64_t dominated = evaluated - std::min<std::uint64_t>(evaluated, store.size());
        for (std::size_t i = 0; i < names.size(); ++i) {
            auto const& kept = store.counts_per_rule();
            std::uint64_t const rows = kept.contains(names[i]) ? kept.at(names[i]) : 0;
            if (points[i] <= rows) continue;
            left_out.push_back({names[i], points[i] - rows});
            dominated -= std::min(dominated, points[i] - rows);
        }
        if (dominated != 0) left_out.push_back({"", dominated});
        store.add_left_out(left_out);
    }

    std::filesystem::path const& path_;
    hdf5::Group const& root_;
    WantedMetrics const& wanted_;
};

/// The first letter of the verdict that the copy sends: that it read the file, or why it did not.
enum ReadOutcome : char { readable = 'R', bad_input = 'I', damaged = 'D', out_of_memory = 'M', host_refuses = 'H' };

/// Deflate expands one byte to at most 1,032 bytes, and every value is held in several forms.
constexpr std::uint64_t memory_per_byte = 5000, memory_at_least = std::uint64_t{2} << 30;
constexpr std::uint64_t seconds_at_least = 5, bytes_per_second = 1'000'000;

/// Returns false if the limit was lower already.
bool limit(int resource, std::uint64_t value) {
    rlimit limits{};
    ::getrlimit(static_cast<__rlimit_resource_t>(resource), &limits);
    if (limits.rlim_cur < value) return false;
    limits.rlim_cur = value;
    return ::setrlimit(static_cast<__rlimit_resource_t>(resource), &limits) == 0;
}

/// Address space of this process, in bytes.
std::uint64_t reserved_bytes() {
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// Limits CPU time and memory of this process, generously for a file of `bytes` bytes, and silences its output. Returns
/// false if the host allows less memory.
bool confine(std::uint64_t bytes) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    // Signals that ask a process to stop keep the disposition of the parent, which may ignore them (nohup).
    for (int const signal : {SIGALRM, SIGXCPU, SIGSEGV, SIGBUS, SIGFPE, SIGABRT}) ::signal(signal, SIG_DFL);
    // Output of a crashing library is of no use to the user.
    if (int const nowhere = ::open("/dev/null", O_WRONLY); nowhere >= 0) {
        ::dup2(nowhere, STDOUT_FILENO);
        ::dup2(nowhere, STDERR_FILENO);
    }
    std::uint64_t const seconds = seconds_at_least + bytes / bytes_per_second;
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, seconds);
    ::alarm(static_cast<unsigned>(60 + 10 * seconds));  // for waiting without computing, as on a slow file system
    std::set_new_handler(nullptr);                      // want of memory is a verdict on the file, too
    return limit(RLIMIT_AS, reserved_bytes() + memory_at_least + bytes * memory_per_byte);
}

std::string verdict_on(std::function<void()> const& read, bool memory_suffices) {
    try {
        read();
        return {readable};
    } catch (sim::InputError const& error) {
        return std::string(1, bad_input) + error.what();
    } catch (std::bad_alloc const&) {
        return {memory_suffices ? out_of_memory : host_refuses};
    } catch (std::exception const& error) {
        return std::string(1, damaged) + error.what();
    }
}

/// Reads the file in the copy, writes the verdict to the pipe and ends the process.
[[noreturn]] void judge(int into, std::uint64_t bytes, std::function<void()> const& read) {
    bool const memory_suffices = confine(bytes);
    constexpr std::size_t max = 4096;  // a pipe accepts so many bytes in one write
    auto const verdict = verdict_on(read, memory_suffices).substr(0, max);
    ssize_t const written = ::write(into, verdict.data(), verdict.size());
    ::_exit(written == static_cast<ssize_t>(verdict.size()) ? 0 : 1);
}

std::string received_from(int pipe) {
    std::string received;
    std::array<char, 4096> part{};
    while (true) {
        ssize_t const got = ::read(pipe, part.data(), part.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return received;
        received.append(part.data(), static_cast<std::size_t>(got));
    }
}

std::string death_text(int status) {
    if (!WIFSIGNALED(status)) return fmt::format("exit code {}", WEXITSTATUS(status));
    if (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGALRM) return "it took too long";
    return fmt::format("signal {}, {}", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
}

[[noreturn]] void refuse(std::filesystem::path const& file, std::string_view verdict, int status) {
    if (verdict.starts_with(bad_input)) throw sim::InputError(std::string(verdict.substr(1)));
    if (verdict.starts_with(host_refuses)) throw std::bad_alloc();
    if (verdict.starts_with(damaged)) throw sim::StorageError(file, std::string(verdict.substr(1)));
    if (verdict.starts_with(out_of_memory)) {
        throw sim::StorageError(file, "{} is damaged (reading it takes more memory than a file of its size can need)",
                                file.string());
    }
    throw sim::StorageError(file, "{} is damaged (the process that tried to read it ended: {})", file.string(),
                            death_text(status));
}

}  // namespace

std::vector<models::Value> ResultFile::point(search::Row row) const {
    std::vector<models::Value> point;
    for (auto const& column : values) point.push_back(column[row]);
    return point;
}

std::uint64_t planned_points(ResultFile const& file) {
    return sim::number_in<std::uint64_t>(file.provenance.more_of("planned")).value_or(file.columns.points);
}

std::uint64_t missing_points(ResultFile const& file) {
    auto const evaluated = file.store.evaluated();
    if (evaluated >= file.columns.points && file.columns.points > 0) return 0;
    auto const plans = united(file.provenance.plans);
    auto const missing = missing_in(plans);
    bool const stopped = file.provenance.unfinished() && file.provenance.more_of("state") != state_shards_missing;
    if (!stopped) return missing;
    auto const planned = planned_in(plans);  // the number of points that it reached is known, but not which ones
    return planned - std::min(planned, evaluated);
}

space::Columns load_columns(std::filesystem::path const& path) {
    space::Columns columns;
    with_file(path, [&](hdf5::Group const& root) { columns = FileReader(path, root, {}).read_columns(); });
    return columns;
}

ResultFile load_result_file(std::filesystem::path const& path, WantedMetrics const& wanted) {
    if (!std::filesystem::exists(path)) throw sim::InputError("{} does not exist", path.string());
    if (!std::filesystem::is_regular_file(path)) throw sim::InputError("{} is not a regular file", path.string());
    std::optional<ResultFile> file;
    with_file(path, [&](hdf5::Group const& root) { file = FileReader(path, root, wanted).read(); });
    space::rename_own_files(
        file->columns, space::moved_files(file->columns.input_hashes, std::filesystem::absolute(path).parent_path()));
    return std::move(*file);
}

std::vector<models::Metrics> load_metrics(std::filesystem::path const& path, std::vector<space::Task> const& tasks) {
    std::map<space::Task, models::Metrics> found;
    for (auto const& task : tasks) found[task];
    auto const look = [&](hdf5::Group const& root) { RowReader(root).find_metrics(found); };
    with_file(path, [&](hdf5::Group const& root) {
        look(root);
        for (auto const& part : dse::store::read_parts(root)) with_file(place_of(part, path), look);
    });
    std::vector<models::Metrics> metrics;
    for (auto const& task : tasks) metrics.push_back(found[task]);
    return metrics;
}

void try_apart(std::filesystem::path const& file, std::uint64_t bytes, std::function<void()> const& read) {
    std::array<int, 2> pipe{-1, -1};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) throw sim::StorageError::from_errno(file, "read", errno);
    pid_t const copy = ::fork();
    if (copy == 0) judge(pipe[1], bytes, read);
    int const error = errno;
    ::close(pipe[1]);
    auto const verdict = copy < 0 ? std::string() : received_from(pipe[0]);
    ::close(pipe[0]);
    if (copy < 0) throw sim::StorageError::from_errno(file, "start a process to read", error);
    int status = 0;
    while (::waitpid(copy, &status, 0) < 0 && errno == EINTR) {
    }
    if (!verdict.starts_with(readable)) refuse(file, verdict, status);
}

}  // namespace pimdse::dse::store
