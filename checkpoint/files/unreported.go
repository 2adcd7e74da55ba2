package files

import (
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/dotgit"
)

// The folder untold/ in .git/resume has an empty file for each run whose end the user may not have seen. A process creates this file before
// it records that the run is finished, and removes it after it has shown the result. If the process is killed in between, the file stays.
// If the user then repeats the start command, git-resume finds the finished run by this file, and does not run all tasks again.

// KeepUnreported creates a file in untold/, which says that the user may not have seen the result of this run yet. The caller must do this
// before it records that the run is finished. Otherwise a process that is killed in between would leave a finished run without the file.
func (d Folder) KeepUnreported(id checkpoint.RunID) error {
	return dotgit.WriteFile(d.Path("untold", string(id)), nil)
}

// ClearUnreported removes the file of a run in untold/, after the user has seen the result.
func (d Folder) ClearUnreported(id checkpoint.RunID) { _ = RemoveQuiet(d.Path("untold", string(id))) }

// Unreported lists the runs that have a file in untold/. The user may not have seen their result.
func (d Folder) Unreported() ([]checkpoint.RunID, error) {
	ids, err := d.Names("untold")
	slices.Sort(ids)
	return ids, err
}
