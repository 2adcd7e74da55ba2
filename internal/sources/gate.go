package sources

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/textdoc/yamldoc"
)

// gatesDir is the folder into which BMAD writes the results of reviews, its quality gates.
const gatesDir = "docs/qa/gates"

// Gate is the verdict of the review of a story, as its quality gate says it, and the file that says it. Both are empty if there is none.
type Gate struct{ Verdict, File string }

// GateOf returns the quality gate of a story. The argument "under" is the folder of the project, which is empty or ends with a slash. The
// function "is" reports whether a file name, without its ending, belongs to the story.
func GateOf(t Tree, under string, is func(stem string) bool) Gate {
	if !t.Has(under + gatesDir) {
		return Gate{}
	}
	entries, err := t.List(under + gatesDir)
	if err != nil {
		return Gate{} // the folder cannot be read, or a link leads out of the worktree
	}
	for _, e := range entries {
		stem := strings.TrimSuffix(strings.TrimSuffix(e.Name(), ".yml"), ".yaml")
		if stem == e.Name() || !is(stem) {
			continue
		}
		g := Gate{File: path.Join(under, gatesDir, e.Name())}
		data, err := t.Read(g.File)
		if err != nil {
			continue
		}
		if v, err := yamldoc.Parse(data); err == nil {
			if g.Verdict = v.Get("gate", "verdict", "status").Text(); g.Verdict != "" {
				return g
			}
		}
	}
	return Gate{}
}

// AsksForChanges reports whether a verdict means that fixes come next.
func AsksForChanges(verdict string) bool {
	return slices.Contains([]string{"fail", "failed", "concerns", "needswork", "changesrequired"}, FoldWord(verdict))
}

// Refuses reports whether a gate asks for changes of a story, and no commit has changed the file of the story since the last commit of the
// gate. Such a commit shows that the fixes are made, and that the next review comes next.
func (g Gate) Refuses(ctx context.Context, v *View, t Tree, story string) bool {
	if !AsksForChanges(g.Verdict) {
		return false
	}
	last := v.LastCommits(ctx, t, story, g.File)
	said, ok := last[g.File]
	return !ok || !last[story].Made.After(said.Made)
}
