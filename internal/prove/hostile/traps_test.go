//go:build linux

package hostile

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// traps returns scenarios with git settings that contain commands, such as diff.external.
// The program may run such a command only if git itself would run it for the same work.
func traps() []scenario {
	out := []scenario{
		{"traps in the settings of a repository", func(p *place) { p.compareTraps(nil) }},
		{"traps and a terminal's pager", func(p *place) {
			p.Git("config", "color.ui", "never") // otherwise git writes colours into the output when a pager is in use
			p.compareTraps([]string{"PAGER=" + p.trap("env-pager"), "GIT_PAGER_IN_USE=1"})
		}},
	}
	for _, name := range sorted((&place{}).trapSetters()) {
		out = append(out, scenario{"trap " + name, func(p *place) { p.compareTraps(nil, name) }})
	}
	return out
}

// trapSetters returns functions that set one trap each. The keys are the names of the traps.
func (p *place) trapSetters() map[string]func() {
	set := func(key, value string) { p.Git("config", key, value) }
	plain := func(key string) func() { return func() { set(key, p.trap(key)) } }
	out := map[string]func(){
		"filter": func() {
			set("filter.evil.clean", p.trap("filter.clean"))
			set("filter.evil.smudge", p.trap("filter.smudge"))
			set("filter.evil.process", p.trap("filter.process"))
			p.attribute("* filter=evil")
		},
		"textconv": func() {
			set("diff.evil.textconv", p.trap("textconv"))
			set("diff.evil.cachetextconv", "true")
			p.attribute("* diff=evil")
		},
		"diff command": func() {
			set("diff.evil.command", p.trap("diff.command"))
			p.attribute("* diff=evil")
		},
		"merge driver": func() {
			set("merge.evil.driver", p.trap("merge.driver"))
			p.attribute("* merge=evil")
		},
		"include": func() {
			p.outside("more.config", "[core]\n\tfsmonitor = "+p.trap("included")+"\n[alias]\n\tstatus = !"+p.trap("alias")+"\n")
			set("include.path", filepath.Join(p.root, "more.config"))
		},
		"aliases": func() {
			for _, name := range []string{"evil", "status", "log", "diff", "cat-file", "rev-list", "update-ref", "config", "resume", "version"} {
				set("alias."+name, "!"+p.trap("alias."+name))
			}
		},
		"hooks": func() {
			dir := filepath.Join(p.root, "hooks")
			for _, name := range []string{"pre-commit", "commit-msg", "post-commit", "post-checkout", "pre-auto-gc", "reference-transaction", "post-index-change", "fsmonitor-watchman", "pre-merge-commit", "post-merge", "pre-rebase"} {
				p.outside("hooks/"+name, "#!/bin/sh\n"+p.trap("hook."+name)+" </dev/null >/dev/null\nexit 0\n")
			}
			set("core.hooksPath", dir)
		},
		"hooks in settings": func() {
			for _, event := range []string{"pre-commit", "post-checkout", "reference-transaction", "post-index-change"} {
				set("hook.evil-"+event+".event", event)
				set("hook.evil-"+event+".command", p.trap("hook."+event))
			}
		},
		"signing": func() {
			set("commit.gpgSign", "true")
			set("gpg.program", filepath.Join(p.root, "trap.sh"))
			set("log.showSignature", "true")
			set("gpg.ssh.program", filepath.Join(p.root, "trap.sh"))
		},
		"trailers": func() {
			set("trailer.evil.command", p.trap("trailer.command"))
			set("trailer.evil.cmd", p.trap("trailer.cmd"))
			set("trailer.evil.ifmissing", "add")
		},
		"other tools": func() {
			set("diff.tool", "evil")
			set("difftool.evil.cmd", p.trap("difftool"))
			set("mergetool.evil.cmd", p.trap("mergetool"))
			set("interactive.diffFilter", p.trap("diffFilter"))
			set("browser.evil.cmd", p.trap("browser"))
			set("column.ui", "always")
			set("status.submoduleSummary", "true")
			set("blame.ignoreRevsFile", filepath.Join(p.root, "victim/secret"))
			set("core.quotePath", "false")
		},
	}
	for _, key := range []string{"core.fsmonitor", "core.sshCommand", "core.pager", "pager.resume", "pager.status", "pager.log", "core.editor", "sequence.editor", "core.askPass", "credential.helper", "diff.external", "core.gitProxy", "uploadpack.packObjectsHook", "core.alternateRefsCommand", "fsmonitor.socketDir", "maintenance.strategy", "init.templateDir", "web.browser", "core.worktree"} {
		out[key] = plain(key)
	}
	delete(out, "core.worktree")                                    // it names a folder, and git fails if the folder is wrong
	for _, key := range []string{"core.askPass", "core.gitProxy"} { // git treats the whole value as the path of a program
		out[key] = func() { set(key, p.program(key)) }
	}
	return out
}

func (p *place) attribute(line string) {
	p.T.Helper()
	path := filepath.Join(p.Dir, ".git", "info", "attributes")
	p.must(os.MkdirAll(filepath.Dir(path), 0o755))
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	p.must(err)
	defer f.Close()
	_, err = fmt.Fprintln(f, line)
	p.must(err)
}

// compareTraps sets traps, which are programs that git could be made to run, and runs commands of git and of git-resume. It checks that
// git-resume triggers no trap that git does not trigger.
func (p *place) compareTraps(env []string, names ...string) {
	p.T.Helper()
	run := p.interruptedRun(withoutCommands(markedPlan))
	tree := p.In(filepath.Join(p.root, "repo.worktrees", run))
	snares := p.trapSetters()
	if len(names) == 0 {
		names = sorted(snares)
	}
	for _, name := range names {
		snares[name]()
	}
	tree.Write("README", "changed\n")
	tree.Write("new", "new\n")
	p.Write("README", "changed here too\n")
	p.triggeredTraps()
	p.Env = append(slices.Clone(p.Env), env...)
	tree.Env = p.Env

	// Collect the traps that git itself triggers in both worktrees when it only reads.
	p.Try("git", "--no-optional-locks", "status")
	tree.Try("git", "--no-optional-locks", "status", "--porcelain=v2", "-uall")
	allowed := p.triggeredTraps()
	for _, args := range reading(run, "c") {
		s := p.run(args...)
		p.checkTraps(s, allowed)
	}

	// Collect the traps that git triggers when it writes.
	scratch := filepath.Join(p.root, "scratch")
	p.Try("git", "worktree", "add", "-q", "-b", "scratch", scratch, "resume/"+run)
	other := p.In(scratch)
	other.Env = p.Env
	other.Write("README", "another\n")
	other.Write("more", "more\n")
	other.Try("git", "add", "-A")
	other.Try("git", "commit", "-q", "-m", "x")
	other.Try("git", "commit", "-q", "--allow-empty", "--no-gpg-sign", "-m", "x") // signing fails here, so commit without it to reach the later steps
	other.Try("git", "merge", "-q", "main")
	other.Try("git", "gc", "-q", "--auto")
	p.Try("git", "worktree", "remove", "--force", scratch)
	p.Try("git", "branch", "-q", "-D", "scratch")
	allowed = append(allowed, p.triggeredTraps()...)
	for _, args := range [][]string{{"checkpoint", "--run", run}, {"task", "start", "--run", run, "c"}, {"task", "done", "--run", run, "c"}, {run, "--yes"}, {"pause", run}, {"discard", "-y", "--force", run}, {"undo", "--yes", run}} {
		there := *p
		there.Repo = tree
		if args[0] == "discard" || args[0] == "undo" {
			there.Repo = p.Repo
		}
		s := there.run(args...)
		p.checkTraps(s, allowed)
	}
}

// checkTraps checks the traps, which are programs that git settings name, and that note when somebody runs them. The command may have run
// only the traps in "allowed", which git itself runs for the same work.
func (p *place) checkTraps(s result, allowed []string) {
	p.T.Helper()
	for _, name := range p.triggeredTraps() {
		if !slices.Contains(allowed, name) {
			p.T.Errorf("%q runs %s, which git does not (%s)\n%.600s", s.args, name, strings.Join(allowed, ", "), s.out)
		}
	}
}
