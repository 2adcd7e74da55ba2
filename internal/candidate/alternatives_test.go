package candidate

import (
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/sources"
)

func TestAlternatives_harmfulOnesComeLast(t *testing.T) {
	t.Parallel()
	ways := []sources.Alternative{{Name: sources.Continue}, {Name: sources.StartFresh}, {Name: sources.RestartUnit}, {Name: sources.ReviewIt}}
	names := func(busy string) string {
		var out []string
		s := Summary{Busy: busy, Found: &sources.Found{Alternatives: ways}}
		for _, a := range s.Alternatives() {
			out = append(out, a.Name)
		}
		return strings.Join(out, " ")
	}
	if got, want := names("its state changed"), "review restart-unit continue start-fresh"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := names(""), "continue start-fresh restart-unit review"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
