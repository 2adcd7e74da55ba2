package orchestrate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/story"
	"github.com/git-resume/git-resume/internal/textdoc"
)

func (l *treeSearch) workflow(r statefile.Record) *work {
	if r.Broken {
		return l.rebuildWorkflow(r, "Workflow", statefile.Stem(r.Path))
	}
	v := r.Value
	id := cmp.Or(v.Get("instance_id", "execution_id").Text(), statefile.Stem(r.Path))
	w := workflowReading{l.newWork(rankWorkflow, workflowKind(v), id, r), v}
	w.Name, w.Status = id, v.Get("status").Text()
	w.Mode = cmp.Or(v.Get("mode", "execution_mode").Text(), v.Get("context").Get("mode").Text())
	w.began = w.timeOf(v, "started_at", "startedAt")
	w.noteActivity("updated_at", w.timeOf(v, "updated_at", "last_updated", "updatedAt"), w.began)
	w.Session = v.Get("session_id").Text()
	if steps := v.Get("steps"); steps.IsList() {
		w.steps(steps)
	} else {
		w.workflowPhases()
	}
	w.workflowFiles()
	w.workflowStory()
	w.workflowState(v)
	return w.work
}

// storyFileFields lists the possible names of the field with the story's path, and storyFields those of the field with its id or path.
var (
	storyFileFields = []string{"story_file", "storyFile", "story_path"}
	storyFields     = append([]string{"story_id", "storyId", "story", "currentStory"}, storyFileFields...)
)

func (w workflowReading) workflowStory() {
	named := w.v.Get(storyFields...)
	if !named.Is() {
		named = w.v.Get("context").Get(storyFields...)
	}
	text := named.Text()
	if text == "" {
		w.workflowFeature()
		return
	}
	c := claim{id: text, meaning: phaseMeaning[w.Point.Task], phase: w.Point.Title, over: w.Point.Task == ""}
	if strings.ContainsAny(text, "/\\") || strings.HasSuffix(text, ".md") {
		c.path, c.id = text, story.IDOf(strings.ReplaceAll(text, `\`, "/"))
	}
	if file := cmp.Or(w.v.Get("context").Get(storyFileFields...).Text(), w.v.Get(storyFileFields...).Text()); file != "" {
		c.path = file
	}
	w.about = story.Titled(c.id)
	c.setStatus(w.position, w.v.Get("story_status", "storyStatus").Text(), w.v.Get("context").Get("story_status", "storyStatus").Text())
	// The user may restart a workflow at its first phase while its story is already in progress. This is not a contradiction.
	if statefile.SaysStopped(w.Status) && sources.MeaningOf(w.Status) == sources.MeansPending {
		c.acceptable = append(c.acceptable, sources.MeansInProgress, sources.MeansReview)
	}
	// The phase that comes next was not started, so its story may still be as it was after its validation.
	if w.at >= 0 && w.at < len(w.phases) && w.phases[w.at].saysPending() {
		c.acceptable = append(c.acceptable, sources.MeansReady)
	}
	w.fields["story"] = c.id
	w.addClaim(c)
}

// featureFields lists the possible names of the field with the feature.
var featureFields = []string{"feature", "feature_name", "featureName", "feature_id", "spec_name", "specName"}

// workflowFeature sets the subject of a workflow without a story: a feature or an epic.
func (w workflowReading) workflowFeature() {
	for _, from := range []textdoc.Value{w.v, w.v.Get("context")} {
		if feature := from.Get(featureFields...).Text(); feature != "" {
			w.about = statefile.Short(feature)
			w.fields["feature_name"] = w.about
			w.Same = append(w.Same, featureKey(feature))
			return
		}
	}
	if epic := w.v.Get("context").Get("epic", "epicId").Text(); epic != "" {
		w.about = statefile.Short(epic)
	}
}

func (w *work) workflowState(v textdoc.Value) {
	m := sources.MeaningOf(w.Status)
	over := w.at >= len(w.phases) && len(w.phases) > 0
	w.Cause = statefile.CauseOf(v, w.Status)
	switch {
	case over:
		if m != sources.MeansDone {
			w.doubt(sources.DoubtStatusWord, conflicts.Info, "", "the workflow says %s, but all its phases are finished", statefile.Said(w.Status))
		}
		w.State, w.Point, w.position = sources.Complete, sources.Point{}, "all phases"
	case m == sources.MeansDone && len(w.phases) > 0 && !onlyOptional(w.phases[w.at:]):
		w.doubt(sources.DoubtStatusWord, conflicts.Warning, "", "the workflow says '%s', but %s is not finished", w.Status, w.phases[w.at].name)
		w.State = sources.Interrupted
	case m == sources.MeansDone:
		w.State, w.Point = sources.Complete, sources.Point{}
	case m == sources.MeansBlocked && stoppedOnPurpose(w.Status), m == sources.MeansClosed:
		w.State = sources.Paused
	case m == sources.MeansBlocked:
		w.State = sources.Blocked
	case m == sources.MeansWaiting:
		w.State = sources.Waiting
	case m == sources.MeansFailed:
		w.State = sources.Failed
	default:
		w.State = w.stopped(quiet)
		if m == sources.MeansUnknown && w.Status != "" && w.Status != "interrupted" {
			w.doubt(sources.DoubtUnknownWord, conflicts.Warning, "", "the workflow has the unknown status '%s'", statefile.Short(w.Status))
		}
	}
}

// stoppedOnPurpose reports whether somebody paused or stopped the work, so that only a person may continue it.
func stoppedOnPurpose(status string) bool {
	cause := statefile.KnownCause(status)
	return cause == statefile.CausePause || cause == statefile.CauseUser
}

// featureKey returns the key by which all work on the same feature is combined.
func featureKey(name string) string { return "feature:" + sources.FoldWord(name) }

// requiredFields lists the names of the fields with the configuration and other files without which the remaining phases cannot be done.
var requiredFields = []string{"config", "config_files", "configFiles", "configuration", "required_files", "requiredFiles"}

// workflowFiles records the files that the state file names: outputs of phases, changed files, configuration and templates.
func (w workflowReading) workflowFiles() {
	where := map[string]string{}
	for _, a := range w.v.Get("artifacts").Items() {
		if a.Get("status").Text() != "pending" && a.Get("path").Text() != "" {
			where[a.Get("name").Text()] = a.Get("path").Text()
			if i, ok := a.Get("created_by_step").Int(); ok && i >= 0 && i < len(w.phases) {
				w.phases[i].makes = append(w.phases[i].makes, a.Get("path").Text())
			}
		}
	}
	for i := range w.phases {
		for k, name := range w.phases[i].makes {
			if where[name] != "" {
				w.phases[i].makes[k] = where[name]
			}
		}
	}
	w.namedArtefacts(w.v.Get("artifacts"))
	w.namedArtefacts(w.v.Get("context").Get("artifacts"))
	w.changedFiles = append(w.changedFiles, w.v.Get("files_modified", "filesModified").Texts()...)
	w.changedFiles = append(w.changedFiles, w.v.Get("context").Get("files_modified", "filesModified").Texts()...)
	for _, from := range []textdoc.Value{w.v, w.v.Get("context")} {
		for _, name := range requiredFields {
			for _, f := range from.Get(name).Texts() {
				w.need(f, "the remaining phases", true)
			}
		}
		for _, f := range from.Get("template", "templates", "template_files", "templateFiles").Texts() {
			w.need(f, "the remaining phases", false)
		}
	}
}

// namedArtefacts reads artefacts from a list, or from a map with phases as keys. If the phase of an artefact is unknown, the remaining
// phases are assumed to need it.
func (w workflowReading) namedArtefacts(v textdoc.Value) {
	for _, f := range v.Fields() {
		names := f.Value.Texts()
		i := slices.IndexFunc(w.phases, func(p phase) bool {
			folded := sources.FoldWord(f.Key)
			return sources.FoldWord(p.name) == folded || sources.FoldWord(p.id) == folded || phaseNames[folded] == p.id
		})
		if i >= 0 {
			w.phases[i].makes = append(w.phases[i].makes, names...)
			continue
		}
		w.needAll(names)
	}
	for _, item := range v.Items() {
		if item.Text() != "" {
			w.needAll([]string{item.Text()})
		}
	}
}

// needAll records files that the remaining phases need. It ignores names that do not look like paths.
func (w workflowReading) needAll(names []string) {
	for _, name := range names {
		if strings.ContainsAny(name, "/.") && !strings.ContainsRune(name, ' ') {
			w.need(name, "the remaining phases", false)
		}
	}
}
