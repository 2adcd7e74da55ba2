package gitops

import (
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/ongoing"
)

// answer is the result of a check: yes, no or unsure.
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
		return f // HEAD is on the branch again, so the rebase is complete even if git's files say otherwise
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

// unbegun detects a rebase that has written its list of commands but has not moved HEAD to the start yet.
func (j *diagnosis) unbegun() (Crash, bool) {
	start := j.o.Onto
	if n := len(j.o.Done); n > 0 { // before git moves HEAD, it already records commits as done that need no work
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

// unlisted detects a command that is missing from both of git's lists. Git died after removing it from the list of open commands, and before
// adding it to the list of done commands.
func (j *diagnosis) unlisted() (Crash, bool) {
	all := ongoing.ParseCommands(j.file("git-rebase-todo.backup"))
	if !j.fewer(all) || !j.editedBefore() {
		return Crash{}, false
	}
	n := len(j.o.Done)
	if len(all) != n+1+len(j.o.Todo) || !sameCommands(all[:n], j.o.Done) || !sameCommands(all[n+1:], j.o.Todo) {
		return j.shorter(all), true
	}
	c := Crash{Repair: RepairPutBack, Command: all[n], Unlisted: true, Why: "it is no longer in any of git's lists"}
	if all[n].Commit != "" {
		x, err := j.repo.Objects.Commit(j.ctx, all[n].Commit)
		if err != nil {
			return doubt("the commit " + all[n].Commit + " cannot be read"), true
		}
		c.Lost = x
	}
	return c, true
}

// fewer reports whether git's lists contain one line less than git counted. Until a rebase stops for the first time, older versions of git
// also count empty lines and comments. The options --update-refs and --rebase-merges put such lines into every list.
func (j *diagnosis) fewer(all []ongoing.Command) bool {
	commands := slices.Concat(j.o.Done, j.o.Todo)
	switch strings.Count(j.file("done")+j.file("git-rebase-todo"), "\n") {
	case j.o.Of - 1:
		return true
	case j.o.Of: // no line is missing, or an empty line hides the missing command; git writes "done" last
		return len(commands) == j.o.Of-1 && !sameCommands(all, commands) && j.modified("git-rebase-todo").After(j.modified("done"))
	}
	return j.o.Of > 0 && len(commands) == j.o.Of-1
}

// shorter handles a missing line in a list that the user had edited. Git only keeps the list from before the edit. A commit that is in this
// old list and in no current list may be the missing one, but its command is not known.
func (j *diagnosis) shorter(all []ongoing.Command) Crash {
	c := doubt("a line of its list is missing since the kill, and it is not certain which one")
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

// editedBefore reports whether the user has not edited the list since the last step. Git keeps a copy of the list at every edit, so the time
// of the copy shows the edit. Before the first step, the file with the number of commands gives the time of the step.
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

// finishing detects a rebase that has carried out all commands and moved the branch. Git would refuse to move the branch again.
func (j *diagnosis) finishing() (Crash, bool) {
	if len(j.o.Todo) > 0 || j.o.Branch == "" {
		return Crash{}, false
	}
	at, err := j.repo.Refs.Ref(j.ctx, j.o.Branch)
	if err != nil || at != j.head.ID || at == j.o.Orig {
		return Crash{}, false
	}
	return Crash{Repair: RepairFinish, To: at, Why: "the branch is already moved"}, true
}

// command examines the command that git recorded last.
func (j *diagnosis) command() Crash {
	c := Crash{Command: j.o.Now}
	if len(j.o.Todo) > 0 && j.o.Todo[0].Line == j.o.Now.Line && j.o.Now.Commit != "" {
		return Crash{} // the command was already put back into the list
	}
	switch c.Command.Name {
	case "label", "reset", "update-ref":
		c.Repair, c.Why = RepairPutBack, "it may not have been carried out, and can be repeated"
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
		c.Repair, c.Why = RepairRecord, "it is committed but not recorded"
		asked := c.Command.Name == "edit" || c.Command.Name == "reword" && sameMessage(j.head, x)
		if asked && len(j.head.Parents) > 0 {
			c.Repair, c.To, c.Why = RepairRewind, j.head.Parents[0], "it is committed, but what was asked for there was not done"
		}
	}
	return c
}

// rewritten reads git's record of which commit became which. The result last is the newest rewritten commit.
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

// landed reports whether HEAD is the commit that resulted from applying x.
func (j *diagnosis) landed(x object.Commit) answer {
	olds, last := j.rewritten()
	pending := j.file("rewritten-pending") != ""
	switch {
	case j.head.ID == x.ID:
		return yes // git only had to move HEAD
	case !pending && string(j.head.ID) == last, len(olds) == 0 && j.head.ID == j.o.Onto:
		return no // HEAD is still at the result of the commit before x
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

// melded checks whether a squash or fixup was made. The result keeps the author of the commit that it extends, so only the content and git's
// reflog can prove it.
func (j *diagnosis) melded(x object.Commit, in answer) answer {
	if in == yes && !isEmpty(j.ctx, j.repo, x) && j.byReflog() {
		return yes
	}
	return unsure
}

// byReflog reports whether the newest reflog entry of HEAD comes from the command that was started last.
func (j *diagnosis) byReflog() bool {
	text, err := j.repo.Line(j.ctx, "log", "-g", "-1", "--format=%gs", "HEAD", "--")
	return err == nil && strings.Contains(text, "("+j.o.Now.Name+"):")
}

// madeMerge examines a merge command of a rebase with --rebase-merges. The reflog of HEAD does not help, because older versions of git name
// the previous command there. The parents of HEAD prove it, because no other command makes a commit with these parents.
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
		c.Repair, c.Why = RepairDoubt, "what it merges cannot be read"
	case made == no:
		c.Repair, c.Why = RepairPutBack, "the merge was started but never committed"
	case c.Command.Commit == "":
		return Crash{} // the command makes a new merge and replaces no earlier commit
	case j.head.Author != c.Lost.Author:
		c.Repair, c.Why = RepairDoubt, "it is not known whether the merge was made"
	case c.Command.Edit && sameMessage(j.head, c.Lost):
		c.Repair, c.To, c.Why = RepairRewind, j.head.Parents[0], "it is committed, but what was asked for there was not done"
	default:
		c.Repair, c.Why = RepairRecord, "it is committed but not recorded"
	}
	return c
}

// merges reports whether HEAD is a merge of exactly the commits that a merge command names.
func (j *diagnosis) merges(m ongoing.Command) answer {
	names, _, _ := strings.Cut(m.Arg, " # ")
	var others []object.ID
	for name := range strings.FieldsSeq(names) {
		c, err := j.repo.Objects.Commit(j.ctx, "refs/rewritten/"+name)
		if err != nil { // the name is not a label of the rebase itself
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
