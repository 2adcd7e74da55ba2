package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-resume/git-resume/checkpoint/clone"
	"github.com/git-resume/git-resume/hooks"
	"github.com/git-resume/git-resume/internal/quote"
)

// key checks whether this user's signing key can be used. It offers no automatic repair, because only a person knows who else may have
// read the key.
func (d *doctor) key(context.Context) error {
	fault := d.Store.Keys().KeyFault()
	var bad *clone.KeyError
	switch {
	case errors.As(fault, &bad):
		d.ill(Check{Name: "key", Text: fault.Error(), Help: quote.Command("chmod 600 %s", bad.Path)})
	case d.Store.Keys().HasKey():
		d.well("key", "the key that signs this user's records was made here, and only this user can read it")
	default:
		d.well("key", "there is no key yet to sign this user's records; the first run makes one")
	}
	return nil
}

// The method "git" reports which features the installed git supports.
func (d *doctor) git(ctx context.Context) error {
	have := d.Repo.Version(ctx)
	text := "git before 2.38 cannot check for conflicts, so git-resume does; git before 2.54 has no hooks in the config, so a hook file is used"
	switch {
	case d.Repo.AtLeast(ctx, "2.54"):
		text = "this git has all features that git-resume uses"
	case d.Repo.AtLeast(ctx, "2.38"):
		text = "git before 2.54 has no hooks in the config, so a hook file is used"
	}
	d.well("git "+have, "%s", text)
	return nil
}

func (d *doctor) hook(ctx context.Context) error {
	h, err := hooks.Inspect(ctx, d.Repo)
	if err != nil {
		d.ill(Check{Name: "hook", Text: err.Error()})
		return nil
	}
	renew := func(ctx context.Context) error {
		_, err := hooks.Install(ctx, d.Repo, hooks.Request{Global: h.Global})
		return err
	}
	switch {
	case h.Shadowed:
		d.ill(Check{Name: "hook", Text: "git looks for hooks in " + h.Dir + " and does not find git-resume's hook", Help: "git resume hooks install", Fix: renew})
	case h.CallsItself:
		d.ill(Check{Name: "hook", Text: "git-resume's hook was saved as the former hook, so it may call itself without end", Fix: renew})
	case !h.Installed():
		d.well("hook", "not installed (git resume hooks install)")
	case !h.Alive:
		c := Check{Name: "hook", Text: "installed, but git does not run it", Help: h.Then}
		if h.Way == hooks.ByFile {
			c.Fix = func(context.Context) error { return os.Chmod(h.Path, 0o755) }
		}
		d.ill(c)
	case !h.Current:
		d.ill(Check{Name: "hook", Text: "from another version", Fix: renew})
	case h.Chained:
		d.well("hook", "installed, another tool's hook runs first")
	default:
		d.well("hook", "installed, git runs it")
	}
	return nil
}

// notes looks for a git setting with which a fetch would overwrite records that have not been pushed.
func (d *doctor) notes(ctx context.Context) error {
	c, err := d.Repo.Settings.Config(ctx)
	if err != nil {
		return err
	}
	for key, values := range c.Section("remote.") {
		for _, v := range values {
			to, forced := strings.CutPrefix(v, "+")
			_, to, _ = strings.Cut(to, ":")
			if !forced || !strings.HasSuffix(key, ".fetch") || !overwritesRecords(to) {
				continue
			}
			help := quote.Command("git config --replace-all %s %s refs/notes", key, "+refs/notes/*:refs/notes/"+remoteOf(key)+"/*")
			if strings.HasPrefix(to, "refs/resume/") {
				help = quote.Command("git config --unset-all %s :refs/resume/", key)
			}
			d.ill(Check{Name: "notes", Text: fmt.Sprintf("%s = %s lets a fetch overwrite run records that were not pushed yet", key, v), Help: help})
			return nil
		}
	}
	d.well("notes", "no fetch overwrites the notes")
	return nil
}

// overwritesRecords reports whether a fetch into these refs can change the records of runs. The argument is the right side of a refspec,
// which may end with "*".
func overwritesRecords(to string) bool {
	const notes = "refs/notes/resume/"
	space, many := strings.CutSuffix(to, "*")
	return strings.HasPrefix(to, "refs/resume/") || strings.HasPrefix(to, notes) || many && strings.HasPrefix(to, "refs/notes/") && strings.HasPrefix(notes, space)
}

func remoteOf(key string) string {
	return strings.TrimSuffix(strings.TrimPrefix(key, "remote."), ".fetch")
}

// graph suggests writing a commit-graph if there is none, because conflict checks are then faster. A missing commit-graph is not a problem.
func (d *doctor) graph(context.Context) error {
	for _, name := range []string{"commit-graph", "commit-graphs"} {
		if _, err := os.Stat(d.Repo.CommonPath("objects", "info", name)); err == nil {
			d.well("commits", "there is a commit-graph")
			return nil
		}
	}
	d.well("commits", "no commit-graph; 'git commit-graph write --reachable' makes conflict checks faster in a large history")
	return nil
}

// format lists unusual properties of the repository.
func (d *doctor) format(ctx context.Context) error {
	c, err := d.Repo.Settings.Config(ctx)
	if err != nil {
		return err
	}
	var odd []string
	for _, x := range []struct{ key, word string }{
		{"extensions.objectformat", "objects"}, {"extensions.refstorage", "refs"}, {"extensions.partialclone", "partial clone of"}, {"core.sparsecheckout", "sparse"},
	} {
		if v, ok := c.Get(x.key); ok && v != "false" {
			odd = append(odd, x.word+" "+v)
		}
	}
	if _, err := os.Stat(d.Repo.CommonPath("shallow")); err == nil {
		odd = append(odd, "shallow")
	}
	if len(odd) == 0 {
		odd = []string{"ordinary"}
	}
	d.well("repository", "%s", strings.Join(odd, ", "))
	return nil
}

// sizes says how many files are in our folder in the git directory, and how large they are.
func (d *doctor) sizes(context.Context) error {
	var total int64
	files := 0
	err := filepath.WalkDir(d.Repo.CommonPath("resume"), func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil // folders, and files that cannot be read, count as empty
		}
		if info, err := e.Info(); err == nil {
			total, files = total+info.Size(), files+1
		}
		return nil
	})
	if err != nil {
		return err
	}
	d.well("files", "%d in %s, %d kB", files, d.Repo.CommonPath("resume"), (total+1023)>>10)
	return nil
}

// disk measures the space that worktrees, snapshots, logs and discarded runs take.
func (d *doctor) disk(ctx context.Context) error {
	space, err := d.Disk(ctx)
	if err == nil {
		d.checks = append(d.checks, Check{Name: "disk", Well: true, Disk: space})
	}
	return err
}
