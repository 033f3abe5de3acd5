#include "dse/strategy/listed.hpp"

#include <algorithm>
#include <utility>

namespace pimdse::dse::strategy {
namespace {

class Listed final : public Strategy {
  public:
    explicit Listed(std::vector<task::Task> tasks) : tasks_(std::move(tasks)) {}

    task::Batch ask(std::uint64_t most) override {
        if (next_ == tasks_.size()) return {};
        auto const fidelity = tasks_[next_].fidelity;  // a batch has one
        std::vector<task::PointId> points;
        for (; points.size() < most && next_ < tasks_.size() && tasks_[next_].fidelity == fidelity; ++next_)
            points.push_back(tasks_[next_].point);
        return task::Batch::list(std::move(points), fidelity);
    }
    void tell(task::Answer const&) override {}
    std::uint64_t planned() const override { return tasks_.size(); }

  private:
    std::vector<task::Task> tasks_;
    std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_listed(std::vector<task::Task> tasks) {
    return std::make_unique<Listed>(std::move(tasks));
}

}  // namespace pimdse::dse::strategy
