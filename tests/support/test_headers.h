// The headers that most tests include, precompiled by unit_tests.bzl. A test still includes what it
// uses, since --config=clang does not precompile.
#ifndef SSTABLE_TESTS_SUPPORT_TEST_HEADERS_H_
#define SSTABLE_TESTS_SUPPORT_TEST_HEADERS_H_

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/filter_policy.h"
#include "sstable/table_builder.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"

#endif  // SSTABLE_TESTS_SUPPORT_TEST_HEADERS_H_
