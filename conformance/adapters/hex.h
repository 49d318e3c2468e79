// Hexadecimal encoding, for the adapters in C++.
#ifndef CONFORMANCE_ADAPTERS_HEX_H_
#define CONFORMANCE_ADAPTERS_HEX_H_

#include <cstddef>
#include <string>

// `bytes` is a string or a view.
template <typename View>
std::string Hex(const View& bytes) {
  std::string hex;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    hex += "0123456789abcdef"[byte >> 4];
    hex += "0123456789abcdef"[byte & 15];
  }
  return hex;
}

inline std::string Bytes(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

#endif  // CONFORMANCE_ADAPTERS_HEX_H_
