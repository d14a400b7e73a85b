# What a trial must refuse with one line and the exit code 2: a run that tries nothing is no success.
#   cmake -DPROGRAM=FILE "-DWORDS=lists;of;arguments" -P refuses.cmake
get_filename_component(name "${PROGRAM}" NAME)
if(NOT WORDS)
  message(FATAL_ERROR "WORDS lacks")
endif()
foreach(words IN LISTS WORDS)
  separate_arguments(arguments UNIX_COMMAND "${words}")
  execute_process(COMMAND "${PROGRAM}" ${arguments} RESULT_VARIABLE code OUTPUT_VARIABLE printed ERROR_VARIABLE line)
  if(NOT code EQUAL 2 OR NOT printed STREQUAL "" OR NOT line MATCHES "^usage: ${name} [^\n]+\n$")
    message(FATAL_ERROR "${name} ${words}: exit code ${code}, \"${printed}${line}\"")
  endif()
endforeach()
