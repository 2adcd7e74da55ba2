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

// work is a candidate while it is being put together.
type work struct {
	sources.Found
	search *treeSearch
	rank   int
	// kind is the type of workflow as people call it; about is what the work is for, such as "story 4.2".
	kind, about string
	// position says how far the work is, such as "phase 3 (Implement)".
	position string
	phases   []phase
	// at is the index of the phase to continue with; after the last one there is nothing left to do.
	at int
	// claims are what the work's state says about stories, in its own words.
	claims []claim
	began  time.Time
	// changedFiles lists the files that the work changed or created.
	changedFiles []string
	// handoff is the task that receives the work; agent is the agent that works on it.
	handoff, agent string
	// fields are the work's own fields, for the protocol.
	fields map[string]any
	// joined lists candidates that were joined with this one.
	joined []any
	// repair means that there is an intact version of a broken state file.
	repair bool
	// implied means that there is no state file: a story or an artefact is the only evidence.
	implied bool
}

// reading is a work while it is being read from a state; each kind of state has its own type.
type reading struct {
	*work
	v sources.Value
}

// newWork starts a candidate that was read from a state file.
func (l *treeSearch) newWork(rank int, kind, id string, r statefile.Record) *work {
	w := &work{search: l, rank: rank, kind: kind, at: -1, fields: map[string]any{}}
	if id == "" { // without an id in the content or in the file name, the user could not name the work
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

// timeOf returns the first of the named fields that is a time.
func (w *work) timeOf(v sources.Value, names ...string) time.Time {
	for _, n := range names {
		text := v.Get(n).Text()
		if text == "" {
			continue
		}
		t, naive, ok := sources.ParseTime(text)
		if !ok {
			w.doubt(sources.DoubtInvalidState, conflicts.Info, "", "%s is not a time: %s", n, statefile.Short(text))
			continue
		}
		if naive {
			w.doubt(sources.DoubtLocalTime, conflicts.Info, "", "%s has no time zone; local time is assumed", n)
		}
		return t
	}
	return time.Time{}
}

// noteActivity records the last activity of the work: the newest of the given times, otherwise the time of its file.
func (w *work) noteActivity(from string, times ...time.Time) {
	for _, t := range times {
		if t.After(w.Active) {
			w.Active, w.From = t, from
		}
	}
	if w.Active.IsZero() && len(w.Files) > 0 {
		w.Active, w.From = w.search.Tree.Changed(w.Files[0]).UTC(), "file time"
	}
}

// quiet is how long a state must be unchanged before its work counts as stopped.
const quiet = 5 * time.Minute

// stopped returns the state of a work whose status says that it is active: the status alone does not prove that,
// but a state file written moments ago does.
func (w *work) stopped(quiet time.Duration) sources.State {
	if statefile.SaysStopped(w.Status) {
		return sources.Interrupted
	}
	if w.From != "file time" && w.From != "" && w.search.View.Now.Sub(w.Active) < quiet {
		w.doubt(sources.DoubtStillWritten, conflicts.Warning, first(w.Files), "the state was written at %s; something may still be working on it", w.search.View.Shown(w.Active))
		return sources.Running
	}
	return sources.Interrupted
}

// addStory records that the work belongs to a story.
func (w *work) addStory(id string) {
	key := story.KeyOf(id)
	if key == "" {
		return
	}
	if same := "story:" + key; !slices.Contains(w.Same, same) {
		w.Same = append(w.Same, same)
	}
}

// addClaim records what the state says about a story, and that the work belongs to that story.
func (w *work) addClaim(c claim) {
	if c.key = story.KeyOf(c.id); c.key == "" {
		return
	}
	w.addStory(c.id)
	w.claims = append(w.claims, c)
}

// agentName removes the @ sign from a name, because states write both @dev and dev.
func agentName(s string) string { return strings.TrimPrefix(strings.TrimSpace(s), "@") }

// branchRef returns the full name of a branch; empty if the name is not a safe branch name.
func branchRef(name string) refs.Name {
	name = strings.TrimSpace(name)
	if name == "" || strings.ContainsAny(name, " ~^:?*[\\\x7f") || strings.Contains(name, "..") || strings.HasPrefix(name, "-") {
		return ""
	}
	return refs.BranchOf(name)
}

// setBranch sets the branch of the work, and the worktree in which that branch is checked out.
func (w *work) setBranch(branch string) {
	ref := branchRef(branch)
	if ref == "" {
		return
	}
	w.fields["branch"] = branch
	if id, err := w.search.View.Repo.Refs.Ref(w.search.Ctx, ref); err != nil || id == "" {
		w.doubt("branch-missing", conflicts.Info, "", "branch '%s' of the state is not there", statefile.Short(branch))
		return
	}
	w.Branch = ref
	if t, ok := w.search.View.OnBranch(ref); ok {
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
	rankRest // the stories that fold put together
)

// treeSearch is the search through one worktree.
type treeSearch struct {
	statefile.Files
	stories *story.Collection
	works   []*work
	// agents records for each agent looked up whether its configuration exists.
	agents map[string]bool
}

// add appends a work that was read; nil is ignored.
func (l *treeSearch) add(w *work) {
	if w != nil {
		l.works = append(l.works, w)
	}
}

// maxLoops limits how many subfolders of a folder are searched.
const maxLoops = 500
