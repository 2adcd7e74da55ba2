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
        switch $word
            case --name --task --run --cause --until --ask -m
                set skip 1
            case '-*'
            case '*'
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

# Prints the ids in records of kind $argv[1].
function __fish_git_resume_ids
    git resume status --porcelain=v1 $argv[2..-1] 2>/dev/null | string replace -rf "^$argv[1]\t([^\t]+).*" '$1'
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

function __fish_git_resume_status_tasks
    set -l words (__fish_git_resume_words)
    __fish_git_resume_tasks $words[2]
end

complete -c git-resume -f -n __fish_git_resume_no_command -a start -d 'begin a run'
complete -c git-resume -f -n __fish_git_resume_no_command -a task -d 'report on a task'
complete -c git-resume -f -n __fish_git_resume_no_command -a pause -d 'stop a run on purpose'
complete -c git-resume -f -n __fish_git_resume_no_command -a answer -d 'answer a question'
complete -c git-resume -f -n __fish_git_resume_no_command -a finish -d 'end a run early'
complete -c git-resume -f -n __fish_git_resume_no_command -a status -d 'show runs and tasks'
complete -c git-resume -f -n __fish_git_resume_no_command -a log -d 'show what happened'
complete -c git-resume -f -n __fish_git_resume_no_command -a checkpoint -d 'record work so far'
complete -c git-resume -f -n __fish_git_resume_no_command -a demo -d 'try it in a throw-away repository'
complete -c git-resume -f -n __fish_git_resume_no_command -a version -d 'print the version'

complete -c git-resume -n '__fish_git_resume_at start' -l name -x -d 'name of the run'
complete -c git-resume -n '__fish_git_resume_at start' -l task -x -d 'title of a task'
complete -c git-resume -n '__fish_git_resume_at start' -l here -d 'work in this worktree'
complete -c git-resume -n '__fish_git_resume_at start 0' -F

complete -c git-resume -f -n '__fish_git_resume_at task 0' -a start -d 'work on a task begins'
complete -c git-resume -f -n '__fish_git_resume_at task 0' -a done -d 'a task is done'
complete -c git-resume -f -n '__fish_git_resume_at task 0' -a fail -d 'a task failed'
complete -c git-resume -f -n '__fish_git_resume_at task 0' -a block -d 'a task waits for an answer'
complete -c git-resume -f -n '__fish_git_resume_at task 0' -a skip -d 'leave a task out'
complete -c git-resume -f -n '__fish_git_resume_at task 0' -a reset -d 'make a task pending again'
complete -c git-resume -f -n '__fish_git_resume_at task; and not __fish_git_resume_at task 0' -a '(__fish_git_resume_tasks)' -d task
complete -c git-resume -n '__fish_git_resume_at task' -l run -x -a '(__fish_git_resume_ids run)' -d 'the run'
complete -c git-resume -n '__fish_git_resume_at task' -l add -d 'add a task that the run does not have'
complete -c git-resume -n '__fish_git_resume_report fail' -l cause -x -a quota -d 'why it failed'
complete -c git-resume -n '__fish_git_resume_report fail' -l until -x -d 'when to try again'
complete -c git-resume -n '__fish_git_resume_report block' -l ask -x -d 'the question'

complete -c git-resume -f -n '__fish_git_resume_at pause 0' -a '(__fish_git_resume_ids run)' -d run
complete -c git-resume -f -n '__fish_git_resume_at finish 0' -a '(__fish_git_resume_ids run)' -d run
complete -c git-resume -f -n '__fish_git_resume_at log 0' -a '(__fish_git_resume_ids run --all)' -d run

complete -c git-resume -f -n '__fish_git_resume_at answer 0' -a '(__fish_git_resume_tasks)' -d task
complete -c git-resume -n '__fish_git_resume_at answer' -l run -x -a '(__fish_git_resume_ids run)' -d 'the run'

complete -c git-resume -f -n '__fish_git_resume_at status 0' -a '(__fish_git_resume_ids run --all)' -d run
complete -c git-resume -f -n '__fish_git_resume_at status 1' -a '(__fish_git_resume_status_tasks)' -d task
complete -c git-resume -n '__fish_git_resume_at status' -l json -d 'print JSON'
complete -c git-resume -n '__fish_git_resume_at status' -l porcelain -d 'print lines for scripts'
complete -c git-resume -n '__fish_git_resume_at status' -s z -d 'end records with NUL'
complete -c git-resume -n '__fish_git_resume_at status' -l all -d 'also closed runs'
complete -c git-resume -n '__fish_git_resume_at status' -l exit-code -d 'exit with 10 if something is interrupted'

complete -c git-resume -n '__fish_git_resume_at checkpoint' -l commit -d 'commit the work so far'
complete -c git-resume -n '__fish_git_resume_at checkpoint' -s m -x -d 'subject of the commit'
