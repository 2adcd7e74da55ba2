package orchestrate

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/refs"
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

// reading is a work while it is read from a state; each kind of state has its own.
type reading struct {
	*work
	v sources.Value
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

// agentName takes the sign off a name: states write both @dev and dev.
func agentName(s string) string { return strings.TrimPrefix(strings.TrimSpace(s), "@") }

// branchRef is the full name of a branch.
func branchRef(name string) refs.Name {
	name = strings.TrimSpace(name)
	if name == "" || strings.ContainsAny(name, " ~^:?*[\\\x7f") || strings.Contains(name, "..") || strings.HasPrefix(name, "-") {
		return ""
	}
	return refs.BranchOf(name)
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

// The order in which the family looks for its state, the most specific first.
const (
	rankEpic = 1 + iota
	rankLoop
	rankWorkflow
	rankStory
	rankReview
	rankSpec
	rankRest // what was folded together
)

// look is the search of one worktree.
type look struct {
	statefile.Files
	shelf *story.Shelf
	works []*work
	// agents are the names whose configuration was looked for, and whether it is there.
	agents map[string]bool
}

// add takes a work that was read.
func (l *look) add(w *work) {
	if w != nil {
		l.works = append(l.works, w)
	}
}

// maxLoops bounds the folders below qa that are looked into.
const maxLoops = 500
