# memlsp: written by `memlsp init`, taken out by `memlsp uninstall`. fish 3 or later.
# Tells memlsp which commands ran, in which folder, how long and with which exit code; in the background, after the command.
# A command that begins with a space is not told. MEMLSP_TERMINAL=off turns it off in this shell.
if status is-interactive; and not set -q __memlsp_session
    set -g __memlsp_session fish-$fish_pid-(random)
    set -g __memlsp_count 0

    function __memlsp_preexec --on-event fish_preexec
        set -g __memlsp_folder $PWD
        set -g __memlsp_started 1
    end

    function __memlsp_postexec --on-event fish_postexec
        set -l exit_code $status
        set -l took $CMD_DURATION
        # the command that read this file began before it was read
        if set -q __memlsp_started; and test -n "$argv[1]"; and not string match -qr '^ ' -- "$argv[1]"
            and test "$MEMLSP_TERMINAL" != off; and test "$MEMLSP_CAPTURE" != off
            set -g __memlsp_count (math $__memlsp_count + 1)
            env MEMLSP_COMMAND="$argv[1]" MEMLSP_EXIT=$exit_code MEMLSP_FOLDER="$__memlsp_folder" MEMLSP_MS=$took \
                MEMLSP_SHELL=fish MEMLSP_SHELL_SESSION=$__memlsp_session MEMLSP_NUMBER=$__memlsp_count \
                @COMMAND@ </dev/null >/dev/null 2>&1 &
            disown 2>/dev/null
        end
        return $exit_code
    end
end
