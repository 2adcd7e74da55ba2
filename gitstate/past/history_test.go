package past

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/repotest"
	"github.com/git-resume/git-resume/internal/gittest"
)

func TestTouches_saysWhatEachCommitChanged(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	commit := func(day, path, text string) {
		own.Write(path, text)
		own.Git("add", "-A")
		own.With("GIT_COMMITTER_DATE=2030-02-"+day+"T00:00:00Z", "GIT_AUTHOR_DATE=2030-02-"+day+"T00:00:00Z").Git("commit", "-q", "-m", "day "+day)
	}
	commit("01", "a b", "one\n")
	commit("02", "other", "x\n")
	commit("03", "a b", "two\n")
	r := repotest.Open(t, own.Dir, own.Env)
	tip := object.ID(own.Git("rev-parse", "HEAD"))
	all, err := touches(t, r, tip, 10, "a b", "[a]*")
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 2 || all[0].Subject != "day 03" || all[1].Changes[0].Letter != 'A' || all[0].Changes[0].Old != all[1].Changes[0].New {
		t.Errorf("touches %+v", all)
	}
	if got := all[0].Author.When; !got.Equal(time.Date(2030, 2, 3, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("the newest is of %s", got)
	}
	if first, err := touches(t, r, tip, 1, "a b"); err != nil || len(first) != 1 {
		t.Errorf("only the first: %d, %v", len(first), err)
	}
	if _, err := touches(t, r, object.ID(strings.Repeat("1", 40)), 10, "x"); err == nil {
		t.Error("a tip that is not there gave no error")
	}
}

// touches reads at most the given number of commits, and then ends git.
func touches(t *testing.T, r *gitstate.Repo, tip object.ID, most int, paths ...string) (all []Touch, err error) {
	t.Helper()
	log, err := OpenTouches(t.Context(), r, tip, time.Time{}, paths...)
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
