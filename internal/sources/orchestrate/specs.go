package orchestrate

import (
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/story"
)

// specFiles contains one row for each phase of a spec pipeline. A row lists the possible names of the file that the phase creates.
var specFiles = [][]string{
	{"requirements.json", "requirements.yaml", "requirements.yml"}, {"complexity.json", "complexity.yaml", "complexity.yml"},
	{"research.json", "research.yaml", "research.yml", "research.md"}, {"spec.md"}, {"critique.json", "critique.yaml", "critique.yml"},
}

// readSpecs looks for spec pipelines in two places: in the subfolder "spec" of each story's folder, and in the subfolders of each folder
// named specs.
func (l *treeSearch) readSpecs() {
	var dirs []string
	for _, d := range l.Folders(statefile.StoriesDir, maxLoops) {
		dirs = append(dirs, path.Join(d, "spec"))
	}
	for _, home := range append([]string{"docs"}, statefile.Homes...) {
		dirs = append(dirs, l.Folders(path.Join(home, "specs"), maxLoops)...)
	}
	for _, d := range dirs {
		l.add(l.specWork(d))
	}
}

type specReading struct{ *work }

// specWork reads the files of one spec pipeline. It ignores a folder without a requirements, complexity or critique file, because other
// tools also write a spec.md.
func (l *treeSearch) specWork(dir string) *work {
	have := make([]string, len(spec))
	for i, names := range specFiles {
		for _, n := range names {
			if have[i] == "" && l.Tree.Has(path.Join(dir, n)) {
				have[i] = path.Join(dir, n)
			}
		}
	}
	if have[0] == "" && have[1] == "" && have[4] == "" {
		return nil
	}
	name := path.Base(dir)
	if name == "spec" {
		name = path.Base(path.Dir(dir))
	}
	w := specReading{l.newWork(rankSpec, "Spec Pipeline", "spec-"+story.KeyOf(name), statefile.Record{})}
	w.Root, w.Name, w.about, w.implied = dir, name, name, true
	w.Same = append(w.Same, featureKey(name))
	if story.IsID(story.KeyOf(name)) {
		w.addStory(name)
		w.about = "story " + story.KeyOf(name)
	}
	w.phases = slices.Clone(spec)
	for i := range w.phases {
		w.phases[i].state = statusPending
		if have[i] != "" {
			w.phases[i].state, w.phases[i].makes, w.phases[i].evidence = statusDone, []string{have[i]}, "artefact"
			w.Files = append(w.Files, have[i])
		}
	}
	l.View.Date(l.Ctx, l.Tree, w.Files...)
	w.noteActivity("")
	for _, f := range w.Files {
		if t, from := l.written(f); t.After(w.Active) {
			w.Active, w.From = t, from
		}
	}
	at := next(w.phases)
	w.markSkipped(at)
	w.State = sources.Interrupted
	w.resumeAt(at, "it follows the last phase whose file exists")
	if have[4] != "" {
		w.critique(have[4])
	}
	return w.work
}

// artefactsOf returns the paths at which a phase of the spec pipeline in a folder may leave its artefact.
func artefactsOf(dir string, phase int) []string {
	var out []string
	for _, name := range specFiles[phase] {
		out = append(out, path.Join(dir, name))
	}
	return out
}

// markSkipped marks the pending phases before position "at" as skipped: they have created no file, but a later phase has. Whether such a
// file was deleted is found out later, from the commits.
func (w specReading) markSkipped(at int) {
	for i := range w.phases[:at] {
		if w.phases[i].state == statusPending {
			w.phases[i].state = sources.MeansClosed.TaskState()
		}
	}
}

// critique reads the final verdict of the pipeline, such as approved or blocked, and sets the state and the resume point accordingly.
func (w specReading) critique(name string) {
	data, err := w.search.Tree.Read(name)
	if err != nil {
		w.Doubts = append(w.Doubts, statefile.Problem(name, err))
		w.State = sources.Corrupt
		return
	}
	v, err := statefile.Format(name)(data)
	if err != nil {
		w.doubt(sources.DoubtDamaged, conflicts.Warning, name, "%s %s", name, err)
		w.phases[4].state, w.Rebuilt, w.State = statusPending, true, sources.Interrupted
		w.resumeAt(4, "the verdict of the critique cannot be read")
		return
	}
	w.Status = v.Get("verdict", "status").Text()
	switch sources.FoldWord(w.Status) {
	case "approved", "approve", "pass":
		w.State, w.Point, w.position = sources.Complete, sources.Point{}, "all phases"
	case "needsrevision", "revise":
		w.phases[3].state, w.phases[4].state = statusPending, statusPending
		w.resumeAt(3, "the critique wants the spec revised")
	case "blocked":
		w.State = sources.Waiting
		w.phases[4].state = statusPending
		w.resumeAt(4, "the critique is blocked")
		text := "the critique is blocked and needs a person"
		if issues := v.Get("issues", "blockers").Texts(); len(issues) > 0 {
			text += ": " + statefile.Short(strings.Join(issues, "; "))
		}
		w.Questions = append(w.Questions, sources.Question{Task: "critique", Text: text})
	default:
		w.State = sources.Unknown
		w.doubt(sources.DoubtUnknownWord, conflicts.Warning, name, "the critique says %s, which is not a known verdict", statefile.Said(w.Status))
		w.resumeAt(4, "the critique has no known verdict")
	}
}
