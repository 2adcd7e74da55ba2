package sourcetest

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
)

// slowest is the longest time that a source may need for one of the small file trees. It is generous because the machine may be busy.
const slowest = 20 * time.Second

// Trees tests a source on unusual file trees. No file name and no content may crash the source or keep it busy for long.
type Trees struct {
	// Names lists unusual file names to try. For each archive, each name is used once for an additional file and once for a folder.
	Names []string
	// Archives lists the txtar archives to start with. If it is empty, the archives in testdata are used.
	Archives []string
	// Below is the folder in which the file trees are created. The default is the worktree. The function May() says whether the test is
	// allowed to create and remove a name in this folder. By default, only .git is forbidden.
	Below string
	May   func(name string) bool
}

// Fuzz creates file trees and lets the source search for work in each.
func (c Trees) Fuzz(f *testing.F, s sources.Source) {
	f.Helper()
	if c.May == nil {
		c.May = notOfGit
	}
	for _, tree := range c.archives(f) {
		f.Add([]byte(tree), uint8(0), "")
		for i, name := range append(odd[:], c.Names...) { // each name is used for one file of the archive, not for all: that is enough for the seed corpus
			f.Add([]byte(tree), uint8(i), name)
			f.Add([]byte(tree), uint8(i)|ofFolder, name)
		}
	}
	r := gittest.New(f)
	f.Fuzz(func(t *testing.T, tree []byte, which uint8, name string) {
		c.lay(t, filepath.Join(r.Dir, c.Below), tree, which, name)
		own := *r
		own.T = t
		askAll(t, &own, s)
	})
}

func (c Trees) archives(f *testing.F) []string {
	f.Helper()
	if len(c.Archives) > 0 {
		return c.Archives
	}
	names, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(names) == 0 {
		f.Fatalf("there is no archive to begin with: %v", err)
	}
	var out []string
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		out = append(out, string(text))
	}
	return out
}

// odd lists file names that every source must be able to handle.
var odd = [...]string{"-", ".", " ", "x", "..x", "-state.yaml", "state.json", "1", "1-2-3", "é\xff", "a\nb", "*?[", ".md", "99999999999999999999"}

// ofFolder is a bit of the argument "which" of lay. If the bit is set, lay gives the argument "name" to the file's folder instead of the
// file.
const ofFolder = 0x80

// lay empties the folder top, except for names that May() forbids. Then it creates up to 40 files of an archive. If a name is given, lay
// also creates a copy of one of the files with this name. It skips files that cannot be created.
func (c Trees) lay(t *testing.T, top string, tree []byte, which uint8, name string) {
	t.Helper()
	entries, err := os.ReadDir(top)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if c.May(e.Name()) {
			if err := os.RemoveAll(filepath.Join(top, e.Name())); err != nil {
				t.Fatal(err)
			}
		}
	}
	const most = 40
	files := txtar.Parse(tree).Files
	files = files[:min(len(files), most)]
	if name != "" && len(files) > 0 {
		f := files[int(which&^ofFolder)%len(files)]
		dir, base := path.Split(f.Name)
		if f.Name = path.Join(dir, name); which&ofFolder != 0 {
			f.Name = path.Join(path.Dir(path.Clean(dir)), name, base)
		}
		files = append(files, f)
	}
	for _, f := range files {
		if name := path.Clean(f.Name); filepath.IsLocal(filepath.FromSlash(name)) && c.May(name) {
			full := filepath.Join(top, filepath.FromSlash(name))
			_ = os.MkdirAll(filepath.Dir(full), 0o755) // errors are expected, because the same name may be needed for a folder and a file
			_ = os.WriteFile(full, f.Data, 0o644)
		}
	}
}

func notOfGit(name string) bool {
	return !slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return strings.EqualFold(part, ".git") })
}

// askAll lets a source search for work. It also lets the source compute the file changes of each alternative that it offers. The test fails
// if this takes too long, or if the source finds work without a name.
func askAll(t *testing.T, r *gittest.Repo, s sources.Source) {
	t.Helper()
	v, done := View(r)
	defer done()
	ctx, stop := context.WithTimeout(t.Context(), slowest)
	defer stop()
	found, err := s.Find(ctx, v)
	if err != nil && ctx.Err() == nil {
		return // an error is fine, because it would be reported to the user
	}
	actor, canAct := s.(sources.Actor)
	for i := range found {
		if sources.ReaderOf(found[i].Source) != s.Name() || found[i].ID == "" {
			t.Errorf("found something without a name: %+v", found[i])
		}
		for _, a := range found[i].Alternatives {
			if canAct {
				_, _ = actor.Act(ctx, v, &found[i], sources.ActionRequest{Name: a.Name, Text: "x"})
			}
		}
	}
	if ctx.Err() != nil {
		t.Errorf("it took more than %s", slowest)
	}
}
