transplt_test(lsp_test
  SOURCES
    lsp_server_test.cpp
    lsp_stream_test.cpp
    lsp_text_positions_test.cpp
  LIBRARIES transplt_lsp)
