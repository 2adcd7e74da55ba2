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

// ParkedSpace is the prefix of the refs to parked work: work on a shared run that was done without the lease. If a user drops such work,
// its ref moves to DroppedSpace. Dropped work can be brought back until it expires. The name of a ref ends with the run and a number.
const (
	ParkedSpace  = "refs/resume/parked/"
	DroppedSpace = "refs/resume/dropped/"
)

// droppedFile returns the path of the file that records when the work behind a ref was dropped.
func droppedFile(repo *gitstate.Repo, ref refs.Name) string {
	return repo.CommonPath("resume", "dropped", filepath.FromSlash(strings.TrimPrefix(string(ref), DroppedSpace)))
}

// NoteDropped records when the work behind a ref was dropped.
func NoteDropped(repo *gitstate.Repo, ref refs.Name, now time.Time) error {
	return dotgit.WriteFile(droppedFile(repo, ref), []byte(now.UTC().Format(time.RFC3339)+"\n"))
}

// ForgetDropped removes the record that NoteDropped wrote, if there is one.
func ForgetDropped(repo *gitstate.Repo, ref refs.Name) {
	file := droppedFile(repo, ref)
	_ = os.Remove(file) // a record without its ref does no harm: NoteDropped replaces it
	_ = os.Remove(filepath.Dir(file))
}

// dropParked deletes parked work that was dropped long ago. If the time of the drop is not recorded, the waiting time starts now.
func (x *expiryCheck) dropParked(ctx context.Context) error {
	names, err := x.repo.Refs.Names(ctx, DroppedSpace)
	if err != nil {
		return err
	}
	for _, name := range names {
		ref := refs.Name(DroppedSpace + name)
		text, _ := os.ReadFile(droppedFile(x.repo, ref))
		at, err := time.Parse(time.RFC3339, strings.TrimSpace(string(text)))
		if err != nil || at.After(x.Now) {
			if err := NoteDropped(x.repo, ref, x.Now); err != nil {
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
		ForgetDropped(x.repo, ref)
	}
	return nil
}

// ForgetParked deletes the parked and the dropped work of a run that was itself deleted.
func ForgetParked(ctx context.Context, repo *gitstate.Repo, run string) error {
	var failed []error
	for _, space := range []string{ParkedSpace, DroppedSpace} {
		names, err := repo.Refs.Names(ctx, space+run+"/")
		failed = append(failed, err)
		for _, name := range names {
			ref := refs.Name(space + run + "/" + name)
			failed = append(failed, series.DropRef(ctx, repo, ref))
			if space == DroppedSpace {
				ForgetDropped(repo, ref)
			}
		}
	}
	return errors.Join(failed...)
}
