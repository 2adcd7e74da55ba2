package candidate

import (
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/object"
)

// Case names one sentence about a run. A finding with several sentences has several cases: its code, a slash and a word, for example
// "base-moved/ahead". The package internal/screen/words has the text of each case.
type Case string

// Code returns the code of the finding that the case belongs to.
func (c Case) Code() Code {
	code, _, _ := strings.Cut(string(c), "/")
	return Code(code)
}

// Case returns the case of a finding that is always described by the same sentence. The code of the finding is then also the name of its
// only case.
func (c Code) Case() Case { return Case(c) }

// Facts holds the values that a sentence needs. Each case uses only some of the fields.
type Facts struct {
	Base, Branch, Other string
	Run                 checkpoint.RunID
	Task                checkpoint.TaskID
	// Path is a file or folder. To is a second path or a repository that belongs to it, for example the target of a link.
	Path, To string
	// Names lists files.
	Names []string
	// Text is shown as it is: for example a question, an error of git, or the name of a host.
	Text   string
	Commit object.ID
	Count  int
	PID    int
	When   time.Time
	Span   time.Duration
	// Conflict holds the details of a conflict with the base.
	Conflict *conflicts.Conflict
	// Saved names the last snapshot of a missing worktree, or the snapshot whose restore was interrupted.
	Saved string
	// Again says why a finished task must run again.
	Again Invalid
	// Seen is what somebody else recorded about a task of our run.
	Seen checkpoint.Word
}

// Note says which sentence to show, by its case, and holds the facts that the sentence needs.
type Note struct {
	Case  Case
	Facts Facts
}

// Some findings have more than one sentence. Each of these cases names one sentence. A sentence without a case here is named by the code of
// its finding.
const (
	TreeBeingMade     Case = "worktree-missing/being-made"
	TreeNotReady      Case = "worktree-missing/not-ready"
	TreeNoneHere      Case = "worktree-missing/none-here"
	TreeFolderGone    Case = "worktree-missing/folder-gone"
	TreeIncomplete    Case = "worktree-missing/incomplete"
	TreeNotThere      Case = "worktree-missing/not-there"
	TreeWillBeMade    Case = "worktree-missing/will-be-made"
	TreeMovedTo       Case = "worktree-moved/to"
	TreeStayedBehind  Case = "worktree-moved/repository"
	TreeNotItsOwn     Case = "worktree-foreign/not-its-own"
	TreeTaken         Case = "worktree-foreign/taken"
	TreeNotOfRepo     Case = "worktree-foreign/not-of-repository"
	PlaceIsLink       Case = "worktree-place/link"
	PlaceOutside      Case = "worktree-place/outside"
	OperationUnderway Case = "worktree-mid-operation/other"
	UpdateUncommitted Case = "worktree-mid-operation/update"
	TreeOnBranch      Case = "worktree-other-branch/worktree"
	CheckedOutBranch  Case = "worktree-other-branch/checked-out"
	BaseAhead         Case = "base-moved/ahead"
	BaseChanged       Case = "base-moved/changed"
	BaseHasMore       Case = "base-moved/more"
	BranchDeletedKept Case = "branch-deleted/kept"
	BranchNotThere    Case = "branch-deleted/not-there"
	DamagedLines      Case = "journal-damaged/lines"
	DamagedPlan       Case = "journal-damaged/plan"
	DamagedState      Case = "journal-damaged/state"
	RebuiltCommits    Case = "journal-rebuilt/commits"
	RebuiltEvidence   Case = "journal-rebuilt/evidence"
	RebuiltDisagree   Case = "journal-rebuilt/disagree"
	RebuiltConfirm    Case = "journal-rebuilt/confirm"
	AliveExecuted     Case = "still-running/executed"
	AliveHeld         Case = "still-running/held"
	TwoAgentsUnseen   Case = "two-agents/unseen"
	AliveProcess      Case = "still-running/process"
	AliveTask         Case = "still-running/task"
	UncheckedNoLock   Case = "cannot-be-checked/no-lock"
	UncheckedWorker   Case = "cannot-be-checked/worker"
	UncheckedLocks    Case = "cannot-be-checked/locks"
	ElsewhereUnsigned Case = "elsewhere/unsigned"
	ElsewhereNoKey    Case = "elsewhere/no-key"
	ElsewhereClosed   Case = "elsewhere/closed"
	ElsewhereStarted  Case = "elsewhere/started"
	ElsewhereGoesOn   Case = "elsewhere/continued"
	QuestionWaits     Case = "question-pending/waits"
	QuestionBlocks    Case = "question-pending/blocks"
	QuestionApart     Case = "question-pending/apart"
	QuestionBlockOnly Case = "question-pending/blocks-one"
	QuestionAbout     Case = "question-pending/about"
	QuestionOfNext    Case = "question-pending/next-step"
	UnrelatedBase     Case = "cannot-tell/unrelated"

	// LostUpTo and LostTask are the cases of the details that are shown below the finding "branch-lost".
	LostUpTo Case = "branch-lost/kept"
	LostTask Case = "branch-lost/task"
	// LandedInPlace is the case of a task that is done in a worktree of its own, but whose commits are not on the run's branch yet.
	LandedInPlace Case = "task-landed/place"
	// PlanAdopt names the sentence with the command that adopts an edited plan.
	PlanAdopt Case = "plan-changed/adopt"
)
