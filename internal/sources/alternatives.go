package sources

import (
	"cmp"
	"slices"
)

// These are the names of the alternatives that a user can choose.
const (
	Continue    = "continue"
	ResumeAgent = "resume-agent"
	Respawn     = "respawn"
	RestartUnit = "restart-unit"
	SkipUnit    = "skip-unit"
	Reset       = "reset"
	Repair      = "repair"
	Answer      = "answer"
	ReviewIt    = "review"
	MergeIt     = "merge"
	StartFresh  = "start-fresh"
	// PlanAgain moves a plan aside, so that its system plans the work again. Work that was already built stays.
	PlanAgain = "plan-again"
	// BuildAgain sets finished tasks back whose results are gone, so that their system builds them again. The plan stays.
	BuildAgain = "build-again"
	CleanUp    = "clean-up"
	Hide       = "hide"
	// Discard discards the worktree and the branch of the work, and stops showing the work. This can be undone.
	Discard = "discard"
)

// shownNames maps the stored name of an alternative to a plainer word. The stored names cannot change, because journals, JSON output and
// scripts contain them.
var shownNames = map[string]string{RestartUnit: "restart", SkipUnit: "skip"}

// ShownName returns the name under which people see an alternative. People may also type this name.
func ShownName(name string) string {
	if shown := shownNames[name]; shown != "" {
		return shown
	}
	return name
}

// NamedByPeople returns the stored name of an alternative. The user may have typed the stored name or the shown name.
func NamedByPeople(typed string) string {
	for name, shown := range shownNames {
		if shown == typed {
			return name
		}
	}
	return typed
}

// Offered returns "plan-again" for the name "start-fresh" if the work offers only "plan-again". Otherwise it returns the given name.
// Earlier versions of git-resume offered "start-fresh" for Auto-Claude.
func (f *Found) Offered(name string) string {
	if name == StartFresh && !f.Offers(name) && f.Offers(PlanAgain) {
		return PlanAgain
	}
	return name
}

// Alternative is one action that the user can choose for a piece of work.
type Alternative struct {
	Name string `json:"name"`
	Text string `json:"text,omitempty"`
	// The field "Of" lists the parts of the work, such as tasks, from which the user can choose one. It is empty if there is no choice.
	Of []string `json:"of,omitempty"`
	// The field "On" is the key of other work that must be handled first, and the field "Does" is the action for that work. Both are
	// usually empty.
	On   string `json:"on,omitempty"`
	Does string `json:"does,omitempty"`
	// The field "Edits" is the file that the user repairs by hand. It is empty if the action is something else.
	Edits string `json:"-"`
}

// ownChoices are the choices that a system itself offers after an interruption, in its own order.
var ownChoices = map[string][]string{
	"auto-claude":  {Continue, ReviewIt, MergeIt, Discard},
	"long-run":     {Continue, ResumeAgent, Respawn, RestartUnit, SkipUnit, StartFresh},
	"orchestrate":  {Continue, StartFresh, RestartUnit, CleanUp},
	"agent-memory": {Continue, ReviewIt},
	"spec-loop":    {Continue, StartFresh},
}

// furtherChoices are offered by git-resume. They stand behind the system's own.
var furtherChoices = []string{Reset, RestartUnit, SkipUnit, StartFresh, BuildAgain, PlanAgain, CleanUp, ReviewIt, MergeIt, Discard, Hide}

// InOrder sorts alternatives as people are shown them: the choices of the system itself, what answers a question or repairs damage, and
// then the further ones. If an answer or a repair came first, the order of those that are shown stays. The result "first" is how many come before the further ones.
func InOrder(source string, alts []Alternative) (sorted []Alternative, first int) {
	own := ownChoices[source]
	if own == nil {
		return alts, len(alts)
	}
	remedyFirst, further := len(alts) > 0 && !slices.Contains(own, alts[0].Name), len(own)+1
	rank := func(a Alternative) int {
		at := slices.Index(own, a.Name)
		switch {
		case at < 0 && slices.Contains(furtherChoices, a.Name):
			return further
		case remedyFirst:
			return 0 // the order of the reader, which knows what is asked
		case at < 0:
			return len(own)
		}
		return at
	}
	sorted = slices.Clone(alts)
	slices.SortStableFunc(sorted, func(a, b Alternative) int { return cmp.Compare(rank(a), rank(b)) })
	for first < len(sorted) && rank(sorted[first]) < further {
		first++
	}
	if first == 0 || first+1 >= len(sorted) { // a single further one needs no line of its own for the others
		first = len(sorted)
	}
	return sorted, first
}

// Proceeds reports whether an alternative continues the work, so that the work is handed over to a worker.
func Proceeds(name string) bool {
	return slices.Contains([]string{Continue, ResumeAgent, Respawn}, name)
}

// HandedBy returns a copy of the work for the worker that continues it through the named alternative. If a new agent continues the work, the copy
// lacks the name and the session of the old agent. If the old agent continues it, the copy says so.
func (f *Found) HandedBy(name string) *Found {
	other := *f
	switch name {
	case Respawn:
		other.Agent, other.Session = "", ""
	case ResumeAgent:
		other.ResumesAgent = true
	}
	return &other
}

// Offers reports whether an alternative is available for the work.
func (f *Found) Offers(name string) bool {
	return slices.ContainsFunc(f.Alternatives, func(a Alternative) bool { return a.Name == name })
}
