package superpowers

import (
	"maps"
	"slices"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/commitlog"
	"github.com/git-resume/git-resume/internal/sources"
)

// subjectsIn finds the commits for each planned subject: first the commits with exactly this subject, and then the commits whose subject
// says nearly the same. In each of these two groups, the newest commit comes first.
func subjectsIn(log commitlog.History, wanted map[string]bool) map[string][]commitlog.Commit {
	found := log.Subjects(wanted)
	texts := slices.Sorted(maps.Keys(wanted))
	for i, alike := range log.Alike(texts, time.Time{}) {
		for _, c := range alike {
			if !slices.ContainsFunc(found[texts[i]], func(o commitlog.Commit) bool { return o.ID == c.ID }) {
				found[texts[i]] = append(found[texts[i]], c)
			}
		}
	}
	return found
}

// several is a number of tasks. If a commit added the files that at least so many tasks create, it can also prove tasks that only change
// files.
const several = 2

// The function together() is for tasks that create no files and have no commit with the planned subject. Nothing proves such a task by
// itself. But if one commit added the files of several other tasks, and also changed all files of this task, then people carried out these
// tasks together.
func together(plan []task, tasks []sources.Task, made map[string]object.ID, changed map[object.ID]map[string]bool) (found int) {
	carried := map[object.ID]int{}
	for i := range plan {
		if p := &plan[i]; tasks[i].State == checkpoint.Done && tasks[i].Commit == "" {
			if id := madeBy(made, p); id != "" {
				carried[id]++
			}
		}
	}
	for i := range plan {
		p, t := &plan[i], &tasks[i]
		if t.State != checkpoint.Pending || t.Raw != "" || len(p.created) > 0 || len(p.files) == 0 {
			continue
		}
		for _, id := range slices.Sorted(maps.Keys(carried)) {
			if carried[id] >= several && !slices.ContainsFunc(p.files, func(f string) bool { return !changed[id][f] }) {
				t.State, t.Commit, t.Evidence = checkpoint.Done, id, "commit "+id.Short()+" changed its files together with those of other tasks"
				found++
				break
			}
		}
	}
	return found
}

// madeBy returns the commit that added all files which a task creates, or "" if there is none or if several commits added them.
func madeBy(made map[string]object.ID, t *task) object.ID {
	if len(t.created) == 0 {
		return ""
	}
	id := made[t.created[0]]
	if slices.ContainsFunc(t.created, func(f string) bool { return made[f] != id }) {
		return ""
	}
	return id
}
