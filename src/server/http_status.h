#pragma once

/// The status codes that the server answers with.
namespace p2mpp::http_status {

inline constexpr unsigned kOk = 200, kBadRequest = 400, kUnauthorized = 401, kForbidden = 403, kNotFound = 404,
                          kWrongMethod = 405, kTooLarge = 413, kUnprocessable = 422, kTooMany = 429,
                          kHeadTooLarge = 431, kFailed = 500, kUnavailable = 503, kExpired = 504, kNoRoom = 507;

}  // namespace p2mpp::http_status
