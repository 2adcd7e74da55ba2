package orchestrate

import (
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/sources"
)

// workflowFiles are those that the state names: artefacts of phases, configuration and templates of those to come.
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
	w.own = append(w.own, w.v.Get("files_modified", "filesModified").Texts()...)
	w.own = append(w.own, w.v.Get("context").Get("files_modified", "filesModified").Texts()...)
	for _, from := range []sources.Value{w.v, w.v.Get("context")} {
		for _, f := range from.Get("config", "config_files", "configuration").Texts() {
			w.need(f, "the remaining phases", true)
		}
		for _, f := range from.Get("template", "templates").Texts() {
			w.need(f, "the remaining phases", false)
		}
	}
}

// namedArtefacts are paths in a bare list, or below the name of the phase that made them; those of no known phase are needed by what is left.
func (w workflowReading) namedArtefacts(v sources.Value) {
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

// needAll records files that the remaining phases are given; a name that is no path names none.
func (w workflowReading) needAll(names []string) {
	for _, name := range names {
		if strings.ContainsAny(name, "/.") && !strings.ContainsRune(name, ' ') {
			w.need(name, "the remaining phases", false)
		}
	}
}
