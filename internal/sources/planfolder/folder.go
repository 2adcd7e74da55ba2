// Package planfolder reads the files that several related systems keep in the same form in one folder: plan documents, a state file with
// labels, and records of agents. The systems differ in where a plan is and what shows that the plan is done. The reader of each system
// decides these two questions.
package planfolder

import (
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// Folder is the state folder of a system in one worktree. Dir is relative to the worktree.
type Folder struct {
	sources.Reading
	Dir    string
	Agents Agents
}

// Plan reads a plan document. It falls back to an older copy if the file is damaged.
func (f *Folder) Plan(file string) (doc PlanDoc) {
	f.Recover(file, func(data []byte) error {
		text, err := textdoc.Markdown(data)
		if err == nil {
			doc, err = ReadPlanDoc(text)
		}
		return err
	})
	return doc
}

// StateFile is the content of STATE.md, in which the system records how far its work is.
type StateFile struct {
	Path  string
	There bool
	OK    bool
	// Status is the status word, unchanged. Stopped says where the work stopped.
	Status, Stopped string
	Labels          map[string]string
}

// ReadState reads STATE.md. If the file is missing or damaged, it uses another version, such as a temporary file that an interrupted write
// left.
func (f *Folder) ReadState(s *StateFile, parse func(text string) error) {
	s.Path = f.Dir + "/STATE.md"
	if s.There = f.Tree.Has(s.Path) || len(f.Tree.Leftovers(s.Path)) > 0; s.There {
		s.OK = f.Markdown(s.Path, parse)
	}
}

// Positioned stores all labels of the text, and returns the labels of the section that gives the current position. Without such a section,
// it returns all labels.
func (s *StateFile) Positioned(text string, sections ...string) map[string]string {
	lines := textdoc.Visible(text)
	s.Labels = textdoc.Labels(lines)
	s.Stopped = s.Labels["stopped at"]
	if at, ok := textdoc.SectionOf(textdoc.Sections(lines), sections...); ok {
		return textdoc.Labels(at.Body)
	}
	return s.Labels
}

// Find returns the first member with the given id, or the zero value if there is none. It ignores leading zeros, so 8-3 finds 08-03.
func Find[U any](all []U, id string, idOf func(U) string) (found U) {
	for _, u := range all {
		if id != "" && sources.NaturalOrder(idOf(u), id) == 0 {
			return u
		}
	}
	return found
}
