package screen

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/clone"
	"github.com/git-resume/git-resume/checkpoint/commit"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/checkpoint/owner"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/hooks"
	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/crew"
	"github.com/git-resume/git-resume/internal/exchange"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/flock"
	"github.com/git-resume/git-resume/internal/handler/compare"
	"github.com/git-resume/git-resume/internal/handler/discard"
	"github.com/git-resume/git-resume/internal/handler/doctor"
	"github.com/git-resume/git-resume/internal/handler/merge"
	"github.com/git-resume/git-resume/internal/handler/purge"
	"github.com/git-resume/git-resume/internal/handler/repair"
	"github.com/git-resume/git-resume/internal/handler/reporting"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/handler/saved"
	"github.com/git-resume/git-resume/internal/handler/sharing"
	"github.com/git-resume/git-resume/internal/handler/start"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/advice"
	"github.com/git-resume/git-resume/internal/screen/assessment"
	"github.com/git-resume/git-resume/internal/screen/brief"
	"github.com/git-resume/git-resume/internal/screen/history"
	"github.com/git-resume/git-resume/internal/screen/operation"
	"github.com/git-resume/git-resume/internal/screen/others"
	"github.com/git-resume/git-resume/internal/screen/outcome"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/prompt"
	savedscreen "github.com/git-resume/git-resume/internal/screen/saved"
	sharingscreen "github.com/git-resume/git-resume/internal/screen/sharing"
	"github.com/git-resume/git-resume/internal/screen/status"
	"github.com/git-resume/git-resume/internal/screen/undo"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/gitops"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/internal/tasks"
	"github.com/git-resume/git-resume/worktree"
	"github.com/git-resume/git-resume/worktree/snapshot"
	"github.com/git-resume/git-resume/worktree/trash"
)

// hostile lists harmful names, which may occur in a journal, a plan, a branch or another system's files.
var hostile = []string{
	"$(touch PWNED)", "`touch PWNED`", "a;touch PWNED", "a&&touch PWNED", "x'y", `x"y`, "x'$(touch PWNED)", `x"$(touch PWNED)`, "${IFS}", "-n", "--force",
	"a b", "a\nb", "a\ntouch PWNED\nb", "a\tb", "\x1b]0;x\x07y", "\u200bx", "x\U000e0041", "caf\xe9", `\'$(touch PWNED)`, "undo", "~", "*", "=ls", "#x",
}

// harmlessName is an ordinary name. The tests compare a screen that shows this name with the same screen for each hostile name.
const harmlessName = "xyzzy"

var (
	noon = time.Date(2030, 1, 2, 12, 0, 0, 0, time.UTC)
	hash = object.ID(strings.Repeat("c0ffee12", 5))
)

// fill sets the strings in a value to the same text, also in nested structs and slices. Object ids get a valid id.
func fill(v reflect.Value, text string, depth int) {
	if depth > 8 {
		return
	}
	switch v.Kind() {
	case reflect.String:
		if v.Type() == reflect.TypeFor[object.ID]() {
			text = string(hash)
		}
		v.SetString(text)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Slice:
		one := reflect.New(v.Type().Elem()).Elem()
		fill(one, text, depth+1)
		v.Set(reflect.Append(reflect.MakeSlice(v.Type(), 0, 1), one))
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, text, depth+1)
		fill(value, text, depth+1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), text, depth+1)
	case reflect.Interface:
		if v.Type() == reflect.TypeFor[error]() {
			v.Set(reflect.ValueOf(errors.New(text)))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(noon.Add(-time.Hour)))
			return
		}
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i), text, depth+1)
			}
		}
	}
}

// made returns a new T in which every string except object ids is the given text. The functions in "with" can then change single fields.
func made[T any](text string, with ...func(*T)) *T {
	out := new(T)
	fill(reflect.ValueOf(out).Elem(), text, 0)
	for _, f := range with {
		f(out)
	}
	return out
}

func run(text string, with ...func(*checkpoint.Run)) checkpoint.Run {
	r := made[checkpoint.Run](text)
	r.Branch, r.Source = refs.Branch(text), ""
	r.Discarded, r.Finished, r.Superseded, r.Merged, r.Planned = false, false, "", "", 1
	one := r.Tasks[0]
	one.State, one.Answer = checkpoint.Done, text
	two := one
	two.State, two.Answer = checkpoint.Active, ""
	two.Question = ""
	r.Tasks = []checkpoint.Task{one, two}
	for _, f := range with {
		f(r)
	}
	return *r
}

func journalOf(text string, with ...func(*checkpoint.Run)) *journal.Journal {
	j := made[journal.Journal](text)
	j.Run = run(text, with...)
	return j
}

func summary(text string, state checkpoint.State, with ...func(*checkpoint.Run)) candidate.Summary {
	m := made[candidate.Summary](text)
	m.Run, m.State, m.Checked, m.Found, m.Damaged = run(text, with...), state, nil, nil, ""
	return *m
}

func foreignSummary(text string, state checkpoint.State) candidate.Summary {
	m := summary(text, state)
	m.Found = made[sources.Found](text, func(f *sources.Found) {
		f.State = sources.Interrupted
		f.Command = quote.Command("python run.py --spec %s", text)
		f.Alternatives = append(f.Alternatives, sources.Alternative{Name: sources.Continue})
	})
	return m
}

// assessed returns an assessment with one finding for each code.
func assessed(text string, m candidate.Summary, v candidate.Verdict, codes ...candidate.Code) *assess.Assessment {
	a := made[assess.Assessment](text)
	a.Summary, a.Verdict, a.Updated, a.Redo = m, v, "", 2
	a.Tree.Admin = "/repo/.git/worktrees/" + text
	a.Point.Kind = tasks.StepReport
	a.Tree.Of = ""
	like := a.Findings[0]
	a.Findings = nil
	for _, c := range codes {
		like.Code, like.Severity = c, candidate.Blocking
		a.Findings = append(a.Findings, like)
	}
	return a
}

// screens returns the screens of the program. The given text is used for names and other texts that come from outside the program.
func screens(text string) map[string]func(page.Page) {
	out := map[string]func(page.Page){}
	add := func(name string, f func(page.Page)) {
		if out[name] != nil {
			panic("two screens are called " + name)
		}
		out[name] = f
	}
	runScreens(add, text)
	assessmentScreens(add, text)
	foreignScreens(add, text)
	operationScreens(add, text)
	executionScreens(add, text)
	faultScreens(add, text)
	return out
}

type adder func(string, func(page.Page))

func runScreens(add adder, text string) {
	closed := func(r *checkpoint.Run) { r.Finished = true }
	here := func(r *checkpoint.Run) { r.Here = true }
	add("page.Hint", func(s page.Page) { s.Hint(quote.Clean(text)) })
	add("page.Note", func(s page.Page) { s.Note("%s", text) })
	add("page.Ask", func(s page.Page) { s.Ask("%s? ", text) })
	add("outcome.Started", func(s page.Page) {
		outcome.Started(s, made(text, func(st *staging.Started) { st.Journal, st.Commands = journalOf(text), nil }))
	})
	add("outcome.Started again", func(s page.Page) {
		outcome.Started(s, made(text, func(st *staging.Started) { st.Journal, st.Again = journalOf(text), true }))
	})
	add("outcome.Unpublished", func(s page.Page) { outcome.Unpublished(s, journalOf(text)) })
	add("outcome.Reported", func(s page.Page) {
		outcome.Reported(s, reporting.Done, made(text, func(r *reporting.Reported) { r.Journal, r.Commit.ID = journalOf(text, here), "" }))
	})
	add("outcome.Finished", func(s page.Page) { r := run(text, closed); outcome.Finished(s, &r) })
	add("outcome.Finished without a base", func(s page.Page) {
		r := run(text, closed, func(r *checkpoint.Run) { r.Base.Name = "" })
		outcome.Finished(s, &r)
	})
	for name, with := range map[string]func(*checkpoint.Run){
		"discarded": func(r *checkpoint.Run) { r.Discarded = true }, "superseded": func(r *checkpoint.Run) { r.Superseded = text }, "finished": closed,
	} {
		add("outcome.Over "+name, func(s page.Page) { m := summary(text, checkpoint.FinishedRun, with); outcome.Over(s, &m) })
	}
	add("outcome.Checkpointed", func(s page.Page) {
		outcome.Checkpointed(s, made(text, func(r *reporting.Reported) { r.Journal, r.Already = journalOf(text, here), true }))
	})
	add("outcome.Paused", func(s page.Page) { outcome.Paused(s, &reporting.Pausing{Journal: journalOf(text)}) })
	add("outcome.Paused after tasks", func(s page.Page) {
		j := journalOf(text)
		outcome.Paused(s, &reporting.Pausing{Journal: j, Until: []checkpoint.TaskID{j.Run.Tasks[0].ID}})
		outcome.Paused(s, &reporting.Pausing{Journal: j, Until: []checkpoint.TaskID{checkpoint.TaskID(text), checkpoint.TaskID(text)}})
	})
	add("outcome.AnsweredAlive", func(s page.Page) { m := summary(text, checkpoint.Running); outcome.AnsweredAlive(s, &m) })
	add("outcome.EndedInVain", func(s page.Page) { r := run(text); outcome.EndedInVain(s, &r) })
	add("outcome.Answered", func(s page.Page) { outcome.Answered(s, journalOf(text, closed), checkpoint.TaskID(text)) })
	add("history.Log", func(s page.Page) {
		history.Log(s, checkpoint.RunID(text), []checkpoint.Line{*made[checkpoint.Line](text)})
	})
	add("history.Timeline", func(s page.Page) {
		m := summary(text, checkpoint.Interrupted)
		history.Timeline(s, &m, []checkpoint.Line{*made[checkpoint.Line](text)})
	})
	add("outcome.Saved", func(s page.Page) {
		outcome.Saved(s, made(text, func(v *staging.Saved) { v.Journal = journalOf(text) }))
	})
	add("screen.OpenAlready", func(s page.Page) { OpenAlready(s, made[start.OpenWorkError](text)) })
	for _, state := range []checkpoint.State{checkpoint.Interrupted, checkpoint.FailedRun, checkpoint.Waiting, checkpoint.Paused, checkpoint.Running, checkpoint.Idle, checkpoint.FinishedRun} {
		m := summary(text, state, func(r *checkpoint.Run) { r.Diverged, r.Unreadable = true, 1 })
		add("status.List "+string(state), func(s page.Page) { status.List(s, []candidate.Summary{m}, status.Unlisted{}) })
		add("status.Run "+string(state), func(s page.Page) { status.Run(s, m) })
		add("history.Runs "+string(state), func(s page.Page) { history.Runs(s, []candidate.Summary{m}, time.Hour) })
		add("status.Noticed "+string(state), func(s page.Page) { status.Noticed(s, []candidate.Notice{{Summary: m}}) })
		add("status.Prompt "+string(state), func(s page.Page) { status.Prompt(s, []candidate.Notice{{Summary: m}}) })
	}
	add("status.Several", func(s page.Page) {
		work := []candidate.Summary{summary(text, checkpoint.Interrupted)}
		status.Several(s, work, status.Unlisted{Work: work, Stale: time.Hour, Hidden: 1})
	})
	add("status.Nothing", func(s page.Page) {
		status.Nothing(s, []string{text}, status.Unlisted{}, summary(text, checkpoint.FinishedRun))
	})
	add("status.Rest", func(s page.Page) {
		status.Rest(s, status.Unlisted{Work: []candidate.Summary{summary(text, checkpoint.Interrupted)}, Stale: time.Hour, Hidden: 2})
	})
	add("status.LostStates", func(s page.Page) {
		status.LostStates(s, []candidate.LostState{{Keys: []string{text}, Worktree: "/" + text, Branch: refs.Branch(text)}})
	})
	add("status.Task", func(s page.Page) { status.Task(s, summary(text, checkpoint.Interrupted), *made[checkpoint.Task](text)) })
	add("history.Review", func(s page.Page) {
		history.Review(s, made(text, func(v *merge.Reviewed) { v.Summary = summary(text, checkpoint.FinishedRun) }))
	})
	addAgents(text, add)
	add("undo.PurgePlan", func(s page.Page) {
		undo.PurgePlan(s, made(text, func(p *purge.Plan) {
			p.Hook.Global = true
			p.Trees = append(p.Trees, purge.Tree{Path: text, Fault: errors.New(text)})
		}))
	})
	add("undo.Purged", func(s page.Page) { undo.Purged(s) })
	add("undo.NothingToPurge", func(s page.Page) { undo.NothingToPurge(s) })
	add("status.Disk", func(s page.Page) {
		status.Disk(s, made(text, func(d *doctor.Disk) { d.Worktrees.Bytes = 2 << 20 }))
	})
	add("outcome.Merged", func(s page.Page) {
		outcome.Merged(s, made(text, func(m *merge.Merged) { m.Journal = journalOf(text, closed) }))
	})
	add("outcome.StillOpen", func(s page.Page) { outcome.StillOpen(s, text, made[sources.Found](text)) })
	add("history.Comparison", func(s page.Page) { history.Comparison(s, *made[conflicts.Report](text)) })
	add("undo.Preview", func(s page.Page) {
		undo.Preview(s, made(text, func(d *discard.Preview) { d.Run = summary(text, checkpoint.Interrupted) }))
	})
	add("undo.Preview again", func(s page.Page) {
		undo.Preview(s, made(text, func(d *discard.Preview) {
			d.Run = summary(text, checkpoint.Discarded, func(r *checkpoint.Run) { r.Discarded = true })
		}))
	})
	add("undo.Removed", func(s page.Page) {
		undo.Removed(s, made(text, func(d *discard.Discarded) {
			d.Journal, d.Forgotten, d.Already = journalOf(text), false, false
		}))
	})
	add("undo.Discarded", func(s page.Page) {
		undo.Discarded(s, made(text, func(d *discard.Discarded) { d.Journal = journalOf(text) }))
	})
	add("undo.Undone", func(s page.Page) {
		undo.Undone(s, made(text, func(u *discard.Undone) {
			u.Journal, u.Again, u.Back.Path = journalOf(text), nil, ""
		}))
	})
	for _, kind := range []checkpoint.Kind{checkpoint.RunActed, checkpoint.RunSuperseded, checkpoint.TaskSkipped} {
		add("undo.TookBack "+string(kind), func(s page.Page) {
			undo.TookBack(s, made(text, func(u *discard.Undone) { u.Journal, u.What.Event = journalOf(text), kind }))
		})
	}
	add("prompt.Question", func(s page.Page) {
		r := run(text, func(r *checkpoint.Run) {
			// use an ordinary id: the screen prints only the last four characters of an id, so it would not print the whole text
			r.ID, r.Tasks[1].State, r.Tasks[1].Question = "job-abcd", checkpoint.Blocked, text
		})
		prompt.Question(s, &r, false)
	})
}

func assessmentScreens(add adder, text string) {
	stopped := summary(text, checkpoint.Interrupted)
	conflict := assessed(text, stopped, candidate.Blocked, candidate.FindConflict)
	ways := func(name string, a *assess.Assessment, why assess.Why, flag string) {
		add("assessment.WaysOut "+name, func(s page.Page) {
			assessment.WaysOut(s, a, assess.Decision{Why: why, Flag: flag, Given: []string{"--no-verify", "--from=" + text}})
		})
	}
	for _, v := range []candidate.Verdict{candidate.Clean, candidate.Warnings, candidate.Blocked, candidate.Partial, candidate.Unrecoverable} {
		a := assessed(text, stopped, v, candidate.FindConflict, candidate.FindInput, candidate.FindUntrusted, candidate.FindPartly, candidate.FindIdle)
		a.Interrupted = &a.Summary.Run.Tasks[1]
		add("assessment.Show "+string(v), func(s page.Page) { assessment.Show(s, a) })
		add("assessment.Preflight "+string(v), func(s page.Page) { assessment.Preflight(s, a, []compare.FileState{*made[compare.FileState](text)}) })
		add("brief.Show "+string(v), func(s page.Page) { brief.Show(s, a, text) })
		add("prompt.Asks "+string(v), func(s page.Page) { s.Say("%s", prompt.Asks(a)) })
		add("prompt.Interrupted "+string(v), func(s page.Page) {
			prompt.List(s, prompt.Interrupted(s, a, []checkpoint.TaskID{checkpoint.TaskID(text)}))
			prompt.List(s, prompt.Interrupted(s, a, []checkpoint.TaskID{checkpoint.TaskID(text), "b"}))
		})
	}
	add("brief.OfTask", func(s page.Page) {
		r := run(text, func(r *checkpoint.Run) { r.Tasks[0].Answer, r.Tasks[0].State = text, checkpoint.Failed })
		brief.OfTask(s, &r, r.Tasks[0].ID, text)
	})
	add("brief.Show without a task", func(s page.Page) {
		a := assessed(text, summary(text, checkpoint.Interrupted, func(r *checkpoint.Run) { r.Tasks, r.Planned = r.Tasks[:1], 0 }), candidate.Clean)
		brief.Show(s, a, text)
	})
	for _, agent := range []string{"claude", "codex", "another"} {
		add("brief.Show of "+agent, func(s page.Page) {
			brief.Show(s, assessed(text, summary(text, checkpoint.Interrupted, func(r *checkpoint.Run) { r.Agent.Agent = agent }), candidate.Clean), text)
		})
	}
	add("outcome.Handed", func(s page.Page) { outcome.Handed(s, journalOf(text), made[resume.Handed](text)) })
	for _, cause := range []checkpoint.TurnCause{checkpoint.TurnDone, checkpoint.TurnQuota, checkpoint.TurnCut} {
		add("outcome.Handed "+string(cause), func(s page.Page) {
			outcome.Handed(s, journalOf(text), made(text, func(h *resume.Handed) { h.Turn = &checkpoint.Turn{Cause: cause, Limit: text, Until: text} }))
		})
	}
	add("outcome.Handed silent", func(s page.Page) {
		outcome.Handed(s, journalOf(text), made(text, func(h *resume.Handed) { h.Turn, h.Silent = nil, true }))
	})
	for _, why := range []resume.NotHandedWhy{resume.NoSession, resume.NotTried, resume.NotFound, resume.StillAlive, resume.StillLimit, resume.NoRecord, resume.OtherFolder} {
		add("outcome.NotHanded "+string(why), func(s page.Page) {
			outcome.NotHanded(s, &resume.NotHanded{Why: why, Agent: text, Dir: text, Until: noon})
		})
	}
	for name, on := range map[string]outcome.Wait{
		"somebody": {Run: checkpoint.RunID(text)}, "an agent": {Until: noon, Agent: text, Limit: text}, "a task": {Until: noon, Task: checkpoint.TaskID(text)}, "a limited task": {Until: noon, Task: checkpoint.TaskID(text), Limited: true}, "an error": {Until: noon, Error: true},
	} {
		on.Run = checkpoint.RunID(text)
		add("outcome.Waits "+name, func(s page.Page) { outcome.Waits(s, on) })
		add("outcome.WaitedEnough "+name, func(s page.Page) { outcome.WaitedEnough(s, on, time.Hour) })
	}
	add("outcome.SetAside", func(s page.Page) { outcome.SetAside(s, *made[staging.SetAside](text)) })
	add("outcome.LeftOut", func(s page.Page) {
		outcome.LeftOut(s, &checkpoint.Run{ID: "job-a7f3", Finished: true, Tasks: []checkpoint.Task{{ID: checkpoint.TaskID(text), State: checkpoint.Failed}}})
	})
	add("outcome.Unadded", func(s page.Page) { outcome.Unadded(s, []string{text, text}) })
	look := &exchange.Look{Run: checkpoint.RunID(text), Remote: text}
	parked := &exchange.Parked{By: text, Ref: refs.Name(text), Lines: []checkpoint.Line{{Event: checkpoint.Event{Event: checkpoint.TaskDone, Task: checkpoint.TaskID(text)}}}}
	packed := &sharing.Packed{Files: 1, Bytes: 3000, Left: []string{text}}
	brought := map[string]*sharing.Brought{
		"fits": {Snapshot: snapshot.Snapshot{Run: text, Number: 1}, Fits: true}, "old": {Snapshot: snapshot.Snapshot{Run: text, Number: 2}}, "unusable": {Err: errors.New(text)}, "none": nil,
	}
	for name, b := range brought {
		add("sharing.Brought "+name, func(s page.Page) { sharingscreen.Brought(s, checkpoint.RunID(text), b, true) })
	}
	add("sharing.SentWip", func(s page.Page) { sharingscreen.SentWip(s, packed) })
	for name, x := range map[string]*exchange.Exchange{
		"ahead": {Look: look, WipSent: true, Ahead: 2, Sent: 1, Tip: object.ID(strings.Repeat("a", 40)), Parked: parked, Journal: &journal.Journal{Run: checkpoint.Run{Lack: checkpoint.LackRoot}}},
		"apart": {Look: look, Apart: true, BranchSent: true, Known: true, Came: make([]checkpoint.Line, 2), Tip: object.ID(strings.Repeat("a", 40)), Released: true},
		"none":  {Look: look, Known: true},
	} {
		add("sharing.Pushed "+name, func(s page.Page) { sharingscreen.Pushed(s, &sharing.Pushed{Exchange: x, Packed: packed}) })
		add("sharing.Pulled "+name, func(s page.Page) {
			sharingscreen.Pulled(s, text, []sharing.Pulled{{Run: checkpoint.RunID(text), Exchange: x, Brought: brought["unusable"]}, {Run: checkpoint.RunID(text), Err: &exchange.DoubtError{Text: text}}}, 3)
		})
	}
	add("sharing.Pulled nothing", func(s page.Page) { sharingscreen.Pulled(s, text, nil, 0) })
	add("sharing.Parked", func(s page.Page) { sharingscreen.Parked(s, checkpoint.RunID(text), parked) })
	add("sharing.Working", func(s page.Page) { sharingscreen.Working(s, &sharing.Shift{Run: checkpoint.RunID(text), Remote: text}) })
	add("sharing.Working parked", func(s page.Page) {
		sharingscreen.Working(s, &sharing.Shift{Run: checkpoint.RunID(text), Remote: text, Parked: parked})
	})
	add("sharing.StaysLeased", func(s page.Page) {
		sharingscreen.StaysLeased(s, &sharing.Shift{Run: checkpoint.RunID(text), Remote: text})
	})
	stray := sharing.ParkedWork{Run: checkpoint.RunID(text), Ref: refs.Name(text), Worktree: text, Behind: true, Tasks: []checkpoint.TaskID{checkpoint.TaskID(text)}, Commits: []checkpoint.Evidence{
		{Task: checkpoint.TaskID(text), Commit: object.Commit{ID: object.ID(strings.Repeat("a", 40)), Message: text}},
	}}
	add("sharing.ParkedList", func(s page.Page) { sharingscreen.ParkedList(s, []sharing.ParkedWork{stray}) })
	add("sharing.ParkedList nothing", func(s page.Page) { sharingscreen.ParkedList(s, nil) })
	add("sharing.TimeOver", sharingscreen.TimeOver)
	add("sharing.Taking", func(s page.Page) {
		sharingscreen.Taking(s, &exchange.LeasedError{Run: checkpoint.RunID(text), Remote: text, By: text, Since: time.Unix(1, 0)})
	})
	add("sharing.Offline", func(s page.Page) {
		sharingscreen.Offline(s, checkpoint.RunID(text), &exchange.Seen{Remote: text, By: text})
	})
	add("sharing.Over", func(s page.Page) { sharingscreen.Over(s, checkpoint.RunID(text)) })
	add("sharing.TimeUp", func(s page.Page) { sharingscreen.TimeUp(s, checkpoint.RunID(text)) })
	add("sharing.Unshared", func(s page.Page) { sharingscreen.Unshared(s, checkpoint.RunID(text), text) })
	add("sharing.Preview", func(s page.Page) {
		sharingscreen.Preview(s, &sharing.Preview{Run: checkpoint.Run{ID: checkpoint.RunID(text)}, Remote: text, Hosts: []string{text}, Texts: 2})
	})
	add("outcome.Repaired", func(s page.Page) { outcome.Repaired(s, []assess.Repair{assess.RepairRegistration}) })
	ways("conflicts", conflict, assess.WhyConflicts, "--update")
	for _, code := range []candidate.Code{candidate.FindTreeForeign, candidate.FindOperation, candidate.FindOtherBranch} {
		ways(string(code), assessed(text, stopped, candidate.Blocked, code), assess.WhyConflicts, "")
	}
	ways("moved", assessed(text, stopped, candidate.Blocked, candidate.FindTreeMoved, candidate.FindOperation), assess.WhyConflicts, "")
	ways("deleted", assessed(text, stopped, candidate.Blocked, candidate.FindOtherBranch, candidate.FindBranchDeleted), assess.WhyConflicts, "")
	copied := assessed(text, stopped, candidate.Blocked, candidate.FindTreeForeign)
	copied.Tree.Of = text
	ways("copied", copied, assess.WhyConflicts, "")
	ways("busy", assessed(text, stopped, candidate.Busy, candidate.FindAlive), assess.WhyBusy, "--takeover")
	ways("lost", assessed(text, stopped, candidate.Unrecoverable, candidate.FindBranchLost), assess.WhyUnrecoverable, "--restart")
	ways("cut off", assessed(text, stopped, candidate.Clean), assess.WhyDecision, "--retry or --keep or --mark-done")
	ways("to approve", assessed(text, stopped, candidate.Blocked, candidate.FindUntrusted), assess.WhyDecision, quote.Command("git resume trust %s", text))
}

func foreignScreens(add adder, text string) {
	for _, state := range []checkpoint.State{checkpoint.Interrupted, checkpoint.FailedRun, checkpoint.Waiting, checkpoint.Paused, checkpoint.Running, checkpoint.Idle} {
		m := foreignSummary(text, state)
		add("foreign Run "+string(state), func(s page.Page) { status.Run(s, m) })
		add("foreign Status "+string(state), func(s page.Page) { status.List(s, []candidate.Summary{m}, status.Unlisted{}) })
		add("foreign Assessment "+string(state), func(s page.Page) { assessment.Show(s, assessed(text, m, candidate.Clean)) })
		add("foreign Brief "+string(state), func(s page.Page) {
			brief.Show(s, assessed(text, m, candidate.Clean, candidate.FindConflict), text)
		})
		add("others.Question "+string(state), func(s page.Page) { others.Question(s, &m, true) })
	}
	m := foreignSummary(text, checkpoint.Interrupted)
	add("foreign WaysOut", func(s page.Page) {
		assessment.WaysOut(s, assessed(text, m, candidate.Blocked, candidate.FindConflict), assess.Decision{Why: assess.WhyConflicts})
	})
	add("screen.OnErr", func(s page.Page) { others.Alternatives(s.OnErr(), m.Found.Alternatives, 0, len(m.Found.Alternatives)) })
	add("assessment.PreflightTitle", func(s page.Page) { assessment.PreflightTitle(s, text) })
	add("others.Alternatives", func(s page.Page) { others.Alternatives(s, m.Found.Alternatives, 0, len(m.Found.Alternatives)) })
	add("others.Doubts", func(s page.Page) { others.Doubts(s, &m) })
	add("others.Over", func(s page.Page) { others.Over(s, &m) })
	add("others.Warnings", func(s page.Page) { others.Warnings(s, m.Found) })
	add("others.Vanished", func(s page.Page) {
		lost := m
		lost.Lost, lost.LostBranch, lost.Run.Worktree = true, refs.Branch(text), text
		others.Vanished(s, &lost, nil)
		others.Vanished(s, &m, &discard.Undoing{Run: m.Run, What: checkpoint.Event{Event: checkpoint.RunActed, Name: text}})
	})
	add("others.AtWork", func(s page.Page) { others.AtWork(s, &adopt.AtWorkError{Key: text, Sign: text}) })
	add("others.UndoHint", func(s page.Page) {
		others.UndoHint(s, &m, &discard.Undoing{Run: m.Run, What: checkpoint.Event{Event: checkpoint.RunActed, Name: text}})
	})
	add("others.OrHere", func(s page.Page) { others.OrHere(s, &m) })
	add("others.Commands", func(s page.Page) { others.Commands(s, &m) })
	elsewhere := foreignSummary(text, checkpoint.Waiting)
	elsewhere.Found.Alternatives = nil
	add("others.Commands elsewhere", func(s page.Page) { others.Commands(s, &elsewhere) })
	proposal := made(text, func(p *adopt.Proposal) {
		p.Summary = m
		p.Changes = append(p.Changes, sources.Change{Path: text, Was: []byte(text), Now: []byte(text + "2")}, sources.Change{Path: text, Gone: true})
	})
	add("others.Proposal", func(s page.Page) { others.Proposal(s, proposal) })
	add("others.Difference", func(s page.Page) { others.Difference(s, proposal) })
	add("others.Acted", func(s page.Page) { others.Acted(s, proposal) })
	add("others.EditHint", func(s page.Page) { others.EditHint(s, &proposal.Summary, text) })
	add("status.Questions", func(s page.Page) { status.Questions(s, proposal.Summary.Found) })
	add("others.ContinueHint", func(s page.Page) { others.ContinueHint(s, &proposal.Summary) })
	for i, c := range []others.Continuation{{}, {Known: true, Changes: proposal.Changes}, {Known: true, Changes: proposal.Changes[:1], HandsOff: true}} {
		add(fmt.Sprint("others.StartsNothing ", i), func(s page.Page) { others.StartsNothing(s, []sources.Alternative{{Name: sources.Continue}}, c) })
		add(fmt.Sprint("others.ProceedHint ", i), func(s page.Page) { others.ProceedHint(s, &proposal.Summary, c) })
	}
	add("others.Changed", func(s page.Page) { others.Changed(s, proposal, true) })
	add("others.Changed, seen before", func(s page.Page) { others.Changed(s, proposal, false) })
	add("others.NextQuestion", func(s page.Page) { others.NextQuestion(s, &proposal.Summary) })
	add("others.Hidden", func(s page.Page) { others.Hidden(s, m.Found, nil) })
	add("others.Hidden and recorded", func(s page.Page) { others.Hidden(s, m.Found, &journal.Journal{Run: run(text)}) })
	add("others.StillHidden", func(s page.Page) { r := run(text); others.StillHidden(s, &r) })
	hidden := candidate.HiddenWork{Summary: candidate.Summary{Run: run(text), Aside: m.Found, Hidden: true}, Value: text}
	add("others.HidWork", func(s page.Page) { others.HidWork(s, []*sources.Found{m.Found}, false) })
	add("others.HidWork, several", func(s page.Page) { others.HidWork(s, []*sources.Found{m.Found, m.Found}, false) })
	add("others.HidWork, dry", func(s page.Page) { others.HidWork(s, []*sources.Found{m.Found}, true) })
	add("others.NothingOld", func(s page.Page) { others.NothingOld(s, time.Hour) })
	add("others.AlreadyHidden", func(s page.Page) { others.AlreadyHidden(s, []string{text}) })
	add("others.HiddenList", func(s page.Page) { others.HiddenList(s, []candidate.HiddenWork{hidden}, []string{text}) })
	add("others.ShownAgain", func(s page.Page) { others.ShownAgain(s, []candidate.HiddenWork{hidden}, false) })
	add("others.ShownAgain, dry", func(s page.Page) { others.ShownAgain(s, []candidate.HiddenWork{hidden}, true) })
	add("others.Hiding", func(s page.Page) { others.Hiding(s, m.Found) })
	add("screen.Hook", func(s page.Page) { Hook(s, *made(text, func(h *hooks.State) { h.Way = hooks.ByManager })) })
	add("screen.Hook of none", func(s page.Page) { Hook(s, hooks.State{Shadowed: true, Dir: text}) })
	add("screen.Check", func(s page.Page) {
		Check(s, "look", doctor.Check{Name: "worktree", Text: text, Help: quote.Command("git worktree repair %s", text)})
	})
}

func operationScreens(add adder, text string) {
	state := func(with func(*gitops.State)) *gitops.State {
		o := made[gitops.State](text)
		o.Op, o.Stop, o.Life, o.Dir, o.Files = ongoing.Rebase, ongoing.StopMidway, proc.Dead, "rebase-merge", nil
		o.Tree.GitDir, o.Tree.CommonDir, o.Tree.WorkTree = "/repo/.git/worktrees/"+text, "/repo/.git", "/"+text
		o.Ongoing.Ways = ongoing.Ways{Continue: []string{"rebase", "--continue"}, Abort: []string{"rebase", "--abort"}, Skip: []string{"rebase", "--skip"}}
		o.Crash.Repair, o.Unmerged = gitops.RepairNothing, nil
		with(o)
		return o
	}
	for name, o := range map[string]*gitops.State{
		"midway":     state(func(*gitops.State) {}),
		"unnoted":    state(func(o *gitops.State) { o.Unnoted = true }),
		"unresolved": state(func(o *gitops.State) { o.Unmerged = []string{text} }),
		"stash": state(func(o *gitops.State) {
			o.Op, o.Unmerged, o.Ongoing.Ways = ongoing.StashPop, []string{text}, ongoing.Ways{Continue: []string{"stash", "drop", "stash@{1}"}}
		}),
		"locks":    state(func(o *gitops.State) { o.Op, o.Files = ongoing.StaleLock, []string{"/repo/" + text} }),
		"half":     state(func(o *gitops.State) { o.Op = ongoing.HalfWorktree }),
		"reword":   state(func(o *gitops.State) { o.Stop = ongoing.StopReword }),
		"put back": state(func(o *gitops.State) { o.Crash.Repair = gitops.RepairPutBack }),
		"doubt":    state(func(o *gitops.State) { o.Crash.Repair, o.Crash.Unlisted = gitops.RepairDoubt, true }),
		"busy":     state(func(o *gitops.State) { o.Life = proc.Alive }),
	} {
		add("operation.Show "+name, func(s page.Page) { operation.Show(s, o, "/repo/.git", text) })
		add("operation.Ways "+name, func(s page.Page) { operation.Ways(s, o, "/repo/.git") })
		out := made(text, func(d *repair.Operated) { d.State, d.Now, d.Code = *o, o, 1 })
		add("operation.Starts "+name, func(s page.Page) { operation.Starts(s, out) })
		add("operation.Operated "+name, func(s page.Page) { operation.Operated(s, out, "/repo/.git") })
	}
}

func executionScreens(add adder, text string) {
	ended := func(state checkpoint.TaskState, cause string) *execution.Outcome {
		return made(text, func(o *execution.Outcome) { o.Journal, o.State, o.Cause = journalOf(text), state, cause })
	}
	for name, o := range map[string]*execution.Outcome{
		"done": ended(checkpoint.Done, ""), "failed": ended(checkpoint.Failed, execution.CauseExit), "reported": ended(checkpoint.Failed, text),
	} {
		add("outcome.Single "+name, func(s page.Page) { outcome.Single(s, o) })
		add("outcome.Ended "+name, func(s page.Page) { outcome.Ended(s, o) })
		add("outcome.TaskRan "+name, func(s page.Page) {
			outcome.TaskRan(s, made(text, func(r *reporting.TaskRan) { r.Journal, r.Outcome = journalOf(text), o }))
		})
		add("outcome.Progress "+name, func(s page.Page) {
			p := &outcome.Progress{Screen: s, Clock: func() time.Time { return noon }, Out: s.Err, Err: s.Err}
			p.Begins(1, 2, plan.Task{ID: text, Title: text}, 2)
			p.Again(checkpoint.TaskID(text), text)
			p.SetAside(staging.SetAside{Task: checkpoint.TaskID(text), Paths: []string{text}})
			p.Ends(1, 2, plan.Task{ID: text}, o)
		})
	}
	failed := func(r *checkpoint.Run) { r.Tasks[1].State = checkpoint.Failed }
	for name, with := range map[string]func(*resume.Executed){
		"failed":   func(x *resume.Executed) { x.Journal, x.Stopped = journalOf(text, failed), true },
		"setup":    func(x *resume.Executed) { x.SetupFailed = true },
		"reported": func(x *resume.Executed) { x.Failed, x.Step.Kind = nil, tasks.StepReport },
		"stuck":    func(x *resume.Executed) { x.Failed, x.Step.Kind = nil, tasks.StepStuck },
		"paused": func(x *resume.Executed) {
			x.Failed, x.Paused, x.Pause = nil, true, &checkpoint.Event{Text: text, By: &checkpoint.Caller{User: text}}
		},
	} {
		add("outcome.Executed "+name, func(s page.Page) {
			outcome.Executed(s, made(text, func(x *resume.Executed) { x.Journal, x.SetupFailed, x.Stopped = journalOf(text), false, false }, with))
		})
	}
	add("outcome.Stop", func(s page.Page) { r := run(text); outcome.Stop(s, &r) })
	strange := []object.Commit{{ID: object.ID(strings.Repeat("c", 40)), Message: text + "\n", Author: object.Signature{Name: text}}}
	approval := func() *tasks.Approval {
		return &tasks.Approval{Run: run(text, func(r *checkpoint.Run) { r.ID = "job-abcd" }), Commands: []string{"make " + harmlessName}, Missing: []string{"make"}, Strange: strange, Built: strange}
	}
	add("assessment.Approval", func(s page.Page) { assessment.Approval(s, approval()) })
	add("assessment.Takeover", func(s page.Page) {
		assessment.Takeover(s, made(text, func(a *assess.Assessment) { a.Summary.Run = run(text) }), approval())
	})
	change := func() discard.Undoing {
		return discard.Undoing{Run: run(text), What: checkpoint.Event{Event: checkpoint.RunActed, Name: text, Task: checkpoint.TaskID(text)}, Base: text, Path: text, Unsure: true}
	}
	add("undo.Undoing", func(s page.Page) { u := change(); undo.Undoing(s, &u) })
	add("undo.Difference", func(s page.Page) {
		u := change()
		u.Files = []discard.FileBack{{Does: "move", Path: text, To: text}, {Does: "change", Path: text, Was: []byte(text), Now: []byte(text + "2")}}
		undo.Difference(s, &u)
	})
	kept := snapshot.Snapshot{ID: "c0ffee1", Number: 2, Run: text, Cause: text, Tree: "c0ffee1", Head: "c0ffee1"}
	add("saved.List", func(s page.Page) {
		savedscreen.List(s, []saved.Listed{{Snapshot: kept}, {Snapshot: snapshot.Snapshot{Run: text, Number: 3}}})
	})
	add("saved.Diff", func(s page.Page) { savedscreen.Diff(s, text, nil) })
	add("saved.Planned", func(s page.Page) {
		savedscreen.Planned(s, &saved.Restoring{Snapshot: kept, Paths: []string{text}, Tree: "/" + text, Moved: true, Uncommitted: []string{text}})
	})
	half := site.HalfRestored{Unfinished: &snapshot.Unfinished{Purpose: snapshot.ByRestore, Run: text, Number: 2, Paths: []string{text}, BeforeNumber: 1}, Tree: "/" + text}
	add("status.HalfRestored", func(s page.Page) { status.HalfRestored(s, []site.HalfRestored{half}) })
	add("status.HalfMerged", func(s page.Page) { status.HalfMerged(s, []site.HalfMerged{{Run: text, Tree: "/" + text}}) })
	restored := snapshot.Restored{Before: kept, Half: snapshot.Snapshot{ID: "c0ffee2", Number: 3, Run: text}, Paths: []string{text}, Differs: []string{text}}
	add("saved.Planned whole", func(s page.Page) {
		savedscreen.Planned(s, &saved.Restoring{Snapshot: kept, Tree: "/" + text, Saved: []string{text}, Uncommitted: []string{"other"}})
	})
	add("saved.Question", func(s page.Page) {
		p := &saved.Restoring{Snapshot: kept, Tree: "/" + text}
		s.Say("%s %s\n", savedscreen.Question(s, p), savedscreen.CopyInstead(p))
	})
	add("saved.Restored", func(s page.Page) {
		savedscreen.Restored(s, &saved.Restored{Restored: restored, Snapshot: kept, Tree: "/" + text})
	})
	add("saved.Restored of a run", func(s page.Page) {
		savedscreen.Restored(s, &saved.Restored{Restored: restored, Snapshot: kept, Tree: "/" + text, Run: checkpoint.RunID(text)})
	})
	add("saved.Copied", func(s page.Page) { savedscreen.Copied(s, &saved.Copied{Snapshot: kept, Path: "/" + text, Files: 2}) })
	add("undo.Undoing of a restore", func(s page.Page) {
		u := change()
		u.FilesBack = &discard.FilesBack{Tree: "/" + text, Snapshot: kept}
		undo.Undoing(s, &u)
	})
	add("undo.Changes", func(s page.Page) { undo.Changes(s, []discard.Undoing{change()}) })
	confirming := &resume.Confirming{Task: plan.Task{ID: text, Run: "make " + harmlessName}, Text: text, Again: true}
	add("prompt.Confirming", func(s page.Page) { r := run(text); s.Note("%s", prompt.Confirming(s, &r, confirming)) })
	add("outcome.Unconfirmed", func(s page.Page) {
		outcome.Unconfirmed(s, &resume.Executed{Journal: &journal.Journal{Run: run(text)}, Confirm: confirming, Path: "/" + text})
	})
	add("advice.Living", func(s page.Page) { s.Note("%s", advice.Living([]proc.Process{*made[proc.Process](text)})) })
	add("outcome.FinishedBefore", func(s page.Page) {
		outcome.FinishedBefore(s, &staging.Started{Journal: &journal.Journal{Run: run(text)}})
	})
	add("undo.Unfinished", func(s page.Page) { undo.Unfinished(s, []string{text}) })
	keys := []prompt.Key{{Name: text, Does: text}, {Name: "n", Does: text}}
	add("prompt.Ask", func(s page.Page) { prompt.Ask(s, text+"?", keys, "n") })
	add("prompt.Help", func(s page.Page) { prompt.Help(s, keys) })
	add("prompt.List", func(s page.Page) { prompt.List(s, keys) })
	add("prompt.OwnWords", prompt.OwnWords)
	add("prompt.Left", func(s page.Page) { prompt.Left(s, false, text) })
	add("prompt.Unknown", func(s page.Page) { prompt.Unknown(s, text, keys) })
	add("prompt.NoDifference", func(s page.Page) { prompt.NoDifference(s, text) })
	add("prompt.MergeUnfinished", func(s page.Page) {
		s.Note("%s", prompt.MergeUnfinished(&merge.UnfinishedError{Failed: checkpoint.TaskID(text), Done: 1, Of: 2}))
	})
	add("outcome.Output", func(s page.Page) { outcome.Output(s, []byte("what a task printed\n")) })
}

// faultScreens adds the screens of errors that have advice.
func faultScreens(add adder, text string) {
	for name, err := range map[string]error{
		"ambiguous": made(text, func(e *candidate.AmbiguousError) { e.Again, e.At = []string{text}, 0 }), "ambiguous in a command": made(text, func(e *candidate.AmbiguousError) { e.Again, e.At = []string{"task", "start", text}, 2 }),
		"open": made(text, func(e *start.OpenWorkError) { e.Again = []string{"start", "plan.yaml", "--new"} }), "none": made[candidate.NoneError](text), "no task": made[candidate.NoTaskError](text),
		"state": made(text, func(e *reporting.StateError) { e.Task.State = checkpoint.Done }), "asks nothing": made(text, func(e *reporting.StateError) { e.Wants = "answer" }),
		"closed": made[candidate.ClosedError](text), "wrong tree": made[reporting.WrongPlaceError](text),
		"task of another place": made(text, func(e *reporting.WrongPlaceError) { e.What = "task" }), "idle place": made(text, func(e *reporting.WrongPlaceError) { e.What = "idle" }),
		"branch in a place": made(text, func(e *reporting.WrongPlaceError) { e.What = "attached" }),
		"jobs here":         made(text, func(e *crew.JobsError) { e.Why = crew.JobsHere }), "jobs with an old git": made(text, func(e *crew.JobsError) { e.Why = crew.JobsOldGit }),
		"jobs begun": made(text, func(e *crew.JobsError) { e.Why = crew.JobsBegun }),
		"home":       made[crew.HomeError](text),
		"moving":     made(text, func(e *crew.MovingError) { e.Task = "" }), "moving a task": made[crew.MovingError](text),
		"wrong branch": made(text, func(e *reporting.WrongPlaceError) { e.What = "branch" }), "no tree": made(text, func(e *reporting.WrongPlaceError) { e.Want = "" }),
		"untrusted": made(text, func(e *tasks.UntrustedError) { e.Commands = []string{"make " + harmlessName} }),
		"doubt":     made[tasks.DoubtError](text), "doubt about a line": made(text, func(e *tasks.DoubtError) { e.Line = true }),
		"tree": made[resume.TreeError](text), "not ready": made[reporting.NotReadyError](text), "update": made(text, func(e *resume.UpdateError) { e.How = "rebase" }),
		"lost journal": made[candidate.LostJournalError](text), "unsaved": made[staging.UnsavedError](text), "scattered": made[candidate.ScatteredError](text),
		"changed": made(text, func(e *adopt.ChangedError) { e.Kept = string(hash) }), "present": made[adopt.PresentError](text), "kept": made[reporting.KeptError](text),
		"held": made(text, func(e *owner.HeldError) { e.Task = true }), "held by": made(text, func(e *owner.HeldError) { e.Task, e.PIDs = false, nil }),
		"unchecked": made[reporting.UncheckedError](text), "stuck": made[flock.StuckError](text), "at work": made[adopt.AtWorkError](text),
		"data": made[discard.DataError](text), "amid": made[trash.MidOperationError](text), "locked": made[worktree.LockedError](text),
		"taken by the missing": made(text, func(e *worktree.PathTakenError) { e.Health = worktree.Missing }),
		"taken by a folder":    made(text, func(e *worktree.PathTakenError) { e.Health = worktree.Plain }),
		"branch taken":         made[worktree.BranchTakenError](text), "moved": made[worktree.NotRegisteredError](text),
		"of another": made(text, func(e *worktree.NotRegisteredError) { e.Now = "" }), "not registered": made(text, func(e *worktree.NotRegisteredError) { e.Now, e.Of = "", "" }),
		"unfinished": made(text, func(e *worktree.UnfinishedError) { e.Path = "/" + text }), "unfinished itself": made[worktree.UnfinishedError](text),
		"merge": made[merge.StoppedError](text), "merge half way": made(text, func(e *merge.StoppedError) { e.Half = true }), "managed": made[hooks.ManagedError](text),
		"squash with conflicts": made[merge.ConflictsError](text), "squash with an old git": made[merge.OldGitError](text),
		"squash moved on":       made(text, func(e *discard.BaseMovedError) { e.Redo, e.Own, e.Single = false, false, true }),
		"merge that waits":      made(text, func(e *merge.StoppedError) { e.Waits = true }),
		"merge without commit":  made(text, func(e *merge.StoppedError) { e.Uncommitted = true }),
		"merge that left files": made(text, func(e *merge.StoppedError) { e.Left = []string{text} }),
		"unconfirmed":           made[tasks.UnconfirmedError](text),
		"late":                  made(text, func(e *process.LimitError) { e.Args = []string{"status"} }),
		"unnamed": made(text, func(e *candidate.AmbiguousError) {
			e.Others, e.Runs, e.Again, e.At = true, e.Runs[:1], []string{text}, 0
		}),
		"option":               made[adopt.OptionError](text),
		"base moved, redo":     made(text, func(e *discard.BaseMovedError) { e.Redo = true }),
		"base moved, own":      made(text, func(e *discard.BaseMovedError) { e.Redo, e.Own = false, true }),
		"base moved, straight": made(text, func(e *discard.BaseMovedError) { e.Redo, e.Own, e.Straight = false, false, true }),
		"not checked out":      made[site.NotCheckedOutError](text), "base moved": made(text, func(e *discard.BaseMovedError) { e.Redo, e.Own, e.Straight = false, false, false }), "baseless": made[merge.BaselessError](text),
		"nothing to undo": made[discard.NothingToUndoError](text), "nested": made[commit.NestedError](text), "nested itself": made(text, func(e *commit.NestedError) { e.In = "" }),
		"hook": made[commit.HookError](text), "ref taken": made[journal.TakenError](text), "key": made[clone.KeyError](text), "busy ref": made[refs.BusyError](text),
		"git": made[process.Error](text), "bad ref": made[refs.BadError](text), "no commit": made[compare.NoCommitError](text),
		"path": &fs.PathError{Op: "open", Path: "/" + text + "/x", Err: fs.ErrPermission}, "plan": plan.Faults{*made[plan.Fault](text)},
	} {
		add("screen.Fault "+name, func(s page.Page) { Fault(s, err) })
	}
}

// unseen reports whether a character must not be printed on any screen, because it is hidden. The variation selectors U+FE0E and U+FE0F are
// allowed: they only choose whether a symbol is shown as text or as emoji.
func unseen(r rune) bool { return quote.Hidden(r) && r != '\ufe0e' && r != '\ufe0f' }

// shown returns the output of a screen on stdout and stderr.
func shown(f func(page.Page)) string {
	var out bytes.Buffer
	f(page.Page{Out: &out, Err: &out, Now: noon, Marks: page.ASCII, Hints: true, Terminal: true, ErrTerminal: true})
	return out.String()
}

// Every function that prints a screen must be in the map that the function "screens" returns. Otherwise no test would call it with hostile
// names.
func TestScreens_allAreTried(t *testing.T) {
	tried := slices.Collect(maps.Keys(screens(harmlessName)))
	all := shownBy(t)
	if len(all) == 0 {
		t.Error("no screens were found")
	}
	for _, name := range all {
		if !slices.ContainsFunc(tried, func(k string) bool { return k == name || strings.HasPrefix(k, name+" ") }) {
			t.Errorf("no test shows %s", name)
		}
	}
}

// shownBy returns the names of the screen functions that the packages cmd/git-resume and conversation call. A screen function has a page as
// its first parameter.
func shownBy(t *testing.T) (names []string) {
	t.Helper()
	onPage := map[string]bool{}
	for _, file := range filesOf(t, "*.go", "*/*.go") {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv != nil || len(f.Type.Params.List) == 0 {
				continue
			}
			if of, ok := f.Type.Params.List[0].Type.(*ast.SelectorExpr); ok && of.Sel.Name == "Page" {
				onPage[file.Name.Name+"."+f.Name.Name] = true
			}
		}
	}
	for _, file := range filesOf(t, "../../cmd/git-resume/*.go", "../conversation/*.go") {
		ast.Inspect(file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if room, ok := sel.X.(*ast.Ident); ok && onPage[room.Name+"."+sel.Sel.Name] {
					names = append(names, room.Name+"."+sel.Sel.Name)
				}
			}
			return true
		})
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// filesOf parses source files, without tests.
func filesOf(t *testing.T, patterns ...string) (out []*ast.File) {
	t.Helper()
	for _, pattern := range patterns {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, file)
		}
	}
	return out
}

// begins matches the start of a command, such as "git ", at the start of a line or after a space, quote or bracket.
var begins = regexp.MustCompile(`(?:^|[\s'"\[(])((?:git|cd|mv|rm|ls|ps|kill|claude|codex|python) )`)

// notCommands matches sentences that start like a command, such as "git says:".
var notCommands = regexp.MustCompile(`^git (?:says:|process may|look in|would|does not) `)

// commandsIn extracts the commands from the text of a screen.
// The test fails if a command ends at an unexpected character, because then a value was not quoted correctly.
func commandsIn(t *testing.T, text string) []string {
	t.Helper()
	var out []string
	for at := 0; ; {
		m := begins.FindStringSubmatchIndex(text[at:])
		if m == nil {
			return out
		}
		from := at + m[2]
		rest := text[from:]
		at = from + 1
		if notCommands.MatchString(rest) || strings.HasSuffix(text[:from], "error: ") {
			continue
		}
		n, ends := commandEnd(rest)
		mark := byte('\n')
		if from > 0 {
			mark = text[from-1]
		}
		good := map[byte]string{'[': "]", '(': ")", '"': `"`, '\'': "'"}[mark]
		if good == "" {
			good = "\n )" // without an opening quotation mark or bracket, a command ends before a newline, a space or a ")"
		}
		if !strings.Contains(good, ends) {
			t.Errorf("%q does not end as a command does: %q", rest[:n], rest[:min(len(rest), n+20)])
			continue
		}
		out = append(out, rest[:n])
		at = from + n
	}
}

// segment matches one part of a word in a command: plain characters, a quoted text, an escaped quote, or a printf call.
var segment = regexp.MustCompile(`^(?:[A-Za-z0-9/._+,:@%=-]+|'[^']*'|\\'|"\$\(printf '[A-Za-z0-9/._+,:@%=\\-]*'\)")`)

// commandEnd returns the length of a command, and the character after it.
func commandEnd(text string) (n int, sign string) {
	for n < len(text) {
		m := segment.FindString(text[n:])
		switch {
		case strings.HasPrefix(text[n:], "&& "):
			n += len("&&")
		case m != "" && (text[n] != '\'' || n > 0 && (text[n-1] == ' ' || text[n-1] == '\'' || text[n-1] == '"')):
			n += len(m)
		case text[n] == ' ' && n+1 < len(text) && (segment.MatchString(text[n+1:]) || strings.HasPrefix(text[n+1:], "&& ")):
			n++
		default:
			return n, text[n : n+1]
		}
	}
	return n, "\n"
}

// The function "calls" executes the command lines in a shell where git, mv and so on are functions that only record their words. It returns
// the words of each call.
func calls(t *testing.T, lines []string) [][][]string {
	t.Helper()
	dir := t.TempDir()
	var script strings.Builder
	for _, name := range []string{"git", "mv", "rm", "ls", "ps", "kill", "claude", "codex", "python", "cd"} {
		script.WriteString(name + "() { printf '%s\\0' " + name + " \"$@\" >&3; printf '\\1\\0' >&3; }\n")
	}
	for _, l := range lines {
		script.WriteString(l + "\nprintf '\\2\\0' >&3\n")
	}
	if err := os.WriteFile(filepath.Join(dir, "script"), []byte("exec 3>called\n"+script.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"-n", "script"}, {"script"}} {
		cmd := exec.Command("/bin/sh", args...)
		cmd.Dir, cmd.Env = dir, []string{"PATH=" + filepath.Join(dir, "nothing")}
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Fatalf("sh %s: %v\n%s\n%s", args[0], err, out, strings.Join(lines, "\n"))
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "called"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 2 {
		t.Fatalf("more was made than the list of calls: %v %v", files, err)
	}
	var out [][][]string
	for _, line := range strings.SplitAfter(string(text), "\x02\x00") {
		var of [][]string
		for _, call := range strings.SplitAfter(strings.TrimSuffix(line, "\x02\x00"), "\x01\x00") {
			if call = strings.TrimSuffix(call, "\x00\x01\x00"); call != "" {
				of = append(of, strings.Split(call, "\x00"))
			}
		}
		if line != "" {
			out = append(out, of)
		}
	}
	return out
}

// plainly returns the sorted words of a call. It removes "--" and similar additions, which only protect a value from being taken for an
// option.
func plainly(call []string) []string {
	var out []string
	for _, w := range call {
		if name, value, ok := strings.Cut(w, "="); ok && slices.Contains([]string{"--run", "--from", "--choose", "--answer", "--spec", "--resume"}, name) {
			out = append(out, name, value)
		} else if w != "--" {
			out = append(out, strings.Replace(w, "refs/heads/-", "-", 1)) // refs/heads/ only protects a branch name that starts with a dash
		}
	}
	slices.Sort(out)
	return out
}

// A hostile name must not change the commands on a screen. Each command must have the same words as with a harmless name, and only the name
// is different.
func TestScreens_commandsAreWhatTheySay(t *testing.T) {
	titles := slices.Sorted(maps.Keys(screens(harmlessName)))
	printed := func(t *testing.T, name string) (lines, of []string) {
		all := screens(name)
		for _, title := range titles {
			for _, c := range commandsIn(t, shown(all[title])) {
				lines, of = append(lines, c), append(of, title)
			}
		}
		return lines, of
	}
	plain, at := printed(t, harmlessName)
	if len(plain) == 0 {
		t.Error("no commands were found")
	}
	want := calls(t, plain)
	for _, name := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lines, of := printed(t, name)
			if !slices.Equal(of, at) {
				t.Fatalf("the commands stand on other screens:\n%q\nnot\n%q", of, at)
			}
			got := calls(t, lines)
			for i := range lines {
				compareCalls(t, of[i], name, want[i], got[i])
			}
		})
	}
}

func compareCalls(t *testing.T, title, name string, want, got [][]string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %q are called, not %q", title, got, want)
		return
	}
	for i := range want {
		var words []string
		for _, w := range want[i] {
			words = append(words, strings.ReplaceAll(w, harmlessName, name))
		}
		if !slices.Equal(plainly(words), plainly(got[i])) {
			t.Errorf("%s: %q is called, not %q", title, got[i], words)
		}
		back := slices.Clone(got[i])
		slices.Reverse(back)
		if at := slices.Index(back, name); strings.HasPrefix(name, "-") && at >= 0 && !slices.Contains(back[at:], "--") && back[at+1] != "-C" && back[at+1] != "-c" {
			t.Errorf("%s: %q takes the name for an option", title, got[i])
		}
	}
}

func TestScreens_hideNothing(t *testing.T) {
	for _, name := range hostile {
		for title, f := range screens(name) {
			if title == "outcome.Output" {
				continue // this screen prints the output of a task unchanged; its callers pass a writer that removes control characters
			}
			for line := range strings.Lines(shown(f)) {
				if i := strings.IndexFunc(strings.TrimSuffix(line, "\n"), unseen); i >= 0 && line[i] != '\t' {
					t.Errorf("%s shows %q", title, line)
				}
			}
		}
	}
}

func TestStarted_printsThePathForScripts(t *testing.T) {
	for path, want := range map[string]string{
		"/a b/c": "/a b/c", "/a\tb": `/a\tb`, "/\x1b[31m": `/\u001b[31m`, "/a\nb": `/a\nb`, "/caf\xe9": `/caf\xe9`, "/x\u200b": `/x\u200b`,
	} {
		for _, terminal := range []bool{false, true} {
			var out, side bytes.Buffer
			s := page.Page{Out: &out, Err: &side, Now: noon, Marks: page.ASCII, Terminal: terminal}
			outcome.Started(s, &staging.Started{Journal: journalOf("job"), Path: path})
			if terminal && out.String() != want+"\n" || !terminal && out.String() != path+"\n" {
				t.Errorf("%q is printed as %q (on a terminal: %v)", path, out.String(), terminal)
			}
		}
	}
}
