//go:build linux

package hostile

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// scenario is one attempt to do harm.
type scenario struct {
	name string
	play func(*place)
}

// sample is how many randomly chosen scenarios the everyday tests try.
const sample = 5

// TestHostile tries scenarios. The long proof tries all of them, again and again, with different random choices.
func TestHostile(t *testing.T) {
	p := gittest.Prove(t, "H", "hostile scenarios")
	all := slices.Concat(texts(), paths(), commands(), giants(), refs(), traps(), random())
	for round, played := uint64(0), true; played; round++ {
		played = false
		for _, i := range p.Rand(round).Perm(len(all)) {
			if !p.More(sample) {
				return
			}
			chance := p.Rand(1 + round<<16 | uint64(i)<<8)
			t.Run(strings.ReplaceAll(all[i].name, " ", "_"), func(t *testing.T) { // sets "played" only if the option -run selects this scenario
				played = true
				p.Trial(1)
				all[i].in(t, chance)
			})
		}
	}
}

func (s scenario) in(t *testing.T, chance *rand.Rand) {
	p := newPlace(t, chance)
	s.play(p)
	t.Logf("at most %d KB and %v", p.peak, p.slowest.Round(1e6))
}
