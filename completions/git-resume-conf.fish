# Lets fish complete "git resume ...". The completion of git in fish 3.6 and
# before does not hand a command on to the rules of its program, git-resume.

# Prints the words behind "git resume" on the line, quoted; false if the command is another one.
function __fish_git_resume_in_git
    set -l words (commandline -opc)
    set -e words[1]
    while set -q words[1]
        switch $words[1]
            case resume
                string escape -- $words[2..-1]
                return 0
            case -C -c --git-dir --work-tree --namespace --exec-path --super-prefix --config-env
                set -e words[1] # its value is the next word
            case '-*'
            case '*'
                return 1
        end
        set -e words[1]
    end
    return 1
end

function __fish_git_resume_from_git
    complete -C (string join ' ' -- git-resume (__fish_git_resume_in_git) (commandline -ct | string collect --allow-empty))
end

complete -c git -f -n '__fish_git_resume_in_git >/dev/null' -a '(__fish_git_resume_from_git)'
