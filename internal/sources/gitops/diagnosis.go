package gitops

import (
	"context"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
)

// Repair is the kind of repair that an operation needs before git's own command can safely continue it.
type Repair string

// These are the kinds of repair. RepairNothing means that nothing has to be repaired.
const (
	RepairNothing Repair = ""
	// RepairPutBack puts a command back into the todo list. Git removed the command from the list, and probably died before carrying the
	// command out. Without the repair, git would leave out the command.
	RepairPutBack Repair = "put-back"
	// RepairRewind runs a line of the todo list again, although its commit was already made. After this commit, git should have stopped for
	// an edit or asked for a new message, but it died before. Without the repair, git would continue with the next line.
	RepairRewind Repair = "rewind"
	// RepairRecord records that a commit was rewritten. Git made the new commit and died before it recorded the rewrite. Without the
	// repair, git would not copy the notes of the old commit.
	RepairRecord Repair = "record"
	// RepairBegin moves HEAD to the commit at which the rebase starts. HEAD is still where it was before the rebase, so git would pick
	// the commits on top of themselves.
	RepairBegin Repair = "begin"
	// RepairSkip skips a commit or patch that was already committed. Applying it again would change nothing, and git would stop.
	RepairSkip Repair = "skip"
	// RepairFinish completes an operation of which only the end is missing, for example removing git's files about it.
	RepairFinish Repair = "finish"
	// RepairMessage writes the commit message of a merge. Git was killed before it wrote the message, and cannot commit without it.
	RepairMessage Repair = "message"
	// RepairDoubt means that the evidence about the operation is contradictory or cannot be read, so a person must decide.
	RepairDoubt Repair = "doubt"
)

// Crash describes the state after a git process died in the middle of a step.
type Crash struct {
	Repair Repair
	// Lost is the commit that the repair is about. If the repair is RepairPutBack, git would leave this commit out without the repair.
	Lost object.Commit
	// Command is the line of the todo list on which git was working, if there is one.
	Command ongoing.Command
	// Unlisted means that Command is missing from both of git's lists, the todo list and the done list.
	Unlisted bool
	// The field "To" is the commit at which HEAD or the branch must be after the repair. It is empty for repairs that move neither.
	To object.ID
	// Empty means that nothing is staged, so the commit would be empty. Usually the branch already contains the change. The user must
	// decide whether to skip the commit.
	Empty bool
	// Why describes in a few words the evidence for this repair.
	Why string
}

// Loses reports whether git's own command to continue would silently leave out a commit.
func (c Crash) Loses() bool { return c.Repair == RepairPutBack && c.Command.Commit != "" }

// diagnosis examines one operation whose process is gone, to find out which repair it needs.
type diagnosis struct {
	ctx  context.Context
	repo *gitstate.Repo
	o    *ongoing.Ongoing
	head object.Commit
	// branch is the branch that HEAD points to, or empty if HEAD is detached.
	branch refs.Name
}

// diagnose determines which repair an operation needs after a crash, if any.
func diagnose(ctx context.Context, repo *gitstate.Repo, o *ongoing.Ongoing) Crash {
	j := &diagnosis{ctx: ctx, repo: repo, o: o}
	if o.Stop == ongoing.StopClearing {
		return Crash{Repair: RepairFinish, Why: endTexts[o.Ended]}
	}
	if o.Stop == ongoing.StopTorn || o.Op == ongoing.FilterBranch || o.Op == ongoing.NotesMerge || o.Op == ongoing.Bisect {
		return Crash{}
	}
	branch, at, err := repo.Refs.Head(ctx)
	if err != nil {
		return doubt("HEAD cannot be read")
	}
	switch {
	case at == "" && o.Stop == ongoing.StopMidway:
		return doubt("the branch has no commit yet")
	case at == "": // for example, the first patch of git am does not apply
		return Crash{}
	}
	if j.head, err = repo.Objects.Commit(ctx, string(at)); err != nil {
		return doubt("the commit of HEAD cannot be read")
	}
	j.branch = branch
	switch {
	case o.Dir == "rebase-merge":
		return j.rebase()
	case o.Dir == "rebase-apply":
		return j.patches()
	case o.Op == ongoing.CherryPick, o.Op == ongoing.Revert:
		return j.picks()
	case o.Op == ongoing.Merge:
		return j.merge()
	}
	return Crash{}
}

var endTexts = map[ongoing.Ended]string{
	ongoing.EndedDone:  "every step is done",
	ongoing.EndedBack:  "it was aborted",
	ongoing.EndedEmpty: "git's folder for the operation is empty",
	"":                 "it is not known whether it was finished, aborted or quit",
}

func doubt(why string) Crash { return Crash{Repair: RepairDoubt, Why: why} }

// file returns the content of one of git's files about the operation, or "" if the file cannot be read.
func (j *diagnosis) file(name string) string { return ongoing.Text(j.repo.GitDir, j.o.Dir, name) }

// merge examines an interrupted merge. Either the merge commit already exists, or only its message is missing, or nothing has to be
// repaired.
func (j *diagnosis) merge() Crash {
	for _, p := range j.head.Parents[min(1, len(j.head.Parents)):] {
		if len(j.o.Heads) > 0 && p == j.o.Heads[0] {
			return Crash{Repair: RepairFinish, Lost: j.head, Why: "the merge commit was already made"}
		}
	}
	if len(j.o.Heads) > 0 && len(j.o.Unmerged) == 0 && strings.TrimSpace(j.file("MERGE_MSG")) == "" {
		return Crash{Repair: RepairMessage, Why: "everything is merged; only the commit is missing"}
	}
	return Crash{}
}

// patches examines an interrupted git am, or a rebase that uses it. Git increases the patch number only after the commit, so the current
// patch may already be committed.
func (j *diagnosis) patches() Crash {
	if j.o.Unnoted && j.o.Orig == "" {
		return doubt("its branch is not known: git had not yet recorded it, and HEAD's reflog does not show it for certain")
	}
	if j.o.Stop == ongoing.StopMidway {
		left := "the branch must still be moved"
		if j.o.Op == ongoing.Am { // it commits on the branch itself
			left = "git's files about it are left"
		}
		return Crash{Repair: RepairFinish, To: j.head.ID, Why: "every patch is applied; only " + left}
	}
	safety := strings.TrimSpace(j.file("abort-safety"))
	if j.o.Stop == ongoing.StopPatch && safety != "" && safety != string(j.head.ID) && (j.landedPatch() || j.forgottenPatch(safety)) {
		return Crash{Repair: RepairSkip, Lost: j.head, Why: "its patch is committed"}
	}
	return Crash{}
}

// landedPatch reports whether HEAD has the subject of the patch that git was applying.
func (j *diagnosis) landedPatch() bool {
	subject, _, _ := strings.Cut(strings.TrimLeft(j.file("final-commit"), "\n"), "\n")
	return subject != "" && subject == j.head.Subject()
}

// forgottenPatch reports whether git died after it had committed the current patch and removed the files about that patch, but before it
// increased the patch number.
func (j *diagnosis) forgottenPatch(safety string) bool {
	return j.file("final-commit") == "" && j.file("author-script") == "" &&
		len(j.head.Parents) == 1 && string(j.head.Parents[0]) == safety
}

// picks examines an interrupted cherry-pick or revert, of one commit or of several.
func (j *diagnosis) picks() Crash {
	x, err := j.repo.Objects.Commit(j.ctx, j.o.Commit)
	if err != nil {
		return doubt("the commit that git was picking or reverting cannot be read")
	}
	c := Crash{Lost: x, Command: j.o.Now}
	switch j.o.Stop {
	case ongoing.StopReady: // no conflict is left
		if !j.nothingStaged() {
			return Crash{}
		}
		if c.Empty = true; j.looksLike(x) {
			c.Empty, c.Repair, c.Why = false, RepairSkip, "it is committed"
		}
		return c
	case ongoing.StopMidway:
	default:
		return Crash{}
	}
	if len(j.o.Todo) > 1 && j.o.Todo[0].Line == j.o.Todo[1].Line {
		return Crash{} // an earlier repair already put the commit back into the todo list
	}
	was := strings.TrimSpace(j.file("abort-safety"))
	if was == "" {
		was = string(j.o.Orig)
	}
	if was != string(j.head.ID) {
		return Crash{} // a commit was made after git last recorded HEAD, so nothing has to be put back
	}
	if j.looksLike(x) {
		return Crash{}
	}
	c.Repair, c.Why = RepairPutBack, "git was interrupted before it committed the result"
	return c
}

func (j *diagnosis) nothingStaged() bool {
	_, err := j.repo.Git(j.ctx, process.Call{Args: []string{"diff-index", "--quiet", "--cached", "HEAD", "--"}})
	return err == nil
}

// looksLike reports whether HEAD looks like the result of picking or reverting x. A revert names x in its message. A pick is x itself, or
// has the author, the subject and the changes of x.
func (j *diagnosis) looksLike(x object.Commit) bool {
	if j.o.Op == ongoing.Revert {
		return strings.Contains(j.head.Message, "This reverts commit "+string(x.ID))
	}
	if j.head.ID == x.ID {
		return true
	}
	return j.head.Author == x.Author && j.head.Subject() == x.Subject() && contained(j.ctx, j.repo, x, j.head) == yes
}
