# The man page and the shell completions, which the program generates from its options.
set(linn_manual "${CMAKE_CURRENT_BINARY_DIR}/linn.1")
set(linn_bash_completion "${CMAKE_CURRENT_BINARY_DIR}/linn.bash-completion")
set(linn_zsh_completion "${CMAKE_CURRENT_BINARY_DIR}/linn.zsh-completion")
add_custom_command(
  OUTPUT "${linn_manual}" "${linn_bash_completion}" "${linn_zsh_completion}"
  COMMAND linn_program manual --format man > "${linn_manual}"
  COMMAND linn_program manual --format bash-completion > "${linn_bash_completion}"
  COMMAND linn_program manual --format zsh-completion > "${linn_zsh_completion}"
  DEPENDS linn_program
  COMMENT "Writing the man page"
  VERBATIM)
add_custom_target(linn_manual ALL DEPENDS "${linn_manual}" "${linn_bash_completion}" "${linn_zsh_completion}")
