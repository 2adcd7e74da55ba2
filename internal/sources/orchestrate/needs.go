package orchestrate

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/story"
)

// resolve makes a path from a state file relative to the worktree, and reports whether the file exists. For an absolute path from another
// machine, it looks for the matching file in the worktree. If the path leads out of the worktree or cannot be used, rel is empty.
func (w *work) resolve(name string) (rel string, there bool) {
	name = strings.ReplaceAll(strings.TrimSpace(name), `\`, "/")
	if name == "" || strings.ContainsAny(name, "\x00\n") {
		return "", false
	}
	if strings.HasPrefix(name, "/") || len(name) > 2 && name[1] == ':' {
		return w.search.Tree.Reroot(name)
	}
	name = path.Clean(name)
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", false
	}
	return name, w.search.Tree.Has(name)
}

// mayBeFile reports whether the output of a phase looks like the path of a file.
func (w *work) mayBeFile(name string) bool {
	_, there := w.resolve(name)
	return !strings.ContainsRune(name, ' ') && (there || strings.ContainsRune(name, '/'))
}

// need records a file that the work needs, and warns about a path that leads out of the repository. The text "use" names a phase or a
// purpose, and is shown if the file is missing.
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
		w.doubt(sources.DoubtRefused, conflicts.Warning, "", "a path in the state file points outside the repository and was not followed: %s", statefile.Short(name))
	}
}

// storyOf returns the story that a claim is about, or nil. If the file that the state names is missing, another file with the same id counts
// only if it says a status: otherwise it is a file about the story, such as the report of its validation.
func (w *work) storyOf(c claim) *story.Story {
	if c.path != "" {
		if rel, there := w.resolve(c.path); there {
			if s := w.search.stories.At(rel); s != nil {
				return s.Current()
			}
		}
	}
	if s := w.search.stories.Find(c.key); s != nil && (c.path == "" || s.Meaning != sources.MeansUnknown) {
		return s.Current()
	}
	return nil
}

// claimed reports whether the state names this path, or implies it, as the file of a story.
func (w *work) claimed(rel string) bool {
	return slices.ContainsFunc(w.claims, func(c claim) bool { return w.expected(c) == rel })
}

// expected returns the path where the file of a missing story should be.
func (w *work) expected(c claim) string {
	if c.path != "" {
		if rel, _ := w.resolve(c.path); rel != "" {
			return rel
		}
		return path.Join(statefile.StoriesDir, path.Base(strings.ReplaceAll(c.path, `\`, "/")))
	}
	return path.Join(statefile.StoriesDir, strings.ReplaceAll(c.id, "/", "-")+".story.md")
}
