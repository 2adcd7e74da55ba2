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

// subjectsIn finds the commits for each planned subject: first the commits whose subject begins with the planned one (see
// History.Subjects), and then the commits whose subject says nearly the same (see History.Alike). In each of these two groups, the newest
// commit comes first. The second result says how many commits of a subject are in the first group.
func subjectsIn(log commitlog.History, wanted map[string]bool) (found map[string][]commitlog.Commit, exact map[string]int) {
	found, exact = log.Subjects(wanted), map[string]int{}
	for s, commits := range found {
		exact[s] = len(commits)
	}
	texts := slices.Sorted(maps.Keys(wanted))
	for i, alike := range log.Alike(texts, time.Time{}) {
		for _, c := range alike {
			if !slices.ContainsFunc(found[texts[i]], func(o commitlog.Commit) bool { return o.ID == c.ID }) {
				found[texts[i]] = append(found[texts[i]], c)
			}
		}
	}
	return found, exact
}

// several is used by the function together(): a commit can prove that a task without new files is done. For this, the commit must also have
// added the files of at least this many other tasks.
const several = 2

// The function together() finds tasks that were done in the same commit as other tasks. It is for tasks that create no files and have no
// commit of their own, so that nothing else shows that they are done. Such a task is done if one commit added the files of several other
// tasks, and also changed all files of this task.
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
				t.State, t.Commit, t.Evidence = checkpoint.Done, id, "commit "+id.Short()+" changed the task's files together with those of other tasks"
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

// The function exactly() looks for the commits of tasks that only change existing files. It begins after the last task that is done or
// skipped. If a commit changed exactly the files of the next task, or of the next few tasks together, these tasks are done. If an earlier
// task names one of these files, the commit proves nothing, because it may belong to that task.
//
// Where nothing is done yet, only a commit of the whole plan is such a proof.
//
// The function ignores commits that already prove a task. The tasks are done in their order, so it also ignores commits from before the
// newest commit that proves a task.
func exactly(plan []task, tasks []sources.Task, changed map[object.ID]map[string]bool, log commitlog.History) (found int) {
	used, first := map[object.ID]bool{}, 0
	var from time.Time
	for i := range tasks {
		if !tasks[i].State.Closed() {
			continue
		}
		first = i + 1
		used[tasks[i].Commit] = true
		if c := log.Commit(tasks[i].Commit); c != nil && c.When.After(from) {
			from = c.When
		}
	}
	before := map[string]bool{}
	for i := range plan[:first] {
		for _, f := range plan[i].files {
			before[f] = true
		}
	}
	for first < len(plan) {
		end := 0
		for _, id := range slices.Sorted(maps.Keys(changed)) {
			c := log.Commit(id)
			n := covered(plan[first:], tasks[first:], before, changed[id])
			if first == 0 && (n < len(plan) || len(changed[id]) < several) {
				continue
			}
			if n > end && !used[id] && c != nil && !c.When.Before(from) {
				end = n
				for i := range n {
					tasks[first+i].Commit = id
				}
				from = c.When
			}
		}
		if end == 0 {
			return found
		}
		for i := range end {
			t := &tasks[first+i]
			t.State, t.Evidence, used[t.Commit] = checkpoint.Done, "commit "+t.Commit.Short()+" changed exactly the task's files", true
			if end > 1 {
				t.Evidence = "commit " + t.Commit.Short() + " changed exactly the files of this and other tasks"
			}
			for _, f := range plan[first+i].files {
				before[f] = true
			}
		}
		found += end
		first += end
	}
	return found
}

// covered returns the smallest n for which the first n tasks together name exactly the changed files, or 0 if there is no such n. Each of
// these n tasks must be pending, name files, and create none. The map "before" has the files that earlier tasks name. None of the n tasks
// may name such a file.
func covered(plan []task, tasks []sources.Task, before, changed map[string]bool) int {
	seen := map[string]bool{}
	for i := range plan {
		p := &plan[i]
		if tasks[i].State != checkpoint.Pending || tasks[i].Raw != "" || len(p.created) > 0 || len(p.files) == 0 {
			return 0
		}
		for _, f := range p.files {
			if before[f] || !changed[f] {
				return 0
			}
			seen[f] = true
		}
		if len(seen) == len(changed) {
			return i + 1
		}
	}
	return 0
}

// working returns the commits that carried out a plan: those with the planned subjects, and those that made or changed the files of a task
// which is done.
func working(commits map[string]commitlog.Commit, made map[string]object.ID, plan []task, tasks []sources.Task, log commitlog.History) []commitlog.Commit {
	out := slices.Collect(maps.Values(commits))
	note := func(id object.ID) {
		if c := log.Commit(id); c != nil {
			out = append(out, *c)
		}
	}
	for i := range tasks {
		if t := &tasks[i]; t.State == checkpoint.Done {
			note(t.Commit)
			for _, f := range plan[i].created {
				note(made[f])
			}
		}
	}
	return out
}
