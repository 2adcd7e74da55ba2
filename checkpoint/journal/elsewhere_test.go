package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/object"
)

// Somebody can set the refs of a closed or paused run back to an old commit. The signatures in the old commit are still valid. As long as
// the newer commit exists, git-resume finds it, and its lines count. If the newer commit is gone, some of our lines are missing. The run
// then no longer counts as ours, because otherwise it would wrongly be continued.
func TestProvenance_aRunThatReturnsWithoutItsEnd(t *testing.T) {
	for _, end := range []checkpoint.Kind{checkpoint.RunFinished, checkpoint.RunDiscarded, checkpoint.RunSuperseded, checkpoint.RunPaused} {
		for _, gone := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, objects gone %v", end, gone), func(t *testing.T) {
				j := newJournal(t, "one", "two")
				j.add(checkpoint.Event{Event: checkpoint.TaskStarted, Task: "one", Attempt: "n.1"})
				old := j.Git("rev-parse", string(checkpoint.JournalRef(j.id)))
				last := j.add(checkpoint.Event{Event: end, Text: "over"})
				j.Git("update-ref", string(checkpoint.JournalRef(j.id)), old)
				j.Git("update-ref", string(checkpoint.NotesRef(j.id)), old)
				if gone {
					j.forget(last.Tip)
				}
				got := j.load().Run
				ended := got.Closed() || got.Paused
				if gone && (got.Lack != checkpoint.LackLines || ended) || !gone && (!got.Ours() || !ended) {
					t.Fatalf("lacks %q, closed %v, paused %v", got.Lack, got.Closed(), got.Paused)
				}
				_, err := j.s.Append(context.Background(), j.id, Batch{Decide: func(*checkpoint.Run) ([]checkpoint.Event, error) {
					return []checkpoint.Event{{Event: checkpoint.TaskStarted, Task: "two", Attempt: "n.2"}}, nil
				}})
				var elsewhere *checkpoint.ElsewhereError
				if gone != errors.As(err, &elsewhere) || !gone && err != nil {
					t.Errorf("a report: %v", err)
				}
				if gone && j.Git("rev-parse", string(checkpoint.JournalRef(j.id))) != old {
					t.Error("the journal moved")
				}
			})
		}
	}
}

// forget deletes all unreachable objects, as a gc does. The test fails if the given commit still exists afterwards.
func (j *journal) forget(id object.ID) {
	j.t.Helper()
	j.Git("reflog", "expire", "--expire=now", "--all")
	j.Git("prune", "--expire=now")
	if _, code := j.Try("git", "cat-file", "-e", string(id)); code == 0 {
		j.t.Fatalf("%s is still there", id)
	}
	j.s = storeAt(j.t, j.Dir, j.Env, "nonce2")
}

func TestProvenance_filesOfThisCloneDecide(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*journal)
		want  checkpoint.ProvenanceGap
	}{
		"as it was":             {func(*journal) {}, checkpoint.LackNothing},
		"without the open file": {func(j *journal) { j.drop("open", string(testRun)) }, checkpoint.LackFile},
		"without the key":       {func(j *journal) { j.drop("keys") }, checkpoint.LackRoot},
		"with a stranger's key": {func(j *journal) { j.edit(j.keyFile(), `"binding":"`, `"binding":"00`) }, checkpoint.LackRoot},
		"with a key that all can read": {func(j *journal) {
			if err := os.Chmod(j.keyFile(), 0o644); err != nil {
				j.t.Fatal(err)
			}
		}, checkpoint.LackKey},
		"with a cache that says it is ours": {func(j *journal) {
			j.edit(j.keyFile(), `"key":"`, `"key":"00`)
		}, checkpoint.LackRoot},
		"with more lines than are there": {func(j *journal) { j.edit(j.s.Folder().Path("open", string(testRun)), `"lines":2`, `"lines":3`) }, checkpoint.LackLines},
		"with another sum":               {func(j *journal) { j.edit(j.s.Folder().Path("open", string(testRun)), `"sum":"`, `"sum":"0`) }, checkpoint.LackLines},
	} {
		t.Run(name, func(t *testing.T) {
			j := newJournal(t, "one")
			j.add(checkpoint.Event{Event: checkpoint.TaskStarted, Task: "one", Attempt: "n.1"})
			j.load()
			c.spoil(j)
			j.s = storeAt(t, j.Dir, j.Env, "nonce2")
			got := j.load().Run
			if got.Lack != c.want || got.Rooted != (c.want != checkpoint.LackRoot && c.want != checkpoint.LackKey) {
				t.Errorf("lacks %q, rooted %v, want %q", got.Lack, got.Rooted, c.want)
			}
			_, err := j.s.Append(context.Background(), j.id, Batch{Decide: func(*checkpoint.Run) ([]checkpoint.Event, error) {
				return []checkpoint.Event{{Event: checkpoint.RunPaused}}, nil
			}})
			var elsewhere *checkpoint.ElsewhereError
			if (c.want != checkpoint.LackNothing) != errors.As(err, &elsewhere) {
				t.Errorf("a pause: %v", err)
			}
		})
	}
}

func (j *journal) edit(path, from, to string) {
	j.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), from) {
		j.t.Fatalf("%s: %v\n%s", path, err, text)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), from, to, 1)), 0o600); err != nil {
		j.t.Fatal(err)
	}
}

func (j *journal) drop(parts ...string) {
	j.t.Helper()
	if err := os.RemoveAll(j.s.Folder().Path(parts...)); err != nil {
		j.t.Fatal(err)
	}
}

func TestHeard_ofATaskThatWeAddLater(t *testing.T) {
	t.Parallel()
	j := newJournal(t, "one")
	ref := "--ref=resume/" + string(j.id)
	j.Git("notes", ref, "append", "-m", line(2, "other.1", checkpoint.Event{Event: checkpoint.TaskFailed, Task: "late", Cause: "boom"}).Text, "HEAD")
	j.add(checkpoint.Event{Event: checkpoint.RunPaused})
	if words := j.load().Run.Unheard(); len(words) != 0 {
		t.Fatalf("of a task that nobody knows: %+v", words)
	}
	got := j.add(checkpoint.Event{Event: checkpoint.TaskAdded, Task: "late", Title: "later"}).Run
	if words := got.Unheard(); len(words) != 1 || words[0].Task != "late" || words[0].Cause != "boom" {
		t.Errorf("after the append: %+v", words)
	}
	j.dropCache()
	if read := j.load().Run; !same(read, got) {
		t.Errorf("read again: %s\nafter the append: %s", asJSON(read), asJSON(got))
	}
}
