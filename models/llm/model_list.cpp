#include "models/llm/model_list.hpp"

#include "models/llm/language_models.hpp"

#include <deque>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <tuple>
#include <utility>

namespace pimdse::models {

SharedModels models_of(Parameters const& parameters, std::string_view parameter) {
    SharedModels models;
    for (auto const& name : parameters.at(static_cast<std::size_t>(find_parameter(parameters, parameter))).choices)
        models.push_back(name == "none" ? std::make_shared<LanguageModel const>() : shared_language_model(name));
    return models;
}

struct ModelList::Parts {
    using Key = std::tuple<std::size_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

    std::shared_mutex mutex;
    std::deque<LanguageModel> models;  ///< references stay valid when it grows
    std::map<Key, std::variant<std::size_t, NotDivisible>> known;
};

ModelList::ModelList(SharedModels models) : models_(std::move(models)), parts_(std::make_shared<Parts>()) {}

LanguageModel const& ModelList::part_at(std::size_t position) const {
    std::shared_lock const lock(parts_->mutex);
    return parts_->models.at(position - models_.size());
}

std::variant<std::size_t, NotDivisible> ModelList::part_of(std::size_t position, Division const& division,
                                                           std::int64_t stage) const {
    if (division.parts() == 1 && division.joined == 1) return position;
    Parts::Key const key{position, division.tensor, division.expert, division.pipeline, division.joined, stage};
    {
        std::shared_lock const lock(parts_->mutex);
        if (auto const found = parts_->known.find(key); found != parts_->known.end()) return found->second;
    }
    auto part = shard_of(*models_.at(position), division, stage);
    std::unique_lock const lock(parts_->mutex);
    auto const [entry, is_new] = parts_->known.try_emplace(key, NotDivisible{});
    if (!is_new) return entry->second;
    if (auto* reason = std::get_if<NotDivisible>(&part)) {
        entry->second = std::move(*reason);
    } else {
        entry->second = models_.size() + parts_->models.size();
        parts_->models.push_back(std::move(std::get<LanguageModel>(part)));
    }
    return entry->second;
}

}  // namespace pimdse::models
