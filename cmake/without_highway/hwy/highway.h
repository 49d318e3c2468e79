// Replaces Highway if -DSSTABLE_WITH_HIGHWAY=OFF: compiles the files *_vector.cc once, for a
// processor without vectors, with their portable code.
#ifndef SSTABLE_WITHOUT_HIGHWAY_H_
#define SSTABLE_WITHOUT_HIGHWAY_H_

#define HWY_TARGET 0
#define HWY_AVX2 1
#define HWY_AVX3 2
#define HWY_AVX3_DL 3
#define HWY_ONCE 1

#define HWY_NAMESPACE portable
#define HWY_BEFORE_NAMESPACE() static_assert(true)
#define HWY_AFTER_NAMESPACE() static_assert(true)

#define HWY_EXPORT(function) static_assert(true)
#define HWY_STATIC_DISPATCH(function) portable::function
#define HWY_DYNAMIC_DISPATCH(function) portable::function

#define HWY_INLINE inline __attribute__((always_inline))
#define HWY_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define HWY_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

#endif  // SSTABLE_WITHOUT_HIGHWAY_H_
