git_resume_flag() {
	if [ "${GIT_RESUME_PROBE-}" = 1 ]; then
		echo git-resume-stub-is-alive >&2
		return 0
	fi
	# Only a checkout of a branch, and only if something could be open: found out without starting a process.
	if [ "${3-0}" != 1 ] || [ "${GIT_RESUME-1}" = 0 ]; then return 0; fi
	dir=${GIT_DIR:-.git}
	if [ -f "$dir" ]; then read -r _ dir <"$dir"; fi
	if [ -e "$dir/rebase-merge" ] || [ -e "$dir/rebase-apply" ] || [ -e "$dir/BISECT_LOG" ]; then return 0; fi
	common=$dir
	if [ -f "$dir/commondir" ]; then
		read -r common <"$dir/commondir"
		case $common in /*) ;; *) common=$dir/$common ;; esac
	fi
	for mark in "$common"/resume/open/* "$dir"/MERGE_HEAD "$dir"/CHERRY_PICK_HEAD "$dir"/REVERT_HEAD "$dir"/sequencer @MARKS@; do
		if [ ! -e "$mark" ]; then continue; fi
		if ! command -v git-resume >/dev/null 2>&1; then return 0; fi
		git-resume hook post-checkout "$@" </dev/null &
		child=$!
		# A hang is cut after a second; nobody waits for the clock itself.
		(sleep 1 && kill -9 "$child") >/dev/null 2>&1 </dev/null &
		clock=$!
		wait "$child" 2>/dev/null
		kill "$clock" 2>/dev/null
		return 0
	done
	return 0
}
