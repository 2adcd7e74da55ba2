//go:build unix

package past

import (
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/repotest"
	"github.com/git-resume/git-resume/gitstate/store"
	"github.com/git-resume/git-resume/internal/gittest"
)

// gigantic is the uncompressed size of the test objects. On disk, all of them together take only a few megabytes.
const gigantic = 160 << 20

// childTime returns the processor time of all child processes that have ended.
func childTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	gittest.NoError(t, "getrusage", syscall.Getrusage(syscall.RUSAGE_CHILDREN, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// giants makes objects of each kind that are far larger in memory than on disk.
func giants(own *gittest.Repo) map[string]string {
	head := own.Git("rev-parse", "HEAD")
	tree := own.Git("rev-parse", "HEAD^{tree}")
	id := func(text string) string { raw, _ := hex.DecodeString(text); return string(raw) }
	who := "A <a@example.com> 1893553445 +0000"
	blob := own.Giant("blob", "", gigantic)
	out := map[string]string{
		"blob":   blob,
		"commit": own.Giant("commit", fmt.Sprintf("tree %s\nparent %s\nauthor %s\ncommitter %s\n\nlarge", tree, head, who, who), gigantic),
		"tree":   own.Giant("tree", "100644 a\x00"+id(head), gigantic),
		"tag":    own.Giant("tag", fmt.Sprintf("object %s\ntype commit\ntag large\ntagger %s\n\nlarge", head, who), gigantic),
	}
	out["tag of a blob"] = own.Pipe(fmt.Sprintf("object %s\ntype blob\ntag of\ntagger %s\n\n", blob, who), "hash-object", "-t", "tag", "-w", "--stdin")[:40]
	out["tag of a tag"] = own.Pipe(fmt.Sprintf("object %s\ntype tag\ntag of\ntagger %s\n\n", out["tag"], who), "hash-object", "-t", "tag", "-w", "--stdin")[:40]
	out["commit of a tree"] = own.Pipe(fmt.Sprintf("tree %s\nauthor %s\ncommitter %s\n\n", out["tree"], who, who), "hash-object", "-t", "commit", "-w", "--stdin")[:40]
	return out
}

// packedGiants makes a pack with a blob of the given size, a delta that expands to this size, and a delta of that blob that expands to 100
// bytes.
func packedGiants(own *gittest.Repo, size int64) map[string]string {
	own.T.Helper()
	h := object.Hasher{}
	zeros := make([]byte, size)
	small := gittest.Packed{Kind: "blob", Text: "small", Zeros: 1 << 20}
	smallID := string(h.ID("blob", append([]byte("small"), zeros[:1<<20]...)))
	large := string(h.ID("blob", zeros))
	own.Pack(
		gittest.Packed{Kind: "blob", Zeros: size}, small,
		gittest.Packed{Kind: "delta", Base: smallID, Text: gittest.Repeating(5+1<<20, 5, size/5)},
		gittest.Packed{Kind: "delta", Base: large, Text: gittest.Repeating(size, 100, 1)},
	)
	unfolds := string(h.ID("blob", []byte(strings.Repeat("small", int(size/5)))))
	return map[string]string{"packed blob": large, "delta that unfolds": unfolds, "small delta of a large blob": string(h.ID("blob", zeros[:100]))}
}

// questions returns test functions, each of which reads an object in another way.
func questions(head object.ID) map[string]func(*testing.T, *gitstate.Repo, string) error {
	return map[string]func(*testing.T, *gitstate.Repo, string) error{
		"Object": func(t *testing.T, r *gitstate.Repo, id string) error {
			_, err := r.Objects.Object(t.Context(), id)
			return err
		},
		"Blob": func(t *testing.T, r *gitstate.Repo, id string) error {
			_, err := r.Objects.Blob(t.Context(), object.ID(id))
			return err
		},
		"BlobUpTo": func(t *testing.T, r *gitstate.Repo, id string) error {
			_, err := r.Objects.BlobUpTo(t.Context(), object.ID(id), 8<<20)
			return err
		},
		"Commit": func(t *testing.T, r *gitstate.Repo, id string) error {
			_, err := r.Objects.Commit(t.Context(), id)
			return err
		},
		"Tree": func(t *testing.T, r *gitstate.Repo, id string) error {
			_, err := r.Objects.Tree(t.Context(), id)
			return err
		},
		"Changed": func(t *testing.T, r *gitstate.Repo, id string) error {
			_, err := Changed(t.Context(), r, head, object.ID(id))
			return err
		},
		"MergeBases": func(t *testing.T, r *gitstate.Repo, id string) error {
			_, err := MergeBases(t.Context(), r, head, object.ID(id))
			return err
		},
		"each": func(t *testing.T, r *gitstate.Repo, id string) error {
			return r.Objects.Each(t.Context(), []string{string(head), id, string(head)}, store.Wanted{}, func(int, object.Object) error { return nil })
		},
	}
}

// answerable lists the reads that must succeed although an object that is too large is involved. In each of them, only the requested object
// must be read. It is small and just points to the large one.
var answerable = map[string]bool{
	"tag of a blob: Object": true, "tag of a blob: each": true, "tag of a tag: Object": true, "tag of a tag: each": true,
	"commit of a tree: Object": true, "commit of a tree: each": true, "commit of a tree: Commit": true,
}

// Reading an object that is too large must fail quickly. git must not decompress the object. The test measures the time of all child
// processes, so it cannot run in parallel with other tests.
func TestObject_neverUnfoldsWhatIsTooLarge(t *testing.T) {
	own := gittest.New(t)
	head := object.ID(own.Git("rev-parse", "HEAD"))
	all := giants(own)
	begun := childTime(t)
	if _, code := own.Try("sh", "-c", "git cat-file blob "+all["blob"]+" >/dev/null"); code != 0 {
		t.Fatal("git cannot read the blob")
	}
	unfolding := childTime(t) - begun
	for name, id := range packedGiants(own, gigantic) {
		all[name] = id
		if name == "packed blob" {
			gittest.NoError(t, "remove the other copy", os.Remove(filepath.Join(own.Dir, ".git", "objects", id[:2], id[2:])))
		}
	}
	for git, own := range map[string]*gittest.Repo{"git": own, "git before 2.36": own.WithoutBatchCommand()} {
		for _, what := range slices.Sorted(maps.Keys(all)) {
			id, asked := all[what], questions(head)
			for _, name := range slices.Sorted(maps.Keys(asked)) {
				ask := asked[name]
				t.Run(fmt.Sprintf("%s: %s: %s", git, what, name), func(t *testing.T) {
					r := repotest.Open(t, own.Dir, own.Env)
					begun := childTime(t)
					err := ask(t, r, id)
					if answerable[what+": "+name] {
						gittest.NoError(t, "answer", err)
					} else if err == nil {
						t.Error("there is an answer")
					}
					_, behind := r.Objects.Commit(t.Context(), "HEAD")
					gittest.NoError(t, "the next question", behind)
					r.Close()
					if took := childTime(t) - begun; took > unfolding/4 {
						t.Errorf("git worked for %v; to unfold the object takes %v", took, unfolding)
					}
				})
			}
		}
	}
}

// TestObject_lyingSize reads an object file with more bytes than its header says. The extra bytes must not become part of an answer.
func TestObject_lyingSize(t *testing.T) {
	own := gittest.New(t)
	for _, says := range []int64{10, 20 << 20} {
		id := strings.Repeat("ab", 20)
		path := filepath.Join(own.Dir, ".git", "objects", id[:2], id[2:])
		_ = os.Remove(path)
		own.Loose(id, gittest.Deflated(fmt.Sprintf("blob %d\x00", says), gigantic))
		r := repotest.Open(t, own.Dir, own.Env)
		begun := childTime(t)
		if o, err := r.Objects.Object(t.Context(), id); err == nil || errors.Is(err, object.ErrMissing) {
			t.Errorf("says %d: %d bytes, %v", says, len(o.Data), err)
		}
		c, err := r.Objects.Commit(t.Context(), "HEAD")
		gittest.NoError(t, "the next question", err)
		gittest.Equal(t, "subject", c.Subject(), "first")
		r.Close()
		lie := childTime(t) - begun
		begun = childTime(t)
		own.Try("sh", "-c", "git -c core.bigFileThreshold=1m cat-file blob "+id+" >/dev/null")
		if says > 1<<20 && lie > (childTime(t)-begun)/2 {
			t.Errorf("says %d: git worked for %v", says, lie)
		}
	}
}

// TestObject_lyingSizeAnswersNothing reads a damaged object. The extra bytes after the object look like git's next answers, but must
// not be used as answers.
func TestObject_lyingSizeAnswersNothing(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	head, id := own.Git("rev-parse", "HEAD"), strings.Repeat("ab", 20)
	tree := own.Git("rev-parse", "HEAD^{tree}")
	forged := fmt.Sprintf("tree %s\n\nforged", tree)
	answer := fmt.Sprintf("%s commit %d\n", head, len(forged))
	own.Loose(id, gittest.Deflated("blob 5\x00hello\n"+strings.Repeat(answer+answer+forged+"\n", 2), 0))
	for git, own := range map[string]*gittest.Repo{"git": own, "git before 2.36": own.WithoutBatchCommand()} {
		r := repotest.Open(t, own.Dir, own.Env)
		if o, err := r.Objects.Object(t.Context(), id); err == nil || errors.Is(err, object.ErrMissing) {
			t.Errorf("%s: %q, %v", git, o.Data, err)
		}
		c, err := r.Objects.Commit(t.Context(), head)
		gittest.NoError(t, "the next question", err)
		gittest.Equal(t, "subject", c.Subject(), "first")
		err = r.Objects.Each(t.Context(), []string{id, head, head}, store.Wanted{}, func(_ int, o object.Object) error {
			if strings.Contains(string(o.Data), "forged") {
				t.Errorf("%s: the bytes of %s are another object's", git, o.ID)
			}
			return nil
		})
		if err == nil {
			t.Errorf("%s: all at once: no error", git)
		}
	}
}

// TestObject_replaced checks that an object for which the user has set a replacement does not count as damaged.
func TestObject_replaced(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	head := own.Git("rev-parse", "HEAD")
	for _, subject := range []string{"another", "a third"} {
		last := own.Git("rev-parse", "HEAD")
		if list := own.Git("replace", "-l"); list != "" {
			last = own.Git("rev-parse", "refs/replace/"+list)
		}
		own.Git("replace", last, own.Git("commit-tree", "-m", subject, "HEAD^{tree}"))
	}
	r := repotest.Open(t, own.Dir, own.Env)
	c, err := r.Objects.Commit(t.Context(), head)
	gittest.NoError(t, "Commit", err)
	gittest.Equal(t, "subject", c.Subject(), own.Git("log", "-1", "--format=%s", head))
	gittest.Equal(t, "subject", c.Subject(), "a third")
}

// TestScratch_readsAFileThatWasLarge checks that a small file can be read even if git stores it as a delta of a far larger file.
func TestScratch_readsAFileThatWasLarge(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	id := packedGiants(own, 32<<20)["small delta of a large blob"] // 32 MB is above the helper's core.bigFileThreshold, but quick to pack
	own.Git("update-index", "--add", "--cacheinfo", "100644,"+id+",shrunk")
	own.Git("commit", "-q", "-m", "shrunk")
	s, err := NewScratch(repotest.Open(t, own.Dir, own.Env))
	gittest.NoError(t, "Scratch", err)
	defer s.Close()
	data, err := s.BlobUpTo(t.Context(), object.ID(id), 1<<20)
	gittest.NoError(t, "BlobUpTo", err)
	gittest.Equal(t, "bytes", string(data), strings.Repeat("\x00", 100))
	o, err := s.FileAt(t.Context(), "HEAD", "shrunk", store.Wanted{Limit: 1 << 20})
	gittest.NoError(t, "FileAt", err)
	gittest.Equal(t, "id", string(o.ID), id)
}
