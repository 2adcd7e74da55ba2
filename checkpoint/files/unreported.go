package files

import (
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/dotgit"
)

// A process may be killed after it has recorded that a run is finished, but before it has shown this to the user. If the
// user then repeats the start command, a file in untold/ prevents all tasks from running again.

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
