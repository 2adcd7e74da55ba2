package refs

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/gittest"
)

// packedFile writes refs in the format of packed-refs: a header, sorted lines, and some peeled tags.
func packedFile(refs map[string]object.ID, peeled func(string) bool) string {
	var b strings.Builder
	b.WriteString("# pack-refs with: peeled fully-peeled sorted \n")
	for _, name := range slices.Sorted(maps.Keys(refs)) {
		fmt.Fprintf(&b, "%s %s\n", refs[name], name)
		if peeled(name) {
			fmt.Fprintf(&b, "^%s\n", refs[name])
		}
	}
	return b.String()
}

func randomRefs(rnd *rand.Rand) map[string]object.ID {
	refs := map[string]object.ID{}
	digits := 40
	if rnd.IntN(4) == 0 {
		digits = 64
	}
	long := rnd.IntN(3) * 100
	for range rnd.IntN(200) {
		name := fmt.Sprintf("refs/%c/%s%d", 'a'+rnd.IntN(4), strings.Repeat("x", rnd.IntN(1+long)), rnd.IntN(1000))
		refs[name] = object.ID(fmt.Sprintf("%0*x", digits, rnd.Uint64()))
	}
	return refs
}

func TestPackedRef_asLinearSearch(t *testing.T) {
	t.Parallel()
	rounds := 150
	if gittest.Proving() {
		rounds = 3000
	}
	rnd := rand.New(rand.NewPCG(5, 6))
	path := filepath.Join(t.TempDir(), "packed-refs")
	for range rounds {
		refs := randomRefs(rnd)
		text := packedFile(refs, func(string) bool { return rnd.IntN(3) == 0 })
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		assertPacked(t, path, refs)
	}
}

func assertPacked(t *testing.T, path string, refs map[string]object.ID) {
	t.Helper()
	names := slices.Sorted(maps.Keys(refs))
	for _, name := range names {
		for _, ask := range []string{name, name + "0", name[:len(name)-1]} {
			got, err := packedRef(path, ask)
			if err != nil || got != refs[ask] {
				t.Fatalf("packedRef(%q) among %d: got %q, %v, want %q", ask, len(refs), got, err, refs[ask])
			}
		}
	}
	for _, prefix := range []string{"refs/", "refs/a/", "refs/c/", "refs/d/xx", "refs/z/", ""} {
		var want, got []string
		for _, name := range names {
			if strings.HasPrefix(name, prefix) {
				want = append(want, name)
			}
		}
		err := packedFrom(path, prefix, func(_ object.ID, ref string) bool {
			if strings.HasPrefix(ref, prefix) {
				got = append(got, ref)
			}
			return strings.HasPrefix(ref, prefix)
		})
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("refs below %q: got %d, %v, want %d", prefix, len(got), err, len(want))
		}
	}
}

// TestPackedRef_unsorted reads packed-refs files without the word "sorted" in their header, as programs other than git write them.
func TestPackedRef_unsorted(t *testing.T) {
	t.Parallel()
	refs := map[string]object.ID{}
	var b strings.Builder
	for i := range 120 {
		name := fmt.Sprintf("refs/heads/%d", (i*37)%120)
		refs[name] = object.ID(fmt.Sprintf("%040x", i+1))
		fmt.Fprintf(&b, "%s %s\n", refs[name], name)
	}
	for _, header := range []string{"", "# pack-refs with: peeled \n", "# pack-refs with: unsorted\n"} {
		path := filepath.Join(t.TempDir(), "packed-refs")
		if err := os.WriteFile(path, []byte(header+b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		for name, id := range refs {
			if got, err := packedRef(path, name); err != nil || got != id {
				t.Fatalf("header %q: packedRef(%q): got %q, %v, want %q", header, name, got, err, id)
			}
		}
		assertPacked(t, path, refs)
	}
}

func FuzzPackedRefs(f *testing.F) {
	f.Add(uint64(1), "refs/heads/main")
	f.Add(uint64(2), "refs/")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, seed uint64, name string) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		refs := randomRefs(rnd)
		path := filepath.Join(dir, fmt.Sprint(os.Getpid()))
		if err := os.WriteFile(path, []byte(packedFile(refs, func(string) bool { return rnd.IntN(2) == 0 })), 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := packedRef(path, name)
		if err != nil || got != refs[name] {
			t.Errorf("packedRef(%q): got %q, %v, want %q", name, got, err, refs[name])
		}
	})
}

// FuzzPackedBytes reads files that git would never write. It checks only that reading ends and that every id has the form of an id.
func FuzzPackedBytes(f *testing.F) {
	f.Add([]byte("# pack-refs with: sorted\n"), "refs/heads/main")
	f.Add([]byte("^\n\n x\n"+strings.Repeat("0", 40)+" refs/heads/main"), "refs/heads/main")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		path := filepath.Join(dir, fmt.Sprint(os.Getpid()))
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		id, err := packedRef(path, name)
		if err == nil && id != "" && !object.IsID(string(id)) {
			t.Errorf("no id: %q", id)
		}
	})
}
