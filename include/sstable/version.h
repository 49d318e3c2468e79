// The version of the library, and the macro that marks what it exports.
#ifndef SSTABLE_VERSION_H_
#define SSTABLE_VERSION_H_

// Semantic versioning: until 1.0, a new minor version may change the API and the ABI; what is in
// sstable/experimental/ may change in any version.
#define SSTABLE_VERSION_MAJOR 0
#define SSTABLE_VERSION_MINOR 1
#define SSTABLE_VERSION_PATCH 0
#define SSTABLE_VERSION "0.1.0"

// Marks what a shared library exports. Everything else in it is hidden.
#if defined(__GNUC__)
#define SSTABLE_EXPORT __attribute__((visibility("default")))
#else
#define SSTABLE_EXPORT
#endif

#endif  // SSTABLE_VERSION_H_
