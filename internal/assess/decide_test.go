package assess

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/tasks"
)

func TestAgeOf_hasExactBorders(t *testing.T) {
	const day, stale = 24 * time.Hour, 14 * 24 * time.Hour
	for _, c := range []struct {
		d    time.Duration
		want candidate.Age
	}{
		{0, candidate.Fresh}, {time.Hour - time.Second, candidate.Fresh}, {time.Hour, candidate.Recent}, {time.Hour + time.Second, candidate.Recent},
		{day - time.Second, candidate.Recent}, {day, candidate.Moderate}, {day + time.Second, candidate.Moderate},
		{stale - time.Second, candidate.Moderate}, {stale, candidate.Moderate}, {stale + time.Second, candidate.Stale}, {400 * day, candidate.Stale},
	} {
		if got := candidate.AgeOf(c.d, stale); got != c.want {
			t.Errorf("%s: %s, want %s", c.d, got, c.want)
		}
	}
}

// rows lists every finding with one of its severities, and the decision for a run that has only this finding. The six columns are
// interactive, auto and preflight mode, each with and without a terminal. Y or N is the default answer of a question, and a number is an
// exit code.
var rows = []struct {
	code     candidate.Code
	severity candidate.Severity
	verdict  candidate.Verdict
	columns  string
}{
	{"", candidate.Info, candidate.Clean, "Y go  go go  N 11"},
	// With each of the following findings, automatic mode continues the run.
	{candidate.FindBaseMoved, candidate.Info, candidate.Clean, "Y go  go go  N 11"},
	{candidate.FindBranchForeign, candidate.Info, candidate.Clean, "Y go  go go  N 11"},
	{candidate.FindTreeMissing, candidate.Info, candidate.Clean, "Y go  go go  N 11"},
	{candidate.FindTreeMoved, candidate.Info, candidate.Clean, "Y go  go go  N 11"},
	{candidate.FindLanded, candidate.Info, candidate.Clean, "Y go  go go  N 11"},
	{candidate.FindBranchRenamed, candidate.Info, candidate.Clean, "Y go  go go  N 11"},
	{candidate.FindByHand, candidate.Info, candidate.Clean, "Y go  go go  N 11"},
	{candidate.FindExpected, candidate.Warning, candidate.Warnings, "N 11  go go  N 11"},
	{candidate.FindSameFile, candidate.Warning, candidate.Warnings, "N 11  go go  N 11"},
	{candidate.FindInput, candidate.Warning, candidate.Warnings, "N 11  go go  N 11"},
	{candidate.FindManifest, candidate.Warning, candidate.Warnings, "N 11  go go  N 11"},
	{candidate.FindBaseGone, candidate.Warning, candidate.Warnings, "N 11  go go  N 11"},
	{candidate.FindBaseRewritten, candidate.Warning, candidate.Warnings, "N 11  go go  N 11"},
	{candidate.FindSameWork, candidate.Warning, candidate.Warnings, "N 11  go go  N 11"},
	{candidate.FindPlanChanged, candidate.Warning, candidate.Warnings, "N 11  go go  N 11"},
	{candidate.FindBranchDeleted, candidate.Warning, candidate.Warnings, "N 11  go go  N 11"},
	{candidate.FindBranchRewrote, candidate.Warning, candidate.Warnings, "N 11  go go  N 11"},
	{candidate.FindDamaged, candidate.Warning, candidate.Warnings, "N 11  go go  N 11"},
	{candidate.FindStale, candidate.Warning, candidate.Warnings, "N 11  go go  N 11"},
	{candidate.FindInvalid, candidate.Warning, candidate.Partial, "Y 11  go go  N 11"},
	// With most of the following findings, only a person may decide, so automatic mode stops without asking.
	{candidate.FindPaused, candidate.Warning, candidate.Warnings, "N 11  11 11  N 11"},
	{candidate.FindRebuilt, candidate.Warning, candidate.Warnings, "N 11  11 11  N 11"},
	{candidate.FindDiverged, candidate.Warning, candidate.Warnings, "N 11  11 11  N 11"},
	{candidate.FindAttemptsUsedUp, candidate.Warning, candidate.Warnings, "N 11  11 11  N 11"},
	{candidate.FindNoProgress, candidate.Info, candidate.Clean, "Y 11  11 11  N 11"},
	{candidate.FindPartly, candidate.Warning, candidate.Warnings, "Y 11  11 11  Y 11"},
	{candidate.FindIdle, candidate.Warning, candidate.Warnings, "N 13  13 13  N 13"},
	{candidate.FindLimited, candidate.Warning, candidate.Warnings, "N 13  13 13  N 13"},
	{candidate.FindLeft, candidate.Warning, candidate.Warnings, "N 13  13 13  N 13"},
	{candidate.FindTwoAgents, candidate.Warning, candidate.Warnings, "N 11  go go  N 11"},
	{candidate.FindHandedBefore, candidate.Warning, candidate.Warnings, "N 11  go go  N 11"},
	{candidate.FindMaybeAlive, candidate.Warning, candidate.Warnings, "N 13  13 13  N 13"},
	{candidate.FindFileMissing, candidate.Warning, candidate.Warnings, "N 11  go go  N 11"},
	// --yes does not override the following findings.
	{candidate.FindConflict, candidate.Blocking, candidate.Blocked, "12 12  12 12  12 12"},
	{candidate.FindCannotTell, candidate.Blocking, candidate.Blocked, "12 12  12 12  12 12"},
	{candidate.FindTreeForeign, candidate.Blocking, candidate.Blocked, "12 12  12 12  12 12"},
	{candidate.FindTreePlace, candidate.Blocking, candidate.Blocked, "12 12  12 12  12 12"},
	{candidate.FindOperation, candidate.Blocking, candidate.Blocked, "12 12  12 12  12 12"},
	{candidate.FindRestore, candidate.Blocking, candidate.Blocked, "12 12  12 12  12 12"},
	{candidate.FindOtherBranch, candidate.Blocking, candidate.Blocked, "12 12  12 12  12 12"},
	{candidate.FindAlive, candidate.Blocking, candidate.Busy, "13 13  13 13  13 13"},
	{candidate.FindUnchecked, candidate.Blocking, candidate.Busy, "13 13  13 13  13 13"},
	{candidate.FindBranchLost, candidate.Blocking, candidate.Unrecoverable, "14 14  14 14  14 14"},
	{candidate.FindQuestion, candidate.Warning, candidate.WaitingFor, "15 15  15 15  15 15"},
	{candidate.FindUntrusted, candidate.Blocking, candidate.Blocked, "11 11  11 11  11 11"},
	// The following findings are about runs, reports and commits from another clone.
	{candidate.FindElsewhere, candidate.Blocking, candidate.Blocked, "11 11  11 11  11 11"},
	{candidate.FindLinesMissing, candidate.Blocking, candidate.Blocked, "11 11  11 11  11 11"},
	{candidate.FindReported, candidate.Warning, candidate.Warnings, "N 11  11 11  N 11"},
	{candidate.FindCommits, candidate.Warning, candidate.Warnings, "N 11  11 11  N 11"},
	{candidate.FindLent, candidate.Warning, candidate.Warnings, "N 11  11 11  N 11"},
}

func assessed(found ...candidate.Finding) *Assessment {
	a := &Assessment{Picture: candidate.Picture{Findings: found}, Age: candidate.Fresh, Point: tasks.Step{Kind: tasks.StepRun}}
	a.Verdict = VerdictOf(found)
	return a
}

func finding(code candidate.Code) []candidate.Finding {
	for _, r := range rows {
		if r.code == code && code != "" {
			return []candidate.Finding{{Code: code, Severity: r.severity, Said: "so it is"}}
		}
	}
	return nil
}

// outcome returns a decision in the notation of the table "rows", for example "go", "Y" or "11".
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
				d := Decide(a, Request{Mode: mode, Terminal: terminal})
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
	text, err := os.ReadFile(filepath.Join("..", "candidate", "finding.go"))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`Find\w+ +Code = "([a-z-]+)"`).FindAllStringSubmatch(string(text), -1)
	if len(found) == 0 {
		t.Fatal("no codes were found")
	}
	for _, m := range found {
		if finding(candidate.Code(m[1])) == nil {
			t.Errorf("the table does not say what follows from %s", m[1])
		}
	}
}

func TestDecide_age(t *testing.T) {
	for _, age := range []candidate.Age{candidate.Fresh, candidate.Recent, candidate.Moderate, candidate.Stale} {
		a := assessed()
		a.Age, a.Stale = age, 14*24*time.Hour
		a.Silent = map[candidate.Age]time.Duration{candidate.Moderate: 7 * 24 * time.Hour, candidate.Stale: 8 * 24 * time.Hour}[age]
		for wish, want := range map[string]string{"interactive": "go", "auto": "go", "auto yes": "go", "terminal": "Y"} {
			w := Request{Mode: Interactive, Yes: strings.HasSuffix(wish, "yes"), Terminal: wish == "terminal"}
			if strings.HasPrefix(wish, "auto") {
				w.Mode = Auto
			}
			if age == candidate.Stale && (wish == "auto" || wish == "interactive") {
				want = "11"
			}
			d := Decide(a, w)
			if got := outcome(d); got != want {
				t.Errorf("%s, %s: %s, want %s", age, wish, got, want)
			}
			if d.Action == Go && !slices.ContainsFunc(d.Reasons, func(r Reason) bool { return r.Age == age }) {
				t.Errorf("%s, %s: the age is not among the reasons %v", age, wish, d.Reasons)
			}
		}
	}
}

func TestDecide_bareIsNeverMorePermissiveThanAuto(t *testing.T) {
	went := 0
	for _, one := range rows {
		for _, two := range rows {
			for _, age := range []candidate.Age{candidate.Fresh, candidate.Stale} {
				for _, kind := range []tasks.StepKind{tasks.StepRun, tasks.StepReport} {
					for _, found := range []*sources.Found{nil, {Source: sources.Kiro, State: sources.Interrupted}} {
						a := assessed(append(finding(one.code), finding(two.code)...)...)
						a.Age, a.Point.Kind, a.Summary.Found = age, kind, found
						a.Silent = map[candidate.Age]time.Duration{candidate.Stale: time.Hour}[age]
						bare, auto := Decide(a, Request{Mode: Interactive}), Decide(a, Request{Mode: Auto})
						if bare.Action == Go && auto.Action != Go {
							t.Errorf("%s and %s, %s, step %v, of another system %v: the bare command continues, --auto does not (%s)", one.code, two.code, age, kind, found != nil, auto.Why)
						}
						if bare.Action == Go {
							went++
						}
					}
				}
			}
		}
	}
	if went == 0 {
		t.Error("the bare command never continued, so this shows nothing")
	}
}

func TestVerdictOf_gravestFirst(t *testing.T) {
	order := []candidate.Code{candidate.FindAlive, candidate.FindBranchLost, candidate.FindConflict, candidate.FindQuestion, candidate.FindInvalid, candidate.FindSameFile, candidate.FindBaseMoved}
	want := []candidate.Verdict{candidate.Busy, candidate.Unrecoverable, candidate.Blocked, candidate.WaitingFor, candidate.Partial, candidate.Warnings, candidate.Clean}
	for i := range order {
		var found []candidate.Finding
		for k := len(order) - 1; k >= i; k-- {
			found = append(found, finding(order[k])...)
		}
		if got := VerdictOf(found); got != want[i] {
			t.Errorf("%v: %s, want %s", order[i:], got, want[i])
		}
	}
}

func TestVerdictOf_whatItCannotDoWithout(t *testing.T) {
	gone := []candidate.Finding{{Code: candidate.FindFileMissing, Severity: candidate.Blocking}}
	if v := VerdictOf(gone); v != candidate.Unrecoverable {
		t.Errorf("a critical file is missing: %s", v)
	}
	if d := Decide(assessed(gone...), Request{Mode: Auto, Yes: true}); d.Why != WhyUnrecoverable {
		t.Errorf("a critical file is missing: %+v", d)
	}
}
