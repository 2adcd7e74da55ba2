package gitops

import (
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/ongoing"
)

// answer is what a look at evidence gives.
type answer int

const (
	unsure answer = iota
	yes
	no
)

// rebase judges a rebase of git's default kind, which notes a command as done before it carries it out.
func (j *judging) rebase() Crash {
	if c, ok := j.unbegun(); ok {
		return c
	}
	if f, ok := j.finishing(); ok && j.branch == j.o.Branch {
		return f // HEAD is back on its branch: nothing of the list is open, whatever git's notes still tell
	}
	if c, ok := j.unlisted(); ok {
		return c
	}
	if j.o.Stop != ongoing.StopMidway {
		return Crash{}
	}
	c := j.command()
	if c.Mend == MendNothing || c.Mend == MendRecord {
		if f, ok := j.finishing(); ok {
			return f
		}
	}
	return c
}

// unbegun: the list is written, and HEAD was never moved to where the rebase begins.
func (j *judging) unbegun() (Crash, bool) {
	start := j.o.Onto
	if n := len(j.o.Done); n > 0 { // commits that need no work are noted as done before HEAD is moved
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
	return Crash{Mend: MendBegin, To: start, Why: "HEAD is where it was before the rebase"}, true
}

// unlisted: git wrote the list of what comes without a line, and died before it noted that line as begun.
func (j *judging) unlisted() (Crash, bool) {
	all := ongoing.ParseCommands(j.file("git-rebase-todo.backup"))
	if !j.fewer(all) || !j.editedBefore() {
		return Crash{}, false
	}
	n := len(j.o.Done)
	if len(all) != n+1+len(j.o.Todo) || !sameCommands(all[:n], j.o.Done) || !sameCommands(all[n+1:], j.o.Todo) {
		return j.shorter(all), true
	}
	c := Crash{Mend: MendPutBack, Command: all[n], Unlisted: true, Why: "it is in none of git's lists any more"}
	if all[n].Commit != "" {
		x, err := j.repo.Objects.Commit(j.ctx, all[n].Commit)
		if err != nil {
			return doubt("the commit " + all[n].Commit + " cannot be read"), true
		}
		c.Lost = x
	}
	return c, true
}

// fewer: git's lists hold one line less than it counted. Until a rebase stops for the first time, older versions of git
// count empty lines and comments as well, which --update-refs and --rebase-merges put into every list.
func (j *judging) fewer(all []ongoing.Command) bool {
	commands := slices.Concat(j.o.Done, j.o.Todo)
	switch strings.Count(j.file("done")+j.file("git-rebase-todo"), "\n") {
	case j.o.Of - 1:
		return true
	case j.o.Of: // every line is there, or one empty line stands in for the command that is not: git writes "done" last
		return len(commands) == j.o.Of-1 && !sameCommands(all, commands) && j.modified("git-rebase-todo").After(j.modified("done"))
	}
	return j.o.Of > 0 && len(commands) == j.o.Of-1
}

// shorter: a line of a list that the user had changed is missing. Git keeps only the list as it was before that:
// a commit of it that is in no list now may be the one, but not with which command.
func (j *judging) shorter(all []ongoing.Command) Crash {
	c := doubt("a line of its list is missing since the kill, and nothing tells for sure which one")
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

// editedBefore: the user has not changed the list since the last step; git keeps a copy when he does.
// Before its first step git notes how many there are.
func (j *judging) editedBefore() bool {
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

// finishing: every command is carried out and the branch is moved; git would refuse to move it once more.
func (j *judging) finishing() (Crash, bool) {
	if len(j.o.Todo) > 0 || j.o.Branch == "" {
		return Crash{}, false
	}
	at, err := j.repo.Refs.Ref(j.ctx, j.o.Branch)
	if err != nil || at != j.head.ID || at == j.o.Orig {
		return Crash{}, false
	}
	return Crash{Mend: MendFinish, To: at, Why: "the branch is moved already"}, true
}

// command judges the command that was noted last.
func (j *judging) command() Crash {
	c := Crash{Command: j.o.Now}
	if len(j.o.Todo) > 0 && j.o.Todo[0].Line == j.o.Now.Line && j.o.Now.Commit != "" {
		return Crash{} // put back already
	}
	switch c.Command.Name {
	case "label", "reset", "update-ref":
		c.Mend, c.Why = MendPutBack, "it may not have been carried out, and can be repeated"
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
		c.Mend, c.Why = MendPutBack, "it was started and never committed"
	case unsure:
		c.Mend, c.Why = MendDoubt, "whether it was committed cannot be told"
	case yes:
		c.Mend, c.Why = MendRecord, "it is committed and not noted"
		asked := c.Command.Name == "edit" || c.Command.Name == "reword" && sameMessage(j.head, x)
		if asked && len(j.head.Parents) > 0 {
			c.Mend, c.To, c.Why = MendRewind, j.head.Parents[0], "it is committed, and what was asked for there was not done"
		}
	}
	return c
}

// rewritten reads git's note of which commit became which; the last one made is where HEAD was after it.
func (j *judging) rewritten() (olds []string, last string) {
	for line := range strings.Lines(j.file("rewritten-list")) {
		if f := strings.Fields(line); len(f) == 2 {
			olds, last = append(olds, f[0]), f[1]
		}
	}
	return append(olds, strings.Fields(j.file("rewritten-pending"))...), last
}

func (j *judging) recorded(id object.ID) bool {
	olds, _ := j.rewritten()
	return slices.Contains(olds, string(id))
}

// landed reports whether HEAD is what the last command made of x.
func (j *judging) landed(x object.Commit) answer {
	olds, last := j.rewritten()
	pending := j.file("rewritten-pending") != ""
	switch {
	case j.head.ID == x.ID:
		return yes // nothing had to be done but to move HEAD
	case !pending && string(j.head.ID) == last, len(olds) == 0 && j.head.ID == j.o.Onto:
		return no // HEAD is where the commit before it left it
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

// melded: a squash or fixup leaves the author of the commit that it adds to, so that only content and git's own log tell.
func (j *judging) melded(x object.Commit, in answer) answer {
	if in == yes && !isEmpty(j.ctx, j.repo, x) && j.byReflog() {
		return yes
	}
	return unsure
}

// byReflog: the newest entry of HEAD's log is of the command that was begun last.
func (j *judging) byReflog() bool {
	text, err := j.repo.Line(j.ctx, "log", "-g", "-1", "--format=%gs", "HEAD", "--")
	return err == nil && strings.Contains(text, "("+j.o.Now.Name+"):")
}

// madeMerge judges a merge command of a rebase that keeps merges. Git's log of HEAD does not tell (older ones name the
// command before it there); the parents do: nothing but this command makes a commit whose further parents are what it merges.
func (j *judging) madeMerge(c Crash) Crash {
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
		c.Mend, c.Why = MendDoubt, "what it merges cannot be read"
	case made == no:
		c.Mend, c.Why = MendPutBack, "the merge was started and never committed"
	case c.Command.Commit == "":
		return Crash{} // a new merge, which stands for no commit of before
	case j.head.Author != c.Lost.Author:
		c.Mend, c.Why = MendDoubt, "whether the merge was made cannot be told"
	case c.Command.Edit && sameMessage(j.head, c.Lost):
		c.Mend, c.To, c.Why = MendRewind, j.head.Parents[0], "it is committed, and what was asked for there was not done"
	default:
		c.Mend, c.Why = MendRecord, "it is committed and not noted"
	}
	return c
}

// merges reports whether HEAD joins to its first parent exactly what a merge command names.
func (j *judging) merges(m ongoing.Command) answer {
	names, _, _ := strings.Cut(m.Arg, " # ")
	var others []object.ID
	for name := range strings.FieldsSeq(names) {
		c, err := j.repo.Objects.Commit(j.ctx, "refs/rewritten/"+name)
		if err != nil { // not one of the rebase's own labels
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

// sameMessage compares messages apart from blanks at the end, which git cleans away.
func sameMessage(a, b object.Commit) bool {
	return strings.TrimSpace(a.Message) == strings.TrimSpace(b.Message)
}
