package gittest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Kinds returns the kinds of repositories in which tests try the program.
func Kinds() []Kind {
	all := plainKinds()
	all = append(all, addressedKinds()...)
	all = append(all, bareKinds()...)
	all = append(all, storageKinds()...)
	return append(all, pathKinds()...)
}

func plainKinds() []Kind {
	return []Kind{
		{Name: "main worktree", Make: plain},
		{Name: "subdirectory", Make: func(t testing.TB, g Git) *Repo {
			r := plain(t, g)
			return r.In(filepath.Join(r.Dir, "dir", "deep"))
		}},
		{Name: "linked worktree", Make: linked},
		{Name: "subdirectory of a linked worktree", Make: func(t testing.TB, g Git) *Repo {
			r := linked(t, g)
			return r.In(filepath.Join(r.Dir, "dir"))
		}},
		{Name: "linked worktree with relative paths", Make: func(t testing.TB, g Git) *Repo {
			r := plain(t, g)
			r.Git("worktree", "add", "-q", "--relative-paths", "-b", "linked", "../linked")
			return r.In(filepath.Join(r.Root(), "linked"))
		}, Needs: func(g Git) bool { return g.AtLeast(2, 48) }},
		{Name: "detached head", Make: func(t testing.TB, g Git) *Repo {
			r := plain(t, g)
			r.Git("checkout", "-q", "--detach", "HEAD~1")
			return r
		}},
		{Name: "separate git dir", Make: func(t testing.TB, g Git) *Repo {
			root := t.TempDir()
			return g.Fresh(t, "repo", "--separate-git-dir", filepath.Join(root, "elsewhere.git"))
		}},
		{Name: "submodule", Make: submodule},
		{Name: "sparse with settings per worktree", Make: func(t testing.TB, g Git) *Repo {
			r := plain(t, g)
			r.Git("sparse-checkout", "set", "--cone", "dir/deep")
			r.Git("config", "extensions.worktreeConfig", "true")
			r.Git("worktree", "add", "-q", "-b", "linked", "../linked")
			at := r.In(filepath.Join(r.Root(), "linked"))
			at.Git("sparse-checkout", "set", "--no-cone", "/README", "/dir.txt")
			return at
		}},
		{Name: "split index", Make: func(t testing.TB, g Git) *Repo {
			r := plain(t, g)
			r.Git("update-index", "--split-index")
			return r
		}},
		{Name: "inside the git dir", Make: func(t testing.TB, g Git) *Repo {
			r := plain(t, g)
			return r.In(filepath.Join(r.Dir, ".git", "refs"))
		}},
	}
}

func addressedKinds() []Kind {
	return []Kind{
		{Name: "GIT_DIR and GIT_WORK_TREE, from elsewhere", Make: func(t testing.TB, g Git) *Repo {
			r := plain(t, g)
			return r.In(r.Root()).With("GIT_DIR="+filepath.Join(r.Dir, ".git"), "GIT_WORK_TREE="+r.Dir)
		}},
		{Name: "GIT_DIR and GIT_WORK_TREE, relative", Make: func(t testing.TB, g Git) *Repo {
			r := plain(t, g)
			return r.In(filepath.Join(r.Dir, "dir")).With("GIT_DIR=../.git", "GIT_WORK_TREE=..")
		}},
		{Name: "GIT_DIR alone", Make: func(t testing.TB, g Git) *Repo {
			r := plain(t, g)
			return r.With("GIT_DIR=.git")
		}},
		{Name: "GIT_DIR of a linked worktree", Make: func(t testing.TB, g Git) *Repo {
			r := linked(t, g)
			return r.With("GIT_DIR=" + r.Git("rev-parse", "--absolute-git-dir"))
		}},
		{Name: "GIT_DIR that is a file", Make: func(t testing.TB, g Git) *Repo {
			r := linked(t, g)
			return r.With("GIT_DIR=" + filepath.Join(r.Dir, ".git"))
		}},
		{Name: "GIT_DIR and core.worktree", Make: func(t testing.TB, g Git) *Repo {
			r := plain(t, g)
			r.Git("config", "core.worktree", "../../other tree")
			other := filepath.Join(r.Root(), "other tree")
			mkdir(t, filepath.Join(other, "sub"))
			return r.In(filepath.Join(other, "sub")).With("GIT_DIR=" + filepath.Join(r.Dir, ".git"))
		}},
		{Name: "core.worktree", Make: func(t testing.TB, g Git) *Repo {
			r := plain(t, g)
			mkdir(t, filepath.Join(r.Root(), "other"))
			r.Git("config", "core.worktree", filepath.Join(r.Root(), "other"))
			return r
		}},
		{Name: "GIT_WORK_TREE alone", Make: func(t testing.TB, g Git) *Repo {
			r := plain(t, g)
			mkdir(t, filepath.Join(r.Root(), "other"))
			return r.With("GIT_WORK_TREE=../other")
		}},
		{Name: "GIT_DIR of a submodule", Make: func(t testing.TB, g Git) *Repo {
			r := submodule(t, g)
			return r.In(filepath.Join(r.Dir, "dir")).With("GIT_DIR=" + r.Git("rev-parse", "--absolute-git-dir"))
		}},
		{Name: "GIT_DIR and GIT_COMMON_DIR", Make: func(t testing.TB, g Git) *Repo {
			r := linked(t, g)
			return r.With("GIT_DIR="+r.Git("rev-parse", "--absolute-git-dir"),
				"GIT_COMMON_DIR="+r.Git("rev-parse", "--path-format=absolute", "--git-common-dir"))
		}},
	}
}

func bareKinds() []Kind {
	return []Kind{
		{Name: "bare", Make: bare},
		{Name: "worktree of a bare repository", Make: func(t testing.TB, g Git) *Repo {
			r := bare(t, g)
			r.Git("worktree", "add", "-q", "-b", "linked", "../linked")
			return r.In(filepath.Join(r.Root(), "linked"))
		}},
		{Name: "folder whose git file names a bare repository", Make: func(t testing.TB, g Git) *Repo {
			r := bare(t, g)
			box := filepath.Join(r.Root(), "box")
			mkdir(t, box)
			at := r.In(box)
			at.Write(".git", "gitdir: ../bare.git\n")
			return at
		}},
		{Name: "bare, settings per worktree, worktree", Make: func(t testing.TB, g Git) *Repo {
			r := bare(t, g)
			r.Git("config", "extensions.worktreeConfig", "true")
			r.Git("config", "--unset", "core.bare")
			r.Git("config", "--file", "config.worktree", "core.bare", "true")
			r.Git("worktree", "add", "-q", "-b", "linked", "../linked")
			return r.In(filepath.Join(r.Root(), "linked"))
		}},
		{Name: "bare, settings per worktree", Make: func(t testing.TB, g Git) *Repo {
			r := bare(t, g)
			r.Git("config", "extensions.worktreeConfig", "true")
			r.Git("config", "--unset", "core.bare")
			r.Git("config", "--file", "config.worktree", "core.bare", "true")
			return r
		}},
		{Name: "git dir made bare", Make: func(t testing.TB, g Git) *Repo {
			r := plain(t, g)
			r.Git("config", "core.bare", "true")
			return r
		}},
		{Name: "GIT_DIR of a bare repository", Make: func(t testing.TB, g Git) *Repo {
			r := bare(t, g)
			return r.In(r.Root()).With("GIT_DIR=" + r.Dir)
		}},
		{Name: "bare with GIT_WORK_TREE", Make: func(t testing.TB, g Git) *Repo {
			r := bare(t, g)
			mkdir(t, filepath.Join(r.Root(), "tree"))
			return r.In(filepath.Join(r.Root(), "tree")).With("GIT_DIR="+r.Dir, "GIT_WORK_TREE=.")
		}},
	}
}

func storageKinds() []Kind {
	reftable := func(g Git) bool { return g.AtLeast(2, 45) }
	return []Kind{
		{Name: "partial clone", Make: func(t testing.TB, g Git) *Repo {
			r := plain(t, g)
			r.Git("config", "uploadpack.allowFilter", "true")
			r.Git("config", "uploadpack.allowAnySHA1InWant", "true")
			return r.cloned("--filter=blob:none")
		}},
		{Name: "shallow", Make: func(t testing.TB, g Git) *Repo { return plain(t, g).cloned("--depth=2") }},
		{Name: "alternates", Make: func(t testing.TB, g Git) *Repo { return plain(t, g).cloned("--shared") }},
		{Name: "SHA-256", Make: func(t testing.TB, g Git) *Repo { return g.Fresh(t, "repo", "--object-format=sha256") }},
		{Name: "linked worktree, SHA-256", Make: func(t testing.TB, g Git) *Repo {
			return g.Fresh(t, "repo", "--object-format=sha256").linked()
		}},
		{Name: "packed refs only", Make: func(t testing.TB, g Git) *Repo {
			r := plain(t, g)
			r.Git("pack-refs", "--all", "--prune")
			r.Git("gc", "-q")
			return r
		}},
		{Name: "many packed refs", Make: manyRefs},
		{Name: "reftable", Make: func(t testing.TB, g Git) *Repo { return g.Fresh(t, "repo", "--ref-format=reftable") }, Needs: reftable},
		{Name: "linked worktree, reftable", Make: func(t testing.TB, g Git) *Repo {
			return g.Fresh(t, "repo", "--ref-format=reftable").linked()
		}, Needs: reftable},
		{Name: "reftable, SHA-256", Make: func(t testing.TB, g Git) *Repo {
			return g.Fresh(t, "repo", "--ref-format=reftable", "--object-format=sha256")
		}, Needs: reftable},
	}
}

func pathKinds() []Kind {
	named := func(name string) func(testing.TB, Git) *Repo {
		return func(t testing.TB, g Git) *Repo { return g.Fresh(t, name) }
	}
	return []Kind{
		{Name: "path with spaces", Make: named(" a  b ' \" c")},
		{Name: "path with unicode", Make: named("grüße-日本語")},
		{Name: "path with a newline", Make: named("one\ntwo"), Unix: true},
		{Name: "linked worktree, path with a newline", Make: func(t testing.TB, g Git) *Repo {
			return g.Fresh(t, "one\ntwo").linked()
		}, Unix: true},
		{Name: "symlinked path", Make: func(t testing.TB, g Git) *Repo {
			r := plain(t, g)
			link(t, r.Dir, filepath.Join(r.Root(), "link"))
			return r.In(filepath.Join(r.Root(), "link", "dir"))
		}, Unix: true},
		{Name: "linked worktree behind a link", Make: func(t testing.TB, g Git) *Repo {
			r := linked(t, g)
			at := filepath.Join(t.TempDir(), "link")
			link(t, r.Root(), at)
			return r.In(filepath.Join(at, "linked"))
		}, Unix: true},
		{Name: "symlinked git dir", Make: func(t testing.TB, g Git) *Repo {
			r := plain(t, g)
			away := filepath.Join(r.Root(), "away")
			if err := os.Rename(filepath.Join(r.Dir, ".git"), away); err != nil {
				t.Fatal(err)
			}
			link(t, away, filepath.Join(r.Dir, ".git"))
			return r
		}, Unix: true},
		{Name: "GIT_DIR through a link", Make: func(t testing.TB, g Git) *Repo {
			r := plain(t, g)
			at := filepath.Join(r.Root(), "link")
			link(t, r.Dir, at)
			return r.With("GIT_DIR=" + filepath.Join(at, ".git"))
		}, Unix: true},
	}
}

func plain(t testing.TB, g Git) *Repo { return g.Fresh(t, "repo") }

func linked(t testing.TB, g Git) *Repo { return g.Fresh(t, "repo").linked() }

func (r *Repo) linked() *Repo {
	r.T.Helper()
	r.Git("worktree", "add", "-q", "-b", "linked", "../linked")
	return r.In(filepath.Join(r.Root(), "linked"))
}

func bare(t testing.TB, g Git) *Repo {
	r := g.Fresh(t, "repo")
	to := filepath.Join(r.Root(), "bare.git")
	r.Git("clone", "-q", "--mirror", r.Dir, to)
	at := r.In(to)
	at.Git("config", "--unset", "remote.origin.mirror")
	return at
}

// cloned clones the repository over the file protocol, adds a note to the clone, and returns the clone.
func (r *Repo) cloned(args ...string) *Repo {
	r.T.Helper()
	to := filepath.Join(r.Root(), "clone")
	r.Git(append(append([]string{"clone", "-q"}, args...), "file://"+r.Dir, to)...)
	at := r.In(to)
	at.Git("notes", "--ref=resume/x-a7f3", "add", "-m", "a line", "HEAD")
	return at
}

func submodule(t testing.TB, g Git) *Repo {
	inner := g.Fresh(t, "inner")
	outer := g.Fresh(t, "repo")
	outer.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.Dir, "sub")
	outer.Git("commit", "-q", "-m", "a submodule")
	return outer.In(filepath.Join(outer.Dir, "sub"))
}

// manyRefs makes a repository with 300 packed refs, so many that they do not fit into one buffer of a reader. A loose ref overrides one of
// them.
func manyRefs(t testing.TB, g Git) *Repo {
	r := plain(t, g)
	id := r.Git("rev-parse", "HEAD")
	var in []byte
	for i := range 300 {
		in = append(in, fmt.Sprintf("create refs/resume/journal/run-%c%d %s\n", 'a'+i%26, i, id)...)
	}
	r.Pipe(string(in), "update-ref", "--stdin")
	r.Git("pack-refs", "--all", "--prune")
	r.Git("update-ref", "refs/resume/journal/run-a0", "HEAD~1")
	return r
}
