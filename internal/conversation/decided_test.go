package conversation

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/internal/agents/session"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/handler"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/screen/advice"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/gitops"
	"github.com/git-resume/git-resume/internal/tasks"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// TestDecided compares testdata/decided.txt with what "git resume" decides today. Only this file knows which functions decide.
func TestDecided(t *testing.T) {
	t.Parallel()
	gittest.Table(t, "testdata/decided.txt", map[string]func(*testing.T, []string) string{
		"each finding alone":           alone,
		"a run of ours":                ownRun,
		"another system's work":        otherWork,
		"git's own operations":         operationOf,
		"which work, without a name":   whichOf,
		"what --wait waits for":        waitOf,
		"flags that do not fit":        unfit,
		"who says no, and who is sure": atWorkOf,
	})
}

var tableNow = time.Date(2026, 11, 19, 12, 0, 0, 0, time.UTC)

// reader is a person who reads every question, and answers none, or the first.
type reader struct {
	typist
	terminal bool
}

func (p *reader) CanAnswer() bool { return p.terminal }

func (p *reader) Screen() page.Page { return page.Page{Err: &p.screen, Out: io.Discard, Now: tableNow} }

// asked returns the keys of the last question that was asked, with the default answer in capitals or in parentheses, or "".
func (p *reader) asked() string {
	all := regexp.MustCompile(`\[([^\]]*), \? for help\] *(\(\d+\))?`).FindAllStringSubmatch(p.screen.String(), -1)
	if len(all) > 0 {
		m := all[len(all)-1]
		return strings.TrimSpace("[" + m[1] + "] " + m[2])
	}
	return ""
}

// offered returns the numbered choices of the question.
func (p *reader) offered() string {
	var ways []string
	for _, m := range regexp.MustCompile(`(?m)^ +(\d+) +(?:. )?(\S+)`).FindAllStringSubmatch(p.screen.String(), -1) {
		ways = append(ways, m[1]+" "+m[2])
	}
	if len(ways) == 0 {
		return ""
	}
	return ": " + strings.Join(ways, " | ")
}

// commandLine reads a command such as "git resume api --skip=build", and where it is given: at a terminal, where the first answer may be
// known, as in "terminal: abort", or in a script.
func commandLine(t *testing.T, line, where string) (*Talk, *reader, string) {
	const top, git = "/no/such/folder", "/no/such/folder/.git"
	repo := gitstate.Open(locate.Place{GitDir: git, CommonDir: git, WorkTree: top}, []string{"HOME=" + top, "GIT_CONFIG_NOSYSTEM=1"})
	now := func() time.Time { return tableNow }
	where, answer, answered := strings.Cut(where, ": ")
	p := &reader{terminal: where == "terminal"}
	if answered {
		p.lines = []string{answer}
	}
	if !p.terminal && where != "script" {
		t.Fatalf("the command is given at '%s', not at a terminal or in a script", where)
	}
	talk := &Talk{
		Context: t.Context(), Person: p, Clock: now,
		Engine: handler.New(site.Site{Repo: repo, Store: &journal.Store{Repo: repo, Now: now, Nonce: "n1"}, Now: now, PID: 1, Getenv: func(string) string { return "" }}),
	}
	words := strings.Fields(strings.TrimPrefix(line, "git resume"))
	given := ""
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		if !strings.HasPrefix(word, "-") {
			given = word
			continue
		}
		name, value, _ := strings.Cut(cmp.Or(map[string]string{"-y": "--yes", "-n": "--dry-run"}[word], word), "=")
		parts := strings.Split(strings.TrimPrefix(name, "--"), "-")
		for i := range parts {
			parts[i] = strings.ToUpper(parts[i][:1]) + parts[i][1:]
		}
		f := reflect.ValueOf(&talk.Options).Elem().FieldByName(strings.Join(parts, ""))
		switch {
		case !f.IsValid():
			t.Fatalf("there is no option %s", word)
		case f.Kind() == reflect.Bool:
			f.SetBool(true)
		case f.Kind() == reflect.Struct:
			f.Set(reflect.ValueOf(TaskFlag{On: true, Task: value}))
		default:
			f.SetString(words[0])
			words = words[1:]
		}
	}
	return talk, p, given
}

// facts reads what is known about a run or about other systems' work.
type facts struct {
	t *testing.T
	a *assess.Assessment
}

func factsOf(t *testing.T, cell string) *assess.Assessment {
	a := &assess.Assessment{Silent: 10 * time.Minute, Stale: 14 * 24 * time.Hour, Point: tasks.Step{Kind: tasks.StepRun, Task: plan.Task{ID: "build", Run: "make"}}}
	a.Summary = candidate.Summary{State: checkpoint.Interrupted, Run: checkpoint.Run{
		ID: "api-k3f9", Name: "api", Branch: "refs/heads/resume/api", Base: checkpoint.Base{Name: "main"}, Admin: "api-k3f9", LastAt: tableNow.Add(-10 * time.Minute),
		Tasks: []checkpoint.Task{{ID: "schema", State: checkpoint.Done, LastSeq: 1}, {ID: "build", State: checkpoint.Pending}, {ID: "deploy", State: checkpoint.Pending}},
	}}
	a.Plan = plan.Plan{Tasks: []plan.Task{{ID: "schema", Run: "make schema"}, {ID: "build", Run: "make"}, {ID: "deploy", Run: "make deploy", Needs: []string{"build"}}}}
	a.Tree.Path, a.Summary.Run.Head = "/api", "c2c2c2c2"
	x := facts{t, a}
	for word := range strings.SplitSeq(cell, ", ") {
		x.add(word)
	}
	a.Age, a.Verdict = candidate.AgeOf(a.Silent, a.Alone()), assess.VerdictOf(a.Findings)
	return a
}

var severities = map[string]candidate.Severity{"info": candidate.Info, "warning": candidate.Warning, "blocking": candidate.Blocking}

func (x facts) add(word string) {
	first, rest, _ := strings.Cut(word, " ")
	if severity, ok := severities[first]; ok {
		x.finding(severity, rest)
		return
	}
	if silent, ok := strings.CutPrefix(word, "silent "); ok {
		x.a.Silent = days(x.t, silent)
		return
	}
	if offers, ok := strings.CutPrefix(word, "offers "); ok {
		for name := range strings.FieldsSeq(offers) {
			x.a.Summary.Found.Alternatives = append(x.a.Summary.Found.Alternatives, sources.Alternative{Name: sources.NamedByPeople(name), Text: "do it"})
		}
		return
	}
	if state, ok := strings.CutPrefix(word, "auto-claude:005 "); ok {
		x.a.Summary.Found = &sources.Found{Source: "auto-claude", ID: "005", State: sources.State(state)}
		x.a.Summary.Run.Source, x.a.Summary.Run.SourceID, x.a.Point = "auto-claude", "005", tasks.Step{Kind: tasks.StepReport}
		return
	}
	a, r := x.a, &x.a.Summary.Run
	do, ok := map[string]func(){
		"-": func() {}, "the next task has no command": func() { a.Point = tasks.Step{Kind: tasks.StepReport, Task: plan.Task{ID: "build"}} },
		"build failed 3 times":        func() { r.Tasks[1].State, r.Tasks[1].Attempts = checkpoint.Failed, 3 },
		"build is interrupted":        func() { r.Tasks[1].State, a.Interrupted = checkpoint.Active, &r.Tasks[1] },
		"uncommitted work is saved":   func() { a.Snapshot.ID, a.Snapshot.Paths = "5a5a5a", []string{"api.go"} },
		"deploy needs no answer":      func() { a.Plan.Tasks[2].Needs = nil },
		"tasks work side by side":     func() { r.Places = append(r.Places, checkpoint.Place{N: 1}) },
		"no common ancestor":          func() { a.Conflicts = nil },
		"schema is kept":              func() { a.Survivor, a.Redo = "c1c1c1", 2 },
		"nothing is kept":             func() { a.Survivor, a.Redo = "", 0 },
		"started with --mode auto":    func() { r.Mode = "auto" },
		"started with --preflight":    func() { r.Mode = "preflight" },
		"called by its worker":        func() { a.Below = true },
		"its worktree must be made":   func() { a.Repairs = append(a.Repairs, assess.RepairRecreate) },
		"begun elsewhere":             func() { r.Lack = checkpoint.LackRoot },
		"its driver lives":            func() { r.Driver, a.Summary.Life.Driver = &checkpoint.Actor{PID: 7}, proc.Alive },
		"process 4711 of it lives":    func() { a.Summary.Life.TaskLock, a.Summary.Life.TaskPIDs = true, []int{4711} },
		"resumed by the last event":   func() { r.LastEvent = checkpoint.RunResumed },
		"somebody may be at work":     func() { a.Summary.Busy = "its state changed" },
		"its files ask for preflight": func() { a.Summary.Found.Mode = "pre-flight" },
		"its files ask for auto":      func() { a.Summary.Found.Mode = "auto" },
		"it has a worktree":           func() { a.Summary.Found.Worktree, a.Summary.Found.Branch = "/005", "refs/heads/005" },
		"its own check differs":       func() { x.finding(candidate.Warning, sources.DoubtOwnCheck) },
	}[word]
	if !ok {
		x.t.Fatalf("the table does not know '%s'", word)
	}
	do()
}

// finding adds a finding, and the facts that always come with it.
func (x facts) finding(severity candidate.Severity, code string) {
	code, how, _ := strings.Cut(code, " ")
	a, r := x.a, &x.a.Summary.Run
	f := candidate.Finding{Code: candidate.Code(code), Severity: severity, Note: candidate.Note{Case: candidate.Case(code)}, Said: "so it is"}
	switch f.Code {
	case candidate.FindConflict, candidate.FindCannotTell:
		c := conflicts.Conflict{Path: "api.go", Ours: conflicts.Side{Commits: []conflicts.Commit{{}}}}
		if how == "uncommitted" {
			c.Ours = conflicts.Side{Uncommitted: true}
		}
		a.Conflicts, f.Path = &conflicts.Report{Conflicts: []conflicts.Conflict{c}}, c.Path
	case candidate.FindPartly:
		r.Tasks[1].State, a.Interrupted, f.Note.Facts.Task = checkpoint.Active, &r.Tasks[1], "build"
	case candidate.FindQuestion:
		r.Tasks[1].State, r.Tasks[1].Question, r.Tasks[1].Options = checkpoint.Blocked, "Which?", []string{"a", "b"}
		if found := a.Summary.Found; found != nil {
			found.Questions = []sources.Question{{Text: "Which?"}}
		}
	case candidate.FindOperation:
		a.Tree.Operation, a.Tree.Admin = ongoing.Rebase, "/main/.git/worktrees/api"
	case candidate.FindRestore:
		a.Restore = &site.HalfRestored{Unfinished: &snapshot.Unfinished{Run: "api-k3f9", Number: 3}, Tree: "/api"}
	case candidate.FindTreePlace:
		a.Link = "/link"
	}
	a.Findings = append(a.Findings, f)
}

// days reads a duration such as 30m, 5h or 14d.
func days(t *testing.T, text string) time.Duration {
	if n, err := strconv.Atoi(strings.TrimSuffix(text, "d")); err == nil && strings.HasSuffix(text, "d") {
		return time.Duration(n) * 24 * time.Hour
	}
	d, err := time.ParseDuration(text)
	gittest.NoError(t, "read a duration", err)
	return d
}

// alone decides about a run with one finding, for each of the modes in which the command can be given.
func alone(t *testing.T, cells []string) string {
	columns := []string{
		"git resume | terminal", "git resume | script", "git resume --auto | script", "git resume --preflight | terminal", "git resume -y | script", "git resume --auto -y | script",
	}
	var out strings.Builder
	for _, c := range columns {
		line, where, _ := strings.Cut(c, " | ")
		said := ownRun(t, []string{cells[0], line + " api", where})
		said, _, _ = strings.Cut(said, ";")
		fmt.Fprintf(&out, "%-20s", strings.Join(strings.Fields(said)[:min(2, len(strings.Fields(said)))], " "))
	}
	return strings.TrimSpace(out.String())
}

// usage returns what is wrong with a command line.
func usage(err error) string {
	var wrong *exit.UsageError
	if errors.As(err, &wrong) {
		return "refused 129"
	}
	return fmt.Sprintf("refused %d", advice.Code(err))
}

// ownRun decides about a run of ours.
func ownRun(t *testing.T, cells []string) string {
	a := factsOf(t, cells[0])
	talk, p, given := commandLine(t, cells[1], cells[2])
	w, err := own{talk}.wish(given != "")
	if err != nil {
		return usage(err)
	}
	a.Preflighted = w.Mode == assess.Preflight // the report is shown first
	if (own{talk}).onlyBriefs(a, w) {
		return "print the brief"
	}
	w = own{talk}.recorded(a, w)
	var aim target
	if err := (own{talk}).aim(a, &w, &aim); err != nil {
		return usage(err)
	}
	d := assess.Decide(a, w)
	d.Given = talk.Options.given()
	choice := resume.Choice{Mode: w.Mode, From: talk.Options.From, Skip: aim.skip != ""}
	choice.Execute.Doubt = w.Doubt
	if d.Why == assess.WhyWaiting && !choice.Skip {
		err = continuing{talk}.waiting(a, &choice)
	} else {
		_, err = continuing{talk}.decideWithUser(a, d, &choice)
	}
	return answerOf(p, a, d, err, string(w.Doubt))
}

// answerOf says what was decided: to continue, to ask with these keys, or to stop with this exit code, for this reason and with these ways on.
func answerOf(p *reader, a *assess.Assessment, d assess.Decision, err error, with string) string {
	why := ""
	if len(d.Reasons) > 0 && d.Action != assess.Go {
		why = string(d.Reasons[0].Case)
	}
	if keys := p.asked(); keys != "" {
		return strings.TrimSuffix("ask "+keys+"; "+why, "; "+string(assess.ReasonVerdict)) + p.offered()
	}
	var code exit.Code
	switch {
	case errors.As(err, &code):
		out := fmt.Sprintf("stop %d; %s", code, why)
		var ways []string
		for _, w := range advice.Ways(a, d) {
			ways = append(ways, short(w[0]))
		}
		if len(ways) == 0 && d.Flag != "" {
			ways = append(ways, short(d.Flag))
		}
		if len(ways) > 0 {
			out += ": " + strings.Join(ways, " | ")
		}
		return out
	case err != nil:
		return usage(err)
	}
	if d.Takeover {
		return "take it over and look again"
	}
	return strings.TrimSpace("continue " + with)
}

// short leaves out of a command what is the same in all of them: the program and the name of the work.
func short(command string) string {
	words := slices.DeleteFunc(strings.Fields(strings.TrimPrefix(command, "git resume")), func(w string) bool { return w == "api-k3f9" || w == "auto-claude:005" })
	return cmp.Or(strings.Join(words, " "), "git resume")
}

// otherWork decides about work that another system started.
func otherWork(t *testing.T, cells []string) string {
	a := factsOf(t, cells[0])
	talk, p, given := commandLine(t, cells[1], cells[2])
	w, err := own{talk}.wish(given != "")
	if err != nil {
		return usage(err)
	}
	if name := sources.NamedByPeople(talk.Options.Choose); name != "" {
		w.Alternative = name
	}
	w = talk.Options.recordedElsewhere(a, w)
	a.Preflighted = w.Mode == assess.Preflight
	d := assess.Decide(a, w)
	d.Given = talk.Options.given()
	choice := resume.Choice{Mode: w.Mode}
	name, err := foreign{talk}.chosenWay(a, d, w, &choice)
	return answerOf(p, a, d, err, "by "+sources.ShownName(name))
}

// atWorkOf decides whether a change may be made although somebody may be at work.
func atWorkOf(t *testing.T, cells []string) string {
	a := factsOf(t, "auto-claude:005 interrupted, "+cells[0])
	talk, p, _ := commandLine(t, cells[1], cells[2])
	err := foreign{talk}.confirmAtWork(a)
	if keys := p.asked(); keys != "" {
		return "ask " + keys
	}
	if err != nil {
		return usage(err)
	}
	return "do it"
}

// operationOf decides about an unfinished operation of git.
func operationOf(t *testing.T, cells []string) string {
	o := &gitops.State{Life: proc.Dead}
	o.Dir = "rebase-merge"
	for word := range strings.SplitSeq(cells[0], ", ") {
		operationFact(t, o, word)
	}
	talk, p, given := commandLine(t, cells[1], cells[2])
	w, err := own{talk}.wish(given != "")
	gittest.NoError(t, "read the command", err)
	req, err := operations{talk}.operating(o, talk.Options.Choose, w)
	var code exit.Code
	switch keys := p.asked(); {
	case keys != "":
		return "ask " + keys
	case errors.As(err, &code) && p.screen.Len() == 0:
		return fmt.Sprintf("stop %d", code)
	case errors.As(err, &code):
		return fmt.Sprintf("stop %d: %s", code, wayNames(o))
	case err != nil:
		return usage(err)
	}
	return "do " + req.Choice
}

func operationFact(t *testing.T, o *gitops.State, word string) {
	all := ongoing.Ways{Continue: []string{"x", "--continue"}, Skip: []string{"x", "--skip"}, Abort: []string{"x", "--abort"}, Quit: []string{"x", "--quit"}}
	kinds := map[string]func(){
		"rebase":            func() { o.Op, o.Ongoing.Ways = ongoing.Rebase, all },
		"rebase by patches": func() { o.Op, o.Dir, o.Ongoing.Ways = ongoing.Rebase, "rebase-apply", all },
		"am":                func() { o.Op, o.Dir, o.Ongoing.Ways = ongoing.Am, "rebase-apply", all },
		"cherry-pick":       func() { o.Op, o.Dir, o.Ongoing.Ways = ongoing.CherryPick, "", all },
		"revert of several": func() { o.Op, o.Dir, o.Ongoing.Ways = ongoing.Revert, "sequencer", all },
		"merge": func() {
			o.Op, o.Dir, o.Ongoing.Ways = ongoing.Merge, "", ongoing.Ways{Continue: all.Continue, Abort: all.Abort, Quit: all.Quit}
		},
		"squash merge": func() {
			o.Op, o.Dir, o.Ongoing.Ways = ongoing.SquashMerge, "", ongoing.Ways{Continue: all.Continue, Abort: all.Abort}
		},
		"merge of notes": func() {
			o.Op, o.Dir, o.Ongoing.Ways = ongoing.NotesMerge, "", ongoing.Ways{Continue: all.Continue, Abort: all.Abort}
		},
		"bisect": func() { o.Op, o.Dir, o.Stop, o.Ongoing.Ways = ongoing.Bisect, "", ongoing.StopQuestion, all },
		"lock file": func() {
			o.Op, o.Dir, o.Stop, o.Files = ongoing.StaleLock, "", ongoing.StopLeft, []string{"/index.lock"}
		},
		"filter-branch": func() {
			o.Op, o.Dir, o.Stop, o.Files = ongoing.FilterBranch, "", ongoing.StopLeft, []string{"/.git-rewrite"}
		},
		"worktree half made": func() { o.Op, o.Dir, o.Stop = ongoing.HalfWorktree, "", ongoing.StopLeft },

		"process alive": func() { o.Life = proc.Alive }, "process unknown": func() { o.Life = proc.Unknown }, "lock files left": func() { o.Files = []string{"/index.lock"} },
		"2 paths unresolved": func() { o.Stop, o.Unmerged = ongoing.StopConflict, []string{"a", "b"} }, "whole": func() { o.Whole = true }, "first bad commit found": func() { o.Found = true },
		"a commit would be lost": func() { o.Crash = gitops.Crash{Repair: gitops.RepairPutBack, Command: ongoing.Command{Commit: "c1"}} },
		"a step would be missed": func() { o.Crash = gitops.Crash{Repair: gitops.RepairRewind} }, "in doubt": func() { o.Crash = gitops.Crash{Repair: gitops.RepairDoubt} },
		"in doubt about a commit": func() { o.Crash = gitops.Crash{Repair: gitops.RepairDoubt, Unlisted: true} }, "its commit is made": func() { o.Crash = gitops.Crash{Repair: gitops.RepairSkip} },
		"only its end is missing": func() { o.Crash = gitops.Crash{Repair: gitops.RepairFinish} }, "its message is missing": func() { o.Crash = gitops.Crash{Repair: gitops.RepairMessage} },
		"its commit would be empty": func() { o.Crash = gitops.Crash{Empty: true} }, "it will try again": func() {
			o.Now = ongoing.Command{Name: "pick", Line: "pick c1", Commit: "c1"}
			o.Todo = []ongoing.Command{o.Now}
		},
		"its branch is not known": func() { o.Unnoted = true }, "it is done": func() { o.Ended = ongoing.EndedDone }, "it was aborted": func() { o.Ended = ongoing.EndedBack },
	}
	if stop, ok := strings.CutPrefix(word, "stopped: "); ok {
		o.Stop = ongoing.Stop(stop)
		return
	}
	do, ok := kinds[word]
	if !ok {
		t.Fatalf("the table does not know '%s'", word)
	}
	do()
}

// whichOf chooses among the work that there is. Each entry is a name, its state and more facts, as in "api interrupted warning paused".
func whichOf(t *testing.T, cells []string) string {
	talk, p, _ := commandLine(t, cells[1], cells[2])
	w, err := own{talk}.wish(false)
	gittest.NoError(t, "read the command", err)
	var all []candidate.Summary
	looked := map[candidate.Key]*assess.Assessment{}
	for entry := range strings.SplitSeq(cells[0], "; ") {
		head, more, _ := strings.Cut(entry, " with ")
		fields := strings.Fields(head)
		a := factsOf(t, cmp.Or(strings.ReplaceAll(more, " and ", ", "), "-"))
		s := &a.Summary
		s.Run.ID, s.Run.Name, s.State, s.Listed = checkpoint.RunID(fields[0]), fields[0], checkpoint.State(fields[1]), true
		s.Run.Paused = s.State == checkpoint.Paused
		if source, id, other := strings.Cut(fields[0], ":"); other {
			s.Found, s.Path = &sources.Found{Source: source, ID: id, State: sources.Interrupted}, "/elsewhere"
		}
		for _, word := range fields[2:] {
			switch word {
			case "old":
				s.Listed = false
			case "here":
				s.Run.Here, s.Run.Admin, s.Path = true, site.MainAdmin, talk.Engine.Repo.WorkTree
			case "elsewhere":
				s.Run.Lack = checkpoint.LackRoot
			case "unbegun":
				s.Run.Tasks = nil
			default:
				t.Fatalf("the table does not know '%s'", word)
			}
		}
		all, looked[s.Key()] = append(all, *s), a
	}
	key, err := finding{talk}.among(all, w, func(k candidate.Key) (*assess.Assessment, error) { return looked[k], nil })
	var several *candidate.AmbiguousError
	var elsewhere *candidate.ElsewhereOnlyError
	names := func(runs []candidate.Summary) string {
		var out []string
		for _, s := range runs {
			out = append(out, string(s.Run.ID))
		}
		return strings.Join(out, ", ")
	}
	switch keys := p.asked(); {
	case keys != "":
		return "ask " + keys + p.offered()
	case errors.As(err, &several) && several.Others:
		return "only if it is named: " + names(several.Runs)
	case errors.As(err, &several):
		return "name one of " + names(several.Runs)
	case errors.As(err, &elsewhere):
		return "none is ours: " + names(elsewhere.Runs)
	case err != nil:
		return err.Error()
	case key == "":
		return "none"
	}
	return string(key)
}

func waitOf(t *testing.T, cells []string) string {
	s := &factsOf(t, "-").Summary
	s.Life.Driver = proc.Dead
	for word := range strings.SplitSeq(cells[0], ", ") {
		if until, ok := strings.CutPrefix(word, "its agent's limit ended "); ok {
			s.Session = &session.Known{Turn: checkpoint.Turn{Cause: checkpoint.TurnQuota}, Until: tableNow.Add(-days(t, until))}
			continue
		}
		if until, ok := strings.CutPrefix(word, "its agent's limit ends in "); ok {
			s.Session = &session.Known{Turn: checkpoint.Turn{Cause: checkpoint.TurnQuota}, Until: tableNow.Add(days(t, until))}
			continue
		}
		if until, ok := strings.CutPrefix(word, "build failed until in "); ok {
			s.State, s.Run.Tasks[1].State, s.Run.Tasks[1].Until = checkpoint.FailedRun, checkpoint.Failed, tableNow.Add(days(t, until)).Format(time.RFC3339)
			continue
		}
		if word == "its driver lives" {
			s.Life.Driver = proc.Alive
			continue
		}
		s.State = checkpoint.State(word)
	}
	on, waits := waitingFor(s, tableNow)
	switch {
	case !waits:
		return "nothing"
	case on.Until.IsZero():
		return "whoever works on it"
	}
	return "the time in " + on.Until.Sub(tableNow).String()
}

func unfit(t *testing.T, cells []string) string {
	talk, _, given := commandLine(t, cells[0], "script")
	w, err := own{talk}.wish(given != "")
	if err != nil {
		return usage(err)
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s", w.Mode, w.Doubt))
}
