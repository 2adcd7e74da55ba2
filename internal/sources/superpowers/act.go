package superpowers

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// Act returns the changes for an action. Continuing changes nothing, because superpowers records its own progress.
func (Source) Act(_ context.Context, v *sources.View, f *sources.Found, w sources.ActionRequest) ([]sources.Change, error) {
	refused := &sources.NoActionError{Key: f.Key(), Name: w.Name}
	top := f.Home
	if f.Worktree != "" {
		top = f.Worktree
	}
	t, ok := v.At(top)
	if !ok || w.Name != sources.Continue && !f.Offers(w.Name) {
		return nil, refused
	}
	plan, _ := f.Protocol["plan"].(string)
	switch w.Name {
	case sources.Continue:
		return nil, nil
	case sources.SkipUnit:
		return skip(t, f, plan, w.Task)
	}
	return nil, refused
}

// skip returns the changes that mark a task in the ledger as complete and skipped. If there is no ledger, they create it in the form that
// superpowers uses. They also create the file .gitignore beside the ledgers if it is missing.
func skip(t sources.Tree, f *sources.Found, plan, id string) ([]sources.Change, error) {
	if id == "" {
		id = f.Point.Task
	}
	if !slices.ContainsFunc(f.Tasks, func(one sources.Task) bool { return one.ID == id && !one.State.Closed() }) {
		return nil, fmt.Errorf("%s has no open task '%s'", f.Key(), id)
	}
	line := "Task " + id + ": complete " + skippedWords + "\n"
	file := records + "/" + baseOf(plan) + "/" + ledgerName
	was, err := t.Read(file)
	change := sources.Change{Tree: t.WorkTree, Path: file}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		change.Now = []byte(ledgerTitle + textdoc.OneLine(plan) + "\n\n" + line)
	case err != nil:
		return nil, err
	case !parseLedger(textdoc.Text(was)).isOf(plan):
		return nil, fmt.Errorf("%s does not name this plan; move it away first", file)
	default:
		now := slices.Clone(was)
		if len(now) > 0 && now[len(now)-1] != '\n' {
			now = append(now, '\n')
		}
		change.Was, change.Now = was, append(now, line...)
	}
	out := []sources.Change{change}
	if ignore := records + "/.gitignore"; !t.Has(ignore) {
		out = append([]sources.Change{{Tree: t.WorkTree, Path: ignore, Now: []byte("*\n")}}, out...)
	}
	return out, nil
}
