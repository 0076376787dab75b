# The target p2mpp_chafa: libchafa, for pictures in terminals. Only a system package is used. Without it,
# --preview-terminal prints one line that says what is missing.
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
  pkg_check_modules(chafa QUIET IMPORTED_TARGET chafa>=1.8)
endif()
if(TARGET PkgConfig::chafa)
  add_library(p2mpp_chafa INTERFACE)
  target_link_libraries(p2mpp_chafa INTERFACE PkgConfig::chafa)
  p2mpp_note_dependency(chafa "${chafa_VERSION}" system)
else()
  p2mpp_note_dependency(chafa "missing" "no pictures in terminals; expected the system packages libchafa-dev and libglib2.0-dev")
endif()
