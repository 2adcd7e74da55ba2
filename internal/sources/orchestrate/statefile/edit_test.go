package statefile

import (
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/textdoc"
)

func TestSetWord_keepsTheTypeOfAValue(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"at": "2"}`: `{"at": "1"}`, `{"at": 2}`: `{"at": 1}`, `{"at": "true"}`: `{"at": "1"}`, `{"at": "two"}`: `{"at": "1"}`,
	} {
		if got, err := SetWord("x.json", []byte(in), "1", []string{"at"}); err != nil || string(got) != want {
			t.Errorf("%s: %s, %v", in, got, err)
		}
	}
}

func TestPhases_leavesTheOtherPhasesAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	const in = `{"completed_phases": ["1", 2, 2.50, {"phase": "3", "note": "\u00fc"}, "4"], "current_phase": "5"}`
	v, err := textdoc.ParseJSON([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	e := Edit("x.json", []byte(in), time.Now())
	e.Phases(v, func(name string) bool { return name != "4" }, 3, "four", "")
	if want := `{"completed_phases": ["1", 2, 2.50, {"phase": "3", "note": "\u00fc"}], "current_phase": "4"}`; e.Err != nil || string(e.Data) != want {
		t.Errorf("%s, %v", e.Data, e.Err)
	}
}

func TestEpic_resetsStoriesBesideTheWaves(t *testing.T) {
	t.Parallel()
	const in = `{"status": "interrupted", "waves": [{"wave": 1, "stories": ["5.1"]}], "stories": {"5.1": {"status": "Done"}}}`
	v, err := textdoc.ParseJSON([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	e := Edit("x.json", []byte(in), time.Now())
	e.Epic(v)
	if want := `{"status": "pending", "waves": [{"wave": 1, "stories": ["5.1"]}], "stories": {"5.1": {"status": "pending"}}}`; e.Err != nil || string(e.Data) != want {
		t.Errorf("%s, %v", e.Data, e.Err)
	}
}
