#pragma once

#include "models/chips/composition.hpp"
#include "models/contract/architecture.hpp"
#include "models/contract/weight_layout.hpp"

#include <cstddef>
#include <memory>
#include <vector>

/// Several devices of an architecture that serve one model: an architecture again, whose parameters are those of one
/// device and those of the group (group.hpp). A device evaluates its part of the model by its own architecture; what
/// the devices exchange is in closed form at every fidelity. For one device, the results are those of the architecture
/// itself. docs/models.md.
namespace pimdse::models::chips {

/// The architecture of one device, and where its tables have what a group needs.
class Device {
  public:
    explicit Device(Architecture architecture);

    [[nodiscard]] Architecture const& architecture() const { return architecture_; }
    /// Number of parameters of one device.
    [[nodiscard]] std::size_t own() const { return own_; }

    [[nodiscard]] Parameters parameters() const;
    [[nodiscard]] std::variant<RequestResult, Infeasible> request(Inputs const& inputs, Point point, Fidelity fidelity,
                                                                  Breakdown* breakdown) const;
    [[nodiscard]] Trace trace(Inputs const& inputs, Point point, Fidelity fidelity) const;
    [[nodiscard]] std::variant<ServiceEngine, Infeasible> engine(Inputs const& inputs, Point point,
                                                                 Fidelity fidelity) const;
    [[nodiscard]] Classes classes(Parameters const& parameters, ClassRequest const& request,
                                  AxisValues const& axes) const;
    [[nodiscard]] Ledger ledger() const;
    [[nodiscard]] CycleKeyMaker key(Inputs const& inputs, Point point, std::size_t widened) const;
    [[nodiscard]] std::vector<KeyDeclaration> declarations() const;
    [[nodiscard]] std::vector<std::size_t> deciding(Inputs const& inputs, Point point) const;
    [[nodiscard]] std::vector<MonotoneLowerBound> monotone_lower_bounds(Inputs const& inputs) const;

    /// The point of a device of the last stage as a machine that serves its part of the model alone. Throws InputError
    /// if the group cannot be built.
    [[nodiscard]] std::vector<Value> device_point(Inputs const& inputs, Point point) const;

  private:
    struct Stages;
    /// The values of group_parameters; a machine that serves traffic has others behind them.
    [[nodiscard]] Point group_values(Point point) const { return point.subspan(own_, group_size_); }
    [[nodiscard]] std::variant<GroupResult, Infeasible> serve_stages(Inputs const& inputs, Point point,
                                                                     DeviceGroup const& group, Fidelity fidelity,
                                                                     std::vector<Breakdown>* breakdowns) const;
    [[nodiscard]] std::variant<Stages, Infeasible> stages(Inputs const& inputs, Point point,
                                                          DeviceGroup const& group) const;
    [[nodiscard]] std::optional<Stages> stages_of(Inputs const& inputs, Point point) const;
    [[nodiscard]] std::variant<DeviceGroup, Infeasible> group_of(Inputs const& inputs, Point point) const;
    [[nodiscard]] ModelRequest request_of(Point point) const;
    [[nodiscard]] std::variant<std::vector<Value>, Infeasible> part(Inputs const& inputs, Point point,
                                                                    DeviceGroup const& group, std::int64_t stage) const;
    [[nodiscard]] LanguageModel const& model_of(Inputs const& inputs, Point point) const;
    [[nodiscard]] std::vector<Value> with_batch(Point point, DeviceGroup const& group) const;
    [[nodiscard]] Estimate footprint(Inputs const& inputs, std::vector<Value> point, DeviceGroup const& group,
                                     RequestResult const& result, std::optional<Infeasible>& reason) const;

    Architecture architecture_;
    MetricList own_metrics_;                ///< those that are not common
    std::size_t own_ = 0, group_size_ = 0;  ///< number of parameters of a device, and of a group
    std::size_t llm_, batch_, input_, output_;
    /// -1: the architecture does not have it.
    int generation_, steps_, block_length_, cache_, scope_, draft_, acceptance_, draft_llm_;
    std::size_t diffusion_ = 0;   ///< choice of `generation`
    std::size_t end_to_end_ = 0;  ///< choice of `scope`
};

/// The device of an architecture; made once.
template <Architecture (*one)()>
[[nodiscard]] Device const& device() {
    static Device const made{one()};
    return made;
}

/// The architecture of groups of one or more of these devices.
[[nodiscard]] Architecture several(std::shared_ptr<Device const> device);

template <Architecture (*one)()>
[[nodiscard]] Architecture several() {
    return several(std::shared_ptr<Device const>(std::shared_ptr<void>(), &device<one>()));
}

}  // namespace pimdse::models::chips
