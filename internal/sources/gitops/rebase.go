package gitops

import (
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/ongoing"
)

// answer is the result of a check of the evidence.
type answer int

const (
	unsure answer = iota
	yes
	no
)

// rebase judges a rebase of git's default kind, which records a command as done before carrying it out.
func (j *diagnosis) rebase() Crash {
	if c, ok := j.unbegun(); ok {
		return c
	}
	if f, ok := j.finishing(); ok && j.branch == j.o.Branch {
		return f // HEAD is back on its branch: the list is finished, even if git's notes still say otherwise
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

// unbegun finds a rebase whose list is written, but whose HEAD was never moved to the start.
func (j *diagnosis) unbegun() (Crash, bool) {
	start := j.o.Onto
	if n := len(j.o.Done); n > 0 { // git records commits that need no work as done before it moves HEAD
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

// unlisted finds a line that git had removed from the list of open commands, but not yet added to the list of done ones when it died.
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

// fewer reports whether git's lists have one line less than git counted. Until a rebase stops for the first time, older versions
// of git also count empty lines and comments, which --update-refs and --rebase-merges put into every list.
func (j *diagnosis) fewer(all []ongoing.Command) bool {
	commands := slices.Concat(j.o.Done, j.o.Todo)
	switch strings.Count(j.file("done")+j.file("git-rebase-todo"), "\n") {
	case j.o.Of - 1:
		return true
	case j.o.Of: // all lines are there, or an empty line makes up for the missing command; git writes "done" last
		return len(commands) == j.o.Of-1 && !sameCommands(all, commands) && j.modified("git-rebase-todo").After(j.modified("done"))
	}
	return j.o.Of > 0 && len(commands) == j.o.Of-1
}

// shorter judges a missing line in a list that the user had changed. Git keeps only the list from before that change:
// a commit that was in it and is in no list now may be the missing one, but its command is not known.
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

// editedBefore reports whether the user has not changed the list since the last step: git keeps a copy whenever the user does.
// Before the first step, the file with the number of commands gives the time.
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

// finishing finds a rebase that has carried out every command and moved the branch; git would refuse to move it again.
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

// command judges the command that git recorded last.
func (j *diagnosis) command() Crash {
	c := Crash{Command: j.o.Now}
	if len(j.o.Todo) > 0 && j.o.Todo[0].Line == j.o.Now.Line && j.o.Now.Commit != "" {
		return Crash{} // it is put back already
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

// rewritten reads git's record of which commit became which; last is the newest result, where HEAD was at that time.
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

// landed reports whether HEAD is the result of the last command for x.
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

// melded judges a squash or fixup: it keeps the author of the commit that it is added to, so only the content and git's reflog can show it.
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

// madeMerge judges a merge command of a rebase that keeps merges. The reflog of HEAD does not help (older versions of git name the
// command before it there), but the parents do: only this command makes a commit whose other parents are what the command merges.
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
		return Crash{} // a new merge, which replaces no earlier commit
	case j.head.Author != c.Lost.Author:
		c.Repair, c.Why = RepairDoubt, "it is not known whether the merge was made"
	case c.Command.Edit && sameMessage(j.head, c.Lost):
		c.Repair, c.To, c.Why = RepairRewind, j.head.Parents[0], "it is committed, but what was asked for there was not done"
	default:
		c.Repair, c.Why = RepairRecord, "it is committed but not recorded"
	}
	return c
}

// merges reports whether the parents of HEAD after the first are exactly the commits that a merge command names.
func (j *diagnosis) merges(m ongoing.Command) answer {
	names, _, _ := strings.Cut(m.Arg, " # ")
	var others []object.ID
	for name := range strings.FieldsSeq(names) {
		c, err := j.repo.Objects.Commit(j.ctx, "refs/rewritten/"+name)
		if err != nil { // not a label of the rebase itself
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

// sameMessage compares messages but ignores white space at the ends, because git removes it.
func sameMessage(a, b object.Commit) bool {
	return strings.TrimSpace(a.Message) == strings.TrimSpace(b.Message)
}
