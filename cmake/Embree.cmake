# The target p2mpp_embree: Embree 3 or 4, the ray tracer that draws meshes. Only a system package is used, because
# Embree takes longer to build than p2mpp.
find_package(embree 4 QUIET)
if(NOT embree_FOUND)
  find_package(embree 3.12 QUIET)
endif()
if(embree_FOUND)
  add_library(p2mpp_embree INTERFACE)
  target_link_libraries(p2mpp_embree INTERFACE embree)
  p2mpp_note_dependency(Embree "${embree_VERSION}" system)
else()
  p2mpp_note_dependency(Embree "missing" "no pictures of meshes; expected the system package libembree-dev")
endif()
