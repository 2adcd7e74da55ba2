package assess

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/internal/agents/session"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/tasks"
)

// TestDecided compares testdata/decided.txt with what is found today about one piece of work. Only this file knows which functions decide.
func TestDecided(t *testing.T) {
	t.Parallel()
	gittest.Table(t, "testdata/decided.txt", map[string]func(*testing.T, []string) string{
		"who works on a run":               workersOf,
		"the tasks of a run":               tasksOf,
		"a task that was cut off":          cutOff,
		"what both sides changed":          changedOn,
		"a run that makes no progress":     progressOf,
		"what other systems' files say":    saidOf,
		"the verdict on several findings":  verdictOn,
		"whether the brief is enough":      briefOf,
		"uncommitted work in the way":      asideOf,
		"lost commits that are done again": redoOf,
	})
}

var tableNow = time.Date(2026, 11, 19, 12, 0, 0, 0, time.UTC)

// looked makes an assessment of a run whose first task is done, and whose second task is active.
func looked() *assessor {
	repo := gitstate.Open(locate.Place{GitDir: "/no/such/.git", CommonDir: "/no/such/.git", WorkTree: "/no/such"}, []string{"HOME=/no/such", "GIT_CONFIG_NOSYSTEM=1"})
	now := func() time.Time { return tableNow }
	s := &site.Site{Repo: repo, Store: &journal.Store{Repo: repo, Now: now}, Now: now, PID: 99, Procs: proc.Table{Look: func(pid int) (proc.Process, bool) { return proc.Process{PID: pid, Start: "1"}, true }}}
	x := &assessor{Site: s, judge: &Judge{Site: s, Tasks: &tasks.Tasks{Site: s}}, a: &Assessment{Stale: 14 * 24 * time.Hour}}
	x.a.Summary.Run = checkpoint.Run{ID: "api-k3f9", LastAt: tableNow, Planned: 3, Tasks: []checkpoint.Task{
		{ID: "schema", State: checkpoint.Done, LastSeq: 1}, {ID: "build", State: checkpoint.Active, LastSeq: 2, Attempts: 1}, {ID: "deploy", State: checkpoint.Pending},
	}}
	return x
}

// told calls the functions of the phrases in a cell. A phrase such as "silent 31m" calls the function of its beginning.
func told(t *testing.T, cell string, known map[string]func(), begins map[string]func(rest string)) {
	for word := range strings.SplitSeq(cell, ", ") {
		do, ok := known[word]
		for begin, with := range begins {
			if rest, is := strings.CutPrefix(word, begin); is && !ok {
				do, ok = func() { with(rest) }, true
			}
		}
		if word == "-" {
			continue
		}
		if !ok {
			t.Fatalf("the table does not know '%s'", word)
		}
		do()
	}
}

func duration(t *testing.T, text string) time.Duration {
	if n, err := strconv.Atoi(strings.TrimSuffix(text, "d")); err == nil && strings.HasSuffix(text, "d") {
		return time.Duration(n) * 24 * time.Hour
	}
	d, err := time.ParseDuration(text)
	gittest.NoError(t, "read a duration", err)
	return d
}

// listed names findings by severity and code, and the verdict on them.
func listed(found []candidate.Finding) string {
	var out []string
	for _, f := range found {
		out = append(out, fmt.Sprintf("%s %s", f.Severity, f.Code))
	}
	if len(out) == 0 {
		out = []string{"no finding"}
	}
	return strings.Join(out, ", ") + "; " + string(VerdictOf(found))
}

func workersOf(t *testing.T, cells []string) string {
	x := looked()
	r, s := x.run(), &x.a.Summary
	fates := map[string]proc.Fate{"alive": proc.Alive, "dead": proc.Dead, "unknown": proc.Unknown}
	told(t, cells[0], map[string]func(){
		"the driver is a shell": func() { r.Driver.Shell = true }, "no task is active": func() { r.Tasks[1].State = checkpoint.Pending },
		"build failed": func() { r.Tasks[1].State = checkpoint.Failed }, "never begun": func() {
			for i := range r.Tasks {
				r.Tasks[i] = checkpoint.Task{ID: r.Tasks[i].ID, State: checkpoint.Pending}
			}
		},
		"owner lock held": func() { s.Life.OwnerLock = true }, "task lock held": func() { s.Life.TaskLock = true }, "paused": func() { r.Paused = true },
		"finished": func() { r.Finished = true }, "discarded": func() { r.Discarded = true }, "taken over": func() { r.Cause = checkpoint.CauseTaken },
		"build asks": func() { r.Tasks[1].State, r.Tasks[1].Question = checkpoint.Blocked, "Which?" }, "called by its driver": func() { x.PID = 7 },
		"called by the owner's task": func() { r.Nonce, x.Owner = "n1", "n1" },
		"a limit is not over":        func() { s.Limited, s.Session = true, &session.Known{Agent: "claude"} },
		"a line cannot be read":      func() { r.Unreadable = 1 }, "two lines with one number": func() { r.Diverged = true }, "rebuilt from commits": func() { r.Rebuilt, r.Lack = true, checkpoint.LackJournal },
		"schema was found in a commit": func() { r.Tasks[0].Found = true },
		"lent to agent/api":            func() { gittest.NoError(t, "lend", json.Unmarshal([]byte(`{"lent":{"branch":"agent/api"}}`), r)) },
	}, map[string]func(string){
		"driver ": func(f string) { r.Driver, s.Life.Driver = &checkpoint.Actor{PID: 7, Start: "1"}, fates[f] },
		"owner ":  func(f string) { r.Owner, s.Life.Owner = &checkpoint.Actor{PID: 8, Start: "1"}, fates[f] },
		"silent ": func(d string) { x.a.Silent = duration(t, d); r.LastAt = tableNow.Add(-x.a.Silent) }, "a file changed ": func(d string) { s.Life.Active = tableNow.Add(-duration(t, strings.TrimSuffix(d, " ago"))) },
		"recorded: ": func(lack string) { r.Lack = checkpoint.ProvenanceGap(lack) },
		"another clone says ": func(event string) {
			event, task, _ := strings.Cut(event, " of ")
			r.Others.Lines, r.Foreign = 1, &checkpoint.ForeignLines{Words: []checkpoint.Word{{Event: checkpoint.Kind(event), Task: checkpoint.TaskID(task)}}}
		},
	})
	s.State = checkpoint.StateOf(r, s.Life, tableNow, candidate.IdleAfter)
	x.a.Age = candidate.AgeOf(x.a.Silent, x.a.Alone())
	gittest.NoError(t, "look at the workers", runChecks{x}.checkWorkers(t.Context()))
	gittest.NoError(t, "look at the journal", runChecks{x}.journal(t.Context()))
	return string(s.State) + "; " + listed(x.a.Findings)
}

var stepNames = map[tasks.StepKind]string{
	tasks.StepFinish: "finish", tasks.StepRun: "run", tasks.StepAsk: "ask", tasks.StepReport: "report", tasks.StepConfirm: "confirm", tasks.StepStuck: "stuck",
}

func tasksOf(t *testing.T, cells []string) string {
	x := looked()
	r := x.run()
	x.a.Plan = plan.Plan{Tasks: []plan.Task{{ID: "schema", Run: "make schema"}, {ID: "build", Run: "make"}, {ID: "deploy", Run: "make deploy", Needs: []string{"build"}}}}
	x.a.NewPlan, r.Tasks[1].State = &PlanChange{}, checkpoint.Pending // the commands are approved
	told(t, cells[0], map[string]func(){
		"build is done": func() { r.Tasks[1].State = checkpoint.Done }, "build is active": func() { r.Tasks[1].State = checkpoint.Active }, "build is skipped": func() { r.Tasks[1].State = checkpoint.Skipped },
		"all are done": func() { r.Tasks[1].State, r.Tasks[2].State = checkpoint.Done, checkpoint.Done }, "build asks": func() { r.Tasks[1].State, r.Tasks[1].Question = checkpoint.Blocked, "Which?" },
		"build is a question of the plan": func() {
			x.a.Plan.Tasks[1].Run, x.a.Plan.Tasks[1].Ask, r.Tasks[1].Asks, r.Tasks[1].LastSeq = "", "Which?", true, 0
		},
		"nothing begun":  func() { r.Tasks[0].State, r.Tasks[0].LastSeq, r.Tasks[1].LastSeq = checkpoint.Pending, 0, 0 },
		"not approved":   func() { x.a.NewPlan = nil },
		"no commands":    func() { x.a.Plan.Tasks[0].Run, x.a.Plan.Tasks[1].Run, x.a.Plan.Tasks[2].Run = "", "", "" },
		"no plan":        func() { x.a.Plan, r.Tasks, r.Planned = plan.Plan{}, nil, 0 },
		"finished":       func() { r.Finished = true },
		"somebody works": func() { x.addFinding(candidate.AliveExecuted, candidate.Blocking, candidate.Facts{}) },
		"build is optional": func() {
			x.a.Plan.Tasks[1].Optional, x.a.Plan.Tasks[1].Run, x.a.Plan.Tasks[2].Needs, r.Tasks[1].Optional = true, "", nil, true
		},
		"result of schema changed": func() {
			x.a.Summary.Invalid = map[checkpoint.TaskID]candidate.Invalid{"schema": {Component: "outputs"}}
		},
	}, map[string]func(string){
		"build failed ": func(n string) {
			r.Tasks[1].State = checkpoint.Failed
			r.Tasks[1].Attempts, _ = strconv.Atoi(strings.TrimSuffix(n, " times"))
		},
		"retries ": func(n string) { x.a.Plan.Tasks[1].Retries, _ = strconv.Atoi(n) },
	})
	gittest.NoError(t, "look at the tasks", taskChecks{x}.tasks(t.Context()))
	step := taskChecks{x}.point()
	return listed(x.a.Findings) + "; next: " + strings.TrimSpace(stepNames[step.Kind]+" "+step.Task.ID)
}

func cutOff(t *testing.T, cells []string) string {
	x := looked()
	var seen tasks.Traces
	var err error
	told(t, cells[1], map[string]func(){
		"files changed": func() { seen.Changes = []string{"api.go"} }, "commits made": func() { seen.Moved = true }, "cannot be told": func() { err = errors.New("cannot read HEAD") },
	}, nil)
	spec := plan.Task{ID: "build", Run: "make"}
	if cells[0] != "-" {
		spec.OnInterrupt = plan.OnInterrupt(cells[0])
	}
	taskChecks{x}.askAbout(&x.run().Tasks[1], spec, seen, err)
	return listed(x.a.Findings)
}

func changedOn(t *testing.T, cells []string) string {
	x := looked()
	var rep conflicts.Report
	told(t, cells[0], map[string]func(){
		"a conflict":           func() { rep.Conflicts = append(rep.Conflicts, conflicts.Conflict{Path: "api.go"}) },
		"an expected conflict": func() { rep.Conflicts = append(rep.Conflicts, conflicts.Conflict{Path: "go.sum", Expected: true}) },
	}, map[string]func(string){
		"warning note ": func(code string) {
			rep.Notes = append(rep.Notes, conflicts.Note{Code: conflicts.Code(code), Severity: conflicts.Warning})
		},
		"info note ": func(code string) {
			rep.Notes = append(rep.Notes, conflicts.Note{Code: conflicts.Code(code), Severity: conflicts.Info})
		},
		"blocking note ": func(code string) {
			rep.Notes = append(rep.Notes, conflicts.Note{Code: conflicts.Code(code), Severity: conflicts.Blocking})
		},
	})
	baseChecks{x}.addFindings(rep, nil)
	return listed(x.a.Findings)
}

func progressOf(t *testing.T, cells []string) string {
	x := looked()
	x.a.Seen.Branch, x.a.Seen.Uncommitted, x.a.Seen.Saved = "c1", "t1", true
	v := &x.run().Fruitless
	v.Task, v.Standing = "build", x.a.Standing()
	told(t, cells[0], map[string]func(){
		"a commit was made": func() { x.a.Seen.Branch = "c2" }, "a file changed": func() { x.a.Seen.Uncommitted = "t2" }, "the other system's state changed": func() { x.a.Seen.Found = "f2" },
		"nothing was saved": func() { x.a.Seen.Saved = false },
	}, map[string]func(string){"continued in vain ": func(n string) { v.Times, _ = strconv.Atoi(strings.TrimSuffix(n, " times")) }})
	x.progress()
	return listed(x.a.Findings)
}

var saidSeverities = map[string]candidate.Severity{"info": candidate.Info, "warning": candidate.Warning, "blocking": candidate.Blocking}

func saidOf(t *testing.T, cells []string) string {
	x := looked()
	f := &sources.Found{Source: "auto-claude", ID: "005", State: sources.Interrupted, Alternatives: []sources.Alternative{{Name: sources.Continue}}}
	s := &x.a.Summary
	said := func(severity string) func(string) {
		return func(code string) {
			f.Doubts = append(f.Doubts, sources.Doubt{Code: code, Severity: saidSeverities[severity], Text: code})
		}
	}
	states := map[string]func(){}
	for _, state := range []sources.State{sources.Interrupted, sources.Paused, sources.Waiting, sources.Blocked, sources.Review, sources.Corrupt, sources.Failed} {
		states[string(state)] = func() { f.State = state }
	}
	for word, do := range map[string]func(){
		"somebody may be at work": func() { s.Busy = "its state changed" }, "our lock is held": func() { s.Life.OwnerLock = true }, "rebuilt": func() { f.Rebuilt = true },
		"asks": func() { f.Questions = append(f.Questions, sources.Question{Text: "Which?"}) }, "asks about the scope": func() { f.Questions = append(f.Questions, sources.Question{Text: "Which?", About: "the scope"}) },
		"asks about the next task": func() {
			f.Point.Task = "2"
			f.Questions = append(f.Questions, sources.Question{Text: "Which?", Task: "2"})
		},
		"a task is blocked":      func() { f.Questions = append(f.Questions, sources.Question{Text: "no key", Task: "3", Block: true}) },
		"offers to answer first": func() { f.Alternatives[0].Name = sources.Answer }, "offers nothing": func() { f.Alternatives = nil },
		"a file is missing": func() { f.Needs = append(f.Needs, sources.File{Path: "spec.md", Missing: true}) }, "its plan is missing": func() { f.Needs = append(f.Needs, sources.File{Path: "plan.md", Missing: true, Critical: true}) },
	} {
		states[word] = do
	}
	told(t, cells[0], states, map[string]func(string){
		"info ": said("info"), "warning ": said("warning"), "blocking ": said("blocking"), "silent ": func(d string) { x.a.Silent = duration(t, d) },
	})
	if f.State == sources.Corrupt && len(f.Doubts) > 0 {
		s.Damaged = f.Doubts[0].Whole()
	}
	s.Found, x.a.Age = f, candidate.AgeOf(x.a.Silent, x.a.Alone())
	l := foreignChecks{x, f}
	gittest.NoError(t, "look at the workers", l.checkWorkers(t.Context()))
	gittest.NoError(t, "look at the state", l.state(t.Context()))
	return listed(x.a.Findings)
}

func findingsOf(t *testing.T, cell string) (out []candidate.Finding) {
	for word := range strings.SplitSeq(cell, ", ") {
		severity, code, _ := strings.Cut(word, " ")
		if word == "-" {
			continue
		}
		if _, ok := saidSeverities[severity]; !ok {
			t.Fatalf("the table does not know '%s'", word)
		}
		out = append(out, candidate.Finding{Code: candidate.Code(code), Severity: saidSeverities[severity]})
	}
	return out
}

func verdictOn(t *testing.T, cells []string) string {
	return string(VerdictOf(findingsOf(t, cells[0])))
}

func briefOf(t *testing.T, cells []string) string {
	x := looked()
	a, r := x.a, x.run()
	a.Point.Kind, a.Seen.Branch, r.Head, a.Seen.Base, r.BaseTip = tasks.StepReport, "c1", "c1", "b1", "b1"
	told(t, cells[0], map[string]func(){
		"called by its worker": func() { a.Below = true }, "resumed by the last event": func() { r.LastEvent = checkpoint.RunResumed }, "driven by the last event": func() { r.LastEvent = checkpoint.RunDriven },
		"a driver is recorded": func() { r.Driver = &checkpoint.Actor{PID: 7} }, "the driver is dead": func() { r.Driver, a.Summary.Life.Driver = &checkpoint.Actor{PID: 7}, proc.Dead },
		"the branch moved": func() { a.Seen.Branch = "c2" }, "the base moved": func() { a.Seen.Base = "b2" }, "begun elsewhere": func() { r.Lack = checkpoint.LackRoot },
		"the next task has a command": func() { a.Point.Kind = tasks.StepRun }, "its worktree must be made": func() { a.Repairs = []Repair{RepairRecreate} },
	}, nil)
	a.Findings = findingsOf(t, cells[1])
	a.Verdict = VerdictOf(a.Findings)
	if a.OnlyAsks() {
		return "print the brief"
	}
	return "look closer"
}

func asideOf(t *testing.T, cells []string) string {
	x := looked()
	x.a.Conflicts = &conflicts.Report{}
	for i, word := range strings.Split(cells[0], ", ") {
		c := conflicts.Conflict{Path: fmt.Sprint(i)}
		c.Ours.Uncommitted = strings.Contains(word, "uncommitted")
		if strings.Contains(word, "in a commit") {
			c.Ours.Commits = []conflicts.Commit{{}}
		}
		x.a.Conflicts.Conflicts = append(x.a.Conflicts.Conflicts, c)
		x.a.Findings = append(x.a.Findings, candidate.Finding{Code: candidate.FindConflict, Severity: candidate.Blocking, Path: c.Path})
	}
	x.a.Findings = append(x.a.Findings, findingsOf(t, cells[1])...)
	x.a.Verdict = VerdictOf(x.a.Findings)
	out := []string{"setting it aside does not help", "something else is in the way"}
	if x.a.SettingAsideHelps() {
		out[0] = "setting it aside helps"
	}
	if x.a.OnlyConflicts() {
		out[1] = "only conflicts are in the way"
	}
	return strings.Join(out, "; ")
}

func redoOf(t *testing.T, cells []string) string {
	x := looked()
	x.a.Findings = findingsOf(t, cells[0])
	x.a.Survivor = "c1"
	x.a.Redo, _ = strconv.Atoi(cells[1])
	if cells[1] == "none" {
		x.a.Survivor = ""
	}
	if x.a.Redoable(strings.TrimPrefix(strings.TrimPrefix(cells[2], "--from"), " ")) {
		return "possible"
	}
	return "not possible"
}
