#include "dse/store/journal/opening.hpp"

#include "dse/store/own_files.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>

namespace pimdse::dse::store::journal::opening {

std::optional<DurableFile> begin(std::filesystem::path const& path, JournalHeader const& header, Over over) {
    // Whoever makes a journal holds its temporary meanwhile, so that nobody else's can appear between the look and the
    // renaming.
    Replacement fresh(path);
    if (over == Over::nothing && identity_of(path)) return std::nullopt;
    fresh.file().write(format::header_bytes(header));
    return fresh.take_name();
}

void check_same_space(std::filesystem::path const& path, JournalHeader const& found, JournalHeader const& wanted) {
    if (!same_space(found.canonical_text, found.inputs, wanted.canonical_text, wanted.inputs)) {
        std::string const difference =
            found.architecture != wanted.architecture
                ? fmt::format("it is for {}, this one is for {}", found.architecture, wanted.architecture)
                : "its parameters, constraints or inputs differ";
        throw sim::InputError(
            fmt::format("{} belongs to another space ({}). Choose another output, or start anew with --force?",
                        path.string(), difference));
    }
    if (found.metrics != wanted.metrics) {
        throw sim::InputError(fmt::format(
            "{} was written by another version of this program (its metrics differ). Start anew with --force?",
            path.string()));
    }
    if (auto const input = differing_input(found.inputs, wanted.inputs)) {
        throw MismatchError(
            fmt::format("{1} was different when the answers of {0} were computed (this run's would not fit to them). "
                        "Restore it, or start anew with --force?",
                        path.string(), *input));
    }
}

namespace {

/// What vouches for the space of records behind a damaged head.
std::string vouched(DurableFile const& file, format::Head const& head, JournalHeader const& wanted) {
    if (head.header) {
        check_same_space(file.path(), *head.header, wanted);
        return "its records are of this space";
    }
    switch (format::space_named_by(file, file.size(), wanted)) {
        case format::Named::this_one:
            return "what is left of it names this space";
        case format::Named::another:
            throw sim::InputError(
                fmt::format("{} is damaged, and what is left of its head names another space. Choose another output, "
                            "or start anew with --force?",
                            file.path().string()));
        case format::Named::unreadable:
            break;
    }
    return "it does not say any more of which space its records are; they are taken for this one's";
}

}  // namespace

Opened open_head(DurableFile const& file, format::Head const& head, JournalHeader const& wanted, OnDamage on_damage) {
    if (head.state == format::HeadState::whole) {
        check_same_space(file.path(), *head.header, wanted);
        return {*head.header, head.end, {}};
    }
    if (on_damage == OnDamage::refuse) {
        throw StorageError(
            file.path(),
            fmt::format(
                "{}; nothing was changed. Keep what can be read, and set the damaged file aside (--resume --force)?",
                head.problem));
    }
    return {wanted, head.end, {fmt::format("{}; {}", head.problem, vouched(file, head, wanted))}};
}

}  // namespace pimdse::dse::store::journal::opening
