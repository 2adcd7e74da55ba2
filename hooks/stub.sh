#!/bin/sh
# git-resume-stub 5: says so when interrupted work concerns what you just checked out.
# It never fails. Remove it with: git resume hooks uninstall
case $0 in */*) before=${0%/*}/post-checkout.before-git-resume ;; *) before=./post-checkout.before-git-resume ;; esac
status=0
if [ -x "$before" ] && [ "${GIT_RESUME_PROBE-}" != 1 ]; then
	"$before" "$@"
	status=$?
fi
@FLAG@
git_resume_flag "$@"
exit "$status"
