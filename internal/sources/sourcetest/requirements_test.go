package sourcetest

import (
	"strings"
	"testing"
)

// No requirement may be listed twice, and no two requirements may have the same sentence.
func TestRequirements_haveSentences(t *testing.T) {
	t.Parallel()
	all, err := Requirements("")
	if err != nil || len(all) < 500 {
		t.Fatalf("%d requirements: %v", len(all), err)
	}
	ids, said := map[string]bool{}, map[string]string{}
	for _, q := range all {
		if ids[q.ID] {
			t.Errorf("%s stands twice in the list", q.ID)
		}
		if other := said[q.Says]; other != "" {
			t.Errorf("%s says the same as %s: %s", q.ID, other, q.Says)
		}
		ids[q.ID], said[q.Says] = true, q.ID
	}
}

func TestRequirements_withoutASentenceAreRefused(t *testing.T) {
	t.Parallel()
	const good = "S0-1\tT\tlong-run\tA run is found by its folder.\n"
	if all, err := readRequirements("# id\n"+good, ""); err != nil || len(all) != 1 || all[0].Says != "A run is found by its folder." {
		t.Fatalf("%v, %v", all, err)
	}
	for _, bad := range []string{"S0-2\tT\tlong-run\n", "S0-2\tT\tlong-run\t\n", "S0-2\tT\tlong-run\tshort.\n", "S0-2\tT\tlong-run\tA run without a full stop\n"} {
		if all, err := readRequirements(good+bad, "other"); err == nil {
			t.Errorf("%q is accepted: %v", bad, all)
		}
	}
}

// The check must report a requirement that no case covers, with its sentence. It must also report a case for an unknown requirement, and a
// wrong entry in the map "elsewhere".
func TestRequirements_withoutACaseAreTold(t *testing.T) {
	t.Parallel()
	all := []Requirement{{"S0-1", "T", "long-run", "A run is found by its folder."}, {"S0-2", "T", "long-run", "An agent is told with its id."}}
	if wrong := uncovered(all, map[string]bool{"S0-1": true}, map[string]string{"S0-2": "another test shows it"}); len(wrong) != 0 {
		t.Errorf("complained of %v", wrong)
	}
	for _, c := range []struct {
		covered   map[string]bool
		elsewhere map[string]string
		want      string
	}{
		{map[string]bool{"S0-1": true}, nil, "S0-2 (T) has no case: An agent is told with its id."},
		{map[string]bool{"S0-1": true, "S0-2": true, "S0-3": true}, nil, "S0-3 has a case and is no requirement"},
		{map[string]bool{"S0-1": true, "S0-2": true}, map[string]string{"S0-2": "why"}, "S0-2 is named as shown elsewhere, and is unknown or has a case"},
		{map[string]bool{"S0-1": true, "S0-2": true}, map[string]string{"S0-4": "why"}, "S0-4 is named as shown elsewhere, and is unknown or has a case"},
	} {
		if got := strings.Join(uncovered(all, c.covered, c.elsewhere), "; "); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
