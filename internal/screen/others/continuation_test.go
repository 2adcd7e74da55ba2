package others

import (
	"strings"
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/sources"
)

func TestContinuation_saysWhatItChanges(t *testing.T) {
	t.Parallel()
	word := sources.Change{Path: "state.yaml", Was: []byte("id: 1\nstatus: interrupted\n"), Now: []byte("id: 1\nstatus: active\n")}
	lines := sources.Change{Path: "plan.json", Was: []byte("a\nb\n"), Now: []byte("c\nd\n")}
	gone := sources.Change{Path: "PAUSE", Was: []byte("x"), Gone: true}
	for _, c := range []struct {
		ways          string
		does          Continuation
		list, proceed string
	}{
		{"continue", Continuation{Known: true}, "'continue' prints what to do next; nothing is started here", "'proceed' prints what to do next and changes no file; nothing is started here"},
		{"continue", Continuation{}, "'continue' prints what to do next; nothing is started here", "'proceed' prints what to do next; nothing is started here"},
		{
			"continue", Continuation{Known: true, Changes: []sources.Change{word}},
			"'continue' changes 'status: interrupted' to 'status: active' in state.yaml and prints what to do next; nothing is started here",
			"'proceed' changes 'status: interrupted' to 'status: active' in state.yaml and prints what to do next; nothing is started here",
		},
		{
			"continue skip-unit", Continuation{Known: true, Changes: []sources.Change{lines, gone}},
			"'continue' changes plan.json and removes PAUSE and prints what to do next; nothing is started here",
			`'proceed' changes plan.json and removes PAUSE and prints what to do next; nothing is started here; "git resume x:y" offers 1 other action`,
		},
		{
			"resume-agent respawn", Continuation{Known: true},
			"'resume-agent' and 'respawn' show each change of a file first, then print what to do next; nothing is started here",
			`'proceed' prints what to do next and changes no file; nothing is started here; "git resume x:y" offers 2 other actions`,
		},
		{
			"continue skip-unit", Continuation{Known: true, Reports: true}, "'continue' prints what to do next; nothing is started here",
			`'proceed' prints what to do next and changes no file; nothing is started here; "git resume x:y --mode=interactive" offers 1 other action`,
		},
		{"continue", Continuation{Known: true, HandsOff: true}, "", "'proceed' gives the work to your hand-off command and changes no file"},
	} {
		m := candidate.Summary{Run: checkpoint.Run{ID: "x:y"}, Found: &sources.Found{Source: "x", ID: "y"}}
		for _, name := range strings.Fields(c.ways) {
			m.Found.Alternatives = append(m.Found.Alternatives, sources.Alternative{Name: name})
		}
		hinted := func(show func(page.Page)) string {
			var out strings.Builder
			show(page.Page{Out: &out, Err: &out, Hints: true})
			return strings.TrimSuffix(strings.TrimPrefix(out.String(), "  ("), ")\n")
		}
		if got := hinted(func(s page.Page) { StartsNothing(s, m.Found.Alternatives, c.does) }); got != c.list {
			t.Errorf("%s: the list says %q, want %q", c.ways, got, c.list)
		}
		if got := hinted(func(s page.Page) { ProceedHint(s, &m, c.does) }); got != c.proceed {
			t.Errorf("%s: the report says %q, want %q", c.ways, got, c.proceed)
		}
	}
}
