package checkpoint

import (
	"slices"

	"github.com/git-resume/git-resume/internal/dotgit"
)

// A run that is recorded as finished is not yet one whose end anybody heard of: its process may be killed in between.
// A file says so from before the record until it was told, so that the same start made again does not run everything once more.

// KeepUntold notes that the end of a run is about to be recorded and was told to nobody.
func (d Folder) KeepUntold(id RunID) error {
	return dotgit.WriteFile(d.path("untold", string(id)), nil)
}

// Told takes the note back.
func (d Folder) Told(id RunID) { _ = removeQuiet(d.path("untold", string(id))) }

// Untold lists the runs whose end was told to nobody, if it was recorded at all.
func (d Folder) Untold() ([]RunID, error) {
	ids, err := d.names("untold")
	slices.Sort(ids)
	return ids, err
}
