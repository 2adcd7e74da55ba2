package candidate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/commitlog"
	"github.com/git-resume/git-resume/internal/condition"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/boxes"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
	"github.com/git-resume/git-resume/internal/sources/superpowers"
)

// TestDecided compares testdata/decided.txt with what is decided today about finding work. Only this file knows which functions decide.
func TestDecided(t *testing.T) {
	t.Parallel()
	gittest.Table(t, "testdata/decided.txt", map[string]func(*testing.T, []string) string{
		"how far other systems' work is":      conditionOf,
		"the state of other systems' work":    stateOfWork,
		"how long ago":                        ageOf,
		"which comes first":                   orderOf,
		"what a name of a run means":          namedBy,
		"the only work":                       onlyWork,
		"the same work or another":            sameWork,
		"the ways on that --choose takes":     waysOf,
		"how an interrupted run ended":        endOf,
		"files that are missing":              missingFiles,
		"what resume.ignore hides":            hiddenBy,
		"where work is, seen from a worktree": placeOf,
		"what the hook can be silent about":   silentAbout,
		"a task by its name":                  taskOf,
		"the sources that a setting selects":  selectedBy,
		"a branch of other systems' work":     branchOf,
		"a plan that one commit brings":       cameInOne,
	})
}

var tableNow = time.Date(2026, 11, 19, 12, 0, 0, 0, time.UTC)

// words splits a cell at its commas.
func words(cell string) []string {
	return slices.DeleteFunc(strings.Split(cell, ", "), func(s string) bool { return s == "" || s == "-" })
}

// span reads a duration such as 30m, 5h or 14d.
func span(t *testing.T, text string) time.Duration {
	if n, err := strconv.Atoi(strings.TrimSuffix(text, "d")); err == nil && strings.HasSuffix(text, "d") {
		return time.Duration(n) * 24 * time.Hour
	}
	d, err := time.ParseDuration(text)
	gittest.NoError(t, "read a duration", err)
	return d
}

// ago returns the time before which the last word but one of a phrase says how long ago it was, as in "merged 2d ago".
func ago(t *testing.T, phrase string) time.Time {
	fields := strings.Fields(phrase)
	return tableNow.Add(-span(t, fields[len(fields)-2]))
}

var sourceStates = []sources.State{
	sources.NotStarted, sources.Interrupted, sources.Running, sources.Paused, sources.Waiting, sources.Blocked, sources.Failed, sources.Review,
	sources.Complete, sources.Ended, sources.Corrupt, sources.Unknown,
}

// counted says what a task is like of which the table gives a number, for example "3 done".
var counted = map[string]sources.Task{
	"done": {State: checkpoint.Done}, "skipped": {State: checkpoint.Skipped}, "active": {State: checkpoint.Active}, "left": {State: checkpoint.Pending},
	"failed": {State: checkpoint.Failed}, "committed but not ticked": {State: checkpoint.Pending, Commit: "c1"}, "optional left": {State: checkpoint.Pending, Optional: true},
	"optional active": {State: checkpoint.Active, Optional: true}, "untraceable left": {State: checkpoint.Pending, Traceless: true}, "passed over": {State: checkpoint.Pending, Overtaken: true},
	"active but passed over": {State: checkpoint.Active, Overtaken: true}, "beside": {State: checkpoint.Pending, Aside: true},
}

func conditionOf(t *testing.T, cells []string) string {
	w := &sources.Found{Source: "auto-claude", ID: "005"}
	s := &Summary{Found: w, Run: checkpoint.Run{LastAt: tableNow.Add(-24 * time.Hour)}}
	for _, word := range words(cells[0]) {
		n, what, _ := strings.Cut(word, " ")
		many, err := strconv.Atoi(n)
		task, ok := counted[what]
		switch {
		case err == nil && ok:
			for range many {
				w.Tasks = append(w.Tasks, task)
			}
		case err == nil && what == "in earlier parts":
			w.Earlier = many
		case slices.Contains(sourceStates, sources.State(word)):
			w.State = sources.State(word)
		case strings.HasPrefix(word, "silent "):
			s.Run.LastAt = tableNow.Add(-span(t, strings.TrimPrefix(word, "silent ")))
		default:
			flagged(t, word, map[string]func(){
				"never active": func() { s.Run.LastAt = time.Time{} }, "a branch for each work": func() { w.Branched = true }, "merged in parts": func() { w.Partly = true },
				"only planned": func() { w.OnlyPlanned = true }, "its merge is missing": func() { w.Awaits = true }, "nobody ticks": func() { w.Unticked = true },
				"its system says it is over": func() { w.Over = "shipped" }, "asks": func() { w.Questions = append(w.Questions, sources.Question{Text: "Which?"}) },
				"asks about a later task": func() {
					w.Point.Task = "1"
					w.Questions = append(w.Questions, sources.Question{Text: "Which?", Task: "2"})
				},
				"asks about the next task": func() {
					w.Point.Task = "1"
					w.Questions = append(w.Questions, sources.Question{Text: "Which?", Task: "1"})
				},
				"a task is blocked":  func() { w.Questions = append(w.Questions, sources.Question{Text: "no key", Block: true}) },
				"times without zone": func() { w.Doubts = append(w.Doubts, sources.Doubt{Code: sources.DoubtLocalTime}) },
			})
		}
	}
	f := factsOf(s, tableNow, 14*24*time.Hour)
	for _, word := range words(cells[1]) {
		shows(t, s, f, word)
	}
	s.judged(f)
	by := make([]string, len(s.Condition.Proofs))
	for i, p := range s.Condition.Proofs {
		by[i] = string(p.Reason)
	}
	shown := "hidden"
	if s.Listed {
		shown = "shown"
	}
	return fmt.Sprintf("%s (%s), %s", s.Condition.Word, strings.Join(by, ", "), shown)
}

// cameInOne makes a repository in which one commit brings a plan, and perhaps code, and judges the plan after some more commits.
func cameInOne(t *testing.T, cells []string) string {
	r := gittest.New(t)
	day := 0
	commit := func(subject string) {
		r.Git("add", "-A")
		day++
		date := sourcetest.Now.AddDate(0, 0, day-10).Format(time.RFC3339)
		r.With("GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date).Git("commit", "-q", "--allow-empty", "-m", subject)
	}
	r.Write("src/pay.go", "old")
	commit("the shop")
	for _, word := range words(cells[0]) {
		file, text, _ := strings.Cut(map[string]string{
			"a superpowers plan":   "docs/superpowers/plans/2026-11-05-cards.md:# Cards\n\n> Use superpowers:executing-plans\n\n### Task 1: Store\n\n- Create: `src/store.go`\n\n### Task 2: Sell\n\n- Create: `src/sell.go`\n\n### Task 3: Pay\n\n- Modify: `src/pay.go`\n",
			"a change of OpenSpec": "openspec/changes/add-cards/tasks.md:# Cards\n\n- [ ] 1.1 store cards in src/store.go\n- [ ] 1.2 sell cards in src/sell.go\n- [ ] 1.3 pay in src/pay.go\n",
			"code for a task":      "src/pay.go:new", "code for no task": "src/gifts.go:new", "a document": "docs/cards.md:new",
		}[word], ":")
		r.Write(file, text)
	}
	commit(cells[1])
	n, _ := strconv.Atoi(cells[2])
	for i := range n {
		r.Write("notes", fmt.Sprint(i))
		commit(fmt.Sprintf("more %d", i))
	}
	v, done := sourcetest.View(r)
	defer done()
	var all []Summary
	for _, s := range []sources.Source{superpowers.New(), boxes.New()} {
		found, err := s.Find(t.Context(), v)
		gittest.NoError(t, "read the plan", err)
		for i := range found {
			all = append(all, Summary{Found: &found[i], Run: checkpoint.Run{LastAt: found[i].Active}})
		}
	}
	e := &scan{Site: &site.Site{Repo: v.Repo, Now: func() time.Time { return sourcetest.Now }}, view: v}
	e.judge(t.Context(), all, 30*24*time.Hour, forPeople)
	var out []string
	for i := range all {
		for _, p := range all[i].Condition.Proofs {
			if word := string(p.Reason); p.Commit != nil {
				out = append(out, word+" by '"+p.Commit.Subject+"'")
			} else {
				out = append(out, word)
			}
		}
		out[0] = string(all[i].Condition.Word) + ": " + out[0]
	}
	return strings.Join(out, ", ")
}

// shows adds what commits, files and processes show.
func shows(t *testing.T, s *Summary, f *condition.Facts, word string) {
	for name, at := range map[string]**commitlog.Commit{
		"merged ": &f.Merged, "named ": &f.Named, "other work ": &f.Later, "carried out ": &f.Carried, "begun ": &f.Begun, "landed ": &f.Landed,
	} {
		if strings.HasPrefix(word, name) {
			*at = &commitlog.Commit{When: ago(t, word)}
			return
		}
	}
	n, what, _ := strings.Cut(word, " ")
	if many, err := strconv.Atoi(n); err == nil {
		*map[string]*int{"commits since": &f.Passed, "commits upon it": &f.Upon}[what] = many
		return
	}
	flagged(t, word, map[string]func(){
		"a file is changed": func() { f.Changed = "a" }, "a file is missing": func() { f.Unmade = "a" }, "its own file is changed": func() { f.Changed, f.Edited = "a", true }, "newer work of its system": func() { f.Elsewhere = true }, "on its branch": func() { f.Own = true },
		"we hold its lock": func() { s.Life.OwnerLock = true }, "we handed it over": func() { s.Handed = true }, "we recorded it": func() { s.Run.Events = 3 },
		"another clone recorded it": func() { s.Run.Events, s.Run.Lack = 3, checkpoint.LackRoot }, "a process is at work": func() { s.State = checkpoint.Running },
	})
}

// flagged calls the function of a phrase.
func flagged(t *testing.T, word string, known map[string]func()) {
	do, ok := known[word]
	if !ok {
		t.Fatalf("the table does not know '%s'", word)
	}
	do()
}

func stateOfWork(t *testing.T, cells []string) string {
	f := &sources.Found{Source: "auto-claude", ID: "005"}
	s := &Summary{}
	for _, word := range words(strings.Join(cells, ", ")) {
		switch {
		case slices.Contains(sourceStates, sources.State(word)):
			f.State = sources.State(word)
		case strings.HasPrefix(word, "handed over ") && strings.HasSuffix(word, " ago"):
			s.Run.HandedAt = ago(t, word)
		case strings.HasPrefix(word, "its state file changed ") && strings.HasSuffix(word, " ago"):
			f.Home, f.Files = t.TempDir(), []string{"state"}
			file := filepath.Join(f.Home, "state")
			gittest.NoError(t, "write a state file", os.WriteFile(file, nil, 0o644))
			gittest.NoError(t, "set its time", os.Chtimes(file, ago(t, word), ago(t, word)))
		default:
			flagged(t, word, map[string]func(){
				"its files say that it stopped": func() { f.Stopped = true }, "recorded in another clone": func() { s.Run.Lack = checkpoint.LackRoot },
				"git's own": func() { f.Source = GitSource }, "handed over tomorrow": func() { s.Run.HandedAt = tableNow.Add(24 * time.Hour) },
				"for another task": func() { s.Run.HandedTask, f.Point.Task = "T2", "T3" },
			})
		}
	}
	e := &scan{Site: &site.Site{Repo: gitstate.Open(locate.Place{}, nil), Now: func() time.Time { return tableNow }}, view: &sources.View{}}
	state, sign := e.stateOf(s, f)
	switch {
	case s.Handed:
		return string(state) + ": handed over"
	case sign != "":
		return string(state) + ": somebody may be at work"
	}
	return string(state)
}

func ageOf(t *testing.T, cells []string) string {
	return string(AgeOf(span(t, cells[0]), span(t, cells[1])))
}

func orderOf(t *testing.T, cells []string) string {
	var all []Summary
	for _, word := range words(cells[0]) {
		name, _, _ := strings.Cut(word, " ")
		s := Summary{Run: checkpoint.Run{ID: checkpoint.RunID(name)}}
		if !strings.HasSuffix(word, " never") {
			s.Run.LastAt = ago(t, word)
		}
		all = append(all, s)
	}
	byActivity(all)
	names := make([]string, len(all))
	for i := range all {
		names[i] = string(all[i].Run.ID)
	}
	return strings.Join(names, ", ")
}

func namedBy(_ *testing.T, cells []string) string {
	var ids []checkpoint.RunID
	for _, id := range words(cells[0]) {
		ids = append(ids, checkpoint.RunID(id))
	}
	var out []string
	for _, id := range NamedBy(ids, cells[1]) {
		how := ""
		if OnlyBegins(id, cells[1]) {
			how = " (begins so)"
		}
		out = append(out, string(id)+how)
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, ", ")
}

func onlyWork(_ *testing.T, cells []string) string {
	var all []Summary
	for _, name := range words(cells[0]) {
		name, hidden := strings.CutSuffix(name, " (old)")
		source, id, other := strings.Cut(name, ":")
		s := Summary{Run: checkpoint.Run{ID: checkpoint.RunID(name)}, Listed: !hidden}
		if other {
			s.Found = &sources.Found{Source: source, ID: id}
		}
		all = append(all, s)
	}
	key, err := onlyOf(OfOthers(all), &NoneError{}, cells[1] == "somebody can be asked")
	switch err := err.(type) {
	case nil:
		return string(key)
	case *NoneError:
		return "there is none"
	case *AmbiguousError:
		if err.Others {
			return "name it, " + string(err.Runs[0].Run.ID)
		}
		return fmt.Sprintf("name one of %d", len(err.Runs))
	}
	return err.Error()
}

// described reads work such as "a run on branch x in tree /t".
func described(t *testing.T, cell string) (*checkpoint.Run, *sources.Found) {
	first, rest, _ := strings.Cut(cell, " ")
	source, id, other := strings.Cut(first, ":")
	r, f := &checkpoint.Run{ID: checkpoint.RunID(first)}, &sources.Found{Source: source, ID: id, State: sources.Interrupted}
	fields := strings.Fields(rest)
	for len(fields) > 0 {
		word := fields[0]
		fields = fields[1:]
		value := func() string {
			v := fields[0]
			fields = fields[1:]
			return v
		}
		switch word {
		case "branch":
			r.Branch = refs.Branch(value())
			f.Branch = r.Branch
		case "tree":
			r.Worktree = value()
			f.Worktree = r.Worktree
		case "adopted":
			r.Source, r.SourceID, _ = strings.Cut(value(), ":")
		case "also":
			f.Same = append(f.Same, value())
		case "here":
			r.Here = true
		case "over":
			f.State, r.Finished = sources.Complete, true
		case "elsewhere":
			r.Lack = checkpoint.LackRoot
		default:
			t.Fatalf("the table does not know '%s'", word)
		}
	}
	if !other {
		return r, nil
	}
	return r, f
}

func sameWork(t *testing.T, cells []string) string {
	r, known := described(t, cells[0])
	_, f := described(t, cells[1])
	s := &Summary{Run: *r, Found: known, Path: r.Worktree}
	u := &union{Site: &site.Site{Repo: gitstate.Open(locate.Place{GitDir: "/main/.git", CommonDir: "/main/.git", WorkTree: "/main"}, nil)}}
	if u.same(s, f) {
		return "the same"
	}
	return "another"
}

func waysOf(t *testing.T, cells []string) string {
	s := &Summary{Run: checkpoint.Run{ID: "api-k3f9"}, State: checkpoint.Interrupted}
	for _, word := range words(cells[0]) {
		offers, other := strings.CutPrefix(word, "another system offers ")
		if other {
			s.Found = &sources.Found{Source: "auto-claude", ID: "005"}
			for name := range strings.FieldsSeq(offers) {
				s.Found.Alternatives = append(s.Found.Alternatives, sources.Alternative{Name: sources.NamedByPeople(name), Text: "do it"})
			}
			continue
		}
		flagged(t, word, map[string]func(){
			"interrupted": func() {}, "running": func() { s.State = checkpoint.Running }, "finished": func() { s.State, s.Run.Finished = checkpoint.FinishedRun, true },
			"discarded": func() { s.Run.Discarded, s.Run.Finished = true, true }, "paused": func() { s.State, s.Run.Paused = checkpoint.Paused, true },
			"somebody may be at work": func() { s.Busy = "its state changed" },
			"waiting": func() {
				s.State, s.Run.Tasks = checkpoint.Waiting, []checkpoint.Task{{ID: "a", State: checkpoint.Blocked, Question: "Which?"}}
			},
		})
	}
	var out []string
	for _, a := range s.Alternatives() {
		name := sources.ShownName(a.Name)
		if strings.HasPrefix(a.Text, "only if nobody") {
			name += "!"
		}
		out = append(out, name)
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, " ")
}

func endOf(t *testing.T, cells []string) string {
	s := &Summary{State: checkpoint.Interrupted, Run: checkpoint.Run{Owner: &checkpoint.Actor{Host: "laptop", Boot: "b1"}}}
	here := proc.Host{Name: "laptop", Boot: "b1"}
	for _, word := range words(cells[0]) {
		flagged(t, word, map[string]func(){
			"a command was running": func() { s.Run.Tasks = []checkpoint.Task{{ID: "a", State: checkpoint.Active, Command: "h"}} },
			"a task was reported":   func() { s.Run.Tasks = []checkpoint.Task{{ID: "a", State: checkpoint.Active}} }, "between two tasks": func() {},
			"this machine was started since": func() { here.Boot = "b2" },
			"a cause is recorded":            func() { s.Run.Cause = "signal" }, "it failed": func() { s.State = checkpoint.FailedRun },
			"only a driver": func() { s.Run.Driver, s.Run.Owner = s.Run.Owner, nil },
		})
	}
	if end := endingOf(s, here); end != "" {
		return string(end)
	}
	return "not known"
}

func missingFiles(t *testing.T, cells []string) string {
	n, f := sources.File{Path: "spec.md", For: "T1"}, &sources.Found{}
	for _, word := range words(cells[0]) {
		flagged(t, word, map[string]func(){
			"there": func() {}, "missing": func() { n.Missing = true }, "critical": func() { n.Critical = true },
			"its reader said so": func() { f.Doubts = append(f.Doubts, sources.Doubt{Code: sources.DoubtMissing, Path: "spec.md"}) },
		})
	}
	f.Needs = []sources.File{n}
	var out []string
	for _, x := range Missing(f) {
		out = append(out, fmt.Sprintf("%s %s", x.Severity, x.Code))
	}
	if len(out) == 0 {
		return "no finding"
	}
	return strings.Join(out, ", ")
}

func hiddenBy(_ *testing.T, cells []string) string {
	source, id, _ := strings.Cut(cells[1], ":")
	if Excludes(cells[0], &sources.Found{Source: source, ID: id}) {
		return "hidden"
	}
	return "shown"
}

func selectedBy(_ *testing.T, cells []string) string {
	if sources.Selects(words(cells[0]), cells[1]) {
		return "read"
	}
	return "left out"
}

func placeOf(t *testing.T, cells []string) string {
	s := &Summary{Run: checkpoint.Run{ID: "api-k3f9", Branch: "refs/heads/resume/api", Admin: "api-k3f9"}, Path: "/api"}
	s.Run.Base.Name = "main"
	at, on, _ := strings.Cut(cells[1], " on ")
	for _, word := range words(cells[0]) {
		flagged(t, word, map[string]func(){
			"a run with a worktree": func() {}, "a run in the main worktree": func() { s.Run.Here, s.Run.Admin, s.Run.Branch = true, "main", "refs/heads/topic" },
			"other systems' work in /spec": func() {
				s.Found, s.Path, s.Run.Admin, s.Run.Branch = &sources.Found{Source: "kiro"}, "/spec", "", "refs/heads/spec"
			},
		})
	}
	place := locate.Place{GitDir: "/main/.git", CommonDir: "/main/.git", WorkTree: at}
	if at != "/main" {
		place.GitDir = "/main/.git/worktrees" + at
	}
	e := &site.Site{Repo: gitstate.Open(place, nil)}
	return map[Where]string{Elsewhere: "elsewhere", OnBranch: "its branch is checked out", InWorktree: "this is its worktree", OnBase: "its base is checked out"}[whereIs(e, s, refs.Branch(on))]
}

func silentAbout(t *testing.T, cells []string) string {
	begun := []checkpoint.Task{{ID: "a", State: checkpoint.Active, LastSeq: 3}}
	s := &Summary{State: checkpoint.Idle, Run: checkpoint.Run{ID: "api-k3f9", Tasks: begun}}
	for _, word := range words(cells[0]) {
		flagged(t, word, map[string]func(){
			"interrupted": func() { s.State = checkpoint.Interrupted }, "waiting": func() { s.State = checkpoint.Waiting }, "failed": func() { s.State = checkpoint.FailedRun },
			"paused": func() { s.State, s.Run.Paused = checkpoint.Paused, true }, "never begun": func() { s.Run.Tasks = nil }, "idle": func() {},
			"its driver lives": func() { s.Run.Driver, s.Life.Driver = &checkpoint.Actor{PID: 7, Start: "1"}, proc.Alive }, "begun elsewhere": func() { s.Run.Lack = checkpoint.LackRoot },
			"its owner lives": func() {
				s.Run.Owner, s.Life.Owner, s.Life.OwnerLock = &checkpoint.Actor{PID: 7, Start: "1"}, proc.Alive, true
			},
			"only its task is locked": func() { s.Life.TaskLock = true },
		})
	}
	switch word := silentWhile(s); {
	case word == "":
		return "nothing"
	case strings.Contains(word, "7"):
		return "until that process ends"
	default:
		return "until its next event"
	}
}

func taskOf(_ *testing.T, cells []string) string {
	r := &checkpoint.Run{ID: "api-k3f9"}
	for _, id := range words(cells[0]) {
		r.Tasks = append(r.Tasks, checkpoint.Task{ID: checkpoint.TaskID(id)})
	}
	task, err := NeedTask(r, cells[1])
	if none := new(NoTaskError); errors.As(err, &none) {
		return fmt.Sprintf("none, %d begin so", len(none.Like))
	}
	return string(task.ID)
}

func branchOf(_ *testing.T, cells []string) string {
	if isBranchOf(refs.Branch(cells[1]), words(cells[0])) {
		return "its own"
	}
	return "another"
}
