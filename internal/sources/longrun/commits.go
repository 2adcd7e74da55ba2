package longrun

import (
	"context"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/planfolder"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// searched is the maximum number of commits whose subjects are read.
const searched = 500

// evidence looks up the commits that checkpoints and summaries mention.
type evidence struct {
	ctx  context.Context
	view *sources.View
	tree sources.Tree
	// start is the commit at which the run started.
	start object.ID
	units plans
	log   []past.Logged
	read  bool
}

// find returns the full id for a recorded hash, which may be abbreviated. It returns "" if the text is not a hash, or if the repository
// has no such commit.
func (c *evidence) find(hash string) object.ID {
	hash = strings.ToLower(strings.Trim(hash, "` \t"))
	if len(hash) < 4 || len(hash) > 64 || strings.Trim(hash, "0123456789abcdef") != "" {
		return "" // git would evaluate other text as a revision, for example "HEAD~1"
	}
	found, err := c.view.Repo.Objects.Commit(c.ctx, hash)
	if err != nil {
		return ""
	}
	return found.ID
}

// subject matches the subject lines of commits for a plan. Long-run itself writes "feat(02): add routes"; agents also write "feat(plan-02): …",
// "feat(02-1): …" or "Plan 02 Task 1: …". The groups are the text that names the plan, in either form, and the rest of the subject.
var subject = textdoc.NewForm(`^(?:(?:feat|fix|test|refactor|chore|docs|perf|style|build|ci)\(([0-9A-Za-z. -]{1,40})\)!?|(?i:plan)[ \t-]+([0-9A-Za-z., -]{1,40})):[ \t]*(.+)$`)

// taskOfPlan matches a plan and the number of one of its tasks, such as "02-1" or "02 Task 1".
var taskOfPlan = textdoc.NewForm(`^(.+?)[., -]+(?i:task[ -]?)?([0-9]{1,6})$`)

// numberedTask matches the number of a task at the start of a subject, for example in "task 2 of the API". It does not match "task 2.1".
var numberedTask = textdoc.NewForm(`^(?i:task)[ \t]+([0-9]{1,6})(?:$|[^0-9.]|\.(?:$|[^0-9]))`)

// planCommit is a commit whose subject names a plan. If the subject also names a task of the plan, the field "task" is its number, otherwise it
// is 0. The field "text" is the rest of the subject.
type planCommit struct {
	id   object.ID
	task int
	text string
}

// named parses the subject line of a commit. The result ok is false if it does not name plan u.
func (c *evidence) named(line string, u *unit) (out planCommit, ok bool) {
	m := subject.FindStringSubmatch(line)
	if m == nil {
		return out, false
	}
	out.text = strings.TrimSpace(m[3])
	if n := numberedTask.FindStringSubmatch(out.text); n != nil {
		out.task, _ = strconv.Atoi(n[1])
	}
	scope := strings.TrimSpace(m[1] + m[2])
	if sources.NaturalOrder(scope, u.id) == 0 {
		return out, true
	}
	if low := strings.ToLower(scope); strings.HasPrefix(low, "plan") {
		if scope = strings.TrimLeft(scope[len("plan"):], " -"); sources.NaturalOrder(scope, u.id) == 0 {
			return out, true
		}
	}
	t := taskOfPlan.FindStringSubmatch(scope)
	if t == nil || sources.NaturalOrder(t[1], u.id) != 0 || c.units.find(scope) != nil {
		return out, false
	}
	out.task, _ = strconv.Atoi(t[2])
	return out, len(u.plan.Steps) == 0 || out.task <= len(u.plan.Steps) // otherwise it is the number of something else
}

// made returns the commits of this run that name the plan in their subject, the oldest first.
func (c *evidence) made(u *unit) []planCommit {
	if !c.read {
		c.read = true
		tree := c.view.Repo.At(c.tree.Place)
		defer tree.Close()
		c.log, _ = past.FileLog(c.ctx, tree, c.tree.Revision(), searched) // on an error, for example on an empty branch, there are no commits
	}
	var out []planCommit
	for _, one := range c.log {
		if one.ID == c.start {
			break
		}
		if m, ok := c.named(one.Subject, u); ok {
			m.id = one.ID
			out = append(out, m)
		}
	}
	slices.Reverse(out)
	return out
}

// checkCommits checks the checkpoints of unfinished plans: whether the recorded commits exist, and whether a checkpoint must be
// reconstructed because it cannot be read.
func (r reader) checkCommits() {
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

// checkNumbers warns about impossible numbers in a checkpoint, and about a plan id that contradicts the file name. If the checkpoint does
// not say how many tasks there are, checkNumbers warns too, and takes the number from the plan file if possible.
func (r reader) checkNumbers(u *unit) {
	c, file := u.check, path.Base(u.check.path)
	if c.odd != "" {
		r.Doubts.Add(sources.DoubtInvalidState, conflicts.Warning, c.path, "%s says that %s, which is impossible", file, c.odd)
	}
	if c.plan != "" && !sameUnit(c.plan, u.id) {
		r.Doubts.Add(sources.DoubtDiscrepancy, conflicts.Warning, c.path, "%s says that it belongs to plan %s, but its file name says plan %s; the file name is used", file, c.plan, u.id)
	}
	if !c.open {
		return
	}
	c.total, c.open = len(u.plan.Steps), len(u.plan.Steps) == 0 || len(u.plan.Steps) < c.done
	if c.open {
		r.Doubts.Add(sources.DoubtInvalidState, conflicts.Warning, c.path, "%s does not say how many tasks plan %s has: it is not known whether all are done", file, u.id)
		return
	}
	r.Doubts.Add(sources.DoubtInvalidState, conflicts.Info, c.path, "%s does not say how many tasks plan %s has; the plan file has %d", file, u.id, c.total)
}

// sameUnit reports whether two ids mean the same plan, for example 02 and 2, or 1-02 and 02.
func sameUnit(a, b string) bool {
	if strings.Contains(a, "-") != strings.Contains(b, "-") {
		a, b = a[strings.LastIndex(a, "-")+1:], b[strings.LastIndex(b, "-")+1:]
	}
	return sources.NaturalOrder(a, b) == 0
}

// rebuild reconstructs an unreadable checkpoint from the commits that name the plan. Long-run makes one commit for each task, one after the
// other; a commit that names the number of its task counts for this task.
func (r reader) rebuild(u *unit) {
	c := u.check
	made := r.commits.made(u)
	c.lost, c.commits, c.plan = false, map[int]string{}, u.id
	for _, m := range made {
		n := m.task
		if n == 0 || n > max(len(u.plan.Steps), len(made)) {
			n = c.done + 1
		}
		c.commits[n], c.done = string(m.id), max(c.done, n)
		c.names = append(c.names, make([]string, c.done-len(c.names))...)
		c.names[n-1] = m.text
	}
	c.last = c.commits[c.done]
	c.total, c.open = max(len(u.plan.Steps), c.done), len(u.plan.Steps) == 0
	c.dark = len(made) == 0
	r.rebuilt = true
	if c.dark {
		c.open = true
		r.Doubts.Add(sources.DoubtRebuilt, conflicts.Warning, c.path, "the progress of plan %s is not known: its checkpoint cannot be read, and no commit has a subject such as 'feat(%s): ...'", u.id, u.id)
		return
	}
	r.Doubts.Add(sources.DoubtRebuilt, conflicts.Warning, c.path,
		"the progress of plan %s was reconstructed from %s it, because its checkpoint cannot be read", u.id, sources.Count(len(made), "commit that names", "commits that name"))
}

// replace looks for recorded commits that no longer exist, for example after a rebase. It replaces such a commit by one whose subject
// names the same task, or warns if there is none.
func (r reader) replace(u *unit) {
	c := u.check
	var missing []string
	for n := 1; n <= c.done; n++ {
		hash := c.commits[n]
		if hash == "" || r.commits.find(hash) != "" {
			continue
		}
		if now := r.commits.sameSubject(u, n); now != "" {
			r.Doubts.Add("commit-moved", conflicts.Info, c.path, "commit %s of plan %s is missing; commit %s names the same task", hash, u.id, now.Short())
			c.commits[n] = string(now)
			continue
		}
		c.gone = append(c.gone, n)
		if !slices.Contains(missing, hash) {
			missing = append(missing, hash)
		}
	}
	const most = 10
	switch n := len(missing); {
	case n == 1:
		r.Doubts.Add(sources.DoubtNoEvidence, conflicts.Warning, c.path, "commit %s of plan %s is not in this repository, and no other commit of this plan names its task", missing[0], u.id)
	case n > 1:
		text := strings.Join(missing[:min(n, most)], ", ")
		if n > most {
			text += ", …"
		}
		r.Doubts.Add(sources.DoubtNoEvidence, conflicts.Warning, c.path, "%d commits of plan %s are not in this repository, and no other commits of this plan name their tasks: %s", n, u.id, text)
	}
}

// sameSubject returns the plan's commit for task n: the subject of the commit is a prefix and the name or the number of the task, for
// example "feat(02): Add login" for the task "Add login", or "feat(02): task 2". It returns an empty id if there is none.
func (c *evidence) sameSubject(u *unit, n int) object.ID {
	name := ""
	if n <= len(u.plan.Steps) {
		name = u.plan.Steps[n-1]
	} else if n <= len(u.check.names) {
		name = u.check.names[n-1]
	}
	var byNumber object.ID
	for _, m := range c.made(u) {
		if name != "" && (strings.EqualFold(m.text, name) || strings.EqualFold(planfolder.StepName(m.text), name)) {
			return m.id
		}
		if m.task == n {
			byNumber = m.id
		}
	}
	return byNumber
}

// last returns the commit of the last finished task whose commit still exists. If there is none, it returns the last commit in the plan's
// summary, or an empty id.
func (c *evidence) last(u *unit) object.ID {
	if u.check != nil {
		for n := u.check.done; n > 0; n-- {
			if id := c.find(u.check.commits[n]); id != "" {
				return id
			}
		}
	}
	if u.sum != nil && len(u.sum.commits) > 0 {
		return c.find(u.sum.commits[len(u.sum.commits)-1])
	}
	return ""
}
