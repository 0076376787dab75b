# three.js is embedded into the pages of the 3D viewer. P2MPP_THREE_DIR is the folder of three.min.js, with the layout
# of Debian's libjs-three.
find_path(P2MPP_THREE_DIR three.min.js PATHS /usr/share/javascript/three NO_DEFAULT_PATH)
if(P2MPP_THREE_DIR AND EXISTS ${P2MPP_THREE_DIR}/examples/js/controls/OrbitControls.js)
  file(STRINGS ${P2MPP_THREE_DIR}/three.js revision REGEX "REVISION = '[0-9]+'" LIMIT_COUNT 1)
  string(REGEX REPLACE ".*REVISION = '([0-9]+)'.*" "r\\1" revision "${revision}")
  p2mpp_note_dependency(three.js "${revision}" system)
else()
  set(P2MPP_THREE_DIR "")
  p2mpp_note_dependency(three.js "missing" "no 3D viewer; expected the system package libjs-three")
endif()
