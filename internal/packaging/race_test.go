package packaging

import (
	"os"
	"regexp"
	"testing"
)

func TestRace_isOneList(t *testing.T) {
	t.Parallel()
	list := func(file, pattern string) string {
		text, err := os.ReadFile("../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(pattern).FindStringSubmatch(string(text))
		if found == nil {
			t.Fatalf("%s names no packages", file)
		}
		return found[1]
	}
	if byHand, ci := list("Makefile", `(?m)^RACE = (.*)$`), list(".ci/run", `(?m)^race_packages=\((.*)\)$`); byHand != ci {
		t.Errorf("make race: %s\n.ci/run: %s", byHand, ci)
	}
}
