package checkpoint

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"os"
	"testing"
)

// sealed gives a cache body the sum that makes it look sound.
func sealed(body []byte) []byte {
	return append(fmt.Appendf(nil, "%08x\n", crc32.ChecksumIEEE(body)), body...)
}

func TestCache_isNeverBelievedBeyondItsWorth(t *testing.T) {
	j := newJournal(t, "t", "u")
	j.add(Event{Event: TaskStarted, Task: "t"})
	old, err := os.ReadFile(j.cachePath())
	if err != nil {
		t.Fatal(err)
	}
	j.add(Event{Event: TaskDone, Task: "t"})
	good, err := os.ReadFile(j.cachePath())
	if err != nil {
		t.Fatal(err)
	}
	want := j.load().Run
	body := good[9:]
	for name, text := range map[string][]byte{
		"as it is":           good,
		"deleted":            nil,
		"empty":              {},
		"of an older tip":    old,
		"damaged":            bytes.Replace(good, []byte(`"done"`), []byte(`"Done"`), 1),
		"cut off":            good[:len(good)/2],
		"of another version": sealed(bytes.Replace(body, []byte(fmt.Sprintf(`{"v":%d`, cacheVersion)), []byte(`{"v":999`), 1)),
		"of another run":     sealed(bytes.Replace(body, []byte(`"work-abcd"`), []byte(`"work-zzzz"`), 1)),
		"no JSON":            sealed([]byte("nonsense")),
		"nested deeply":      sealed(bytes.Repeat([]byte("["), 100_000)),
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
	if got := j.add(Event{Event: TaskStarted, Task: "u"}); got.Run.Task("u").State != Active || len(j.texts()) != 4 {
		t.Error("an append with a useless cache went wrong")
	}
}

func TestCache_isNotBelievedWhenOthersMovedTheNotes(t *testing.T) {
	j := newJournal(t, "t")
	before := j.load()
	done := line(99, "other.1", Event{Event: TaskDone, Task: "t"}).Text
	j.Git("notes", "--ref=resume/"+string(j.id), "append", "-m", done, "HEAD")
	if got := j.load(); got.Run.Task("t").State != Done || before.Run.Task("t").State != Pending {
		t.Error("lines that came by notes are not seen")
	}
	j.Git("update-ref", JournalRef(j.id), j.Git("rev-parse", NotesRef(j.id)))
	if got := j.load(); got.Run.Task("t").State != Done {
		t.Error("a journal moved by others is not seen")
	}
}
