package journal

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
)

// sealed signs the body of a cache file with the key of the clone.
func (j *journal) sealed(body []byte) []byte {
	j.t.Helper()
	body = bytes.TrimRight(body, "\n")
	mac, err := j.s.Keys().Seal(cacheDomain, string(j.id), string(body))
	if err != nil {
		j.t.Fatal(err)
	}
	return append([]byte(mac+" "), body...)
}

func TestCache_isNeverBelievedBeyondItsWorth(t *testing.T) {
	j := newJournal(t, "t", "u")
	j.add(checkpoint.Event{Event: checkpoint.TaskStarted, Task: "t"})
	old, err := os.ReadFile(j.cachePath())
	if err != nil {
		t.Fatal(err)
	}
	j.add(checkpoint.Event{Event: checkpoint.TaskDone, Task: "t"})
	good, err := os.ReadFile(j.cachePath())
	if err != nil {
		t.Fatal(err)
	}
	want := j.load().Run
	_, body, _ := bytes.Cut(good, []byte(" "))
	// First check that a changed body with a valid signature is accepted. This shows that the signed bodies below are refused because of
	// their content.
	lie := bytes.Replace(body, []byte("\x1fdone\x1f"), []byte("\x1ffailed\x1f"), 1)
	if err := os.WriteFile(j.cachePath(), j.sealed(lie), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := j.load().Run.Task("t").State; got != checkpoint.Failed {
		t.Fatalf("a signed state is not used: the task is %s", got)
	}
	for name, text := range map[string][]byte{
		"as it is":           good,
		"deleted":            nil,
		"empty":              {},
		"of an older tip":    old,
		"damaged":            bytes.Replace(good, []byte("\x1fdone\x1f"), []byte("\x1fDone\x1f"), 1),
		"cut off":            good[:len(good)/2],
		"of another version": j.sealed(bytes.Replace(lie, []byte(fmt.Sprintf("%d\x1f", cacheVersion)), []byte("999\x1f"), 1)),
		"of another run":     j.sealed(bytes.Replace(lie, []byte("\x1fwork-abcd\x1f"), []byte("\x1fwork-zzzz\x1f"), 1)),
		"no JSON":            j.sealed([]byte("nonsense")),
		"a column less":      j.sealed(bytes.Replace(lie, []byte("\x1f"), nil, 1)),
		"a column more":      j.sealed(bytes.Replace(lie, []byte("\x1f"), []byte("\x1f\x1f"), 1)),
		"a task of no JSON":  j.sealed(append(bytes.TrimRight(bytes.Clone(body), "\n"), "\x1e{"...)),
		"an empty task":      j.sealed(append(bytes.TrimRight(bytes.Clone(body), "\n"), "\x1e"...)),
		"nested deeply":      j.sealed(bytes.Repeat([]byte("["), 100_000)),
		"a folder":           []byte("folder"),
	} {
		_ = os.RemoveAll(j.cachePath())
		if name == "a folder" {
			err = os.Mkdir(j.cachePath(), 0o755)
		} else if text != nil {
			err = os.WriteFile(j.cachePath(), text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := j.load().Run; !same(got, want) {
			t.Errorf("cache %s:\n%s\nwant\n%s", name, asJSON(got), asJSON(want))
		}
	}
	if got := j.add(checkpoint.Event{Event: checkpoint.TaskStarted, Task: "u"}); got.Run.Task("u").State != checkpoint.Active || len(j.texts()) != 4 {
		t.Error("an append with a useless cache went wrong")
	}
}

func TestCache_isNotBelievedWhenOthersMovedTheNotes(t *testing.T) {
	j := newJournal(t, "t")
	before := j.load()
	done := line(99, "other.1", checkpoint.Event{Event: checkpoint.TaskDone, Task: "t"}).Text
	j.Git("notes", "--ref=resume/"+string(j.id), "append", "-m", done, "HEAD")
	seen := func(r checkpoint.Run) bool {
		return r.Foreign != nil && r.Others.Lines == 1 && r.Foreign.Words[0].Event == checkpoint.TaskDone && r.Task("t").State == checkpoint.Pending
	}
	if got := j.load(); !seen(got.Run) || before.Run.Foreign != nil {
		t.Errorf("lines that came by notes are not seen: %s", asJSON(got.Run))
	}
	j.Git("update-ref", string(checkpoint.JournalRef(j.id)), j.Git("rev-parse", string(checkpoint.NotesRef(j.id))))
	if got := j.load(); !seen(got.Run) || !got.Run.Ours() {
		t.Errorf("a journal moved by others is not seen: %s", asJSON(got.Run))
	}
}

// Reading with an old cache must give the same state as reading every line of the journal.
func TestCache_catchesUpWithTheJournal(t *testing.T) {
	j := newJournal(t, "t", "u", "v")
	commit := j.commit("file")
	j.s.Executing = j.id // as in the process that executes the run, which rarely writes the whole state into the cache
	steps := [][]checkpoint.Event{
		{{Event: checkpoint.TaskStarted, Task: "t", Attempt: "a.1"}},
		{{Event: checkpoint.TaskDone, Task: "t", Attempt: "a.1", Head: commit, Commit: commit}, {Event: checkpoint.TaskStarted, Task: "u", Attempt: "a.2"}},
		{{Event: checkpoint.TaskFailed, Task: "u", Attempt: "a.2", Cause: "quota"}},
		{{Event: checkpoint.TaskReset, Task: "t", Attempt: "a.1"}},
		{{Event: checkpoint.RunPaused, Text: "lunch"}},
		{{Event: "something.new"}},
	}
	var caches [][]byte
	for _, events := range steps {
		caches = append(caches, readFile(t, j.cachePath()))
		j.add(events...)
	}
	last := readFile(t, j.cachePath())
	if bytes.Count(last, []byte("\n")) < len(steps) {
		t.Fatalf("nothing was put behind the cached state:\n%s", last)
	}
	j.dropCache()
	want := j.load().Run
	cut := bytes.LastIndexByte(bytes.TrimRight(last, "\n"), '\n')
	for i, text := range append(caches, last, last[:cut+20], caches[0][:bytes.IndexByte(caches[0], '\n')+1]) {
		if err := os.WriteFile(j.cachePath(), text, 0o644); err != nil {
			t.Fatal(err)
		}
		if got := j.load().Run; !same(got, want) {
			t.Errorf("cache %d:\n%s\nwant\n%s", i, asJSON(got), asJSON(want))
		}
	}
}

// Some events change what earlier lines mean, for example an undo, so they must not be added to a cached state.
func TestCache_isNotExtendedByWhatChangesThePast(t *testing.T) {
	j := newJournal(t, "t")
	j.add(checkpoint.Event{Event: checkpoint.TaskSkipped, Task: "t"})
	old := readFile(t, j.cachePath())
	var skipped string
	for _, text := range j.texts() {
		if l := checkpoint.ParseLine(text); l.Event.Event == checkpoint.TaskSkipped {
			skipped = l.Event.ID
		}
	}
	j.add(checkpoint.Event{Event: checkpoint.Undone, Undoes: skipped})
	if err := os.WriteFile(j.cachePath(), old, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := j.load().Run.Task("t").State; got != checkpoint.Pending {
		t.Errorf("a skip that was taken back is %s", got)
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
