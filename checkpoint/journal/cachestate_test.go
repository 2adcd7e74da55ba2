package journal

import (
	"reflect"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
)

// Every field of a state, except its tasks, must survive in the cache, alone and together with others. The test also covers fields that are
// added later.
func TestCache_keepsEveryValueOfAState(t *testing.T) {
	at := time.Date(2026, 11, 17, 9, 20, 1, 766279000, time.UTC)
	var whole checkpoint.Run
	kind := reflect.TypeFor[checkpoint.Run]()
	for i := range kind.NumField() {
		f := kind.Field(i)
		if !f.IsExported() || f.Tag.Get("json") == "-" || f.Name == "Tasks" {
			continue
		}
		var alone checkpoint.Run
		fill(t, reflect.ValueOf(&alone).Elem().Field(i), at)
		fill(t, reflect.ValueOf(&whole).Elem().Field(i), at)
		checkState(t, f.Name, cacheFile{V: cacheVersion, Run: alone})
		checkState(t, "all up to "+f.Name, cacheFile{V: cacheVersion, Run: whole})
	}
	checkState(t, "ids", cacheFile{cacheVersion, "a", "b", "c", tail{Head: "d", Key: "e", Canonical: true, Base: "f"}, whole})
	for _, text := range []string{"\x1e", "\x1f", "a\nb", "\t", "\xff"} {
		odd := whole
		odd.Name = text
		if _, ok := rowOf(cacheFile{Run: odd}); ok {
			t.Errorf("%q was written into a cell", text)
		}
	}
}

func checkState(t *testing.T, what string, s cacheFile) {
	t.Helper()
	text, ok := rowOf(s)
	if !ok {
		t.Fatalf("%s: not in cells", what)
	}
	got, ok := parseRow(text)
	if !ok || asJSON(got) != asJSON(s) {
		t.Errorf("%s: from %q came\n%s\nwant\n%s", what, text, asJSON(got), asJSON(s))
	}
	for end := range text {
		if _, ok := parseRow(text[:end]); ok {
			t.Fatalf("%s: %q was read as a whole", what, text[:end])
		}
	}
}
