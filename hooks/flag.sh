git_resume_flag() {
	if [ "${GIT_RESUME_PROBE-}" = 1 ]; then
		echo git-resume-stub-is-alive >&2
		return 0
	fi
	# Only a checkout of a branch, and only if something could be open: found out without starting the program.
	if [ "${3-0}" != 1 ] || [ "${GIT_RESUME-1}" = 0 ]; then return 0; fi
	dir=${GIT_DIR:-.git}
	if [ -f "$dir" ]; then read -r _ dir <"$dir"; fi
	if [ -e "$dir/rebase-merge" ] || [ -e "$dir/rebase-apply" ] || [ -e "$dir/BISECT_LOG" ]; then return 0; fi
	common=$dir
	branch=
	if [ -f "$dir/commondir" ]; then
		read -r common <"$dir/commondir"
		case $common in /*) ;; *) common=$dir/$common ;; esac
	else
		# A name that could be written in more than one way, or stands in a table of refs, is left to the program.
		read -r branch <"$dir/HEAD" || branch=
		branch=${branch#ref: }
		case $branch in *[!a-zA-Z0-9/._-]* | refs/heads/.invalid) branch= ;; esac
	fi 2>/dev/null
	apart=
	for mark in "$common"/resume/open/* "$dir"/MERGE_HEAD "$dir"/CHERRY_PICK_HEAD "$dir"/REVERT_HEAD "$dir"/sequencer @MARKS@; do
		if [ ! -e "$mark" ]; then continue; fi
		# A run in a worktree of its own concerns the main worktree only while that has its branch.
		run=
		case $branch:$mark in ?*:*/resume/open/*) { read -r run <"$mark"; } 2>/dev/null ;; esac
		case $run in
		*"\"branch\":\"$branch\""*) ;;
		*'"apart":true'*)
			apart=1
			continue
			;;
		esac
		git_resume_tell "$@"
		return 0
	done
	if [ "$apart" ] && [ "$(git config resume.notice)" = all ]; then git_resume_tell "$@"; fi
	return 0
}
git_resume_tell() {
	if ! command -v git-resume >/dev/null 2>&1; then return 0; fi
	git-resume hook post-checkout "$@" </dev/null &
	child=$!
	# A hang is cut after a second; nobody waits for the clock itself.
	(sleep 1 && kill -9 "$child") >/dev/null 2>&1 </dev/null &
	clock=$!
	wait "$child" 2>/dev/null
	kill "$clock" 2>/dev/null
	return 0
}
