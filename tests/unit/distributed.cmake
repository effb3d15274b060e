transplt_test(distributed_test
  SOURCES
    multi_card_calls_test.cpp
    training_text_test.cpp
  LIBRARIES transplt_distributed)
