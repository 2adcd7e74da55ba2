package prove

import "fmt"

// theRun returns the id of the scenario's run. It returns an error if there is no such run, or more than one.
func theRun(f facts) (string, error) {
	found := ""
	for id := range f.runs {
		if len(id) == len(job1)+5 && id[:len(job1)+1] == job1+"-" {
			if found != "" {
				return "", fmt.Errorf("there are two runs: %s and %s", found, id)
			}
			found = id
		}
	}
	if found == "" {
		return "", fmt.Errorf("there is no run %s", job1)
	}
	return found, nil
}

func counted(event, task string, least, most int) func(facts) error {
	return func(f facts) error {
		id, err := theRun(f)
		if err != nil {
			return err
		}
		if n := f.count(id, event, task); n < least || n > most {
			return fmt.Errorf("the journal has %d lines %s %s", n, event, task)
		}
		return nil
	}
}

// exactlyOne checks that the journal has exactly one line of this kind.
func exactlyOne(event, task string) func(facts) error { return counted(event, task, 1, 1) }

// maxRepeats is the maximum number of equal journal lines. A command is repeated after up to four kills and may write one line each time.
const maxRepeats = 5

// oneOrMore accepts up to maxRepeats journal lines. It is used for takeovers, because each repeated takeover is recorded again.
func oneOrMore(event, task string) func(facts) error { return counted(event, task, 1, maxRepeats) }

// committed checks that the task has one commit, and that this commit is recorded once.
func committed(task string) func(facts) error {
	return func(f facts) error {
		if n := f.commitsOf(task, ""); n != 1 {
			return fmt.Errorf("task %s has %d commits", task, n)
		}
		if err := exactlyOne("task.done", task)(f); err != nil {
			return err
		}
		for _, run := range f.runs {
			for _, l := range run.lines {
				if l.Event == "task.done" && l.Task == task && !f.has(l.Commit) {
					return fmt.Errorf("the record names commit %q, which is not on the branch", l.Commit)
				}
			}
		}
		return nil
	}
}

// partialCommit checks that the unfinished task has one partial commit, and that one checkpoint of the task is recorded.
func partialCommit(task string) func(facts) error {
	return func(f facts) error {
		if n := f.commitsOf(task, "partial"); n != 1 {
			return fmt.Errorf("task %s has %d partial commits", task, n)
		}
		return exactlyOne("checkpoint", task)(f)
	}
}

func all(checks ...func(facts) error) func(facts) error {
	return func(f facts) error {
		for _, check := range checks {
			if err := check(f); err != nil {
				return err
			}
		}
		return nil
	}
}
