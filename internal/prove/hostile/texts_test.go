//go:build linux

package hostile

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// controlTexts are texts that control a terminal: they set its title or colours, reverse the writing direction, or overwrite earlier text.
var controlTexts = []string{
	"\x1b]0;owned\x07", "\x1b[31mred\x1b[0m", "\u009b31m", "\u202eright", "\u2066x\u2069", "a\rb", "a\x08\x08b", "\x7f", "\x1bP+q\x1b\\", "\x1b]52;c;ZXZpbA==\x07",
	"\x1b[2J\x1b[H", "a\x00b", "\u061c\u200e", "\x0e", "\x1b[?1049h",
}

// randomControlText returns the word "evil" and six random texts that control a terminal.
func (p *place) randomControlText() string {
	var out strings.Builder
	out.WriteString("evil")
	for _, i := range p.chance.Perm(len(controlTexts))[:6] {
		out.WriteString(controlTexts[i])
	}
	return out.String()
}

func texts() []scenario {
	return []scenario{
		{"texts of a run", func(p *place) {
			run := p.interruptedRun(withoutCommands(markedPlan))
			p.rewrite(run, p.insertControlText(quote))
			p.tour(run, "c")
		}},
		{"texts of a fetched run", func(p *place) {
			run := p.interruptedRun(withoutCommands(markedPlan))
			p.rewrite(run, p.insertControlText(quote))
			p.cloneWithRuns().tour(run, "c")
		}},
		{"lines that are no JSON", func(p *place) {
			run := p.interruptedRun(withoutCommands(markedPlan))
			p.rewrite(run, func(text string) string {
				return text + strings.ReplaceAll(text, mark, p.randomControlText()) + p.randomControlText() + "\n{\"seq\":\"" + p.randomControlText() + "\"}\n"
			})
			p.tour(run, "c")
		}},
		{"file names", fileNames},
		{"commits", commits},
		{"branches", branches},
		{"settings", settings},
		{"files beside the refs", besideRefs},
		{"worktrees that say so", func(p *place) {
			run := p.interruptedRun(withoutCommands(markedPlan))
			admin := filepath.Join(p.Dir, ".git", "worktrees", run)
			p.must(os.WriteFile(filepath.Join(admin, "locked"), []byte(p.randomControlText()+"\n"), 0o644))
			p.Git("worktree", "add", "-q", "--detach", filepath.Join(p.root, "evil\x1b[31m\u202e"))
			p.tour(run, "c")
		}},
		{"work of other systems", foreign},
		{"operations of git", operations},
	}
}

// insertControlText returns a function that replaces the word "evilmark" in a text with control sequences for a terminal.
func (p *place) insertControlText(encode func(string) string) func(string) string {
	return func(text string) string {
		parts := strings.Split(text, mark)
		for i := range parts[1:] {
			parts[i] += encode(p.randomControlText())
		}
		return strings.Join(parts, "")
	}
}

func (p *place) must(err error) {
	p.T.Helper()
	if err != nil {
		p.T.Fatal(err)
	}
}

// fileNames makes files whose names contain control characters, and changes them both in the run and on the base.
func fileNames(p *place) {
	names := []string{"n\x1b[31m", "n\x1b]0;t\x07", "n\u202ex", "n\nx", "n\rx", "n\x7f", "n\u009bx", "-n", "n\x1b[2J/d\x1b[H"}
	for _, name := range names {
		p.Write(name, "one\n")
	}
	p.Git("add", "-A")
	p.Git("commit", "-q", "-m", "names")
	run := p.interruptedRun(withoutCommands(markedPlan))
	tree := p.In(filepath.Join(p.root, "repo.worktrees", run))
	for i, name := range names {
		tree.Write(name, "theirs\n")
		tree.Write("u"+name, "untracked\n")
		if i%2 == 0 {
			tree.Git("add", "-A")
			tree.Git("commit", "-q", "-m", "in the run")
		}
		p.Write(name, "ours\n")
	}
	p.Git("commit", "-q", "-a", "-m", "on main")
	p.tour(run, "c")
}

// commits makes commits with harmful subjects, authors and trailers.
func commits(p *place) {
	run := p.interruptedRun(withoutCommands(markedPlan))
	tree := p.In(filepath.Join(p.root, "repo.worktrees", run))
	evil := strings.ReplaceAll(p.randomControlText(), "\x00", "")
	for _, r := range []struct {
		name string
		in   interface{ Git(...string) string }
	}{{"run", tree.With("GIT_AUTHOR_NAME="+evil, "GIT_COMMITTER_NAME="+evil)}, {"base", p.Repo.With("GIT_AUTHOR_NAME=" + evil)}} {
		for _, message := range []string{evil, evil + "\n\nResume-Run: " + run + "\nResume-Task: c" + evil, evil + "\n\nResume-Run: " + run + "\nResume-Task: c", "x\n\nResume-Run: ../../" + evil} {
			r.in.Git("commit", "-q", "--allow-empty", "--cleanup=verbatim", "-m", message)
		}
	}
	p.tour(run, "c")
}

// branches makes branches with names that git allows, and ref files with names that git does not allow.
func branches(p *place) {
	evil := "b\u202e\u009b31m"
	p.Git("checkout", "-q", "-b", evil)
	p.Git("update-ref", "refs/heads/resume/"+evil, "HEAD")
	p.Git("update-ref", "refs/notes/resume/"+evil+"-ab2c", "HEAD")
	p.Git("update-ref", "refs/resume/journal/"+evil+"-ab2d", "HEAD")
	run := p.interruptedRun(strings.Replace(withoutCommands(markedPlan), "base: main\n", "", 1)) // without "base: main" the run starts from the current branch
	head := p.Git("rev-parse", "HEAD")
	for _, dir := range []string{"refs/heads", "refs/notes/resume", "refs/resume/journal", "refs/resume/snapshots", "refs/resume/discarded", "refs/resume/wip", "refs/resume/trash", "resume/open", "resume/closed"} {
		p.Write(".git/"+dir+"/x\x1b[31m-ab2e", head+"\n")
		p.Write(".git/"+dir+"/-rf", head+"\n")
		p.Write(".git/"+dir+"/x y", head+"\n")
	}
	p.tour(run, "c")
}

// settings writes wrong settings, which the program quotes in its messages.
func settings(p *place) {
	run := p.interruptedRun(withoutCommands(markedPlan))
	evil := strings.ReplaceAll(p.randomControlText(), "\x00", "")
	for _, key := range []string{"base", "branchPrefix", "idle", "keepDiscarded", "mode", "stale", "update", "sources", "ignore", "notice", "maxFile", "plans", "expectConflicts", "worktreeDir", "long-run.path", "copyIgnored"} {
		p.Git("config", "resume."+key, evil)
		for _, args := range [][]string{{"status"}, {"status", "--check", run}, {run, "-n"}, {"doctor"}, {"discard", "-n", run}, {"log"}} {
			p.runReader(args...)
		}
		p.runWriter("start", "--name", "other", "--task", "x")
		p.Git("config", "--unset", "resume."+key)
	}
}

// besideRefs inserts control characters into every file in .git/resume.
func besideRefs(p *place) {
	run := p.interruptedRun(withoutCommands(markedPlan))
	own := filepath.Join(p.Dir, ".git", "resume")
	p.must(filepath.WalkDir(own, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, []byte(strings.ReplaceAll(string(text), "\"", "\""+quote(p.randomControlText()))+p.randomControlText()), 0o644)
		}
		return err
	}))
	p.must(os.WriteFile(filepath.Join(own, run+".lock"), []byte(`{"pid":1,"host":"`+quote(p.randomControlText())+`","command":"`+quote(p.randomControlText())+`"}`), 0o644))
	p.tour(run, "c")
}

// foreign writes the state files of other systems, with control characters in some words.
func foreign(p *place) {
	found, err := filepath.Glob("../../sources/*/testdata/*.txtar")
	p.must(err)
	if len(found) < 30 {
		p.T.Fatalf("only %d examples", len(found))
	}
	for _, i := range p.chance.Perm(len(found))[:6] {
		archive, err := txtar.ParseFile(found[i])
		p.must(err)
		for _, f := range archive.Files {
			p.Write(f.Name, p.corruptWords(string(f.Data)))
		}
	}
	p.Git("add", "-A")
	p.Git("commit", "-q", "-m", "state of others")
	out := p.runReader("status", "--all")
	p.runReader("status", "--json", "--all")
	p.runReader("status", "--porcelain")
	p.runReader("status", "--check")
	for _, name := range strings.Fields(out.out) {
		if source, _, ok := strings.Cut(name, ":"); ok && source != "" && source != "hint" {
			for _, args := range [][]string{{"status", name}, {name, "-n"}, {"discard", "-n", name}, {"status", "--check", name}} {
				p.runReader(args...)
			}
			p.runWriter(name, "--print")
			p.runWriter(name, "--auto")
		}
	}
}

// corruptWords adds control characters to some words of a text, and keeps its structure.
func (p *place) corruptWords(text string) string {
	words := strings.SplitAfter(text, " ")
	for i, w := range words {
		if p.chance.IntN(8) == 0 && len(w) > 4 && !strings.ContainsAny(w, "{}[]:\"'#|-\n*") {
			words[i] = strings.TrimRight(w, " ") + controlTexts[p.chance.IntN(len(controlTexts))] + " "
		}
	}
	return strings.Join(words, "")
}

// operations leaves a stopped rebase and a bisect in the repository, with control characters in their state files.
func operations(p *place) {
	p.Topic(4)
	p.Clash(2)
	p.Try("git", "checkout", "-q", "topic")
	p.Try("git", "rebase", "main")
	p.Try("git", "bisect", "start")
	for _, name := range []string{"rebase-merge/git-rebase-todo", "rebase-merge/done", "rebase-merge/message", "rebase-merge/head-name", "rebase-merge/onto_name", "MERGE_MSG", "BISECT_LOG", "BISECT_START", "BISECT_TERMS", "rebase-merge/author-script"} {
		if text, err := os.ReadFile(filepath.Join(p.Dir, ".git", name)); err == nil {
			p.Write(".git/"+name, p.randomControlText()+"\nexec "+p.trap("exec")+p.randomControlText()+"\n"+string(text)+p.randomControlText())
		}
	}
	for _, args := range [][]string{{"status"}, {"status", "--check"}, {"status", "--json"}, {"-n"}, {"doctor"}, {"git:rebase", "-n"}, {"git:bisect", "-n"}} {
		p.runReader(args...)
	}
}
