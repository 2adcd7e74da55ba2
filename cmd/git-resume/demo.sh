# The demo: a run of five tasks is killed in its third, found, and brought to its end.
set -eu
exec 2>&1
say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] || say() { printf '\n%s\n' "$*"; }

git init -q -b main shop && cd shop
echo 'package shop' > shop.go
git add . && git commit -qm 'a shop'
work=$(cd .. && pwd)/work.sh

cat > ../work.sh <<'WORK'
# An agent, a migration, a release: anything that works through tasks and reports them.
for task in "$@"; do
	git resume task start "$task"
	echo "// $task" >> shop.go
	echo "$task" > "$task.txt"
	if [ "$task" = "${DIE_IN-}" ]; then kill -9 $$; fi   # a crash, a closed laptop
	git resume task done "$task"
done
WORK

say '$ cd $(git resume start --name migrate-auth --task schema --task backfill ...)'
tree=$(git resume start --name migrate-auth --task 'schema: add users.email_verified' \
	--task 'backfill: backfill existing rows' --task 'signup: update signup handler' \
	--task 'login: update login handler' --task 'tests: test it all')
cd "$tree" && pwd

say '$ sh work.sh schema backfill signup login tests       (killed in "signup")'
DIE_IN=signup sh "$work" schema backfill signup login tests || echo "exit code $?: killed"

say '$ git status --short                                  (work that is not committed)'
git status --short

say '$ git resume'
git resume

say '$ sh work.sh signup login tests                       (goes on where it stopped)'
sh "$work" signup login tests

say '$ git log --oneline; git resume status --all'
git --no-pager log --oneline
git resume status --all

say 'Nothing was lost and nothing was done twice. The record is in git: refs/notes/resume/*'
