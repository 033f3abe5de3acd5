#include "dse/store/result/timeline.hpp"

namespace pimdse::dse::store::result {

void Timeline::add(Moment moment) {
    std::scoped_lock const lock(mutex_);
    last_ = moment;
    if (!kept_.empty() && moment.seconds < kept_.back().seconds + apart_) return;
    kept_.push_back(moment);
    if (kept_.size() < most) return;  // there is always a place for the last one
    for (std::size_t i = 0; i < most / 2; ++i) kept_[i] = kept_[2 * i];
    kept_.resize(most / 2);
    apart_ = 2.0 * kept_.back().seconds / static_cast<double>(most);
}

std::vector<Moment> Timeline::moments() const {
    std::scoped_lock const lock(mutex_);
    auto moments = kept_;
    if (!moments.empty() && moments.back().answers == last_.answers && moments.back().seconds == last_.seconds)
        return moments;
    if (!moments.empty()) moments.push_back(last_);
    return moments;
}

void write_progress(hdf5::Group& timing, std::vector<Moment> const& moments) {
    std::vector<double> seconds;
    std::vector<std::uint64_t> answers;
    for (auto const& moment : moments) {
        seconds.push_back(moment.seconds);
        answers.push_back(moment.answers);
    }
    auto group = timing.create_group("progress");
    group.put("seconds", seconds).attribute("unit", "s");
    group.put("answers", answers);
}

}  // namespace pimdse::dse::store::result
