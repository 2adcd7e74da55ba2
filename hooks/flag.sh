git_resume_flag() {
	if [ "${GIT_RESUME_PROBE-}" = 1 ]; then
		echo git-resume-stub-is-alive >&2
		return 0
	fi
	# Only a checkout of a branch, and only if something could be open: found out without starting a process.
	# Files of git-resume are never read here, only their names and times: a shell cannot stop reading a huge file.
	if [ "${3-0}" != 1 ] || [ "${GIT_RESUME-1}" = 0 ]; then return 0; fi
	dir=${GIT_DIR:-.git}
	if [ -f "$dir" ]; then read -r _ dir <"$dir"; fi
	if [ -e "$dir/rebase-merge" ] || [ -e "$dir/rebase-apply" ] || [ -e "$dir/BISECT_LOG" ]; then return 0; fi
	common=$dir
	if [ -f "$dir/commondir" ]; then
		read -r common <"$dir/commondir"
		case $common in /*) ;; *) common=$dir/$common ;; esac
	fi 2>/dev/null
	# The program decides in the worktree of a run, and about a name that git may keep in another way than in a line of HEAD.
	branch=
	if [ -f "$dir/HEAD" ] && [ ! -L "$dir/HEAD" ] && [ ! -e "$dir/git-resume" ] && [ ! -e "$dir/locked" ]; then
		read -r branch <"$dir/HEAD" || branch=
		branch=${branch#ref: }
		case $branch in *[!a-zA-Z0-9/._@#+=,-]* | refs/heads/.invalid) branch= ;; esac
	fi 2>/dev/null
	elsewhere=
	session=
	for mark in "$common"/resume/open/* "$dir"/MERGE_HEAD "$dir"/CHERRY_PICK_HEAD "$dir"/REVERT_HEAD "$dir"/sequencer; do
		if [ ! -e "$mark" ]; then continue; fi
		case $branch:$mark in
		?*:"$common"/resume/open/*)
			# A run in a worktree of its own concerns only its branch and its base.
			near=$common/resume/apart/${mark##*/}
			if [ -d "$near" ] && [ ! -e "$near/$branch/.branch" ]; then
				elsewhere=1
				if [ ! -e "$near/$branch/.base" ] || git_resume_told "$mark"; then continue; fi
			fi
			;;
		esac
		git_resume_tell "$@"
		return 0
	done
	# Other tools often leave their files only in the main worktree, which is the folder of the common .git.
	main=
	if [ "$dir" != "$common" ] && [ "$common/../.git" -ef "$common" ]; then main=$common/../; fi
	for tree in '' "$main"; do
		for mark in @MARKS@; do
			if [ -e "$mark" ]; then
				git_resume_tell "$@"
				return 0
			fi
		done
		if [ ! "$main" ]; then break; fi
	done
	if [ "$elsewhere" ] && git_resume_all; then git_resume_tell "$@"; fi
	return 0
}
# True if nothing is to be said about the run with the file $1: it was said in this session, or the program found that nothing can be said
# before the next record, or while a worker is alive. The next record makes the run's file newer.
git_resume_told() {
	told=$common/resume/told/${1##*/}@
	if [ "${told}nothing" -nt "$1" ]; then return 0; fi
	for worker in "${told}w"*; do
		if [ ! "$worker" -nt "$1" ]; then continue; fi
		git_resume_process "${worker##*@w}"
		if [ "$worker" = "${told}w$process" ]; then return 0; fi
	done
	if [ -z "$session" ]; then
		git_resume_process $$
		git_resume_process "$leader"
		session=$process
	fi
	[ "$session" ] && [ "$told$session" -nt "$1" ]
}
# Sets process to the id and the start of the process whose id $1 begins with, and leader to the leader of its session;
# both are empty if it is gone, or on systems without /proc.
git_resume_process() {
	leader=
	process=
	set -- "${1%%-*}"
	case $1 in '' | *[!0-9]*) return 0 ;; esac
	stat=
	if [ -r "/proc/$1/stat" ]; then read -r stat <"/proc/$1/stat"; fi 2>/dev/null
	# The program's name stands in parentheses and may hold anything; the fields after it are words.
	set -- "$1" ${stat##*) }
	case ${2-Z} in Z | X) return 0 ;; esac
	leader=${5-}
	process=$1-${21-}
}
# True if resume.notice may be 'all'. Only git knows; the file quiet says that it was not, before the settings were last written.
git_resume_all() {
	if [ "${GIT_CONFIG_COUNT-0}" != 0 ]; then return 0; fi
	case ${GIT_CONFIG_PARAMETERS-} in *[Nn][Oo][Tt][Ii][Cc][Ee]*) return 0 ;; esac
	set -- "$common/config" "$dir/config.worktree"
	if [ "${GIT_CONFIG_GLOBAL+set}" ]; then
		set -- "$@" "$GIT_CONFIG_GLOBAL"
	else
		set -- "$@" "${HOME-}/.gitconfig" "${XDG_CONFIG_HOME-${HOME-}/.config}/git/config"
	fi
	if [ "${GIT_CONFIG_SYSTEM+set}" ]; then
		set -- "$@" "$GIT_CONFIG_SYSTEM"
	elif [ -z "${GIT_CONFIG_NOSYSTEM+set}" ]; then
		set -- "$@" /etc/gitconfig
	fi
	for file in "$@"; do
		if [ -f "$file" ] && [ ! "$common/resume/quiet" -nt "$file" ]; then return 0; fi
	done
	return 1
}
git_resume_tell() {
	if ! command -v git-resume >/dev/null 2>&1; then return 0; fi
	git-resume hook post-checkout "$@" </dev/null &
	child=$!
	# The program gives up by itself after 0.9 seconds. If it does not, it alone is killed after a second, and the hook ends then.
	# Nobody waits for the clock: its sleep may outlive the hook by that second. It stands outside of the worktree, which must be
	# free for a discard.
	(cd / && sleep 1 && kill -9 "$child") >/dev/null 2>&1 </dev/null &
	clock=$!
	wait "$child" 2>/dev/null
	kill "$clock" 2>/dev/null
	return 0
}
