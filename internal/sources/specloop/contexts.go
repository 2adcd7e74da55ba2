package specloop

import (
	"cmp"
	"fmt"
	"path"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
	"github.com/git-resume/git-resume/internal/textdoc/yamldoc"
)

// turn is one position in a plan or task workflow. A workflow whose context file has this phase and this status continues at this step. The
// field "title" says what to do in the step.
type turn struct{ phase, status, step, title string }

// turns lists the positions of each workflow type in the order in which a workflow passes them. The numbers of the steps and the names of
// the agents (analyst, architect and advocate) are those of the workflow system.
var turns = map[string][]turn{
	"plan": {
		{"analysis", "awaiting-analyst", "2.3", "continue the analyst agent's part of the analysis"},
		{"analysis", "awaiting-architect", "2.5", "continue the architect agent's part of the analysis"},
		{"analysis", "awaiting-advocate", "2.7", "continue the advocate agent's review of the analysis"},
		{"analysis", "awaiting-user", "clarification", "answer the clarification or feasibility questions of the analysis"},
		{"design", "awaiting-analyst", "3.3", "continue the analyst agent's part of the design"},
		{"design", "awaiting-advocate", "3.5", "continue the advocate agent's review of the design"},
		{"design", "awaiting-user", "clarification", "answer the clarification questions of the design"},
	},
	"tasks": {
		{"mapping", "awaiting-architect", "2.3", "continue the architect agent's part of the phase 'mapping'"},
		{"mapping", "awaiting-advocate", "2.5", "continue the advocate agent's review of the phase 'mapping'"},
		{"mapping", "awaiting-user", "clarification", "answer the clarification questions of the phase 'mapping'"},
		{"tasks", "awaiting-architect", "3.3", "continue the architect agent's part of the tasks"},
		{"tasks", "awaiting-advocate", "3.5", "continue the advocate agent's review of the tasks"},
		{"tasks", "awaiting-user", "clarification", "answer the clarification questions of the tasks"},
	},
}

// contexts reads the workflows that follow the specification loop of a feature.
type contexts struct{ *feature }

// The method found() reads the context files that have front matter. Older context files have no front matter and contain no state.
func (f contexts) found() []sources.Found {
	var out []sources.Found
	for _, name := range []string{"context.md", "specify-context.md", "plan-context.md", "tasks-context.md"} {
		if found, ok := f.context(name); ok {
			out = append(out, found)
		}
	}
	return out
}

// contextFile is the copy of a context file in one worktree.
type contextFile struct {
	tree  sources.Tree
	front textdoc.Value
	body  string
}

func (c contextFile) newer(than contextFile) bool {
	a, _, _ := sources.ParseTime(c.front.Get("updated").Text())
	b, _, _ := sources.ParseTime(than.front.Get("updated").Text())
	return a.After(b)
}

func (f contexts) context(name string) (sources.Found, bool) {
	f.doubts = nil
	var best *contextFile
	damaged := ""
	for _, t := range f.trees {
		full := f.file(name)
		if !t.Has(full) {
			continue
		}
		data, err := f.state(t, full)
		if err != nil {
			continue
		}
		front, body, err := yamldoc.FrontMatter(textdoc.Text(data))
		c := contextFile{t, front, body}
		switch {
		case textdoc.Merging(textdoc.Text(data)):
			damaged = t.WorkTree
			f.doubts.About(sources.DoubtDamaged, conflicts.Warning, full, "%s", textdoc.HalfMerged(textdoc.Text(data)))
		case err != nil:
			damaged = t.WorkTree
			f.doubts.About(sources.DoubtDamaged, conflicts.Warning, full, "has front matter that cannot be read")
		case front.Get("status").Text() == "" && front.Get("phase").Text() == "":
		case best == nil || c.newer(*best):
			best = &c
		}
	}
	switch {
	case best != nil:
		return f.turn(name, *best), true
	case damaged != "" || len(f.doubts) > 0:
		found := f.plain(name, f.trees[0])
		if damaged != "" {
			found.Home = damaged
		}
		found.State, found.Doubts = sources.Corrupt, f.doubts
		found.Headline = fmt.Sprintf("the workflow '%s' of the feature '%s' cannot be read", kindOf(name), f.id)
		return found, true
	}
	return sources.Found{}, false
}

// kindOf returns the type of a workflow from the name of its context file.
func kindOf(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, ".md"), "-context")
}

// plain describes a workflow without reading its context file. It uses only the file's name and folder.
func (f contexts) plain(name string, t sources.Tree) sources.Found {
	kind := kindOf(name)
	return sources.Found{Source: "spec-loop", ID: f.id + "-" + kind, Name: f.id + "-" + kind, Home: t.WorkTree, Root: f.dir, Files: []string{f.file(name)},
		Command: quote.Command(commands+"%s", kind), Alternatives: []sources.Alternative{{Name: sources.StartFresh, Text: "move this state aside, so that the workflow can start again"}}}
}

// turn describes a workflow and finds the step at which it continues.
func (f contexts) turn(name string, c contextFile) sources.Found {
	found := f.plain(name, c.tree)
	kind := c.front.Get("type").Text()
	if turns[kind] == nil && strings.HasPrefix(name, "plan") {
		kind = "plan"
	} else if turns[kind] == nil && strings.HasPrefix(name, "tasks") {
		kind = "tasks"
	}
	said := kind // stored in the protocol: empty if the file does not say it
	if kind == "" {
		kind = kindOf(name)
	}
	found.Command = quote.Command(commands+"%s", kind)
	phase, status := c.front.Get("phase").Text(), c.front.Get("status").Text()
	found.Status = status
	f.when(&found, c)
	f.place(&found, c, kind, phase, status)
	found.Protocol = map[string]any{"type": said, "phase": phase, "status": status, "iteration": c.front.Get("iteration").Plain(), "resume_point": found.Point.Task,
		"feature_id": cmp.Or(c.front.Get("feature_id").Text(), f.id), "created": c.front.Get("created").Text(), "updated": c.front.Get("updated").Text()}
	found.Headline = fmt.Sprintf("the workflow '%s' of the feature '%s' is in phase %s with status %s; next: %s", kind, f.id, cmp.Or(phase, "(none)"), cmp.Or(status, "(none)"), found.Point.Title)
	if found.State == sources.Complete {
		found.Headline = fmt.Sprintf("the workflow '%s' of the feature '%s' is completed", kind, f.id)
	}
	if strategy := f.file("dags/specify-strategy.json"); c.tree.Has(strategy) {
		found.Files = append(found.Files, strategy)
	}
	found.Doubts = f.doubts
	return found
}

func (f contexts) when(found *sources.Found, c contextFile) {
	at, naive, ok := sources.ParseTime(c.front.Get("updated", "created").Text())
	if found.Active, found.From = at, "updated"; !ok {
		found.Active, found.From = f.view.Written(f.ctx, c.tree, found.Files[0])
	}
	if naive {
		f.doubts.About(sources.DoubtLocalTime, conflicts.Info, found.Files[0], "has times without a time zone; local time is assumed")
	}
}

// place sets the state, the next step and the tasks of a workflow from its phase and status.
func (f contexts) place(found *sources.Found, c contextFile, kind, phase, status string) {
	word := strings.ReplaceAll(strings.ToLower(status), "_", "-")
	found.State = sources.Interrupted
	all := turns[kind]
	at := -1
	for i, t := range all {
		if strings.EqualFold(t.phase, phase) && t.status == word {
			at = i
		}
	}
	switch {
	case sources.MeaningOf(status) == sources.MeansDone || sources.MeaningOf(phase) == sources.MeansDone:
		found.State, at = sources.Complete, len(all)
	case at >= 0:
		found.Point = sources.Point{Task: all[at].step, Title: all[at].title, Reason: "it is at " + phase + ", " + status}
	default:
		phase, status = cmp.Or(phase, "(none)"), cmp.Or(status, "(none)")
		found.State = sources.Unknown
		found.Point = sources.Point{Title: "decide where to continue", Reason: "it is not known how to continue from " + phase + ", " + status}
		f.doubts.About(sources.DoubtUnknownWord, conflicts.Warning, found.Files[0], "is at %s, %s, which is not a known step of a %s workflow", phase, status, kind)
	}
	for i, t := range all {
		task := sources.Task{ID: t.phase + "/" + t.step, Title: t.title, Phase: t.phase, State: checkpoint.Pending, Optional: t.step == "clarification"}
		switch {
		case at < 0:
			task.State = sources.TaskUnknown
		case i < at:
			task.State = checkpoint.Done
		case i == at:
			task.State, task.Raw = checkpoint.Active, status
		}
		found.Tasks = append(found.Tasks, task)
	}
	if word == "awaiting-user" && found.State == sources.Interrupted {
		found.State = sources.Waiting
		found.Tasks[at].State = sources.TaskWaiting
		found.Questions = asked(found, c, found.Tasks[at].ID)
	}
	if found.State.Open() && found.State != sources.Unknown {
		found.Point.Task = all[at].step
		found.Alternatives = append([]sources.Alternative{{Name: sources.Continue, Text: "continue with " + all[at].step + ": " + all[at].title}}, found.Alternatives...)
	}
}

// asked returns the questions in the text of a context file. If it finds none, it returns one question that refers the user to the file.
func asked(found *sources.Found, c contextFile, task string) []sources.Question {
	sections := textdoc.Sections(textdoc.Visible(c.body))
	s, ok := textdoc.SectionOf(sections, "Pending Questions", "Questions", "Open Questions", "Clarification Questions", "Clarifications", "Clarifications Needed", "User Questions")
	var out []sources.Question
	for _, l := range s.Body {
		text := strings.TrimSpace(l.Text)
		if bare := strings.TrimLeft(text, "-*0123456789.) "); ok && bare != text && strings.HasSuffix(bare, "?") {
			out = append(out, sources.Question{Task: task, Text: textdoc.Unmark(bare)})
		}
	}
	if len(out) == 0 {
		out = []sources.Question{{Task: task, Text: "the workflow waits for you: see " + path.Join(found.Root, ".workflow", path.Base(found.Files[0]))}}
	}
	return out
}
