#include "linn/nn/similarity.h"

#include <algorithm>
#include <cmath>

#include "linn/kernels/elementwise.h"
#include "linn/kernels/matmul.h"

namespace linn {
namespace {

// With c = cos(a, b):  dc/da = b / (|a||b|) - c a / |a|^2, and the same the other way round.
class CosineSimilarity : public Similarity {
 public:
  CosineSimilarity(std::size_t width, float alpha) : width_(width), alpha_(alpha) {}

  void prepare(const ParameterSet&) override {}
  std::size_t scratch(std::size_t rows) const override { return 5 * rows; }

  void score(std::size_t rows, const RowSource& a, const RowSource& b, float* scores, float* scratch) const override {
    float* square_a = scratch;
    float* square_b = scratch + rows;
    float* cosine = scratch + 2 * rows;
    dot_rows(rows, width_, a, a, square_a);
    dot_rows(rows, width_, b, b, square_b);
    dot_rows(rows, width_, a, b, cosine);
    for (std::size_t i = 0; i < rows; ++i) {
      // The cosine of a vector of zeros is 0 instead of undefined.
      square_a[i] = std::max(square_a[i], kLeastSquare);
      square_b[i] = std::max(square_b[i], kLeastSquare);
      cosine[i] /= std::sqrt(square_a[i]) * std::sqrt(square_b[i]);
      scores[i] = alpha_ * cosine[i];
    }
  }

  void backward(std::size_t rows, const RowSource& a, const RowSource& b, const float* d_scores, const RowTarget& d_a,
                bool accumulate_a, const RowTarget& d_b, ParameterGradients*, float* scratch) const override {
    const float* square_a = scratch;
    const float* square_b = scratch + rows;
    const float* cosine = scratch + 2 * rows;
    float* cross = scratch + 3 * rows;
    float* own = scratch + 4 * rows;
    for (std::size_t i = 0; i < rows; ++i) {
      cross[i] = alpha_ * d_scores[i] / (std::sqrt(square_a[i]) * std::sqrt(square_b[i]));
    }
    // b first: d_a may overwrite a.
    if (d_b.data != nullptr) {
      for (std::size_t i = 0; i < rows; ++i) own[i] = -alpha_ * d_scores[i] * cosine[i] / square_b[i];
      blend_rows(rows, width_, cross, a, own, b, d_b, true);
    }
    for (std::size_t i = 0; i < rows; ++i) own[i] = -alpha_ * d_scores[i] * cosine[i] / square_a[i];
    blend_rows(rows, width_, cross, b, own, a, d_a, accumulate_a);
  }

 private:
  static constexpr float kLeastSquare = 1e-16F;
  std::size_t width_;
  float alpha_;
};

class DotSimilarity : public Similarity {
 public:
  explicit DotSimilarity(std::size_t width) : width_(width) {}

  void prepare(const ParameterSet&) override {}
  std::size_t scratch(std::size_t rows) const override { return rows; }

  void score(std::size_t rows, const RowSource& a, const RowSource& b, float* scores, float*) const override {
    dot_rows(rows, width_, a, b, scores);
  }

  void backward(std::size_t rows, const RowSource& a, const RowSource& b, const float* d_scores, const RowTarget& d_a,
                bool accumulate_a, const RowTarget& d_b, ParameterGradients*, float* scratch) const override {
    std::fill_n(scratch, rows, 0.0F);
    if (d_b.data != nullptr) blend_rows(rows, width_, d_scores, a, scratch, a, d_b, true);
    blend_rows(rows, width_, d_scores, b, scratch, b, d_a, accumulate_a);
  }

 private:
  std::size_t width_;
};

class MlpSimilarity : public Similarity {
 public:
  MlpSimilarity(std::size_t width, ParameterSet& parameters) : width_(width) {
    const auto add = [&](const char* name, std::size_t rows, std::size_t cols, ParameterKind kind) {
      return parameters.add(std::string("similarity.") + name, rows, cols, kind);
    };
    left_.index = add("left", width, width, ParameterKind::kWeight);
    right_.index = add("right", width, width, ParameterKind::kWeight);
    bias_.index = add("bias", 1, width, ParameterKind::kBias);
    out_.index = add("out", 1, width, ParameterKind::kWeight);
    out_bias_.index = add("out_bias", 1, 1, ParameterKind::kBias);
  }

  void prepare(const ParameterSet& parameters) override {
    for (Part* part : {&left_, &right_, &bias_, &out_, &out_bias_}) part->value = parameters.value(part->index).data;
    for (auto [part, transposed_copy] :
         {std::pair{&left_, &left_transposed_}, std::pair{&right_, &right_transposed_}}) {
      transposed_copy->reshape(width_ * width_);
      transpose(width_, width_, part->value, width_, transposed_copy->data(), width_);
    }
  }

  // The gathered rows of a and b, the hidden layer and its gradient, and a product.
  std::size_t scratch(std::size_t rows) const override { return 5 * rows * width_; }

  void score(std::size_t rows, const RowSource& a, const RowSource& b, float* scores, float* scratch) const override {
    const Scratch s(rows * width_, scratch);
    copy_rows(rows, width_, a, {s.a, width_});
    copy_rows(rows, width_, b, {s.b, width_});
    matmul({rows, width_, width_}, by_rows(s.a, width_), left_.value, width_, s.hidden, width_, {.bias = bias_.value});
    matmul({rows, width_, width_}, by_rows(s.b, width_), right_.value, width_, s.hidden, width_,
           {.accumulate = true, .relu = true});
    dot_rows(rows, width_, {s.hidden, width_}, {out_.value, 0}, scores);
    for (std::size_t i = 0; i < rows; ++i) scores[i] += out_bias_.value[0];
  }

  void backward(std::size_t rows, const RowSource&, const RowSource&, const float* d_scores, const RowTarget& d_a,
                bool accumulate_a, const RowTarget& d_b, ParameterGradients* gradients, float* scratch) const override {
    const Scratch s(rows * width_, scratch);
    for (std::size_t i = 0; gradients != nullptr && i < rows; ++i) {
      axpy(width_, d_scores[i], s.hidden + i * width_, gradients->of(out_.index).data);
      *gradients->of(out_bias_.index).data += d_scores[i];
    }
    std::fill_n(s.product, rows, 0.0F);
    blend_rows(rows, width_, d_scores, {out_.value, 0}, s.product, {out_.value, 0}, {s.d_hidden, width_}, false);
    relu_backward(rows * width_, s.hidden, s.d_hidden, s.d_hidden);
    if (gradients != nullptr) {
      add_rows(rows, width_, s.d_hidden, width_, gradients->of(bias_.index).data);
      matmul({width_, width_, rows}, transposed(s.a, width_), s.d_hidden, width_, gradients->of(left_.index).data,
             width_, {.accumulate = true});
      matmul({width_, width_, rows}, transposed(s.b, width_), s.d_hidden, width_, gradients->of(right_.index).data,
             width_, {.accumulate = true});
    }
    if (d_b.data != nullptr) {
      matmul({rows, width_, width_}, by_rows(s.d_hidden, width_), right_transposed_.data(), width_, s.product, width_);
      accumulate_rows(rows, width_, {s.product, width_}, d_b);
    }
    matmul({rows, width_, width_}, by_rows(s.d_hidden, width_), left_transposed_.data(), width_, s.product, width_);
    if (accumulate_a) {
      accumulate_rows(rows, width_, {s.product, width_}, d_a);
    } else {
      copy_rows(rows, width_, {s.product, width_}, d_a);
    }
  }

  std::size_t multiply_adds() const override { return 2 * width_ * width_ + width_; }

 private:
  struct Part {
    std::size_t index = 0;
    const float* value = nullptr;
  };
  struct Scratch {
    Scratch(std::size_t block, float* start)
        : a(start),
          b(start + block),
          hidden(start + 2 * block),
          d_hidden(start + 3 * block),
          product(start + 4 * block) {}
    float *a, *b, *hidden, *d_hidden, *product;
  };

  std::size_t width_;
  Part left_, right_, bias_, out_, out_bias_;
  AlignedArray<float> left_transposed_, right_transposed_;
};

}  // namespace

std::unique_ptr<Similarity> make_similarity(const NetworkOptions& options, ParameterSet& parameters) {
  switch (options.similarity) {
    case SimilarityKind::kDot:
      return std::make_unique<DotSimilarity>(options.width);
    case SimilarityKind::kMlp:
      return std::make_unique<MlpSimilarity>(options.width, parameters);
    case SimilarityKind::kCosine:
      break;
  }
  return std::make_unique<CosineSimilarity>(options.width, options.alpha);
}

}  // namespace linn
