package worktree

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
)

// older writes records as the version before did. Tests that run that very program hold it to the truth.
type older struct {
	*fixture
	repo *gitstate.Repo
	p    *object.Pending
	was  map[object.ID]object.ID // the commit of each snapshot
}

// unflatten gives what is kept of a run the form that the version before had.
func (f *fixture) unflatten(run string) map[object.ID]object.ID {
	f.t.Helper()
	repo := f.repo()
	h, err := repo.Settings.Hasher(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	o := &older{f, repo, object.NewPending(h), map[object.ID]object.ID{}}
	tip := o.snapshots(run)
	trash := o.discards(run, tip)
	if err := repo.Objects.Write(f.t.Context(), o.p); err != nil {
		f.t.Fatal(err)
	}
	for ref, id := range map[string]object.ID{wipRef(run): tip, trashRef(run): trash} {
		if id != "" {
			f.git("update-ref", ref, string(id))
		}
	}
	for _, ref := range strings.Fields(f.git("for-each-ref", "--format=%(refname)", SnapshotsRef(run), DiscardedRef(run), "refs/resume/on")) {
		f.git("update-ref", "-d", ref)
	}
	o.record(run)
	return o.was
}

func (o *older) read(what, run string) []entry {
	o.t.Helper()
	r, err := seriesOf(o.repo, what, run).read(o.t.Context())
	if err != nil {
		o.t.Fatal(err)
	}
	return r.entries
}

// commit is the raw form of a commit of the version before.
func (o *older) commit(tree object.ID, parents []object.ID, message string) object.ID {
	var b bytes.Buffer
	fmt.Fprintf(&b, "tree %s\n", tree)
	seen := map[object.ID]bool{"": true}
	for _, p := range parents {
		if !seen[p] {
			seen[p] = true
			fmt.Fprintf(&b, "parent %s\n", p)
		}
	}
	stamp := fmt.Sprintf("git-resume <git-resume@localhost> %d +0000", clock().Unix())
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\n%s", stamp, stamp, message)
	return o.p.Add("commit", b.Bytes())
}

func (o *older) snapshots(run string) (tip object.ID) {
	o.t.Helper()
	ctx := o.t.Context()
	for _, e := range o.read(snapshotSeries, run) {
		s, err := Load(ctx, o.repo, e.id)
		if err != nil {
			o.t.Fatal(err)
		}
		o.writeBack(e)
		f := s.facts
		f.label, f.cause, f.previous = label{}, "", tip
		if s.index != "" {
			f.index = o.index(s)
		}
		text := strings.Replace(f.encode(), "version 2\n", "version 1\n", 1)
		subject := run
		if s.Cause != "" {
			subject += ": " + s.Cause
		}
		tip = o.commit(s.Tree, []object.ID{s.Head, f.index, tip}, "snapshot of "+subject+"\n\n"+text)
		o.was[e.id] = tip
	}
	return tip
}

func (o *older) writeBack(e entry) {
	o.t.Helper()
	kept, err := keptIn(o.t.Context(), o.repo, []entry{e})
	if err == nil {
		err = writeBack(o.t.Context(), o.repo, kept)
	}
	if err != nil {
		o.t.Fatal(err)
	}
}

// index is the commit of what was staged; its last parent holds the index's own bytes.
func (o *older) index(s Snapshot) object.ID {
	o.t.Helper()
	list, err := o.repo.Objects.Tree(o.t.Context(), string(s.index))
	if err != nil {
		o.t.Fatal(err)
	}
	list = slices.DeleteFunc(list, func(e object.Entry) bool { return e.Name == stagedTree })
	for i := range list {
		if list[i].Name == indexBytes {
			list[i].Name = "index"
		}
	}
	file := o.commit(o.p.Add("tree", object.TreeData(list)), nil, "the index as it was on disk\n")
	return o.commit(s.Index, []object.ID{s.Head, file}, "what was staged\n")
}

func (o *older) discards(run string, snapshots object.ID) (tip object.ID) {
	o.t.Helper()
	for _, e := range o.read(discardedSeries, run) {
		o.writeBack(e)
		text, err := readFacts(o.t.Context(), o.repo, e.id)
		if err != nil {
			o.t.Fatal(err)
		}
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
			if kind, _ := o.try("cat-file", "-t", id); kind == "commit" || id == string(snapshots) {
				parents = append(parents, object.ID(id))
			}
		}
		if tip != "" {
			message += "previous " + string(tip) + "\n"
		}
		all, err := parts(o.t.Context(), o.repo, e.id)
		if err != nil {
			o.t.Fatal(err)
		}
		var list []object.Entry
		if objects, ok := all[objectsDir]; ok {
			if list, err = o.repo.Objects.Tree(o.t.Context(), string(objects.ID)); err != nil {
				o.t.Fatal(err)
			}
		}
		tip = o.commit(o.p.Add("tree", object.TreeData(list)), append(parents, tip), message)
	}
	return tip
}

// record puts the record of a discard into its older place and form.
func (o *older) record(run string) {
	o.t.Helper()
	from, to := discardDir(o.repo, run), trashDir(o.repo, run)
	rec, found, err := loadRecord(from)
	if err != nil {
		o.t.Fatal(err)
	}
	if !found {
		return
	}
	rec.Version, rec.First, rec.Snapshot, rec.Whole = 1, 0, o.was[rec.Snapshot], o.was[rec.Whole]
	if err := moveDir(from, to); err != nil {
		o.t.Fatal(err)
	}
	if err := rec.saveAs(filepath.Join(to, oldRecordFile)); err != nil {
		o.t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(to, recordFile)); err != nil {
		o.t.Fatal(err)
	}
	_ = os.Remove(from + ".lock")
}

// requireFlat: nothing of the older form is left, and git lists no commit of ours.
func (f *fixture) requireFlat() {
	f.t.Helper()
	if refs := f.git("for-each-ref", "refs/resume/wip", "refs/resume/trash"); refs != "" {
		f.t.Errorf("of the older form:\n%s", refs)
	}
	if ours := f.git("log", "--all", "--format=%s", "--author=git-resume"); ours != "" {
		f.t.Errorf("commits of ours: %s", ours)
	}
}

func TestFlatten_snapshotsComeInTheirOrder(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.git("checkout", "-q", "--detach")
	f.git("commit", "-q", "--allow-empty", "-m", "loose")
	loose := f.git("rev-parse", "HEAD")
	var shots []shot
	for i := range 7 {
		f.edit(i)
		files := dump(t, f.dir)
		index, _ := os.ReadFile(f.path(".git/index"))
		shots = append(shots, shot{f.take(SnapshotRequest{Cause: fmt.Sprint(i)}), files, string(index)})
	}
	was := f.unflatten("job-a7f3")
	newest, err := Newest(t.Context(), f.repo(), "job-a7f3")
	if err != nil || newest.ID != was[shots[6].snap.ID] || newest.Cause != "6" || newest.Tree != shots[6].snap.Tree {
		t.Errorf("newest of the older form %+v: %v", newest, err)
	}
	// The same work as the newest: nothing is saved, and the older ones come over all the same.
	again := f.take(SnapshotRequest{})
	if again.Made || again.Number != 7 || again.Was != was[shots[6].snap.ID] {
		t.Errorf("again %+v", again)
	}
	f.requireFlat()
	f.gc()
	for i := range shots {
		got, err := Load(t.Context(), f.repo(), object.ID(f.git("rev-parse", fmt.Sprintf("%s:%04d", SnapshotsRef("job-a7f3"), i+1))))
		want := shots[i].snap
		if err != nil || got.Was != was[want.ID] || got.Tree != want.Tree || got.Cause != fmt.Sprint(i) || !got.At.Equal(clock()) || !got.facts.sameWork(want.facts) {
			t.Errorf("%d: %+v: %v", i, got, err)
		}
		shots[i].snap.ID = got.ID
	}
	f.write("a.txt", "the next\n")
	if next := f.take(SnapshotRequest{}); next.Number != 8 {
		t.Errorf("next %+v", next)
	}
	f.git("checkout", "-qf", loose)
	f.requireShots(t, shots)
	f.git("checkout", "-qf", "main")
	f.gc()
	if _, err := f.try("cat-file", "-e", loose); err == nil {
		t.Error("the commit on no branch is still a commit")
	}
	if got := f.git("cat-file", "blob", SnapshotsRef("job-a7f3")+":0001/commits/"+loose); !strings.HasSuffix(got, "loose") {
		t.Errorf("kept of it: %q", got)
	}
	f.fsck()
}

// What the version before adds while both are used comes behind what is there, and nothing comes twice.
func TestFlatten_bothVersionsInTurn(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("a.txt", "one\n")
	f.take(SnapshotRequest{Cause: "one"})
	f.write("a.txt", "two\n")
	f.take(SnapshotRequest{Cause: "two"})
	was := f.unflatten("job-a7f3")
	old := f.git("rev-parse", wipRef("job-a7f3"))
	for i := range 2 { // a kill before the old ref went: it is all there once more
		f.write("a.txt", fmt.Sprint("three", i))
		f.take(SnapshotRequest{Cause: "three"})
		f.git("update-ref", wipRef("job-a7f3"), old)
	}
	if err := Flatten(t.Context(), f.repo(), "job-a7f3"); err != nil {
		t.Fatal(err)
	}
	f.requireFlat()
	list := strings.Fields(f.git("ls-tree", "--name-only", SnapshotsRef("job-a7f3")))
	if !slices.Equal(list, []string{"0001", "0002", "0003", "0004"}) || len(was) != 2 {
		t.Errorf("snapshots %v", list)
	}
	for i, want := range []string{"one", "two", "three0", "three1"} {
		if got := f.git("show", fmt.Sprintf("%s:%04d/work/a.txt", SnapshotsRef("job-a7f3"), i+1)); got != want {
			t.Errorf("%d is %q", i+1, got)
		}
	}
}

// What is in the place of the older records and is none of them stays, and keeps nobody from saving.
func TestFlatten_leavesWhatItDoesNotUnderstand(t *testing.T) {
	t.Parallel()
	f, tree := staged(t)
	tree.write("work", "w")
	for _, ref := range []string{wipRef(job), trashRef(job), trashRef(actedPart + job)} {
		f.git("update-ref", ref, "HEAD:a.txt")
	}
	if s := tree.take(SnapshotRequest{Run: job}); tree.show(s, "work") != "w" {
		t.Error("nothing saved")
	}
	if err := Flatten(t.Context(), f.repo(), job); err == nil {
		t.Error("Flatten says nothing of it")
	}
	want := tree.state(t)
	f.discard(tree)
	f.gc()
	f.undo()
	requireState(t, want, tree.state(t))
	for _, ref := range []string{wipRef(job), trashRef(job), trashRef(actedPart + job)} {
		if f.git("rev-parse", ref) != f.git("rev-parse", "HEAD:a.txt") {
			t.Errorf("%s is another", ref)
		}
	}
	// A ref to nothing would make every gc fail; there is nothing behind it to keep.
	f.write(".git/refs/resume/wip/"+job, strings.Repeat("ab", 20)+"\n")
	tree.write("work", "more")
	tree.take(SnapshotRequest{Run: job})
	if _, err := f.try("rev-parse", "-q", "--verify", wipRef(job)); err == nil {
		t.Error("the ref to nothing is still there")
	}
	f.fsck()
}

// TestUndo_ofAnOlderDiscard brings back what the version before dropped, with and without a stop between.
func TestUndo_ofAnOlderDiscard(t *testing.T) {
	t.Parallel()
	for name, arrange := range map[string]func(*fixture){
		"a bit of all": messy,
		"rebase in progress": func(f *fixture) {
			f.git("branch", "topic")
			stoppedRebase(f)
		},
		"amended commits in the reflog": func(f *fixture) {
			for _, text := range []string{"1", "2", "3"} {
				f.write("a.txt", text)
				f.git("commit", "-qam", text)
				f.git("reset", "-q", "--hard", "HEAD^")
			}
			f.write("a.txt", "last")
			f.git("commit", "-qam", "last")
		},
		"detached": func(f *fixture) {
			f.git("checkout", "-q", "--detach")
			f.write("a.txt", "loose\n")
			f.git("commit", "-qam", "on no branch")
		},
		"merge with a resolved side": func(f *fixture) {
			conflict(f)
			f.write("a.txt", "resolved\n")
			f.git("add", "a.txt")
		},
	} {
		for _, way := range []string{"at once", "flattened before", "dropped again"} {
			t.Run(name+" "+way, func(t *testing.T) {
				t.Parallel()
				f, tree := staged(t)
				arrange(tree)
				want := tree.state(t)
				f.discard(tree)
				f.unflatten(job)
				f.gc()
				if way == "flattened before" {
					if err := Flatten(t.Context(), f.repo(), job); err != nil {
						t.Fatal(err)
					}
					f.requireFlat()
					f.gc()
				}
				f.undo()
				requireState(t, want, tree.state(t))
				if exists(f.path(".git/resume/trash/" + job)) {
					t.Error("the older folder is still there")
				}
				if way == "dropped again" {
					roundTrip(t, f, tree, 1)
				}
				f.requireFlat()
				f.fsck()
			})
		}
	}
}

// A discard of the version before that was cut off is finished, or taken back.
func TestDiscard_finishesAnOlderOne(t *testing.T) {
	t.Parallel()
	for _, stop := range []string{"intent", "branch", "record"} {
		for _, back := range []bool{false, true} {
			t.Run(fmt.Sprint(stop, " back ", back), func(t *testing.T) {
				t.Parallel()
				f, tree := staged(t)
				tree.write("own", "own")
				tree.git("add", "-A")
				tree.git("commit", "-qm", "own")
				messy(tree)
				want, tip := tree.state(t), tree.git("rev-parse", "HEAD")
				cut := fmt.Errorf("cut off")
				req := f.dropRequest(tree)
				fail := func(context.Context, Discarded) error { return cut }
				if stop == "intent" {
					req.Intent = fail
				} else {
					req.Record = fail
				}
				if _, err := Discard(t.Context(), f.repo(), req); err == nil {
					t.Fatal("not cut off")
				}
				if stop == "branch" { // all is saved and moved, and the branch is still there
					f.git("update-ref", jobRef, tip)
				}
				f.unflatten(job)
				f.git("prune", "--expire=now") // a gc would write the log of a worktree that is still registered anew
				if back {
					f.undo()
					requireState(t, want, tree.state(t))
				}
				f.discard(tree)
				if exists(tree.dir) {
					t.Error("the tree is still there")
				}
				if n := f.git("rev-list", "--all", "--count"); n != "1" {
					t.Errorf("git lists %s commits, and 1 is on main", n)
				}
				f.gc()
				f.undo()
				requireState(t, want, tree.state(t))
				f.requireFlat()
				f.fsck()
			})
		}
	}
}

func TestFlatten_keptFilesOfOtherSystems(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	repo := f.repo()
	var olds []string
	parent := []string{}
	for i := range 2 {
		blob := f.pipe(fmt.Sprint("before ", i), "hash-object", "-w", "--stdin")
		before := f.pipe("100644 blob "+blob+"\t0\n", "mktree")
		tree := f.pipe("040000 tree "+before+"\tbefore\n100644 blob "+f.pipe("{}\n", "hash-object", "-w", "--stdin")+"\tchanges.json\n", "mktree")
		olds = append(olds, f.git(append([]string{"commit-tree", "-m", "files", tree}, parent...)...))
		parent = []string{"-p", olds[i]}
	}
	f.git("update-ref", trashRef(actedPart+job), olds[1])
	add := func(text string) object.ID {
		id, err := KeepActed(t.Context(), repo, ActedRequest{Run: job, Now: clock(), Files: func(p *object.Pending) (map[string]object.Version, error) {
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
		at := Acted(t.Context(), f.repo(), job, id)
		if got := f.git("show", string(at)+":before/0"); got != fmt.Sprint("before ", i) {
			t.Errorf("%d is %q", i, got)
		}
	}
	for _, c := range []struct {
		at   time.Time
		want int
	}{{clock().Add(-time.Hour), 1}, {clock().Add(time.Hour), 0}} {
		if _, err := Expire(t.Context(), f.repo(), Expiry{Now: c.at}); err != nil {
			t.Fatal(err)
		}
		if refs := strings.Fields(f.git("for-each-ref", "--format=%(refname)", "refs/resume/acted")); len(refs) != c.want {
			t.Errorf("refs %v, want %d", refs, c.want)
		}
	}
}

// Records of the version before that nobody touches expire as they would have.
func TestExpire_forgetsOlderRecords(t *testing.T) {
	t.Parallel()
	f, tree := staged(t)
	tree.write("work", "w")
	f.discard(tree)
	f.unflatten(job)
	late := Expiry{Now: clock().Add(time.Hour)}
	late.Back = func(run string) bool { return run == job }
	if runs, err := Expire(t.Context(), f.repo(), late); err != nil || len(runs) > 0 {
		t.Fatalf("a run that goes on was forgotten: %v %v", runs, err)
	}
	late.Back = nil
	if runs, err := Expire(t.Context(), f.repo(), late); err != nil || !slices.Equal(runs, []string{job}) {
		t.Fatalf("%v %v", runs, err)
	}
	if refs := f.git("for-each-ref", "refs/resume"); refs != "" {
		t.Errorf("refs left: %s", refs)
	}
}
