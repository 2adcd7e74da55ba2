package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/clone"
	"github.com/git-resume/git-resume/internal/gittest"
)

// handMAC computes HMAC-SHA-256 as described in RFC 2104, without the library that the program uses.
func handMAC(key []byte, text string) string {
	block := make([]byte, 64)
	copy(block, key)
	inner, outer := sha256.New(), sha256.New()
	for _, b := range block {
		inner.Write([]byte{b ^ 0x36})
		outer.Write([]byte{b ^ 0x5c})
	}
	inner.Write([]byte(text))
	outer.Write(inner.Sum(nil))
	return hex.EncodeToString(outer.Sum(nil)[:16])
}

// storedKey is a key file as specified in docs/FORMAT.md.
type storedKey struct {
	V                   int
	Key, Clone, Binding string
}

func (j *journal) keyFile() string {
	return filepath.Join(j.Dir, ".git", "resume", "keys", strconv.Itoa(os.Geteuid()))
}

func (j *journal) storedKey() storedKey {
	j.t.Helper()
	text, err := os.ReadFile(j.keyFile())
	if err != nil {
		j.t.Fatal(err)
	}
	var k storedKey
	if err := json.Unmarshal(text, &k); err != nil {
		j.t.Fatal(err)
	}
	return k
}

func TestKey_signsByTheFormula(t *testing.T) {
	t.Parallel()
	j := newJournal(t, "t")
	j.add(checkpoint.Event{Event: checkpoint.TaskStarted, Task: "t", Text: `<&> "quoted" ü` + "\x00\x1b"})
	j.add(checkpoint.Event{Event: checkpoint.TaskDone, Task: "t", Commit: j.commit("work")})
	k := j.storedKey()
	secret, err := hex.DecodeString(k.Key)
	if err != nil || len(secret) != 32 || k.V != 1 || k.Clone == "" {
		t.Fatalf("the key file is %+v", k)
	}
	if info, err := os.Stat(j.keyFile()); err != nil || os.Geteuid() >= 0 && info.Mode().Perm() != 0o600 {
		t.Errorf("the key has mode %v", info.Mode())
	}
	lines := j.texts()
	if len(lines) != 3 {
		t.Fatalf("%d lines", len(lines))
	}
	for _, l := range lines {
		body, mac, ok := strings.Cut(l, `,"mac":"`)
		if want := handMAC(secret, "git-resume line 1\x00"+string(j.id)+"\x00"+k.Clone+"\x00"+body) + `"}`; !ok || mac != want {
			t.Errorf("line %s\nhas %s, want %s", body, mac, want)
		}
	}
}

func TestKey_isOneForAllFirstWriters(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	j := &journal{Repo: repo, t: t, s: storeAt(t, repo.Dir, repo.Env, "reader")}
	var parts []*gittest.Part
	const writers = 8
	for i := range writers {
		j.id = checkpoint.RunID(fmt.Sprintf("work%d-abcd", i))
		parts = append(parts, j.play("begin", fmt.Sprintf("first%d", i)))
	}
	for _, p := range parts {
		if said := p.Says(); said != "held" {
			t.Fatalf("it said %q", said)
		}
	}
	for i := range writers {
		j.id = checkpoint.RunID(fmt.Sprintf("work%d-abcd", i))
		if r := j.load().Run; !r.Ours() {
			t.Errorf("%s is not ours: it lacks %q", j.id, r.Lack)
		}
	}
	if files, err := os.ReadDir(filepath.Dir(j.keyFile())); err != nil || len(files) != 1 {
		t.Errorf("there are %v, %v", files, err)
	}
}

func (j *journal) lackIn(dir string) checkpoint.ProvenanceGap {
	j.t.Helper()
	got, err := storeAt(j.t, dir, j.Env, "other").Load(j.t.Context(), j.id)
	if err != nil {
		j.t.Fatal(err)
	}
	return got.Run.Lack
}

func (j *journal) sh(script string, args ...string) {
	j.t.Helper()
	cmd := exec.Command("sh", append([]string{"-ec", script, "sh"}, args...)...)
	cmd.Env = j.Env
	if out, err := cmd.CombinedOutput(); err != nil {
		j.t.Fatalf("%s: %v\n%s", script, err, out)
	}
}

// A moved repository is the same repository, and a copy is another one with a key of its own.
func TestKey_staysWithTheRepository(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, script string
		ours         bool
	}{
		{"moved", `mv "$1" "$2"`, true},
		{"moved there and back", `mv "$1" "$1.x"; mv "$1.x" "$2"`, true},
		{"copied", `cp -a "$1" "$2"`, false},
		{"copied by links", `cp -al "$1" "$2"`, false},
		{"packed", `cd "$1"; mkdir "$2"; tar cf - . | (cd "$2"; tar xpf -)`, false},
		// Delete the old folder last, so that the new folder cannot get the same inode.
		{"restored over itself", `tar cf "$2.tar" -C "$1" .; mv "$1" "$1.old"; mkdir "$1"; tar xpf "$2.tar" -C "$1"; rm -rf "$1.old"; ln -s "$1" "$2"`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			j := newJournal(t, "t")
			before := j.storedKey()
			to := filepath.Join(t.TempDir(), "to")
			j.sh(c.script, j.Dir, to)
			if lack := j.lackIn(to); (lack == checkpoint.LackNothing) != c.ours || !c.ours && lack != checkpoint.LackRoot {
				t.Errorf("there the run lacks %q", lack)
			}
			there := &journal{Repo: j.In(to), t: t, s: storeAt(t, to, j.Env, "there"), id: j.id}
			_, err := there.s.Append(t.Context(), j.id, Batch{Decide: pause})
			if elsewhere := new(checkpoint.ElsewhereError); (err == nil) != c.ours || !c.ours && !errors.As(err, &elsewhere) {
				t.Errorf("an append there: %v", err)
			}
			there.create("more-abcd")
			there.id = "more-abcd"
			if r := there.load().Run; !r.Ours() {
				t.Errorf("a run that was begun there lacks %q", r.Lack)
			}
			after := there.storedKey()
			if same := after == before; same != c.ours || !c.ours && (after.Key == before.Key || after.Clone == before.Clone) {
				t.Errorf("the key was %+v and is %+v", before, after)
			}
			if clone := clone.ID(there.s.Repo); !c.ours && clone == before.Clone {
				t.Error("two clones have one name")
			}
			if _, err := os.Stat(j.Dir); err == nil && c.name != "restored over itself" && j.lackIn(j.Dir) != checkpoint.LackNothing {
				t.Error("the copy took the run away from the original")
			}
		})
	}
}

func TestKey_isSharedByWorktrees(t *testing.T) {
	t.Parallel()
	j := newJournal(t, "t")
	tree := filepath.Join(t.TempDir(), "tree")
	j.Git("worktree", "add", "-q", "--detach", tree)
	if lack := j.lackIn(tree); lack != checkpoint.LackNothing {
		t.Errorf("in a worktree the run lacks %q", lack)
	}
	if _, err := storeAt(t, tree, j.Env, "tree").Append(t.Context(), j.id, Batch{Decide: pause}); err != nil {
		t.Error(err)
	}
	if r := j.load().Run; !r.Ours() || !r.Paused {
		t.Errorf("%s", asJSON(r))
	}
}

// With a new key, the earlier records of this user would no longer count as the user's own. So an unusable key must stay as it is.
func TestKey_thatCannotBeUsedIsNoneAndStays(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, file string) error{
		"read by others": func(_ *testing.T, file string) error { return os.Chmod(file, 0o640) },
		"a link": func(t *testing.T, file string) error {
			to := filepath.Join(t.TempDir(), "key")
			return errors.Join(os.Rename(file, to), os.Symlink(to, file))
		},
		"a folder": func(_ *testing.T, file string) error { return errors.Join(os.Remove(file), os.Mkdir(file, 0o700)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newJournal(t, "t")
			lines := j.texts()
			if err := spoil(t, j.keyFile()); err != nil {
				t.Fatal(err)
			}
			before, _ := os.Lstat(j.keyFile())
			j.s = storeAt(t, j.Dir, j.Env, "later")
			if r := j.load().Run; r.Ours() {
				t.Error("the run counts as ours")
			}
			var bad *clone.KeyError
			if j.s.Keys().KeyFault() == nil {
				t.Error("nothing says why")
			}
			_, err := j.s.Append(t.Context(), j.id, Batch{Takeover: true, Decide: pause})
			if !errors.As(err, &bad) || bad.Path != j.s.Folder().Path("keys", strconv.Itoa(os.Geteuid())) {
				t.Errorf("a takeover: %v", err)
			}
			_, err = j.s.Create(t.Context(), "more-abcd", []checkpoint.Event{{Event: checkpoint.RunStarted, Name: "more", Base: &checkpoint.Base{Name: "main", Commit: j.load().Run.Base.Commit}}}, nil)
			if !errors.As(err, &bad) {
				t.Errorf("a start: %v", err)
			}
			if _, err := os.Lstat(j.s.Folder().Path("open", "more-abcd")); !errors.Is(err, os.ErrNotExist) {
				t.Error("half a run is left")
			}
			if after, err := os.Lstat(j.keyFile()); err != nil || !os.SameFile(before, after) || after.Mode() != before.Mode() {
				t.Errorf("the key was replaced: %v", err)
			}
			if got := j.texts(); len(got) != len(lines) {
				t.Errorf("%d lines, then %d", len(lines), len(got))
			}
		})
	}
}
