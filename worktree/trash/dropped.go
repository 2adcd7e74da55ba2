package trash

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/dotgit"
	"github.com/git-resume/git-resume/worktree/series"
)

// ParkedSpace is the prefix of the refs to parked work: work on a shared run that was done without the lease. An earlier version could drop
// such work. It then moved the ref to droppedSpace, where it stays until it expires. The name of a ref ends with the run and a number.
const (
	ParkedSpace  = "refs/resume/parked/"
	droppedSpace = "refs/resume/dropped/"
)

// droppedFile returns the path of the file that records when the work behind a ref was dropped.
func droppedFile(repo *gitstate.Repo, ref refs.Name) string {
	return repo.CommonPath("resume", "dropped", filepath.FromSlash(strings.TrimPrefix(string(ref), droppedSpace)))
}

// noteDropped records when the work behind a ref was dropped.
func noteDropped(repo *gitstate.Repo, ref refs.Name, now time.Time) error {
	return dotgit.WriteFile(droppedFile(repo, ref), []byte(now.UTC().Format(time.RFC3339)+"\n"))
}

// forgetDropped removes the record of the time at which work was dropped, if there is one.
func forgetDropped(repo *gitstate.Repo, ref refs.Name) {
	file := droppedFile(repo, ref)
	_ = os.Remove(file) // a record without its ref does no harm
	_ = os.Remove(filepath.Dir(file))
}

// dropParked deletes parked work that was dropped long ago. If the time of the drop is not recorded, the waiting time starts now.
func (x *expiryCheck) dropParked(ctx context.Context) error {
	names, err := x.repo.Refs.Names(ctx, droppedSpace)
	if err != nil {
		return err
	}
	for _, name := range names {
		ref := refs.Name(droppedSpace + name)
		text, _ := os.ReadFile(droppedFile(x.repo, ref))
		at, err := time.Parse(time.RFC3339, strings.TrimSpace(string(text)))
		if err != nil || at.After(x.Now) {
			if err := noteDropped(x.repo, ref, x.Now); err != nil {
				return err
			}
			continue
		}
		if !x.isOld(at) {
			continue
		}
		if err := series.DropRef(ctx, x.repo, ref); err != nil {
			return err
		}
		forgetDropped(x.repo, ref)
	}
	return nil
}

// ForgetParked deletes the parked and the dropped work of a run that was itself deleted.
func ForgetParked(ctx context.Context, repo *gitstate.Repo, run string) error {
	var failed []error
	for _, space := range []string{ParkedSpace, droppedSpace} {
		names, err := repo.Refs.Names(ctx, space+run+"/")
		failed = append(failed, err)
		for _, name := range names {
			ref := refs.Name(space + run + "/" + name)
			failed = append(failed, series.DropRef(ctx, repo, ref))
			if space == droppedSpace {
				forgetDropped(repo, ref)
			}
		}
	}
	return errors.Join(failed...)
}
