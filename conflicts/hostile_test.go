package conflicts_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/repotest"
	"github.com/git-resume/git-resume/internal/gittest"
)

// hostile returns files that break naive comparisons. Both sides change the same line of each file, so a check must never report a clean
// merge.
func hostile(full bool) map[string]func(mark string) []byte {
	size := 4 << 20
	count := 100_000
	if full {
		size, count = 100<<20, 1_000_000
	}
	block := func(head string, n int) func(string) []byte {
		return func(mark string) []byte {
			var b bytes.Buffer
			fmt.Fprintf(&b, "first\n%s\n%s", mark, head)
			for i := 0; b.Len() < n; i++ {
				fmt.Fprintf(&b, "a line of text, the %dth of very many in this file\n", i)
			}
			return b.Bytes()
		}
	}
	return map[string]func(string) []byte{
		"large text": block("", size),
		"many lines": func(mark string) []byte {
			var b bytes.Buffer
			fmt.Fprintf(&b, "first\n%s\n", mark)
			for i := range count {
				fmt.Fprintf(&b, "%d\n", i*7919)
			}
			return b.Bytes()
		},
		"many equal lines": func(mark string) []byte {
			return []byte("first\n" + mark + "\n" + strings.Repeat("same\n", count))
		},
		"equal lines, changed all over": func(mark string) []byte {
			var b bytes.Buffer
			fmt.Fprintf(&b, "first\n%s\n", mark)
			for i := range count / 4 {
				b.WriteString("same\n")
				if (i*7919+len(mark)*31)%5 == 0 {
					b.WriteString(mark + "\n")
				}
			}
			return b.Bytes()
		},
		"one long line": func(mark string) []byte {
			return append([]byte(mark), bytes.Repeat([]byte{'x'}, size/2)...)
		},
		"not UTF-8": block("\xff\xfe\xc3\x28\x80", 1000),
	}
}

// TestHostile_neverCleanByDefault gives both engines very large and very odd files. HOSTILE=1 makes them as large as
// we promise to handle: 100 MB, a million lines, a line of 50 MB.
func TestHostile_neverCleanByDefault(t *testing.T) {
	full := os.Getenv("HOSTILE") != ""
	for name, make := range hostile(full) {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			side := func(mark string) tree { return tree{"f": file{plain, string(make(mark))}} }
			_, ours, theirs := s.commits(scenario{side("base"), side("our own"), side("all theirs")})
			for _, engine := range engines {
				begin := time.Now()
				rep := check(t, s.repo, conflicts.Query{Ours: ours, Theirs: theirs, Engine: engine})
				if rep.Clean || len(rep.Conflicts) != 1 || rep.Severity() != conflicts.Blocking {
					t.Fatalf("%s: clean %v, %d conflicts", engine, rep.Clean, len(rep.Conflicts))
				}
				c := rep.Conflicts[0]
				took := time.Since(begin)
				t.Logf("%s: %s in %s, lines %v, %s", engine, c.Kind, took.Round(time.Millisecond), c.Ours.Ranges[:min(len(c.Ours.Ranges), 3)], c.Why)
				if took > 60*time.Second {
					t.Errorf("%s took %s", engine, took)
				}
			}
		})
	}
}

// TestPartialClone_isHonest checks that missing blobs are not fetched, and that a merge is not called clean when blobs
// that it needs are missing.
func TestPartialClone_isHonest(t *testing.T) {
	r := gittest.New(t)
	write := func(f, s string) { r.Write(f, s); r.Git("add", "-A") }
	write("f", long)
	write("g", "1\n")
	r.Git("commit", "-qm", "base")
	r.Git("switch", "-qc", "topic")
	write("f", lines(30, map[int]string{4: "topic\n"}))
	r.Git("commit", "-qm", "topic")
	r.Git("switch", "-q", "main")
	write("f", lines(30, map[int]string{4: "main\n"}))
	r.Git("commit", "-qm", "main")
	r.Git("switch", "-qc", "apart", "main~1")
	write("other", "1\n")
	r.Git("commit", "-qm", "apart")
	r.Git("config", "uploadpack.allowFilter", "true")
	dir := filepath.Join(t.TempDir(), "clone")
	r.Git("clone", "-q", "--bare", "--filter=blob:none", "file://"+r.Dir, dir)
	clone := r.In(dir)
	repo := repotest.Open(t, clone.Dir, clone.Env)
	before := fingerprint(t, dir)
	id := func(name string) object.ID { return object.ID(clone.Git("rev-parse", name)) }
	for _, engine := range append([]conflicts.Engine{""}, engines...) {
		rep, err := conflicts.Check(context.Background(), repo, conflicts.Query{Ours: id("main"), Theirs: id("topic"), Engine: engine})
		if err != nil {
			t.Errorf("%s: %v", engine, err)
			continue
		}
		told := slices.ContainsFunc(rep.Notes, func(n conflicts.Note) bool { return n.Code == conflicts.CannotTell })
		if rep.Clean || !told || rep.Severity() != conflicts.Blocking {
			t.Errorf("%s: clean %v, notes %v", engine, rep.Clean, rep.Notes)
		}
		rep, err = conflicts.Check(context.Background(), repo, conflicts.Query{Ours: id("main"), Theirs: id("apart"), Engine: engine})
		if err != nil || !rep.Clean {
			t.Errorf("%s: no blob is needed here, but clean is %v (%v)", engine, rep.Clean, err)
		}
	}
	requireSame(t, before, fingerprint(t, dir))
}

// TestCheck_writesNothing compares every byte of the repository before and after a check, and checks that no temporary
// files remain. It ignores file times, because git updates the time of an existing object when a merge produces the
// same object again.
func TestCheck_writesNothing(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	s := newStore(t)
	for i, tc := range kindCases {
		base, ours, theirs := s.commits(tc.scenario)
		snapshot := s.commit(tree{"f": text("snapshot " + fmt.Sprint(i) + "\n")}, "snapshot")
		before := fingerprint(t, s.repo.CommonDir)
		for _, engine := range engines {
			for _, q := range []conflicts.Query{{}, {Base: base}, {Uncommitted: snapshot}} {
				q.Ours, q.Theirs, q.Engine = ours, theirs, engine
				check(t, s.repo, q)
			}
		}
		requireSame(t, before, fingerprint(t, s.repo.CommonDir))
	}
	// The user's folder for temporary stores may remain, but it must be empty.
	left, err := filepath.Glob(filepath.Join(temp, "git-resume-*", "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// fingerprint returns the type and a checksum of every file below a directory, by path.
func fingerprint(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		print := d.Type().String()
		if d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			print += fmt.Sprintf("%x", sha256.Sum256(data))
		}
		out[path] = print
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func requireSame(t *testing.T, before, after map[string]string) {
	t.Helper()
	if maps.Equal(before, after) {
		return
	}
	for path, was := range after {
		if before[path] != was {
			t.Errorf("changed: %s", path)
		}
	}
	for path := range before {
		if _, ok := after[path]; !ok {
			t.Errorf("gone: %s", path)
		}
	}
}

// TestCost_followsWhatWasTouched compares Check for a tree of 1,000 files and for a tree of 100,000 files. In both, each side changed ten
// files. The large tree may take at most twice as long. Times vary on a shared machine, so the best of several tries counts.
func TestCost_followsWhatWasTouched(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures time")
	}
	small, large := costly(t, 1_000), costly(t, 100_000)
	for _, engine := range engines {
		best := 1000.0
		for try := 0; try < 6 && best > 2; try++ {
			best = min(best, float64(large(engine))/float64(small(engine)))
		}
		t.Logf("%s: %.2f", engine, best)
		if best > 2 {
			t.Errorf("%s: 100,000 files take %.2f times as long as 1,000", engine, best)
		}
	}
}

// costly makes a tree of n files. Each side changes ten files, and two files are changed by both sides. It returns a function that times
// one check.
func costly(t *testing.T, n int) func(conflicts.Engine) time.Duration {
	s := newStore(t)
	name := func(i int) string { return fmt.Sprintf("d%02d/s%02d/f%d", i%50, i/50%50, i) }
	base := tree{}
	for i := range n {
		base[name(i)] = text(long)
	}
	ours, theirs := maps.Clone(base), maps.Clone(base)
	for i := range 10 {
		ours[name(i*7)] = text(lines(30, map[int]string{4: "ours\n"}))
		theirs[name((i+8)*7)] = text(lines(30, map[int]string{4 + 20*(i%2): "theirs\n"}))
	}
	_, o, th := s.commits(scenario{base, ours, theirs})
	return func(engine conflicts.Engine) time.Duration {
		var took []time.Duration
		for range 7 {
			begin := time.Now()
			rep := check(t, s.repo, conflicts.Query{Ours: o, Theirs: th, Engine: engine})
			took = append(took, time.Since(begin))
			if len(rep.Conflicts) != 1 || len(rep.Notes) != 2 {
				t.Fatalf("%+v", rep)
			}
		}
		return slices.Min(took)
	}
}
