package machine

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/words"
)

// Porcelain writes runs in porcelain format v1, one record per line with fields separated by tabs. Later versions only append fields to a
// record. If high is true, characters above ASCII are quoted, as git does by default. If nul is true, a record ends with NUL instead of a
// newline, and only fields that could be misread are quoted.
func Porcelain(out io.Writer, runs []candidate.Summary, tasks, nul, high bool) error {
	p := porcelain{out: out, end: "\n", quote: func(s string) string { return quote.Path(s, high) }}
	if nul {
		p.end, p.quote = "\x00", quoteTab
	}
	p.record("# git-resume", "v1")
	for i := range runs {
		p.run(&runs[i], tasks)
	}
	return p.err
}

type porcelain struct {
	out   io.Writer
	end   string
	quote func(string) string
	err   error
}

func (p *porcelain) record(fields ...string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.out, strings.Join(fields, "\t")+p.end)
	}
}

func (p *porcelain) run(m *candidate.Summary, tasks bool) {
	r := &m.Run
	n, t := r.Current()
	id := ""
	if t != nil {
		id = string(t.ID)
	}
	state := string(m.State)
	if m.Damaged != "" {
		state = "unreadable"
	}
	p.record("run", p.quote(string(r.ID)), state, fmt.Sprintf("%d/%d", n, len(r.Tasks)), p.quote(id), stamp(r.LastAt),
		p.quote(m.Path), p.quote(refs.Short(r.Branch)), p.quote(r.Base.Name), p.quote(string(r.Head)), p.quote(r.Cause), m.Source(), words.Detail(m),
		string(m.Condition.Word), strconv.FormatBool(m.Listed))
	if !tasks {
		return
	}
	for _, t := range r.Tasks {
		p.record("task", p.quote(string(t.ID)), string(t.State), p.quote(string(t.Commit)), fmt.Sprint(t.Attempts), p.quote(t.Title))
	}
	for _, a := range m.Alternatives() {
		p.record("choice", p.quote(a.Name), p.quote(a.Text))
	}
}

// quoteTab quotes a text only if it contains a tab or a NUL, or starts with a quotation mark.
func quoteTab(s string) string {
	if strings.ContainsAny(s, "\t\x00") || strings.HasPrefix(s, `"`) {
		return quote.Path(s, true)
	}
	return s
}

// RawLog writes the stored lines unchanged.
func RawLog(out io.Writer, lines []checkpoint.Line) error {
	for _, l := range lines {
		if _, err := io.WriteString(out, l.Text+"\n"); err != nil {
			return err
		}
	}
	return nil
}
