package autoclaude

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
	"github.com/git-resume/git-resume/internal/textdoc"
)

func hasDoubt(f sources.Found, code string) bool {
	return slices.ContainsFunc(f.Doubts, func(d sources.Doubt) bool { return d.Code == code })
}

func TestFind_refusesHostileFiles(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, planFile), []byte(`{"phases":[]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	link := func(to, from string) sourcetest.Mutation {
		return func(r *gittest.Repo) {
			full := filepath.Join(r.Dir, from)
			if err := os.RemoveAll(full); err != nil {
				r.T.Fatal(err)
			}
			if err := os.Symlink(to, full); err != nil {
				r.T.Fatal(err)
			}
		}
	}
	large := func(r *gittest.Repo) {
		if err := os.Truncate(filepath.Join(r.Dir, planAt), 200<<20); err != nil {
			r.T.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		prepare sourcetest.Mutation
		code    string
	}{
		"a plan that leads out":   {link(filepath.Join(outside, planFile), planAt), sources.DoubtRefused},
		"a spec that leads out":   {link(outside, strings.TrimSuffix(at, "/")), sources.DoubtRefused},
		"specs that lead out":     {link(outside, ".auto-claude/specs"), sources.DoubtRefused},
		"200 MB":                  {large, sources.DoubtRefused},
		"100,000 nested lists":    {add(planAt, `{"phases":`+strings.Repeat("[", 100000)), sources.DoubtDamaged},
		"a folder for a plan":     {both(remove(planAt), add(planAt+"/x", "")), sources.DoubtRefused},
		"a status file of a tree": {both(remove(".auto-claude"), link(outside, statusFile)), sources.DoubtRefused},
	} {
		began := time.Now()
		f := look1(t, placed(t, "chunks.txtar", c.prepare))
		if f.State != sources.Corrupt || !hasDoubt(f, c.code) {
			t.Errorf("%s: %s, %+v", name, f.State, f.Doubts)
		}
		if took := time.Since(began); took > 60*time.Second {
			t.Errorf("%s took %s", name, took)
		}
	}
}

func TestFind_doesNotFollowNamesOutOfTheRepository(t *testing.T) {
	t.Parallel()
	r := placed(t, "status.txtar", replace(statusFile, "005-user-auth", "../../../../etc"), add(at+"spec.md", "x"),
		add(at+metaFile, `{"baseBranch":"../../evil"}`), add(at+commitsFile, `{"commits":[{"hash":"--output=/tmp/x","chunk_id":"a"},{"hash":"HEAD:secret","chunk_id":"b"}]}`))
	v, done := sourcetest.View(r)
	defer done()
	found, err := New().Find(t.Context(), v)
	if err != nil || len(found) != 1 || found[0].ID != "005-user-auth" || found[0].Base != "main" {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestFind_startsNoProcessWhereThereIsNothing(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Git("worktree", "add", "-q", "-b", "topic", "../linked")
	r, calls := r.Counting()
	v, done := sourcetest.View(r)
	defer done()
	v.Setting = func(string) []string { return nil }
	if found, err := New().Find(t.Context(), v); err != nil || len(found) != 0 {
		t.Errorf("%v, %v", found, err)
	}
	if started := calls(); len(started) > 0 {
		t.Errorf("git was started: %q", started)
	}
}

func TestFind_readsProjectsBelowTheTop(t *testing.T) {
	t.Parallel()
	r := placed(t, "chunks.txtar")
	for _, dir := range []string{"web", "deep/down"} {
		if err := os.CopyFS(filepath.Join(r.Dir, dir, ".auto-claude"), os.DirFS(filepath.Join(r.Dir, ".auto-claude"))); err != nil {
			t.Fatal(err)
		}
	}
	r.Git("config", "resume.auto-claude.path", "deep/down")
	v, done := sourcetest.View(r)
	defer done()
	found, err := New().Find(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, f := range found {
		ids = append(ids, f.ID+" "+f.Wants)
	}
	want := []string{"005-user-auth .worktrees/auto-claude", "deep/down/005-user-auth deep/down/.worktrees/auto-claude", "web/005-user-auth web/.worktrees/auto-claude"}
	if !slices.Equal(ids, want) {
		t.Errorf("found %q", ids)
	}
}

func TestFind_sortsOutAMergedSpec(t *testing.T) {
	t.Parallel()
	r := placed(t, "built.txtar", staging(shared5, branch5), commit(shared5, "auto-claude: chunk-1-1 - x"), recorded("chunk-1-1", branch5), gitRun("merge", "-q", "--no-ff", branch5))
	if f := look1(t, r); f.State != sources.Complete {
		t.Errorf("approved and merged, and %s: %s", f.State, f.Headline)
	}
	r = placed(t, "built.txtar", staging(shared5, branch5), commit(shared5, "auto-claude: chunk-1-1 - x"), recorded("chunk-1-1", branch5))
	if f := look1(t, r); f.State != sources.Review || f.Point.Task != pointMerge {
		t.Errorf("approved and not merged, and %s", f.State)
	}
}

func TestFind_readsAPlanFromItsBranch(t *testing.T) {
	t.Parallel()
	r := placed(t, "chunks.txtar", staging(shared5, branch5), copied(at, shared5))
	tree := r.In(filepath.Join(r.Dir, shared5))
	tree.Git("add", "-f", ".auto-claude")
	tree.Git("commit", "-q", "-m", "auto-claude: chunk-1-2 - x")
	r.Git("worktree", "remove", "--force", shared5)
	remove(".auto-claude")(r)
	r.Git("pack-refs", "--all")
	f := look1(t, r)
	if f.State != sources.Interrupted || f.Point.Task != "chunk-2-1" || !f.Rebuilt || f.Tasks[1].Commit == "" {
		t.Errorf("%s at %q, %+v", f.State, f.Point.Task, f.Doubts)
	}
}

func TestFind_countsFailuresSinceTheLastSuccess(t *testing.T) {
	t.Parallel()
	tried := func(words ...string) sourcetest.Mutation {
		return add(at+historyFile, `{"chunks":{"chunk-2-1":{"attempts":[{"success":`+strings.Join(words, `},{"success":`)+`}]}}}`)
	}
	r := placed(t, "chunks.txtar", tried("false", "false", "true", "false"))
	if f := look1(t, r); f.Point.Task != "chunk-2-1" || f.Tasks[2].Attempts != 4 {
		t.Errorf("at %q after %d attempts", f.Point.Task, f.Tasks[2].Attempts)
	}
	tried("true", "false", "false", "false")(r)
	if f := look1(t, r); f.Point.Task != "chunk-2-1" || f.State != sources.Blocked {
		t.Errorf("%s at %q", f.State, f.Point.Task)
	}
}

func TestFind_doesNotTrustACommitThatTheBranchLeft(t *testing.T) {
	t.Parallel()
	r := placed(t, "chunks.txtar", staging(shared5, branch5), commit(shared5, "before a rebase"), recorded("chunk-1-1", branch5))
	tree := r.In(filepath.Join(r.Dir, shared5))
	tree.Git("reset", "-q", "--hard", "main")
	commit(shared5, "after it")(r)
	f := look1(t, r)
	if f.Tasks[0].Commit != "" || !hasDoubt(f, DoubtCommitGone) {
		t.Errorf("chunk-1-1 has %q, doubts %+v", f.Tasks[0].Commit, f.Doubts)
	}
}

func TestFind_followsItsOwnWorktreeOnly(t *testing.T) {
	t.Parallel()
	other := ".worktrees/004-other"
	r := placed(t, "chunks.txtar", staging(other, "auto-claude/004-other"), copied(at, other), set(other+"/"+planAt, "chunk-2-1", "status", "completed"))
	v, done := sourcetest.View(r)
	defer done()
	found, err := New().Find(t.Context(), v)
	if err != nil || len(found) != 1 || found[0].Point.Task != "chunk-2-1" {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestFind_believesNoPauseThatWorkOutran(t *testing.T) {
	t.Parallel()
	r := placed(t, "chunks.txtar memory.txtar status.txtar", replace(statusFile, "building", "paused"), replace(statusFile, "T11:00:00Z", "T06:00:00Z"))
	if f := look1(t, r); f.State != sources.Interrupted {
		t.Errorf("%s, although attempts were made after the pause", f.State)
	}
}

func TestFind_ignoresTimesThatAreMadeUp(t *testing.T) {
	t.Parallel()
	r := placed(t, "chunks.txtar", top(planAt, "updated_at", "2031-01-01T00:00:00Z"))
	if f := look1(t, r); f.Active.Year() != 2025 {
		t.Errorf("last active %s, from %s", f.Active, f.From)
	}
	top(planAt, "created_at", nil)(r)
	if f := look1(t, r); f.Active.Year() >= 2031 || f.From == "plan" {
		t.Errorf("last active %s, from %s", f.Active, f.From)
	}
}

func TestFind_callsNoOldVersionComplete(t *testing.T) {
	t.Parallel()
	r := placed(t, "built.txtar", top(planAt, "status", "done"), gitRun("add", "-f", ".auto-claude"), gitRun("commit", "-q", "-m", "state"))
	if f := look1(t, r); f.State != sources.Complete {
		t.Fatalf("the plan is %s", f.State)
	}
	add(planAt, "")(r)
	if f := look1(t, r); f.State != sources.Review || !f.Rebuilt {
		t.Errorf("an unreadable plan with a complete history is %s", f.State)
	}
}

func TestFind_saysWhenABranchIsTooLongToBeReadWhole(t *testing.T) {
	t.Parallel()
	r := placed(t, "chunks.txtar", staging(shared5, branch5), recorded("chunk-1-1", branch5))
	var stream strings.Builder
	for i := range mostCommits + 1 {
		fmt.Fprintf(&stream, "commit refs/heads/%s\ncommitter T <t@example.org> %d +0000\ndata 1\nx\n", branch5, 1700000000+i)
		if i == 0 {
			fmt.Fprintf(&stream, "from %s\n", r.Git("rev-parse", "main"))
		}
	}
	r.Pipe(stream.String(), "fast-import", "--quiet", "--force")
	f := look1(t, r)
	if f.Tasks[0].Commit != "" || hasDoubt(f, DoubtCommitGone) || !hasDoubt(f, sources.DoubtMissing) {
		t.Errorf("chunk-1-1 has %q, doubts %+v", f.Tasks[0].Commit, f.Doubts)
	}
}

func TestPlan_findsThePhaseThatIsMeant(t *testing.T) {
	t.Parallel()
	p := &plan{phases: []phase{{names: []string{"phase-1-base", "Base"}}, {names: []string{"2", "User Interface"}}, {names: []string{"docs"}}}}
	for need, want := range map[string]int{"phase-1-base": 0, "base": 0, "phase-1": 0, "1": 0, "Phase 1": 0, "2": 1, "phase-2": 1, "phase_2": 1, "user interface": 1, "3": 2, "docs": 2, "phase docs": 2} {
		if got, ok := p.phaseNamed(need); !ok || got != want {
			t.Errorf("%q means phase %d, %v", need, got, ok)
		}
	}
	for _, need := range []string{"4", "phase-9", "do"} {
		if got, ok := p.phaseNamed(need); ok {
			t.Errorf("%q means phase %d", need, got)
		}
	}
}

func TestFind_readsItemsUnderOtherNames(t *testing.T) {
	t.Parallel()
	r := placed(t, "crashed.txtar", replace(planAt, `"chunks"`, `"tasks"`))
	if f := look1(t, r); f.Point.Task != "chunk-2-1" || f.State != sources.Interrupted {
		t.Errorf("%s at %q", f.State, f.Point.Task)
	}
	apply(r, act(r, sources.ActionRequest{Name: sources.Reset}))
	if f := look1(t, r); f.Tasks[2].State != checkpoint.Pending {
		t.Errorf("chunk-2-1 is %s", f.Tasks[2].State)
	}
}

func TestFind_tellsACrashBeforeTheFirstItem(t *testing.T) {
	t.Parallel()
	r := placed(t, "chunks.txtar", status("chunk-1-1", "pending"), status("chunk-1-2", "pending"))
	if f := look1(t, r); f.State != sources.NotStarted || f.Point.Task != "chunk-1-1" {
		t.Errorf("a fresh plan is %s at %s", f.State, f.Point.Task)
	}
	top(planAt, "status", "in_progress")(r)
	if f := look1(t, r); f.State != sources.Interrupted || f.Point.Task != "chunk-1-1" {
		t.Errorf("a plan that was taken up is %s at %s", f.State, f.Point.Task)
	}
}

// The result is computed again after the user has answered a question, so the same files must give the same result.
func TestFind_saysTheSameEachTime(t *testing.T) {
	t.Parallel()
	r := placed(t, "crashed.txtar memory.txtar", staging(shared5, branch5))
	for _, id := range []string{"chunk-1-1", "chunk-1-2", "chunk-2-1", "chunk-2-2"} {
		commit(shared5, "auto-claude: "+id+" - at one time")(r)
	}
	v, done := sourcetest.View(r)
	defer done()
	var first string
	for range 20 {
		found, err := New().Find(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf("%+v", found)
		if first == "" {
			first = text
		}
		if text != first {
			t.Fatalf("found\n%s\nthen\n%s", first, text)
		}
	}
}

func TestFind_countsIdsThatRepeat(t *testing.T) {
	t.Parallel()
	r := placed(t, "chunks.txtar", replace(planAt, `"chunk-2-1"`, `"chunk-1-1"`), replace(planAt, `"chunk-2-2"`, `"chunk-1-2"`))
	f := look1(t, r)
	seen := map[string]bool{}
	for _, task := range f.Tasks {
		if seen[task.ID] {
			t.Errorf("%s is there twice", task.ID)
		}
		seen[task.ID] = true
	}
	if f.Point.Task != "2/chunk-1-1" {
		t.Errorf("at %s", f.Point.Task)
	}
}

func TestFind_leavesAPhaseCircle(t *testing.T) {
	t.Parallel()
	r := placed(t, "chunks.txtar", replace(planAt, "\"depends_on\": [\n        1\n      ]", `"depends_on": [3]`))
	f := look1(t, r)
	if f.Point.Task != "chunk-2-1" || !hasDoubt(f, sources.DoubtCycle) {
		t.Errorf("at %q: %+v", f.Point.Task, f.Doubts)
	}
}

// manySpecs returns a repository with n specs of typical size. A third of them have a branch with a commit.
func manySpecs(t testing.TB, n int) *gittest.Repo {
	r := gittest.New(t)
	for i := range n {
		id := fmt.Sprintf("%03d-spec", i)
		var phases []string
		for p := range 4 {
			var items []string
			for c := range 5 {
				items = append(items, fmt.Sprintf(`{"id":"subtask-%d-%d","description":%q,"status":%q,"verification":{"type":"command","command":%q}}`,
					p, c, strings.Repeat("do something ", 20), []string{"completed", "pending"}[min(1, (p+i%4)/3)], strings.Repeat("make check ", 40)))
			}
			phases = append(phases, fmt.Sprintf(`{"id":"phase-%d","name":"Phase %d","depends_on":[],"subtasks":[%s]}`, p, p, strings.Join(items, ",")))
		}
		dir := ".auto-claude/specs/" + id + "/"
		r.Write(dir+"spec.md", "# spec\n")
		r.Write(dir+planFile, `{"feature":"x","phases":[`+strings.Join(phases, ",")+`],"updated_at":"2026-01-20T10:00:00Z"}`)
		r.Write(dir+historyFile, `{"subtasks":{},"stuck_subtasks":[]}`)
		if i%3 == 0 {
			r.Git("branch", "auto-claude/"+id, r.Git("commit-tree", "-p", "HEAD", "-m", "auto-claude: subtask-0-0 - x", "HEAD^{tree}"))
		}
	}
	return r
}

func BenchmarkFind50(b *testing.B) {
	r := manySpecs(b, 50)
	for b.Loop() {
		v, done := sourcetest.View(r)
		found, err := New().Find(b.Context(), v)
		if err != nil || len(found) != 50 {
			b.Fatal(len(found), err)
		}
		done()
	}
}

// BenchmarkStatus50 measures git status in a repository with fifty specs, as a comparison.
func BenchmarkStatus50(b *testing.B) {
	r := manySpecs(b, 50)
	for b.Loop() {
		r.Git("status")
	}
}

func BenchmarkFindNothing(b *testing.B) {
	r := gittest.New(b)
	for i := range 30 {
		r.Write(fmt.Sprintf("dir%d/file", i), "x")
	}
	v, done := sourcetest.View(r)
	defer done()
	v.Setting = func(string) []string { return nil }
	for b.Loop() {
		if found, err := New().Find(b.Context(), v); err != nil || len(found) != 0 {
			b.Fatal(found, err)
		}
	}
}

func FuzzPlan(f *testing.F) {
	f.Add([]byte(`{"phases":[{"phase":1,"depends_on":[2],"chunks":[{"id":"a","status":"in_progress"},"b"]},{"id":2,"subtasks":[{"subtask_id":"a"}]}],"qa_signoff":"approved"}`), []byte(`{"chunks":{"a":{"attempts":[{"success":false}]}},"stuck_chunks":["b",{"chunk_id":"a"}]}`))
	f.Add([]byte(`{"phases":{"x":{"subtasks":[1,null,{}]}},"status":"done"}`), []byte(`{"commits":[{"hash":"abcdef1","id":"x"}],"workers":{"a":{"pid":7}}}`))
	f.Fuzz(func(t *testing.T, planText, other []byte) {
		h, _ := parseHistory(other, sourcetest.Now)
		_, _ = parseCommits(other, sourcetest.Now)
		_, _ = parseMark(other)
		_ = workers(other)
		_, _ = forget(other, "a")
		p, err := parsePlan(planText, sourcetest.Now)
		if err != nil {
			return
		}
		c := choose(p, h, nil)
		all, finished, _, _ := p.count()
		if c.found && (c.item.finished() || holdBack(c.item, h) != "") {
			t.Fatalf("chose %+v", c.item)
		}
		if !c.found && finished < all && len(c.held) == 0 {
			t.Fatalf("%d of %d are finished, and there is no resume point", finished, all)
		}
		for _, ph := range p.phases {
			for _, it := range ph.items {
				if it.state == checkpoint.Active && holdBack(it, h) == "" && (!c.found || c.item.state != checkpoint.Active) {
					t.Fatalf("%s was in progress, and %+v was chosen", it.id, c.item)
				}
				for _, at := range it.at {
					if _, err := textdoc.EditJSON(planText, textdoc.Edit{Path: append(slices.Clone(at), "status"), To: "pending"}); err != nil && it.own != it.title && it.raw != "" {
						t.Fatalf("%s cannot be edited: %v", it.id, err)
					}
				}
			}
		}
	})
}

func FuzzNames(f *testing.F) {
	sourcetest.Trees{Names: []string{"implementation_plan.json", "memory", "002", "-x"}}.Fuzz(f, New())
}
