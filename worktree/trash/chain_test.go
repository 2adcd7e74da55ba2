package trash

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/worktree/place"
	"github.com/git-resume/git-resume/worktree/record"
	"github.com/git-resume/git-resume/worktree/series"
	"github.com/git-resume/git-resume/worktree/snapshot"
	"github.com/git-resume/git-resume/worktree/treetest"
)

// oldFormat writes snapshots and discards in the format of the previous version of the program. The tests named
// TestOlder run that version itself.
type oldFormat struct {
	*fixture
	repo *gitstate.Repo
	p    *object.Pending
	was  map[object.ID]object.ID // maps each snapshot to its commit in the old format
}

// unflatten converts the snapshots and discards of a run into the format of the previous version of the program.
func (f *fixture) unflatten(run string) map[object.ID]object.ID {
	f.T.Helper()
	repo := f.Open()
	h, err := repo.Settings.Hasher(f.T.Context())
	if err != nil {
		f.T.Fatal(err)
	}
	o := &oldFormat{f, repo, object.NewPending(h), map[object.ID]object.ID{}}
	tip := o.snapshots(run)
	trash := o.discards(run, tip)
	if err := repo.Objects.Write(f.T.Context(), o.p); err != nil {
		f.T.Fatal(err)
	}
	for ref, id := range map[string]object.ID{string(series.WipRef(run)): tip, string(series.TrashRef(run)): trash} {
		if id != "" {
			f.Git("update-ref", ref, string(id))
		}
	}
	for _, ref := range strings.Fields(f.Git("for-each-ref", "--format=%(refname)", string(snapshot.Ref(run)), string(DiscardedRef(run)), "refs/resume/on")) {
		f.Git("update-ref", "-d", ref)
	}
	o.record(run)
	return o.was
}

// workFacts returns the lines of a snapshot's description, except the lines "run", "at", "was" and "cause".
func (f *fixture) workFacts(id object.ID) string {
	f.T.Helper()
	var out string
	for line := range strings.Lines(f.Git("cat-file", "blob", string(id)+":facts") + "\n") {
		switch key, _, _ := strings.Cut(line, " "); key {
		case "run", "at", "was", "cause":
		default:
			out += line
		}
	}
	return out
}

func (o *oldFormat) read(what, run string) []series.Entry {
	o.T.Helper()
	r, err := series.Of(o.repo, what, run).Read(o.T.Context())
	if err != nil {
		o.T.Fatal(err)
	}
	return r.Entries
}

// commit makes a commit as the previous version of the program did.
func (o *oldFormat) commit(tree object.ID, parents []object.ID, message string) object.ID {
	var b bytes.Buffer
	fmt.Fprintf(&b, "tree %s\n", tree)
	seen := map[object.ID]bool{"": true}
	for _, p := range parents {
		if !seen[p] {
			seen[p] = true
			fmt.Fprintf(&b, "parent %s\n", p)
		}
	}
	stamp := fmt.Sprintf("git-resume <git-resume@localhost> %d +0000", treetest.Clock().Unix())
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\n%s", stamp, stamp, message)
	return o.p.Add("commit", b.Bytes())
}

func (o *oldFormat) snapshots(run string) (tip object.ID) {
	o.T.Helper()
	ctx := o.T.Context()
	for _, e := range o.read(series.Snapshots, run) {
		s, err := snapshot.Load(ctx, o.repo, e.ID)
		if err != nil {
			o.T.Fatal(err)
		}
		o.writeBack(e)
		var index object.ID
		if folder, err := o.Try("rev-parse", "--verify", "-q", string(e.ID)+":index"); err == nil {
			index = o.index(s, folder)
		}
		text := "version 1\n"
		for line := range strings.Lines(o.workFacts(e.ID)) {
			switch key, _, _ := strings.Cut(line, " "); key {
			case "version":
				continue
			case "modes":
				if index != "" {
					text += "index " + string(index) + "\n"
				}
				if tip != "" {
					text += "previous " + string(tip) + "\n"
				}
			}
			text += line
		}
		subject := run
		if s.Cause != "" {
			subject += ": " + s.Cause
		}
		tip = o.commit(s.Tree, []object.ID{s.Head, index, tip}, "snapshot of "+subject+"\n\n"+text)
		o.was[e.ID] = tip
	}
	return tip
}

func (o *oldFormat) writeBack(e series.Entry) {
	o.T.Helper()
	kept, err := series.KeptIn(o.T.Context(), o.repo, []series.Entry{e})
	if err == nil {
		err = series.WriteBack(o.T.Context(), o.repo, kept)
	}
	if err != nil {
		o.T.Fatal(err)
	}
}

// index makes the commit of the staged tree. Its last parent contains the bytes of the index.
func (o *oldFormat) index(s snapshot.Snapshot, folder string) object.ID {
	o.T.Helper()
	list, err := o.repo.Objects.Tree(o.T.Context(), folder)
	if err != nil {
		o.T.Fatal(err)
	}
	list = slices.DeleteFunc(list, func(e object.Entry) bool { return e.Name == "tree" })
	for i := range list {
		if list[i].Name == "file" {
			list[i].Name = "index"
		}
	}
	file := o.commit(o.p.Add("tree", object.TreeData(list)), nil, "the index as it was on disk\n")
	return o.commit(s.Index, []object.ID{s.Head, file}, "what was staged\n")
}

func (o *oldFormat) discards(run string, snapshots object.ID) (tip object.ID) {
	o.T.Helper()
	for _, e := range o.read(series.Discarded, run) {
		o.writeBack(e)
		text := o.Git("cat-file", "blob", string(e.ID)+":facts")
		var parents []object.ID
		message := "discard of " + run + "\n\nversion 1\n"
		for line := range strings.Lines(text) {
			why, id, _ := cutLast(strings.TrimSpace(line), " ")
			switch {
			case why == "version" || why == "run" || why == "at":
				continue
			case why == "snapshots":
				id = string(snapshots)
			}
			message += why + " " + id + "\n"
			if kind, _ := o.Try("cat-file", "-t", id); kind == "commit" || id == string(snapshots) {
				parents = append(parents, object.ID(id))
			}
		}
		if tip != "" {
			message += "previous " + string(tip) + "\n"
		}
		var list []object.Entry
		if objects, err := o.Try("rev-parse", "--verify", "-q", string(e.ID)+":objects"); err == nil {
			if list, err = o.repo.Objects.Tree(o.T.Context(), objects); err != nil {
				o.T.Fatal(err)
			}
		}
		tip = o.commit(o.p.Add("tree", object.TreeData(list)), append(parents, tip), message)
	}
	return tip
}

// The method record() moves the record of a discard to its old path, and converts the record into the old format.
func (o *oldFormat) record(run string) {
	o.T.Helper()
	from, to := record.Dir(o.repo, run), record.TrashDir(o.repo, run)
	rec, found, err := record.Load(from)
	if err != nil {
		o.T.Fatal(err)
	}
	if !found {
		return
	}
	rec.Version, rec.First, rec.Snapshot, rec.Whole = 1, 0, o.was[rec.Snapshot], o.was[rec.Whole]
	if err := place.Move(from, to); err != nil {
		o.T.Fatal(err)
	}
	if err := rec.SaveAs(filepath.Join(to, record.OldFile)); err != nil {
		o.T.Fatal(err)
	}
	if err := os.Remove(filepath.Join(to, record.File)); err != nil {
		o.T.Fatal(err)
	}
	_ = os.Remove(from + ".lock")
}

// requireFlat checks that nothing is left in the old format, and that "git log --all" shows no commit of git-resume.
func (f *fixture) requireFlat() {
	f.T.Helper()
	if refs := f.Git("for-each-ref", "refs/resume/wip", "refs/resume/trash"); refs != "" {
		f.T.Errorf("of the older form:\n%s", refs)
	}
	if ours := f.Git("log", "--all", "--format=%s", "--author=git-resume"); ours != "" {
		f.T.Errorf("commits of ours: %s", ours)
	}
}

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

// The user switches between this version and the previous version of the program. Snapshots of the previous version must be appended, and
// none may be added twice.
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

// TestUndo_ofAnOlderDiscard checks that Undo restores a run that the previous version of the program discarded. Flatten may have converted
// the run before.
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
	for i, name := range slices.Sorted(maps.Keys(arranged)) {
		arrange := arranged[name]
		for j, way := range []string{"flattened before", "dropped again"} {
			if !gittest.InTurn(2*i+j, 3) {
				continue
			}
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
