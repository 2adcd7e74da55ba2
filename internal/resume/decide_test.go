package resume

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/plan"
)

func TestAgeOf_hasExactBorders(t *testing.T) {
	const day = 24 * time.Hour
	for _, c := range []struct {
		d    time.Duration
		want Age
	}{
		{0, Fresh}, {time.Hour - time.Second, Fresh}, {time.Hour, Recent}, {time.Hour + time.Second, Recent},
		{day - time.Second, Recent}, {day, Moderate}, {day + time.Second, Moderate},
		{7*day - time.Second, Moderate}, {7 * day, Moderate}, {7*day + time.Second, Stale}, {400 * day, Stale},
	} {
		if got := AgeOf(c.d); got != c.want {
			t.Errorf("%s: %s, want %s", c.d, got, c.want)
		}
	}
}

// rows are all findings, as grave as they come, and what follows from each of them alone.
// The columns are interactive, auto and preflight, each at a terminal and without one.
// Y and N ask, with that default; go continues; a number stops with that exit code.
var rows = []struct {
	code     Code
	severity Severity
	verdict  Verdict
	columns  string
}{
	{"", Info, Clean, "Y go  go go  N 11"},
	// What changed underneath.
	{FindBaseMoved, Info, Clean, "Y go  go go  N 11"},
	{FindBranchForeign, Info, Clean, "Y go  go go  N 11"},
	{FindTreeMissing, Info, Clean, "Y go  go go  N 11"},
	{FindTreeMoved, Info, Clean, "Y go  go go  N 11"},
	{FindLanded, Info, Clean, "Y go  go go  N 11"},
	{FindBranchRenamed, Info, Clean, "Y go  go go  N 11"},
	{FindByHand, Info, Clean, "Y go  go go  N 11"},
	{FindExpected, Warning, Warnings, "N 11  go go  N 11"},
	{FindSameFile, Warning, Warnings, "N 11  go go  N 11"},
	{FindInput, Warning, Warnings, "N 11  go go  N 11"},
	{FindManifest, Warning, Warnings, "N 11  go go  N 11"},
	{FindBaseGone, Warning, Warnings, "N 11  go go  N 11"},
	{FindBaseRewritten, Warning, Warnings, "N 11  go go  N 11"},
	{FindSameWork, Warning, Warnings, "N 11  go go  N 11"},
	{FindPlanChanged, Warning, Warnings, "N 11  go go  N 11"},
	{FindBranchDeleted, Warning, Warnings, "N 11  go go  N 11"},
	{FindBranchRewrote, Warning, Warnings, "N 11  go go  N 11"},
	{FindDamaged, Warning, Warnings, "N 11  go go  N 11"},
	{FindStale, Warning, Warnings, "N 11  go go  N 11"},
	{FindInvalid, Warning, Partial, "Y 11  go go  N 11"},
	// What only a person decides: automatic mode asks too, where it can.
	{FindPaused, Warning, Warnings, "N 11  N 11  N 11"},
	{FindRebuilt, Warning, Warnings, "N 11  N 11  N 11"},
	{FindDiverged, Warning, Warnings, "N 11  N 11  N 11"},
	{FindAttemptsUsedUp, Warning, Warnings, "N 11  N 11  N 11"},
	{FindNoProgress, Info, Clean, "Y go  N 11  N 11"},
	{FindPartly, Warning, Warnings, "Y 11  Y 11  Y 11"},
	{FindIdle, Warning, Warnings, "N 13  N 13  N 13"},
	{FindMaybeAlive, Warning, Warnings, "N 13  N 13  N 13"},
	{FindFileMissing, Warning, Warnings, "N 11  go go  N 11"},
	// What nobody passes over with a yes.
	{FindConflict, Blocking, Blocked, "12 12  12 12  12 12"},
	{FindCannotTell, Blocking, Blocked, "12 12  12 12  12 12"},
	{FindTreeForeign, Blocking, Blocked, "12 12  12 12  12 12"},
	{FindTreePlace, Blocking, Blocked, "12 12  12 12  12 12"},
	{FindOperation, Blocking, Blocked, "12 12  12 12  12 12"},
	{FindOtherBranch, Blocking, Blocked, "12 12  12 12  12 12"},
	{FindAlive, Blocking, Busy, "13 13  13 13  13 13"},
	{FindUnchecked, Blocking, Busy, "13 13  13 13  13 13"},
	{FindBranchLost, Blocking, Unrecoverable, "14 14  14 14  14 14"},
	{FindQuestion, Warning, WaitingFor, "15 15  15 15  15 15"},
	{FindUntrusted, Blocking, Blocked, "11 11  11 11  11 11"},
	// What came from elsewhere: a run is taken over only where it was named.
	{FindElsewhere, Blocking, Blocked, "11 11  11 11  11 11"},
	{FindLinesMissing, Blocking, Blocked, "11 11  11 11  11 11"},
	{FindReported, Warning, Warnings, "N 11  N 11  N 11"},
	{FindCommits, Warning, Warnings, "N 11  N 11  N 11"},
}

func assessed(found ...Finding) *Assessment {
	a := &Assessment{Picture: Picture{Findings: found}, Age: Fresh, Point: Step{Kind: StepRun}}
	a.Verdict = verdictOf(found)
	return a
}

func finding(code Code) []Finding {
	for _, r := range rows {
		if r.code == code && code != "" {
			return []Finding{{Code: code, Severity: r.severity, Text: "so it is"}}
		}
	}
	return nil
}

// outcome writes a decision as the table does.
func outcome(d Decision) string {
	codes := map[Why]string{WhyDecision: "11", WhyConflicts: "12", WhyBusy: "13", WhyUnrecoverable: "14", WhyWaiting: "15"}
	switch {
	case d.Action == Go:
		return "go"
	case d.Action == Ask && d.Default:
		return "Y"
	case d.Action == Ask:
		return "N"
	default:
		return codes[d.Why]
	}
}

func TestDecide_everyFindingInEveryMode(t *testing.T) {
	for _, r := range rows {
		a := assessed(finding(r.code)...)
		if a.Verdict != r.verdict {
			t.Errorf("%s: verdict %s, want %s", r.code, a.Verdict, r.verdict)
		}
		want := strings.Fields(r.columns)
		for i, mode := range []Mode{Interactive, Auto, Preflight} {
			for k, terminal := range []bool{true, false} {
				d := Decide(a, Wish{Mode: mode, Terminal: terminal})
				if got := outcome(d); got != want[2*i+k] {
					t.Errorf("%s, %s, terminal %v: %s, want %s", r.code, mode, terminal, got, want[2*i+k])
				}
				if len(d.Reasons) == 0 {
					t.Errorf("%s, %s: no reason is given", r.code, mode)
				}
			}
		}
	}
}

func TestDecide_knowsEveryCode(t *testing.T) {
	text, err := os.ReadFile("finding.go")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`Find\w+ +Code = "([a-z-]+)"`).FindAllStringSubmatch(string(text), -1)
	if len(found) < 30 {
		t.Fatalf("only %d codes were found", len(found))
	}
	for _, m := range found {
		if finding(Code(m[1])) == nil {
			t.Errorf("the table does not say what follows from %s", m[1])
		}
	}
}

func TestDecide_flags(t *testing.T) {
	yes := Wish{Yes: true}
	auto := Wish{Mode: Auto}
	autoYes := Wish{Mode: Auto, Yes: true}
	for _, c := range []struct {
		name  string
		found []Code
		wish  Wish
		want  string
	}{
		{"yes accepts warnings", []Code{FindSameFile, FindPlanChanged}, yes, "go"},
		{"yes accepts a pause", []Code{FindPaused}, yes, "go"},
		{"yes accepts rebuilt state", []Code{FindRebuilt}, yes, "go"},
		{"yes accepts two places", []Code{FindDiverged}, yes, "go"},
		{"yes accepts used-up attempts", []Code{FindAttemptsUsedUp}, yes, "go"},
		{"yes accepts a silent driver", []Code{FindIdle}, yes, "go"},
		{"yes is a person's word about foreign work", []Code{FindMaybeAlive}, yes, "go"},
		{"auto leaves foreign work that may be running", []Code{FindMaybeAlive}, autoYes, "13"},
		{"yes does not decide about a cut-off task", []Code{FindPartly}, yes, "11"},
		{"yes never accepts conflicts", []Code{FindConflict}, yes, "12"},
		{"yes never takes a living run", []Code{FindAlive}, yes, "13"},
		{"yes is no takeover", []Code{FindUnchecked}, yes, "13"},
		{"yes answers no question", []Code{FindQuestion}, yes, "15"},
		{"yes approves no command", []Code{FindUntrusted}, yes, "11"},
		{"yes recovers nothing", []Code{FindBranchLost}, yes, "14"},
		{"yes mends no worktree", []Code{FindOtherBranch}, yes, "12"},
		{"auto never continues a pause", []Code{FindPaused}, autoYes, "11"},
		{"auto never confirms rebuilt state", []Code{FindRebuilt}, autoYes, "11"},
		{"auto never goes on in two places", []Code{FindDiverged}, autoYes, "11"},
		{"auto leaves a silent driver", []Code{FindIdle}, autoYes, "13"},
		{"auto takes a silent driver's run if told", []Code{FindIdle}, Wish{Mode: Auto, EvenIdle: true}, "go"},
		{"auto with a policy for doubt", []Code{FindPartly}, Wish{Mode: Auto, Doubt: plan.Retry}, "go"},
		{"a word about the cut-off task is enough", []Code{FindPartly}, Wish{Doubt: plan.Retry}, "go"},
		{"but not about another warning", []Code{FindPartly, FindSameFile}, Wish{Doubt: plan.Retry}, "11"},
		{"keep decides about a cut-off task", []Code{FindPartly}, Wish{Doubt: Keep, Yes: true}, "go"},
		{"conflicts, taken along", []Code{FindConflict}, Wish{DespiteConflicts: true}, "go"},
		{"conflicts, to be merged", []Code{FindConflict}, Wish{Update: true}, "go"},
		{"conflicts and another thing", []Code{FindConflict, FindOperation}, Wish{Update: true}, "12"},
		{"conflicts taken along by auto", []Code{FindConflict}, Wish{Mode: Auto, DespiteConflicts: true}, "go"},
		{"cannot tell, taken along", []Code{FindCannotTell}, Wish{DespiteConflicts: true}, "go"},
		{"despite conflicts is not despite a rebase", []Code{FindOperation}, Wish{DespiteConflicts: true}, "12"},
		{"takeover", []Code{FindUnchecked}, Wish{Takeover: true}, "go"},
		{"takeover at a terminal asks", []Code{FindUnchecked}, Wish{Takeover: true, Terminal: true}, "Y"},
		{"takeover with warnings", []Code{FindUnchecked, FindSameFile}, Wish{Takeover: true}, "11"},
		{"takeover with warnings and yes", []Code{FindUnchecked, FindSameFile}, Wish{Takeover: true, Yes: true}, "go"},
		{"takeover of a living run", []Code{FindAlive}, Wish{Takeover: true, Yes: true}, "13"},
		{"takeover over conflicts", []Code{FindUnchecked, FindConflict}, Wish{Takeover: true, Yes: true}, "12"},
		{"preflight with yes", nil, Wish{Mode: Preflight, Yes: true}, "go"},
		{"preflight with warnings and yes", []Code{FindInput}, Wish{Mode: Preflight, Yes: true}, "go"},
		{"preflight with conflicts and yes", []Code{FindConflict}, Wish{Mode: Preflight, Yes: true}, "12"},
		{"living before everything", []Code{FindConflict, FindQuestion, FindBranchLost, FindAlive}, auto, "13"},
		{"lost before conflicts", []Code{FindConflict, FindBranchLost}, auto, "14"},
		{"conflicts before a question", []Code{FindQuestion, FindConflict}, auto, "12"},
		{"a question before approval", []Code{FindUntrusted, FindQuestion}, auto, "15"},
	} {
		var found []Finding
		for _, code := range c.found {
			found = append(found, finding(code)...)
		}
		if c.wish.Mode == "" {
			c.wish.Mode = Interactive
		}
		if got := outcome(Decide(assessed(found...), c.wish)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Age alone stops nobody but the automatic mode, and that only when nobody vouches for it.
func TestDecide_age(t *testing.T) {
	for _, age := range []Age{Fresh, Recent, Moderate, Stale} {
		a := assessed()
		a.Age = age
		for wish, want := range map[string]string{"interactive": "go", "auto": "go", "auto yes": "go", "terminal": "Y"} {
			w := Wish{Mode: Interactive, Yes: strings.HasSuffix(wish, "yes"), Terminal: wish == "terminal"}
			if strings.HasPrefix(wish, "auto") {
				w.Mode = Auto
			}
			if age == Stale && wish == "auto" {
				want = "11"
			}
			d := Decide(a, w)
			if got := outcome(d); got != want {
				t.Errorf("%s, %s: %s, want %s", age, wish, got, want)
			}
			if d.Action == Go && !strings.Contains(fmt.Sprint(d.Reasons), string(age)) {
				t.Errorf("%s, %s: the age is not among the reasons %q", age, wish, d.Reasons)
			}
		}
	}
}

// Whoever drives a run gets it back without a terminal, clean or with warnings, but never in silence when results are void.
func TestDecide_reportedRunWithoutTerminal(t *testing.T) {
	for code, want := range map[Code]string{
		"": "go", FindSameFile: "go", FindBaseMoved: "go", FindInvalid: "11", FindConflict: "12", FindPaused: "11", FindQuestion: "15",
	} {
		a := assessed(finding(code)...)
		a.Point.Kind = StepReport
		if got := outcome(Decide(a, Wish{Mode: Interactive})); got != want {
			t.Errorf("%s: %s, want %s", code, got, want)
		}
	}
}

// Every stop that a flag can answer names the flag.
func TestDecide_namesTheFlag(t *testing.T) {
	for code, want := range map[Code]string{
		FindUnchecked: "--takeover", FindBranchLost: "--restart", FindConflict: "--update", FindQuestion: "git resume answer",
		FindIdle: "--even-idle", FindPaused: "--yes", FindRebuilt: "--yes", FindPartly: "--retry or --keep or --mark-done", FindSameFile: "--yes",
		FindAttemptsUsedUp: "--yes", FindUntrusted: "git resume trust job-abcd",
	} {
		a := assessed(finding(code)...)
		a.Summary.Run.ID = "job-abcd"
		if d := Decide(a, Wish{Mode: Interactive}); d.Flag != want {
			t.Errorf("%s: flag %q, want %q", code, d.Flag, want)
		}
	}
}

func TestVerdictOf_gravestFirst(t *testing.T) {
	order := []Code{FindAlive, FindBranchLost, FindConflict, FindQuestion, FindInvalid, FindSameFile, FindBaseMoved}
	want := []Verdict{Busy, Unrecoverable, Blocked, WaitingFor, Partial, Warnings, Clean}
	for i := range order {
		var found []Finding
		for k := len(order) - 1; k >= i; k-- {
			found = append(found, finding(order[k])...)
		}
		if got := verdictOf(found); got != want[i] {
			t.Errorf("%v: %s, want %s", order[i:], got, want[i])
		}
	}
}

func TestVerdictOf_whatItCannotDoWithout(t *testing.T) {
	gone := []Finding{{Code: FindFileMissing, Severity: Blocking}}
	if v := verdictOf(gone); v != Unrecoverable {
		t.Errorf("a critical file is missing: %s", v)
	}
	if d := Decide(assessed(gone...), Wish{Mode: Auto, Yes: true}); d.Why != WhyUnrecoverable {
		t.Errorf("a critical file is missing: %+v", d)
	}
}
