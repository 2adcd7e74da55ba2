package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/handler"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/agentmemory"
	"github.com/git-resume/git-resume/internal/sources/autoclaude"
	"github.com/git-resume/git-resume/internal/sources/bmad"
	"github.com/git-resume/git-resume/internal/sources/boxes"
	"github.com/git-resume/git-resume/internal/sources/gitops"
	"github.com/git-resume/git-resume/internal/sources/longrun"
	"github.com/git-resume/git-resume/internal/sources/orchestrate"
	"github.com/git-resume/git-resume/internal/sources/planfiles"
	"github.com/git-resume/git-resume/internal/sources/planning"
	"github.com/git-resume/git-resume/internal/sources/specloop"
	"github.com/git-resume/git-resume/internal/sources/superpowers"
	"github.com/git-resume/git-resume/internal/sources/taskmaster"
)

// everySource returns all readers of other systems' work.
func everySource() []sources.Source {
	return []sources.Source{
		gitops.Source{}, autoclaude.New(), agentmemory.New(), specloop.New(), longrun.New(), planning.New(), planfiles.New(), orchestrate.New(), superpowers.New(), taskmaster.New(), bmad.New(), boxes.New(),
	}
}

// nothingFound is the longest time, in milliseconds, that the search for other systems' work may take if there is no such work.
const nothingFound = 0.5

func TestMeasure_sourcesWithNothingToFind(t *testing.T) {
	needClock(t)
	r := crowd(t, 3, 0)
	look := func(all []sources.Source) time.Duration {
		s := store(t, r)
		e := handler.New(site.Site{Repo: s.Repo, Store: s, Now: time.Now, PID: os.Getpid()}, all...)
		return timed(func() {
			if _, err := e.Find.Status(t.Context(), journal.OpenRuns); err != nil {
				t.Fatal(err)
			}
		})
	}
	var with, without []time.Duration
	for range 300 {
		without = append(without, look(nil))
		with = append(with, look(everySource()))
	}
	a, b := median(with), median(without)
	more := float64(a-b) / float64(time.Millisecond)
	table = append(table, row{"status, more ms for all sources / 1 ms", milliseconds(a), milliseconds(b), more, nothingFound})
	t.Logf("%v with all sources, %v without: %.3f ms more", a, b, more)
}

// fiftySpecs makes a repository with work of other systems, about fifty pieces in all, and as many files as a small project has.
func fiftySpecs(t testing.TB) *gittest.Repo {
	t.Helper()
	r := gittest.New(t)
	for i := range 1000 {
		r.Write(fmt.Sprintf("src/%d/file%d.go", i%20, i), "package x\n")
	}
	for i := range 20 {
		r.Write(fmt.Sprintf(".auto-claude/specs/%03d-feature/implementation_plan.json", i),
			`{"feature":"x","phases":[{"id":"1","subtasks":[{"id":"1.1","status":"completed"},{"id":"1.2","status":"in_progress"},{"id":"1.3","status":"pending"}]}]}`)
		r.Write(fmt.Sprintf(".auto-claude/specs/%03d-feature/spec.md", i), "# x\n")
	}
	for i := range 10 {
		r.Write(fmt.Sprintf("specs/%03d-list/tasks.md", i), "# Tasks\n- [x] T001 one\n- [-] T002 two\n- [ ] T003 three\n")
		r.Write(fmt.Sprintf("docs/stories/%d.1.story.md", i), "# Story\n\n**Status:** InProgress\n\n## Tasks / Subtasks\n- [x] one\n- [ ] two\n")
		r.Write(fmt.Sprintf(".agent-memory/runs/20260101-10%02d-run-ab%02d/task-graph.json", i, i), `{"tasks":[{"id":"T001","title":"one"}]}`)
		r.Write(fmt.Sprintf(".agent-memory/runs/20260101-10%02d-run-ab%02d/prd.md", i, i), "# PRD\n")
	}
	r.Write(".long-run/STATE.md", "# Long-Run Implementation State\n## Current Position\nPlan: 1 of 2\nStatus: Executing\n")
	r.Write(".long-run/plans/01-PLAN.md", "---\nplan: \"01\"\n---\n")
	r.Write(".planning/STATE.md", "Plan: 1 of 2\nStatus: Executing\n")
	r.Write(".planning/phases/01-x/01-01-PLAN.md", "# plan\n")
	r.Write("web/_bmad-output/implementation-artifacts/sprint-status.yaml", "development_status:\n  1-1-one: done\n  1-2-two: in-progress\n")
	r.Write(".taskmaster/tasks/tasks.json", `{"master": {"tasks": [{"id": 1, "title": "one", "status": "done"}, {"id": 2, "title": "two", "status": "in-progress"}]}}`)
	r.Write("specs/900-loop/.workflow/index.md", "| **Loop Status** | clarifying |\n|---|---|\n| **Current Iteration** | 2 / 10 |\n| **Stale Count** | 0 / 3 |\n")
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "work of every system")
	age(t, r)
	return r
}

// age makes all files of a repository two days old, so that nobody seems to be writing them.
func age(t testing.TB, r *gittest.Repo) {
	t.Helper()
	old := time.Now().Add(-48 * time.Hour)
	err := filepath.WalkDir(r.Dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return os.Chtimes(path, old, old)
	})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = r.Try("git", "update-index", "-q", "--refresh") // it says with its exit code that a file has changed
}

func BenchmarkSources(b *testing.B) {
	for _, place := range []struct {
		name string
		repo func(testing.TB) *gittest.Repo
	}{
		{"nothing", func(t testing.TB) *gittest.Repo { return gittest.New(t) }},
		{"fifty", fiftySpecs},
	} {
		r := place.repo(b)
		for _, source := range everySource() {
			b.Run(place.name+"/"+source.Name(), func(b *testing.B) {
				s := store(b, r)
				for b.Loop() {
					v := sources.NewView(s.Repo, time.Now(), func(string) []string { return nil })
					if _, err := source.Find(b.Context(), v); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
