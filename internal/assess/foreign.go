package assess

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
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
	"github.com/git-resume/git-resume/worktree/place"
)

// assessForeign examines work that another system started. It takes the state of the tasks from that system.
func (e *Judge) assessForeign(ctx context.Context, s candidate.Summary, mode AssessMode) (*Assessment, error) {
	x := &assessor{Site: e.Site, judge: e, mode: mode, a: &Assessment{Summary: s}}
	if !s.Run.LastAt.IsZero() {
		x.a.Silent = max(e.Now().Sub(s.Run.LastAt), 0)
	}
	if err := x.age(ctx); err != nil {
		return nil, err
	}
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
	x.a.Verdict = VerdictOf(x.a.Findings)
	return x.a, nil
}

type foreignChecks struct {
	*assessor
	f *sources.Found
}

// checkWorkers finds out whether somebody may be working, and whether the work is old. Other systems do not use our locks, so often there
// are only signs of a worker and no proof.
func (l foreignChecks) checkWorkers(context.Context) error {
	s := &l.a.Summary
	switch {
	case s.Life.Held():
		l.addHeldFinding(s.Run.ID)
	case s.Busy != "":
		l.addFinding(candidate.FindMaybeAlive.Case(), candidate.Warning, candidate.Facts{Text: s.Busy})
	case s.HandedBefore:
		l.addFinding(candidate.FindHandedBefore.Case(), candidate.Warning, candidate.Facts{Text: s.Run.HandedAt.In(l.Now().Location()).Format("2006-01-02 15:04")})
	}
	for _, path := range l.f.Files {
		if at := (sources.Files{Top: l.f.Home}).Changed(path); !at.IsZero() {
			if ago := max(l.Now().Sub(at), 1); l.a.Written == 0 || ago < l.a.Written {
				l.a.Written = ago
			}
		}
	}
	if l.a.Age == candidate.Stale {
		explained := ""
		for _, d := range l.f.Doubts {
			if d.Code == sources.DoubtStale {
				explained = d.Text
			}
		}
		l.addFinding(candidate.FindStale.Case(), candidate.Warning, candidate.Facts{Text: explained, Span: l.a.Alone()})
	}
	return nil
}

// state adds findings for what the other system's state shows: warnings, a pause, damage, the first question, and missing files.
func (l foreignChecks) state(context.Context) error {
	for _, d := range l.f.Doubts {
		damaged := l.f.State == sources.Corrupt && d.Whole() == l.a.Summary.Damaged
		stale := d.Code == sources.DoubtStale && l.a.Has(candidate.FindStale)
		if damaged || stale || d.Code == sources.DoubtStillWritten && l.a.Summary.Busy != "" {
			continue // another finding already describes this problem
		}
		l.a.Findings = append(l.a.Findings, candidate.Finding{Code: candidate.Code(d.Code), Severity: d.Severity, Said: d.Text, Path: d.Path})
	}
	switch l.f.State {
	case sources.Paused:
		l.addFinding(candidate.FindPaused.Case(), candidate.Warning, candidate.Facts{})
	case sources.Corrupt:
		l.addFinding(candidate.DamagedState, candidate.Blocking, candidate.Facts{Text: l.a.Summary.Damaged})
	}
	if l.f.Rebuilt && l.f.State != sources.Corrupt {
		severity := candidate.Warning
		if l.a.Has(sources.DoubtRebuilt, sources.DoubtFallback, sources.DoubtOwnCheck) {
			severity = candidate.Info // another finding already warns about the rebuilt state and gives the reason
		}
		l.addFinding(rebuiltFrom(l.a), severity, candidate.Facts{})
	}
	for _, q := range l.f.Questions[:min(1, len(l.f.Questions))] {
		if q.Block && !continuesElsewhere(l.f) {
			l.addFinding(candidate.QuestionBlocks, candidate.Warning, candidate.Facts{Task: checkpoint.TaskID(q.Task), Text: q.Text})
			continue
		}
		if continuesElsewhere(l.f) {
			kind := candidate.QuestionApart
			switch {
			case q.About != "":
				kind = candidate.QuestionAbout
			case q.Task != "" && sources.NaturalOrder(q.Task, l.f.Point.Task) == 0:
				kind = candidate.QuestionOfNext
			case q.Block:
				kind = candidate.QuestionBlockOnly
			}
			l.addFinding(kind, candidate.Info, candidate.Facts{Task: checkpoint.TaskID(q.Task), Other: q.About, Text: q.Text})
			continue
		}
		l.addFinding(candidate.QuestionWaits, candidate.Warning, candidate.Facts{Text: q.Text, Count: len(l.f.Questions)})
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
		l.addFinding(candidate.TreeNotOfRepo, candidate.Blocking, candidate.Facts{Path: at})
		return nil
	}
	l.repo = l.Repo.At(place)
	l.a.Tree = worktree.Tree{Path: at, Admin: place.GitDir, Health: worktree.Usable, Operation: ongoing.OperationIn(l.repo)}
	if op := l.a.Tree.Operation; op != ongoing.NoOperation && op != ongoing.Bisect && l.f.Source != candidate.GitSource {
		l.addFinding(candidate.OperationUnderway, candidate.Blocking, candidate.Facts{Text: string(op)})
	}
	return nil
}

// newTree finds a worktree that somebody moved. If there is none, it checks the path at which a new worktree will be created.
func (l foreignChecks) newTree(ctx context.Context) error {
	top := l.f.Home
	if main, ok := l.Repo.Main(); ok {
		top = main.WorkTree
	}
	at := filepath.Join(top, filepath.FromSlash(l.f.Wants))
	switch {
	case l.f.Beside && isFolderName(l.f.Slug()):
		c, err := l.Repo.Settings.Config(ctx)
		if err != nil {
			return err
		}
		at = filepath.Join(l.judge.Staging.FolderFor(c), l.f.Slug())
	case l.f.Beside || !isRelativeInside(l.f.Wants):
		l.addFinding(candidate.PlaceOutside, candidate.Blocking, candidate.Facts{Path: l.f.Wants})
		return nil
	}
	switch t, err := l.movedFrom(ctx, at); {
	case err != nil:
		return err
	case t.Health == worktree.Moved:
		// The other system's files may already have caused a finding that the worktree was moved. Our own finding replaces that one,
		// because it also says what will be done.
		l.a.Findings = slices.DeleteFunc(l.a.Findings, func(f candidate.Finding) bool { return f.Code == candidate.FindTreeMoved })
		l.a.Tree = t
		return treeChecks{l.assessor}.movedTree(t)
	}
	if slices.ContainsFunc(l.f.Doubts, func(d sources.Doubt) bool { return d.Code == sources.DoubtWorktree && d.Severity == conflicts.Blocking }) {
		return nil // the path is in use, which is already reported
	}
	shown := at
	if rel, err := filepath.Rel(top, at); err == nil {
		shown = filepath.ToSlash(rel)
	}
	if why, err := l.takenBy(ctx, at); err != nil || why != "" {
		if why != "" {
			l.addFinding(why, candidate.Blocking, candidate.Facts{Path: shown})
		}
		return err
	}
	l.addFinding(candidate.TreeWillBeMade, candidate.Info, candidate.Facts{Path: shown})
	step := RepairMake
	if tip, err := l.Repo.Refs.Ref(ctx, l.f.Branch); err == nil && tip != "" { // if the branch exists, the work probably had a worktree before
		step = RepairRecreate
	}
	l.a.Repairs = append(l.a.Repairs, step)
	l.a.Tree.Path = at
	treeChecks{l.assessor}.mayPlace(at)
	return nil
}

// takenBy looks for something else at the path of a new worktree, and returns what it is. It returns "" if the worktree can be made there.
func (l foreignChecks) takenBy(ctx context.Context, path string) (candidate.Case, error) {
	if place.Safe(l.Repo, path) != nil {
		return "", nil // mayPlace reports the link
	}
	t, err := worktree.Look(ctx, l.Repo, worktree.Want{Path: path})
	switch {
	case err != nil || !place.Same(t.Path, path):
		return "", err
	case t.Admin != "" && t.Branch != l.f.Branch:
		return candidate.TreeTaken, nil
	case t.Health == worktree.Foreign, t.Health == worktree.Plain && !place.IsEmpty(path):
		return candidate.TreeNotItsOwn, nil
	}
	return "", nil
}

// movedFrom finds the worktree of the work's branch if somebody moved that worktree by hand, so that git does not find it. The result is
// empty if there is none.
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

// isFolderName reports whether a text can be the name of a new folder. A path, ".." and ".git" are refused.
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
		l.addFinding(candidate.BranchNotThere, candidate.Warning, candidate.Facts{Branch: site.ShortBranch(l.f.Branch), Commit: l.f.Last})
	}
	return nil
}

// save takes a snapshot of the uncommitted work, under the run id that the work will have once it is adopted. In the mode OnlyLook, it only
// lists the uncommitted files.
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
		l.addFinding(candidate.FindBaseGone.Case(), candidate.Warning, candidate.Facts{Base: r.Base.Name})
		return nil
	}
	if l.f.Start == now || l.ancestor(ctx, now, l.a.Seen.Branch) {
		return nil
	}
	l.addFinding(candidate.BaseHasMore, candidate.Info, candidate.Facts{Base: r.Base.Name})
	return baseChecks{l.assessor}.compare(ctx, now)
}
