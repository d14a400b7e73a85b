# What false_alarms must refuse with one line and the exit code 2: a run that tries no seed is no success.
foreach(words "twenty" "2x" "0" "-1 5" "1 -1" "1 18446744073709551615" "1 2 3")
  separate_arguments(arguments UNIX_COMMAND "${words}")
  execute_process(COMMAND "${PROGRAM}" ${arguments} RESULT_VARIABLE code OUTPUT_VARIABLE printed ERROR_VARIABLE line)
  if(NOT code EQUAL 2 OR NOT printed STREQUAL "" OR NOT line MATCHES "^usage: false_alarms [^\n]+\n$")
    message(FATAL_ERROR "false_alarms ${words}: exit code ${code}, \"${printed}${line}\"")
  endif()
endforeach()
