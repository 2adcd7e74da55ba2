package gitstate

import (
	"strings"
	"testing"
)

func TestParseLook_readsEveryKindOfLine(t *testing.T) {
	t.Parallel()
	id := strings.Repeat("a1", 20)
	zero := strings.Repeat("0", 40)
	text := strings.Join([]string{
		"# branch.oid " + id, "# branch.head topic",
		"1 M. N... 100644 100644 100755 " + id + " " + id + " with space",
		"1 A. N... 000000 100644 100644 " + zero + " " + id + " new",
		"u UU N... 100644 100644 000000 100644 " + id + " " + id + " " + zero + " both",
		"? un\ntracked", "! node_modules/", "",
	}, "\x00")
	l, err := parseState(text)
	if err != nil {
		t.Fatal(err)
	}
	if string(l.Head) != id || l.Branch != "topic" || len(l.Changes) != 4 || len(l.Ignored) != 1 {
		t.Fatalf("%+v", l)
	}
	if c := l.Changes[1]; c.HeadID != "" || string(c.IndexID) != id || !c.Staged() {
		t.Errorf("%+v", c)
	}
	if c := l.Changes[2]; !c.Unmerged || c.Stages[1].ID == "" || c.Stages[2].ID != "" {
		t.Errorf("%+v", c)
	}
	if c := l.Changes[3]; !c.Untracked() || c.Path != "un\ntracked" {
		t.Errorf("%+v", c)
	}
}

func TestParseLook_unbornAndDetached(t *testing.T) {
	t.Parallel()
	l, err := parseState("# branch.oid (initial)\x00# branch.head (detached)\x00")
	if err != nil || l.Head != "" || l.Branch != "" {
		t.Errorf("%+v %v", l, err)
	}
}

func FuzzParseLook(f *testing.F) {
	f.Add("# branch.oid (initial)\x001 M. N... 1 2 3 4 5 p\x00u UU N... 1 2 3 4 5 6 7 p\x00? x\x00! y\x00")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := parseState(text)
		if err != nil {
			return
		}
		for _, c := range l.Changes {
			if c.Path == "" && c.Untracked() {
				t.Errorf("an untracked file without a name in %q", text)
			}
		}
	})
}
