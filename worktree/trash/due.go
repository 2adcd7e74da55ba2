package trash

import (
	"fmt"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/worktree/record"
)

// Overdue lists discarded runs that are older than the time for which they are kept.
type Overdue struct {
	// Expire deletes the runs in Now, and the runs in Later not before At. At is zero if no Expire has recorded yet that they are due.
	Now, Later []string
	At         time.Time
}

// Due tells which discarded runs Expire would finally delete, and when. It only reads.
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
