//go:build linux

package hostile

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// refs are scenarios in which a ref points to the wrong type of object or to nothing, or is not a ref at all.
func refs() []scenario {
	kinds := map[string]func(p *place, ref string){
		"a blob":           func(p *place, ref string) { p.point(ref, p.hash("x\n")) },
		"a tree":           func(p *place, ref string) { p.point(ref, p.Git("rev-parse", "HEAD^{tree}")) },
		"a tag":            func(p *place, ref string) { p.nestTags(ref, 1) },
		"tags upon tags":   func(p *place, ref string) { p.nestTags(ref, 300) },
		"a foreign commit": func(p *place, ref string) { p.Git("update-ref", ref, "HEAD") },
		"a ref to itself":  func(p *place, ref string) { p.Write(".git/"+ref, "ref: "+ref+"\n") },
		"a ref to another": func(p *place, ref string) { p.Git("symbolic-ref", ref, "refs/heads/main") },
		"a ref to nothing": func(p *place, ref string) { p.Git("symbolic-ref", ref, "refs/heads/nothing") },
		"a ref outside":    func(p *place, ref string) { p.Write(".git/"+ref, "ref: ../../victim/secret\n") },
		"nonsense":         func(p *place, ref string) { p.Write(".git/"+ref, p.randomControlText()+"\n") },
		"empty":            func(p *place, ref string) { p.Write(".git/"+ref, "") },
		"zeros":            func(p *place, ref string) { p.Write(".git/"+ref, strings.Repeat("0", 40)+"\n") },
		"a missing object": func(p *place, ref string) { p.Write(".git/"+ref, strings.Repeat("ab", 20)+"\n") },
		"a folder":         func(p *place, ref string) { p.folder(ref) },
		"a link": func(p *place, ref string) {
			p.instead(ref, func(path string) error { return os.Symlink(filepath.Join(p.root, "victim/secret"), path) })
		},
		"a link to a ref": func(p *place, ref string) {
			p.instead(ref, func(path string) error { return os.Symlink("refs/heads/main", path) })
		},
		"a folder of refs":   func(p *place, ref string) { p.Git("update-ref", "-d", ref); p.Git("update-ref", ref+"/below", "HEAD") },
		"ten megabytes long": func(p *place, ref string) { p.Write(".git/"+ref, strings.Repeat("a", 10<<20)) },
	}
	var out []scenario
	for _, name := range sorted(kinds) {
		for _, of := range []string{"refs/resume/journal/", "refs/notes/resume/"} {
			out = append(out, scenario{"ref " + of[5:] + " is " + name, func(p *place) {
				run := p.interruptedRun(withoutCommands(markedPlan))
				kinds[name](p, of+run)
				p.tour(run, "c")
			}})
		}
		out = append(out, scenario{"other refs are " + name, func(p *place) {
			run := p.interruptedRun(withoutCommands(markedPlan))
			for _, of := range []string{
				"refs/resume/snapshots/", "refs/resume/discarded/", "refs/resume/acted/", "refs/resume/base/", "refs/heads/resume/",
				"refs/resume/wip/", "refs/resume/trash/", "refs/resume/trash/acted/", // older versions of git-resume used these refs
			} {
				if p.chance.IntN(2) == 0 {
					kinds[name](p, of+run)
				}
			}
			p.tour(run, "c")
		}})
	}
	return append(out,
		scenario{"a file where refs have their folder", func(p *place) {
			p.Git("update-ref", "refs/notes/resume", "HEAD")
			p.Git("update-ref", "refs/resume/journal", "HEAD")
			p.Git("update-ref", "refs/heads/resume", "HEAD")
			p.runWriter("start", "--name", "job", "--task", "a")
			p.tour("job", "a")
		}},
		scenario{"a pipe among our files", func(p *place) { p.ourFiles(func(path string) error { return syscall.Mkfifo(path, 0o644) }) }},
		scenario{"giants among our files", func(p *place) {
			p.ourFiles(func(path string) error {
				if err := os.WriteFile(path, []byte("{\"v\":1,\"x\":\""), 0o644); err != nil {
					return err
				}
				return os.Truncate(path, int64(giantSize()))
			})
		}},
		scenario{"folders among our files", func(p *place) { p.ourFiles(func(path string) error { return os.Mkdir(path, 0o755) }) }},
		scenario{"runs with names that are none", func(p *place) {
			for _, name := range []string{"..-ab2c", "x..y-ab2c", "-ab2c", "a/b-ab2c", "A-ab2c", strings.Repeat("x", 200) + "-ab2c", "x-abcd.lock", "@-ab2c", "x-2222", "con-ab2c", "x-ab2c."} {
				p.Try("git", "update-ref", "refs/notes/resume/"+name, "HEAD")
				p.Try("git", "update-ref", "refs/resume/journal/"+name, "HEAD")
			}
			p.tour("x-2222", "a")
		}},
	)
}

// ourFiles replaces files of the program in .git/resume with something else.
func (p *place) ourFiles(put func(path string) error) {
	p.T.Helper()
	run := p.interruptedRun(withoutCommands(markedPlan))
	for _, name := range []string{"open/" + run, "cache/" + run, "clone", run + ".lock", run + ".task.lock", run + ".append", "trusted", "open/zzzz-ab2c", "closed/" + run} {
		path := filepath.Join(p.Dir, ".git", "resume", name)
		p.must(os.RemoveAll(path))
		p.must(os.MkdirAll(filepath.Dir(path), 0o755))
		p.must(put(path))
	}
	p.tour(run, "c")
}

// nestTags turns a ref into a tag of a tag of a tag, n levels deep.
func (p *place) nestTags(ref string, n int) {
	p.T.Helper()
	out, code := p.Try("git", "rev-parse", "-q", "--verify", ref)
	if code != 0 {
		out = p.Git("rev-parse", "HEAD")
	}
	id, kind := strings.TrimSpace(out), "commit"
	for range n {
		id = strings.TrimSpace(p.Pipe("object "+id+"\ntype "+kind+"\ntag x\ntagger A <a@example.com> 1 +0000\n\nx\n", "hash-object", "-t", "tag", "-w", "--stdin"))
		kind = "tag"
	}
	p.point(ref, id)
}

// point gives a ref a value that git itself would refuse, such as a branch that does not point to a commit.
func (p *place) point(ref, id string) {
	p.T.Helper()
	p.Git("update-ref", "-d", ref)
	p.Write(".git/"+ref, id+"\n")
}

func (p *place) folder(ref string) {
	p.T.Helper()
	p.instead(ref, func(path string) error { return os.MkdirAll(filepath.Join(path, "in", "it"), 0o755) })
}

func (p *place) instead(ref string, make func(path string) error) {
	p.T.Helper()
	path := filepath.Join(p.Dir, ".git", ref)
	p.must(os.RemoveAll(path))
	p.must(os.MkdirAll(filepath.Dir(path), 0o755))
	p.must(make(path))
}
