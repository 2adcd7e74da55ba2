package longrun

import (
	"slices"
	"strings"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

// stateFile is STATE.md: where the run says that it stands.
type stateFile struct {
	path  string
	there bool
	ok    bool
	// status is the word as written; current the plan that it stands at, empty if it names none.
	status, current, of string
	group               string
	start               string
	stopped             string
	agent               string
	labels              map[string]string
}

func (r *run) readState() {
	s := &r.state
	s.path = r.dir + "/STATE.md"
	if !r.tree.Has(s.path) && len(r.tree.Leftovers(s.path)) == 0 {
		return
	}
	s.there = true
	r.seen(s.path)
	ok, doubts := r.view.Recover(r.ctx, r.tree, s.path, func(data []byte) error {
		text, err := sources.Markdown(data)
		if err == nil {
			s.parse(text)
		}
		return err
	})
	s.ok = ok
	r.doubts = append(r.doubts, doubts...)
}

var taskNumber = sources.NewForm(`^(?i:task)[ \t]+([0-9]{1,6})`)

// parse reads both forms: the first has "Plan: X of Y" and "Status:", the second "Phase:" and "Current Task: Task N".
func (s *stateFile) parse(text string) {
	lines := sources.Visible(text)
	labels := sources.Labels(lines)
	sections := sources.Sections(lines)
	s.labels = labels
	at := labels
	if position, ok := sources.SectionOf(sections, "Current Position", "Status"); ok {
		at = sources.Labels(position.Body)
	}
	s.status = first(at["status"], labels["status"], at["phase"])
	s.current, s.of, _ = sources.Position(first(at["plan"], labels["plan"]))
	if m := taskNumber.FindStringSubmatch(at["current task"]); s.current == "" && m != nil {
		s.current = m[1]
	}
	s.group = at["task group"]
	s.start = labels["start_commit"]
	s.stopped = labels["stopped at"]
	if agent := labels["resume agent"]; !strings.EqualFold(agent, "none") {
		s.agent = agent
	}
}

// standingAt is the text with another plan as its position, and all else as it is; empty if it is not written so.
func (s *stateFile) standingAt(text, id string) string {
	if !strings.HasPrefix(s.current, "0") {
		id = strings.TrimLeft(id, "0")
	}
	lines := sources.Visible(text)
	if position, ok := sources.SectionOf(sources.Sections(lines), "Current Position", "Status"); ok && sources.Labels(position.Body)["plan"] != "" {
		lines = position.Body
	}
	all := strings.SplitAfter(text, "\n")
	for _, l := range lines {
		name, value, ok := sources.Label(l.Text)
		if at, _, is := sources.Position(value); !ok || name != "plan" || !is || at != s.current || l.Number > len(all) {
			continue
		}
		before, after, _ := strings.Cut(all[l.Number-1], ":")
		all[l.Number-1] = before + ":" + strings.Replace(after, s.current, id, 1)
		var moved stateFile
		if now := strings.Join(all, ""); id != "" {
			if moved.parse(sources.Text([]byte(now))); sources.NaturalOrder(moved.current, id) == 0 {
				return now
			}
		}
		return ""
	}
	return ""
}

// numbered: the plans have plain numbers, so that a position can be compared with them.
func (r *run) numbered() bool {
	return len(r.units) > 0 && !slices.ContainsFunc(r.units, func(u *unit) bool { return strings.Trim(u.id, "0123456789") != "" })
}

// addCurrent takes in the plan at which the run stands although its file is lost: it stands between others, and no later one has a summary.
func (r *run) addCurrent() {
	current := r.state.current
	if !r.state.ok || r.state.complete() || current == "" || strings.Trim(current, "0123456789") != "" || r.find(current) != nil || !r.numbered() {
		return
	}
	after := slices.IndexFunc(r.units, func(u *unit) bool { return sources.NaturalOrder(u.id, current) > 0 })
	if after < 0 || slices.ContainsFunc(r.units[after:], func(u *unit) bool { return u.sum != nil }) {
		return
	}
	id := current
	if other := r.units[after].id; strings.HasPrefix(r.units[0].id, "0") && len(other) > len(id) {
		id = strings.Repeat("0", len(other)-len(id)) + id
	}
	r.units = slices.Insert(r.units, after, &unit{id: id})
}

// settleState says what a missing or unreadable state file means, once the plans are known.
func (r *run) settleState() {
	s := &r.state
	r.stateTimes()
	switch {
	case s.ok:
	case s.there && len(r.units) == 0:
		r.corrupt = true
	case s.there:
		r.rebuilt = true
		r.doubt(sources.DoubtRebuilt, conflicts.Warning, s.path, "where the run stands was put together from %s, because %s cannot be read", sources.Count(r.summed, "summary", "summaries"), s.path)
	case len(r.units) > 0:
		r.doubt(sources.DoubtMissing, conflicts.Info, s.path, "%s is not there; the plans' own files tell where the run stands", s.path)
	}
}

var leadingTime = sources.NewForm(`^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.]{4,18}(?:Z|[+-][0-9:]{4,6})?)?`)

func (r *run) stateTimes() {
	for _, name := range []string{"last activity", "last session", "started"} {
		r.sawText(leadingTime.FindString(r.state.labels[name]), name+" in STATE.md")
	}
	// Where nothing in any file tells a time, that of the file is left.
	if r.active.IsZero() {
		when, _ := r.view.Written(r.ctx, r.tree, r.state.path)
		r.saw(when, "the time of STATE.md")
	}
}

// complete: the status word says that the whole run is done. "Phase complete" speaks of a phase only.
func (s *stateFile) complete() bool {
	return s.ok && sources.MeaningOf(s.status) == sources.MeansDone
}

func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
