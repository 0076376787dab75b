# p2mpp_embed_text(TARGET NAME=FILE ...): adds the contents of files to TARGET as constants. report/page.h declares
# `embedded::NAME` for each; if FILE is empty, the text is empty; if NAME ends with "_hex", it has the bytes in hex. The constants are generated again when a file changes.
function(p2mpp_embed_text target)
  foreach(pair ${ARGN})
    string(REGEX MATCH "^([a-z0-9_]+)=(.*)$" matched "${pair}")
    set(name ${CMAKE_MATCH_1})
    set(file ${CMAKE_MATCH_2})
    set(source ${CMAKE_CURRENT_BINARY_DIR}/embedded/${name}.cc)
    add_custom_command(OUTPUT ${source} COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DINPUT=${file} -DOUTPUT=${source}
                               -P ${PROJECT_SOURCE_DIR}/cmake/embed_text_script.cmake
                       DEPENDS ${file} ${PROJECT_SOURCE_DIR}/cmake/embed_text_script.cmake
                       COMMENT "Embedding ${name}" VERBATIM)
    target_sources(${target} PRIVATE ${source})
  endforeach()
endfunction()
