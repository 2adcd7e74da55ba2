package checkpoint

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// In a container and outside of it the same user has two keys. Whoever comes back finds his own again.
func TestKey_ofAnotherPlaceIsSetAside(t *testing.T) {
	t.Parallel()
	j := newJournal(t, "t")
	path, here := keyPath(j.s.Repo), binding(j.s.Repo)
	read := func(path string) (f keyFile) {
		t.Helper()
		text, err := os.ReadFile(path)
		if err != nil || json.Unmarshal(text, &f) != nil {
			t.Fatalf("%s: %v %s", path, err, text)
		}
		return f
	}
	first := read(path)
	there := first
	there.Binding = strings.Repeat("f", 64) // as if the key that is here had been made elsewhere
	text, _ := json.Marshal(there)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	s := storeAt(t, j.Dir, j.Env, "nonce2")
	if s.Keys().HasKey() {
		t.Error("the key of another place is used")
	}
	if _, err := s.Keys().writingKey(); err != nil {
		t.Fatal(err)
	}
	second := read(path)
	if second.Secret == first.Secret || second.Clone == first.Clone || second.Binding != here {
		t.Errorf("made anew: %+v", second)
	}
	aside := path + "." + strings.Repeat("f", 16)
	if got := read(aside); got != there {
		t.Errorf("the other key is lost: %+v", got)
	}
	// The other place takes its key up again; here, ours is found where it was set aside.
	if err := os.Rename(path, asidePath(s.Repo, here)); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(aside, path); err != nil {
		t.Fatal(err)
	}
	k, err := loadKey(s.Repo)
	if err != nil || k.clone != second.Clone {
		t.Errorf("back again: %v %v", k, err)
	}
}
