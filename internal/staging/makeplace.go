package staging

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/worktree"
)

// MakePlace creates the linked worktree in which one task of a run works (a place), at the given commit. It copies ignored files from the
// run's own worktree, which is the argument "home". An existing place that the journal records as ready is used as it is. The caller must
// record that a new place is ready.
func (e *Stager) MakePlace(ctx context.Context, home *gitstate.Repo, r *checkpoint.Run, n int, at object.ID) (worktree.Tree, error) {
	c, err := e.Repo.Settings.Config(ctx)
	if err != nil {
		return worktree.Tree{}, err
	}
	var made worktree.Created
	for waited := time.Duration(0); ; waited += makerPause {
		made, err = worktree.Create(ctx, home, worktree.CreateRequest{
			Run: r.ID.Place(n), Detach: true, At: at, Dir: e.treesDir(c), Ready: r.Places.At(n) != nil, CopyIgnored: []string{"*"}, Now: e.Now,
		})
		if !errors.As(err, new(*worktree.LivingError)) || waited >= makerPatience {
			break
		}
		time.Sleep(makerPause)
	}
	if err != nil {
		return worktree.Tree{}, fmt.Errorf("make worktree %d for tasks of %s: %w", n, r.ID, err)
	}
	return made.Tree, nil
}

// makerPatience is how long we wait for a git process of a killed git-resume that is still creating the worktree. makerPause is the time
// between two checks.
const (
	makerPatience = 10 * time.Second
	makerPause    = 50 * time.Millisecond
)

// HalfPlaces lists the places of a run that may be incomplete, because git-resume was killed while it made them. Git has registered these
// worktrees, but no line of the journal says that they are ready.
func (e *Stager) HalfPlaces(r *checkpoint.Run) []checkpoint.Place {
	entries, _ := os.ReadDir(e.Repo.CommonPath("worktrees")) // without this folder there are no linked worktrees
	var out []checkpoint.Place
	for _, entry := range entries {
		name := cmp.Or(worktree.RunOf(e.Repo.CommonPath("worktrees", entry.Name())), entry.Name())
		number, ok := strings.CutPrefix(name, string(r.ID)+".")
		if n, err := strconv.Atoi(number); ok && err == nil && n > 0 && r.Places.At(n) == nil {
			out = append(out, checkpoint.Place{N: n, Admin: entry.Name()})
		}
	}
	return out
}
