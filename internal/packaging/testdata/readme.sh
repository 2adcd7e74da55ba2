# A week in a repository: a run whose worker was killed, a rebase with a conflict in another worktree, and a plan that waits.
at 2026-11-10T10:00:00Z
printf 'A shop.\n' >README
echo 'port: 80' >config.yaml
git add -A
git commit -q -m 'a shop'
git checkout -q -b feature
echo 'port: 8080' >config.yaml
git commit -q -a -m 'use another port'
git checkout -q main
echo 'port: 443' >config.yaml
git commit -q -a -m 'use https'
at 2026-11-11T16:00:00Z
git worktree add -q ../shop-feature feature
(cd ../shop-feature && git rebase -q main >/dev/null 2>&1) || true
at 2026-11-12T09:00:00Z
mkdir -p .kiro/specs/login
printf '# Tasks\n\n- [x] 1. Add the form\n- [ ] 2. Check the password\n- [ ] 3. Lock the account\n' >.kiro/specs/login/tasks.md
git add -A
git commit -q -m 'login: add the form'
at 2026-11-13T08:00:00Z
(
	cd "$(git resume start --name migrate-auth --task 'schema: add users.email_verified' --task 'signup: update the signup handler' --task 'tests: test it all')"
	git resume task start schema
	echo 'alter table users add email_verified bool;' >schema.sql
	git resume task done schema
	git resume task start signup
	echo 'package shop' >signup.go
	kill -9 "$(sh -c 'echo $PPID')"
) >/dev/null 2>&1 || true
at 2026-11-13T09:00:00Z
