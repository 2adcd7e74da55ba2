package files

import (
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/dotgit"
)

// When a run is recorded as finished, the user may not have seen that yet, because the process may be killed in between.
// A file marks the time from before the record until the user was told, so that repeating the same start does not run everything again.

// KeepUntold records that the end of a run is about to be recorded and nobody has been told yet.
func (d Folder) KeepUntold(id checkpoint.RunID) error {
	return dotgit.WriteFile(d.Path("untold", string(id)), nil)
}

// Told removes that mark.
func (d Folder) Told(id checkpoint.RunID) { _ = RemoveQuiet(d.Path("untold", string(id))) }

// Untold lists the runs whose end, if it was recorded at all, nobody was told about.
func (d Folder) Untold() ([]checkpoint.RunID, error) {
	ids, err := d.Names("untold")
	slices.Sort(ids)
	return ids, err
}
