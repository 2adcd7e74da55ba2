package boxes

import (
	"fmt"
	"path"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// approval is the content of the file spec.json that cc-sdd writes next to a task list of Kiro. It says whether a person has approved the
// documents of the specification. The work may begin only after the approval.
type approval struct {
	// file is the path of spec.json. missing is the first document that nobody has approved, or empty if all are approved.
	file, missing string
	// ready means that the work is allowed to begin.
	ready bool
}

// lack says why the work is not allowed to begin.
func (a *approval) lack() string {
	if a.missing == "" {
		return "the work may not begin yet ('ready_for_implementation' is false)"
	}
	return "nobody has approved the " + a.missing
}

// first says what a person must do before the work may begin.
func (a *approval) first() string {
	if a.missing == "" {
		return "set 'ready_for_implementation' to true in " + path.Base(a.file)
	}
	return "approve the " + a.missing
}

// documents are the documents of a specification, in the order in which they are approved.
var documents = []string{"requirements", "design", "tasks"}

// readApproval reads the file spec.json in the folder of the list.
func (l *list) readApproval() {
	file := path.Dir(l.path) + "/spec.json"
	if !l.tree.Has(file) {
		return
	}
	data, err := l.tree.Read(file)
	if err == nil {
		l.approval, err = parseApproval(data)
	}
	if err != nil {
		l.doubts = append(l.doubts, sources.DoubtOf(err, file))
	} else if l.approval != nil {
		l.approval.file = file
	}
}

// parseApproval reads the content of spec.json. It returns nil if the file says nothing about approvals.
func parseApproval(data []byte) (*approval, error) {
	value, err := textdoc.ParseJSON(data)
	ready := value.Get("ready_for_implementation")
	if err != nil || !ready.Is() {
		return nil, err
	}
	return &approval{missing: missingIn(value), ready: ready.True()}, nil
}

// missingIn returns the first document that nobody has approved, or "" if all are approved.
func missingIn(value textdoc.Value) string {
	for _, name := range documents {
		if !value.Get("approvals").Get(name).Get("approved").True() {
			return name
		}
	}
	return ""
}

// approve sets the command that continues a list whose spec.json contains approvals. If a document is not approved yet, a list without
// started tasks waits for a person, and an interrupted list gets a note.
func (l *list) approve(f *sources.Found) {
	name := path.Base(l.name)
	f.Command = quote.Command("/kiro:spec-impl %s", name)
	switch {
	case l.approval.ready:
	case f.State == sources.NotStarted:
		f.State, f.Command = sources.Waiting, quote.Command("/kiro:spec-status %s", name)
	case f.State == sources.Interrupted:
		f.Doubts = append(f.Doubts, sources.Doubt{Code: sources.DoubtDiscrepancy, Severity: conflicts.Info, Path: l.approval.file,
			Text: fmt.Sprintf("%s says that %s, but the work was started", l.approval.file, l.approval.lack())})
	}
}

// If the work waits for an approval, tellApproval adds to the headline and to the reason which document a person must approve first.
func (l *list) tellApproval(f *sources.Found) {
	if f.State == sources.Waiting && !l.approval.ready {
		_, total := countOf(f.Tasks)
		f.Point.Reason = "a person must " + l.approval.first() + " first"
		f.Headline = sources.Count(total, "task", "tasks") + "; " + f.Point.Reason
	}
}
