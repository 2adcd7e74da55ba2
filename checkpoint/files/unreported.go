package files

import (
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/dotgit"
)

// When a run is recorded as finished, the user may not have seen that yet, because the process may be killed in between.
// A file marks the time from before the record until the user was told, so that repeating the same start does not run everything again.

// KeepUnreported records that the end of a run is about to be recorded and nobody has been told yet.
func (d Folder) KeepUnreported(id checkpoint.RunID) error {
	return dotgit.WriteFile(d.Path("untold", string(id)), nil)
}

// ClearUnreported removes that mark.
func (d Folder) ClearUnreported(id checkpoint.RunID) { _ = RemoveQuiet(d.Path("untold", string(id))) }

// Unreported lists the runs whose end, if it was recorded at all, nobody was told about.
func (d Folder) Unreported() ([]checkpoint.RunID, error) {
	ids, err := d.Names("untold")
	slices.Sort(ids)
	return ids, err
}
