package prove

import (
	"encoding/json"
	"fmt"

	"github.com/git-resume/git-resume/internal/gittest"
)

// told is what the program says of the runs, in the form that scripts read.
type told struct {
	Runs []struct {
		Run, State string
		Tasks      []struct{ ID, State, Commit, Answer string }
	}
}

func tell(r *gittest.Repo) (told, error) {
	r.T.Helper()
	var s told
	out, code := r.Resume("status", "--all", "--json")
	if code != 0 {
		return s, fmt.Errorf("status: exit code %d\n%s", code, out)
	}
	return s, json.Unmarshal([]byte(out), &s)
}

// compare holds what the program tells against what git shows.
func compare(s told, f facts) error {
	if len(s.Runs) != len(f.runs) {
		return fmt.Errorf("status tells of %d runs, git shows %d", len(s.Runs), len(f.runs))
	}
	for _, run := range s.Runs {
		facts := f.runs[run.Run]
		if facts == nil {
			return fmt.Errorf("status tells of run %s, git shows none", run.Run)
		}
		if (run.State == "finished") != facts.closed {
			return fmt.Errorf("status says %s, the journal says finished: %v", run.State, facts.closed)
		}
		if (run.State == "paused") != facts.paused && !facts.closed {
			return fmt.Errorf("status says %s, the journal says paused: %v", run.State, facts.paused)
		}
		for _, t := range run.Tasks {
			if err := compareTask(t.ID, t.State, f.state(run.Run, t.ID)); err != nil {
				return err
			}
			if t.Answer != facts.answer[t.ID] {
				return fmt.Errorf("status says answer %q, the journal %q", t.Answer, facts.answer[t.ID])
			}
			if t.State == "done" && t.Commit != "" && !f.has(t.Commit) {
				return fmt.Errorf("status names commit %s of task %s, which is not on the branch", t.Commit, t.ID)
			}
		}
	}
	return nil
}

func compareTask(id, said, shown string) error {
	// An answer makes a question of the plan done, and a task that had asked pending again.
	if shown == "answered" && (said == "done" || said == "pending") || said == shown {
		return nil
	}
	return fmt.Errorf("status says task %s is %s, git shows %s", id, said, shown)
}

func (f facts) has(commit string) bool {
	for _, c := range f.commits {
		if c.id == commit {
			return true
		}
	}
	return false
}
