# The targets p2mpp_draco and p2mpp_meshoptimizer, which unpack compressed glTF. Only system packages are used. Without
# them, such files are refused by name.
function(p2mpp_compression package name definition system_package)
  find_package(${package} QUIET)
  if(TARGET ${package}::${package})
    add_library(p2mpp_${package} INTERFACE)
    target_link_libraries(p2mpp_${package} INTERFACE ${package}::${package})
    target_compile_definitions(p2mpp_${package} INTERFACE ${definition})
    p2mpp_note_dependency(${name} "${${package}_VERSION}" system)
  else()
    p2mpp_note_dependency(${name} "missing" "no glTF compressed with it; expected the system package ${system_package}")
  endif()
endfunction()

p2mpp_compression(draco Draco P2MPP_HAS_DRACO libdraco-dev)
p2mpp_compression(meshoptimizer meshoptimizer P2MPP_HAS_MESHOPTIMIZER libmeshoptimizer-dev)
