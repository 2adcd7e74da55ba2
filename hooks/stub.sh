#!/bin/sh
# git-resume-stub 1: says so when interrupted work lies where you just checked out.
# It never fails and writes nothing. Remove it with: git resume hooks uninstall
status=0
case $0 in */*) before=${0%/*}/post-checkout.before-git-resume ;; *) before=./post-checkout.before-git-resume ;; esac
if [ -x "$before" ]; then
	"$before" "$@"
	status=$?
fi
if [ "${GIT_RESUME_PROBE-}" = 1 ]; then
	echo git-resume-stub-is-alive >&2
	exit "$status"
fi
# Only a checkout of a branch, and only if something could be open: found out without starting a process.
if [ "${3-0}" = 1 ] && [ "${GIT_RESUME-1}" != 0 ]; then
	dir=${GIT_DIR:-.git}
	if [ -f "$dir" ]; then read -r _ dir <"$dir"; fi
	common=$dir
	if [ -f "$dir/commondir" ]; then
		read -r common <"$dir/commondir"
		case $common in /*) ;; *) common=$dir/$common ;; esac
	fi
	for open in "$common"/resume/open/*; do
		if [ -e "$open" ] && command -v git-resume >/dev/null 2>&1; then
			git-resume hook post-checkout "$@" </dev/null &
			child=$!
			# A hang is cut after a second; nobody waits for the clock itself.
			(sleep 1 && kill -9 "$child") >/dev/null 2>&1 </dev/null &
			clock=$!
			wait "$child" 2>/dev/null
			kill "$clock" 2>/dev/null
		fi
		break
	done
fi
exit "$status"
