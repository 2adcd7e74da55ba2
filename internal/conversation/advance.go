package conversation

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/screen/brief"
	"github.com/git-resume/git-resume/internal/screen/others"
	"github.com/git-resume/git-resume/internal/screen/outcome"
	"github.com/git-resume/git-resume/internal/screen/prompt"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/internal/tasks"
)

// advance continues the run, and then shows where it stopped or what to do next.
func (t continuing) advance(a *assess.Assessment, choice resume.Choice) error {
	done := t.executing(&choice.Execute)
	defer done()
	choice.HandOff = t.handOff(a, choice.Execute.Signals)
	var not *resume.NotHanded
	if choice.Execute.Tool, not = t.Engine.Resuming.TaskTool(t.Context, &a.Summary, choice.HandOff); not != nil && choice.Execute.Jobs > 1 {
		outcome.NotHanded(t.Person.Screen(), not)
	}
	adv, err := t.Engine.Resuming.Advance(t.executionContext(), a, choice)
	if adv != nil {
		outcome.Repaired(t.Person.Screen(), adv.Repaired)
		outcome.Unadded(t.Person.Screen(), adv.Unadded)
	}
	if errors.Is(err, candidate.ErrMoved) || errors.Is(err, resume.ErrPut) || err != nil && adv == nil {
		return err
	}
	if err != nil {
		return t.halted(adv.Executed, err)
	}
	if adv.Executed != nil {
		return t.rest(t.askOn(adv.Executed, nil, resume.ExecuteRequest{Doubt: choice.Execute.Doubt, Tool: choice.Execute.Tool}))
	}
	if adv.Handed != nil {
		t.handed = adv
		outcome.Handed(t.Person.Screen(), adv.Journal, adv.Handed)
		return handedCode(adv)
	}
	outcome.NotHanded(t.Person.Screen(), adv.NotHanded)
	now := advanced(a, adv)
	did := adopt.Proposal{Summary: now.Summary, Changes: adv.Changed}
	// Print the changed lines only after "continue". The other alternatives have printed them before.
	others.Changed(t.Person.Screen(), &did, cmp.Or(choice.Foreign.Name, sources.Continue) == sources.Continue)
	showBrief(t.Person.Screen(), &now, adv.Path)
	t.goesOn = true
	return nil
}

// handedCode returns the exit code after a tool has ended. For a tool of the user, this is the tool's own code. For a coding agent, it
// depends on how the agent's turn ended, because an agent's own exit code does not show that.
func handedCode(adv *resume.Advanced) error {
	h := adv.Handed
	switch {
	case h.Agent == "" && h.Code != 0:
		return exit.Code(h.Code)
	case h.Agent == "" || adv.Journal.Run.Finished:
		return nil
	case h.Turn == nil && h.Silent, h.Turn != nil && h.Turn.Cause != checkpoint.TurnDone:
		return exit.Code(exit.Failed)
	}
	return nil
}

// advanced returns the assessment as it is after the work was continued. Other systems' work keeps the tasks that its system reports.
func advanced(a *assess.Assessment, adv *resume.Advanced) assess.Assessment {
	now := *a
	now.Cleared, now.Updated = adv.Cleared, adv.Updated
	if now.Summary.Found == nil {
		now.Summary.Run = adv.Journal.Run
		tasks.PointToNext(now.Plan, &now.Summary.Run)
		return now
	}
	for _, c := range adv.Changed {
		if c.Gone {
			now.Snapshot.Deleted = append(slices.Clone(now.Snapshot.Deleted), c.Path)
		}
	}
	// A missing worktree was created when the work continued, so this finding is out of date.
	now.Findings = slices.DeleteFunc(slices.Clone(a.Findings), func(f candidate.Finding) bool { return f.Code == candidate.FindTreeMissing })
	return now
}

// handOff describes how to start the tool or the coding agent that continues the run. The tool or agent gets our terminal and our streams.
func (t continuing) handOff(a *assess.Assessment, signals <-chan os.Signal) resume.HandOff {
	h := resume.HandOff{Env: t.Streams.Env, Stdin: t.Streams.In, Stdout: t.Streams.Out, Stderr: t.Streams.Err, TTY: t.Streams.Terminal(), Signals: signals}
	h.Brief = func(adv *resume.Advanced) string {
		var text strings.Builder
		s, now := t.Person.Screen(), advanced(a, adv)
		s.Out = &text
		brief.Show(s, &now, adv.Path)
		return text.String()
	}
	h.TaskBrief = t.taskBrief
	return h
}

func (t continuing) taskBrief(j *journal.Journal, task checkpoint.TaskID, dir string) string {
	var text strings.Builder
	s := t.Person.Screen()
	s.Out = &text
	brief.OfTask(s, &j.Run, task, dir)
	return text.String()
}

// restart asks the user, closes a run as superseded, and starts a new one with the same plan. It deletes nothing of the old run.
func (t continuing) restart(m *candidate.Summary) error {
	id := m.Run.ID
	if err := t.confirm(yesNo(askRestart, "Start again from task 1? Earlier work is kept.", "start a new run", differences(t).built(m))); err != nil {
		return err
	}
	if t.newPlan != nil {
		if err := t.Engine.Resuming.Replan(t.Context, id, t.newPlan); err != nil {
			return err
		}
	}
	st, err := t.Engine.Resuming.Restart(t.Context, id)
	if err != nil {
		return err
	}
	return t.begin(st)
}

// begin shows a started run, and executes its commands. If tasks run in parallel, the user's tool gets the tasks without a command.
func (t continuing) begin(st *staging.Started) error {
	outcome.Started(t.Person.Screen(), st)
	tool, err := t.toolAtStart(st)
	if err != nil {
		return t.rest(&resume.Executed{Journal: st.Journal}, err)
	}
	if len(st.Commands) == 0 && tool == nil {
		return nil
	}
	return t.rest(t.executeAsking(st, tool))
}

// toolAtStart returns the user's tool for the tasks of a new run that have no command. It is nil if there are no such tasks. It is also nil
// if only one task runs at a time, because the execution then stops at such a task and does not start the tool.
func (t continuing) toolAtStart(st *staging.Started) (resume.TaskTool, error) {
	r := &st.Journal.Run
	p, err := t.Engine.Tasks.PlanOf(t.Context, r)
	if err != nil || !slices.ContainsFunc(p.Tasks, func(task plan.Task) bool { return task.Run == "" && task.Ask == "" }) {
		return nil, err
	}
	if jobs, err := t.Engine.Executing.Jobs(t.Context, r, p, t.Options.Jobs); err != nil || jobs < 2 {
		return nil, err
	}
	tool, not := t.Engine.Resuming.TaskTool(t.Context, &candidate.Summary{Run: *r}, resume.HandOff{TaskBrief: t.taskBrief})
	outcome.NotHanded(t.Person.Screen(), not)
	return tool, nil
}

// executeAsking executes a run; at a terminal it asks the questions of the plan when the run reaches them.
func (t continuing) executeAsking(st *staging.Started, tool resume.TaskTool) (*resume.Executed, error) {
	x, err := t.execute(st.Journal.Run.ID, resume.ExecuteRequest{Held: st.Held, Tool: tool})
	st.Held = nil // later executions take the lock again
	return t.askOn(x, err, resume.ExecuteRequest{Tool: tool})
}

// askOn asks the question at which an execution stopped, and continues after the answer. If there is nothing to ask, or nobody can
// answer, it returns its arguments x and err.
func (t continuing) askOn(x *resume.Executed, err error, q resume.ExecuteRequest) (*resume.Executed, error) {
	for err == nil && x != nil && !x.Stopped && len(x.Failed) == 0 && t.Person.CanAnswer() {
		r := &x.Journal.Run
		t.changed = true
		switch x.Step.Kind {
		case tasks.StepAsk:
			skip, err := t.askQuestion(r)
			if err == nil && skip {
				err = t.Engine.Reporting.LeaveOut(t.Context, r.ID, r.Question().ID)
			}
			if err != nil {
				return nil, err
			}
		case tasks.StepConfirm:
			text := prompt.Confirming(t.Person.Screen(), r, x.Confirm)
			if err := t.allow(yesNo(askConfirmTask, text, "run it", differences(t).built(&candidate.Summary{Run: *r}))); err != nil {
				return nil, err
			}
			q.Confirmed = append(q.Confirmed, x.Confirm.Task.ID)
		default:
			return x, nil
		}
		x, err = t.execute(r.ID, q)
	}
	return x, err
}

// waiting shows the question that the run is waiting for. If there is a terminal, the user can answer it or skip the task.
func (t continuing) waiting(a *assess.Assessment, choice *resume.Choice) (err error) {
	r := &a.Summary.Run
	if r.Question() == nil || !t.Person.CanAnswer() {
		prompt.Question(t.Person.Screen(), r, false)
		return exit.Code(exit.Waiting)
	}
	choice.Skip, err = t.askQuestion(r)
	return err
}

// askQuestion asks the question of a run and stores the answer. The result skip is true if the user chose to skip the task instead.
func (t continuing) askQuestion(r *checkpoint.Run) (skip bool, err error) {
	s, q := t.Person.Screen(), r.Question()
	prompt.Question(s, r, true)
	n, _ := r.Current()
	skips := prompt.Key{Name: "s", Also: []string{"skip"}, Does: fmt.Sprintf("skip task %d", n)}
	answer, err := t.readAnswer(question{kind: askAnswer, keys: []prompt.Key{skips}, diff: differences(t).built(&candidate.Summary{Run: *r})}, q.Options)
	if err != nil || answer.key == skips.Name {
		return err == nil, err
	}
	req := adopt.AnswerRequest{Run: string(r.ID), Task: string(q.ID), Text: cmp.Or(answer.text, answer.key), Own: answer.text != ""}
	j, id, err := t.Engine.Reporting.Answer(t.Context, req)
	if err != nil {
		return false, err
	}
	outcome.Answered(s.OnErr(), j, id)
	if j.Run.Finished {
		return false, exit.Code(exit.Done)
	}
	return false, nil
}
