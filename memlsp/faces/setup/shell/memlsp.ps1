# memlsp: written by `memlsp init`, taken out by `memlsp uninstall`. PowerShell 5.1 or later.
# Tells memlsp which commands ran, in which folder, how long and with which exit code; in the background, after the command.
# A command that begins with a space is not told. $env:MEMLSP_TERMINAL = 'off' turns it off in this shell.
if (-not $global:__memlsp) {
    $global:__memlsp = @{
        Session = "powershell-$PID-$(Get-Random)"; Folder = $PWD.Path; Id = -1; Count = 0
        Prompt = $function:prompt; Program = @PROGRAM@; Arguments = @ARGUMENTS@
    }

    function global:prompt {
        $worked = $?
        $code = $global:LASTEXITCODE
        $state = $global:__memlsp
        try {
            $last = Get-History -Count 1
            $told = $last -and $last.Id -ne $state.Id -and $state.Id -ge 0
            if ($last) { $state.Id = $last.Id } elseif ($state.Id -lt 0) { $state.Id = 0 }
            if ($told -and -not $last.CommandLine.StartsWith(' ') -and
                $env:MEMLSP_TERMINAL -ne 'off' -and $env:MEMLSP_CAPTURE -ne 'off') {
                $state.Count += 1
                $start = New-Object System.Diagnostics.ProcessStartInfo
                $start.FileName = $state.Program
                $start.Arguments = $state.Arguments
                $start.UseShellExecute = $false
                $start.CreateNoWindow = $true
                $start.RedirectStandardInput = $true
                $start.RedirectStandardOutput = $true
                $start.RedirectStandardError = $true
                $exit = if ($worked) { 0 } elseif ($code) { $code } else { 1 }
                $took = [long]($last.EndExecutionTime - $last.StartExecutionTime).TotalMilliseconds
                $start.EnvironmentVariables['MEMLSP_COMMAND'] = $last.CommandLine
                $start.EnvironmentVariables['MEMLSP_EXIT'] = "$exit"
                $start.EnvironmentVariables['MEMLSP_FOLDER'] = $state.Folder
                $start.EnvironmentVariables['MEMLSP_MS'] = "$took"
                $start.EnvironmentVariables['MEMLSP_SHELL'] = 'powershell'
                $start.EnvironmentVariables['MEMLSP_SHELL_SESSION'] = $state.Session
                $start.EnvironmentVariables['MEMLSP_NUMBER'] = "$($state.Count)"
                [System.Diagnostics.Process]::Start($start).StandardInput.Close()
            }
        } catch { }
        $state.Folder = $PWD.Path
        $global:LASTEXITCODE = $code
        & $state.Prompt
    }
}
