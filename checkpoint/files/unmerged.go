package files

import (
	"cmp"
	"context"
	"errors"
	"os"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/dotgit"
)

// unmergedDir is a folder with an empty file for each finished run whose branch was not merged when the run was last recorded. With this
// folder, readers do not have to read the journal of every closed run.
const unmergedDir = "unmerged"

// Unmerged lists the finished runs whose branch is perhaps not completely merged into the base. It reads no journal.
func (d Folder) Unmerged(ctx context.Context) ([]checkpoint.RunID, error) {
	if d.notesUnmerged() {
		return d.Names(unmergedDir)
	}
	return d.leftBranches(ctx)
}

// notesUnmerged reports whether this clone has the folder unmergedDir, which lists the finished runs that are not merged. Older versions of
// git-resume did not make this folder.
func (d Folder) notesUnmerged() bool {
	_, err := os.Lstat(d.Path(unmergedDir))
	return !errors.Is(err, os.ErrNotExist)
}

// leftBranches lists the closed runs whose branch still exists. It replaces the list in unmergedDir if that folder does not exist, because
// only older versions of git-resume have closed runs here.
func (d Folder) leftBranches(ctx context.Context) ([]checkpoint.RunID, error) {
	closed, err := d.Names("closed")
	if err != nil {
		return nil, err
	}
	var out []checkpoint.RunID
	for _, id := range closed {
		f, usual := d.OwnFile(id), refs.Name(checkpoint.BranchPrefix+string(id))
		branch := cmp.Or(f.Branch, usual)
		if branch != usual && !f.Apart {
			continue // the run worked on a branch of the user, which may exist for other reasons
		}
		if at, err := d.Repo.Refs.Ref(ctx, branch); err == nil && at != "" {
			out = append(out, id)
		}
	}
	return out, nil
}

// NoteUnmerged creates or removes the file of a run in unmergedDir. The first call for a closed run also creates the files of runs that
// older versions of git-resume closed.
func (d Folder) NoteUnmerged(ctx context.Context, r *checkpoint.Run) error {
	if !r.Closed() {
		return d.ForgetUnmerged(r.ID)
	}
	var errs error
	if !d.notesUnmerged() {
		left, err := d.leftBranches(ctx)
		errs = errors.Join(err, dotgit.MkdirAll(d.Path(unmergedDir)))
		for _, id := range left {
			errs = errors.Join(errs, d.noteUnmerged(id))
		}
	}
	if r.MayLackMerge() && r.Head != "" && r.Head != r.Base.Commit {
		return errors.Join(errs, d.noteUnmerged(r.ID))
	}
	return errors.Join(errs, d.ForgetUnmerged(r.ID))
}

func (d Folder) noteUnmerged(id checkpoint.RunID) error {
	return ReplaceFile(d.Path(unmergedDir, string(id)), nil)
}

// ForgetUnmerged removes the file of a run in unmergedDir.
func (d Folder) ForgetUnmerged(id checkpoint.RunID) error {
	path := d.Path(unmergedDir, string(id))
	if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return RemoveQuiet(path)
}
