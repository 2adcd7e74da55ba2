# A build of four chunks in its own worktree. It crashed in the second one, whose file was not committed.
at 2026-11-12T19:00:00Z
spec=.auto-claude/specs/003-wishlist
tree=.worktrees/auto-claude
printf '.auto-claude/\n.worktrees/\n' > .gitignore
git add .gitignore
git commit -q -m 'ignore the files of Auto-Claude'
mkdir -p $spec
printf '# Wishlist\n\nCustomers keep what they want to buy later.\n' > $spec/spec.md
chunk() { printf '{"id": "chunk-%s", "description": "%s", "files_to_modify": ["%s"], "status": "%s"}' "$@"; }
cat > $spec/implementation_plan.json <<P
{
  "feature": "Wishlist",
  "phases": [
    {"phase": 1, "name": "Store", "depends_on": [], "chunks": [
      $(chunk 1-1 'Add the table' src/wishlist.sql completed),
      $(chunk 1-2 'Add and remove items' src/wishlist.py in_progress)
    ]},
    {"phase": 2, "name": "Show", "depends_on": [1], "chunks": [
      $(chunk 2-1 'Show the list' src/wishlist.html pending)
    ]}
  ],
  "updated_at": "2026-11-12T20:40:00Z"
}
P
git worktree add -q -b auto-claude/003-wishlist $tree
at 2026-11-12T20:10:00Z
mkdir $tree/src
echo 'create table wishlist (customer int, item int);' > $tree/src/wishlist.sql
git -C $tree add src
git -C $tree commit -q -m 'auto-claude: chunk-1-1 - Add the table'
at 2026-11-12T20:40:00Z
echo 'def add(customer, item):' > $tree/src/wishlist.py

# This is what Auto-Claude does next; here a script stands in for it.
cat > ../auto-claude.sh <<'S'
plan=.auto-claude/specs/003-wishlist/implementation_plan.json
build() {
	git -C .worktrees/auto-claude add src
	git -C .worktrees/auto-claude commit -q -m "auto-claude: $1 - $2"
	sed "/\"$1\"/s/\"pending\"/\"completed\"/" $plan > $plan.new
	mv $plan.new $plan
}
echo '    store(customer, item)' >> .worktrees/auto-claude/src/wishlist.py
build chunk-1-2 'Add and remove items'
echo '<ul/>' > .worktrees/auto-claude/src/wishlist.html
build chunk-2-1 'Show the list'
sed 's/^  "phases"/  "qa_signoff": {"status": "approved"}, "phases"/' $plan > $plan.new
mv $plan.new $plan
S
