package files

import (
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/internal/dotgit"
)

// Act identifies one change that a person asked for. ID and Mac are the id and the signature of the journal line that
// records the change.
type Act struct {
	Run checkpoint.RunID
	ID  string
	Mac string
}

func (d Folder) actsPath() string { return d.Path("acts") }

// NoteActs records in a file of this clone which changes a person asked for. It is called before the lines are added to the journal, so the
// file may list lines that were never written.
func (d Folder) NoteActs(id checkpoint.RunID, lines []checkpoint.Line) error {
	var text strings.Builder
	for _, l := range lines {
		if l.Event.Mac != "" {
			text.WriteString(string(id) + " " + l.Event.ID + " " + l.Event.Mac + "\n")
		}
	}
	if text.Len() == 0 {
		return nil
	}
	f, err := dotgit.Append(d.actsPath())
	if err != nil {
		return err
	}
	_, err = f.WriteString(text.String())
	return errors.Join(err, f.Sync(), f.Close(), dotgit.SyncDir(d.Path()))
}

// maxActs limits how many bytes are read from the file that NoteActs writes. This is enough for a few hundred thousand
// changes.
const maxActs = 32 << 20

// Acts lists the changes that people asked for in this clone, newest first. The caller must check that the journal has a
// line with the same id and signature.
func (d Folder) Acts() ([]Act, error) {
	text, err := gitstate.ReadUpTo(d.actsPath(), maxActs)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	return parseActs(string(text)), nil
}

// parseActs ignores incomplete lines, because a killed process may leave one.
func parseActs(text string) []Act {
	var out []Act
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) == 3 && strings.HasSuffix(line, "\n") && checkpoint.RunID(f[0]).Valid() {
			out = append(out, Act{checkpoint.RunID(f[0]), f[1], f[2]})
		}
	}
	slices.Reverse(out)
	return out
}
