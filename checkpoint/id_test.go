package checkpoint

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNewRunID_isValidAndHasALetter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		slug := rapid.StringMatching("[a-z0-9][a-z0-9-]{0,39}").Draw(t, "slug")
		chance := [4]byte(rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(t, "chance"))
		id := NewRunID(slug, chance)
		if !id.Valid() {
			t.Fatalf("%q is not valid", id)
		}
		if !strings.ContainsAny(id.Suffix(), "abcdefghijklmnopqrstuvwxyz") || len(id.Suffix()) != 4 {
			t.Fatalf("%q could be taken for a number", id.Suffix())
		}
		if string(id) != slug+"-"+id.Suffix() {
			t.Fatalf("%q is not made of %q", id, slug)
		}
	})
}

func TestRunID_valid(t *testing.T) {
	for id, want := range map[RunID]bool{
		"work-abcd": true, "a-2a34": true, "a.b_c-abcd": true, RunID(strings.Repeat("x", 75) + "-abcd"): true,
		"": false, "work": false, "-abcd": false, "work-abc": false, "work-abcde": false, ".x-abcd": false, "a..b-abcd": false,
		"a/b-abcd": false, "../x-abcd": false, "A-abcd": false, "a b-abcd": false, "a\nb-abcd": false, "ü-abcd": false,
		"a-ab\x00d": false, RunID(strings.Repeat("x", 76) + "-abcd"): false, "x.lock-abcd": true, "--x-abcd": false,
	} {
		if id.Valid() != want {
			t.Errorf("%q: valid %v", id, id.Valid())
		}
	}
}
