// Package condition judges other systems' work: whether somebody is in the middle of it, whether it is finished or was never started, and
// what proves this. A status word alone proves little, because people finish work without updating its files. So commits count too.
package condition

import (
	"slices"
	"time"

	"github.com/git-resume/git-resume/internal/commitlog"
	"github.com/git-resume/git-resume/internal/sources"
)

// Word names the condition of a piece of work. The words appear in the output for programs.
type Word string

// These are the conditions in which a piece of work can be.
const (
	// InHand means that somebody is in the middle of the work: for example, a task is started and not finished.
	InHand Word = "in-hand"
	// Between means that the work was started, is not finished, and nothing shows that somebody is in the middle of it. Usually some tasks
	// are done, and more are open.
	Between Word = "between-tasks"
	// Waiting means that a person must answer, review or merge something.
	Waiting    Word = "waiting"
	Finished   Word = "finished"
	NotStarted Word = "not-started"
	// Abandoned means that nobody has worked on the work for a long time, and that people have worked on other things since.
	Abandoned Word = "abandoned"
)

// Open reports whether the work could be continued.
func (w Word) Open() bool { return w == InHand || w == Between || w == Waiting }

// Facts is what a judgement rests on.
type Facts struct {
	// State is what the source concluded from the files of its system. Contradicted is true if the status word in these files contradicts
	// the rest of them.
	State        sources.State
	Contradicted bool
	// Done, Active and Left count the tasks that are done, that are active, and that are left. An optional task counts only if it is done
	// or active.
	Done, Active, Left int
	// Ticked counts the tasks in Done that the files of the system call done. For the others, only a commit shows it.
	Ticked int
	// Traceless counts the tasks in Left that leave no commit and no file as proof. Overtaken counts the tasks in Left that come before a
	// task which is done. No task counts as both.
	Traceless, Overtaken int
	// Unmade is a file that a task in Left names and that does not exist, or empty. So that task was certainly not carried out.
	Unmade string
	// Earlier counts the tasks in Done that belong to parts which are over.
	Earlier int
	// OnlyPlanned is true if the work was planned and committed, and nobody has started to carry it out. Awaits is true if a step at the end,
	// such as a merge, is certainly missing.
	OnlyPlanned, Awaits bool
	// Unticked is true if nobody ticks tasks, so that some tasks may be done without a trace.
	Unticked bool
	// Said is the system's own statement that the work is over, although tasks are open. It is empty if there is none.
	Said string
	// Asked is true if a question to a person is open.
	Asked bool
	// Changed is a file of the work that has uncommitted changes, or empty.
	Changed string
	// Edited is true if a file in which the system keeps the state of the work is tracked and has uncommitted changes.
	Edited bool
	// Merged is the newest commit that merged the work. Named is the newest other commit that names the work. Later is the newest commit
	// that has nothing to do with the work. Each is nil if there is no such commit.
	Merged, Named, Later *commitlog.Commit
	// Carried is the newest commit after LastActive that names the work and may carry out a part of it. It is nil if there is none. It is
	// searched for only if the work is not started.
	Carried *commitlog.Commit
	// Begun is the newest commit that shows a start of the work. It is on the work's own branch, came after the last change of the work's
	// files, and changes more than plans and documents. It is nil if there is no such commit, or if another branch is checked out. The
	// search is made only for work that is not started or is old.
	Begun *commitlog.Commit
	// Landed is the merge or the squashed pull request that brought the last change of the work's files into the current branch. It is nil
	// if there is none.
	Landed *commitlog.Commit
	// Passed counts the commits of the current branch that came after the last change of the work's files and do not name the work.
	Passed int
	// Upon counts the commits that were made on top of the last change of the work's files and do not name the work. It also counts commits
	// of branches that were merged into the current branch.
	Upon int
	// Elsewhere is true if the same system has newer work in the same worktree: it was active later than this work, and has a task that is
	// done.
	Elsewhere bool
	// Branched is true if the system makes a branch for each piece of work.
	Branched bool
	// Partly is true if several parts at the end of the work are untouched, and all parts before them are done. Then a merge does not prove
	// that the work is finished.
	Partly bool
	// Own is true if the current branch is the branch of the work.
	Own bool
	// LastActive is the time of the last activity. Now is the present time, and Stale is the age from which work counts as old.
	LastActive, Now time.Time
	Stale           time.Duration
	// Slack is by how much LastActive may be too late, because the system wrote it without a time zone.
	Slack time.Duration
}

// Reason says what a judgement rests on.
type Reason string

// The package "words" turns each reason into a sentence.
const (
	BySystem   Reason = "said"       // the system's own files say that the work is over
	ByTasks    Reason = "tasks-done" // all tasks are done
	ByMerge    Reason = "merged"     // a commit merged the work
	ByNoTask   Reason = "no-task"    // no task was ever started
	ByActive   Reason = "task-active"
	ByChange   Reason = "file-changed" // one of the work's files has uncommitted changes
	ByTicks    Reason = "tasks-left"   // some tasks are done and some are left
	ByCommit   Reason = "named"        // a commit names the work
	ByBranch   Reason = "on-branch"    // a commit was made on the work's own branch
	ByQuestion Reason = "question"
	BySilence  Reason = "silent" // no activity for a long time
	ByLater    Reason = "later-work"
	ByUnmade   Reason = "unmade" // a file of an open task does not exist
	ByState    Reason = "state"  // the state of the work, as its files record it
	ByOdds     Reason = "odds"   // the files of the work contradict each other
)

// Proof is one reason for a judgement, with the facts that belong to it.
type Proof struct {
	Reason     Reason
	Commit     *commitlog.Commit
	Text       string
	Done, Left int
	Since      time.Time
}

// Judgement is a condition and its proofs, the most important one first.
type Judgement struct {
	Word   Word
	Proofs []Proof
}

// Fresh reports whether the last activity is younger than the age from which work counts as old. It is false if no activity is known.
func (f *Facts) Fresh() bool {
	return !f.LastActive.IsZero() && f.Now.Sub(f.LastActive) <= f.Stale
}

// Judge returns the condition of the work. It only reads the facts that it is given, so they must be complete.
func Judge(f *Facts) Judgement {
	for _, rule := range []func(*Facts) (Judgement, bool){over, notStarted, abandoned, waiting, inHand} {
		if j, ok := rule(f); ok {
			return j
		}
	}
	return Judgement{Between, f.progress()}
}

// over recognizes finished work. The bool is false for any other work.
func over(f *Facts) (Judgement, bool) {
	var by []Proof
	switch {
	case f.State == sources.Complete && f.Left == 0 && f.Done > 0:
		by = append(by, Proof{Reason: ByTasks, Done: f.Done})
	case f.State == sources.Complete || f.State == sources.Ended:
		by = append(by, Proof{Reason: ByState, Text: string(f.State)})
	}
	if f.Said != "" {
		by = append(by, Proof{Reason: BySystem, Text: f.Said})
	}
	switch {
	case f.Changed != "":
	case f.Merged != nil && !f.Partly && !f.LastActive.After(f.Merged.When.Add(f.Slack)):
		by = append(by, f.mergedBy(f.Merged))
	case f.landed():
		by = append(by, f.mergedBy(f.Landed))
	case f.passedOver() && f.Unmade == "", f.reachedEnd():
		if by = append(by, f.progress()...); f.Later != nil {
			by = append(by, Proof{Reason: ByLater, Commit: f.Later})
		}
	}
	return Judgement{Finished, by}, len(by) > 0
}

// People often leave the last tasks unticked and turn to other work. So work with few open tasks counts as finished if the repository has
// enough later commits about other work. A commit is later if it was made after the last change of the work's files. It is about other work
// if it does not name this work. One such commit is enough if the same system has newer work in this worktree.
const (
	openOneIn     = 5              // at most one of every 5 tasks may be open
	passedAtLeast = 5              // at least this many later commits must be about other work
	passedSince   = 24 * time.Hour // the newest commit about other work must be at least this much later than the work's last activity
	passedAtOnce  = 10             // with this many later commits about other work, passedSince does not matter

	// These replace passedAtLeast and passedAtOnce if no open task would leave a commit or a file.
	checkPassed       = 1
	checkPassedAtOnce = 3
)

// MostlyDone reports whether so few tasks are left that people probably only did not tick them.
func (f *Facts) MostlyDone() bool { return (f.Left+f.Active)*openOneIn <= f.Done+f.Active+f.Left }

// landed reports whether a merge shows that the work is over. People also merge parts of a long plan, so a merge alone is not always
// enough.
func (f *Facts) landed() bool {
	if f.Landed == nil || f.Own || f.Partly || f.Named != nil && f.Named.When.After(f.Landed.When) {
		return false
	}
	return f.Branched || f.Passed >= passedAtLeast
}

// passedOver reports whether nearly all tasks are done, and people have turned to other work since. It is false while a task is active, a
// question is open, or the branch of the work is the current branch.
func (f *Facts) passedOver() bool {
	left, least, atOnce := f.Left-f.Overtaken, passedAtLeast, passedAtOnce
	switch {
	case left == f.Traceless: // no open task would leave a commit or a file
		least, atOnce = checkPassed, checkPassedAtOnce
	case f.Unticked && f.Elsewhere && max(f.Passed, f.Upon) >= passedAtOnce && f.Later != nil && f.Later.When.Sub(f.LastActive) >= passedSince:
		// people went on with the next plan, so the other tasks were probably done with other commits
	case left*openOneIn > f.Done-f.Earlier+f.Left:
		return false
	}
	if f.Done == 0 || f.Active > 0 || f.Asked || f.Awaits || f.Own || f.Later == nil {
		return false
	}
	passed := max(f.Passed, f.Upon)
	return f.Elsewhere || passed >= atOnce || passed >= least && f.Later.When.Sub(f.LastActive) >= passedSince
}

// reachedEnd reports whether each task that is left comes before a task that is done. It is false while a task is active, a question is
// open, or the branch of the work is the current branch.
func (f *Facts) reachedEnd() bool {
	return f.Left > 0 && f.Left == f.Overtaken && f.Active == 0 && !f.Asked && !f.Own
}

// notStarted recognizes a plan that nobody has started to carry out. The bool is false for any other work.
func notStarted(f *Facts) (Judgement, bool) {
	started := f.Done+f.Active > 0 && !f.OnlyPlanned || f.Changed != "" || f.Asked || f.Begun != nil || f.Carried != nil
	if started || !f.OnlyPlanned && f.State != sources.NotStarted && f.State != sources.Unknown {
		return Judgement{}, false
	}
	return Judgement{NotStarted, []Proof{{Reason: ByNoTask}}}, true
}

// Shows reports whether people should see open work. They need not see old work, unless it waits for their answer, or somebody changed its
// own files and did not commit them. If no activity is known, nothing shows that the work is old.
func (f *Facts) Shows(w Word) bool {
	return w.Open() && (f.Fresh() || f.LastActive.IsZero() || f.Edited || f.Asked)
}

// abandoned recognizes old work: it has no uncommitted changes and no open question, and people have since committed something else. The
// bool is false for any other work.
func abandoned(f *Facts) (Judgement, bool) {
	if f.Changed == "" && f.passedOver() { // something is certainly left, and people have turned to other work anyway
		return Judgement{Abandoned, append(f.progress(), Proof{Reason: ByUnmade, Text: f.Unmade}, Proof{Reason: ByLater, Commit: f.Later})}, true
	}
	if f.Asked || f.Fresh() || f.LastActive.IsZero() || f.Later == nil || !f.Later.When.After(f.LastActive) || f.Changed != "" {
		return Judgement{}, false
	}
	return Judgement{Abandoned, []Proof{{Reason: BySilence, Since: f.LastActive}, {Reason: ByLater, Commit: f.Later}}}, true
}

// waiting recognizes work that needs a person. The bool is false for any other work.
func waiting(f *Facts) (Judgement, bool) {
	switch {
	case f.Asked:
		return Judgement{Waiting, []Proof{{Reason: ByQuestion}}}, true
	case f.State == sources.Review && f.Contradicted:
		return Judgement{Waiting, []Proof{{Reason: ByOdds}}}, true
	case f.State == sources.Waiting || f.State == sources.Review || f.State == sources.Blocked:
		return Judgement{Waiting, []Proof{{Reason: ByState, Text: string(f.State)}}}, true
	}
	return Judgement{}, false
}

// inHand recognizes work that somebody started and did not finish. The bool is false for any other work.
func inHand(f *Facts) (Judgement, bool) {
	var by []Proof
	if f.Active > 0 {
		by = append(by, Proof{Reason: ByActive})
	}
	if f.Changed != "" {
		by = append(by, Proof{Reason: ByChange, Text: f.Changed})
	}
	if slices.Contains([]sources.State{sources.Running, sources.Paused, sources.Failed, sources.Corrupt}, f.State) {
		by = append(by, Proof{Reason: ByState, Text: string(f.State)})
	}
	return Judgement{InHand, append(by, f.progress()...)}, len(by) > 0
}

func (f *Facts) mergedBy(c *commitlog.Commit) Proof {
	return Proof{Reason: ByMerge, Commit: c, Done: f.Ticked, Left: f.Done + f.Active + f.Left - f.Ticked}
}

// progress returns proofs of how much is done: the numbers of tasks, the newest commit on the work's branch, and the newest commit that
// names the work. A commit that does not exist is left out.
func (f *Facts) progress() []Proof {
	by := []Proof{{Reason: ByTicks, Done: f.Done, Left: f.Left + f.Active}}
	if f.Begun != nil {
		by = append(by, Proof{Reason: ByBranch, Commit: f.Begun})
	}
	if f.Named != nil {
		by = append(by, Proof{Reason: ByCommit, Commit: f.Named})
	}
	return by
}
