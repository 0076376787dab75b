#include "base/sha256.h"

// The functions of a single algorithm are deprecated. Unlike OpenSSL's newer functions, they need no memory and no
// set-up. The set-up takes milliseconds, and crashes if memory is exhausted.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include <array>

namespace p2mpp {

std::string sha256_hex(std::string_view bytes) {
  SHA256_CTX context;
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256_Init(&context);
  SHA256_Update(&context, bytes.data(), bytes.size());
  SHA256_Final(digest.data(), &context);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * digest.size());
  for (const unsigned char byte : digest) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

}  // namespace p2mpp
