package sources

import "slices"

// The names of alternatives; every source uses the same ones.
const (
	Continue    = "continue"
	ResumeAgent = "resume-agent"
	Respawn     = "respawn"
	// OnceMore repeats the step that the system itself would take where the work's own point is another one.
	OnceMore    = "once-more"
	RestartUnit = "restart-unit"
	SkipUnit    = "skip-unit"
	Reset       = "reset"
	Repair      = "repair"
	Answer      = "answer"
	ReviewIt    = "review"
	MergeIt     = "merge"
	StartFresh  = "start-fresh"
	// PlanAgain puts a plan aside, so that its system plans the work again; what was built stays.
	PlanAgain = "plan-again"
	CleanUp   = "clean-up"
	Hide      = "hide"
	// Discard removes the worktree that belongs to the work and hides the work; its system's files stay.
	Discard = "discard"
)

// shownNames are the plain words for alternatives whose stored names cannot change: journals, JSON and scripts contain them.
var shownNames = map[string]string{RestartUnit: "restart", SkipUnit: "skip"}

// ShownName returns the name of an alternative as people see it and may type it.
func ShownName(name string) string {
	if shown := shownNames[name]; shown != "" {
		return shown
	}
	return name
}

// NamedByPeople returns the stored name of the alternative that somebody typed, by either of its names.
func NamedByPeople(typed string) string {
	for name, shown := range shownNames {
		if shown == typed {
			return name
		}
	}
	return typed
}

// Offered returns the name under which the work offers an alternative. Auto-Claude's "start fresh" is a discard, so what earlier versions
// of git-resume called start-fresh there has another name now.
func (f *Found) Offered(name string) string {
	if name == StartFresh && !f.Offers(name) && f.Offers(PlanAgain) {
		return PlanAgain
	}
	return name
}

// Alternative is one action that can be taken, and what it means for this work.
type Alternative struct {
	Name string `json:"name"`
	Text string `json:"text,omitempty"`
	// Of lists the parts from which the user chooses one for the action; empty if there is nothing to choose.
	Of []string `json:"of,omitempty"`
	// On is the key of other work that has to be dealt with first: the action is Does of that work. Both are empty otherwise.
	On   string `json:"on,omitempty"`
	Does string `json:"does,omitempty"`
	// At is where this way continues; nil means the point of the work.
	At *Point `json:"at,omitempty"`
}

// Proceeds reports whether an alternative continues the work and hands it over.
func Proceeds(name string) bool {
	return slices.Contains([]string{Continue, ResumeAgent, Respawn, OnceMore}, name)
}

// HandedBy returns the work as it is handed over if somebody chooses this alternative.
func (f *Found) HandedBy(name string) *Found {
	other := *f
	for _, a := range f.Alternatives {
		if a.Name == name && a.At != nil {
			other.Point = *a.At
		}
	}
	if name == Respawn { // another agent takes over, so the brief and the tool must not get the old agent's name and session
		other.Agent, other.Session = "", ""
	}
	return &other
}

// Offers reports whether the work offers an alternative.
func (f *Found) Offers(name string) bool {
	return slices.ContainsFunc(f.Alternatives, func(a Alternative) bool { return a.Name == name })
}
