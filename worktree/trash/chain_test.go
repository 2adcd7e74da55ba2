package trash

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/worktree/series"
	"github.com/git-resume/git-resume/worktree/snapshot"
	"github.com/git-resume/git-resume/worktree/treetest"
)

func TestFlatten_snapshotsComeInTheirOrder(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Git("checkout", "-q", "--detach")
	f.Git("commit", "-q", "--allow-empty", "-m", "loose")
	loose := f.Git("rev-parse", "HEAD")
	var shots []shot
	var facts []string
	for i := range 7 {
		f.edit(i)
		files := treetest.Dump(t, f.Dir)
		index, _ := os.ReadFile(f.Path(".git/index"))
		shots = append(shots, shot{f.take(snapshot.Request{Cause: fmt.Sprint(i)}), files, string(index)})
		facts = append(facts, f.workFacts(shots[i].snap.ID))
	}
	was := f.unflatten("job-a7f3")
	newest, err := snapshot.Newest(t.Context(), f.Open(), "job-a7f3")
	if err != nil || newest.ID != was[shots[6].snap.ID] || newest.Cause != "6" || newest.Tree != shots[6].snap.Tree {
		t.Errorf("newest of the older form %+v: %v", newest, err)
	}
	// The work equals the newest snapshot, so Take saves nothing. It must convert the old snapshots anyway.
	again := f.take(snapshot.Request{})
	if again.Made || again.Number != 7 || again.Was != was[shots[6].snap.ID] {
		t.Errorf("again %+v", again)
	}
	f.requireFlat()
	f.gc()
	for i := range shots {
		got, err := snapshot.Load(t.Context(), f.Open(), object.ID(f.Git("rev-parse", fmt.Sprintf("%s:%04d", snapshot.Ref("job-a7f3"), i+1))))
		want := shots[i].snap
		if err != nil || got.Was != was[want.ID] || got.Tree != want.Tree || got.Cause != fmt.Sprint(i) || !got.At.Equal(treetest.Clock()) || f.workFacts(got.ID) != facts[i] {
			t.Errorf("%d: %+v: %v", i, got, err)
		}
		shots[i].snap.ID = got.ID
	}
	f.Write("a.txt", "the next\n")
	if next := f.take(snapshot.Request{}); next.Number != 8 {
		t.Errorf("next %+v", next)
	}
	f.Git("checkout", "-qf", loose)
	f.requireShots(t, shots)
	f.Git("checkout", "-qf", "main")
	f.gc()
	if _, err := f.Try("cat-file", "-e", loose); err == nil {
		t.Error("the commit on no branch is still a commit")
	}
	if got := f.Git("cat-file", "blob", string(snapshot.Ref("job-a7f3"))+":0001/commits/"+loose); !strings.HasSuffix(got, "loose") {
		t.Errorf("kept of it: %q", got)
	}
	f.Fsck()
}

// The old ref comes back after its snapshots were converted, as if each conversion was killed before it could delete the ref. The next
// conversion must not add these snapshots again.
func TestFlatten_bothVersionsInTurn(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Write("a.txt", "one\n")
	f.take(snapshot.Request{Cause: "one"})
	f.Write("a.txt", "two\n")
	f.take(snapshot.Request{Cause: "two"})
	was := f.unflatten("job-a7f3")
	old := f.Git("rev-parse", string(series.WipRef("job-a7f3")))
	for i := range 2 { // restore the old ref, as if the conversion was killed before it deleted the ref
		f.Write("a.txt", fmt.Sprint("three", i))
		f.take(snapshot.Request{Cause: "three"})
		f.Git("update-ref", string(series.WipRef("job-a7f3")), old)
	}
	if err := Flatten(t.Context(), f.Open(), "job-a7f3"); err != nil {
		t.Fatal(err)
	}
	f.requireFlat()
	list := strings.Fields(f.Git("ls-tree", "--name-only", string(snapshot.Ref("job-a7f3"))))
	if !slices.Equal(list, []string{"0001", "0002", "0003", "0004"}) || len(was) != 2 {
		t.Errorf("snapshots %v", list)
	}
	for i, want := range []string{"one", "two", "three0", "three1"} {
		if got := f.Git("show", fmt.Sprintf("%s:%04d/work/a.txt", snapshot.Ref("job-a7f3"), i+1)); got != want {
			t.Errorf("%d is %q", i+1, got)
		}
	}
}

// An unknown object in place of an old record must not be changed. It must not prevent new snapshots either.
func TestFlatten_leavesWhatItDoesNotUnderstand(t *testing.T) {
	t.Parallel()
	f, tree := newStagedRepo(t)
	tree.Write("work", "w")
	for _, ref := range []string{string(series.WipRef(treetest.Job)), string(series.TrashRef(treetest.Job)), string(series.TrashRef(series.ActedPart + treetest.Job))} {
		f.Git("update-ref", ref, "HEAD:a.txt")
	}
	if s := tree.take(snapshot.Request{Run: treetest.Job}); tree.show(s, "work") != "w" {
		t.Error("nothing saved")
	}
	if err := Flatten(t.Context(), f.Open(), treetest.Job); err == nil {
		t.Error("Flatten says nothing of it")
	}
	want := tree.state(t)
	f.discard(tree)
	f.gc()
	f.undo()
	requireState(t, want, tree.state(t))
	for _, ref := range []string{string(series.WipRef(treetest.Job)), string(series.TrashRef(treetest.Job)), string(series.TrashRef(series.ActedPart + treetest.Job))} {
		if f.Git("rev-parse", ref) != f.Git("rev-parse", "HEAD:a.txt") {
			t.Errorf("%s is another", ref)
		}
	}
	// A ref to a missing object makes every gc fail and protects nothing. Take must delete such a ref.
	f.Write(".git/refs/resume/wip/"+treetest.Job, strings.Repeat("ab", 20)+"\n")
	tree.Write("work", "more")
	tree.take(snapshot.Request{Run: treetest.Job})
	if _, err := f.Try("rev-parse", "-q", "--verify", string(series.WipRef(treetest.Job))); err == nil {
		t.Error("the ref to nothing is still there")
	}
	f.Fsck()
}

// TestUndo_ofAnOlderDiscard checks that Undo restores a run that the previous version of the program discarded. It tries this with and
// without a call of Flatten before the undo.
func TestUndo_ofAnOlderDiscard(t *testing.T) {
	t.Parallel()
	arranged := map[string]func(*fixture){
		"a bit of all": func(f *fixture) { f.Messy() },
		"rebase in progress": func(f *fixture) {
			f.Git("branch", "topic")
			f.StoppedRebase()
		},
		"amended commits in the reflog": func(f *fixture) {
			for _, text := range []string{"1", "2", "3"} {
				f.Write("a.txt", text)
				f.Git("commit", "-qam", text)
				f.Git("reset", "-q", "--hard", "HEAD^")
			}
			f.Write("a.txt", "last")
			f.Git("commit", "-qam", "last")
		},
		"detached": func(f *fixture) {
			f.Git("checkout", "-q", "--detach")
			f.Write("a.txt", "loose\n")
			f.Git("commit", "-qam", "on no branch")
		},
		"merge with a resolved side": func(f *fixture) {
			f.Conflict()
			f.Write("a.txt", "resolved\n")
			f.Git("add", "a.txt")
		},
	}
	for _, name := range slices.Sorted(maps.Keys(arranged)) {
		arrange := arranged[name]
		for _, way := range []string{"flattened before", "dropped again"} {
			t.Run(name+" "+way, func(t *testing.T) {
				t.Parallel()
				f, tree := newStagedRepo(t)
				arrange(tree)
				want := tree.state(t)
				f.discard(tree)
				f.unflatten(treetest.Job)
				f.gc()
				if way == "flattened before" {
					if err := Flatten(t.Context(), f.Open(), treetest.Job); err != nil {
						t.Fatal(err)
					}
					f.requireFlat()
					f.gc()
				}
				f.undo()
				requireState(t, want, tree.state(t))
				if treetest.Exists(f.Path(".git/resume/trash/" + treetest.Job)) {
					t.Error("the older folder is still there")
				}
				f.requireFlat()
				if way == "dropped again" {
					f.Fsck()
					roundTrip(t, f, tree, 1)
					f.requireFlat()
				}
				f.Fsck()
			})
		}
	}
}

// The previous version of the program was interrupted during a discard. This version must be able to finish the discard or to undo it.
func TestDiscard_finishesAnOlderOne(t *testing.T) {
	t.Parallel()
	for _, stop := range []string{"intent", "branch", "record"} {
		for _, back := range []bool{false, true} {
			t.Run(fmt.Sprint(stop, " back ", back), func(t *testing.T) {
				t.Parallel()
				f, tree := newStagedRepo(t)
				tree.Write("own", "own")
				tree.Git("add", "-A")
				tree.Git("commit", "-qm", "own")
				tree.Messy()
				want, tip := tree.state(t), tree.Git("rev-parse", "HEAD")
				cut := fmt.Errorf("cut off")
				req := f.dropRequest(tree)
				fail := func(context.Context, Discarded) error { return cut }
				if stop == "intent" {
					req.Intent = fail
				} else {
					req.Record = fail
				}
				if _, err := Discard(t.Context(), f.Open(), req); err == nil {
					t.Fatal("not cut off")
				}
				if stop == "branch" { // restore the branch, as if the discard stopped before it deleted the branch
					f.Git("update-ref", treetest.JobRef, tip)
				}
				f.unflatten(treetest.Job)
				f.Git("prune", "--expire=now") // "git gc" would also rewrite the reflog of a worktree that is still registered
				if back {
					f.undo()
					requireState(t, want, tree.state(t))
				}
				f.discard(tree)
				if treetest.Exists(tree.Dir) {
					t.Error("the tree is still there")
				}
				if n := f.Git("rev-list", "--all", "--count"); n != "1" {
					t.Errorf("git lists %s commits, and 1 is on main", n)
				}
				f.gc()
				f.undo()
				requireState(t, want, tree.state(t))
				f.requireFlat()
				f.Fsck()
			})
		}
	}
}

func TestFlatten_keptFilesOfOtherSystems(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	repo := f.Open()
	var olds []string
	parent := []string{}
	for i := range 2 {
		blob := f.pipe(fmt.Sprint("before ", i), "hash-object", "-w", "--stdin")
		before := f.pipe("100644 blob "+blob+"\t0\n", "mktree")
		tree := f.pipe("040000 tree "+before+"\tbefore\n100644 blob "+f.pipe("{}\n", "hash-object", "-w", "--stdin")+"\tchanges.json\n", "mktree")
		olds = append(olds, f.Git(append([]string{"commit-tree", "-m", "files", tree}, parent...)...))
		parent = []string{"-p", olds[i]}
	}
	f.Git("update-ref", string(series.TrashRef(series.ActedPart+treetest.Job)), olds[1])
	add := func(text string) object.ID {
		id, err := snapshot.KeepActed(t.Context(), repo, snapshot.ActedRequest{Run: treetest.Job, Now: treetest.Clock(), Files: func(p *object.Pending) (map[string]object.Version, error) {
			return map[string]object.Version{"before/0": {Mode: object.ModeFile, ID: p.Add("blob", []byte(text))}}, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	third := add("before 2")
	f.requireFlat()
	f.gc()
	for i, id := range []object.ID{object.ID(olds[0]), object.ID(olds[1]), third} {
		at := snapshot.Acted(t.Context(), f.Open(), treetest.Job, id)
		if got := f.Git("show", string(at)+":before/0"); got != fmt.Sprint("before ", i) {
			t.Errorf("%d is %q", i, got)
		}
	}
	for _, c := range []struct {
		at   time.Time
		want int
	}{{treetest.Clock().Add(-time.Hour), 1}, {treetest.Clock().Add(time.Hour), 0}} {
		if _, err := Expire(t.Context(), f.Open(), Expiry{Now: c.at}); err != nil {
			t.Fatal(err)
		}
		if refs := strings.Fields(f.Git("for-each-ref", "--format=%(refname)", "refs/resume/acted")); len(refs) != c.want {
			t.Errorf("refs %v, want %d", refs, c.want)
		}
	}
}

// Expire must also delete old records of the previous version of the program that nobody has converted.
func TestExpire_forgetsOlderRecords(t *testing.T) {
	t.Parallel()
	f, tree := newStagedRepo(t)
	tree.Write("work", "w")
	f.discard(tree)
	f.unflatten(treetest.Job)
	late := Expiry{Now: treetest.Clock().Add(time.Hour)}
	late.Back = func(run string) bool { return run == treetest.Job }
	if runs, err := Expire(t.Context(), f.Open(), late); err != nil || len(runs) > 0 {
		t.Fatalf("a run that goes on was forgotten: %v %v", runs, err)
	}
	late.Back = nil
	if runs, err := Expire(t.Context(), f.Open(), late); err != nil || !slices.Equal(runs, []string{treetest.Job}) {
		t.Fatalf("%v %v", runs, err)
	}
	if refs := f.Git("for-each-ref", "refs/resume"); refs != "" {
		t.Errorf("refs left: %s", refs)
	}
}
