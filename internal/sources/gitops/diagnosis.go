package gitops

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
)

// Repair names the repair that is needed before git's own command may continue the operation.
type Repair string

// These are the repairs. The zero value means that git can continue without a repair.
const (
	RepairNothing Repair = ""
	// RepairPutBack puts a command back into the list. The command was started but its commit was never made, and git would continue without
	// it.
	RepairPutBack Repair = "put-back"
	// RepairRewind repeats a command. Its commit was made, but git would skip the stop or the new message that the user asked for.
	RepairRewind Repair = "rewind"
	// RepairRecord records a commit as rewritten. The commit was made but not recorded, so git would not copy its notes.
	RepairRecord Repair = "record"
	// RepairBegin moves HEAD to the start of the rebase. The rebase never left its branch, and git would pick the commits onto themselves.
	RepairBegin Repair = "begin"
	// RepairSkip skips a commit that was already made. Picking it again would be empty, and git would stop.
	RepairSkip Repair = "skip"
	// RepairFinish removes git's files about an operation that is complete.
	RepairFinish Repair = "finish"
	// RepairMessage writes the commit message of a merge. Everything is merged, but git was killed before it wrote the message, and cannot
	// commit without one.
	RepairMessage Repair = "message"
	// RepairDoubt means that the evidence is contradictory, so a person must look at it.
	RepairDoubt Repair = "doubt"
)

// Crash describes what a process left behind when it died in the middle of a step.
type Crash struct {
	Repair Repair
	// Lost is the commit that git would leave out (with RepairPutBack). For every other repair it is the commit in question.
	Lost object.Commit
	// Command is the line of the list that git was working on.
	Command ongoing.Command
	// Unlisted says that the line is no longer in either of git's lists.
	Unlisted bool
	// To is the commit to which HEAD must be moved before git continues. It is set for RepairBegin and RepairRewind.
	To object.ID
	// Empty says that the change of the commit is already there, so the result would be empty. The user must decide whether to skip the
	// commit.
	Empty bool
	// Why describes the evidence in a few words.
	Why string
}

// Loses reports whether git's own command would silently leave out a commit.
func (c Crash) Loses() bool { return c.Repair == RepairPutBack && c.Command.Commit != "" }

// diagnosis collects the evidence about one operation that nobody is working on.
type diagnosis struct {
	ctx  context.Context
	repo *gitstate.Repo
	o    *ongoing.Ongoing
	head object.Commit
	// branch is the branch that HEAD points to, or empty if HEAD is detached.
	branch refs.Name
}

// diagnose determines what a crash left behind. If a file or commit cannot be read, the result is a doubt, and never "nothing to repair".
func diagnose(ctx context.Context, repo *gitstate.Repo, o *ongoing.Ongoing) Crash {
	j := &diagnosis{ctx: ctx, repo: repo, o: o}
	if o.Stop == ongoing.StopClearing {
		return Crash{Repair: RepairFinish, Why: endTexts[o.Ended]}
	}
	if o.Stop == ongoing.StopTorn || o.Op == ongoing.FilterBranch || o.Op == ongoing.NotesMerge || o.Op == ongoing.Bisect {
		return Crash{}
	}
	branch, at, err := repo.Refs.Head(ctx)
	if err != nil || at == "" {
		return doubt("HEAD cannot be read")
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
	ongoing.EndedDone:  "all of it is done",
	ongoing.EndedBack:  "it was taken back",
	ongoing.EndedEmpty: "there is nothing in its folder",
	"":                 "it is not known whether it was done, undone or given up",
}

func doubt(why string) Crash { return Crash{Repair: RepairDoubt, Why: why} }

// file returns the content of one of git's files about the operation, or an empty text if the file does not exist.
func (j *diagnosis) file(name string) string { return fileOf(j.repo, j.o.Dir, name) }

func fileOf(repo *gitstate.Repo, dir, name string) string {
	data, _ := os.ReadFile(filepath.Join(repo.GitDir, dir, name)) // an error means that git removed the file or never wrote it
	return string(data)
}

// merge examines a merge. If the merge commit exists, the merge is finished.
func (j *diagnosis) merge() Crash {
	for _, p := range j.head.Parents[min(1, len(j.head.Parents)):] {
		if len(j.o.Heads) > 0 && p == j.o.Heads[0] {
			return Crash{Repair: RepairFinish, Lost: j.head, Why: "the merge commit is made"}
		}
	}
	if len(j.o.Heads) > 0 && len(j.o.Unmerged) == 0 && strings.TrimSpace(j.file("MERGE_MSG")) == "" {
		return Crash{Repair: RepairMessage, Why: "everything is merged; only the commit is missing"}
	}
	return Crash{}
}

// patches examines git am. It increases its counter only after the commit. If HEAD is newer than git am recorded, HEAD is the commit of the
// current patch.
func (j *diagnosis) patches() Crash {
	if j.o.Unnoted && j.o.Orig == "" {
		return doubt("git had not yet recorded which branch it is about, and nothing else shows it for sure")
	}
	if j.o.Stop == ongoing.StopMidway {
		return Crash{Repair: RepairFinish, To: j.head.ID, Why: "every patch is applied; only the branch must still be moved"}
	}
	safety := strings.TrimSpace(j.file("abort-safety"))
	if j.o.Stop == ongoing.StopPatch && safety != "" && safety != string(j.head.ID) && (j.landedPatch() || j.forgottenPatch(safety)) {
		return Crash{Repair: RepairSkip, Lost: j.head, Why: "its patch is committed"}
	}
	return Crash{}
}

// landedPatch reports whether HEAD has the subject of the patch that was applied last.
func (j *diagnosis) landedPatch() bool {
	subject, _, _ := strings.Cut(strings.TrimLeft(j.file("final-commit"), "\n"), "\n")
	return subject != "" && subject == j.head.Subject()
}

// forgottenPatch reports whether git had committed the patch and removed its files about the patch, but died before it increased its
// counter. Git writes these files before anything else, so if they are missing, the patch was finished.
func (j *diagnosis) forgottenPatch(safety string) bool {
	return j.file("final-commit") == "" && j.file("author-script") == "" &&
		len(j.head.Parents) == 1 && string(j.head.Parents[0]) == safety
}

// picks examines a single cherry-pick or revert, or a series of them.
func (j *diagnosis) picks() Crash {
	x, err := j.repo.Objects.Commit(j.ctx, j.o.Commit)
	if err != nil {
		return doubt("the commit that is picked cannot be read")
	}
	c := Crash{Lost: x, Command: j.o.Now}
	switch j.o.Stop {
	case ongoing.StopReady: // git has recorded which commit it is picking
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
		return Crash{} // the commit was already put back into the list
	}
	was := strings.TrimSpace(j.file("abort-safety"))
	if was == "" {
		was = string(j.o.Orig)
	}
	if was != string(j.head.ID) {
		return Crash{} // git or the user has committed since, so git is right to drop the first line
	}
	if j.looksLike(x) {
		return Crash{}
	}
	c.Repair, c.Why = RepairPutBack, "it was never committed"
	return c
}

func (j *diagnosis) nothingStaged() bool {
	_, err := j.repo.Git(j.ctx, process.Call{Args: []string{"diff-index", "--quiet", "--cached", "HEAD", "--"}})
	return err == nil
}

// looksLike reports whether HEAD is the result of picking or reverting x.
func (j *diagnosis) looksLike(x object.Commit) bool {
	if j.o.Op == ongoing.Revert {
		return strings.Contains(j.head.Message, "This reverts commit "+string(x.ID))
	}
	if j.head.ID == x.ID {
		return true
	}
	return j.head.Author == x.Author && j.head.Subject() == x.Subject() && contained(j.ctx, j.repo, x, j.head) == yes
}
