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
	"github.com/git-resume/git-resume/internal/textdoc"
)

// work is a piece of work that was found. Its report is not complete yet.
type work struct {
	sources.Found
	search *treeSearch
	rank   int
	// kind is the type of workflow, as shown to people. The field "about" is the subject of the work, such as "story 4.2".
	kind, about string
	// position describes the progress, such as "phase 3 (Implement)".
	position string
	phases   []phase
	// at is the index of the next phase. It is len(phases) if the work is finished, and -1 if the phase is not known.
	at int
	// claims holds the statements of the state file about stories.
	claims []claim
	began  time.Time
	// changedFiles lists the files that the work changed or created.
	changedFiles []string
	// handoff is the orchestrate task that continues the work. The field "agent" names the agent that carries out this task.
	handoff, agent string
	// fields holds the values for Found.Protocol.
	fields map[string]any
	// joined describes the other pieces of work that were merged into this one.
	joined []any
	// repair means that an intact version of the broken state file was found.
	repair bool
	// implied means that there is no state file, and the work was recognized only by a story or an artefact.
	implied bool
}

// reading is the common structure of the types that read a state file. The field v is the content of that file.
type reading struct {
	*work
	v textdoc.Value
}

// newWork creates a piece of work. The record r is empty if the work has no state file.
func (l *treeSearch) newWork(rank int, kind, id string, r statefile.Record) *work {
	w := &work{search: l, rank: rank, kind: kind, at: -1, fields: map[string]any{}}
	if id == "" { // without an id, the user could not name the work in commands
		id = path.Base(r.Path)
	}
	w.Source, w.ID, w.Home = "orchestrate", id, l.Tree.WorkTree
	w.Newest = true
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

// timeOf returns the time in the first of the named fields that holds a valid time, or the zero time. It warns about invalid times and
// about missing time zones.
func (w *work) timeOf(v textdoc.Value, names ...string) time.Time {
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

// noteActivity moves the last activity to the newest of the given times. If the last activity is still unknown, it becomes the time of the
// state file.
func (w *work) noteActivity(from string, times ...time.Time) {
	for _, t := range times {
		if t.After(w.Active) {
			w.Active, w.From = t, from
		}
	}
	if w.Active.IsZero() && len(w.Files) > 0 {
		w.Active, w.From = w.search.written(w.Files[0])
	}
}

// written returns when a file was written, and a text that says where this time was found.
func (l *treeSearch) written(file string) (time.Time, string) {
	at, from := l.View.Written(l.Ctx, l.Tree, file)
	return at.UTC(), from
}

// quiet is how long work counts as running after its last recorded activity.
const quiet = 5 * time.Minute

// stopped returns Running or Interrupted. It returns Running if the recorded activity, or the commit of the state file, is younger than
// the given duration. The modification time of the file does not count. A status such as "paused" always means Interrupted.
func (w *work) stopped(quiet time.Duration) sources.State {
	if statefile.SaysStopped(w.Status) {
		return sources.Interrupted
	}
	if w.From != "file time" && w.From != "" && w.search.View.Now.Sub(w.Active) < quiet {
		w.doubt(sources.DoubtStillWritten, conflicts.Warning, first(w.Files), "the state was written at %s; something may still be working on it", w.search.View.Shown(w.Active))
		return sources.Running
	}
	if w.search.View.Now.Sub(w.Active) < freshAge && sources.MeaningOf(w.Status) == sources.MeansInProgress {
		w.doubt(sources.DoubtStatusWord, conflicts.Info, first(w.Files), "the state still says '%s', although nothing was recorded in it since %s", statefile.Short(w.Status), w.search.View.Shown(w.Active))
	}
	return sources.Interrupted
}

func (w *work) addStory(id string) {
	key := story.KeyOf(id)
	if key == "" {
		return
	}
	if same := "story:" + key; !slices.Contains(w.Same, same) {
		w.Same = append(w.Same, same)
	}
}

// addClaim records the statements of the state file about a story, and adds the story to the work.
func (w *work) addClaim(c claim) {
	if c.key = story.KeyOf(c.id); c.key == "" {
		return
	}
	w.addStory(c.id)
	w.claims = append(w.claims, c)
}

// agentName removes the @ sign from an agent's name, because some files write @dev and others dev.
func agentName(s string) string { return strings.TrimPrefix(strings.TrimSpace(s), "@") }

// branchRef returns the full ref name of a branch, or "" for an unsafe name.
func branchRef(name string) refs.Name {
	name = strings.TrimSpace(name)
	if name == "" || strings.ContainsAny(name, " ~^:?*[\\\x7f") || strings.Contains(name, "..") || strings.HasPrefix(name, "-") {
		return ""
	}
	return refs.BranchOf(name)
}

// setBranch sets the branch of the work, and its worktree if the branch is checked out. It warns if the branch does not exist.
func (w *work) setBranch(branch string) {
	ref := branchRef(branch)
	if ref == "" {
		return
	}
	w.fields["branch"] = branch
	if id, err := w.search.View.Repo.Refs.Ref(w.search.Ctx, ref); err != nil || id == "" {
		w.doubt("branch-missing", conflicts.Info, "", "branch '%s', which the state names, does not exist", statefile.Short(branch))
		return
	}
	w.Branch = ref
	if t, ok := w.search.View.OnBranch(ref); ok {
		w.Worktree = t.WorkTree
	}
}

// These are the kinds of work, ordered by the priorities of the orchestrate tools. The highest priority is 1.
const (
	rankEpic = 1 + iota
	rankLoop
	rankWorkflow
	rankStory
	rankReview
	rankSpec
	rankRest // the entry in which foldStories combines old stories
)

type treeSearch struct {
	statefile.Files
	stories *story.Collection
	works   []*work
	// agents caches for each agent whether checkAgent regards it as configured.
	agents map[string]bool
}

func (l *treeSearch) add(w *work) {
	if w != nil {
		l.works = append(l.works, w)
	}
}

// maxLoops limits how many subfolders of a folder are searched. It also limits how many QA loops are added from the index of loops.
const maxLoops = 500
