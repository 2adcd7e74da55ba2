# fish completion for git resume.
#
# The rules are those of the word git-resume: fish's completion of git hands
# "git resume ..." on to them.

# Prints the words that are not flags: the command and its arguments.
function __fish_git_resume_words
    set -l words (commandline -opc)
    set -e words[1]
    set -l skip 0
    for word in $words
        if test $skip = 1
            set skip 0
            continue
        end
        if __fish_git_resume_takes_value $word
            set skip 1
        else if not string match -q -- '-*' $word
            echo $word
        end
    end
end

# True when the command is $argv[1] and it has $argv[2] arguments so far.
function __fish_git_resume_at
    set -l words (__fish_git_resume_words)
    test "$words[1]" = "$argv[1]"
    or return 1
    set -q argv[2]
    or return 0
    test (count $words) = (math $argv[2] + 1)
end

function __fish_git_resume_report
    set -l words (__fish_git_resume_words)
    test "$words[1]" = task; and test "$words[2]" = "$argv[1]"
end

function __fish_git_resume_no_command
    test (count (__fish_git_resume_words)) = 0
end

# True where the flags of git resume itself may stand: there is no command, but perhaps the name of a run.
function __fish_git_resume_root
    set -l words (__fish_git_resume_words)
    not set -q words[1]; or not __fish_git_resume_is_command $words[1]
end

# Prints the ids in records of kind $argv[1]. fish quotes them; those that the
# record itself had to quote, and those that would be options, are left out.
function __fish_git_resume_ids
    git resume status --porcelain=v1 $argv[2..-1] 2>/dev/null | string replace -rf "^$argv[1]\t([^\t\"-][^\t]*).*" '$1'
end

# Prints the branches. fish quotes them; those that would be options are left out.
function __fish_git_resume_branches
    git for-each-ref --format='%(refname:lstrip=2)' refs/heads 2>/dev/null | string match -v -- '-*'
end

# Prints the run that the line names with --run, or else what the environment says.
function __fish_git_resume_run
    set -l words (commandline -opc)
    for i in (seq (count $words))
        switch $words[$i]
            case --run
                set -q words[(math $i + 1)]; and echo $words[(math $i + 1)]; and return
            case '--run=*'
                string replace -- --run= '' $words[$i]
                return
        end
    end
    set -q GIT_RESUME_RUN; and echo $GIT_RESUME_RUN
end

# Prints the tasks of the named run, or those of all open runs.
function __fish_git_resume_tasks
    set -l runs $argv (__fish_git_resume_run)
    set -q runs[1]
    or set runs (__fish_git_resume_ids run)
    for run in $runs
        __fish_git_resume_ids task $run
    end
end

# Prints what can be done about the run that the line names, or about any open one.
function __fish_git_resume_choices
    set -l words (__fish_git_resume_words)
    set -l runs (__fish_git_resume_run) $words[1]
    set -q runs[1]
    or set runs (__fish_git_resume_ids run)
    for run in $runs[1..-1]
        __fish_git_resume_ids choice $run
    end | sort -u
end

function __fish_git_resume_status_tasks
    set -l words (__fish_git_resume_words)
    __fish_git_resume_tasks $words[2]
end

# Begin of what 'go test ./cmd/git-resume -run Completions -update' writes.
function __fish_git_resume_takes_value
    contains -- $argv[1] --answer --ask --base --cause --choose --engine --expect --for --from --incarnation --jobs --message --mode --name --option --owner --plan --remote --run --seat --task --text --timeout --title --to --until --verify -j -m
end

function __fish_git_resume_is_command
    contains -- $argv[1] start run pause answer finish wait trust task checkpoint status log review merge conflicts discard undo hide snapshots diff restore hooks agents push pull unshare parked work doctor demo version
end

complete -c git-resume -f -n __fish_git_resume_no_command -a start -d 'start a run'
complete -c git-resume -f -n __fish_git_resume_no_command -a run -d 'run one command so that it can be resumed'
complete -c git-resume -f -n __fish_git_resume_no_command -a pause -d 'pause a run'
complete -c git-resume -f -n __fish_git_resume_no_command -a answer -d 'answer a question'
complete -c git-resume -f -n __fish_git_resume_no_command -a finish -d 'end a run'
complete -c git-resume -f -n __fish_git_resume_no_command -a wait -d 'wait for an agents limit to end, then continue'
complete -c git-resume -f -n __fish_git_resume_no_command -a trust -d 'approve the commands of a run'
complete -c git-resume -f -n __fish_git_resume_no_command -a task -d 'report on a task'
complete -c git-resume -f -n __fish_git_resume_no_command -a checkpoint -d 'save uncommitted work in a snapshot'
complete -c git-resume -f -n __fish_git_resume_no_command -a status -d 'show interrupted work'
complete -c git-resume -f -n __fish_git_resume_no_command -a log -d 'show the history of a run'
complete -c git-resume -f -n __fish_git_resume_no_command -a review -d 'show what a run changed'
complete -c git-resume -f -n __fish_git_resume_no_command -a merge -d 'merge a run into its base'
complete -c git-resume -f -n __fish_git_resume_no_command -a conflicts -d 'check whether two commits would merge cleanly'
complete -c git-resume -f -n __fish_git_resume_no_command -a discard -d 'discard a run (can be undone)'
complete -c git-resume -f -n __fish_git_resume_no_command -a undo -d 'undo your last change'
complete -c git-resume -f -n __fish_git_resume_no_command -a hide -d 'stop showing other systems work'
complete -c git-resume -f -n __fish_git_resume_no_command -a snapshots -d 'list the snapshots of uncommitted work'
complete -c git-resume -f -n __fish_git_resume_no_command -a diff -d 'show the changes in a snapshot'
complete -c git-resume -f -n __fish_git_resume_no_command -a restore -d 'bring the files of a snapshot back'
complete -c git-resume -f -n __fish_git_resume_no_command -a hooks -d 'install, check or remove the hook'
complete -c git-resume -f -n __fish_git_resume_no_command -a agents -d 'show, install or remove the hooks of coding agents'
complete -c git-resume -f -n __fish_git_resume_no_command -a push -d 'share a run through a remote, or send what is new'
complete -c git-resume -f -n __fish_git_resume_no_command -a pull -d 'get shared runs from a remote'
complete -c git-resume -f -n __fish_git_resume_no_command -a unshare -d 'remove a run from its remote'
complete -c git-resume -f -n __fish_git_resume_no_command -a parked -d 'show work that was done without the lease (right to work)'
complete -c git-resume -f -n __fish_git_resume_no_command -a work -d 'let this machine work on a shared run'
complete -c git-resume -f -n __fish_git_resume_no_command -a doctor -d 'check the installation and the runs'
complete -c git-resume -f -n __fish_git_resume_no_command -a demo -d 'try git-resume in a throw-away repository'
complete -c git-resume -f -n __fish_git_resume_no_command -a version -d 'show the version'
complete -c git-resume -f -n '__fish_git_resume_at task 0' -a add -d 'add a task to the run'
complete -c git-resume -f -n '__fish_git_resume_at task 0' -a start -d 'report that a task has started'
complete -c git-resume -f -n '__fish_git_resume_at task 0' -a done -d 'report that a task is done; commit its changes'
complete -c git-resume -f -n '__fish_git_resume_at task 0' -a fail -d 'report that a task has failed'
complete -c git-resume -f -n '__fish_git_resume_at task 0' -a block -d 'report that a task needs an answer'
complete -c git-resume -f -n '__fish_git_resume_at task 0' -a skip -d 'skip a task'
complete -c git-resume -f -n '__fish_git_resume_at task 0' -a reset -d 'report that a task must be done again'
complete -c git-resume -f -n '__fish_git_resume_at task 0' -a run -d 'run the command of a task, unless it is done'
complete -c git-resume -n __fish_git_resume_root -l run -x -a '(__fish_git_resume_ids run)' -d 'the run to act on'
complete -c git-resume -n __fish_git_resume_root -l discard -d 'discard a run (can be undone)'
complete -c git-resume -n __fish_git_resume_root -l retry -d 'run an interrupted task again, from a clean tree'
complete -c git-resume -n __fish_git_resume_root -l keep -d 'run an interrupted task again, on top of its changes'
complete -c git-resume -n __fish_git_resume_root -l mark-done -d 'accept the changes of an interrupted task as its result'
complete -c git-resume -n __fish_git_resume_root -l mode -x -a 'interactive auto preflight' -d 'interactive, auto or preflight'
complete -c git-resume -n __fish_git_resume_root -l auto -l auto-continue -d 'continue without asking if that is safe'
complete -c git-resume -n __fish_git_resume_root -l preflight -d 'show a full report first, then ask'
complete -c git-resume -n __fish_git_resume_root -l from -x -a '(__fish_git_resume_tasks)' -d 'continue at this task; do all later ones again'
complete -c git-resume -n __fish_git_resume_root -l restart -d 'start again from the first task'
complete -c git-resume -n __fish_git_resume_root -l skip -d 'skip the next task'
complete -c git-resume -n __fish_git_resume_root -l update -d 'bring the new commits of the base into the run first'
complete -c git-resume -n __fish_git_resume_root -l despite-conflicts -d 'continue on the old base'
complete -c git-resume -n __fish_git_resume_root -l takeover -d 'continue although the last worker cannot be checked'
complete -c git-resume -n __fish_git_resume_root -l offline -d 'continue a shared run without asking its remote'
complete -c git-resume -n __fish_git_resume_root -l even-idle -d 'also take a run whose worker shows no activity'
complete -c git-resume -n __fish_git_resume_root -l print -d 'only print what to do next'
complete -c git-resume -n __fish_git_resume_root -l plan -r -F -d 'use this version of the plan file'
complete -c git-resume -n __fish_git_resume_root -l choose -x -a '(__fish_git_resume_choices)' -d 'take one of the offered choices, by its name'
complete -c git-resume -n __fish_git_resume_root -l answer -x -d 'the answer for --choose answer'
complete -c git-resume -n __fish_git_resume_root -l jobs -s j -x -d 'how many tasks may run at the same time'
complete -c git-resume -n __fish_git_resume_root -l for -x -d 'how long to work, such as 5h30m'
complete -c git-resume -n __fish_git_resume_root -l until -x -d 'when to stop, such as 18:00'
complete -c git-resume -n __fish_git_resume_root -l yes -s y -d 'do not ask'
complete -c git-resume -n __fish_git_resume_root -l dry-run -s n -d 'only show what would be done'
complete -c git-resume -n __fish_git_resume_root -l force -d 'continue even if somebody may be working on it; with --discard: even with data in ignored files, or if in use'
complete -c git-resume -n __fish_git_resume_root -l merged -d 'with --discard: all runs that are finished and merged'
complete -c git-resume -n __fish_git_resume_root -l keep-going -d 'continue with other tasks after a failure'
complete -c git-resume -n __fish_git_resume_root -l no-verify -d 'skip the commit hooks'
complete -c git-resume -n __fish_git_resume_root -l verbose -s v -d 'show the output of tasks'
complete -c git-resume -n '__fish_git_resume_at start' -l name -x -d 'name of the run'
complete -c git-resume -n '__fish_git_resume_at start' -l task -x -d 'a task: TITLE or ID: TITLE'
complete -c git-resume -n '__fish_git_resume_at start' -l base -x -a '(__fish_git_resume_branches)' -d 'the branch to start from and to merge into at the end'
complete -c git-resume -n '__fish_git_resume_at start' -l here -d 'work in this worktree'
complete -c git-resume -n '__fish_git_resume_at start' -l take -d 'take uncommitted changes along'
complete -c git-resume -n '__fish_git_resume_at start' -l new -d 'start another run although one of this name is open'
complete -c git-resume -n '__fish_git_resume_at start' -l auto -d 'continue the open run of this name if there is one'
complete -c git-resume -n '__fish_git_resume_at start' -l mode -x -a 'interactive auto preflight' -d 'interactive, auto or preflight'
complete -c git-resume -n '__fish_git_resume_at start' -l owner -x -d 'the process that does the work'
complete -c git-resume -n '__fish_git_resume_at start' -l jobs -s j -x -d 'how many tasks may run at the same time'
complete -c git-resume -n '__fish_git_resume_at start' -l for -x -d 'how long to work, such as 5h30m'
complete -c git-resume -n '__fish_git_resume_at start' -l until -x -d 'when to stop, such as 18:00'
complete -c git-resume -n '__fish_git_resume_at start' -l keep-going -d 'continue with other tasks after a failure'
complete -c git-resume -n '__fish_git_resume_at start' -l no-verify -d 'skip the commit hooks'
complete -c git-resume -n '__fish_git_resume_at start' -l verbose -s v -d 'show the output of tasks'
complete -c git-resume -n '__fish_git_resume_at run' -l name -x -d 'name of the run'
complete -c git-resume -n '__fish_git_resume_at run' -l staging -d 'work in a new worktree'
complete -c git-resume -n '__fish_git_resume_at run' -l new -d 'start another run although one of this name is open'
complete -c git-resume -n '__fish_git_resume_at run' -l timeout -x -d 'how long the command may take'
complete -c git-resume -n '__fish_git_resume_at run' -l keep-going -d 'continue with other tasks after a failure'
complete -c git-resume -n '__fish_git_resume_at run' -l no-verify -d 'skip the commit hooks'
complete -c git-resume -n '__fish_git_resume_at run' -l verbose -s v -d 'show the output of tasks'
complete -c git-resume -n '__fish_git_resume_at pause' -l run -x -a '(__fish_git_resume_ids run)' -d 'the run to act on'
complete -c git-resume -n '__fish_git_resume_at pause' -l message -s m -x -d 'the reason to record'
complete -c git-resume -n '__fish_git_resume_at answer' -l run -x -a '(__fish_git_resume_ids run)' -d 'the run to act on'
complete -c git-resume -n '__fish_git_resume_at answer' -l text -x -d 'an answer of your own'
complete -c git-resume -n '__fish_git_resume_at answer' -l force -d 'do it even if somebody may be working on it'
complete -c git-resume -n '__fish_git_resume_at finish' -l run -x -a '(__fish_git_resume_ids run)' -d 'the run to act on'
complete -c git-resume -n '__fish_git_resume_at wait' -l run -x -a '(__fish_git_resume_ids run)' -d 'the run to act on'
complete -c git-resume -n '__fish_git_resume_at wait' -l timeout -x -d 'how long to wait at most (24h)'
complete -c git-resume -n '__fish_git_resume_at trust' -l run -x -a '(__fish_git_resume_ids run)' -d 'the run to act on'
complete -c git-resume -n '__fish_git_resume_at trust' -l dry-run -s n -d 'only show the commands'
complete -c git-resume -n '__fish_git_resume_at trust' -l yes -s y -d 'approve without asking'
complete -c git-resume -n '__fish_git_resume_at trust' -l expect -x -d 'approve only if the commands have this hash'
complete -c git-resume -n '__fish_git_resume_at checkpoint' -l run -x -a '(__fish_git_resume_ids run)' -d 'the run to act on'
complete -c git-resume -n '__fish_git_resume_at checkpoint' -l owner -x -d 'the process that does the work'
complete -c git-resume -n '__fish_git_resume_at checkpoint' -l commit -d 'commit the work so far'
complete -c git-resume -n '__fish_git_resume_at checkpoint' -l no-verify -d 'skip the commit hooks'
complete -c git-resume -n '__fish_git_resume_at checkpoint' -l message -s m -x -d 'subject of the commit, or of the snapshot'
complete -c git-resume -n '__fish_git_resume_at status' -l all -d 'also show closed runs and work that is not listed'
complete -c git-resume -n '__fish_git_resume_at status' -l json -d 'print JSON'
complete -c git-resume -n '__fish_git_resume_at status' -s z -d 'end records with NUL'
complete -c git-resume -n '__fish_git_resume_at status' -l exit-code -d 'exit 10 if work is interrupted, waiting or failed'
complete -c git-resume -n '__fish_git_resume_at status' -l check -d 'also show what changed since the run stopped'
complete -c git-resume -n '__fish_git_resume_at status' -l timeline -d 'show when each task was worked on'
complete -c git-resume -n '__fish_git_resume_at status' -l prompt -d 'one short word for a shell prompt'
complete -c git-resume -n '__fish_git_resume_at status' -l watch -d 'print the status again whenever it changes'
complete -c git-resume -n '__fish_git_resume_at status' -l porcelain -d 'print lines for scripts'
complete -c git-resume -n '__fish_git_resume_at status' -l run -x -a '(__fish_git_resume_ids run)' -d 'the run to act on'
complete -c git-resume -n '__fish_git_resume_at log' -l run -x -a '(__fish_git_resume_ids run)' -d 'the run to act on'
complete -c git-resume -n '__fish_git_resume_at log' -l raw -d 'print the events as they are stored'
complete -c git-resume -n '__fish_git_resume_at log' -l follow -s f -d 'print what is added, until the run or task ends'
complete -c git-resume -n '__fish_git_resume_at review' -l run -x -a '(__fish_git_resume_ids run)' -d 'the run to act on'
complete -c git-resume -n '__fish_git_resume_at review' -l patch -s p -d 'show the changes as a patch'
complete -c git-resume -n '__fish_git_resume_at review' -l md -d 'print the review as Markdown'
complete -c git-resume -n '__fish_git_resume_at merge' -l run -x -a '(__fish_git_resume_ids run)' -d 'the run to act on'
complete -c git-resume -n '__fish_git_resume_at merge' -l squash -d 'add all changes as a single commit'
complete -c git-resume -n '__fish_git_resume_at merge' -l message -s m -x -d 'subject of the commit'
complete -c git-resume -n '__fish_git_resume_at merge' -l strip -d 'merge without the runs trailers'
complete -c git-resume -n '__fish_git_resume_at merge' -l force -d 'do it even if somebody may be working on it'
complete -c git-resume -n '__fish_git_resume_at merge' -l despite-conflicts -d 'start the merge even if it stops at conflicts'
complete -c git-resume -n '__fish_git_resume_at merge' -l yes -s y -d 'merge an unfinished run without asking'
complete -c git-resume -n '__fish_git_resume_at conflicts' -l base -x -d 'the base of the merge'
complete -c git-resume -n '__fish_git_resume_at conflicts' -l engine -x -a 'git builtin' -d 'the engine that merges: git or builtin'
complete -c git-resume -n '__fish_git_resume_at conflicts' -l json -d 'print JSON'
complete -c git-resume -n '__fish_git_resume_at discard' -l yes -s y -d 'do not ask'
complete -c git-resume -n '__fish_git_resume_at discard' -l dry-run -s n -d 'only show what would be done'
complete -c git-resume -n '__fish_git_resume_at discard' -l force -d 'discard even with data in ignored files, or if in use'
complete -c git-resume -n '__fish_git_resume_at discard' -l merged -d 'discard all runs that are finished and merged'
complete -c git-resume -n '__fish_git_resume_at discard' -l run -x -a '(__fish_git_resume_ids run)' -d 'the run to act on'
complete -c git-resume -n '__fish_git_resume_at undo' -l run -x -a '(__fish_git_resume_ids run)' -d 'the run to act on'
complete -c git-resume -n '__fish_git_resume_at undo' -l dry-run -s n -d 'only show what would be undone'
complete -c git-resume -n '__fish_git_resume_at undo' -l list -d 'list what could be undone'
complete -c git-resume -n '__fish_git_resume_at undo' -l redo -d 'redo what the last undo undid'
complete -c git-resume -n '__fish_git_resume_at undo' -l yes -s y -d 'undo without asking'
complete -c git-resume -n '__fish_git_resume_at hide' -l old -d 'hide work that is too old to be listed without --all'
complete -c git-resume -n '__fish_git_resume_at hide' -l list -d 'list what is hidden'
complete -c git-resume -n '__fish_git_resume_at hide' -l undo -d 'show hidden work again'
complete -c git-resume -n '__fish_git_resume_at hide' -l dry-run -s n -d 'only show what would be done'
complete -c git-resume -n '__fish_git_resume_at snapshots' -l run -x -a '(__fish_git_resume_ids run)' -d 'the run to act on'
complete -c git-resume -n '__fish_git_resume_at restore' -l to -x -d 'write the files into this new folder'
complete -c git-resume -n '__fish_git_resume_at restore' -l into-worktree -d 'restore the files in the worktree that they are from'
complete -c git-resume -n '__fish_git_resume_at restore' -l dry-run -s n -d 'only show what would be restored'
complete -c git-resume -n '__fish_git_resume_at restore' -l yes -s y -d 'restore the files in the worktree without asking'
complete -c git-resume -n '__fish_git_resume_at hooks' -l local -d 'for this repository'
complete -c git-resume -n '__fish_git_resume_at hooks' -l global -d 'for all repositories of this user'
complete -c git-resume -n '__fish_git_resume_at hooks' -l manager -d 'add the hook to the hook managers file'
complete -c git-resume -n '__fish_git_resume_at agents' -l project -d 'use the settings in this worktree, not in your home'
complete -c git-resume -n '__fish_git_resume_at agents' -l tasks -d 'also switch on the agents built-in task lists'
complete -c git-resume -n '__fish_git_resume_at agents' -l probe -d 'start a session of each agent to try its hooks'
complete -c git-resume -n '__fish_git_resume_at agents' -l dry-run -s n -d 'only show what would be done'
complete -c git-resume -n '__fish_git_resume_at agents' -l yes -s y -d 'do not ask'
complete -c git-resume -n '__fish_git_resume_at push' -l run -x -a '(__fish_git_resume_ids run)' -d 'the run to act on'
complete -c git-resume -n '__fish_git_resume_at push' -l to -x -a '(git remote 2>/dev/null)' -d 'the remote, which must be named the first time'
complete -c git-resume -n '__fish_git_resume_at push' -l rebind -d 'bind the run to another remote'
complete -c git-resume -n '__fish_git_resume_at push' -l restore -d 'put back what the remote has lost'
complete -c git-resume -n '__fish_git_resume_at push' -l wip -d 'send uncommitted work too'
complete -c git-resume -n '__fish_git_resume_at push' -l dry-run -s n -d 'only show what readers of the remote will see'
complete -c git-resume -n '__fish_git_resume_at pull' -l run -x -a '(__fish_git_resume_ids run)' -d 'the run to act on'
complete -c git-resume -n '__fish_git_resume_at pull' -l from -x -a '(git remote 2>/dev/null)' -d 'the remote'
complete -c git-resume -n '__fish_git_resume_at unshare' -l run -x -a '(__fish_git_resume_ids run)' -d 'the run to act on'
complete -c git-resume -n '__fish_git_resume_at parked' -l run -x -a '(__fish_git_resume_ids run)' -d 'the run to act on'
complete -c git-resume -n '__fish_git_resume_at work' -l run -x -a '(__fish_git_resume_ids run)' -d 'the run to act on'
complete -c git-resume -n '__fish_git_resume_at work' -l remote -x -a '(git remote 2>/dev/null)' -d 'the remote at which the run is shared'
complete -c git-resume -n '__fish_git_resume_at work' -l plan -r -F -d 'approve the commands of this plan file'
complete -c git-resume -n '__fish_git_resume_at work' -l for -x -d 'how long to work, such as 5h30m'
complete -c git-resume -n '__fish_git_resume_at work' -l seat -x -d 'name of the job slot in which this worker runs'
complete -c git-resume -n '__fish_git_resume_at work' -l incarnation -x -d 'number of this worker; newer ones have higher numbers'
complete -c git-resume -n '__fish_git_resume_at work' -l wait -d 'wait while somebody else works on the run'
complete -c git-resume -n '__fish_git_resume_at work' -l takeover -d 'take the lease from its holder'
complete -c git-resume -n '__fish_git_resume_at work' -l wip -d 'send uncommitted work too'
complete -c git-resume -n '__fish_git_resume_at work' -l keep-going -d 'continue with other tasks after a failure'
complete -c git-resume -n '__fish_git_resume_at work' -l no-verify -d 'skip the commit hooks'
complete -c git-resume -n '__fish_git_resume_at work' -l verbose -s v -d 'show the output of tasks'
complete -c git-resume -n '__fish_git_resume_at doctor' -l fix -d 'repair what can be repaired safely'
complete -c git-resume -n '__fish_git_resume_at doctor' -l purge -d 'remove git-resumes records and work from here'
complete -c git-resume -n '__fish_git_resume_at doctor' -l yes -s y -d 'purge without asking'
complete -c git-resume -n '__fish_git_resume_at doctor' -l force -d 'also purge commits and files that are nowhere else'
complete -c git-resume -n '__fish_git_resume_at demo' -l explain -d 'explain each step'
complete -c git-resume -n '__fish_git_resume_report add' -l title -x -d 'title of a new task'
complete -c git-resume -n '__fish_git_resume_report add' -l run -x -a '(__fish_git_resume_ids run)' -d 'the run to act on'
complete -c git-resume -n '__fish_git_resume_report add' -l owner -x -d 'the process that does the work'
complete -c git-resume -n '__fish_git_resume_report add' -l takeover -d 'report although the last worker cannot be checked'
complete -c git-resume -n '__fish_git_resume_report start' -l add -d 'add a task that the run does not have'
complete -c git-resume -n '__fish_git_resume_report start' -l title -x -d 'title of a new task'
complete -c git-resume -n '__fish_git_resume_report start' -l run -x -a '(__fish_git_resume_ids run)' -d 'the run to act on'
complete -c git-resume -n '__fish_git_resume_report start' -l owner -x -d 'the process that does the work'
complete -c git-resume -n '__fish_git_resume_report start' -l takeover -d 'report although the last worker cannot be checked'
complete -c git-resume -n '__fish_git_resume_report done' -l add -d 'add a task that the run does not have'
complete -c git-resume -n '__fish_git_resume_report done' -l title -x -d 'title of a new task'
complete -c git-resume -n '__fish_git_resume_report done' -l message -s m -x -d 'subject of the commit'
complete -c git-resume -n '__fish_git_resume_report done' -l no-verify -d 'skip the commit hooks'
complete -c git-resume -n '__fish_git_resume_report done' -l run -x -a '(__fish_git_resume_ids run)' -d 'the run to act on'
complete -c git-resume -n '__fish_git_resume_report done' -l owner -x -d 'the process that does the work'
complete -c git-resume -n '__fish_git_resume_report done' -l takeover -d 'report although the last worker cannot be checked'
complete -c git-resume -n '__fish_git_resume_report fail' -l message -s m -x -d 'the reason to record'
complete -c git-resume -n '__fish_git_resume_report fail' -l cause -x -d 'why it failed, in one word'
complete -c git-resume -n '__fish_git_resume_report fail' -l until -x -d 'when to try again (2h, 6pm)'
complete -c git-resume -n '__fish_git_resume_report fail' -l exit-code -x -d 'exit code of the task'
complete -c git-resume -n '__fish_git_resume_report fail' -l run -x -a '(__fish_git_resume_ids run)' -d 'the run to act on'
complete -c git-resume -n '__fish_git_resume_report fail' -l owner -x -d 'the process that does the work'
complete -c git-resume -n '__fish_git_resume_report fail' -l takeover -d 'report although the last worker cannot be checked'
complete -c git-resume -n '__fish_git_resume_report block' -l add -d 'add a task that the run does not have'
complete -c git-resume -n '__fish_git_resume_report block' -l title -x -d 'title of a new task'
complete -c git-resume -n '__fish_git_resume_report block' -l message -s m -x -d 'the reason to record'
complete -c git-resume -n '__fish_git_resume_report block' -l ask -x -d 'the question'
complete -c git-resume -n '__fish_git_resume_report block' -l option -x -d 'an answer to choose from'
complete -c git-resume -n '__fish_git_resume_report block' -l run -x -a '(__fish_git_resume_ids run)' -d 'the run to act on'
complete -c git-resume -n '__fish_git_resume_report block' -l owner -x -d 'the process that does the work'
complete -c git-resume -n '__fish_git_resume_report block' -l takeover -d 'report although the last worker cannot be checked'
complete -c git-resume -n '__fish_git_resume_report skip' -l message -s m -x -d 'the reason to record'
complete -c git-resume -n '__fish_git_resume_report skip' -l run -x -a '(__fish_git_resume_ids run)' -d 'the run to act on'
complete -c git-resume -n '__fish_git_resume_report skip' -l owner -x -d 'the process that does the work'
complete -c git-resume -n '__fish_git_resume_report skip' -l takeover -d 'report although the last worker cannot be checked'
complete -c git-resume -n '__fish_git_resume_report reset' -l message -s m -x -d 'the reason to record'
complete -c git-resume -n '__fish_git_resume_report reset' -l run -x -a '(__fish_git_resume_ids run)' -d 'the run to act on'
complete -c git-resume -n '__fish_git_resume_report reset' -l owner -x -d 'the process that does the work'
complete -c git-resume -n '__fish_git_resume_report reset' -l takeover -d 'report although the last worker cannot be checked'
complete -c git-resume -n '__fish_git_resume_report run' -l run -x -a '(__fish_git_resume_ids run)' -d 'the run to act on'
complete -c git-resume -n '__fish_git_resume_report run' -l owner -x -d 'the process that does the work'
complete -c git-resume -n '__fish_git_resume_report run' -l takeover -d 'report although the last worker cannot be checked'
complete -c git-resume -n '__fish_git_resume_report run' -l add -d 'add a task that the run does not have'
complete -c git-resume -n '__fish_git_resume_report run' -l title -x -d 'title of a new task'
complete -c git-resume -n '__fish_git_resume_report run' -l message -s m -x -d 'subject of the commit'
complete -c git-resume -n '__fish_git_resume_report run' -l no-verify -d 'skip the commit hooks'
complete -c git-resume -n '__fish_git_resume_report run' -l verify -x -d 'a command that checks whether the task is done'
complete -c git-resume -n '__fish_git_resume_report run' -l retry -d 'run an interrupted task again, from a clean tree'
complete -c git-resume -n '__fish_git_resume_report run' -l keep -d 'run an interrupted task again, on top of its changes'
complete -c git-resume -n '__fish_git_resume_report run' -l timeout -x -d 'how long the command may take'
# End of it.

complete -c git-resume -f -n __fish_git_resume_no_command -a '(__fish_git_resume_ids run)' -d run
complete -c git-resume -n '__fish_git_resume_at start 0' -F
complete -c git-resume -f -n '__fish_git_resume_at task; and not __fish_git_resume_at task 0' -a '(__fish_git_resume_tasks)' -d task
complete -c git-resume -f -n '__fish_git_resume_at answer 0' -a '(__fish_git_resume_tasks)' -d task
complete -c git-resume -f -n '__fish_git_resume_at hooks 0' -a 'install uninstall status'
complete -c git-resume -f -n '__fish_git_resume_at agents 0' -a 'install uninstall check'
complete -c git-resume -f -n '__fish_git_resume_at agents; and not __fish_git_resume_at agents 0' -a 'claude codex gemini qwen copilot opencode cursor goose amp crush aider'
complete -c git-resume -f -n '__fish_git_resume_at demo 0' -a rebase
for command in pause finish trust discard review merge
    complete -c git-resume -f -n "__fish_git_resume_at $command 0" -a '(__fish_git_resume_ids run)' -d run
end
for command in status log undo
    complete -c git-resume -f -n "__fish_git_resume_at $command 0" -a '(__fish_git_resume_ids run --all)' -d run
end
for command in status log
    complete -c git-resume -f -n "__fish_git_resume_at $command 1" -a '(__fish_git_resume_status_tasks)' -d task
end
