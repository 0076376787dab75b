# What `cmake --install` puts where, in three components: runtime (program, library, model, manual pages, completions,
# licences), cuda (the CUDA engine) and development (headers, CMake's package).
include(CMakePackageConfigHelpers)

set(licences ${CMAKE_INSTALL_DOCDIR})
set_target_properties(p2mpp PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}/p2mpp")
set_target_properties(p2mpp_shared PROPERTIES INSTALL_RPATH "$ORIGIN/p2mpp")
if(P2MPP_HAS_TORCHSCRIPT)
  # It finds LibTorch where that is at build time.
  set_target_properties(p2mpp_torchscript_library PROPERTIES INSTALL_RPATH ${LibTorch_ROOT_DIR}/lib)
endif()
# Otherwise CMake pads the paths in the build folder with empty ones, and an empty one is the working folder.
foreach(target p2mpp p2mpp_shared p2mpp_cuda_library p2mpp_torchscript_library p2mpp_python)
  if(TARGET ${target})
    set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON)
    set_property(TARGET ${target} APPEND PROPERTY INSTALL_RPATH ${CMAKE_BUILD_RPATH})
  endif()
endforeach()
# RPATH, not RUNPATH: it is also searched for the libraries that bundled libraries need (scripts/package.sh).
foreach(target p2mpp p2mpp_shared)
  target_link_options(${target} PRIVATE -Wl,--disable-new-dtags)
endforeach()
install(TARGETS p2mpp RUNTIME COMPONENT runtime)
install(TARGETS p2mpp_shared EXPORT p2mpp LIBRARY COMPONENT runtime NAMELINK_COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/models/p2mpp-shapes DESTINATION ${P2MPP_INSTALL_MODELS} COMPONENT runtime)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/THIRD_PARTY.md DESTINATION ${licences} COMPONENT runtime)
if(P2MPP_HAS_CUDA)
  install(TARGETS p2mpp_cuda_library LIBRARY DESTINATION ${P2MPP_INSTALL_LIBRARIES} COMPONENT cuda)
endif()
if(P2MPP_HAS_TORCHSCRIPT)
  install(TARGETS p2mpp_torchscript_library LIBRARY DESTINATION ${P2MPP_INSTALL_LIBRARIES} COMPONENT torchscript)
endif()

# Completions, printed by the program itself.
foreach(pair "bash|bash-completion/completions|p2mpp" "zsh|zsh/site-functions|_p2mpp" "fish|fish/vendor_completions.d|p2mpp.fish")
  string(REPLACE "|" ";" parts ${pair})
  list(GET parts 0 shell)
  list(GET parts 1 folder)
  list(GET parts 2 name)
  set(file ${PROJECT_BINARY_DIR}/completions/${name})
  set(output ${PROJECT_BINARY_DIR}/completions/${shell}/${name})
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/completions/${shell})
  add_custom_command(OUTPUT ${output} COMMAND p2mpp completion ${shell} > ${output} DEPENDS p2mpp VERBATIM)
  list(APPEND P2MPP_MADE_FILES ${output})
  install(FILES ${output} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder} COMPONENT runtime)
endforeach()

# Manual pages, made from --help.
find_program(P2MPP_HELP2MAN help2man)
if(P2MPP_HELP2MAN)
  set(pages ${PROJECT_BINARY_DIR}/man/man1)
  file(MAKE_DIRECTORY ${pages})
  set(script ${PROJECT_SOURCE_DIR}/cmake/manual_pages.sh)
  set(made ${PROJECT_BINARY_DIR}/man/made)
  add_custom_command(OUTPUT ${made}
    COMMAND ${script} ${P2MPP_HELP2MAN} $<TARGET_FILE:p2mpp> ${pages} ${CMAKE_CROSSCOMPILING_EMULATOR}
    COMMAND ${CMAKE_COMMAND} -E touch ${made}
    DEPENDS p2mpp ${script} VERBATIM)
  list(APPEND P2MPP_MADE_FILES ${made})
  install(DIRECTORY ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT runtime)
else()
  p2mpp_note_dependency(help2man "missing" "no manual pages; expected the system package help2man")
endif()
add_custom_target(p2mpp_documentation DEPENDS ${P2MPP_MADE_FILES})
# `cmake --install` needs all that is installed.
set(all "")
if(NOT P2MPP_SANITIZE)
  set(all ALL)
endif()
add_custom_target(package_files ${all} DEPENDS p2mpp p2mpp_shared p2mpp_documentation)
foreach(library p2mpp_cuda_library p2mpp_torchscript_library)
  if(TARGET ${library})
    add_dependencies(package_files ${library})
  endif()
endforeach()

# find_package(p2mpp) for programs that embed p2mpp.
set(config ${CMAKE_INSTALL_LIBDIR}/cmake/p2mpp)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/p2mpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(EXPORT p2mpp NAMESPACE p2mpp:: FILE p2mppTargets.cmake DESTINATION ${config} COMPONENT development)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/p2mppConfig.cmake.in ${PROJECT_BINARY_DIR}/p2mppConfig.cmake
                              INSTALL_DESTINATION ${config})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/p2mppConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/p2mppConfig.cmake ${PROJECT_BINARY_DIR}/p2mppConfigVersion.cmake
        DESTINATION ${config} COMPONENT development)

include(Packages)
