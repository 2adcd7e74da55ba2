package journal

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/notes"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/gittest"
)

func (j *journal) manyCommits(n int) []object.ID {
	j.t.Helper()
	var in strings.Builder
	for i := range n {
		fmt.Fprintf(&in, "commit refs/heads/main\nmark :%d\ncommitter C <c@example.com> %d +0000\ndata 1\nx\n", i+1, 1900000000+i)
		if i == 0 {
			fmt.Fprintf(&in, "from refs/heads/main^0\n")
		}
		fmt.Fprintf(&in, "M 644 inline n\ndata %d\n%d\n", len(fmt.Sprint(i)), i)
	}
	j.stdin(in.String(), "fast-import", "--quiet")
	var out []object.ID
	for line := range strings.Lines(j.Git("log", "--reverse", "--format=%H", fmt.Sprintf("-%d", n), "main")) {
		out = append(out, object.ID(strings.TrimSpace(line)))
	}
	return out
}

func (j *journal) stdin(in string, args ...string) string {
	j.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env, cmd.Stdin = j.Dir, j.Env, strings.NewReader(in)
	out, err := cmd.CombinedOutput()
	if err != nil {
		j.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimRight(string(out), "\n")
}

// gitNotes returns the notes that "git notes list" shows, as a map from object to note.
func (j *journal) gitNotes() map[object.ID]object.ID {
	j.t.Helper()
	out := map[object.ID]object.ID{}
	for line := range strings.Lines(j.Git("notes", "--ref=resume/"+string(j.id), "list")) {
		blob, key, _ := strings.Cut(strings.TrimSpace(line), " ")
		if key != "" {
			out[object.ID(key)] = object.ID(blob)
		}
	}
	return out
}

func (j *journal) ourNotes() map[object.ID]object.ID {
	j.t.Helper()
	tree := j.load().Tree
	_, out, err := notes.Diff(context.Background(), j.s.Repo.Objects, object.ID(j.stdin("", "mktree")), tree)
	if err != nil {
		j.t.Fatal(err)
	}
	if files := strings.Fields(j.Git("ls-tree", "-r", "--name-only", string(tree))); len(files) != len(out) {
		j.t.Errorf("two notes for one object: %q", files)
	}
	return out
}

func TestNotes_areWhatGitSees(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	commits := j.manyCommits(300)
	done := 0
	// Add notes one by one around the limit at which the tree gets subtrees, and then many at once.
	for _, upTo := range []int{1, 2, 60, 61, 62, 63, 64, 65, 66, 67, 100, 299, 300} {
		var events []checkpoint.Event
		for ; done < upTo; done++ {
			events = append(events, checkpoint.Event{Event: checkpoint.TaskStarted, Task: checkpoint.TaskID(fmt.Sprintf("t%d", done)), Head: commits[done]})
		}
		j.add(events...)
		if git, ours := j.gitNotes(), j.ourNotes(); !maps.Equal(git, ours) {
			t.Fatalf("at %d notes: git sees %d, we see %d", upTo, len(git), len(ours))
		}
		if got := len(j.texts()); got != done+1 {
			t.Fatalf("at %d notes: %d lines", upTo, got)
		}
	}
	for i, c := range commits {
		if i%30 != 0 {
			continue
		}
		if shown := j.Git("notes", "--ref=resume/"+string(j.id), "show", string(c)); !strings.Contains(shown, fmt.Sprintf(`"task":"t%d"`, i)) {
			t.Fatalf("the note of %s is %q", c, shown)
		}
		if shown := j.Git("log", "-1", "--notes=resume/*", string(c)); !strings.Contains(shown, fmt.Sprintf(`"task":"t%d"`, i)) {
			t.Fatalf("git log shows %q", shown)
		}
	}
	if n := strings.Count(j.Git("log", "--notes=resume/*"), `"event":"task.started"`); n != 300 {
		t.Errorf("git log shows %d events", n)
	}
	j.Fsck()
}

func TestNotes_chainBehindAFullOne(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	const events = 42
	text := strings.Repeat("x", 4000)
	for i := range events {
		j.add(checkpoint.Event{Event: checkpoint.RunPaused, Text: fmt.Sprintf("%d %s", i, text)})
	}
	ours := j.ourNotes()
	if !maps.Equal(j.gitNotes(), ours) {
		t.Error("git and we see different notes")
	}
	for key, blob := range ours {
		if size := len(j.Git("cat-file", "blob", string(blob))); size > notes.Limit+checkpoint.MaxLine {
			t.Errorf("the note of %s has %d bytes", key, size)
		}
	}
	if len(j.texts()) != events+1 || len(ours) < 5 {
		t.Errorf("%d lines in %d notes", len(j.texts()), len(ours))
	}
	// When a note is full, the next note is attached to its id. So every note except the last has a note attached to it.
	chained := 0
	for _, blob := range ours {
		if _, ok := ours[blob]; ok {
			chained++
		}
	}
	// At least four notes must have a note attached: the lines fill more than three notes, and the plan is stored as a note that is
	// attached to its own id.
	if chained < 4 {
		t.Errorf("only %d notes have a note attached to them", chained)
	}
	// An append without the cache must find the same last note.
	before := len(j.ourNotes())
	j.dropCache()
	j.add(checkpoint.Event{Event: checkpoint.RunPaused, Text: "short"})
	if after := len(j.ourNotes()); after != before {
		t.Errorf("an append without the cache began another chain: %d notes, then %d", before, after)
	}
	j.Git("gc", "-q", "--prune=now")
	if len(j.texts()) != events+2 {
		t.Error("gc took lines")
	}
	j.Fsck()
}

func (j *journal) cachePath() string {
	return filepath.Join(j.Dir, ".git", "resume", "cache", string(j.id))
}

func (j *journal) dropCache() {
	j.t.Helper()
	if err := os.Remove(j.cachePath()); err != nil {
		j.t.Fatal(err)
	}
}

func TestNotes_rewrittenByGitAreUnited(t *testing.T) {
	ref := "--ref=resume/" + string(testRun)
	foreign := line(90, "other.1", checkpoint.Event{Event: checkpoint.RunPaused, Text: "from elsewhere"}).Text
	for _, c := range []struct {
		name string
		do   func(j *journal, head object.ID)
		more []string
	}{
		{"append", func(j *journal, head object.ID) { j.Git("notes", ref, "append", "-m", foreign, string(head)) }, []string{foreign}},
		{"append twice", func(j *journal, head object.ID) {
			j.Git("notes", ref, "append", "-m", foreign, string(head))
			j.Git("notes", ref, "append", "-m", foreign, string(head))
		}, []string{foreign}},
		{"append to another commit", func(j *journal, head object.ID) {
			j.Git("notes", ref, "append", "-m", foreign, string(j.commit("other")))
		}, []string{foreign}},
		{"append of nonsense", func(j *journal, head object.ID) {
			j.Git("notes", ref, "append", "-m", "remember the milk", string(head))
		}, []string{"remember the milk"}},
		{"overwrite", func(j *journal, head object.ID) { j.Git("notes", ref, "add", "-f", "-m", foreign, string(head)) }, []string{foreign}},
		{"remove", func(j *journal, head object.ID) { j.Git("notes", ref, "remove", string(head)) }, nil},
		{"copy", func(j *journal, head object.ID) {
			j.Git("notes", ref, "copy", string(head), string(j.commit("copy")))
		}, nil},
		{"prune", func(j *journal, head object.ID) {
			j.Git("reset", "-q", "--hard", "HEAD~1")
			j.Git("reflog", "expire", "--expire=now", "--all")
			j.Git("gc", "-q", "--prune=now")
			j.Git("notes", ref, "prune")
		}, nil},
		{"merge", func(j *journal, head object.ID) {
			j.Git("notes", "--ref=other", "add", "-m", foreign, string(head))
			j.Git("notes", ref, "merge", "-q", "-s", "cat_sort_uniq", "refs/notes/other")
		}, []string{foreign}},
		{"merge that takes theirs", func(j *journal, head object.ID) {
			j.Git("notes", "--ref=other", "add", "-m", foreign, string(head))
			j.Git("notes", ref, "merge", "-q", "-s", "theirs", "refs/notes/other")
		}, []string{foreign}},
		{"amend", func(j *journal, head object.ID) {
			j.Git("config", "notes.rewriteRef", "refs/notes/resume/*")
			j.Write("work", "amended\n")
			j.Git("commit", "-q", "-a", "--amend", "-m", "amended")
			if moved := j.gitNotes()[object.ID(j.Git("rev-parse", "HEAD"))]; moved == "" {
				j.t.Error("git has not moved the notes")
			}
		}, nil},
		{"amend onto a note", func(j *journal, head object.ID) {
			j.Git("config", "notes.rewriteRef", "refs/notes/resume/*")
			j.Git("config", "notes.rewriteMode", "concatenate")
			j.Git("notes", ref, "append", "-m", foreign, string(head))
			j.Git("rebase", "-q", "--force-rebase", "HEAD~1")
			j.Git("commit", "-q", "--amend", "--date=2031-01-01T00:00:00Z", "-m", "again")
		}, []string{foreign}},
		{"pruning fetch of nothing", func(j *journal, head object.ID) {
			other := gittest.New(j.t)
			j.Git("fetch", "-q", "--prune", other.Dir, "+refs/notes/*:refs/notes/*")
			if _, code := j.Try("git", "rev-parse", "-q", "--verify", string(checkpoint.NotesRef(testRun))); code == 0 {
				j.t.Error("the fetch has pruned nothing")
			}
		}, nil},
		{"forced fetch of other notes", func(j *journal, head object.ID) {
			other := gittest.New(j.t)
			other.Git("notes", ref, "add", "-m", foreign)
			j.Git("fetch", "-q", "--prune", other.Dir, "+refs/notes/*:refs/notes/*")
		}, []string{foreign}},
		{"deletion", func(j *journal, head object.ID) { j.Git("update-ref", "-d", string(checkpoint.NotesRef(testRun))) }, nil},
		{"deletion and notes of others", func(j *journal, head object.ID) {
			j.Git("update-ref", "-d", string(checkpoint.NotesRef(testRun)))
			j.Git("notes", ref, "add", "-m", foreign, string(head))
		}, []string{foreign}},
		{"a note that is no text", func(j *journal, head object.ID) {
			blob := j.stdin("a\x00b\xff\r\n\n\n"+foreign+"\nend without newline", "hash-object", "-w", "--stdin")
			j.Git("notes", ref, "add", "-f", "-C", blob, string(head))
		}, []string{"a\x00b\xff\r", foreign, "end without newline"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			j := newJournal(t, "t")
			head := j.commit("work")
			j.add(checkpoint.Event{Event: checkpoint.TaskStarted, Task: "t", Head: head}, checkpoint.Event{Event: checkpoint.TaskDone, Task: "t", Head: head, Commit: head})
			want := append(j.texts(), c.more...)
			c.do(j, head)
			if got := j.texts(); !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
				t.Errorf("before an append:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			after := j.add(checkpoint.Event{Event: checkpoint.RunPaused, Text: "later"})
			if after.PublishError != nil || after.Published != after.Tip {
				t.Errorf("not published: %v", after.PublishError)
			}
			got := j.texts()
			if len(got) != len(want)+1 {
				t.Errorf("%d lines, want %d:\n%s", len(got), len(want)+1, strings.Join(got, "\n"))
			}
			for _, l := range want {
				if !slices.Contains(got, l) {
					t.Errorf("missing: %q", l)
				}
			}
			if bad := after.Run.Unreadable; bad != len(want)-countReadable(want) {
				t.Errorf("%d unreadable", bad)
			}
			if !maps.Equal(j.gitNotes(), j.ourNotes()) {
				t.Error("git and we see different notes")
			}
			j.canonical(t)
			again := j.add(checkpoint.Event{Event: checkpoint.RunResumed})
			j.canonical(t)
			if again.Foreign || len(j.texts()) != len(want)+2 {
				t.Error("the union did not settle")
			}
			j.Fsck()
		})
	}
}

func countReadable(texts []string) int {
	n := 0
	for _, s := range texts {
		if !checkpoint.ParseLine(s).Bad {
			n++
		}
	}
	return n
}

func TestNotes_keepGitsOwnFanOut(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	commits := j.manyCommits(150)
	var events []checkpoint.Event
	for i, c := range commits {
		if i%2 == 0 {
			events = append(events, checkpoint.Event{Event: checkpoint.RunPaused, Text: fmt.Sprint(i), Head: c})
		}
	}
	j.add(events...)
	for i, c := range commits {
		if i%10 == 1 {
			j.Git("notes", "--ref=resume/"+string(j.id), "append", "-m", line(int64(1000+i), "o.1", checkpoint.Event{Event: checkpoint.RunPaused}).Text, string(c))
		}
	}
	j.add(checkpoint.Event{Event: checkpoint.RunPaused, Text: "united", Head: commits[1]})
	j.add(checkpoint.Event{Event: checkpoint.RunPaused, Text: "again", Head: commits[3]})
	if git, ours := j.gitNotes(), j.ourNotes(); !maps.Equal(git, ours) {
		t.Errorf("git sees %d notes, we see %d", len(git), len(ours))
	}
	if got := len(j.texts()); got != 1+75+15+2 {
		t.Errorf("%d lines", got)
	}
}

func TestNotes_readAnyDepthOfFanOut(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	l := line(50, "deep.1", checkpoint.Event{Event: checkpoint.RunPaused}).Text
	blob := j.stdin(l+"\n", "hash-object", "-w", "--stdin")
	head := j.Git("rev-parse", "HEAD")
	deep := j.stdin(fmt.Sprintf("100644 blob %s\t%s\n", blob, head[4:]), "mktree")
	deep = j.stdin(fmt.Sprintf("040000 tree %s\t%s\n", deep, head[2:4]), "mktree")
	deep = j.stdin(fmt.Sprintf("040000 tree %s\t%s\n", deep, head[:2]), "mktree")
	j.Git("update-ref", string(checkpoint.NotesRef(j.id)), j.Git("commit-tree", "-m", "deep", deep))
	j.add(checkpoint.Event{Event: checkpoint.RunPaused})
	if got := j.texts(); !slices.Contains(got, l) || len(got) != 3 {
		t.Errorf("%q", got)
	}
	if !maps.Equal(j.gitNotes(), j.ourNotes()) {
		t.Error("git and we see different notes")
	}
}
