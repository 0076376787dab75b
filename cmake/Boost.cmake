# The target p2mpp_boost: the headers of Boost's Asio and Beast, for `p2mpp serve`. Only a system package is used.
find_package(Boost 1.74 QUIET)
if(Boost_FOUND)
  add_library(p2mpp_boost INTERFACE)
  target_include_directories(p2mpp_boost SYSTEM INTERFACE ${Boost_INCLUDE_DIRS})
  p2mpp_note_dependency(Boost "${Boost_VERSION}" system)
else()
  p2mpp_note_dependency(Boost "missing" "no HTTP server; expected the system package libboost-dev")
endif()
