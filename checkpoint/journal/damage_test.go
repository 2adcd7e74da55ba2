package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/commit"
	"github.com/git-resume/git-resume/checkpoint/notes"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
)

func (j *journal) loose(id string) string {
	return filepath.Join(j.Dir, ".git", "objects", id[:2], id[2:])
}

func (j *journal) spoil(id, how string) {
	j.t.Helper()
	path := j.loose(id)
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.Remove(path)
	}
	if err == nil && how == "cut off" {
		err = os.WriteFile(path, text[:len(text)/2], 0o444)
	}
	if err == nil && how == "nonsense" {
		err = os.WriteFile(path, []byte("nonsense"), 0o444)
	}
	if err == nil && how == "empty" {
		err = os.WriteFile(path, nil, 0o444)
	}
	if err != nil {
		j.t.Fatal(err)
	}
}

func TestDamage_ofOneNoteHidesNoOther(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"removed", "cut off", "nonsense", "empty"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			j := newJournal(t, "t", "u")
			first, second := j.commit("one"), j.commit("two")
			j.add(checkpoint.Event{Event: checkpoint.TaskDone, Task: "t", Head: first, Text: strings.Repeat("some text ", 200)})
			j.add(checkpoint.Event{Event: checkpoint.TaskDone, Task: "u", Head: second})
			broken := string(j.ourNotes()[first])
			j.spoil(broken, how)
			j.dropCache()
			j.s = storeAt(t, j.Dir, j.Env, "nonce2")
			got := j.load().Run
			if got.Unreadable != 1 || got.Task("u").State != checkpoint.Done || got.Task("t").State != checkpoint.Pending || got.Planned != 2 {
				t.Errorf("%s", asJSON(got))
			}
			if got.Lack != checkpoint.LackLines {
				t.Errorf("lines of ours are missing, and the run lacks %q", got.Lack)
			}
			// A person who has seen the damage can continue the run. An unreadable note is kept, because its object may come back.
			again := func(*checkpoint.Run) ([]checkpoint.Event, error) {
				return []checkpoint.Event{{Event: checkpoint.TaskStarted, Task: "t", Head: first}}, nil
			}
			var elsewhere *checkpoint.ElsewhereError
			if _, err := j.s.Append(t.Context(), j.id, Batch{Decide: again}); !errors.As(err, &elsewhere) {
				t.Errorf("appended without a person: %v", err)
			}
			after, err := j.s.Append(t.Context(), j.id, Batch{Decide: again, Takeover: true})
			if err != nil || !after.Run.Ours() {
				t.Fatal(err)
			}
			if after.Run.Unreadable != 1 || after.Run.Task("t").State != checkpoint.Active {
				t.Errorf("after an append: %s", asJSON(after.Run))
			}
			if string(j.ourNotes()[first]) != broken {
				t.Error("the damaged note was replaced")
			}
			j.dropCache()
			if again := j.load().Run; !same(again, after.Run) {
				t.Errorf("read again: %s", asJSON(again))
			}
		})
	}
}

func TestDamage_ofThePlanLeavesTheEvents(t *testing.T) {
	t.Parallel()
	j := newJournal(t, "t", "u")
	j.add(checkpoint.Event{Event: checkpoint.TaskDone, Task: "t"})
	j.spoil(string(j.load().Run.Plan), "removed")
	j.dropCache()
	if got := j.load().Run; got.Unreadable != 1 || got.Task("t").State != checkpoint.Done || got.AllClosed() {
		t.Errorf("%s", asJSON(got))
	}
}

func entry(mode, kind, id, name string) string {
	return fmt.Sprintf("%s %s %s\t%s\n", mode, kind, id, name)
}

// publish sets the notes ref to a tree that another tool made.
func (j *journal) publish(tree string) {
	j.t.Helper()
	j.Git("update-ref", string(checkpoint.NotesRef(j.id)), j.Git("commit-tree", "-m", "by another tool", tree))
}

func TestDamage_ofTreesMadeByOthers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		tree func(j *journal, head, tree, blob string) string
		bad  int
	}{
		{"a note that is a commit", func(j *journal, head, tree, blob string) string { return entry("100644", "commit", head, head) }, 1},
		{"a note that is a submodule", func(j *journal, head, tree, blob string) string {
			return entry("160000", "commit", strings.Repeat("5", 40), head)
		}, 1},
		{"a note that is a tree", func(j *journal, head, tree, blob string) string { return entry("040000", "tree", tree, head) }, 1},
		{"a note that is a link", func(j *journal, head, tree, blob string) string { return entry("120000", "blob", blob, head) }, 1},
		{"a folder that is a file", func(j *journal, head, tree, blob string) string { return entry("100644", "blob", blob, head[:2]) }, 0},
		{"files that are no notes", func(j *journal, head, tree, blob string) string {
			return entry("100644", "blob", blob, "README") + entry("040000", "tree", tree, "zz")
		}, 0},
		{"an empty tree", func(j *journal, head, tree, blob string) string { return "" }, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			j := newJournal(t, "t")
			head, tree := j.Git("rev-parse", "HEAD"), j.Git("rev-parse", "HEAD^{tree}")
			blob := j.stdin("readme\n", "hash-object", "-w", "--stdin")
			text := strings.ReplaceAll(c.tree(j, head, tree, blob), "100644 commit", "100644 blob")
			j.publish(j.mktree(text))
			before := len(j.texts())
			if got := j.load().Run; got.Unreadable != c.bad || got.Planned != 1 {
				t.Errorf("%d unreadable, %d planned", got.Unreadable, got.Planned)
			}
			after := j.add(checkpoint.Event{Event: checkpoint.TaskDone, Task: "t"})
			if after.Run.Task("t").State != checkpoint.Done || after.PublishError != nil {
				t.Errorf("%v %s", after.PublishError, asJSON(after.Run))
			}
			if got := len(j.texts()); got != before+1 {
				t.Errorf("%d lines before, %d after", before, got)
			}
		})
	}
}

// Even if no readable line contains a commit or a base, new lines can be appended.
func TestDamage_ofAllLinesLeavesSomethingToHangOn(t *testing.T) {
	t.Parallel()
	j := newJournal(t, "t")
	head := j.Git("rev-parse", "HEAD")
	commit := j.Git("commit-tree", "-m", "x", j.mktree(entry("100644", "blob", j.stdin("no line\n", "hash-object", "-w", "--stdin"), head)))
	j.Git("update-ref", string(checkpoint.JournalRef(j.id)), commit)
	j.Git("update-ref", string(checkpoint.NotesRef(j.id)), commit)
	j.dropCache()
	j.s = storeAt(t, j.Dir, j.Env, "nonce2")
	if got := j.add(checkpoint.Event{Event: checkpoint.RunDiscarded}).Run; !got.Discarded || got.Unreadable != 1 {
		t.Errorf("%s", asJSON(got))
	}
	j.s = storeAt(t, j.Dir, j.Env, "nonce3")
	if got := j.load().Run; !got.Discarded {
		t.Errorf("%s", asJSON(got))
	}
}

// mktree writes a tree object with exactly the given entries, even if they are invalid.
func (j *journal) mktree(text string) string {
	j.t.Helper()
	var raw strings.Builder
	for line := range strings.Lines(text) {
		meta, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		f := strings.Fields(meta)
		raw.WriteString(strings.TrimLeft(f[0], "0") + " " + name + "\x00")
		for i := 0; i < 40; i += 2 {
			var b byte
			fmt.Sscanf(f[2][i:i+2], "%02x", &b)
			raw.WriteByte(b)
		}
	}
	return j.stdin(raw.String(), "hash-object", "-w", "-t", "tree", "--literally", "--stdin")
}

func TestDamage_treesWithinThemselvesAreGivenUpInTime(t *testing.T) {
	t.Parallel()
	j := newJournal(t, "t")
	blob := j.stdin("x\n", "hash-object", "-w", "--stdin")
	tree := j.mktree(entry("100644", "blob", blob, "00"))
	for range 18 {
		var all strings.Builder
		for i := range 256 {
			all.WriteString(entry("40000", "tree", tree, fmt.Sprintf("%02x", i)))
		}
		tree = j.mktree(all.String())
	}
	j.publish(tree)
	start := time.Now()
	got := j.load()
	if got.Strange == nil || got.Foreign || got.Run.Planned != 1 {
		t.Errorf("strange %v, foreign %v", got.Strange, got.Foreign)
	}
	if took := time.Since(start); took > 60*time.Second {
		t.Errorf("it took %s", took)
	}
}

func TestDamage_ofThePublishedRefIsLeftAlone(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(j *journal) string{
		"a blob":                    func(j *journal) string { return j.stdin("mine", "hash-object", "-w", "--stdin") },
		"a tree":                    func(j *journal) string { return j.Git("rev-parse", "HEAD^{tree}") },
		"a commit without its tree": func(j *journal) string { return j.halfCommit() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newJournal(t, "t")
			at := make(j)
			j.Git("update-ref", string(checkpoint.NotesRef(j.id)), at)
			if name == "a commit without its tree" {
				j.spoil(j.Git("rev-parse", at+"^{tree}"), "removed")
			}
			got := j.add(checkpoint.Event{Event: checkpoint.TaskDone, Task: "t"})
			var taken *TakenError
			if !errors.As(got.PublishError, &taken) {
				t.Errorf("publish error: %v", got.PublishError)
			}
			if now := j.Git("rev-parse", string(checkpoint.NotesRef(j.id))); now != at {
				t.Errorf("what was there is gone: %s", now)
			}
			if len(j.texts()) != 2 || j.load().Run.Task("t").State != checkpoint.Done {
				t.Error("the record itself is not whole")
			}
		})
	}
}

// A ref that cannot be read is not called one that is in the way.
func TestDamage_ofARefIsNotARefInTheWay(t *testing.T) {
	t.Parallel()
	j := newJournal(t, "t")
	j.Git("update-ref", "-d", string(checkpoint.NotesRef(j.id)))
	j.Write(".git/refs/notes/resume", "nothing that git knows\n")
	var bad *refs.BadError
	if err := j.s.Room(context.Background()); !errors.As(err, &bad) || bad.Ref != "refs/notes/resume" {
		t.Errorf("got %v", err)
	}
}

func (j *journal) halfCommit() string {
	blob := j.stdin("only here", "hash-object", "-w", "--stdin")
	return j.Git("commit-tree", "-m", "half", j.stdin(entry("100644", "blob", blob, "f"), "mktree"))
}

func TestDamage_ofTheJournalItselfIsTold(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, do := range map[string]func(j *journal){
		"its tree is gone":     func(j *journal) { j.spoil(string(j.load().Tree), "removed") },
		"its tree is nonsense": func(j *journal) { j.spoil(string(j.load().Tree), "nonsense") },
		"its commit is gone":   func(j *journal) { j.spoil(string(j.load().Tip), "removed") },
		"it is a blob": func(j *journal) {
			blob := j.stdin("x", "hash-object", "-w", "--stdin")
			j.Git("update-ref", string(checkpoint.JournalRef(j.id)), blob)
			j.Git("update-ref", string(checkpoint.NotesRef(j.id)), blob)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newJournal(t, "t", "u")
			j.Write("f", "work\n")
			made, err := commit.Make(ctx, j.s.Repo, commit.Request{Run: j.id, Task: "t", Subject: "work", Stage: commit.Everything})
			if err != nil {
				t.Fatal(err)
			}
			j.add(checkpoint.Event{Event: checkpoint.TaskDone, Task: "t", Commit: made.ID, Head: made.ID})
			do(j)
			_ = os.Remove(j.cachePath())
			j.s = storeAt(t, j.Dir, j.Env, "nonce2")
			if _, err := j.s.Load(ctx, j.id); err == nil {
				t.Error("a damaged journal was read")
			}
			got, err := j.s.Find(ctx, j.id)
			if err != nil {
				t.Fatal(err)
			}
			if !got.Run.Rebuilt || got.Damage == nil || got.Run.Task("t").State != checkpoint.Done || got.Run.Task("t").Commit != made.ID {
				t.Errorf("damage %v, %s", got.Damage, asJSON(got.Run))
			}
			if _, err := j.s.Append(ctx, j.id, Batch{Decide: func(*checkpoint.Run) ([]checkpoint.Event, error) {
				return []checkpoint.Event{{Event: checkpoint.RunPaused}}, nil
			}}); err == nil {
				t.Error("something was added to a journal that cannot be read")
			}
		})
	}
}

func TestDamage_linesAreKeptByteForByte(t *testing.T) {
	t.Parallel()
	j := newJournal(t, "t")
	odd := []string{
		strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000),
		`{"seq":"0000000003","id":"x.1","event":"e","x":` + strings.Repeat(`{"a":`, 2000) + "1" + strings.Repeat("}", 2000) + "}",
		strings.Repeat("giant ", 400_000),
		"nul \x00 and \xff\xfe",
		"with a carriage return \r",
		"  leading and trailing  ",
		`{"seq":"0000000004","id":"x.2","event":"mood.changed","mood":"good","v":9}`,
		"\ufeff{}",
	}
	blob := j.stdin(strings.Join(odd, "\n"), "hash-object", "-w", "--stdin")
	head := j.Git("rev-parse", "HEAD")
	j.publish(j.mktree(entry("100644", "blob", blob, head)))
	start := time.Now()
	for i := range 3 {
		j.add(checkpoint.Event{Event: checkpoint.RunPaused, Text: fmt.Sprint(i), Head: object.ID(head)})
	}
	got := j.texts()
	for _, l := range odd {
		if n := strings.Count(strings.Join(got, "\n"), l); n != 1 || !slices.Contains(got, l) {
			t.Errorf("%.40q is there %d times", l, n)
		}
	}
	if r := j.load().Run; r.Unreadable != len(odd)-2 || r.Events != 1+2+3 {
		t.Errorf("%d unreadable, %d events", r.Unreadable, r.Events)
	}
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("it took %s", took)
	}
}

// Somebody can publish notes that are larger than any real note. They count as unreadable, and lines can still be appended.
func TestDamage_giantNotesAreCountedAndLeft(t *testing.T) {
	t.Parallel()
	j := newJournal(t, "t")
	giant := j.stdin(strings.Repeat("x", notes.MaxBlob+1), "hash-object", "-w", "--stdin")
	many := j.stdin(strings.Repeat("\n", 100_001), "hash-object", "-w", "--stdin")
	tree := j.Git("ls-tree", "-r", string(checkpoint.JournalRef(j.id))) + "\n"
	j.publish(j.mktree(tree + entry("100644", "blob", giant, giant[2:]+"ff") + entry("100644", "blob", many, many[2:]+"ff")))
	if got := j.load().Run; got.Unreadable != 2 || got.Planned != 1 {
		t.Errorf("%d unreadable, %d planned", got.Unreadable, got.Planned)
	}
	if after := j.add(checkpoint.Event{Event: checkpoint.TaskDone, Task: "t"}); after.Run.Task("t").State != checkpoint.Done {
		t.Errorf("%s", asJSON(after.Run))
	}
	j.s = storeAt(t, j.Dir, j.Env, "nonce2")
	j.dropCache()
	if got := j.load().Run; got.Unreadable == 0 || got.Task("t").State != checkpoint.Done {
		t.Errorf("%s", asJSON(got))
	}
}
