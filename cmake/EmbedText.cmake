# p2mpp_embed_text(TARGET NAME=FILE ...): adds to TARGET the texts of files as constants: report/embedded.h declares
# `embedded::NAME` for each; where FILE is empty, it is an empty text. Made anew whenever a file has changed.
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
