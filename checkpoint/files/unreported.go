package files

import (
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/dotgit"
)

// A process may be killed after it has recorded that a run is finished, but before it has shown this to the user. If the
// user then repeats the start command, a file in untold/ prevents all tasks from running again.

// KeepUnreported creates the file of a run in untold/. It is called before the end of the run is recorded.
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
