# memlsp: written by `memlsp init`, taken out by `memlsp uninstall`. zsh 5 or later.
# Tells memlsp which commands ran, in which folder, how long and with which exit code; in the background, after the command.
# A command that begins with a space is not told. MEMLSP_TERMINAL=off turns it off in this shell.
if [[ -o interactive && -z ${__memlsp_session-} ]]; then
  zmodload -F zsh/datetime p:EPOCHREALTIME 2>/dev/null
  autoload -Uz add-zsh-hook
  typeset -g __memlsp_session="zsh-$$-$RANDOM$RANDOM" __memlsp_command='' __memlsp_folder=$PWD
  typeset -gi __memlsp_count=0
  typeset -gF __memlsp_began=0

  __memlsp_preexec() {
    __memlsp_command=$1
    __memlsp_folder=$PWD
    __memlsp_began=${EPOCHREALTIME:-0}
  }

  __memlsp_precmd() {
    local exit_code=$? command=$__memlsp_command ms=''
    __memlsp_command=''
    if [[ -n $command && $command != ' '* && ${MEMLSP_TERMINAL-} != off && ${MEMLSP_CAPTURE-} != off ]]; then
      ((__memlsp_began > 0)) && printf -v ms '%.0f' $(((EPOCHREALTIME - __memlsp_began) * 1000))
      ((__memlsp_count += 1))
      (MEMLSP_COMMAND=$command MEMLSP_EXIT=$exit_code MEMLSP_FOLDER=$__memlsp_folder MEMLSP_MS=$ms MEMLSP_SHELL=zsh \
        MEMLSP_SHELL_SESSION=$__memlsp_session MEMLSP_NUMBER=$__memlsp_count \
        @COMMAND@ </dev/null >/dev/null 2>&1 &)
    fi
    return $exit_code
  }

  add-zsh-hook preexec __memlsp_preexec
  # first, because the exit code is gone after another
  precmd_functions=(__memlsp_precmd ${precmd_functions:#__memlsp_precmd})
fi
