package planfolder

import (
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/textdoc"
	"github.com/git-resume/git-resume/internal/textdoc/yamldoc"
)

func TestPosition(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2 of 5": "2/5", "2/5": "2/5", "4 of TBD": "4/", "**1 of 2** in current phase": "", "1 of 2 complete": "1/2", "26.1 of 27 (Monitoring)": "26.1/27",
		"75": "75/", "All plans complete": "", "Not started": "", "27-02 complete": "", "": "", "3x": "",
		"Phase 12 Storage — Complete": "12/", "Phase 2 of 5": "2/5", "3 van 11 (Providers)": "3/11", "phase": "",
	} {
		at, of, ok := Position(text)
		if got := at + "/" + of; ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestReadPlanDoc(t *testing.T) {
	t.Parallel()
	text := "---\nplan: 02\ndepends_on: [\"01\", 3]\n---\n# The title\n<tasks>\n<task type=\"auto\">\n  <name>Task 1: a</name>\n```\n<task type=\"auto\">\n<name>no</name>\n```\n</task>\n" +
		"<task type=\"checkpoint:human-verify\" gate=\"blocking\">\n</task>\n<task>\n<name>c</name>\n<name>again</name>\n"
	p, err := ReadPlanDoc(text)
	if err != nil || !slices.Equal(p.Needs, []string{"01", "3"}) || p.Title != "The title" || !p.Human {
		t.Errorf("read %+v, %v", p, err)
	}
	if !slices.Equal(p.Steps, []string{"a", "", "c"}) {
		t.Errorf("steps %q", p.Steps)
	}
	if p, _ = ReadPlanDoc("<objective>\n\nSee that it works.\nMore.\n</objective>\n# Later\n"); p.Title != "See that it works." {
		t.Errorf("title %q", p.Title)
	}
}

func TestUnitOf_joinsPhaseAndPlan(t *testing.T) {
	t.Parallel()
	for want, in := range map[string][2]string{
		"03-06": {"03-initial-placement", "06"}, "08-03": {"08", "08-03"}, "02": {"", "02"}, "26.1-01": {"26.1", "01"}, "": {"08", ""}, "07": {"setup", "07"},
	} {
		if got := UnitOf(in[0], in[1]); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzPlanDoc(f *testing.F) {
	f.Add("---\nplan: 1\n---\n<task type=\"auto\">\n<name>x</name>\n")
	f.Fuzz(func(t *testing.T, text string) {
		p, _ := ReadPlanDoc(text)
		if len(p.Steps) > strings.Count(text, "<task") {
			t.Errorf("%d steps", len(p.Steps))
		}
		_, _, _ = Position(text)
		for _, parse := range []func([]byte) (textdoc.Value, error){textdoc.ParseJSON, yamldoc.Parse} {
			v, err := parse([]byte(text))
			for i, a := range agentEntries(v) {
				if err == nil && (!v.At(a.At...).Is() || len(a.Unit) > len(a.Phase)+1+len(a.Plan)) {
					t.Errorf("agent %d is %+v", i, a)
				}
			}
		}
	})
}
