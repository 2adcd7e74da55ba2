#!/bin/sh
# git-resume-stub 7: says so when interrupted work concerns what you just checked out.
# It never fails. Remove it with: git resume hooks uninstall
# Two installers at once could save this file as the hook that was here before it. It must not call itself then.
case $0 in
*.before-git-resume) exit 0 ;;
*/*) before=${0%/*}/post-checkout.before-git-resume ;;
*) before=./post-checkout.before-git-resume ;;
esac
status=0
if [ -x "$before" ] && [ "${GIT_RESUME_PROBE-}" != 1 ]; then
	line=
	{ read -r line && read -r line; } 2>/dev/null <"$before"
	case $line in
	'# git-resume-stub '*) ;;
	*)
		"$before" "$@"
		status=$?
		;;
	esac
fi
@FLAG@
git_resume_flag "$@"
exit "$status"
