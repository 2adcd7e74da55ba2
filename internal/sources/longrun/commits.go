package longrun

import (
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/internal/sources"
)

// searched is how many commits are looked through for subjects.
const searched = 500

// commit is the full id of a recorded hash, which may be short; empty if there is no such commit here.
func (r *run) commit(hash string) object.ID {
	hash = strings.ToLower(strings.Trim(hash, "` \t"))
	if len(hash) < 4 || len(hash) > 64 || strings.Trim(hash, "0123456789abcdef") != "" {
		return "" // anything else would be an expression to git
	}
	c, err := r.view.Repo.Objects.Commit(r.ctx, hash)
	if err != nil {
		return ""
	}
	return c.ID
}

// subject is the form of the commits that executors make.
var subject = sources.NewForm(`^(?:feat|fix|test|refactor|chore|docs|perf|style|build|ci)\(([0-9A-Za-z.-]{1,40})\)!?:[ \t]*(.+)$`)

// made are the commits of this run that name a plan, oldest first.
func (r *run) made(id string) []past.Logged {
	if !r.logRead {
		r.logRead = true
		tree := r.view.Repo.At(r.tree.Place)
		defer tree.Close()
		r.log, _ = past.FileLog(r.ctx, tree, "HEAD", searched) // a branch without a commit has none that name a plan
	}
	var out []past.Logged
	for _, c := range r.log {
		if c.ID == r.start {
			break
		}
		if m := subject.FindStringSubmatch(c.Subject); m != nil && sources.NaturalOrder(m[1], id) == 0 {
			out = append(out, c)
		}
	}
	slices.Reverse(out)
	return out
}

// checkCommits holds the recorded commits against the repository, and rebuilds checkpoints that cannot be read.
func (r *run) checkCommits() {
	for _, u := range r.units {
		c := u.check
		switch {
		case c == nil || u.sum.done():
		case c.lost:
			r.rebuild(u)
		default:
			r.checkNumbers(u)
			r.replace(u)
		}
	}
}

// checkNumbers holds a checkpoint against its name and its plan: one that does not say how many tasks there are takes the number from the plan.
func (r *run) checkNumbers(u *unit) {
	c, file := u.check, path.Base(u.check.path)
	if c.odd != "" {
		r.doubt(sources.DoubtInvalidState, conflicts.Warning, c.path, "%s says that %s, which cannot be", file, c.odd)
	}
	if c.plan != "" && !sameUnit(c.plan, u.id) {
		r.doubt(sources.DoubtDiscrepancy, conflicts.Warning, c.path, "%s says that it is about plan %s; it counts for plan %s, by its name", file, c.plan, u.id)
	}
	if !c.open {
		return
	}
	c.total, c.open = len(u.plan.Steps), len(u.plan.Steps) == 0 || len(u.plan.Steps) < c.done
	if c.open {
		r.doubt(sources.DoubtInvalidState, conflicts.Warning, c.path, "%s does not say how many tasks plan %s has: whether all are done is not known", file, u.id)
		return
	}
	r.doubt(sources.DoubtInvalidState, conflicts.Info, c.path, "%s does not say how many tasks plan %s has; its plan has %d", file, u.id, c.total)
}

// sameUnit: two ids mean one plan, however the number is written, and whether the phase stands before it or not.
func sameUnit(a, b string) bool {
	if strings.Contains(a, "-") != strings.Contains(b, "-") {
		a, b = a[strings.LastIndex(a, "-")+1:], b[strings.LastIndex(b, "-")+1:]
	}
	return sources.NaturalOrder(a, b) == 0
}

// rebuild counts the commits that name a plan: executors commit once for each task.
func (r *run) rebuild(u *unit) {
	c := u.check
	made := r.made(u.id)
	c.lost, c.commits, c.plan = false, map[int]string{}, u.id
	c.total, c.open = max(len(u.plan.Steps), len(made)), len(u.plan.Steps) == 0
	for i, m := range made {
		c.commits[i+1], c.last = string(m.ID), string(m.ID)
		c.names = append(c.names, subject.FindStringSubmatch(m.Subject)[2])
	}
	c.done = len(made)
	r.rebuilt = true
	r.doubt(sources.DoubtRebuilt, conflicts.Warning, c.path,
		"how far plan %s came was put together from %s it, because its checkpoint cannot be read", u.id, sources.Count(len(made), "commit that names", "commits that name"))
}

// replace finds the commits that took the place of recorded ones that are not here: rebased, amended, with the same subject.
func (r *run) replace(u *unit) {
	c := u.check
	var missing []string
	for n := 1; n <= c.done; n++ {
		hash := c.commits[n]
		if hash == "" || r.commit(hash) != "" {
			continue
		}
		if now := r.sameSubject(u, n); now != "" {
			r.doubt("commit-moved", conflicts.Info, c.path, "commit %s of plan %s is not here; %s has its subject", hash, u.id, now.Short())
			c.commits[n] = string(now)
		} else if !slices.Contains(missing, hash) {
			missing = append(missing, hash)
		}
	}
	const most = 10
	switch n := len(missing); {
	case n == 1:
		r.doubt(sources.DoubtNoEvidence, conflicts.Warning, c.path, "commit %s of plan %s is not in this repository, and none has its subject", missing[0], u.id)
	case n > 1:
		text := strings.Join(missing[:min(n, most)], ", ")
		if n > most {
			text += ", …"
		}
		r.doubt(sources.DoubtNoEvidence, conflicts.Warning, c.path, "%d commits of plan %s are not in this repository, and none has their subjects: %s", n, u.id, text)
	}
}

// sameSubject is the commit that names a task of a plan, by its number.
func (r *run) sameSubject(u *unit, n int) object.ID {
	name := ""
	if n <= len(u.plan.Steps) {
		name = u.plan.Steps[n-1]
	} else if n <= len(u.check.names) {
		name = u.check.names[n-1]
	}
	for _, m := range r.made(u.id) {
		if strings.EqualFold(strings.TrimSpace(subject.FindStringSubmatch(m.Subject)[2]), name) {
			return m.ID
		}
	}
	return ""
}

// lastCommit is the newest commit that is evidence of a plan.
func (r *run) lastCommit(u *unit) object.ID {
	if u.check != nil {
		for n := u.check.done; n > 0; n-- {
			if id := r.commit(u.check.commits[n]); id != "" {
				return id
			}
		}
	}
	if u.sum != nil && len(u.sum.commits) > 0 {
		return r.commit(u.sum.commits[len(u.sum.commits)-1])
	}
	return ""
}
