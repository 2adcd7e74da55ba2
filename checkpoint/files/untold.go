package files

import (
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/dotgit"
)

// A run that is recorded as finished is not yet one whose end anybody heard of: its process may be killed in between.
// A file says so from before the record until it was told, so that the same start made again does not run everything once more.

// KeepUntold notes that the end of a run is about to be recorded and was told to nobody.
func (d Folder) KeepUntold(id checkpoint.RunID) error {
	return dotgit.WriteFile(d.Path("untold", string(id)), nil)
}

// Told takes the note back.
func (d Folder) Told(id checkpoint.RunID) { _ = RemoveQuiet(d.Path("untold", string(id))) }

// Untold lists the runs whose end was told to nobody, if it was recorded at all.
func (d Folder) Untold() ([]checkpoint.RunID, error) {
	ids, err := d.Names("untold")
	slices.Sort(ids)
	return ids, err
}
