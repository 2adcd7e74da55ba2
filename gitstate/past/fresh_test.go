package past

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/repotest"
	"github.com/git-resume/git-resume/internal/gittest"
)

// messageForms are messages that cannot simply be split after the first line into subject and body.
var messageForms = []string{
	"one", "one\n", "\n \n\tone\n", "one\ntwo \n\nbody\n", "one\r\ntwo\r\n\r\nbody\r\n", "one\n \t\n\n  body\n\nmore\n\n", "", "\n\n", " lead\ntrail \t\n",
	"Merge branch 'x'\n\n# Conflicts\n", "ünï\n\ncödé", "bad \xff byte\n\nbad \xfe body", "form\ffeed\n\f\nx\n",
}

// grow adds n commits to three branches. Each commit changes one of a few files. Some commits are merges. The dates of the commits are
// often equal or wrong.
func grow(r *gittest.Repo, from, n int, rng *rand.Rand) {
	var text strings.Builder
	tips := map[string]string{}
	for _, line := range strings.Split(r.Git("for-each-ref", "--format=%(objectname) %(refname:lstrip=2)", "refs/heads"), "\n") {
		id, branch, _ := strings.Cut(line, " ")
		tips[branch] = id
	}
	for i := from; i < from+n; i++ {
		branch := []string{"main", "side", "topic/x"}[rng.IntN(3)]
		if i < from+3 { // each branch gets one of the first three commits
			branch = []string{"main", "side", "topic/x"}[i-from]
		}
		when := 1_700_000_000 + 60*(i/3)
		if rng.IntN(9) == 0 {
			when -= 400
		}
		message := messageForms[rng.IntN(len(messageForms))]
		fmt.Fprintf(&text, "commit refs/heads/%s\nmark :%d\nauthor Ann  B <a@example.com> %d +0130\ncommitter c <c@example.com> %d -0500\n", branch, i+1, when-7, when)
		fmt.Fprintf(&text, "data %d\n%s\n", len(message), message)
		if tip := tips[branch]; tip != "" {
			fmt.Fprintf(&text, "from %s\n", tip)
			delete(tips, branch) // later commits of the branch need no line "from" in the input of fast-import
		}
		if i > from+3 && rng.IntN(4) == 0 {
			fmt.Fprintf(&text, "merge :%d\n", from+1+rng.IntN(i-from))
		}
		path := []string{"specs/a", "specs/b/c", "specs.md", "spec", "other/x", "specs/b"}[rng.IntN(6)]
		switch rng.IntN(6) {
		case 0:
			fmt.Fprintf(&text, "D %s\n", path)
		case 1:
			fmt.Fprintf(&text, "M 100755 inline %s\ndata 1\nx\n", path)
		default:
			fmt.Fprintf(&text, "M 100644 inline %s\ndata %d\n%d\n", path, len(fmt.Sprint(i)), i)
		}
		text.WriteString("\n")
	}
	r.Pipe(text.String(), "-c", "fastimport.unpackLimit=100000", "fast-import", "--quiet", "--force")
}

// TestFresh_listsWhatGitLists compares commits that are read from loose object files with the output of git, for random histories. In some
// of them the older commits are packed, so that git must continue the list.
func TestFresh_listsWhatGitLists(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 5))
		own := gittest.New(t)
		if grow(own, 1, 12+int(seed), rng); seed%2 == 1 {
			own.Git("repack", "-adq")
			grow(own, 100, 3+int(seed), rng)
		}
		r := repotest.Open(t, own.Dir, own.Env)
		tip := object.ID(own.Git("rev-parse", "main"))
		loose := object.ID(own.Git("commit-tree", "-p", "main", "-m", "on no branch", "main^{tree}"))
		sameMessages(t, r, seed, loose)
		for _, paths := range [][]string{{"specs"}, {"specs/b", "spec"}, {"specs/"}, {"specs.md", "other/x", "none"}, {"specs/b/"}} {
			sameTouches(t, r, seed, tip, paths)
		}
	}
}

func sameMessages(t *testing.T, r *gitstate.Repo, seed uint64, tips ...object.ID) {
	t.Helper()
	git := &MessageLog{ctx: t.Context(), repo: r}
	want := drain(t, git, git.open(tips, "--branches"), git.Next)
	log, err := OpenMessages(t.Context(), r, tips...)
	if log.fresh == nil {
		t.Fatalf("history %d: git lists everything", seed)
	}
	if got := drain(t, log, err, log.Next); !reflect.DeepEqual(got, want) {
		t.Errorf("history %d: messages\n%q\ngit lists\n%q", seed, got, want)
	}
	if packed, _ := filepath.Glob(r.CommonPath("objects/pack/*.pack")); (log.stream != nil) != (len(packed) > 0) {
		t.Errorf("history %d: git was started: %v, with %d packs", seed, log.stream != nil, len(packed))
	}
}

func sameTouches(t *testing.T, r *gitstate.Repo, seed uint64, tip object.ID, paths []string) {
	t.Helper()
	git := &TouchLog{ctx: t.Context(), repo: r, paths: paths}
	want := drain(t, git, git.open(tip), git.Next)
	log, err := OpenTouches(t.Context(), r, tip, time.Time{}, paths...)
	if got := drain(t, log, err, log.Next); !reflect.DeepEqual(got, want) {
		t.Errorf("history %d: commits that changed %q\n%+v\ngit lists\n%+v", seed, paths, got, want)
	}
}

func drain[T any](t *testing.T, log interface{ Close() }, err error, next func() (T, error)) (out []T) {
	t.Helper()
	defer log.Close()
	for err == nil {
		var one T
		if one, err = next(); err == nil {
			out = append(out, one)
		}
	}
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return out
}

// TestFresh_startsNoGit checks that the first commits are listed without a git process, and that git lists the rest if there are many.
func TestFresh_startsNoGit(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	var text strings.Builder
	for i := range 2 * mostFresh {
		fmt.Fprintf(&text, "commit refs/heads/main\ncommitter c <c@example.com> %d +0000\ndata 1\nx\nM 100644 inline f\ndata %d\n%d\n\n", 1_700_000_000+i, len(fmt.Sprint(i)), i)
	}
	own.Pipe(text.String(), "-c", "fastimport.unpackLimit=100000", "fast-import", "--quiet", "--force")
	r := repotest.Open(t, own.Dir, own.Env)
	log, err := OpenTouches(t.Context(), r, object.ID(own.Git("rev-parse", "main")), time.Time{}, "f")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	for i := range 2 * mostFresh {
		if _, err := log.Next(); err != nil {
			t.Fatal(i, err)
		}
		if started := log.stream != nil; i < mostFresh-2 && started || i > mostFresh && !started {
			t.Fatalf("commit %d: git was started: %v", i, started)
		}
	}
	if _, err := log.Next(); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}

func TestFresh_leavesToGit(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(r *gittest.Repo){
		"replaced": func(r *gittest.Repo) { r.Git("replace", "--graft", "HEAD") },
		"grafts":   func(r *gittest.Repo) { r.Write(".git/info/grafts", r.Git("rev-parse", "HEAD")+"\n") },
		"encoding": func(r *gittest.Repo) {
			r.Git("-c", "i18n.commitEncoding=ISO-8859-1", "commit", "-q", "--allow-empty", "-m", "gr\xfcn")
		},
		"damaged": func(r *gittest.Repo) {
			id := r.Git("rev-parse", "HEAD")
			path := filepath.Join(r.Dir, ".git/objects", id[:2], id[2:])
			if err := errors.Join(os.Chmod(path, 0o600), os.WriteFile(path, []byte("x"), 0o600)); err != nil {
				t.Fatal(err)
			}
		},
		"many branches": func(r *gittest.Repo) {
			for i := range mostFresh + 1 {
				r.Write(fmt.Sprintf(".git/refs/heads/b%d", i), r.Git("rev-parse", "HEAD")+"\n")
			}
		},
	} {
		own := gittest.New(t)
		own.Git("commit", "-q", "--allow-empty", "-m", "two")
		prepare(own)
		r := repotest.Open(t, own.Dir, own.Env)
		if newFreshMessages(context.Background(), r, nil) != nil {
			t.Errorf("%s: the commits are not left to git", name)
		}
		all, err := messages(t, r, 10)
		if damaged := name == "damaged"; (err != nil) != damaged {
			t.Errorf("%s: %v", name, err)
		}
		if name == "encoding" && !slices.ContainsFunc(all, func(d Described) bool { return d.Subject == "grün" }) {
			t.Errorf("%s: %+v", name, all)
		}
	}
}
