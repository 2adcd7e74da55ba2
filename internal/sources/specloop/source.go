// Package specloop reads specification workflows that keep their state in specs/<feature>/.workflow. The state is an
// index of Markdown tables or, in the later version of the system, a set of context files with front matter. The package
// never changes the text of the specification itself.
package specloop

import (
	"context"
	"path"
	"strings"

	"github.com/git-resume/git-resume/internal/sources"
)

// Source finds specification workflows.
type Source struct{}

// New returns the source.
func New() Source { return Source{} }

// Name returns the name of the source.
func (Source) Name() string { return "spec-loop" }

const specsDir = "specs"

// Claims returns the feature name if the folder has the form specs/<feature>/.workflow. For other folders the second result is false.
func (Source) Claims(folder string) (string, bool) {
	parts := strings.Split(folder, "/")
	if len(parts) != 3 || parts[0] != specsDir || parts[2] != ".workflow" || isArchive(parts[1]) {
		return "", false
	}
	return parts[1], true
}

// isArchive reports whether the folder of a feature was moved aside when the workflow was started afresh.
func isArchive(name string) bool {
	return strings.HasPrefix(name, ".") && strings.Contains(name, ".archived-")
}

// Find reads the workflows of every feature in every worktree. A committed feature may exist in several worktrees, and
// Find uses the best copy.
func (s Source) Find(ctx context.Context, v *sources.View) ([]sources.Found, error) {
	var found []sources.Found
	features, err := v.Folders(s.Name(), specsDir, "", func(t sources.Tree, dir string) bool {
		return !isArchive(path.Base(dir)) && t.Has(dir+"/.workflow") // a feature's folder without .workflow was written by another tool
	})
	for _, f := range features {
		found = append(found, read(reader{&feature{ctx: ctx, view: v, id: f.ID, dir: f.Dir, trees: f.Trees}})...)
	}
	return found, err
}

// read returns the specification loop of the feature and the later workflows, such as plan and tasks.
func read(f reader) []sources.Found {
	later := contexts(f).found()
	f.doubts = nil
	l, there := f.loop()
	if !there && (len(later) > 0 || !f.scaffolded()) {
		return later
	}
	return append([]sources.Found{describe(findResumePoint(check(l)))}, later...)
}
