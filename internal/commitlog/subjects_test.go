package commitlog

import (
	"testing"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
)

func TestSubjects(t *testing.T) {
	t.Parallel()
	wanted := map[string]bool{FoldSubject("feat: store  Gift cards."): true, FoldSubject("feat: store"): true}
	for subject, want := range map[string]string{
		"feat: store gift cards":           "feat: store gift cards",
		"Feat: store gift cards (#12)":     "feat: store gift cards",
		"feat: store gift cards, and more": "feat: store gift cards",
		"feat: store gift cardigans":       "feat: store",
		"wip: feat: store gift cards":      "",
		"feat: storage":                    "",
	} {
		h := NewHistory([]past.Described{{Logged: past.Logged{ID: "a", Subject: subject}}})
		found := h.Subjects(wanted)
		if len(found[want]) != 1 && want != "" || want == "" && len(found) != 0 {
			t.Errorf("%q: %v, want %q", subject, found, want)
		}
	}
	squashed := past.Described{Logged: past.Logged{ID: "a", Subject: "Gift cards (#3)"}, Body: "* feat: store gift cards\n\n* docs"}
	if found := NewHistory([]past.Described{squashed}).Subjects(wanted); len(found["feat: store gift cards"]) != 1 {
		t.Errorf("a squashed pull request: %v", found)
	}
}

func TestWithin(t *testing.T) {
	t.Parallel()
	h := line("d c tip\nc a,b Merge branch 'x'\nb a side\nz a other\na - first")
	within := h.Within("d")
	for id, want := range map[object.ID]bool{"d": true, "b": true, "a": true, "z": false, "unknown": false} {
		if within(id) != want {
			t.Errorf("%s: %v", id, !want)
		}
	}
	if c := h.Starting("z"); c == nil || c.Subject != "other" || h.Starting("y") != nil {
		t.Errorf("%v", c)
	}
	if h.NewestOn("d", days(1)) == nil || h.NewestOn("d", now) != nil || h.Before(days(1)) != "b" || h.Before(days(9)) != "" {
		t.Error("the wrong commits by time")
	}
}
