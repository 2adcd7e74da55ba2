package commitlog

import (
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
)

// line makes a history from lines such as "c b,a Merge branch 'x'": an id, its parents and its subject, the newest commit first.
func line(text string) History {
	var all []past.Described
	for row := range strings.Lines(text) {
		f := strings.SplitN(strings.TrimSpace(row), " ", 3)
		if len(f) < 3 {
			continue
		}
		c := past.Described{Logged: past.Logged{ID: object.ID(f[0]), Subject: f[2], When: days(len(all))}}
		for p := range strings.SplitSeq(f[1], ",") {
			c.Parents = append(c.Parents, object.ID(p))
		}
		all = append(all, c)
	}
	return NewHistory(all)
}

func TestLanding(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ history, want string }{
		"committed on the branch itself": {"c b later\nb a change\na - first", ""},
		"squashed pull request":          {"c b later\nb a change (#12)\na - first", "b"},
		"merge of its branch":            {"m a,b Merge branch '004-x'\nb a change\na - first", "m"},
		"pull request":                   {"d m later\nm a,b Merge pull request #4 from ann/work\nb a change\na - first", "m"},
		"subject of one's own":           {"m a,b Land the form\nb a change\na - first", "m"},
		"the same branch of another clone": {"m c,b Merge branch 'main' of example.com:shop\nc a other\nb a change\na - first",
			""},
		"the trunk, with a change that was made there": {"m c,b Merge branch 'main' into topic\nc a other\nb a change\na - first", ""},
		"the trunk, with a change that was merged there": {"m c,n Merge remote-tracking branch 'origin/main'\nc a other\n" +
			"n a,b Merge branch '004-x'\nb a change\na - first", "n"},
		"the trunk, with a squashed change": {"m c,b Merge branch 'main' into topic\nc a other\nb a change (#7)\na - first", "b"},
		"not in the history of the tip":     {"z y tip\ny - first\nb a change\na - first", ""},
	} {
		h := line(c.history)
		got := ""
		if l := h.Landing(h.commits[0].ID, "b"); l != nil {
			got = string(l.ID)
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if h.Landing(h.commits[0].ID, "unknown") != nil {
			t.Errorf("%s: an unknown change has landed", name)
		}
	}
}

func TestSince(t *testing.T) {
	t.Parallel()
	h := line("e d fix\nd c work on 004-audit-log\nc b,x Merge branch 'y'\nx a side\nb a change\na - first")
	if n, upon, newest := h.Since("e", "b", []string{"004-audit-log"}); n != 2 || upon != 2 || newest == nil || newest.ID != "e" {
		t.Errorf("%d commits, %d upon the change, the newest is %v", n, upon, newest)
	}
	if n, upon, _ := h.Since("e", "unknown", nil); n != 0 || upon != 0 {
		t.Errorf("%d commits after an unknown one", n)
	}
}

func TestSince_merged(t *testing.T) {
	t.Parallel()
	h := line("m a,d Merge branch 'big'\nd c three\nc b two\nb a change\na - first")
	if n, upon, _ := h.Since("m", "b", nil); n != 1 || upon != 2 {
		t.Errorf("%d commits, %d upon the change", n, upon)
	}
}

// A history with a circle cannot come from git, but a forged commit-graph file could show one. The methods must end nevertheless.
func TestLanding_circle(t *testing.T) {
	t.Parallel()
	h := line("c b later\nb c,d Merge branch 'main'\nd b,c Merge branch 'main'\na - change")
	h.Landing("c", "d")
	h.Since("c", "d", nil)
}

func TestWorkSince(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ history, want string }{
		"nothing later":         {"b a tasks of 004\na - first", ""},
		"a commit":              {"c b refactor: move the store\nb a tasks of 004\na - first", "c"},
		"the newest one":        {"e d docs: mark the tasks\nd c add the form\nc b move the store\nb a tasks of 004\na - first", "d"},
		"only documents":        {"c b docs: explain it\nb a tasks of 004\na - first", ""},
		"only plans":            {"c b update the specification\nb a tasks of 004\na - first", ""},
		"only the trunk":        {"m b,x Merge branch 'main' into 004-x\nx a other\nb a tasks of 004\na - first", ""},
		"the change is unknown": {"d c move the store\nc a other\na - first", ""},
	} {
		got := ""
		if w := line(c.history).WorkSince(object.ID(c.history[:1]), "b"); w != nil {
			got = string(w.ID)
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
