# The demo of a killed rebase: git alone drops a commit and reports success; "git resume" puts it back.
set -eu
exec 2>&1
say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
{ [ -t 1 ] && [ -z "${NO_COLOR-}" ]; } || say() { printf '\n%s\n' "$*"; }

git init -q -b main shop && cd shop
git config advice.detachedHead false
seq 1 60 > list.txt
git add . && git commit -qm 'a list'
git checkout -q -b topic
for i in 1 2 3 4; do
	sed "$((i * 12))s/.*/t$i/" list.txt > ../next && mv ../next list.txt
	git commit -qam "t$i"
done
git checkout -q main
{ echo 0; cat list.txt; } > ../next && mv ../next list.txt
git commit -qam 'main goes on'
git checkout -q topic

# Something slow in the middle of a pick, in which the laptop is closed: here, a merge driver that kills its git.
cat > ../crash <<'CRASH'
echo x >> ../picks
if [ "$(wc -l < ../picks)" -eq 2 ]; then
	kill -9 $PPID $$
fi
git merge-file -q "$1" "$2" "$3"
CRASH
echo 'list.txt merge=crash' > .git/info/attributes
# Some shells become their last command and some do not; with exec the parent is git in all of them.
git config merge.crash.driver 'exec sh ../crash %A %O %B'

say '$ git rebase main                                     (killed inside the second of four)'
git rebase -q main || echo "exit code $?: killed"
git config --unset merge.crash.driver
cp -R . ../alone

say '$ rm .git/index.lock; git rebase --continue; git log --oneline main..topic     (git alone)'
(cd ../alone && rm -f .git/index.lock && git rebase --continue >/dev/null && echo "exit code $?" && git --no-pager log --oneline main..topic)
echo 't2 is gone, and nobody was told.'

say '$ git resume status                                   (the same rebase, once more)'
git resume status

say '$ git resume --yes'
git resume --yes

say '$ git log --oneline main..topic'
git --no-pager log --oneline main..topic
echo 'All four are there.'
