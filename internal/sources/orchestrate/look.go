package orchestrate

import (
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/story"
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
