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

// Repair is the repair that is needed before git's own command may continue.
type Repair string

// The repairs. The zero value means that git's own way is right.
const (
	RepairNothing Repair = ""
	// RepairPutBack: the command was started but its commit never made; git would continue without it.
	RepairPutBack Repair = "put-back"
	// RepairRewind: the commit was made, but git would skip the stop or the new message that the user asked for.
	RepairRewind Repair = "rewind"
	// RepairRecord: the commit was made but not recorded as rewritten, so git would not copy its notes.
	RepairRecord Repair = "record"
	// RepairBegin: the rebase never left its branch; git would pick the commits onto themselves.
	RepairBegin Repair = "begin"
	// RepairSkip: the commit was already made; git would stop because picking it again gives an empty commit.
	RepairSkip Repair = "skip"
	// RepairFinish: everything is done; only git's notes about the operation are left.
	RepairFinish Repair = "finish"
	// RepairMessage: everything is merged, but git was killed before it wrote the commit message, and without it git makes no commit.
	RepairMessage Repair = "message"
	// RepairDoubt: the evidence is contradictory; a person must look.
	RepairDoubt Repair = "doubt"
)

// Crash is what a process that died in the middle of a step left behind.
type Crash struct {
	Repair Repair
	// Lost is the commit that git would leave out (with RepairPutBack), or otherwise the commit in question.
	Lost object.Commit
	// Command is the line of the list that git was working on.
	Command ongoing.Command
	// Unlisted says that the line is no longer in either of git's lists.
	Unlisted bool
	// To is where HEAD must be before git continues; set with RepairBegin and RepairRewind.
	To object.ID
	// Empty says that nothing of the commit is left to record; git must be told whether to leave it out.
	Empty bool
	// Why describes the evidence in a few words.
	Why string
}

// Loses reports whether git's own way would leave a commit out and still report success.
func (c Crash) Loses() bool { return c.Repair == RepairPutBack && c.Command.Commit != "" }

// diagnosis collects the evidence about one operation that nobody is working on.
type diagnosis struct {
	ctx  context.Context
	repo *gitstate.Repo
	o    *ongoing.Ongoing
	head object.Commit
	// branch is the branch that HEAD names; empty if HEAD is detached.
	branch refs.Name
}

// diagnose finds out what a crash left behind. Something that cannot be read is a doubt, and is never treated as nothing.
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

// file returns the content of one of the operation's own files; empty if the file does not exist.
func (j *diagnosis) file(name string) string { return fileOf(j.repo, j.o.Dir, name) }

func fileOf(repo *gitstate.Repo, dir, name string) string {
	data, _ := os.ReadFile(filepath.Join(repo.GitDir, dir, name)) // no file: git removed it, or never wrote it
	return string(data)
}

// merge judges a merge: if its commit is made, nothing is left to do.
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

// patches judges git am: it increases its counter only after the commit, so a HEAD that am does not know yet is the current patch.
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

// forgottenPatch reports whether git had committed the patch and removed its notes about it, but died before it
// increased its counter. Git writes these notes before anything else, so missing notes mean that the patch was finished.
func (j *diagnosis) forgottenPatch(safety string) bool {
	return j.file("final-commit") == "" && j.file("author-script") == "" &&
		len(j.head.Parents) == 1 && string(j.head.Parents[0]) == safety
}

// picks judges a cherry-pick or revert, or a series of them.
func (j *diagnosis) picks() Crash {
	x, err := j.repo.Objects.Commit(j.ctx, j.o.Commit)
	if err != nil {
		return doubt("the commit that is picked cannot be read")
	}
	c := Crash{Lost: x, Command: j.o.Now}
	switch j.o.Stop {
	case ongoing.StopReady: // git noted which commit it picks
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
		return Crash{} // it is put back already
	}
	was := strings.TrimSpace(j.file("abort-safety"))
	if was == "" {
		was = string(j.o.Orig)
	}
	if was != string(j.head.ID) {
		return Crash{} // committed since then, by git or by hand: git is right to leave out the first line
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

// looksLike reports whether HEAD is the result of picking, or reverting, x.
func (j *diagnosis) looksLike(x object.Commit) bool {
	if j.o.Op == ongoing.Revert {
		return strings.Contains(j.head.Message, "This reverts commit "+string(x.ID))
	}
	if j.head.ID == x.ID {
		return true
	}
	return j.head.Author == x.Author && j.head.Subject() == x.Subject() && contained(j.ctx, j.repo, x, j.head) == yes
}
