//go:build linux

package hostile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// random returns scenarios with random damage. In one, bytes of the journal are damaged. In one, bytes of files below .git are damaged. In
// one, values in the journal are exchanged.
func random() []scenario {
	return []scenario{
		{"journal damaged by chance", func(p *place) {
			run := p.interruptedRun(withoutCommands(markedPlan))
			p.rewrite(run, p.damageBytes)
			p.cloneWithRuns().tour(run, "c")
			p.tour(run, "c")
		}},
		{"files damaged by chance", func(p *place) {
			run := p.interruptedRun(withoutCommands(markedPlan))
			var files []string
			for _, dir := range []string{"resume", "refs", "worktrees"} {
				_ = filepath.WalkDir(filepath.Join(p.Dir, ".git", dir), func(path string, d os.DirEntry, err error) error {
					if err == nil && d.Type().IsRegular() {
						files = append(files, path)
					}
					return nil
				})
			}
			for _, i := range p.chance.Perm(len(files))[:5] {
				text, err := os.ReadFile(files[i])
				p.must(err)
				p.must(os.WriteFile(files[i], []byte(p.damageBytes(string(text))), 0o644))
			}
			p.tour(run, "c")
		}},
		{"fields exchanged by chance", func(p *place) {
			run := p.interruptedRun(withoutCommands(markedPlan))
			p.rewrite(run, p.swapValues)
			p.cloneWithRuns().tour(run, "c")
			p.tour(run, "c")
		}},
	}
}

// damageBytes changes, removes, doubles or inserts a few bytes, or removes the end of the text.
func (p *place) damageBytes(text string) string {
	out := []byte(text)
	for range 1 + p.chance.IntN(12) {
		if len(out) == 0 {
			return string(out)
		}
		at := p.chance.IntN(len(out))
		to := min(len(out), at+1+p.chance.IntN(40))
		switch p.chance.IntN(5) {
		case 0:
			out[at] ^= 1 << p.chance.IntN(8)
		case 1:
			out = slices.Delete(out, at, to)
		case 2:
			out = slices.Insert(out, at, out[at:to]...)
		case 3:
			out = slices.Insert(out, at, []byte(p.randomControlText())...)
		case 4:
			out = out[:at]
		}
	}
	return string(out)
}

// swapValues exchanges random strings in JSON text, which can be keys or values.
func (p *place) swapValues(text string) string {
	parts := strings.Split(text, `"`)
	for range 1 + p.chance.IntN(6) {
		a, b := p.chance.IntN(len(parts)), p.chance.IntN(len(parts))
		if a%2 == 1 && b%2 == 1 {
			parts[a], parts[b] = parts[b], parts[a]
		}
	}
	return strings.Join(parts, `"`)
}
