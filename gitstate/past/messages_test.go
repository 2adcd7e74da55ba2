package past

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/repotest"
	"github.com/git-resume/git-resume/internal/gittest"
)

func TestMessages_listsEachCommitOnce(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Git("commit", "-q", "--allow-empty", "-m", "one\n\nfirst line\n\nlast line "+strings.Repeat("x", 2*maxBody))
	r.Git("switch", "-q", "-c", "side")
	r.Git("commit", "-q", "--allow-empty", "-m", "two")
	r.Git("switch", "-q", "main")
	r.Git("commit", "-q", "--allow-empty", "-m", "three")
	r.Git("merge", "-q", "--no-ff", "-m", "Merge branch 'side'", "side")
	repo := repotest.Open(t, r.Dir, r.Env)
	r.Git("switch", "-q", "--detach")
	r.Git("commit", "-q", "--allow-empty", "-m", "four")
	tip := object.ID(r.Git("rev-parse", "HEAD")) // no branch leads to this commit
	all, err := Messages(t.Context(), repo, time.Time{}, 100, tip)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range all {
		text := m.Subject
		if len(m.Parents) > 1 {
			text = "merge: " + text
		}
		got = append(got, text)
		if m.Subject == "one" && (len(m.Body) != maxBody || !strings.HasPrefix(m.Body, "first line\n\nlast line x")) {
			t.Errorf("the body has %d bytes and begins with %.40q", len(m.Body), m.Body)
		}
	}
	slices.Sort(got)
	if want := []string{"first", "four", "merge: Merge branch 'side'", "one", "three", "two"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	few, err := Messages(t.Context(), repo, time.Time{}, 2)
	if err != nil || len(few) != 2 {
		t.Errorf("at most 2: got %d, %v", len(few), err)
	}
	late, err := Messages(t.Context(), repo, all[0].When.Add(time.Hour), 100)
	if err != nil || len(late) != 0 {
		t.Errorf("none is that new: got %d, %v", len(late), err)
	}
}

func FuzzFieldWriter(f *testing.F) {
	f.Add([]byte("a\x00b\x00"), 1)
	f.Fuzz(func(t *testing.T, data []byte, step int) {
		w := &fieldWriter{}
		step = max(1, min(step, 64))
		for rest := data; len(rest) > 0; rest = rest[min(step, len(rest)):] {
			if n, err := w.Write(rest[:min(step, len(rest))]); err != nil || n != min(step, len(rest)) {
				t.Fatalf("wrote %d, %v", n, err)
			}
		}
		want := strings.Split(string(data), "\x00")
		if len(w.all) != len(want)-1 {
			t.Fatalf("%d fields, want %d", len(w.all), len(want)-1)
		}
		for i, field := range w.all {
			if field != want[i][:min(len(want[i]), maxBody)] {
				t.Errorf("field %d is %q", i, field)
			}
		}
	})
}
