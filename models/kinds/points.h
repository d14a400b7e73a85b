// Points: models that classify points of the plane into two classes.
//
// A points model is a module with
//   Config config
//   M(config), init_weights()   the latter if M has its own initial values
//   forward(points)             (N, 2) -> (N, 1) logits of label 1
#pragma once

#include <slope/models/kinds/model.h>

namespace slope::models {

class PointsModel : public Model {
 public:
  virtual Tensor logits(const Tensor& points) const = 0;  // (N, 2) -> (N, 1)
  // Summed binary cross entropy; labels (N, 1) are 0 or 1.
  Tensor loss(const Tensor& points, const Tensor& labels) const {
    return bce_with_logits(logits(points), labels, Reduction::sum);
  }
};

class PointsType : public ModelType {
 public:
  virtual std::unique_ptr<PointsModel> make(const ModelConfig& config, Weights weights) const = 0;

 protected:
  using ModelType::ModelType;
};

template <class M>
class PointsModelOf final : public PointsModel {
 public:
  explicit PointsModelOf(M m) : module_(std::move(m)) {}
  nn::ModuleRef module() const override { return module_; }
  Tensor logits(const Tensor& points) const override { return module_(points); }

 private:
  M module_;
};

template <class M>
class PointsTypeOf final : public ModelTypeOf<M, PointsType> {
 public:
  using Base = ModelTypeOf<M, PointsType>;
  using Base::Base;
  std::unique_ptr<PointsModel> make(const ModelConfig& config, Weights weights) const override {
    return std::make_unique<PointsModelOf<M>>(Base::make_module(Base::config_of(config), weights));
  }
};

template <class M>
ModelTypePtr points(std::string name, std::string about, ConfigType<M> small = {}) {
  return std::make_shared<PointsTypeOf<M>>(std::move(name), std::move(about), Kind::points,
                                           std::move(small));
}

}  // namespace slope::models
