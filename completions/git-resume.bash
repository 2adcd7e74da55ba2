# bash completion for git resume.
#
# git's own completion loads this file when it meets "git resume" and calls
# _git_resume; the words on the line, and the functions that begin with
# __gitcomp, come from there.

# Begin of what 'go test ./cmd/git-resume -run Completions -update' writes.
__git_resume_commands="start run pause answer finish wait trust task checkpoint status log review merge conflicts discard undo hide snapshots diff restore hooks agents push pull unshare parked work doctor demo version"
__git_resume_task_commands="add start done fail block skip reset run"

# What each command takes besides its arguments.
__git_resume_flags ()
{
	case "$1" in
	"") echo "--run= --discard --retry --keep --mark-done --mark-done= --mode= --auto --preflight --from= --restart --skip --skip= --update --despite-conflicts --takeover --offline --even-idle --print --plan= --choose= --answer= --jobs= --for= --until= --yes --dry-run --force --merged --keep-going --no-verify --verbose" ;;
	start) echo "--name= --task= --base= --here --take --new --auto --mode= --owner= --jobs= --for= --until= --keep-going --no-verify --verbose" ;;
	run) echo "--name= --staging --new --timeout= --keep-going --no-verify --verbose" ;;
	pause) echo "--run= --message=" ;;
	answer) echo "--run= --text= --force" ;;
	finish) echo "--run=" ;;
	wait) echo "--run= --timeout=" ;;
	trust) echo "--run= --dry-run --yes --expect=" ;;
	checkpoint) echo "--run= --owner= --commit --no-verify --message=" ;;
	status) echo "--all --json --exit-code --check --timeline --prompt --watch --porcelain --porcelain=v1 --run=" ;;
	log) echo "--run= --raw --follow" ;;
	review) echo "--run= --patch --md" ;;
	merge) echo "--run= --squash --message= --strip --force --despite-conflicts --yes" ;;
	conflicts) echo "--base= --engine= --json" ;;
	discard) echo "--yes --dry-run --force --merged --run=" ;;
	undo) echo "--run= --dry-run --list --redo --yes" ;;
	hide) echo "--old --list --undo --dry-run" ;;
	snapshots) echo "--run=" ;;
	restore) echo "--to= --into-worktree --dry-run --yes" ;;
	hooks) echo "--local --global --manager" ;;
	agents) echo "--project --tasks --probe --dry-run --yes" ;;
	push) echo "--run= --to= --rebind --restore --wip --dry-run" ;;
	pull) echo "--run= --from=" ;;
	unshare) echo "--run=" ;;
	parked) echo "--run=" ;;
	work) echo "--run= --remote= --plan= --for= --seat= --incarnation= --wait --takeover --wip --keep-going --no-verify --verbose" ;;
	doctor) echo "--fix --purge --yes --force" ;;
	demo) echo "--explain" ;;
	task-add) echo "--title= --run= --owner= --takeover" ;;
	task-start) echo "--add --title= --run= --owner= --takeover" ;;
	task-done) echo "--add --title= --message= --no-verify --run= --owner= --takeover" ;;
	task-fail) echo "--message= --cause= --until= --exit-code= --run= --owner= --takeover" ;;
	task-block) echo "--add --title= --message= --ask= --option= --run= --owner= --takeover" ;;
	task-skip) echo "--message= --run= --owner= --takeover" ;;
	task-reset) echo "--message= --run= --owner= --takeover" ;;
	task-run) echo "--run= --owner= --takeover --add --title= --message= --no-verify --verify= --retry --keep --timeout=" ;;
	esac
}

# Flags whose value is the next word.
__git_resume_takes_value ()
{
	case "$1" in
	--answer|--ask|--base|--cause|--choose|--engine|--expect|--for|--from|--incarnation|--jobs|--message|--mode|--name|--option|--owner|--plan|--remote|--run|--seat|--task|--text|--timeout|--title|--to|--until|--verify|-j|-m) return 0 ;;
	esac
	return 1
}
# End of it.

# __git_resume_plain passes on those lines that mean nothing to a shell and are
# no options. Names come from whoever wrote the journal, the branch or another
# tool's file, and readline puts them on the line as they are.
__git_resume_plain ()
{
	local line
	while IFS= read -r line; do
		case "$line" in
		-* | =* | *[![:alnum:]_@%+=:,./-]*) ;;
		*) printf '%s\n' "$line" ;;
		esac
	done
}

# __git_resume_ids KIND [ARG...] prints the ids in the records of that kind.
# It asks in the repository that "git -C" or "--git-dir" names on the line.
__git_resume_ids ()
{
	local kind="$1" record id rest
	shift
	__git resume status --porcelain=v1 "$@" 2>/dev/null </dev/null |
	while IFS=$'\t' read -r record id rest; do
		if [ "$record" = "$kind" ]; then
			printf '%s\n' "$id"
		fi
	done | __git_resume_plain
}

# Completes one of the lines in $1. Ids of other tools' runs hold a colon, where
# readline begins a new word: it must get only what comes after it.
__git_resume_offer ()
{
	local list="$1" head=
	case "$cur" in
	*:*)
		if [ "${COMP_WORDBREAKS//:/}" != "$COMP_WORDBREAKS" ]; then
			head="${cur%:*}:"
			list="$(printf '%s\n' "$list" |
				while IFS= read -r line; do
					case "$line" in
					"$head"*) printf '%s\n' "${line#"$head"}" ;;
					esac
				done)"
		fi
		;;
	esac
	__gitcomp_nl "$list" "" "${cur#"$head"}"
}

# Reads the line up to the cursor: sets command, run (from --run) and args, the
# arguments behind the command.
__git_resume_read_line ()
{
	local i word skip=
	command="" run="" args=()
	for ((i = ${__git_cmd_idx:-1} + 1; i < cword; i++)); do
		word="${words[i]}"
		if [ -n "$skip" ]; then
			[ "$skip" != --run ] || run="$word"
			skip=
		elif __git_resume_takes_value "$word"; then
			skip="$word"
		elif [ "${word#--run=}" != "$word" ]; then
			run="${word#--run=}"
		elif [ "${word#-}" != "$word" ]; then
			:
		elif [ -z "$command" ]; then
			command="$word"
		else
			args+=("$word")
		fi
	done
}

# __git_resume_tasks [RUN] prints the tasks of RUN, or those of all open runs:
# which of them is meant is known only to the command itself.
__git_resume_tasks ()
{
	local run="${1:-${GIT_RESUME_RUN-}}" id
	if [ -n "$run" ]; then
		__git_resume_ids task "$run"
		return
	fi
	__git_resume_ids run | while IFS= read -r id; do
		__git_resume_ids task "$id"
	done
}

# __git_resume_choices [RUN] prints what can be done about RUN, or about any
# open one.
__git_resume_choices ()
{
	local run="${1:-${GIT_RESUME_RUN-}}" id
	{
		if [ -n "$run" ]; then
			printf '%s\n' "$run"
		else
			__git_resume_ids run
		fi
	} | while IFS= read -r id; do
		__git_resume_ids choice "$id"
	done | sort -u
}

_git_resume_task ()
{
	if [ ${#args[@]} -eq 0 ]; then
		__gitcomp "$__git_resume_task_commands"
		return
	fi
	__git_resume_offer "$(__git_resume_tasks "$run")"
}

_git_resume_status ()
{
	case ${#args[@]} in
	0) __git_resume_offer "$(__git_resume_ids run --all)" ;;
	1) __git_resume_offer "$(__git_resume_tasks "${args[0]}")" ;;
	esac
}

# _git_resume_value FLAG WORD completes the value of a flag. A run may stand
# where a command could.
_git_resume_value ()
{
	local cur="$2"
	case "$1" in
	--run)    __git_resume_offer "$(__git_resume_ids run)" ;;
	--from)
		case "$command" in
		pull) __git_resume_offer "$(__git_remotes | __git_resume_plain)" ;;
		*)    __git_resume_offer "$(__git_resume_tasks "${run:-$command}")" ;;
		esac ;;
	--skip|--mark-done) __git_resume_offer "$(__git_resume_tasks "${run:-$command}")" ;;
	--remote) __git_resume_offer "$(__git_remotes | __git_resume_plain)" ;;
	--to)     [ "$command" != push ] || __git_resume_offer "$(__git_remotes | __git_resume_plain)" ;;
	--choose) __git_resume_offer "$(__git_resume_choices "${run:-$command}")" ;;
	--mode)   __gitcomp "interactive auto preflight" "" "$cur" ;;
	--engine) __gitcomp "git builtin" "" "$cur" ;;
	--base)   __git_resume_offer "$(__git_heads "" "$cur" | __git_resume_plain)" ;;
	--plan)   ;; # bash completes names of files itself, and quotes them
	esac
}

# Completes a flag or the value of one; false when the word is neither.
_git_resume_flag ()
{
	local prev_="${words[cword-1]}"
	case "$cur" in
	--*=*)
		_git_resume_value "${cur%%=*}" "${cur#*=}"
		return 0
		;;
	esac
	if __git_resume_takes_value "$prev_"; then
		_git_resume_value "$prev_" "$cur"
		return 0
	fi
	case "$cur" in
	-*)
		local flags
		flags="$(__git_resume_flags "$command-${args[0]-}")"
		flags="${flags:-$(__git_resume_flags "$command")}"
		case " $__git_resume_commands " in
		*" $command "*) ;;
		*) flags="$(__git_resume_flags "")" ;; # a run's name
		esac
		__gitcomp "$flags"
		return 0
		;;
	esac
	return 1
}

_git_resume_agents ()
{
	if [ ${#args[@]} -eq 0 ]; then
		__gitcomp "install uninstall check"
	else
		__gitcomp "claude codex gemini qwen copilot opencode cursor goose amp crush aider"
	fi
}

_git_resume ()
{
	local command run args
	__git_resume_read_line
	if _git_resume_flag; then
		return
	fi
	case "$command" in
	"")           __git_resume_offer "$(printf '%s\n' $__git_resume_commands; __git_resume_ids run)" ;;
	task)         _git_resume_task ;;
	status|log)   _git_resume_status ;;
	pause|finish|trust|discard|review|merge)
	              [ ${#args[@]} -gt 0 ] || __git_resume_offer "$(__git_resume_ids run)" ;;
	demo)         [ ${#args[@]} -gt 0 ] || __gitcomp "rebase" ;;
	start)        ;; # a file, see --plan
	agents)       _git_resume_agents ;;
	hooks)        [ ${#args[@]} -gt 0 ] || __gitcomp "install uninstall status" ;;
	undo)         [ ${#args[@]} -gt 0 ] || __git_resume_offer "$(__git_resume_ids run --all)" ;;
	answer)       [ ${#args[@]} -gt 0 ] || __git_resume_offer "$(__git_resume_tasks "$run")" ;;
	esac
}
