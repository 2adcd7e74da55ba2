package trash

import (
	"fmt"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/worktree/record"
)

// Overdue are discarded runs that are older than the time for which they are kept.
type Overdue struct {
	// The next call of Expire deletes Now, but not Later before At, which is zero if nobody has noted yet that they are due.
	Now, Later []string
	At         time.Time
}

// Due says which discarded runs Expire would delete for good, and when; it only reads.
func Due(repo *gitstate.Repo, what Expiry) (Overdue, error) {
	x := &expiryCheck{repo: repo, Expiry: what}
	x.readNote()
	var out Overdue
	for _, dir := range record.Dirs(repo) {
		rec, found, err := record.Load(dir)
		switch {
		case err != nil:
			return out, fmt.Errorf("look at '%s': %w", record.NameOf(dir), err)
		case !found || rec.Phase != record.Gone || rec.Run != record.NameOf(dir) || what.Back != nil && what.Back(rec.Run):
		case rec.At.Before(x.before):
			out.Now = append(out.Now, rec.Run)
		case rec.At.Before(x.Now.Add(-x.Keep)):
			out.Later = append(out.Later, rec.Run)
		}
	}
	if len(out.Later) > 0 && !x.noted.IsZero() {
		out.At = x.noted.Add(min(graceTime, x.Keep))
	}
	return out, nil
}
