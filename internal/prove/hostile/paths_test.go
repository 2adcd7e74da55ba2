//go:build linux

package hostile

import (
	"os"
	"path/filepath"
	"strings"
)

// paths are scenarios with paths that lead out of the repository: with "..", as absolute paths, or through links.
func paths() []scenario {
	out := []scenario{
		{"journal names a folder of others", func(p *place) {
			p.rewriteInClones(func(run, text string) string {
				return strings.ReplaceAll(text, quote(filepath.Join(p.root, "repo.worktrees", run)), quote(filepath.Join(p.root, "victim")))
			})
		}},
		{"journal names a folder above", func(p *place) {
			p.rewriteInClones(func(run, text string) string {
				return strings.ReplaceAll(text, quote(filepath.Join(p.root, "repo.worktrees", run)), "../victim")
			})
		}},
		{"journal names an admin folder above", func(p *place) {
			p.rewriteInClones(func(run, text string) string {
				return strings.ReplaceAll(text, `"admin":"`+run+`"`, `"admin":"../../../victim"`)
			})
		}},
		{"journal names a branch that is none", func(p *place) {
			p.rewriteInClones(func(run, text string) string {
				return strings.ReplaceAll(text, "refs/heads/resume/"+run, []string{"refs/heads/main", "HEAD", "../../victim/secret", "refs/resume/journal/" + run, "--upload-pack=x", "refs/heads/../../victim/secret"}[p.chance.IntN(6)])
			})
		}},
		{"journal names files above", func(p *place) {
			p.rewriteInClones(func(_, text string) string {
				return strings.ReplaceAll(text, mark, "../victim/secret")
			})
		}},
		{"journal names options for commits", func(p *place) {
			p.rewriteInClones(func(_, text string) string {
				head := p.Git("rev-parse", "main")
				return strings.ReplaceAll(text, head, []string{"--output=" + filepath.Join(p.root, "victim/secret"), "--all", "-p", "HEAD", "main:README"}[p.chance.IntN(5)])
			})
		}},
		{"worktree is registered elsewhere", redirectWorktree},
		{"worktree is a link", func(p *place) {
			run := p.interruptedRun(withoutCommands(markedPlan))
			tree := filepath.Join(p.root, "repo.worktrees", run)
			p.must(os.RemoveAll(tree))
			p.must(os.Symlink(filepath.Join(p.root, "victim"), tree))
			p.tour(run, "c")
		}},
		{"worktree is full of links", func(p *place) {
			run := p.interruptedRun(withoutCommands(markedPlan))
			tree := filepath.Join(p.root, "repo.worktrees", run)
			p.must(os.Symlink(filepath.Join(p.root, "victim"), filepath.Join(tree, "out")))
			p.must(os.Symlink("../../victim/secret", filepath.Join(tree, "secret")))
			p.must(os.Remove(filepath.Join(tree, "README")))
			p.must(os.Symlink(filepath.Join(p.root, "victim/secret"), filepath.Join(tree, "README")))
			p.tour(run, "c")
		}},
		{"snapshot writes through a link", func(p *place) {
			// The git tree has a link and a file below that link. A program that writes the link first would write the file outside the
			// repository.
			run := p.interruptedRun(withoutCommands(markedPlan))
			p.runWriter("discard", "-y", "--force", run)
			p.tamper(run)
			p.runWriter("undo", "--yes", run)
			p.tour(run, "c")
		}},
		{"foreign state names paths above", foreignPaths},
		{"journal tells of changes made elsewhere", deeds},
	}
	for _, name := range []string{"clone", "trusted", "RUN.lock", "RUN.task.lock", "RUN.append", "open/RUN", "closed/RUN", "cache/RUN"} {
		out = append(out, scenario{"link for our file " + strings.ReplaceAll(name, "/", " "), func(p *place) { p.replaceByLink(name) }})
	}
	return out
}

// rewriteInClones changes the journal of a run, and then runs commands in the repository and in a clone of it.
func (p *place) rewriteInClones(change func(run, text string) string) {
	p.T.Helper()
	run := p.interruptedRun(withoutCommands(markedPlan))
	before := p.Git("rev-parse", "refs/notes/resume/"+run)
	p.rewrite(run, func(text string) string { return change(run, text) })
	if p.Git("rev-parse", "refs/notes/resume/"+run+"^{tree}") == p.Git("rev-parse", before+"^{tree}") {
		p.T.Fatal("the journal says nothing that could be changed so")
	}
	clone := p.cloneWithRuns()
	p.tour(run, "c")
	clone.tour(run, "c")
}

// replaceByLink replaces one of our files with a link to somebody else's file.
func (p *place) replaceByLink(name string) {
	p.T.Helper()
	run := p.interruptedRun(withoutCommands(markedPlan))
	path := filepath.Join(p.Dir, ".git", "resume", strings.ReplaceAll(name, "RUN", run))
	p.must(os.RemoveAll(path))
	p.must(os.MkdirAll(filepath.Dir(path), 0o755))
	p.must(os.Symlink(filepath.Join(p.root, "victim", "secret"), path))
	p.tour(run, "c")
}

// redirectWorktree changes git's gitdir file of a worktree, so that it contains another path.
func redirectWorktree(p *place) {
	run := p.interruptedRun(withoutCommands(markedPlan))
	admin := filepath.Join(p.Dir, ".git", "worktrees", run, "gitdir")
	to := []string{filepath.Join(p.root, "victim", ".git"), "../../../../victim/.git", "/", "/.git", "", "\x1b[31m/.git", filepath.Join(p.root, "victim", "secret")}[p.chance.IntN(7)]
	p.must(os.WriteFile(admin, []byte(to+"\n"), 0o644))
	if p.chance.IntN(2) == 0 {
		p.must(os.RemoveAll(filepath.Join(p.root, "repo.worktrees", run)))
	}
	p.tour(run, "c")
}

// deeds forges records of changed, moved or removed files outside the repository or in .git/hooks. Undo must not touch these files.
func deeds(p *place) {
	out := quote(filepath.Join(p.root, "victim"))
	p.must(os.Symlink(filepath.Join(p.root, "victim"), filepath.Join(p.Dir, "out")))
	run := p.interruptedRun(withoutCommands(markedPlan))
	before := p.Git("rev-parse", "refs/notes/resume/"+run)
	for _, change := range []string{
		`{"tree":"` + out + `","path":"planted","gone":true}`,
		`{"tree":"` + out + `","path":"secret","written":true}`,
		`{"tree":"` + out + `","path":"secret","written":true,"made":true}`,
		`{"tree":"` + out + `","path":"moved","to":"secret"}`,
		`{"tree":"` + quote(p.Dir) + `","path":"../victim/moved","to":"../victim/secret"}`,
		`{"tree":"` + quote(p.Dir) + `","path":"out/planted","gone":true}`,
		`{"tree":"` + quote(p.Dir) + `","path":"taken","to":"out/secret"}`,
		`{"tree":"` + quote(p.Dir) + `","path":"out/moved","to":"README"}`,
		`{"tree":"` + quote(p.Dir) + `","path":".git/hooks/post-index-change","gone":true}`,
		`{"tree":"` + quote(p.Dir) + `","path":".git/hooks/post-index-change","to":"README"}`,
	} {
		for _, ref := range []string{"refs/notes/resume/" + run, "refs/resume/journal/" + run} {
			p.Git("update-ref", ref, before)
		}
		texts := map[string]string{"before/0": "owned\n", "after/0": "not yours\n", "changes.json": `{"v":1,"changes":[` + change + `]}`}
		index := p.With("GIT_INDEX_FILE=" + filepath.Join(p.T.(interface{ TempDir() string }).TempDir(), "index"))
		for name, text := range texts {
			index.Git("update-index", "--add", "--cacheinfo", "100644,"+p.hash(text)+","+name)
		}
		deed := p.Git("commit-tree", "-m", "deed", index.Git("write-tree"))
		told := false
		p.rewrite(run, func(text string) string {
			if !strings.Contains(text, `"run.paused"`) {
				return text
			}
			told = true
			return text + `{"seq":"0000000900","id":"zzzz.1","at":"2030-01-02T03:04:05.000000Z","event":"run.acted","name":"start-fresh","commit":"` + deed + `","v":1}` + "\n"
		})
		if !told {
			p.T.Fatal("the journal has no place for the line")
		}
		// The forged commit is an ancestor of the notes commit, so that a fetch brings it along.
		tip := p.Git("commit-tree", "-m", "notes", "-p", deed, p.Git("rev-parse", "refs/notes/resume/"+run+"^{tree}"))
		for _, ref := range []string{"refs/notes/resume/" + run, "refs/resume/journal/" + run} {
			p.Git("update-ref", ref, tip)
		}
		p.runWriter("undo", "--yes", run)
		if _, err := os.Lstat(filepath.Join(p.Dir, ".git/hooks/post-index-change")); err == nil {
			p.T.Errorf("a hook is there now, by %s", change)
		}
		clone := p.cloneWithRuns()
		clone.runWriter("undo", "--yes", run)
		p.must(os.RemoveAll(clone.Dir))
	}
}

// tamper replaces the content of a run's snapshots with a git tree that has a harmful path, such as "../secret". It changes the record of
// the run's discard, so that the record names the new snapshots.
func (p *place) tamper(run string) {
	p.T.Helper()
	blob, link := p.hash("owned\n"), p.hash("../../victim")
	inner := strings.TrimSpace(p.Pipe("100644 blob "+blob+"\tsecret\n", "mktree"))
	evil := []string{
		p.rawTree("120000 out\x00"+raw(link), "40000 out\x00"+raw(inner)),
		p.rawTree("40000 ..\x00" + raw(inner)),
		p.rawTree("40000 .git\x00" + raw(inner)),
		p.rawTree("40000 .GIT\x00" + raw(inner)),
	}[p.chance.IntN(4)]
	ref := "refs/resume/snapshots/" + run
	path := filepath.Join(p.Dir, ".git/resume/trash", run+".kept", "record.json")
	record, err := os.ReadFile(path)
	p.must(err)
	root, text := "", string(record)
	for line := range strings.Lines(p.Git("ls-tree", ref)) {
		f := strings.Fields(line)
		entry := strings.Replace(p.Git("ls-tree", f[2]), p.Git("rev-parse", f[2]+":work"), evil, 1) + "\n"
		made := strings.TrimSpace(p.Pipe(entry, "mktree"))
		root += "040000 tree " + made + "\t" + f[3] + "\n"
		text = strings.ReplaceAll(text, f[2], made)
	}
	if text == string(record) {
		p.T.Fatal("the record names no snapshot")
	}
	p.must(os.WriteFile(path, []byte(text), 0o644))
	p.Git("update-ref", ref, strings.TrimSpace(p.Pipe(root, "mktree")))
}

func (p *place) rawTree(entries ...string) string {
	p.T.Helper()
	return strings.TrimSpace(p.Pipe(strings.Join(entries, ""), "hash-object", "-t", "tree", "-w", "--literally", "--stdin"))
}

// foreignPaths writes state files of other systems that name files and folders outside the repository.
func foreignPaths(p *place) {
	out := filepath.Join(p.root, "victim")
	for name, text := range map[string]string{
		".auto-claude/specs/001-x/implementation_plan.json":        `{"feature":"x","worktree":"` + out + `","worktree_path":"../../victim","branch":"../../x","phases":[{"id":"1","subtasks":[{"id":"1.1","status":"in_progress","files_to_modify":["../victim/secret","` + out + `/secret"]}]}]}`,
		".auto-claude/specs/001-x/spec.md":                         "# x\n",
		".long-run/STATE.md":                                       "# Long-Run Implementation State\n## Current Position\nPlan: ../../victim/secret of 2\nStatus: Executing\nResume file: ../../../victim/secret\n",
		".planning/STATE.md":                                       "Plan: 1 of 2\nStatus: Executing\nResume file: ../../victim/secret\nStopped at: " + out + "\n",
		".planning/phases/01-x/01-01-PLAN.md":                      "# plan\nfiles_modified: [../../victim/secret]\n",
		"specs/002-list/tasks.md":                                  "- [x] T001 one `../../victim/secret`\n- [ ] T002 [two](../../victim/secret)\n",
		".aios/epic-3-state.yaml":                                  "epic_state: {epicId: ../../victim/secret, status: active, current_wave: 1, waves: {1: {status: in_progress, stories: {../../victim: {status: in_progress, file: ../../victim/secret}}}}}\n",
		".taskmaster/tasks/tasks.json":                             `{"../../victim": {"tasks": [{"id": "../../victim/secret", "title": "` + out + `", "status": "in-progress"}]}}`,
		"_bmad-output/implementation-artifacts/sprint-status.yaml": "story_location: ../../victim\ndevelopment_status:\n  ../../victim/secret: in-progress\n  1-1-x: " + out + "\n",
		".taskmaster/state.json":                                   `{"currentTag": "../../victim", "branchTagMapping": {"main": "` + out + `"}}`,
	} {
		p.Write(name, text)
	}
	for _, name := range []string{".auto-claude/specs/002-y", ".long-run/plans", ".agent-memory", "specs/900-loop", ".aios/sub"} {
		p.must(os.MkdirAll(filepath.Dir(filepath.Join(p.Dir, name)), 0o755))
		p.must(os.Symlink(out, filepath.Join(p.Dir, name)))
	}
	said := p.runReader("status", "--all", "--check")
	p.runReader("status", "--json", "--all")
	for _, name := range strings.Fields(said.out) {
		if source, _, ok := strings.Cut(name, ":"); ok && source != "" && source != "hint" {
			p.runReader(name, "-n")
			p.runWriter(name, "--print")
			p.runReader("discard", "-n", name)
			p.runWriter(name, "--auto")
			p.runWriter("discard", "-y", name)
			p.runWriter("undo", "--yes")
		}
	}
}
