package main

import (
	"bytes"
	"slices"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/cmd/git-resume/early"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/handler"
	"github.com/git-resume/git-resume/internal/screen/history"
	"github.com/git-resume/git-resume/internal/screen/machine"
	"github.com/git-resume/git-resume/internal/screen/outcome"
	"github.com/git-resume/git-resume/internal/screen/status"
)

// prompt prints one word for a shell's prompt, or nothing. It never fails, not even outside of a repository.
func (cs commands) prompt() error {
	e, err := cs.call.engine()
	if err != nil {
		return nil
	}
	if runs, err := e.Find.Noticed(cs.call.ctx); err == nil {
		status.Prompt(cs.call.Screen(), runs)
	}
	return nil
}

// watchEach is the time between two readings of the state. One reading takes a few milliseconds.
const watchEach = 500 * time.Millisecond

// repeat calls the given function until it returns true or an error, or until the user stops the program. It opens the repository for
// each call, because anything may have changed.
func repeat(p *program, look func(e *handler.Engine) (over bool, err error)) error {
	for {
		e, err := p.engine()
		if err != nil {
			return err
		}
		over, err := look(e)
		if err == nil {
			err = p.out.failed()
		}
		if err != nil || over {
			return err
		}
		p.close()
		select {
		case <-p.ctx.Done():
			return nil
		case <-time.After(watchEach):
		}
	}
}

// watch prints the state after each change, until the given run is over or the user stops the program. At a terminal it also shows the
// progress of the running tasks, like the command that executes them.
func (cs commands) watch(run string, all bool, form output) error {
	var last []byte
	var watched checkpoint.RunID
	live := &outcome.Live{Screen: cs.call.Screen()}
	defer live.Close()
	return repeat(cs.call, func(e *handler.Engine) (bool, error) {
		runs, err := cs.statusOf(e, run, all, form.forPeople())
		if err != nil {
			return false, err
		}
		over := run != "" && len(runs) == 1 && runs[0].Run.Closed()
		seen := slices.IndexFunc(runs, func(m candidate.Summary) bool { return watched != "" && m.Run.ID == watched })
		if seen >= 0 {
			live.Ended(&runs[seen].Run)
			over = over || runs[seen].Run.Closed()
		}
		form.systems = e.Find.Systems()
		if run == "" && !all && form.forPeople() {
			if runs, err = onlyListed(cs.call.ctx, e, &form, runs); err != nil {
				return false, err
			}
		}
		m := atWork(runs)
		if isLive := form.forPeople() && isTerminal(cs.call.out) && m != nil; isLive && last != nil && (watched == "" || watched == m.Run.ID) {
			watched = m.Run.ID
			live.Show(&m.Run, early.Now(), func(t *checkpoint.Task) string { return candidate.OutputOf(e.Find.Site, m.Run.ID, t) })
			return over, nil
		}
		now, err := fingerprint(runs)
		if err == nil && !bytes.Equal(now, last) {
			last = now
			err = cs.show(form, runs, run, "")
		}
		return over, err
	})
}

// atWork returns the only run whose tasks are executed now. It returns nil if there is no such run, or more than one.
func atWork(runs []candidate.Summary) *candidate.Summary {
	var found *candidate.Summary
	for i := range runs {
		m := &runs[i]
		if m.Found != nil || m.State != checkpoint.Running || candidate.ActiveTask(m) == nil {
			continue
		}
		if found != nil {
			return nil
		}
		found = m
	}
	return found
}

// fingerprint returns the state of the runs as JSON, without values that change with the time.
func fingerprint(runs []candidate.Summary) ([]byte, error) {
	var b bytes.Buffer
	err := machine.JSON(&b, runs, candidate.Sessions{}, time.Time{}, time.Hour)
	return b.Bytes(), err
}

// follow prints what is added to the history of a run, or to the output of one of its tasks. It ends when the run or the task has ended, or
// when the user stops the program.
func (cs commands) follow(run, task string) error {
	shown := 0
	return repeat(cs.call, func(e *handler.Engine) (bool, error) {
		runs, err := cs.statusOf(e, run, true, true)
		if err != nil {
			return false, err
		}
		over := len(runs) == 1 && runs[0].Run.Closed()
		if task == "" {
			id, lines, err := e.Reporting.Log(cs.call.ctx, run)
			if err != nil {
				return false, err
			}
			history.Log(cs.call.Screen(), id, lines[min(shown, len(lines)):])
			shown = len(lines)
			return over, nil
		}
		if len(runs) != 1 {
			return over, nil
		}
		t := candidate.FindTask(&runs[0].Run, task)
		isOpen := t != nil && (t.State == checkpoint.Active || t.State == checkpoint.Pending)
		text, err := e.Reporting.TaskLog(cs.call.ctx, run, task)
		if err != nil && !isOpen {
			return false, err
		}
		s := cs.call.Screen()
		s.Out = tame(cs.call.out)
		outcome.Output(s, text[min(shown, len(text)):])
		shown = max(shown, len(text))
		return over || t != nil && !isOpen, nil
	})
}
