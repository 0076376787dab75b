#pragma once

#include <gtest/gtest.h>

#include <string>

#include "p2mpp/error.h"

namespace p2mpp {

/// The message of the Thrown that `action` throws, of one line; empty if it throws nothing.
template <typename Thrown = InputError, typename Action>
std::string refusal_by(const Action& action) {
  try {
    action();
  } catch (const Thrown& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  }
  return {};
}

/// The same; that nothing is thrown is a failure.
template <typename Thrown, typename Action>
std::string message_of(const Action& action) {
  const std::string message = refusal_by<Thrown>(action);
  if (message.empty()) ADD_FAILURE() << "nothing was thrown";
  return message;
}

/// Expects that a text holds another.
#define EXPECT_HOLDS(text, part) EXPECT_PRED_FORMAT2(::testing::IsSubstring, part, text)

/// Expects that an expression throws an InputError whose one line holds a text.
#define EXPECT_REFUSED(expression, part) \
  EXPECT_HOLDS((::p2mpp::message_of<::p2mpp::InputError>([&] { static_cast<void>(expression); })), part)

}  // namespace p2mpp
