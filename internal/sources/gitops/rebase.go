package gitops

import (
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/ongoing"
)

// answer is the result of a check: yes, no, or unsure if nothing proves either.
type answer int

const (
	unsure answer = iota
	yes
	no
)

// rebase examines a rebase with git's default backend. This backend records a command as done before it carries the command out.
func (j *diagnosis) rebase() Crash {
	if c, ok := j.unbegun(); ok {
		return c
	}
	if f, ok := j.finishing(); ok && j.branch == j.o.Branch {
		return f // HEAD is on the branch again, so the rebase is complete although its files still exist
	}
	if c, ok := j.unlisted(); ok {
		return c
	}
	if j.o.Stop != ongoing.StopMidway {
		return Crash{}
	}
	c := j.command()
	if c.Repair == RepairNothing || c.Repair == RepairRecord {
		if f, ok := j.finishing(); ok {
			return f
		}
	}
	return c
}

// unbegun detects a rebase that was killed before git moved HEAD away from the branch. Its todo list is already written.
func (j *diagnosis) unbegun() (Crash, bool) {
	start := j.o.Onto
	// Before git moves HEAD, it may record "pick" commands as done, for commits that need no rebasing.
	if n := len(j.o.Done); n > 0 {
		for _, d := range j.o.Done {
			if d.Name != "pick" {
				return Crash{}, false
			}
		}
		start = object.ID(j.o.Done[n-1].Commit)
	}
	if j.file("rewritten-list") != "" || j.file("rewritten-pending") != "" || j.head.ID == start || j.head.ID != j.o.Orig || j.file("stopped-sha") != "" {
		return Crash{}, false
	}
	attached := j.branch != "" && j.branch == j.o.Branch
	if !attached && j.o.Branch != "" || len(j.o.Todo) == 0 {
		return Crash{}, false
	}
	return Crash{Repair: RepairBegin, To: start, Why: "HEAD is where it was before the rebase"}, true
}

// unlisted detects a command that is in neither of git's lists. Git died after removing it from the todo list, and before adding it to the
// done list.
func (j *diagnosis) unlisted() (Crash, bool) {
	all := ongoing.ParseCommands(j.file("git-rebase-todo.backup"))
	if !j.fewer(all) || !j.editedBefore() {
		return Crash{}, false
	}
	n := len(j.o.Done)
	if len(all) != n+1+len(j.o.Todo) || !sameCommands(all[:n], j.o.Done) || !sameCommands(all[n+1:], j.o.Todo) {
		return j.shorter(all), true
	}
	c := Crash{Repair: RepairPutBack, Command: all[n], Unlisted: true, Why: "git removed it from the todo list, but did not record it as done"}
	if all[n].Commit != "" {
		x, err := j.repo.Objects.Commit(j.ctx, all[n].Commit)
		if err != nil {
			return doubt("the commit " + all[n].Commit + " cannot be read"), true
		}
		c.Lost = x
	}
	return c, true
}

// The method fewer() reports whether one command is missing from git's two lists, the todo list and the file "done": together they have one
// command fewer than the number that git recorded. Some versions of git also count empty lines and comments, so fewer() compares the
// recorded number with the number of lines in the files too.
func (j *diagnosis) fewer(all []ongoing.Command) bool {
	commands := slices.Concat(j.o.Done, j.o.Todo)
	switch strings.Count(j.file("done")+j.file("git-rebase-todo"), "\n") {
	case j.o.Of - 1:
		return true
	// The number of lines is right, but a line may be empty, and a command may be missing in spite of it. Git writes the todo list first
	// and "done" last. So a command is missing if the todo list is newer.
	case j.o.Of:
		return len(commands) == j.o.Of-1 && !sameCommands(all, commands) && j.modified("git-rebase-todo").After(j.modified("done"))
	}
	return j.o.Of > 0 && len(commands) == j.o.Of-1
}

// shorter handles a line of the todo list that is missing and cannot be identified for certain, for example because the user edited the
// list. If exactly one commit is missing from git's lists, the result names this commit.
func (j *diagnosis) shorter(all []ongoing.Command) Crash {
	c := doubt("when git was killed, one line of its todo list was lost; it is not certain which one")
	var missing []ongoing.Command
	for _, a := range all {
		here := func(b ongoing.Command) bool { return b.Commit == a.Commit }
		if a.Commit != "" && !slices.ContainsFunc(j.o.Done, here) && !slices.ContainsFunc(j.o.Todo, here) {
			missing = append(missing, a)
		}
	}
	if len(missing) != 1 {
		return c
	}
	x, err := j.repo.Objects.Commit(j.ctx, missing[0].Commit)
	if err != nil {
		return c
	}
	c.Command, c.Lost, c.Unlisted = missing[0], x, true
	return c
}

// editedBefore reports whether the user's last edit of the todo list is older than the last step. It compares the modification times of
// git's backup of the list and of its file "done". Before the first step, it uses the file "end" instead of "done".
func (j *diagnosis) editedBefore() bool {
	last := j.modified("done")
	if last.IsZero() {
		last = j.modified("end")
	}
	return !j.modified("git-rebase-todo.backup").After(last)
}

func sameCommands(a, b []ongoing.Command) bool {
	return slices.EqualFunc(a, b, func(x, y ongoing.Command) bool {
		short := min(len(x.Commit), len(y.Commit))
		return x.Name == y.Name && x.Commit[:short] == y.Commit[:short] && (x.Commit != "" || x.Arg == y.Arg)
	})
}

// finishing detects a rebase that has finished all commands and moved the branch. Git's own command would fail, because the branch has
// already moved.
func (j *diagnosis) finishing() (Crash, bool) {
	if len(j.o.Todo) > 0 || j.o.Branch == "" {
		return Crash{}, false
	}
	at, err := j.repo.Refs.Ref(j.ctx, j.o.Branch)
	if err != nil || at != j.head.ID || at == j.o.Orig {
		return Crash{}, false
	}
	return Crash{Repair: RepairFinish, To: at, Why: "git has already moved the branch"}, true
}

// command examines the todo list command that git started last.
func (j *diagnosis) command() Crash {
	c := Crash{Command: j.o.Now}
	if len(j.o.Todo) > 0 && j.o.Todo[0].Line == j.o.Now.Line && j.o.Now.Commit != "" {
		return Crash{} // an earlier repair already put the command back into the todo list
	}
	switch c.Command.Name {
	case "label", "reset", "update-ref":
		c.Repair, c.Why = RepairPutBack, "it is not known whether it was carried out, but it can be repeated"
		return c
	case "merge":
		return j.madeMerge(c)
	}
	if !c.Command.Picks() {
		return Crash{}
	}
	x, err := j.repo.Objects.Commit(j.ctx, c.Command.Commit)
	if err != nil {
		return doubt("the commit " + c.Command.Commit + " cannot be read")
	}
	c.Lost = x
	if j.recorded(x.ID) {
		return Crash{}
	}
	switch j.landed(x) {
	case no:
		c.Repair, c.Why = RepairPutBack, "it was started but never committed"
	case unsure:
		c.Repair, c.Why = RepairDoubt, "it is not known whether it was committed"
	case yes:
		c.Repair, c.Why = RepairRecord, "the new commit exists, but git has not recorded which commit it replaces"
		asked := c.Command.Name == "edit" || c.Command.Name == "reword" && sameMessage(j.head, x)
		if asked && len(j.head.Parents) > 0 {
			c.Repair, c.To, c.Why = RepairRewind, j.head.Parents[0], "it is committed, but the edit or reword that you asked for was not done"
		}
	}
	return c
}

// rewritten returns the old commits that git recorded as rewritten or as pending. The result "last" is the newest replacement, if there is
// one.
func (j *diagnosis) rewritten() (olds []string, last string) {
	for line := range strings.Lines(j.file("rewritten-list")) {
		if f := strings.Fields(line); len(f) == 2 {
			olds, last = append(olds, f[0]), f[1]
		}
	}
	return append(olds, strings.Fields(j.file("rewritten-pending"))...), last
}

func (j *diagnosis) recorded(id object.ID) bool {
	olds, _ := j.rewritten()
	return slices.Contains(olds, string(id))
}

// landed reports whether HEAD is the result of picking x. The answer is unsure if the evidence proves neither yes nor no.
func (j *diagnosis) landed(x object.Commit) answer {
	olds, last := j.rewritten()
	pending := j.file("rewritten-pending") != ""
	switch {
	case j.head.ID == x.ID:
		return yes // a fast-forward: git only moved HEAD to x
	case !pending && string(j.head.ID) == last, len(olds) == 0 && j.head.ID == j.o.Onto:
		return no // HEAD is still where it was before this command, so x was not picked
	}
	in := contained(j.ctx, j.repo, x, j.head)
	if in == no {
		return no
	}
	if j.o.Now.Melds() {
		return j.melded(x, in)
	}
	if j.head.Author == x.Author && (sameMessage(j.head, x) || j.o.Now.Name == "reword" || j.byReflog()) && in == yes {
		return yes
	}
	return unsure
}

// melded reports whether a squash or fixup was carried out. Only the content and the reflog together prove that. The author of HEAD proves
// nothing, because a squash keeps the author of the earlier commit.
func (j *diagnosis) melded(x object.Commit, in answer) answer {
	if in == yes && !isEmpty(j.ctx, j.repo, x) && j.byReflog() {
		return yes
	}
	return unsure
}

// byReflog reports whether the newest reflog entry of HEAD names the same kind of command, for example fixup, as the command that git
// started last.
func (j *diagnosis) byReflog() bool {
	text, err := j.repo.Line(j.ctx, "log", "-g", "-1", "--format=%gs", "HEAD", "--")
	return err == nil && strings.Contains(text, "("+j.o.Now.Name+"):")
}

// madeMerge examines a merge command of a rebase with --rebase-merges. The parents of HEAD show whether the merge was made. The reflog does
// not, because older versions of git write the wrong command into it.
func (j *diagnosis) madeMerge(c Crash) Crash {
	if c.Command.Commit != "" {
		x, err := j.repo.Objects.Commit(j.ctx, c.Command.Commit)
		if err != nil {
			return doubt("the commit " + c.Command.Commit + " cannot be read")
		}
		c.Lost = x
		if j.recorded(x.ID) || j.head.ID == x.ID {
			return Crash{}
		}
	}
	made := j.merges(c.Command)
	switch {
	case made == unsure:
		c.Repair, c.Why = RepairDoubt, "the commits that it merges cannot be read"
	case made == no:
		c.Repair, c.Why = RepairPutBack, "the merge was started but never committed"
	case c.Command.Commit == "":
		return Crash{} // a merge without an original commit, so no rewrite has to be recorded
	case j.head.Author != c.Lost.Author:
		c.Repair, c.Why = RepairDoubt, "it is not known whether the merge was made"
	case c.Command.Edit && sameMessage(j.head, c.Lost):
		c.Repair, c.To, c.Why = RepairRewind, j.head.Parents[0], "it is committed, but the edit or reword that you asked for was not done"
	default:
		c.Repair, c.Why = RepairRecord, "the new commit exists, but git has not recorded which commit it replaces"
	}
	return c
}

// merges reports whether HEAD is a merge of exactly the commits that a merge command names.
func (j *diagnosis) merges(m ongoing.Command) answer {
	names, _, _ := strings.Cut(m.Arg, " # ")
	var others []object.ID
	for name := range strings.FieldsSeq(names) {
		c, err := j.repo.Objects.Commit(j.ctx, "refs/rewritten/"+name)
		if err != nil { // the name is not a label of this rebase, so it must be an ordinary revision
			c, err = j.repo.Objects.Commit(j.ctx, name)
		}
		if err != nil {
			return unsure
		}
		others = append(others, c.ID)
	}
	if len(others) > 0 && len(j.head.Parents) > 1 && slices.Equal(j.head.Parents[1:], others) {
		return yes
	}
	return no
}

// sameMessage compares two commit messages. It ignores white space at the ends, because git removes it.
func sameMessage(a, b object.Commit) bool {
	return strings.TrimSpace(a.Message) == strings.TrimSpace(b.Message)
}
