# Writes OUTPUT, a C++ source that defines p2mpp::embedded::NAME with the contents of INPUT (see EmbedText.cmake).
set(text "")
if(INPUT)
  file(READ ${INPUT} text)
endif()
file(WRITE ${OUTPUT} "#include \"report/embedded.h\"\n\nconst std::string_view p2mpp::embedded::${NAME} = R\"p2mpp_text(")
file(APPEND ${OUTPUT} "${text}")
file(APPEND ${OUTPUT} ")p2mpp_text\";\n")
