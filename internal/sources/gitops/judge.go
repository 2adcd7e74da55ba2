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

// Mend is what must be done before git's own command may go on.
type Mend string

// The ways to mend. The zero value means that git's own way is right.
const (
	MendNothing Mend = ""
	// MendPutBack: the command was begun and its commit never made; git would go on without it.
	MendPutBack Mend = "put-back"
	// MendRewind: the commit was made, but the stop or the new message that the user asked for would be skipped.
	MendRewind Mend = "rewind"
	// MendRecord: the commit was made and not noted as rewritten, so that its notes would stay behind.
	MendRecord Mend = "record"
	// MendBegin: the rebase never left its branch; git would pick the commits onto themselves.
	MendBegin Mend = "begin"
	// MendSkip: the commit was made already; git would stop over an empty one.
	MendSkip Mend = "skip"
	// MendFinish: all of it is done; only git's notes about it are left.
	MendFinish Mend = "finish"
	// MendMessage: everything is merged, and git was killed before it wrote the message of the commit, without which it makes none.
	MendMessage Mend = "message"
	// MendDoubt: the evidence does not agree; a person must look.
	MendDoubt Mend = "doubt"
)

// Crash is what a process that died in the middle of a step left behind.
type Crash struct {
	Mend Mend
	// Lost is the commit that git would leave out, with Mend PutBack, or the one in question.
	Lost object.Commit
	// Command is the line of the list that was being worked on.
	Command ongoing.Command
	// Unlisted: the line is in neither of git's lists any more.
	Unlisted bool
	// To is where HEAD must be before git goes on: set with MendBegin and MendRewind.
	To object.ID
	// Empty: nothing is left of the commit to record; git wants to be told whether to leave it out.
	Empty bool
	// Why tells the evidence in a few words.
	Why string
}

// Loses reports whether git's own way would leave a commit out and report success.
func (c Crash) Loses() bool { return c.Mend == MendPutBack && c.Command.Commit != "" }

// judging looks at one operation that nobody works on.
type judging struct {
	ctx  context.Context
	repo *gitstate.Repo
	o    *ongoing.Ongoing
	head object.Commit
	// branch is what HEAD names, empty if it is detached.
	branch refs.Name
}

// judge finds out what a crash left. What cannot be read is a doubt, never "nothing".
func judge(ctx context.Context, repo *gitstate.Repo, o *ongoing.Ongoing) Crash {
	j := &judging{ctx: ctx, repo: repo, o: o}
	if o.Stop == ongoing.StopClearing {
		return Crash{Mend: MendFinish, Why: endTexts[o.Ended]}
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
	"":                 "whether it was done, taken back or given up cannot be told",
}

func doubt(why string) Crash { return Crash{Mend: MendDoubt, Why: why} }

// file reads one of the operation's own files; empty if it is not there.
func (j *judging) file(name string) string { return fileOf(j.repo, j.o.Dir, name) }

func fileOf(repo *gitstate.Repo, dir, name string) string {
	data, _ := os.ReadFile(filepath.Join(repo.GitDir, dir, name)) // none: git removed it, or never wrote it
	return string(data)
}

// merge: a merge whose commit is made waits for nothing.
func (j *judging) merge() Crash {
	for _, p := range j.head.Parents[min(1, len(j.head.Parents)):] {
		if len(j.o.Heads) > 0 && p == j.o.Heads[0] {
			return Crash{Mend: MendFinish, Lost: j.head, Why: "the merge commit is made"}
		}
	}
	if len(j.o.Heads) > 0 && len(j.o.Unmerged) == 0 && strings.TrimSpace(j.file("MERGE_MSG")) == "" {
		return Crash{Mend: MendMessage, Why: "everything is merged; only the commit is missing"}
	}
	return Crash{}
}

// patches: am counts up only after the commit; a HEAD that it does not know yet is the commit of this very patch.
func (j *judging) patches() Crash {
	if j.o.Unnoted && j.o.Orig == "" {
		return doubt("git had not noted yet of which branch it is, and nothing else tells for sure")
	}
	if j.o.Stop == ongoing.StopMidway {
		return Crash{Mend: MendFinish, To: j.head.ID, Why: "every patch is in; the branch is still to be moved"}
	}
	safety := strings.TrimSpace(j.file("abort-safety"))
	if j.o.Stop == ongoing.StopPatch && safety != "" && safety != string(j.head.ID) && (j.landedPatch() || j.forgottenPatch(safety)) {
		return Crash{Mend: MendSkip, Lost: j.head, Why: "its patch is committed"}
	}
	return Crash{}
}

// landedPatch compares HEAD with the message of the patch that was applied last.
func (j *judging) landedPatch() bool {
	subject, _, _ := strings.Cut(strings.TrimLeft(j.file("final-commit"), "\n"), "\n")
	return subject != "" && subject == j.head.Subject()
}

// forgottenPatch: git had committed and removed its notes about the patch, which it writes before anything else,
// and died before it counted up.
func (j *judging) forgottenPatch(safety string) bool {
	return j.file("final-commit") == "" && j.file("author-script") == "" &&
		len(j.head.Parents) == 1 && string(j.head.Parents[0]) == safety
}

// picks judges a pick or revert, or a series of them.
func (j *judging) picks() Crash {
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
			c.Empty, c.Mend, c.Why = false, MendSkip, "it is committed"
		}
		return c
	case ongoing.StopMidway:
	default:
		return Crash{}
	}
	if len(j.o.Todo) > 1 && j.o.Todo[0].Line == j.o.Todo[1].Line {
		return Crash{} // put back already
	}
	was := strings.TrimSpace(j.file("abort-safety"))
	if was == "" {
		was = string(j.o.Orig)
	}
	if was != string(j.head.ID) {
		return Crash{} // committed since, by git or by hand: git leaves out the first line, and rightly
	}
	if j.looksLike(x) {
		return Crash{}
	}
	c.Mend, c.Why = MendPutBack, "it was never committed"
	return c
}

func (j *judging) nothingStaged() bool {
	_, err := j.repo.Git(j.ctx, process.Call{Args: []string{"diff-index", "--quiet", "--cached", "HEAD", "--"}})
	return err == nil
}

// looksLike: HEAD is what picking, or reverting, x has made.
func (j *judging) looksLike(x object.Commit) bool {
	if j.o.Op == ongoing.Revert {
		return strings.Contains(j.head.Message, "This reverts commit "+string(x.ID))
	}
	if j.head.ID == x.ID {
		return true
	}
	return j.head.Author == x.Author && j.head.Subject() == x.Subject() && contained(j.ctx, j.repo, x, j.head) == yes
}
