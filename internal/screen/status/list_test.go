package status

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/sources"
)

func TestList_hasOneLayout(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 13, 9, 0, 0, 0, time.UTC)
	work := func(name, cause string) candidate.Summary {
		return candidate.Summary{
			State: checkpoint.Waiting, Found: &sources.Found{Source: "auto-claude", ID: name, Headline: "3/3 merge", Listed: "3/3 merge", Cause: cause},
			Run: checkpoint.Run{ID: checkpoint.RunID("auto-claude:" + name), Name: name, LastAt: now.Add(-time.Hour)},
		}
	}
	short, long := work("one", "it stopped"), work("003-wishlist", "the quality check has not approved it")
	for _, c := range []struct {
		runs []candidate.Summary
		want string
	}{
		{[]candidate.Summary{short, short}, "waiting  auto-claude:one  3/3 merge  1h ago  it stopped\nwaiting  auto-claude:one  3/3 merge  1h ago  it stopped\n"},
		{[]candidate.Summary{long}, "waiting  auto-claude:003-wishlist  3/3 merge  1h ago\n      the quality check has not approved it\n"},
		{[]candidate.Summary{short, long}, "waiting  auto-claude:one           3/3 merge  1h ago\n      it stopped\n" +
			"waiting  auto-claude:003-wishlist  3/3 merge  1h ago\n      the quality check has not approved it\n"},
		{[]candidate.Summary{short, work(strings.Repeat("long-", 10)+"name", "it stopped")}, "waiting  auto-claude:one  3/3 merge\n      1h ago  it stopped\n" +
			"waiting  auto-claude:" + strings.Repeat("long-", 10) + "name\n      3/3 merge\n      1h ago  it stopped\n"},
	} {
		var out bytes.Buffer
		List(page.Page{Out: &out, Err: &out, Terminal: true, Now: now}, c.runs, Unlisted{})
		if out.String() != c.want {
			t.Errorf("\n%swant:\n%s", out.String(), c.want)
		}
	}
}
