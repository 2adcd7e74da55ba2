package candidate

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/commitlog"
	"github.com/git-resume/git-resume/internal/condition"
	"github.com/git-resume/git-resume/internal/sources"
)

// A commit counts as evidence for a piece of work only if it is at most historyBefore older than the last activity of the work. Older
// commits that name the work may mean other work of the same name.
const historyBefore = 30 * 24 * time.Hour

// zones is the largest difference between a local time and UTC. A time without a time zone may be wrong by this much if another machine
// wrote it.
const zones = 14 * time.Hour

// Judging finds work, and decides from evidence how far other systems' work is and what people should see.
type Judging struct {
	Find *Finder
	// ForPrograms makes Status find more evidence, because programs are shown all of it.
	ForPrograms bool
}

// depth says how thoroughly work is judged.
type depth int

const (
	// forPeople finds only what is needed for the list that people see. It asks git about old work only if the branch of that work is
	// checked out. In other cases git's answer would not change the list.
	forPeople depth = iota
	// withEvidence also finds commits that name the work, even if they do not change its condition. Only programs are shown these
	// commits.
	withEvidence
	// ofAll also judges old work thoroughly.
	ofAll
)

// Status finds the same work as Finder.Status, and also asks git for evidence about other systems' work.
func (e Judging) Status(ctx context.Context, mode journal.ListMode) ([]Summary, error) {
	all, err := e.Find.Status(ctx, mode)
	if err != nil {
		return nil, err
	}
	switch {
	case mode == journal.AllRuns:
		return all, e.judge(ctx, all, ofAll)
	case e.ForPrograms:
		return all, e.judge(ctx, all, withEvidence)
	}
	return all, e.judge(ctx, all, forPeople)
}

// Judge finds out the condition of one piece of other systems' work, and stores it in the Summary. It also sets the field Listed. It judges
// old work as thoroughly as new work.
func (e Judging) Judge(ctx context.Context, s *Summary) error {
	one := []Summary{*s}
	err := e.judge(ctx, one, ofAll)
	*s = one[0]
	return err
}

func (e Judging) judge(ctx context.Context, works []Summary, how depth) error {
	if !slices.ContainsFunc(works, func(s Summary) bool { return s.Found != nil && s.Found.Source != GitSource }) {
		return nil
	}
	stale, err := e.Find.StaleAfter(ctx)
	if err == nil {
		scan := e.Find.currentScan(ctx)
		defer scan.view.RestLogs()
		scan.judge(ctx, works, stale, how)
	}
	return err
}

// question is a piece of work about which git is asked.
type question struct {
	work  *Summary
	facts *condition.Facts
	// last is the newest commit that changed a file of the work. Commits before the time in the field "since" say nothing about the
	// work. Commits before the time in the field "from" need not be read at all.
	last        object.ID
	since, from time.Time
}

// judge finds out the condition of each piece of other systems' work, and decides which of it people should see.
func (e *scan) judge(ctx context.Context, works []Summary, stale time.Duration, how depth) {
	var open []question
	for i := range works {
		s := &works[i]
		if s.Found == nil || s.Found.Source == GitSource {
			continue
		}
		f := factsOf(s, e.Now(), stale)
		f.Elsewhere = elsewhere(works, s)
		if t, ok := e.view.At(s.Found.Home); ok && s.Found.State.Open() && !f.Fresh() {
			f.Changed = e.view.Edited(ctx, t, s.Found.Files)
			f.Edited = f.Changed != ""
		}
		if s.Found.State.Open() && (how == ofAll || f.Fresh() || f.Asked || e.onItsBranch(s)) {
			open = append(open, e.question(ctx, s, f, how))
			continue
		}
		s.judged(f)
	}
	if len(open) == 0 {
		return
	}
	oldest := slices.MinFunc(open, func(a, b question) int { return a.from.Compare(b.from) })
	h := e.view.Recent.History(ctx, oldest.from)
	for _, q := range open {
		e.evidence(ctx, h, q)
		if f := q.facts; f.Landed != nil && f.Done == 0 && (!f.Branched && !q.work.Found.Along || h.Brought(f.Landed, namesOfOthers(works, q.work), namesOf(q.work.Found))) {
			f.Landed = nil // this merge brought the plan, beside other work; nothing shows that the plan was carried out
		}
		if condition.Judge(q.facts).Word == condition.Finished { // only work that would count as over is looked at so closely
			q.facts.Unmade = unmade(q.work.Found)
		}
		// An uncommitted change is one more sign of open work. The list for people needs this sign only if no other sign shows that the
		// work is open.
		if how != forPeople || !condition.Judge(q.facts).Word.Open() {
			q.facts.Changed = e.changedFile(ctx, q.work.Found)
		}
		q.work.judged(q.facts)
	}
}

// elsewhere reports whether other work was active later than this work. Only work of the same system in the same worktree counts, and only
// if at least one of its tasks is done.
func elsewhere(works []Summary, s *Summary) bool {
	for i := range works {
		o := works[i].Found
		if o != nil && o.Source == s.Found.Source && o.Home == s.Found.Home && o.ID != s.Found.ID && works[i].Run.LastAt.After(s.Run.LastAt) &&
			slices.ContainsFunc(o.Tasks, func(t sources.Task) bool { return t.State == checkpoint.Done }) {
			return true
		}
	}
	return false
}

// question finds the newest commit that changed the files of a piece of work. It also finds how old commits may be to count as evidence
// about the work.
func (e *scan) question(ctx context.Context, s *Summary, f *condition.Facts, how depth) question {
	q := question{work: s, facts: f, since: f.LastActive.Add(-historyBefore)}
	made := f.LastActive
	if t, ok := e.view.At(s.Found.Home); ok {
		var at time.Time
		if q.last, at = e.view.NewestCommit(ctx, t, s.Found.Files...); q.last != "" && at.Before(made) {
			made = at
		}
		if s.Found.Committed && s.Found.Last != "" {
			q.last = s.Found.Last
		}
	}
	if how == forPeople && made.After(q.since) {
		q.since = made
	}
	if q.from = q.since; made.Before(q.from) {
		q.from = made
	}
	return q
}

// evidence completes the facts about a piece of work with what commits say. While most tasks are open, a merge that brought only plans and
// documents says nothing: it merged the plan, not the work.
func (e *scan) evidence(ctx context.Context, h commitlog.History, q question) {
	s, f, names := q.work, q.facts, namesOf(q.work.Found)
	f.Merged, f.Named, f.Later = h.About(names, q.since)
	if f.State == sources.NotStarted || f.State == sources.Unknown || f.OnlyPlanned {
		f.Carried = h.Carried(names, f.LastActive)
	}
	plans := func(c *commitlog.Commit) bool {
		return c != nil && !f.MostlyDone() && e.view.OnlyDocuments(ctx, c.ID, s.Found.Root)
	}
	if plans(f.Merged) {
		f.Merged = nil
	}
	t, ok := e.view.At(s.Found.Home)
	if !ok {
		return
	}
	if f.Later != nil && !f.Fresh() && e.isOwn(ctx, t, s.Found, f.Later) {
		f.Later = nil
	}
	f.Own = isBranchOf(t.Branch, names)
	if q.last != "" {
		tip := e.view.Head(ctx, t)
		if f.Landed = h.Landing(tip, q.last); plans(f.Landed) {
			f.Landed = nil
		}
		f.Passed, f.Upon, _ = h.Since(tip, q.last, names)
		if f.Own && f.Branched && (f.State == sources.NotStarted || !f.Fresh()) {
			f.Begun = h.WorkSince(tip, q.last)
			if f.Begun != nil && f.Begun.When.After(f.LastActive) && !f.Fresh() {
				f.LastActive, s.Run.LastAt = f.Begun.When, f.Begun.When
			}
		}
	}
}

// isOwn reports whether a commit belongs to a piece of work although its message does not name the work: the commit changed the work's own
// files, or the system names it as the result of a task.
func (e *scan) isOwn(ctx context.Context, t sources.Tree, w *sources.Found, c *commitlog.Commit) bool {
	const most = 50
	return slices.ContainsFunc(w.Tasks, func(task sources.Task) bool { return task.Commit == c.ID }) ||
		slices.ContainsFunc(e.view.Touches(ctx, t, c.When, most, nil, w.Files...), func(touch past.Touch) bool { return touch.ID == c.ID })
}

// onItsBranch reports whether the branch that was made for the work is checked out in the worktree with the work's files. Then commits
// show whether somebody continues the work, however old its task list is.
func (e *scan) onItsBranch(s *Summary) bool {
	t, ok := e.view.At(s.Found.Home)
	return ok && s.Found.Branched && isBranchOf(t.Branch, namesOf(s.Found))
}

// isBranchOf reports whether a branch belongs to the work that has these names. The branch must have one of the names, or begin with the
// same number as one of them, for example 003 in "003-login". A number counts only if it has at least three digits.
func isBranchOf(branch refs.Name, names []string) bool {
	last := path.Base(refs.Short(branch))
	for _, n := range names {
		number := numberOf(n)
		if branch != "" && (strings.EqualFold(last, path.Base(n)) || len(number) >= 3 && number == numberOf(last)) {
			return true
		}
	}
	return false
}

// numberOf returns the digits with which a name begins.
func numberOf(name string) string { return name[:len(name)-len(strings.TrimLeft(name, "0123456789"))] }

// judged stores the judgement, and decides whether the work is listed for people.
func (s *Summary) judged(f *condition.Facts) {
	s.Condition = condition.Judge(f)
	engaged := s.State == checkpoint.Running || s.Life.Held() || s.Handed || s.Run.Events > 0 && s.Run.Ours() && !s.Run.Closed()
	s.Listed = f.Shows(s.Condition.Word) || engaged && s.Condition.Word != condition.Finished
}

// Split separates the work that people should see from the rest.
func Split(all []Summary) (listed, rest []Summary) {
	unlisted := 0
	for i := range all {
		if !all[i].Listed {
			unlisted++
		}
	}
	if unlisted == 0 {
		return all, nil
	}
	listed, rest = make([]Summary, 0, len(all)-unlisted), make([]Summary, 0, unlisted)
	for i := range all {
		if all[i].Listed {
			listed = append(listed, all[i])
		} else {
			rest = append(rest, all[i])
		}
	}
	return listed, rest
}

// factsOf collects what the other system's files say about the work.
func factsOf(s *Summary, now time.Time, stale time.Duration) *condition.Facts {
	w := s.Found
	f := &condition.Facts{State: w.State, Said: w.Over, Branched: w.Branched, Partly: w.Partly, Earlier: w.Earlier, OnlyPlanned: w.OnlyPlanned, Awaits: w.Awaits, Unticked: w.Unticked, LastActive: s.Run.LastAt, Now: now, Stale: stale,
		Asked: slices.ContainsFunc(w.Questions, func(q sources.Question) bool {
			if q.Block {
				return false
			}
			// If the work can continue, a question counts only if it is about the next task or about no particular task.
			return w.State == sources.Waiting || q.Task == "" || w.Point.Task == "" || q.Task == w.Point.Task
		})}
	if slices.ContainsFunc(w.Doubts, func(d sources.Doubt) bool { return d.Code == sources.DoubtLocalTime }) {
		f.Slack = zones
	}
	f.Contradicted = slices.ContainsFunc(w.Doubts, func(d sources.Doubt) bool {
		return d.Code == sources.DoubtStatusWord && d.Severity == conflicts.Warning
	})
	for _, t := range w.Tasks {
		switch {
		case t.Aside:
		case t.State == checkpoint.Done || t.State == checkpoint.Skipped || t.State == checkpoint.Pending && t.Commit != "":
			if f.Done++; t.State != checkpoint.Pending {
				f.Ticked++
			}
		case t.State == checkpoint.Active && !t.Overtaken:
			f.Active++
		case !t.Optional:
			switch f.Left++; {
			case t.Overtaken:
				f.Overtaken++
			case t.Traceless:
				f.Traceless++
			}
		}
	}
	return f
}

// unmade returns a file that an open task names and that exists neither beside the files of the work nor in its worktree.
func unmade(f *sources.Found) string {
	exists := func(file string) bool {
		if !filepath.IsLocal(file) { // nothing outside of the worktree is looked at
			return true
		}
		return slices.ContainsFunc([]string{f.Home, f.Worktree}, func(top string) bool {
			_, err := os.Lstat(filepath.Join(top, filepath.FromSlash(file)))
			return top != "" && err == nil
		})
	}
	for _, t := range f.Tasks {
		if t.State == checkpoint.Pending && t.Commit == "" && !t.Aside && !t.Optional && !t.Overtaken && len(t.Files) > 0 && !slices.ContainsFunc(t.Files, exists) {
			return t.Files[0]
		}
	}
	return ""
}

// namesOf returns the names under which commits may mention the work.
func namesOf(f *sources.Found) []string {
	names := append([]string{f.Slug(), f.ID}, f.Names...)
	if f.Branch != "" {
		names = append(names, refs.Short(f.Branch))
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(n string) bool { return n == "" })
}

// namesOfOthers returns the names of all other work of the same system.
func namesOfOthers(works []Summary, s *Summary) (out []string) {
	for i := range works {
		if o := works[i].Found; o != nil && o.Source == s.Found.Source && o.ID != s.Found.ID {
			out = append(out, namesOf(o)...)
		}
	}
	return out
}

// changedFile returns a file of the work that has uncommitted changes, or "".
func (e *scan) changedFile(ctx context.Context, f *sources.Found) string {
	for _, top := range []string{f.Worktree, f.Home} {
		t, ok := e.view.At(top)
		if !ok {
			continue
		}
		changes, err := e.view.Uncommitted(ctx, t)
		if err != nil {
			continue // skip a worktree that cannot be read; another check reports that error
		}
		for _, c := range changes {
			if f.Holds(c.Path) {
				return c.Path
			}
		}
	}
	return ""
}
