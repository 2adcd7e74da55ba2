package past

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate"
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
	all, err := messages(t, repo, 100, tip)
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
	few, err := messages(t, repo, 2)
	if err != nil || len(few) != 2 {
		t.Errorf("at most 2: got %d, %v", len(few), err)
	}
}

// messages reads at most the given number of commits, and then ends git.
func messages(t *testing.T, r *gitstate.Repo, most int, tips ...object.ID) (all []Described, err error) {
	t.Helper()
	log, err := OpenMessages(t.Context(), r, tips...)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	for len(all) < most {
		one, err := log.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

func FuzzStream_field(f *testing.F) {
	f.Add([]byte("a\x00b\x00"), 1)
	f.Fuzz(func(t *testing.T, data []byte, size int) {
		s := &stream{out: bufio.NewReaderSize(bytes.NewReader(data), max(16, min(size, 64)))}
		want := strings.Split(string(data), "\x00")
		for i := 0; ; i++ {
			field, err := s.field(20)
			if err != nil {
				if i != len(want)-1 {
					t.Fatalf("%d fields, want %d", i, len(want)-1)
				}
				return
			}
			if field != want[i][:min(len(want[i]), 20)] {
				t.Errorf("field %d is %q", i, field)
			}
		}
	})
}
