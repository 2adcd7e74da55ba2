package orchestrate

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/story"
)

// compare holds the works of one worktree against its stories, files and history.
func (l *look) compare(works []*work) {
	if len(works) == 0 {
		return
	}
	var all []string
	for _, w := range works {
		w.checkStories()
		w.checkAgent()
		all = append(all, w.watched()...)
	}
	h := story.HistoryOf(l.Ctx, l.View, l.Tree, all)
	defer h.Close()
	for _, w := range works {
		w.since(h)
		w.checkPhases(h)
		w.checkShape()
		w.listedFiles(h) // what a list of changed files lacks shows no other shape of the project
	}
}

// maxWatched bounds how many files of one work are looked up in the history.
const maxWatched = 200

// watched are the files whose changes matter to a work: its state, its stories, what it made, and stories that may be new.
func (w *work) watched() []string {
	out := slices.Clone(w.Files)
	for _, c := range w.claims {
		if s := w.storyOf(c); s != nil {
			out = append(out, s.Path)
		} else if !c.over {
			out = append(out, w.expected(c))
		}
	}
	for _, s := range w.strangers() {
		out = append(out, s.Path)
	}
	for _, p := range w.phases {
		for _, f := range p.makes {
			if rel, there := w.resolve(f); there {
				out = append(out, rel)
			}
		}
	}
	for _, f := range w.own {
		if rel, _ := w.resolve(f); rel != "" && len(out) < maxWatched {
			out = append(out, rel)
		}
	}
	return slices.DeleteFunc(out, func(p string) bool { return p == "" || !filepath.IsLocal(filepath.FromSlash(p)) })
}

// resolve finds a path of a state below the worktree: paths of other machines are brought home.
// rel is empty where it leads out.
func (w *work) resolve(name string) (rel string, there bool) {
	name = strings.ReplaceAll(strings.TrimSpace(name), `\`, "/")
	if name == "" || strings.ContainsAny(name, "\x00\n") {
		return "", false
	}
	if strings.HasPrefix(name, "/") || len(name) > 2 && name[1] == ':' {
		return w.look.Tree.Reroot(name)
	}
	name = path.Clean(name)
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", false
	}
	return name, w.look.Tree.Has(name)
}

// need records a file on which the work depends; a missing one is told by what it is for.
func (w *work) need(name, use string, critical bool) {
	rel, there := w.resolve(name)
	f := sources.File{Path: rel, For: use, Missing: !there, Critical: critical}
	if rel == "" {
		f.Path = statefile.Short(name)
	}
	for _, old := range w.Needs {
		if old.Path == f.Path {
			return
		}
	}
	w.Needs = append(w.Needs, f)
	if rel == "" && strings.Contains(name, "..") {
		w.doubt(sources.DoubtRefused, conflicts.Warning, "", "a path of the state leads out of the repository and was not looked at: %s", statefile.Short(name))
	}
}

func (w *work) storyOf(c claim) *story.Story {
	if c.path != "" {
		if rel, there := w.resolve(c.path); there {
			if s := w.look.shelf.At(rel); s != nil {
				return s.Current()
			}
		}
	}
	if s := w.look.shelf.Find(c.key); s != nil {
		return s.Current()
	}
	return nil
}

// expected is where a story that is not there should be.
func (w *work) expected(c claim) string {
	if c.path != "" {
		if rel, _ := w.resolve(c.path); rel != "" {
			return rel
		}
		return path.Join(statefile.StoriesDir, path.Base(strings.ReplaceAll(c.path, `\`, "/")))
	}
	return path.Join(statefile.StoriesDir, strings.ReplaceAll(c.id, "/", "-")+".story.md")
}

// checkStories compares what the state says about its stories with what they say themselves.
func (w *work) checkStories() {
	if !w.State.Open() || len(w.claims) == 0 {
		return
	}
	current := ""
	if w.rank == rankEpic && w.at >= 0 && w.at < len(w.phases) {
		current = strings.Replace(w.phases[w.at].id, "-", " ", 1)
	}
	var table []any
	for _, c := range w.claims {
		s := w.storyOf(c)
		if s == nil {
			creates := w.rank == rankWorkflow && w.Point.Task == "create" // the phase that comes next makes it
			critical := !c.over && !creates && (c.meaning != sources.MeansPending || c.phase == current || c.path != "")
			if !c.over || c.path != "" {
				w.need(w.expected(c), orWork(c.phase), critical)
			}
			continue
		}
		w.Needs = append(w.Needs, sources.File{Path: s.Path, For: orWork(c.phase), Critical: !c.over})
		v := interpret(c, s.Meaning)
		if v.code != "" {
			w.doubt(v.code, v.severity, s.Path, "story %s: %s (%s '%s')", c.id, v.text, c.said(), statefile.Short(s.Word))
		}
		table = append(table, map[string]any{"story": c.id, "state_says": c.raw, "state_place": c.place, "story_says": s.Word, "interpretation": v.text})
		if !c.over {
			w.chain(s)
		}
		if s.Meaning == sources.MeansUnknown {
			w.doubt(sources.DoubtUnknownWord, conflicts.Warning, s.Path, "story %s has the unknown status '%s'", s.ID, statefile.Short(s.Word))
		}
	}
	w.fields["status_consistency"] = table
	if id := w.validated(); id != "" {
		w.phases[1].state, w.phases[1].evidence = statusDone, "story status"
		w.goOn(atImplement, "story "+id+" was validated while the workflow stood still")
	}
}

// validated is the story of a cycle that comes to its validation and finds it done.
func (w *work) validated() string {
	if w.kind != "SDC" || w.rank != rankWorkflow || w.Point.Task != "validate" || len(w.phases) <= atImplement {
		return ""
	}
	for _, c := range w.claims {
		if s := w.storyOf(c); s != nil && interpret(c, s.Meaning).code == "story-validated" {
			return c.id
		}
	}
	return ""
}

// said leads to what the story says from what the state says of it, or else from where that stands: a word that is not in it is not put into its mouth.
func (c claim) said() string {
	switch {
	case c.raw != "":
		return "the state says '" + statefile.Short(c.raw) + "', the story"
	case c.place != "":
		return "the workflow is at " + c.place + ", the story says"
	}
	return "the state has no word for it, the story says"
}

// chain looks whether the stories that a story depends on are there. Only names of the form that stories here have count:
// a text about dependencies names versions and other things too.
func (w *work) chain(s *story.Story) {
	for _, id := range s.Read().Needs {
		key := story.KeyOf(id)
		w.link(s, id, key)
		if key == s.Key || w.look.shelf.Find(key) != nil {
			continue
		}
		if slices.ContainsFunc(w.look.shelf.All, func(o *story.Story) bool { return group(o.Key) == group(key) }) {
			w.doubt(sources.DoubtUnknownNeed, conflicts.Warning, s.Path, "story %s depends on %s, of which there is no story", s.ID, id)
		}
	}
}

// link adds one dependency to the chain as people read it: "4.2 needs 4.1 (Done)".
func (w *work) link(s *story.Story, id, key string) {
	if key == s.Key {
		return
	}
	how := "not there"
	if other := w.look.shelf.Find(key); other != nil {
		how = statefile.Short(other.Current().Word)
	}
	link := fmt.Sprintf("%s needs %s (%s)", s.ID, id, how)
	if chain, _ := w.fields["dependencies"].(string); chain != "" {
		link = chain + ", " + link
	}
	w.fields["dependencies"] = link
}

// group is what the names of the stories of one epic have in common.
func group(key string) string {
	if i := strings.LastIndexAny(key, ".-"); i > 0 {
		return key[:i]
	}
	return ""
}

func orWork(phase string) string {
	if phase == "" {
		return "the workflow"
	}
	return phase
}

// reading of two statuses of one story.
type verdict struct {
	code     string
	severity conflicts.Severity
	text     string
}

// interpret says what it means that state and story say these things.
func interpret(c claim, story sources.Meaning) verdict {
	state := c.meaning
	switch {
	case story == sources.MeansDone && (state == sources.MeansInProgress || state == sources.MeansUnknown && !c.over):
		return verdict{sources.DoubtAlreadyEnded, conflicts.Blocking, "it was completed outside of this workflow"}
	case story == sources.MeansDone && state == sources.MeansReview:
		return verdict{sources.DoubtAlreadyEnded, conflicts.Blocking, "its review was completed outside of this workflow"}
	case story == sources.MeansPending && (state == sources.MeansInProgress || state == sources.MeansReview):
		return verdict{"story-reset", conflicts.Blocking, "it was reset, so the state is stale"}
	case story == sources.MeansReady && state == sources.MeansPending:
		return verdict{"story-validated", conflicts.Info, "it was validated while the workflow stood still"}
	case state == story || state == sources.MeansUnknown || story == sources.MeansUnknown, slices.Contains(c.fine, story):
		return verdict{text: "consistent"}
	case state == sources.MeansClosed:
		return verdict{text: "it was left out of this workflow"}
	}
	return verdict{sources.DoubtDiscrepancy, conflicts.Warning, "the two do not agree"}
}

// agentDirs are where agents are configured.
var agentDirs = []string{".aiox-core/development/agents", ".aios-core/development/agents", ".aios-core/agents", ".claude/agents", "agents"}

// checkAgent looks for the configuration of the agent that comes next. Where the project has none at all it is elsewhere.
func (w *work) checkAgent() {
	if w.agent == "" || w.Point.Task == "" || !w.State.Open() {
		return
	}
	there, known := w.look.agents[w.agent]
	if !known {
		there = w.look.hasAgent(w.agent) || !w.look.hasAgent("dev") && !w.look.hasAgent("qa")
		if w.look.agents == nil {
			w.look.agents = map[string]bool{}
		}
		w.look.agents[w.agent] = there
	}
	w.fields["agent_configured"] = there
	if !there {
		w.doubt("agent-missing", conflicts.Warning, "", "agent @%s, who comes next, is not configured in this project", w.agent)
	}
}

func (l *look) hasAgent(name string) bool {
	for _, dir := range agentDirs {
		for _, prefix := range []string{"", "aios-", "aiox-"} {
			if l.Tree.Has(path.Join(dir, prefix+name+".md")) {
				return true
			}
		}
	}
	return false
}

// checkPhases finds phases whose output is gone or was changed by others: they must be done again.
func (w *work) checkPhases(h *story.History) {
	if !w.State.Open() || w.rank == rankEpic || w.implied && w.rank != rankSpec {
		return
	}
	since := h.Touches[:h.Border(w.Active, w.Files)]
	for i := range w.phases {
		p := &w.phases[i]
		if !p.over() {
			continue
		}
		for _, f := range p.makes {
			rel, there := w.resolve(f)
			switch {
			case !strings.ContainsRune(f, '/') && !there, strings.ContainsRune(f, ' '):
				continue // a name or a sentence, not a path
			case strings.HasPrefix(rel, statefile.StoriesDir+"/") && story.IsFile(path.Base(f)):
				continue // a story lives on; it is compared by its sections
			case !there:
				w.need(f, p.name, false)
				p.invalid = "its output " + statefile.Short(f) + " is missing"
			case w.rank != rankSpec && len(w.strange(h.Of(rel, since), since, rel)) > 0:
				p.invalid = rel + " was changed by other work"
			}
		}
	}
	w.fromInvalid()
}

// fromInvalid goes back to the first phase that must be done again.
func (w *work) fromInvalid() {
	for i, p := range w.phases {
		if p.invalid == "" || i >= w.at {
			continue
		}
		w.doubt(sources.DoubtPhaseInvalid, conflicts.Warning, "", "%s (%s) must be done again: %s", number(i), p.name, p.invalid)
		if w.Point.Task != w.phases[i].id {
			w.goOn(i, "it must be done again: "+p.invalid)
		}
		return
	}
}

// strange are the changes of a path that commits made which do not name the work.
func (w *work) strange(deltas []past.Delta, since []past.Touch, rel string) []past.Touch {
	if len(deltas) == 0 {
		return nil
	}
	var out []past.Touch
	for _, t := range since {
		if !w.named(t.Subject) && slices.ContainsFunc(t.Changes, func(d past.Delta) bool { return d.Path == rel }) {
			out = append(out, t)
		}
	}
	return out
}

// named reports whether a commit says that it belongs to the work.
func (w *work) named(subject string) bool {
	low := strings.ToLower(subject)
	for _, same := range w.Same {
		key, isStory := strings.CutPrefix(same, "story:")
		if !isStory {
			continue
		}
		if !strings.ContainsAny(key, ".-") {
			key = "story " + key // a bare number may mean anything
		}
		if i := strings.Index(low, key); i >= 0 && !wordAt(low, i-1) && !wordAt(low, i+len(key)) {
			return true
		}
	}
	return false
}

func wordAt(s string, i int) bool {
	return i >= 0 && i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] >= 'a' && s[i] <= 'z')
}

// checkShape tells a project that was rebuilt from one that lost a file.
func (w *work) checkShape() {
	all, gone := 0, 0
	for _, n := range w.Needs {
		again := slices.ContainsFunc(w.phases, func(p phase) bool { return p.invalid != "" && p.name == n.For })
		if again {
			continue // it is made again with its phase
		}
		if all++; n.Missing {
			gone++
		}
	}
	if gone >= 3 && 2*gone > all {
		w.doubt("restructured", conflicts.Blocking, "", "%d of the %d files that the state refers to are not there: the project was restructured", gone, all)
	}
}

// staleStory tells how long a story may stand still.
func (w *work) staleStory(m sources.Meaning, age time.Duration) {
	if limit := staleAfter(m); limit > 0 && age > limit {
		w.doubt("story-stale", conflicts.Info, first(w.Files), "the story is '%s' since %s, more than %s", statefile.Short(w.Status), at(w.Active), lasted(limit))
	}
}
