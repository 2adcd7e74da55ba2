package orchestrate

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/story"
)

// compare checks the work found in one worktree against the stories, files and commits of that worktree.
func (l *treeSearch) compare(works []*work) {
	var all []string
	var until time.Time
	for _, w := range works {
		if !w.implied && (until.IsZero() || w.Active.Before(until)) {
			until = w.Active
		}
		c := check{w}
		c.checkStories()
		c.checkAgent()
		all = append(all, c.watched()...)
	}
	h := story.HistoryOf(l.Ctx, l.View, l.Tree, until, all)
	defer h.Close()
	for _, w := range works {
		a := changesAfter(w, h)
		a.report()
		a.checkPhases()
		check{w}.checkShape()
		a.madeFiles()
		a.listedFiles() // call these after checkShape, because checkShape must not count what phases made or the stories' file lists name
	}
}

// check compares the statements in a state file with the existing stories and files.
type check struct{ *work }

// maxWatched limits the list of paths that are looked up in the history. Changed files beyond this number are left out.
const maxWatched = 200

// watched returns the paths whose commits must be looked up: state files, story files, outputs of phases and changed files.
func (w check) watched() []string {
	out := slices.Clone(w.Files)
	for _, c := range w.claims {
		if s := w.storyOf(c); s != nil {
			out = append(out, s.Path)
		} else if !c.over {
			out = append(out, w.expected(c))
		}
	}
	for _, s := range w.unknownStories() {
		out = append(out, s.Path)
	}
	for i, p := range w.phases {
		for _, f := range p.makes {
			if rel, there := w.resolve(f); there {
				out = append(out, rel)
			}
		}
		if w.rank == rankSpec && len(p.makes) == 0 && p.over() {
			out = append(out, artefactsOf(w.Root, i)...)
		}
	}
	for _, f := range w.changedFiles {
		if rel, _ := w.resolve(f); rel != "" && len(out) < maxWatched {
			out = append(out, rel)
		}
	}
	return slices.DeleteFunc(out, func(p string) bool { return p == "" || !filepath.IsLocal(filepath.FromSlash(p)) })
}

// checkStories compares the status of each story in the state file with the status in the story file. It also records which story files
// the work needs. If a story was validated meanwhile, the resume point moves on from "validate" to "implement".
func (w check) checkStories() {
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
			creates := w.rank == rankWorkflow && w.Point.Task == "create" // the next phase will create the missing story file
			critical := !c.over && !creates && (c.meaning != sources.MeansPending || c.phase == current || c.path != "")
			if !c.over || c.path != "" {
				w.need(w.expected(c), orWorkflow(c.phase), critical)
				table = append(table, map[string]any{"story": c.id, "state_says": c.raw, "state_place": c.place, "story_says": "missing", "interpretation": "its file is missing"})
			}
			continue
		}
		w.Needs = append(w.Needs, sources.File{Path: s.Path, For: orWorkflow(c.phase), Critical: !c.over})
		v := interpret(c, s.Meaning)
		if v.code != "" {
			w.doubt(v.code, v.severity, s.Path, "story %s %s (%s)", c.id, v.text, c.statusText(statefile.Short(s.Word)))
		}
		table = append(table, map[string]any{"story": c.id, "state_says": c.raw, "state_place": c.place, "story_says": s.Word, "interpretation": v.text})
		if !c.over {
			w.checkDependencies(s)
		}
		if s.Meaning == sources.MeansUnknown {
			w.doubt(sources.DoubtUnknownWord, conflicts.Warning, s.Path, "story %s has %s", s.ID, statefile.UnknownStatus(s.Word))
		}
	}
	w.fields["status_consistency"] = table
	if id := w.validatedStory(); id != "" {
		w.phases[1].state, w.phases[1].evidence = statusDone, "story status"
		w.resumeAt(atImplement, "story "+id+" was validated while the workflow was stopped")
	}
}

// validatedStory returns the id of a story that somebody has already validated, although "validate" is the next phase.
func (w check) validatedStory() string {
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

// checkDependencies adds the dependencies of a story to the report. It warns about a missing story only if its id looks like the ids of
// this project. Other ids may be version numbers.
func (w check) checkDependencies(s *story.Story) {
	for _, id := range s.Read().Needs {
		key := story.KeyOf(id)
		w.addDependency(s, id, key)
		if key == s.Key || w.search.stories.Find(key) != nil {
			continue
		}
		if slices.ContainsFunc(w.search.stories.All, func(o *story.Story) bool { return epicPrefix(o.Key) == epicPrefix(key) }) {
			w.doubt(sources.DoubtUnknownNeed, conflicts.Warning, s.Path, "story %s depends on %s, which does not exist", s.ID, id)
		}
	}
}

// addDependency adds one dependency to the report, in the form "4.2 needs 4.1 (Done)".
func (w check) addDependency(s *story.Story, id, key string) {
	if key == s.Key {
		return
	}
	how := "not found"
	if other := w.search.stories.Find(key); other != nil {
		how = statefile.Short(other.Current().Word)
	}
	link := fmt.Sprintf("%s needs %s (%s)", s.ID, id, how)
	if chain, _ := w.fields["dependencies"].(string); chain != "" {
		link = chain + ", " + link
	}
	w.fields["dependencies"] = link
}

// epicPrefix returns the part of a story's key that all stories of its epic have in common.
func epicPrefix(key string) string {
	if i := strings.LastIndexAny(key, ".-"); i > 0 {
		return key[:i]
	}
	return ""
}

// agentDirs are the folders that may hold the configuration files of agents.
var agentDirs = []string{".aiox-core/development/agents", ".aios-core/development/agents", ".aios-core/agents", ".claude/agents", "agents"}

// checkAgent warns if the next agent is not configured in the project. It does not warn if the agents dev and qa are both missing too,
// because the agents are then configured outside of the project.
func (w check) checkAgent() {
	if w.agent == "" || w.Point.Task == "" || !w.State.Open() {
		return
	}
	there, known := w.search.agents[w.agent]
	if !known {
		there = w.search.hasAgent(w.agent) || !w.search.hasAgent("dev") && !w.search.hasAgent("qa")
		if w.search.agents == nil {
			w.search.agents = map[string]bool{}
		}
		w.search.agents[w.agent] = there
	}
	w.fields["agent_configured"] = there
	if !there {
		w.doubt("agent-missing", conflicts.Warning, "", "agent @%s, who comes next, is not configured in this project", w.agent)
	}
}

func (l *treeSearch) hasAgent(name string) bool {
	for _, dir := range agentDirs {
		for _, prefix := range []string{"", "aios-", "aiox-"} {
			if l.Tree.Has(path.Join(dir, prefix+name+".md")) {
				return true
			}
		}
	}
	return false
}
