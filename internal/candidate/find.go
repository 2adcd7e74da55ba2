package candidate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/checkpoint/owner"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/sources"
)

// Native is the source of our own runs.
const Native = "native"

// Source names the system that began the work.
func (s *Summary) Source() string {
	switch {
	case s.Found != nil:
		return s.Found.Source
	case s.Run.Source != "":
		return s.Run.Source
	}
	return Native
}

// Called is the name under which people know a piece of work: that of its own system, whatever our record of it is called.
func (s *Summary) Called() string {
	switch {
	case s.Found != nil:
		return s.Found.Key()
	case s.Run.Source != "" && s.Run.SourceID != "":
		return s.Run.Source + ":" + s.Run.SourceID
	}
	return string(s.Run.ID)
}

// Vanished: it was adopted from another system, whose state is not here any more.
func (s *Summary) Vanished() bool { return s.Run.Source != "" && s.Found == nil && !s.Life.Held() }

// Status finds work of every source in every worktree, each piece once, the most recently active first.
func (e *Finder) Status(ctx context.Context, mode journal.ListMode) ([]Summary, error) {
	own, err := e.Summaries(ctx, mode)
	if err != nil {
		return nil, err
	}
	e.scan = e.newScan(ctx)
	defer func() { e.scan = nil }()
	found, err := e.Foreign(ctx)
	if err != nil {
		return nil, err
	}
	e.systems = nil
	u := union{Site: e.Site, finder: e, all: own, mode: mode}
	for i := range found {
		if name := found[i].Source; !slices.Contains(noSystem, name) && !slices.Contains(e.systems, name) {
			e.systems = append(e.systems, name)
		}
		u.take(&found[i])
	}
	if mode == journal.OpenRuns {
		u.all = slices.DeleteFunc(u.all, over)
	}
	for i := range u.all {
		e.whyGone(ctx, &u.all[i])
	}
	byActivity(u.all)
	return u.all, nil
}

// whyGone finds out why the state of adopted work is not seen: it is only hidden, or the worktree that holds it was deleted.
func (e *Finder) whyGone(ctx context.Context, s *Summary) {
	if !s.Vanished() || s.Run.Closed() {
		return
	}
	if e.Repo.Settings.Mentions("resume") {
		if c, err := e.Repo.Settings.Config(ctx); err == nil {
			s.Hidden = slices.Contains(c.All("resume.ignore"), ForeignKey(&s.Run))
		}
	}
	if _, err := os.Lstat(s.Run.Worktree); s.Run.Worktree != "" && errors.Is(err, fs.ErrNotExist) {
		s.Lost = true
		if s.LostBranch = e.LostBranch(s.Run.Worktree); s.LostBranch == "" {
			s.LostBranch = s.Run.Branch
		}
		if tip, err := e.Repo.Refs.Ref(ctx, s.LostBranch); s.LostBranch != "" && (err != nil || tip == "") {
			s.LostBranch = ""
		}
	}
}

// LostBranch is the branch of a worktree that was deleted, as git still has it on record; empty where it has none.
func (e *Finder) LostBranch(path string) string {
	for _, l := range e.Repo.Linked() {
		if l.Missing && l.WorkTree == path {
			return l.Branch
		}
	}
	return ""
}

// noSystem are the sources that stand for no system in which somebody would begin new work: git, and lists that anybody may write.
var noSystem = []string{GitSource, "boxes", "planning"}

// Systems names the other systems of which something was found when all work was last looked for, open or not.
func (e *Finder) Systems() []string { return slices.Clone(e.systems) }

// over: work that was adopted is as open as its own system says, and closed where that knows nothing of it any more.
func over(s Summary) bool {
	return s.Run.Source != "" && (s.Found == nil || !s.Found.State.Open()) && !s.Life.Held()
}

// Foreign asks every other source, and leaves out what the user does not want to see.
// The settings are read only if something was found: most repositories hold nothing of the kind.
func (e *Finder) Foreign(ctx context.Context) ([]sources.Found, error) {
	if len(e.Sources) == 0 {
		return nil, nil
	}
	v := e.looking(ctx).view
	answers := make([][]sources.Found, len(e.Sources))
	var asked sync.WaitGroup
	through := make([]func(context.Context), len(e.Sources))
	for i, s := range e.Sources {
		through[i] = v.Expect(s)
	}
	for i, s := range e.Sources { // at once: most of the time goes by waiting for the disk or for git
		asked.Go(func() {
			defer through[i](ctx)
			answers[i] = v.Ask(ctx, s)
		})
	}
	asked.Wait()
	all := slices.Concat(answers...)
	if len(all) == 0 {
		return nil, nil
	}
	return e.wanted(ctx, all)
}

// View is the repository as sources see it.
func (e *Finder) View(ctx context.Context) *sources.View {
	set := sync.OnceValue(func() bool { return e.Repo.Settings.Mentions("resume") })
	return sources.NewView(e.Repo, e.Now(), func(key string) []string {
		if !set() {
			return nil // asking git would cost more than all the rest
		}
		c, err := e.Repo.Settings.Config(ctx)
		if err != nil {
			return nil // whoever needs the settings next says so
		}
		return c.All(strings.ToLower(key))
	})
}

// wanted holds what was found to resume.sources and resume.ignore.
func (e *Finder) wanted(ctx context.Context, all []sources.Found) ([]sources.Found, error) {
	if !e.Repo.Settings.Mentions("resume") {
		return all, nil
	}
	c, err := e.Repo.Settings.Config(ctx)
	if err != nil {
		return nil, err
	}
	var only []string
	for _, v := range c.All("resume.sources") {
		only = append(only, strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ' ' })...)
	}
	ignore := c.All("resume.ignore")
	return slices.DeleteFunc(all, func(f sources.Found) bool {
		if len(only) > 0 && !slices.Contains(only, f.Source) {
			return true
		}
		return slices.ContainsFunc(ignore, func(pattern string) bool {
			hit, _ := filepath.Match(pattern, f.Key())
			return hit || pattern == f.Key() || pattern == f.Source
		})
	}), nil
}

// union brings together what is one piece of work under several names.
type union struct {
	*site.Site
	finder *Finder
	all    []Summary
	mode   journal.ListMode
}

func (u *union) take(f *sources.Found) {
	if i := u.sameAs(f); i >= 0 {
		u.join(&u.all[i], f)
		return
	}
	if u.mode == journal.OpenRuns && !f.State.Open() {
		return
	}
	u.all = append(u.all, u.finder.SummaryOf(f))
}

// sameAs finds the same work among what is known already: adopted from there, on the same branch,
// in the same worktree of its own, or with a key in common.
func (u *union) sameAs(f *sources.Found) int {
	return slices.IndexFunc(u.all, func(s Summary) bool {
		switch {
		case s.Found == nil && !s.Run.Ours():
			return false // what came from elsewhere cannot claim work that is here
		case s.Run.Source == f.Source && s.Run.SourceID == f.ID && f.ID != "":
			return true
		case s.Found != nil && s.Found.State.Open() != f.State.Open():
			return false // a story left open under a loop that is over is work of its own
		case f.Source == GitSource && s.Source() == GitSource:
			return false // two operations in one worktree, such as a bisect and a merge, are two things to end
		case f.Source == GitSource && s.Found == nil && f.Worktree != "" && f.Worktree == s.Path && !s.Run.Closed():
			return true
		case s.Damaged != "" && s.Found == nil, s.Run.Closed() && s.Found == nil:
			return false
		case f.Branch != "" && f.Branch == s.Run.Branch && !s.Run.Here:
			return true
		case u.ownTree(f.Worktree) && f.Worktree == s.Path:
			return true
		}
		return s.Found != nil && slices.ContainsFunc(f.Same, func(k string) bool { return slices.Contains(s.Found.Same, k) })
	})
}

// ownTree tells a worktree that is there for one piece of work from the main one, which holds many.
func (u *union) ownTree(path string) bool {
	main, ok := u.Repo.Main()
	return path != "" && (!ok || path != main.WorkTree)
}

// join adds what a source says to work that is known already. An operation of git's own leads:
// nothing else can go on in that worktree before it has ended. What a run adopted is the run itself.
func (u *union) join(s *Summary, f *sources.Found) {
	switch {
	case s.Run.Source == f.Source && s.Run.SourceID == f.ID:
		u.finder.overlay(s, f)
	case f.Source == GitSource && s.Source() != GitSource:
		known := s.Run.ID
		*s = u.finder.SummaryOf(f)
		s.Also = append(s.Also, string(known))
	default:
		s.Also = append(s.Also, f.Key())
	}
}

// GitSource names git's own operations among the sources.
const GitSource = "git"

// SummaryOf describes foreign work in the words of our own runs.
func (e *Finder) SummaryOf(f *sources.Found) Summary {
	s := Summary{Run: checkpoint.Run{ID: checkpoint.RunID(f.Key())}}
	e.overlay(&s, f)
	return s
}

// overlay puts what a system's own state says over what we know: that state is the truth about its work.
func (e *Finder) overlay(s *Summary, f *sources.Found) {
	r := &s.Run
	s.Found = f
	if r.Name == "" {
		r.Name = f.Name
	}
	if r.Name == "" {
		r.Name = f.ID
	}
	r.Tasks, r.Point = foreignTasks(f), checkpoint.TaskID(f.Point.Task)
	r.Branch, r.Cause = f.Branch, f.Cause
	if f.Base != "" {
		r.Base.Name = f.Base
	}
	if f.Start != "" {
		r.Base.Commit = f.Start
	}
	if f.Last != "" {
		r.Head = f.Last
	}
	if !f.Active.IsZero() {
		r.LastAt = e.lastWork(r, f) // what we wrote ourselves, into the journal or its files, is no work on it
	}
	r.Finished, r.Discarded = r.Finished || f.State == sources.Complete, r.Discarded || f.State == sources.Ended
	s.Path, r.Worktree = f.Worktree, f.Worktree
	r.Here = f.Worktree == "" && f.Wants == ""
	if r.Here {
		s.Path, r.Worktree = f.Home, f.Home
	}
	if f.State == sources.Corrupt {
		s.Damaged = "its state cannot be read"
		if len(f.Doubts) > 0 {
			s.Damaged = f.Doubts[0].Text
		}
	}
	s.State, s.Busy = e.stateOf(s, f)
}

func foreignTasks(f *sources.Found) []checkpoint.Task {
	out := make([]checkpoint.Task, 0, len(f.Tasks))
	for i, t := range f.Tasks {
		out = append(out, checkpoint.Task{
			ID: checkpoint.TaskID(t.ID), Title: t.Title, State: t.State, Commit: t.Commit, Attempts: t.Attempts,
			Started: t.Began, Ended: t.Ended, Optional: t.Optional, Reason: t.Raw, LastSeq: int64(i + 1),
		})
		last := &out[len(out)-1]
		for _, q := range f.Questions {
			if q.Task == t.ID && q.Task != "" {
				last.Question, last.Options = q.Text, q.Options
			}
		}
	}
	return out
}

// states are the words of our own runs for what a source says.
var states = map[sources.State]checkpoint.State{
	sources.NotStarted: checkpoint.Idle, sources.Interrupted: checkpoint.Interrupted, sources.Running: checkpoint.Running,
	sources.Paused: checkpoint.Paused, sources.Waiting: checkpoint.Waiting, sources.Blocked: checkpoint.Waiting,
	sources.Failed: checkpoint.FailedRun, sources.Review: checkpoint.Waiting, sources.Complete: checkpoint.FinishedRun,
	sources.Ended: checkpoint.Discarded, sources.Corrupt: checkpoint.Idle, sources.Unknown: checkpoint.Idle,
}

// stateOf joins what the state says with who lives: another system holds no lock of ours.
func (e *Finder) stateOf(s *Summary, f *sources.Found) (checkpoint.State, string) {
	// The only sign of life may be our own edit. That is settled before our locks are looked at, so that it reads the same to whoever holds one.
	ownEdit := f.State == sources.Running && e.wroteAll(&s.Run, f)
	if ownEdit {
		f.Doubts = slices.DeleteFunc(slices.Clone(f.Doubts), func(d sources.Doubt) bool { return d.Code == sources.DoubtStillWritten })
	}
	if s.Run.Events > 0 { // adopted: our own locks count too
		if s.Life = owner.Look(e.Store, &s.Run, e.Procs, time.Time{}); s.Life.Held() {
			return checkpoint.Running, ""
		}
	}
	state := states[f.State]
	if sign := e.HandedOver(&s.Run, f); sign != "" && slices.Contains([]checkpoint.State{checkpoint.Interrupted, checkpoint.Idle, checkpoint.FailedRun, checkpoint.Running}, state) {
		return checkpoint.Running, sign
	}
	if ownEdit {
		state = checkpoint.Interrupted
	} else if f.State == sources.Running { // its own state says so, whatever else is to be seen of it
		return state, runningSign(f)
	}
	if busy := e.driven(f); busy != "" {
		return checkpoint.Running, busy
	}
	if f.Source == GitSource || state != checkpoint.Interrupted && state != checkpoint.Idle && state != checkpoint.FailedRun {
		return state, ""
	}
	if busy := e.alive(&s.Run, f); busy != "" {
		return checkpoint.Running, busy
	}
	return state, ""
}

// HandedOver says when we gave the work to somebody by its brief, as long as that person or agent may not have written anything yet.
// A state that says that it stopped was written since.
func (e *Finder) HandedOver(r *checkpoint.Run, f *sources.Found) string {
	ago := e.Now().Sub(r.HandedAt)
	if r.HandedAt.IsZero() || ago < 0 || ago >= Quiet || f.Stopped || !r.Ours() {
		return ""
	}
	return fmt.Sprintf("it was handed over at %s", r.HandedAt.UTC().Format("15:04 UTC"))
}

// wroteAll reports whether all files of a state are as we wrote them last.
func (e *Finder) wroteAll(r *checkpoint.Run, f *sources.Found) bool {
	if r.Events == 0 || len(f.Files) == 0 {
		return false
	}
	own := e.ownWrites(context.Background(), r)
	return !slices.ContainsFunc(f.Files, func(path string) bool { return !own.wrote(f.Home, path) })
}

// runningSign is what a state that says that it is running is called to those who ask what speaks for it.
func runningSign(f *sources.Found) string {
	if f.Active.IsZero() {
		return "its state says that it is running"
	}
	return "its state says that it is running, and was written at " + f.Active.UTC().Format("15:04 UTC")
}

// Quiet is how long another system's state must be still before nobody is thought to work on it.
const Quiet = 5 * time.Minute

// alive says why somebody may be at work on foreign work; empty if nothing speaks for it.
// What we wrote ourselves, as the journal of the run that adopted it says, is no sign of anybody.
func (e *Finder) alive(r *checkpoint.Run, f *sources.Found) string {
	for _, pid := range f.PIDs {
		if p, ok := e.Procs.Get(pid); ok && !e.mine(p) {
			return fmt.Sprintf("process %d, which it recorded, lives", pid)
		}
	}
	main, _ := e.Repo.Main()
	if f.Worktree != "" && f.Worktree != main.WorkTree {
		at, _ := e.Procs.At([]string{f.Worktree})
		for _, p := range proc.WithoutPipeline(at) {
			if !e.mine(p) && !proc.IsTerminalShell(p.Args) {
				return fmt.Sprintf("process %d works in its worktree", p.PID)
			}
		}
		if busy := e.changing(r, f); busy != "" {
			return busy
		}
	}
	if f.Stopped { // whoever wrote that it stopped a moment ago is not at work on it
		return ""
	}
	home := sources.Files{Top: f.Home}
	own := sync.OnceValue(func() ownWrites { return e.ownWrites(context.Background(), r) })
	for _, path := range f.Files {
		if ago := e.Now().Sub(home.Changed(path)); ago < 0 || ago >= Quiet {
			continue
		}
		if ago := e.Now().Sub(e.written(f.Home, path)); ago >= 0 && ago < Quiet && !own().wrote(f.Home, path) {
			return fmt.Sprintf("%s changed %s ago", path, ago.Round(time.Second))
		}
	}
	return ""
}

// written is when a state file got its content: a checkout gives old content a new time, and that is no sign of life.
func (e *Finder) written(home, path string) time.Time {
	v := e.looking(context.Background()).view
	t, ok := v.At(home)
	if !ok {
		return sources.Files{Top: home}.Changed(path)
	}
	when, _ := v.Written(context.Background(), t, path)
	return when
}

// mine: it is this process, or one that it was started by.
func (e *Finder) mine(p proc.Process) bool {
	return p.PID == e.PID || slices.ContainsFunc(e.Procs.Ancestors(e.PID), func(a proc.Process) bool { return a.PID == p.PID })
}

// Standing are the pieces of work whose own worktree this is.
func (e *Finder) Standing(all []Summary) []Summary {
	main, _ := e.Repo.Main()
	return slices.DeleteFunc(slices.Clone(all), func(s Summary) bool {
		if s.Found != nil {
			return s.Path != e.Repo.WorkTree || s.Path == main.WorkTree && s.Found.Source != GitSource
		}
		return s.Damaged != "" || !e.WorksHere(&s.Run)
	})
}

// staleAfter is when work counts as old, unless the user says otherwise.
const staleAfter = 7 * 24 * time.Hour

// StaleAfter is the age from which work is folded into one line.
func (e *Finder) StaleAfter(ctx context.Context) (time.Duration, error) {
	return e.duration(ctx, "resume.stale", staleAfter)
}

// duration is a setting of ours. Where no file of settings speaks of us, git is not asked: status would pay for it all day.
func (e *Finder) duration(ctx context.Context, key string, usual time.Duration) (time.Duration, error) {
	if !e.Repo.Settings.Mentions("resume") {
		return usual, nil
	}
	c, err := e.Repo.Settings.Config(ctx)
	if err != nil {
		return 0, err
	}
	return c.Duration(key, usual)
}

// Which finds the work that a name means: a run of our own, else what another source calls so.
func (e *Finder) Which(ctx context.Context, given string) (checkpoint.RunID, error) {
	id, err := e.resolveOwn(ctx, given)
	var none *NoneError
	if err == nil || !errors.As(err, &none) {
		return id, err
	}
	if given == "" && e.RunName == "" {
		return e.onlyOfOthers(ctx, err)
	}
	if id, ferr := e.named(ctx, given); ferr == nil || !errors.As(ferr, &none) {
		return id, ferr
	}
	return "", err
}

// named finds what another source calls so: by its key, its id, what people call it, or the beginning of these.
func (e *Finder) named(ctx context.Context, given string) (checkpoint.RunID, error) {
	found, ferr := e.Foreign(ctx)
	if ferr != nil {
		return "", ferr
	}
	for _, test := range []func(f *sources.Found) bool{
		func(f *sources.Found) bool { return f.Key() == given },
		func(f *sources.Found) bool { return f.ID == given || f.Name == given },
		func(f *sources.Found) bool { return f.Called(given) },
		func(f *sources.Found) bool {
			return strings.HasPrefix(f.Key(), given) || strings.HasPrefix(f.ID, given)
		},
	} {
		hits := slices.DeleteFunc(slices.Clone(found), func(f sources.Found) bool { return !test(&f) })
		if len(hits) == 1 {
			return e.known(ctx, &hits[0])
		}
		if len(hits) > 1 {
			several := &AmbiguousError{Given: given, Resume: true}
			for i := range hits {
				several.Runs = append(several.Runs, e.SummaryOf(&hits[i]))
			}
			return "", several
		}
	}
	return "", &NoneError{Given: given}
}

// onlyOfOthers is the one piece of another system's work that is open, where no run of our own is.
func (e *Finder) onlyOfOthers(ctx context.Context, none error) (checkpoint.RunID, error) {
	all, err := e.Status(ctx, journal.OpenRuns)
	if err != nil {
		return "", err
	}
	switch all = OfOthers(all); len(all) {
	case 0:
		return "", none
	case 1:
		return all[0].Run.ID, nil
	}
	return "", &AmbiguousError{Runs: all}
}

// known is the name of foreign work: the run that adopted it, if there is one.
func (e *Finder) known(ctx context.Context, f *sources.Found) (checkpoint.RunID, error) {
	all, err := e.Status(ctx, journal.AllRuns)
	if err != nil {
		return "", err
	}
	for _, s := range all {
		if s.Found != nil && s.Found.Key() == f.Key() {
			return s.Run.ID, nil
		}
	}
	return checkpoint.RunID(f.Key()), nil
}

// Foreign reports whether a name stands for work that we hold no journal of.
func Foreign(id checkpoint.RunID) bool { return strings.ContainsRune(string(id), ':') }

// IsOperation tells the name of one of git's own operations.
func IsOperation(id checkpoint.RunID) bool { return strings.HasPrefix(string(id), GitSource+":") }

// Lookup finds one piece of work by its name, with what its own system says of it.
func (e *Finder) Lookup(ctx context.Context, id checkpoint.RunID) (Summary, error) {
	if !Foreign(id) {
		s, err := e.Summary(ctx, id)
		if err != nil || s.Run.Source == "" {
			return s, err
		}
	}
	all, err := e.Status(ctx, journal.AllRuns)
	if err != nil {
		return Summary{}, err
	}
	for _, s := range all {
		if s.Run.ID == id || s.Found != nil && s.Found.Key() == string(id) {
			return s, nil
		}
	}
	if !Foreign(id) { // its own system's state is gone; the journal is still here
		s, err := e.Summary(ctx, id)
		if err == nil {
			e.whyGone(ctx, &s)
		}
		return s, err
	}
	return e.lookupHidden(ctx, id)
}

// lookupHidden finds work that is listed under something else, such as the rebase that is under way in its worktree.
func (e *Finder) lookupHidden(ctx context.Context, id checkpoint.RunID) (Summary, error) {
	found, err := e.Foreign(ctx)
	if err != nil {
		return Summary{}, err
	}
	for i := range found {
		if found[i].Key() == string(id) {
			return e.SummaryOf(&found[i]), nil
		}
	}
	return Summary{}, &NoneError{Given: string(id)}
}

// ForeignKey names the work that a run was adopted from.
func ForeignKey(r *checkpoint.Run) string { return r.Source + ":" + r.SourceID }

// OfOthers are the pieces of work that another system began; git's own operations are not among them.
func OfOthers(all []Summary) []Summary {
	return slices.DeleteFunc(slices.Clone(all), func(s Summary) bool { return s.Found == nil || s.Found.Source == GitSource })
}

// FindTask names a task by id, number or unique beginning; nil if none or several fit.
func FindTask(r *checkpoint.Run, given string) *checkpoint.Task {
	if t := r.Task(checkpoint.TaskID(given)); t != nil {
		return t
	}
	if n, err := strconv.Atoi(given); err == nil && n >= 1 && n <= len(r.Tasks) {
		return &r.Tasks[n-1]
	}
	var found *checkpoint.Task
	for i := range r.Tasks {
		if !strings.HasPrefix(string(r.Tasks[i].ID), given) {
			continue
		}
		if found != nil {
			return nil
		}
		found = &r.Tasks[i]
	}
	return found
}

// NeedTask is FindTask for those who cannot go on without one.
func NeedTask(r *checkpoint.Run, given string) (*checkpoint.Task, error) {
	if t := FindTask(r, given); t != nil {
		return t, nil
	}
	missing := &NoTaskError{Run: r.ID, Given: given}
	for _, t := range r.Tasks {
		if strings.HasPrefix(string(t.ID), given) {
			missing.Like = append(missing.Like, t.ID)
		}
	}
	return nil, missing
}
