package clone

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/repotest"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/proc"
)

// A repository can be used both in a container and outside of it. Each of the two makes its own key, and renames the key file that the
// other one made.
func TestKey_ofAnotherPlaceIsSetAside(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	repo := repotest.Open(t, r.Dir, r.Env)
	if _, err := (&Keys{Repo: repo}).WritingKey(); err != nil {
		t.Fatal(err)
	}
	path, here := keyPath(repo), binding(repo)
	want := sha256.Sum256([]byte(strings.Join([]string{"git-resume key 1", proc.MachineID(), strconv.Itoa(os.Geteuid()), inodeOf(filepath.Join(r.Dir, ".git")), ""}, "\x00")))
	if here != hex.EncodeToString(want[:]) {
		t.Errorf("the binding is %s, want %x", here, want)
	}
	read := func(path string) (f keyFile) {
		t.Helper()
		text, err := os.ReadFile(path)
		if err != nil || json.Unmarshal(text, &f) != nil {
			t.Fatalf("%s: %v %s", path, err, text)
		}
		return f
	}
	first := read(path)
	if first.Binding != here {
		t.Errorf("the key is bound to %s", first.Binding)
	}
	there := first
	there.Binding = strings.Repeat("f", 64) // pretend that this key was made somewhere else
	text, _ := json.Marshal(there)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	keys := &Keys{Repo: repo}
	if keys.HasKey() {
		t.Error("the key of another place is used")
	}
	if _, err := keys.WritingKey(); err != nil {
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
	// Exchange the two files, as if our key had been set aside, and not the other one. loadKey must then find our key at asidePath.
	if err := os.Rename(path, asidePath(repo, here)); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(aside, path); err != nil {
		t.Fatal(err)
	}
	k, err := loadKey(repo)
	secret, _ := hex.DecodeString(second.Secret)
	if err != nil || k.Seal("a") != checkpoint.NewKey(secret, second.Clone).Seal("a") {
		t.Errorf("back again: %v %v", k, err)
	}
}

// A key that an earlier version bound to another id of the same machine stays in use, and is then bound to the present id.
func TestKey_ofAFormerMachineIDIsKept(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	repo := repotest.Open(t, r.Dir, r.Env)
	first, err := (&Keys{Repo: repo}).WritingKey()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(keyPath(repo))
	if err != nil {
		t.Fatal(err)
	}
	now, then := binding(repo), bindingTo(repo, "id of a kernel")
	old := strings.Replace(string(text), now, then, 1)
	if err := os.WriteFile(keyPath(repo), []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := rebind(repo, "id of another kernel"); !errors.Is(err, errNoKey) {
		t.Errorf("a key with an unknown binding: %v", err)
	}
	if text, _ := os.ReadFile(keyPath(repo)); string(text) != old {
		t.Errorf("a key with an unknown binding was written: %s", text)
	}
	k, err := rebind(repo, "id of a kernel")
	if err != nil || k.Seal("a") != first.Seal("a") {
		t.Errorf("the key is not used any more: %v %v", k, err)
	}
	if text, _ := os.ReadFile(keyPath(repo)); !strings.Contains(string(text), now) {
		t.Errorf("the key is still bound to the former id: %s", text)
	}
	if k, err := loadKey(repo); err != nil || k.Seal("a") != first.Seal("a") {
		t.Errorf("the key is lost: %v %v", k, err)
	}
}
