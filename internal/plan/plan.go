package plan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// Plan describes the work of a run. The JSON names are part of the stored format and must never change, even if the Go names do.
type Plan struct {
	Name  string `json:"name"`
	Base  string `json:"base,omitempty"`
	Setup string `json:"setup,omitempty"` // a shell command that prepares a new worktree of the run, before the first task there
	Jobs  int    `json:"jobs,omitempty"`  // how many tasks may run at the same time; 0 if the plan does not say
	Tasks []Task `json:"tasks"`
}

// Task is the smallest unit of work that can be repeated alone. If a task has neither Run nor Ask, git-resume does not
// do it: somebody else does the task and reports it.
type Task struct {
	ID          string      `json:"id"`
	Title       string      `json:"title,omitempty"` // one line without control characters
	Phase       string      `json:"phase,omitempty"` // the part of the plan that the task belongs to, such as a heading
	Run         string      `json:"run,omitempty"`   // a shell command
	Verify      string      `json:"verify,omitempty"`
	OnInterrupt OnInterrupt `json:"on_interrupt,omitempty"`
	OnConflict  OnConflict  `json:"on_conflict,omitempty"`
	Needs       []string    `json:"needs,omitempty"` // the ids of the tasks that must be done first
	Inputs      []string    `json:"inputs,omitempty"`
	Outputs     []string    `json:"outputs,omitempty"`
	Timeout     Duration    `json:"timeout,omitempty"`
	Retries     int         `json:"retries,omitempty"`
	Once        bool        `json:"once,omitempty"`    // the task runs a second time only if a person allows it
	Confirm     string      `json:"confirm,omitempty"` // the question that a person must confirm before the task runs
	Ask         string      `json:"ask,omitempty"`     // the question that a person must answer; such a task has no command
	Options     []string    `json:"options,omitempty"`
	Done        bool        `json:"done,omitempty"`     // the plan file says that the task is done, but no commit proves it
	Optional    bool        `json:"optional,omitempty"` // the run can be finished without this task
}

// OnInterrupt says what to do with a task that was interrupted. If it is empty, the caller's default applies.
type OnInterrupt string

// These are the ways to treat an interrupted task.
const (
	Retry  OnInterrupt = "retry"
	Verify OnInterrupt = "verify"
	Ask    OnInterrupt = "ask"
)

// OnConflict says what to do with the result of a task that conflicts with the results of tasks that ran at the same time. If it is empty,
// a person is asked.
type OnConflict string

// These say what happens to a result that conflicts with the results of other tasks.
const (
	AskPerson OnConflict = "ask"
	Rerun     OnConflict = "rerun"
	Park      OnConflict = "park"
)

// MaxJobs is the largest number of tasks that may run at the same time.
const MaxJobs = 64

// Duration is a length of time as it is written in the plan, such as "10m".
type Duration string

// Value returns the duration, or zero if it is empty or invalid.
func (d Duration) Value() time.Duration {
	v, err := time.ParseDuration(string(d))
	if err != nil {
		return 0
	}
	return v
}

// Canonical returns the stored form of the plan: indented JSON that Decode can read. Equal plans have the same stored form.
func (p Plan) Canonical() []byte {
	if p.Tasks == nil {
		p.Tasks = []Task{}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(p); err != nil {
		panic(fmt.Sprintf("encode a plan: %v", err)) // cannot happen, because a plan contains only strings, numbers and booleans
	}
	return b.Bytes()
}
