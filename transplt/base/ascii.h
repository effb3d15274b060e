// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace transplt {

// Letters and digits of ASCII, whatever the locale: names, options and versions are made of these.
constexpr bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool IsLetter(char c) { return IsUpper(c) || IsLower(c); }
constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsAlphanumeric(char c) { return IsLetter(c) || IsDigit(c); }

/// What names of Python are made of: letters, digits, "_" and every byte outside of ASCII.
constexpr bool IsWordByte(char c) {
  return IsAlphanumeric(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

constexpr bool StartsWord(char c) { return IsWordByte(c) && !IsDigit(c); }

/// Other characters than capitals stay.
constexpr char ToLower(char c) { return IsUpper(c) ? static_cast<char>(c - 'A' + 'a') : c; }
/// Other characters than small letters stay.
constexpr char ToUpper(char c) { return IsLower(c) ? static_cast<char>(c - 'a' + 'A') : c; }

}  // namespace transplt
