package files

import (
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/dotgit"
)

// A process may be killed after it has recorded that a run is finished and before it has told the user. The user then repeats the same
// start command. A file marks this period, so that the repeated command does not run everything again.

// KeepUnreported creates the file for a run. It is called before the end of the run is recorded.
func (d Folder) KeepUnreported(id checkpoint.RunID) error {
	return dotgit.WriteFile(d.Path("untold", string(id)), nil)
}

// ClearUnreported removes the file of a run, after the user has been told.
func (d Folder) ClearUnreported(id checkpoint.RunID) { _ = RemoveQuiet(d.Path("untold", string(id))) }

// Unreported lists the runs that have such a file. Their end may not have been recorded, and nobody was told about it.
func (d Folder) Unreported() ([]checkpoint.RunID, error) {
	ids, err := d.Names("untold")
	slices.Sort(ids)
	return ids, err
}
