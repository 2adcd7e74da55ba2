package assess

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint/owner"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/tasks"
	"github.com/git-resume/git-resume/worktree"
)

// assessForeign examines work that another system started. It takes the state of the tasks from that system.
// The worktree, branch, base and uncommitted work are examined as for our own runs.
func (e *Judge) assessForeign(ctx context.Context, s candidate.Summary, mode AssessMode) (*Assessment, error) {
	x := &assessor{Site: e.Site, judge: e, mode: mode, a: &Assessment{Summary: s}}
	if !s.Run.LastAt.IsZero() {
		x.a.Silent = max(e.Now().Sub(s.Run.LastAt), 0)
	}
	x.a.Age = AgeOf(x.a.Silent)
	x.a.Point = tasks.Step{Kind: tasks.StepReport}
	f := foreignChecks{assessor: x, f: s.Found}
	for _, look := range []func(context.Context) error{f.checkWorkers, f.state, f.tree, f.branch, f.save, f.base} {
		if err := look(ctx); err != nil {
			if x.repo != nil {
				x.repo.Close()
			}
			return nil, err
		}
	}
	if x.repo != nil {
		x.repo.Close()
	}
	x.a.Seen.Events, x.a.Seen.Found = s.Run.Events, adopt.Fingerprint(s.Found)
	x.progress()
	x.a.Verdict = verdictOf(x.a.Findings)
	return x.a, nil
}

type foreignChecks struct {
	*assessor
	f *sources.Found
}

// checkWorkers finds out whether somebody may be working. Other systems do not use our locks, so often there are only signs and no proof.
func (l foreignChecks) checkWorkers(context.Context) error {
	s := &l.a.Summary
	switch {
	case s.Life.Held():
		text := "it is being executed"
		if busy := owner.Busy(l.Store, s.Run.ID); busy != nil {
			text = busy.Error()
		}
		l.addFinding(candidate.FindAlive, candidate.Blocking, text)
	case s.Busy != "":
		l.addFinding(candidate.FindMaybeAlive, candidate.Warning, "somebody may be working on it: "+s.Busy)
	}
	for _, path := range l.f.Files {
		if at := (sources.Files{Top: l.f.Home}).Changed(path); !at.IsZero() {
			if ago := max(l.Now().Sub(at), 1); l.a.Written == 0 || ago < l.a.Written {
				l.a.Written = ago
			}
		}
	}
	if l.a.Age == candidate.Stale {
		text := "it has been silent for more than a week"
		for _, d := range l.f.Doubts {
			if d.Code == sources.DoubtStale {
				text = d.Text // the other system explains better why the work is stale
			}
		}
		l.addFinding(candidate.FindStale, candidate.Warning, text)
	}
	return nil
}

// state adds findings for the warnings that the source reported.
func (l foreignChecks) state(context.Context) error {
	for _, d := range l.f.Doubts {
		damaged := l.f.State == sources.Corrupt && d.Whole() == l.a.Summary.Damaged
		stale := d.Code == sources.DoubtStale && l.a.Has(candidate.FindStale)
		if damaged || stale || d.Code == sources.DoubtStillWritten && l.a.Summary.Busy != "" {
			continue // another finding already describes this problem
		}
		l.a.Findings = append(l.a.Findings, candidate.Finding{Code: candidate.Code(d.Code), Severity: d.Severity, Text: d.Text, Path: d.Path})
	}
	switch l.f.State {
	case sources.Paused:
		l.addFinding(candidate.FindPaused, candidate.Warning, "it was stopped on purpose")
	case sources.Corrupt:
		l.addFinding(candidate.FindDamaged, candidate.Blocking, "its state cannot be read: "+l.a.Summary.Damaged)
	}
	if l.f.Rebuilt && l.f.State != sources.Corrupt {
		severity := candidate.Warning
		if l.a.Has(sources.DoubtRebuilt, sources.DoubtFallback, sources.DoubtOwnCheck) {
			severity = candidate.Info // the source has already reported this, with the reason
		}
		l.addFinding(candidate.FindRebuilt, severity, rebuiltFrom(l.a))
	}
	for _, q := range l.f.Questions[:min(1, len(l.f.Questions))] {
		if q.Block && !continuesElsewhere(l.f) {
			l.addFinding(candidate.FindQuestion, candidate.Warning, q.Task+" is blocked: "+q.Text)
			continue
		}
		if continuesElsewhere(l.f) {
			text := "a question is open, but the next step does not need its answer: "
			if q.Block {
				text = q.Task + " is blocked, but the next step does not need it: "
			}
			if q.About != "" {
				text = "a question about " + q.About + " is open, and its system would continue without the answer: "
			} else if q.Task != "" && sources.NaturalOrder(q.Task, l.f.Point.Task) == 0 {
				text = "a question about the next step is open, but its system would continue without an answer: "
			}
			l.addFinding(candidate.FindQuestion, candidate.Info, text+q.Text)
			continue
		}
		l.addFinding(candidate.FindQuestion, candidate.Warning, "it waits for an answer: "+q.Text)
	}
	l.a.Findings = append(l.a.Findings, candidate.Missing(l.f)...)
	return nil
}

// continuesElsewhere reports whether the other system can continue with another part of the work while a question is open.
func continuesElsewhere(f *sources.Found) bool {
	if len(f.Alternatives) == 0 || slices.Contains([]sources.State{sources.Waiting, sources.Blocked, sources.Review, sources.Corrupt}, f.State) {
		return false
	}
	return sources.Proceeds(f.Alternatives[0].Name)
}

// tree finds the worktree in which the work continues: its own worktree, a new one, or the worktree with its state files.
func (l foreignChecks) tree(ctx context.Context) error {
	at := l.f.Worktree
	switch {
	case at == "" && l.f.Wants != "":
		return l.newTree(ctx)
	case at == "":
		at = l.f.Home
	}
	place, err := locate.Find(at, nil)
	if err != nil || place.WorkTree != at {
		l.addFinding(candidate.FindTreeForeign, candidate.Blocking, fmt.Sprintf("what is at %s is not a worktree of this repository", at))
		return nil
	}
	l.repo = l.Repo.At(place)
	l.a.Tree = worktree.Tree{Path: at, Admin: place.GitDir, Health: worktree.Usable, Operation: ongoing.OperationIn(l.repo)}
	if op := l.a.Tree.Operation; op != ongoing.NoOperation && op != ongoing.Bisect && l.f.Source != candidate.GitSource {
		l.addFinding(candidate.FindOperation, candidate.Blocking, fmt.Sprintf("a %s is in progress in its worktree", op))
	}
	return nil
}

// newTree checks the path at which a worktree will be created.
func (l foreignChecks) newTree(ctx context.Context) error {
	top := l.f.Home
	if main, ok := l.Repo.Main(); ok {
		top = main.WorkTree
	}
	place := filepath.Join(top, filepath.FromSlash(l.f.Wants))
	switch {
	case l.f.Beside && isFolderName(l.f.Slug()):
		c, err := l.Repo.Settings.Config(ctx)
		if err != nil {
			return err
		}
		place = filepath.Join(l.judge.Staging.FolderFor(c), l.f.Slug())
	case l.f.Beside || !isRelativeInside(l.f.Wants):
		l.addFinding(candidate.FindTreePlace, candidate.Blocking, fmt.Sprintf("its worktree would be made at %s, which is not inside the repository", l.f.Wants))
		return nil
	}
	switch t, err := l.movedFrom(ctx, place); {
	case err != nil:
		return err
	case t.Health == worktree.Moved:
		// The source has also reported that the worktree was moved.
		// Our own finding replaces that one, because it also says what will be done.
		l.a.Findings = slices.DeleteFunc(l.a.Findings, func(f candidate.Finding) bool { return f.Code == candidate.FindTreeMoved })
		l.a.Tree = t
		return treeChecks{l.assessor}.movedTree(t)
	}
	if slices.ContainsFunc(l.f.Doubts, func(d sources.Doubt) bool { return d.Code == sources.DoubtWorktree && d.Severity == conflicts.Blocking }) {
		return nil // the path is in use, which is already reported
	}
	shown := place
	if rel, err := filepath.Rel(top, place); err == nil {
		shown = filepath.ToSlash(rel)
	}
	l.addFinding(candidate.FindTreeMissing, candidate.Info, fmt.Sprintf("it has no worktree; one will be made at %s", shown))
	step := RepairMake
	if tip, err := l.Repo.Refs.Ref(ctx, l.f.Branch); err == nil && tip != "" { // the branch exists, so the work had a worktree before
		step = RepairRecreate
	}
	l.a.Repairs = append(l.a.Repairs, step)
	l.a.Tree.Path = place
	treeChecks{l.assessor}.mayPlace(place)
	return nil
}

// movedFrom finds a worktree with the work's branch that somebody moved by hand, so that git does not find it; empty if there is none.
func (l foreignChecks) movedFrom(ctx context.Context, place string) (worktree.Tree, error) {
	if l.f.Branch == "" {
		return worktree.Tree{}, nil
	}
	trees, err := worktree.Find(ctx, l.Repo, filepath.Dir(place))
	if err != nil {
		return worktree.Tree{}, err
	}
	for _, t := range trees {
		if t.Admin != "" && t.Branch == l.f.Branch && t.Health == worktree.Moved {
			return t, nil
		}
	}
	return worktree.Tree{}, nil
}

// isRelativeInside reports whether a path from another system's state stays inside the worktree and outside git's files.
func isRelativeInside(p string) bool {
	isGit := func(part string) bool { return strings.EqualFold(strings.TrimRight(part, " ."), ".git") }
	local := filepath.IsLocal(filepath.FromSlash(p)) && path.Clean(p) != "."
	return local && !slices.ContainsFunc(strings.FieldsFunc(p, isSlash), isGit)
}

// isFolderName reports whether a text can be the name of a folder.
func isFolderName(name string) bool {
	return isRelativeInside(name) && !strings.ContainsFunc(name, isSlash)
}

func isSlash(r rune) bool { return r == '/' || r == '\\' }

func (l foreignChecks) branch(ctx context.Context) error {
	if l.f.Branch == "" {
		return nil
	}
	tip, err := l.Repo.Refs.Ref(ctx, l.f.Branch)
	if err != nil {
		return err
	}
	l.a.Seen.Branch = tip
	if tip == "" && l.f.Last != "" {
		l.addFinding(candidate.FindBranchDeleted, candidate.Warning, fmt.Sprintf("branch %s is not there; its last known commit is %s", site.ShortBranch(l.f.Branch), l.f.Last.Short()))
	}
	return nil
}

// save takes a snapshot of the uncommitted work. The snapshot gets the run id that the work will have once it is adopted.
func (l foreignChecks) save(ctx context.Context) error {
	if l.repo == nil || l.a.Has(candidate.FindAlive) || !l.f.State.Open() {
		return nil
	}
	if l.mode == OnlyLook {
		var err error
		l.a.Uncommitted, err = tasks.Uncommitted(ctx, l.repo)
		return err
	}
	id, err := l.judge.Adopt.AdoptedID(ctx, l.f)
	if err != nil {
		return err
	}
	return taskChecks{l.assessor}.saveAs(ctx, id)
}

// base compares the work's own branch with the branch that it will be merged into.
func (l foreignChecks) base(ctx context.Context) error {
	r := l.run()
	if r.Base.Name == "" || l.a.Seen.Branch == "" || r.Branch == refs.Branch(r.Base.Name) {
		return nil
	}
	now, err := l.Repo.Refs.Ref(ctx, refs.Branch(r.Base.Name))
	if err != nil {
		return err
	}
	if l.a.Seen.Base = now; now == "" {
		l.addFinding(candidate.FindBaseGone, candidate.Warning, fmt.Sprintf("its base %s is gone", r.Base.Name))
		return nil
	}
	if l.f.Start == now || l.ancestor(ctx, now, l.a.Seen.Branch) {
		return nil
	}
	l.addFinding(candidate.FindBaseMoved, candidate.Info, fmt.Sprintf("%s has commits that its branch does not have", r.Base.Name))
	return baseChecks{l.assessor}.compare(ctx, now)
}
