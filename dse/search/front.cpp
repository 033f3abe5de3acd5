#include "dse/search/front.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

namespace pimdse::dse::search {
namespace {

constexpr std::uint64_t max_rows = 128;
constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

void values_of(ResultStore const& store, Row row, std::span<space::Objective const> objectives,
               std::vector<double>& into) {
    into.clear();
    for (auto const& objective : objectives) into.push_back(store.value(row, objective.metric));
}

bool counts(ResultStore const& store, Row row, models::Fidelity fidelity) {
    return store.status(row) == Status::ok && store.task(row).fidelity == fidelity;
}

/// Ids per row of the history: one block, or as many blocks as limit the history to 128 rows.
std::uint64_t ids_per_row(ResultStore const& store) {
    std::uint64_t const last = store.size() == 0 ? 0 : index_of(store.task(store.sorted().back()).point);
    std::uint64_t ids = space::BlockSummary::ids;
    while (last / ids >= max_rows) ids *= 2;
    return ids;
}

/// Beyond these sizes, by number of objectives, an exact hypervolume takes much of a second or more; the last front may
/// take some seconds.
using Sizes = std::array<std::size_t, Archive::max_objectives>;
constexpr Sizes largest_front{no_limit, no_limit, no_limit, 16384, 2048, 1024};
constexpr Sizes largest_last_front{no_limit, no_limit, no_limit, 131072, 8192, 2048};

std::vector<double> values_in(std::vector<Archive::Member> const& members) {
    std::vector<double> points;
    for (auto const& member : members) points.insert(points.end(), member.values.begin(), member.values.end());
    return points;
}

/// The dominated share of a growing front with four or more objectives.
class LargeShare {
  public:
    explicit LargeShare(ObjectiveBox const& box) : box_(box) {}

    [[nodiscard]] double of(Archive const& archive, bool last) {
        auto members = archive.members();
        if (members.size() > (last ? largest_last_front : largest_front)[box_.senses.size() - 1])
            return share_ = std::nan("");
        std::vector<Archive::Member> fresh;
        std::set_difference(members.begin(), members.end(), members_.begin(), members_.end(), std::back_inserter(fresh),
                            [](auto const& a, auto const& b) { return a.point < b.point; });
        bool const few = fresh.size() * (box_.senses.size() == 4 ? dearer_alone : 8) < members.size();
        share_ = few && !std::isnan(share_) ? share_ + added_by(fresh) : dominated_share(values_in(members), box_);
        members_ = std::move(members);
        return share_;
    }

  private:
    static constexpr std::size_t dearer_alone = 512;  ///< with four objectives, recomputing the whole front costs no
                                                      ///< more than adding one new member alone for each 512 members

    /// The sum of what each new member adds to the members before it.
    double added_by(std::vector<Archive::Member> const& fresh) {
        std::size_t const dimensions = box_.senses.size();
        std::vector<double> const unit(dimensions, 1.0);
        auto normal = normalised(values_in(members_));
        double sum = 0.0;
        for (auto const& member : fresh) {
            auto const point = normalised(member.values);
            sum += exclusive_hypervolume(point, normal, unit);
            normal.insert(normal.end(), point.begin(), point.end());
        }
        return sum;
    }

    std::vector<double> normalised(std::vector<double> points) const {
        std::size_t const dimensions = box_.senses.size();
        for (std::size_t at = 0; at < points.size(); at += dimensions) {
            auto const point = std::span(points).subspan(at, dimensions);
            box_.normalise(point, point);
        }
        return points;
    }

    ObjectiveBox const& box_;
    std::vector<Archive::Member> members_;
    double share_ = 0.0;
};

/// The dominated share of a growing front.
class Share {
  public:
    explicit Share(ObjectiveBox const& box) : box_(box), normal_(box.senses.size()), large_(box) {
        if (normal_.size() <= GrowingHypervolume::max_objectives) small_.emplace(normal_.size());
    }

    /// Must be called for every member at least once.
    void add(std::span<double const> values) {
        if (!small_) return;
        box_.normalise(values, normal_);
        small_->add(normal_);
    }
    [[nodiscard]] double of(Archive const& archive, bool last) {
        return small_ ? small_->volume() : large_.of(archive, last);
    }

  private:
    ObjectiveBox const& box_;
    std::vector<double> normal_;
    std::optional<GrowingHypervolume> small_;
    LargeShare large_;
};

}  // namespace

models::Fidelity finest_fidelity(ResultStore const& store) { return store.finest(); }

Archive front_of(ResultStore const& store, std::span<space::Objective const> objectives,
                 std::optional<models::Fidelity> fidelity, std::function<bool(Row)> const& keep) {
    auto const wanted = fidelity.value_or(finest_fidelity(store));
    Archive archive(senses_of(objectives));
    std::vector<double> values;
    for (Row row = 0; row < store.size(); ++row) {
        if (!counts(store, row, wanted) || (keep && !keep(row))) continue;
        values_of(store, row, objectives, values);
        archive.insert(store.task(row).point, values);
    }
    return archive;
}

ObjectiveBox box_of(ResultStore const& store, std::span<space::Objective const> objectives, models::Fidelity fidelity) {
    auto box = ObjectiveBox::around_nothing(senses_of(objectives));
    std::vector<double> values;
    for (Row row = 0; row < store.size(); ++row) {
        if (!counts(store, row, fidelity)) continue;
        values_of(store, row, objectives, values);
        box.include(values);
    }
    return box;
}

FrontHistory front_history(ResultStore const& store, std::span<space::Objective const> objectives,
                           models::Fidelity fidelity) {
    FrontHistory history;
    history.box = box_of(store, objectives, fidelity);
    history.ids_per_row = ids_per_row(store);
    Archive archive(senses_of(objectives));
    std::vector<double> values;
    std::uint64_t evaluations = 0;
    Share growing(history.box);
    bool changed = false;
    double share = 0.0;
    auto const& rows = store.sorted();
    auto block = store.blocks().begin();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (store.blocks().empty()) ++evaluations;
        if (counts(store, rows[i], fidelity)) {
            values_of(store, rows[i], objectives, values);
            if (archive.insert(store.task(rows[i]).point, values)) {
                growing.add(values);
                changed = true;
            }
        }
        std::uint64_t const row = index_of(store.task(rows[i]).point) / history.ids_per_row;
        if (i + 1 < rows.size() && index_of(store.task(rows[i + 1]).point) / history.ids_per_row == row) continue;
        bool const last = i + 1 == rows.size();
        if (changed || (last && std::isnan(share))) share = growing.of(archive, last);
        changed = false;
        for (; block != store.blocks().end() &&
               block->first.first * space::BlockSummary::ids / history.ids_per_row <= row;
             ++block)
            evaluations += block->second;
        history.first_id.push_back(row * history.ids_per_row);
        history.evaluations.push_back(evaluations);
        history.hypervolume.push_back(share);
        history.size.push_back(archive.size());
    }
    history.front = archive.ids();
    return history;
}

std::vector<HistoryStep> fine_history(ResultStore const& store, std::span<space::Objective const> objectives,
                                      models::Fidelity fidelity, std::size_t steps) {
    if (objectives.size() > GrowingHypervolume::max_objectives || store.size() == 0) return {};
    auto const box = box_of(store, objectives, fidelity);
    Archive archive(box.senses);
    GrowingHypervolume volume(objectives.size());
    std::vector<double> values, normal(objectives.size());
    std::vector<HistoryStep> history;
    auto const& rows = store.sorted();
    std::size_t const step = (rows.size() + steps - 1) / std::max<std::size_t>(steps, 1);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (counts(store, rows[i], fidelity)) {
            values_of(store, rows[i], objectives, values);
            if (archive.insert(store.task(rows[i]).point, values)) {
                box.normalise(values, normal);
                volume.add(normal);
            }
        }
        if ((i + 1) % step == 0 || i + 1 == rows.size()) history.push_back({i + 1, volume.volume(), archive.size()});
    }
    return history;
}

FrontCount::FrontCount(ResultStore const& store, std::span<space::Objective const> objectives,
                       models::Fidelity fidelity)
    : store_(store),
      objectives_(objectives.begin(), objectives.end()),
      fidelity_(fidelity),
      front_(senses_of(objectives)) {}

void FrontCount::look(std::chrono::microseconds at_most) {
    using Clock = std::chrono::steady_clock;
    constexpr std::uint64_t rows_per_clock_check = 64;
    auto const until = Clock::now() + at_most;
    for (; next_ < store_.size(); ++next_) {
        if (next_ % rows_per_clock_check == 0 && Clock::now() >= until) return;
        auto const row = static_cast<Row>(next_);
        if (!counts(store_, row, fidelity_)) continue;
        values_of(store_, row, objectives_, values_);
        front_.insert(store_.task(row).point, values_);
    }
}

}  // namespace pimdse::dse::search
