package past

import (
	"testing"
	"time"

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
	all, err := Touches(t.Context(), r, "HEAD", time.Time{}, 10, "a b", "[a]*")
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 2 || all[0].Subject != "day 03" || all[1].Changes[0].Letter != 'A' || all[0].Changes[0].Old != all[1].Changes[0].New {
		t.Errorf("touches %+v", all)
	}
	if got := all[0].Author.When; !got.Equal(time.Date(2030, 2, 3, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("the newest is of %s", got)
	}
	late, err := Touches(t.Context(), r, "HEAD", time.Date(2030, 2, 2, 12, 0, 0, 0, time.UTC), 10, "a b")
	if err != nil || len(late) != 1 {
		t.Errorf("since the second: %d, %v", len(late), err)
	}
	if _, err := Touches(t.Context(), r, "none", time.Time{}, 10, "x"); err == nil {
		t.Error("a tip that is not there gave no error")
	}
}
