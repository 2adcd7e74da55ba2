package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/proc"
)

// pipe runs git with input.
func (f *fixture) pipe(in string, args ...string) string {
	f.t.Helper()
	cmd := proc.Command{Name: "git", Args: args, Dir: f.dir, Env: f.env, Stdin: strings.NewReader(in)}
	out, err := cmd.Run(context.Background())
	if err != nil {
		f.t.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
	return strings.TrimRight(string(out.Stdout), "\n")
}

// commits puts commits on the branch that is checked out: plain ones, a merge, and one whose bytes no "git commit" would write.
func (f *fixture) commits(n int) []string {
	f.t.Helper()
	for i := range n - 4 {
		f.write("grown", strings.Repeat("line\n", i+1))
		f.write(fmt.Sprintf("dir/file%d", i), fmt.Sprint("of commit ", i))
		f.git("add", "-A")
		f.git("commit", "-qm", fmt.Sprint("commit ", i))
	}
	f.git("checkout", "-q", "-b", "aside", "HEAD~3")
	f.write("aside", "aside\n")
	f.git("add", "-A")
	f.git("commit", "-qm", "aside")
	f.git("checkout", "-q", "-")
	f.git("merge", "-q", "--no-edit", "aside")
	f.git("branch", "-qD", "aside")
	odd := fmt.Sprintf("tree %s\nparent %s\nauthor A <a@b> 1 -0730\ncommitter B <b@c> 2 +1400\nencoding ISO-8859-1\nx-odd one\n two\n\nodd \xe4\n\nno newline at its end",
		f.git("rev-parse", "HEAD^{tree}"), f.git("rev-parse", "HEAD"))
	f.git("reset", "-q", "--hard", f.pipe(odd, "hash-object", "-t", "commit", "-w", "--stdin"))
	f.write("last", "last\n")
	f.git("add", "-A")
	f.git("commit", "-qm", "last")
	return strings.Fields(f.git("rev-list", "HEAD", "^main"))
}

// edit leaves something else uncommitted each time: content, modes, links, names, and what is staged.
func (f *fixture) edit(i int) {
	f.t.Helper()
	f.write("a.txt", fmt.Sprintf("edit %d\n", i))
	f.write(fmt.Sprintf("new/%d \xff", i), strings.Repeat("n", i))
	if i%2 == 0 {
		f.git("add", "a.txt")
		f.write("a.txt", fmt.Sprintf("edit %d, and on\n", i))
	}
	if i%3 == 0 {
		f.remove("link")
		f.link(fmt.Sprintf("to %d", i), "link")
		f.remove("run.sh")
		f.write("run.sh", fmt.Sprintf("#!/bin/sh\n# %d\n", i))
		f.chmod("run.sh", []os.FileMode{0o755, 0o700, 0o500, 0o644}[i/3%4])
	}
	if i%10 == 9 {
		f.git("reset", "-q")
		f.remove("dir/b.txt")
	}
}

// shot is a worktree at the moment of a snapshot.
type shot struct {
	snap  Snapshot
	files map[string]string
	index string
}

// TestTrees_sixtySnapshotsAndABranchOfFifty: all of it comes back after a gc, byte for byte and under the same ids,
// and none of it adds a commit to those that git lists.
func TestTrees_sixtySnapshotsAndABranchOfFifty(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, "--object-format="+format)
			tree := f.at(f.create(f.request()).Tree.Path)
			ids := tree.commits(50)
			if len(ids) != 50 {
				t.Fatalf("%d commits", len(ids))
			}
			count := f.git("rev-list", "--all", "--count")
			admin := tree.git("rev-parse", "--absolute-git-dir")
			var shots []shot
			for i := range 60 {
				tree.edit(i)
				files := dump(t, tree.dir)
				index, err := os.ReadFile(filepath.Join(admin, "index"))
				if err != nil {
					t.Fatal(err)
				}
				shots = append(shots, shot{tree.take(SnapshotRequest{Cause: fmt.Sprint(i)}), files, string(index)})
			}
			if got := f.git("rev-list", "--all", "--count"); got != count {
				t.Errorf("%s commits after the snapshots, %s before", got, count)
			}
			want := tree.state(t)
			f.discard(tree)
			if got := f.git("rev-list", "--all", "--count"); got != "1" {
				t.Errorf("%s commits after the discard, 1 is on main", got)
			}
			f.gc()
			if left, _ := f.try("cat-file", "-t", ids[0]); left != "" {
				t.Error("the commits are still there as commits")
			}
			f.undo()
			requireState(t, want, tree.state(t))
			if got := strings.Fields(tree.git("rev-list", "HEAD", "^main")); !slices.Equal(got, ids) {
				t.Errorf("%d commits came back, of %d", len(got), len(ids))
			}
			if got := f.git("rev-list", "--all", "--count"); got != count {
				t.Errorf("%s commits after the undo, %s before", got, count)
			}
			f.fsck()
			f.gc()
			f.fsck()
			tree.requireShots(t, shots)
		})
	}
}

// requireShots restores snapshots and compares; the trees of all of them are compared, too.
func (f *fixture) requireShots(t *testing.T, shots []shot) {
	t.Helper()
	admin := f.git("rev-parse", "--absolute-git-dir")
	for i, s := range shots {
		at := f.git("rev-parse", s.snap.Name())
		if at != string(s.snap.ID) || s.snap.Number != i+1 || f.git("rev-parse", s.snap.Name()+"/work") != string(s.snap.Tree) {
			t.Errorf("%s is %s, was %s", s.snap.Name(), at, s.snap.ID)
		}
		if i%9 != 0 {
			continue
		}
		f.restore(s.snap.ID, Exact)
		requireSame(t, s.files, dump(t, f.dir))
		if index, _ := os.ReadFile(filepath.Join(admin, "index")); s.snap.Index != "" && string(index) != s.index {
			t.Errorf("snapshot %d: the index is not byte for byte what it was", s.snap.Number)
		}
	}
}

// A discard must not depend on the branch that it was built on: whoever deletes that, and collects garbage, gets all of the run back.
func TestUndo_whatItStandsOnWasDeleted(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.git("checkout", "-q", "-b", "feature")
	for i := range 3 {
		f.write("feature", fmt.Sprint(i))
		f.git("add", "-A")
		f.git("commit", "-qm", fmt.Sprint("feature ", i))
	}
	tree := f.at(f.create(f.request()).Tree.Path)
	tree.write("own", "own")
	tree.git("add", "-A")
	tree.git("commit", "-qm", "own")
	log := tree.git("log", "--format=%H %s")
	f.discard(tree)
	f.git("checkout", "-q", "main")
	f.git("branch", "-qD", "feature")
	f.gc()
	f.undo()
	if got := tree.git("log", "--format=%H %s"); got != log {
		t.Errorf("history is\n%s\nwas\n%s", got, log)
	}
	f.fsck()
	// When it is forgotten, nothing of it stays in the way of a gc.
	f.discard(tree)
	if _, err := Expire(t.Context(), f.repo(), Expiry{Now: clock().Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	f.gc()
	if refs := f.git("for-each-ref", "refs/resume"); refs != "" {
		t.Errorf("refs left:\n%s", refs)
	}
	if _, err := f.try("cat-file", "-e", strings.Fields(log)[0]); err == nil {
		t.Error("its commits were kept for ever")
	}
}

// Where what a branch stands on is lost all the same, nothing half whole is made of it.
func TestUndo_refusesABranchOnNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.git("checkout", "-q", "-b", "feature")
	f.write("feature", "f")
	f.git("add", "-A")
	f.git("commit", "-qm", "feature")
	tree := f.at(f.create(f.request()).Tree.Path)
	tree.write("own", "own")
	tree.git("add", "-A")
	tree.git("commit", "-qm", "own")
	f.discard(tree)
	f.git("checkout", "-q", "main")
	f.git("branch", "-qD", "feature")
	for _, ref := range strings.Fields(f.git("for-each-ref", "--format=%(refname)", "refs/resume/on")) {
		f.git("update-ref", "-d", ref)
	}
	f.gc()
	_, err := Undo(t.Context(), f.repo(), UndoRequest{Run: job, Now: clock})
	if !errors.Is(err, errNoGround) {
		t.Errorf("got %v", err)
	}
	if _, err := f.try("rev-parse", "-q", "--verify", jobRef); err == nil || exists(tree.dir) {
		t.Error("something came back")
	}
	if got := f.git("show", DiscardedRef(job)+":0002/snapshots/0001/work/own"); got != "own" {
		t.Errorf("what was kept is gone: %q", got)
	}
}

// Commits that a rebase made on no branch are kept as bytes, and written back under their ids.
func TestTake_keepsCommitsOnNoBranch(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.git("checkout", "-q", "--detach")
	for i := range 3 {
		f.write("loose", fmt.Sprint(i))
		f.git("add", "-A")
		f.git("commit", "-qm", fmt.Sprint("loose ", i))
	}
	head := f.git("rev-parse", "HEAD")
	f.write("loose", "uncommitted")
	first := f.take(SnapshotRequest{})
	f.write("loose", "more")
	calls := f.counting()
	second := f.take(SnapshotRequest{}) // of the same HEAD: git is not asked again
	if asked := calls(); slices.ContainsFunc(asked, func(c string) bool { return strings.Contains(c, "rev-list") }) {
		t.Errorf("asked again: %v", asked)
	}
	f.git("checkout", "-qf", "main")
	f.gc()
	if _, err := f.try("cat-file", "-e", head); err == nil {
		t.Fatal("the commits are still there as commits")
	}
	for _, s := range []Snapshot{first, second} {
		kept, err := keptIn(t.Context(), f.repo(), []entry{{s.Number, s.ID}})
		if err != nil || len(kept) != 3 {
			t.Errorf("%s keeps %v: %v", s.Name(), kept, err)
		}
		if err := writeBack(t.Context(), f.repo(), kept); err != nil {
			t.Fatal(err)
		}
		if got := f.git("log", "--format=%s", head); got != "loose 2\nloose 1\nloose 0\nfirst" {
			t.Errorf("history is %q", got)
		}
		f.fsck()
		f.gc()
	}
}

// A history that is too long to be copied is kept by refs, and comes back all the same.
func TestUndo_aHistoryTooLongToBeCopied(t *testing.T) {
	t.Parallel()
	f, tree := staged(t)
	var in strings.Builder
	for i := range maxKept + 10 {
		fmt.Fprintf(&in, "commit refs/heads/long\ncommitter A <a@b> %d +0000\ndata 1\nx\nM 644 inline f\ndata <<E\n%d\nE\n\n", 1000+i, i)
	}
	f.pipe(in.String(), "fast-import", "--quiet")
	tip := f.git("rev-parse", "long")
	tree.git("reset", "-q", "--hard", tip)
	f.git("branch", "-qD", "long")
	tree.write("work", "w")
	want, ids := tree.state(t), tree.git("rev-list", "HEAD")
	f.discard(tree)
	if f.git("rev-parse", "refs/resume/on/discarded/"+job+"/"+tip) != tip {
		t.Error("no ref keeps it")
	}
	f.gc()
	f.undo()
	requireState(t, want, tree.state(t))
	if tree.git("rev-list", "HEAD") != ids {
		t.Error("other commits came back")
	}
	// The same of work on no branch.
	tree.git("checkout", "-q", "--detach")
	f.git("update-ref", "-d", jobRef)
	tree.write("work", "more")
	tree.take(SnapshotRequest{Run: "other-a7f3"})
	if f.git("rev-parse", "refs/resume/on/snapshots/other-a7f3/"+tip) != tip {
		t.Error("no ref keeps it")
	}
	f.fsck()
}

// counting makes the fixture's git write down each call.
func (f *fixture) counting() (calls func() []string) {
	f.t.Helper()
	dir := f.t.TempDir()
	var path string
	for _, v := range f.env {
		if list, ok := strings.CutPrefix(v, "PATH="); ok {
			path = list
		}
	}
	git := ""
	for _, d := range filepath.SplitList(path) {
		if exists(filepath.Join(d, "git")) {
			git = filepath.Join(d, "git")
			break
		}
	}
	script := fmt.Sprintf("#!/bin/sh\necho \"$*\" >>'%s/calls'\nexec '%s' \"$@\"\n", dir, git)
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755); err != nil {
		f.t.Fatal(err)
	}
	before := f.env
	f.env = append(slices.Clone(f.env), "PATH="+dir+string(os.PathListSeparator)+path)
	return func() []string {
		f.env = before
		text, _ := os.ReadFile(filepath.Join(dir, "calls"))
		return strings.Split(strings.TrimSpace(string(text)), "\n")
	}
}

// TestTake_needsFiveProcesses, the fiftieth as the first: status, hidden files, objects read, objects written, the ref.
func TestTake_needsFiveProcesses(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i := range 50 {
		f.write("a.txt", fmt.Sprint(i))
		if i != 0 && i != 49 {
			f.take(SnapshotRequest{})
			continue
		}
		calls := f.counting()
		f.take(SnapshotRequest{})
		if all := calls(); len(all) != 5 {
			t.Errorf("snapshot %d started %d processes:\n%s", i+1, len(all), strings.Join(all, "\n"))
		}
	}
}

func TestTake_keepsNoReflog(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.git("config", "core.logAllRefUpdates", "always")
	f.write("a.txt", "1\n")
	f.take(SnapshotRequest{})
	f.write("a.txt", "2\n")
	f.take(SnapshotRequest{})
	if exists(f.path(".git/logs/refs/resume")) {
		t.Error("a reflog of trees is there")
	}
	f.git("branch", "logged")
	if !exists(f.path(".git/logs/refs/heads/logged")) {
		t.Error("the user's own setting was lost")
	}
}

// What is at the place of the snapshots and was not put there by us is told of, and stays.
func TestTake_refusesAForeignRef(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("a.txt", "1\n")
	for _, what := range []string{"HEAD", "HEAD:a.txt"} {
		f.git("update-ref", SnapshotsRef("job-a7f3"), f.git("rev-parse", what))
		_, err := Take(t.Context(), f.repo(), SnapshotRequest{Run: "job-a7f3", Now: clock})
		var odd *NotSeriesError
		if !errors.As(err, &odd) || f.git("rev-parse", odd.Ref) != f.git("rev-parse", what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	// Other lines of the tree are left as they are.
	f.git("update-ref", SnapshotsRef("job-a7f3"), f.git("rev-parse", "HEAD^{tree}"))
	s := f.take(SnapshotRequest{Run: "job-a7f3"})
	if s.Number != 1 || f.git("show", SnapshotsRef("job-a7f3")+":dir/b.txt") != "b" || f.show(s, "a.txt") != "1\n" {
		t.Errorf("%+v", s)
	}
}

// A commit that was kept and is not what its name says is not brought back.
func TestUndo_refusesADamagedCommit(t *testing.T) {
	t.Parallel()
	f, tree := staged(t)
	tree.write("own", "own")
	tree.git("add", "-A")
	tree.git("commit", "-qm", "own")
	tip := tree.git("rev-parse", "HEAD")
	f.discard(tree)
	entries := strings.Fields(f.git("ls-tree", "--name-only", DiscardedRef(job)))
	root := ""
	for _, n := range entries {
		list := f.git("ls-tree", DiscardedRef(job)+":"+n)
		commits := f.pipe("100644 blob "+f.pipe("forged", "hash-object", "-w", "--stdin")+"\t"+tip+"\n", "mktree")
		list = strings.ReplaceAll(list, f.git("rev-parse", DiscardedRef(job)+":"+n+"/commits"), commits)
		root += "040000 tree " + f.pipe(list+"\n", "mktree") + "\t" + n + "\n"
	}
	f.git("update-ref", DiscardedRef(job), f.pipe(root, "mktree"))
	f.gc()
	_, err := Undo(t.Context(), f.repo(), UndoRequest{Run: job, Now: clock})
	var damaged *DamagedCommitError
	if !errors.As(err, &damaged) || string(damaged.ID) != tip {
		t.Errorf("got %v", err)
	}
}

// TestSettle_waitsForNoGcForEver: an undo beside a gc that does not end leaves the last look to the next command.
func TestSettle_waitsForNoGcForEver(t *testing.T) {
	t.Parallel()
	f, tree := staged(t)
	tree.write("own", "own")
	tree.git("add", "-A")
	tree.git("commit", "-qm", "own")
	tip, want := tree.git("rev-parse", "HEAD"), tree.state(t)
	f.discard(tree)
	f.gc()
	host := proc.Table{}.Host().Name
	f.write(".git/gc.pid", fmt.Sprintf("%d %s", os.Getpid(), host)) // as if we were one
	f.undo()
	requireState(t, want, tree.state(t))
	if !exists(f.path(".git/resume/trash/" + job + ".kept/" + recordFile)) {
		t.Fatal("nobody will look again")
	}
	// The gc takes a commit away that it never saw a ref to, and ends.
	f.remove(".git/objects/" + tip[:2] + "/" + tip[2:])
	f.remove(".git/gc.pid")
	if _, err := f.try("log", jobRef); err == nil {
		t.Fatal("the commit is still there")
	}
	if runs, err := Expire(t.Context(), f.repo(), Expiry{Now: clock().Add(-time.Hour)}); err != nil || len(runs) > 0 {
		t.Fatal(runs, err)
	}
	requireState(t, want, tree.state(t))
	f.fsck()
	if exists(f.path(".git/resume/trash/" + job + ".kept")) {
		t.Error("the record is still there")
	}
	if _, err := Undo(t.Context(), f.repo(), UndoRequest{Run: job, Now: clock}); !errors.Is(err, ErrNothingDiscarded) {
		t.Errorf("got %v", err)
	}
}

func TestParentsFirst(t *testing.T) {
	t.Parallel()
	id := func(c string) object.ID { return object.ID(strings.Repeat(c, 40)) }
	raw := map[object.ID][]byte{}
	for name, parents := range map[string]string{"a": "bc", "b": "d", "c": "de", "d": "", "e": "f", "9": "a"} {
		text := "tree " + string(id("0")) + "\n"
		for _, p := range parents {
			text += "parent " + string(id(string(p))) + "\n"
		}
		raw[id(name)] = []byte(text + "author x\n\nparent " + string(id("9")) + "\n")
	}
	order := parentsFirst(raw)
	at := func(c string) int { return slices.Index(order, id(c)) }
	if len(order) != len(raw) || at("d") > at("b") || at("b") > at("a") || at("c") > at("a") || at("e") > at("c") || at("a") > at("9") {
		t.Errorf("order %v", order)
	}
}
