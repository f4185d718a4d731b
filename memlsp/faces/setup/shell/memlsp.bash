# memlsp: written by `memlsp init`, taken out by `memlsp uninstall`. bash 4.4 or later.
# Tells memlsp which commands ran, in which folder, how long and with which exit code; in the background, after the command.
# A command that begins with a space is not told. MEMLSP_TERMINAL=off turns it off in this shell.
if [[ $- == *i* && -z ${__memlsp_session-} && ${BASH_VERSINFO[0]}${BASH_VERSINFO[1]} -ge 44 ]]; then
  __memlsp_session="bash-$$-$RANDOM$RANDOM"
  __memlsp_folder=$PWD
  __memlsp_began=0 __memlsp_ran=0 __memlsp_count=0 __memlsp_number='' __memlsp_first=''

  # PS0 is expanded when a command starts; the arithmetic in it costs no process and prints nothing
  PS0+='${__memlsp_session:$((__memlsp_began=10#0${EPOCHREALTIME//[!0-9]/},__memlsp_ran=1,0)):0}'
  # only to know a repeated command from one that was kept out of the history; a trap of somebody else's stays
  [[ -n $(trap -p DEBUG) ]] || trap '[[ -n $__memlsp_first || $BASH_COMMAND == __memlsp_* ]] || __memlsp_first=$BASH_COMMAND' DEBUG

  __memlsp_prompt() {
    local status=$? entry number text now=${EPOCHREALTIME-} ms=''
    # at the first prompt only to learn where the history stands, which was not there when this file was read
    if [[ ($__memlsp_ran == 1 || -z $__memlsp_number) && ${MEMLSP_TERMINAL-} != off && ${MEMLSP_CAPTURE-} != off ]]; then
      entry=$(HISTTIMEFORMAT='' builtin history 1 2>/dev/null)
      entry=${entry#"${entry%%[! ]*}"}
      number=${entry%%[!0-9]*}
      text=${entry#"$number"}
      text=${text:2}
      # the same number: either the command before was repeated, or this one was kept out of the history on purpose
      if [[ $__memlsp_ran == 1 && -n $__memlsp_number && -n $number && -n $text && $text != ' '* ]] &&
        { [[ $number != "$__memlsp_number" ]] || [[ -n $__memlsp_first && $text == "$__memlsp_first"* ]]; }; then
        now=${now//[!0-9]/}
        ((__memlsp_began > 0)) && ms=$(((10#0$now - __memlsp_began) / 1000))
        __memlsp_count=$((__memlsp_count + 1))
        (MEMLSP_COMMAND=$text MEMLSP_EXIT=$status MEMLSP_FOLDER=$__memlsp_folder MEMLSP_MS=$ms MEMLSP_SHELL=bash \
          MEMLSP_SHELL_SESSION=$__memlsp_session MEMLSP_NUMBER=$__memlsp_count \
          @COMMAND@ </dev/null >/dev/null 2>&1 &)
      fi
      __memlsp_number=${number:-0}
    elif [[ $__memlsp_ran == 1 ]]; then
      __memlsp_number='' # what ran while it was off is not told later
    fi
    __memlsp_ran=0
    __memlsp_first=''
    __memlsp_folder=$PWD
    return "$status"
  }

  # first, because the exit code is gone after another
  if [[ $(declare -p PROMPT_COMMAND 2>/dev/null) == 'declare -a'* ]]; then
    PROMPT_COMMAND=(__memlsp_prompt "${PROMPT_COMMAND[@]}")
  else
    PROMPT_COMMAND="__memlsp_prompt${PROMPT_COMMAND:+; $PROMPT_COMMAND}"
  fi
fi
