package trash

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
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
