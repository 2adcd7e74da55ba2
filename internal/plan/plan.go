package plan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// Plan describes the work of a run.
// The JSON names are the stored vocabulary; they must stay the same even if the Go names change.
type Plan struct {
	Name  string `json:"name"`
	Base  string `json:"base,omitempty"`
	Setup string `json:"setup,omitempty"` // shell command, run once in a new worktree
	Tasks []Task `json:"tasks"`
}

// Task is the smallest unit that can be redone alone.
// A task with neither Run nor Ask is done, and reported, by somebody outside of git-resume.
type Task struct {
	ID          string      `json:"id"`
	Title       string      `json:"title,omitempty"` // one line, free of control characters
	Phase       string      `json:"phase,omitempty"` // the heading or the box above it
	Run         string      `json:"run,omitempty"`   // shell command
	Verify      string      `json:"verify,omitempty"`
	OnInterrupt OnInterrupt `json:"on_interrupt,omitempty"`
	Needs       []string    `json:"needs,omitempty"` // ids of tasks that must be done first
	Inputs      []string    `json:"inputs,omitempty"`
	Outputs     []string    `json:"outputs,omitempty"`
	Timeout     Duration    `json:"timeout,omitempty"`
	Retries     int         `json:"retries,omitempty"`
	Once        bool        `json:"once,omitempty"`    // never runs a second time unless a person says so
	Confirm     string      `json:"confirm,omitempty"` // what a person is asked before it runs
	Ask         string      `json:"ask,omitempty"`     // a question for a person
	Options     []string    `json:"options,omitempty"`
	Done        bool        `json:"done,omitempty"`     // done as reported, without evidence
	Optional    bool        `json:"optional,omitempty"` // a run can be finished without it
}

// OnInterrupt says what to do with a task that was interrupted.
// The zero value leaves the choice to the caller's default.
type OnInterrupt string

// The ways to treat an interrupted task.
const (
	Retry  OnInterrupt = "retry"
	Verify OnInterrupt = "verify"
	Ask    OnInterrupt = "ask"
)

// Duration is a length of time as the plan writes it, such as "10m".
type Duration string

// Value returns the duration, or zero if there is none or it cannot be parsed.
func (d Duration) Value() time.Duration {
	v, err := time.ParseDuration(string(d))
	if err != nil {
		return 0
	}
	return v
}

// Canonical returns the stored form of the plan:
// indented JSON that is the same for equal plans,
// and that Parse can read as a JSON plan.
func (p Plan) Canonical() []byte {
	if p.Tasks == nil {
		p.Tasks = []Task{}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(p); err != nil {
		panic(fmt.Sprintf("encode a plan: %v", err)) // cannot happen: only strings, numbers and booleans
	}
	return b.Bytes()
}
