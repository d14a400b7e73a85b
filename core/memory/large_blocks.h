// Large blocks (more than 64 KiB), free and used, in address order; the free ones also by size, for
// the best fit. Private to core/memory.
#pragma once

#include <slope/core/memory/address_range.h>
#include <slope/core/memory/blocks.h>
#include <slope/core/memory/mutex.h>

#include <map>
#include <set>
#include <utility>

namespace slope::memory {

class LargeBlocks {
 public:
  void* allocate(size_t bytes) {
    bytes = round_up(bytes, 512);
    const Lock lock(mutex_);
    auto fit = free_.lower_bound({bytes, nullptr});
    if (fit == free_.end()) {
      if (!grow(bytes)) return nullptr;
      fit = free_.lower_bound({bytes, nullptr});
    }
    Block& block = blocks_.find(fit->address)->second;
    // first everything that may throw
    if (block.bytes > bytes) insert_free(fit->address + bytes, block.bytes - bytes);
    block.bytes = bytes;
    block.key = free_.extract(fit);
    return block.key.value().address;
  }

  void deallocate(void* address) {
    const Lock lock(mutex_);
    const auto at = blocks_.find(static_cast<std::byte*>(address));
    at->second.key.value().bytes = at->second.bytes;
    free_.insert(std::move(at->second.key));
    merge_with_next(at);
    if (at != blocks_.begin()) merge_with_next(std::prev(at));
  }

  void release() {  // the blocks stay free, without their pages
    const Lock lock(mutex_);
    for (const Key& key : free_) give_back(key.address, key.bytes);
  }
  Mutex& mutex() { return mutex_; }

 private:
  struct Key {
    size_t bytes;
    std::byte* address;
    auto operator<=>(const Key&) const = default;
  };
  using Keys = std::set<Key>;
  struct Block {
    size_t bytes;
    // a used block keeps its node of free_ for deallocate(), where allocating one could fail
    Keys::node_type key = {};
    bool is_free() const { return key.empty(); }
  };
  using Blocks = std::map<std::byte*, Block>;

  // Makes a free block of at least this many bytes.
  bool grow(size_t bytes) {
    size_t at_top = 0;  // free bytes at the end, which the new ones would join
    if (const auto above = blocks_.lower_bound(range_.top()); above != blocks_.begin())
      if (const auto& [address, block] = *std::prev(above);
          block.is_free() && address + block.bytes == range_.top())
        at_top = block.bytes;
    const size_t missing = round_up(bytes - at_top, huge_page);
    if (missing <= range_.room()) return extend(range_, missing);
    const size_t whole = round_up(bytes, huge_page);
    AddressRange other;
    if (!other.renew(whole)) {
      leave(std::exchange(range_, {}));  // its reserve may be the addresses that are missing
      if (!other.renew(whole)) return false;
    }
    if (!extend(other, whole)) {
      other.abandon();
      return false;
    }
    leave(std::exchange(range_, other));
    return true;
  }
  void leave(AddressRange range) {
    const auto [rest, room] = range.abandon();
    if (room > 0) add_fresh(rest, room);
  }
  bool extend(AddressRange& range, size_t bytes) {
    std::byte* fresh = range.top();
    if (!range.extend(bytes)) return false;
    add_fresh(fresh, bytes);
    return true;
  }
  void add_fresh(std::byte* address, size_t bytes) {
    count_reserved(static_cast<int64_t>(bytes));
    const auto at = insert_free(address, bytes);
    merge_with_next(at);
    if (at != blocks_.begin()) merge_with_next(std::prev(at));
  }
  Blocks::iterator insert_free(std::byte* address, size_t bytes) {
    Keys key{{bytes, address}};
    const auto at = blocks_.insert_or_assign(address, Block{bytes}).first;
    free_.merge(key);
    return at;
  }
  void merge_with_next(Blocks::iterator at) {
    const auto next = std::next(at);
    if (next == blocks_.end() || !at->second.is_free() || !next->second.is_free() ||
        at->first + at->second.bytes != next->first)
      return;
    free_.erase({next->second.bytes, next->first});
    // moved, not allocated: nothing here may fail
    auto key = free_.extract({at->second.bytes, at->first});
    at->second.bytes += next->second.bytes;
    key.value().bytes = at->second.bytes;
    free_.insert(std::move(key));
    blocks_.erase(next);
  }

  Mutex mutex_;
  AddressRange range_;
  Blocks blocks_;
  Keys free_;
};

}  // namespace slope::memory
