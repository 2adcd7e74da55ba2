package trash

import (
	"fmt"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/worktree/record"
)

// Overdue lists discarded runs that have been kept long enough, so that they can be deleted.
type Overdue struct {
	// Now lists the runs that the next call of Expire deletes. Later lists the runs that are not deleted before the time in the field At.
	// This time is zero until a first call of Expire has noticed that the runs are due.
	Now, Later []string
	At         time.Time
}

// Due returns which discarded runs Expire would delete, and when. It changes nothing.
func Due(repo *gitstate.Repo, what Expiry) (Overdue, error) {
	x := &expiryCheck{repo: repo, Expiry: what}
	x.readNote()
	var out Overdue
	for _, dir := range record.Dirs(repo) {
		rec, found, err := record.Load(dir)
		switch {
		case err != nil:
			return out, fmt.Errorf("read the record of '%s': %w", record.NameOf(dir), err)
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
