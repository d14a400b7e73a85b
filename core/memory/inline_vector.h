// InlineVector<T, N>: a vector whose first N elements need no allocation, for short lists that are
// made by the million: shapes, strides, a node's edges. Numbers are copied with all N places at
// once: a SIMD move instead of a loop.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>

namespace slope {

template <class T, uint32_t N>
class InlineVector {
 public:
  using value_type = T;

  InlineVector() = default;
  explicit InlineVector(size_t n, const T& value = T()) { resize(n, value); }
  InlineVector(std::initializer_list<T> list) : InlineVector(list.begin(), list.end()) {}
  template <std::input_iterator It>
  InlineVector(It first, It last) {
    reserve(static_cast<size_t>(std::distance(first, last)));
    size_ = static_cast<uint32_t>(std::uninitialized_copy(first, last, data()) - data());
  }
  InlineVector(const InlineVector& other) {
    if (is_plain && other.is_inline()) {
      copy_places(other);
    } else {
      reserve(other.size_);
      std::uninitialized_copy(other.begin(), other.end(), data());
      size_ = other.size_;
    }
  }
  InlineVector(InlineVector&& other) noexcept { take(other); }
  InlineVector& operator=(const InlineVector& other) {
    if (this == &other) return *this;
    if (is_plain && is_inline() && other.is_inline()) {
      copy_places(other);
    } else {
      InlineVector copy(other);
      clear_and_free();
      take(copy);
    }
    return *this;
  }
  InlineVector& operator=(InlineVector&& other) noexcept {
    if (this != &other) {
      clear_and_free();
      take(other);
    }
    return *this;
  }
  ~InlineVector() { clear_and_free(); }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return is_inline() ? reinterpret_cast<T*>(inline_) : heap_; }
  const T* data() const { return is_inline() ? reinterpret_cast<const T*>(inline_) : heap_; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](size_t i) { return data()[i]; }
  const T& operator[](size_t i) const { return data()[i]; }
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }

  void reserve(size_t n) {
    if (n <= capacity_) return;
    auto* wider = static_cast<T*>(::operator new(n * sizeof(T)));
    std::uninitialized_move(begin(), end(), wider);
    const uint32_t kept = size_;
    clear_and_free();
    heap_ = wider;
    capacity_ = static_cast<uint32_t>(n);
    size_ = kept;
  }
  void push_back(T value) {
    if (size_ == capacity_) reserve(2 * static_cast<size_t>(capacity_));
    new (data() + size_) T(std::move(value));
    ++size_;
  }
  void pop_back() { std::destroy_at(data() + --size_); }
  void resize(size_t n, const T& value = T()) {
    while (size_ > n) pop_back();
    if (size_ == n) return;
    const T copy(value);  // because value may be an element
    reserve(n);
    std::uninitialized_fill(data() + size_, data() + n, copy);
    size_ = static_cast<uint32_t>(n);
  }
  void insert(size_t at, T value) {
    push_back(std::move(value));
    for (size_t i = size_ - 1; i > at; --i) std::swap((*this)[i], (*this)[i - 1]);
  }
  void erase(size_t at) {
    for (size_t i = at; i + 1 < size_; ++i) (*this)[i] = std::move((*this)[i + 1]);
    pop_back();
  }
  void clear() {
    std::destroy(begin(), end());
    size_ = 0;
  }

  friend bool operator==(const InlineVector& a, const InlineVector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  static constexpr bool is_plain = std::is_trivially_copyable_v<T>;
  bool is_inline() const { return capacity_ == N; }
  // requires: both inline; elements beyond `size` are copied but never read
  void copy_places(const InlineVector& other) {
    std::memcpy(inline_, other.inline_, sizeof(inline_));
    size_ = other.size_;
  }
  void clear_and_free() {
    clear();
    if (!is_inline()) ::operator delete(heap_);
    capacity_ = N;
  }
  void take(InlineVector& other) {  // requires: *this is empty and inline
    if (is_plain && other.is_inline()) {
      copy_places(other);
      other.size_ = 0;
    } else if (other.is_inline()) {
      std::uninitialized_move(other.begin(), other.end(), reinterpret_cast<T*>(inline_));
      size_ = other.size_;
      other.clear();
    } else {
      heap_ = std::exchange(other.heap_, nullptr);
      size_ = std::exchange(other.size_, 0);
      capacity_ = std::exchange(other.capacity_, N);
    }
  }

  uint32_t size_ = 0, capacity_ = N;
  union {
    alignas(T) std::byte inline_[N * sizeof(T)];
    T* heap_;
  };
};

}  // namespace slope
