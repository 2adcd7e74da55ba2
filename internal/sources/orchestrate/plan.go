package orchestrate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
)

// planning fills in the resume plan, with the field names that the orchestrate tools use.
type planning struct{ *work }

func (w planning) plan() {
	// The plan gives the age as a word such as "Recent", because a number of minutes would change while the user is reading the report.
	assessment, advice := assess(w.search.View.Now.Sub(w.Active))
	p := w.fields
	p["workflow_type"], p["priority"] = w.kind, w.rank
	p["state_source_path"] = first(w.Files)
	p["interrupted_at"] = w.Active.UTC().Format(time.RFC3339)
	p["state_age"], p["recommendation"] = assessment, advice
	p["position"] = w.position
	w.validation()
	w.planPhases()
	if w.State.Open() {
		p["handoff"], p["agent"] = w.handoff, "@"+w.agent
	}
	if len(w.joined) > 0 {
		p["also"] = w.joined
	}
	if w.Cause != "" {
		p["interrupted_by"] = w.Cause
	}
	w.Protocol = p
}

// validation sorts the problems into the three levels of the orchestrate tools: info, warnings and conflicts.
func (w planning) validation() {
	grades := map[conflicts.Severity][]any{}
	for _, d := range w.Doubts {
		grades[d.Severity] = append(grades[d.Severity], d.Text)
	}
	for _, n := range w.Needs {
		if n.Missing {
			grades[weightOf(n)] = append(grades[weightOf(n)], n.Path+" is missing; needed by "+n.For)
		}
	}
	w.fields["validation_status"] = [...]string{"clean", "warnings", "conflicts"}[worst(&w.Found)]
	for severity, name := range map[conflicts.Severity]string{conflicts.Info: "info", conflicts.Warning: "warnings", conflicts.Blocking: "conflicts"} {
		if len(grades[severity]) > 0 {
			w.fields[name] = grades[severity]
		}
	}
	var missing, compared []any
	for _, n := range w.Needs {
		state := "present"
		if n.Missing {
			state = "missing"
			missing = append(missing, map[string]any{"path": n.Path, "phase": n.For, "critical": n.Critical})
		}
		if n.Changed {
			state = "changed"
		}
		for _, d := range w.Doubts {
			if d.Path == n.Path && (d.Code == "story-changed" || d.Code == sources.DoubtScope || d.Code == sources.DoubtForeignChange) && state == "present" {
				state = "changed"
			}
		}
		compared = append(compared, map[string]any{"path": n.Path, "state": state})
	}
	if len(missing) > 0 {
		w.fields["missing_files"] = missing
	}
	if len(compared) > 0 {
		w.fields["files"] = compared
	}
}

// planPhases fills in the finished phases, the next phase with its input files, and the number of remaining phases.
func (w planning) planPhases() {
	var completed, valid, invalid, left []any
	var inputs []string
	for i, ph := range w.phases {
		entry := map[string]any{"number": i + 1, "name": ph.name, "agent": "@" + ph.agent}
		switch {
		case ph.invalid != "":
			invalid = append(invalid, map[string]any{"number": i + 1, "name": ph.name, "why": ph.invalid})
			left = append(left, entry)
		case ph.over() && (i < w.at || w.at < 0):
			entry["output"] = strings.Join(ph.makes, ", ")
			completed, valid = append(completed, entry), append(valid, entry)
			inputs = append(inputs, ph.makes...)
			w.fields["last_completed_phase"] = entry
		case !ph.over() || i >= w.at:
			left = append(left, entry)
		}
	}
	for _, n := range w.Needs {
		if !n.Missing && !n.Made && strings.HasPrefix(n.Path, statefile.StoriesDir) && w.feeds(n) {
			inputs = append(inputs, n.Path)
		}
	}
	if w.implied && w.rank != rankSpec {
		inputs = append(inputs, w.Files...)
	}
	set := func(name string, list []any) {
		if len(list) > 0 {
			w.fields[name] = list
		}
	}
	set("completed_phases", completed)
	set("remaining_phases", left)
	if w.Point.Task != "" {
		w.fields["resume_from_phase"] = map[string]any{"number": w.at + 1, "name": cmp.Or(w.Point.Title, w.Point.Task), "agent": "@" + w.agent, "inputs": unique(inputs)}
		w.fields["estimated_remaining_phases"] = w.remaining()
	}
	if len(invalid) > 0 {
		set("valid_phases", valid)
		set("invalid_phases", invalid)
		w.fields["suggestion"] = fmt.Sprintf("resume from phase %d, using the outputs of the phases before it", w.at+1)
	}
}

// feeds reports whether the next step reads the given file. In an epic, a story is read by its own step, by the gate of
// its wave and by the final gate.
func (w planning) feeds(n sources.File) bool {
	for _, c := range w.claims {
		if s := w.storyOf(c); s != nil && s.Path == n.Path && w.rank == rankEpic && w.Point.Task != "final-gate" {
			return c.id == w.Point.Task || "gate-"+strings.TrimPrefix(c.phase, "wave ") == w.Point.Task
		}
	}
	return true
}

func unique(list []string) []string {
	out := []string{}
	for _, s := range list {
		if s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// freshAge is the age below which the orchestrate tools call a state fresh.
const freshAge = time.Hour

// assess returns the word that the orchestrate tools use for the age of a state, such as "Fresh", and their advice for that age.
func assess(age time.Duration) (assessment, advice string) {
	switch {
	case age < freshAge:
		return "Fresh", "Resume safely"
	case age < day:
		return "Recent", "Resume with quick validation"
	case age <= week:
		return "Moderate", "Resume with careful validation"
	}
	return "Stale", "Consider restarting: the project may have changed significantly"
}

// remaining returns how many phases are left, including the next one.
func (w planning) remaining() int {
	if w.at < 0 || w.at >= len(w.phases) {
		return 0
	}
	return len(w.phases) - w.at
}
