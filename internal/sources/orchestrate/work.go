package orchestrate

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/story"
)

// work is a candidate while it is put together.
type work struct {
	sources.Found
	look *look
	rank int
	// kind is the type of workflow as its people call it, about what it is for: "story 4.2".
	kind, about string
	// position says how far it is: "phase 3 (Implement)".
	position string
	phases   []phase
	// at is the phase to go on with; after the last one there is nothing left.
	at int
	// claims are what it says about stories, in its own words.
	claims []claim
	began  time.Time
	// own are the files that it changed or made.
	own []string
	// handoff is the task that receives it, agent who works on it.
	handoff, agent string
	// fields are its own fields, for the protocol.
	fields map[string]any
	// also are candidates that were joined with it.
	also []any
	// repair: there is a whole version of a broken state file.
	repair bool
	// implied: there is no state file, a story or an artefact says it all.
	implied bool
}

// phase is one step of a workflow.
type phase struct {
	id, name, agent string
	state           checkpoint.TaskState
	raw             string
	// makes are the files that it leaves behind.
	makes        []string
	began, ended time.Time
	evidence     string
	optional     bool
	// invalid says why it must be done again although it is done.
	invalid string
}

func (p phase) over() bool {
	return (p.state == checkpoint.Done || p.state == checkpoint.Skipped) && p.invalid == ""
}

// claim is what a state says about a story.
type claim struct {
	// id is as written, key as compared.
	id, key string
	meaning sources.Meaning
	// raw is the word that the state has for the story; empty: it has none, and place is where the workflow stands.
	raw, place string
	// phase names what needs the story; over: nothing does any more.
	phase string
	over  bool
	// path is set where the state names the file.
	path string
	// fine are other statuses of the story that fit as well.
	fine []sources.Meaning
}

// newWork begins a candidate that was read from a state file.
func (l *look) newWork(rank int, kind, id string, r statefile.Record) *work {
	w := &work{look: l, rank: rank, kind: kind, at: -1, fields: map[string]any{}}
	if id == "" { // neither the content nor the form of the file's name has one, and what has no name cannot be asked for
		id = path.Base(r.Path)
	}
	w.Source, w.ID, w.Home = "orchestrate", id, l.Tree.WorkTree
	w.handoff, w.agent = "orchestrate", "master"
	if r.Path != "" {
		w.Root, w.Files = dirOf(r.Path), []string{r.Path}
	}
	w.Doubts, w.Rebuilt, w.repair = r.Doubts, r.Rebuilt, r.Older
	return w
}

func dirOf(path string) string {
	if i := strings.LastIndexByte(path, '/'); i > 0 {
		return path[:i]
	}
	return ""
}

func (w *work) doubt(code string, s conflicts.Severity, path, format string, args ...any) {
	d := sources.Doubt{Code: code, Severity: s, Path: path, Text: fmt.Sprintf(format, args...)}
	if !slices.Contains(w.Doubts, d) {
		w.Doubts = append(w.Doubts, d)
	}
}

// times takes the first of the named fields that is a time.
func (w *work) timeOf(v sources.Value, names ...string) time.Time {
	for _, n := range names {
		text := v.Get(n).Text()
		if text == "" {
			continue
		}
		t, naive, ok := sources.ParseTime(text)
		if !ok {
			w.doubt(sources.DoubtInvalidState, conflicts.Info, "", "%s is no time: %s", n, statefile.Short(text))
			continue
		}
		if naive {
			w.doubt(sources.DoubtLocalTime, conflicts.Info, "", "%s has no time zone and was taken as local time", n)
		}
		return t
	}
	return time.Time{}
}

// sign records when the work last showed one: the newest of its own times, else the file's.
func (w *work) sign(from string, times ...time.Time) {
	for _, t := range times {
		if t.After(w.Active) {
			w.Active, w.From = t, from
		}
	}
	if w.Active.IsZero() && len(w.Files) > 0 {
		w.Active, w.From = w.look.Tree.Changed(w.Files[0]).UTC(), "file time"
	}
}

// quiet is how long a state must not have been written before its work counts as stopped.
const quiet = 5 * time.Minute

// stopped gives the state of a work whose words say that it goes on: a mark alone shows no life,
// but a state written moments ago does.
func (w *work) stopped() sources.State {
	if statefile.SaysStopped(w.Status) {
		return sources.Interrupted
	}
	if w.From != "file time" && w.From != "" && w.look.View.Now.Sub(w.Active) < quiet {
		w.doubt(sources.DoubtStillWritten, conflicts.Warning, first(w.Files), "the state was written at %s; something may still be working on it", at(w.Active))
		return sources.Running
	}
	return sources.Interrupted
}

// names makes the work one of a story.
func (w *work) names(id string) {
	key := story.KeyOf(id)
	if key == "" {
		return
	}
	if same := "story:" + key; !slices.Contains(w.Same, same) {
		w.Same = append(w.Same, same)
	}
}

// claim says what the state says about a story, and names it.
func (w *work) claim(c claim) {
	if c.key = story.KeyOf(c.id); c.key == "" {
		return
	}
	w.names(c.id)
	w.claims = append(w.claims, c)
}

// next is the phase to go on with: the one after the last that is over, or an earlier one that must be done again.
func next(phases []phase) int {
	at := 0
	for i, p := range phases {
		if p.over() {
			at = i + 1
		}
	}
	for i, p := range phases {
		if p.invalid != "" && i < at {
			return i
		}
	}
	return at
}

// firstOpen is the first phase that is neither done nor skipped.
func firstOpen(phases []phase) int {
	for i, p := range phases {
		if !p.over() {
			return i
		}
	}
	return len(phases)
}

func (w *work) tasksOfPhases() {
	w.Tasks = nil
	for _, p := range w.phases {
		state := p.state
		if p.invalid != "" {
			state = checkpoint.Pending
		}
		title := p.name
		if p.agent != "" {
			title += " (@" + p.agent + ")"
		}
		w.Tasks = append(w.Tasks, sources.Task{ID: p.id, Title: title, State: state, Raw: p.raw, Files: p.makes,
			Evidence: p.evidence, Began: p.began, Ended: p.ended, Optional: p.optional})
	}
}

// goOn sets the resume point to a phase and says why.
func (w *work) goOn(at int, reason string) {
	w.at = at
	w.Point = sources.Point{}
	if at < 0 || at >= len(w.phases) {
		return
	}
	p := w.phases[at]
	w.Point = sources.Point{Task: p.id, Title: p.name, Reason: reason}
	if p.agent != "" {
		w.agent = p.agent
	}
	switch p.id {
	case "create", "validate":
		w.handoff = "orchestrate"
	case "implement":
		w.handoff = "dev-develop-story"
	case "qa":
		w.handoff = "qa-gate"
	}
	w.position = fmt.Sprintf("phase %d (%s)", at+1, p.name)
}

// agentName takes the sign off a name: states write both @dev and dev.
func agentName(s string) string { return strings.TrimPrefix(strings.TrimSpace(s), "@") }

// branchRef is the full name of a branch.
func branchRef(name string) string {
	name = strings.TrimSpace(name)
	if name == "" || strings.ContainsAny(name, " ~^:?*[\\\x7f") || strings.Contains(name, "..") || strings.HasPrefix(name, "-") {
		return ""
	}
	return "refs/heads/" + strings.TrimPrefix(name, "refs/heads/")
}

// on gives the work its branch, and the worktree in which that is checked out.
func (w *work) on(branch string) {
	ref := branchRef(branch)
	if ref == "" {
		return
	}
	w.fields["branch"] = branch
	if id, err := w.look.View.Repo.Refs.Ref(w.look.Ctx, ref); err != nil || id == "" {
		w.doubt("branch-missing", conflicts.Info, "", "branch '%s' of the state is not there", statefile.Short(branch))
		return
	}
	w.Branch = ref
	if t, ok := w.look.View.OnBranch(ref); ok {
		w.Worktree = t.WorkTree
	}
}
