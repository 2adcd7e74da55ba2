package conflicts

import (
	"encoding/base64"
	"github.com/git-resume/git-resume/conflicts/clash"
	"time"
	"unicode/utf8"
)

// schema is the version of the JSON format.
const schema = 1

// Document is the form of a report that other programs read.
type Document struct {
	Schema    int             `json:"schema"`
	Base      string          `json:"base"`
	Ours      string          `json:"ours"`
	Theirs    string          `json:"theirs"`
	Clean     bool            `json:"clean"`
	Conflicts []documentClash `json:"conflicts"`
	Notes     []documentNote  `json:"notes"`
	Engine    Engine          `json:"engine"`
	Bases     []string        `json:"bases"`
}

type documentClash struct {
	Path     string       `json:"path"`
	Raw      string       `json:"path_base64,omitempty"`
	Kind     clash.Kind   `json:"kind"`
	Ours     documentSide `json:"ours"`
	Theirs   documentSide `json:"theirs"`
	Commits  documentWho  `json:"commits"`
	Expected bool         `json:"expected,omitempty"`
	Why      string       `json:"why,omitempty"`
}

type documentSide struct {
	Path        string   `json:"path"`
	Raw         string   `json:"path_base64,omitempty"`
	Ranges      [][2]int `json:"ranges"`
	Uncommitted bool     `json:"uncommitted,omitempty"`
}

type documentWho struct {
	Ours   []documentCommit `json:"ours"`
	Theirs []documentCommit `json:"theirs"`
}

type documentCommit struct {
	ID      string `json:"id"`
	Author  string `json:"author"`
	Email   string `json:"email"`
	At      string `json:"at"`
	Subject string `json:"subject"`
	Task    string `json:"task,omitempty"`
}

type documentNote struct {
	Code     Code   `json:"code"`
	Severity string `json:"severity"`
	Path     string `json:"path,omitempty"`
	Raw      string `json:"path_base64,omitempty"`
	Text     string `json:"text,omitempty"`
}

// Document returns the report as a Document, whose format is stable. Lists are never null. JSON cannot represent bytes
// that are not UTF-8, so a path with such bytes is also given in base64.
func (r Report) Document() Document {
	d := Document{
		Schema: schema, Base: string(r.Base), Ours: string(r.Ours), Theirs: string(r.Theirs), Clean: r.Clean,
		Conflicts: []documentClash{}, Notes: []documentNote{}, Engine: r.Engine, Bases: []string{},
	}
	for _, b := range r.Bases {
		d.Bases = append(d.Bases, string(b))
	}
	for _, c := range r.Conflicts {
		d.Conflicts = append(d.Conflicts, documentClash{
			Path: c.Path, Raw: raw(c.Path), Kind: c.Kind, Ours: sideDocument(c.Ours), Theirs: sideDocument(c.Theirs),
			Commits:  documentWho{commitDocuments(c.Ours.Commits), commitDocuments(c.Theirs.Commits)},
			Expected: c.Expected, Why: c.Why,
		})
	}
	for _, n := range r.Notes {
		d.Notes = append(d.Notes, documentNote{n.Code, n.Severity.String(), n.Path, raw(n.Path), n.Text})
	}
	return d
}

func raw(path string) string {
	if utf8.ValidString(path) {
		return ""
	}
	return base64.StdEncoding.EncodeToString([]byte(path))
}

func sideDocument(s Side) documentSide {
	d := documentSide{Path: s.Path, Raw: raw(s.Path), Ranges: [][2]int{}, Uncommitted: s.Uncommitted}
	for _, r := range s.Ranges {
		d.Ranges = append(d.Ranges, [2]int{r.From, r.To})
	}
	return d
}

func commitDocuments(commits []Commit) []documentCommit {
	out := []documentCommit{}
	for _, c := range commits {
		out = append(out, documentCommit{string(c.ID), c.Author, c.Email, c.When.UTC().Format(time.RFC3339), c.Subject, c.Task})
	}
	return out
}
